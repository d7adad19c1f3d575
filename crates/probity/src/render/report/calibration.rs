//! The report of a calibration: how far a judge says what people say, between the floor and the ceiling.
//!
//! The ceiling is how far people agree among themselves, the floor is what a judge reaches that understands
//! nothing. A figure that does not exist is shown with its reason and never as a number.

mod held;
mod test_cases;

use std::sync::Arc;

use probity_core::calibrate::{Calibration, Figures, Floors, JudgeFigures};
use probity_core::report::Facts;
use probity_core::rubric::Rubric;
use probity_core::stats::{Estimate, Undefined};
use probity_engine::run::asking::Asking;

use self::held::{confusion, reliability};
pub(crate) use self::test_cases::test_cases;
use super::super::calibration::CalibrationDocument;
use super::super::figure::{NONE, percent};
use super::appendix::{Appendix, Origin};
use super::chart::{Shape, Whisker};
use super::page::{Cell, JudgeLine, Page, Section, Table, Tile, Tone};

/// So many pairs of people are listed.
const PAIRS_MAX: usize = 20;

/// A judge that was asked about labelled cases.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// Who, and how.
    pub(crate) asking: &'a Asking,
    /// By what.
    pub(crate) rubric: &'a Rubric,
    /// What the store knows about the calls.
    pub(crate) facts: &'a Facts,
    /// BLAKE3 of the labels.
    pub(crate) labels: &'a str,
    /// The rules that decided which replies are judged, by their hash.
    pub(crate) gate: &'a str,
    /// What was to be asked and has no verdict.
    pub(crate) n_missing: u64,
}

/// The page.
pub(crate) fn page(shown: &CalibrationDocument<'_>) -> Page {
    let all = shown.calibration;
    let facts = shown.asked.map(|asked| asked.facts);
    let only = all.judges.values().next().filter(|_| all.judges.len() == 1);
    Page {
        command: "calibrate",
        title: format!("Calibration · {}", shown.file),
        judge: facts.map(JudgeLine::of),
        lead: only.map(|judge| lead(all, judge)).unwrap_or_default(),
        tiles: tiles(all, only),
        warnings: facts.map(|facts| facts.warnings.clone()).unwrap_or_default(),
        sections: sections(all, shown.notices),
        appendix: appendix(shown),
    }
}

/// Everything that a calibration says, from the whole to the parts.
pub(crate) fn sections(all: &Calibration, notices: &[String]) -> Vec<Section> {
    let mut sections = vec![overview(all)];
    for (at, (name, judge)) in all.judges.iter().enumerate() {
        let place = Place { number: at, name, n_judges: all.judges.len() };
        sections.push(slices(all, judge, &place));
        sections.push(confusion(all, judge, &place));
        sections.push(reliability(all, judge, &place));
        sections.push(figures(judge, &place));
    }
    sections.extend(people(all));
    sections.push(labels(all, notices));
    sections
}

/// Where the sections of a judge stand.
struct Place<'a> {
    number: usize,
    name: &'a str,
    n_judges: usize,
}

impl Place<'_> {
    fn section(&self, id: &str, title: &str) -> Section {
        let id = if self.number == 0 { id.to_owned() } else { format!("{id}-{}", self.number) };
        let title = if self.n_judges > 1 { format!("{}: {title}", self.name) } else { title.to_owned() };
        Section::new(&id, &title)
    }
}

fn appendix(shown: &CalibrationDocument<'_>) -> Appendix {
    let appendix = match shown.asked {
        Some(asked) => Appendix::of(Origin::asked(asked.asking), asked.rubric, asked.facts)
            .hash("labels", asked.labels)
            .hash("gate", asked.gate),
        None => Appendix::new(Origin::files(), None),
    };
    let counting = &shown.calibration.counting;
    appendix
        .hash("votes", counting.votes.name())
        .hash("ties", counting.ties.name())
        .hash("conflict", counting.policies.conflict.name())
        .hash("unparsed", counting.policies.unparsed.name())
        .hash("seed", counting.sampling.resampling.seed.to_string())
        .hash("resamples", counting.sampling.resampling.n_resamples.to_string())
}

fn estimate(figures: &Figures, name: &str) -> Option<Estimate> {
    figures.get(name).and_then(Result::ok)
}

fn lead(all: &Calibration, judge: &JudgeFigures) -> String {
    let Some(rate) = estimate(&judge.overall, "agreement") else {
        return "There is no label that the judge can be held against.".to_owned();
    };
    let mut text = format!(
        "The judge says what people say about {} of {} labelled items ({:.1}–{:.1})",
        percent(rate.value),
        rate.n,
        100.0 * rate.low,
        100.0 * rate.high
    );
    match all.people.agreement {
        Some(people) => text += &format!("; people agree among themselves on {}", percent(people.value)),
        None => text += "; no item has labels of two people, so the ceiling is not known",
    }
    if let Some((name, floor)) = all.floors.as_ref().and_then(best_floor) {
        text += &format!("; {name} reaches {}", percent(floor));
    }
    text + "."
}

