//! Faults of form: traps of the format, wrong types, unknown keys, texts that are not there.

use expect_test::expect;

use super::{check, summary};

#[test]
fn r12_numbers_in_disguise() {
    check(
        "weight = 40",
        "weight = 4e1",
        &expect![
            "23: `weight` must be a plain decimal number, found 4e1 | write it without an exponent: 1000, not 1e3"
        ],
    );
    check(
        "weight = 40",
        "weight = 0x28",
        &expect![
            "23: `weight` must be a plain decimal number, found 0x28 | write it in decimal: 16, not 0x10"
        ],
    );
    check(
        "weight = 40",
        "weight = 4_0",
        &expect![
            "23: `weight` must be a plain decimal number, found 4_0 | write it without `_`: 1000, not 1_000"
        ],
    );
    check(
        "weight = 40",
        "weight = \"40\"",
        &expect!["23: `weight` must be a plain decimal number, found a text | write 40 without quotes"],
    );
    check(
        "weight = 40",
        "weight = 40.0000000000001",
        &expect![
            "23: `weight` must be a plain decimal number, found 40.0000000000001 | write digits such as 4; decimals such as 12.5 only for weights, marks and targets, at most twelve"
        ],
    );
    check(
        "worse_than = 1",
        "worse_than = 0x1",
        &expect!["34: `worse_than` must be a whole number, found 0x1 | write it in decimal: 16, not 0x10"],
    );
    check(
        "worse_than = 1",
        "worse_than = true",
        &expect!["34: `worse_than` must be a whole number, found a boolean"],
    );
}

#[test]
fn r12_texts_in_disguise() {
    check(
        "version = \"1\"",
        "version = 1.0",
        &expect![[r#"2: `version` must be a text, found a number | put it in quotes: "1.0""#]],
    );
    check(
        "version = \"1\"",
        "version = 2025-01-01",
        &expect![[r#"2: `version` must be a text, found a date or time | put it in quotes: "2025-01-01""#]],
    );
    check(
        "title = \"Manner\"",
        "title = no",
        &expect![[r#"21: expected a value, found the bare word `no` | texts stand in quotes: "no""#]],
    );
    check(
        "title = \"Manner\"",
        "title = false",
        &expect![[r#"21: `title` must be a text, found a boolean | put it in quotes: "false""#]],
    );
    check(
        "title = \"Manner\"",
        "title = [\"Manner\"]",
        &expect!["21: `title` must be a text, found a list | one text in quotes"],
    );
    check(
        "title = \"Manner\"",
        "title = \"Manner\"\noutside = \"Truth.\"",
        &expect![[r#"22: `outside` must be a list of texts, found a text | write outside = ["…"]"#]],
    );
    check(
        "title = \"Manner\"",
        "title = \"Man\\u200bner\"",
        &expect![[r#"
        ok
        21: `title` has invisible characters | a judge reads them; write the text again without them"#]],
    );
}

#[test]
fn r12_duplicate_keys_do_not_hide_other_faults() {
    check(
        "weight = 40",
        "weight = 40\nweight = 41\nwieght = 1",
        &expect![[r#"
        24: duplicate key `weight` | a key may stand once in a table; keep one of the two
        25: unknown key `wieght` in [[criterion]] | did you mean `weight`?"#]],
    );
}

#[test]
fn r12_broken_syntax() {
    check(
        "title = \"Manner\"",
        "title = \"Manner",
        &expect![[r#"21: not TOML: invalid basic string, expected `"`"#]],
    );
    check("[pass]", "[pass", &expect!["29: not TOML: unclosed table, expected `]`"]);
    check(
        "title = \"Manner\"",
        "title =",
        &expect![[r#"21: expected a value after `=` | such as "a text" or 40"#]],
    );
    check(
        "title = \"Manner\"",
        "title: Manner",
        &expect![[r#"21: not TOML: key with no value, expected `=` | a line reads: key = "value""#]],
    );
}

#[test]
fn unknown_keys_are_named_with_what_was_meant() {
    check(
        "question = \"Is it polite?\"",
        "qestion = \"Is it polite?\"",
        &expect![[r#"
        19: [[criterion]] has no `question` | add question = …
        22: unknown key `qestion` in [[criterion]] | did you mean `question`?"#]],
    );
    check(
        "weight = 40",
        "weight = 40\nversion = \"2\"",
        &expect!["24: unknown key `version` in [[criterion]] | `version` belongs to the top of the file"],
    );
    check(
        "weight = 40",
        "weight = 40\ncolour = \"red\"",
        &expect![
            "24: unknown key `colour` in [[criterion]] | known keys: id, title, question, weight, oracle, decided_by, rules, judged, better, reference, reasoning, tie, outside, violations, levels, scale, anchors"
        ],
    );
    check(
        "min = 1.5",
        "min = 1.5\nmni = 1",
        &expect!["40: unknown key `mni` in [[target]] | did you mean `min`?"],
    );
    check(
        "[[automatic_fail]]",
        "[automatic_fail]",
        &expect![
            "32: `automatic_fail` must be a list of tables, found a table | write [[automatic_fail]] with two brackets"
        ],
    );
    check("[pass]", "[[pass]]", &expect!["29: `pass` must be a table, found a list"]);
}

#[test]
fn names_and_texts_that_must_be_there() {
    check(
        "name = \"base\"",
        "name = \"Base Rubric\"",
        &expect![[
            r#"1: name "Base Rubric" must be lower-case ASCII words joined by `-`, at most 64 characters | such as name = "support-gold""#
        ]],
    );
    check("name = \"base\"\n", "", &expect!["1: the top of the file has no `name` | add name = …"]);
    check(
        "question = \"Is it polite?\"",
        "question = \"\"",
        &expect![
            "22: `question` in [[criterion]] is empty | say what is meant, or leave an optional key out"
        ],
    );
    expect![[r#"
        1: the top of the file has no `name` | add name = …
        1: the top of the file has no `version` | add version = …
        1: the top of the file has no `title` | add title = …
        1: the rubric has no criterion | add at least one [[criterion]]"#]]
    .assert_eq(&summary(""));
}
