//! A changed definition is a new run: the difference is named, and only what is missing is asked.

use serde_json::{Value, json};

use crate::answers::{Asked, good, kind_judge, tickets};
use crate::binary::{Probity, Ran};
use crate::support::ScriptedServer;

const RUBRIC: &str = include_str!("../../../probity-core/rubrics/relevance-tone.toml");
const TEMPLATE: &str = include_str!("../../../probity-engine/prompts/score.jinja");

fn probity(server: &ScriptedServer) -> Probity {
    Probity::new()
        .file("tickets.json", tickets(3))
        .file("rubric.toml", RUBRIC)
        .file("template.jinja", TEMPLATE)
        .server(server)
}

fn run(probity: &Probity) -> Ran {
    probity.run_tickets(["--rubric", "rubric.toml", "--template", "template.jinja"])
}

/// Runs, makes `change`, runs again: a new run that names `what` and makes `n_calls`; a third run makes none.
#[track_caller]
fn check(change: impl Fn(&Probity), what: &str, n_calls: usize) {
    let server = kind_judge();
    let probity = probity(&server);
    run(&probity).code(0);
    assert_eq!(server.n_requests(), 6);
    change(&probity);
    let said = run(&probity).code(0).stderr;
    let line = format!("new run: changed since the last one: {what}; verdicts are reused");
    assert!(said.contains(&line), "expected {line:?} in {said}");
    assert_eq!(server.n_requests(), 6 + n_calls);
    assert_eq!(run(&probity).code(0).after_settings(), "", "the third run is the second one again");
    assert_eq!(server.n_requests(), 6 + n_calls);
}

#[test]
fn g10_one_byte_of_one_reply() {
    check(|probity| probity.write("tickets.json", tickets(3).replace("Reply 2.", "Reply 2!")), "cases", 2);
}

#[test]
fn g10_one_more_case() {
    check(|probity| probity.write("tickets.json", tickets(4)), "cases", 2);
}

#[test]
fn g10_a_byte_that_no_judge_reads() {
    check(
        |probity| probity.write("tickets.json", tickets(3).replace("ticket-002", "ticket-902")),
        "cases",
        0,
    );
}

#[test]
fn g10_one_byte_of_one_anchor() {
    let anchor = RUBRIC.lines().find(|line| line.starts_with("5 = ")).expect("an anchor");
    let changed = RUBRIC.replacen(anchor, &anchor.replace(".\"", "!\""), 1);
    assert_ne!(changed, RUBRIC);
    check(|probity| probity.write("rubric.toml", &changed), "rubric", 3);
}

#[test]
fn g10_one_byte_of_the_template() {
    let changed = TEMPLATE.replace("nothing else.", "nothing else!");
    assert_ne!(changed, TEMPLATE);
    check(|probity| probity.write("template.jinja", &changed), "judge, template", 6);
}

#[test]
fn g10_another_model() {
    let model = "[judges.openai]\nmodel = \"gpt-4o\"\n";
    check(|probity| probity.write("probity.toml", model), "judge, judge.model", 6);
}

#[test]
fn how_fast_calls_are_made_changes_nothing() {
    let server = kind_judge();
    let probity = probity(&server);
    run(&probity).code(0);
    let before = probity.bytes("out.json");
    let ran = probity.run_tickets(["--rubric", "rubric.toml", "--template", "template.jinja", "-c", "2"]);
    assert_eq!(ran.code(0).after_settings(), "");
    assert_eq!((server.n_requests(), probity.bytes("out.json")), (6, before));
}

#[test]
fn d26_equal_content_under_two_ids_is_paid_once_and_reported_twice() {
    let cases = json!([
        { "id": "a", "ticket": "Where is it?", "reply": "On its way.", "variant": "v1" },
        { "id": "b", "ticket": "Where is it?", "reply": "On its way.", "variant": "v2" },
        { "id": "c", "ticket": "Where is it?", "reply": "Lost." },
    ]);
    let server = kind_judge();
    let probity = Probity::new().file("tickets.json", cases.to_string()).server(&server);
    let plan = probity.args(["check", "tickets.json", "--model", "gpt-4o-mini"]).run().code(0).stdout;
    assert!(
        plan.contains("4 calls to judge openai gpt-4o-mini (6 packets, 2 on record or repeated)"),
        "{plan}"
    );
    probity.run_tickets([]).code(0);
    assert_eq!(server.n_requests(), 4);
    let out = probity.json("out.json");
    let row = |n: usize, name: &str| out["results"][n][name].clone();
    assert_eq!([row(0, "id"), row(1, "id")], ["a", "b"].map(Value::from));
    assert_eq!(row(0, "tone"), row(1, "tone"));
    assert_eq!([&out["summary"]["scored"], &out["summary"]["packets_repeated"]], [3, 2]);
    let again = probity.run_tickets([]).code(0).stdout;
    assert!(
        again.contains("2 packets repeat the content of another: each content is asked about once"),
        "{again}"
    );
}

#[test]
fn f58_a_judge_that_changes_under_way_is_reported() {
    let server = ScriptedServer::with(|request| {
        let mut body = crate::answers::completion(r#"{"score": 4, "reasoning": "Fine."}"#, "stop");
        body["system_fingerprint"] = json!(if request.number < 3 { "fp_old" } else { "fp_new" });
        crate::support::http_ok(&body.to_string())
    });
    let probity = probity(&server);
    run(&probity).code(0);
    let out = probity.json("out.json");
    assert_eq!(out["summary"]["judge"]["fingerprints"], json!({ "fp_new": 3, "fp_old": 3 }));
    let warnings = out["summary"]["warnings"].to_string();
    assert!(warnings.contains("the judge changed during the run"), "{warnings}");
}

#[test]
fn g11_a_stricter_reading_pays_for_nothing() {
    let server = ScriptedServer::with(|request| {
        let asked = Asked::of(request);
        let fenced = "```json\n{\"score\": 3, \"reasoning\": \"Fenced.\"}\n```";
        if asked.reply == "Reply 1." { crate::answers::says(fenced) } else { good(&asked) }
    });
    let probity = probity(&server);
    run(&probity).code(0);
    assert_eq!(probity.json("out.json")["results"][0]["tone"]["repairs"], json!(["fence"]));
    let n_calls = server.n_requests();
    probity.run_tickets(["--rubric", "rubric.toml", "--template", "template.jinja", "--strict"]);
    assert_eq!(server.n_requests(), n_calls);
}
