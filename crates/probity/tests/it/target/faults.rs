//! Targets that fail, lie or leak, and templates that nobody should send: what is said, and that it costs nothing.

use serde_json::{Value, json};

use super::{CHAT, COMMAND, HTTP, Ran, Scene, folder_bytes};
use crate::support::{Act, ScriptedServer, http_ok};

/// A key with characters that some forms escape.
const CANARY: &str = "sk-CANARY-7f3a91c2d8e64b05+/=AbCdEf";

/// The settings of an HTTP target at `server`.
fn at(server: &ScriptedServer, more: &str) -> String {
    let url = server.url("/reply");
    format!(
        "[targets.bot]\nkind = 'http'\nurl = '{url}'\nrequest = '{{\"q\": {{{{ ticket }}}}, \"id\": {{{{ id }}}}}}'\n\
         reply = '/reply'\nconfidence = '/confidence'\n{more}"
    )
}

/// Nobody is judged who has no reply, every case has its row, and the cause is in the detail.
#[track_caller]
fn check_failing(settings: &str, judge_calls: usize, says: &str, detail: &str) {
    let scene = Scene::new(3, settings);
    scene.run(&["--target", "bot"]).code(3).says([says]).says(["run the same command again to continue"]);
    assert_eq!(scene.calls("m-judge"), judge_calls, "no call about a case without a reply");
    let results = scene.results();
    let summary = &results["summary"];
    assert_eq!(json!([summary["entered"], summary["no_reply"]]), json!([3, 2]));
    for row in &results["results"].as_array().unwrap()[1..] {
        assert_eq!(
            json!([row["outcome"], row["total"], row["gate"]["status"]]),
            json!(["unscored", null, "no_reply"])
        );
        assert_eq!(row["tone"], json!({ "score": null, "reasoning": null, "unscored": "no_reply" }));
    }
    let failed = results["failed"].as_array().unwrap().iter().filter(|row| row["reason"] == "no_reply");
    let details: Vec<&str> = failed.map(|row| row["detail"].as_str().unwrap()).collect();
    assert_eq!(details.len(), 4, "two criteria of two cases");
    assert!(details.iter().any(|said| said.contains(detail)), "{details:?}");
}

#[test]
fn a_target_that_cannot_be_reached() {
    let breaker = "[schedule]\nbackoff_ms_first = 1\nbackoff_ms_max = 2\nattempts_max = 9\nbreaker_consecutive = 3\nconcurrency = 1\n";
    let scene = Scene::new(30, "");
    let settings = "[targets.bot]\nkind = 'openai'\nmodel = 'm-bot'\nbase_url = 'http://127.0.0.1:1/v1'\n";
    scene.write("probity.toml", format!("{breaker}{settings}"));
    let ran = scene.run(&["--target", "bot"]).code(3).says(["the target cannot be reached"]);
    assert!(ran.stderr.contains("run the same command again to continue"), "{}", ran.stderr);
    assert_eq!(scene.calls("m-judge"), 0);
    let markdown = scene.text("report.md");
    assert!(markdown.contains("- 29 without a reply\n"), "{markdown}");
    assert!(scene.text("report.xml").contains("no_reply connect"), "an error, and no failure");
}

