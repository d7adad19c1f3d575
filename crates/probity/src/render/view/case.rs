//! One reply as pages show it: what it answers, its text with what the gate found, and what each criterion came to.

use std::ops::Range;

use probity_core::case::{EvidenceSource, Role, Situation, ToolCall, Turn};
use probity_core::exact::Exact;
use probity_core::gate::matched;
use probity_core::results::{CriterionResult, FindingRecord, ResultRow, RowOutcome};
use probity_core::rubric::{Criterion, Rubric};
use probity_core::score::one_level_more;
use serde_json::{Value, json};

use super::super::private::{Mark, MarkKind, Texts, pieces};
use super::people::Vote;
use super::quoted;
use crate::plain::excerpt;

/// How much of a tool's call stands in its line.
const TOOL_COLUMNS_MAX: usize = 100;

/// What the template of a case is filled with; `votes` are what people said about it.
pub(super) fn case(row: &ResultRow, rubric: &Rubric, texts: Texts, votes: &[Vote]) -> Value {
    let reply = row.reply.as_deref().unwrap_or_default();
    let reasons = row.asked().filter_map(|(_, result)| result.reasoning.as_deref());
    let quotes: Vec<&str> = reasons.flat_map(quoted::quotes).collect();
    let mut facts = SharedFacts::default();
    let sources = row.evidence.sources.iter();
    let sources: Vec<Value> = sources.map(|source| facts.source(source, row, &quotes, texts)).collect();
    let context = row.evidence.context.iter().map(|each| {
        let marks = facts.marks(reply, &each.text, &[], &quotes);
        json!({ "pieces": pieces(&each.text, &marks, texts), "source": each.source })
    });
    let context: Vec<Value> = context.collect();
    let mut marks: Vec<Mark> = row.gate.findings.iter().map(Mark::of).collect();
    marks.append(&mut facts.in_reply);
    marks.extend(quoted::marks(reply, &quotes));
    let criteria = rubric.criteria().iter().enumerate();
    let criteria = criteria.filter_map(|(at, each)| Some(criterion(each, row.criterion(at)?, texts, votes)));
    json!({
        "name": row.name(), "variant": row.variant, "outcome": row.outcome.name(),
        "turns": turns(&row.turns, row.ticket.as_deref(), texts),
        "tools": row.evidence.tools.iter().map(|call| tool(call, texts)).collect::<Vec<_>>(),
        "pieces": pieces(reply, &marks, texts),
        "findings": row.gate.findings.iter().map(finding).collect::<Vec<_>>(),
        "sources": sources, "context": context, "has_facts": facts.n > 0,
        "n_omitted": row.evidence.n_omitted, "reference": row.reference.as_deref().map(|text| texts.shown(text)),
        "headline": headline(row), "why": why(row, rubric), "points": points(row, rubric),
        "criteria": criteria.collect::<Vec<_>>(),
        "people": super::people::named(votes),
    })
}

/// The turns of a situation; a ticket is one.
pub(crate) fn conversation(situation: &Situation) -> Vec<Turn> {
    match situation {
        Situation::Ticket(text) => vec![Turn { role: Role::Customer, text: text.clone() }],
        Situation::Conversation(turns) => turns.clone(),
    }
}

/// The turns of a conversation, or a ticket as its only one.
pub(super) fn turns(turns: &[Turn], ticket: Option<&str>, texts: Texts) -> Vec<Value> {
    let turn = |turn: &Turn| {
        let who = match turn.role {
            Role::Customer => "Customer",
            Role::Agent => "Agent",
            Role::System => "System",
        };
        json!({ "who": who, "text": texts.shown(&turn.text) })
    };
    match turns {
        [] => ticket.iter().map(|ticket| json!({ "who": "Customer", "text": texts.shown(ticket) })).collect(),
        turns => turns.iter().map(turn).collect(),
    }
}

fn tool(call: &ToolCall, texts: Texts) -> Value {
    let shown = |text: &Option<String>| text.as_deref().map(|text| texts.shown(text));
    let [arguments, result] = [&call.arguments, &call.result].map(shown);
    let line = [arguments.as_deref(), result.as_deref()].map(Option::unwrap_or_default).join(" → ");
    let line = excerpt(&line, TOOL_COLUMNS_MAX);
    json!({ "name": call.name, "line": line, "arguments": arguments, "result": result })
}

/// What a reply and its sources both say, with a number for each sentence of a source.
#[derive(Default)]
struct SharedFacts {
    n: usize,
    in_reply: Vec<Mark>,
}

