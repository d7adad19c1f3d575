//! Which settlement stands, whoever comes in which order, and what a refused request leaves.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn summary(settled: Option<SettlementRecord>) -> String {
    match settled {
        None => "nothing".to_owned(),
        Some(SettlementRecord::Verdict { body, attempts }) => format!("verdict {body} after {attempts}"),
        Some(SettlementRecord::Unscored { reason, detail, attempts }) => {
            format!("unscored {reason} ({detail}) after {attempts}")
        }
    }
}

/// Offers `decisions` one after the other, each from its own attempt, and tells what became of each, what
/// stands in the end, and which attempts are marked.
#[track_caller]
fn check(decisions: &[Decision], want: &Expect) {
    let scene = Scene::new();
    let mut told = Vec::new();
    for decision in decisions {
        let attempt = scene.begin("a");
        scene.end(attempt, b"raw");
        told.push(format!("{:?}", scene.settle("a", Some(attempt), decision.clone())));
    }
    let marks: Vec<String> =
        scene.attempts("a").iter().map(|attempt| format!("{:?}", attempt.mark)).collect();
    let stands = summary(scene.settled("a"));
    let snapshot = scene.store.snapshot().unwrap();
    assert_eq!(summary(snapshot.settlement(&packet("a"), &scene.judge, 0).unwrap()), stands);
    want.assert_eq(&format!("{} | {stands} | {}", told.join(" "), marks.join(" ")));
}

#[test]
fn g01_a_verdict_is_never_replaced() {
    check(
        &[verdict("a"), verdict("b"), unscored("refused")],
        &expect!["First Superseded Superseded | verdict a after 1 | Plain Superseded Superseded"],
    );
}

#[test]
fn g01_a_verdict_replaces_an_unscored() {
    check(
        &[unscored("no_json"), verdict("a"), verdict("b")],
        &expect!["First Replaced Superseded | verdict a after 1 | Superseded Plain Superseded"],
    );
}

#[test]
fn g01_the_latest_unscored_is_the_one_that_is_told() {
    check(
        &[unscored("unreachable"), unscored("refused")],
        &expect!["First Replaced | unscored refused (because refused) after 1 | Superseded Plain"],
    );
}

