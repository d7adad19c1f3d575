//! Every fault that a contract file can have, with the words and the line it is reported with.

use expect_test::{Expect, expect};

use super::super::{Answers, Floor, Kappa, read};
use super::{BASE, changed, good};

/// Errors, or `ok` and warnings, one per line with its hint behind `|`.
fn summary(text: &str) -> String {
    let (mut lines, problems) = match read(text) {
        Ok(reading) => (vec!["ok".to_owned()], reading.warnings),
        Err(problems) => (Vec::new(), problems),
    };
    for problem in problems {
        let hint = problem.hint.map(|hint| format!(" | {hint}")).unwrap_or_default();
        lines.push(format!("{}: {}{hint}", problem.line, problem.message));
    }
    lines.join("\n")
}

#[track_caller]
fn check(from: &str, to: &str, want: &Expect) {
    want.assert_eq(&summary(&changed(from, to)));
}

#[test]
fn the_base_file_says_what_it_means() {
    let contract = good(BASE);
    assert_eq!(summary(BASE), "ok");
    assert!(contract.blocking.contains(&"pii.card"), "{:?}", contract.blocking);
    assert!(contract.blocking.contains(&"claim.contradicted"));
    assert!(!contract.blocking.contains(&"pii.own_data_echo"), "only rules that are meant to block");
    assert_eq!((contract.rows_min, contract.agreement.kappa), (60, Kappa::Cohen));
    assert_eq!(contract.agreement.beats, [Floor::Baseline, Floor::Constant]);
    assert_eq!((contract.probes.len(), contract.answers), (0, Answers::OneModel));
    assert_eq!(contract.review_path.as_deref(), Some("queue tier-2"));
}

#[test]
fn the_example_is_good() {
    assert_eq!(summary(include_str!("../../../../../examples/contract.toml")), "ok");
}

#[test]
fn a_slice_takes_what_it_does_not_say_from_all_slices() {
    let contract = good(BASE);
    let (named, other) = (contract.slice("address_change"), contract.slice("refund"));
    assert_eq!((named.rows_min, named.agreement_lower_bound_min), (Some(50), Some(0.5)));
    assert_eq!((other.rows_min, other.lower_bound_min), (Some(20), None));
}

#[test]
fn every_byte_makes_another_contract() {
    assert_ne!(good(BASE).hash, good(&format!("{BASE}\n")).hash);
}

#[test]
fn n04_a_contract_that_names_nothing_asks_for_what_every_contract_does() {
    let contract = good("name = \"n\"\nversion = \"1\"\nowner = \"o\"\n");
    assert_eq!(contract.rows_min, 50);
    assert!(contract.blocking.contains(&"pii.card"), "{:?}", contract.blocking);
    assert!(contract.blocking.iter().any(|rule| rule.starts_with("safety.")), "{:?}", contract.blocking);
}

#[test]
fn n04_a_contract_that_names_rules_adds_them_to_those_of_every_contract() {
    let bare = good("name = \"n\"\nversion = \"1\"\nowner = \"o\"\n");
    let own = good(&changed("[\"pii.*\", \"claim\"]", "\"claim.contradicted\""));
    assert_eq!(own.blocking, [&bare.blocking[..], &["claim.contradicted"]].concat());
    let less = good(&changed("[\"pii.*\", \"claim\"]", "\"pii.card\""));
    assert_eq!(less.blocking, bare.blocking);
}

#[test]
fn n04_a_contract_cannot_ask_for_less() {
    check("rows_min = 60", "rows_min = 49", &expect!["9: `rows_min` must be from 50 to 1000000, found 49"]);
    check(
        "pass = [\"all\"]",
        "pass = [\"length\"]",
        &expect![[
            r#"25: `pass` does not list "all", and every probe must pass | add "all"; the others say which probes must have been made"#
        ]],
    );
}

