//! A timeline as a document: the runs of each series, its figures, and what moved.

use probity_core::report::{
    AnchorUse, DriftCause, FigureTrack, LeftOut, Movement, Point, Series, Timeline, TrackedFigure,
};
use probity_core::stats::Estimate;
use serde_json::{Value, json};

use super::difference::{p_value, signed};
use super::families::folded;
use super::figure::{counted, none};
use super::report::chart::query;
use super::report::document::{Block, Cells, Document, DocumentList, Section, Table};
use super::report::over_time::{OverTime, week};
use super::view::{ListHead, ListItem, Opened};

/// What is meant by a move.
const LEAD: &str = "A figure has moved when its latest value lies beyond every earlier one and differs from all of them \
    together by more than noise explains. An anchor, fixed replies that are scored again and again, tells the judge's \
    moves from those of the replies.";

/// How it was tested.
const ABOUT: &str =
    "p-values are exact (shares) or Welch's (levels), adjusted over all figures by Benjamini and Yekutieli";

/// The document.
pub(crate) fn document(timeline: &Timeline) -> Document {
    let pages = timeline.series.iter().enumerate().map(page_section);
    let mut sections: Vec<Section> =
        pages.chain(timeline.series.iter().enumerate().map(section).map(Section::not_on_pages)).collect();
    if sections.is_empty() {
        let nothing = "no run of the store has figures to follow";
        sections.push(Section::new("series", "Series").text(nothing));
    }
    sections.push(Section::new("runs", "Runs").with(Block::Rows).on_pages());
    sections.extend(Section::new("notes", "What else to know").list(notes(timeline)).filled());
    Document {
        command: "report".to_owned(),
        title: "How figures moved".to_owned(),
        about: ABOUT.to_owned(),
        verdict: moved(timeline),
        lead: LEAD.to_owned(),
        sections,
        list: Some(list(timeline)),
        json: json!(timeline),
        ..Document::default()
    }
}

/// Every run that a point stands for, the latest first.
fn list(timeline: &Timeline) -> DocumentList {
    let items = timeline.series.iter().flat_map(|series| {
        let places = places(series);
        let item = move |at: usize| run_item(series, at, &places[at]);
        (0..series.points.len()).rev().map(item)
    });
    let facets = [("series", "Series"), ("week", "Week"), ("run", "Run"), ("judge", "Judge")];
    DocumentList { head: ListHead::new("runs", "Figure", &facets).sorted(""), items: items.collect() }
}

/// A run with all of its figures, and how to see it whole or beside the one before.
fn run_item(series: &Series, at: usize, week: &str) -> ListItem {
    let (point, run) = (&series.points[at], series.points[at].run.to_string());
    let figure = |track: &FigureTrack| {
        let [value, interval, n] = cells(&track.figure, track.values[at]);
        [track.figure.name(), value, interval, n]
    };
    let figures: Vec<[String; 4]> = series.tracks.iter().map(figure).collect();
    let mut commands =
        vec![format!("probity open {run}"), format!("probity report {run} --report run-{run}.html")];
    let before = at.checked_sub(1).filter(|_| series.command == "run").map(|at| series.points[at].run);
    commands.extend(before.map(|before| format!("probity diff {before} {run} --report diff.html")));
    let main = series.tracks.first();
    let value = main.and_then(|track| Some((track, track.values[at]?.value)));
    let line =
        figures.first().map(|[name, value, interval, n]| format!("{name} {value} ({interval}, n {n})"));
    let day = point.at.to_string().chars().take(10).collect::<String>();
    ListItem {
        name: format!("run {run}"),
        values: vec![
            vec![format!("{} {}", series.command, series.rubric.name)],
            vec![week.to_owned()],
            vec![run],
            vec![point.judge.name.clone()],
        ],
        total: value.map(|(track, value)| {
            let shown = if track.figure.is_share() { 100.0 * value } else { value };
            (10.0 * shown).round() / 10.0
        }),
        levels: Vec::new(),
        lines: [format!("{day} · {}", point.files), line.unwrap_or_default()],
        view: Opened::Run { title: format!("{} on {day}", title(series)), figures, commands },
    }
}

/// How many figures moved, over all series.
fn moved(timeline: &Timeline) -> String {
    let tracks = || timeline.series.iter().flat_map(|series| &series.tracks);
    let n_moved = tracks().filter(|track| track.drift.cause != DriftCause::NoChange).count();
    match (n_moved, tracks().count()) {
        (0, n) => format!("None of {} moved.", counted(n as u64, "figure")),
        (n_moved, n) => format!("{n_moved} of {} moved.", counted(n as u64, "figure")),
    }
}

