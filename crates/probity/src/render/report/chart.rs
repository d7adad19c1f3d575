//! Drawings: figures as places on paper. What is drawn where is decided here; a template only draws it.
//!
//! Nothing is told by colour alone: shapes differ, and every figure stands in words or in a table beside it.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use probity_core::results::Members;
use probity_core::stats::Estimate;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::document::{Cell, Table};

/// The most points of a scatter plot.
const POINTS_MAX: usize = 1_500;

/// A scatter plot, inside its margins.
const SCATTER_X: f64 = 130.0;
const SCATTER_WIDTH: f64 = 500.0;
const BAND_Y: f64 = 14.0;
const BAND_HEIGHT: f64 = 56.0;

/// A reliability plot, inside its margins.
const SQUARE_X: f64 = 46.0;
const SQUARE_Y: f64 = 10.0;
const SQUARE: f64 = 260.0;

/// The height of the tallest bar of a histogram, and where bars stand.
const BAR_MAX: f64 = 150.0;
const BAR_FOOT: f64 = 190.0;

/// The length of a figure that is drawn in characters.
const CHARACTERS: usize = 25;

probity_core::named! {
    /// Something to hold a figure against, by what it looks like.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum PlotMark {
        /// People among themselves.
        Diamond = "diamond",
        /// A judge that understands nothing.
        Triangle = "triangle",
        /// The other measure, such as the one before.
        Ring = "ring",
        /// What is wanted or tolerated.
        Line = "line",
    }
}

/// What a column of figures is drawn on, for all its rows alike. Places are in percent of the width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ruler {
    from: f64,
    to: f64,
    ticks: Vec<Tick>,
    band: Option<Band>,
    /// A limit that rows draw as a dashed line, with its word.
    #[serde(default)]
    limit: Option<Tick>,
}

/// A number of a ruler's axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Tick {
    x: f64,
    text: String,
}

/// What is wanted, from where to where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Band {
    wanted: [f64; 2],
    x: f64,
    width: f64,
    text: String,
}

impl Ruler {
    /// Shares, from nothing to all.
    pub(crate) fn shares() -> Ruler {
        Ruler::percent(0, 100, 20)
    }

    /// Differences of two shares, from a quarter below nothing.
    pub(crate) fn net() -> Ruler {
        Ruler::percent(-25, 100, 25)
    }

    fn percent(from: i32, to: i32, step: usize) -> Ruler {
        let (low, high) = (f64::from(from) / 100.0, f64::from(to) / 100.0);
        let mut ruler = Ruler { from: low, to: high, ticks: Vec::new(), band: None, limit: None };
        let tick = |at: i32| Tick {
            x: ruler.place(f64::from(at) / 100.0),
            text: format!("{at} %").replace('-', "−"),
        };
        ruler.ticks = (from..=to).step_by(step).map(tick).collect();
        ruler
    }

    /// With a band at what is wanted.
    pub(crate) fn wanting(mut self, wanted: [f64; 2], text: String) -> Ruler {
        let [x, end] = wanted.map(|end| self.place(end));
        self.band = Some(Band { wanted, x, width: rounded(end - x), text });
        self
    }

    /// With a word at the limit that rows draw.
    pub(crate) fn limited(mut self, value: f64, text: &str) -> Ruler {
        self.limit = Some(Tick { x: self.place(value), text: text.to_owned() });
        self
    }

    /// The numbers at both ends.
    pub(super) fn ends(&self) -> String {
        let ends = [self.ticks.first(), self.ticks.last()].map(|tick| tick.map_or("", |tick| &tick.text));
        ends.join(" … ")
    }

    fn place(&self, value: f64) -> f64 {
        rounded(100.0 * (value.clamp(self.from, self.to) - self.from) / (self.to - self.from))
    }