#[test]
fn a_contract_that_asks_for_little_is_warned_of() {
    expect![[r#"
        ok
        1: the contract asks for no more agreement with people than chance | add [agreement] with lower_bound_min, such as 0.60"#]]
    .assert_eq(&summary("name = \"n\"\nversion = \"1\"\nowner = \"o\"\n"));
}

#[test]
fn unknown_rules_and_families() {
    check(
        "\"pii.*\"",
        "\"pie.*\"",
        &expect![[r#"6: the gate has no rule and no family called "pie.*" | did you mean "pii"?"#]],
    );
    check(
        "\"pii.*\"",
        "\"pii.card_number\"",
        &expect![[
            r#"6: the gate has no rule and no family called "pii.card_number" | families: claim, evidence, pii, record, reply, safety; `probity gate rules` lists the rules"#
        ]],
    );
    check(
        "\"pii.*\"",
        "\"reply.*\"",
        &expect![
            "6: no rule of the family `reply` is meant to block | name the rules themselves; `probity gate rules` lists them"
        ],
    );
    check("\"pii.*\"", "\"reply.empty\"", &expect!["ok"]);
    check("\"pii.*\"", "\"own.closing\"", &expect!["ok"]);
    check(
        "[\"pii.*\", \"claim\"]",
        "[]",
        &expect![[
            r#"6: `block` lists nothing that must block | such as block = ["claim.*"], or leave [gates] out"#
        ]],
    );
    check(
        "[\"pii.*\", \"claim\"]",
        "[\"zzzzzz\"]",
        &expect![[
            r#"6: the gate has no rule and no family called "zzzzzz" | families: claim, evidence, pii, record, reply, safety; `probity gate rules` lists the rules"#
        ]],
    );
}

#[test]
fn numbers_out_of_range() {
    check(
        "lower_bound_min = 0.60",
        "lower_bound_min = 60",
        &expect!["12: `lower_bound_min` must be from 0 to 1, found 60 | a share or a kappa: 0.6, not 60"],
    );
    check(
        "human_share_min = 0.80",
        "human_share_min = -0.1",
        &expect!["13: `human_share_min` must be from 0 to 1, found -0.1 | a share or a kappa: 0.6, not 60"],
    );
    check("rows_min = 60", "rows_min = 0", &expect!["9: `rows_min` must be from 50 to 1000000, found 0"]);
    check(
        "rows_min = 60",
        "rows_min = 1e3",
        &expect![
            "9: `rows_min` must be a whole number, found 1e3 | write it without an exponent: 1000, not 1e3"
        ],
    );
    check("valid_days = 90", "valid_days = 0", &expect!["37: `valid_days` must be from 1 to 3650, found 0"]);
    check(
        "valid_days = 90",
        "until = \"soon\"",
        &expect![[
            r#"37: `until`: "soon" is no moment, expected a date such as 2026-04-01 or 2026-04-01T09:30:00Z"#
        ]],
    );
    check(
        "min = 0.95",
        "min = \"0.95\"",
        &expect!["31: `min` must be a plain decimal number, found a text | write 0.95 without quotes"],
    );
}

#[test]
fn wrong_words() {
    check(
        "\"baseline\", \"constant\"",
        "\"base\"",
        &expect![[r#"14: `beats` must list some of baseline, constant, prefer_longer, found "base""#]],
    );
    check("\"one\"", "\"two\"", &expect![[r#"34: `fingerprints` must be one of one, any, found "two""#]]);
    check(
        "beats = [\"baseline\", \"constant\"]",
        "measure = \"kappa\"",
        &expect![[
            r#"14: `measure` must be one of cohen_kappa, cohen_kappa_linear, cohen_kappa_quadratic, krippendorff_alpha, found "kappa""#
        ]],
    );
    check(
        "rows_min = 60",
        "row_min = 60",
        &expect![[r#"
        8: [labels] has no `rows_min` | add rows_min = …
        9: unknown key `row_min` in [labels] | did you mean `rows_min`?"#]],
    );
    check("[coverage]\nmin = 0.95", "[coverage]", &expect!["30: [coverage] has no `min` | add min = …"]);
    check(
        "owner = \"quality team\"\n",
        "",
        &expect!["1: the top of the file has no `owner` | add owner = …"],
    );
    check(
        "pass = [\"all\"]",
        "pass = []",
        &expect![[r#"25: `pass` lists no probe | write pass = ["all"], or leave [probes] out"#]],
    );
    check("pass = [\"all\"]", "pass = [\"all\", \"length\"]", &expect!["ok"]);
}

#[test]
fn tables_that_say_nothing() {
    check(
        "name = \"address_change\"\nrows_min = 50",
        "name = \"address_change\"",
        &expect![
            "20: a slice that must reach nothing | say `rows_min`, `agreement_lower_bound_min` or `lower_bound_min`"
        ],
    );
    check(
        "valid_days = 90",
        "",
        &expect!["36: [expiry] says neither `valid_days` nor `until` | such as valid_days = 90"],
    );
    check(
        "lower_bound_min = 0.60\nhuman_share_min = 0.80\nbeats = [\"baseline\", \"constant\"]",
        "",
        &expect!["11: [agreement] asks for nothing | say `lower_bound_min`, `human_share_min` or `beats`"],
    );
    check(
        "rows_min = 50",
        "rows_min = 50\n[[slice]]\nname = \"address_change\"\nrows_min = 5",
        &expect![[
            r#"24: slice "address_change" stands twice | say all that it must reach in one [[slice]]"#
        ]],
    );
}

#[test]
fn all_faults_come_out_at_once() {
    let text = BASE.replace("version = \"1\"", "version = 1").replace("\"pii.*\"", "\"pie\"");
    expect![[r#"
        2: `version` must be a text, found a number | put it in quotes: "1"
        6: the gate has no rule and no family called "pie" | did you mean "pii"?
        37: `valid_days` must be a whole number, found a boolean"#]]
    .assert_eq(&summary(&text.replace("valid_days = 90", "valid_days = true")));
}
