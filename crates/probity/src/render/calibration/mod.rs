//! A calibration as a document: how far a judge says what people say, between the floor and the ceiling.
//!
//! The ceiling is how far people agree among themselves, the floor is what a judge reaches that understands
//! nothing. A figure that does not exist is shown with its reason and never as a number.

mod held;
mod test_cases;

use probity_core::calibrate::{Calibration, Figures, Floors, JudgeFigures};
use probity_core::results::Facts;
use probity_core::stats::Estimate;
use probity_engine::input::Skipped;
use probity_engine::run::basis::Basis;
use serde_json::Value;

pub(crate) use self::held::{HeldText, HeldTexts};
use self::held::{confusion, reliability};
use super::comparison::JudgePlace;
use super::figure::{NONE, none, percent, sentence, share};
use super::report::appendix::Appendix;
use super::report::chart::PlotMark;
use super::report::document::{
    Block, Cell, Cells, Coefficient, Document, Fold, JudgeLine, Section, Table, Tile, Tone, skipped_lines,
};
use super::summary::calls;

/// So many pairs of people are listed.
const PAIRS_MAX: usize = 20;

/// What is shown of a calibration.
pub(crate) struct CalibrationShown<'a> {
    /// The figures.
    pub(crate) calibration: &'a Calibration,
    /// The files as they were named.
    pub(crate) file: &'a str,
    /// Rows that could not be used.
    pub(crate) skipped: &'a [Skipped],
    /// What is worth a line about the labels.
    pub(crate) notices: &'a [String],
    /// Who was asked, where a judge was.
    pub(crate) asked: Option<AskedJudge<'a>>,
    /// What the labelled items say, as far as that is known.
    pub(crate) texts: HeldTexts,
    /// For programs.
    pub(crate) json: Value,
}

/// A judge that was asked about labelled cases.
#[derive(Clone, Copy)]
pub(crate) struct AskedJudge<'a> {
    /// Who, how and by what, behind which gate.
    pub(crate) basis: &'a Basis,
    /// What the store knows about the calls.
    pub(crate) facts: &'a Facts,
    /// BLAKE3 of the labels.
    pub(crate) labels: &'a str,
    /// What was to be asked and has no verdict.
    pub(crate) n_missing: u64,
}

/// The document.
pub(crate) fn document(shown: CalibrationShown<'_>) -> Document {
    let all = shown.calibration;
    let facts = shown.asked.map(|asked| asked.facts);
    let only = all.judges.values().next().filter(|_| all.judges.len() == 1);
    let mut sections = sections(all, shown.notices);
    let list = all.judges.values().next().map(|judge| held::list(all, judge, &shown.texts));
    let at =
        sections.iter().position(|section| section.id == "confusion").map_or(sections.len(), |at| at + 1);
    sections.insert(at, Section::new("items", "Labelled items").with(Block::Rows).on_pages());
    let skipped = skipped_lines(shown.skipped, shown.skipped.len() as u64);
    sections.extend(Section::new("skipped", "Skipped records").list(skipped).filled());
    Document {
        command: "calibrate".to_owned(),
        title: format!("Calibration · {}", shown.file),
        about: about(all),
        judge: facts.map(JudgeLine::of),
        verdict: only.map(|judge| verdict(judge, all.floors.as_ref())).unwrap_or_default(),
        lead: only.map(|_| lead(all)).unwrap_or_default(),
        tiles: tiles(all, only),
        warnings: facts.map(|facts| facts.warnings.clone()).unwrap_or_default(),
        sections,
        calls: facts.map(calls).unwrap_or_default(),
        list,
        appendix: Some(appendix(&shown)),
        tests: test_cases::test_cases(&shown),
        json: shown.json,
    }
}

/// Everything that a calibration says, from the whole to the parts.
pub(crate) fn sections(all: &Calibration, notices: &[String]) -> Vec<Section> {
    let mut sections = vec![overview(all)];
    for (at, (name, judge)) in all.judges.iter().enumerate() {
        let place = JudgePlace { number: at, name, n_judges: all.judges.len() };
        sections.push(slices(all, judge, &place));
        sections.push(confusion(all, judge, &place));
        sections.push(reliability(all, judge, &place));
        let figures = figures(judge, &place);
        sections.push(folded(figures.clone(), judge).on_pages());
        sections.push(figures.not_on_pages());
    }
    sections.extend(people(all));
    sections.push(labels(all, notices));
    sections
}

