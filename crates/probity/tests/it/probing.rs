//! `probity probe` as a command: exit codes, what is kept, and what a second call costs.

use expect_test::expect;
use probity_core::json::parse;
use probity_core::probe::ProbeRecord;
use probity_engine::ledger::Store;
use serde_json::{Value, json};

use crate::binary::{Probity, Ran};

fn cases(ids: impl Iterator<Item = usize>) -> String {
    let line = |n: usize| {
        let ticket = format!("The chair of order {n} has not arrived. Where is it?");
        let reply = "Thank you for writing. Open the orders page and choose the chair. Press track there.";
        json!({ "id": format!("t{n}"), "ticket": ticket, "reply": reply }).to_string()
    };
    ids.map(line).collect::<Vec<_>>().join("\n")
}

/// `probity probe` with the baseline judge.
fn probe<const N: usize>(folder: &Probity, more: [&str; N]) -> Ran {
    folder.args(["probe", "--judge", "baseline"]).words(more.into_iter()).run()
}

/// The keys and texts of the probings that a folder's store keeps.
fn kept(folder: &Probity, rubric_hash: &str, judge: &str) -> Option<String> {
    let store = Store::open_read_only(&folder.path("p.db")).expect("a store");
    store.noted(&format!("probe:{judge}:{rubric_hash}")).expect("a note or none")
}

#[test]
fn a_probing_is_asked_for_once_and_read_back_offline() {
    let folder = Probity::new();
    for rubric in ["relevance-tone", "pairwise-support"] {
        let arguments = ["--bases", "2", "--store", "p.db", "--rubric", rubric, "--json"];
        let first = probe(&folder, arguments);
        assert_eq!(first.code, Some(0), "{}", first.stderr);
        let calls = first.json()["calls"].as_u64();
        let again = probe(&folder, arguments);
        assert_eq!((&again.stdout, again.json()["calls"].as_u64()), (&first.stdout, calls), "{rubric}");
        let offline =
            folder.args(["probe", "--judge", "baseline", "--offline"]).words(arguments.into_iter()).run();
        assert_eq!(offline.stdout, first.stdout, "{rubric}");
        assert!(parse(&first.stdout).is_ok() && ProbeRecord::read(&first.stdout).is_ok());
    }
}

#[test]
fn only_a_whole_probing_is_kept() {
    let folder = Probity::new();
    let part = probe(
        &folder,
        ["--bases", "2", "--store", "p.db", "--select", "gate", "--select", "repeat", "--json"],
    );
    let part = part.json();
    let names = |json: &Value| [json["rubric"]["hash"].clone(), json["judge"]["id"].clone()];
    let [hash, judge] = names(&part).map(|name| name.as_str().expect("a text").to_owned());
    assert_eq!(part["only"], json!(["gate", "repeat"]));
    assert_eq!(kept(&folder, &hash, &judge), None);
    let whole = probe(&folder, ["--bases", "2", "--store", "p.db", "--json"]);
    assert_eq!(kept(&folder, &hash, &judge), Some(whole.stdout));
}

#[test]
fn own_replies_come_first_and_bad_records_are_listed() {
    let folder = Probity::new().file("cases.jsonl", cases(0..3) + "\n{\"id\":\"x\",\"ticket\":\"t\"}\n");
    let json = probe(&folder, ["cases.jsonl", "--select", "gate", "--json"]).json();
    assert_eq!((&json["bases"]["own"], &json["bases"]["shipped"]), (&json!(3), &json!(27)));
    assert_eq!(json["skipped"][0]["reason"], "Missing 'reply' field");
    let few = probe(&folder, ["cases.jsonl", "--select", "gate", "--bases", "2", "--json"]).json();
    assert_eq!((&few["bases"]["own"], &few["bases"]["shipped"]), (&json!(2), &json!(0)));
}

#[test]
fn the_order_of_a_file_does_not_choose_the_bases() {
    let folder = Probity::new().file("a.jsonl", cases(0..40)).file("b.jsonl", cases((0..40).rev()));
    let hash = |file, seed| {
        let ran = probe(&folder, [file, "--select", "gate", "--bases", "5", "--seed", seed, "--json"]);
        ran.json()["battery"].clone()
    };
    assert_eq!(hash("a.jsonl", "1"), hash("b.jsonl", "1"));
    assert_ne!(hash("a.jsonl", "1"), hash("a.jsonl", "2"));
}

