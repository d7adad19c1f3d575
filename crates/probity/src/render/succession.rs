//! A succession for people: the answer, agreement of both judges with people, how verdicts moved, what earlier runs
//! would have come to, and what to label.

use std::fmt::Write as _;
use std::io;

use probity_core::diff::PartChange;
use probity_core::succeed::{Answer, RunMove, Succession, TargetMove};
use serde_json::{Value, json};

use super::figure::{NONE, columns, counted, percent};
use super::report::appendix::Appendix;
use super::report::difference::{MOVED, level_row, pass_row};
use super::report::junit::{Came, TestCase};
use super::report::page::{Block, Cell, Page, Section, Table, Tile, Tone};
use super::report::{Document, Kind, paged};
use crate::plain::plain;

/// So many cases to label are named; JSON has all of them.
const CASES_SHOWN_MAX: usize = 20;

/// A succession with everything that is said about it.
pub(crate) struct SuccessionDocument<'a> {
    succession: &'a Succession,
    page: Page,
    json: Value,
}

impl<'a> SuccessionDocument<'a> {
    /// The document about the case files of this name.
    pub(crate) fn new(succession: &'a Succession, files: &str, appendix: Appendix) -> Self {
        SuccessionDocument { page: page(succession, files, appendix), json: json!(succession), succession }
    }
}

impl Document for SuccessionDocument<'_> {
    fn json(&self) -> &Value {
        &self.json
    }

    fn text(&self) -> String {
        text(&self.page)
    }

    fn file(&self, kind: Kind) -> io::Result<String> {
        paged(self, kind, || self.page.clone(), || test_cases(self.succession))
    }
}

/// The words and tables of a page, for a terminal.
fn text(page: &Page) -> String {
    let mut out = format!("{}\n\n{}\n", plain(&page.title), plain(&page.lead));
    page.warnings.iter().for_each(|warning| push_line!(out, "warning: {}", plain(warning)));
    for Section { title, blocks, .. } in &page.sections {
        push_line!(out, "\n{}", plain(title));
        for block in blocks {
            match block {
                Block::Text { text } | Block::Heading { text } => push_line!(out, "{}", plain(text)),
                Block::List { items } => items.iter().for_each(|item| push_line!(out, "  {}", plain(item))),
                Block::Table(table) => out += &rows(table),
                _ => {}
            }
        }
    }
    out
}

fn rows(table: &Table) -> String {
    let cell = |cell: &Cell| match cell {
        Cell::Text { text } | Cell::Word { text, .. } => plain(text),
        Cell::Plot(_) => String::new(),
    };
    let titles = table.columns.iter().map(|column| column.title.clone()).collect();
    let rows = table.rows.iter().map(|row| row.iter().map(cell).collect());
    columns(&std::iter::once(titles).chain(rows).collect::<Vec<_>>())
}

fn page(shown: &Succession, files: &str, appendix: Appendix) -> Page {
    let answer = match shown.answered.answer {
        Answer::Yes => "The new judge may take the old one's place",
        Answer::No => "The new judge should not take the old one's place",
        Answer::Open => "Open: the labels do not tell whether the new judge agrees with people as well",
    };
    let mut tiles = vec![Tile::count(shown.shift.n_decided(), "decided by both")];
    if let Some(agreement) = &shown.agreement {
        tiles.push(Tile::share(&agreement.overall.before, "old judge agrees with people"));
        tiles.push(Tile::share(&agreement.overall.after, "new judge agrees with people"));
    }
    let [from, to] = [&shown.from, &shown.to]
        .map(|judge| format!("{} {}", judge.name, judge.id.get(..12).unwrap_or(&judge.id)).trim().to_owned());
    Page {
        command: "succeed",
        title: format!("{from} → {to} · {} {} · {files}", shown.rubric.name, shown.rubric.version),
        judge: None,
        lead: format!("{answer}: {}.", shown.answered.reasons.join("; ")),
        tiles,
        warnings: shown.warnings.clone(),
        sections: [Some(agreement(shown)), Some(shift(shown)), runs(shown), contract(shown), to_label(shown)]
            .into_iter()
            .flatten()
            .collect(),
        appendix: appendix.hash("old judge", &shown.from.id).hash("new judge", &shown.to.id),
    }
}

fn agreement(shown: &Succession) -> Section {
    let section = Section::new("agreement", "Agreement with people");
    let Some(agreement) = &shown.agreement else {
        let why =
            shown.agreement_missing.as_deref().unwrap_or("nothing that both judges decided has a label");
        return section.text(why);
    };
    let mut table = Table::new(&MOVED);
    table.row(pass_row("all", &agreement.overall));
    for (name, change) in agreement.by_criterion.iter().chain(&agreement.by_slice) {
        table.row(pass_row(name, change));
    }
    section.text("On labelled cases that both judges decided; p is McNemar's exact test.").table(table)
}