fn about(all: &Calibration) -> String {
    let counting = &all.counting;
    let resampling = &counting.sampling.resampling;
    format!(
        "votes {}, ties {}, conflict {}, unparsed {} · {} resamples, seed {}",
        counting.votes.name(),
        counting.ties.name(),
        counting.policies.conflict.name(),
        counting.policies.unparsed.name(),
        resampling.n_resamples,
        resampling.seed
    )
}

fn appendix(shown: &CalibrationShown<'_>) -> Appendix {
    let appendix = match shown.asked {
        Some(asked) => Appendix::asked(&asked.basis.asking, &asked.basis.rubric, asked.facts)
            .hash("labels", asked.labels)
            .hash("gate", asked.basis.gate.digest()),
        None => Appendix::of_files(None),
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

fn verdict(judge: &JudgeFigures, floors: Option<&Floors>) -> String {
    let Some(rate) = estimate(&judge.overall, "agreement") else {
        return "No label can be compared with the judge's verdicts.".to_owned();
    };
    let [value, interval, n] = share(Some(&rate));
    let floor = floors.and_then(best_floor).filter(|(_, floor)| *floor >= rate.value);
    let worth = floor.map(|(name, _)| format!(" That is no better than {name}.")).unwrap_or_default();
    format!("The judge agrees with people on {value} of {n} labelled items ({interval} %).{worth}")
}

/// The ceiling and the floor.
fn lead(all: &Calibration) -> String {
    let mut parts = vec![match all.people.agreement {
        Some(people) => format!("people agree among themselves on {}", percent(people.value)),
        None => "no item has labels of two people, so the ceiling is not known".to_owned(),
    }];
    let floor = all.floors.as_ref().and_then(best_floor);
    parts.extend(floor.map(|(name, floor)| format!("{name} reaches {}", percent(floor))));
    sentence(&parts.join("; "))
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
        tiles.push(Tile::count(judge.weak_slices.len(), "weak slices"));
        tiles.push(Tile::count(judge.n_without_verdict, "labelled, without a verdict that counts"));
    }
    tiles.push(Tile::count(all.people.n_units, "labelled items"));
    tiles.push(Tile::count(
        all.people.n_annotators,
        if all.people.n_annotators == 1 { "person" } else { "people" },
    ));
    tiles
}

/// Judges between those who do not look and people.
fn overview(all: &Calibration) -> Section {
    let mut table = Table::new(&["who", "%agreement", "^kappa", "#alpha", "#AC1"]);
    let mut line = |name: String, figures: &Figures| {
        let short = |name: &str| short(figures.get(name));
        table.row(cells![
            name,
            Cell::share(estimate(figures, "agreement").as_ref()),
            Cell::coefficient(figures.get("cohen_kappa")),
            short("krippendorff_alpha"),
            short("gwet_ac1"),
        ]);
    };
    for (name, judge) in &all.judges {
        line(format!("judge {name}"), &judge.overall);
    }
    if let Some(floors) = &all.floors {
        line(format!("floor: always {}", floors.constant_says), &floors.constant);
        let others = [("counting words", &floors.baseline), ("longer reply", &floors.prefer_longer)];
        for (name, figures) in others {
            if let Some(figures) = figures {
                line(format!("floor: {name}"), figures);
            }
        }
    }
    let people = &all.people;
    table.row(cells![
        "ceiling: people among themselves",
        Cell::share(people.agreement.as_ref()),
        Cell::coefficient(people.fleiss.as_ref().map(|fleiss| fleiss.figure)),
        short(Some(people.alpha.nominal)),
        NONE,
    ]);
    let fleiss = people
        .fleiss
        .as_ref()
        .map(|fleiss| format!("People's kappa is that of Fleiss, on items with {} votes.", fleiss.n_ratings));
    let unanimous = people.unanimous.map(|rate| {
        let (share, n) = (percent(rate.value), rate.n);
        format!("All votes are the same on {share} of the {n} items with several votes.")
    });
    let section = Section::new("agreement", "Agreement with people").table(table);
    fleiss.into_iter().chain(unanimous).fold(section, Section::text)
}

fn short(figure: Coefficient) -> String {
    figure.and_then(Result::ok).map_or_else(none, |estimate| format!("{:.3}", estimate.value))
}

/// Agreement by slice and by criterion, each against its ceiling and its floor.
fn slices(all: &Calibration, judge: &JudgeFigures, place: &JudgePlace<'_>) -> Section {
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
        table.row(part_row(("slice", name), figures, bounds, word));
    }
    let floor = if all.floors.as_ref().is_some_and(|floors| !floors.baseline_by_slice.is_empty()) {
        "a judge that counts words, on the slice"
    } else {
        "saying what people say most often, on all slices"
    };
    let section = place
        .section("slices", "Slices, between floor and ceiling")
        .legend("● the judge with its interval; ▽ the ceiling; △ the floor.")
        .text(format!(
            "The ceiling is how far people agree among themselves on the slice; the floor is {floor}. A slice \
             below {} is weak.",
            percent(all.counting.weak_below)
        ));
    let mut criteria = parts_table("criterion");
    for (name, figures) in judge.by_criterion.iter().filter(|_| judge.by_criterion.len() > 1) {
        let ceiling = all.people_by_criterion.get(name).and_then(|people| people.agreement);
        let floor = all.floors.as_ref().and_then(|floors| floors.by_criterion.get(name));
        let bounds = [ceiling, floor.and_then(|floor| estimate(floor, "agreement"))];
        criteria.row(part_row(("criterion", name), figures, bounds, Cell::text("")));
    }
    section.table(table).table(criteria)
}

