//! Hosts of models: each dialect end to end, parameters that are refused, prompts that are cut, keys that expire and
//! servers that die.

use std::time::Duration;

use serde_json::{Value, json};

use crate::answers::{Asked, error, good, says, tickets};
use crate::binary::Probity;
use crate::mock::process::MockJudge;
use crate::support::{Act, ScriptedServer};

fn n_scored(probity: &Probity) -> u64 {
    probity.json("out.json")["summary"]["scored"].as_u64().expect("a count")
}

fn calls(mock: &MockJudge) -> u64 {
    mock.stats()["calls"].as_u64().expect("a count")
}

#[test]
fn every_dialect_is_spoken_end_to_end() {
    for (kind, base) in [
        ("openai", "/v1"),
        ("openai-responses", "/v1"),
        ("openai-decisions", "/v1"),
        ("azure", "/openai/deployments/d"),
        ("anthropic", ""),
        ("gemini", "/v1beta"),
        ("gemini-openai", "/v1"),
        ("mistral", "/v1"),
        ("groq", "/v1"),
        ("openrouter", "/v1"),
        ("deepseek", ""),
        ("xai", "/v1"),
        ("ollama", ""),
        ("vllm", "/v1"),
    ] {
        let mock = MockJudge::start(&["--dialect", kind]);
        let probity = Probity::new().file("tickets.json", tickets(3));
        let url = format!("http://{}{base}", mock.address);
        probity.run_tickets(["--judge", kind, "--base-url", &url, "--model", "some-model"]).code(0);
        let summary = probity.json("out.json")["summary"].clone();
        assert_eq!((&summary["scored"], calls(&mock)), (&json!(3), 6 + n_renamed(kind)), "{kind}: {summary}");
        assert!(summary["tokens"]["input"].as_u64().is_some_and(|tokens| tokens > 1000), "{kind}: {summary}");
    }
}

/// At another address than its own, kind `openai` is any compatible host, which calls the limit `max_tokens`.
fn n_renamed(kind: &str) -> u64 {
    u64::from(kind == "openai")
}

#[test]
fn todays_models_need_a_key_and_a_name() {
    for (kind, base, model, key) in [
        ("openai", "/v1", "gpt-6-luna", "OPENAI_API_KEY"),
        ("anthropic", "", "claude-haiku-5-5", "ANTHROPIC_API_KEY"),
    ] {
        let mock = MockJudge::start(&["--dialect", kind]);
        let probity = Probity::new().file("tickets.json", tickets(10)).variable(key, "sk-0123456789abcdef");
        let url = format!("http://{}{base}", mock.address);
        let run = || probity.run_tickets(["--judge", kind, "--base-url", &url, "--model", model]).code(0);
        run();
        assert_eq!((n_scored(&probity), calls(&mock)), (10, 20 + n_renamed(kind)), "{kind}");
        probity.write("tickets.json", tickets(11));
        run();
        assert_eq!(
            (n_scored(&probity), calls(&mock)),
            (11, 22 + n_renamed(kind)),
            "{kind}: nothing is wasted twice"
        );
    }
}

#[test]
fn what_a_judge_refuses_is_left_out_once_and_remembered() {
    let server = ScriptedServer::with(|request| {
        let body = request.json();
        let refused =
            ["temperature", "seed", "max_tokens"].into_iter().find(|field| body.get(field).is_some());
        match refused {
            Some(field) => error(400, "unsupported_parameter", &format!("Unsupported parameter: '{field}'")),
            None => good(&Asked::of(request)),
        }
    });
    let probity = Probity::new().file("tickets.json", tickets(10)).server(&server);
    let run = || probity.run_tickets(["--model", "model-of-tomorrow"]).code(0);
    run().says([
        "the judge does not take `temperature`; asking without it",
        "the judge does not take `seed`; asking without it",
        "calls its token limit by the other name",
    ]);
    assert_eq!((n_scored(&probity), server.n_requests()), (10, 23));
    let last = server.requests()[22].json();
    assert_eq!(last["max_completion_tokens"], 5120, "a model that takes no temperature thinks");
    let judge = probity.json("out.json")["summary"]["judge"]["id"].clone();
    probity.write("tickets.json", tickets(12));
    assert!(!run().stderr.contains("does not take"));
    probity.args(["report", "last", "--report", "page.html"]).run().code(0);
    let page = probity.text("page.html");
    assert!(page.contains("output tokens max") && !page.contains("temperature"), "as it was really sent");
    assert_eq!((n_scored(&probity), server.n_requests()), (12, 27), "the second run wastes no call");
    assert_eq!(probity.json("out.json")["summary"]["judge"]["id"], judge);
}

