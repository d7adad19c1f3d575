//! Judges other than a server: a program, a record, and words counted.

use serde_json::{Value, json};

use crate::answers::{kind_judge, tickets};
use crate::binary::Probity;
use crate::support::{ScriptedServer, http_ok};

/// A judge in a shell: it answers each line with a level that follows from the length of the reply's line.
const PROGRAM: &str = r#"while read -r line; do
  packet=${line##*\"packet\":\"}
  printf '{"packet":"%s","score":3,"reasoning":"always three"}\n' "${packet%%\"*}"
  echo x >> asked.txt
done
"#;

fn with_program(program: &str) -> Probity {
    let settings = "[judge]\nname = \"mine\"\n[judges.mine]\nkind = \"command\"\ncommand = [\"sh\", \"judge.sh\"]\n\
        [schedule]\nbackoff_ms_first = 2\nbackoff_ms_max = 10\nbreaker_consecutive = 3\nconcurrency = 1\n";
    Probity::new().file("tickets.json", tickets(3)).file("judge.sh", program).file("probity.toml", settings)
}

fn scores(out: &Value, criterion: &str) -> Vec<Value> {
    out["results"].as_array().unwrap().iter().map(|row| row[criterion]["score"].clone()).collect()
}

#[test]
fn a_program() {
    let probity = with_program(PROGRAM);
    probity.run_tickets(["--trust-settings"]).code(0);
    let out = probity.json("out.json");
    assert_eq!(scores(&out, "tone"), [3, 3, 3]);
    assert_eq!(out["results"][0]["relevance"]["reasoning"], "always three");
    assert_eq!(out["summary"]["judge"]["kind"], "command");
    assert_eq!(probity.bytes("asked.txt").len(), 12);
    probity.run_tickets(["--trust-settings"]).code(0);
    assert_eq!(probity.bytes("asked.txt").len(), 12, "what is on record is not asked again");
}

#[test]
fn a_program_that_dies() {
    let probity = with_program("echo the model file is missing >&2\nexit 7\n");
    let ran = probity.run_tickets(["--trust-settings"]).code(3);
    ran.says(["the judge cannot be reached", "run the same command again"]);
    let out = probity.json("out.json");
    assert_eq!(scores(&out, "tone"), [Value::Null, Value::Null, Value::Null]);
    // Calls stop once enough of them failed, and which packets were asked by then is open.
    assert!(out["failed"].to_string().contains("the model file is missing"), "{}", out["failed"]);
}

#[test]
fn a_program_that_cannot_be_started() {
    let probity = with_program("");
    probity.write("probity.toml", "[judges.command]\ncommand = [\"no-such-program\"]\n");
    let ran = probity.run_tickets(["--judge", "command", "--trust-settings"]).code(2);
    ran.says(["could not start the program \"no-such-program\""]);
}

const RECORD: &str = r#"{"id": "ticket-001", "relevance": {"score": 5, "reasoning": "r1"}, "tone": {"score": 4, "reasoning": "t1"}}
{"id": "ticket-002", "criterion": "relevance", "score": 2, "reasoning": "r2"}
{"id": "ticket-003", "relevance": {"score": 7, "reasoning": "r3"}, "tone": {"score": 1, "reasoning": "t3"}}
"#;

fn recorded(probity: &Probity) -> Value {
    probity.run_tickets(["--judge", "recorded", "--verdicts", "verdicts.jsonl"]).code(3);
    probity.json("out.json")
}

#[test]
fn a_record() {
    let probity = Probity::new().file("tickets.json", tickets(3)).file("verdicts.jsonl", RECORD);
    let out = recorded(&probity);
    assert_eq!(scores(&out, "relevance"), [json!(5), json!(2), Value::Null]);
    assert_eq!(scores(&out, "tone"), [json!(4), Value::Null, json!(1)]);
    assert_eq!(out["summary"]["unscored_by_cause"], json!({ "not_recorded": 1, "out_of_range": 1 }));

    probity.write("verdicts.jsonl", RECORD.replace("\"score\": 2", "\"score\": 3"));
    assert_eq!(scores(&recorded(&probity), "relevance")[1], 3, "another record is another judge");
}

#[test]
fn a_record_that_contradicts_itself() {
    let twice = "{\"id\":\"a\",\"criterion\":\"tone\",\"score\":1,\"reasoning\":\"x\"}\n\
        {\"id\":\"a\",\"criterion\":\"tone\",\"score\":2,\"reasoning\":\"y\"}\n";
    let probity = Probity::new().file("tickets.json", tickets(1)).file("verdicts.jsonl", twice);
    let ran = probity.run_tickets(["--judge", "recorded", "--verdicts", "verdicts.jsonl"]).code(2);
    ran.says(["verdicts.jsonl", "line 1 and line 2 differ"]);
    probity.run_tickets(["--judge", "recorded", "--verdicts", "none.jsonl"]).code(2).says(["none.jsonl"]);
}

#[test]
fn results_of_one_run_are_a_record_for_the_next() {
    let server = kind_judge();
    let probity = Probity::new().file("tickets.json", tickets(2)).server(&server);
    probity.run_tickets([]).code(0);
    let first = probity.json("out.json");
    std::fs::rename(probity.path("out.json"), probity.path("earlier.json")).unwrap();
    probity.run_tickets(["--judge", "recorded", "--verdicts", "earlier.json", "--store", "new.db"]).code(0);
    assert_eq!(probity.json("out.json")["results"], first["results"]);

    probity.run_tickets(["--judge", "recorded"]).code(0);
    assert_eq!(probity.json("out.json")["results"], first["results"], "the store is a record too");
    assert_eq!(server.n_requests(), 4);
}

#[test]
fn words_counted() {
    let probity = Probity::new().file("tickets.json", tickets(2));
    let ran = probity.run_tickets([]).code(0).says(["so the baseline judge is used"]);
    assert!(ran.stdout.contains("judge baseline (advisory)"), "{}", ran.stdout);
    let first = probity.bytes("out.json");
    probity.run_tickets(["--judge", "baseline", "--store", "other.db", "--offline"]).code(0);
    assert_eq!(probity.bytes("out.json"), first, "the same everywhere, with or without a network");
    assert_eq!(probity.json("out.json")["summary"]["cost_usd"], 0);
    probity.run_tickets(["--enforce"]).code(1).says(["the judge is advisory"]);
}

#[test]
fn an_endpoint_on_the_command_line_needs_no_key() {
    let server = kind_judge();
    let probity = Probity::new().file("tickets.json", tickets(2));
    probity.run_tickets(["--base-url", &server.url("/v1/"), "--model", "local-7b"]).code(0);
    assert_eq!(server.n_requests(), 4);
    for request in server.requests() {
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/chat/completions"));
        assert_eq!((request.header("authorization"), &request.json()["model"]), (None, &json!("local-7b")));
    }
}

#[test]
fn the_messages_api() {
    let verdict =
        json!({ "type": "tool_use", "name": "verdict", "input": { "reasoning": "Fine.", "score": 4 } });
    let body = json!({ "model": "claude-haiku-4-5", "content": [verdict], "stop_reason": "tool_use",
        "usage": { "input_tokens": 1000, "output_tokens": 10 } });
    let server = ScriptedServer::always(http_ok(&body.to_string()));
    let probity =
        Probity::new().file("tickets.json", tickets(2)).variable("ANTHROPIC_API_KEY", "k-0123456789");
    let prices = "[prices.\"claude-haiku-4-5\"]\ninput_usd_per_mtok = 1\noutput_usd_per_mtok = 5\n";
    probity.write("probity.toml", prices);
    let url = server.url("");
    probity.run_tickets(["--judge", "anthropic", "--model", "claude-haiku-4-5", "--base-url", &url]).code(0);
    let request = &server.requests()[0];
    assert_eq!((request.path.as_str(), request.header("x-api-key")), ("/v1/messages", Some("k-0123456789")));
    let out = probity.json("out.json");
    assert_eq!(scores(&out, "tone"), [4, 4]);
    assert_eq!(out["summary"]["tokens"], json!({ "input": 4000, "output": 40 }));
    assert_eq!(out["summary"]["cost_usd"], 0.0042);
}

#[test]
fn n07_several_replies_to_a_case_widen_the_intervals() {
    let (mut cases, mut verdicts) = (String::new(), String::new());
    for case in 0..20 {
        for trial in ["first", "second", "third", "fourth"] {
            let id = format!("trip {case}");
            let reply = json!({ "id": id, "variant": trial, "ticket": format!("Move my trip {case}"), "reply": format!("Done {trial}") });
            let level = if case % 5 < 2 { 5 } else { 2 };
            cases += &format!("{reply}\n");
            for criterion in ["relevance", "tone"] {
                let verdict = json!({ "id": id, "variant": trial, "criterion": criterion, "score": level, "reasoning": "." });
                verdicts += &format!("{verdict}\n");
            }
        }
    }
    let probity = Probity::new().file("cases.jsonl", cases).file("verdicts.jsonl", verdicts);
    let recorded = ["--judge", "recorded", "--verdicts", "verdicts.jsonl", "--output", "out.json"];
    let text = probity.args(["run", "cases.jsonl"]).words(recorded.into_iter()).run().code(0).stdout;
    let note = "80 replies answer 20 cases: intervals take each case as one draw";
    assert!(text.contains(note), "{text}");
    let out = probity.json("out.json");
    assert_eq!(out["summary"]["clusters"], json!({ "by": "case", "n": 20 }));
    let tone = &out["summary"]["criteria"]["tone"];
    assert_eq!((&tone["mean"], &tone["n"]), (&json!(3.2), &json!(80)));
    // Twenty cases, of which eight are at 5 and twelve at 2, and one at each end: 3.1818 ± 0.6379.
    let width = tone["high"].as_f64().unwrap() - tone["low"].as_f64().unwrap();
    assert!((width - 1.2758).abs() < 1e-3, "{tone}");
}
