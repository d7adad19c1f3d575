//! A comparison as a document: who wins, how far the order and the length decide it, and what a person must look at.
//!
//! Figures come from `probity-core`; here they are put in an order that a reader can follow. What the gate decided
//! stands beside the judge's figures and never inside them.

mod json;
mod length;
mod order;
mod pairs;
mod test_cases;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use probity_core::compare::length::LengthError;
use probity_core::compare::{
    Comparison, Contest, Fate, Figures, Fits, JudgeFigures, Pair, Pass, Policies, Ranked, Status,
    VariantFigures, gate_counts, ranked,
};
use probity_core::label::PairLabels;
use probity_engine::input::Skipped;
use probity_engine::run::compare::{CompareJob, Compared};

use self::length::length;
use self::order::{in_words, order};
use super::conclusion::{Concluded, Conclusions};
use super::figure::{counted, none, p_value, value_or_none};
use super::report::appendix::Appendix;
use super::report::document::{
    Cell, Cells, Document, JudgeLine, Section, Table, Tile, Tone, listed_first, skipped_lines,
};
use super::summary::calls;
use crate::plain::excerpt;

/// How many pairs are quoted for each judge.
const QUOTED_MAX: usize = 30;

/// How many cases are listed.
const LISTED_MAX: usize = 5;

/// How much of an example is shown, in characters.
const REASON_CHARS_MAX: usize = 160;

/// What is shown of a comparison.
pub(crate) struct ComparisonShown {
    /// The figures.
    pub(crate) comparison: Comparison,
    /// What they show.
    pub(crate) concluded: Conclusions,
    /// The pairs they are made of, by judge.
    pub(crate) pairs: BTreeMap<Arc<str>, Vec<Pair>>,
    /// The files as they were named.
    pub(crate) file: String,
    /// Where they come from.
    pub(crate) origin: ComparisonOrigin,
}

/// Where verdicts on pairs come from.
pub(crate) enum ComparisonOrigin {
    /// Files.
    Record {
        /// What people said, where they were asked.
        labels: Option<PairLabels>,
        /// Rows that could not be used.
        skipped: Vec<Skipped>,
    },
    /// A judge that was asked.
    Live {
        /// What was compared.
        job: Arc<CompareJob>,
        /// What it came to.
        compared: Box<Compared>,
    },
}

impl ComparisonShown {
    /// What was compared and what it came to, where a judge was asked.
    fn live(&self) -> Option<(&CompareJob, &Compared)> {
        match &self.origin {
            ComparisonOrigin::Live { job, compared } => Some((job, compared)),
            ComparisonOrigin::Record { .. } => None,
        }
    }

    fn skipped(&self) -> &[Skipped] {
        match &self.origin {
            ComparisonOrigin::Record { skipped, .. } => skipped,
            ComparisonOrigin::Live { job, .. } => &job.field.skipped,
        }
    }

    /// All variants on one scale, where there are several.
    fn ranked(&self) -> Option<Ranked> {
        let pairs: Vec<&Pair> = self.pairs.values().flatten().collect();
        ranked(&pairs, self.comparison.policies)
    }

    /// The judge, where there is one: as the store knows it, or as the verdicts name it.
    fn judge(&self) -> Option<JudgeLine> {
        let of_files = || match self.concluded.iter().collect::<Vec<_>>()[..] {
            [(name, Concluded { standing, .. })] => Some(JudgeLine::new(&**name, standing)),
            _ => None,
        };
        self.live().map(|(_, compared)| JudgeLine::of(&compared.facts)).or_else(of_files)
    }
}

/// The two variants that a section is about, in the order in which they were named.
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

