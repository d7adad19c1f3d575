//! The budget of a run, over all its commands: what is spent, what is reserved, and what a call in flight holds.

use super::*;

fn usd(text: &str) -> Money {
    Money::from_usd(text.parse().unwrap()).unwrap()
}

fn limits(calls_max: Option<u64>, dollars: Option<&str>) -> Limits {
    Limits { calls_max, money_max: dollars.map(usd) }
}

/// Begins or resumes the run of a scene within these limits.
fn open(store: &Store, judge: &JudgeId, limits: Limits) -> Result<RunId, StoreError> {
    let terms = BudgetTerms { key: "scene".to_owned(), limits };
    let manifest = &manifest("budgeted");
    let (invocation, spec, budget, lane) = (None, None, Some(&terms), None);
    let opening = RunOpening { judge, identity: "{}", manifest, invocation, spec, budget, lane };
    Ok(store.begin_judged_run(opening)?.run())
}

/// A scene whose run has these limits.
fn scene(limits: Limits) -> Scene {
    let mut scene = Scene::new();
    scene.run = open(&scene.store, &scene.judge, limits).unwrap();
    scene
}

impl Scene {
    /// Tries to begin a call about `text` that costs at most so much.
    fn try_call(&self, text: &str, most: &str) -> Intended {
        wait(self.store.intend(AttemptStart { most: usd(most), ..self.start(text) })).unwrap()
    }

    /// Ends a call that told this cost.
    fn cost(&self, attempt: &Intended, dollars: Option<&str>) {
        let end =
            AttemptEnd { cost_picodollars: dollars.map(|text| usd(text).picos()), ..ended("ok", b"raw") };
        wait(self.store.conclude(attempt.clone().recorded().unwrap(), end, None)).unwrap();
    }
}

const HELD: Intended = Intended::NoRoom(NoRoom::Held);

fn is_never(intended: &Intended) -> bool {
    matches!(intended, Intended::NoRoom(NoRoom::Never(_)))
}

#[test]
fn g13_reservations_count_until_their_calls_end() {
    let scene = scene(limits(None, Some("1")));
    let first = scene.try_call("a", "0.6");
    assert_eq!(scene.try_call("b", "0.6"), HELD, "0.6 is still reserved");
    scene.cost(&first, Some("0.1"));
    let second = scene.try_call("b", "0.6");
    scene.cost(&second, None);
    // A call that does not tell its cost counts at its most: 0.7 is gone.
    assert!(is_never(&scene.try_call("c", "0.6")));
    assert!(scene.try_call("c", "0.3").recorded().is_some());
}

#[test]
fn g13_calls_of_one_transaction_share_the_room() {
    let scene = scene(limits(Some(3), None));
    let intents = (0..8).map(|n| scene.store.intend(scene.start(&n.to_string())));
    let begun: Vec<Intended> =
        intents.collect::<Vec<_>>().into_iter().map(|one| wait(one).unwrap()).collect();
    assert_eq!(begun.iter().filter(|one| **one == HELD).count(), 5, "{begun:?}");
    let attempts: Vec<AttemptId> = begun.into_iter().filter_map(Intended::recorded).collect();
    // What is not sent gives its place back; what has ended does not.
    wait(scene.store.withdraw(attempts[0])).unwrap();
    let again = scene.try_call("again", "0");
    assert!(again.clone().recorded().is_some());
    assert_eq!(scene.try_call("more", "0"), HELD);
    for attempt in [attempts[1], attempts[2], again.recorded().unwrap()] {
        scene.end(attempt, b"raw");
    }
    let exhausted = Exhausted::Calls { max: 3 };
    assert_eq!(scene.try_call("more", "0"), Intended::NoRoom(NoRoom::Never(exhausted)));
}

#[test]
fn k15_the_limit_belongs_to_the_run_and_a_larger_one_raises_it() {
    let scene = scene(limits(Some(2), None));
    for text in ["a", "b"] {
        let call = scene.try_call(text, "0.5");
        scene.cost(&call, Some("0.25"));
    }
    scene.store.clone().close().unwrap();
    let store = Store::open(scene.address()).unwrap().store;
    let again = |limits| open(&store, &scene.judge, limits);
    // A command that names no limit finds the one on record.
    let run = again(limits(None, None)).unwrap();
    let next = wait(store.intend(start("c", &scene.judge, run))).unwrap();
    assert!(is_never(&next), "{next:?}");
    assert_eq!(again(limits(Some(1), None)), Err(StoreError::CallsSpent { max: 1, spent: 2 }));
    let (max, spent) = (usd("0.4").usd(), usd("0.5").usd());
    assert_eq!(again(limits(None, Some("0.4"))), Err(StoreError::MoneySpent { max, spent }));
    again(limits(Some(3), None)).unwrap();
    assert!(wait(store.intend(start("c", &scene.judge, run))).unwrap().recorded().is_some());
}

#[test]
fn a_lost_call_is_charged_at_its_most_and_once() {
    let scene = scene(limits(None, Some("1")));
    scene.try_call("a", "0.6");
    let (_folder, path) = scene.killed();
    for n_lost in [1, 0] {
        let opened = Store::open(&path).unwrap();
        assert_eq!(opened.lost.len(), n_lost);
        let run = open(&opened.store, &scene.judge, Limits::default()).unwrap();
        let next = AttemptStart { most: usd("0.5"), ..start("b", &scene.judge, run) };
        assert!(is_never(&wait(opened.store.intend(next)).unwrap()), "0.6 may have been billed");
    }
}

#[test]
fn recovery_leaves_the_calls_of_a_batch_in_flight() {
    const BATCH: &str = "INSERT INTO batch (run, budget, judge, account, tag, state, calls, spent_picodollars, body)
        SELECT ?1, budget.id, judge.id, 'account', 'tag', 'submitted', 0, 0, '{}' FROM judge, budget RETURNING id";
    let scene = scene(limits(None, Some("1")));
    let run = scene.run;
    let batch = scene.store.write_blocking("adding a batch", move |tables| {
        Ok(tables.db.row(BATCH, &db::vals![run.0], |row| row.get(0).map(BatchId))?)
    });
    let most = usd("0.6");
    let in_batch = AttemptStart { most, batch: batch.unwrap(), ..scene.start("a") };
    wait(scene.store.intend(in_batch)).unwrap().recorded().unwrap();
    scene.begin("b");
    let (_folder, path) = scene.killed();
    let opened = Store::open(&path).unwrap();
    assert_eq!(opened.lost.len(), 1, "the worker's call alone");
    let store = opened.store;
    let run = open(&store, &scene.judge, Limits::default()).unwrap();
    let of_worker = |text: &str| AttemptStart { most: usd("0.5"), ..start(text, &scene.judge, run) };
    assert_eq!(wait(store.intend(of_worker("c"))), Ok(HELD), "the batch holds its reservation");
    let attempts = store.reader().unwrap().attempts_of(&packet("a"), &scene.judge, 0).unwrap();
    assert_eq!(attempts[0].outcome, AttemptOutcome::InFlight);
    let end = AttemptEnd { cost_picodollars: Some(usd("0.1").picos()), ..ended("ok", b"raw") };
    wait(store.conclude(attempts[0].attempt, end, None)).unwrap();
    assert!(wait(store.intend(of_worker("c"))).unwrap().recorded().is_some());
}
