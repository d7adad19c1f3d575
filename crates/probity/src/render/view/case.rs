//! One reply as pages show it: what it answers, its text with what the gate found, and what each criterion came to.

use probity_core::case::{Role, ToolCall, Turn};
use probity_core::exact::Exact;
use probity_core::results::{CriterionResult, FindingRecord, ResultRow, RowOutcome};
use probity_core::rubric::{Criterion, Rubric};
use probity_core::score::one_level_more;
use serde_json::{Value, json};

use super::super::private::{Texts, pieces};
use crate::plain::excerpt;

/// How much of a tool's call stands in its line.
const TOOL_COLUMNS_MAX: usize = 100;

/// What the template of a case is filled with.
pub(crate) fn case(row: &ResultRow, rubric: &Rubric, texts: Texts) -> Value {
    let show = |text: &str| texts.shown(text);
    let turn = |turn: &Turn| {
        let who = match turn.role {
            Role::Customer => "Customer",
            Role::Agent => "Agent",
            Role::System => "System",
        };
        json!({ "who": who, "text": show(&turn.text) })
    };
    let turns: Vec<Value> = match &row.turns[..] {
        [] => row.ticket.iter().map(|ticket| json!({ "who": "Customer", "text": show(ticket) })).collect(),
        turns => turns.iter().map(turn).collect(),
    };
    let tool = |call: &ToolCall| {
        let [arguments, result] = [&call.arguments, &call.result].map(|text| text.as_deref().map(show));
        let line = [arguments.as_deref(), result.as_deref()].map(Option::unwrap_or_default).join(" → ");
        let line = excerpt(&line, TOOL_COLUMNS_MAX);
        json!({ "name": call.name, "line": line, "arguments": arguments, "result": result })
    };
    let evidence = &row.evidence;
    let sources = evidence.sources.iter().map(|source| {
        let facts: Vec<String> = source.facts.iter().map(|fact| show(fact)).collect();
        json!({ "id": source.id, "version": source.version, "text": source.text.as_deref().map(show), "facts": facts })
    });
    let context =
        evidence.context.iter().map(|each| json!({ "text": show(&each.text), "source": each.source }));
    let findings = &row.gate.findings;
    let criteria = rubric.criteria().iter().enumerate();
    let criteria = criteria.filter_map(|(at, each)| Some(criterion(each, row.criterion(at)?, texts)));
    json!({
        "name": row.name(), "variant": row.variant, "outcome": row.outcome.name(), "turns": turns,
        "tools": evidence.tools.iter().map(tool).collect::<Vec<_>>(),
        "pieces": pieces(row.reply.as_deref().unwrap_or_default(), findings, texts),
        "findings": findings.iter().map(finding).collect::<Vec<_>>(),
        "sources": sources.collect::<Vec<_>>(), "context": context.collect::<Vec<_>>(),
        "n_omitted": evidence.n_omitted, "reference": row.reference.as_deref().map(show),
        "headline": headline(row), "why": why(row, rubric), "points": points(row, rubric),
        "criteria": criteria.collect::<Vec<_>>(),
    })
}

fn finding(finding: &FindingRecord) -> Value {
    let source = finding.source.as_ref().map(|id| match &finding.version {
        Some(version) => format!("{id} version {version}"),
        None => id.clone(),
    });
    json!({
        "rule": finding.rule, "severity": finding.severity, "message": finding.message, "expected": finding.expected,
        "source": source,
    })
}

/// What it came to, in words.
fn headline(row: &ResultRow) -> String {
    let word = match row.outcome {
        RowOutcome::Pass => "Passes",
        RowOutcome::Fail => "Fails",
        RowOutcome::Scored => "Scored",
        RowOutcome::Blocked => return "Blocked by the gate".to_owned(),
        RowOutcome::Unscored => return "Unscored".to_owned(),
    };
    row.total.map_or_else(|| word.to_owned(), |total| format!("{word} with {total} of 100"))
}

/// Why it came to that, and what would change it.
fn why(row: &ResultRow, rubric: &Rubric) -> Vec<String> {
    let mut lines: Vec<String> = row.fail_reasons.clone();
    match row.outcome {
        RowOutcome::Blocked => lines.push("No judge was asked, and no score reopens it.".to_owned()),
        RowOutcome::Unscored => {
            lines.push("A criterion has no level, so there is no total; that is no zero.".to_owned());
        }
        RowOutcome::Fail => {
            let levels = rubric.criteria().iter().enumerate();
            let levels = levels.filter_map(|(at, each)| Some((&each.id, row.level(at)?))).collect();
            lines.extend(one_level_more(rubric, &levels).map(|(criterion, total)| {
                format!("One level more on {} would pass ({total}).", criterion.title.to_lowercase())
            }));
        }
        RowOutcome::Pass | RowOutcome::Scored => {}
    }
    lines
}

/// The points of each criterion, end to end, with the total that passes.
fn points(row: &ResultRow, rubric: &Rubric) -> Option<Value> {
    let (mut x, mut parts) = (0.0, Vec::new());
    for (at, criterion) in rubric.criteria().iter().enumerate() {
        let (points, weight) = (row.criterion(at)?.points?, criterion.weight?);
        let width = points.to_f64();
        parts.push(
            json!({ "title": criterion.title, "points": points, "weight": weight, "x": x, "width": width }),
        );
        x += width;
    }
    Some(json!({ "parts": parts, "pass": rubric.pass().map(|pass| pass.total_min.to_f64()) }))
}

fn criterion(criterion: &Criterion, result: &CriterionResult, texts: Texts) -> Value {
    let scale = &criterion.scale;
    let tone = match result.score {
        Some(level) if level == scale.worst() => "worst",
        Some(level) if scale.share(level) < Exact::ratio(3, 4).expect("four is not zero") => "weak",
        _ => "",
    };
    let levels = criterion
        .anchors
        .iter()
        .map(|anchor| json!({ "level": anchor.level, "anchor": anchor.text, "people": [] }));
    let anchor = criterion.anchors.iter().find(|anchor| Some(anchor.level) == result.score);
    let lists = [
        ("Names", &result.violations),
        ("Look twice:", &result.suspicions),
        ("Cleaned up:", &result.repairs),
    ];
    let notes = lists.into_iter().filter(|(_, list)| !list.is_empty());
    let notes: Vec<String> = notes.map(|(what, list)| format!("{what} {}", list.join(", "))).collect();
    let unscored = result.unscored.as_ref().map(|why| format!("{} {}", why.cause, texts.shown(&why.detail)));
    json!({
        "id": criterion.id.as_str(), "title": criterion.title, "points": result.points, "weight": criterion.weight,
        "level": result.score, "levels": levels.collect::<Vec<_>>(), "tone": tone,
        "anchor": anchor.map(|anchor| &anchor.text), "reason": result.reasoning.as_deref().map(|text| texts.shown(text)),
        "unscored": unscored, "notes": notes,
    })
}
