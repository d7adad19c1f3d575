//! What pages about runs show is what the store has.

use std::sync::Arc;

use probity_core::packet::PacketHash;

use super::*;
use crate::config::Money;
use crate::ledger::{
    AskAgain, AttemptEnd, AttemptStart, JudgeId, Manifest, RunOpening, Settled, Settlement, Store,
};

fn hash(body: &str) -> PacketHash {
    PacketHash::from_bytes(*blake3::hash(body.as_bytes()).as_bytes())
}

fn question(n: usize, reply: &str) -> String {
    format!(
        r#"{{"criteria":[{{"id":"tone"}}],"probity_packet":1,"reply":"{reply}","situation":{{"ticket":"ticket {n}"}}}}"#
    )
}

fn pair(a: &str, b: &str) -> String {
    format!(
        r#"{{"candidates":{{"A":"{a}","B":"{b}"}},"criteria":[{{"id":"clarity"}}],"probity_pair_packet":1,"situation":{{"ticket":"t"}}}}"#
    )
}

fn level(level: i64) -> Settled {
    let body = format!(
        r#"{{"v":1,"scores":[{{"criterion":"tone","level":{level},"reasoning":"r"}}],"repairs":[],"suspicions":[],"model":null}}"#
    );
    Settled::Verdict { body }
}

/// A run called `name` with one call about each packet, of which all are settled that have a decision.
fn run(store: &Store, name: &str, packets: &[(String, Option<Settled>)]) -> i64 {
    let identity = r#"{"kind":"mock"}"#;
    let judge = JudgeId::of_identity(identity);
    let parts = vec![("cases".to_owned(), name.to_owned())];
    let manifest = Manifest { name: name.to_owned(), parts, body: "{}".to_owned() };
    let opening = RunOpening {
        judge: &judge,
        identity,
        manifest: &manifest,
        invocation: None,
        spec: None,
        budget: None,
        lane: None,
    };
    let run = store.begin_judged_run(opening).unwrap().run();
    for (body, decision) in packets {
        let start = AttemptStart {
            packet: hash(body),
            packet_body: Arc::from(body.as_str()),
            judge: judge.clone(),
            run,
            repeat: 0,
            n: 1,
            cause: "first".to_owned(),
            tokens_planned: 100,
            decisions: 1,
            started_unix_ms: 5,
            most: Money::default(),
            batch: None,
            again: AskAgain::Always,
        };
        let attempt = wait(store.intend(start)).unwrap().recorded().unwrap();
        let raw = b"<script>raw</script>\xff".to_vec();
        let end = AttemptEnd { outcome: "ok".to_owned(), raw, ..AttemptEnd::default() };
        let settlement = decision.clone().map(|decision| Settlement { attempts: 1, decision });
        wait(store.conclude(attempt, end, settlement)).unwrap();
    }
    run.0
}

/// A room beside a store with two runs over three tickets.
fn scene() -> (Scene, [i64; 2]) {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let store = Store::open(scene.address()).unwrap().store;
    let refused = Settled::Unscored { reason: "refused".to_owned(), detail: "it would not say".to_owned() };
    let first = run(
        &store,
        "first",
        &[
            (question(1, "hello"), Some(level(4))),
            (question(2, "hello"), Some(refused)),
            (question(3, "hello"), None),
        ],
    );
    let second = run(
        &store,
        "second",
        &[(question(1, "good day"), Some(level(4))), (question(2, "good day"), Some(level(5)))],
    );
    store.close().unwrap();
    (scene, [first, second])
}

#[test]
fn a_packet_is_shown_with_every_answer_as_it_came() {
    let (scene, _) = scene();
    let body = question(1, "hello");
    let case = scene.room.case(&hash(&body).to_string()).unwrap().unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&case.body).unwrap(),
        serde_json::from_str::<serde_json::Value>(&body).unwrap()
    );
    assert_eq!(case.other_order, None);
    assert_eq!(case.settlements.len(), 1);
    let settled = &case.settlements[0];
    assert_eq!((&*settled.state, &*settled.identity), ("verdict", "{\n  \"kind\": \"mock\"\n}"));
    assert!(settled.verdict.contains("\"level\": 4"), "{}", settled.verdict);
    assert_eq!(settled.attempts[0].raw, "<script>raw</script>\u{fffd}");
    for unknown in ["", "zz", &"0".repeat(64)] {
        assert_eq!(scene.room.case(unknown).unwrap(), None);
    }
}

#[test]
fn both_orders_of_a_pair_find_each_other() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let store = Store::open(scene.address()).unwrap().store;
    let (ab, ba) = (pair("one", "two"), pair("two", "one"));
    run(&store, "compare", &[(ab.clone(), None), (ba.clone(), None)]);
    store.close().unwrap();
    let case = scene.room.case(&hash(&ab).to_string()).unwrap().unwrap();
    assert_eq!(case.other_order, Some(hash(&ba).to_string()));
}

#[test]
fn a_run_is_another_once_a_label_came_or_its_outcome_changed() {
    let (scene, [first, _]) = scene();
    let version = || scene.room.run_version(first).unwrap().unwrap();
    let before = version();
    assert!(!before.is_complete);
    assert_eq!(version(), before, "nothing happened");
    assert_eq!(scene.room.run_version(999).unwrap(), None);
    let store = Store::open(scene.address()).unwrap().store;
    store.note_outcome(crate::ledger::RunId(first), ("run", "{}"), "2026-11-17").unwrap();
    store.close().unwrap();
    assert_ne!(version(), before, "an outcome came");
}
