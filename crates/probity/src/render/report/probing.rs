//! The report of a probing: which known shortcuts a judge falls for, beyond what it does without any change.

use probity_core::probe::{Family, ProbeFigures, ProbeOutcome, ProbeResult};

use super::super::figure::{NONE, percent};
use super::super::probing::ProbingDocument;
use super::appendix::{Appendix, Origin};
use super::chart::{Shape, Whisker};
use super::junit::{Came, TestCase};
use super::page::{Cell, JudgeLine, Page, Quote, Section, Table, Tile, Tone};

/// Outcomes with their titles, those that matter most first.
const OUTCOMES: [(ProbeOutcome, &str, &str); 4] = [
    (ProbeOutcome::Fail, "failed", "Shortcuts that work, faults that are missed"),
    (ProbeOutcome::Inconclusive, "inconclusive", "Not decided"),
    (ProbeOutcome::Pass, "passed", "Shortcuts that do not work, faults that are seen"),
    (ProbeOutcome::NotApplicable, "not-applicable", "Without meaning for this rubric"),
];

/// The page.
pub(crate) fn page(shown: &ProbingDocument) -> Page {
    let ProbingDocument { job, probed, .. } = shown;
    let probing = &probed.probing;
    let n = |outcome| probing.with(outcome).count() as u64;
    let [n_failed, n_open] = [n(ProbeOutcome::Fail), n(ProbeOutcome::Inconclusive)];
    let lead = match (n_failed, n_open) {
        (0, 0) => {
            "The judge falls for no shortcut and misses no planted fault that has a meaning for this rubric."
                .to_owned()
        }
        (0, open) => format!("No probe failed; {open} are not decided."),
        (failed, open) => {
            let is_fault = |result: &&ProbeResult| result.family == Family::Sensitivity;
            let missed = probing.with(ProbeOutcome::Fail).filter(is_fault).count() as u64;
            let shortcuts = failed - missed;
            format!(
                "The judge falls for {shortcuts} shortcuts and misses {missed} planted faults; {open} are not decided."
            )
        }
    };
    let mut warnings = probed.facts.warnings.clone();
    if !probing.only.is_empty() {
        warnings.push(format!("only {}: this is not the judge's probing", probing.only.join(", ")));
    }
    let mut tiles: Vec<Tile> =
        OUTCOMES.iter().map(|(outcome, id, _)| Tile::count(n(*outcome), &id.replace('-', " "))).collect();
    tiles.push(Tile::count(probing.bases.own as u64, "bases of your own"));
    tiles.push(Tile::count(probing.bases.shipped as u64, "shipped bases"));
    tiles.push(Tile { value: percent(probing.tolerance.share()), name: "tolerated".to_owned() });
    let sections = OUTCOMES.iter().map(|(outcome, id, title)| section(shown, *outcome, id, title));
    let appendix = Appendix::of(Origin::asked(&job.asking), &job.rubric, &probed.facts);
    Page {
        command: "probe",
        title: format!("Probing · {}", job.name),
        judge: Some(JudgeLine::of(&probed.facts)),
        lead,
        tiles,
        warnings,
        sections: sections.flatten().collect(),
        appendix: appendix
            .hash("battery", &probing.battery)
            .hash("gate", job.gate.digest())
            .hash("seed", probing.seed.to_string()),
    }
}

fn section(shown: &ProbingDocument, outcome: ProbeOutcome, id: &str, title: &str) -> Option<Section> {
    let probing = &shown.probed.probing;
    let results: Vec<&ProbeResult> = probing.with(outcome).collect();
    if results.is_empty() {
        return None;
    }
    let section = Section::new(id, title);
    if outcome == ProbeOutcome::NotApplicable {
        let lines = results.iter().map(|result| format!("{}: {}", result.name, result.message));
        return Some(section.list(lines.collect()));
    }
    let titles =
        ["probe", "family", "#bases", "#rate", "#noise", "~−25 to 100 %", "#net", "#90 % interval", "result"];
    let mut table = Table::new(&titles);
    for result in &results {
        let mut row = vec![Cell::text(&result.name), Cell::text(result.family.name())];
        row.extend(figures(result.figures.as_ref(), probing.tolerance.share()));
        row.push(Cell::word(outcome.name(), tone(outcome)));
        table.row(row);
    }
    let section = section.table(table).legend("● net with its interval; the dashed line is what is tolerated.").text(
        "Rate: of the bases, those in which the shortcut worked or the planted fault was missed. Noise: what the judge \
         does without any change. Net is the rate beyond it; a fall that comes without a fault counts as missed.",
    );
    let quote = |result: &&ProbeResult| Quote {
        title: result.name.clone(),
        about: about(result),
        word: outcome.name().to_owned(),
        tone: tone(outcome),
        lines: vec![result.means.clone(), result.message.clone()],
    };
    let is_explained = matches!(outcome, ProbeOutcome::Fail | ProbeOutcome::Inconclusive);
    Some(if is_explained { section.quotes(results.iter().map(quote).collect()) } else { section })
}

fn figures(figures: Option<&ProbeFigures>, tolerance: f64) -> [Cell; 6] {
    let Some(figures) = figures else { return [NONE; 6].map(Cell::text) };
    let share = |share: Option<f64>| Cell::text(share.map_or_else(|| NONE.to_owned(), percent));
    let [rate, noise] = [share(figures.rate), share(figures.noise)];
    let bases = Cell::text(figures.n_bases.to_string());
    let Some(net) = figures.net else {
        return [bases, rate, noise, Cell::text(NONE), Cell::text(NONE), Cell::text(NONE)];
    };
    let plot = Cell::Plot(Whisker::net(&net).mark(Shape::Line, Some(tolerance)));
    let interval = format!("{:.1} to {:.1}", 100.0 * net.low, 100.0 * net.high);
    [bases, rate, noise, plot, share(Some(net.value)), Cell::text(interval)]
}

fn about(result: &ProbeResult) -> String {
    let criterion = result.criterion.as_ref().map_or(String::new(), |id| format!(" of {id}"));
    format!("{} · expects {}{criterion}", result.family.name(), result.expects)
}

fn tone(outcome: ProbeOutcome) -> Tone {
    match outcome {
        ProbeOutcome::Pass => Tone::Met,
        ProbeOutcome::Fail => Tone::Missed,
        ProbeOutcome::Inconclusive => Tone::Unscored,
        ProbeOutcome::NotApplicable => Tone::Soft,
    }
}

/// A case per probe. A shortcut that works is a failure; a probe that lacks answers is an error; one that more bases
/// or a person must decide is skipped, as is one without meaning.
pub(crate) fn test_cases(shown: &ProbingDocument) -> Vec<TestCase> {
    let came = |result: &ProbeResult| match result.outcome() {
        ProbeOutcome::Pass => Came::Passed,
        ProbeOutcome::Fail => {
            Came::Failed { kind: "quality", reasons: vec![result.message.clone(), result.means.clone()] }
        }
        ProbeOutcome::Inconclusive
            if result.figures.as_ref().is_some_and(|figures| figures.n_unscored > 0) =>
        {
            Came::Error(vec![result.message.clone()])
        }
        ProbeOutcome::Inconclusive | ProbeOutcome::NotApplicable => Came::Skipped(result.message.clone()),
    };
    let test = |result: &ProbeResult| TestCase {
        class: result.family.name().to_owned(),
        name: result.name.clone(),
        came: came(result),
    };
    shown.probed.probing.results.iter().map(test).collect()
}
