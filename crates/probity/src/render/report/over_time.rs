//! A figure over time: a line with its band, the weeks on the axis, and its anchor dashed.

use serde_json::{Value, json};

/// A figure over time, as it is to be drawn.
pub(crate) struct OverTime<'a> {
    /// Its name.
    pub(crate) name: String,
    /// Whether it is a share.
    pub(crate) is_share: bool,
    /// What it did, in a word or two.
    pub(crate) says: &'a str,
    /// Whether a reader should look.
    pub(crate) moved: bool,
    /// What stands on the axis, place by place.
    pub(crate) places: &'a [String],
    /// Where it has a value: the place, from 0, the value with the ends of its interval, the same in words, and
    /// what the list is narrowed to by it.
    pub(crate) points: Vec<(usize, [f64; 3], String, String)>,
    /// What its anchor was, by place.
    pub(crate) anchor: Vec<(usize, f64)>,
    /// What the axis goes from and to; charts that are compared share it.
    pub(crate) range: [f64; 2],
}

/// Where a chart is on its paper.
#[derive(Clone, Copy)]
struct Paper {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    foot: f64,
    /// How many numbers stand on the upright axis, less one.
    steps: u32,
    /// The most names on the other axis.
    names_max: usize,
}

const LARGE: Paper = Paper {
    width: 860.0,
    height: 300.0,
    left: 48.0,
    right: 730.0,
    top: 12.0,
    foot: 262.0,
    steps: 5,
    names_max: 12,
};
const SMALL: Paper = Paper {
    width: 300.0,
    height: 128.0,
    left: 44.0,
    right: 284.0,
    top: 10.0,
    foot: 100.0,
    steps: 2,
    names_max: 2,
};

impl OverTime<'_> {
    /// By itself, over the whole width.
    pub(crate) fn large(&self) -> Value {
        self.drawn(LARGE)
    }

    /// As one of several.
    pub(crate) fn small(&self) -> Value {
        self.drawn(SMALL)
    }

    fn drawn(&self, paper: Paper) -> Value {
        let Paper { width, height, left, right, top, foot, steps, names_max } = paper;
        let [from, to] = self.range;
        let span = (to - from).max(f64::MIN_POSITIVE);
        let y = |value: f64| tenths(foot - (foot - top) * ((value - from) / span).clamp(0.0, 1.0));
        let last = (self.places.len().max(2) - 1) as f64;
        let x = |at: usize| tenths(left + (right - left) * at as f64 / last);
        let path = |points: &[(f64, f64)]| {
            points.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ")
        };
        let line: Vec<(f64, f64)> = self.points.iter().map(|(at, value, ..)| (x(*at), y(value[0]))).collect();
        let upper = self.points.iter().map(|(at, value, ..)| (x(*at), y(value[2])));
        let lower = self.points.iter().rev().map(|(at, value, ..)| (x(*at), y(value[1])));
        let band: Vec<(f64, f64)> = upper.chain(lower).collect();
        let anchor: Vec<(f64, f64)> = self.anchor.iter().map(|(at, value)| (x(*at), y(*value))).collect();
        let number = |value: f64| {
            if self.is_share { format!("{:.0} %", 100.0 * value) } else { format!("{value:.1}") }
        };
        let ups = (0..=steps).map(|step| {
            let value = from + span * f64::from(step) / f64::from(steps);
            json!({ "y": y(value), "text": number(value) })
        });
        let step = (self.places.len().saturating_sub(1)).div_ceil(names_max.max(2) - 1).max(1);
        let names =
            self.places.iter().enumerate().filter(|(at, _)| at % step == 0 || at + 1 == self.places.len());
        let names = names.map(|(at, text)| json!({ "x": x(at), "text": text }));
        let dots =
            self.points.iter().zip(&line).map(
                |((_, _, label, query), (x, y))| json!({ "x": x, "y": y, "label": label, "query": query }),
            );
        let exact = |value: f64| {
            if self.is_share { format!("{:.0} %", 100.0 * value) } else { format!("{value:.2}") }
        };
        let end = self.points.last().zip(line.last()).map(|((_, value, ..), (x, y))| {
            // Its name stands below it, and above those of the axis.
            json!({ "x": x, "y": y.min(foot - 18.0), "text": exact(value[0]) })
        });
        let anchor_end = self.anchor.last().zip(anchor.last()).map(|((_, value), (x, y))| {
            // Two labels at one height would hide each other.
            let near = line.last().is_some_and(|(_, other)| (other - y).abs() < 26.0);
            json!({ "x": x, "y": if near { y - 26.0 } else { *y }, "text": exact(*value) })
        });
        json!({
            "name": self.name, "says": self.says, "moved": self.moved, "width": width, "height": height, "left": left,
            "right": right, "foot": foot, "ups": ups.collect::<Vec<_>>(), "names": names.collect::<Vec<_>>(),
            "band": path(&band), "line": path(&line), "dots": dots.collect::<Vec<_>>(), "end": end,
            "anchor": path(&anchor), "anchor_end": anchor_end,
            "anchor_dots": anchor.iter().map(|(x, y)| json!({ "x": x - 3.0, "y": y - 3.0 })).collect::<Vec<_>>(),
        })
    }
}