impl SharedFacts {
    fn source(&mut self, source: &EvidenceSource, row: &ResultRow, quotes: &[&str], texts: Texts) -> Value {
        let reply = row.reply.as_deref().unwrap_or_default();
        let against = row.gate.findings.iter().filter(|found| found.source.as_ref() == Some(&source.id));
        let against: Vec<&FindingRecord> = against.collect();
        let text = source.text.as_deref().unwrap_or_default();
        let marks = self.marks(reply, text, &against, quotes);
        let facts: Vec<String> = source.facts.iter().map(|fact| texts.shown(fact)).collect();
        json!({
            "id": source.id, "version": source.version, "pieces": pieces(text, &marks, texts), "facts": facts,
        })
    }

    /// The marks in the text of a source; those in the reply are kept. What contradicts a source is marked in it where it
    /// says what was expected.
    fn marks(&mut self, reply: &str, source: &str, against: &[&FindingRecord], quotes: &[&str]) -> Vec<Mark> {
        let mut marks: Vec<Mark> = Vec::new();
        let mut numbered: Vec<(Range<usize>, usize)> = Vec::new();
        let mut number = |sentence: &Range<usize>| {
            let known = numbered.iter().find(|(range, _)| range == sentence).map(|(_, number)| *number);
            known.unwrap_or_else(|| {
                self.n += 1;
                numbered.push((sentence.clone(), self.n));
                self.n
            })
        };
        for found in against {
            for fact in
                found.expected.as_deref().map(|expected| matched(expected, source)).unwrap_or_default()
            {
                let number = number(&fact.sentence);
                let mark = |range| Mark::new(range, MarkKind::Contradicts, &found.rule).numbered(&number);
                marks.push(mark(fact.sentence));
                self.in_reply.push(mark(found.start..found.end));
            }
        }
        for fact in matched(reply, source) {
            let number = number(&fact.sentence);
            let mark =
                |range| Mark::new(range, MarkKind::Agrees, "the source says the same").numbered(&number);
            self.in_reply.push(mark(fact.reply));
            marks.push(mark(fact.sentence));
        }
        marks.extend(quoted::marks(source, quotes));
        marks
    }
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

/// Why a reply failed, as a sentence: by its total, or by the criterion that fails it alone.
pub(crate) fn fail_reason(reason: &str) -> String {
    match reason.strip_prefix("score ") {
        Some(rest) if rest.starts_with("at most ") => format!("The total is {rest}."),
        Some(rest) => format!("The total of {}.", rest.replace(" below ", " is below ")),
        None => format!("The level of {reason} alone fails it, whatever the total."),
    }
}

/// Why it came to that, and what would change it.
fn why(row: &ResultRow, rubric: &Rubric) -> Vec<String> {
    let mut lines: Vec<String> = row.fail_reasons.iter().map(|reason| fail_reason(reason)).collect();
    match row.outcome {
        RowOutcome::Blocked => {
            lines.push("No judge was asked, and no score reopens it.".to_owned());
            lines.push(
                "A reply without what is marked would be judged. If a rule is wrong here, list it under flag or off in the \
                 section [gate] of probity.toml."
                    .to_owned(),
            );
        }
        RowOutcome::Unscored => {
            lines.push(
                "A criterion has no level, so there is no total. This does not count as zero.".to_owned(),
            );
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
        let result = row.criterion(at)?;
        let (points, weight) = (result.points?, criterion.weight?);
        let width = points.to_f64();
        parts.push(json!({
            "title": criterion.title, "points": points, "weight": weight, "x": x, "width": width,
            "tone": tone(criterion, result), "is_wide": width >= 7.0, "middle": x + width / 2.0,
        }));
        x += width;
    }
    Some(json!({ "parts": parts, "total": row.total, "pass": rubric.pass().map(|pass| pass.total_min) }))
}

/// How far from the best a level is.
fn tone(criterion: &Criterion, result: &CriterionResult) -> &'static str {
    let scale = &criterion.scale;
    match result.score {
        Some(level) if level == scale.worst() => "worst",
        Some(level) if scale.share(level) < Exact::ratio(3, 4).expect("four is not zero") => "weak",
        _ => "",
    }
}

fn criterion(criterion: &Criterion, result: &CriterionResult, texts: Texts, votes: &[Vote]) -> Value {
    let people = |level: i64| {
        let at = votes.iter().filter(|vote| vote.criterion == criterion.id.as_str() && vote.level == level);
        at.map(|vote| json!({ "name": vote.name, "initial": vote.initial, "hue": vote.hue, "settles": vote.settles }))
            .collect::<Vec<_>>()
    };
    let levels = criterion.anchors.iter().map(
        |anchor| json!({ "level": anchor.level, "anchor": anchor.text, "people": people(anchor.level) }),
    );
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
        "level": result.score, "levels": levels.collect::<Vec<_>>(), "tone": tone(criterion, result),
        "anchor": anchor.map(|anchor| &anchor.text), "reason": result.reasoning.as_deref().map(|text| texts.shown(text)),
        "unscored": unscored, "notes": notes,
    })
}
