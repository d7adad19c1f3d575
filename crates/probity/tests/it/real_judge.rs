//! Probity against a judge that is not ours: llama.cpp's server with a model of 135 million parameters.
//!
//! The model is a bad judge and its texts differ from machine to machine. So nothing here depends on what it
//! thinks: what it sent is read from the store, and the results must say neither more nor less than that.

mod server;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use server::{MODEL, Server, ended};

use crate::skipped;

/// Set to anything, this variable asks about all ten tickets.
const LONG: &str = "PROBITY_LONG_TESTS";

/// The tickets of the short form; three of them are asked about without a schema too.
const SHORT: [&str; 4] = ["double-charge", "change-address", "invoice-copy", "cancel-plan"];

/// The one criterion of `rubric.toml`, and its levels.
const CRITERION: &str = "settled";
const LEVELS: std::ops::RangeInclusive<i64> = 1..=3;

/// A run that takes longer hangs.
const RUN_MAX: Duration = Duration::from_mins(4);

#[test]
fn a_real_server_is_scored_resumed_and_replayed() {
    let workspace = Workspace::new();
    let server = match Server::start(workspace.folder.path()) {
        Ok(server) => server,
        Err(why) => return skipped("a real judge", &why),
    };
    let started = Instant::now();

    let is_asked = |id: &str| std::env::var_os(LONG).is_some() || SHORT.contains(&id);
    let tickets = workspace.cases("tickets.json", is_asked);
    let schema = workspace.run(&server.base_url(), &tickets, &["--model", MODEL, "--structured", "schema"]);
    check_rows(&schema, &workspace.answers());
    schema.tell("schema");
    let n_asked = schema.entered();
    assert!(n_asked >= SHORT.len() && n_asked == schema.calls(), "one call per ticket");
    assert!(schema.n_scored() >= n_asked.div_ceil(4), "a schema makes verdicts of a small model's answers");
    assert_eq!(schema.summary()["judge"]["answered_as"], json!({ MODEL: n_asked }));
    assert_eq!(server.n_requests(n_asked), n_asked);

    // Nothing is asked twice.
    let again = workspace.run(&server.base_url(), &tickets, &["--model", MODEL, "--structured", "schema"]);
    assert_eq!((again.code, &again.bytes), (schema.code, &schema.bytes));
    assert_eq!(server.n_requests(n_asked), n_asked);

    let plain = workspace.run(
        &server.base_url(),
        &workspace.cases("three.json", |id| SHORT[..3].contains(&id)),
        &["--model", MODEL, "--structured", "plain"],
    );
    check_rows(&plain, &workspace.answers());
    plain.tell("plain");
    assert!(plain.n_scored() < plain.entered(), "this model does not write three verdicts of its own accord");

    another_name(&workspace, &server);
    too_long(&workspace, &server);
    let calls = schema.calls() + plain.calls() + 2;
    assert_eq!(server.n_requests(calls), calls, "every call that the server saw is on record, and no other");
    assert_eq!(workspace.answers().len(), calls);

    // What is on record needs no judge.
    let base_url = server.base_url();
    drop(server);
    let arguments = ["--model", MODEL, "--structured", "schema", "--offline"];
    let offline = workspace.run(&base_url, &tickets, &arguments);
    assert_eq!((offline.code, &offline.bytes), (schema.code, &schema.bytes));
    note(&format!("real judge: {calls} calls, {:.0} s", started.elapsed().as_secs_f64()));
}

/// The server takes any model's name and answers with the model it has. The report says who answered.
fn another_name(workspace: &Workspace, server: &Server) {
    let one = workspace.cases("one.json", |id| id == "cancel-plan");
    let other =
        workspace.run(&server.base_url(), &one, &["--model", "no-such-model", "--structured", "schema"]);
    check_rows(&other, &workspace.answers());
    other.tell("another name");
    assert_eq!(other.summary()["judge"]["model"], "no-such-model");
    assert_eq!(other.summary()["judge"]["answered_as"], json!({ MODEL: 1 }));
    let sentence = format!("asked for no-such-model, answered by {MODEL}");
    assert!(
        other.summary()["warnings"].as_array().unwrap().contains(&json!(sentence)),
        "{}",
        other.summary()
    );
    assert!(other.terminal.contains(&sentence), "{}", other.terminal);
}

/// A packet that the model cannot read whole is refused by the server, not cut.
fn too_long(workspace: &Workspace, server: &Server) {
    let reply = "Your parcel is on its way. ".repeat(1000);
    let case = json!([{ "id": "endless", "ticket": "Where is my parcel?", "reply": reply }]);
    fs::write(workspace.folder.path().join("long.json"), case.to_string()).unwrap();
    let long = workspace.run(&server.base_url(), "long.json", &["--model", MODEL, "--structured", "schema"]);
    check_rows(&long, &workspace.answers());
    long.tell("too long");
    assert_eq!(long.summary()["unscored_by_cause"], json!({ "context_length": 1 }));
    let detail = long.document["failed"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("4096"), "the server's own figures are passed on: {detail}");
}

