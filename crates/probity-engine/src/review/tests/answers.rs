//! What people say is kept once, as the labels that an import would keep, and can be taken back.

use expect_test::expect;

use super::*;
use crate::ledger::Store;

#[test]
fn an_answer_becomes_the_labels_that_an_import_would_keep() {
    let scene = Scene::new(LabelForm::Levels, 1, 2);
    let item = scene.next(scene.ann).unwrap();
    assert_eq!(scene.submit(&item, scene.ann, levels(4, 2)), Submitted::Kept { revision: 2, blind: true });
    let labels: Vec<String> =
        scene.room.labels().unwrap().iter().map(|stored| stored.label.canonical()).collect();
    expect![[r#"
        {"annotator":"ann","at":"2026-05-28T20:26:40Z","blind":true,"criterion":"relevance","item":"case-0","label":"4","packet":"packet-0-0","round":1,"rubric":"relevance-tone","seconds":0,"slice":"billing","variant":"bot"}
        {"annotator":"ann","at":"2026-05-28T20:26:40Z","blind":true,"criterion":"tone","item":"case-0","label":"2","packet":"packet-0-1","round":1,"rubric":"relevance-tone","seconds":0,"slice":"billing","variant":"bot"}"#]]
    .assert_eq(&labels.join("\n"));
    let Scene { folder, room, .. } = scene;
    let entries: Vec<_> = room.labels().unwrap().into_iter().map(|stored| stored.label).collect();
    room.close().unwrap();
    let store = Store::open(store_in(folder.path())).unwrap().store;
    let import = store.import_labels(&entries).unwrap();
    assert_eq!((import.n_added, import.n_known, import.conflicts.len()), (0, 2, 0));
}

#[test]
fn a_repeated_post_doubles_nothing() {
    let scene = Scene::new(LabelForm::Levels, 2, 2);
    let item = scene.next(scene.ann).unwrap();
    scene.submit(&item, scene.ann, levels(4, 2));
    for _ in 0..3 {
        assert_eq!(scene.submit(&item, scene.ann, levels(4, 2)), Submitted::Already { revision: 2 });
    }
    assert_eq!(
        scene.labels(),
        ["ann case-0 relevance 4", "ann case-0 tone 2"]
            .map(|line| { line.replace("case-0", &format!("case-{}", item.n - 1)) })
    );
    assert_eq!(scene.room.queue(scene.queue).unwrap().unwrap().n_submitted, 1);
}

#[test]
fn l14_two_windows_do_not_overwrite_each_other() {
    let scene = Scene::new(LabelForm::Levels, 1, 2);
    let item = scene.next(scene.ann).unwrap();
    scene.submit(&item, scene.ann, levels(4, 2));
    let overtaken = scene.submit(&item, scene.ann, levels(1, 1));
    assert_eq!(overtaken, Submitted::Overtaken { revision: 2, answer: Some(levels(4, 2)) });
    let seen = scene.room.item(item.id, scene.ann).unwrap().unwrap();
    assert_eq!((seen.answer.clone(), seen.revision), (Some(levels(4, 2)), 2));
    assert_eq!(scene.submit(&seen, scene.ann, levels(1, 1)), Submitted::Kept { revision: 4, blind: true });
    assert_eq!(scene.labels(), ["ann case-0 relevance 1", "ann case-0 tone 1"]);
}

#[test]
fn what_does_not_answer_what_was_asked_is_refused() {
    let scene = Scene::new(LabelForm::Levels, 1, 2);
    let item = scene.next(scene.ann).unwrap();
    let refused = |answer| match scene.submit(&item, scene.ann, answer) {
        Submitted::Refused { reason } => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(levels(4, 9)), "'tone' is 9, expected 1, 2, 3, 4, 5");
    assert_eq!(refused(ReviewerAnswer::Pair(ReplySide::First)), "expected a level for each criterion");
    let half = ReviewerAnswer::Levels(BTreeMap::from([("relevance".to_owned(), Some(4))]));
    assert_eq!(refused(half), "'tone' has no answer, expected 1, 2, 3, 4, 5");
    let foreign = ReviewerAnswer::Levels(BTreeMap::from([("safety".to_owned(), Some(4))]));
    assert_eq!(refused(foreign), "'safety' was not asked about");
    assert!(scene.labels().is_empty());
    assert_eq!(scene.next(scene.ann).unwrap().id, item.id, "it is still theirs to answer");
}

#[test]
fn an_answer_has_the_time_that_it_took() {
    let scene = Scene::new(LabelForm::Levels, 2, 1);
    for (took, want) in [(41, Some(41.0)), (LEASE_SECONDS + 1, None)] {
        let item = scene.next(scene.ann).unwrap();
        let (note, answer) = (String::new(), levels(4, 2));
        let (expected_revision, at) = (item.revision, NOW + took);
        let said = Submission { item: item.id, person: scene.ann, expected_revision, answer, note, at };
        wait(scene.room.submit(said)).unwrap();
        let labels = scene.room.labels().unwrap();
        assert_eq!(
            labels.last().unwrap().label.seconds,
            want,
            "an item that was held for hours was not looked at"
        );
    }
}

#[test]
fn who_cannot_tell_has_answered() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let item = scene.next(scene.ann).unwrap();
    scene.submit(&item, scene.ann, ReviewerAnswer::CannotTell);
    assert_eq!(scene.labels(), ["ann case-0 relevance -", "ann case-0 tone -"]);
    assert_eq!(scene.next(scene.bob), None);
    let seen = scene.room.item(item.id, scene.ann).unwrap().unwrap();
    assert_eq!(seen.answer, Some(ReviewerAnswer::CannotTell));
}

#[test]
fn what_is_taken_back_counts_no_longer_and_can_be_said_anew() {
    let scene = Scene::new(LabelForm::Levels, 2, 2);
    let item = scene.next(scene.ann).unwrap();
    scene.submit(&item, scene.ann, levels(4, 2));
    assert_eq!(scene.room.last_item(scene.queue, scene.ann).unwrap(), Some(item.id));
    let undone = wait(scene.room.undo(item.id, scene.ann, NOW)).unwrap();
    assert_eq!(undone, Undone::Withdrawn { revision: 4 });
    assert_eq!(wait(scene.room.undo(item.id, scene.ann, NOW)).unwrap(), Undone::Nothing);
    assert_eq!(scene.room.last_item(scene.queue, scene.ann).unwrap(), None);
    assert!(scene.labels().iter().all(|line| line.ends_with(" -")), "{:?}", scene.labels());
    // The post that was on its way when it was taken back does not bring it back.
    assert_eq!(
        scene.submit(&item, scene.ann, levels(4, 2)),
        Submitted::Overtaken { revision: 4, answer: None }
    );
    let again = scene.next(scene.ann).unwrap();
    assert_eq!((again.id, again.revision, again.answer.clone()), (item.id, 4, None));
    assert_eq!(again.taken_back, Some(levels(4, 2)), "undo restores the answer");
    assert!(again.blind && item.taken_back.is_none());
    assert_eq!(scene.submit(&again, scene.ann, levels(5, 5)), Submitted::Kept { revision: 6, blind: true });
}

#[test]
fn g15_who_has_seen_the_verdict_is_not_blind_any_more() {
    let scene = Scene::new(LabelForm::Levels, 1, 2);
    let item = scene.next(scene.ann).unwrap();
    let reveal = |person| wait(scene.room.reveal(item.id, person, NOW)).unwrap();
    assert_eq!(reveal(scene.ann), Reveal::NotYet);
    assert_eq!(reveal(scene.bob), Reveal::NotYours);
    let cause =
        |criterion, cause| wait(scene.room.cause(about(&item, scene.ann, criterion), cause, NOW)).unwrap();
    assert!(!cause(Some("tone"), RootCause::TooHigh));
    scene.submit(&item, scene.ann, levels(4, 2));
    assert!(!cause(None, RootCause::TooHigh) && !cause(Some("safety"), RootCause::TooHigh));
    assert!(cause(Some("tone"), RootCause::TooLow) && cause(Some("tone"), RootCause::TooHigh));
    assert!(cause(Some("relevance"), RootCause::RubricUnclear));
    let Reveal::Shown { hidden, causes, .. } = reveal(scene.ann) else { panic!("ann has answered") };
    assert_eq!(hidden.verdicts[0].said.as_deref(), Some("4"));
    let want = [("relevance", RootCause::RubricUnclear), ("tone", RootCause::TooHigh)];
    assert_eq!(causes, want.map(|(id, cause)| (Some(id.to_owned()), cause)).into(), "the latest of each");
    wait(scene.room.undo(item.id, scene.ann, NOW)).unwrap();
    assert_eq!(reveal(scene.ann), Reveal::NotYet);
    let again = scene.next(scene.ann).unwrap();
    assert!(!again.blind, "the page can say that an answer will not count as blind");
    assert_eq!(scene.submit(&again, scene.ann, levels(4, 4)), Submitted::Kept { revision: 6, blind: false });
    let labels = scene.room.labels().unwrap();
    assert!(labels.iter().all(|stored| stored.label.blind == Some(false)));
}

#[test]
fn the_sides_of_a_pair_are_drawn_and_labels_name_candidates() {
    let scene = Scene::new(LabelForm::Pair, 40, 2);
    let mut n_turned = 0;
    while let Some(item) = scene.next(scene.ann) {
        let first = item.shown.replies[0].clone();
        n_turned += usize::from(first.starts_with("reply b"));
        scene.submit(&item, scene.ann, ReviewerAnswer::Pair(ReplySide::First));
        let labels = scene.room.labels().unwrap();
        let label = &labels.last().unwrap().label;
        let side = if first.starts_with("reply a") { "a" } else { "b" };
        assert_eq!(label.label.as_deref(), Some(side), "{first} was the better one");
        assert_eq!(label.facts.variants, Some(["old".to_owned(), "new".to_owned()]));
        assert_eq!(label.packet, Some(format!("packet-{}-1", item.n - 1)), "`new` before `old`");
        let seen = scene.room.item(item.id, scene.ann).unwrap().unwrap();
        assert_eq!(seen.answer, Some(ReviewerAnswer::Pair(ReplySide::First)));
    }
    assert!((10..30).contains(&n_turned), "{n_turned} of 40 turned");
}

#[test]
fn a_label_that_was_imported_is_not_overwritten_in_silence() {
    let scene = Scene::new(LabelForm::Levels, 1, 2);
    let item = scene.next(scene.ann).unwrap();
    assert_eq!(item.revision, 0);
    let Scene { folder, room, queue, ann, .. } = scene;
    let text = r#"{"item":"case-0","criterion":"tone","rubric":"relevance-tone","variant":"bot","annotator":"ann","label":"1","packet":"packet-0-1"}"#;
    let json = probity_core::json::parse(text).unwrap();
    let label = probity_core::label::LabelEntry::read(json.as_object().unwrap()).unwrap();
    let store = Store::open(store_in(folder.path())).unwrap().store;
    store.import_labels(&[label]).unwrap();
    store.close().unwrap();
    let submission = |expected_revision| Submission {
        item: item.id,
        person: ann,
        expected_revision,
        answer: levels(4, 4),
        note: String::new(),
        at: NOW,
    };
    let overtaken = wait(room.submit(submission(0))).unwrap();
    let imported = Some(ReviewerAnswer::Levels(BTreeMap::from([("tone".to_owned(), Some(1))])));
    assert_eq!(overtaken, Submitted::Overtaken { revision: 1, answer: imported.clone() });
    let seen = next_item(&room, queue, ann, NOW).unwrap();
    assert_eq!((seen.answer, &seen.earlier), (None, &imported));
    assert!(matches!(wait(room.submit(submission(seen.revision))).unwrap(), Submitted::Kept { .. }));
    wait(room.undo(item.id, ann, NOW)).unwrap();
    let restored: Vec<String> = room.labels().unwrap().iter().map(line).collect();
    assert_eq!(restored, ["ann case-0 tone 1", "ann case-0 relevance -"], "the import counts again");
}
