//! The binary in a folder of its own, with a judge and cases, as often and as roughly as a test likes.
//!
//! The environment is empty but for what a test sets. The store is `store/store.db` and the results are
//! `outbox/results.json`, so that a fault can be aimed at one or the other by its path.

use std::ops::Deref;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::record::Record;
use crate::binary::{BINARY, Probity};

/// What a process came to.
pub(crate) use crate::binary::Ran as Ended;

/// Waits that no test has to sit through, and no breaker.
pub(crate) const QUICK: &str = "[schedule]\nbackoff_ms_first = 1\nbackoff_ms_max = 4\npilot_ms_max = 0\n\
    breaker_consecutive = 100000\nbreaker_window = 100000\n";

/// A server on this machine has no price but the one that settings give it.
const PRICE: &str = "[prices.\"gpt-4o-mini\"]\ninput_usd_per_mtok = 1\noutput_usd_per_mtok = 1\n";

/// Settings that leave nothing open which a judge may refuse: no call waits for the first.
pub(crate) const PROVEN: &str = "[judges.openai]\ntemperature = 0\nseed = 7\noutput_tokens_max = 1024\n\
    structured = \"schema\"\n";

/// The name of the case file.
pub(crate) const CASES: &str = "cases.json";

/// Where the results go.
pub(crate) const RESULTS: &str = "outbox/results.json";

/// A folder with cases, settings and perhaps a store.
pub(crate) struct Scene {
    folder: Probity,
    base_url: String,
    store: String,
}

impl Deref for Scene {
    type Target = Probity;

    fn deref(&self) -> &Probity {
        &self.folder
    }
}

impl Scene {
    /// A folder with these cases, for a judge at `base_url`.
    pub(crate) fn new(cases: impl AsRef<[u8]>, base_url: &str) -> Scene {
        let folder = Probity::new().file(CASES, cases).file("probity.toml", format!("{QUICK}{PRICE}"));
        Scene { folder, base_url: base_url.to_owned(), store: "store/store.db".to_owned() }
    }

    /// With these settings instead of the quick ones.
    pub(crate) fn settings(self, text: &str) -> Scene {
        self.write("probity.toml", text);
        self
    }

    /// With its record at this address.
    pub(crate) fn on(self, store: &str) -> Scene {
        Scene { store: store.to_owned(), ..self }
    }

    /// With this variable in the environment.
    pub(crate) fn variable(self, name: &str, value: &str) -> Scene {
        Scene { folder: self.folder.variable(name, value), ..self }
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
        self.text(RESULTS)
    }

    /// The results.
    #[track_caller]
    pub(crate) fn results(&self) -> Value {
        self.json(RESULTS)
    }

    /// The command that runs the cases, with further arguments.
    pub(crate) fn command(&self, more: &[&str]) -> Command {
        self.command_on(&self.store, more)
    }

    /// The same command, with the record at another address.
    pub(crate) fn command_on(&self, store: &str, more: &[&str]) -> Command {
        self.with_run(self.program(BINARY), store, more)
    }

    /// The same command, started by another program that is given it as arguments.
    pub(crate) fn command_under(&self, program: &[&str], more: &[&str]) -> Command {
        let mut command = self.program(program[0]);
        command.args(&program[1..]).arg(BINARY);
        self.with_run(command, &self.store, more)
    }

    fn with_run(&self, mut command: Command, store: &str, more: &[&str]) -> Command {
        command.args(["run", CASES, "--judge", "openai", "--store", store, "--output", RESULTS]);
        command.args(["--base-url", &self.base_url]).args(more);
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, more: &[&str]) -> Ended {
        Ended::of(self.command(more))
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
