//! Whole probings, by judges whose failings are known, and the document that keeps them.

use super::*;
use crate::compare::{Candidate, Choice, Pass};
use crate::packet::AnswerForm;

/// What a judge says about a pair in one order: it sees the two replies by slot.
type Simulated = fn(&str, &str) -> Slot;

enum Slot {
    First,
    Second,
    Tie,
}

/// A probing of a simulated judge of pairs, over all shipped bases.
fn probing(judge: Simulated) -> Probing {
    let task = preference();
    let bases: Vec<Base> = shipped().into_iter().map(|entry| Base::new(entry, BaseOrigin::Shipped)).collect();
    let result = |probe: &Probe| {
        if let Some(why) = probe.inapplicable(&task) {
            return ProbeResult::new(probe, &task, Err(why));
        }
        let mut tally = ProbeTally::of(probe.expects);
        for base in &bases {
            tally.add(match probe.trial(base, &task) {
                ProbeTrial::Screened(_) => Observation::of_gate(Effect::AsExpected),
                ProbeTrial::Unchanged => Observation::Unchanged,
                ProbeTrial::Asked(arms) => {
                    let answer = |arm: &Arm| answer(judge, &arm.stimulus);
                    let answers = Arms {
                        control: arms.control.as_ref().map(answer),
                        treatment: answer(&arms.treatment),
                        noise: arms.noise.as_ref().map(answer),
                    };
                    Observation::of(probe.expects, None, &answers, &task)
                }
            });
        }
        ProbeResult::new(probe, &task, Ok(tally.figures(Tolerance::default())))
    };
    let probes = battery();
    Probing {
        form: AnswerForm::Preference,
        battery: battery_hash(&probes, &OwnFile::default(), &bases, 7, Tolerance::default()),
        seed: 7,
        tolerance: Tolerance::default(),
        bases: BaseCounts::of(&bases),
        only: Vec::new(),
        results: probes.iter().map(result).collect(),
    }
}

fn answer(judge: Simulated, stimulus: &Stimulus) -> ArmAnswer {
    let Stimulus::Pair(pair) = stimulus else { panic!("this judge compares") };
    let pass = |[first, second]: &[Entry; 2], [in_first, in_second]: [Candidate; 2]| {
        Pass::Decided(match judge(&first.reply.text, &second.reply.text) {
            Slot::First => Choice::Wins(in_first),
            Slot::Second => Choice::Wins(in_second),
            Slot::Tie => Choice::Tie,
        })
    };
    let ab = pass(&pair.ab, [Candidate::A, Candidate::B]);
    ArmAnswer::of_passes(&ab, &pass(&pair.ba, [Candidate::B, Candidate::A]))
}

/// The shortcuts that a judge falls for.
fn failed(judge: Simulated) -> Vec<String> {
    let probing = probing(judge);
    let shortcuts = probing.with(ProbeOutcome::Fail).filter(|result| result.family != Family::Sensitivity);
    shortcuts.map(|result| result.name.clone()).collect()
}

#[test]
fn n25_a_judge_that_ignores_the_replies_misses_every_fault_by_name() {
    let faults = [
        "wrong_figure", "missing_step", "other_question", "rude_sentence", "cold_sentence",
        "invented_promise",
    ];
    let judges: [Simulated; 2] = [|_, _| Slot::Tie, |_, _| Slot::First];
    for judge in judges {
        let probing = probing(judge);
        let missed = probing.with(ProbeOutcome::Fail).filter(|result| result.family == Family::Sensitivity);
        assert_eq!(missed.map(|result| result.name.as_str()).collect::<Vec<_>>(), faults);
    }
    let message = probing(|_, _| Slot::Tie).results.into_iter().find(|result| result.name == "wrong_figure");
    assert_eq!(
        message.expect("it is in the battery").message,
        "the planted fault was missed in 36 of 36, and 0.0 % fell without a fault: net 100.0 %, between 93.0 and 100.0 %"
    );
}

fn longer(first: &str, second: &str) -> Slot {
    match first.chars().count().cmp(&second.chars().count()) {
        std::cmp::Ordering::Less => Slot::Second,
        std::cmp::Ordering::Equal => Slot::Tie,
        std::cmp::Ordering::Greater => Slot::First,
    }
}

#[test]
fn a_judge_of_length_falls_for_length_and_dress_alone() {
    let failed = failed(longer);
    for probe in battery().iter().filter(|probe| probe.family == Family::Length) {
        assert!(failed.contains(&probe.name), "{failed:?}");
    }
    let of_length = |name: &str| matches!(probe(name).family, Family::Length | Family::Formatting);
    assert!(failed.iter().all(|name| of_length(name)), "length is not what the others measure: {failed:?}");
}

#[test]
fn a_judge_of_slots_falls_for_position_alone() {
    assert_eq!(failed(|_, _| Slot::First), ["position_swap", "position_swap_clear"]);
}

#[test]
fn a_judge_that_reads_pleas_falls_for_them() {
    let failed = failed(|first, second| match (first.contains("top score"), second.contains("top score")) {
        (true, false) => Slot::First,
        (false, true) => Slot::Second,
        _ => longer("", ""),
    });
    assert!(failed.iter().any(|name| name == "plain_plea"), "{failed:?}");
    assert!(failed.iter().all(|name| probe(name).family == Family::Injection), "{failed:?}");
}

#[test]
fn a_document_is_read_back() {
    let probing = probing(longer);
    let json = probing.to_json();
    let record = ProbeRecord::read(&json.to_string()).expect("a probing");
    assert_eq!(record.battery, probing.battery);
    let outcomes: Vec<ProbeOutcome> = probing.results.iter().map(ProbeResult::outcome).collect();
    assert_eq!(record.lines.iter().map(|line| line.outcome).collect::<Vec<_>>(), outcomes);
    assert!(record.lines.iter().all(|line| !line.message.is_empty()));
    let n_listed = |key: &str| json[key].as_array().map_or(0, Vec::len);
    assert_eq!(n_listed("failed"), probing.with(ProbeOutcome::Fail).count());
}

#[test]
fn the_hash_is_of_everything_that_is_asked() {
    let (probes, bases) = (battery(), [base()]);
    let hash = |probes: &[Probe], bases: &[Base], seed, tolerance| {
        battery_hash(probes, &OwnFile::default(), bases, seed, tolerance)
    };
    let first = hash(&probes, &bases, 7, Tolerance::default());
    let other = Tolerance::new(crate::exact::Exact::ZERO).expect("a share");
    assert_eq!(first, hash(&probes, &bases, 7, Tolerance::default()));
    let changed = [
        hash(&probes[1..], &bases, 7, Tolerance::default()),
        hash(&probes, &[], 7, Tolerance::default()),
        hash(&probes, &bases, 8, Tolerance::default()),
        hash(&probes, &bases, 7, other),
    ];
    assert!(changed.iter().all(|hash| *hash != first), "{changed:?}");
}
