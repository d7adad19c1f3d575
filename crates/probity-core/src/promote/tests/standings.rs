//! What stays of a promotion when time passes and parts change.

use expect_test::{Expect, expect};

use super::super::{About, Bound, Parts, Standing, StandingRecord, decide, standing};
use super::good;
use crate::case::Moment;

const CONTRACT: &str = "name = \"c\"\nversion = \"2\"\nowner = \"o\"\n[expiry]\nvalid_days = 30\n";

fn day(month: i8, day: i8) -> Moment {
    Moment::start_of(2026, month, day).expect("a day")
}

fn parts() -> Parts {
    let parts = [
        ("judge.model", "a"),
        ("rubric", "1111111111111111111111111111111111111111111111111111111111111111"),
        ("labels", "l"),
        ("gate.pii.email", "block"),
    ];
    parts.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// The record of a promotion on the first of April, the only way there is to one.
fn record() -> StandingRecord {
    let contract = good(CONTRACT);
    let decision = decide(&contract, &super::decisions::enough());
    let bound = Bound {
        judge: "j".to_owned(),
        kind: "openai".to_owned(),
        rubric: "r".to_owned(),
        parts: parts(),
        sources: [("labels".to_owned(), "file:l.jsonl".to_owned())].into(),
    };
    StandingRecord::of(decision.promotion().expect("it is enough"), bound)
}

fn shown(standing: &Standing) -> String {
    format!("{standing}: {}", standing.reason())
}

/// The standing on a day under changed parts.
#[track_caller]
fn check(records: &[StandingRecord], now: Moment, change: impl Fn(&mut Parts), want: &Expect) {
    let about = About { judge: "j", kind: "openai", rubric: "r" };
    let standing = standing(records, &about, now, &|_| {
        let mut current = parts();
        change(&mut current);
        current
    });
    want.assert_eq(&shown(&standing));
}

fn set(part: &'static str, value: &'static str) -> impl Fn(&mut Parts) {
    move |parts| drop(parts.insert(part.to_owned(), value.to_owned()))
}

#[test]
fn a_promotion_stands_while_nothing_changes() {
    check(
        &[record()],
        day(4, 30),
        |_| {},
        &expect!["promoted: promoted on 2026-04-01 under contract c 2, until 2026-05-01"],
    );
    check(&[], day(4, 30), |_| {}, &expect!["advisory: never promoted"]);
}

#[test]
fn it_ends_on_its_day() {
    check(&[record()], day(5, 1), |_| {}, &expect!["advisory: expired on 2026-05-01"]);
}

#[test]
fn every_change_is_named() {
    let other = "2222222222222222222222222222222222222222222222222222222222222222";
    check(
        &[record()],
        day(4, 2),
        set("judge.model", "b"),
        &expect!["advisory: revoked: judge.model changed from a to b"],
    );
    check(
        &[record()],
        day(4, 2),
        set("rubric", other),
        &expect!["advisory: revoked: rubric changed from 111111111111 to 222222222222"],
    );
    check(
        &[record()],
        day(4, 2),
        set("labels", "m"),
        &expect!["advisory: revoked: labels (file:l.jsonl) changed from l to m"],
    );
    check(
        &[record()],
        day(4, 2),
        set("gate.pii.email", "flag"),
        &expect!["advisory: revoked: gate.pii.email changed from block to flag"],
    );
    check(
        &[record()],
        day(4, 2),
        set("judge.seed", "7"),
        &expect!["advisory: revoked: judge.seed changed from nothing to 7"],
    );
    check(
        &[record()],
        day(4, 2),
        |parts| drop(parts.remove("labels")),
        &expect!["advisory: revoked: labels (file:l.jsonl) changed from l to nothing"],
    );
    let two = |parts: &mut Parts| {
        set("judge.model", "b")(parts);
        set("labels", "m")(parts);
    };
    check(
        &[record()],
        day(4, 2),
        two,
        &expect![
            "advisory: revoked: judge.model changed from a to b; labels (file:l.jsonl) changed from l to m"
        ],
    );
}

#[test]
fn a_withdrawn_standing_says_why() {
    let mut withdrawn = record();
    withdrawn.withdraw(day(4, 3), "complaints");
    withdrawn.withdraw(day(4, 4), "again");
    check(&[withdrawn.clone()], day(4, 5), |_| {}, &expect!["advisory: withdrawn on 2026-04-03: complaints"]);
    check(
        &[withdrawn, record()],
        day(4, 5),
        |_| {},
        &expect!["promoted: promoted on 2026-04-01 under contract c 2, until 2026-05-01"],
    );
}

#[test]
fn another_rubric_or_kind_of_judge_was_never_promoted() {
    let records = [record()];
    let of = |kind, rubric| {
        let about = About { judge: "j", kind, rubric };
        shown(&standing(&records, &about, day(4, 2), &|_| parts()))
    };
    expect!["advisory: never promoted under rubric other, only under r"].assert_eq(&of("openai", "other"));
    let other = About { judge: "k", kind: "baseline", rubric: "r" };
    expect!["advisory: never promoted"]
        .assert_eq(&shown(&standing(&records, &other, day(4, 2), &|_| parts())));
}

#[test]
fn records_are_read_back_and_stay_data() {
    let records = vec![record()];
    let text = StandingRecord::write_all(&records);
    assert_eq!(StandingRecord::read_all(&text).expect("records"), records);
    let later = text.replace("\"v\":1", "\"v\":2");
    assert_eq!(StandingRecord::read_all(&later).expect("none of this version"), []);
    assert!(StandingRecord::read_all("{}").is_err());
    assert!(StandingRecord::read_all(&text.replace("\"kind\"", "\"sort\"")).is_err());
}

#[test]
fn an_end_that_cannot_be_read_has_passed() {
    let text = StandingRecord::write_all(&[record()]).replace("2026-05-01", "2026-05-99");
    let records = StandingRecord::read_all(&text).expect("records");
    assert!(records[0].has_ended(day(4, 2)));
}
