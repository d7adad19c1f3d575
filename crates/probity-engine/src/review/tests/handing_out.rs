//! Who gets what: quota, leases, orders, and what was skipped.

use std::collections::BTreeSet;

use super::*;

#[test]
fn each_item_is_looked_at_by_as_many_people_as_the_queue_asks_for() {
    let scene = Scene::new(LabelForm::Levels, 6, 2);
    assert_eq!(scene.label_all(scene.ann, &levels(4, 4)), 6);
    assert_eq!(scene.label_all(scene.bob, &levels(3, 4)), 6);
    assert_eq!(scene.next(scene.cem), None, "two people have looked at everything");
    let view = scene.room.queue(scene.queue).unwrap().unwrap();
    assert_eq!((view.n_items, view.n_complete, view.n_submitted), (6, 6, 12));
}

#[test]
fn progress_counts_what_is_left_for_each_person() {
    let scene = Scene::new(LabelForm::Levels, 6, 2);
    // Another queue, of which nothing counts here.
    wait(scene.room.add_queue(new_queue("second", LabelForm::Levels, 3, 2))).unwrap();
    let check = |person: PersonId, now: i64, want: [u32; 3]| {
        let seen = scene.room.progress(scene.queue, person, now).unwrap();
        assert_eq!([seen.n_submitted, seen.n_skipped, seen.n_open], want);
    };
    scene.label_all(scene.ann, &levels(4, 4));
    check(scene.ann, NOW, [6, 0, 0]);
    let first = scene.next(scene.bob).unwrap();
    scene.submit(&first, scene.bob, levels(3, 4));
    let skipped = scene.next(scene.bob).unwrap();
    assert!(wait(scene.room.skip(skipped.id, scene.bob, NOW)).unwrap());
    scene.next(scene.bob).unwrap();
    check(scene.bob, NOW, [1, 1, 5]);
    check(scene.ann, NOW, [6, 0, 0]);
    // Ann and bob have answered one, and bob holds another until his lease ends.
    check(scene.cem, NOW, [0, 0, 4]);
    check(scene.cem, NOW + LEASE_SECONDS, [0, 0, 5]);
    let nothing = scene.room.progress(QueueId(99), scene.ann, NOW).unwrap();
    assert_eq!((nothing.n_submitted, nothing.n_open), (0, 0));
}

#[test]
fn two_people_do_not_take_the_last_seat() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let item = scene.next(scene.ann).unwrap();
    assert_eq!(scene.next(scene.bob), None);
    assert_eq!(scene.room.progress(scene.queue, scene.bob, NOW).unwrap().n_open, 0);
    let later = NOW + LEASE_SECONDS;
    assert_eq!(scene.next_at(scene.bob, later).unwrap().id, item.id, "ann has let it lie for too long");
    assert!(matches!(scene.submit(&item, scene.bob, levels(4, 4)), Submitted::Kept { .. }));
    assert_eq!(scene.submit(&item, scene.ann, levels(2, 2)), Submitted::Full);
    assert_eq!(scene.labels().len(), 2, "bob's two labels alone");
}

#[test]
fn a_lease_that_has_ended_hurts_nobody_while_a_seat_is_left() {
    let scene = Scene::new(LabelForm::Levels, 1, 2);
    let item = scene.next(scene.ann).unwrap();
    scene.next_at(scene.bob, NOW + LEASE_SECONDS).unwrap();
    assert!(matches!(scene.submit(&item, scene.ann, levels(4, 4)), Submitted::Kept { .. }));
}

#[test]
fn whoever_asks_again_gets_the_same_item() {
    let scene = Scene::new(LabelForm::Levels, 20, 2);
    let first = scene.next(scene.ann).unwrap();
    assert_eq!(scene.next(scene.ann).unwrap(), first);
    let Scene { folder, room, queue, ann, .. } = scene;
    room.close().unwrap();
    let room = ReviewRoom::open(store_in(folder.path())).unwrap();
    assert_eq!(next_item(&room, queue, ann, NOW + 60).unwrap(), first, "after a restart as well");
}

