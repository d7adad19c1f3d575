//! What the README and the tutorial tell a newcomer to type, typed: every `sh` block, in order, against what ships.
//!
//! A line that ends in `# exits N: reason` has to end with that code, every other one with 0. What needs a person, a
//! browser or a key is in a `console` block, which is not run.

use std::path::Path;

use crate::binary::{BINARY, Probity};
use crate::mock::process::MockJudge;

/// Commands that are other tests: the whole build, and its first run.
const ELSEWHERE: [&str; 2] = ["cargo run -- run examples/tickets.json", "cargo xtask ci"];

/// The lines of all `sh` blocks of a document.
fn lines(document: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut is_inside = false;
    for line in document.lines() {
        match line.trim_end() {
            "```sh" => is_inside = true,
            "```" => is_inside = false,
            typed if is_inside && !typed.is_empty() => lines.push(typed.to_owned()),
            _ => {}
        }
    }
    lines
}

/// A script that stops at the first line whose exit code is not the one that the document names.
fn script(lines: &[String]) -> String {
    let step = |line: &String| {
        let (command, code) = match line.split_once("# exits ") {
            None => (line.as_str(), "0"),
            Some((command, reason)) => (command, reason.split(':').next().unwrap_or_default()),
        };
        let failed =
            format!("echo \"{}: exit code $code, expected {code}\" >&2; exit 99", command.replace('"', "'"));
        format!("{command}\ncode=$?; [ $code -eq {code} ] || {{ {failed}; }}\n")
    };
    lines.iter().map(step).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).expect("a file");
        }
    }
}

/// Types what `document` shows into a shell whose folder has the examples.
#[track_caller]
fn check(document: &str, n_lines_min: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(document)).expect("the document");
    let judge = MockJudge::start(&["--script", "fair"]);
    let typed = lines(&text);
    let typed: Vec<String> = typed.into_iter().filter(|line| !ELSEWHERE.contains(&line.as_str())).collect();
    assert!(typed.len() >= n_lines_min, "{document} shows {} lines", typed.len());
    let folder = Probity::new();
    copy(&root.join("examples"), &folder.path("examples"));
    std::fs::create_dir(folder.path("bin")).expect("a folder");
    std::os::unix::fs::symlink(BINARY, folder.path("bin/probity")).expect("a link");
    let typed: Vec<String> =
        typed.iter().map(|line| line.replace("http://127.0.0.1:8377/v1", &judge.url())).collect();
    let script = format!("PATH={}:$PATH\n{}", folder.path("bin").display(), script(&typed));
    let ran = folder.shell(&script).output().expect("a shell");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{document}\n{said}");
}

#[test]
fn every_command_of_the_readme_works() {
    check("README.md", 9);
}

#[test]
fn every_command_of_the_tutorial_works() {
    check("docs/tutorial.md", 14);
}
