//! What a good policy file means, and what its hash is of.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::Source;
use super::{BASE, changed, good};
use crate::case::{Circumstances, Moment};

fn moment(text: &str) -> Moment {
    text.parse().expect("a moment")
}

fn source(id: &str) -> Source {
    good(&[BASE]).versions(id)[0].clone()
}

#[test]
fn defaults_are_the_plain_ones() {
    let hours = source("hours");
    assert_eq!(hours.audiences, BTreeSet::from(["customer".to_owned()]));
    assert_eq!(hours.regions, None);
    assert_eq!((hours.period.from, hours.period.until), (None, None));
}

#[test]
fn required_remedies_are_permitted() {
    let facts = source("returns").facts;
    assert_eq!(facts.permitted.iter().collect::<Vec<_>>(), ["refund", "replacement"]);
    assert_eq!(facts.required.iter().collect::<Vec<_>>(), ["replacement"]);
    assert_eq!(facts.forbidden.iter().collect::<Vec<_>>(), ["voucher"]);
}

#[test]
fn a_day_is_in_force_to_its_end() {
    let period = source("returns").period;
    for (text, want) in [
        ("2026-03-31T23:59:59Z", false),
        ("2026-04-01", true),
        ("2026-12-31T23:59:59Z", true),
        ("2027-01-01", false),
    ] {
        assert_eq!(period.contains(moment(text)), want, "{text}");
    }
    let timed = changed("until = \"2026-12-31\"", "until = \"2026-12-31T12:00:00Z\"");
    let until = good(&[&timed]).versions("returns")[0].period.until;
    assert_eq!(until, Some(moment("2026-12-31T12:00:00Z")));
}

/// Which version of `a` counts in `region` at a moment, of one everywhere and a later one in the EU.
fn in_force(region: Option<&str>, at: Option<&str>) -> Option<String> {
    let old = "[[source]]\nid = \"a\"\nversion = \"old\"\nfrom = \"2025-01-01\"\ntext = \"x\"\n";
    let new =
        "[[source]]\nid = \"a\"\nversion = \"new\"\nfrom = \"2026-01-01\"\ntext = \"x\"\nregion = \"EU\"\n";
    let ledger = good(&[new, old]);
    let circumstances = Circumstances { region: region.map(str::to_owned), ..Circumstances::default() };
    ledger.in_force("a", &circumstances, at.map(moment)).map(|source| source.version.clone())
}

#[test]
fn a_later_version_ends_the_one_before_where_it_counts() {
    assert_eq!(in_force(Some("eu"), Some("2026-05-01")).as_deref(), Some("new"));
    assert_eq!(in_force(Some("us"), Some("2026-05-01")).as_deref(), Some("old"));
    assert_eq!(in_force(None, Some("2026-05-01")).as_deref(), Some("old"));
    assert_eq!(in_force(Some("eu"), Some("2025-05-01")).as_deref(), Some("old"));
    assert_eq!(in_force(Some("eu"), None).as_deref(), Some("new"));
    assert_eq!(in_force(Some("eu"), Some("2024-05-01")), None);
}

#[test]
fn other_spellings_of_the_same_do_not_change_the_hash() {
    let hash = good(&[BASE]).hash().to_owned();
    for (from, to) in [
        ("# Two sources with one of everything.\n", ""),
        ("version = \"a\"", "version = \"a\"\naudience = \"Customer\""),
        ("from = 2026-04-01", "from = \"2026-04-01T02:00:00+02:00\""),
        ("until = \"2026-12-31\"", "until = \"2027-01-01T00:00:00Z\""),
        ("remedies = [\"refund\"]", "remedies = [\"replacement\", \"refund\"]"),
        ("region = \"EU\"", "region = [\"eu\"]"),
    ] {
        assert_eq!(good(&[&changed(from, to)]).hash(), hash, "{to}");
    }
}

#[test]
fn a_change_of_meaning_changes_the_hash() {
    let hash = good(&[BASE]).hash().to_owned();
    for (from, to) in [
        ("version = \"a\"", "version = \"b\""),
        ("audience = [\"customer\", \"agent\"]", "audience = \"agent\""),
        ("region = \"EU\"\n", ""),
        ("from = 2026-04-01", "from = 2026-04-02"),
        ("until = \"2026-12-31\"\n", ""),
        ("nine to five", "nine to six"),
        ("remedies = [\"refund\"]\n", ""),
        ("forbidden_remedies = \"voucher\"\n", ""),
        ("deeds = [\"shipment\"]\n", ""),
        ("return_window", "window"),
        ("\"15 %\"", "\"16 %\""),
    ] {
        assert_ne!(good(&[&changed(from, to)]).hash(), hash, "{to}");
    }
}

/// One source as TOML and as a line of JSON.
fn written(index: usize, days: u32) -> (String, String) {
    let toml = format!(
        "[[source]]\nid = \"s{index}\"\nversion = \"1\"\ntext = \"x\"\n[source.facts]\nwindows = [\"{days} days\"]\n"
    );
    let json =
        format!(r#"{{"facts":{{"windows":["{days} days"]}},"text":"x","version":"1","id":"s{index}"}}"#);
    (toml, json + "\n")
}

proptest! {
    /// A ledger is what its sources say, however they are spread over files and formats.
    #[test]
    fn order_files_and_format_do_not_count(
        days in prop::collection::vec(1_u32..400, 1..8),
        cut in 0_usize..8,
    ) {
        let sources: Vec<(String, String)> = days.iter().enumerate().map(|(i, d)| written(i, *d)).collect();
        let cut = cut.min(sources.len() - 1);
        let one: String = sources.iter().map(|(toml, _)| toml.as_str()).collect();
        let back: String = sources[cut..].iter().rev().map(|(_, json)| json.as_str()).collect();
        let front: String = sources[..cut].iter().rev().map(|(toml, _)| toml.as_str()).collect();
        let files: Vec<&str> = [back.as_str(), front.as_str()].into_iter().filter(|text| !text.is_empty()).collect();
        let (whole, spread) = (good(&[&one]), good(&files));
        prop_assert_eq!(whole.hash(), spread.hash());
        prop_assert_eq!(whole.canonical(), spread.canonical());
    }
}
