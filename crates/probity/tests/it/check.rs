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
    for more in [["--seed", "9"], ["--structured", "json_object"], ["--rubric", "relevance-tone"]] {
        let probity = priced(&server);
        let [flag, value] = more;
        let n_before = server.n_requests();
        let shown =
            probity.args(["check", "tickets.json", "--model", "priced-1", "--show", "--json", flag, value]);
        let shown = shown.run().code(0).json();
        assert_eq!(server.n_requests(), n_before, "nothing is sent");
        assert!(!probity.path(".probity").exists(), "nothing is kept");
        probity.run_tickets(["--model", "priced-1", flag, value]).code(0);
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
    let cost = |input: f64, output: f64| (2.0 * input + 10.0 * output) / 1e6;
    let expected = cost(tokens("input_expected"), tokens("output_expected"));
    assert!((plan["cost_usd_expected"].as_f64().unwrap() - expected).abs() < 1e-9, "{plan}");
    // Five attempts, one further question and one damaged body, each with a token for every byte of the prompt.
    let most = 7.0 * cost(4.0 * tokens("input"), tokens("output_max"));
    assert!((0.8 * most..1.2 * most).contains(&plan["cost_usd_max"].as_f64().unwrap()), "{most} {plan}");
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
        the first records as they were read:
          tickets.json, line 1
            id          ticket-001
            ticket      The export number 1 stays empty since Monday.
            reply       Reply 1.
          tickets.json, line 1
            id          ticket-002
            ticket      The export number 2 stays empty since Monday.
            reply       Reply 2.
          tickets.json, line 1
            id          ticket-003
            ticket      The export number 3 stays empty since Monday.
            reply       Reply 3.
        3 records: 3 admitted, 0 blocked, 0 skipped
        6 calls to judge baseline (6 packets, 0 on record or repeated)
        no tokens, no cost
        precision: a rate over 3 records is known to about ± 36.5 points
        nothing was sent
    "#]]
    .assert_eq(&ran.stdout);
    let shown = probity.args(["check", "tickets.json", "--show"]).run().code(0).stdout;
    assert_eq!(shown.matches("# case ticket-").count(), 6);
    assert!(shown.ends_with("nothing was sent\n"), "{shown}");
}

/// Runs a command that asks with `--dry-run`; expects no call, no store, and these lines.
#[track_caller]
fn check_dry<const N: usize>(args: [&str; N], want: &expect_test::Expect) {
    let server = kind_judge();
    let case =
        |id: &str, reply: &str| format!("{{\"id\":\"{id}\",\"ticket\":\"T {id}\",\"reply\":\"{reply}\"}}\n");
    let labels = "{\"item\":\"a\",\"criterion\":\"tone\",\"annotator\":\"ann\",\"label\":\"4\"}\n";
    let probity = priced(&server)
        .file("old.jsonl", case("a", "One.") + &case("b", "Two.") + &case("c", "Same."))
        .file("new.jsonl", case("a", "Uno.") + &case("b", "Due.") + &case("c", "Same."))
        .file("labels.jsonl", labels)
        .file("contract.toml", CONTRACT);
    let ran = probity.args(args).run().code(0);
    want.assert_eq(&ran.stdout);
    assert_eq!(server.n_requests(), 0, "nothing is sent");
    assert!(!probity.path(".probity").exists(), "nothing is kept");
}

const CONTRACT: &str = "name = \"c\"\nversion = \"1\"\nowner = \"qa\"\n[agreement]\nlower_bound_min = 0.6\n[review]\n\
    path = \"leads\"\n[expiry]\nvalid_days = 30\n";

#[test]
fn every_command_that_asks_says_what_it_would_take() {
    check_dry(
        ["run", "old.jsonl", "--dry-run", "--model", "priced-1"],
        &expect![[r#"
            the first records as they were read:
              old.jsonl, line 1
                id          a
                ticket      T a
                reply       One.
              old.jsonl, line 2
                id          b
                ticket      T b
                reply       Two.
              old.jsonl, line 3
                id          c
                ticket      T c
                reply       Same.
            3 records: 3 admitted, 0 blocked, 0 skipped
            6 calls to judge openai priced-1 (6 packets, 0 on record or repeated)
            about 3031 tokens in and 300 out: expected 0.91 cents (at 50 tokens for each decision, a typical length), 9.0 cents if every answer is as long as it may be, at most 63 cents (and every packet is asked 7 times)
              with --one-call (3 calls, another question to the judge): 0.71 cents, 22 % less
            precision: a rate over 3 records is known to about ± 36.5 points
            nothing was sent
        "#]],
    );
    check_dry(
        ["compare", "old.jsonl", "new.jsonl", "--dry-run", "--model", "priced-1"],
        &expect![[r#"
            3 pairs: 2 admitted, 1 blocked, 0 skipped
            4 calls to judge openai priced-1 (4 packets, 0 on record or repeated)
            about 3248 tokens in and 200 out: expected 0.85 cents (at 50 tokens for each decision, a typical length), 6.9 cents if every answer is as long as it may be, at most 48 cents (and every packet is asked 7 times)
            nothing was sent
        "#]],
    );
    check_dry(
        ["probe", "old.jsonl", "--select", "warm_padding", "--dry-run", "--model", "priced-1"],
        &expect![[r#"
            30 bases: 30 admitted, 0 blocked, 0 skipped
            180 calls to judge openai priced-1 (180 packets, 0 on record or repeated)
            about 112548 tokens in and 9000 out: expected 32 cents (at 50 tokens for each decision, a typical length), $2.87 if every answer is as long as it may be, at most $20.06 (and every packet is asked 7 times)
              with --one-call (90 calls, another question to the judge): 23 cents, 26 % less
            precision: a rate over 30 bases is known to about ± 16.8 points
            nothing was sent
        "#]],
    );
    check_dry(
        ["calibrate", "old.jsonl", "--labels", "labels.jsonl", "--dry-run", "--model", "priced-1"],
        &expect![[r#"
            1 reply: 1 admitted, 0 blocked, 0 skipped
            1 call to judge openai priced-1 (1 packet, 0 on record or repeated)
            about 501 tokens in and 50 out: expected 0.15 cents (at 50 tokens for each decision, a typical length), 1.5 cents if every answer is as long as it may be, at most 10 cents (and every packet is asked 7 times)
            precision: a rate over 1 reply is known to about ± 39.7 points
            nothing was sent
        "#]],
    );
    check_dry(
        [
            "promote", "old.jsonl", "--contract", "contract.toml", "--labels", "labels.jsonl", "--dry-run",
            "--model", "priced-1",
        ],
        &expect![[r#"
            1 reply: 1 admitted, 0 blocked, 0 skipped
            1 call to judge openai priced-1 (1 packet, 0 on record or repeated)
            about 501 tokens in and 50 out: expected 0.15 cents (at 50 tokens for each decision, a typical length), 1.5 cents if every answer is as long as it may be, at most 10 cents (and every packet is asked 7 times)
            precision: a rate over 1 reply is known to about ± 39.7 points
            nothing was sent
        "#]],
    );
}

#[test]
fn a_dry_run_is_the_check_of_the_same_cases() {
    let probity = priced(&kind_judge());
    for more in ["--json", "--quiet"] {
        let checked = probity.args(["check", "tickets.json", more]).run().code(0).stdout;
        let dry = probity.args(["run", "tickets.json", more, "--dry-run"]).run().code(0).stdout;
        assert_eq!(checked, dry);
    }
}
