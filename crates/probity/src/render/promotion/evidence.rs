//! The sections that a decision retains, as they are read: sources and findings, the rubric, the judge's words,
//! and the probes. They are read from the retained document, so that a page shows what is kept and nothing else.

use serde_json::Value;

use super::super::figure::{NONE, counted};
use super::super::private::shown as dotted;
use super::super::report::document::{Cell, Cells, Quote, Section, Table, Tone};

/// So many blocked replies are quoted.
const BLOCKED_MAX: usize = 20;

fn text(value: &Value) -> String {
    match value {
        Value::Null => NONE.to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Which replies are ineligible, and what the rest rests on.
pub(super) fn hard_gates(gates: &Value) -> Section {
    let section = Section::new("hard-gates", "Hard gates");
    if let Some(reason) = gates["reason"].as_str() {
        return section.text(format!("Not shown: {reason}."));
    }
    let counts = format!(
        "{} admitted, {} blocked.",
        counted(gates["admitted"].as_u64().unwrap_or(0), "reply"),
        gates["blocked"]
    );
    let mut sources = Table::new(&["source", "version", "#replies that rest on it"]);
    for source in items(&gates["sources"]) {
        sources.row(cells![text(&source["id"]), text(&source["version"]), text(&source["replies"])]);
    }
    let mut rules = Table::new(&["rule", "#blocked", "#flagged"]);
    for (rule, count) in members(&gates["findings_by_rule"]) {
        rules.row(cells![rule, text(&count["blocked"]), text(&count["flagged"])]);
    }
    let quote = |reply: &Value| Quote {
        title: text(&reply["id"]),
        about: reply["variant"].as_str().unwrap_or_default().to_owned(),
        word: "blocked".to_owned(),
        tone: Tone::Missed,
        pieces: Vec::new(),
        lines: items(&reply["findings"])
            .map(|finding| dotted(&format!("{}: {}", text(&finding["rule"]), text(&finding["message"]))))
            .collect(),
    };
    let blocked: Vec<Quote> = items(&gates["blocked_replies"]).take(BLOCKED_MAX).map(quote).collect();
    let n = items(&gates["blocked_replies"]).count();
    section.text(counts).table(sources).table(rules).quotes(blocked, n)
}

/// What the judge was asked to measure.
pub(super) fn rubric(rubric: &Value) -> Section {
    let section = Section::new("rubric", "Rubric contract");
    if rubric.is_null() {
        return section.text("Not shown: the files do not name a rubric; --rubric names one.");
    }
    let mut table = Table::new(&["criterion", "question", "decided by", "allowed verdicts"]);
    for criterion in items(&rubric["criteria"]) {
        let verdicts: Vec<String> = items(&criterion["allowed_verdicts"]).map(text).collect();
        let [id, question, decider] = ["id", "question", "decided_by"].map(|name| text(&criterion[name]));
        table.row(cells![id, question, decider, verdicts.join(", ")]);
    }
    let name = format!(
        "{} {}; the appendix of the page has its anchors.",
        text(&rubric["name"]),
        text(&rubric["version"])
    );
    section.text(name).table(table)
}

/// What the judge said, in both orders or by criterion.
pub(super) fn runs(runs: &Value) -> Section {
    let section = Section::new("runs", "Judge runs").text(
        "The first few of each kind, as evidence that a verdict can be looked up; the store has all of them.",
    );
    let mut quotes = Vec::new();
    for (criterion, said) in members(&runs["by_criterion"]) {
        let line = |run: &Value| {
            format!(
                "{} level {}: {}",
                text(&run["id"]),
                text(&run["level"]),
                dotted(&text(&run["reasoning"]))
            )
        };
        quotes.push(plain_quote(criterion, "criterion", items(said).map(line).collect()));
    }
    for pair in items(&runs["pairs"]) {
        let lines = items(&pair["orders"]).map(|order| {
            let evidence: Vec<String> = items(&order["evidence"]).map(text).collect();
            let winner = order["winner"].as_str().map(|name| format!("{name} wins"));
            let verdict = winner.unwrap_or_else(|| text(&order["verdict"]).replace('_', " "));
            let first = text(&order["first_slot"]);
            format!("with {first} shown first, {verdict}: {}", dotted(&evidence.join(" ")))
        });
        quotes.push(plain_quote(
            &text(&pair["id"]),
            &text(&pair["status"]).replace('_', " "),
            lines.collect(),
        ));
    }
    for row in items(runs) {
        let said: Vec<String> = items(&row["orders"]).map(text).collect();
        quotes.push(plain_quote(&text(&row["item"]), &text(&row["criterion"]), vec![said.join(", then ")]));
    }
    let n = quotes.len();
    section.quotes(quotes, n)
}

fn plain_quote(title: &str, about: &str, lines: Vec<String>) -> Quote {
    let about = if about == NONE { String::new() } else { about.to_owned() };
    let (word, pieces) = (String::new(), Vec::new());
    Quote { title: title.to_owned(), about, word, tone: Tone::Soft, pieces, lines }
}

/// Whether known shortcuts remain.
pub(super) fn probes(probes: &Value) -> Section {
    let section = Section::new("probes", "Bias probes");
    if let Some(reason) = probes["reason"].as_str() {
        return section.text(format!("Not shown: {reason}."));
    }
    let mut table = Table::new(&["family", "probe", "result", "in words"]);
    for (family, lines) in members(&probes["by_family"]) {
        for line in items(lines) {
            let result = text(&line["result"]);
            let tone = match result.as_str() {
                "pass" => Tone::Met,
                "fail" => Tone::Missed,
                "inconclusive" => Tone::Unscored,
                _ => Tone::Soft,
            };
            let word = Cell::word(result.replace('_', " "), tone);
            table.row(cells![family, text(&line["name"]), word, text(&line["message"])]);
        }
    }
    section.table(table)
}
