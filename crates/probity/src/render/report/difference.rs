//! The report of a difference between two runs: what moved, the limits that were held against it, and the cases.

use probity_core::diff::{Advisory, Difference, Guarded, Kept, LevelChange, PassChange};
use probity_core::results::RowOutcome;
use probity_core::stats::Estimate;

use super::super::difference::{DifferenceDocument, p_value, signed};
use super::super::figure::percent;
use super::appendix::{Appendix, Origin};
use super::junit::{Came, TestCase};
use super::page::{Cell, JudgeLine, Page, Section, Table, Tile, Tone};

/// The columns of figures that moved.
pub(in crate::render) const MOVED: [&str; 8] =
    ["figure", "#before", "#after", "#change", "#95 % interval", "#n", "#higher, lower", "#p"];

/// The page.
pub(crate) fn page(shown: &DifferenceDocument<'_>) -> Page {
    let changed = shown.difference;
    let [before, after] = shown.files;
    let n_changed = changed.pairs.iter().filter(|pair| pair.differs()).count();
    let n_failed = shown.guarded.iter().filter(|one| one.fails()).count();
    let lead = match (shown.guarded.len(), n_failed) {
        (0, _) => format!("{n_changed} of {} pairs changed.", changed.pairs.len()),
        (n, 0) => {
            format!("{n_changed} of {} pairs changed; none of {n} guardrails failed.", changed.pairs.len())
        }
        (n, failed) => format!("{failed} of {n} guardrails failed."),
    };
    let judges = [changed.before, changed.after].map(|run| run.summary.judge.name());
    let mut tiles = vec![
        Tile::count(changed.pairs.len() as u64, "pairs"),
        Tile::count(n_changed as u64, "changed"),
        Tile::count(changed.only_before.len() as u64, "only before"),
        Tile::count(changed.only_after.len() as u64, "only after"),
    ];
    tiles.extend(
        changed
            .coverage()
            .map(|share| Tile { value: percent(share), name: "with an outcome in both runs".to_owned() }),
    );
    Page {
        command: "diff",
        title: format!("{before} → {after}"),
        judge: Some(judge_line(changed)),
        lead,
        tiles,
        warnings: changed.warnings.clone(),
        sections: [guardrails(shown.guarded), Some(figures(changed)), slices(changed), flips(changed)]
            .into_iter()
            .flatten()
            .collect(),
        appendix: Appendix::new(Origin::files(), None)
            .hash("rubric", &changed.before.summary.rubric.hash)
            .hash("judge before", &judges[0])
            .hash("judge after", &judges[1]),
    }
}

/// Who judged the second run, and whether the judges of both may gate.
fn judge_line(changed: &Difference<'_>) -> JudgeLine {
    let (standing, reason, caution) = match changed.advisory() {
        Some(Advisory { reason, .. }) => {
            ("advisory", reason, "These figures inform; they must not gate a release.")
        }
        None => ("promoted", changed.after.standing.reason(), ""),
    };
    let (standing, reason) = (standing.to_owned(), reason.to_owned());
    JudgeLine { name: changed.after.summary.judge.name(), standing, reason, caution }
}

fn guardrails(guarded: &[Guarded]) -> Option<Section> {
    let mut table = Table::new(&["guardrail", "result", "what came of it"]);
    for one in guarded {
        let tone = match (&one.kept, one.fails()) {
            (_, true) => Tone::Missed,
            (Kept::Yes, false) => Tone::Met,
            (_, false) => Tone::Soft,
        };
        table.row(vec![
            Cell::text(one.guardrail.rule()),
            Cell::word(one.kept.name(), tone),
            Cell::text(one.message()),
        ]);
    }
    (!guarded.is_empty()).then(|| Section::new("guardrails", "Guardrails").table(table))
}

fn figures(changed: &Difference<'_>) -> Section {
    let mut table = Table::new(&MOVED);
    let part = &changed.overall;
    part.pass.iter().for_each(|pass| table.row(pass_row("pass rate", pass)));
    part.total.iter().for_each(|total| table.row(level_row("total", total)));
    for (id, change) in part.criteria.iter() {
        if let Some(change) = change {
            table.row(level_row(id, change));
        }
    }
    Section::new("figures", "What moved").table(table)
}

