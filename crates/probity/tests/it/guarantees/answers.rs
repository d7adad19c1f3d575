//! G05, G06, G09: no failure becomes a score, every failure is counted by its cause, and no bad answer is
//! ever taken for a stored one.
//!
//! One run has a case for each fault, and the judge commits the fault that the case names. Faults that end a
//! lane have runs of their own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::ledger::{Asked, Judge};
use super::scene::{QUICK, Scene, cases_named};
use crate::answers::{error, says};
use crate::support::{Act, http_ok, sse_head};

/// Short clocks, a small cap, two attempts.
const IMPATIENT: &str = "attempts_max = 2\nconnect_ms = 3000\nfirst_byte_ms = 3000\nidle_ms = 1400\ntotal_ms = 4000\n\
    body_bytes_max = 65536\n";

/// A whole answer with this message and this reason to end.
fn message(message: &Value, finish: &str) -> Act {
    let choice = json!({ "index": 0, "message": message, "finish_reason": finish });
    http_ok(&json!({ "model": "gpt-4o-mini", "choices": [choice] }).to_string())
}

const GOOD: &str = r#"{"score": 4, "reasoning": "It is clear."}"#;

/// Each fault by the name of the case that meets it. Most of them carry a number that must not be taken.
fn faults() -> Vec<(&'static str, Act)> {
    let mut faults = vec![
        (
            "f14 larger than the limit",
            error(429, "tokens", "Request too large: Limit 30000, Requested 40000"),
        ),
        ("f16 server error", error(500, "server_error", GOOD)),
        ("f17 proxy page", Act::respond(502, &[("content-type", "text/html")], "<html>score 4</html>")),
        ("f18 overloaded", error(529, "overloaded_error", "busy")),
        ("f21 retry forbidden", Act::respond(503, &[("x-should-retry", "false")], GOOD)),
        ("f22 context length", error(400, "context_length_exceeded", "9000 tokens")),
        ("f26 request too large", error(413, "too_large", "4")),
        ("f30 reset", Act::ResetBeforeByte),
        ("f30 closed", Act::CloseBeforeByte),
        ("f31 reset in the body", Act::PartialThenReset { promised: 900, sent: GOOD.into() }),
        ("f35 no headers", Act::NeverAnswer),
        ("f36 stalled events", stalled_events()),
        ("f37 one byte at a time", drip()),
        ("f39 events without an end", Act::Raw([sse_head(), event()].concat())),
        ("f40 error inside 200", http_ok(&json!({ "error": { "message": "4", "code": 500 } }).to_string())),
        ("f41 endless", Act::Endless),
        ("f41 bomb", Act::GzipBomb { decoded_bytes: 1 << 18 }),
        ("f42 wrong length", Act::WrongLength { promised: 5000, body: GOOD.into() }),
        ("f42 bad chunk", Act::BadChunk),
        ("f42 bad gzip", Act::BadGzip),
        ("f42 not text", Act::Respond { status: 200, headers: vec![], body: b"\xff\xfe 4".to_vec() }),
        ("f44 no choice", http_ok(r#"{"choices":[]}"#)),
        ("f45 empty", says("")),
        ("f45 null", message(&json!({ "content": null }), "stop")),
        ("f46 reasoning used it up", message(&json!({ "content": "", "reasoning": GOOD }), "length")),
        ("f47 cut", message(&json!({ "content": r#"{"score": 4, "reasoning": "It"# }), "length")),
        ("f48 filtered", message(&json!({ "content": null }), "content_filter")),
        ("f49 whole but filtered", message(&json!({ "content": GOOD }), "content_filter")),
        ("f50 refusal", message(&json!({ "content": null, "refusal": "No. 4" }), "stop")),
        ("f51 refusal in words", says("I cannot give this 4 out of 5.")),
        ("f52 another tool", message(&json!({ "content": null, "tool_calls": [tool()] }), "tool_calls")),
        ("f53 only thoughts", message(&json!({ "content": null, "reasoning_content": GOOD }), "stop")),
        ("f62 two verdicts", says(r#"{"score": 4, "reasoning": "a"} {"score": 2, "reasoning": "b"}"#)),
        ("f64 unclosed thoughts", says(&format!("<think> {GOOD}"))),
        ("f82 deep", says(&format!("{}4{}", "[".repeat(200), "]".repeat(200)))),
        ("html in 200", Act::respond(200, &[("content-type", "text/html")], "<html>4</html>")),
        ("no completion", http_ok(GOOD)),
    ];
    faults.extend(VALUES.iter().map(|(name, score)| {
        (*name, says(&format!(r#"{{"score": {score}, "reasoning": "It is clear."}}"#)))
    }));
    faults
}

/// Scores that are none, as they stand in an otherwise perfect answer.
const VALUES: &[(&str, &str)] = &[
    ("f69 half", "4.5"),
    ("f70 fraction", "\"4/5\""),
    ("f70 word", "\"four\""),
    ("f71 zero", "0"),
    ("f71 six", "6"),
    ("f71 minus one", "-1"),
    ("f71 percent", "85"),
    ("f71 huge", "1e20"),
    ("f72 nan", "NaN"),
    ("f72 infinity", "Infinity"),
    ("f72 beyond floats", "1e999"),
    ("f72 nan as text", "\"nan\""),
    ("f73 true", "true"),
    ("f73 list", "[4]"),
    ("f73 object", "{\"value\": 4}"),
    ("f73 null", "null"),
    ("f74 twice", "1, \"score\": 5"),
];

fn tool() -> Value {
    json!({ "type": "function", "function": { "name": "search", "arguments": GOOD } })
}

fn event() -> Vec<u8> {
    let delta = json!({ "choices": [{ "index": 0, "delta": { "content": GOOD } }] });
    format!("data: {delta}\n\n").into_bytes()
}

fn stalled_events() -> Act {
    Act::SseComments { events: event(), pause: Duration::from_millis(20) }
}

fn drip() -> Act {
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n".to_vec();
    Act::Drip { head, piece: b" ".to_vec(), pause: Duration::from_millis(20) }
}

/// A judge that commits the fault that a case names, until it recovers.
struct Faulty {
    judge: Judge,
    recovered: Arc<AtomicBool>,
    scene: Scene,
}

impl Faulty {
    fn new() -> Faulty {
        let table: BTreeMap<&str, Act> = faults().into_iter().collect();
        let recovered = Arc::new(AtomicBool::new(false));
        let judge = Judge::with({
            let recovered = Arc::clone(&recovered);
            move |asked, _| {
                let sound = recovered.load(Ordering::SeqCst);
                if sound { asked.answer() } else { table[asked.reply.as_str()].clone() }
            }
        });
        let names = faults();
        let cases = cases_named(names.iter().map(|(name, _)| *name));
        let scene = Scene::new(cases, &judge.base_url()).settings(&format!("{QUICK}{IMPATIENT}"));
        Faulty { judge, recovered, scene }
    }

    /// What each case came to, as `name: cause`. How many calls it took depends on connections that others have spoilt.
    fn causes(&self) -> String {
        let results = self.scene.results();
        let failed = results["failed"].as_array().expect("a list");
        let tone = failed.iter().filter(|row| row["criterion"] == "tone");
        let line = |row: &Value| {
            let text = |key: &str| row[key].as_str().expect("a text").to_owned();
            format!("{}: {}\n", text("id"), text("reason"))
        };
        tone.map(line).collect()
    }
}

#[track_caller]
fn no_score(results: &Value, n_cases: usize) {
    let rows = results["results"].as_array().expect("rows");
    assert_eq!(rows.len(), n_cases);
    for row in rows {
        for criterion in ["relevance", "tone"] {
            assert_eq!(row[criterion]["score"], Value::Null, "{row}");
            assert!(row[criterion]["unscored"].is_string(), "{row}");
        }
        assert_eq!((&row["outcome"], &row["total"]), (&json!("unscored"), &Value::Null));
    }
    let summary = &results["summary"];
    assert_eq!(json!([summary["scored"], summary["unscored"], summary["coverage"]]), json!([0, n_cases, 0]));
    assert_eq!(summary["criteria"]["tone"]["mean"], Value::Null);
}

#[test]
fn g05_no_failure_becomes_a_score() {
    let faulty = Faulty::new();
    let _ended = faulty.scene.run(&["--concurrency", "200"]).code(3);
    no_score(&faulty.scene.results(), faults().len());
    expect![[r#"
        f14 larger than the limit: too_large_for_limit
        f16 server error: server_error
        f17 proxy page: server_error
        f18 overloaded: overloaded
        f21 retry forbidden: retry_forbidden
        f22 context length: context_length
        f26 request too large: request_too_large
        f30 reset: connection_lost
        f30 closed: connection_lost
        f31 reset in the body: connection_lost
        f35 no headers: first_byte_timeout
        f36 stalled events: idle_timeout
        f37 one byte at a time: total_timeout
        f39 events without an end: truncated_stream
        f40 error inside 200: server_error
        f41 endless: too_large
        f41 bomb: too_large
        f42 wrong length: connection_lost
        f42 bad chunk: bad_body
        f42 bad gzip: bad_body
        f42 not text: bad_body
        f44 no choice: no_choice
        f45 empty: empty
        f45 null: empty
        f46 reasoning used it up: length_reasoning
        f47 cut: length
        f48 filtered: content_filter
        f49 whole but filtered: content_filter
        f50 refusal: refused
        f51 refusal in words: no_json
        f52 another tool: unexpected_tool
        f53 only thoughts: empty
        f62 two verdicts: ambiguous
        f64 unclosed thoughts: length_reasoning
        f82 deep: no_json
        html in 200: bad_body
        no completion: no_choice
        f69 half: not_on_scale
        f70 fraction: type
        f70 word: type
        f71 zero: out_of_range
        f71 six: out_of_range
        f71 minus one: out_of_range
        f71 percent: out_of_range
        f71 huge: out_of_range
        f72 nan: not_finite
        f72 infinity: not_finite
        f72 beyond floats: not_finite
        f72 nan as text: not_finite
        f73 true: type
        f73 list: type
        f73 object: type
        f73 null: type
        f74 twice: duplicate_key
    "#]]
    .assert_eq(&faulty.causes());
}

#[test]
fn g09_a_bad_answer_is_never_found_again() {
    let faulty = Faulty::new();
    let _ended = faulty.scene.run(&["--concurrency", "200"]).code(3);
    let first = faulty.judge.counts();
    let settled = faulty.scene.record().settled;
    let causes = faulty.causes();

    // What the judge did answer, badly, is kept and not asked again; what never arrived is asked again.
    let _ended = faulty.scene.run(&["--concurrency", "200"]).code(3);
    for (asked, n) in faulty.judge.counts() {
        assert_eq!(n > first[&asked], !settled.contains_key(&asked), "{asked:?}");
    }
    no_score(&faulty.scene.results(), faults().len());
    assert_eq!(faulty.causes(), causes);

    // From a judge that has recovered, nothing but its own verdicts is reported.
    faulty.recovered.store(true, Ordering::SeqCst);
    let n_before = faulty.judge.n_requests();
    let _ended = faulty.scene.run(&["--concurrency", "20", "--retry-unscored"]).code(0);
    assert_eq!(faulty.judge.n_requests() - n_before, 2 * faults().len());
    let results = faulty.scene.results();
    for row in results["results"].as_array().expect("rows") {
        for criterion in ["relevance", "tone"] {
            let reply = row["id"].as_str().expect("an id");
            let verdict = Asked::about(reply, criterion).verdict();
            assert_eq!(row[criterion], verdict, "{row}");
        }
    }
    let _ended = faulty.scene.run(&["--retry-unscored"]).code(0);
    assert_eq!(faulty.judge.n_requests() - n_before, 2 * faults().len(), "verdicts are found again");
}

/// Runs two cases against a judge that does the same to every call, which must end the lane.
#[track_caller]
fn check_stop(act: Act, code: i32, want: &Expect) {
    let judge = Judge::with(move |_, _| act.clone());
    let scene = Scene::new(cases_named(["one", "two"]), &judge.base_url());
    let ended = scene.run(&["--concurrency", "1"]).code(code);
    no_score(&scene.results(), 2);
    let last = ended.stderr.lines().last().unwrap_or_default();
    want.assert_eq(&format!("{} calls; {last}", judge.n_requests()));
}

#[test]
fn g05_what_ends_a_lane_is_no_score_either() {
    check_stop(
        error(401, "invalid_api_key", "score 4"),
        3,
        &expect![
            "1 calls; stopped: the server does not accept the key (HTTP 401): score 4; correct that, then run the same command again to continue"
        ],
    );
    check_stop(
        error(429, "insufficient_quota", "score 4"),
        3,
        &expect![
            "1 calls; stopped: the account has no quota or credit left (HTTP 429): score 4; run the same command again to continue"
        ],
    );
    check_stop(
        Act::respond(429, &[("retry-after", "86400")], GOOD),
        3,
        &expect![
            "1 calls; stopped: the limit of gpt-4o-mini resets in 24 h; run the same command again to continue"
        ],
    );
    check_stop(
        Act::respond(302, &[("location", "http://other.example/")], GOOD),
        3,
        &expect![
            "1 calls; stopped: the server redirects to other.example; the key is not sent there, correct the base URL; correct that, then run the same command again to continue"
        ],
    );
    check_stop(
        error(404, "model_not_found", "score 4"),
        2,
        &expect![[
            r#"1 calls; stopped: the server has no model "gpt-4o-mini" at this address (HTTP 404): score 4"#
        ]],
    );
    check_stop(
        error(400, "unsupported_parameter", "temperature 4"),
        2,
        &expect![[
            r#"2 calls; stopped: the server does not take a parameter of the request (HTTP 400): temperature 4; temperature = "auto" leaves out what is refused"#
        ]],
    );
}

/// The body is larger than the cap; the status says enough.
#[test]
fn n13_a_refused_key_stops_the_run_however_much_is_said_about_it() {
    let refusing = Arc::new(AtomicBool::new(true));
    let judge = Judge::with({
        let refusing = Arc::clone(&refusing);
        move |asked, _| {
            let is_refusing = refusing.load(Ordering::SeqCst);
            if is_refusing { error(401, "invalid_api_key", &"x".repeat(1_200_000)) } else { asked.answer() }
        }
    });
    let scene = Scene::new(cases_named(["one", "two"]), &judge.base_url());
    let _stopped =
        scene.run(&["--concurrency", "1"]).code(3).says(["the server does not accept the key (HTTP 401)"]);
    assert_eq!(judge.n_requests(), 1);
    refusing.store(false, Ordering::SeqCst);
    let _ended = scene.run(&["--concurrency", "1"]).code(0);
    assert_eq!(judge.n_requests(), 5, "nothing was settled");
}

/// Six sound answers, a refusal, one without JSON, one that never arrives, one beyond the scale.
#[test]
fn g06_partial_failure_is_visible() {
    let judge = Judge::with(|asked, _| match asked.reply.as_str() {
        "refused" => message(&json!({ "content": null, "refusal": "No." }), "stop"),
        "prose" => says("It is quite good."),
        "down" => error(500, "server_error", "down"),
        "beyond" => says(r#"{"score": 9, "reasoning": "Superb."}"#),
        _ => asked.answer(),
    });
    let names = ["a", "b", "c", "d", "e", "f", "refused", "prose", "down", "beyond"];
    let scene = Scene::new(cases_named(names), &judge.base_url());
    let ended = scene.run(&["--concurrency", "1"]).code(3);
    let visible = ended.stdout.lines().skip_while(|line| *line != "Criteria unscored, by cause");
    let visible = visible.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    let head = ended.stdout.lines().nth(1).unwrap_or_default();
    let summary = &scene.results()["summary"];
    let counts = json!([summary["unscored_by_cause"], summary["coverage"], summary["scored"]]);
    // The first line names the endpoint, whose port is another each time.
    let (_, said) = ended.stderr.split_once('\n').unwrap_or_default();
    expect![[r#"
        10 replies · 6 scored · 4 unscored · 0 blocked · 0 records skipped
        Criteria unscored, by cause
          2 no_json: expected a JSON object with a verdict, found none
          2 out_of_range: relevance: expected one of 1, 2, 3, 4, 5, found 9
          2 refused: No.
          2 server_error: HTTP 500
        [{"no_json":2,"out_of_range":2,"refused":2,"server_error":2},0.6,6]
        wrote outbox/results.json
        incomplete: 60.0 % of the admitted replies have a verdict (required: 90.0 %); run the same command again to continue
    "#]].assert_eq(&format!("{head}\n{visible}\n{counts}\n{said}"));

    let _enough = scene.run(&["--min-coverage", "0.6"]).code(0);
    let _gate = scene.run(&["--enforce"]).code(3).says(["60.0 % of the admitted replies have a verdict"]);
}
