//! Charts: figures as places on a drawing. What is drawn where is decided here; the template only draws it.
//!
//! Nothing is told by colour alone: shapes differ, and every figure stands in words or in a table beside it.

use probity_core::stats::{Estimate, NetRate};
use serde::{Deserialize, Serialize};

use super::document::{Cell, Table};

/// Where the axis of a whisker begins and how long it is.
const WHISKER_X: f64 = 10.0;
const WHISKER_WIDTH: f64 = 200.0;

/// The most points of a scatter plot.
const POINTS_MAX: usize = 1_500;

/// The drawing of a scatter plot, inside its margins.
const SCATTER_X: f64 = 130.0;
const SCATTER_WIDTH: f64 = 500.0;
const BAND_Y: f64 = 14.0;
const BAND_HEIGHT: f64 = 56.0;

/// The drawing of a reliability plot, inside its margins.
const SQUARE_X: f64 = 46.0;
const SQUARE_Y: f64 = 10.0;
const SQUARE: f64 = 260.0;

/// The height of the tallest bar of a histogram, and where bars stand.
const BAR_MAX: f64 = 46.0;
const BAR_FOOT: f64 = 58.0;

/// The area of a track that values are drawn in.
const TRACK_LEFT: f64 = 8.0;
const TRACK_RIGHT: f64 = 172.0;
const TRACK_TOP: f64 = 8.0;
const TRACK_BOTTOM: f64 = 56.0;

/// A figure with its interval on an axis, and marks to hold it against.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Whisker {
    /// The same in words.
    label: String,
    x: f64,
    x_low: f64,
    x_high: f64,
    /// Where the axis has ticks.
    ticks: Vec<f64>,
    marks: Vec<Mark>,
}

/// Something to hold a figure against.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Mark {
    shape: Shape,
    x: f64,
}

/// What a mark looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shape {
    /// People among themselves.
    Diamond,
    /// A judge that understands nothing.
    Triangle,
    /// What is wanted or tolerated.
    Line,
}

/// From where to where an axis goes, in how many steps.
#[derive(Debug, Clone, Copy)]
struct Axis {
    from: f64,
    to: f64,
    steps: u32,
}

impl Axis {
    const SHARE: Axis = Axis { from: 0.0, to: 1.0, steps: 4 };
    const NET: Axis = Axis { from: -0.25, to: 1.0, steps: 5 };

    fn place(self, value: f64) -> f64 {
        let share = (value.clamp(self.from, self.to) - self.from) / (self.to - self.from);
        rounded(WHISKER_X + WHISKER_WIDTH * share)
    }

    fn whisker(self, [value, low, high]: [f64; 3], marks: &[(Shape, Option<f64>)]) -> Whisker {
        let ticks =
            (0..=self.steps).map(|step| WHISKER_X + WHISKER_WIDTH * f64::from(step) / f64::from(self.steps));
        let mark =
            |(shape, value): &(Shape, Option<f64>)| Some(Mark { shape: *shape, x: self.place((*value)?) });
        Whisker {
            label: format!("{value:.2}, {low:.2} to {high:.2}"),
            x: self.place(value),
            x_low: self.place(low),
            x_high: self.place(high),
            ticks: ticks.collect(),
            marks: marks.iter().filter_map(mark).collect(),
        }
    }
}

impl Whisker {
    /// A share on an axis from 0 to 1, with those marks that have a place.
    pub(crate) fn share(rate: &Estimate, marks: &[(Shape, Option<f64>)]) -> Whisker {
        Axis::SHARE.whisker([rate.value, rate.low, rate.high], marks)
    }

    /// A difference of two shares on an axis from a quarter below 0 to 1, with a line at what is tolerated.
    pub(crate) fn net(net: &NetRate, tolerance: f64) -> Whisker {
        Axis::NET.whisker([net.value, net.low, net.high], &[(Shape::Line, Some(tolerance))])
    }
}