/// The highest that a judge reaches that understands nothing.
fn best_floor(floors: &Floors) -> Option<(String, f64)> {
    let constant = format!("always saying {}", floors.constant_says);
    let all = [
        (constant, Some(&floors.constant)),
        ("counting words".to_owned(), floors.baseline.as_ref()),
        ("preferring the longer reply".to_owned(), floors.prefer_longer.as_ref()),
    ];
    let shares =
        all.into_iter().filter_map(|(name, figures)| Some((name, estimate(figures?, "agreement")?.value)));
    shares.max_by(|one, other| one.1.total_cmp(&other.1))
}

fn tiles(all: &Calibration, only: Option<&JudgeFigures>) -> Vec<Tile> {
    let mut tiles = Vec::new();
    if let Some(judge) = only {
        let agreement = estimate(&judge.overall, "agreement");
        tiles.extend(agreement.map(|rate| Tile::share(&rate, "agreement")));
        let kappa = estimate(&judge.overall, "cohen_kappa");
        tiles.extend(kappa.map(|kappa| Tile::coefficient(&kappa, "Cohen's kappa")));
        tiles.push(Tile::count(judge.weak_slices.len() as u64, "weak slices"));
        tiles.push(Tile::count(judge.n_without_verdict, "labelled, without a verdict"));
    }
    tiles.push(Tile::count(all.people.n_units, "labelled items"));
    tiles.push(Tile::count(all.people.n_annotators as u64, "people"));
    tiles
}

fn overview(all: &Calibration) -> Section {
    let titles = ["who", "~0 to 100 %", "#agreement", "#95 % interval", "#n", "#kappa", "#95 % interval"];
    let mut table = Table::new(&[&titles[..], &["#alpha", "#AC1"]].concat());
    let mut line = |name: String, figures: &Figures| {
        let mut row = vec![Cell::text(name)];
        row.extend(Cell::share(estimate(figures, "agreement").as_ref()));
        row.extend(coefficient(figures.get("cohen_kappa")));
        row.extend(["krippendorff_alpha", "gwet_ac1"].map(|name| short(figures.get(name))));
        table.row(row);
    };
    for (name, judge) in &all.judges {
        line(format!("judge {name}"), &judge.overall);
    }
    if let Some(floors) = &all.floors {
        line(format!("floor: always {}", floors.constant_says), &floors.constant);
        for (name, figures) in [("counting words", &floors.baseline), ("longer reply", &floors.prefer_longer)]
        {
            if let Some(figures) = figures {
                line(format!("floor: {name}"), figures);
            }
        }
    }
    let mut row = vec![Cell::text("ceiling: people, among themselves")];
    row.extend(Cell::share(all.people.agreement.as_ref()));
    let fleiss = all.people.fleiss.as_ref().map(|fleiss| fleiss.figure);
    row.extend(coefficient(fleiss));
    row.extend([short(Some(all.people.alpha.nominal)), Cell::text(NONE)]);
    table.row(row);
    let section = Section::new("agreement", "Agreement with people").table(table);
    match &all.people.fleiss {
        Some(fleiss) => section
            .text(format!("People's kappa is that of Fleiss, on items with {} votes.", fleiss.n_ratings)),
        None => section,
    }
}

type Figure = Option<Result<Estimate, Undefined>>;

/// Value and interval, or why there is none.
fn coefficient(figure: Figure) -> [Cell; 2] {
    match figure {
        Some(Ok(Estimate { value, low, high, .. })) => {
            [Cell::text(format!("{value:.3}")), Cell::text(format!("{low:.3} to {high:.3}"))]
        }
        Some(Err(reason)) => [Cell::text(NONE), Cell::text(reason.to_string())],
        None => [Cell::text(NONE), Cell::text(NONE)],
    }
}

fn short(figure: Figure) -> Cell {
    match figure {
        Some(Ok(estimate)) => Cell::text(format!("{:.3}", estimate.value)),
        _ => Cell::text(NONE),
    }
}

/// Agreement by slice and by criterion, each against its ceiling and its floor.
fn slices(all: &Calibration, judge: &JudgeFigures, place: &Place) -> Section {
    let mut table = parts_table("slice");
    for (name, figures) in &judge.by_slice {
        let ceiling = all.people_by_slice.get(name).and_then(|people| people.agreement);
        let floors = all.floors.as_ref();
        let floor = floors.and_then(|floors| floors.baseline_by_slice.get(name));
        let floor = floor.or_else(|| floors.map(|floors| &floors.constant));
        let bounds = [ceiling, floor.and_then(|floor| estimate(floor, "agreement"))];
        let word = if judge.weak_slices.contains(name) {
            Cell::word("weak", Tone::Missed)
        } else if estimate(figures, "agreement").is_none() {
            Cell::word("not known", Tone::Unscored)
        } else {
            Cell::word("holds", Tone::Met)
        };
        table.row(part_row(name, figures, bounds, word));
    }
    let floor = if all.floors.as_ref().is_some_and(|floors| !floors.baseline_by_slice.is_empty()) {
        "a judge that counts words, on the slice"
    } else {
        "saying what people say most often, on all slices"
    };
    let section = place
        .section("slices", "Slices, between floor and ceiling")
        .legend("● the judge with its interval; ◇ the ceiling; △ the floor.")
        .text(format!(
            "The ceiling is how far people agree among themselves on the slice; the floor is {floor}. A slice \
             below {} is weak.",
            percent(all.counting.weak_below)
        ));
    let mut criteria = parts_table("criterion");
    for (name, figures) in &judge.by_criterion {
        criteria.row(part_row(name, figures, [None, None], Cell::text("")));
    }
    section.table(table).table(if judge.by_criterion.len() > 1 { criteria } else { Table::new(&[]) })
}