/// The document.
pub(crate) fn document(shown: &ComparisonShown) -> Document {
    let judges = &shown.comparison.judges;
    let facts = shown.live().map(|(_, compared)| &compared.facts);
    let mut sections = Vec::new();
    if judges.len() > 1 {
        let rows = judges.iter().map(|(name, judge)| (&**name, &judge.overall));
        sections.push(Section::new("judges", "Judges").table(overview("judge", rows)));
    }
    sections.extend(shown.ranked().map(ranking));
    for (at, (name, judge)) in judges.iter().enumerate() {
        let pairs = shown.pairs.get(name).map(Vec::as_slice).unwrap_or_default();
        let place = JudgePlace { number: at, name, n_judges: judges.len() };
        sections.extend(one_judge(shown, judge, pairs, &place));
    }
    sections.extend(shown.live().map(|_| pairs::section()));
    sections.extend(shown.live().map(|(job, compared)| beside(job, compared)));
    let skipped = skipped_lines(shown.skipped(), shown.skipped().len() as u64);
    sections.extend(Section::new("skipped", "Skipped records").list(skipped).filled());
    let only = judges.iter().next().filter(|_| judges.len() == 1);
    let verdict =
        |name: &Arc<str>, judge: &JudgeFigures| Some(shown.concluded.get(name)?.sentence(&judge.overall));
    Document {
        command: "compare".to_owned(),
        title: format!("Comparison · {}", shown.file),
        about: about(shown),
        judge: shown.judge(),
        verdict: only.and_then(|(name, judge)| verdict(name, judge)).unwrap_or_default(),
        tiles: only.map(|(_, judge)| tiles(&judge.overall)).unwrap_or_default(),
        warnings: facts.map(|facts| facts.warnings.clone()).unwrap_or_default(),
        sections,
        calls: facts.map(calls).unwrap_or_default(),
        list: shown.live().map(|(job, compared)| pairs::list(job, compared)),
        appendix: Some(appendix(shown)),
        tests: test_cases::test_cases(shown),
        json: json::json(shown),
        ..Document::default()
    }
}

/// Where the sections of one of several judges stand.
pub(super) struct JudgePlace<'a> {
    /// Its number, from 0.
    pub(super) number: usize,
    /// Its name.
    pub(super) name: &'a str,
    /// How many there are.
    pub(super) n_judges: usize,
}

impl JudgePlace<'_> {
    /// A section about the judge; where there are several, it is too much for a terminal.
    pub(super) fn section(&self, id: &str, title: &str) -> Section {
        let id = if self.number == 0 { id.to_owned() } else { format!("{id}-{}", self.number) };
        if self.n_judges == 1 {
            return Section::new(&id, title);
        }
        Section::new(&id, &format!("{}: {title}", self.name)).in_files()
    }
}

fn about(shown: &ComparisonShown) -> String {
    let Comparison { judges, resampling, policies, .. } = &shown.comparison;
    let mut parts = vec![counted(judges.len() as u64, "judge"), policy(*policies)];
    parts.push(format!("{} resamples, seed {}", resampling.n_resamples, resampling.seed));
    match &shown.origin {
        ComparisonOrigin::Record { labels, .. } => parts.extend(labels.as_ref().map(|labels| {
            let items = counted(labels.n_items() as u64, "labelled item");
            format!("{items}, {}", counted(labels.n_votes(), "vote"))
        })),
        ComparisonOrigin::Live { job, .. } => {
            let (rubric, seed) = (&job.rubric, job.seed);
            parts.push(format!("rubric {} {}", rubric.name(), rubric.version()));
            parts.push(format!("order of asking drawn with seed {seed}"));
        }
    }
    parts.join(" · ")
}

fn policy(policies: Policies) -> String {
    format!("conflict {}, unparsed {}", policies.conflict.name(), policies.unparsed.name())
}