/// Counts by two things that can be the same.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Matrix {
    /// What a row is.
    pub(crate) rows_are: String,
    /// What a column is.
    pub(crate) columns_are: String,
    /// The names of the columns.
    pub(crate) columns: Vec<String>,
    /// The rows.
    pub(crate) rows: Vec<MatrixRow>,
}

/// A row of a matrix.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct MatrixRow {
    /// Its name.
    pub(crate) name: String,
    /// Its cells.
    pub(crate) cells: Vec<MatrixCell>,
}

/// A cell of a matrix.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct MatrixCell {
    n: u64,
    /// How dark it is, 0 to 4.
    shade: u8,
    /// Whether row and column are the same thing.
    is_same: bool,
}

impl Matrix {
    /// A matrix of `counts`, row by row. Rows beyond the columns are about something else.
    pub(crate) fn new(are: [&str; 2], rows: &[String], columns: &[String], counts: &[Vec<u64>]) -> Matrix {
        let most = counts.iter().flatten().copied().max().unwrap_or(0).max(1);
        let row = |(at, (name, counts)): (usize, (&String, &Vec<u64>))| {
            let cell = |(column, n): (usize, &u64)| MatrixCell {
                n: *n,
                // Something is never as pale as nothing.
                shade: u8::try_from((4 * n).div_ceil(most)).unwrap_or(4),
                is_same: rows[at] == columns[column],
            };
            MatrixRow { name: name.clone(), cells: counts.iter().enumerate().map(cell).collect() }
        };
        Matrix {
            rows_are: are[0].to_owned(),
            columns_are: are[1].to_owned(),
            columns: columns.to_vec(),
            rows: rows.iter().zip(counts).enumerate().map(row).collect(),
        }
    }
}

impl Matrix {
    /// The counts as a table.
    pub(super) fn table(&self) -> Table {
        let corner = format!("{} / {}", self.rows_are, self.columns_are);
        let columns: Vec<String> = self.columns.iter().map(|name| format!("#{name}")).collect();
        let titles: Vec<&str> =
            [corner.as_str()].into_iter().chain(columns.iter().map(String::as_str)).collect();
        let mut table = Table::new(&titles);
        for row in &self.rows {
            let counts = row.cells.iter().map(|cell| Cell::text(cell.n.to_string()));
            table.row([Cell::text(&row.name)].into_iter().chain(counts).collect());
        }
        table
    }
}

/// How totals of a slice are spread.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Histogram {
    name: String,
    n: u64,
    bars: Vec<Bar>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Bar {
    n: u64,
    from: usize,
    x: usize,
    y: f64,
    height: f64,
}

impl Histogram {
    /// The `bins` of the `n` replies in the slice called `name`, each ten points wide.
    pub(crate) fn new(name: &str, n: u64, bins: &[u64]) -> Histogram {
        let tallest = bins.iter().copied().max().unwrap_or(0).max(1) as f64;
        let bar = |(at, n): (usize, &u64)| {
            let height = (BAR_MAX * *n as f64 / tallest).round();
            Bar { n: *n, from: 10 * at, x: 20 * at + 1, y: BAR_FOOT - height, height }
        };
        Histogram { name: name.to_owned(), n, bars: bins.iter().enumerate().map(bar).collect() }
    }
}

/// One figure over time: a dot and a whisker for each run that has it, and a line between the dots.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Track {
    name: String,
    says: String,
    moved: bool,
    dots: Vec<Dot>,
    line: String,
    ends: [String; 2],
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Dot {
    x: f64,
    y: f64,
    low: f64,
    high: f64,
    label: String,
}

/// A figure over time, as it is to be drawn.
pub(crate) struct TrackFigure<'a> {
    /// Its name.
    pub(crate) name: String,
    /// Whether it is a share.
    pub(crate) is_share: bool,
    /// What it did, in a word or two.
    pub(crate) says: &'a str,
    /// Whether a reader should look.
    pub(crate) moved: bool,
    /// How many places there are.
    pub(crate) n_places: usize,
    /// Those where it has a value.
    pub(crate) points: Vec<TrackPoint>,
}