#[track_caller]
fn ends<const N: usize>(arguments: [&str; N], code: i32, words: &str) {
    let ran = probe(&Probity::new(), arguments);
    assert_eq!(ran.code, Some(code), "{}", ran.stderr);
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

#[test]
fn exit_codes() {
    ends(["--select", "length"], 0, "");
    ends(["--select", "length", "--enforce"], 1, "FAILED: ");
    ends(["--select", "gate", "--enforce"], 0, "");
    ends(["--select", "lenght"], 2, "did you mean 'length'?");
    ends(["--tolerance", "1"], 2, "expected a share from 0 to below 1");
    ends(["--probes", "none.toml"], 2, "none.toml: there is no such file");
    ends(["none.jsonl"], 2, "none.jsonl");
}

#[test]
fn a_judge_that_is_down_is_not_one_that_passed() {
    let folder =
        Probity::new().file("probity.toml", crate::binary::QUICK).variable("OPENAI_API_KEY", "sk-none");
    let down =
        ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--select", "length", "--enforce", "--json"];
    let ran = folder.args(["probe"]).words(down.into_iter()).run();
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    let json = ran.json();
    assert_eq!(json["failed"], json!([]));
    let n_open = json["inconclusive"].as_array().map(Vec::len);
    assert_eq!(n_open, json["probes"].as_array().map(Vec::len));
}

#[test]
fn own_probes_pass_fail_or_have_no_meaning() {
    let own = "[[probe]]\nname = \"steps_win\"\nticket = \"Where is the chair of my order?\"\nreply_a = \"Sorry.\"\n\
        reply_b = \"Open the page of your order and press track to see where the chair is.\"\nexpected = \"b\"\n\
        [[probe]]\nname = \"sorry_wins\"\nticket = \"Where is the chair of my order?\"\nreply_a = \"Sorry.\"\n\
        reply_b = \"Open the page of your order and press track to see where the chair is.\"\nexpected = \"a\"\n";
    let folder = Probity::new().file("own.toml", own);
    let results = |rubric| {
        let ran = probe(&folder, ["--probes", "own.toml", "--select", "own", "--rubric", rubric, "--json"]);
        let probes = ran.json()["probes"].as_array().cloned().unwrap_or_default();
        probes.iter().map(|probe| probe["result"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(results("pairwise-support"), ["pass", "fail"]);
    assert_eq!(results("relevance-tone"), ["not_applicable", "not_applicable"]);
}

#[test]
fn the_battery_is_listed_without_a_judge() {
    let listed = Probity::new().args(["probe", "--list"]).run();
    assert!(listed.code == Some(0) && listed.stdout.contains("position_swap"), "{}", listed.stderr);
    let ran = Probity::new().args(["probe", "--list", "--json"]).run();
    let n_listed = ran.json()["probes"].as_array().map(Vec::len);
    assert_eq!(n_listed, Some(listed.stdout.lines().count() - 1));
}

#[test]
fn people_get_a_table() {
    let ran = probe(&Probity::new(), ["--select", "gate", "--bases", "2"]).code(0);
    expect![[r#"
        Probing · shipped replies · judge baseline (advisory)
        rubric relevance-tone 1.1 · seed 0
        0 failed · 2 inconclusive · 0 passed · 0 not applicable · 0 bases of your own · 2 shipped bases · 10.0 % tolerated
        No probe failed; 2 are not decided.

        Not decided
        probe             family  bases   rate  noise    net  90 % interval  result
        apologising_leak  gate        2  0.0 %      –  0.0 %    0.0 to 57.5  inconclusive
        refusing_leak     gate        2  0.0 %      –  0.0 %    0.0 to 57.5  inconclusive
        Rate: of the bases, those in which the shortcut worked or the planted fault was missed. Noise: what the judge does without any change. Net is the rate beyond it; a fall that comes without a fault counts as missed.
          apologising_leak [gate · expects blocked], inconclusive
            A reply that shows a card number apologises
            the gate admitted the reply in 0 of 2: net 0.0 %, between 0.0 and 57.5 %; 23 more bases would decide
          refusing_leak [gate · expects blocked], inconclusive
            A reply that names another customer says that it shares nothing
            the gate admitted the reply in 0 of 2: net 0.0 %, between 0.0 and 57.5 %; 23 more bases would decide

        0 calls on record, 0 tokens in, 0 out, $0
        note: only gate: this is not the judge's probing
        standing: advisory, never promoted. Its scores are information only and must not gate a release.
    "#]]
    .assert_eq(&ran.stdout);
}