#[test]
fn a_snapshot_says_what_was_settled_by_its_moment_and_for_whom() {
    let scene = Scene::new();
    let settle = |text: &str, decision| {
        let attempt = scene.begin(text);
        scene.end(attempt, b"raw");
        scene.settle(text, Some(attempt), decision);
    };
    let told = |snapshot: &Reader, judge: &JudgeId, repeat| {
        ["a", "b", "c"]
            .map(|text| summary(snapshot.settlement(&packet(text), judge, repeat).unwrap()))
            .join(", ")
    };
    settle("a", verdict("1"));
    settle("b", unscored("refused"));
    let first = scene.store.snapshot().unwrap();
    settle("b", verdict("2"));
    settle("c", verdict("3"));
    let second = scene.store.snapshot().unwrap();
    let other = JudgeId::of_identity("other");
    expect![["
        verdict 1 after 1, unscored refused (because refused) after 1, nothing
        verdict 1 after 1, verdict 2 after 1, verdict 3 after 1
        nothing, nothing, nothing
        nothing, nothing, nothing"]]
    .assert_eq(
        &[
            told(&first, &scene.judge, 0),
            told(&second, &scene.judge, 0),
            told(&second, &scene.judge, 1),
            told(&second, &other, 0),
        ]
        .join("\n"),
    );
}

#[test]
fn g01_one_accepted_verdict_per_packet() {
    const N_PACKETS: usize = 50;
    const N_WORKERS: usize = 8;
    let scene = Scene::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    let mut workers = Vec::new();
    for worker in 0..N_WORKERS {
        let (store, judge, run) = (scene.store.clone(), scene.judge.clone(), scene.run);
        workers.push(runtime.spawn(async move {
            let mut told = Vec::new();
            for n in 0..N_PACKETS {
                let text = format!("packet {n}");
                let attempt = store.begin_attempt(start(&text, &judge, run)).unwrap();
                store.end_attempt(attempt, ended("ok", b"raw")).await.unwrap();
                let settlement = Settlement {
                    packet: packet(&text),
                    judge: judge.clone(),
                    repeat: 0,
                    attempts: 1,
                    attempt: Some(attempt),
                    decision: verdict(&worker.to_string()),
                };
                told.push((n, worker, attempt, store.settle(settlement).await.unwrap()));
            }
            told
        }));
    }
    let told: Vec<_> = workers.into_iter().flat_map(|worker| runtime.block_on(worker).unwrap()).collect();
    assert_eq!(told.len(), N_PACKETS * N_WORKERS);
    for n in 0..N_PACKETS {
        let first: Vec<_> = told
            .iter()
            .filter(|(packet, .., accepted)| (*packet, *accepted) == (n, Accepted::First))
            .collect();
        let [(_, winner, attempt, _)] = first[..] else { panic!("packet {n} has the winners {first:?}") };
        let text = format!("packet {n}");
        assert_eq!(summary(scene.settled(&text)), format!("verdict {winner} after 1"));
        let attempts = scene.attempts(&text);
        assert_eq!(attempts.len(), N_WORKERS, "each call is kept");
        let plain: Vec<AttemptId> =
            attempts.iter().filter(|kept| kept.mark == Mark::Plain).map(|kept| kept.attempt).collect();
        assert_eq!(plain, [*attempt]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// What stands is the first verdict offered, and without one the last unscored, per repeat.
    #[test]
    fn g01_the_rules_hold_for_any_order(offers in prop::collection::vec((0u32..3, any::<bool>()), 0..24)) {
        let scene = Scene::new();
        wait(scene.store.keep_packet(packet("a"), Arc::from("a"))).unwrap();
        let mut expected: BTreeMap<u32, String> = BTreeMap::new();
        for (n, (repeat, is_verdict)) in offers.iter().enumerate() {
            let decision = if *is_verdict { verdict(&n.to_string()) } else { unscored(&n.to_string()) };
            let settlement = Settlement { repeat: *repeat, ..scene.settlement("a", None, decision) };
            wait(scene.store.settle(settlement)).unwrap();
            let stands = expected.entry(*repeat).or_default();
            if !stands.starts_with("verdict") {
                let kind = if *is_verdict { "verdict" } else { "unscored" };
                *stands = format!("{kind} {n}");
            }
        }
        let reader = scene.store.reader().unwrap();
        for repeat in 0..3 {
            let found = summary(reader.settlement(&packet("a"), &scene.judge, repeat).unwrap());
            let expected = expected.get(&repeat).map_or("nothing", String::as_str);
            let words: Vec<&str> = found.split(' ').take(2).collect();
            prop_assert_eq!(words.join(" "), expected);
            let n_settled = reader.settled(&scene.judge, repeat).unwrap().len();
            prop_assert_eq!(n_settled, usize::from(expected != "nothing"));
        }
    }
}

#[test]
fn g09_an_attempt_is_never_an_answer() {
    let scene = Scene::new();
    for outcome in ["ok", "truncated", "refused", "http_error"] {
        let attempt = scene.begin(outcome);
        wait(scene.store.end_attempt(attempt, ended(outcome, b"{\"score\":5}"))).unwrap();
        assert_eq!(scene.settled(outcome), None, "{outcome}");
    }
    assert!(scene.store.settled(&scene.judge, 0).unwrap().is_empty());
}

#[test]
fn g11_raw_bytes_come_back_as_they_were() {
    let scene = Scene::new();
    let large: Vec<u8> = (0..100_000_u32).map(|n| n.to_le_bytes()[0]).collect();
    for raw in [&b""[..], b"\0", b"\xff\xfe not text", b"{\"score\": 4}\n", &large] {
        let attempt = scene.begin("a");
        scene.end(attempt, raw);
        let kept = scene.attempts("a").pop().unwrap();
        assert_eq!((kept.attempt, kept.raw.as_slice()), (attempt, raw));
    }
    assert_eq!(scene.store.reader().unwrap().packet_body(&packet("a")).unwrap().as_deref(), Some("a"));
}

#[test]
fn settled_tells_each_kind_of_one_judge() {
    let scene = Scene::new();
    let other = JudgeId::of_identity("other");
    scene.store.register_judge(&other, "other").unwrap();
    for text in ["a", "b", "c"] {
        wait(scene.store.keep_packet(packet(text), Arc::from(text))).unwrap();
    }
    scene.settle("a", None, verdict("{}"));
    scene.settle("b", None, unscored("refused"));
    let of_other = Settlement { judge: other.clone(), ..scene.settlement("c", None, verdict("{}")) };
    wait(scene.store.settle(of_other)).unwrap();
    let settled = scene.store.settled(&scene.judge, 0).unwrap();
    assert_eq!(
        settled,
        [(packet("a"), SettledKind::Verdict), (packet("b"), SettledKind::Unscored)].into_iter().collect()
    );
    assert_eq!(scene.store.settled(&other, 0).unwrap().len(), 1);
    assert!(scene.store.settled(&JudgeId::of_identity("nobody"), 0).unwrap().is_empty());
}

/// A refused request tells why, and its neighbours in the same transaction stand.
#[track_caller]
fn check_refused<T>(scene: &Scene, request: impl Future<Output = Result<T, StoreError>>, want: &Expect) {
    let neighbour = |text| scene.store.end_attempt(scene.begin(text), ended("ok", b"raw"));
    let (before, refused, after) =
        wait(async { tokio::join!(neighbour("before"), request, neighbour("after")) });
    want.assert_eq(&refused.err().unwrap().to_string());
    assert_eq!((before, after), (Ok(()), Ok(())));
}

#[test]
fn a_refused_request_leaves_its_neighbours_alone() {
    let scene = Scene::new();
    let stranger = JudgeId::parse("ab12").unwrap();
    check_refused(
        &scene,
        async { scene.store.begin_attempt(start("a", &stranger, scene.run)) },
        &expect!["the store does not know judge ab12, expected it to be registered first"],
    );
    check_refused(
        &scene,
        async { scene.store.begin_attempt(start("a", &scene.judge, RunId(99))) },
        &expect!["the store does not know run 99, expected one it began"],
    );
    let attempt = scene.begin("a");
    scene.end(attempt, b"raw");
    check_refused(
        &scene,
        scene.store.end_attempt(attempt, ended("again", b"other")),
        &expect!["attempt 7 is not in flight, expected an attempt that has begun and not ended"],
    );
    check_refused(
        &scene,
        scene.store.settle(scene.settlement("b", None, verdict("{}"))),
        &expect![
            "the store does not know packet 10e5cf3d3c8a4f9f3468c8cc58eea84892a22fdadbc1acb22410190044c1d553, expected an attempt or the packet itself first"
        ],
    );
    check_refused(
        &scene,
        scene.store.settle(scene.settlement("before", Some(attempt), verdict("{}"))),
        &expect![
            "attempt 7 is not an attempt at packet 18c52a7ed981fbffa12fbf611b593c451f6a5700af2206c612b5c3dd2888909b, expected one of the same packet and judge"
        ],
    );
    let kept = scene.attempts("a");
    assert_eq!((kept.len(), kept[0].raw.as_slice()), (1, &b"raw"[..]));
}

#[test]
fn one_identity_per_judge() {
    let scene = Scene::new();
    let judge = JudgeId::parse("ab12").unwrap();
    scene.store.register_judge(&judge, "{\"model\":\"m\"}").unwrap();
    scene.store.register_judge(&judge, "{\"model\":\"m\"}").unwrap();
    let error = scene.store.register_judge(&judge, "{\"model\":\"n\"}").unwrap_err();
    assert_eq!(error, StoreError::JudgeDiffers { judge: judge.clone() });
    let judges = scene.store.reader().unwrap().judges().unwrap();
    assert_eq!(judges[1], (judge, "{\"model\":\"m\"}".to_owned()));
    assert!(JudgeId::parse("AB12").is_err() && JudgeId::parse("").is_err());
}
