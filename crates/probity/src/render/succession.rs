//! A succession as a document: the answer, agreement of both judges with people, how verdicts moved, what earlier runs
//! would have come to, and what to label.

use probity_core::diff::PartChange;
use probity_core::results::Facts;
use probity_core::stats::Estimate;
use probity_core::succeed::{Answer, RateMove, RunMove, Succession, TargetMove};
use probity_engine::run::basis::Basis;
use serde_json::json;

use super::difference::{level_row, moved, pass_row};
use super::figure::{counted, interval, none, sentence, value_or_none};
use super::report::appendix::Appendix;
use super::report::document::{Cell, Cells, Document, Section, Table, Tile, Tone, listed_first};
use super::report::junit::{Came, TestCase};
use super::summary::calls;

/// So many cases to label are named; JSON has all of them.
const CASES_SHOWN_MAX: usize = 20;

/// The document of a succession: by what the new judge was asked, and what the store knows about its calls.
pub(crate) fn document(succession: &Succession, basis: &Basis, facts: &Facts) -> Document {
    let Basis { name: files, asking, rubric, .. } = basis;
    let Succession { from, to, agreement: agreed, .. } = succession;
    let answer = match succession.answered.answer {
        Answer::Yes => "The new judge may take the old one's place",
        Answer::No => "The new judge should not take the old one's place",
        Answer::Open => "Open: the labels do not tell whether the new judge agrees with people as well",
    };
    let mut tiles = vec![Tile::count(succession.shift.n_decided(), "decided by both")];
    tiles.extend(succession.shift.same.iter().map(|same| Tile::share(same, "judges say the same")));
    if let Some(agreed) = agreed {
        tiles.push(Tile::share(&agreed.overall.before, "old judge agrees with people"));
        tiles.push(Tile::share(&agreed.overall.after, "new judge agrees with people"));
    }
    let [old, new] = [from, to]
        .map(|judge| format!("{} {}", judge.name, judge.id.get(..12).unwrap_or(&judge.id)).trim().to_owned());
    let sections = [
        agreement(succession),
        shift(succession),
        runs(succession),
        contract(succession),
        to_label(succession),
    ];
    let appendix = Appendix::asked(asking, rubric, facts);
    Document {
        command: "succeed".to_owned(),
        title: format!("{old} → {new} · {} {} · {files}", rubric.name(), rubric.version()),
        verdict: format!("{answer}."),
        lead: sentence(&succession.answered.reasons.join("; ")),
        tiles,
        warnings: succession.warnings.clone(),
        sections: sections.into_iter().filter_map(Section::filled).collect(),
        calls: calls(facts),
        appendix: Some(appendix.hash("old judge", &from.id).hash("new judge", &to.id)),
        tests: test_cases(succession),
        json: json!(succession),
        ..Document::default()
    }
}

fn agreement(shown: &Succession) -> Section {
    let section = Section::new("agreement", "Agreement with people");
    let Some(agreement) = &shown.agreement else {
        let why =
            shown.agreement_missing.as_deref().unwrap_or("nothing that both judges decided has a label");
        return section.text(why);
    };
    let mut table = moved("figure");
    table.row(pass_row("all", &agreement.overall));
    for (name, change) in agreement.by_criterion.iter().chain(&agreement.by_slice) {
        table.row(pass_row(name, change));
    }
    section.text("On labelled cases that both judges decided; p is McNemar's exact test.").table(table)
}

fn shift(shown: &Succession) -> Section {
    let mut table = moved("figure");
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

fn runs(shown: &Succession) -> Section {
    let mut table =
        Table::new(&["run", "cases", "#pass rate", "#new judge", "#95 % interval", "targets that change"]);
    let mut row = |name: &str,
                   files: &str,
                   [before, after]: [Option<Estimate>; 2],
                   targets: Option<&[TargetMove]>| {
        let (interval, sides) =
            (after.as_ref().map_or_else(none, interval), targets.map_or_else(|| Cell::text(none()), sides));
        table.row(cells![name, files, value_or_none(before), value_or_none(after), interval, sides]);
    };
    let pass = shown.shift.overall.pass;
    if pass.is_some() || !shown.targets.is_empty() {
        let rates = [pass.map(|pass| pass.before), pass.map(|pass| pass.after)];
        row("these", "both judges", rates, Some(&shown.targets));
    }
    for (n, RunMove { run, files, before, after, by_slice, targets, .. }) in shown.runs.iter().enumerate() {
        row(&run.to_string(), files, [*before, *after], Some(targets));
        // Of the latest run alone; JSON has all.
        for (slice, RateMove { before, after }) in by_slice.iter().filter(|_| n == 0 && by_slice.len() > 1) {
            row(&format!("{run} · {slice}"), files, [Some(*before), *after], None);
        }
    }
    let section = Section::new("runs", "Earlier runs under the new judge");
    if table.rows.is_empty() {
        return section;
    }
    section
        .text("Estimated from what both judges decided: passes and fails of the old one stay as often as there.")
        .table(table)
}

/// The targets that are on another side than before.
fn sides(targets: &[TargetMove]) -> Cell {
    let changed: Vec<String> = targets.iter().filter(|target| target.changes_sides()).map(side).collect();
    if changed.is_empty() { Cell::text("none") } else { Cell::word(changed.join(", "), Tone::Missed) }
}

fn side(target: &TargetMove) -> String {
    let to = if target.met_after { "met" } else { "missed" };
    let perhaps = if target.is_clear { "" } else { ", not surely" };
    format!("{} {to}{perhaps}", target.metric)
}

fn contract(shown: &Succession) -> Section {
    let Some(contract) = &shown.contract else { return Section::new("contract", "Contract") };
    let n_unmet = contract.unmet.0.len();
    let lead = format!("{n_unmet} of {} requirements are not met. Nothing was recorded.", contract.checked);
    Section::new("contract", &format!("Contract {}", contract.name))
        .text(lead)
        .list(contract.unmet.iter().map(|(name, why)| format!("{name}: {why}")))
}

fn to_label(shown: &Succession) -> Section {
    let section = Section::new("to-label", "What to label");
    let n = shown.to_label.len() as u64;
    if n == 0 {
        return section;
    }
    let cases = counted(n, "case");
    section
        .text(format!(
            "The judges differ on {cases} without a label; only those can show which of them is right."
        ))
        .list(listed_first(&shown.to_label, n, CASES_SHOWN_MAX, String::clone))
}

/// One case for the answer and one for each requirement that is not met.
fn test_cases(shown: &Succession) -> Vec<TestCase> {
    let answer = match shown.answered.answer {
        Answer::Yes => Came::Passed,
        Answer::No | Answer::Open => Came::Failed(shown.answered.reasons.clone()),
    };
    let unmet = shown.contract.iter().flat_map(|contract| contract.unmet.iter());
    let unmet = unmet.map(|(name, why)| TestCase::new("succeed", name, Came::failed(why.clone())));
    std::iter::once(TestCase::new("succeed", "succession", answer)).chain(unmet).collect()
}
