//! A timeline as one HTML file that opens from disk and asks nobody for anything. It has no script.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};
use probity_core::report::{FigureTrack, Series, Timeline};
use serde_json::{Value, json};

use super::{anchor, cells, figures, flags, notes, points, title, verdict};

const PAGE: &str = include_str!("../../../pages/history.html.jinja");
const STYLE: &str = include_str!("../../../pages/report.css");

/// The area of a chart that values are drawn in.
const LEFT: f64 = 8.0;
const RIGHT: f64 = 172.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 56.0;

/// The timeline as a page.
pub(crate) fn html(timeline: &Timeline) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("history", PAGE)?;
    let css = minijinja::Value::from_safe_string(STYLE.to_owned());
    let nonce = blake3::hash(STYLE.as_bytes()).to_hex();
    let page = environment.get_template("history")?;
    page.render(context! { nonce => nonce.as_str(), css, ..Serde(view(timeline)) })
}

fn view(timeline: &Timeline) -> Value {
    let series = timeline.series.iter().map(|series| {
        json!({
            "title": title(series),
            "anchor": anchor(series),
            "flags": flags(series),
            "figures": figures(series),
            "points": points(series),
            "charts": series.tracks.iter().map(|track| chart(series, track)).collect::<Vec<_>>(),
        })
    });
    json!({ "series": series.collect::<Vec<_>>(), "notes": notes(timeline) })
}

/// One figure over time: a dot and a whisker for each run that has it, and a line between the dots.
fn chart(series: &Series, track: &FigureTrack) -> Value {
    let present = || track.values.iter().enumerate().filter_map(|(at, value)| value.map(|value| (at, value)));
    let is_share = track.figure.is_share();
    // The interval of a single value has no ends that could be drawn.
    let ends = |value: probity_core::stats::Estimate| {
        if value.n < 2 && !is_share { [value.value; 2] } else { [value.low, value.high] }
    };
    let all = || present().flat_map(|(_, value)| ends(value));
    let bounds =
        if is_share { [0.0, 1.0] } else { [all().fold(f64::MAX, f64::min), all().fold(f64::MIN, f64::max)] };
    let height = (bounds[1] - bounds[0]).max(f64::MIN_POSITIVE);
    let y = |value: f64| tenth(BOTTOM - (BOTTOM - TOP) * ((value - bounds[0]) / height).clamp(0.0, 1.0));
    let steps = (series.points.len().max(2) - 1) as f64;
    let x = |at: usize| tenth(LEFT + (RIGHT - LEFT) * at as f64 / steps);
    let dots = present().map(|(at, value)| {
        let [low, high] = ends(value);
        let [shown, interval, n] = cells(&track.figure, Some(value));
        let label = format!("run {}: {shown} ({interval}, n {n})", series.points[at].run);
        json!({ "x": x(at), "y": y(value.value), "low": y(low), "high": y(high), "label": label })
    });
    let dots: Vec<Value> = dots.collect();
    let line: Vec<String> = dots.iter().map(|dot| format!("{},{}", dot["x"], dot["y"])).collect();
    let ends = bounds.map(|end| if is_share { format!("{:.0} %", 100.0 * end) } else { format!("{end:.1}") });
    json!({
        "name": track.figure.name(),
        "says": verdict(track),
        "moved": track.drift.cause != probity_core::report::DriftCause::Nobody,
        "dots": dots,
        "line": line.join(" "),
        "ends": ends,
    })
}

/// A coordinate to a tenth.
fn tenth(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}
