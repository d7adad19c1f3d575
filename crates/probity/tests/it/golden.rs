//! Golden cases: each folder under `cases/` is a run with its input, arguments and recorded judge, and what
//! must come out. `BLESS=1` rewrites what came out; the difference is the review.
//!
//! A folder holds `args` (one argument per line), whatever files the arguments name, and the expectations
//! `exit`, `stdout`, `stderr` and, where the run writes them, `out.json`, `report.md` and `report.xml`. An empty stream has no file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::binary::Probity;

/// What a run leaves behind, as opposed to what it is given.
const EXPECTED: [&str; 6] = ["exit", "stdout", "stderr", "out.json", "report.md", "report.xml"];

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let entries =
        fs::read_dir(root).expect("the folder of cases").map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Runs the case in `folder`; gives what came out under the names of [`EXPECTED`].
fn outcome(folder: &Path) -> [String; 6] {
    let mut probity = Probity::new();
    for entry in fs::read_dir(folder).expect("a case").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().into_string().expect("a plain name");
        if !EXPECTED.contains(&name.as_str()) {
            probity = probity.file(&name, fs::read(entry.path()).expect("a file"));
        }
    }
    let args = fs::read_to_string(folder.join("args")).expect("a case has arguments");
    let ran = probity.args([]).words(args.lines()).run();
    let [.., out, markdown, junit] =
        EXPECTED.map(|name| fs::read_to_string(probity.path(name)).unwrap_or_default());
    [format!("{}\n", ran.code.expect("an exit code")), ran.stdout, ran.stderr, out, markdown, junit]
}

#[test]
fn cases() {
    let folders = folders();
    assert!(folders.len() >= 3, "{folders:?}");
    let bless = std::env::var_os("BLESS").is_some();
    let mut differ = Vec::new();
    for folder in folders {
        for (name, have) in EXPECTED.iter().zip(outcome(&folder)) {
            let path = folder.join(name);
            let want = fs::read_to_string(&path).unwrap_or_default();
            if have == want {
                continue;
            }
            match (bless, have.is_empty()) {
                (true, false) => fs::write(&path, &have).expect("a file"),
                (true, true) => fs::remove_file(&path).expect("a file"),
                (false, _) => differ.push(format!("{}\n--- wanted\n{want}--- came\n{have}", path.display())),
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
