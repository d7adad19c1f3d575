//! Where people disagree, and what a lead makes of it.

use probity_core::calibrate::{Counting, Ties, Votes};
use probity_core::compare::{Conflict, Policies, Unparsed};
use probity_core::stats::{Resampling, Sampling};

use super::*;

pub(super) fn counting() -> Counting {
    Counting {
        policies: Policies { conflict: Conflict::Tie, unparsed: Unparsed::Wrong },
        votes: Votes::Majority,
        ties: Ties::Keep,
        sampling: Sampling { resampling: Resampling { n_resamples: 100, seed: 0 }, n_min: 8 },
        weak_below: 0.75,
        epsilon: 0.2,
    }
}

/// A scene in which ann and bob have labelled everything and disagree about one item, whose number is returned.
fn disagreeing(n_items: usize) -> (Scene, ItemId) {
    let scene = Scene::new(LabelForm::Levels, n_items, 2);
    scene.label_all(scene.ann, &levels(4, 4));
    let odd = scene.next(scene.bob).unwrap();
    scene.submit(&odd, scene.bob, levels(2, 4));
    scene.label_all(scene.bob, &levels(4, 4));
    (scene, odd.id)
}

fn settle(
    scene: &Scene,
    item: ItemId,
    lead: PersonId,
    expected_revision: u32,
    answer: ReviewerAnswer,
) -> Submitted {
    let note = "see the policy".to_owned();
    let submission = Submission { item, person: lead, expected_revision, answer, note, at: NOW };
    wait(scene.room.adjudicate(submission)).unwrap()
}

#[test]
fn a_disagreement_is_shown_to_leads_and_settled_once() {
    let (scene, odd) = disagreeing(10);
    let found = wait(scene.room.disagreements(scene.queue, scene.lead, NOW)).unwrap();
    let said = |each: &Disagreement| -> Vec<(String, ReviewerAnswer)> {
        each.said.iter().map(|said| (said.name.clone(), said.answer.clone())).collect()
    };
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].item, &found[0].settled), (odd, &None));
    assert_eq!(said(&found[0]), [("ann".to_owned(), levels(4, 4)), ("bob".to_owned(), levels(2, 4))]);

    assert_eq!(settle(&scene, odd, scene.ann, 0, levels(3, 4)), Submitted::NotYours, "ann is no lead");
    let kept = Submitted::Kept { revision: 1, blind: true };
    assert_eq!(settle(&scene, odd, scene.lead, 0, levels(3, 4)), kept);
    assert_eq!(settle(&scene, odd, scene.lead, 0, levels(3, 4)), Submitted::Already { revision: 1 });
    let overtaken = Submitted::Overtaken { revision: 1, answer: Some(levels(3, 4)) };
    assert_eq!(settle(&scene, odd, scene.lead, 0, levels(5, 5)), overtaken);

    let settled = wait(scene.room.settling(odd, scene.lead, NOW)).unwrap().unwrap();
    let by = settled.disagreement.settled.unwrap();
    assert_eq!(
        (&*by.name, by.answer, &*by.note, settled.revision),
        ("lea", levels(3, 4), "see the policy", 1)
    );
    let labels = scene.room.labels().unwrap();
    let n_settled = labels.iter().filter(|stored| stored.label.adjudicated == Some(true)).count();
    assert_eq!((labels.len(), n_settled), (2 * 2 * 10 + 2, 2));
}

#[test]
fn who_settles_after_somebody_else_takes_the_other_back() {
    let (scene, odd) = disagreeing(3);
    let (max, _) = invited(&scene.room, "max", PersonRole::Lead);
    settle(&scene, odd, scene.lead, 0, levels(3, 4));
    assert!(matches!(settle(&scene, odd, max, 1, levels(1, 4)), Submitted::Kept { revision: 2, .. }));
    let labels = scene.room.labels().unwrap();
    let counts =
        |stored: &&StoredLabel| stored.label.adjudicated == Some(true) && stored.label.label.is_some();
    let standing: Vec<String> = labels.iter().filter(counts).map(line).collect();
    let case =
        labels.iter().find(|stored| stored.label.adjudicated == Some(true)).unwrap().label.item.clone();
    assert_eq!(standing, [format!("max {case} relevance 1"), format!("max {case} tone 4")]);
}

