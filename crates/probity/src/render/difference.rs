//! A difference between two runs on a terminal: figures first, then the cases behind them.

use std::io;

use probity_core::diff::{DefinitionChange, Difference, Guarded, LevelChange, Pair, PartChange, PassChange};
use probity_core::results::{ResultRow, RowOutcome};
use probity_core::stats::Estimate;
use serde_json::Value;

use super::figure::{columns, counted, none, p_number, percent};
use super::report::{Document, Kind, difference as page, paged};
use crate::plain::{excerpt, plain};

/// So many cases of each kind are listed.
const CASES_SHOWN_MAX: usize = 10;
/// How much of a reason is shown.
const REASON_CHARS_MAX: usize = 120;
/// How much of a part of a definition is shown: enough to tell hashes apart.
const PART_CHARS_MAX: usize = 40;

/// A difference with everything that is said about it.
pub(crate) struct DifferenceDocument<'a> {
    /// The figures.
    pub(crate) difference: &'a Difference<'a>,
    /// The limits that were held against it.
    pub(crate) guarded: &'a [Guarded],
    /// The files as they were named.
    pub(crate) files: [&'a str; 2],
    /// The level of the test for a pass rate that fell.
    pub(crate) alpha: f64,
    /// Why nothing can be said about the runs, where it cannot.
    pub(crate) incomplete: Option<&'a str>,
    /// For programs.
    pub(crate) json: Value,
}

impl Document for DifferenceDocument<'_> {
    fn json(&self) -> &Value {
        &self.json
    }

    fn text(&self) -> String {
        difference(self)
    }

    fn file(&self, kind: Kind) -> io::Result<String> {
        paged(self, kind, || page::page(self), || page::test_cases(self))
    }
}

/// The difference as text.
fn difference(shown: &DifferenceDocument<'_>) -> String {
    let changed = shown.difference;
    let mut out = headline(shown);
    out += &definition(&changed.definition);
    out += &overall(changed);
    out += &guardrails(shown.guarded);
    out += &slices(changed);
    out += &flips(changed);
    out += &alone("only in the first run", &changed.only_before);
    out += &alone("only in the second run", &changed.only_after);
    out
}

fn headline(shown: &DifferenceDocument<'_>) -> String {
    let Difference { before, after, pairs, paired_by, only_before, only_after, .. } = shown.difference;
    let [first, second] = shown.files.map(plain);
    let (one, other) = (before.summary.judge.name(), after.summary.judge.name());
    let standing = if shown.difference.advisory().is_some() { "advisory" } else { "promoted" };
    let judge = if shown.difference.judge_changed() {
        format!("judge {} → {} ({standing})", plain(&one), plain(&other))
    } else {
        format!("judge {} ({standing})", plain(&one))
    };
    let by = match paired_by {
        probity_core::diff::PairedBy::Case => "id",
        probity_core::diff::PairedBy::CaseAndVariant => "id and variant",
    };
    let n_changed = pairs.iter().filter(|pair| pair.differs()).count();
    format!(
        "{first} → {second} · {} {} · {judge}\n{} by {by}, {n_changed} changed; {} only before, {} only after\n",
        plain(&before.summary.rubric.name),
        plain(&before.summary.rubric.version),
        counted(pairs.len() as u64, "pair"),
        only_before.len(),
        only_after.len()
    )
}

