//! Labels in the store: revisions, and imports that are whole.

use probity_core::json;
use probity_core::label::LabelEntry;

use super::*;
use crate::ledger::labels::label_at;

fn label(text: &str) -> LabelEntry {
    LabelEntry::read(json::parse(text).unwrap().as_object().unwrap()).unwrap()
}

fn said(item: &str, label_text: &str) -> LabelEntry {
    label(&format!(r#"{{"item":"{item}","annotator":"ann","label":"{label_text}"}}"#))
}

/// The labels that count, as item, label and revision.
#[track_caller]
fn check_kept(store: &Store, want: &[(&str, &str, u32)]) {
    let kept = store.reader().unwrap().labels().unwrap();
    let kept: Vec<(&str, &str, u32)> = kept
        .iter()
        .map(|each| (&*each.label.item, each.label.label.as_deref().unwrap_or("-"), each.revision))
        .collect();
    assert_eq!(kept, want);
}

#[test]
fn l02_an_import_that_contradicts_keeps_nothing() {
    let scene = Scene::new();
    let import = scene.store.import_labels(&[said("1", "a"), said("2", "b")]).unwrap();
    assert_eq!((import.n_added, import.n_known), (2, 0));
    let again = scene.store.import_labels(&[said("2", "b"), said("3", "a")]).unwrap();
    assert_eq!((again.n_added, again.n_known), (1, 1));
    let refused = scene.store.import_labels(&[said("4", "a"), said("1", "tie")]).unwrap();
    assert_eq!((refused.n_added, refused.conflicts.len()), (0, 1));
    assert_eq!(refused.conflicts[0].place, 1);
    assert_eq!(refused.conflicts[0].kept, said("1", "a").canonical());
    check_kept(&scene.store, &[("1", "a", 1), ("2", "b", 1), ("3", "a", 1)]);
}

#[test]
fn l14_who_has_not_seen_the_last_revision_overwrites_nothing() {
    let scene = Scene::new();
    let revise = |text: &str, seen| scene.store.revise_label(&said("1", text), seen).unwrap();
    assert_eq!(revise("a", 0), Revised::Kept { revision: 1 });
    assert_eq!(revise("b", 1), Revised::Kept { revision: 2 });
    let overtaken = Revised::Overtaken { revision: 2, kept: Some(said("1", "b").canonical()) };
    assert_eq!(revise("tie", 1), overtaken);
    assert_eq!(revise("tie", 0), overtaken);
    check_kept(&scene.store, &[("1", "b", 2)]);
    let (reader, subject) = (scene.store.reader().unwrap(), said("1", "tie").subject());
    let revision = |n| reader.ask(|db| label_at(db, &subject, n)).unwrap();
    assert_eq!(
        [1, 2, 3].map(revision),
        [Some(said("1", "a").canonical()), Some(said("1", "b").canonical()), None]
    );
}

#[test]
fn the_digest_is_of_what_counts() {
    let (one, other) = (Scene::new(), Scene::new());
    one.store.import_labels(&[said("1", "a"), said("2", "b")]).unwrap();
    other.store.import_labels(&[said("2", "b"), said("1", "tie")]).unwrap();
    let digest = |scene: &Scene| scene.store.reader().unwrap().labels_digest().unwrap();
    assert_ne!(digest(&one), digest(&other));
    other.store.revise_label(&said("1", "a"), 1).unwrap();
    assert_eq!(digest(&one), digest(&other));
    assert_eq!(digest(&one), probity_core::label::digest(&[said("1", "a"), said("2", "b")]));
}
