//! A timeline on a terminal, in Markdown and as a page: the runs of each series, its figures, and what moved.

mod html;
mod markdown;

use std::io;

use probity_core::report::{AnchorUse, DriftCause, Figure, FigureTrack, LeftOut, Movement, Series, Timeline};
use probity_core::stats::Estimate;
use serde_json::{Value, json};

use super::difference::{p_value, signed};
use super::figure::columns;
use super::report::{Document, Kind, pretty};
use crate::plain::plain;

/// A timeline with everything that is said about it.
pub(crate) struct TimelineDocument {
    timeline: Timeline,
    json: Value,
}

impl TimelineDocument {
    /// The document of this timeline.
    pub(crate) fn new(timeline: Timeline) -> Self {
        TimelineDocument { json: json!(timeline), timeline }
    }
}

impl Document for TimelineDocument {
    fn json(&self) -> &Value {
        &self.json
    }

    fn text(&self) -> String {
        history(&self.timeline)
    }

    fn file(&self, kind: Kind) -> io::Result<String> {
        match kind {
            Kind::Html => html::html(&self.timeline).map_err(io::Error::other),
            Kind::Markdown => Ok(markdown::markdown(&self.timeline)),
            Kind::Json | Kind::Junit => Ok(pretty(&self.json)),
        }
    }
}

/// The timeline for a terminal.
fn history(timeline: &Timeline) -> String {
    let mut out = String::new();
    for (at, series) in timeline.series.iter().enumerate() {
        if at > 0 {
            out += "\n";
        }
        out += &format!("{}\n", plain(&title(series)));
        out += &anchor(series).map(|anchor| format!("{}\n", plain(&anchor))).unwrap_or_default();
        out += "\n";
        out += &columns(&table(&points(series)));
        out += &format!("\n{}", columns(&table(&figures(series))));
        let flags = flags(series);
        if !flags.is_empty() {
            out += "\n";
        }
        for flag in &flags {
            out += &format!("! {}\n", plain(flag));
        }
    }
    if timeline.series.is_empty() {
        out += "no run of the store has figures to follow\n";
    }
    for line in notes(timeline) {
        out += &format!("{}\n", plain(&line));
    }
    out
}

/// What a series is.
fn title(series: &Series) -> String {
    let Series { command, files, rubric, points, .. } = series;
    let runs = if points.len() == 1 { "1 run".to_owned() } else { format!("{} runs", points.len()) };
    let files = if files.is_empty() { "shipped cases" } else { files };
    format!("{command} {files} · {} {} · {runs}", rubric.name, rubric.version)
}

/// Which anchor tells who moved, where scores are concerned.
fn anchor(series: &Series) -> Option<String> {
    if series.command != "run" {
        return None;
    }
    Some(match &series.anchor {
        AnchorUse::None => "anchor: none, so nobody can tell who moved".to_owned(),
        AnchorUse::Used { n_replies, .. } if series.is_anchor() => {
            format!("an anchor of {n_replies} replies that nobody writes anew: what moves here is the judge")
        }
        AnchorUse::Used { files, runs, n_replies, .. } => {
            format!("anchor: {files}, {n_replies} replies, {} looks", runs.len())
        }
        AnchorUse::Silent { files, reason } => format!("anchor: {files} says nothing: {reason}"),
    })
}

fn table(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| plain(cell)).collect()).collect()
}

/// The runs with the figure that matters most, under a header.
fn points(series: &Series) -> Vec<Vec<String>> {
    let main = series.tracks.first();
    let name = main.map(|track| track.figure.name()).unwrap_or_default();
    let header = ["run", "at", "cases", "judge", &name, "95 % interval", "n"];
    let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).into()];
    for (at, point) in series.points.iter().enumerate() {
        let mut row =
            vec![point.run.to_string(), point.at.to_string(), point.files.clone(), point.judge.name.clone()];
        row.extend(main.map(|track| cells(&track.figure, track.values[at])).unwrap_or_default());
        rows.push(row);
    }
    rows
}