fn shift(shown: &Succession) -> Section {
    let mut table = Table::new(&MOVED);
    let mut add = |part: &PartChange, slice: Option<&str>| {
        let name = |figure: &str| slice.map_or(figure.to_owned(), |slice| format!("{figure} · {slice}"));
        part.pass.iter().for_each(|pass| table.row(pass_row(&name("pass rate"), pass)));
        let totals = part.total.iter().filter(|_| slice.is_none());
        totals.for_each(|total| table.row(level_row(&name("total"), total)));
        for (id, level) in part.criteria.iter() {
            if let Some(level) = level {
                table.row(level_row(&name(id), level));
            }
        }
    };
    add(&shown.shift.overall, None);
    shown.shift.by_slice.iter().for_each(|(slice, part)| add(part, Some(slice)));
    Section::new("shift", "How verdicts move").table(table)
}

fn runs(shown: &Succession) -> Option<Section> {
    let mut table =
        Table::new(&["run", "cases", "#pass rate", "#new judge", "#95 % interval", "targets that change"]);
    let sides = |targets: &[TargetMove]| {
        let changed: Vec<String> = targets.iter().filter(|target| target.changes_sides()).map(side).collect();
        if changed.is_empty() {
            return Cell::text("none");
        }
        Cell::word(changed.join(", "), Tone::Missed)
    };
    let pass = shown.shift.overall.pass;
    let here = [pass.map(|pass| pass.before), pass.map(|pass| pass.after)];
    let rate = |rate: &Option<_>| {
        rate.map_or(NONE.to_owned(), |rate: probity_core::stats::Estimate| percent(rate.value))
    };
    let mut row = |name: String, files: &str, [before, after]: [Option<_>; 2], targets| {
        let interval = after.as_ref().map_or(NONE.to_owned(), super::figure::interval);
        let cells = [name, files.to_owned(), rate(&before), rate(&after), interval].map(Cell::text);
        table.row(cells.into_iter().chain([sides(targets)]).collect());
    };
    if pass.is_some() || !shown.targets.is_empty() {
        row("these".to_owned(), "both judges", here, &shown.targets);
    }
    for RunMove { run, files, before, after, targets, .. } in &shown.runs {
        row(run.to_string(), files, [*before, *after], targets);
    }
    (!table.rows.is_empty()).then(|| {
        Section::new("runs", "Earlier runs under the new judge")
            .text("Estimated from what both judges decided: passes and fails of the old one stay as often as there.")
            .table(table)
    })
}

fn side(target: &TargetMove) -> String {
    let to = if target.met_after { "met" } else { "missed" };
    let perhaps = if target.is_clear { "" } else { ", not surely" };
    format!("{} {to}{perhaps}", target.metric)
}

fn contract(shown: &Succession) -> Option<Section> {
    let contract = shown.contract.as_ref()?;
    let n_unmet = contract.unmet.0.len();
    let lines = contract.unmet.iter().map(|(name, why)| format!("{name}: {why}")).collect();
    let lead = format!("{n_unmet} of {} requirements are not met. Nothing was recorded.", contract.checked);
    Some(Section::new("contract", &format!("Contract {}", contract.name)).text(lead).list(lines))
}

fn to_label(shown: &Succession) -> Option<Section> {
    let n = shown.to_label.len();
    if n == 0 {
        return None;
    }
    let mut cases: Vec<String> = shown.to_label.iter().take(CASES_SHOWN_MAX).cloned().collect();
    if n > CASES_SHOWN_MAX {
        cases.push(format!("and {} more: --json lists them", n - CASES_SHOWN_MAX));
    }
    let lead = format!(
        "The judges differ on {} without a label; only those can show which of them is right.",
        counted(n as u64, "case")
    );
    Some(Section::new("to-label", "What to label").text(lead).list(cases))
}

/// One case for the answer and one for each requirement that is not met.
fn test_cases(shown: &Succession) -> Vec<TestCase> {
    let failed = |reasons: Vec<String>| Came::Failed { kind: "quality", reasons };
    let test = |name: &str, came| TestCase { class: "succeed".to_owned(), name: name.to_owned(), came };
    let answer = match shown.answered.answer {
        Answer::Yes => Came::Passed,
        Answer::No | Answer::Open => failed(shown.answered.reasons.clone()),
    };
    let unmet = shown.contract.iter().flat_map(|contract| contract.unmet.iter());
    let unmet = unmet.map(|(name, why)| test(name, failed(vec![why.clone()])));
    std::iter::once(test("succession", answer)).chain(unmet).collect()
}
