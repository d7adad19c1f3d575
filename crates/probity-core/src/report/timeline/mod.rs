//! Past runs in the order of time: which belong together, what each came to, and what moved.
//!
//! Runs make a series where they were made by one command under one rubric on files whose names differ in numbers
//! alone, such as `week-46.jsonl` and `week-47.jsonl`. Each figure of a series is a track, and
//! [`drifts`](super::drifts) says what the tracks did at their latest points. What always holds: no track spans two
//! rubrics, and a run that lacks more than a tenth of its verdicts is on none.

mod anchor;
mod figures;
mod reading;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use anchor::{Anchor, AnchorRun, AnchorUse, anchor_runs};
pub use figures::PastFigures;
pub use reading::TrackedFigure;

use super::history::{Drift, DriftCause, Movement, Points, Track, drifts};
use crate::case::Moment;
use crate::results::{Members, RubricName};
use crate::stats::Estimate;
use reading::{PastValue, readings};

/// The share of what could be judged that must have a verdict for a run to be on a track.
pub(crate) const COVERAGE_MIN: f64 = 0.9;

/// At most this share of what is said to have moved did not.
pub const FALSE_ALARMS_MAX: f64 = 0.05;

/// When something was: the moment, and the run's number where moments are the same.
type When = (Moment, u64);

/// A run as it is remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct PastRun {
    /// Its number.
    pub run: u64,
    /// When it was made.
    pub at: Moment,
    /// The command that made it.
    pub command: String,
    /// The case files' names.
    pub files: String,
    /// What it came to.
    pub figures: PastFigures,
}

/// A run on a series.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Point {
    /// Its number.
    pub run: u64,
    /// When it was made.
    #[schemars(with = "String")]
    pub at: Moment,
    /// The case files' names.
    pub files: String,
    /// Who judged.
    pub judge: PointJudge,
}

/// Who judged at a point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PointJudge {
    /// The judge's identity.
    pub id: String,
    /// The judge as people call it.
    pub name: String,
}

/// Where another judge was asked from. No figure is followed across it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Break {
    /// The first run of the new judge.
    pub run: u64,
    /// Who judged before.
    pub from: PointJudge,
    /// Who judged from then on.
    pub to: PointJudge,
    /// What the new judge says otherwise about the same replies; null where `succeed` has not asked both.
    pub bridge: Option<Bridge>,
}

/// What one judge says otherwise than another about the same replies, as `succeed` found it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bridge {
    /// Replies or pairs that both decided.
    #[serde(rename = "pairs")]
    pub n_pairs: u64,
    /// How far the pass rate moves; null without a pass rule.
    pub pass_rate: Option<Estimate>,
    /// How far the mean level of each criterion moves.
    pub levels: Members<Estimate>,
}

impl Break {
    /// The break in words.
    fn words(&self) -> String {
        let Break { run, from, to, bridge } = self;
        let bridge = match bridge {
            None => {
                let [from, to] = [from, to].map(|judge| judge.id.get(..12).unwrap_or(&judge.id));
                format!("; `probity succeed CASES --from {from} --to {to}` says what that changes")
            }
            Some(Bridge { n_pairs, pass_rate, levels }) => {
                let points = |Estimate { value, low, high, .. }: &Estimate, scale: f64, digits: usize| {
                    let [value, low, high] =
                        [value, low, high].map(|end| format!("{:+.digits$}", scale * end));
                    format!("{value} ({low} to {high})")
                };
                let rate =
                    pass_rate.iter().map(|rate| format!("pass rate {} points", points(rate, 100.0, 1)));
                let levels = levels.iter().map(|(id, level)| format!("{id} {}", points(level, 1.0, 2)));
                let moved: Vec<String> = rate.chain(levels).collect();
                format!("; on the same {n_pairs} replies the new one gives: {}", moved.join(", "))
            }
        };
        format!("run {run} asked another judge ({}, then {}){bridge}", from.name, to.name)
    }
}

impl Point {
    fn when(&self) -> When {
        (self.at, self.run)
    }
}

/// One figure of a series.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FigureTrack {
    /// The figure.
    #[serde(flatten)]
    pub figure: TrackedFigure,
    /// What it was at each point of the series; null where it did not exist.
    pub values: Vec<Option<Estimate>>,
    /// What its anchor was at each look, for what is drawn; empty without one.
    #[serde(skip)]
    pub anchor_looks: Vec<(Moment, f64)>,
    /// What it did at its latest point.
    #[serde(flatten)]
    pub drift: Drift,
}

/// Runs that can be compared with each other.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Series {
    /// The command that made them.
    pub command: String,
    /// The case files' names, with `#` in place of numbers.
    pub files: String,
    /// The rubric.
    pub rubric: RubricName,
    /// Which anchor tells the judge's moves from those of the replies; null without one.
    pub anchor: AnchorUse,
    /// The runs, the latest last.
    pub points: Vec<Point>,
    /// Where the judge changes between them.
    pub breaks: Vec<Break>,
    /// Their figures.
    pub tracks: Vec<FigureTrack>,
}

