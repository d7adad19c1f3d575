//! What a ledger leaves open: versions that are in force side by side, and what texts say and facts do not.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::super::claim::{Language, Languages, extract};
use super::stated::unlisted_remedies;
use super::{Ledger, Place, Source};
use crate::case::Moment;

/// Two versions of a source that are in force at the same time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VersionOverlap {
    /// The id of the source.
    pub source: String,
    /// The first moment of that time; null where it has no beginning.
    pub from: Option<String>,
    /// The first moment after it; null where it has no end.
    pub until: Option<String>,
    /// The version that counts for a case that may use both; null where no case may.
    pub counts: Option<String>,
    /// The remedies that both permit.
    pub both_permit: BTreeSet<String>,
    /// The earlier version, then the later one.
    pub versions: [VersionScope; 2],
}

/// Whom a version is for, and what it permits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VersionScope {
    /// The version.
    pub version: String,
    /// The audiences.
    pub audiences: BTreeSet<String>,
    /// The regions; null where it counts in all.
    pub regions: Option<BTreeSet<String>>,
    /// The remedies that it permits and the other does not.
    pub alone_permits: BTreeSet<String>,
}

/// What the text of a source says and its facts do not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnlistedFacts {
    /// The id of the source.
    pub source: String,
    /// The version.
    pub version: String,
    /// Remedies that the text grants. A reply that promises one is blocked.
    pub remedies: BTreeSet<String>,
    /// Figures and references, as the text has them. They support a reply, and contradict none.
    pub figures: Vec<String>,
}

/// The versions that are in force at the same time for different cases, by source, earlier ones first. A version that a
/// later one replaces for all its cases has ended.
pub fn overlaps(ledger: &Ledger) -> Vec<VersionOverlap> {
    let mut found = Vec::new();
    for versions in ledger.sources().chunk_by(|one, other| one.id == other.id) {
        let ends: Vec<Option<Moment>> = (0..versions.len()).map(|at| end(&versions[at..])).collect();
        for (at, earlier) in versions.iter().enumerate() {
            for (next, later) in versions.iter().enumerate().skip(at + 1) {
                let from = later.period.from;
                let until = [ends[at], ends[next]].into_iter().flatten().min();
                if from.zip(until).is_none_or(|(from, until)| from < until) {
                    found.push(overlap(earlier, later, until));
                }
            }
        }
    }
    found
}

/// When the first of these versions ends: where its period does, or where a later one takes its place for good.
fn end(versions: &[Source]) -> Option<Moment> {
    let (first, later) = versions.split_first()?;
    let takes_its_place = |other: &&Source| other.period.until.is_none() && covers(other, first);
    let replaced = later.iter().find(takes_its_place).and_then(|other| other.period.from);
    first.period.until.into_iter().chain(replaced).min()
}

/// Whether every case that may use `other` may use `one`.
fn covers(one: &Source, other: &Source) -> bool {
    let is_within = |own: &BTreeSet<String>| other.regions.as_ref().is_some_and(|its| its.is_subset(own));
    one.regions.as_ref().is_none_or(is_within) && other.audiences.is_subset(&one.audiences)
}

fn overlap(earlier: &Source, later: &Source, until: Option<Moment>) -> VersionOverlap {
    let scope = |source: &Source, other: &Source| VersionScope {
        version: source.version.clone(),
        audiences: source.audiences.clone(),
        regions: source.regions.clone(),
        alone_permits: source.facts.permitted.difference(&other.facts.permitted).cloned().collect(),
    };
    VersionOverlap {
        source: later.id.clone(),
        from: later.period.from.map(|from| from.to_string()),
        until: until.map(|until| until.to_string()),
        counts: earlier.overlaps(later).then(|| later.version.clone()),
        both_permit: earlier.facts.permitted.intersection(&later.facts.permitted).cloned().collect(),
        versions: [scope(earlier, later), scope(later, earlier)],
    }
}

