//! The report of a comparison: who wins, how far the order and the length decide it, and what a person must look at.
//!
//! Figures come from `probity-core`; here they are put in an order that a reader can follow. What the gate decided
//! stands beside the judge's figures and never inside them.

mod length;
mod order;
mod test_cases;

use std::sync::Arc;

use probity_core::compare::{
    Comparison, Contest, Fate, Figures, JudgeFigures, Pair, Status, VariantFigures, gate_counts,
};
use probity_core::stats::Estimate;
use probity_engine::run::compare::{CompareJob, Compared};

use self::length::length;
use self::order::{in_words, order};
pub(crate) use self::test_cases::test_cases;
use super::super::comparison::ComparisonDocument;
use super::super::equal_length::missing;
use super::super::figure::{NONE, p_value, percent};
use super::appendix::{Appendix, Origin};
use super::chart::{Shape, Whisker};
use super::page::{Block, Cell, JudgeLine, Page, Section, Table, Tile, Tone};

/// How many pairs are quoted for each judge.
const QUOTED_MAX: usize = 30;

/// The two variants that a page is about, in the order in which they were named.
#[derive(Debug, Clone)]
struct Sides {
    a: Arc<str>,
    b: Arc<str>,
}

impl Sides {
    /// The two variants of all pairs; `None` where there are more.
    fn of(pairs: &[Pair]) -> Option<Sides> {
        let [a, b] = &pairs.first()?.variants;
        let known = |name: &Arc<str>| name == a || name == b;
        let only = pairs.iter().all(|pair| pair.variants.iter().all(known));
        only.then(|| Sides { a: Arc::clone(a), b: Arc::clone(b) })
    }
}

/// The page.
pub(crate) fn page(shown: &ComparisonDocument) -> Page {
    let judges = &shown.comparison.judges;
    let facts = shown.live().map(|(_, compared)| &compared.facts);
    let mut sections = Vec::new();
    if judges.len() > 1 {
        sections.push(overview(&shown.comparison));
    }
    for (at, (name, judge)) in judges.iter().enumerate() {
        let pairs = shown.pairs.get(name).map(Vec::as_slice).unwrap_or_default();
        let prefix = if judges.len() > 1 { format!("{name}: ") } else { String::new() };
        let place = Place { number: at, prefix };
        sections.extend(one_judge(shown, judge, pairs, &place));
    }
    sections.extend(shown.live().map(|(job, compared)| beside(job, compared)));
    let only = judges.iter().next().filter(|_| judges.len() == 1);
    Page {
        command: "compare",
        title: format!("Comparison · {}", shown.file),
        judge: facts.map(JudgeLine::of),
        lead: only.and_then(|(name, judge)| lead(shown, name, judge)).unwrap_or_default(),
        tiles: only.map(|(_, judge)| tiles(&judge.overall)).unwrap_or_default(),
        warnings: facts.map(|facts| facts.warnings.clone()).unwrap_or_default(),
        sections,
        appendix: appendix(shown),
    }
}

/// Where the sections of a judge stand.
struct Place {
    number: usize,
    prefix: String,
}

impl Place {
    fn section(&self, id: &str, title: &str) -> Section {
        let id = if self.number == 0 { id.to_owned() } else { format!("{id}-{}", self.number) };
        Section::new(&id, &format!("{}{title}", self.prefix))
    }
}

fn appendix(shown: &ComparisonDocument) -> Appendix {
    let comparison = &shown.comparison;
    let appendix = match shown.live() {
        Some((job, compared)) => {
            let origin = Origin::asked(&job.asking);
            let appendix = Appendix::of(origin, &job.rubric, &compared.facts);
            appendix.hash("gate", job.gate.digest()).hash("cases", &job.cases_digest)
        }
        None => Appendix::new(Origin::files(), None),
    };
    appendix
        .hash("conflict", comparison.policies.conflict.name())
        .hash("unparsed", comparison.policies.unparsed.name())
        .hash("seed", comparison.resampling.seed.to_string())
        .hash("resamples", comparison.resampling.n_resamples.to_string())
}

