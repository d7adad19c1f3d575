//! Anchors: fixed replies that the judge scores again and again, so that what moves there is the judge.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::reading::TrackedFigure;
use super::{PastFigures, PastRun, Point, SeriesKey, When, readings};
use crate::case::Moment;
use crate::results::{ResultRow, RunResults};

/// Fixed replies with every look at them.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// The case files' names.
    pub files: String,
    /// The looks, the latest last.
    pub looks: Vec<AnchorRun>,
}

/// One look at the replies of an anchor.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchorRun {
    /// The run.
    pub run: u64,
    /// When it was made.
    pub at: Moment,
    /// What it came to.
    pub results: RunResults,
}

/// What an anchor can say about a series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AnchorUse {
    /// There is none.
    None,
    /// It was looked at when the latest point was made, by the same judge.
    Used {
        /// The case files' names.
        files: String,
        /// The runs that looked at it.
        runs: Vec<u64>,
        /// Replies that every look has.
        #[serde(rename = "replies")]
        n_replies: u64,
        /// Null: it speaks.
        silent: (),
    },
    /// It cannot say who moved, for this reason.
    Silent {
        /// The case files' names.
        files: String,
        /// Why not.
        #[serde(rename = "silent")]
        reason: String,
    },
}

/// Which of `runs` look at an anchor: those of the files that are named, or, where none is, those whose cases were
/// asked about in more than one round.
pub fn anchor_runs(runs: &[PastRun], named: &[String]) -> Vec<bool> {
    let part = |run: &PastRun, name: &str| run.figures.part(name).map(str::to_owned);
    let key = |run: &PastRun| (part(run, "cases"), run.rubric().map(|rubric| rubric.hash));
    let again: Vec<_> = runs.iter().filter(|run| part(run, "round").is_some()).map(key).collect();
    let is_anchor = |run: &PastRun| {
        let is_named = named.contains(&run.files);
        // A target may have written other replies each time.
        let is_fixed = matches!(&run.figures, PastFigures::Scores(summary) if summary.facts.target.is_none());
        is_fixed && if named.is_empty() { again.contains(&key(run)) } else { is_named }
    };
    runs.iter().map(is_anchor).collect()
}

impl Anchor {
    fn rubric_hash(&self) -> Option<&str> {
        self.looks.last().map(|look| look.results.summary.rubric.hash.as_str())
    }

    /// What it can say about a series under this rubric whose points are these.
    fn use_for(&self, points: &[Point]) -> AnchorUse {
        let silent = |reason: String| AnchorUse::Silent { files: self.files.clone(), reason };
        let (Some(latest), Some(look)) = (points.last(), self.looks.last()) else { return AnchorUse::None };
        if self.looks.len() < 2 {
            return silent("it was looked at once, and a change takes two looks".to_owned());
        }
        let before: Option<When> = points.len().checked_sub(2).map(|at| points[at].when());
        if before.is_some_and(|before| (look.at, look.run) < before) {
            let reason = format!("its last look, run {}, is older than the latest week: ask again", look.run);
            return silent(reason);
        }
        if look.results.summary.facts.judge.id != latest.judge.id {
            let reason = format!("run {} asked another judge than run {}", look.run, latest.run);
            return silent(reason);
        }
        AnchorUse::Used {
            files: self.files.clone(),
            runs: self.looks.iter().map(|look| look.run).collect(),
            n_replies: self.n_common() as u64,
            silent: (),
        }
    }

    /// Replies that every look has.
    fn n_common(&self) -> usize {
        self.by_reply().values().filter(|rows| rows.len() == self.looks.len()).count()
    }

    fn by_reply(&self) -> BTreeMap<(&str, Option<&str>), Vec<&ResultRow>> {
        let mut rows: BTreeMap<(&str, Option<&str>), Vec<&ResultRow>> = BTreeMap::new();
        for row in self.looks.iter().flat_map(|look| &look.results.results) {
            rows.entry((&row.id, row.variant.as_deref())).or_default().push(row);
        }
        rows
    }

    /// The mean of `values` at each look; empty without values.
    pub(super) fn means(&self, values: &[Vec<i64>]) -> Vec<(Moment, f64)> {
        let mean = |at: usize| values.iter().map(|looks| looks[at] as f64).sum::<f64>() / values.len() as f64;
        let looks = self.looks.iter().enumerate().filter(|_| !values.is_empty());
        looks.map(|(at, look)| (look.at, mean(at))).collect()
    }

    /// For each reply with a value in every look, its values; empty for what an anchor says nothing about.
    pub(super) fn values(&self, figure: &TrackedFigure) -> Vec<Vec<i64>> {
        let place = |id: &str| self.looks.last()?.results.criteria().names().position(|known| known == id);
        let passes = |row: &ResultRow| row.outcome.passes().map(i64::from);
        let value = |row: &ResultRow| match figure {
            TrackedFigure::PassRate => passes(row),
            TrackedFigure::SlicePassRate(slice) => {
                passes(row).filter(|_| row.slice.as_deref() == Some(slice))
            }
            TrackedFigure::Level(id) => row.level(place(id)?),
            TrackedFigure::Agreement | TrackedFigure::Probe(_) => None,
        };
        let values = self.by_reply().into_values().filter(|rows| rows.len() == self.looks.len());
        values.filter_map(|rows| rows.into_iter().map(value).collect()).collect()
    }
}

/// The looks at each anchor whose rubric none of `found` has: with nothing else to follow, the anchor is followed. A
/// look counts that was read back.
pub(super) fn alone<'a>(
    looks: &'a [PastRun],
    anchors: &[Anchor],
    found: &[(SeriesKey, Vec<&PastRun>)],
) -> Vec<(SeriesKey, Vec<&'a PastRun>)> {
    let is_followed =
        |hash: &str| found.iter().any(|((command, _, rubric, _), _)| command == "run" && rubric.hash == hash);
    let mut alone = Vec::new();
    for anchor in anchors.iter().filter(|anchor| anchor.rubric_hash().is_some_and(|hash| !is_followed(hash)))
    {
        let run_of = |look: &AnchorRun| looks.iter().find(|run| run.run == look.run);
        let runs: Vec<&PastRun> = anchor.looks.iter().filter_map(run_of).collect();
        let has_figures = |run: &&&PastRun| !readings(&run.figures).is_empty();
        let Some(rubric) = runs.last().filter(has_figures).and_then(|run| run.rubric()) else { continue };
        alone.push((("run".to_owned(), anchor.files.clone(), rubric, String::new()), runs));
    }
    alone
}

/// The anchor that says most about a series: one that can be used before one that cannot, the one with the most
/// looks before others. A series of looks has its own anchor before all.
pub(super) fn of_series<'a>(
    anchors: &'a [Anchor],
    rubric_hash: &str,
    points: &[Point],
) -> (AnchorUse, Option<&'a Anchor>) {
    let is_look =
        |anchor: &Anchor| points.iter().all(|point| anchor.looks.iter().any(|look| look.run == point.run));
    let about = anchors.iter().filter(|anchor| anchor.rubric_hash() == Some(rubric_hash));
    let mut uses: Vec<(AnchorUse, &Anchor)> = about.map(|anchor| (anchor.use_for(points), anchor)).collect();
    uses.sort_by_key(|(said, anchor)| {
        (is_look(anchor), matches!(said, AnchorUse::Used { .. }), anchor.looks.len())
    });
    match uses.pop() {
        None => (AnchorUse::None, None),
        Some((said @ AnchorUse::Used { .. }, anchor)) => (said, Some(anchor)),
        Some((said, _)) => (said, None),
    }
}