#[test]
fn a_first_call_that_fails_lets_none_go_with_unproven_parameters() {
    let server = ScriptedServer::with(|request| match (request.number, request.json().get("seed")) {
        (0..3, _) => Act::ResetBeforeByte,
        (_, Some(_)) => error(400, "unsupported_parameter", "Unsupported parameter: 'seed'"),
        _ => good(&Asked::of(request)),
    });
    let probity = Probity::new().file("tickets.json", tickets(10)).server(&server);
    probity.run_tickets(["--concurrency", "8"]).code(0);
    assert_eq!(server.n_requests(), 3 + 1 + 20, "one call for the refused parameter");
}

#[test]
fn a_judge_that_has_answered_in_this_store_is_asked_without_a_pilot() {
    let server = ScriptedServer::with(|request| {
        let refused = || error(429, "insufficient_quota", "You exceeded your current quota.");
        match request.number {
            0..2 => good(&Asked::of(request)),
            _ => Act::After(Duration::from_secs(1), Box::new(refused())),
        }
    });
    let probity = Probity::new().file("tickets.json", tickets(1)).server(&server);
    probity.run_tickets(["--concurrency", "4"]).code(0);
    probity.write("tickets.json", tickets(20));
    probity.run_tickets(["--concurrency", "4"]).code(3).says(["no quota or credit left"]);
    let refused = server.n_requests() - 2;
    assert!(
        (2..=4).contains(&refused),
        "the places that there are at once, and none after a refusal: {refused}"
    );
    probity.run_tickets(["--concurrency", "4", "--store", "other.db"]).code(3);
    assert_eq!(server.n_requests(), 2 + refused + 1, "a judge that is new to a store is tried with one call");
}

#[test]
fn what_a_target_refuses_is_left_out_once_and_remembered() {
    let server = ScriptedServer::with(|request| {
        let body = request.json();
        let refused = ["temperature", "seed"].into_iter().find(|field| body.get(field).is_some());
        match refused {
            _ if body["model"] != "m-bot" => good(&Asked::of(request)),
            Some(field) => error(400, "unsupported_parameter", &format!("Unsupported parameter: '{field}'")),
            None => says("We have looked into it for you."),
        }
    });
    let cases = |n: usize| {
        json!(
            (0..n)
                .map(|i| json!({ "id": i.to_string(), "ticket": format!("Order {i} is late.") }))
                .collect::<Vec<_>>()
        )
    };
    let probity = Probity::new().file("tickets.json", cases(3).to_string()).server(&server);
    probity.write(
        "probity.toml",
        format!("[targets.bot]\nkind = 'openai'\nmodel = 'm-bot'\nbase_url = '{}'\n", server.url("/v1")),
    );
    let run = || probity.run_tickets(["--target", "bot", "--trust-settings"]).code(0);
    run().says([
        "the target does not take `temperature`; asking without it",
        "the target does not take `seed`; asking without it",
    ]);
    assert_eq!((n_scored(&probity), server.n_requests()), (3, 2 + 3 + 6));
    let target = probity.json("out.json")["summary"]["target"]["id"].clone();
    probity.run_tickets(["--target", "bot", "--trust-settings", "--offline"]).code(0);
    assert_eq!((n_scored(&probity), server.n_requests()), (3, 11), "what is on record is found again");
    probity.write("tickets.json", cases(4).to_string());
    assert!(!run().stderr.contains("does not take"));
    assert_eq!((n_scored(&probity), server.n_requests()), (4, 11 + 3), "the second run wastes no call");
    assert_eq!(probity.json("out.json")["summary"]["target"]["id"], target);
    probity.args(["report", "last", "--report", "page.md"]).run().code(0);
    let settings = probity.text("probity.toml");
    probity.write("probity.toml", format!("{settings}system = 'Be kind.'\n"));
    assert!(!run().stderr.contains("does not take"), "what a model takes does not depend on its prompt");
    assert_eq!(server.n_requests(), 14 + 4, "other replies, which are the same texts");
}

