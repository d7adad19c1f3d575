//! Relevance and tone of a support bot's replies: the file as people have it, a judge that fails now and then.

use serde_json::{Value, json};

use crate::answers::{Asked, cut, good, kind_judge, rate_limit, says, tickets};
use crate::binary::Probity;
use crate::support::{Act, ScriptedServer};

/// Five examples that can be used and two that cannot, at 2 and 4.
fn examples() -> String {
    let example = |i: usize| {
        json!({
            "id": format!("ticket-{i:03}"),
            "ticket": format!("Deploy number {i} hangs at the health check."),
            "response": format!("Raise the start period. Reply {i}."),
            "variant": "bot-canary-9",
        })
    };
    let mut all: Vec<Value> = (1..=5).map(example).collect();
    all.insert(2, json!({ "id": "no-ticket", "response": "Hello." }));
    all.insert(4, json!({ "id": "", "ticket": "Help.", "response": "Sure." }));
    Value::Array(all).to_string()
}

/// Answers well, except: the sixth call meets a rate limit, the tone of the fourth reply is never JSON, the
/// relevance of the fifth is cut.
fn bad_day(number: usize, asked: &Asked) -> Act {
    match (number, asked.criterion(), asked.reply.as_str()) {
        (5, ..) => rate_limit(),
        (_, "tone", "Raise the start period. Reply 4.") => says("I would give this one a four."),
        (_, "relevance", "Raise the start period. Reply 5.") => cut(r#"{"score": 5, "reasoning": "It is"#),
        _ => good(asked),
    }
}

#[test]
fn two_calls_per_example() {
    let server = kind_judge();
    let probity = Probity::new().file("tickets.json", tickets(4)).server(&server);
    probity.run_tickets([]).code(0);
    let mut asked: Vec<Asked> = server.requests().iter().map(Asked::of).collect();
    asked.sort_by(|a, b| (&a.reply, &a.criteria).cmp(&(&b.reply, &b.criteria)));
    let seen: Vec<(&str, &str)> = asked.iter().map(|a| (a.reply.as_str(), a.criterion())).collect();
    let want: Vec<(String, &str)> =
        (1..=4).flat_map(|i| ["relevance", "tone"].map(|c| (format!("Reply {i}."), c))).collect();
    assert_eq!(seen, want.iter().map(|(reply, c)| (reply.as_str(), *c)).collect::<Vec<_>>());
}

#[test]
fn f01_f47_f51_a_bad_day_costs_coverage_and_never_a_score() {
    let server = ScriptedServer::with(|request| bad_day(request.number, &Asked::of(request)));
    let probity = Probity::new().file("tickets.json", examples()).server(&server);
    let ran = probity.run_tickets(["--concurrency", "1"]).code(3);
    ran.says(["incomplete: 60.0 % of the admitted replies have a verdict"]);
    let out = probity.json("out.json");

    let rows = out["results"].as_array().unwrap();
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["ticket-001", "ticket-002", "ticket-003", "ticket-004", "ticket-005"]);
    let score = |row: usize, criterion: &str| rows[row][criterion]["score"].clone();
    assert_eq!(
        rows[0]["tone"],
        json!({ "score": 4, "reasoning": "On tone this reply of 32 bytes does well." })
    );
    assert_eq!([score(3, "relevance"), score(3, "tone")], [json!(4), Value::Null]);
    assert_eq!([score(4, "relevance"), score(4, "tone")], [Value::Null, json!(4)]);
    let outcomes: Vec<&str> = rows.iter().map(|row| row["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["scored", "scored", "scored", "unscored", "unscored"]);

    let skipped = out["skipped"].as_array().unwrap();
    let skipped: Vec<_> = skipped.iter().map(|row| json!([row["index"], row["reason"]])).collect();
    assert_eq!(skipped, [json!([2, "Missing 'ticket' field"]), json!([4, "Empty 'id' field"])]);

    let failed = out["failed"].as_array().unwrap();
    // Which question the rate limit met is chance, so the number of calls about each is too.
    let failed: Vec<_> =
        failed.iter().map(|row| json!([row["id"], row["criterion"], row["reason"]])).collect();
    assert_eq!(
        failed,
        [json!(["ticket-004", "tone", "no_json"]), json!(["ticket-005", "relevance", "length"])]
    );
    // Ten questions, one asked again after the rate limit, one because its answer was no JSON.
    assert_eq!(server.n_requests(), 12);
    assert_eq!(out["summary"]["calls"], 12);
    assert_eq!(out["summary"]["unscored_by_cause"], json!({ "length": 1, "no_json": 1 }));
}

#[test]
fn judges_do_not_learn_who_wrote_a_reply() {
    let server = kind_judge();
    let probity = Probity::new().file("tickets.json", examples()).server(&server);
    probity.run_tickets([]).code(0);
    assert_eq!(server.n_requests(), 10);
    for request in server.requests() {
        let body = String::from_utf8(request.body.clone()).unwrap();
        assert!(body.contains("Raise the start period"), "{body}");
        assert!(!body.contains("bot-canary-9") && !body.contains("ticket-00"), "{body}");
    }
}

#[test]
fn g03_g08_what_is_on_record_is_not_asked_again() {
    let server = ScriptedServer::with(|request| bad_day(request.number, &Asked::of(request)));
    let probity = Probity::new().file("tickets.json", examples()).server(&server);
    probity.run_tickets(["--concurrency", "1"]).code(3);
    let first = probity.bytes("out.json");

    probity.run_tickets([]).code(3);
    assert_eq!(server.n_requests(), 12, "a second run makes no call");
    assert_eq!(probity.bytes("out.json"), first);

    let n_connections = server.n_connections();
    probity.run_tickets(["--offline"]).code(3);
    assert_eq!(server.n_connections(), n_connections, "replay opens no connection");
    assert_eq!(probity.bytes("out.json"), first);

    drop(server);
    probity.run_tickets(["--offline"]).code(3);
    assert_eq!(probity.bytes("out.json"), first, "not even a server is needed");
}

#[test]
fn g09_answers_that_were_no_verdict_are_asked_again_on_request() {
    let server = ScriptedServer::with(|request| {
        let asked = Asked::of(request);
        if request.number < 12 { bad_day(request.number, &asked) } else { good(&asked) }
    });
    let probity = Probity::new().file("tickets.json", examples()).server(&server);
    probity.run_tickets(["--concurrency", "1"]).code(3);
    probity.run_tickets(["--retry-unscored", "--concurrency", "1"]).code(0);
    let again: Vec<Asked> = server.requests().iter().skip(12).map(Asked::of).collect();
    let mut again: Vec<(&str, &str)> = again.iter().map(|a| (a.criterion(), a.reply.as_str())).collect();
    again.sort_unstable();
    assert_eq!(
        again,
        [("relevance", "Raise the start period. Reply 5."), ("tone", "Raise the start period. Reply 4.")]
    );
    let out = probity.json("out.json");
    assert_eq!(out["failed"], json!([]));
    assert_eq!(out["summary"]["scored"], 5);
    assert_eq!(out["results"][4]["relevance"]["score"], 4);
}