/// A value at one of the places of a track.
pub(crate) struct TrackPoint {
    /// Its place, from 0.
    pub(crate) at: usize,
    /// The value and the ends of its interval.
    pub(crate) value: [f64; 3],
    /// The same in words.
    pub(crate) label: String,
}

impl Track {
    /// The drawing of a figure.
    pub(crate) fn new(figure: TrackFigure<'_>) -> Track {
        let TrackFigure { name, is_share, says, moved, n_places, points } = figure;
        let all = || points.iter().flat_map(|point| point.value);
        let ends = || [all().fold(f64::MAX, f64::min), all().fold(f64::MIN, f64::max)];
        let bounds = if is_share { [0.0, 1.0] } else { ends() };
        let height = (bounds[1] - bounds[0]).max(f64::MIN_POSITIVE);
        let y = |value: f64| {
            rounded(
                TRACK_BOTTOM - (TRACK_BOTTOM - TRACK_TOP) * ((value - bounds[0]) / height).clamp(0.0, 1.0),
            )
        };
        let steps = (n_places.max(2) - 1) as f64;
        let x = |at: usize| rounded(TRACK_LEFT + (TRACK_RIGHT - TRACK_LEFT) * at as f64 / steps);
        let dot = |TrackPoint { at, value: [value, low, high], label }: TrackPoint| Dot {
            x: x(at),
            y: y(value),
            low: y(low),
            high: y(high),
            label,
        };
        let ends =
            bounds.map(|end| if is_share { format!("{:.0} %", 100.0 * end) } else { format!("{end:.1}") });
        let dots: Vec<Dot> = points.into_iter().map(dot).collect();
        let line: Vec<String> = dots.iter().map(|dot| format!("{},{}", dot.x, dot.y)).collect();
        Track { name, says: says.to_owned(), moved, dots, line: line.join(" "), ends }
    }
}

