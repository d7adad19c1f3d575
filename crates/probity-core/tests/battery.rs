//! The battery and the shipped bases as data: what every text in them has to be, whoever edits it.

use std::collections::BTreeSet;

use probity_core::case::Entry;
use probity_core::gate::{Gate, Settings};
use probity_core::packet::CallPlan;
use probity_core::probe::{
    Arm, Base, BaseOrigin, Expectation, Family, JudgeTask, Probe, ProbeTrial, Stimulus, battery, shipped,
};
use probity_core::rubric::built_in;

fn task(rubric: &str) -> JudgeTask {
    JudgeTask::of(&built_in(rubric).expect("it is built in"), CallPlan::PerCriterion)
        .expect("it can be probed")
}

fn bases() -> Vec<Base> {
    shipped().into_iter().map(|entry| Base::new(entry, BaseOrigin::Shipped)).collect()
}

/// What every probe that has a meaning asks about every base, in both forms.
fn trials() -> Vec<(Probe, Base, ProbeTrial)> {
    let mut trials = Vec::new();
    for rubric in ["relevance-tone", "pairwise-support"] {
        let task = task(rubric);
        for probe in battery().into_iter().filter(|probe| probe.inapplicable(&task).is_none()) {
            for base in bases() {
                let trial = probe.trial(&base, &task);
                trials.push((probe.clone(), base, trial));
            }
        }
    }
    trials
}

fn entries(arm: &Arm) -> Vec<Entry> {
    match &arm.stimulus {
        Stimulus::Reply(entry) => vec![Entry::clone(entry)],
        Stimulus::Pair(pair) => pair.ab.iter().chain(&pair.ba).cloned().collect(),
    }
}

#[test]
fn what_a_judge_is_asked_about_is_admitted_and_a_leak_is_not() {
    let gate = Gate::new(Settings::default()).expect("the default settings have no pattern");
    let mut n_leaks = 0;
    let mut screened = BTreeSet::new();
    for (probe, base, trial) in trials() {
        let name = (&probe.name, &base.entry().case.id);
        match trial {
            ProbeTrial::Asked(arms) => {
                let mut is_new = |entry: &Entry| {
                    screened.insert(format!("{:?} {}", entry.case.situation, entry.reply.text))
                };
                for entry in arms.all().flat_map(entries).filter(|entry| is_new(entry)) {
                    assert!(gate.screen(entry).is_ok(), "{name:?}");
                }
            }
            ProbeTrial::Screened(entry) => {
                assert_eq!(probe.expects, Expectation::Blocked);
                assert!(gate.screen(*entry).is_err(), "{name:?}");
                n_leaks += 1;
            }
            ProbeTrial::Unchanged => panic!("{name:?} is left as it is"),
        }
    }
    assert_eq!(n_leaks, 2 * 2 * 36);
}

/// What a family is about, and the families whose texts may have it.
const MARKS: &[(&[&str], &[Family])] = &[
    (&["apolog", "sorry", "regret"], &[Family::Apology, Family::Gate]),
    (&["gpt", "claude", "llama", "openai", "anthropic"], &[Family::Identity]),
    (&["score", "marks", "highest", "prefer", "grade", "winner", "rubric", "criteri"], &[Family::Injection]),
    (&["stars", "approved", "official", "handbook", "delighted"], &[Family::Authority]),
    (&["**", "\n- ", "😊", "👍"], &[Family::Formatting]),
];

#[test]
fn what_a_family_is_about_stands_in_no_text_of_another() {
    for (probe, base, trial) in trials() {
        let ProbeTrial::Asked(arms) = trial else { continue };
        let controls = arms.control.iter().chain(&arms.noise).flat_map(entries);
        // Of a pair, the control stands first in one order and second in the other.
        let treated = entries(&arms.treatment);
        let (treatments, pair_controls): (Vec<&Entry>, Vec<&Entry>) = match treated.as_slice() {
            [control, second, first, same] => (vec![first, second], vec![control, same]),
            one => (one.iter().collect(), vec![]),
        };
        let controls: Vec<Entry> = controls.chain(pair_controls.into_iter().cloned()).collect();
        for (words, families) in MARKS {
            let said = |entry: &Entry| {
                let text = entry.reply.text.to_lowercase();
                words
                    .iter()
                    .find(|word| text.contains(**word) && !base.entry().reply.text.contains(**word))
                    .copied()
            };
            let is_of_family = families.contains(&probe.family);
            let found = treatments.iter().filter(|_| !is_of_family).find_map(|entry| said(entry));
            assert_eq!(found, None, "treatment of {}", probe.name);
            assert_eq!(controls.iter().find_map(said), None, "control of {}", probe.name);
        }
    }
}

#[test]
fn probes_share_their_controls() {
    let task = task("relevance-tone");
    let base = bases().remove(0);
    let mut controls = BTreeSet::new();
    let mut n_probes = 0;
    for probe in battery().iter().filter(|probe| probe.inapplicable(&task).is_none()) {
        if let ProbeTrial::Asked(arms) = probe.trial(&base, &task)
            && let Some(control) = &arms.control
        {
            controls.extend(
                entries(control)
                    .iter()
                    .map(|entry| format!("{:?} {}", entry.case.situation, entry.reply.text)),
            );
            n_probes += 1;
        }
    }
    assert!(2 * controls.len() <= n_probes, "{} controls for {n_probes} probes", controls.len());
}

#[test]
fn shipped_bases_are_plain_help() {
    let bases = shipped();
    assert_eq!(bases.len(), 36);
    for Entry { case, reply } in bases {
        let text = &reply.text;
        assert!(
            (240..=330).contains(&text.chars().count()),
            "{}: {} characters",
            case.id,
            text.chars().count()
        );
        assert!((3..=5).contains(&text.split_inclusive(['.', '!', '?']).count()), "{}: sentences", case.id);
        assert!(!text.contains(|c: char| c.is_ascii_digit() || c == '@' || c == '/'), "{}: figures", case.id);
    }
}