fn parts_table(what: &str) -> Table {
    Table::new(&[what, "%agreement", "#people", "#floor", "^kappa", ""])
}

/// One part, which narrows the list to itself.
fn part_row(
    (key, name): (&str, &str),
    figures: &Figures,
    bounds: [Option<Estimate>; 2],
    word: Cell,
) -> Vec<Cell> {
    let rate = estimate(figures, "agreement");
    let [ceiling, floor] = bounds.map(|bound| bound.map(|bound| bound.value));
    let mut agreement =
        Cell::marked(rate.as_ref(), &[(PlotMark::Triangle, floor), (PlotMark::Diamond, ceiling)]);
    if let Some(plot) = agreement.0.first_mut() {
        *plot = plot.clone().opening(&format!("{name}, agreement with people"), &[(key, name)]);
    }
    cells![
        name,
        agreement,
        ceiling.map_or_else(none, percent),
        floor.map_or_else(none, percent),
        Cell::coefficient(figures.get("cohen_kappa")),
        word,
    ]
}

/// The same behind a line with the one that is read most.
fn folded(section: Section, judge: &JudgeFigures) -> Section {
    let about = estimate(&judge.overall, "cohen_kappa")
        .map(|kappa| format!("kappa {:.2} ({:.2} to {:.2})", kappa.value, kappa.low, kappa.high));
    let fold = Fold {
        title: "Kappa, alpha and the others".to_owned(),
        about: about.unwrap_or_default(),
        shapes: Vec::new(),
        word: String::new(),
        tone: Tone::Soft,
        is_open: false,
        blocks: section.blocks,
    };
    Section { blocks: vec![Block::Fold(fold)], ..section }
}

/// Every figure of a judge, with its reason where there is none.
fn figures(judge: &JudgeFigures, place: &JudgePlace<'_>) -> Section {
    let mut table = Table::new(&["figure", "^value", "#n"]);
    for (name, figure) in &judge.overall.figures {
        let n = figure.map_or_else(|_| none(), |estimate| estimate.n.to_string());
        table.row(cells![name.replace('_', " "), Cell::coefficient(Some(*figure)), n]);
    }
    let replacement = &judge.replacement;
    let text = match (replacement.winning_rate, replacement.mean_advantage) {
        (Ok(rate), Ok(advantage)) => format!(
            "In place of a person: {}. Winning rate ω {rate:.2} of {} people at an allowance ε of {}, mean advantage ρ {advantage:.2}.",
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
    let mut table = Table::new(&["people", "%agreement", "^kappa"]);
    for pair in pairs.iter().take(PAIRS_MAX) {
        let of =
            |name: &str| pair.figures.iter().find(|(known, _)| *known == name).map(|(_, figure)| *figure);
        let [first, second] = &pair.annotators;
        let agreement = of("agreement").and_then(Result::ok);
        let kappa = Cell::coefficient(of("cohen_kappa"));
        table.row(cells![format!("{first} and {second}"), Cell::share(agreement.as_ref()), kappa]);
    }
    let more = pairs.len().saturating_sub(PAIRS_MAX);
    let section = Section::new("people", "People, two by two").table(table);
    let section = if more > 0 { section.text(format!("And {more} more pairs of people.")) } else { section };
    section.filled()
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
    Section::new("labels", "What became of the labels").list(lines.chain(notices.iter().cloned()))
}
