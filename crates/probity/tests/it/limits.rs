//! Hard limits: on calls, on money, on what may stay without a verdict.

use serde_json::{Value, json};

use crate::answers::{Asked, error, good, kind_judge, says, tickets};
use crate::binary::{Probity, QUICK};
use crate::support::ScriptedServer;

fn probity(server: &ScriptedServer) -> Probity {
    Probity::new().file("tickets.json", tickets(5)).server(server)
}

fn unscored(probity: &Probity) -> Value {
    probity.json("out.json")["summary"]["unscored_by_cause"].clone()
}

#[test]
fn the_call_limit_is_hard_and_the_run_resumes() {
    let server = kind_judge();
    let probity = probity(&server);
    let stopped = "stopped: the limit of 4 calls is reached; run it again with a larger limit to continue";
    probity.run_tickets(["--max-calls", "4"]).code(3).says([stopped]);
    assert_eq!(server.n_requests(), 4);
    assert_eq!(unscored(&probity)["not_attempted"], 6);
    probity.run_tickets(["--max-calls", "4"]).code(3).says([stopped]);
    probity.run_tickets([]).code(3).says([stopped]);
    assert_eq!(server.n_requests(), 4, "the limit is the run's, over all its commands");
    let below = "--max-calls 3 is below the 4 calls that this run has already made; raise it to continue";
    probity.run_tickets(["--max-calls", "3"]).code(2).says([below]);
    probity.run_tickets(["--max-calls", "8"]).code(3);
    assert_eq!(server.n_requests(), 8);
    probity.run_tickets(["--max-calls", "12"]).code(0);
    assert_eq!(server.n_requests(), 10, "no call was made twice");
    let bodies: std::collections::BTreeSet<Vec<u8>> = server.requests().into_iter().map(|r| r.body).collect();
    assert_eq!(bodies.len(), 10);
}

#[test]
fn the_call_limit_counts_what_was_refused() {
    let server = ScriptedServer::with(|request| match request.json()["response_format"]["type"].as_str() {
        Some("json_object") => good(&Asked::of(request)),
        _ => error(400, "unsupported_parameter", "response_format json_schema is not supported"),
    });
    probity(&server).run_tickets(["--max-calls", "3"]).code(3);
    assert_eq!(server.n_requests(), 3);
}

#[test]
fn g13_the_budget_is_hard_and_the_run_resumes() {
    // A call may cost 1024 × $10 per million for its answer and $2 per million for each byte of its prompt:
    // above $0.012 and below $0.016. It does cost $0.0021.
    let price = "[prices.\"gpt-4o-mini\"]\ninput_usd_per_mtok = 2\noutput_usd_per_mtok = 10\n";
    let server = kind_judge();
    let probity = probity(&server).file("probity.toml", format!("{QUICK}{price}"));
    let ran = probity.run_tickets(["--budget-usd", "0.017", "--concurrency", "7"]).code(3);
    ran.says(["stopped: the budget of $0.017 does not cover another call"]);
    let n_calls = server.n_requests();
    assert!((1..10).contains(&n_calls), "{n_calls} calls");
    let spent = probity.json("out.json")["summary"]["cost_usd"].as_f64().unwrap();
    assert!((spent - 0.0021 * n_calls as f64).abs() < 1e-9, "{spent} for {n_calls}");
    probity.run_tickets(["--budget-usd", "0.000001"]).code(2).says(["is below the $"]);
    probity.run_tickets(["--budget-usd", "1"]).code(0);
    assert_eq!(server.n_requests(), 10);
    let spent = probity.json("out.json")["summary"]["cost_usd"].as_f64().unwrap();
    assert!((spent - 0.021).abs() < 1e-9, "{spent}");
}

