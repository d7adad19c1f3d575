//! What a rubric is, as one hash.
//!
//! Every value counts, as what it means: comments, spacing, the order of keys, `40` or `40.0`, and a default
//! written out do not. The order of criteria does, because a judge reads them in order. When the rubric was updated
//! and is to be reviewed says nothing about replies and does not count.

use super::{Criterion, Judged, Metric, PassRule, Rubric, Target};
use crate::exact::Exact;
use crate::json::Json;

/// The version of the hashed form. It is inside the hashed data.
const FORMAT: i64 = 1;

/// BLAKE3 over the canonical JSON of everything but the hash itself, hexadecimal.
pub(super) fn hash(rubric: &Rubric) -> String {
    let pass = rubric.pass.as_ref().map_or(Json::Null, pass_json);
    let mut members = vec![
        ("probity_rubric", Json::int(FORMAT)),
        ("name", Json::text(&rubric.name)),
        ("version", Json::text(&rubric.version)),
        ("title", Json::text(&rubric.title)),
        ("description", Json::text(&rubric.description)),
        ("criteria", Json::Array(rubric.criteria.iter().map(criterion_json).collect())),
        ("pass", pass),
        ("targets", Json::Array(rubric.targets.iter().map(target_json).collect())),
    ];
    members.extend(rubric.gold.map(|gold| {
        let ends = [gold.cases_min, gold.cases_max].map(|n| Json::Number(n.to_string()));
        ("gold_set", Json::Array(ends.into()))
    }));
    let json = Json::object(members);
    blake3::hash(json.canonical().as_bytes()).to_hex().to_string()
}

fn criterion_json(criterion: &Criterion) -> Json {
    let anchor = |anchor: &super::Anchor| {
        Json::object([("level", Json::int(anchor.level)), ("text", Json::text(&anchor.text))])
    };
    let violation = |violation: &super::Violation| {
        Json::object([("id", Json::text(&violation.id)), ("text", Json::text(&violation.text))])
    };
    let mut members = vec![
        ("id", Json::text(criterion.id.as_str())),
        ("title", Json::text(&criterion.title)),
        ("question", Json::text(&criterion.question)),
        ("direction", Json::text(criterion.scale.direction().name())),
        ("anchors", Json::Array(criterion.anchors.iter().map(anchor).collect())),
        ("weight", exact_json(criterion.weight)),
        ("tie", criterion.tie.as_ref().map_or(Json::Null, Json::text)),
        ("outside", texts_json(&criterion.outside)),
        ("violations", Json::Array(criterion.violations.iter().map(violation).collect())),
        ("decided_by", Json::text(criterion.decider.name())),
        ("reference", Json::text(criterion.reference.name())),
        ("reasoning", Json::text(criterion.reasoning.name())),
    ];
    members.extend(routing_members(criterion));
    Json::object(members)
}

/// What a plain pointwise criterion does not have.
fn routing_members(criterion: &Criterion) -> Vec<(&'static str, Json)> {
    let mut members = Vec::new();
    if criterion.judged == Judged::Pairwise {
        members.push(("judged", Json::text(criterion.judged.name())));
    }
    members.extend(criterion.better.as_ref().map(|better| ("better", Json::text(better))));
    if !criterion.rules.is_empty() {
        members.push(("rules", Json::Array(criterion.rules.iter().map(|id| Json::text(*id)).collect())));
    }
    members
}

fn pass_json(pass: &PassRule) -> Json {
    let fails = pass.automatic_fails.iter().map(|fail| {
        Json::object([
            ("criterion", Json::text(fail.criterion.as_str())),
            ("worse_than", Json::int(fail.worse_than)),
        ])
    });
    Json::object([
        ("total_min", exact_json(Some(pass.total_min))),
        ("automatic_fails", Json::Array(fails.collect())),
    ])
}

fn target_json(target: &Target) -> Json {
    let criterion = match &target.metric {
        Metric::Mean(id) => Json::text(id.as_str()),
        Metric::PassRate | Metric::AutomaticFailRate | Metric::MeanConfidence => Json::Null,
    };
    Json::object([
        ("metric", Json::text(target.metric.name())),
        ("criterion", criterion),
        ("min", exact_json(target.min)),
        ("max", exact_json(target.max)),
    ])
}

fn texts_json(texts: &[String]) -> Json {
    Json::Array(texts.iter().map(Json::text).collect())
}

fn exact_json(value: Option<Exact>) -> Json {
    let text =
        |value: Exact| value.to_decimal().expect("a number from a rubric file has at most twelve decimals");
    value.map_or(Json::Null, |value| Json::text(text(value)))
}
