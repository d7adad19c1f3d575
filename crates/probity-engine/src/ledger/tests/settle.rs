//! Which settlement stands, whatever the order, and what a refused request leaves.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn summary(settled: Option<Settlement>) -> String {
    let Some(Settlement { attempts, decision }) = settled else { return "nothing".to_owned() };
    match decision {
        Settled::Verdict { body } => format!("verdict {body} after {attempts}"),
        Settled::Unscored { reason, detail } => format!("unscored {reason} ({detail}) after {attempts}"),
    }
}

/// Offers `decisions` one after the other, each from its own attempt, and tells what became of each, what
/// stands in the end, and which attempts are marked.
#[track_caller]
fn check(decisions: &[Settled], want: &Expect) {
    let scene = Scene::new();
    let mut told = Vec::new();
    for decision in decisions {
        told.push(format!("{:?}", scene.call("a", decision.clone())));
    }
    let marks: Vec<String> = scene
        .attempts("a")
        .iter()
        .map(|attempt| if attempt.is_superseded { "Superseded" } else { "Plain" }.to_owned())
        .collect();
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
    let told = |snapshot: &Reader, judge: &JudgeId, repeat| {
        ["a", "b", "c"]
            .map(|text| summary(snapshot.settlement(&packet(text), judge, repeat).unwrap()))
            .join(", ")
    };
    scene.call("a", verdict("1"));
    scene.call("b", unscored("refused"));
    let first = scene.store.snapshot().unwrap();
    scene.call("b", verdict("2"));
    scene.call("c", verdict("3"));
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

/// Eight workers ask about the same packets. One call about a packet is in flight at a time, and each is tried again
/// until it has its turn; whatever the order, the first verdict stands.
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
                let attempt = loop {
                    match store.intend(start(&text, &judge, run)).await {
                        Ok(Intended::Recorded(attempt)) => break attempt,
                        other => assert_eq!(other, Ok(Intended::InFlight(Holder::Worker))),
                    }
                };
                let offered = Some(settlement(verdict(&worker.to_string())));
                let accepted = store.conclude(attempt, ended("ok", b"raw"), offered).await.unwrap();
                told.push((n, worker, attempt, accepted.unwrap()));
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
            attempts.iter().filter(|kept| !kept.is_superseded).map(|kept| kept.attempt).collect();
        assert_eq!(plain, [*attempt]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// What stands is the first verdict offered, and without one the last unscored, per repeat; whether it comes with
    /// its call or later, and however many come in one transaction.
    #[test]
    fn g01_the_rules_hold_for_any_order(
        offers in prop::collection::vec((0u32..3, any::<bool>(), any::<bool>()), 0..24),
    ) {
        let scene = Scene::new();
        let mut expected: BTreeMap<u32, String> = BTreeMap::new();
        for (n, (repeat, is_verdict, is_late)) in offers.iter().enumerate() {
            let decision = if *is_verdict { verdict(&n.to_string()) } else { unscored(&n.to_string()) };
            let attempt = wait(scene.store.intend(AttemptStart { repeat: *repeat, ..scene.start("a") })).unwrap().recorded().unwrap();
            let mut offered = Some(settlement(decision));
            let late = if *is_late { offered.take() } else { None };
            wait(scene.store.conclude(attempt, ended("ok", b"raw"), offered)).unwrap();
            if let Some(late) = late {
                wait(scene.store.settle(attempt, late)).unwrap();
            }
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
        }
        prop_assert_eq!(n_settled(&scene.store), expected.len());
    }
}

#[test]
fn g09_an_attempt_is_never_an_answer() {
    let scene = Scene::new();
    for outcome in ["ok", "truncated", "refused", "http_error"] {
        let attempt = scene.begin(outcome);
        wait(scene.store.conclude(attempt, ended(outcome, b"{\"score\":5}"), None)).unwrap();
        assert_eq!(scene.settled(outcome), None, "{outcome}");
    }
    assert_eq!(n_settled(&scene.store), 0);
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
fn what_is_known_is_told_for_what_was_asked() {
    let scene = Scene::new();
    let other = JudgeId::of_identity("other");
    begun(&scene.store, (&other, "other"), &manifest("other")).unwrap();
    scene.call("a", verdict("{}"));
    scene.call("b", unscored("refused"));
    scene.end(scene.begin("c"), b"raw");
    scene.begin("d");
    let of_other = wait(scene.store.intend(start("e", &other, scene.run))).unwrap().recorded().unwrap();
    wait(scene.store.conclude(of_other, ended("ok", b"raw"), Some(settlement(verdict("{}"))))).unwrap();
    // More than are asked about at once, and some twice.
    let unknown = (0..300).map(|n| packet(&n.to_string()));
    let asked: Vec<PacketHash> =
        ["a", "b", "c", "d", "e", "a"].map(packet).into_iter().chain(unknown).collect();
    let reader = scene.store.reader().unwrap();
    let known = |judge: &JudgeId, repeat| {
        let known = reader.known(judge, repeat, &asked).unwrap();
        let found = reader.found(judge, repeat, &asked).unwrap();
        assert_eq!(known.len(), found.len());
        let told = |text: &&str| {
            let (kind, found) = (known.get(&packet(text))?, found.get(&packet(text))?);
            let found = match found {
                Found::Settled(settled) => summary(Some(settled.clone())),
                Found::Attempted(last) => format!("attempt {} {}", last.n, last.outcome.name()),
            };
            Some(format!("{text}: {kind:?}, {found}"))
        };
        ["a", "b", "c", "d", "e"].iter().filter_map(told).collect::<Vec<_>>().join("\n")
    };
    expect![["
        a: Verdict, verdict {} after 1
        b: Unscored, unscored refused (because refused) after 1
        c: Attempted, attempt 1 ok
        d: Attempted, attempt 1 in_flight"]]
    .assert_eq(&known(&scene.judge, 0));
    assert_eq!(known(&other, 0), "e: Verdict, verdict {} after 1");
    assert_eq!(known(&scene.judge, 1), "");
    assert_eq!(known(&JudgeId::of_identity("unknown"), 0), "");
}

/// A refused request tells why, and its neighbours in the same transaction stand.
#[track_caller]
fn check_refused<T>(scene: &Scene, request: impl Future<Output = Result<T, StoreError>>, want: &Expect) {
    let neighbour = |text: &str| {
        let store = scene.store.clone();
        let begun = store.intend(scene.start(text));
        async move { store.conclude(begun.await?.recorded().unwrap(), ended("ok", b"raw"), None).await }
    };
    let (before, refused, after) =
        wait(async { tokio::join!(neighbour("before"), request, neighbour("after")) });
    want.assert_eq(&refused.err().unwrap().to_string());
    assert_eq!((before, after), (Ok(None), Ok(None)));
}

#[test]
fn a_refused_request_leaves_its_neighbours_alone() {
    let scene = Scene::new();
    let stranger = JudgeId::parse("ab12").unwrap();
    check_refused(
        &scene,
        scene.store.intend(start("a", &stranger, scene.run)),
        &expect!["the store does not know judge ab12, expected it to be registered first"],
    );
    check_refused(
        &scene,
        scene.store.intend(start("a", &scene.judge, RunId(99))),
        &expect!["the store has no run 99"],
    );
    let attempt = scene.begin("a");
    assert_eq!(wait(scene.store.intend(scene.start("a"))), Ok(Intended::InFlight(Holder::Worker)));
    scene.end(attempt, b"raw");
    check_refused(
        &scene,
        scene.store.conclude(attempt, ended("again", b"other"), Some(settlement(verdict("{}")))),
        &expect!["attempt 5 is not in flight, expected an attempt that has begun and not ended"],
    );
    let kept = scene.attempts("a");
    assert_eq!((kept.len(), kept[0].raw.as_slice()), (1, &b"raw"[..]));
    assert_eq!(scene.settled("a"), None);
}

#[test]
fn one_identity_per_judge() {
    let scene = Scene::new();
    let judge = JudgeId::parse("ab12").unwrap();
    let registered = |identity| begun(&scene.store, (&judge, identity), &manifest("judged"));
    registered("{\"model\":\"m\"}").unwrap();
    registered("{\"model\":\"m\"}").unwrap();
    let error = registered("{\"model\":\"n\"}").unwrap_err();
    assert_eq!(error, StoreError::JudgeDiffers { judge: judge.clone() });
    let judges = scene.store.reader().unwrap().judges().unwrap();
    assert_eq!(judges[1], (judge, "{\"model\":\"m\"}".to_owned()));
    assert!(JudgeId::parse("AB12").is_err() && JudgeId::parse("").is_err());
}

/// Two workers that each end a call and ask about the other's packet would otherwise wait for each other.
#[test]
fn an_intent_does_not_wait_for_the_end_of_a_call_about_its_packet() {
    let scene = Scene::new();
    scene.begin("a");
    let ending = match scene.address() {
        StoreAddress::File(_) => None,
        StoreAddress::Server(server) => {
            let config = server.config().unwrap();
            let other = db::Pg::connect(&config, db::Protection::Local, Duration::from_secs(5)).unwrap();
            other.begin();
            other.script("UPDATE attempt SET state = 'ended', outcome = 'ok'").unwrap();
            Some(other)
        }
    };
    let began = Instant::now();
    let intended = wait(scene.store.intend(scene.start("a")));
    assert_eq!(intended, Ok(Intended::InFlight(Holder::Worker)));
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    ending.iter().for_each(db::Pg::rollback);
}