    /// A figure with the ends of its interval, and what to hold it against. It misses what is wanted for certain where
    /// all of its interval does.
    pub(crate) fn drawn(&self, [value, low, high]: [f64; 3], marks: &[(PlotMark, Option<f64>)]) -> Value {
        let mark = |(mark, value): &(PlotMark, Option<f64>)| {
            Some(json!({ "shape": mark.name(), "x": self.place((*value)?) }))
        };
        let wanted = self.band.as_ref().map(|band| band.wanted);
        let misses = wanted.is_some_and(|[from, to]| high < from || low > to);
        let [x, x_low, x_high] = [value, low, high].map(|end| self.place(end));
        json!({
            "label": format!("{:.1} %, {:.1} to {:.1} %", 100.0 * value, 100.0 * low, 100.0 * high),
            "x": x,
            "x_low": x_low,
            "width": rounded(x_high - x_low),
            "misses": misses,
            "query": "",
            "levels": null,
            "marks": marks.iter().filter_map(mark).collect::<Vec<_>>(),
        })
    }
}

/// The same in characters, for where nothing is drawn: the interval as a line and the figure on it, the figure as a
/// diamond where all of the interval misses what is wanted, and a ring or a line at what it is compared with; or a bar up to what there is, and a mark at what is needed.
pub(super) fn in_characters(drawn: &Value) -> String {
    let cell = |x: &Value| {
        let percent = x.as_f64()?.clamp(0.0, 100.0);
        (0..CHARACTERS).rev().find(|at| percent >= 100.0 * *at as f64 / CHARACTERS as f64)
    };
    let mut line = ['·'; CHARACTERS];
    if let (Some(have), Some(need)) = (cell(&drawn["have"]), cell(&drawn["need"])) {
        line[..=have].fill('█');
        line[need] = '│';
    }
    if let (Some(value), Some(low)) = (cell(&drawn["x"]), cell(&drawn["x_low"])) {
        let width = drawn["width"].as_f64().unwrap_or_default() * CHARACTERS as f64 / 100.0;
        let n_more = (0..CHARACTERS).take_while(|n| *n as f64 <= width).count();
        line[low..(low + n_more).min(CHARACTERS)].fill('─');
        for mark in drawn["marks"].as_array().into_iter().flatten() {
            line[cell(&mark["x"]).unwrap_or(value)] = if mark["shape"] == "line" { '│' } else { '○' };
        }
        line[value] = if drawn["misses"] == true { '◆' } else { '●' };
    }
    line.iter().collect()
}

/// What there is beside what is needed, where both are numbers above nothing.
pub(crate) fn have_need(have: &Value, need: &Value, met: bool) -> Option<Value> {
    let (have, need) = (have.as_f64()?, need.as_f64()?);
    let most = 1.15 * have.max(need);
    let place = |value: f64| rounded(100.0 * value.max(0.0) / most);
    (need > 0.0).then(|| {
        json!({ "levels": null, "label": format!("{have} of {need}"), "have": place(have), "need": place(need), "met": met })
    })
}

/// How often each level was given, worst first, end to end; a part shows the replies that have it.
pub(crate) fn level_counts(criterion: &str, counts: &[(i64, u64, usize)]) -> Value {
    let all = counts.iter().map(|(_, n, _)| n).sum::<u64>().max(1) as f64;
    let mut x = 0.0;
    let part = |(level, n, shade): &(i64, u64, usize)| {
        let (from, width) = (x, 100.0 * *n as f64 / all);
        x += width;
        let label = format!("{criterion} {level}: {n} of {all}");
        let (x, middle, is_wide) = (rounded(from), rounded(from + width / 2.0), width >= 9.0);
        json!({
            "level": level, "n": n, "x": x, "width": rounded(width), "middle": middle, "is_wide": is_wide, "shade": shade,
            "label": label, "query": query(&[(criterion, &level.to_string())]),
        })
    };
    json!({ "levels": counts.iter().filter(|(_, n, _)| *n > 0).map(part).collect::<Vec<_>>() })
}

/// How many there are of each outcome, end to end.
pub(crate) fn outcomes(counts: &[(&str, u64)]) -> Value {
    let all = counts.iter().map(|(_, n)| n).sum::<u64>().max(1) as f64;
    let mut x = 0.0;
    let part = |(name, n): &(&str, u64)| {
        let (from, width) = (x, 100.0 * *n as f64 / all);
        x += width;
        json!({ "name": name, "n": n, "x": rounded(from), "width": rounded(width) })
    };
    json!({ "drawing": "outcomes", "parts": counts.iter().map(part).collect::<Vec<_>>() })
}

