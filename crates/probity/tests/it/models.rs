//! Models: the list with its age, the only one of a server, and what is said when one ends.

use serde_json::{Value, json};

use crate::answers::{kind_judge, tickets};
use crate::binary::Probity;

#[test]
fn the_list_has_prices_ends_and_its_age() {
    let folder = Probity::new();
    let list = folder.args(["models", "--json"]).run().code(0).json();
    let model = |name: &str| {
        let found = list["models"].as_array().unwrap().iter().find(|model| model["name"] == name);
        found.unwrap_or_else(|| panic!("no {name}")).clone()
    };
    assert!(list["age_days"].as_i64().unwrap() > 0 && list["as_of"].is_string(), "{list}");
    assert_eq!([&model("gpt-6-luna")["input"], &model("gpt-6-luna")["output"]], [0.1, 0.5]);
    assert_eq!(
        [&model("claude-haiku-5-5")["batch_input"], &model("claude-haiku-5-5")["cached"]],
        [0.05, 0.01]
    );
    assert_eq!(
        [&model("gpt-4o-mini")["ends"], &model("gpt-4o-mini")["successor"]],
        ["2027-01-14", "gpt-6-luna"]
    );
    for model in list["models"].as_array().unwrap() {
        assert!(model["as_of"].is_string() && !model["source"].as_str().unwrap().is_empty(), "{model}");
    }
    let text = folder.args(["models"]).run().code(0).stdout;
    assert!(text.contains("the oldest row is ") && text.contains("gemini-3.8-flash: 1.50 in"), "{text}");
}

#[test]
fn the_default_judge_is_a_small_model_of_the_host_whose_key_is_there() {
    let folder = Probity::new().file("tickets.json", tickets(1));
    for (key, model) in [("OPENAI_API_KEY", "gpt-6-luna"), ("ANTHROPIC_API_KEY", "claude-haiku-5-5")] {
        let plan = folder.args(["check", "tickets.json"]).variable(key, "k-0123456789").run().code(0);
        assert!(plan.stdout.contains(&format!(" {model} ")) && plan.stdout.contains("at most "), "{plan:?}");
    }
}

#[test]
fn a_server_with_one_model_needs_no_name_and_one_with_several_lists_them() {
    let server = kind_judge();
    server.list_models(r#"{"data":[{"id":"only-one","shutdown_date":"2027-02-01"}]}"#);
    let folder = Probity::new().file("tickets.json", tickets(2)).server(&server);
    folder.run_tickets(["--as-of", "2027-01-01"]).code(0).says(["the model only-one ends on 2027-02-01"]);
    folder.run_tickets([]).code(0);
    assert!(server.requests().iter().all(|request| request.json()["model"] == "only-one"));
    let first = folder.json("out.json");
    assert_eq!(
        [&first["summary"]["judge"]["model"], &first["summary"]["cost_usd"]],
        [&json!("only-one"), &Value::Null]
    );

    server.list_models(r#"{"data":[{"id":"one"},{"id":"two"}]}"#);
    let ran = folder.run_tickets([]).code(2);
    ran.says(["no model was chosen", "choose one with --model: one, two"]);
    server.list_models("<html>");
    folder.run_tickets([]).code(0).says(["only-one"]);
    drop(server);
    folder.run_tickets(["--offline"]).code(0);
    assert_eq!(folder.json("out.json"), first);
    folder.run_tickets(["--store", "none.db"]).code(3).says(["/v1/models did not answer", "--base-url"]);
}

#[test]
fn a_model_that_ends_is_told_in_every_output() {
    let folder = Probity::new().file("tickets.json", tickets(1)).variable("OPENAI_API_KEY", "k-0123456789");
    let check = |day: &str| {
        let args = ["check", "tickets.json", "--model", "gpt-4o-mini", "--as-of", day];
        folder.args(args).run().code(0).stderr
    };
    assert!(check("2026-12-01").contains("warning: the model gpt-4o-mini ends on 2027-01-14, in 44 days"));
    assert!(!check("2026-11-01").contains("ends on"));

    let server = kind_judge();
    server.list_models(r#"{"data":[{"id":"m","shutdown_date":"2027-02-01"}]}"#);
    let folder = Probity::new().file("tickets.json", tickets(2)).server(&server);
    let run = |day: &str| {
        let args = ["--model", "m", "--as-of", day, "--report", "out.md"];
        folder.run_tickets(args).code(0);
        folder.json("out.json")["summary"]["warnings"].to_string()
    };
    assert!(!run("2027-01-01").contains("ends on"), "the server has not been asked");
    let list = folder.args(["models", "--judge", "openai", "--json"]).run().code(0).json();
    assert_eq!([&list["models"][0]["name"], &list["models"][0]["ends"]], ["m", "2027-02-01"]);
    assert!(run("2027-01-01").contains("the model m ends on 2027-02-01, in 31 days"));
    assert!(folder.text("out.md").contains("ends on 2027-02-01"));
    assert!(!run("2026-11-30").contains("ends on"));
}

#[test]
fn a_contract_can_ask_that_the_model_stays() {
    let server = kind_judge();
    server.list_models(r#"{"data":[{"id":"m","shutdown_date":"2027-02-01"}]}"#);
    let contract = "name = \"c\"\nversion = \"1\"\nowner = \"q\"\n[model]\ndays_min = 90\n";
    let labels = json!([{ "item": "ticket-001", "criterion": "tone", "annotator": "a", "label": 4 }]);
    let folder = Probity::new()
        .file("tickets.json", tickets(2))
        .file("labels.json", labels.to_string())
        .file("contract.toml", contract)
        .server(&server);
    let promote = |day: &str| {
        let args = [
            "promote", "tickets.json", "--contract", "contract.toml", "--labels", "labels.json", "--model",
            "m",
        ];
        let out = folder.args(args).words(["--as-of", day, "--json"].into_iter()).run().code(1).json();
        let found =
            out["checked"].as_array().unwrap().iter().find(|check| check["requirement"] == "model_end");
        found.expect("the requirement").clone()
    };
    assert_eq!(promote("2026-10-01")["have"], "no end is known");
    folder.args(["models", "--judge", "openai"]).run().code(0);
    let (soon, early) = (promote("2026-11-10"), promote("2026-10-01"));
    assert_eq!([&soon["met"], &soon["have"], &soon["need"]], [&json!(false), &json!(83), &json!(90)]);
    assert_eq!([&early["met"], &early["have"]], [&json!(true), &json!(123)]);
}