/// What the comparison shows, in a sentence.
fn lead(shown: &ComparisonDocument, judge: &str, figures: &JudgeFigures) -> Option<String> {
    Some(shown.concluded.get(judge)?.sentence(&figures.overall))
}

fn tiles(figures: &Figures) -> Vec<Tile> {
    let rate = |(name, variant): (&Arc<str>, &VariantFigures)| {
        variant.win_rate.map(|rate| Tile::share(&rate, &format!("{name} wins")))
    };
    let mut tiles: Vec<Tile> = figures.variants.iter().filter_map(rate).take(4).collect();
    tiles.push(Tile::count(figures.counts.n_pairs, "pairs"));
    for (status, name) in [
        (Status::UnstableAfterSwap, "unstable after swap"),
        (Status::NeedsHumanReview, "need a person"),
        (Status::Unscored, "unscored"),
    ] {
        tiles.push(Tile::count(figures.counts.of(status), name));
    }
    tiles
}

fn overview(comparison: &Comparison) -> Section {
    let mut table = Table::new(&["judge", "#pairs", "#judged", "#tie", "#unstable", "#same in both orders"]);
    for (name, judge) in &comparison.judges {
        let (counts, rates) = (&judge.overall.counts, &judge.overall.rates);
        let shares = [rates.tie_rate, rates.instability_rate, rates.consistency].map(value);
        let mut row = vec![Cell::text(&**name)];
        row.extend([counts.n_pairs, counts.n_judged()].map(|n| Cell::text(n.to_string())));
        row.extend(shares.map(Cell::text));
        table.row(row);
    }
    Section::new("judges", "Judges").table(table)
}

fn value(rate: Option<Estimate>) -> String {
    rate.map_or_else(|| NONE.to_owned(), |rate| percent(rate.value))
}

fn one_judge(
    shown: &ComparisonDocument,
    judge: &JudgeFigures,
    pairs: &[Pair],
    place: &Place,
) -> Vec<Section> {
    let mut sections = vec![wins(judge, place), order(&judge.overall, pairs, place)];
    sections.extend(length(&judge.overall, pairs, place));
    if judge.by_slice.len() > 1 {
        sections.push(slices(judge, pairs, place));
    }
    let quotes = in_words(shown.live(), pairs);
    if !quotes.is_empty() {
        let n = quotes.len();
        let section = place.section("unstable", "For a person to decide");
        let section = section.text(match n {
            n if n > QUOTED_MAX => {
                format!("The first {QUOTED_MAX} of {n}; the results file has all of them.")
            }
            1 => "1 pair: its winner changed with the order, or the judge asked for a person.".to_owned(),
            n => format!("{n} pairs: their winner changed with the order, or the judge asked for a person."),
        });
        sections.push(section.quotes(quotes.into_iter().take(QUOTED_MAX).collect()));
    }
    sections
}

fn wins(judge: &JudgeFigures, place: &Place) -> Section {
    let titles = ["variant", "~0 to 100 %", "#win rate", "#95 % interval", "#n", "#wins", "#losses", "#ties"];
    let mut table = Table::new(&[&titles[..], &["#of decisive", "#sign test", "#could show"]].concat());
    for (name, variant) in &judge.overall.variants {
        let mut row = vec![Cell::text(&**name)];
        row.extend(half_marked(variant.win_rate.as_ref()));
        let counts = [variant.n_wins, variant.n_losses, variant.n_ties];
        row.extend(counts.map(|n| Cell::text(n.to_string())));
        row.push(Cell::text(value(variant.decisive_win_rate)));
        row.push(Cell::text(variant.sign_test.map_or_else(|| NONE.to_owned(), p_value)));
        let shows = variant.smallest_difference.map(|by| format!("±{:.1}", 100.0 * by));
        row.push(Cell::text(shows.unwrap_or_else(|| NONE.to_owned())));
        table.row(row);
    }
    let section = place
        .section("wins", "Who wins")
        .table(table)
        .legend("● the win rate with its interval; the dashed line is one half.")
        .text("Ties count half. “Could show” is how many points from one half this comparison finds with a power of 80 %.");
    let (model, fits) = judge.at_equal_length.shown();
    let title = format!("at equal length ({model})");
    let mut controlled = Table::new(&[&*title, "~0 to 100 %", "#win rate", "#95 % interval", "#n"]);
    for (name, fitted) in fits {
        if let Ok(fitted) = fitted {
            let mut row = vec![Cell::text(&**name)];
            row.extend(half_marked(Some(&fitted.rate)));
            controlled.row(row);
        }
    }
    let section = if fits.values().any(Result::is_ok) { section.table(controlled) } else { section };
    missing(fits)
        .iter()
        .fold(section, |section, why| section.text(format!("No win rate at equal length{why}.")))
}

