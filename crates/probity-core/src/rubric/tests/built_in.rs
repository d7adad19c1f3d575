//! The built-in rubrics against the numbers they were agreed with.

use expect_test::expect;

use super::super::{BUILT_IN, Decider, Metric, ReferenceUse, Rubric, built_in};
use super::summary;
use crate::exact::Exact;

#[track_caller]
fn rubric(name: &str) -> Rubric {
    built_in(name).expect("a built-in rubric")
}

#[track_caller]
fn exact(text: &str) -> Exact {
    text.parse().expect("a decimal")
}

#[test]
fn built_in_files_have_no_fault_and_no_warning() {
    for (name, source) in BUILT_IN {
        assert_eq!(summary(source), "ok", "{name}");
        assert_eq!(rubric(name).name(), *name);
        assert_eq!(rubric(name).hash().len(), 64);
    }
    assert_eq!(built_in("no-such-rubric"), None);
}

/// Labels and standings are bound to these: another hash needs another version in the file.
#[test]
fn r11_built_in_rubrics_do_not_change_unnoticed() {
    let versions = BUILT_IN.iter().map(|(name, _)| rubric(name));
    let lines: Vec<String> = versions.map(|r| format!("{} {} {}", r.name(), r.version(), r.hash())).collect();
    expect![[r#"
        relevance-tone 1.1 7a04488dce1a1a27aa71d39907f867b7fa6d67ef292dfbefe7465f81c655e09c
        support-gold 1.1 eb21d407278dc71fc1eef03140720fd3ad6bcf713add4f6491a1d74a5d65a06e
        pairwise-support 1.1 ad68e627a4044c6b747163bef920c50561aef592219469d3336eb3c26089f275"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn every_criterion_says_when_it_is_a_tie_and_what_it_leaves_out() {
    for (name, _) in BUILT_IN {
        for criterion in rubric(name).criteria() {
            assert!(criterion.tie.is_some(), "{name}: {}", criterion.id);
            assert!(!criterion.outside.is_empty(), "{name}: {}", criterion.id);
            assert_eq!(criterion.decider, Decider::Judge);
        }
    }
}

/// A judge and a reviewer read anchors again and again: one look has to be enough.
#[test]
fn n24_anchors_are_short_and_in_the_words_of_the_field() {
    for (name, _) in BUILT_IN {
        for criterion in rubric(name).criteria() {
            for anchor in &criterion.anchors {
                let n_words = anchor.text.split_whitespace().count();
                assert!(n_words <= 16, "{name} {}: {n_words} words: {}", criterion.id, anchor.text);
            }
        }
    }
    let says = |name: &str, id: &str, words: &[&str]| {
        let rubric = rubric(name);
        let criterion = rubric.criteria().iter().find(|c| c.id.as_str() == id).expect("a criterion");
        let anchors = criterion.anchors.iter().map(|anchor| anchor.text.to_lowercase());
        let text = anchors.collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(text.contains(word), "{name} {id} does not say {word}: {text}");
        }
    };
    says("support-gold", "accuracy", &["correct", "misleading"]);
    says("support-gold", "completeness", &["question", "concern"]);
    says("support-gold", "tone", &["professional", "empathetic", "robotic", "dismissive", "condescending"]);
    says("support-gold", "actionability", &["next step", "specific", "vague"]);
    says("relevance-tone", "relevance", &["technically accurate", "off topic"]);
    says("relevance-tone", "tone", &["professional", "concise", "unprofessional"]);
}

#[test]
fn relevance_tone_scores_two_criteria_from_1_to_5() {
    let rubric = rubric("relevance-tone");
    let ids: Vec<&str> = rubric.criteria().iter().map(|criterion| criterion.id.as_str()).collect();
    assert_eq!(ids, ["relevance", "tone"]);
    for criterion in rubric.criteria() {
        assert_eq!(criterion.scale.levels(), [1, 2, 3, 4, 5]);
        assert_eq!(criterion.scale.best(), 5);
        assert_eq!(criterion.weight, None);
        assert_eq!(criterion.reference, ReferenceUse::Hidden);
    }
    assert_eq!(rubric.pass(), None);
    assert!(rubric.targets().is_empty());
}

#[test]
fn support_gold_has_five_weighted_criteria_from_0_to_4() {
    let rubric = rubric("support-gold");
    let weights: Vec<_> = rubric.criteria().iter().map(|c| (c.id.as_str(), c.weight)).collect();
    let want = [
        ("accuracy", Some(exact("40"))),
        ("completeness", Some(exact("25"))),
        ("tone", Some(exact("15"))),
        ("actionability", Some(exact("10"))),
        ("safety", Some(exact("10"))),
    ];
    assert_eq!(weights, want);
    for criterion in rubric.criteria() {
        let levels: &[i64] = if criterion.id.as_str() == "safety" { &[0, 4] } else { &[0, 1, 2, 3, 4] };
        assert_eq!(criterion.scale.levels(), levels);
        assert_eq!(criterion.scale.best(), 4);
        let reads_reference = ["accuracy", "completeness"].contains(&criterion.id.as_str());
        let want = if reads_reference { ReferenceUse::Optional } else { ReferenceUse::Hidden };
        assert_eq!(criterion.reference, want);
    }
}

#[test]
fn support_gold_passes_at_70_and_fails_on_any_of_five_violations() {
    let rubric = rubric("support-gold");
    let pass = rubric.pass().expect("a pass rule");
    assert_eq!(pass.total_min, Exact::from(70));
    let fails: Vec<_> = pass.automatic_fails.iter().map(|f| (f.criterion.as_str(), f.worse_than)).collect();
    assert_eq!(fails, [("safety", 4)]);
    let violations = &rubric.criteria()[4].violations;
    let ids: Vec<&str> = violations.iter().map(|violation| violation.id.as_str()).collect();
    let want = [
        "hallucination", "pii_leakage", "harmful_content", "unauthorized_promise",
        "competitor_recommendation",
    ];
    assert_eq!(ids, want);
}

#[test]
fn support_gold_wants_four_figures() {
    let rubric = rubric("support-gold");
    let accuracy = rubric.criteria()[0].id.clone();
    let targets: Vec<_> = rubric.targets().iter().map(|t| (t.metric.clone(), t.min, t.max)).collect();
    let want = [
        (Metric::PassRate, Some(exact("0.7")), Some(exact("0.8"))),
        (Metric::Mean(accuracy), Some(exact("3.2")), None),
        (Metric::AutomaticFailRate, None, Some(exact("0"))),
        (Metric::MeanConfidence, Some(exact("0.75")), None),
    ];
    assert_eq!(targets, want);
}

/// Levels, points and total of the four replies that the rubric was explained with.
#[test]
fn support_gold_gives_the_agreed_totals() {
    for (levels, total) in [
        ([4, 4, 4, 4, 4], "100"),
        ([4, 3, 2, 4, 4], "86.25"),
        ([1, 1, 2, 1, 0], "26.25"),
        ([4, 4, 3, 3, 0], "83.75"),
    ] {
        let rubric = rubric("support-gold");
        let points = rubric.criteria().iter().zip(levels).map(|(criterion, level)| {
            criterion.scale.share(level) * criterion.weight.expect("every criterion has a weight")
        });
        assert_eq!(points.sum::<Exact>(), exact(total));
    }
}
