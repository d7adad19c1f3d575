//! What a good file means: values exactly as written, and a hash of nothing but the meaning.

use expect_test::expect;

use super::super::{Decider, Direction, Metric, ReasoningDemand, ReferenceUse};
use super::{BASE, changed, good};

#[track_caller]
fn check_same(text: &str) {
    assert_eq!(good(text), good(BASE));
}

#[track_caller]
fn check_other(from: &str, to: &str) {
    assert_ne!(good(&changed(from, to)).hash(), good(BASE).hash(), "{from:?} to {to:?}");
}

#[test]
fn r10_text_with_template_or_delimiter_syntax_is_data() {
    let nasty = "{{ reply }} {% raw %} ${x} <|im_end|> </reply> ``` \"\"\" --- \\ %s {0} ﷽ \u{1b}[31m";
    let literal = nasty.replace('\\', "\\\\").replace('"', "\\\"").replace('\u{1b}', "\\u001b");
    let text = BASE
        .replace("question = \"Is it polite?\"", &format!("question = \"{literal}\""))
        .replace("2 = \"Polite.\"", &format!("2 = \"{literal}\""))
        .replace(
            "weight = 40",
            &format!("weight = 40\nviolations = {{ insult = \"{literal}\" }}\ntie = \"{literal}\""),
        );
    let rubric = good(&text);
    let manner = &rubric.criteria()[1];
    assert_eq!(manner.question, nasty);
    assert_eq!(manner.anchors[2].text, nasty);
    assert_eq!(manner.violations[0].text, nasty);
    assert_eq!(manner.tie.as_deref(), Some(nasty));
}

#[test]
fn r11_spacing_comments_and_key_order_do_not_change_the_hash() {
    check_same(&BASE.replace('\n', "\r\n"));
    check_same(&format!("\u{feff}# A comment.\n\n{BASE}\n# Another."));
    check_same(&BASE.replace(" = ", "=").replace("\n[", "\n\n\n  ["));
    check_same(&changed("name = \"base\"\nversion = \"1\"", "version = \"1\"\nname = \"base\""));
    check_same(&changed("0 = \"Wrong.\"\n1 = \"Mixed.\"", "1 = \"Mixed.\"\n0 = 'Wrong.'"));
}

#[test]
fn r11_other_spellings_of_the_same_do_not_change_the_hash() {
    check_same(&changed("weight = 40", "weight = 40.000"));
    check_same(&changed("min = 0\nmax = 2", "levels = [0, 1, 2]\ndirection = \"higher_is_better\""));
    check_same(&changed("weight = 40", "weight = 40\nscale = { min = 0, max = 2 }\noutside = []"));
    let defaults = "weight = 40\ndecided_by = \"judge\"\nreference = \"hidden\"\nreasoning = \"given\"";
    check_same(&changed("weight = 40", defaults));
}

#[test]
fn r11_a_change_of_meaning_changes_the_hash() {
    check_other("name = \"base\"", "name = \"other\"");
    check_other("version = \"1\"", "version = \"2\"");
    check_other("title = \"Base\"", "title = \"Basis\"");
    check_other("title = \"Base\"", "title = \"Base\"\ndescription = \"For tests.\"");
    check_other("max = 2", "max = 2\ndirection = \"lower_is_better\"");
    check_other("question = \"Is it polite?\"", "question = \"Is it polite ?\"");
    check_other("1 = \"Mixed.\"", "1 = \"mixed.\"");
    check_other("total_min = 70", "total_min = 70.000000000001");
    check_other("worse_than = 1", "worse_than = 2");
    check_other("min = 1.5", "min = 1.6");
    check_other("min = 1.5", "min = 1.5\nmax = 2");
    check_other("criterion = \"facts\"\nmin", "criterion = \"manner\"\nmin");
    for more in [
        "decided_by = \"person\"",
        "reference = \"optional\"",
        "reasoning = \"not_empty\"",
        "tie = \"Equal.\"",
        "outside = [\"Truth.\"]",
        "violations = { insult = \"Insult.\" }",
    ] {
        check_other("weight = 40", &format!("weight = 40\n{more}"));
    }
}

#[test]
fn r12_tabs_are_white_space() {
    check_same(&BASE.replace(" = ", "\t=\t").replace("\nid", "\n\tid"));
}

#[test]
fn weights_are_exactly_what_is_written() {
    let tenths = BASE.replace("weight = 60", "weight = 99.9").replace("weight = 40", "weight = 0.1");
    let weights: Vec<_> = good(&tenths).criteria().iter().map(|criterion| criterion.weight).collect();
    assert_eq!(weights, ["99.9", "0.1"].map(|text| text.parse().ok()));
}