/// A share with a mark at one half.
fn half_marked(rate: Option<&Estimate>) -> [Cell; 4] {
    let mut cells = Cell::share(rate);
    if let Some(rate) = rate {
        cells[0] = Cell::Plot(Whisker::share(rate).mark(Shape::Line, Some(0.5)));
    }
    cells
}

fn slices(judge: &JudgeFigures, pairs: &[Pair], place: &Place) -> Section {
    let sides = Sides::of(pairs);
    let name = sides.as_ref().map(|sides| format!("~{} wins, 0 to 100 %", sides.b));
    let titles: Vec<&str> = match &name {
        Some(name) => vec!["slice", "#pairs", name, "#win rate", "#95 % interval", "#n", "#tie", "#unstable"],
        None => vec!["slice", "#pairs", "#tie", "#unstable"],
    };
    let mut table = Table::new(&titles);
    for (slice, figures) in &judge.by_slice {
        let mut row = vec![Cell::text(&**slice), Cell::text(figures.counts.n_pairs.to_string())];
        if let Some(sides) = &sides {
            let rate = figures.variants.get(&sides.b).and_then(|variant| variant.win_rate.as_ref());
            row.extend(half_marked(rate));
        }
        row.extend([figures.rates.tie_rate, figures.rates.instability_rate].map(value).map(Cell::text));
        table.row(row);
    }
    place.section("slices", "Slices").table(table)
}

/// What happened beside the judge.
fn beside(job: &CompareJob, compared: &Compared) -> Section {
    let mut table = Table::new(&["variant", "#won at the gate", "#lost at the gate", "#both blocked"]);
    for (name, counts) in gate_counts(&compared.contests) {
        let counts = [counts.won_at_gate, counts.lost_at_gate, counts.both_blocked];
        let mut row = vec![Cell::text(&*name)];
        row.extend(counts.map(|n| Cell::text(n.to_string())));
        table.row(row);
    }
    let fate = |wanted: &Fate| compared.contests.iter().filter(|contest| contest.fate == *wanted).count();
    let mut lines = Vec::new();
    for (n, what) in [
        (fate(&Fate::Identical), "pairs of the same text twice, in no figure and without a call"),
        (fate(&Fate::NotDrawn), "pairs whose turn did not come before the comparison was decided"),
        (job.missing.len(), "replies that are missing"),
        (job.mismatched.len(), "pairs that do not answer the same thing"),
        (job.field.skipped.len(), "records that cannot be used"),
    ] {
        if n > 0 {
            lines.push(format!("{n} {what}"));
        }
    }
    Section::new("gate", "At the gate")
        .text("Beside the judge's figures, and not in them: a blocked reply is never compared.")
        .table(table)
        .list(lines)
}

/// How well it is that a pair ended like this.
fn tone(status: Status) -> Tone {
    match status {
        Status::Stable | Status::Graded => Tone::Met,
        Status::Tie => Tone::Soft,
        Status::UnstableAfterSwap | Status::NeedsHumanReview | Status::Unscored => Tone::Unscored,
    }
}

/// The contest of a pair.
fn contest<'a>(live: Option<(&CompareJob, &'a Compared)>, pair: &Pair) -> Option<&'a Contest> {
    let contests = &live?.1.contests;
    contests.iter().find(|contest| contest.case == pair.case && contest.variants == pair.variants)
}

/// A matrix or a chart, as a block of its own.
fn block(section: Section, block: Option<Block>) -> Section {
    match block {
        Some(block) => section.with(block),
        None => section,
    }
}
