//! `probity check`: what a run would send, to the byte, and that nothing is sent.

use std::collections::BTreeSet;

use expect_test::expect;
use serde_json::Value;

use crate::answers::{kind_judge, tickets};
use crate::binary::{Probity, QUICK};
use crate::support::ScriptedServer;

const PRICE: &str = "[prices.\"priced-1\"]\ninput_usd_per_mtok = 2\noutput_usd_per_mtok = 10\n";

fn priced(server: &ScriptedServer) -> Probity {
    let probity = Probity::new().file("tickets.json", tickets(3)).server(server);
    probity.file("probity.toml", format!("{QUICK}{PRICE}"))
}

/// JSON values in an order of their own, so that sets of requests can be compared.
fn texts(values: impl Iterator<Item = Value>) -> BTreeSet<String> {
    values.map(|value| value.to_string()).collect()
}

#[test]
fn what_is_shown_is_what_is_sent() {
    let server = kind_judge();
    for more in [["--model", "priced-1"], ["--structured", "json_object"], ["--rubric", "relevance-tone"]] {
        let probity = priced(&server);
        let [flag, value] = more;
        let n_before = server.n_requests();
        let shown =
            probity.args(["check", "tickets.json", "--show", "--json", flag, value]).run().code(0).json();
        assert_eq!(server.n_requests(), n_before, "nothing is sent");
        assert!(!probity.path(".probity").exists(), "nothing is kept");
        probity.run_tickets([flag, value]).code(0);
        let sent = texts(server.requests().iter().skip(n_before).map(super::support::Request::json));
        let shown = texts(shown["requests"].as_array().unwrap().iter().map(|one| one["request"].clone()));
        assert_eq!(sent.len(), 6);
        assert_eq!(shown, sent);
    }
}

#[test]
fn calls_tokens_and_cost_are_stated_before_anything_is_spent() {
    let server = kind_judge();
    let probity = priced(&server);
    let plan = probity.args(["check", "tickets.json", "--json", "--model", "priced-1"]).run().code(0).json();
    assert_eq!([&plan["records"], &plan["admitted"], &plan["calls"]], [3, 3, 6]);
    let tokens = |name: &str| plan["tokens"][name].as_f64().unwrap();
    assert_eq!(plan["tokens"]["output_max"], 6 * 1024);
    assert!((2000.0..20_000.0).contains(&tokens("input")), "{plan}");
    let cost = (2.0 * tokens("input") + 10.0 * tokens("output_max")) / 1e6;
    assert!((plan["cost_usd_max"].as_f64().unwrap() - cost).abs() < 1e-9, "{plan}");
    let unknown = probity.args(["check", "tickets.json", "--json", "--model", "other"]).run().code(0).json();
    assert_eq!(unknown["cost_usd_max"], Value::Null);
    assert_eq!(server.n_requests(), 0);
}

#[test]
fn what_is_on_record_is_not_counted_again() {
    let server = kind_judge();
    let probity = priced(&server);
    probity.run_tickets(["--max-calls", "4"]).code(3);
    let ran = probity.args(["check", "tickets.json"]).run().code(0);
    assert!(ran.stdout.contains("2 calls to judge openai gpt-4o-mini (6 packets, 4 on record or repeated)"));
    let shown = probity.args(["check", "tickets.json", "--show", "--json"]).run().json();
    assert_eq!(shown["requests"].as_array().unwrap().len(), 2);
    assert_eq!(server.n_requests(), 4);
}

#[test]
fn the_plan_in_words() {
    let server = kind_judge();
    let probity = priced(&server);
    let ran = probity.args(["check", "tickets.json", "--judge", "baseline"]).run().code(0);
    expect![[r#"
        3 records: 3 admitted, 0 blocked, 0 skipped
        6 calls to judge baseline (6 packets, 0 on record or repeated)
        no tokens, no cost
        nothing was sent
    "#]]
    .assert_eq(&ran.stdout);
    let shown = probity.args(["check", "tickets.json", "--show"]).run().code(0).stdout;
    assert_eq!(shown.matches("# case ticket-").count(), 6);
    assert!(shown.ends_with("nothing was sent\n"), "{shown}");
}
