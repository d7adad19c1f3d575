//! The same replies in several queues: what was seen or said in one is known in the others.

use super::*;

/// A scene with a second queue, made of `second`.
fn with_second(form: Form, second: NewQueue) -> (Scene, QueueId) {
    let scene = Scene::new(form, 1, 2);
    let Added::New(queue) = wait(scene.room.add_queue(second)).unwrap() else { panic!("it is new") };
    (scene, queue)
}

fn next_of(scene: &Scene, queue: QueueId) -> ItemView {
    wait(scene.room.next(queue, scene.ann, NOW)).unwrap().unwrap()
}

/// Whether ann, who has seen the verdict on the one item of a queue of `form`, is blind in `second`.
#[track_caller]
fn check_sight(form: Form, second: NewQueue, blind: bool) {
    let (scene, queue) = with_second(form, second);
    let any = |form| if form == Form::Pair { Answer::Pair(Side::Tie) } else { levels(4, 2) };
    let first = scene.next(scene.ann).unwrap();
    scene.submit(&first, scene.ann, any(form));
    assert!(matches!(wait(scene.room.reveal(first.id, scene.ann, NOW)).unwrap(), Reveal::Shown { .. }));
    let item = next_of(&scene, queue);
    let other = match item.asked.form {
        Form::Pair => Answer::Pair(Side::First),
        Form::Levels => levels(1, 1),
    };
    match scene.submit(&item, scene.ann, other) {
        Submitted::Kept { blind: kept, .. } => assert_eq!(kept, blind),
        other => panic!("{other:?}"),
    }
    let labels = scene.room.labels().unwrap();
    assert!(labels.iter().any(|stored| stored.label.blind == Some(blind)));
}

fn second(form: Form, change: impl FnOnce(&mut NewQueue)) -> NewQueue {
    let mut queue = new_queue("second", form, 1, 2);
    change(&mut queue);
    queue
}

#[test]
fn g15_a_verdict_seen_in_one_queue_is_seen_in_all() {
    check_sight(Form::Levels, second(Form::Levels, |_| {}), false);
    check_sight(Form::Pair, second(Form::Pair, |_| {}), false);
    check_sight(Form::Levels, second(Form::Levels, |queue| queue.spec.round = 2), false);
    check_sight(Form::Levels, second(Form::Levels, |queue| queue.spec.asked.rubric = "own".into()), false);
    check_sight(Form::Pair, second(Form::Pair, |queue| queue.items[0].hidden.variants.reverse()), false);
}

#[test]
fn g15_a_reply_is_known_by_its_words_under_another_name() {
    let renamed = |queue: &mut NewQueue| {
        queue.items[0].key = "other".to_owned();
        queue.items[0].hidden.case = "other".to_owned();
    };
    check_sight(Form::Levels, second(Form::Levels, renamed), false);
    let elsewhere = |queue: &mut NewQueue| {
        renamed(queue);
        queue.items[0].shown.conversation[0].text = "another ticket".to_owned();
    };
    check_sight(Form::Levels, second(Form::Levels, elsewhere), true);
}

#[test]
fn g15_a_reply_of_a_pair_is_the_reply_alone() {
    let of_pair = |variant: &'static str| {
        move |queue: &mut NewQueue| queue.items[0].hidden.variants = vec![Some(variant.to_owned())]
    };
    check_sight(Form::Pair, second(Form::Levels, of_pair("new")), false);
    check_sight(Form::Pair, second(Form::Levels, of_pair("newest")), true);
}
