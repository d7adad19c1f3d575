//! What a run has spent, and signs that the judge changed or answered from a cache.

use super::*;

/// Records one ended call about `text` and returns nothing: the figures are read later.
fn call(scene: &Scene, run: RunId, text: &str, end: AttemptEnd) {
    let attempt = wait(scene.store.intend(start(text, &scene.judge, run))).unwrap().recorded().unwrap();
    wait(scene.store.conclude(attempt, end, None)).unwrap();
}

fn answered(model: &str, fingerprint: &str, response_id: &str) -> AttemptEnd {
    AttemptEnd {
        model: Some(model.to_owned()),
        fingerprint: Some(fingerprint.to_owned()),
        response_id: Some(response_id.to_owned()),
        ..ended("ok", b"raw")
    }
}

#[test]
fn an_unknown_cost_is_not_free() {
    let scene = Scene::new();
    let known = AttemptEnd {
        tokens_in: Some(700),
        tokens_out: Some(30),
        cost_picodollars: Some(12_500_000_000),
        ..ended("ok", b"raw")
    };
    call(&scene, scene.run, "a", known.clone());
    call(&scene, scene.run, "b", known);
    call(&scene, scene.run, "c", ended("broken", b"par"));
    let expected = Totals {
        calls: 3,
        tokens_in: 1400,
        tokens_out: 60,
        cost_picodollars: 25_000_000_000,
        unknown_cost_calls: 1,
        ..Totals::default()
    };
    assert_eq!(scene.store.totals(&scene.judge, scene.run).unwrap(), expected);
    let stranger = JudgeId::of_identity("stranger");
    assert_eq!(scene.store.totals(&stranger, scene.run).unwrap(), Totals::default());
}

#[test]
fn n14_a_sum_that_cannot_be_counted_is_the_most_that_can_be() {
    let scene = Scene::new();
    let dear = AttemptEnd {
        tokens_in: Some(u32::MAX),
        tokens_out: Some(u32::MAX),
        cost_picodollars: Some(i64::MAX),
        ..ended("ok", b"raw")
    };
    call(&scene, scene.run, "a", dear.clone());
    call(&scene, scene.run, "b", dear);
    let totals = scene.store.totals(&scene.judge, scene.run).unwrap();
    assert_eq!((totals.tokens_in, totals.cost_picodollars), (2 * u64::from(u32::MAX), i64::MAX));
}

#[test]
fn f58_a_judge_that_changes_is_counted() {
    let scene = Scene::new();
    for (text, model, fingerprint) in [("a", "m-1", "x"), ("b", "m-1", "y"), ("c", "m-2", "y")] {
        call(&scene, scene.run, text, answered(model, fingerprint, text));
    }
    let totals = scene.store.totals(&scene.judge, scene.run).unwrap();
    let counted = |counts: [(&str, u64); 2]| counts.map(|(name, n)| (name.to_owned(), n)).into();
    assert_eq!(totals.models, counted([("m-1", 2), ("m-2", 1)]));
    assert_eq!(totals.fingerprints, counted([("x", 1), ("y", 2)]));
    assert_eq!(totals.repeated_responses, []);
}

#[test]
fn f59_one_response_for_two_packets_flags_both() {
    let scene = Scene::new();
    let earlier = scene.run;
    let begin = |name| begun(&scene.store, (&scene.judge, "{}"), &manifest(name)).unwrap().run();
    let later = begin("later");
    call(&scene, earlier, "a", answered("m", "f", "response-1"));
    call(&scene, earlier, "c", answered("m", "f", "response-2"));
    call(&scene, earlier, "c", answered("m", "f", "response-2"));
    call(&scene, later, "b", answered("m", "f", "response-1"));
    let mut packets = vec![packet("a"), packet("b")];
    packets.sort_unstable();
    let repeated = RepeatedResponse { response_id: "response-1".to_owned(), packets };
    for run in [earlier, later] {
        let totals = scene.store.totals(&scene.judge, run).unwrap();
        assert_eq!(totals.repeated_responses, std::slice::from_ref(&repeated));
    }
    let latest = begin("latest");
    call(&scene, latest, "d", answered("m", "f", "response-3"));
    let totals = scene.store.totals(&scene.judge, latest).unwrap();
    assert_eq!(totals.repeated_responses, [], "a run is not blamed for what it did not receive");
}
