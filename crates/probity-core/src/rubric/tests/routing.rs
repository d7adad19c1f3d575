//! Who decides: the gate what can be checked, a person what only the policy's owner knows, a judge the rest.

use expect_test::{Expect, expect};

use super::super::{Decider, Judged, Oracle, read};
use super::{changed, summary};

/// What `keys` added to a criterion make of it.
#[track_caller]
fn route(keys: &str) -> (Oracle, Decider, Judged, Vec<&'static str>) {
    let text = changed("id = \"facts\"\n", &format!("id = \"facts\"\n{keys}\n"));
    let rubric = read(&text).expect("a good rubric").rubric;
    let facts = &rubric.criteria()[0];
    (facts.oracle, facts.decider, facts.judged, facts.rules.clone())
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a case is one line")]
fn refused(keys: &str, want: Expect) {
    want.assert_eq(&summary(&changed("id = \"facts\"\n", &format!("id = \"facts\"\n{keys}\n"))));
}

#[test]
fn the_kind_of_question_chooses_who_decides() {
    let pointwise = Judged::Pointwise;
    assert_eq!(route("oracle = \"exact\""), (Oracle::Exact, Decider::Gate, pointwise, vec![]));
    assert_eq!(route("oracle = \"policy_owner\""), (Oracle::PolicyOwner, Decider::Person, pointwise, vec![]));
    assert_eq!(route("oracle = \"none\""), (Oracle::None, Decider::Judge, pointwise, vec![]));
    assert_eq!(route(""), (Oracle::None, Decider::Judge, pointwise, vec![]));
    assert_eq!(route("decided_by = \"gate\""), (Oracle::Exact, Decider::Gate, pointwise, vec![]));
}

#[test]
fn a_judge_is_not_asked_what_can_be_known() {
    refused(
        "oracle = \"exact\"\ndecided_by = \"judge\"",
        expect![[
            r#"12: a question with the oracle "exact" is not for a judge | decided_by = "gate" or "person""#
        ]],
    );
    refused(
        "oracle = \"policy_owner\"\ndecided_by = \"judge\"",
        expect![[
            r#"12: a question with the oracle "policy_owner" is not for a judge | decided_by = "person""#
        ]],
    );
    refused(
        "oracle = \"none\"\ndecided_by = \"gate\"",
        expect![[
            r#"12: a question with the oracle "none" is not for a gate | decided_by = "judge" or "person""#
        ]],
    );
}

#[test]
fn rules_are_named_one_by_one_or_by_family() {
    let rules = |keys: &str| route(&format!("decided_by = \"gate\"\nrules = {keys}")).3;
    assert_eq!(rules("[\"safety.competitor\"]"), ["safety.competitor"]);
    assert_eq!(rules("[\"own.closing\"]"), ["own.closing"]);
    assert_eq!(
        rules("[\"safety.*\", \"safety.competitor\"]"),
        ["safety.competitor", "safety.forbidden_advice"]
    );
    refused(
        "decided_by = \"gate\"\nrules = [\"safety.competitors\"]",
        expect![[r#"9: the gate has no rule "safety.competitors" | did you mean "safety.competitor"?"#]],
    );
    refused(
        "rules = [\"safety.*\"]",
        expect![[r#"9: `rules` are for criteria that a gate decides, not a judge | decided_by = "gate""#]],
    );
}

#[test]
fn a_comparison_has_no_levels() {
    refused(
        "judged = \"pairwise\"",
        expect![[r#"
        9: a criterion that compares two replies needs `tie` | add tie = "…"
        9: a criterion that compares two replies needs `better` | add better = "…"
        14: a criterion that compares two replies has no `weight` | say what the `better` reply does and when it is a `tie`
        15: a criterion that compares two replies has no `anchors` | say what the `better` reply does and when it is a `tie`
        40: target 1.5 is out of range, expected 0 to 1 | a rate is a share: 0.7, not 70; a mean is a level"#]],
    );
    refused(
        "decided_by = \"person\"\njudged = \"pairwise\"",
        expect!["12: `judged` is for criteria that a judge decides, not a person"],
    );
}
