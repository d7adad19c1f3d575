//! What a ledger says, as bytes and as one hash.
//!
//! Every value counts, as what it means: the order of sources, of facts and of files, comments, spacing,
//! defaults written out and the format do not.

use std::collections::BTreeSet;

use super::{Fact, Regions, Source};
use crate::case::Moment;
use crate::json::Json;

/// The version of the hashed form. It is inside the hashed data.
const FORMAT: i64 = 1;

/// BLAKE3 over the canonical form, hexadecimal.
pub(super) fn hash(sources: &[Source]) -> String {
    blake3::hash(canonical(sources).as_bytes()).to_hex().to_string()
}

/// Canonical JSON of the sources by id and version.
pub(super) fn canonical(sources: &[Source]) -> String {
    let mut by_name: Vec<&Source> = sources.iter().collect();
    by_name.sort_by_key(|source| (&source.id, &source.version));
    Json::object([
        ("probity_policies", Json::int(FORMAT)),
        ("sources", Json::Array(by_name.into_iter().map(source_json).collect())),
    ])
    .canonical()
}

fn source_json(source: &Source) -> Json {
    let regions = match &source.regions {
        Regions::Everywhere => Json::Null,
        Regions::Only(regions) => texts_json(regions),
    };
    let facts = &source.facts;
    Json::object([
        ("id", Json::text(&source.id)),
        ("version", Json::text(&source.version)),
        ("audiences", texts_json(&source.audiences)),
        ("regions", regions),
        ("from", moment_json(source.period.from)),
        ("until", moment_json(source.period.until)),
        ("text", Json::text(&source.text)),
        ("permitted", texts_json(&facts.permitted)),
        ("required", texts_json(&facts.required)),
        ("forbidden", texts_json(&facts.forbidden)),
        ("deeds", texts_json(&facts.deeds)),
        ("stated", Json::Array(facts.stated_in_order().into_iter().map(fact_json).collect())),
    ])
}

fn fact_json(fact: &Fact) -> Json {
    Json::object([
        ("kind", Json::text(fact.kind.name())),
        ("label", fact.label.as_ref().map_or(Json::Null, |label| Json::text(&label.text))),
        ("text", Json::text(&fact.text)),
    ])
}

fn moment_json(moment: Option<Moment>) -> Json {
    moment.map_or(Json::Null, |moment| Json::int(moment.seconds()))
}

fn texts_json(texts: &BTreeSet<String>) -> Json {
    Json::Array(texts.iter().map(Json::text).collect())
}
