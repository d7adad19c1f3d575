//! `probity mcp` by a scripted client: what is offered, what is answered, what is refused, and what may spend.

use serde_json::{Value, json};

use crate::answers::{kind_judge, tickets};
use crate::binary::Probity;

/// What the server answers to these messages, one after the other.
fn talk(probity: &Probity, flags: &[&str], messages: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = messages.iter().map(ToString::to_string).collect();
    let ran = probity.args(["mcp"]).words(flags.iter().copied()).stdin(lines.join("\n") + "\n").run().code(0);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// Calls a tool and returns what it says, as JSON, or why it refuses.
#[track_caller]
fn call(probity: &Probity, flags: &[&str], name: &str, arguments: &Value) -> Result<Value, String> {
    let message = request(7, "tools/call", &json!({ "name": name, "arguments": arguments }));
    let answers = talk(probity, flags, &[message]);
    let result = &answers[0]["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answers:?}"));
    if result["isError"] == true { Err(text.to_owned()) } else { Ok(serde_json::from_str(text).unwrap()) }
}

const SPEND: &[&str] = &["--allow-spend"];

#[test]
fn a_client_is_greeted_and_told_the_tools() {
    let hello = json!({ "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    let messages = [
        request(1, "initialize", &hello),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        request(2, "tools/list", &json!({})),
        request(3, "ping", &json!({})),
        request(4, "resources/list", &json!({})),
        json!({ "id": 5 }),
    ];
    let names = |answers: &[Value]| -> Vec<String> {
        let tools = answers[1]["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let answers = talk(&Probity::new(), &[], &messages);
    assert_eq!(answers.len(), 5, "a notification has no answer: {answers:?}");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-03-26");
    assert_eq!(answers[2], json!({ "jsonrpc": "2.0", "id": 3, "result": {} }));
    assert_eq!([&answers[3]["error"]["code"], &answers[4]["error"]["code"]], [-32601, -32600]);
    assert_eq!(names(&answers), ["check", "gate", "runs", "summary", "cases", "explain", "diff"]);
    let spending = talk(&Probity::new(), SPEND, &messages);
    assert_eq!(names(&spending)[7..], ["run", "compare"]);
    let run = &spending[1]["result"]["tools"][7];
    assert_eq!(run["inputSchema"]["required"], json!(["files"]));
    assert_eq!(run["annotations"]["readOnlyHint"], false);
    assert!(
        run["inputSchema"]["properties"]["max_calls"]["description"].as_str().unwrap().contains("at most")
    );
    let ran = Probity::new().args(["mcp"]).stdin("no JSON\n\n").run().code(0);
    assert_eq!(ran.json()["error"]["code"], -32700);
}

#[test]
fn cases_are_checked_run_within_a_budget_read_and_explained() {
    let server = kind_judge();
    let probity = Probity::new().file("tickets.json", tickets(4)).server(&server);
    let files = json!({ "files": ["tickets.json"], "rubric": "relevance-tone" });
    let planned = call(&probity, &[], "check", &files).unwrap();
    assert_eq!([&planned["exit_code"], &planned["result"]["calls"]], [0, 8]);
    assert_eq!(server.n_requests(), 0);

    let mut asked = files.clone();
    asked["max_calls"] = json!(6);
    let ran = call(&probity, SPEND, "run", &asked).unwrap();
    assert_eq!(ran["exit_code"], 3);
    assert!(
        ran["notices"].as_array().unwrap().last().unwrap().as_str().unwrap().contains("the limit of 6 calls"),
        "{ran}"
    );
    assert_eq!((server.n_requests(), &ran["result"]["summary"]["entered"]), (6, &json!(4)));
    asked["max_calls"] = json!(50);
    assert_eq!(call(&probity, SPEND, "run", &asked).unwrap()["exit_code"], 0);
    assert_eq!(server.n_requests(), 8, "what is on record is not paid for again");

    let runs = call(&probity, &[], "runs", &json!({})).unwrap();
    assert_eq!(runs["result"]["runs"][0]["state"], "complete", "{runs}");
    let page = json!({ "outcome": "scored", "offset": 1, "count": 2 });
    let cases = call(&probity, &[], "cases", &page).unwrap();
    assert_eq!([&cases["result"]["n"], &cases["result"]["offset"]], [4, 1]);
    let ids: Vec<&Value> =
        cases["result"]["cases"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, ["ticket-002", "ticket-003"]);
    assert_eq!(call(&probity, &[], "cases", &json!({ "outcome": "fail" })).unwrap()["result"]["n"], 0);
    let why = call(&probity, &[], "explain", &json!({ "run": 1, "case": "ticket-003" })).unwrap();
    assert!(why["result"]["replies"][0]["tone"]["reasoning"].is_string(), "{why}");
    assert_eq!(why["result"]["judge"]["standing"], "advisory");
    let same = call(&probity, &[], "diff", &json!({ "before": "1", "after": "last" })).unwrap();
    assert_eq!(same["exit_code"], 0, "{same}");
    assert_eq!(call(&probity, &[], "summary", &json!({})).unwrap()["result"]["summary"]["scored"], 4);
}

#[test]
fn nothing_is_asked_without_leave_and_without_a_budget() {
    let server = kind_judge();
    let probity = Probity::new().file("tickets.json", tickets(1)).server(&server);
    let refused =
        |flags: &[&str], tool: &str, arguments: &Value| call(&probity, flags, tool, arguments).unwrap_err();
    let files = json!({ "files": ["tickets.json"], "max_calls": 9 });
    assert!(refused(&[], "run", &files).contains("probity mcp --allow-spend"));
    assert!(refused(SPEND, "run", &json!({ "files": ["tickets.json"] })).contains("max_calls or budget_usd"));
    assert!(refused(SPEND, "compare", &json!({ "max_calls": 3 })).contains("needs files"));
    assert_eq!(server.n_requests(), 0);
    assert!(!probity.path(".probity").exists(), "nothing was written");
    let unknown = talk(&probity, &[], &[request(1, "tools/call", &json!({ "name": "promote" }))]);
    assert_eq!(unknown[0]["error"]["code"], -32602);
}

#[test]
fn an_argument_is_never_a_flag_and_files_lie_in_the_folder() {
    let outside = Probity::new().file("secret.json", tickets(1));
    let probity = Probity::new().file("tickets.json", tickets(1)).file("--help", "[]");
    std::os::unix::fs::symlink(outside.path("secret.json"), probity.path("link.json")).unwrap();
    let refused = |tool: &str, arguments: Value| call(&probity, &[], tool, &arguments).unwrap_err();
    let secret = outside.path("secret.json");
    for file in [secret.to_str().unwrap(), "link.json", "../no-folder-of-probity/secret.json", "missing.json"]
    {
        let why = refused("check", json!({ "files": [file] }));
        assert!(why.contains("expected a file in the folder") || why.contains("No such file"), "{why}");
    }
    assert!(refused("check", json!({ "files": ["--help"] })).contains("--help"));
    assert!(
        refused("check", json!({ "files": ["tickets.json"], "store": "x" }))
            .contains("no argument \"store\"")
    );
    assert!(refused("check", json!({ "files": ["tickets.json"], "rubric": "../r.toml" })).contains("r.toml"));
    assert!(refused("cases", json!({ "run": "--output" })).contains("a run's number"));
    assert!(refused("explain", json!({})).contains("case"));
    assert!(refused("check", json!({ "files": ["tickets.json"], "judge": "--show" })).contains("--show"));
}