#[test]
fn a_value_is_never_left_out() {
    let server = ScriptedServer::always(error(400, "unsupported_value", "'temperature' does not support 0"));
    let probity = Probity::new().file("tickets.json", tickets(1)).server(&server);
    probity.write("probity.toml", "[judges.openai]\ntemperature = 0\n");
    probity
        .run_tickets([])
        .code(2)
        .says(["'temperature' does not support 0", "temperature = \"auto\" leaves out what is refused"]);
    assert_eq!(server.n_requests(), 1);
}

#[test]
fn a_prompt_that_ollama_cuts_is_unscored() {
    let mock = MockJudge::start(&["--dialect", "ollama"]);
    let long = json!([
        { "id": "short", "ticket": "Where is my parcel?", "reply": "On its way." },
        { "id": "long", "ticket": "Where is my parcel?", "reply": "Your parcel is on its way to you. ".repeat(1000) },
    ]);
    let probity = Probity::new().file("tickets.json", long.to_string());
    let url = format!("http://{}", mock.address);
    let run = |policy| probity.run_tickets(["--judge", "ollama", "--base-url", &url, "--model", "m", policy]);
    run("--quiet").code(3);
    let out = probity.json("out.json");
    assert_eq!(out["summary"]["unscored_by_cause"], json!({ "prompt_cut": 2 }));
    assert_eq!(
        (&out["results"][1]["id"], &out["results"][1]["relevance"]["score"]),
        (&json!("long"), &Value::Null)
    );
    let detail = out["failed"][0]["detail"].as_str().expect("a detail");
    assert!(detail.contains("read only 2050 tokens") && detail.contains("context_tokens"), "{detail}");

    probity.write("probity.toml", "[judges.ollama]\ncontext_tokens = 32768\n");
    run("--retry-unscored").code(0);
    assert_eq!(n_scored(&probity), 2, "with room for it, the prompt is whole");
}

#[test]
fn how_much_a_server_reads_is_learned_from_its_error() {
    let server = ScriptedServer::with(|request| {
        let asked = Asked::of(request);
        if asked.reply.contains("long") {
            return error(
                400,
                "context_length_exceeded",
                "This model's maximum context length is 1000 tokens. However, you requested 1200 tokens.",
            );
        }
        // Every answer says that its prompt had 1,000 tokens.
        good(&asked)
    });
    let case = |reply: &str| json!([{ "id": "a", "ticket": "Where is it?", "reply": reply }]).to_string();
    let probity = Probity::new().file("tickets.json", case("short")).server(&server);
    probity.run_tickets([]).code(0);
    probity.write("tickets.json", case("long"));
    probity.run_tickets([]).code(3);
    probity.write("tickets.json", case("another"));
    probity.run_tickets([]).code(3);
    assert_eq!(probity.json("out.json")["summary"]["unscored_by_cause"], json!({ "prompt_cut": 2 }));
}