/// Counts by two things that can be the same, row by row. Rows beyond the columns are about something else.
pub(crate) fn matrix(are: [&str; 2], rows: &[String], columns: &[String], counts: &[Vec<u64>]) -> Table {
    let corner = format!("{} / {}", are[0], are[1]);
    let titles: Vec<String> = columns.iter().map(|name| format!("#{name}")).collect();
    let titles: Vec<&str> = [&*corner].into_iter().chain(titles.iter().map(String::as_str)).collect();
    let mut table = Table::new(&titles);
    let most = counts.iter().flatten().copied().max().unwrap_or(0).max(1);
    for (name, counts) in rows.iter().zip(counts) {
        let cell = |(n, column): (&u64, &String)| {
            // Something is never as pale as nothing.
            let shade = (4 * n).div_ceil(most);
            let same = if name == column { " same" } else { "" };
            Cell::Styled(n.to_string(), format!("s{shade}{same}"))
        };
        table.row([Cell::text(name)].into_iter().chain(counts.iter().zip(columns).map(cell)).collect());
    }
    table
}

/// How totals are spread over `bins` of ten points, with the total that passes where there is one.
pub(crate) fn histogram(bins: &Members<u64>, pass: Option<f64>) -> Value {
    let most = bins.iter().map(|(_, n)| *n).max().unwrap_or(0).max(1) as f64;
    let tallest = nice(most);
    let n_bins = bins.iter().count();
    let bar = |(at, (_, n)): (usize, (&str, &u64))| {
        let height = (BAR_MAX * *n as f64 / tallest).round();
        let (from, to) = (10 * at, 10 * (at + 1));
        // The last bin has its upper end too.
        let end = if at + 1 == n_bins { to.to_string() } else { format!("{}.9999", to - 1) };
        json!({
            "n": n, "from": from, "to": to, "range": format!("{from}..{end}"), "x": 40 * at + 2, "y": BAR_FOOT - height,
            "height": height, "passes": pass.is_some_and(|pass| from as f64 >= pass),
        })
    };
    let ticks = [0.0, 0.5, 1.0]
        .map(|part| json!({ "n": (part * tallest).to_string(), "y": BAR_FOOT - BAR_MAX * part }));
    let pass = pass.map(|pass| json!({ "x": rounded(4.0 * pass), "text": pass.to_string() }));
    let bars = bins.iter().enumerate().map(bar).collect::<Vec<_>>();
    json!({ "drawing": "histogram", "bars": bars, "pass": pass, "ticks": ticks })
}

/// Points at `values`, each in the band at its place among `bands`. The axis is as wide on either side of 0.
pub(crate) fn scatter(label: &str, axis: &str, bands: &[String], values: &[(f64, usize)]) -> Value {
    let reach = nice(values.iter().map(|(value, _)| value.abs()).fold(1.0, f64::max));
    let place = |value: f64| rounded(SCATTER_X + SCATTER_WIDTH * (value / reach + 1.0) / 2.0);
    let middle = |band: usize| BAND_Y + BAND_HEIGHT * (band as f64 + 0.5);
    let step = values.len().div_ceil(POINTS_MAX).max(1);
    let point = |(at, (value, band)): (usize, &(f64, usize))| {
        // The same pair stands at the same height in every report; neighbours do not hide each other.
        let lift = (at as f64 * 0.618_034).fract() - 0.5;
        json!({
            "x": place(*value), "y": rounded(middle(*band) + lift * (BAND_HEIGHT - 16.0)), "shape": band,
            "label": format!("{}, {value:+}", bands[*band]), "query": query(&[("total", &value.to_string())]),
        })
    };
    let band = |(at, name): (usize, &String)| {
        let n = values.iter().filter(|(_, band)| *band == at).count();
        json!({ "name": name, "n": n, "y": middle(at), "shape": at })
    };
    let tick = |part: f64| {
        let text = if part == 0.0 { "0".to_owned() } else { format!("{:+.0}", part * reach) };
        json!({ "x": place(part * reach), "text": text })
    };
    let (foot, ticks) = (BAND_Y + BAND_HEIGHT * bands.len() as f64, [-1.0, -0.5, 0.0, 0.5, 1.0].map(tick));
    json!({
        "drawing": "scatter",
        "label": label,
        "axis": axis,
        "bands": bands.iter().enumerate().map(band).collect::<Vec<_>>(),
        "points": values.iter().enumerate().step_by(step).map(point).collect::<Vec<_>>(),
        "ticks": ticks,
        "width": SCATTER_X + SCATTER_WIDTH + 20.0,
        "height": foot + 40.0,
        "foot": foot,
        "zero": place(0.0),
    })
}