fn section((at, series): (usize, &Series)) -> Section {
    let section = Section::new(&format!("series-{}", at + 1), &title(series));
    let section = anchor(series).into_iter().fold(section, Section::text);
    let flags = series.tracks.iter().filter_map(flag).map(|flag| format!("! {flag}"));
    section.list(flags).table(points(series)).table(figures(series))
}

/// The same on a page: the figure that matters most, then every figure, those that moved first.
fn page_section((at, series): (usize, &Series)) -> Section {
    let places = places(series);
    let mut tracks: Vec<&FigureTrack> = series.tracks.iter().collect();
    tracks.sort_by_key(|track| track.drift.cause == DriftCause::NoChange);
    let main = series.tracks.first().map(|track| {
        let range = if track.figure.is_share() { near(track) } else { levels(&series.tracks) };
        json!({ "drawing": "timeline", "anchor_word": "anchor (fixed replies)", "chart": over_time(series, track, &places, range).large() })
    });
    let small = |track: &&FigureTrack| {
        let range = if track.figure.is_share() { [0.0, 1.0] } else { levels(&series.tracks) };
        over_time(series, track, &places, range).small()
    };
    let small: Vec<Value> = tracks.iter().map(small).collect();
    let section = Section::new(&format!("series-{}", at + 1), &title(series));
    let section = anchor(series).into_iter().fold(section, Section::text);
    let section = main.into_iter().fold(section, |section, main| section.with(Block::Drawing(main)));
    let section = section.list(series.tracks.iter().filter_map(flag));
    section
        .heading("Every figure")
        .legend("Those that moved first. Shares are all drawn from 0 to 100 %, levels all on one scale, so heights can be compared; shaded: the interval; dashed: the anchor.")
        .with(Block::Drawing(json!({ "drawing": "tracks", "tracks": small })))
        .with(folded("Show as table: the runs", Block::Table(points(series))))
        .with(folded("Show as table: every figure", Block::Table(figures(series))))
        .on_pages()
}

/// The names of the points: their weeks, or their runs where several are of one week.
fn places(series: &Series) -> Vec<String> {
    let week = |point: &Point| {
        let day = point.at.to_string();
        let mut parts = day.get(..10)?.split('-').map(|part| part.parse::<i64>().ok());
        Some(week(parts.next()??, parts.next()??, parts.next()??))
    };
    let weeks: Option<Vec<i64>> = series.points.iter().map(week).collect();
    let weeks = weeks.filter(|weeks| weeks.windows(2).all(|pair| pair[0] != pair[1]));
    match weeks {
        Some(weeks) => weeks.iter().map(|week| format!("W{week}")).collect(),
        None => series.points.iter().map(|point| format!("run {}", point.run)).collect(),
    }
}

/// A range of shares around those of a track and its anchor: a half where they fit, so that the axis has round numbers.
fn near(track: &FigureTrack) -> [f64; 2] {
    let values = track.values.iter().flatten().flat_map(|value| [value.low, value.high]);
    let values = values.chain(track.anchor_looks.iter().map(|(_, value)| *value));
    let (low, high) = values.fold((1.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let (low, high) = ((10.0 * low).floor() / 10.0, (10.0 * high).ceil() / 10.0);
    let from = (high - 0.5).max(0.0);
    if low >= from { [from, from + 0.5] } else { [0.0, 1.0] }
}

/// A range of levels that holds all of them.
fn levels(tracks: &[FigureTrack]) -> [f64; 2] {
    let levels = tracks.iter().filter(|track| !track.figure.is_share());
    let values = levels.flat_map(|track| track.values.iter().flatten().map(|value| value.value));
    let (low, high) =
        values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    if low > high { [0.0, 1.0] } else { [low.floor().min(0.0), high.ceil()] }
}

fn over_time<'a>(
    series: &Series,
    of: &'a FigureTrack,
    places: &'a [String],
    range: [f64; 2],
) -> OverTime<'a> {
    let is_share = of.figure.is_share();
    let present = of.values.iter().enumerate().filter_map(|(at, value)| value.map(|value| (at, value)));
    let point = |(at, value): (usize, Estimate)| {
        let [shown, interval, n] = cells(&of.figure, Some(value));
        // The interval of a single value has no ends that could be drawn.
        let [low, high] = if value.n < 2 && !is_share { [value.value; 2] } else { [value.low, value.high] };
        let label = format!("{}, run {}: {shown} ({interval}, n {n})", places[at], series.points[at].run);
        let run = series.points[at].run.to_string();
        (at, [value.value, low, high], label, query(&[("run", &run)]))
    };
    let mut anchor: Vec<(usize, f64)> = Vec::new();
    for (look, value) in &of.anchor_looks {
        let at = series.points.iter().rposition(|point| point.at <= *look).unwrap_or(0);
        match anchor.last_mut().filter(|(last, _)| *last == at) {
            Some(last) => last.1 = *value,
            None => anchor.push((at, *value)),
        }
    }
    OverTime {
        name: of.figure.name(),
        is_share,
        says: verdict(of),
        moved: of.drift.cause != DriftCause::NoChange,
        places,
        points: present.map(point).collect(),
        anchor,
        range,
    }
}

