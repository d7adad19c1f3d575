//! Calls and outcomes of runs: what is kept, and what is not written again.

use super::*;

fn scene() -> (Scene, RunId) {
    let scene = Scene::new();
    let run = scene.run;
    (scene, run)
}

fn outcome(scene: &Scene) -> RunOutcome {
    let mut all = scene.store.reader().unwrap().outcomes().unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn a_run_that_was_complete_keeps_its_moment() {
    let (scene, run) = scene();
    let note = |body: &str, at: &str| scene.store.note_outcome(run, ("run", body), at).unwrap();
    scene.store.end_run(run, RunState::Incomplete).unwrap();
    note("{\"passed\":1}", "2026-01-01T00:00:00Z");
    note("{\"passed\":2}", "2026-01-02T00:00:00Z");
    assert_eq!(outcome(&scene).at, "2026-01-02T00:00:00Z", "an attempt that failed has no claim");
    scene.store.end_run(run, RunState::Complete).unwrap();
    note("{\"passed\":3}", "2026-01-03T00:00:00Z");
    note("{\"passed\":4}", "2026-01-04T00:00:00Z");
    let kept = outcome(&scene);
    assert_eq!((kept.at.as_str(), kept.body.as_str()), ("2026-01-03T00:00:00Z", "{\"passed\":4}"));
    assert_eq!((kept.run, kept.command.as_str(), kept.state), (run, "run", RunState::Complete));
}

#[test]
fn what_is_on_record_is_not_written_again() {
    if engine::is_on_server() {
        return;
    }
    let (scene, run) = scene();
    let journal = || beside(&scene.path(), "-wal").metadata().unwrap().len();
    scene.store.end_run(run, RunState::Complete).unwrap();
    scene.store.note_outcome(run, ("run", "{}"), "2026-01-01T00:00:00Z").unwrap();
    let before = journal();
    scene.store.note_outcome(run, ("run", "{}"), "2026-02-01T00:00:00Z").unwrap();
    assert_eq!(journal(), before);
}

#[test]
fn a_run_begins_with_its_judge_and_how_it_was_called() {
    let (scene, first) = scene();
    let judge = JudgeId::of_identity("{\"model\":\"m\"}");
    let call = Invocation::new(["run".to_owned(), "a.json".to_owned()], "/somewhere".to_owned());
    let manifest = Manifest { name: "other".to_owned(), parts: Vec::new(), body: "{}".to_owned() };
    let opening = |identity| RunOpening {
        judge: &judge,
        identity,
        manifest: &manifest,
        invocation: Some(&call),
        spec: None,
        budget: None,
        lane: None,
    };
    let run = scene.store.begin_judged_run(opening("{\"model\":\"m\"}")).unwrap().run();
    assert_ne!(run, first);
    let begun = scene.store.begin_judged_run(opening("{\"model\":\"m\"}")).unwrap();
    assert_eq!(begun, Begun::Resumed { run });
    assert_eq!(scene.store.reader().unwrap().invocation(run).unwrap(), Some(call.clone()));
    wait(scene.store.intend(start("a", &judge, run))).unwrap();
    let differs = scene.store.begin_judged_run(opening("{}")).unwrap_err();
    assert_eq!(differs, StoreError::JudgeDiffers { judge: judge.clone() });
}

#[test]
fn addresses_are_kept_without_what_could_be_a_secret() {
    let words = ["run", "--base-url", "https://ann:hunter2@host.example/v1?key=hunter3", "what?.json"];
    let call = Invocation::new(words.map(str::to_owned), "/".to_owned());
    assert_eq!(call.argv, ["run", "--base-url", "https://host.example/v1", "what?.json"]);
}

#[test]
fn an_outcome_needs_its_run_and_a_store_that_is_written() {
    let (scene, run) = scene();
    let note = |store: &Store, run| store.note_outcome(run, ("run", "{}"), "2026-01-01T00:00:00Z");
    assert!(matches!(note(&scene.store, RunId(77)), Err(StoreError::UnknownRun { .. })));
    let reading = Store::open_read_only(scene.address()).unwrap();
    assert!(scene.store.may_write() && !reading.may_write());
    assert_eq!(note(&reading, run).unwrap_err().failure(), Some(FailureKind::ReadOnly));
    assert_eq!(reading.reader().unwrap().outcomes().unwrap(), []);
    assert_eq!(reading.reader().unwrap().invocation(run).unwrap(), None);
}

/// Both engines create only what is not there; PostgreSQL's `IF NOT EXISTS` does not hold between two transactions.
#[test]
fn k20_a_store_that_many_make_at_the_same_moment_is_made_once() {
    const MAKERS: usize = 8;
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let address = engine::store_in(folder.path());
        let start = std::sync::Barrier::new(MAKERS);
        std::thread::scope(|scope| {
            for _ in 0..MAKERS {
                scope.spawn(|| {
                    start.wait();
                    drop(Store::open_for_review(&address).unwrap());
                });
            }
        });
        assert_eq!(Store::open_for_review(&address).unwrap().reader().unwrap().outcomes().unwrap().len(), 0);
    }
}
