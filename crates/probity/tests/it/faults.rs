//! Judges that cannot be used: what was scored is kept, the exit code says whether to come back.

use serde_json::{Value, json};

use crate::answers::{Asked, completion, error, good, level, tickets};
use crate::binary::{Probity, QUICK};
use crate::support::{Act, ScriptedServer};

fn probity(server: &ScriptedServer) -> Probity {
    Probity::new().file("tickets.json", tickets(4)).server(server)
}

fn n_scores(out: &Value) -> usize {
    let rows = out["results"].as_array().unwrap().iter();
    rows.flat_map(|row| [&row["relevance"], &row["tone"]]).filter(|level| level["score"] == 4).count()
}

#[test]
fn f24_a_refused_key_costs_one_call_and_is_not_printed() {
    let key = "sk-CANARY-0123456789abcdef";
    let server =
        ScriptedServer::always(error(401, "invalid_api_key", &format!("Incorrect API key provided: {key}.")));
    let ran = probity(&server).variable("OPENAI_API_KEY", key).run_tickets([]).code(3);
    assert_eq!(server.n_requests(), 1);
    assert_eq!(server.requests()[0].header("authorization"), Some(format!("Bearer {key}").as_str()));
    let ran = ran.says(["stopped: the server does not accept the key (HTTP 401)"]);
    assert!(!ran.stderr.contains("CANARY") && !ran.stdout.contains("CANARY"), "{ran:?}");
}

#[test]
fn f10_an_account_without_quota_costs_one_call() {
    let server = ScriptedServer::always(error(429, "insufficient_quota", "You exceeded your current quota."));
    probity(&server).run_tickets([]).code(3).says(["no quota or credit left", "run the same command again"]);
    assert_eq!(server.n_requests(), 1);
}

#[test]
fn n20_a_complete_run_is_done_although_its_last_answer_used_up_the_limit() {
    let spent = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "99h")];
    let last = completion(r#"{"score": 4, "reasoning": "It does well."}"#, "stop").to_string();
    let server = ScriptedServer::with(move |request| match request.number {
        7 => Act::respond(200, &spent, &last),
        _ => good(&Asked::of(request)),
    });
    let ran = probity(&server).run_tickets(["--concurrency", "1"]).code(0);
    assert_eq!((server.n_requests(), ran.after_settings()), (8, ""));
}

#[test]
fn f25_a_model_that_is_not_there() {
    let server = ScriptedServer::always(error(404, "model_not_found", "The model does not exist."));
    probity(&server).run_tickets(["--model", "gpt-none"]).code(2).says(["\"gpt-none\""]);
    assert_eq!(server.n_requests(), 1);
}

#[test]
fn f25_a_model_that_goes_away_during_the_run() {
    let server = ScriptedServer::with(|request| match request.number {
        0..3 => good(&Asked::of(request)),
        _ => error(404, "model_not_found", "The model was retired."),
    });
    let probity = probity(&server);
    probity.run_tickets(["--concurrency", "1"]).code(3).says(["\"gpt-4o-mini\"", "retired"]);
    assert_eq!(n_scores(&probity.json("out.json")), 3);
}

#[test]
fn f29_a_judge_that_cannot_be_reached() {
    let server = ScriptedServer::with(|request| good(&Asked::of(request)));
    let probity = probity(&server);
    probity.write("probity.toml", format!("{QUICK}breaker_consecutive = 3\nattempts_max = 9\n"));
    probity.run_tickets(["--max-calls", "3", "--concurrency", "1"]).code(3);
    drop(server);
    probity.run_tickets(["--max-calls", "99", "--concurrency", "1"]).code(3).says([
        "stopped: the judge cannot be reached: 3 calls failed in a row",
        "run the same command again to continue",
    ]);
    let out = probity.json("out.json");
    assert_eq!(n_scores(&out), 3, "what was scored is kept");
    let failed = out["failed"].as_array().unwrap();
    assert_eq!(failed.len(), 5);
    // Which packets the three calls were about depends on who came first.
    assert!(failed.iter().any(|row| row["reason"] == "connect"), "{failed:?}");
}

#[test]
fn f16_f30_what_passes_is_asked_again_until_it_answers() {
    let server = ScriptedServer::with(|request| match request.number {
        1 => Act::respond(500, &[], "oops"),
        3 => Act::ResetBeforeByte,
        5 => Act::respond(503, &[("content-type", "text/html")], "<html>502 5</html>"),
        _ => good(&Asked::of(request)),
    });
    let probity = probity(&server);
    probity.run_tickets([]).code(0);
    assert_eq!(n_scores(&probity.json("out.json")), 8);
    assert_eq!(server.n_requests(), 11);
}