/// A round number that is not below `reach`.
fn nice(reach: f64) -> f64 {
    let power = 10_f64.powf(reach.log10().floor());
    let step = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0].into_iter().find(|step| step * power >= reach);
    step.unwrap_or(10.0) * power
}

/// For each thing that a judge says, what people mean by it, against what they would mean if both said the same.
/// `scale` is each name with its place; `points` are at a place of it, with its name.
pub(crate) fn reliability(
    label: &str,
    [across_is, up_is]: [&str; 2],
    scale: &[(String, f64)],
    points: &[(&str, f64, Estimate)],
) -> Value {
    let ends = scale.iter().map(|(_, place)| *place);
    let (from, to) =
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), place| (from.min(place), to.max(place)));
    let span = if to > from { to - from } else { 1.0 };
    let across = |value: f64| rounded(SQUARE_X + SQUARE * (value - from) / span);
    let up = |value: f64| rounded(SQUARE_Y + SQUARE * (1.0 - (value.clamp(from, to) - from) / span));
    let point = |(name, at, Estimate { value, low, high, n }): &(&str, f64, Estimate)| {
        json!({
            "x": across(*at), "y": up(*value), "y_low": up(*low), "y_high": up(*high), "n": n,
            "label": format!("{across_is} {name}; {up_is} {value:.2}, {low:.2} to {high:.2}, n {n}"),
            "query": query(&[("said", name)]),
        })
    };
    let tick = |(text, at): &(String, f64)| json!({ "text": text, "x": across(*at), "y": up(*at) });
    json!({
        "drawing": "reliability",
        "label": label,
        "across": across_is,
        "up": up_is,
        "points": points.iter().map(point).collect::<Vec<_>>(),
        "ticks": scale.iter().map(tick).collect::<Vec<_>>(),
        "left": SQUARE_X,
        "right": SQUARE_X + SQUARE,
        "top": SQUARE_Y,
        "foot": SQUARE_Y + SQUARE,
    })
}

/// Keys and values as an address has them.
pub(crate) fn query(wanted: &[(&str, &str)]) -> String {
    let part =
        |(key, value): &(&str, &str)| format!("{key}={}", utf8_percent_encode(value, NON_ALPHANUMERIC));
    wanted.iter().map(part).collect::<Vec<_>>().join("&")
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
        let ruler = Ruler::shares().wanting([0.1, 0.2], String::new());
        let drawn =
            ruler.drawn([0.5, 0.25, 1.5], &[(PlotMark::Diamond, Some(0.75)), (PlotMark::Triangle, None)]);
        assert_eq!([&drawn["x"], &drawn["x_low"], &drawn["width"]], [50.0, 25.0, 75.0]);
        assert_eq!(drawn["marks"], json!([{ "shape": "diamond", "x": 75.0 }]));
        assert_eq!(drawn["misses"], true, "all of the interval is above what is wanted");
        assert_eq!(ruler.drawn([0.5, 0.2, 0.9], &[])["misses"], false);
    }

    #[test]
    fn a_wide_comparison_is_thinned_out_and_says_all_counts() {
        let values: Vec<(f64, usize)> =
            (0..10_000_u32).map(|at| (f64::from(at % 300), usize::from(at % 2 == 1))).collect();
        let drawn = scatter("", "", &["a".to_owned(), "b".to_owned()], &values);
        let points = drawn["points"].as_array().expect("points");
        assert!(!points.is_empty() && points.len() <= POINTS_MAX);
        assert_eq!([&drawn["bands"][0]["n"], &drawn["bands"][1]["n"]], [5_000, 5_000]);
        let at = |point: &Value, axis: &str| point[axis].as_f64().expect("a place");
        assert!(
            points.iter().all(|point| at(point, "x") >= SCATTER_X && at(point, "y") < at(&drawn, "foot"))
        );
    }

    #[test]
    fn the_axis_ends_at_a_round_number() {
        assert_eq!([1.0, 37.0, 90.0, 411.0].map(|reach| nice(reach).to_string()), ["1", "40", "100", "600"]);
    }
}
