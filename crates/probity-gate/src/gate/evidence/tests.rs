//! Which evidence may be used: one ledger, one case a line.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]

use expect_test::{Expect, expect};

use super::super::claim::Languages;
use super::super::policy::{PolicyFile, read};
use super::*;
use crate::case::{Case, CaseId, Circumstances, Evidence, Reply, Situation};

const LEDGER: &str = r#"
[[source]]
id = "eu-refurb-v2-rule"
version = "eu-electronics/2025-01-01"
region = "eu"
from = 2025-01-01
text = "Refurbished devices are repaired."

[[source]]
id = "eu-refurb-v2-rule"
version = "eu-electronics/2026-04-01"
region = "eu"
from = 2026-04-01
text = "Refurbished devices are replaced."

[[source]]
id = "winter-sale"
version = "2025"
from = 2025-12-01
until = 2026-01-31
text = "Reduced prices."

[[source]]
id = "fraud-signs"
version = "7"
audience = ["internal", "agent"]
text = "When to look twice."
"#;

/// When, for whom and where a case is; empty texts say nothing.
type Place<'t> = (&'t str, &'t str, &'t str);

const IN_MAY: Place<'static> = ("2026-05-20", "", "EU");

#[track_caller]
fn check(place: Place<'_>, evidence: &[&str], want: &Expect) {
    check_as_of(None, place, evidence, want);
}

/// `evidence` is `source` or `source@version`.
#[track_caller]
fn check_as_of(as_of: Option<&str>, place: Place<'_>, evidence: &[&str], want: &Expect) {
    let files = [PolicyFile { name: "p.toml", text: LEDGER }];
    let ledger = read(&files, Languages::built_in()).expect("a good ledger").ledger;
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let mut case = Case::new(CaseId::new("c").expect("an id"), Situation::Ticket("Hello".into()));
    case.circumstances = Circumstances {
        time: given(place.0).map(|text| text.parse().expect("a moment")),
        audience: given(place.1),
        region: given(place.2),
        language: None,
    };
    let named = evidence.iter().map(|text| match text.split_once('@') {
        Some((id, version)) => (id, Some(version)),
        None => (*text, None),
    });
    case.evidence = Evidence::of_sources(named).into();
    let entry = Entry { case, reply: Reply::new("Some words") };
    let selected = check_entry(&entry, &ledger, as_of.map(|text| text.parse().expect("a moment")));
    want.assert_eq(&selected);
}

/// The sources that may be used, then each sighting on its line.
fn check_entry(entry: &Entry, ledger: &Ledger, as_of: Option<Moment>) -> String {
    let Selected { sources, sightings, .. } = super::check(entry, ledger, as_of);
    let mut lines: Vec<String> =
        sources.iter().map(|source| format!("{}@{}", source.id, source.version)).collect();
    for sighting in sightings {
        assert_eq!((sighting.start, sighting.end), (0, entry.reply.text.len()), "{}", sighting.rule);
        assert_eq!(sighting.source.is_none(), sighting.rule == NONE_SELECTED.id, "{}", sighting.rule);
        lines.push(format!(
            "{}: {} | {}",
            sighting.rule,
            sighting.message,
            sighting.expected.expect("an expectation")
        ));
    }
    lines.join("\n")
}

#[test]
fn a_known_permitted_version_in_force_may_be_used() {
    check(
        IN_MAY,
        &["eu-refurb-v2-rule@eu-electronics/2026-04-01"],
        &expect!["eu-refurb-v2-rule@eu-electronics/2026-04-01"],
    );
    check(IN_MAY, &["eu-refurb-v2-rule"], &expect!["eu-refurb-v2-rule@eu-electronics/2026-04-01"]);
    check(
        IN_MAY,
        &["eu-refurb-v2-rule", "eu-refurb-v2-rule@eu-electronics/2026-04-01"],
        &expect!["eu-refurb-v2-rule@eu-electronics/2026-04-01"],
    );
}

#[test]
fn no_evidence_is_a_finding() {
    check(
        IN_MAY,
        &[],
        &expect![
            "evidence.none_selected: the case names no source that the reply could rest on | at least one source in the case's `evidence`"
        ],
    );
}

#[test]
fn unknown_sources_are_named_with_what_was_meant() {
    check(
        IN_MAY,
        &["eu-refurb-v2-rul"],
        &expect![
            "evidence.unknown_source: source `eu-refurb-v2-rul` is not in the ledger | a known source, perhaps `eu-refurb-v2-rule`"
        ],
    );
    check(
        IN_MAY,
        &["warranty"],
        &expect!["evidence.unknown_source: source `warranty` is not in the ledger | a source of the ledger"],
    );
}

