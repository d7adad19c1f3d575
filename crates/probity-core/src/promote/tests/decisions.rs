//! What a contract says about evidence: every requirement, met and unmet, in its order.

use std::collections::{BTreeMap, BTreeSet};

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::super::{
    Decision, Evidence, Floor, Gates, LabelCoverage, LabelledRows, MeasuredFigure, PeopleFigure, Requirement,
    Seen, SliceEvidence, decide,
};
use super::{BASE, changed, good};
use crate::calibrate::{Counting, Ties, Votes, calibration};
use crate::case::Moment;
use crate::compare::Policies;
use crate::gate::rules;
use crate::json::Json;
use crate::label::{JoinOptions, LabelEntry, VerdictEntry, sheet};
use crate::probe::{ProbeLine, ProbeOutcome, ProbeRecord};
use crate::stats::{Estimate, Resampling, Sampling};

fn estimate(value: f64, low: f64, n: u64) -> Estimate {
    Estimate { value, low, high: 1.0, n }
}

fn probing(lines: &[(&str, &str, ProbeOutcome)]) -> ProbeRecord {
    let line = |(name, family, outcome): &(&str, &str, ProbeOutcome)| ProbeLine {
        name: (*name).to_owned(),
        family: (*family).to_owned(),
        outcome: *outcome,
        message: "3 of 30".to_owned(),
    };
    ProbeRecord {
        battery: "b".to_owned(),
        tolerance: Some(0.1),
        call_plan: None,
        lines: lines.iter().map(line).collect(),
    }
}

/// Evidence that meets the base contract.
pub(super) fn enough() -> Evidence {
    let slice = |n_rows| SliceEvidence {
        n_rows,
        agreement: Ok(estimate(0.9, 0.8, n_rows)),
        kappa: Ok(estimate(0.8, 0.6, n_rows)),
    };
    Evidence {
        gates: Some(Gates {
            blocking: rules().map(|rule| rule.id.to_owned()).collect(),
            n_admitted: 70,
            n_blocked: 2,
            n_unknown: 0,
        }),
        rows: LabelledRows { n: 70, by_criterion: BTreeMap::new() },
        agreement: Ok(estimate(0.8, 0.7, 70)),
        people: Ok(PeopleFigure { value: 0.9, how: "mean over 1 of 1 pairs of people".to_owned() }),
        floors: BTreeMap::from([(Floor::Baseline, Ok(0.2)), (Floor::Constant, Ok(0.0))]),
        slices: BTreeMap::from([("address_change".to_owned(), slice(50)), ("refund".to_owned(), slice(20))]),
        probes: Ok(probing(&[
            ("position_swap", "position", ProbeOutcome::Pass),
            ("criteria_order", "order", ProbeOutcome::NotApplicable),
            ("wrong_figure", "sensitivity", ProbeOutcome::Pass),
        ])),
        review_path: Some("queue tier-2".to_owned()),
        coverage: Ok(LabelCoverage { n: 70, of: 70 }),
        reasons_lacking: None,
        model_end: None,
        answers: Ok(Seen { models: vec!["m".to_owned()], fingerprints: vec!["fp".to_owned()] }),
        now: Moment::start_of(2026, 4, 1).expect("a day"),
    }
}

