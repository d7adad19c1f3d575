//! Faults of meaning: every one a rubric file can have, and the words and the line it is reported with.

use expect_test::expect;
use proptest::prelude::*;

use super::{BASE, changed, check, read, summary};

#[test]
fn the_base_file_is_good() {
    expect!["ok"].assert_eq(&summary(BASE));
}

#[test]
fn r01_weights_that_do_not_sum_to_100() {
    check(
        "weight = 40",
        "weight = 39.9",
        &expect!["13: weights sum to 99.9, expected 100 | 60 + 39.9 = 99.9; weights are not normalised"],
    );
    check(
        "weight = 40",
        "weight = 41",
        &expect!["13: weights sum to 101, expected 100 | 60 + 41 = 101; weights are not normalised"],
    );
    check(
        "weight = 40",
        "weight = 39.99999999",
        &expect![
            "13: weights sum to 99.99999999, expected 100 | 60 + 39.99999999 = 99.99999999; weights are not normalised"
        ],
    );
    let zero = BASE.replace("weight = 40", "weight = 0").replace("weight = 60", "weight = 0");
    expect!["13: weights sum to 0, expected 100 | 0 + 0 = 0; weights are not normalised"]
        .assert_eq(&summary(&zero));
}

#[test]
fn r01_a_billionth_is_tolerated_and_not_more() {
    check("weight = 40", "weight = 39.999999999", &expect!["ok"]);
    check(
        "weight = 40",
        "weight = 39.999999998",
        &expect![
            "13: weights sum to 99.999999998, expected 100 | 60 + 39.999999998 = 99.999999998; weights are not normalised"
        ],
    );
}

#[test]
fn r01_all_criteria_have_a_weight_or_none() {
    check(
        "weight = 40\n",
        "",
        &expect![
            "19: criterion manner has no weight, but facts has | give every criterion a weight, or none"
        ],
    );
}

#[test]
fn r02_weights_out_of_range() {
    check(
        "weight = 40",
        "weight = -40",
        &expect![
            "23: weight -40 is out of range, expected 0 to 100 | a weight is the points out of 100 that the best level earns"
        ],
    );
    check(
        "weight = 40",
        "weight = 100.5",
        &expect![
            "23: weight 100.5 is out of range, expected 0 to 100 | a weight is the points out of 100 that the best level earns"
        ],
    );
    check(
        "weight = 40",
        "weight = nan",
        &expect![
            "23: `weight` must be a plain decimal number, found nan | only a number that can be counted with will do"
        ],
    );
    check(
        "weight = 40",
        "weight = -inf",
        &expect![
            "23: `weight` must be a plain decimal number, found -inf | only a number that can be counted with will do"
        ],
    );
}