fn appendix(shown: &ComparisonShown) -> Appendix {
    let comparison = &shown.comparison;
    let appendix = match shown.live() {
        Some((job, compared)) => {
            let appendix = Appendix::asked(&job.asking, &job.rubric, &compared.facts);
            appendix.hash("gate", job.gate.digest()).hash("cases", &job.cases_digest)
        }
        None => Appendix::of_files(None),
    };
    appendix
        .hash("conflict", comparison.policies.conflict.name())
        .hash("unparsed", comparison.policies.unparsed.name())
        .hash("seed", comparison.resampling.seed.to_string())
        .hash("resamples", comparison.resampling.n_resamples.to_string())
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

fn one_judge(
    shown: &ComparisonShown,
    judge: &JudgeFigures,
    pairs: &[Pair],
    place: &JudgePlace<'_>,
) -> Vec<Section> {
    let mut sections = vec![wins(judge, place)];
    sections.extend(pairs::several(&shown.comparison, judge, pairs));
    sections.push(order(&judge.overall, pairs, place));
    sections.extend(length(&judge.overall, pairs, place));
    if judge.by_slice.len() > 1 {
        let rows = judge.by_slice.iter().map(|(slice, figures)| (&**slice, figures));
        sections.push(place.section("slices", "Slices").table(overview("slice", rows)));
    }
    let mut quotes = in_words(shown.live(), pairs);
    if !quotes.is_empty() {
        let n = quotes.len();
        quotes.truncate(QUOTED_MAX);
        let section = place.section("unstable", "For a person to decide").text(format!(
            "{}: the winner changed with the order, or the judge asked for a person.",
            counted(n as u64, "pair")
        ));
        let section = section.quotes(quotes, n);
        sections.push(if shown.live().is_some() { section.not_on_pages() } else { section });
    }
    sections
}

fn wins(judge: &JudgeFigures, place: &JudgePlace<'_>) -> Section {
    let titles =
        ["variant", "%win rate", "#of decisive", "#wins", "#losses", "#ties", "#sign test", "#could show"];
    let mut table = Table::new(&titles);
    for (name, variant) in &judge.overall.variants {
        table.row(cells![
            name,
            Cell::half_marked(variant.win_rate.as_ref())
                .opening(&format!("{name} wins"), &[("winner", name)]),
            value_or_none(variant.decisive_win_rate),
            variant.n_wins,
            variant.n_losses,
            variant.n_ties,
            variant.sign_test.map_or_else(none, p_value),
            variant.smallest_difference.map_or_else(none, |by| format!("±{:.1}", 100.0 * by)),
        ]);
    }
    let section = place
        .section("wins", "Who wins")
        .table(table)
        .legend("● the win rate with its interval; the dashed line is one half.")
        .text("Ties count half. “Could show” is how many points from one half this comparison finds with a power of 80 %.");
    if !judge.at_equal_length.has_rows() {
        return section;
    }
    let (model, fits) = judge.at_equal_length.shown();
    let title = format!("at equal length ({model})");
    let mut controlled = Table::new(&[&*title, "%win rate"]);
    for (name, fitted) in fits {
        if let Ok(fitted) = fitted {
            let rate = Cell::half_marked(Some(&fitted.rate));
            controlled
                .row(cells![name, rate.opening(&format!("{name} at equal length"), &[("winner", name)])]);
        }
    }
    missing(fits).iter().fold(section.table(controlled), |section, why| {
        section.text(format!("No win rate at equal length{why}."))
    })
}

/// What follows "no win rate at equal length": the reason alone where it is that of all variants, and otherwise one
/// for each variant without a rate.
fn missing(fits: &Fits) -> Vec<String> {
    let reason = |fitted: &Result<_, LengthError>| fitted.as_ref().err().map(ToString::to_string);
    let reasons: BTreeSet<Option<String>> = fits.values().map(reason).collect();
    if let (1, Some(Some(same))) = (reasons.len(), reasons.first()) {
        return vec![format!(": {same}")];
    }
    let of = |(name, fitted)| reason(fitted).map(|why| format!(" for {name}: {why}"));
    fits.iter().filter_map(of).collect()
}

/// One line per slice or judge.
fn overview<'a>(what: &str, figures: impl Iterator<Item = (&'a str, &'a Figures)>) -> Table {
    let figures: Vec<(&str, &Figures)> = figures.collect();
    // With more than two variants no single one stands for the comparison.
    let variant = figures.first().and_then(|(_, first)| first.variants.keys().next());
    let variant = variant.filter(|_| figures.iter().all(|(_, figures)| figures.variants.len() <= 2));
    let labelled = figures.iter().any(|(_, figures)| figures.agreement.is_some());
    let wins = variant.map(|variant| format!("%{variant} wins"));
    let mut titles = vec![what, "#pairs", "#judged"];
    titles.extend(wins.as_deref());
    titles.extend(["#tie", "#unstable", "#same in both orders", "#first slot"]);
    titles.extend(labelled.then_some("#agrees"));
    let mut table = Table::new(&titles);
    for (name, figures) in figures {
        let (counts, rates) = (&figures.counts, &figures.rates);
        let mut row = cells![name, counts.n_pairs, counts.n_judged()];
        let of = [("slice", name)];
        if let Some(variant) = variant {
            let rate = figures.variants.get(variant).and_then(|variant| variant.win_rate.as_ref());
            let rate = Cell::half_marked(rate);
            row.extend(
                rate.opening(&format!("{name}, {variant} wins"), if what == "slice" { &of } else { &[] }).0,
            );
        }
        let all = [rates.tie_rate, rates.instability_rate, rates.consistency, rates.first_slot_lean];
        row.extend(all.map(|rate| Cell::text(value_or_none(rate))));
        let agreement = figures.agreement.as_ref().and_then(|each| each.agreement);
        row.extend(labelled.then(|| Cell::text(value_or_none(agreement))));
        table.row(row);
    }
    table
}

