//! A page about a run is made again when it would be another one.

use super::*;
use crate::ledger::{JudgeId, Manifest, RunOpening, Store};

#[test]
fn a_run_is_another_once_a_label_came_or_its_outcome_changed() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let store = Store::open(scene.address()).unwrap().store;
    let identity = r#"{"kind":"mock"}"#;
    let manifest = Manifest {
        name: "run".to_owned(),
        parts: vec![("cases".to_owned(), "c".to_owned())],
        body: "{}".to_owned(),
    };
    let opening = RunOpening {
        judge: &JudgeId::of_identity(identity),
        identity,
        manifest: &manifest,
        invocation: None,
        spec: None,
        budget: None,
        lane: None,
    };
    let run = store.begin_judged_run(opening).unwrap().run();
    let version = || scene.room.run_version(run.0).unwrap().unwrap();
    let before = version();
    assert!(!before.is_complete);
    assert_eq!(version(), before, "nothing happened");
    assert_eq!(scene.room.run_version(999).unwrap(), None);
    store.note_outcome(run, ("run", "{}"), "2026-11-17").unwrap();
    store.close().unwrap();
    assert_ne!(version(), before, "an outcome came");
}