fn parts_table(what: &str) -> Table {
    let titles = [what, "~0 to 100 %", "#agreement", "#95 % interval", "#n", "#people", "#floor"];
    Table::new(&[&titles[..], &["#kappa", "#95 % interval", ""]].concat())
}

fn part_row(name: &Arc<str>, figures: &Figures, bounds: [Option<Estimate>; 2], word: Cell) -> Vec<Cell> {
    let rate = estimate(figures, "agreement");
    let [ceiling, floor] = bounds.map(|bound| bound.map(|bound| bound.value));
    let mut row = vec![Cell::text(&**name)];
    let mut cells = Cell::share(rate.as_ref());
    if let Some(rate) = &rate {
        let plot = Whisker::share(rate).mark(Shape::Triangle, floor).mark(Shape::Diamond, ceiling);
        cells[0] = Cell::Plot(plot);
    }
    row.extend(cells);
    row.extend([ceiling, floor].map(|share| Cell::text(share.map_or_else(|| NONE.to_owned(), percent))));
    row.extend(coefficient(figures.get("cohen_kappa")));
    row.push(word);
    row
}

/// Every figure of a judge, with its reason where there is none.
fn figures(judge: &JudgeFigures, place: &Place) -> Section {
    let mut table = Table::new(&["figure", "#value", "#95 % interval", "#n", ""]);
    for (name, figure) in &judge.overall.figures {
        let name = Cell::text(name.replace('_', " "));
        let row = match figure {
            Ok(Estimate { value, low, high, n }) => {
                [format!("{value:.3}"), format!("{low:.3} to {high:.3}"), n.to_string(), String::new()]
            }
            Err(reason) => [NONE.to_owned(), NONE.to_owned(), NONE.to_owned(), reason.to_string()],
        };
        table.row([vec![name], row.map(Cell::text).into()].concat());
    }
    let replacement = &judge.replacement;
    let text = match (replacement.winning_rate, replacement.mean_advantage) {
        (Ok(rate), Ok(advantage)) => format!(
            "In place of a person: {}. Winning rate {rate:.2} of {} people at an allowance of {}, mean advantage {advantage:.2}.",
            if replacement.allowed() == Some(true) { "yes" } else { "no" },
            replacement.annotators.len(),
            replacement.epsilon
        ),
        (Err(reason), _) | (_, Err(reason)) => {
            format!("In place of a person: cannot be told, people with 30 items in common: {reason}.")
        }
    };
    place.section("figures", "All figures").table(table).text(text)
}

fn people(all: &Calibration) -> Option<Section> {
    let mut pairs: Vec<_> = all.people.pairs.iter().collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.n_units));
    let titles = ["people", "~0 to 100 %", "#agreement", "#95 % interval", "#n", "#kappa", "#95 % interval"];
    let mut table = Table::new(&titles);
    for pair in pairs.iter().take(PAIRS_MAX) {
        let of =
            |name: &str| pair.figures.iter().find(|(known, _)| *known == name).map(|(_, figure)| *figure);
        let [first, second] = &pair.annotators;
        let mut row = vec![Cell::text(format!("{first} and {second}"))];
        row.extend(Cell::share(of("agreement").and_then(Result::ok).as_ref()));
        row.extend(coefficient(of("cohen_kappa")));
        table.row(row);
    }
    let more = pairs.len().saturating_sub(PAIRS_MAX);
    let section = Section::new("people", "People, two by two").table(table);
    let section = if more > 0 { section.text(format!("And {more} more pairs of people.")) } else { section };
    (!pairs.is_empty()).then_some(section)
}

fn labels(all: &Calibration, notices: &[String]) -> Section {
    let counts = &all.labels;
    let lines = [
        (counts.n_rows, "rows of labels"),
        (counts.n_votes, "votes that count"),
        (counts.n_adjudicated, "settled by a lead"),
        (counts.n_abstained, "abstained"),
        (counts.n_not_blind, "by people who had seen a verdict"),
        (counts.n_superseded, "superseded by a later look"),
        (counts.n_repeated, "repeating an earlier row"),
        (counts.n_strays, "about items without a verdict"),
    ];
    let lines = lines.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    let lines = lines.chain(notices.iter().cloned()).collect();
    Section::new("labels", "What became of the labels").list(lines)
}