#[test]
fn one_of_two_servers_dies_and_the_run_goes_on() {
    let dying = ScriptedServer::with(|request| match request.number {
        0..6 => good(&Asked::of(request)),
        _ => Act::ResetBeforeByte,
    });
    let other = ScriptedServer::with(|request| good(&Asked::of(request)));
    let probity = Probity::new().file("tickets.json", tickets(20)).server(&dying);
    let settings = format!(
        "[judges.openai]\nbase_urls = [\"{}\"]\n[schedule]\nbackoff_ms_first = 2\nbackoff_ms_max = 10\nconcurrency = 4\n",
        other.url("/v1")
    );
    probity.write("probity.toml", settings);
    probity.run_tickets(["--trust-settings"]).code(0);
    assert_eq!(n_scored(&probity), 20);
    let (n_dying, n_other) = (dying.n_requests(), other.n_requests());
    let failed = n_dying - 6;
    // Answers that were on their way when the first call failed let a few more follow.
    assert!((1..=8).contains(&failed), "what was in flight, and little more: {failed}");
    assert_eq!(n_dying + n_other, 40 + failed, "nothing is asked twice but what was lost");
    assert_eq!(probity.json("out.json")["summary"]["calls"], 40 + failed, "and every call is on record");
    let judge = probity.json("out.json")["summary"]["judge"]["id"].clone();

    probity.write("tickets.json", tickets(21));
    probity.write("probity.toml", "");
    drop(dying);
    probity.run_tickets(["--offline"]).code(0);
    assert_eq!(
        probity.json("out.json")["summary"]["judge"]["id"],
        judge,
        "further servers are no part of the judge"
    );
}

