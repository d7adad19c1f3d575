//! What a good file means: values exactly as written, and a hash of nothing but the meaning.

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
        .replace("weight = 40", &format!("weight = 40\nviolations = [\"{literal}\"]\ntie = \"{literal}\""));
    let rubric = good(&text);
    let manner = &rubric.criteria()[1];
    assert_eq!(manner.question, nasty);
    assert_eq!(manner.anchors[2].text, nasty);
    assert_eq!(manner.violations, [nasty]);
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
        "violations = [\"Insult.\"]",
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
