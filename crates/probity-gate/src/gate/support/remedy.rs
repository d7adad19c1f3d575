//! Remedies: what a reply may promise, what it must offer, and what it must not deny.
//!
//! Only policy decides. A remedy that is promised under a condition is promised; one that is asked about is
//! offered and not promised; one that is denied or mentioned is neither.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::claim::{Claim, ClaimKind, Polarity};
use super::super::finding::Sighting;
use super::super::policy::Source;
use super::{CONTRADICTED, OMITTED_REMEDY, Support, UNSUPPORTED_PROMISE};

/// Remedies that come to the same for a customer: a source that permits one permits the other.
const ALIKE: [&str; 2] = ["exchange", "replacement"];

/// The remedies that stand for one.
fn alike(remedy: &str) -> impl Iterator<Item = &str> {
    let others = ALIKE.into_iter().filter(move |other| ALIKE.contains(&remedy) && *other != remedy);
    std::iter::once(remedy).chain(others)
}

/// How a reply speaks of one remedy, each with the first place where it does.
#[derive(Default)]
struct Stance {
    promised: Option<Range<usize>>,
    /// Said to be done.
    done: Option<Range<usize>>,
    denied: Option<Range<usize>>,
    /// Whether it is not only denied.
    is_offered: bool,
}

/// Promises that nothing permits, required remedies that are left out, and those that are denied.
pub(super) fn check(reply: &str, claims: &[Claim], support: &Support<'_>) -> Vec<Sighting> {
    let stances = stances(claims);
    let promises = stances.iter().filter_map(|(remedy, stance)| {
        let is_forbidden = || support.sources.iter().any(|source| source.facts.forbidden.contains(*remedy));
        let done = stance.done.as_ref().filter(|_| is_forbidden());
        stance.promised.as_ref().or(done).and_then(|span| promise(remedy, span, support))
    });
    let mut sightings: Vec<Sighting> = promises.collect();
    let required: BTreeMap<&str, &Source> = support
        .sources
        .iter()
        .rev()
        .flat_map(|source| source.facts.required.iter().map(|remedy| (remedy.as_str(), *source)))
        .collect();
    for (remedy, source) in required {
        if alike(remedy).any(|remedy| stances.get(remedy).is_some_and(|stance| stance.is_offered)) {
            continue;
        }
        let denied = stances.get(remedy).and_then(|stance| stance.denied.clone());
        let name = words(remedy);
        let sighting = if let Some(span) = denied {
            let message = format!("the reply denies a remedy that the source requires: {name}");
            Sighting::at(CONTRADICTED, span, message)
        } else {
            let message = format!("the reply leaves out a remedy that the source requires: {name}");
            Sighting::at(OMITTED_REMEDY, 0..reply.len(), message)
        };
        sightings.push(sighting.expecting(remedy).against(Some(source.name())));
    }
    sightings
}

fn stances(claims: &[Claim]) -> BTreeMap<&str, Stance> {
    let mut stances: BTreeMap<&str, Stance> = BTreeMap::new();
    for (at, claim) in claims.iter().enumerate() {
        let ClaimKind::Remedy { remedy, polarity } = &claim.kind else { continue };
        let stance = stances.entry(remedy).or_default();
        // The deed of a remedy follows it at the same place.
        let next = claims.get(at + 1).filter(|next| next.span.start == claim.span.start);
        let is_deed =
            matches!(next.map(|next| &next.kind), Some(ClaimKind::Deed { deed, .. }) if deed == remedy);
        stance.is_offered |= *polarity != Polarity::Denied;
        let place = match polarity {
            // What is said to be done is no promise any more, and is looked at as a deed.
            Polarity::Promised if is_deed => &mut stance.done,
            Polarity::Promised => &mut stance.promised,
            Polarity::Denied => &mut stance.denied,
            Polarity::Asked | Polarity::Mentioned => continue,
        };
        place.get_or_insert_with(|| claim.span.clone());
    }
    stances
}

fn promise(remedy: &str, span: &Range<usize>, support: &Support<'_>) -> Option<Sighting> {
    let sources = support.sources;
    let forbidding = |remedy: &str| sources.iter().find(|source| source.facts.forbidden.contains(remedy));
    let permits = |source: &&Source| alike(remedy).any(|remedy| source.facts.permitted.contains(remedy));
    let permitted = support.allowed.remedies.contains(remedy) || sources.iter().any(permits);
    let forbids = forbidding(remedy);
    if forbids.is_none() && permitted {
        return None;
    }
    let what = if forbids.is_some() { "the source forbids" } else { "no source permits" };
    let message = format!("the reply promises a remedy that {what}: {}", words(remedy));
    let listed: BTreeSet<&str> = sources
        .iter()
        .flat_map(|source| source.facts.permitted.iter().map(String::as_str))
        .filter(|remedy| forbidding(remedy).is_none())
        .collect();
    let listed = listed.into_iter().collect::<Vec<_>>().join(", ");
    let expected = if listed.is_empty() { "no remedy".to_owned() } else { listed };
    let lists_some = || sources.iter().find(|source| !source.facts.permitted.is_empty());
    let checked = forbids.or_else(lists_some).or(sources.first()).map(|source| source.name());
    Some(Sighting::at(UNSUPPORTED_PROMISE, span.clone(), message).expecting(expected).against(checked))
}

/// The id of a remedy as words.
fn words(remedy: &str) -> String {
    remedy.replace('_', " ")
}
