//! What the next process learns: runs and their changes, calls that were lost, facts and their order.

use expect_test::{Expect, expect};

use super::*;

fn manifest(parts: &str) -> Manifest {
    let parts = parts.split_whitespace().map(|part| {
        let (name, value) = part.split_once('=').unwrap();
        (name.to_owned(), value.to_owned())
    });
    Manifest { name: "run cases.jsonl".to_owned(), parts: parts.collect(), body: "{}".to_owned() }
}

/// Begins the runs one after the other in one store and tells what each came to.
#[track_caller]
fn check_runs(parts: &[&str], want: &Expect) {
    let scene = Scene::new();
    let told: Vec<String> = parts
        .iter()
        .map(|parts| match begun(&scene.store, (&scene.judge, "{}"), &manifest(parts)).unwrap() {
            Begun::New { run, changed } => format!("{run}: new {changed:?}"),
            Begun::Resumed { run } => format!("{run}: resumed"),
        })
        .collect();
    want.assert_eq(&told.join(", "));
}

#[test]
fn g10_the_same_parts_resume_in_any_order() {
    check_runs(&["cases=1 rubric=2", "rubric=2 cases=1"], &expect!["2: new [], 2: resumed"]);
}

#[test]
fn g10_a_changed_manifest_names_the_changed_parts() {
    check_runs(
        &["cases=1 rubric=2 judge=3", "cases=1 rubric=9 judge=8"],
        &expect![[r#"2: new [], 3: new ["judge", "rubric"]"#]],
    );
}

#[test]
fn g10_added_and_removed_parts_are_changes() {
    check_runs(&["cases=1 old=2", "cases=1 added=2"], &expect![[r#"2: new [], 3: new ["added", "old"]"#]]);
}

#[test]
fn g10_a_change_taken_back_goes_on_with_the_run_it_was() {
    check_runs(
        &["cases=1", "cases=2", "cases=1", "cases=1"],
        &expect![[r#"2: new [], 3: new ["cases"], 2: resumed, 2: resumed"#]],
    );
}

#[test]
fn g10_runs_of_another_name_do_not_matter() {
    let scene = Scene::new();
    let run = begun(&scene.store, (&scene.judge, "{}"), &manifest("cases=1")).unwrap().run();
    scene.store.end_run(run, RunState::Incomplete).unwrap();
    let other = Manifest { name: "run other.jsonl".to_owned(), ..manifest("cases=7") };
    begun(&scene.store, (&scene.judge, "{}"), &other).unwrap();
    let states = || {
        let runs = scene.store.reader().unwrap().runs().unwrap();
        runs.iter().map(|run| run.state).collect::<Vec<_>>()
    };
    assert_eq!(states(), [RunState::Running, RunState::Incomplete, RunState::Running]);
    let resumed = begun(&scene.store, (&scene.judge, "{}"), &manifest("cases=1"));
    assert_eq!(resumed, Ok(Begun::Resumed { run }));
    assert_eq!(states()[1], RunState::Running);
    assert_eq!(scene.store.reader().unwrap().runs().unwrap()[2].manifest, other);
    let unknown = scene.store.end_run(RunId(77), RunState::Complete);
    assert_eq!(unknown, Err(StoreError::UnknownRun { run: RunId(77) }));
}

#[test]
fn g03_lost_calls_are_listed_once() {
    let scene = Scene::new();
    let [first, second, third] = ["a", "b", "c"].map(|text| scene.begin(text));
    scene.end(second, b"raw");
    let (_folder, path) = scene.killed();

    let opened = Store::open(&path).unwrap();
    assert_eq!(opened.lost, [first, third]);
    let outcome = |text| {
        let reader = opened.store.reader().unwrap();
        let found = reader.found(&scene.judge, 0, &[packet(text)]).unwrap().remove(&packet(text));
        let Some(Found::Attempted(attempt)) = found else { panic!("{found:?}") };
        attempt.outcome
    };
    assert_eq!(outcome("a"), AttemptOutcome::Lost);
    assert_eq!(outcome("b"), AttemptOutcome::Ended("ok".to_owned()));
    let late = wait(opened.store.conclude(first, ended("ok", b"late"), None));
    assert_eq!(late, Ok(None), "an answer that comes late is kept");
    assert_eq!(outcome("a"), AttemptOutcome::Ended("ok".to_owned()));
    opened.store.close().unwrap();
    assert_eq!(Store::open(&path).unwrap().lost, []);
}

#[test]
fn g04_recovery_can_be_killed_too() {
    let scene = Scene::new();
    scene.begin("a");
    let (_folder, path) = scene.killed();
    let opened = Store::open(&path).unwrap();
    assert_eq!(opened.lost.len(), 1);
    let (judge, run) = prepared(&opened.store);
    assert_eq!((&judge, run), (&scene.judge, scene.run), "the run goes on");
    let retry =
        wait(opened.store.intend(AttemptStart { n: 2, ..scene.start("a") })).unwrap().recorded().unwrap();

    let (_folder, path) = engine::killed(&path);
    let opened = Store::open(&path).unwrap();
    assert_eq!(opened.lost, [retry], "what was listed before is not listed again");
    assert_eq!(opened.store.totals(&judge, run).unwrap().lost, 2, "but it still counts");
}

#[test]
fn c12_order_is_by_sequence_whatever_the_clock_says() {
    let scene = Scene::new();
    for (n, started_unix_ms) in (1..).zip([4_000_000_000_000, 0, i64::MIN]) {
        let start = AttemptStart { n, started_unix_ms, ..scene.start("a") };
        let attempt = wait(scene.store.intend(start)).unwrap().recorded().unwrap();
        scene.end(attempt, b"raw");
    }
    let order: Vec<_> = scene.attempts("a").iter().map(|kept| (kept.n, kept.started_unix_ms)).collect();
    assert_eq!(order, [(1, 4_000_000_000_000), (2, 0), (3, i64::MIN)]);
    let reader = scene.store.reader().unwrap();
    let found = reader.found(&scene.judge, 0, &[packet("a"), packet("b")]).unwrap();
    let Some(Found::Attempted(last)) = found.get(&packet("a")) else { panic!("{found:?}") };
    assert_eq!((last.n, found.len()), (3, 1));
}

#[test]
fn notes_survive_and_can_change() {
    let scene = Scene::new();
    scene.store.note("schema", "accepted").unwrap();
    scene.store.note("schema", "refused").unwrap();
    let (_folder, path) = scene.killed();
    let store = Store::open(&path).unwrap().store;
    assert_eq!(store.noted("schema").unwrap().as_deref(), Some("refused"));
    assert_eq!(store.noted("nothing").unwrap(), None);
}

#[test]
fn g03_a_call_that_is_not_made_leaves_no_trace() {
    let scene = Scene::new();
    let attempt = scene.begin("a");
    wait(scene.store.withdraw(attempt)).unwrap();
    assert_eq!(scene.store.totals(&scene.judge, scene.run).unwrap().calls, 0);
    assert_eq!(scene.store.reader().unwrap().known(&scene.judge, 0, &[packet("a")]).unwrap().len(), 0);
    let (_folder, path) = scene.killed();
    assert_eq!(Store::open(&path).unwrap().lost, []);
    let unknown = wait(scene.store.conclude(attempt, ended("ok", b"raw"), None));
    assert_eq!(unknown, Err(StoreError::NotInFlight { attempt }));
}