#[test]
fn a_budget_that_covers_nothing_sends_nothing() {
    let server = kind_judge();
    let probity = probity(&server);
    let refused = "a budget needs a price, and none is known for model \"gpt-4o-mini\"";
    probity.run_tickets(["--budget-usd", "1"]).code(2).says([refused]);
    let price = "[prices.\"gpt-4o-mini\"]\ninput_usd_per_mtok = 2\noutput_usd_per_mtok = 10\n";
    probity.write("probity.toml", format!("{QUICK}{price}"));
    probity.run_tickets(["--budget-usd", "0.000001"]).code(3);
    assert_eq!(server.n_requests(), 0);
}

#[test]
fn g06_too_little_coverage_is_incomplete() {
    let server = ScriptedServer::with(|request| {
        let asked = Asked::of(request);
        if asked.reply == "Reply 2." { says(r#"{"score": 9, "reasoning": "Great."}"#) } else { good(&asked) }
    });
    let probity = probity(&server);
    probity
        .run_tickets([])
        .code(3)
        .says(["80.0 % of the admitted replies have a verdict (required: 90.0 %); the report lists the causes; --retry-unscored"]);
    assert_eq!(unscored(&probity)["out_of_range"], 2);
    probity.run_tickets(["--min-coverage", "0.8"]).code(0);
    assert_eq!(server.n_requests(), 10);
    assert_eq!(probity.json("out.json")["summary"]["coverage"], 0.8);
}

#[test]
fn d44_a_packet_that_the_judge_cannot_read_is_listed_and_not_sent() {
    let server = kind_judge();
    let long = format!(
        r#"[{{"id":"short","ticket":"T","reply":"R"}},{{"id":"long","ticket":"T","reply":"{}"}}]"#,
        "word ".repeat(4000)
    );
    let probity = probity(&server).file("tickets.json", long);
    probity.write("probity.toml", format!("{QUICK}[judges.openai]\ncontext_tokens = 4000\n"));
    let plan = probity.args(["check", "tickets.json", "--json"]).run().code(0).json();
    assert_eq!(
        json!([plan["calls"], plan["oversize"], plan["oversize_cases"][0]["case"]]),
        json!([2, 2, "long"])
    );
    let ran = probity.args(["check", "tickets.json"]).run().code(0);
    assert!(ran.stdout.contains("2 calls to judge openai"), "{}", ran.stdout);
    assert!(ran.stdout.contains("case long: about 5"), "{}", ran.stdout);
    assert_eq!(server.n_requests(), 0);
    probity.run_tickets([]).code(3).says(["case long: about 5", "not sent"]);
    assert_eq!(server.n_requests(), 2);
    assert_eq!(unscored(&probity)["context_length"], 2);
}

#[test]
fn d43_a_missing_reference_is_found_before_anything_is_spent() {
    let rubric = "name = \"faithful\"\nversion = \"1\"\ntitle = \"F\"\n[[criterion]]\nid = \"faithful\"\ntitle = \"F\"\n\
        question = \"Does it say what the reference says?\"\nlevels = [0, 1]\nreference = \"required\"\n\
        [criterion.anchors]\n0 = \"no\"\n1 = \"yes\"\n";
    let cases =
        r#"[{"id":"a","ticket":"T","reply":"R","reference":"Ideal."},{"id":"b","ticket":"T","reply":"S"}]"#;
    let server = ScriptedServer::with(|_| crate::answers::level(1, "Same."));
    let probity = probity(&server).file("tickets.json", cases).file("faithful.toml", rubric);
    let plan = probity.args(["check", "tickets.json", "--rubric", "faithful.toml", "--json"]).run().json();
    assert_eq!(json!([plan["admitted"], plan["skipped"], plan["calls"]]), json!([1, 1, 1]));
    let reason = "Missing 'reference' field, which criterion 'faithful' needs";
    let strict = probity.run_tickets(["--rubric", "faithful.toml", "--strict"]).code(2);
    strict.says(["tickets.json", reason]);
    assert_eq!(server.n_requests(), 0);
    probity.run_tickets(["--rubric", "faithful.toml"]).code(0);
    let out = probity.json("out.json");
    assert_eq!(json!([out["skipped"][0]["index"], out["skipped"][0]["reason"]]), json!([1, reason]));
    assert_eq!(server.n_requests(), 1);
}