#[test]
fn a_rate_limit_of_one_server_is_no_news_about_the_other() {
    let limited = ScriptedServer::with(|request| match request.number {
        0 => good(&Asked::of(request)),
        _ => Act::respond(429, &[("retry-after", "100")], r#"{"error":{"code":"rate_limit_exceeded"}}"#),
    });
    let other = ScriptedServer::with(|request| good(&Asked::of(request)));
    let probity = Probity::new().file("tickets.json", tickets(20)).server(&limited);
    probity.write(
        "probity.toml",
        format!("[judges.openai]\nbase_urls = [\"{}\"]\n[schedule]\nconcurrency = 2\n", other.url("/v1")),
    );
    let started = std::time::Instant::now();
    probity.run_tickets(["--trust-settings"]).code(0);
    assert_eq!(n_scored(&probity), 20);
    assert!(started.elapsed().as_secs() < 60, "nothing waits for the server that is limited");
    let refused = limited.n_requests() - 1;
    assert!((1..=2).contains(&refused), "what was in flight, and no more: {refused}");
    assert_eq!(other.n_requests(), 39, "the rest goes to the other");
}

#[test]
fn a_server_that_refuses_is_left_and_the_others_go_on() {
    for (refusal, why) in [
        (error(404, "model_not_found", "gone"), "the server has no model \"m\" at this address"),
        (error(401, "invalid_api_key", "no"), "the server does not accept the key"),
        (error(429, "insufficient_quota", "no"), "the account has no quota or credit left"),
        (
            Act::respond(307, &[("location", "https://else.example/v1")], ""),
            "the server redirects to else.example",
        ),
    ] {
        let refusing = ScriptedServer::always(refusal);
        let other = ScriptedServer::with(|request| good(&Asked::of(request)));
        let probity = Probity::new().file("tickets.json", tickets(10)).server(&refusing);
        let servers = |urls: &[String]| {
            probity.write("probity.toml", format!("[judges.openai]\nbase_urls = {urls:?}\n"));
        };
        servers(&[other.url("/v1")]);
        let run = || probity.run_tickets(["--trust-settings", "--model", "m"]);
        let left = format!("{} was left out: {why}", refusing.url("/v1"));
        run().code(0).says([&*left]);
        assert_eq!((n_scored(&probity), refusing.n_requests(), other.n_requests()), (10, 1, 20), "{why}");
        assert_eq!(probity.json("out.json")["summary"]["calls"], 21, "{why}");

        let as_bad = ScriptedServer::always(error(401, "invalid_api_key", "not here either"));
        servers(&[as_bad.url("/v1")]);
        let ran = probity.run_tickets(["--trust-settings", "--model", "m", "--store", "new.db"]).code(3);
        ran.says([&*left, "stopped: the server does not accept the key (HTTP 401): not here either"]);
        assert_eq!((refusing.n_requests(), as_bad.n_requests()), (2, 1), "{why}");
    }
}

#[test]
fn a_key_of_a_program_is_fetched_again_when_it_is_refused() {
    let server = ScriptedServer::with(|request| {
        let echo = format!("{} {}", request.path, request.json()["user"]);
        match request.header("authorization") {
            Some("Bearer token-0000000000000002") => good(&Asked::of(request)),
            _ => error(401, "invalid_api_key", &format!("expired: token-0000000000000001 {echo}")),
        }
    });
    let probity = Probity::new().file("tickets.json", tickets(2)).server(&server);
    let settings = "[judges.openai]\napi_key_command = [\"sh\", \"token.sh\"]\n\
        query = { api-version = \"v9\", code = \"${CODE}\" }\nheaders = { X-Team = \"${TEAM}\" }\n\
        extra_body = { service_tier = \"flex\", user = { tokens = [\"Bearer ${USER_TOKEN}\"] } }\n";
    probity.write("probity.toml", settings);
    probity
        .write("token.sh", "echo x >> fetched\necho token-000000000000000$(wc -l < fetched | tr -d ' ')\n");
    let probity = probity.variable("TEAM", "team-secret-0123456789").variable("CODE", "code-secret-77");
    let probity = probity.variable("USER_TOKEN", "user-secret-77");
    probity.run_tickets(["--trust-settings"]).code(0);
    assert_eq!((n_scored(&probity), probity.text("fetched").lines().count()), (2, 2));
    let request = &server.requests()[1];
    assert_eq!(request.json()["service_tier"], "flex");
    assert_eq!(request.header("x-team"), Some("team-secret-0123456789"));
    assert_eq!(request.json()["user"]["tokens"][0], "Bearer user-secret-77");
    assert!(request.path.ends_with("/completions?api-version=v9&code=code-secret-77"), "{}", request.path);
    for file in probity.files().iter().filter(|file| !file.ends_with("token.sh")) {
        let bytes = std::fs::read(file).expect("a file");
        let has = |secret: &str| bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!has("token-00000") && !has("-secret-"), "{}", file.display());
    }
    assert!(probity.text("probity.toml").contains("${CODE}"), "only names are written");
}

#[test]
fn a_secret_that_stands_in_settings_is_refused() {
    let server = ScriptedServer::with(|request| good(&Asked::of(request)));
    let probity = Probity::new().file("tickets.json", tickets(1)).server(&server);
    for (setting, named) in [
        ("query = { code = \"0123456789\" }", "judges.openai.query.code"),
        ("extra_body = { auth = [{ apiKey = \"0123456789\" }] }", "judges.openai.extra_body.auth.apiKey"),
        ("headers = { X-Api-Key = \"0123456789\" }", "judges.openai.headers.\"X-Api-Key\""),
    ] {
        probity.write("probity.toml", format!("[judges.openai]\n{setting}\n"));
        let ran = probity.run_tickets(["--trust-settings"]).code(2);
        let ran = ran.says([named, "expected \"${NAME}\" with the name of an environment variable"]);
        assert!(!ran.stderr.contains("0123456789"), "{}", ran.stderr);
        let setting = setting.replace("0123456789", "${NOT_SET}");
        probity.write("probity.toml", format!("[judges.openai]\n{setting}\n"));
        probity.run_tickets([]).code(2).says(["which would be sent, and the file is not trusted"]);
        probity
            .run_tickets(["--trust-settings"])
            .code(2)
            .says(["the environment variable NOT_SET is not set"]);
    }
    assert_eq!(server.n_requests(), 0);
}
