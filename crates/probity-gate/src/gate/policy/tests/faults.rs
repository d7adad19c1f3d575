//! Every fault a policy file can have, and the words and the line it is reported with.

use expect_test::expect;
use proptest::prelude::*;

use super::{BASE, check, check_files, read_all};

#[test]
fn the_base_file_is_good() {
    check_files(&[BASE], &expect!["ok"]);
}

#[test]
fn names_and_texts_must_be_there() {
    check("id = \"returns\"\n", "", &expect!["1:2: [[source]] has no `id` | add id = …"]);
    check("version = \"2\"\n", "", &expect!["1:2: [[source]] has no `version` | add version = …"]);
    check(
        "version = \"2\"",
        "version = 2",
        &expect![[r#"1:4: `version` must be a text, found a number | put it in quotes: "2""#]],
    );
    check(
        "text = \"The desk is open from nine to five.\"",
        "text = \" \"",
        &expect!["1:24: `text` in [[source]] is empty | say what is meant, or leave an optional key out"],
    );
    check_files(
        &[""],
        &expect!["1:1: the file has no source | add at least one [[source]], or one JSON object per line"],
    );
    check_files(&["source = 3"], &expect!["1:1: `source` must be a list of tables, found a number"]);
    check_files(
        &["[source]\nid = \"a\""],
        &expect![
            "1:1: `source` must be a list of tables, found a table | write [[source]] with two brackets"
        ],
    );
}

#[test]
fn unknown_keys_are_named_with_what_was_meant() {
    check(
        "audience =",
        "audiance =",
        &expect!["1:5: unknown key `audiance` in [[source]] | did you mean `audience`?"],
    );
    check(
        "id = \"hours\"",
        "id = \"hours\"\nremedies = []",
        &expect!["1:23: unknown key `remedies` in [[source]] | `remedies` belongs to [source.facts]"],
    );
    check(
        "remedies = [\"refund\"]",
        "remedy = [\"refund\"]",
        &expect![
            "1:11: unknown key `remedy` in [source.facts] | known keys: remedies, required_remedies, forbidden_remedies, deeds, amounts, windows, percentages, codes, contacts"
        ],
    );
}

#[test]
fn remedies_and_deeds_are_those_the_gate_knows() {
    check(
        "remedies = [\"refund\"]",
        "remedies = [\"refnud\"]",
        &expect![[r#"1:11: there is no remedy "refnud" | did you mean "refund"?"#]],
    );
    check(
        "deeds = [\"shipment\"]",
        "deeds = [\"parcel\"]",
        &expect![[
            r#"1:14: there is no deed "parcel" | known: activation, addition, appointment, approval, block, booking, cancellation, charge, closure, compensation, confirmation, credit, deletion, delivery, discount, exchange, extension, fix, free_shipping, handoff, notice, opening, other, payment, price_match, refund, removal, repair, replacement, return, shipment, transfer, unsubscription, update, upgrade, voucher, waiver"#
        ]],
    );
    check(
        "forbidden_remedies = \"voucher\"",
        "forbidden_remedies = [\"replacement\"]",
        &expect![[
            r#"1:10: remedy "replacement" is both permitted and forbidden | take it out of one of the lists"#
        ]],
    );
}

#[test]
fn facts_hold_what_their_key_says() {
    check(
        "\"30 days\"",
        "\"soon\"",
        &expect![[r#"1:15: "soon" under `windows` holds no length of time or day | such as "30 days""#]],
    );
    check(
        "\"4.90 EUR\"",
        "\"a small fee\"",
        &expect![[r#"1:16: "a small fee" under `amounts` holds no amount of money | such as "4.90 EUR""#]],
    );
    check(
        "\"15 %\"",
        "\"15 EUR\"",
        &expect![[r#"1:17: "15 EUR" under `percentages` holds no percentage | such as "15 %""#]],
    );
    check(
        "codes = \"RPL-14\"",
        "codes = [\"ask the desk\"]",
        &expect![[r#"1:18: "ask the desk" under `codes` holds no code | such as "RPL-14""#]],
    );
    check(
        "\"returns@shop.example\"",
        "\"the front desk\"",
        &expect![[
            r#"1:19: "the front desk" under `contacts` holds no link, e-mail address, telephone number or street address | such as "help@shop.example""#
        ]],
    );
    check(
        "\"4.90 EUR\"",
        "4.90",
        &expect![[r#"1:16: `amounts` must be a text, found a number | put it in quotes: "4.90""#]],
    );
    check(
        "{ return_window = \"30 days\" }",
        "{ return_window = 30 }",
        &expect![[
            r#"1:15: `windows.return_window` must be a text, found a number | put it in quotes: "30""#
        ]],
    );
}

#[test]
fn terse_facts_are_read_by_their_key() {
    check("\"4.90 EUR\"", "\"4.90\"", &expect!["ok"]);
    check("\"15 %\"", "\"15\"", &expect!["ok"]);
    check(
        "\"returns@shop.example\"",
        "\"shop.example/*\", \"030 555018\", \"Unit 7, Dock East\"",
        &expect!["ok"],
    );
    check("codes = \"RPL-14\"", "codes = \"winter\"", &expect!["ok"]);
}

#[test]
fn a_text_that_grants_more_than_the_facts_is_looked_at() {
    check(
        "covered for 30 days",
        "covered. You can have a repair or a refund",
        &expect![[r#"
        ok
        1:9: the text grants repair, which the facts do not list | a reply may promise only what `remedies` or `required_remedies` list"#]],
    );
    check("covered for 30 days", "covered. We give no voucher and do no repairs", &expect!["ok"]);
}

#[test]
fn dates_and_periods_that_cannot_be_meant() {
    check(
        "from = 2026-04-01",
        "from = \"1 April\"",
        &expect![[
            r#"1:7: `from`: "1 April" is no moment, expected a date such as 2026-04-01 or 2026-04-01T09:30:00Z"#
        ]],
    );
    check(
        "from = 2026-04-01",
        "from = 12:30:00",
        &expect![[
            r#"1:7: `from`: "12:30:00" is no moment, expected a date such as 2026-04-01 or 2026-04-01T09:30:00Z"#
        ]],
    );
    check(
        "until = \"2026-12-31\"",
        "until = \"2026-03-31\"",
        &expect![
            "1:8: `until` is before `from`, so the source is never in force | a day as `until` is the last day in force"
        ],
    );
    check(
        "until = \"2026-12-31\"",
        "until = 2026",
        &expect![[r#"1:8: `until` must be a text, found a number | put it in quotes: "2026""#]],
    );
}

#[test]
fn audiences_and_regions_that_reach_nobody() {
    check(
        "audience = [\"customer\", \"agent\"]",
        "audience = []",
        &expect!["1:5: `audience` lists nothing | leave it out, or name one"],
    );
    check(
        "audience = [\"customer\", \"agent\"]",
        "audience = \"Customers\"",
        &expect![[r#"
        ok
        1:5: audience "Customers" is not "customer" | did you mean "customer"?"#]],
    );
    check(
        "region = \"EU\"",
        "region = []",
        &expect!["1:6: `region` lists nothing | leave it out, or name one"],
    );
    check(
        "region = \"EU\"",
        "region = true",
        &expect!["1:6: `region` must be a text or a list of texts, found a boolean"],
    );
}

const ONE: &str = "[[source]]\nid = \"a\"\nversion = \"1\"\nfrom = \"2025-01-01\"\ntext = \"x\"\n";

#[test]
fn a_version_stands_once_over_all_files() {
    check_files(
        &[ONE, ONE],
        &expect![[r#"2:1: version "1" of source "a" stands twice | the other stands in 1 on line 1"#]],
    );
}

#[test]
fn versions_of_a_source_follow_one_another() {
    let same = ONE.replace("\"1\"", "\"2\"");
    check_files(
        &[ONE, &same],
        &expect![[
            r#"2:1: versions "1" and "2" of source "a" begin at the same moment, so nothing says which is in force | the other stands in 1 on line 1"#
        ]],
    );
    let late = same.replace("2025", "2026");
    check_files(&[&late, ONE], &expect!["ok"]);
    let ended = ONE.replace("from", "until = \"2026-06-30\"\nfrom");
    check_files(
        &[&ended, &late],
        &expect![[
            r#"2:1: versions "1" and "2" of source "a" are both in force from 2026-01-01 until 2026-07-01 | the other stands in 1 on line 1"#
        ]],
    );
    let elsewhere = ["region = \"us\"", "region = \"eu\""];
    let [us, eu] = elsewhere.map(|region| format!("{region}\n"));
    check_files(&[&format!("{ONE}{us}"), &format!("{same}{eu}")], &expect!["ok"]);
    check_files(&[&format!("{ONE}audience = \"agent\""), &same], &expect!["ok"]);
}

#[test]
fn lines_of_json_are_read_alike() {
    check_files(&[r#"{"id":"a","version":"1","text":"x","region":null}"#], &expect!["ok"]);
    let broken =
        "{\"id\":\"a\",\"version\":1,\"text\":\"x\"}\n\n{\"id\":\n[1]\n{\"id\":\"a\",\"id\":\"b\"}\n";
    check_files(
        &[broken],
        &expect![[r#"
        1:1: `version` must be a text, found a number | put it in quotes: "1"
        1:3: not JSON: the text ends before the value does at byte 6 of the line | each line holds one whole object in braces
        1:4: expected an object, found an array | each line holds one whole object in braces
        1:5: not JSON: duplicate key "id" at byte 10 of the line | each line holds one whole object in braces"#]],
    );
    check_files(
        &[r#"{"id":"a","version":"1","text":"x","region":["eu",null],"facts":[]}"#],
        &expect![[r#"
        1:1: `facts` must be a table, found a list
        1:1: `region` must be a text, found null"#]],
    );
}

proptest! {
    /// A file cut or damaged anywhere is read or refused, and a refusal says why.
    #[test]
    fn damaged_files_are_read_or_refused(at in 0..BASE.len(), length in 0_usize..40, put in "[ -~]{0,6}") {
        let end = (at + length).min(BASE.len());
        let damaged = format!("{}{put}{}", &BASE[..at], &BASE[end..]);
        if let Err(problems) = read_all(&[&damaged]) {
            prop_assert!(!problems.is_empty());
            prop_assert!(problems.iter().all(|found| found.problem.line >= 1 && !found.problem.message.is_empty()));
        }
    }
}