#[test]
fn f28_a_redirect_takes_the_key_nowhere() {
    let elsewhere = ScriptedServer::with(|request| good(&Asked::of(request)));
    let to = elsewhere.url("/v1/chat/completions");
    let server = ScriptedServer::always(Act::respond(307, &[("location", &to)], ""));
    probity(&server)
        .variable("OPENAI_API_KEY", "sk-CANARY-0123456789")
        .run_tickets([])
        .code(3)
        .says(["redirects"]);
    assert_eq!((server.n_requests(), elsewhere.n_connections()), (1, 0));
}

/// Takes JSON objects and refuses schemas.
fn without_schemas() -> ScriptedServer {
    ScriptedServer::with(|request| match request.json()["response_format"]["type"].as_str() {
        Some("json_object") => good(&Asked::of(request)),
        _ => {
            error(400, "unsupported_parameter", "response_format json_schema is not supported by this model")
        }
    })
}

#[test]
fn f23_a_judge_that_takes_no_schema_is_asked_for_json_objects() {
    let server = without_schemas();
    let probity = probity(&server);
    let ran = probity.run_tickets([]).code(0);
    let ran = ran.says(["the judge does not take JSON schemas; asking for plain JSON objects instead"]);
    assert!(!ran.stderr.contains("new run"), "the first run is not a changed one: {}", ran.stderr);
    assert_eq!(server.n_requests(), 9);
    assert_eq!(n_scores(&probity.json("out.json")), 8);
    let first = probity.bytes("out.json");
    let ran = probity.run_tickets([]).code(0);
    assert_eq!((server.n_requests(), ran.after_settings()), (9, ""), "known from then on");
    assert_eq!(probity.bytes("out.json"), first);
}

#[test]
fn f23_a_schema_that_was_insisted_on_is_not_dropped() {
    let server = without_schemas();
    probity(&server).run_tickets(["--structured", "schema"]).code(2).says(["response_format"]);
    assert_eq!(server.n_requests(), 1);
}

#[test]
fn f57_another_model_than_asked_for_is_noted() {
    let server = ScriptedServer::with(|request| good(&Asked::of(request)));
    let probity = probity(&server);
    probity.run_tickets(["--model", "asked-for-1"]).code(0);
    let out = probity.json("out.json");
    assert_eq!(out["summary"]["judge"]["answered_as"], json!({ "gpt-4o-mini": 8 }));
    let warnings = out["summary"]["warnings"].to_string();
    assert!(warnings.contains("asked for asked-for-1, answered by gpt-4o-mini"), "{warnings}");
}

/// Work with a single question: its call is under way before anything else happens, and nobody comes after it.
fn one_question(server: &ScriptedServer) -> Probity {
    Probity::new().file("tickets.json", tickets(1)).server(server)
}

#[test]
fn f24_a_refused_key_is_told_where_there_is_one_question() {
    let server = ScriptedServer::always(error(401, "invalid_api_key", "Incorrect API key provided."));
    let ran = one_question(&server).run_tickets(["--one-call"]).code(3);
    ran.says(["stopped: the server does not accept the key (HTTP 401)"]);
    assert_eq!(server.n_requests(), 1);
}

#[test]
fn f23_a_schema_is_refused_where_there_is_one_question() {
    let rubric = "name = \"kind\"\nversion = \"1\"\ntitle = \"K\"\n[[criterion]]\nid = \"kind\"\ntitle = \"K\"\n\
        question = \"Is it kind?\"\nlevels = [0, 1]\n[criterion.anchors]\n0 = \"no\"\n1 = \"yes\"\n";
    let server = ScriptedServer::with(|request| match request.json()["response_format"]["type"].as_str() {
        Some("json_object") => level(1, "Kind."),
        _ => error(400, "unsupported_parameter", "response_format json_schema is not supported"),
    });
    let probity = one_question(&server).file("kind.toml", rubric);
    let ran = probity.run_tickets(["--rubric", "kind.toml"]).code(0);
    ran.says(["asking for plain JSON objects instead"]);
    assert_eq!(probity.json("out.json")["summary"]["scored"], 1);
    assert_eq!(server.n_requests(), 2);
}