/// What the texts of a ledger say and its facts do not, by source.
pub fn unlisted(ledger: &Ledger, languages: &Languages) -> Vec<UnlistedFacts> {
    let of = |source: &Source| {
        let lexicon = Language::of(&source.text, languages).lexicon;
        let is_fact = |place: &Place| matches!(place, Place::Fact(_));
        let mut seen = BTreeSet::new();
        let claims = extract(&source.text, lexicon);
        let unstated = claims.iter().filter(|claim| {
            claim
                .value()
                .is_some_and(|value| !source.values.notes(value).any(is_fact) && seen.insert(value.clone()))
        });
        UnlistedFacts {
            source: source.id.clone(),
            version: source.version.clone(),
            remedies: unlisted_remedies(source, lexicon),
            figures: unstated.map(|claim| source.text[claim.span.clone()].to_owned()).collect(),
        }
    };
    let found = ledger.sources().iter().map(of);
    found.filter(|unlisted| !unlisted.remedies.is_empty() || !unlisted.figures.is_empty()).collect()
}

#[allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]
#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::{PolicyFile, read};
    use super::*;

    fn ledger(versions: &[&str]) -> Ledger {
        let source = |version: &&str| format!("[[source]]\nid = \"returns\"\ntext = \"x\"\n{version}\n");
        let text: String = versions.iter().map(source).collect();
        let files = [PolicyFile { name: "p", text: &text }];
        read(&files, Languages::built_in()).expect("good policies").ledger
    }

    #[track_caller]
    fn check(versions: &[&str], want: &Expect) {
        let lines = overlaps(&ledger(versions)).into_iter().map(|found| {
            let [one, other] = &found.versions;
            let open = |moment: Option<String>| moment.unwrap_or_default();
            format!(
                "{}+{} {}..{} counts {:?}: both {:?}, alone {:?} {:?}\n",
                one.version,
                other.version,
                open(found.from),
                open(found.until),
                found.counts,
                found.both_permit,
                one.alone_permits,
                other.alone_permits
            )
        });
        want.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn a_version_that_is_replaced_overlaps_with_none() {
        check(
            &["version = \"1\"", "version = \"2\"\nfrom = 2026-01-01", "version = \"3\"\nfrom = 2026-02-01"],
            &expect![""],
        );
    }

    #[test]
    fn versions_for_other_cases_are_in_force_side_by_side() {
        let all = "version = \"1\"\nfacts = { remedies = [\"refund\", \"return\"] }";
        let eu = "version = \"eu\"\nregion = \"EU\"\nfrom = 2026-03-01\nfacts = { remedies = [\"return\", \"repair\"] }";
        let us = "version = \"us\"\nregion = \"US\"\nuntil = 2026-06-30";
        check(
            &[all, eu],
            &expect![[r#"
            1+eu 2026-03-01.. counts Some("eu"): both {"return"}, alone {"refund"} {"repair"}
        "#]],
        );
        check(
            &[eu, us],
            &expect![[r#"
            us+eu 2026-03-01..2026-07-01 counts None: both {}, alone {} {"repair", "return"}
        "#]],
        );
        check(&[us, &eu.replace("2026-03-01", "2026-07-01")], &expect![""]);
        check(
            &[all, eu, "version = \"2\"\nfrom = 2026-09-01"],
            &expect![[r#"
            1+eu 2026-03-01..2026-09-01 counts Some("eu"): both {"return"}, alone {"refund"} {"repair"}
        "#]],
        );
    }

    #[test]
    fn what_a_text_says_and_facts_do_not_is_listed() {
        let text = "[[source]]\nid = \"a\"\nversion = \"1\"\ntext = \"We refund 5 EUR within 30 days, or 5 EUR.\"\n\
                    [source.facts]\nwindows = [\"30 days\"]\n[[source]]\nid = \"b\"\nversion = \"1\"\ntext = \"Hello.\"";
        let files = [PolicyFile { name: "p", text }];
        let ledger = read(&files, Languages::built_in()).expect("good policies").ledger;
        let found = unlisted(&ledger, Languages::built_in());
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].remedies.iter().map(String::as_str).collect(), &found[0].figures[..]),
            (vec!["refund"], &["5 EUR".to_owned()][..])
        );
    }
}
