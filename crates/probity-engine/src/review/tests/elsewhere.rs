//! The same replies in several queues: what was seen or said in one is known in the others.

use super::*;

/// A scene with a second queue, made of `second`.
fn with_second(form: LabelForm, second: NewQueue) -> (Scene, QueueId) {
    let scene = Scene::new(form, 1, 2);
    let Added::New(queue) = wait(scene.room.add_queue(second)).unwrap() else { panic!("it is new") };
    (scene, queue)
}

fn next_of(scene: &Scene, queue: QueueId) -> ItemView {
    next_item(&scene.room, queue, scene.ann, NOW).unwrap()
}

/// Whether ann, who has seen the verdict on the one item of a queue of `form`, is blind in `second`.
#[track_caller]
fn check_sight(form: LabelForm, second: NewQueue, blind: bool) {
    let (scene, queue) = with_second(form, second);
    let any =
        |form| if form == LabelForm::Pair { ReviewerAnswer::Pair(ReplySide::Tie) } else { levels(4, 2) };
    let first = scene.next(scene.ann).unwrap();
    scene.submit(&first, scene.ann, any(form));
    assert!(matches!(wait(scene.room.reveal(first.id, scene.ann, NOW)).unwrap(), Reveal::Shown { .. }));
    let item = next_of(&scene, queue);
    let other = match item.asked.form {
        LabelForm::Pair => ReviewerAnswer::Pair(ReplySide::First),
        LabelForm::Levels => levels(1, 1),
    };
    match scene.submit(&item, scene.ann, other) {
        Submitted::Kept { blind: kept, .. } => assert_eq!(kept, blind),
        other => panic!("{other:?}"),
    }
    let labels = scene.room.labels().unwrap();
    assert!(labels.iter().any(|stored| stored.label.blind == Some(blind)));
}

fn second(form: LabelForm, change: impl FnOnce(&mut NewQueue)) -> NewQueue {
    let mut queue = new_queue("second", form, 1, 2);
    change(&mut queue);
    queue
}

#[test]
fn g15_a_verdict_seen_in_one_queue_is_seen_in_all() {
    check_sight(LabelForm::Levels, second(LabelForm::Levels, |_| {}), false);
    check_sight(LabelForm::Pair, second(LabelForm::Pair, |_| {}), false);
    check_sight(LabelForm::Levels, second(LabelForm::Levels, |queue| queue.spec.round = 2), false);
    check_sight(
        LabelForm::Levels,
        second(LabelForm::Levels, |queue| queue.spec.asked.rubric = "own".into()),
        false,
    );
    check_sight(
        LabelForm::Pair,
        second(LabelForm::Pair, |queue| queue.items[0].hidden.variants.reverse()),
        false,
    );
}

#[test]
fn g15_a_reply_is_known_by_its_words_under_another_name() {
    let renamed = |queue: &mut NewQueue| {
        queue.items[0].key = "other".to_owned();
        queue.items[0].hidden.case = "other".to_owned();
    };
    check_sight(LabelForm::Levels, second(LabelForm::Levels, renamed), false);
    let elsewhere = |queue: &mut NewQueue| {
        renamed(queue);
        queue.items[0].shown.conversation[0].text = "another ticket".to_owned();
    };
    check_sight(LabelForm::Levels, second(LabelForm::Levels, elsewhere), true);
}

#[test]
fn g15_a_reply_of_a_pair_is_the_reply_alone() {
    let of_pair = |variant: &'static str| {
        move |queue: &mut NewQueue| queue.items[0].hidden.variants = vec![Some(variant.to_owned())]
    };
    check_sight(LabelForm::Pair, second(LabelForm::Levels, of_pair("new")), false);
    check_sight(LabelForm::Pair, second(LabelForm::Levels, of_pair("newest")), true);
}

/// A scene with two queues of the same item, and the item of each as ann has it.
fn two_queues() -> (Scene, ItemView, ItemView) {
    let (scene, queue) = with_second(LabelForm::Levels, second(LabelForm::Levels, |_| {}));
    let (one, other) = (scene.next(scene.ann).unwrap(), next_of(&scene, queue));
    (scene, one, other)
}

fn seen(scene: &Scene, item: &ItemView) -> ItemView {
    scene.room.item(item.id, scene.ann).unwrap().unwrap()
}