fn ranking(Ranked { variants, ranking }: Ranked) -> Section {
    let section = Section::new("ranking", "Ranking");
    let ranking = match ranking {
        Ok(ranking) => ranking,
        Err(why) => return section.text(format!("no ranking: {why}")),
    };
    let mut order: Vec<usize> = (0..variants.len()).collect();
    order.sort_by(|one, other| {
        ranking.places[*other].strength.value.total_cmp(&ranking.places[*one].strength.value)
    });
    let mut table = Table::new(&["variant", "%against the others", "#strength"]);
    for at in order {
        let place = &ranking.places[at];
        let strength = format!("{:+.2}", place.strength.value);
        let (name, rate) = (&*variants[at], Cell::half_marked(Some(&place.win_rate)));
        table.row(cells![
            name,
            rate.opening(&format!("{name} against the others"), &[("winner", name)]),
            strength
        ]);
    }
    section.table(table)
}

/// What happened beside the judge.
fn beside(job: &CompareJob, compared: &Compared) -> Section {
    let mut table = Table::new(&["variant", "#won at the gate", "#lost at the gate", "#both blocked"]);
    for (name, counts) in gate_counts(&compared.contests) {
        table.row(cells![name, counts.won_at_gate, counts.lost_at_gate, counts.both_blocked]);
    }
    let n = |wanted: &Fate| compared.contests.iter().filter(|contest| contest.fate == *wanted).count();
    let mut lines = Vec::new();
    for (n, what) in [
        (n(&Fate::Identical), "pairs of the same text twice, in no figure and without a call"),
        (n(&Fate::NotDrawn), "pairs whose turn did not come before the comparison was decided"),
    ] {
        lines.extend((n > 0).then(|| format!("{n} {what}")));
    }
    lines.extend(compared.stopped.map(|stopped| {
        let (drawn, left, saved) = (stopped.n_drawn, stopped.n_left, stopped.calls_saved);
        format!("pairs taken: {drawn}; not taken: {left}; calls saved: {saved}")
    }));
    let missing = listed_first(&job.missing, job.missing.len() as u64, LISTED_MAX, |one| {
        format!("case {}: no reply of {}", one.case, one.variant)
    });
    let mismatched = listed_first(&job.mismatched, job.mismatched.len() as u64, LISTED_MAX, |one| {
        format!("case {}: {}", one.case, one.reason)
    });
    Section::new("gate", "At the gate")
        .text("Beside the judge's figures, and not in them: a blocked reply is never compared.")
        .table(table)
        .list(lines)
        .listed(&format!("replies that are missing: {}", job.missing.len()), missing)
        .listed(&format!("pairs that do not answer the same thing: {}", job.mismatched.len()), mismatched)
        .listed("orders without a verdict, by cause", unscored(compared))
}

/// Why orders have no verdict, each cause with an example.
fn unscored(compared: &Compared) -> Vec<String> {
    let mut causes: BTreeMap<&str, (u64, &str)> = BTreeMap::new();
    for contest in &compared.contests {
        let Fate::Judged(heard) = &contest.fate else { continue };
        for heard in heard.iter() {
            if let Pass::Unscored(unscored) = &heard.pass {
                causes.entry(&unscored.cause).or_insert((0, &unscored.detail)).0 += 1;
            }
        }
    }
    let line = |(cause, (n, example)): (&str, (u64, &str))| {
        let example = excerpt(example, REASON_CHARS_MAX);
        if example.is_empty() { format!("{n} {cause}") } else { format!("{n} {cause}: {example}") }
    };
    causes.into_iter().map(line).collect()
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