/// A run that is on no series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Its number.
    pub run: u64,
    /// Why.
    pub reason: String,
}

/// All series, and what else a reader should know.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Timeline {
    /// At most this share of what is said to have moved did not.
    pub false_alarms_max: f64,
    /// The series in the order of their first runs.
    pub series: Vec<Series>,
    /// Runs that are on none.
    pub left_out: Vec<LeftOut>,
    /// Changes of judges and rubrics.
    pub notices: Vec<String>,
}

impl Series {
    /// Whether its runs are the looks at its anchor.
    pub fn is_anchor(&self) -> bool {
        let is_look = |runs: &[u64]| self.points.iter().all(|point| runs.contains(&point.run));
        matches!(&self.anchor, AnchorUse::Used { runs, .. } if is_look(runs))
    }
}

impl PastRun {
    /// The rubric, where the run says which.
    pub fn rubric(&self) -> Option<RubricName> {
        Some(self.figures.rubric().clone()).filter(|rubric| !rubric.hash.is_empty())
    }

    fn point(&self) -> Point {
        let judge = self.figures.judge();
        let name = format!("{} {}", judge.kind, judge.model).trim().to_owned();
        let (run, at, files) = (self.run, self.at, self.files.clone());
        Point { run, at, files, judge: PointJudge { id: judge.id.clone(), name } }
    }
}

/// What runs have in common that are one series: the command, the files but for numbers, the rubric, and the
/// battery of probes.
type SeriesKey = (String, String, RubricName, String);

/// What is known between two judges under the rubric of a hash: the hash, then both identities.
pub type Bridges<'a> = &'a dyn Fn(&str, [&str; 2]) -> Option<Bridge>;

/// Puts runs in order and says what moved. `looks` are the runs that look at anchors and are not among `runs`; those
/// of an anchor whose rubric no other series has are a series by themselves.
pub fn timeline(runs: &[PastRun], looks: &[PastRun], anchors: &[Anchor], bridges: Bridges<'_>) -> Timeline {
    let (mut found, left_out) = grouped(runs);
    found.extend(anchor::alone(looks, anchors, &found));
    let drafts: Vec<Draft> =
        found.into_iter().map(|(key, runs)| draft(key, &runs, anchors, bridges)).collect();
    let tracks: Vec<Track> = drafts.iter().flat_map(|draft| draft.tracks.clone()).collect();
    let mut said = drifts(&tracks, FALSE_ALARMS_MAX).into_iter();
    let series: Vec<Series> = drafts.into_iter().map(|draft| draft.finish(&mut said)).collect();
    let notices = notices(&series);
    Timeline { false_alarms_max: FALSE_ALARMS_MAX, series, left_out, notices }
}

/// Runs by series in the order of time, and those that are on none.
fn grouped(runs: &[PastRun]) -> (Vec<(SeriesKey, Vec<&PastRun>)>, Vec<LeftOut>) {
    let mut runs: Vec<&PastRun> = runs.iter().collect();
    runs.sort_by_key(|run| (run.at, run.run));
    let mut left_out = Vec::new();
    let mut found: Vec<(SeriesKey, Vec<&PastRun>)> = Vec::new();
    for run in &runs {
        match key(run, &runs) {
            Err(reason) => left_out.extend(reason.map(|reason| LeftOut { run: run.run, reason })),
            Ok(key) => match found.iter_mut().find(|(known, _)| *known == key) {
                Some((_, members)) => members.push(run),
                None => found.push((key, vec![run])),
            },
        }
    }
    (found, left_out)
}

/// Which series a run belongs to, or why to none; runs without figures over time need no reason.
fn key(run: &PastRun, all: &[&PastRun]) -> Result<SeriesKey, Option<String>> {
    let rubric = run.rubric().filter(|_| !readings(&run.figures).is_empty()).ok_or(None)?;
    if let Some(coverage) = run.figures.coverage().filter(|coverage| *coverage < COVERAGE_MIN) {
        let (has, wanted) = (100.0 * coverage, 100.0 * COVERAGE_MIN);
        return Err(Some(format!("{has:.1} % of it has a verdict, {wanted:.0} % are needed")));
    }
    let cases = |run: &PastRun| run.figures.part("cases").map(str::to_owned);
    let is_later = |other: &&&PastRun| {
        (other.at, other.run) > (run.at, run.run)
            && other.command == run.command
            && cases(other).is_some()
            && cases(other) == cases(run)
            && other.rubric().as_ref() == Some(&rubric)
            && other.figures.coverage().is_none_or(|coverage| coverage >= COVERAGE_MIN)
    };
    if let Some(later) = all.iter().find(is_later) {
        return Err(Some(format!("the same cases were run again as run {}", later.run)));
    }
    let battery = run.figures.battery().to_owned();
    Ok((run.command.clone(), without_numbers(&run.files), rubric, battery))
}