/// Has ann say something about an item, having seen what counts.
#[track_caller]
fn say(scene: &Scene, item: &ItemView, answer: ReviewerAnswer) {
    let kept = scene.submit(&seen(scene, item), scene.ann, answer);
    assert!(matches!(kept, Submitted::Kept { .. }), "{kept:?}");
}

fn take_back(scene: &Scene, item: &ItemView) {
    let undone = wait(scene.room.undo(item.id, scene.ann, NOW)).unwrap();
    assert!(matches!(undone, Undone::Withdrawn { .. }), "{undone:?}");
}

/// What counts of ann's, as relevance and tone.
fn counts(scene: &Scene) -> String {
    let last = |line: String| line.rsplit(' ').next().unwrap_or_default().to_owned();
    scene.labels().into_iter().map(last).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_was_said_in_one_queue_is_shown_in_the_other_and_seen_before_it_is_revised() {
    let (scene, one, other) = two_queues();
    say(&scene, &one, levels(4, 2));
    let overtaken = Submitted::Overtaken { revision: 2, answer: Some(levels(4, 2)) };
    assert_eq!(scene.submit(&other, scene.ann, levels(1, 1)), overtaken, "a page from before it was said");
    let view = seen(&scene, &other);
    assert_eq!((view.answer, view.earlier, view.state), (None, Some(levels(4, 2)), SeatState::Leased));
    say(&scene, &other, levels(1, 1));
    assert_eq!(counts(&scene), "1 1");
    assert_eq!(seen(&scene, &one).answer, Some(levels(1, 1)), "what counts is shown in both");
}

#[test]
fn saying_the_same_in_another_queue_leaves_the_label_as_blind_as_it_was() {
    let (scene, one, other) = two_queues();
    say(&scene, &one, levels(4, 2));
    wait(scene.room.reveal(one.id, scene.ann, NOW)).unwrap();
    let again = scene.submit(&seen(&scene, &other), scene.ann, levels(4, 2));
    assert_eq!(again, Submitted::Kept { revision: 4, blind: true });
    assert_eq!(seen(&scene, &other).state, SeatState::Submitted);
    take_back(&scene, &one);
    assert_eq!(counts(&scene), "4 2", "it was said in the other queue as well");
    say(&scene, &other, levels(4, 4));
    assert!(scene.room.labels().unwrap().iter().all(|stored| stored.label.blind == Some(false)));
}

#[test]
fn taking_back_in_one_queue_leaves_what_was_said_in_the_other() {
    let (scene, one, other) = two_queues();
    say(&scene, &one, levels(4, 2));
    say(&scene, &other, levels(1, 1));
    say(&scene, &other, levels(5, 5));
    take_back(&scene, &other);
    assert_eq!(counts(&scene), "4 2");
    assert_eq!(seen(&scene, &other).earlier, Some(levels(4, 2)));
    take_back(&scene, &one);
    assert_eq!(counts(&scene), "- -");
    assert_eq!([seen(&scene, &one).earlier, seen(&scene, &other).earlier], [None, None]);
}

#[test]
fn what_was_taken_back_does_not_come_back() {
    let (scene, one, other) = two_queues();
    say(&scene, &one, levels(4, 2));
    say(&scene, &other, levels(1, 1));
    take_back(&scene, &one);
    assert_eq!(counts(&scene), "1 1", "the other queue's answer stands");
    assert_eq!(seen(&scene, &one).earlier, Some(levels(1, 1)));
    take_back(&scene, &other);
    assert_eq!(counts(&scene), "- -");
    assert_eq!([seen(&scene, &one).earlier, seen(&scene, &other).earlier], [None, None]);
}

#[test]
fn who_could_not_tell_in_one_queue_is_shown_so_in_the_other() {
    let (scene, one, other) = two_queues();
    say(&scene, &one, ReviewerAnswer::CannotTell);
    assert_eq!(seen(&scene, &other).earlier, Some(ReviewerAnswer::CannotTell));
    say(&scene, &other, levels(3, 3));
    take_back(&scene, &other);
    assert_eq!(seen(&scene, &one).answer, Some(ReviewerAnswer::CannotTell));
    assert_eq!(seen(&scene, &other).earlier, Some(ReviewerAnswer::CannotTell));
}

/// What people said on a queue so far: votes, and what the judge is compared with.
fn n_votes(scene: &Scene, queue: QueueId) -> Option<u64> {
    let figures = scene.room.figures(queue, None, settling::counting(), NOW).unwrap();
    assert_eq!(figures.problem, None);
    figures.agreement.map(|agreement| agreement.votes)
}

/// A queue with another reply to the same case under the same name.
fn another_reply(form: LabelForm) -> NewQueue {
    second(form, |queue| {
        let NewItem { shown, hidden, .. } = &mut queue.items[0];
        shown.replies[0].insert_str(0, "another ");
        hidden.packets.iter_mut().for_each(|each| each.packet.insert_str(0, "another-"));
    })
}

#[test]
fn n05_another_reply_of_the_same_name_is_labelled_by_itself() {
    let (scene, queue) = with_second(LabelForm::Levels, another_reply(LabelForm::Levels));
    let (one, other) = (scene.next(scene.ann).unwrap(), next_of(&scene, queue));
    say(&scene, &one, levels(4, 2));
    let view = seen(&scene, &other);
    assert_eq!((view.earlier, view.revision), (None, 0), "nothing is pre-chosen for a reply not seen yet");
    assert_eq!([n_votes(&scene, scene.queue), n_votes(&scene, queue)], [Some(2), None]);
    say(&scene, &other, levels(1, 1));
    assert_eq!(seen(&scene, &one).answer, Some(levels(4, 2)), "the first reply keeps its levels");
    assert_eq!([n_votes(&scene, scene.queue), n_votes(&scene, queue)], [Some(2), Some(2)]);
    take_back(&scene, &other);
    assert_eq!(seen(&scene, &one).answer, Some(levels(4, 2)));
    assert_eq!(scene.room.labels().unwrap().len(), 4, "each reply has a label per criterion");
}

#[test]
fn n05_another_pair_of_the_same_name_is_labelled_by_itself() {
    let (scene, queue) = with_second(LabelForm::Pair, another_reply(LabelForm::Pair));
    let (one, other) = (scene.next(scene.ann).unwrap(), next_of(&scene, queue));
    say(&scene, &one, ReviewerAnswer::Pair(ReplySide::Tie));
    assert_eq!((seen(&scene, &other).earlier, n_votes(&scene, queue)), (None, None));
    say(&scene, &other, ReviewerAnswer::Pair(ReplySide::First));
    assert_eq!(seen(&scene, &one).answer, Some(ReviewerAnswer::Pair(ReplySide::Tie)));
}

#[test]
fn a_pair_is_the_same_whichever_file_came_first() {
    let turned = second(LabelForm::Pair, |queue| {
        let NewItem { shown, hidden, .. } = &mut queue.items[0];
        shown.replies.reverse();
        hidden.variants.reverse();
        hidden.packets.reverse();
        queue.spec.seed = 8;
    });
    let (scene, queue) = with_second(LabelForm::Pair, turned);
    let (one, other) = (scene.next(scene.ann).unwrap(), next_of(&scene, queue));
    say(&scene, &one, ReviewerAnswer::Pair(ReplySide::Tie));
    assert_eq!(seen(&scene, &other).earlier, Some(ReviewerAnswer::Pair(ReplySide::Tie)));
}

#[test]
fn n05_an_imported_label_without_a_packet_is_neither_shown_nor_overwritten() {
    let scene = Scene::new(LabelForm::Levels, 1, 2);
    let item = scene.next(scene.ann).unwrap();
    let import = |annotator: &str| {
        let text = format!(
            r#"{{"item":"case-0","criterion":"tone","annotator":"{annotator}","label":"1","rubric":"relevance-tone","variant":"bot"}}"#
        );
        let json = probity_core::json::parse(&text).unwrap();
        probity_core::label::LabelEntry::read(json.as_object().unwrap()).unwrap()
    };
    let store = Store::open(scene.address()).unwrap().store;
    store.import_labels(&[import("ann"), import("dee")]).unwrap();
    store.close().unwrap();
    assert_eq!(n_votes(&scene, scene.queue), Some(2), "they are about the only reply of the name");
    assert_eq!((seen(&scene, &item).earlier, seen(&scene, &item).revision), (None, 0));
    say(&scene, &item, levels(4, 4));
    assert_eq!(n_votes(&scene, scene.queue), Some(3), "of ann's, what she said about exactly this counts");
    assert_eq!(scene.labels().len(), 4);
}