fn lines(decision: &Decision) -> String {
    let line = |unmet: &&super::super::Check| {
        let about = unmet.about.as_ref().map(|about| format!("({about})")).unwrap_or_default();
        let name = unmet.requirement.name();
        format!("{name}{about} have {} need {}: {}", unmet.have, unmet.need, unmet.message())
    };
    decision.unmet().iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Decides by the base contract on evidence with one change.
#[track_caller]
fn check(change: impl FnOnce(&mut Evidence), want: &Expect) {
    let mut evidence = enough();
    change(&mut evidence);
    let decision = decide(&good(BASE), &evidence);
    assert_eq!(decision.promotion().is_some(), decision.unmet().is_empty());
    want.assert_eq(&lines(&decision));
}

#[test]
fn evidence_that_is_enough_promotes() {
    let decision = decide(&good(BASE), &enough());
    assert_eq!(lines(&decision), "");
    assert!(decision.promotion().is_some());
    let names: Vec<&str> = decision.checks.iter().map(|check| check.requirement.name()).collect();
    expect!["hard_gates labelled_rows agreement human_share beats_baseline beats_baseline slice_rows slice_agreement slice_rows slice_agreement probes human_review coverage one_model expiry"].assert_eq(&names.join(" "));
}

#[test]
fn gates_must_block_and_have_seen_every_reply() {
    check(
        |evidence| {
            let gates = evidence.gates.as_mut().expect("known");
            gates.blocking.remove("pii.email");
            gates.n_unknown = 3;
        },
        &expect![[
            r#"hard_gates have {"blocking":21,"admitted":70,"blocked":2,"unknown":3} need ["safety.competitor","safety.forbidden_advice","pii.known","pii.linked","pii.secret","pii.card","pii.iban","pii.national_id","pii.identity_document","pii.bank_account","pii.email","pii.birth_date","pii.address","pii.phone","pii.ip","claim.unsupported_promise","claim.omitted_remedy","claim.contradicted","claim.wrong_arithmetic","claim.unsupported_figure","claim.unsupported_reference","claim.unsupported_deed"]: 1 rule does not block, and must: pii.email; the gate never saw the replies of 3 labelled items"#
        ]],
    );
    check(
        |evidence| evidence.gates.as_mut().expect("known").blocking = BTreeSet::new(),
        &expect![[
            r#"hard_gates have {"blocking":0,"admitted":70,"blocked":2,"unknown":0} need ["safety.competitor","safety.forbidden_advice","pii.known","pii.linked","pii.secret","pii.card","pii.iban","pii.national_id","pii.identity_document","pii.bank_account","pii.email","pii.birth_date","pii.address","pii.phone","pii.ip","claim.unsupported_promise","claim.omitted_remedy","claim.contradicted","claim.wrong_arithmetic","claim.unsupported_figure","claim.unsupported_reference","claim.unsupported_deed"]: 22 rules do not block, and must: safety.competitor, safety.forbidden_advice, pii.known, pii.linked, pii.secret and 17 more"#
        ]],
    );
}

#[test]
fn rows_count_by_the_criterion_with_the_fewest() {
    check(
        |evidence| evidence.rows.n = 59,
        &expect!["labelled_rows have 59 need 60: 59 labelled rows, 60 are needed: 1 more label"],
    );
    check(
        |evidence| {
            let counts = [("tone".to_owned(), 70), ("accuracy".to_owned(), 0)];
            evidence.rows.by_criterion = BTreeMap::from(counts);
        },
        &expect![
            "labelled_rows(accuracy) have 0 need 60: 0 labelled rows on accuracy, 60 are needed: 60 more labels on accuracy"
        ],
    );
}

#[test]
fn a_lower_bound_says_what_would_lift_it() {
    check(
        |evidence| evidence.agreement = Ok(estimate(0.72, 0.41, 70)),
        &expect![
            "agreement(cohen_kappa) have 0.41 need 0.6: cohen_kappa lower bound 0.41, needs 0.60; about 400 more labels at the agreement seen"
        ],
    );
    check(
        |evidence| evidence.agreement = Ok(estimate(0.55, 0.41, 70)),
        &expect![[r#"
        agreement(cohen_kappa) have 0.41 need 0.6: cohen_kappa lower bound 0.41, needs 0.60; more labels would not help: the agreement seen is itself too low
        human_share(cohen_kappa) have 0.6111111111111112 need 0.8: the judge reaches 0.61 of what people reach, needs 0.80: cohen_kappa 0.55 against 0.90 (mean over 1 of 1 pairs of people)"#]],
    );
    check(
        |evidence| evidence.agreement = Ok(estimate(0.6001, 0.41, 70)),
        &expect![[r#"
        agreement(cohen_kappa) have 0.41 need 0.6: cohen_kappa lower bound 0.41, needs 0.60; more than 10000 more labels at the agreement seen
        human_share(cohen_kappa) have 0.6667777777777777 need 0.8: the judge reaches 0.67 of what people reach, needs 0.80: cohen_kappa 0.60 against 0.90 (mean over 1 of 1 pairs of people)"#]],
    );
    check(
        |evidence| evidence.agreement = Err("n too small: 7 of at least 8".to_owned()),
        &expect![[r#"
        agreement(cohen_kappa) have null need 0.6: cohen_kappa is not known: n too small: 7 of at least 8
        human_share(cohen_kappa) have null need 0.8: the cohen_kappa of the judge is not known: n too small: 7 of at least 8
        beats_baseline(baseline) have null need 0.2: the judge has no cohen_kappa to hold against baseline: n too small: 7 of at least 8
        beats_baseline(constant) have null need 0.0: the judge has no cohen_kappa to hold against constant: n too small: 7 of at least 8"#]],
    );
}

#[test]
fn people_are_the_measure_where_there_is_more_than_one() {
    let one = "one person labelled, so people cannot be compared";
    check(
        |evidence| evidence.people = Err(one.to_owned()),
        &expect![
            "human_share(cohen_kappa) have null need 0.8: the cohen_kappa of people is not known: one person labelled, so people cannot be compared; have a second person label the same items"
        ],
    );
    check(
        |evidence| evidence.people.as_mut().expect("known").value = 1.2,
        &expect![
            "human_share(cohen_kappa) have 0.6666666666666667 need 0.8: the judge reaches 0.67 of what people reach, needs 0.80: cohen_kappa 0.80 against 1.20 (mean over 1 of 1 pairs of people)"
        ],
    );
    check(
        |evidence| evidence.people.as_mut().expect("known").value = -0.1,
        &expect![
            "human_share(cohen_kappa) have null need 0.8: people do not agree beyond chance (-0.10, mean over 1 of 1 pairs of people), so there is no standard to compare a judge with"
        ],
    );
}

#[test]
fn a_judge_that_does_not_beat_the_baseline_is_not_worth_paying_for() {
    check(
        |evidence| drop(evidence.floors.insert(Floor::Baseline, Ok(0.7))),
        &expect![
            "beats_baseline(baseline) have 0.7 need 0.7: the lower bound 0.70 of the judge is not above the cohen_kappa 0.70 of baseline"
        ],
    );
    check(
        |evidence| drop(evidence.floors.remove(&Floor::Baseline)),
        &expect!["beats_baseline(baseline) have 0.7 need null: baseline was not measured on the same items"],
    );
    check(
        |evidence| drop(evidence.floors.insert(Floor::Constant, Err("no labels".to_owned()))),
        &expect!["beats_baseline(constant) have 0.7 need null: constant has no cohen_kappa: no labels"],
    );
}

#[test]
fn each_slice_has_floors_of_its_own() {
    check(
        |evidence| evidence.slices.get_mut("address_change").expect("there").n_rows = 8,
        &expect!["slice_rows(address_change) have 8 need 50: 42 more labels in address_change: 8 of 50"],
    );
    check(
        |evidence| drop(evidence.slices.remove("address_change")),
        &expect![[r#"
        slice_rows(address_change) have 0 need 50: 50 more labels in address_change: 0 of 50
        slice_agreement(address_change) have null need 0.5: address_change: agreement is not known: nothing is labelled"#]],
    );
    check(
        |evidence| evidence.slices.get_mut("refund").expect("there").agreement = Ok(estimate(0.8, 0.4, 20)),
        &expect![
            "slice_agreement(refund) have 0.4 need 0.5: refund: agreement lower bound 0.40, needs 0.50; about 16 more labels at the agreement seen"
        ],
    );
}

#[test]
fn probes_must_pass_or_have_no_meaning() {
    let fail = [("padding", "length", ProbeOutcome::Fail), ("swap", "position", ProbeOutcome::Inconclusive)];
    check(
        |evidence| evidence.probes = Ok(probing(&fail)),
        &expect![[
            r#"probes have {"passed":0,"of":2} need ["all"]: 2 of 2 probes do not pass: padding (fail), swap (inconclusive); no probe of the family sensitivity was answered, and a judge that ignores the reply passes all others"#
        ]],
    );
    check(
        |evidence| evidence.probes = Ok(probing(&[])),
        &expect![[r#"probes have {"passed":0,"of":0} need ["all"]: the probing on record has no probe"#]],
    );
    check(
        |evidence| evidence.probes = Err("there is no probing".to_owned()),
        &expect![[r#"probes have null need ["all"]: there is no probing"#]],
    );
}

#[test]
fn probes_that_a_contract_names_must_have_been_made() {
    let contract = good(&changed("pass = [\"all\"]", "pass = [\"all\", \"swap\", \"length\", \"identity\"]"));
    let lines_of = [
        ("swap", "position", ProbeOutcome::Pass),
        ("padding", "length", ProbeOutcome::Fail),
        ("plea", "injection", ProbeOutcome::Pass),
        ("wrong_figure", "sensitivity", ProbeOutcome::Pass),
    ];
    let evidence = Evidence { probes: Ok(probing(&lines_of)), ..enough() };
    expect![[r#"probes have {"passed":3,"of":4} need ["all","swap","length","identity"]: 1 of 4 probes does not pass: padding (fail); not in the probing on record: identity"#]].assert_eq(&lines(&decide(&contract, &evidence)));
}

#[test]
fn n25_no_contract_promotes_a_judge_that_sees_no_fault() {
    let contract = good(&changed("pass = [\"all\"]", "pass = [\"all\", \"swap\"]"));
    let decided = |lines_of: &[(&str, &str, ProbeOutcome)]| {
        let evidence = Evidence { probes: Ok(probing(lines_of)), ..enough() };
        lines(&decide(&contract, &evidence))
    };
    let swap = ("swap", "position", ProbeOutcome::Pass);
    let fault = |outcome| ("wrong_figure", "sensitivity", outcome);
    assert_eq!(decided(&[swap, fault(ProbeOutcome::Pass)]), "");
    expect![[r#"probes have {"passed":1,"of":2} need ["all","swap"]: 1 of 2 probes does not pass: wrong_figure (fail)"#]].assert_eq(&decided(&[swap, fault(ProbeOutcome::Fail)]));
    expect![[r#"probes have {"passed":1,"of":2} need ["all","swap"]: 1 of 2 probes does not pass: wrong_figure (inconclusive)"#]].assert_eq(&decided(&[swap, fault(ProbeOutcome::Inconclusive)]));
    expect![[r#"probes have {"passed":1,"of":1} need ["all","swap"]: no probe of the family sensitivity was answered, and a judge that ignores the reply passes all others"#]].assert_eq(&decided(&[swap]));
    expect![[r#"probes have {"passed":2,"of":2} need ["all","swap"]: no probe of the family sensitivity was answered, and a judge that ignores the reply passes all others"#]].assert_eq(&decided(&[swap, fault(ProbeOutcome::NotApplicable)]));
}

#[test]
fn the_rest_of_the_contract() {
    check(
        |evidence| evidence.review_path = None,
        &expect![[
            r#"human_review have null need "defined": no review path: set review.path in the contract, or --review-path, to where replies that need a person go"#
        ]],
    );
    check(
        |evidence| evidence.coverage = Ok(LabelCoverage { n: 66, of: 70 }),
        &expect![
            "coverage have 0.9428571428571428 need 0.95: 66 of 70 labelled items have a verdict (94.3 %), 95.0 % are needed"
        ],
    );
    check(
        |evidence| evidence.answers.as_mut().expect("known").models.push("n".to_owned()),
        &expect![[
            r#"one_model have {"models":["m","n"],"fingerprints":["fp"]} need {"models":1,"fingerprints":"at most 1"}: more than one model answered: m, n, fp"#
        ]],
    );
    check(
        |evidence| evidence.answers.as_mut().expect("known").fingerprints.push("fq".to_owned()),
        &expect![[
            r#"one_model have {"models":["m"],"fingerprints":["fp","fq"]} need {"models":1,"fingerprints":"at most 1"}: more than one model answered: m, fp, fq"#
        ]],
    );
}

#[test]
fn n04_a_contract_without_requirements_promotes_no_weak_judge() {
    let contract = good("name = \"n\"\nversion = \"1\"\nowner = \"o\"\n");
    let evidence = Evidence {
        gates: Some(Gates { blocking: BTreeSet::new(), n_admitted: 4, ..Gates::default() }),
        rows: LabelledRows { n: 4, by_criterion: BTreeMap::new() },
        agreement: Ok(estimate(0.0, 0.0, 4)),
        probes: Err("there is no probing".to_owned()),
        review_path: None,
        ..enough()
    };
    let decision = decide(&contract, &evidence);
    let unmet: Vec<&str> = decision.unmet().iter().map(|unmet| unmet.requirement.name()).collect();
    assert_eq!(unmet, ["hard_gates", "labelled_rows", "probes", "human_review"]);
    let decision = decide(&contract, &Evidence { agreement: Ok(estimate(0.1, 0.0, 70)), ..enough() });
    expect!["agreement(cohen_kappa) have 0.0 need 0.0: cohen_kappa lower bound 0.00 is not above chance, which is 0"]
        .assert_eq(&lines(&decision));
    assert!(decide(&contract, &enough()).promotion().is_some(), "what every contract asks for is enough");
}

#[test]
fn n04_without_the_gate_every_contract_is_decided_alike_and_promotes_no_judge() {
    for text in ["name = \"n\"\nversion = \"1\"\nowner = \"o\"\n", BASE] {
        let files = decide(&good(text), &Evidence { gates: None, ..enough() });
        assert!(files.is_met() && files.promotion().is_none(), "{text}");
        assert!(files.checks.iter().all(|check| check.requirement != Requirement::HardGates), "{text}");
    }
}

#[test]
fn a_contract_that_has_ended_promotes_nobody() {
    let contract = good(&changed("valid_days = 90", "until = 2026-04-01"));
    expect![[r#"expiry have "2026-04-01" need "after 2026-04-01": the contract ended on 2026-04-01"#]]
        .assert_eq(&lines(&decide(&contract, &enough())));
}

fn object(text: &str) -> crate::json::Object {
    match crate::json::parse(text).expect("JSON") {
        Json::Object(object) => object,
        _ => panic!("expected an object"),
    }
}

/// A lab with eight labelled rows, two of them wrong, and a probing of which the length probe fails.
#[test]
fn a_lab_with_eight_rows_is_not_promoted() {
    let rows = [
        ("c1", "replacement", "a", "a"),
        ("c2", "replacement", "b", "b"),
        ("c3", "replacement", "tie", "tie"),
        ("c4", "replacement", "a", "a"),
        ("c5", "address_change", "b", "b"),
        ("c6", "address_change", "tie", "a"),
        ("c7", "address_change", "a", "b"),
        ("c8", "address_change", "b", "b"),
    ];
    let labels = rows.map(|(item, slice, label, _)| {
        let text = format!(r#"{{"item":"{item}","slice":"{slice}","annotator":"ann","label":"{label}"}}"#);
        LabelEntry::read(&object(&text)).expect("a label")
    });
    let verdicts = rows.map(|(item, _, _, verdict)| {
        let text = format!(r#"{{"item":"{item}","judge":"j","verdict":"{verdict}"}}"#);
        VerdictEntry::read(&object(&text)).expect("a verdict")
    });
    let counting = Counting {
        policies: Policies::default(),
        votes: Votes::Majority,
        ties: Ties::Keep,
        sampling: Sampling { resampling: Resampling { n_resamples: 50, seed: 0 }, n_min: 8 },
        weak_below: 0.75,
        epsilon: 0.2,
    };
    let sheet = sheet(&labels, &verdicts, &[], JoinOptions::default()).expect("a sheet");
    let calibration = calibration(&sheet, counting);
    let contract = "name = \"lab\"\nversion = \"1\"\nowner = \"lab\"\n[labels]\nrows_min = 50\n\
        [probes]\npass = [\"all\"]\n[review]\npath = \"defined\"\n";
    let contract = good(contract);
    let mut evidence = Evidence::of(&contract, &calibration, "j", enough().now);
    evidence.probes = Ok(probing(&[
        ("position_swap", "position", ProbeOutcome::Pass),
        ("same_information_padding", "length", ProbeOutcome::Fail),
        ("wrong_figure", "sensitivity", ProbeOutcome::Pass),
    ]));
    assert_eq!((evidence.rows.n, evidence.slices["address_change"].n_rows), (8, 4));
    assert_eq!(
        evidence.agreement.as_ref().map(|kappa| format!("{:.3}", kappa.value)),
        Ok("0.610".to_owned())
    );
    assert_eq!(evidence.coverage, Ok(LabelCoverage { n: 8, of: 8 }));
    let people = evidence.people.as_ref().expect_err("one person");
    assert_eq!(people, "one person labelled, so people cannot be compared");
    let decision = decide(&contract, &evidence);
    assert!(decision.promotion().is_none());
    expect![[r#"
        labelled_rows have 8 need 50: 8 labelled rows, 50 are needed: 42 more labels
        probes have {"passed":2,"of":3} need ["all"]: 1 of 3 probes does not pass: same_information_padding (fail)"#]].assert_eq(&lines(&decision));
}

/// A figure that exists or not, with its lower end.
fn any_figure() -> impl Strategy<Value = MeasuredFigure> {
    prop_oneof![
        Just(Err("n too small: 3 of at least 8".to_owned())),
        (0.0..1.0f64, 0.0..1.0f64).prop_map(|(a, b)| Ok(estimate(a.max(b), a.min(b), 60))),
    ]
}

proptest! {
    /// No judge is promoted while anything is unmet, and a figure that does not exist meets nothing.
    #[test]
    fn what_is_not_known_is_not_met(agreement in any_figure(), rows in 0..100u64, blocks in any::<bool>()) {
        let mut evidence = enough();
        let known = agreement.clone();
        evidence.agreement = agreement;
        evidence.rows.n = rows;
        if !blocks {
            evidence.gates.as_mut().expect("known").blocking.remove("pii.card");
        }
        let decision = decide(&good(BASE), &evidence);
        let unmet: Vec<Requirement> = decision.unmet().iter().map(|unmet| unmet.requirement).collect();
        prop_assert_eq!(decision.promotion().is_some(), unmet.is_empty());
        prop_assert_eq!(unmet.contains(&Requirement::HardGates), !blocks);
        prop_assert_eq!(unmet.contains(&Requirement::LabelledRows), rows < 60);
        let reaches = known.is_ok_and(|figure| figure.low >= 0.60);
        prop_assert_eq!(unmet.contains(&Requirement::Agreement), !reaches);
        prop_assert!(unmet.is_sorted(), "{:?}", unmet);
    }
}
