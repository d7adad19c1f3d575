//! Texts of settings, well and badly written.

use expect_test::{Expect, expect};

use super::*;

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a case is one line")]
fn check(text: &str, want: Expect) {
    let shown =
        Layer::read("probity.toml", text).map_or_else(|error| error.to_string(), |_| "fine".to_owned());
    want.assert_eq(&shown);
}

#[test]
fn an_empty_file_is_fine() {
    check("", expect!["fine"]);
    check("\u{feff}# only a comment\n[run]\n", expect!["fine"]);
}

#[test]
fn unknown_keys_are_errors_with_the_nearest_known_one() {
    check(
        "[run]\nrubrik = 'x'\n\n[schedul]\n",
        expect![[r#"
            probity.toml:2: unknown setting `rubrik` in [run]
              hint: did you mean `rubric`?
            probity.toml:4: unknown setting `schedul`
              hint: did you mean `schedule`?"#]],
    );
    check(
        "[judges.mine]\nkind = 'openai'\nbaseurl = 'x'\nfrobnicate = 1\n",
        expect![[r#"
            probity.toml:3: unknown setting `baseurl` in [judges.mine]
              hint: did you mean `base_url`?
            probity.toml:4: unknown setting `frobnicate` in [judges.mine]"#]],
    );
}

#[test]
fn r13_same_judge_twice() {
    check(
        "[judges.a]\nkind = 'openai'\n[judges.a]\nkind = 'baseline'\n",
        expect![[r#"
            probity.toml:3: duplicate key `a`
            probity.toml:4: duplicate key `kind`"#]],
    );
}

#[test]
fn r13_unknown_provider() {
    let shown = Layer::read("f", "[judges.a]\nkind = 'gemma'\n").expect_err("no such kind").to_string();
    assert!(shown.starts_with("f:2: judges.a.kind: expected one of "), "{shown}");
    assert!(shown.ends_with(", recorded, cascade, jury, found \"gemma\""), "{shown}");
}

#[test]
fn all_problems_come_at_once() {
    check(
        "[schedule]\nconcurrency = -1\nconnect_ms = 0\nattempts_max = 2.5\n[run]\nmin_coverage = 1e-1\n",
        expect![[r#"
            probity.toml:2: schedule.concurrency: invalid value: integer `-1`, expected a whole number, 0 or more
            probity.toml:3: schedule.connect_ms: invalid value: integer `0`, expected a whole number above 0
            probity.toml:4: schedule.attempts_max: invalid type: floating point `2.5`, expected a whole number above 0
            probity.toml:6: run.min_coverage: expected a plain decimal number such as 40 or 12.5, found "1e-1""#]],
    );
}

#[test]
fn a_table_where_a_value_belongs() {
    check(
        "[run.store]\npath = 'x'\n",
        expect!["probity.toml:1: run.store: invalid type: map, expected a string"],
    );
    check("run = 3\n", expect!["probity.toml:1: run: invalid type: integer `3`, expected a table"]);
    check(
        "[judges]\nopenai = 'x'\n",
        expect![[r#"probity.toml:2: judges.openai: invalid type: string "x", expected a table"#]],
    );
}

#[test]
fn broken_toml_has_its_line() {
    check(
        "[run]\nstore = \n",
        expect!["probity.toml:2: string values must be quoted, expected literal string"],
    );
}

#[test]
fn prices_are_exact() {
    let text = "[prices.m]\ninput_usd_per_mtok = 0.1\noutput_usd_per_mtok = '0.000000000001'\n";
    let layer = Layer::read("probity.toml", text).expect("fine");
    let price = &layer.prices["m"];
    let exact = |text: &str| text.parse().expect("a decimal");
    assert_eq!(price.input_usd_per_mtok.expect("set").0, exact("0.1"));
    assert_eq!(price.output_usd_per_mtok.expect("set").0, exact("0.000000000001"));
}

#[test]
fn every_decimal_takes_a_float() {
    for (section, key) in [
        ("run", "min_coverage"),
        ("judges.x", "temperature"),
        ("schedule", "breaker_share"),
        ("budget", "usd_max"),
        ("prices.x", "input_usd_per_mtok"),
        ("prices.x", "output_usd_per_mtok"),
    ] {
        for value in ["0.5", "1", "'0.5'"] {
            assert!(Layer::read("f", &format!("[{section}]\n{key} = {value}\n")).is_ok(), "{key} {value}");
        }
    }
}