#[test]
fn reviewers_have_orders_of_their_own() {
    let scene = Scene::new(LabelForm::Levels, 12, 3);
    let order = |person| {
        let mut seen = Vec::new();
        while let Some(item) = scene.next(person) {
            scene.submit(&item, person, ReviewerAnswer::CannotTell);
            seen.push(item.n);
        }
        seen
    };
    let [ann, bob] = [order(scene.ann), order(scene.bob)];
    assert_ne!(ann, bob);
    assert_eq!(ann.into_iter().collect::<BTreeSet<_>>(), (1..=12).collect());
    assert_eq!(bob.len(), 12);
}

#[test]
fn what_was_skipped_comes_last_and_frees_its_seat() {
    let scene = Scene::new(LabelForm::Levels, 3, 1);
    let skipped = scene.next(scene.ann).unwrap();
    assert!(wait(scene.room.skip(skipped.id, scene.ann, NOW)).unwrap());
    let mut order = Vec::new();
    while let Some(item) = scene.next(scene.ann) {
        scene.submit(&item, scene.ann, levels(4, 4));
        order.push(item.id);
    }
    assert_eq!((order.len(), order.last()), (3, Some(&skipped.id)));
}

#[test]
fn somebody_else_may_take_what_was_skipped() {
    let scene = Scene::new(LabelForm::Levels, 1, 1);
    let item = scene.next(scene.ann).unwrap();
    assert!(wait(scene.room.skip(item.id, scene.ann, NOW)).unwrap());
    assert_eq!(scene.next(scene.bob).unwrap().id, item.id);
    assert_eq!(wait(scene.room.undo(item.id, scene.ann, NOW)).unwrap(), Undone::Full);
    assert_eq!(scene.next(scene.ann), None);
}

#[test]
fn a_hundred_people_at_once_exceed_no_quota() {
    let scene = Scene::new(LabelForm::Levels, 30, 2);
    let people: Vec<PersonId> =
        (0..100).map(|n| invited(&scene.room, &format!("person {n}"), PersonRole::Reviewer).0).collect();
    let (room, queue) = (scene.room.clone(), scene.queue);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().unwrap();
    let n_kept = runtime.block_on(async {
        let tasks: Vec<_> = people
            .into_iter()
            .map(|person| {
                let room = room.clone();
                tokio::spawn(async move {
                    let Some(item) = room.next(queue, person, NOW).await.unwrap() else { return 0 };
                    let (expected_revision, answer, note) = (0, levels(4, 4), String::new());
                    let kept = room
                        .submit(Submission { item, person, expected_revision, answer, note, at: NOW })
                        .await;
                    u32::from(matches!(kept.unwrap(), Submitted::Kept { .. }))
                })
            })
            .collect();
        let mut n_kept = 0;
        for task in tasks {
            n_kept += task.await.unwrap();
        }
        n_kept
    });
    let view = scene.room.queue(queue).unwrap().unwrap();
    assert_eq!(view.n_submitted, n_kept);
    assert!(n_kept <= 60, "{n_kept} answers to 30 items of two seats");
    assert!(n_kept >= 50, "{n_kept} answers: seats were left empty while people asked for them");
    assert_eq!(scene.labels().len(), 2 * n_kept as usize);
}

#[test]
fn a_queue_is_added_once() {
    let scene = Scene::new(LabelForm::Levels, 3, 2);
    let same = new_queue("first", LabelForm::Levels, 3, 2);
    assert_eq!(wait(scene.room.add_queue(same.clone())).unwrap(), Added::Known(scene.queue));
    let mut judged = same.clone();
    judged.items[0].hidden.verdicts.clear();
    assert_eq!(wait(scene.room.add_queue(judged)).unwrap(), Added::Known(scene.queue));
    let mut other = same;
    other.items[0].shown.replies[0].push('!');
    assert_eq!(wait(scene.room.add_queue(other)).unwrap(), Added::Differs(scene.queue));
    assert_eq!(scene.room.queues().unwrap().len(), 1);
}