fn slices(changed: &Difference<'_>) -> Option<Section> {
    let mut table = Table::new(&MOVED);
    for (slice, part) in &changed.by_slice {
        part.pass.iter().for_each(|pass| table.row(pass_row(slice, pass)));
    }
    (table.rows.len() > 1).then(|| Section::new("slices", "Pass rate by slice").table(table))
}

fn flips(changed: &Difference<'_>) -> Option<Section> {
    let flip = |((before, after), n): ((RowOutcome, RowOutcome), u64)| {
        let ids =
            changed.pairs.iter().filter(|pair| (pair.before.outcome, pair.after.outcome) == (before, after));
        let ids: Vec<&str> = ids.map(|pair| pair.before.id.as_str()).collect();
        format!("{} → {}: {n} ({})", before.name(), after.name(), ids.join(", "))
    };
    let lines: Vec<String> = changed.flips().into_iter().map(flip).collect();
    (!lines.is_empty()).then(|| Section::new("flips", "Outcomes that flipped").list(lines))
}

/// A figure of both runs, as it is shown.
struct MovedFigure<'a> {
    name: &'a str,
    sides: [String; 2],
    change: Estimate,
    /// Decimals of the change.
    decimals: usize,
    n_higher: u64,
    n_lower: u64,
    p: Option<f64>,
}

/// A row about a share.
pub(in crate::render) fn pass_row(name: &str, pass: &PassChange) -> Vec<Cell> {
    let Estimate { value, low, high, n } = pass.change;
    MovedFigure {
        name,
        sides: [percent(pass.before.value), percent(pass.after.value)],
        change: Estimate { value: 100.0 * value, low: 100.0 * low, high: 100.0 * high, n },
        decimals: 1,
        n_higher: pass.n_gained,
        n_lower: pass.n_lost,
        p: pass.mcnemar.map(|test| test.exact),
    }
    .row()
}

/// A row about a mean.
pub(in crate::render) fn level_row(name: &str, level: &LevelChange) -> Vec<Cell> {
    MovedFigure {
        name,
        sides: [level.before, level.after].map(|mean| format!("{mean:.2}")),
        change: level.change,
        decimals: 2,
        n_higher: level.n_higher,
        n_lower: level.n_lower,
        p: level.sign_test,
    }
    .row()
}

impl MovedFigure<'_> {
    fn row(self) -> Vec<Cell> {
        let Estimate { value, low, high, n } = self.change;
        let [value, low, high] = [value, low, high].map(|end| signed(end, self.decimals));
        let [before, after] = self.sides;
        let moved = format!("{}, {}", self.n_higher, self.n_lower);
        let cells = [
            self.name.to_owned(),
            before,
            after,
            value,
            format!("{low} to {high}"),
            n.to_string(),
            moved,
            p_value(self.p),
        ];
        cells.map(Cell::text).into()
    }
}

/// A case for the pass rate, where there is one, and one for each guardrail. Where too little can be compared, each of
/// them is an error, for this reason. What an advisory judge says fails no build.
pub(crate) fn test_cases(shown: &DifferenceDocument<'_>) -> Vec<TestCase> {
    let DifferenceDocument { difference: changed, alpha, incomplete, .. } = shown;
    let failed = |reason: String| Came::Failed { kind: "quality", reasons: vec![reason] };
    let mut tests = Vec::new();
    if let Some(pass) = &changed.overall.pass {
        let fell = pass.fell.filter(|p| p <= alpha);
        let came = fell
            .map_or(Came::Passed, |p| failed(format!("the pass rate fell (one-sided exact test, p {p:.4})")));
        tests.push(TestCase { class: "diff".to_owned(), name: "pass rate".to_owned(), came });
    }
    for one in shown.guarded {
        let came = if one.fails() { failed(one.message()) } else { Came::Passed };
        tests.push(TestCase { class: "guardrail".to_owned(), name: one.guardrail.rule(), came });
    }
    if incomplete.is_some() && tests.is_empty() {
        tests.push(TestCase { class: "diff".to_owned(), name: "coverage".to_owned(), came: Came::Passed });
    }
    for test in &mut tests {
        if let Some(reason) = incomplete {
            test.came = Came::Error(vec![(*reason).to_owned()]);
        } else if changed.advisory().is_some() {
            test.came = test.came.clone().by_advisory_judge();
        }
    }
    tests
}
