//! Figures in words, as terminals, pages and messages share them.

use std::fmt::Write as _;

use probity_core::results::Facts;
pub(crate) use probity_core::spelling::counted;
use probity_core::stats::Estimate;

use crate::plain::{padded, width};

/// What stands where there is no figure.
pub(crate) const NONE: &str = "–";

/// What stands where there is no figure, as a cell.
pub(super) fn none() -> String {
    NONE.to_owned()
}

/// A share for people.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// The ends of the interval of a share.
pub(super) fn interval(rate: &Estimate) -> String {
    format!("{:.1}–{:.1}", 100.0 * rate.low, 100.0 * rate.high)
}

/// A share: value, interval and denominator.
pub(super) fn share(rate: Option<&Estimate>) -> [String; 3] {
    let Some(rate) = rate else { return [none(), none(), "0".to_owned()] };
    [percent(rate.value), interval(rate), rate.n.to_string()]
}

/// A probability of a test.
pub(crate) fn p_value(p: f64) -> String {
    format!("p {}", p_number(p))
}

/// The same without its letter.
pub(crate) fn p_number(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

/// `text` with a capital at its beginning and a full stop at its end; nothing stays nothing.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// The kind and the model of a judge.
pub(crate) fn judge_name(facts: &Facts) -> String {
    format!("{} {}", facts.judge.kind, facts.judge.model).trim_end().to_owned()
}

/// The value of a share that may be missing.
pub(super) fn value_or_none(rate: Option<Estimate>) -> String {
    rate.map_or_else(none, |rate| percent(rate.value))
}

/// Rows with aligned columns: those of numbers to the right, the others to the left.
pub(crate) fn columns(rows: &[Vec<String>], is_number: &[bool]) -> String {
    let widest = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..is_number.len()).map(widest).collect();
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).zip(is_number).map(|((cell, widest), is_number)| {
            let space = padded("", widest - width(cell));
            if *is_number { format!("{space}{cell}") } else { format!("{cell}{space}") }
        });
        push_line!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    out
}