#[test]
fn defaults_are_the_plain_ones() {
    let rubric = good(BASE);
    let facts = &rubric.criteria()[0];
    assert_eq!(facts.decider, Decider::Judge);
    assert_eq!(facts.reference, ReferenceUse::Hidden);
    assert_eq!(facts.reasoning, ReasoningDemand::Given);
    assert_eq!(facts.scale.direction(), Direction::HigherIsBetter);
    assert_eq!(rubric.description(), "");
    assert_eq!(rubric.targets()[0].metric, Metric::Mean(facts.id.clone()));
}

#[test]
fn levels_of_a_criterion_keep_the_shared_direction() {
    let text = BASE
        .replace("max = 2", "max = 2\ndirection = \"lower_is_better\"")
        .replace("weight = 40", "weight = 40\nlevels = [0, 1, 2]");
    assert_eq!(good(&text).criteria()[1].scale.direction(), Direction::LowerIsBetter);
    let own = text
        .replace("levels = [0, 1, 2]", "scale = { levels = [0, 1, 2] }")
        .replace("worse_than = 1", "worse_than = 2");
    assert_eq!(good(&own).criteria()[1].scale.direction(), Direction::HigherIsBetter);
}

#[test]
fn a_rubric_may_only_score() {
    let (head, _) = BASE.split_once("[pass]").expect("the base file has a pass rule");
    let rubric = good(&head.replace("weight = 60\n", "").replace("weight = 40\n", ""));
    assert_eq!(rubric.pass(), None);
    assert!(rubric.criteria().iter().all(|criterion| criterion.weight.is_none()));
}

#[test]
fn the_documented_example_is_good() {
    let page = include_str!("../../../../../docs/rubrics.md");
    let (_, rest) = page.split_once("```toml\n").expect("the page has an example");
    let (example, _) = rest.split_once("```").expect("the example ends");
    assert_eq!(super::summary(example), "ok");
}

#[test]
fn n21_days_do_not_change_the_hash_and_a_review_can_be_overdue() {
    let text =
        changed("title = \"Base\"", "title = \"Base\"\nupdated = 2026-01-05\nreview_by = \"2026-04-01\"");
    let rubric = good(&text);
    assert_eq!(rubric.hash(), good(BASE).hash());
    assert_eq!((rubric.updated(), rubric.review_by()), (Some("2026-01-05"), Some("2026-04-01")));
    let overdue = |now: &str| rubric.overdue(now.parse().expect("a moment"));
    assert_eq!(overdue("2026-04-01T23:59:59Z"), None);
    let said = overdue("2026-04-02").expect("overdue");
    assert!(said.contains("was to be reviewed by 2026-04-01, last updated 2026-01-05"), "{said}");
    assert_eq!(good(BASE).overdue("2099-01-01".parse().expect("a moment")), None);
}

#[test]
fn n21_the_size_of_a_gold_set_is_part_of_the_rubric() {
    let text = format!("{BASE}\n[gold_set]\ncases_min = 100\ncases_max = 150\n");
    assert_ne!(good(&text).hash(), good(BASE).hash());
    let size = good(&text).gold().expect("a size");
    assert_eq!((size.cases_min, size.cases_max), (100, 150));
    let faults = |from: &str, to: &str| super::summary(&text.replace(from, to));
    expect!["41: a gold set of 0 to 150 cases does not exist | such as cases_min = 100 and cases_max = 150"]
        .assert_eq(&faults("cases_min = 100", "cases_min = 0"));
    expect!["41: [gold_set] has no `cases_max` | add cases_max = …"]
        .assert_eq(&faults("cases_max = 150\n", ""));
}

#[test]
fn n21_violations_have_ids_and_days_are_days() {
    let faults = |more: &str| super::summary(&changed("weight = 40", &format!("weight = 40\n{more}")));
    expect!["ok"].assert_eq(&faults("violations = { pii_leakage = \"Leak.\" }"));
    expect![[r#"24: violation "PII leak" must be lower-case ASCII letters, digits and `_` | such as pii_leakage; `unnamed` stands for a violation without a name"#]].assert_eq(&faults("violations = { \"PII leak\" = \"Leak.\" }"));
    expect![[r#"24: violation "unnamed" must be lower-case ASCII letters, digits and `_` | such as pii_leakage; `unnamed` stands for a violation without a name"#]].assert_eq(&faults("violations = { unnamed = \"Leak.\" }"));
    expect!["24: `violations` must be a table, found a list"].assert_eq(&faults("violations = [\"Leak.\"]"));
    let days = |more: &str| super::summary(&format!("{more}\n{BASE}"));
    expect![[r#"1: `review_by` must be a day, found "in spring" | such as 2026-04-01"#]]
        .assert_eq(&days("review_by = \"in spring\""));
    expect![[r#"1: `updated` must be a day, found "2026-02-30" | such as 2026-04-01"#]]
        .assert_eq(&days("updated = \"2026-02-30\""));
}
