//! The binary in a folder of its own, with a judge and cases, as often and as roughly as a test likes.
//!
//! The environment is empty but for what a test sets. The store is `store/store.db` and the results are
//! `outbox/results.json`, so that a fault can be aimed at one or the other by its path.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::record::Record;

/// Waits that no test has to sit through, and no breaker.
pub(crate) const QUICK: &str = "[schedule]\nbackoff_ms_first = 1\nbackoff_ms_max = 4\npilot_ms_max = 0\n\
    breaker_consecutive = 100000\nbreaker_window = 100000\n";

/// The name of the case file.
pub(crate) const CASES: &str = "cases.json";

/// Where the results go.
pub(crate) const RESULTS: &str = "outbox/results.json";

/// A folder with cases, settings and perhaps a store.
pub(crate) struct Scene {
    folder: TempDir,
    base_url: String,
    variables: Vec<(String, String)>,
}

impl Scene {
    /// A folder with these cases, for a judge at `base_url`.
    pub(crate) fn new(cases: impl AsRef<[u8]>, base_url: &str) -> Scene {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let scene = Scene { folder, base_url: base_url.to_owned(), variables: Vec::new() };
        scene.write(CASES, cases);
        scene.write("probity.toml", QUICK);
        scene
    }

    /// With these settings instead of the quick ones.
    pub(crate) fn settings(self, text: &str) -> Scene {
        self.write("probity.toml", text);
        self
    }

    /// With this variable in the environment.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Scene {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Writes a file now.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }

    /// Where `name` is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The store.
    pub(crate) fn store(&self) -> PathBuf {
        self.path("store/store.db")
    }

    /// The names of the store's files, sorted.
    pub(crate) fn store_files(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path("store")) else { return Vec::new() };
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).into_string().expect("a name in UTF-8")).collect();
        names.sort();
        names
    }

    /// What the store holds now, without touching it.
    pub(crate) fn record(&self) -> Record {
        Record::of(&self.store())
    }

    /// The results file, where there is one.
    pub(crate) fn results_bytes(&self) -> Option<Vec<u8>> {
        std::fs::read(self.path(RESULTS)).ok()
    }

    /// The results file as text.
    #[track_caller]
    pub(crate) fn results_text(&self) -> String {
        String::from_utf8(self.results_bytes().expect("there are results")).expect("results are UTF-8")
    }

    /// The results.
    #[track_caller]
    pub(crate) fn results(&self) -> Value {
        let bytes = self.results_bytes().expect("there are results");
        serde_json::from_slice(&bytes).expect("results are whole JSON")
    }

    /// The command that runs the cases, with further arguments.
    pub(crate) fn command(&self, more: &[&str]) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_probity")), more)
    }

    /// The same command, started by another program that is given it as arguments.
    pub(crate) fn command_under(&self, program: &[&str], more: &[&str]) -> Command {
        let mut command = self.bare(Path::new(program[0]));
        command.args(&program[1..]).arg(env!("CARGO_BIN_EXE_probity"));
        self.with_run(command, more)
    }

    fn command_of(&self, program: &Path, more: &[&str]) -> Command {
        self.with_run(self.bare(program), more)
    }

    fn bare(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn with_run(&self, mut command: Command, more: &[&str]) -> Command {
        command.args(["run", CASES, "--judge", "openai", "--store", "store/store.db", "--output", RESULTS]);
        command.args(["--base-url", &self.base_url]).args(more);
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, more: &[&str]) -> Ended {
        Ended::of(self.command(more))
    }
}

/// What a process came to.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code; `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Ended {
    /// Runs `command` to its end.
    pub(crate) fn of(mut command: Command) -> Ended {
        Ended::after(command.spawn().expect("the binary starts"))
    }

    /// Waits for the end of `child`.
    pub(crate) fn after(child: Child) -> Ended {
        let Output { status, stdout, stderr } = child.wait_with_output().expect("the binary ends");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        let ended = Ended {
            code: status.code(),
            signal: status.signal(),
            stdout: text(stdout),
            stderr: text(stderr),
        };
        assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
        ended
    }

    /// The same, which must have ended with `code`.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Ended {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// The same, which must have said `part` on standard error.
    #[track_caller]
    pub(crate) fn says(self, part: &str) -> Ended {
        assert!(self.stderr.contains(part), "expected {part:?} in:\n{}", self.stderr);
        self
    }
}

/// Two texts are the same; where they are not, the first line that differs is shown.
#[track_caller]
pub(crate) fn assert_same(got: &str, want: &str, what: &str) {
    let differs = got.lines().zip(want.lines()).find(|(got, want)| got != want);
    assert!(got == want, "{what}: (got, want) {differs:?}");
}

/// A case file with `n` cases whose replies tell them apart.
pub(crate) fn cases(n: usize) -> String {
    let names: Vec<String> = (0..n).map(|i| format!("case-{i:04}")).collect();
    cases_named(names.iter().map(String::as_str))
}

/// A case file whose ids and replies are these.
pub(crate) fn cases_named<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let case = |name: &str| {
        json!({
            "id": name,
            "ticket": "The export has been empty since Monday.",
            "reply": name,
            "slice": if name.len().is_multiple_of(2) { "even" } else { "odd" },
        })
    };
    Value::Array(names.into_iter().map(case).collect()).to_string()
}