#[test]
fn a_target_that_fails_refuses_or_is_gone() {
    let failing = ScriptedServer::always(Act::respond(500, &[], "down"));
    check_failing(&at(&failing, ""), 2, "incomplete", "HTTP 500");
    let refusing = ScriptedServer::always(Act::respond(401, &[], r#"{"error":{"message":"who are you?"}}"#));
    check_failing(&at(&refusing, ""), 0, "stopped: the target: ", "credentials");
    let gone = COMMAND.replace("'bot.sh'", "'-c', 'echo no model >&2; exit 3'");
    check_failing(&gone, 2, "incomplete", "no model");
}

/// What a target answers to everybody is no reply, and the judge is asked about the case that has one.
#[track_caller]
fn check_unusable(body: &str, detail: &str) {
    let server = ScriptedServer::always(http_ok(body));
    let scene = Scene::new(3, &at(&server, ""));
    scene
        .run(&["--target", "bot"])
        .code(3)
        .says(["incomplete: 33.3 % of the admitted replies have a verdict"]);
    assert_eq!(scene.calls("m-judge"), 2, "two criteria of the only reply");
    let results = scene.results();
    assert_eq!(results["summary"]["no_reply"], 2);
    assert_eq!(results["failed"][0]["detail"], detail);
    // It is on record, and asked for again only where that is wanted.
    let n_requests = server.n_requests();
    scene.run(&["--target", "bot"]).code(3);
    assert_eq!(server.n_requests(), n_requests);
    scene.run(&["--target", "bot", "--retry-unscored"]).code(3);
    assert!(server.n_requests() > n_requests);
}

#[test]
fn an_answer_without_a_reply_is_none() {
    check_unusable(r#"{"text":"Sure."}"#, "no_text: expected a text at /reply, found null");
    check_unusable(r#"{"reply":""}"#, "empty: the reply is empty");
    check_unusable("Sure.", "bad_body: expected a JSON body: unexpected character 'S' at byte 0");
}

#[test]
fn what_is_no_confidence_is_said_and_is_no_number() {
    for (confidence, found) in [("1.5", "1.5"), ("-1", "-1"), ("\"high\"", "a string"), ("[0.5]", "an array")]
    {
        let server =
            ScriptedServer::always(http_ok(&format!(r#"{{"reply":"Sure.","confidence":{confidence}}}"#)));
        let scene = Scene::new(3, &at(&server, ""));
        let ran = scene.run(&["--target", "bot", "--rubric", "support-gold"]).code(0);
        let warning = format!(
            "2 answers of target bot came with a confidence that is none, and their replies count as replies \
             without one (expected a number from 0 to 1, found {found})"
        );
        for text in [ran.stdout, scene.text("report.md"), scene.summary()["warnings"].to_string()] {
            assert!(text.contains(&warning), "{text}");
        }
        assert_eq!(mean_confidence(&scene)["value"], Value::Null);
    }
    let server = ScriptedServer::always(http_ok(r#"{"reply":"Sure.","confidence":0.5}"#));
    let scene = Scene::new(3, &at(&server, ""));
    scene.run(&["--target", "bot", "--rubric", "support-gold"]).code(0);
    assert_eq!(mean_confidence(&scene)["value"].as_f64(), Some(0.5));
}

fn mean_confidence(scene: &Scene) -> Value {
    let summary = scene.summary();
    let targets = summary["targets"].as_array().unwrap();
    targets.iter().find(|target| target["metric"] == "mean_confidence").unwrap().clone()
}

/// Nothing is sent, nothing is spent, and the fault is named.
#[track_caller]
fn check_refused(settings: &str, more: &[&str], says: &str) {
    let scene = Scene::new(3, settings);
    scene.run(&[&["--target", "bot"], more].concat()).code(2).says([says]);
    assert_eq!(scene.calls("m-bot") + scene.calls("m-judge"), 0, "nothing was sent");
    assert!(!scene.path("results.json").exists());
}

#[test]
fn a_hostile_template_is_refused_before_anything_is_sent() {
    let template = |request: &str| {
        HTTP.replace("{{ ticket | tojson }}}]}'", "\"x\"}]}'")
            .replace(r#"{"model": "m-bot", "messages": [{"role": "user", "content": "x"}]}"#, request)
    };
    let huge =
        "[{% for i in range(99999) %}{{ ticket }},{{ ticket }},{{ ticket }},{{ ticket }},{% endfor %}0]";
    check_refused(
        &template(huge),
        &[],
        "target bot, case c1: the request template made more than 4194304 bytes",
    );
    check_refused(&template("{{ customer }}"), &[], "could not be filled in: undefined value");
    check_refused(&template("{{ metadata.plan | tojson }}"), &[], "could not be filled in: undefined value");
    check_refused(&template("Hello {{ ticket }}"), &[], "the request template made no JSON");
    check_refused(&template("{\"q\": \"{{ ticket }}\"}"), &[], "the request template made no JSON");
    check_refused(&template("{% if %}"), &[], "target bot: the request template is not well formed");
    let endless = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}";
    check_refused(&template(endless), &[], "engine ran out of fuel");
    let doubling = "{% set a = ticket %}".to_owned() + &"{% set a = a ~ a %}".repeat(40);
    check_refused(
        &template(&doubling),
        &[],
        "target bot: the request template is refused: it has more than 8",
    );
    let growing =
        "{% set ns = namespace(a=ticket) %}{% for i in range(40) %}{% set ns.a = ns.a ~ ns.a %}{% endfor %}";
    check_refused(&template(growing), &[], "unknown function: namespace");
}

#[test]
fn settings_that_do_not_fit_are_named() {
    check_refused("", &[], "target: expected one of openai, found \"bot\"");
    check_refused(
        "[targets.bot]\nmodel = 'x'\n",
        &[],
        "targets.bot.kind: expected one of openai, http, command",
    );
    check_refused(
        "[targets.bot]\nkind = 'openai'\n",
        &[],
        "targets.bot.model: expected a model, found nothing",
    );
    check_refused(&HTTP.replace("'/choices", "'choices"), &[], "targets.bot.reply: expected a JSON pointer");
    check_refused(&HTTP.replace("MOCK", "ftp://x"), &[], "targets.bot.url: the URL has scheme");
    check_refused(
        &format!("{CHAT}url = 'x'\n"),
        &[],
        "targets.bot.url: a target of kind \"openai\" has no such",
    );
    check_refused(COMMAND, &["--target-base-url", "http://x"], "targets.bot.base_url: a target of kind");
    check_refused(
        &format!("{CHAT}system_file = 'none.txt'\n"),
        &[],
        "expected one of system and system_file",
    );
    check_refused(CHAT, &["--target-system", "none.txt"], "target bot: the file none.txt cannot be read");
    check_refused(&COMMAND.replace("'sh'", "'no-such-program'"), &[], "could not start the program");
    let header = format!("{HTTP}headers = {{ Authorization = 'Bearer ${{NO_SUCH_KEY}}' }}\n");
    check_refused(
        &header,
        &[],
        "target bot: cannot be used: the environment variable NO_SUCH_KEY is not set",
    );
    check_refused(&format!("{HTTP}headers = {{ Host = 'x' }}\n"), &[], "this header cannot be set");
    for (url, says) in [
        ("http://169.254.169.254/v1", "link-local or metadata address"),
        ("https://[::ffff:a9fe:a9fe]/v1", "link-local or metadata address"),
        ("http://bot.example/v1", "a public host without encryption"),
    ] {
        check_refused(CHAT, &["--target-base-url", url], says);
    }
    let scene = Scene::new(3, CHAT);
    scene.run(&["--target-model", "m"]).code(2).says(["--target-model needs --target"]);
}

/// What a target that wants the key told does with it, one way per case.
fn echoing(id: &str) -> Act {
    match id {
        "c1" => {
            http_ok(&json!({ "reply": format!("Your key is {CANARY}."), "confidence": CANARY }).to_string())
        }
        "c2" => Act::respond(500, &[("x-echo", CANARY)], &format!("bad key {CANARY}")),
        "c3" => http_ok(&json!({ "reply": 7, "key": CANARY }).to_string()),
        "c4" => Act::PartialThenReset { promised: 900, sent: format!("{{\"key\": \"{CANARY}\"").into() },
        _ => Act::respond(401, &[], &format!(r#"{{"error":{{"message":"Incorrect key: {CANARY}"}}}}"#)),
    }
}

/// The key of the target as `spell` writes each of its characters.
fn spelled(spell: impl Fn(char) -> String) -> String {
    CANARY.chars().map(spell).collect()
}

/// The key as JSON may spell it, and as JSON in a text of JSON may.
fn spellings() -> Vec<String> {
    let slash = |c: char| if c == '/' { "\\/".to_owned() } else { c.to_string() };
    let low = |c: char| format!("\\u{:04x}", u32::from(c));
    let high = |c: char| format!("\\u{:04X}", u32::from(c));
    let some = |c: char| if c.is_ascii_digit() { low(c) } else { slash(c) };
    let nested = |c: char| format!("\\\\u{:04x}", u32::from(c));
    vec![spelled(slash), spelled(low), spelled(high), spelled(some), spelled(nested)]
}

/// The store holds `text`.
#[track_caller]
fn check_stored(scene: &Scene, text: &str) {
    let holds = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(folder_bytes(scene).iter().any(|(_, bytes)| holds(bytes)), "{text}");
}

#[test]
fn a_key_that_is_told_in_another_spelling_is_in_nothing_that_is_written() {
    let server = ScriptedServer::with(|request| {
        let id = request.json()["id"].as_str().unwrap().to_owned();
        let key = spellings()[id[1..].parse::<usize>().unwrap() - 1].clone();
        http_ok(&format!(r#"{{"reply":"Your key is {key}.","confidence":"{key}","{key}":["{key}"]}}"#))
    });
    let scene = Scene::new(6, &at(&server, "headers = { Authorization = 'Bearer ${BOT_KEY}' }\n"));
    let run = |more: &[&str]| {
        let mut command = scene.command(&[&["--target", "bot"], more].concat());
        command.env("BOT_KEY", CANARY).env("RUST_LOG", "trace");
        Ran::of(command)
    };
    let ran = [run(&[]).code(0), run(&["--offline", "--json"]).code(0)];
    check_stored(&scene, "Your key is [key].");
    let mut written = folder_bytes(&scene);
    written.extend(ran.map(|ran| ("output".into(), (ran.stdout + &ran.stderr).into_bytes())));
    assert!(written.iter().any(|(path, _)| path.ends_with("store.db")));
    for (path, bytes) in written {
        for piece in spellings().iter().map(String::as_str).chain([CANARY, "7f3a91c2d8e64b05"]) {
            let found = bytes.windows(piece.len()).any(|window| window == piece.as_bytes());
            assert!(!found, "{} contains {piece}", path.display());
        }
    }
}

#[test]
fn a_short_key_of_a_target_is_taken_out_of_replies_or_refused() {
    let server = ScriptedServer::with(|request| {
        let key = request.header("x-pin").unwrap().to_owned();
        http_ok(&json!({ "reply": format!("Your PIN is {key}.") }).to_string())
    });
    let scene = Scene::new(2, &at(&server, "headers = { X-Pin = '${PIN}' }\n"));
    let run = |pin: &str| {
        let mut command = scene.command(&["--target", "bot"]);
        command.env("PIN", pin);
        Ran::of(command)
    };
    run("12345").code(2).says(["the environment variable PIN has fewer than 6 characters"]);
    assert_eq!(server.n_requests(), 0);
    run("qx7-93").code(0);
    check_stored(&scene, "Your PIN is [key].");
    for (path, bytes) in folder_bytes(&scene) {
        assert!(!bytes.windows(6).any(|window| window == b"qx7-93"), "{}", path.display());
    }
}

#[test]
fn the_key_of_a_target_is_in_nothing_that_is_written() {
    let server = ScriptedServer::with(|request| {
        assert_eq!(request.header("authorization"), Some(format!("Bearer {CANARY}").as_str()));
        assert_eq!(request.header("x-version"), Some("2"));
        let body = request.json();
        // The refusal that ends the run comes when every other kind of answer has come.
        echoing(match (request.number, body["id"].as_str().unwrap()) {
            (7.., _) => "refused",
            (_, id @ ("c1" | "c2" | "c3" | "c4")) => id,
            _ => "c2",
        })
    });
    let headers = "headers = { Authorization = 'Bearer ${BOT_KEY}', X-Version = '2' }\n";
    let scene = Scene::new(6, &at(&server, headers));
    let run = |more: &[&str]| {
        let mut command = scene.command(&[&["--target", "bot", "--concurrency", "1"], more].concat());
        command.env("BOT_KEY", CANARY).env("RUST_LOG", "trace");
        Ran::of(command)
    };
    let first = run(&[]).code(3).says(["does not accept the key"]);
    let shown = run(&["--offline", "--json"]).code(3);
    let check = scene.args(["check", "cases.jsonl", "--target", "bot", "--show", "--trust-settings"]);
    let planned = check.variable("BOT_KEY", CANARY).run().code(0);
    assert!(server.n_requests() > 5, "the key was sent");
    let mut written = folder_bytes(&scene);
    for (n, ran) in [first, shown, planned].into_iter().enumerate() {
        written.push((format!("output {n}").into(), (ran.stdout + &ran.stderr).into_bytes()));
    }
    assert!(written.iter().any(|(path, _)| path.ends_with("store.db")));
    for (path, bytes) in written {
        for piece in [CANARY, "CANARY-7f3a91c2d8e64b05", "7f3a91c2d8e64b05+/=AbCdEf"] {
            let found = bytes.windows(piece.len()).any(|window| window == piece.as_bytes());
            assert!(!found, "{} contains {piece}", path.display());
        }
    }
}
