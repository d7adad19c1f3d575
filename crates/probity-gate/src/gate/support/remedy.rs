//! Remedies: what a reply may promise, what it must offer, and what it must not deny.
//!
//! Only policy decides. A remedy that is promised under a condition is promised; one that is asked about is
//! offered and not promised; one that is denied or mentioned is neither.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::claim::{Claim, ClaimKind, Polarity};
use super::super::finding::Sighting;
use super::super::policy::Source;
use super::{CONTRADICTED, OMITTED_REMEDY, Support, UNSUPPORTED_PROMISE};

/// How a reply speaks of one remedy, each with the first place where it does.
#[derive(Default)]
struct Stance {
    promised: Option<Range<usize>>,
    asked: Option<Range<usize>>,
    denied: Option<Range<usize>>,
}

/// Promises that nothing permits, required remedies that are left out, and those that are denied.
pub(super) fn check(reply: &str, claims: &[Claim], support: &Support<'_>) -> Vec<Sighting> {
    let stances = stances(claims);
    let promises = stances.iter().filter_map(|(remedy, stance)| {
        stance.promised.as_ref().and_then(|span| promise(remedy, span, support))
    });
    let mut sightings: Vec<Sighting> = promises.collect();
    let required: BTreeMap<&str, &Source> = support
        .sources
        .iter()
        .rev()
        .flat_map(|source| source.facts.required.iter().map(|remedy| (remedy.as_str(), *source)))
        .collect();
    let none = Stance::default();
    for (remedy, source) in required {
        let stance = stances.get(remedy).unwrap_or(&none);
        let sighting = match stance {
            Stance { promised: Some(_), .. } | Stance { asked: Some(_), .. } => continue,
            Stance { denied: Some(span), .. } => {
                let message =
                    format!("the reply denies a remedy that the source requires: {}", words(remedy));
                Sighting::at(CONTRADICTED, span.clone(), message)
            }
            _ => {
                let message =
                    format!("the reply leaves out a remedy that the source requires: {}", words(remedy));
                Sighting::at(OMITTED_REMEDY, 0..reply.len(), message)
            }
        };
        sightings.push(sighting.expecting(remedy).against(Some(source.name())));
    }
    sightings
}

fn stances(claims: &[Claim]) -> BTreeMap<&str, Stance> {
    let mut stances: BTreeMap<&str, Stance> = BTreeMap::new();
    for claim in claims {
        let ClaimKind::Remedy { remedy, polarity } = &claim.kind else { continue };
        let stance = stances.entry(remedy).or_default();
        let place = match polarity {
            Polarity::Promised | Polarity::Conditional => &mut stance.promised,
            Polarity::Asked => &mut stance.asked,
            Polarity::Denied => &mut stance.denied,
            Polarity::Mentioned => continue,
        };
        place.get_or_insert_with(|| claim.span.clone());
    }
    stances
}

fn promise(remedy: &str, span: &Range<usize>, support: &Support<'_>) -> Option<Sighting> {
    let forbids = support.sources.iter().find(|source| source.facts.forbidden.contains(remedy));
    let permits = |source: &&Source| source.facts.permitted.contains(remedy);
    let permitted = support.allowed.remedies.contains(remedy) || support.sources.iter().any(permits);
    if forbids.is_none() && permitted {
        return None;
    }
    let name = words(remedy);
    let message = match forbids {
        Some(_) => format!("the reply promises a remedy that the source forbids: {name}"),
        None => format!("the reply promises a remedy that no source permits: {name}"),
    };
    let listed: Vec<&str> = support
        .sources
        .iter()
        .flat_map(|source| source.facts.permitted.iter().map(String::as_str))
        .filter(|remedy| !support.sources.iter().any(|source| source.facts.forbidden.contains(*remedy)))
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    let expected = if listed.is_empty() { "no remedy".to_owned() } else { listed.join(", ") };
    let sighting = Sighting::at(UNSUPPORTED_PROMISE, span.clone(), message).expecting(expected);
    let lists_some = || support.sources.iter().find(|source| !source.facts.permitted.is_empty());
    let checked = forbids.or_else(lists_some).or(support.sources.first());
    Some(sighting.against(checked.map(|source| source.name())))
}

/// The id of a remedy as words.
fn words(remedy: &str) -> String {
    remedy.replace('_', " ")
}
