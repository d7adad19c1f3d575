//! Figures in words, as terminals, pages and messages share them.

use std::fmt::Write as _;

use probity_core::report::Facts;
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

/// So many of something.
pub(super) fn counted(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// The kind and the model of a judge.
pub(crate) fn judge_name(facts: &Facts) -> String {
    format!("{} {}", facts.judge.kind, facts.judge.model).trim_end().to_owned()
}

/// The cells of a row.
pub(super) fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).into()
}

/// Rows with aligned columns: the first to the left, the others to the right.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..n_columns).map(widest).collect();
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, widest))| {
            let space = padded("", widest - width(cell));
            if column == 0 { format!("{cell}{space}") } else { format!("{space}{cell}") }
        });
        push_line!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    out
}