/// Points by a number and a band.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Scatter {
    /// What the drawing shows, in words.
    pub(crate) label: String,
    /// What stands below the axis.
    pub(crate) axis: String,
    bands: Vec<Band>,
    points: Vec<Point>,
    ticks: Vec<Tick>,
    width: f64,
    height: f64,
    foot: f64,
    zero: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Band {
    name: String,
    n: u64,
    y: f64,
    shape: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Point {
    x: f64,
    y: f64,
    shape: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Tick {
    x: f64,
    text: String,
}

impl Scatter {
    /// Points at `values`, each in the band at its place among `bands`. The axis is as wide on either side of 0.
    pub(crate) fn new(label: &str, axis: &str, bands: &[String], values: &[(f64, usize)]) -> Scatter {
        let reach = nice(values.iter().map(|(value, _)| value.abs()).fold(1.0, f64::max));
        let place = |value: f64| rounded(SCATTER_X + SCATTER_WIDTH * (value / reach + 1.0) / 2.0);
        let middle = |band: usize| BAND_Y + BAND_HEIGHT * (band as f64 + 0.5);
        let step = values.len().div_ceil(POINTS_MAX).max(1);
        let point = |(at, (value, band)): (usize, &(f64, usize))| {
            // The same pair stands at the same height in every report; neighbours do not hide each other.
            let lift = (at as f64 * 0.618_034).fract() - 0.5;
            Point { x: place(*value), y: rounded(middle(*band) + lift * (BAND_HEIGHT - 16.0)), shape: *band }
        };
        let band = |(at, name): (usize, &String)| Band {
            name: name.clone(),
            n: values.iter().filter(|(_, band)| *band == at).count() as u64,
            y: middle(at),
            shape: at,
        };
        let tick = |part: f64| {
            let text = if part == 0.0 { "0".to_owned() } else { format!("{:+.0}", part * reach) };
            Tick { x: place(part * reach), text }
        };
        let foot = BAND_Y + BAND_HEIGHT * bands.len() as f64;
        Scatter {
            label: label.to_owned(),
            axis: axis.to_owned(),
            bands: bands.iter().enumerate().map(band).collect(),
            points: values.iter().enumerate().step_by(step).map(point).collect(),
            ticks: [-1.0, -0.5, 0.0, 0.5, 1.0].map(tick).into(),
            width: SCATTER_X + SCATTER_WIDTH + 20.0,
            height: foot + 40.0,
            foot,
            zero: place(0.0),
        }
    }
}

/// A round number that is not below `reach`.
fn nice(reach: f64) -> f64 {
    let power = 10_f64.powf(reach.log10().floor());
    let step = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0].into_iter().find(|step| step * power >= reach);
    step.unwrap_or(10.0) * power
}

/// For each thing that a judge says, what people mean by it, against what they would mean if both said the same.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Reliability {
    /// What the drawing shows, in words.
    pub(crate) label: String,
    /// What is along the foot.
    pub(crate) across: String,
    /// What is along the side.
    pub(crate) up: String,
    points: Vec<Held>,
    ticks: Vec<Place>,
    left: f64,
    right: f64,
    top: f64,
    foot: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Held {
    x: f64,
    y: f64,
    y_low: f64,
    y_high: f64,
    n: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Place {
    text: String,
    x: f64,
    y: f64,
}

impl Reliability {
    /// Points at a place of the scale with what people say there. `scale` is each name with its place.
    pub(crate) fn new(
        label: &str,
        are: [&str; 2],
        scale: &[(String, f64)],
        points: &[(f64, Estimate)],
    ) -> Self {
        let ends = scale.iter().map(|(_, place)| *place);
        let (from, to) = ends
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), place| (from.min(place), to.max(place)));
        let span = if to > from { to - from } else { 1.0 };
        let across = |value: f64| rounded(SQUARE_X + SQUARE * (value - from) / span);
        let up = |value: f64| rounded(SQUARE_Y + SQUARE * (1.0 - (value.clamp(from, to) - from) / span));
        let held = |(at, people): &(f64, Estimate)| Held {
            x: across(*at),
            y: up(people.value),
            y_low: up(people.low),
            y_high: up(people.high),
            n: people.n,
        };
        let tick = |(text, at): &(String, f64)| Place { text: text.clone(), x: across(*at), y: up(*at) };
        Reliability {
            label: label.to_owned(),
            across: are[0].to_owned(),
            up: are[1].to_owned(),
            points: points.iter().map(held).collect(),
            ticks: scale.iter().map(tick).collect(),
            left: SQUARE_X,
            right: SQUARE_X + SQUARE,
            top: SQUARE_Y,
            foot: SQUARE_Y + SQUARE,
        }
    }
}

/// Tenths of a unit are all that a drawing needs.
fn rounded(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_stands_where_it_belongs_and_never_outside() {
        let rate = Estimate { value: 0.5, low: 0.25, high: 1.5, n: 4 };
        let marked = Whisker::share(&rate, &[(Shape::Diamond, Some(0.75)), (Shape::Triangle, None)]);
        assert_eq!((marked.x, marked.x_low, marked.x_high), (110.0, 60.0, 210.0));
        assert_eq!(marked.marks.len(), 1);
        assert_eq!((marked.marks[0].shape, marked.marks[0].x), (Shape::Diamond, 160.0));
    }

    #[test]
    fn a_wide_comparison_is_thinned_out_and_says_all_counts() {
        let values: Vec<(f64, usize)> =
            (0..10_000_u32).map(|at| (f64::from(at % 300), usize::from(at % 2 == 1))).collect();
        let names = ["a".to_owned(), "b".to_owned()];
        let scatter = Scatter::new("", "", &names, &values);
        assert!(scatter.points.len() <= POINTS_MAX);
        assert_eq!(scatter.bands.iter().map(|band| band.n).collect::<Vec<_>>(), [5_000, 5_000]);
        assert!(scatter.points.iter().all(|point| point.x >= SCATTER_X && point.y < scatter.foot));
    }

    #[test]
    fn the_axis_ends_at_a_round_number() {
        assert_eq!([1.0, 37.0, 90.0, 411.0].map(|reach| nice(reach).to_string()), ["1", "40", "100", "600"]);
    }
}
