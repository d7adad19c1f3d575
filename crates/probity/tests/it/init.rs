//! `probity init`: what it writes works at once, and nothing that is there is touched.

use crate::binary::Probity;

#[test]
fn a_folder_to_begin_in_scores_at_once() {
    let probity = Probity::new();
    let ran = probity.args(["init", "desk"]).run().code(0);
    assert!(ran.stdout.ends_with("now: cd desk && probity run tickets.jsonl\n"), "{}", ran.stdout);
    let scored =
        probity.args(["run", "desk/tickets.jsonl", "--config", "desk/probity.toml", "--json"]).run().code(0);
    let results: serde_json::Value = serde_json::from_str(&scored.stdout).expect("results are JSON");
    assert_eq!(results["summary"]["scored"], 3);
}

#[test]
fn a_file_that_is_there_stays_and_nothing_is_written() {
    let probity = Probity::new().file("tickets.jsonl", "mine");
    let _refused = probity.args(["init"]).run().code(2).says(["tickets.jsonl already exists"]);
    assert_eq!(std::fs::read_to_string(probity.path("tickets.jsonl")).expect("it is there"), "mine");
    assert!(!probity.path("probity.toml").exists());
}