/// `names` with `#` in place of each number.
fn without_numbers(names: &str) -> String {
    let mut out = String::with_capacity(names.len());
    for c in names.chars() {
        match c {
            c if c.is_ascii_digit() && out.ends_with('#') => {}
            c if c.is_ascii_digit() => out.push('#'),
            c => out.push(c),
        }
    }
    out
}

/// A series about whose tracks nothing is said yet.
struct Draft {
    series: Series,
    figures: Vec<DraftFigure>,
    tracks: Vec<Track>,
}

/// A figure with its values, and what its anchor was at each look.
struct DraftFigure {
    figure: TrackedFigure,
    values: Vec<Option<Estimate>>,
    anchor_looks: Vec<(Moment, f64)>,
}

fn draft(
    (command, files, rubric, _): SeriesKey,
    runs: &[&PastRun],
    anchors: &[Anchor],
    bridges: Bridges<'_>,
) -> Draft {
    let points: Vec<Point> = runs.iter().map(|run| run.point()).collect();
    let breaks = breaks(&points, &rubric.hash, bridges);
    let last_judge = breaks.last().and_then(|last| points.iter().position(|point| point.run == last.run));
    // An anchor is about scores. People's labels and probes are fixed in their own ways.
    let anchors = if command == "run" { anchors } else { &[] };
    let (anchor, used) = anchor::of_series(anchors, &rubric.hash, &points);
    let mut by_figure: BTreeMap<TrackedFigure, Vec<Option<PastValue>>> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        for (figure, reading) in readings(&run.figures) {
            by_figure.entry(figure).or_insert_with(|| vec![None; runs.len()])[at] = Some(reading);
        }
    }
    let (mut figures, mut tracks) = (Vec::new(), Vec::new());
    for (figure, readings) in by_figure {
        let values: Vec<Option<Estimate>> = readings.iter().map(|read| read.as_ref()?.estimate()).collect();
        let is_current = values.last().is_some_and(Option::is_some);
        let fixed = used.map(|anchor| anchor.values(&figure)).unwrap_or_default();
        let anchor_looks = used.map(|anchor| anchor.means(&fixed)).unwrap_or_default();
        tracks.push(Track {
            // A figure that the latest run does not have has not moved there.
            points: if is_current {
                points_of(&figure, &readings[last_judge.unwrap_or(0)..])
            } else {
                Points::Shares(Vec::new())
            },
            anchor: fixed,
        });
        figures.push(DraftFigure { figure, values, anchor_looks });
    }
    let series = Series { command, files, rubric, anchor, points, breaks, tracks: Vec::new() };
    Draft { series, figures, tracks }
}

/// Where the judge changes between `points`.
fn breaks(points: &[Point], rubric: &str, bridges: Bridges<'_>) -> Vec<Break> {
    let changed = points.windows(2).filter(|pair| pair[0].judge.id != pair[1].judge.id);
    let found = changed.map(|pair| {
        let (from, to) = (pair[0].judge.clone(), pair[1].judge.clone());
        let bridge = bridges(rubric, [&from.id, &to.id]);
        Break { run: pair[1].run, from, to, bridge }
    });
    found.collect()
}

fn points_of(figure: &TrackedFigure, readings: &[Option<PastValue>]) -> Points {
    let readings = readings.iter().flatten();
    if figure.is_share() {
        Points::Shares(readings.filter_map(PastValue::share).collect())
    } else {
        Points::Means(readings.map(PastValue::sample).collect())
    }
}

impl Draft {
    /// The series with what `said` says about its tracks, which come next there.
    fn finish(self, said: &mut impl Iterator<Item = Drift>) -> Series {
        let tracks = self.figures.into_iter().zip(said).map(|(draft, mut drift)| {
            let DraftFigure { figure, values, anchor_looks } = draft;
            // A battery is asked about the same texts each time, and so is an anchor: what moves is the judge.
            let is_fixed = matches!(figure, TrackedFigure::Probe(_)) || self.series.is_anchor();
            if is_fixed && drift.movement == Movement::Moved {
                drift.cause = DriftCause::Judge;
            }
            FigureTrack { figure, values, anchor_looks, drift }
        });
        Series { tracks: tracks.collect(), ..self.series }
    }
}

/// What a reader should know about judges and rubrics.
fn notices(series: &[Series]) -> Vec<String> {
    let mut notices = Vec::new();
    for (at, one) in series.iter().enumerate() {
        notices.extend(one.breaks.iter().map(|found| format!("{}: {}", one.files, found.words())));
        let same = |other: &&Series| {
            (&other.command, &other.files, &other.rubric.name) == (&one.command, &one.files, &one.rubric.name)
        };
        if let (Some(_), Some(first)) = (series[..at].iter().find(same), one.points.first()) {
            let (files, rubric) = (&one.files, &one.rubric.name);
            notices.push(format!(
                "{files}: from run {} on the rubric {rubric} is another one, so its tracks start anew",
                first.run
            ));
        }
    }
    notices
}