/// A row has a level on the scale with the reason that stands in the answer, or it has no number and a
/// named cause; and the counts are those of the rows.
#[track_caller]
fn check_rows(ran: &Ran, answers: &[String]) {
    let mut causes = BTreeMap::new();
    for row in ran.document["results"].as_array().unwrap() {
        let judged = &row[CRITERION];
        if row["outcome"] == "scored" {
            let (level, reasoning) =
                (judged["score"].as_i64().unwrap(), judged["reasoning"].as_str().unwrap());
            assert!(LEVELS.contains(&level) && !reasoning.trim().is_empty(), "{row}");
            assert!(answers.iter().any(|answer| says(answer, level, reasoning)), "no answer says so: {row}");
        } else {
            assert_eq!((&row["outcome"], &row["total"]), (&json!("unscored"), &Value::Null), "{row}");
            assert_eq!((&judged["score"], &judged["reasoning"]), (&Value::Null, &Value::Null), "{row}");
            let cause = judged["unscored"].as_str().unwrap();
            let failed = ran.document["failed"].as_array().unwrap();
            assert!(failed.iter().any(|one| one["id"] == row["id"] && one["reason"] == cause), "{row}");
            *causes.entry(cause).or_insert(0_u64) += 1;
        }
    }
    assert_eq!(ran.summary()["unscored_by_cause"], json!(causes));
    assert_eq!(ran.entered(), ran.n_scored() + ran.document["failed"].as_array().unwrap().len());
    let complete = 10 * ran.n_scored() >= 9 * ran.entered();
    assert_eq!(ran.code, if complete { 0 } else { 3 }, "{}", ran.terminal);
    assert!(complete || ran.terminal.contains("--retry-unscored asks again"), "{}", ran.terminal);
}

/// Whether an object in the text gives this level for this reason.
fn says(answer: &str, level: i64, reasoning: &str) -> bool {
    let objects = answer.match_indices('{').filter_map(|(start, _)| {
        serde_json::Deserializer::from_str(&answer[start..]).into_iter::<Value>().next()?.ok()
    });
    // A level may be written `2`, `2.0` or `"2"`; each says the same.
    let levels = |object: &Value| object["score"].to_string().trim_matches('"').parse::<f64>().ok();
    let wanted = level.to_string().parse::<f64>().ok();
    objects.into_iter().any(|object| {
        levels(&object) == wanted && object["reasoning"].as_str().map(str::trim) == Some(reasoning.trim())
    })
}

/// Where the runs of this test happen: a folder with settings, a rubric and the store.
struct Workspace {
    folder: tempfile::TempDir,
}

/// What a run left behind.
struct Ran {
    code: i32,
    /// Standard output and standard error.
    terminal: String,
    /// The results file as it is.
    bytes: Vec<u8>,
    document: Value,
    took: Duration,
}

impl Workspace {
    fn new() -> Workspace {
        let folder = tempfile::tempdir().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/real_judge");
        for name in ["probity.toml", "rubric.toml"] {
            fs::copy(source.join(name), folder.path().join(name)).unwrap();
        }
        Workspace { folder }
    }

    /// Writes the tickets that are `wanted` to a file of this name.
    fn cases(&self, name: &str, wanted: impl Fn(&str) -> bool) -> String {
        let mut tickets: Vec<Value> = serde_json::from_str(include_str!("real_judge/tickets.json")).unwrap();
        tickets.retain(|ticket| wanted(ticket["id"].as_str().unwrap()));
        fs::write(self.folder.path().join(name), json!(tickets).to_string()).unwrap();
        name.to_owned()
    }

    #[track_caller]
    fn run(&self, base_url: &str, cases: &str, arguments: &[&str]) -> Ran {
        let path = |name: &str| self.folder.path().join(name);
        let started = Instant::now();
        let terminal = File::create(path("terminal.txt")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_probity"))
            .args([
                "run", cases, "--rubric", "rubric.toml", "--output", "results.json", "--base-url", base_url,
            ])
            .args(arguments)
            .current_dir(self.folder.path())
            // Keys, proxies and settings of whoever runs the tests.
            .env_clear()
            .stdin(Stdio::null())
            .stdout(terminal.try_clone().unwrap())
            .stderr(terminal)
            .spawn()
            .unwrap();
        let status = ended(child, RUN_MAX).expect("a run that ends");
        let terminal = fs::read_to_string(path("terminal.txt")).unwrap();
        let Ok(bytes) = fs::read(path("results.json")) else { panic!("no results:\n{terminal}") };
        fs::remove_file(path("results.json")).unwrap();
        let document = serde_json::from_slice(&bytes).unwrap();
        Ran { code: status.code().unwrap(), terminal, bytes, document, took: started.elapsed() }
    }

    /// The text of every answer that the server ever gave; that of an error is empty.
    fn answers(&self) -> Vec<String> {
        let store = self.folder.path().join(".probity/store.db");
        let store = Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let mut rows = store.prepare("SELECT raw FROM answer").unwrap();
        let raw = rows.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
        let text = |raw: Vec<u8>| {
            let body: Value = serde_json::from_slice(&raw).unwrap();
            body["choices"][0]["message"]["content"].as_str().unwrap_or_default().to_owned()
        };
        raw.map(|raw| text(raw.unwrap())).collect()
    }
}

impl Ran {
    fn summary(&self) -> &Value {
        &self.document["summary"]
    }

    fn count(&self, name: &str) -> usize {
        usize::try_from(self.summary()[name].as_u64().unwrap()).unwrap()
    }

    fn entered(&self) -> usize {
        self.count("entered")
    }

    fn n_scored(&self) -> usize {
        self.count("scored")
    }

    fn calls(&self) -> usize {
        self.count("calls")
    }

    /// Tells the figures, for whoever runs the test.
    fn tell(&self, what: &str) {
        let (calls, entered, scored) = (self.calls(), self.entered(), self.n_scored());
        let (causes, took) = (&self.summary()["unscored_by_cause"], self.took.as_secs_f64());
        note(&format!(
            "real judge, {what}: {calls} calls, {scored} of {entered} scored, unscored {causes}, {took:.1} s"
        ));
    }
}

/// A line that is seen even when the test passes.
fn note(line: &str) {
    // The macros that print are silenced in a test that passes.
    io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}