/// A value, its interval and its denominator.
fn cells(figure: &Figure, value: Option<Estimate>) -> [String; 3] {
    let Some(Estimate { value, low, high, n }) = value else { return ["–", "–", "0"].map(str::to_owned) };
    let end = |end: f64| if figure.is_share() { format!("{:.1}", 100.0 * end) } else { format!("{end:.2}") };
    // The mean of one value may be anywhere.
    let interval =
        if n < 2 && !figure.is_share() { "–".to_owned() } else { format!("{}–{}", end(low), end(high)) };
    [shown(figure, value), interval, n.to_string()]
}

fn shown(figure: &Figure, value: f64) -> String {
    if figure.is_share() { format!("{:.1} %", 100.0 * value) } else { format!("{value:.2}") }
}

/// Every figure with what it did, under a header.
fn figures(series: &Series) -> Vec<Vec<String>> {
    let header = ["figure", "earlier", "latest", "p", "adjusted", "anchor", "its p", "says"];
    let mut rows: Vec<Vec<String>> = vec![header.map(str::to_owned).into()];
    for track in &series.tracks {
        let drift = &track.drift;
        let value = |value: Option<f64>| value.map_or("–".to_owned(), |value| shown(&track.figure, value));
        let anchor = drift.anchor.map(|anchor| moved_by(&track.figure, anchor.change.value));
        let latest = drift.latest.or_else(|| track.values.last().copied().flatten().map(|last| last.value));
        rows.push(vec![
            track.figure.name(),
            value(drift.before),
            value(latest),
            p_value(drift.p),
            p_value(drift.adjusted),
            anchor.unwrap_or_else(|| "–".to_owned()),
            p_value(drift.anchor.map(|anchor| anchor.adjusted)),
            verdict(track).to_owned(),
        ]);
    }
    rows
}

/// What a track did, in a word or two.
fn verdict(track: &FigureTrack) -> &'static str {
    match (track.drift.movement, track.drift.cause) {
        (Movement::Moved, _) => "MOVED",
        (Movement::Steady | Movement::TooFew, DriftCause::Judge) => "JUDGE MOVED",
        (Movement::Steady, _) => "steady",
        (Movement::TooFew, _) => "too few",
    }
}

/// What moved, in sentences.
fn flags(series: &Series) -> Vec<String> {
    series.tracks.iter().filter_map(flag).collect()
}

fn flag(track: &FigureTrack) -> Option<String> {
    let (figure, drift) = (&track.figure, &track.drift);
    let by = drift.anchor.map(|anchor| moved_by(figure, anchor.change.value));
    let name = figure.name();
    let who = match (drift.cause, by) {
        (DriftCause::Nobody, _) => return None,
        (DriftCause::Judge, Some(by)) => format!("the judge moved, by {by} on replies that nobody changed"),
        (DriftCause::Judge, None) => "the judge moved: the texts it was probed with are the same".to_owned(),
        (DriftCause::Replies, _) => "the replies moved, and the anchor did not".to_owned(),
        (DriftCause::CannotTell, Some(_)) => "the anchor is too small to say who moved".to_owned(),
        (DriftCause::CannotTell, None) => "no anchor says who moved".to_owned(),
    };
    let values = drift.before.zip(drift.latest).filter(|_| drift.movement == Movement::Moved);
    let Some((before, latest)) = values else { return Some(format!("{name}: {who}")) };
    let went = if latest < before { "fell" } else { "rose" };
    let [before, latest] = [before, latest].map(|value| shown(figure, value));
    Some(format!("{name} {went} from {before} to {latest}, more than noise explains: {who}"))
}

/// Runs that are left out, and what else a reader should know.
fn notes(timeline: &Timeline) -> Vec<String> {
    let left = |left: &LeftOut| format!("left out: run {}: {}", left.run, left.reason);
    let notices = timeline.notices.iter().map(|notice| format!("note: {notice}"));
    timeline.left_out.iter().map(left).chain(notices).collect()
}

/// A change, in points where the figure is a share.
fn moved_by(figure: &Figure, change: f64) -> String {
    if figure.is_share() { signed(100.0 * change, 1) } else { signed(change, 2) }
}