#[test]
fn figures_hold_the_judge_against_what_was_settled_and_against_votes_elsewhere() {
    let (scene, odd) = disagreeing(10);
    settle(&scene, odd, scene.lead, 0, levels(3, 4));
    let figures = scene.room.figures(scene.queue, None, counting(), NOW).unwrap();
    let agreement = figures.agreement.unwrap();
    assert_eq!(figures.problem, None);
    assert_eq!((agreement.n, agreement.votes, agreement.adjudicated), (20, 40, 2));
    assert_eq!(agreement.agreement.text, "0.95", "of twenty things they differ on one");
    let judge = agreement.judge.unwrap();
    assert_eq!((&*judge.name, judge.n), ("openai CANARY-MODEL", 20));
    assert_eq!(judge.agreement.text, "0.95", "it says 4 where the lead says 3");
    let pairs: Vec<(&str, &str, &str)> = (agreement.pairs.iter())
        .map(|pair| (&*pair.one, pair.other.as_deref().unwrap_or("judge"), &*pair.agreement.text))
        .collect();
    assert_eq!(pairs, [("ann", "bob", "0.95"), ("ann", "judge", "1.00"), ("bob", "judge", "0.95")]);
    let criteria: Vec<(&str, &str)> =
        agreement.criteria.iter().map(|row| (&*row.name, &*row.agreement.text)).collect();
    assert_eq!(criteria, [("relevance", "0.90"), ("tone", "1.00")], "the weakest first");
    let paces: Vec<_> =
        agreement.people.iter().map(|pace| (&*pace.name, pace.n_items, pace.seconds)).collect();
    assert_eq!(paces, [("ann", 10, Some(0.0)), ("bob", 10, Some(0.0))]);
    let slices: Vec<&str> = agreement.slices.iter().map(|slice| &*slice.name).collect();
    assert_eq!(slices, ["billing", "delivery"]);
}

#[test]
fn contract_progress_counts_what_a_promotion_would() {
    let (scene, _) = disagreeing(10);
    let text = r#"
        name = "support"
        version = "1"
        owner = "qa"
        [labels]
        rows_min = 50
        [agreement]
        lower_bound_min = 0.6
        [[slice]]
        name = "billing"
        rows_min = 3
    "#;
    let contract = probity_core::promote::read(text);
    let contract = contract.unwrap_or_else(|found| panic!("{found:?}")).contract;
    let figures = scene.room.figures(scene.queue, Some(&contract), counting(), NOW).unwrap();
    let lines: Vec<(bool, &str)> = figures.progress.iter().map(|line| (line.met, &*line.text)).collect();
    assert!(lines.iter().any(|(met, text)| !met && text.starts_with("10 of 50 labels")), "{lines:?}");
    assert!(lines.contains(&(true, "5 of 3 labels in billing")), "{lines:?}");
    assert!(lines.iter().any(|(_, text)| text.ends_with("needs 0.60")), "{lines:?}");
}

#[test]
fn nobody_has_said_anything_yet() {
    let scene = Scene::new(LabelForm::Levels, 2, 2);
    assert_eq!(scene.room.figures(scene.queue, None, counting(), NOW).unwrap(), QueueFigures::default());
}

#[test]
fn a_lead_who_has_seen_what_others_said_does_not_label_blind() {
    let (scene, odd) = disagreeing(2);
    let mut wider = new_queue("wider", LabelForm::Levels, 2, 3);
    wider.spec.after = After::Nothing;
    let Added::New(queue) = wait(scene.room.add_queue(wider)).unwrap() else { panic!("it is new") };
    let listed = wait(scene.room.disagreements(scene.queue, scene.lead, NOW)).unwrap();
    assert_eq!(listed.len(), 1);
    while let Some(item) = next_item(&scene.room, queue, scene.lead, NOW) {
        let kept = scene.submit(&item, scene.lead, levels(3, 3));
        let blind = item.n != listed[0].n;
        assert_eq!(kept, Submitted::Kept { revision: 2, blind }, "item {}", item.n);
    }
    // What settles is said by somebody who looks at what others said, so that alone does not make it count less.
    let kept = Submitted::Kept { revision: 1, blind: true };
    assert_eq!(settle(&scene, odd, scene.lead, 0, levels(3, 4)), kept);
}