/// Tenths of a unit are all that a drawing needs.
fn tenths(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

/// The week that a day belongs to, as ISO 8601 counts them: the one of its Thursday.
pub(crate) fn week(year: i64, month: i64, day: i64) -> i64 {
    // Days from the first of January, and the weekday with Monday as 0, by Sakamoto's method.
    const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    const SHIFT: [i64; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let place = usize::try_from(month.clamp(1, 12) - 1).unwrap_or(0);
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let of_year = BEFORE[place] + day + i64::from(month > 2 && is_leap(year));
    let weekday = |year: i64, month: i64, day: i64| {
        let year = if month < 3 { year - 1 } else { year };
        let place = usize::try_from(month.clamp(1, 12) - 1).unwrap_or(0);
        (year + year / 4 - year / 100 + year / 400 + SHIFT[place] + day + 6) % 7
    };
    let week = (of_year - weekday(year, month, day) + 9) / 7;
    let weeks = |year: i64| {
        if weekday(year, 1, 1) == 3 || (is_leap(year) && weekday(year, 1, 1) == 2) { 53 } else { 52 }
    };
    match week {
        0 => weeks(year - 1),
        53 if weeks(year) == 52 => 1,
        week => week,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_are_those_of_the_calendar() {
        let days = [
            (2026, 11, 17),
            (2026, 1, 1),
            (2027, 1, 3),
            (2024, 12, 30),
            (2020, 12, 31),
            (2021, 1, 3),
            (2026, 11, 15),
        ];
        assert_eq!(days.map(|(year, month, day)| week(year, month, day)), [47, 1, 53, 1, 53, 53, 46]);
    }

    #[test]
    fn a_figure_stays_on_its_paper() {
        let drawn = OverTime {
            name: "pass rate".to_owned(),
            is_share: true,
            says: "steady",
            moved: false,
            places: &["W45".to_owned(), "W46".to_owned(), "W47".to_owned()],
            points: [(0, [0.5, 0.2, 1.5]), (2, [0.7, 0.6, 0.8])]
                .map(|(at, value)| (at, value, String::new(), String::new()))
                .into(),
            anchor: vec![(1, 0.7)],
            range: [0.0, 1.0],
        };
        let small = drawn.small();
        assert_eq!(small["line"], "44,55 284,37");
        assert_eq!(small["band"], "44,10 284,28 284,46 44,82");
        assert_eq!(small["names"], json!([{ "x": 44.0, "text": "W45" }, { "x": 284.0, "text": "W47" }]));
        assert_eq!(small["anchor"], "164,37");
        assert_eq!(drawn.large()["names"].as_array().unwrap().len(), 3);
    }
}