/// What a series is.
fn title(series: &Series) -> String {
    let Series { command, files, rubric, points, .. } = series;
    let runs = counted(points.len() as u64, "run");
    let files = if files.is_empty() { "shipped cases" } else { files };
    format!("{command} {files} · {} {} · {runs}", rubric.name, rubric.version)
}

/// Which anchor tells who moved, where scores are concerned.
fn anchor(series: &Series) -> Option<String> {
    if series.command != "run" {
        return None;
    }
    Some(match &series.anchor {
        AnchorUse::None => "no anchor set: a change cannot be traced to the bot or to the judge".to_owned(),
        AnchorUse::Used { n_replies, .. } if series.is_anchor() => {
            format!("an anchor of {n_replies} replies that never change: what moves here is the judge")
        }
        AnchorUse::Used { files, runs, n_replies, .. } => {
            format!("anchor: {files}, {n_replies} replies, {} looks", runs.len())
        }
        AnchorUse::Silent { files, reason } => format!("anchor: {files} says nothing: {reason}"),
    })
}

/// The runs with the figure that matters most.
fn points(series: &Series) -> Table {
    let main = series.tracks.first();
    let name = main.map(|track| format!("#{}", track.figure.name())).unwrap_or_default();
    let mut table = Table::new(&["#run", "at", "cases", "judge", &name, "#95 % interval", "#n"]);
    for (at, point) in series.points.iter().enumerate() {
        let [value, interval, n] =
            main.map(|track| cells(&track.figure, track.values[at])).unwrap_or_default();
        table.row(cells![point.run, point.at, &point.files, &point.judge.name, value, interval, n]);
    }
    table
}

/// A value, its interval and its denominator.
fn cells(figure: &TrackedFigure, value: Option<Estimate>) -> [String; 3] {
    let Some(Estimate { value, low, high, n }) = value else { return [none(), none(), "0".to_owned()] };
    let end = |end: f64| if figure.is_share() { format!("{:.1}", 100.0 * end) } else { format!("{end:.2}") };
    // The mean of one value may be anywhere.
    let interval = if n < 2 && !figure.is_share() { none() } else { format!("{}–{}", end(low), end(high)) };
    [shown(figure, value), interval, n.to_string()]
}

fn shown(figure: &TrackedFigure, value: f64) -> String {
    if figure.is_share() { format!("{:.1} %", 100.0 * value) } else { format!("{value:.2}") }
}

/// Every figure with what it did.
fn figures(series: &Series) -> Table {
    let titles = ["figure", "#earlier", "#latest", "#p", "#adjusted", "#anchor", "#its p", "says"];
    let mut table = Table::new(&titles);
    for track in &series.tracks {
        let drift = &track.drift;
        let value = |value: Option<f64>| value.map_or_else(none, |value| shown(&track.figure, value));
        let anchor = drift.anchor.map(|anchor| moved_by(&track.figure, anchor.change.value));
        let latest = drift.latest.or_else(|| track.values.last().copied().flatten().map(|last| last.value));
        table.row(cells![
            track.figure.name(),
            value(drift.before),
            value(latest),
            p_value(drift.p),
            p_value(drift.adjusted),
            anchor.unwrap_or_else(none),
            p_value(drift.anchor.map(|anchor| anchor.adjusted)),
            verdict(track),
        ]);
    }
    table
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

/// What moved, in a sentence.
fn flag(track: &FigureTrack) -> Option<String> {
    let (figure, drift) = (&track.figure, &track.drift);
    let by = drift.anchor.map(|anchor| moved_by(figure, anchor.change.value));
    let name = figure.name();
    let who = match (drift.cause, by) {
        (DriftCause::NoChange, _) => return None,
        (DriftCause::Judge, Some(by)) => format!("the judge moved, by {by} on replies that did not change"),
        (DriftCause::Judge, None) => "the judge moved: the texts it was probed with are the same".to_owned(),
        (DriftCause::Replies, _) => "the replies moved, and the anchor did not".to_owned(),
        (DriftCause::CannotTell, Some(_)) => {
            "the anchor is too small to tell whether the judge or the replies changed".to_owned()
        }
        (DriftCause::CannotTell, None) => "without an anchor the cause cannot be told".to_owned(),
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
fn moved_by(figure: &TrackedFigure, change: f64) -> String {
    if figure.is_share() { signed(100.0 * change, 1) } else { signed(change, 2) }
}