fn definition(changes: &[DefinitionChange]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let mut out = "\nwhat the runs were made of differs in\n".to_owned();
    for change in changes {
        let [before, after] = [&change.before, &change.after].map(|side| match side {
            Some(text) if text.is_empty() => "nothing".to_owned(),
            Some(text) => excerpt(text, if is_hash(text) { 12 } else { PART_CHARS_MAX }),
            None => "not told".to_owned(),
        });
        out += &format!("  {}: {before} → {after}\n", plain(&change.part));
    }
    out
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn overall(changed: &Difference<'_>) -> String {
    let mut rows = vec![header("figure", &["higher", "lower"])];
    let part = &changed.overall;
    rows.extend(part.pass.as_ref().map(|pass| pass_row("pass rate", pass)));
    rows.extend(part.total.as_ref().map(|total| level_row("total", total)));
    for (id, change) in part.criteria.iter() {
        rows.push(change.as_ref().map_or_else(|| vec![plain(id)], |change| level_row(&plain(id), change)));
    }
    let adjusted = if part.criteria.0.len() > 1 {
        "adjusted: over the criteria, by Benjamini and Yekutieli\n"
    } else {
        ""
    };
    format!(
        "\n{}p: exact, McNemar's for the pass rate and the sign test for levels; {} resamples, seed {}\n{adjusted}",
        columns(&rows),
        changed.resampling.n_resamples,
        changed.resampling.seed
    )
}

fn guardrails(guarded: &[Guarded]) -> String {
    if guarded.is_empty() {
        return String::new();
    }
    let mut out = "\nguardrails\n".to_owned();
    for one in guarded {
        let fails = if one.fails() { ", fails" } else { "" };
        out += &format!("  {}{fails}: {}\n", one.kept.name(), plain(&one.message()));
    }
    out
}

fn slices(changed: &Difference<'_>) -> String {
    if changed.by_slice.len() < 2 {
        return String::new();
    }
    let mut out = String::new();
    let mut table = |name: &str, row: &dyn Fn(&str, &PartChange) -> Option<Vec<String>>| {
        let found: Vec<Vec<String>> =
            changed.by_slice.iter().filter_map(|(slice, part)| row(&plain(slice), part)).collect();
        if !found.is_empty() {
            let mut rows = vec![header(&format!("{name} by slice"), &["higher", "lower"])];
            rows.extend(found);
            out += &format!("\n{}", columns(&rows));
        }
    };
    table("pass rate", &|slice, part| part.pass.as_ref().map(|pass| pass_row(slice, pass)));
    for id in changed.overall.criteria.names() {
        table(&plain(id), &|slice, part| {
            let change = part.criteria.get(id)?.as_ref();
            change.filter(|c| c.n_higher + c.n_lower > 0).map(|c| level_row(slice, c))
        });
    }
    if out.is_empty() {
        return out;
    }
    out + "adjusted: over the slices for the pass rate, over slices and criteria for levels; slices without a move are \
           not listed for levels\n"
}

fn header(first: &str, counts: &[&str; 2]) -> Vec<String> {
    let names =
        [first, "before", "after", "change", "95 % interval", "n", counts[0], counts[1], "p", "adjusted"];
    names.map(str::to_owned).into()
}

fn pass_row(name: &str, pass: &PassChange) -> Vec<String> {
    let [low, high] = [pass.change.low, pass.change.high].map(|end| signed(100.0 * end, 1));
    let mut row = vec![
        name.to_owned(),
        percent(pass.before.value),
        percent(pass.after.value),
        signed(100.0 * pass.change.value, 1),
        format!("{low} to {high}"),
        pass.before.n.to_string(),
        pass.n_gained.to_string(),
        pass.n_lost.to_string(),
    ];
    row.extend([pass.mcnemar.map(|test| test.exact), pass.adjusted].map(p_value));
    row
}

fn level_row(name: &str, change: &LevelChange) -> Vec<String> {
    let Estimate { value, low, high, n } = change.change;
    let mut row = vec![
        name.to_owned(),
        format!("{:.2}", change.before),
        format!("{:.2}", change.after),
        signed(value, 2),
        format!("{} to {}", signed(low, 2), signed(high, 2)),
        n.to_string(),
        change.n_higher.to_string(),
        change.n_lower.to_string(),
    ];
    row.extend([change.sign_test, change.adjusted].map(p_value));
    row
}

/// A number with its sign; what is shown as zero has none.
pub(crate) fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}").replace('-', "−");
    if text.chars().all(|c| !c.is_ascii_digit() || c == '0') { format!("{:.decimals$}", 0.0) } else { text }
}

/// A p-value below its column's name, or a dash where there is none.
pub(crate) fn p_value(p: Option<f64>) -> String {
    p.map_or_else(none, p_number)
}

fn flips(changed: &Difference<'_>) -> String {
    let mut out = String::new();
    for ((before, after), n) in changed.flips() {
        out += &format!("\n{} → {}: {}\n", before.name(), after.name(), counted(n, "case"));
        let cases =
            changed.pairs.iter().filter(|pair| (pair.before.outcome, pair.after.outcome) == (before, after));
        for pair in cases.take(CASES_SHOWN_MAX) {
            out += &flipped(pair);
        }
        out += &more(n.saturating_sub(CASES_SHOWN_MAX as u64));
    }
    out
}

fn flipped(pair: &Pair<'_>) -> String {
    let (before, after) = (pair.before, pair.after);
    let slice = before.slice.as_deref().map(|slice| format!(" [{}]", plain(slice))).unwrap_or_default();
    let side = if matches!(after.outcome, RowOutcome::Pass | RowOutcome::Scored) { before } else { after };
    let reasons: Vec<String> = side.reasons().iter().map(|reason| plain(reason)).collect();
    let was = if std::ptr::eq(side, before) { "was " } else { "" };
    let reasons = if reasons.is_empty() { String::new() } else { format!(": {was}{}", reasons.join(", ")) };
    let mut out = format!("  {}{slice}{reasons}\n", name(before, after));
    for (place, id) in after.criteria.names().enumerate() {
        let (Some(one), Some(other)) = (before.level(place), after.level(place)) else { continue };
        if one != other {
            let said =
                after.criterion(place).and_then(|result| result.reasoning.as_deref()).unwrap_or_default();
            let said = excerpt(said, REASON_CHARS_MAX);
            out += &format!("    {} {one} → {other}: {said}\n", plain(id));
        }
    }
    out
}

/// The case, and the variant where there is one and the same.
fn name(before: &ResultRow, after: &ResultRow) -> String {
    let variant = before.variant.as_ref().filter(|variant| after.variant.as_ref() == Some(variant));
    format!(
        "{}{}",
        plain(&before.id),
        variant.map(|variant| format!(" by {}", plain(variant))).unwrap_or_default()
    )
}

fn alone(what: &str, rows: &[&ResultRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{what}: {}\n", counted(rows.len() as u64, "case"));
    for row in rows.iter().take(CASES_SHOWN_MAX) {
        out += &format!("  {} ({})\n", name(row, row), row.outcome.name());
    }
    out + &more(rows.len().saturating_sub(CASES_SHOWN_MAX) as u64)
}

fn more(n: u64) -> String {
    if n == 0 { String::new() } else { format!("  and {n} more: --json lists them\n") }
}