#[test]
fn r02_a_weight_of_zero_is_looked_at() {
    let zero = BASE.replace("weight = 40", "weight = 100").replace("weight = 60", "weight = 0");
    expect![[r#"
        ok
        13: weight 0: the criterion does not count towards the total | give it points, or an [[automatic_fail]]"#]].assert_eq(&summary(&zero));
    let with_fail = BASE.replace("weight = 40", "weight = 0").replace("weight = 60", "weight = 100");
    expect!["ok"].assert_eq(&summary(&with_fail));
}

#[test]
fn r03_equal_ids() {
    check(
        "id = \"manner\"",
        "id = \"facts\"",
        &expect![[r#"
        20: criterion id `facts` stands twice | the other stands on line 10
        33: there is no criterion "manner" | the criteria are facts, facts"#]],
    );
    check(
        "id = \"manner\"",
        "id = \"Facts\"",
        &expect![[r#"
        20: criterion ids `facts` and `Facts` differ only by case or look | the other stands on line 10
        20: criterion id "Facts" must be lower-case ASCII letters, digits and `_`, start with a letter and have at most 64 characters | write "facts"
        33: there is no criterion "manner" | the criteria are facts, Facts"#]],
    );
    check(
        "id = \"manner\"",
        "id = \"ｆacts\"",
        &expect![[r#"
        20: criterion ids `facts` and `ｆacts` differ only by case or look | the other stands on line 10
        20: criterion id "ｆacts" must be lower-case ASCII letters, digits and `_`, start with a letter and have at most 64 characters | the title may be written in any script; the id names results
        33: there is no criterion "manner" | the criteria are facts, ｆacts"#]],
    );
    let look = BASE.replace("\"facts\"", "\"tool\"").replace("\"manner\"", "\"t0o1\"");
    expect!["20: criterion ids `tool` and `t0o1` differ only by case or look | the other stands on line 10"]
        .assert_eq(&summary(&look));
}

#[test]
fn r03_ids_that_are_none() {
    check(
        "id = \"manner\"",
        "id = \"mаnner\"",
        &expect![[r#"
        20: criterion id "mаnner" must be lower-case ASCII letters, digits and `_`, start with a letter and have at most 64 characters | the title may be written in any script; the id names results
        33: there is no criterion "manner" | the criteria are facts, mаnner"#]],
    );
    check(
        "id = \"manner\"",
        "id = \"good manner\"",
        &expect![[r#"
        20: criterion id "good manner" must be lower-case ASCII letters, digits and `_`, start with a letter and have at most 64 characters | write "good_manner"
        33: there is no criterion "manner" | the criteria are facts, good manner"#]],
    );
    check(
        "id = \"manner\"",
        "id = \"total\"",
        &expect![[r#"
            20: criterion id `total` has another meaning in results | other such names: criterion, error, fail_reasons, gate, id, issues, outcome, packet, reasoning, reply, score, slice, ticket, total, variant, violations
            33: there is no criterion "manner" | the criteria are facts, total"#]],
    );
}

#[test]
fn r04_missing_anchor() {
    check(
        "1 = \"Mixed.\"\n",
        "",
        &expect!["14: no anchor for level 1 | say under [criterion.anchors] what each level means"],
    );
    check(
        "[criterion.anchors]\n0 = \"Wrong.\"\n1 = \"Mixed.\"\n2 = \"Right.\"\n",
        "",
        &expect!["9: no anchor for level 0, 1, 2 | say under [criterion.anchors] what each level means"],
    );
}

#[test]
fn r04_anchor_off_the_scale() {
    check(
        "2 = \"Right.\"",
        "2 = \"Right.\"\n3 = \"More than right.\"",
        &expect!["18: anchor `3` is not a level of the scale | the levels are 0, 1, 2"],
    );
    check(
        "2 = \"Right.\"",
        "02 = \"Right.\"",
        &expect![[r#"
        14: no anchor for level 2 | say under [criterion.anchors] what each level means
        17: anchor `02` is not a level of the scale | the levels are 0, 1, 2"#]],
    );
    check(
        "2 = \"Right.\"",
        "best = \"Right.\"",
        &expect![[r#"
        14: no anchor for level 2 | say under [criterion.anchors] what each level means
        17: anchor `best` is not a level of the scale | the levels are 0, 1, 2"#]],
    );
}

#[test]
fn r05_inverted_anchors() {
    let inverted =
        BASE.replace("0 = \"Wrong.\"", "0 = \"Right.\"").replace("2 = \"Right.\"", "2 = \"Wrong.\"");
    expect![[r#"
        ok
        14: level 0 should be the worst and 2 the best, but the anchors read otherwise | if the lowest level is the best, say direction = "lower_is_better""#]].assert_eq(&summary(&inverted));
    check(
        "max = 2",
        "max = 2\ndirection = \"lower_is_better\"",
        &expect![[r#"
        ok
        15: level 2 should be the worst and 0 the best, but the anchors read otherwise | the scale says lower_is_better; drop it if the highest level is the best
        25: level 2 should be the worst and 0 the best, but the anchors read otherwise | the scale says lower_is_better; drop it if the highest level is the best"#]],
    );
    check(
        "max = 2",
        "max = 2\ndirection = \"lower\"",
        &expect![[r#"8: `direction` must be one of higher_is_better, lower_is_better, found "lower""#]],
    );
}

#[test]
fn r05_negated_words_count_the_other_way() {
    let inverted = BASE
        .replace("0 = \"Rude.\"", "0 = \"No violations at all.\"")
        .replace("2 = \"Polite.\"", "2 = \"Any violation, however small.\"");
    expect![[r#"
        ok
        24: level 0 should be the worst and 2 the best, but the anchors read otherwise | if the lowest level is the best, say direction = "lower_is_better""#]].assert_eq(&summary(&inverted));
    let straight = BASE
        .replace("0 = \"Rude.\"", "0 = \"Any violation, however small.\"")
        .replace("2 = \"Polite.\"", "2 = \"No violations at all.\"");
    expect!["ok"].assert_eq(&summary(&straight));
}

#[test]
fn r06_scales_that_are_none() {
    check(
        "min = 0\nmax = 2",
        "min = 2\nmax = 2",
        &expect!["5: the scale has one level, 2, expected at least two | `max` must be above `min`"],
    );
    check(
        "min = 0\nmax = 2",
        "min = 2\nmax = 0",
        &expect![[
            r#"5: the scale is reversed: min 2 is above max 0 | write min = 0 and max = 2; where 0 is best, add direction = "lower_is_better""#
        ]],
    );
    check(
        "max = 2",
        "max = 2.0",
        &expect![
            "7: `max` must be a whole number, found 2.0 | write digits such as 4; decimals such as 12.5 only for weights, marks and targets, at most twelve"
        ],
    );
    check(
        "max = 2",
        "max = 2.5",
        &expect![
            "7: `max` must be a whole number, found 2.5 | write digits such as 4; decimals such as 12.5 only for weights, marks and targets, at most twelve"
        ],
    );
    check(
        "max = 2",
        "max = 999",
        &expect![
            "5: the scale has 1000 levels, expected at most 101 | every level needs an anchor that tells it from the next"
        ],
    );
    check(
        "max = 2",
        "max = 9223372036854775807",
        &expect![
            "5: level 9223372036854775807 is out of range, expected -1000 to 1000 | a scale of a few levels is easiest to agree on"
        ],
    );
    check(
        "max = 2\n",
        "",
        &expect!["5: a scale needs `min` and `max`, or `levels` | such as min = 1 and max = 5"],
    );
    check(
        "[scale]\nmin = 0\nmax = 2\n",
        "",
        &expect![[r#"
        6: the criterion has no scale | add [scale] with min and max for all criteria, or `levels` here
        16: the criterion has no scale | add [scale] with min and max for all criteria, or `levels` here"#]],
    );
    check(
        "max = 2",
        "max = 2\nlevels = [0, 1, 2]",
        &expect!["8: a scale has `levels` or `min` and `max`, not both | keep one of the two"],
    );
}

#[test]
fn r06_levels_that_are_none() {
    check(
        "weight = 40",
        "weight = 40\nlevels = [2, 0]",
        &expect!["24: `levels` must ascend, each level once | write levels = [0, 2]"],
    );
    check(
        "weight = 40",
        "weight = 40\nlevels = [1, 1]",
        &expect!["24: `levels` must have at least two different levels | such as levels = [0, 4]"],
    );
    check(
        "weight = 40",
        "weight = 40\nlevels = []",
        &expect!["24: `levels` must have at least two different levels | such as levels = [0, 4]"],
    );
    check(
        "weight = 40",
        "weight = 40\nlevels = [0, 1.5, \"2\"]",
        &expect![[r#"
        24: `levels` must be a whole number, found 1.5 | write digits such as 4; decimals such as 12.5 only for weights, marks and targets, at most twelve
        24: `levels` must be a whole number, found a text | write 2 without quotes"#]],
    );
    check(
        "weight = 40",
        "weight = 40\nlevels = [0, 2]\nscale = { min = 0, max = 2 }",
        &expect![
            "24: a criterion has `levels` or its own `scale`, not both | a scale may hold `levels` and `direction`"
        ],
    );
}

#[test]
fn r06_many_levels_are_looked_at() {
    let anchors: Vec<String> = (3..=11).map(|level| format!("{level} = \"Level {level}\"")).collect();
    let anchors = anchors.join("\n");
    let many = BASE
        .replace("max = 2", "max = 11")
        .replace("2 = \"Right.\"\n", &format!("2 = \"Two.\"\n{anchors}\n"))
        .replace("2 = \"Polite.\"\n", &format!("2 = \"Two.\"\n{anchors}\n"));
    expect![[r#"
        ok
        5: the scale has 12 levels; more than 11 are hard to tell apart | people and judges agree better on five or so"#]].assert_eq(&summary(&many));
}

#[test]
fn r06_scales_with_no_common_measure() {
    let criterion = |width: i64| {
        format!(
            "[[criterion]]\nid = \"c{width}\"\ntitle = \"T\"\nquestion = \"Q?\"\nweight = 20\n\
             levels = [0, {width}]\n[criterion.anchors]\n0 = \"a\"\n{width} = \"b\"\n"
        )
    };
    let criteria: String = [997, 991, 983, 977, 971].into_iter().map(criterion).collect();
    let text = format!("name = \"n\"\nversion = \"1\"\ntitle = \"T\"\n{criteria}");
    let refused =
        expect!["4: the scales are too different to be added up exactly | let criteria share a scale"];
    refused.assert_eq(&summary(&text));
    refused.assert_eq(&summary(&text.replace("weight = 20\n", "")));
}

#[test]
fn r07_equal_and_empty_anchors() {
    check(
        "1 = \"Mixed.\"",
        "1 = \" WRONG. \"",
        &expect![
            "16: levels 0 and 1 have the same anchor | the two levels cannot be told apart; say what sets them apart"
        ],
    );
    check(
        "1 = \"Mixed.\"",
        "1 = \" \\t\"",
        &expect![
            "16: `anchors.1` in [[criterion]] is empty | say what is meant, or leave an optional key out"
        ],
    );
    check(
        "1 = \"Mixed.\"",
        "1 = \"\\u200b\"",
        &expect![
            "16: `anchors.1` in [[criterion]] is empty | say what is meant, or leave an optional key out"
        ],
    );
}

#[test]
fn r08_automatic_fails_that_cannot_be_meant() {
    check(
        "criterion = \"manner\"",
        "criterion = \"manners\"",
        &expect![[r#"33: there is no criterion "manners" | the criteria are facts, manner"#]],
    );
    check(
        "worse_than = 1",
        "worse_than = 0",
        &expect![
            "34: the automatic fail on manner can never trigger: no level is worse than 0 | the levels from worst to best are 0, 1, 2"
        ],
    );
    check(
        "worse_than = 1",
        "worse_than = 3",
        &expect![
            "34: worse_than 3 is not a level of manner; every reply would fail | the levels from worst to best are 0, 1, 2"
        ],
    );
    check(
        "worse_than = 1",
        "worse_than = -9223372036854775808",
        &expect![
            "34: worse_than -9223372036854775808 is not a level of manner | the levels from worst to best are 0, 1, 2"
        ],
    );
    check(
        "worse_than = 1",
        "worse_than = -1",
        &expect!["34: worse_than -1 is not a level of manner | the levels from worst to best are 0, 1, 2"],
    );
    check(
        "worse_than = 1\n",
        "",
        &expect!["32: [[automatic_fail]] has no `worse_than` | add worse_than = …"],
    );
    let twice = "worse_than = 1\n[[automatic_fail]]\ncriterion = \"manner\"\nworse_than = 2\n";
    check(
        "worse_than = 1\n",
        twice,
        &expect!["36: criterion manner has two automatic fails | keep the one with the threshold you mean"],
    );
    check(
        "id = \"manner\"",
        "id = \"manner\"\ndecided_by = \"gate\"",
        &expect![
            "33: the automatic fail on manner can never trigger: a gate decides it | a gate blocks the reply instead; drop the automatic fail"
        ],
    );
}

#[test]
fn r09_pass_marks_that_decide_nothing() {
    check(
        "total_min = 70",
        "total_min = 100.1",
        &expect![
            "30: no reply can reach total_min 100.1: the highest total is 100 | set it between the lowest and the highest total"
        ],
    );
    check(
        "total_min = 70",
        "total_min = 0",
        &expect![
            "30: every reply reaches total_min 0: the lowest total is 0 | set it between the lowest and the highest total"
        ],
    );
    check(
        "total_min = 70",
        "total_min = -5",
        &expect![
            "30: every reply reaches total_min -5: the lowest total is 0 | set it between the lowest and the highest total"
        ],
    );
    check("id = \"facts\"\n", "id = \"facts\"\ndecided_by = \"gate\"\n", &expect!["ok"]);
    let granted = changed("id = \"facts\"\n", "id = \"facts\"\ndecided_by = \"gate\"\n");
    expect!["31: every reply reaches total_min 60: the lowest total is 60 | set it between the lowest and the highest total"].assert_eq(&summary(&granted.replace("total_min = 70", "total_min = 60")));
    check("total_min = 70", "total_min = 100", &expect!["ok"]);
    check("total_min = 70\n", "", &expect!["29: [pass] has no `total_min` | add total_min = …"]);
}

#[test]
fn r09_a_pass_rule_needs_weights_and_a_fail_needs_a_pass_rule() {
    let unweighted = BASE.replace("weight = 40\n", "").replace("weight = 60\n", "");
    expect!["27: [pass] needs a total, but no criterion has a weight | give every criterion a weight; they must sum to 100"].assert_eq(&summary(&unweighted));
    check(
        "[pass]\ntotal_min = 70\n",
        "",
        &expect!["30: [[automatic_fail]] without [pass]: nothing can fail | add [pass] with total_min"],
    );
}

#[test]
fn targets_that_cannot_be_meant() {
    check(
        "min = 1.5",
        "min = 2.5",
        &expect![
            "39: target 2.5 is out of range, expected 0 to 2 | a rate is a share: 0.7, not 70; a mean is a level"
        ],
    );
    check(
        "min = 1.5\n",
        "",
        &expect![
            "36: the target has neither `min` nor `max` | set the lowest or the highest value wanted, or both"
        ],
    );
    check(
        "min = 1.5",
        "min = 1.5\nmax = 1",
        &expect!["36: no value is at least 1.5 and at most 1 | `min` must not be above `max`"],
    );
    check(
        "criterion = \"facts\"\nmin",
        "min",
        &expect![[r#"36: a target for mean needs a `criterion` | such as criterion = "accuracy""#]],
    );
    check(
        "criterion = \"facts\"\nmin",
        "criterion = \"fact\"\nmin",
        &expect![[r#"38: there is no criterion "fact" | the criteria are facts, manner"#]],
    );
    check(
        "metric = \"mean\"",
        "metric = \"average\"",
        &expect![[
            r#"37: `metric` must be one of pass_rate, mean, automatic_fail_rate, mean_confidence, found "average""#
        ]],
    );
    check(
        "metric = \"mean\"\ncriterion = \"facts\"\nmin = 1.5",
        "metric = \"pass_rate\"\nmin = 70",
        &expect![
            "38: target 70 is out of range, expected 0 to 1 | a rate is a share: 0.7, not 70; a mean is a level"
        ],
    );
    check(
        "metric = \"mean\"",
        "metric = \"mean_confidence\"",
        &expect![[r#"
        38: mean_confidence is not of one criterion | `criterion` goes with metric = "mean"
        39: target 1.5 is out of range, expected 0 to 1 | a rate is a share: 0.7, not 70; a mean is a level"#]],
    );
    let twice = "min = 1.5\n[[target]]\nmetric = \"mean\"\ncriterion = \"facts\"\nmax = 2\n";
    check(
        "min = 1.5\n",
        twice,
        &expect!["40: a second target for the same figure | one target may have both `min` and `max`"],
    );
    let scores_only = "[[target]]\nmetric = \"pass_rate\"\nmin = 0.5\n[[target]]\nmetric = \"automatic_fail_rate\"\nmax = 0\n";
    let (head, _) = BASE.split_once("[pass]").expect("the base file has a pass rule");
    expect![[r#"
        30: a target for pass_rate, but nothing says when a reply passes | add [pass] with total_min
        33: a target for automatic_fail_rate, but nothing fails by itself | add an [[automatic_fail]]"#]]
    .assert_eq(&summary(&format!("{head}{scores_only}")));
}

#[test]
fn all_faults_come_at_once_by_line() {
    let text = BASE
        .replace("version = \"1\"", "version = 1")
        .replace("weight = 40", "weight = -1")
        .replace("1 = \"Mixed.\"\n", "")
        .replace("total_min = 70", "total_min = 170")
        .replace("min = 1.5", "min = 15");
    expect![[r#"
        2: `version` must be a text, found a number | put it in quotes: "1"
        14: no anchor for level 1 | say under [criterion.anchors] what each level means
        22: weight -1 is out of range, expected 0 to 100 | a weight is the points out of 100 that the best level earns
        29: no reply can reach total_min 170: the highest total is 100 | set it between the lowest and the highest total
        38: target 15 is out of range, expected 0 to 2 | a rate is a share: 0.7, not 70; a mean is a level"#]].assert_eq(&summary(&text));
}

proptest! {
    /// Whatever is done to a file, it is read or refused with lines that it has.
    #[test]
    fn damaged_files_are_read_or_refused(at in 0..BASE.len(), cut in 0usize..20, put in "[\\[\\]=\"0-9a-z\\n.\\- {}']{0,6}") {
        let at = (0..=at).rev().find(|at| BASE.is_char_boundary(*at)).unwrap_or(0);
        let tail: String = BASE[at..].chars().skip(cut).collect();
        let text = format!("{}{put}{tail}", &BASE[..at]);
        let n_lines = text.lines().count().max(1) + 1;
        if let Err(problems) = read(&text) {
            prop_assert!(!problems.is_empty());
            prop_assert!(problems.iter().all(|problem| (1..=n_lines).contains(&problem.line)));
        }
    }
}
