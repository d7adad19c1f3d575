//! Judges that read what they are shown: the same answers in both dialects, whatever way the form is asked for.

use serde_json::{Value, json};

use super::process::MockJudge;
use crate::binary::Probity;

const TICKET: &str = "The printer loses the network after every restart.";
const GOOD: &str = "Restart the printer, join the network again and see whether it loses anything.";
const WEAK: &str = "Have a look at the printer.";

const WAYS: [(&str, &str); 5] = [
    ("openai", "schema"),
    ("openai", "json_object"),
    ("openai", "plain"),
    ("anthropic", "schema"),
    ("anthropic", "plain"),
];

fn case(id: &str, reply: &str) -> Value {
    let turns = json!([{ "role": "customer", "text": TICKET }]);
    match id {
        "talk" => json!({ "id": id, "turns": turns, "reply": reply }),
        _ => json!({ "id": id, "ticket": TICKET, "reply": reply }),
    }
}

/// What `command` over these files brings, asked in every way; all must bring the same.
#[track_caller]
fn check(script: &str, files: &[(&str, Value)], command: &[&str], seen: fn(&Value) -> Value, want: &Value) {
    let mock = MockJudge::start(&["--script", script]);
    let folder =
        Probity::new().variable("OPENAI_API_KEY", "sk-mock").variable("ANTHROPIC_API_KEY", "sk-mock");
    for (name, cases) in files {
        folder.write(name, cases.to_string());
    }
    for (judge, structured) in WAYS {
        let store = format!("{judge}-{structured}.db");
        let words = ["--judge", judge, "--structured", structured, "--store", &store, "--base-url"];
        let url = mock.url();
        let words = command.iter().copied().chain(words).chain([url.as_str(), "--json"]);
        let report = folder.args([]).words(words).run().code(0).json();
        assert_eq!(seen(&report), *want, "{script} by {judge} with {structured}");
    }
}

#[test]
fn levels_follow_what_a_reply_says() {
    let cases = json!([case("good", GOOD), case("talk", GOOD), case("weak", WEAK), case("none", ":")]);
    let files = [("cases.json", cases)];
    let relevance = |report: &Value| {
        let rows = report["results"].as_array().expect("rows");
        rows.iter().map(|row| row["relevance"]["score"].clone()).collect()
    };
    let run = ["run", "cases.json"];
    check("fair", &files, &run, relevance, &json!([4, 4, 1, 1]));
    check("position", &files, &run, relevance, &json!([1, 1, 1, 1]));
}

#[test]
fn of_two_replies_the_one_that_says_more_is_better() {
    let files = [
        ("old.json", json!([case("talk", WEAK), case("plain", GOOD)])),
        ("new.json", json!([case("talk", GOOD), case("plain", &format!("{GOOD} We are sorry."))])),
    ];
    let winners = |report: &Value| {
        let rows = report["comparisons"].as_array().expect("rows");
        rows.iter().map(|row| row["winner"].clone()).collect()
    };
    let compare = ["compare", "old.json", "new.json"];
    check("fair", &files, &compare, winners, &json!(["new", "tie"]));
    check("apology", &files, &compare, winners, &json!(["new", "new"]));
}

#[test]
fn a_script_stands_alone() {
    let folder = Probity::new();
    folder.args(["mock", "--script", "fair", "--levels", "uniform"]).run().code(2);
    folder
        .args(["mock", "--script", "kind"])
        .run()
        .code(2)
        .says(["expected fair, position", "found \"kind\""]);
}