#[test]
fn a_version_that_is_not_in_force_is_stale() {
    check(
        IN_MAY,
        &["eu-refurb-v2-rule@eu-electronics/2025-01-01"],
        &expect![
            "evidence.stale_version: version `eu-electronics/2025-01-01` of `eu-refurb-v2-rule` is not in force at 2026-05-20 | version `eu-electronics/2026-04-01`"
        ],
    );
    check(
        IN_MAY,
        &["eu-refurb-v2-rule@v9"],
        &expect![
            "evidence.stale_version: `eu-refurb-v2-rule` has no version `v9` | version `eu-electronics/2026-04-01`"
        ],
    );
    check(
        ("2026-03-31T23:59:59Z", "", "eu"),
        &["eu-refurb-v2-rule@eu-electronics/2026-04-01"],
        &expect![
            "evidence.stale_version: version `eu-electronics/2026-04-01` of `eu-refurb-v2-rule` is not in force at 2026-03-31T23:59:59Z | version `eu-electronics/2025-01-01`"
        ],
    );
    check(
        ("2026-03-31T23:59:59Z", "", "eu"),
        &["eu-refurb-v2-rule@eu-electronics/2025-01-01"],
        &expect!["eu-refurb-v2-rule@eu-electronics/2025-01-01"],
    );
    check(
        ("2024-01-01", "", "eu"),
        &["eu-refurb-v2-rule"],
        &expect![
            "evidence.stale_version: no version of `eu-refurb-v2-rule` is in force at 2024-01-01 | a source with a version in force"
        ],
    );
    check(
        IN_MAY,
        &["winter-sale"],
        &expect![
            "evidence.stale_version: no version of `winter-sale` is in force at 2026-05-20 | a source with a version in force"
        ],
    );
}

#[test]
fn the_moment_is_the_cases_then_the_runs_then_none() {
    let old = "eu-refurb-v2-rule@eu-electronics/2025-01-01";
    let nowhen = ("", "", "eu");
    check_as_of(Some("2025-06-01"), nowhen, &[old], &expect!["eu-refurb-v2-rule@eu-electronics/2025-01-01"]);
    check_as_of(
        Some("2025-06-01"),
        IN_MAY,
        &[old],
        &expect![
            "evidence.stale_version: version `eu-electronics/2025-01-01` of `eu-refurb-v2-rule` is not in force at 2026-05-20 | version `eu-electronics/2026-04-01`"
        ],
    );
    check(
        nowhen,
        &[old],
        &expect![
            "evidence.stale_version: version `eu-electronics/2025-01-01` of `eu-refurb-v2-rule` is not in force | version `eu-electronics/2026-04-01`"
        ],
    );
    check(
        nowhen,
        &["eu-refurb-v2-rule", "winter-sale"],
        &expect![[r#"
        eu-refurb-v2-rule@eu-electronics/2026-04-01
        winter-sale@2025"#]],
    );
}

#[test]
fn audience_and_region_must_be_shown() {
    check(
        ("", "", "us"),
        &["eu-refurb-v2-rule@eu-electronics/2026-04-01"],
        &expect![
            "evidence.wrong_audience: version `eu-electronics/2026-04-01` of `eu-refurb-v2-rule` may not be used for audience `customer` in region `us` | a source for audience `customer` in region `us`"
        ],
    );
    check(
        ("", "", ""),
        &["eu-refurb-v2-rule"],
        &expect![
            "evidence.wrong_audience: version `eu-electronics/2026-04-01` of `eu-refurb-v2-rule` may not be used for audience `customer` in no named region | a source for audience `customer` in no named region"
        ],
    );
    check(
        ("", "", "eu"),
        &["fraud-signs@7"],
        &expect![
            "evidence.wrong_audience: version `7` of `fraud-signs` may not be used for audience `customer` in region `eu` | a source for audience `customer` in region `eu`"
        ],
    );
    check(("", "Agent", ""), &["fraud-signs"], &expect!["fraud-signs@7"]);
    check(
        ("", "agent", "eu"),
        &["eu-refurb-v2-rule"],
        &expect![
            "evidence.wrong_audience: version `eu-electronics/2026-04-01` of `eu-refurb-v2-rule` may not be used for audience `agent` in region `eu` | a source for audience `agent` in region `eu`"
        ],
    );
}

#[test]
fn one_bad_reference_does_not_hide_the_others() {
    check(
        IN_MAY,
        &["fraud-signs", "nothing-like-it", "winter-sale@2025", "eu-refurb-v2-rule"],
        &expect![[r#"
        eu-refurb-v2-rule@eu-electronics/2026-04-01
        evidence.wrong_audience: version `7` of `fraud-signs` may not be used for audience `customer` in region `EU` | a source for audience `customer` in region `EU`
        evidence.unknown_source: source `nothing-like-it` is not in the ledger | a source of the ledger
        evidence.stale_version: version `2025` of `winter-sale` is not in force at 2026-05-20 | a source with a version in force"#]],
    );
}
