//! What people and machines are shown. Nothing here computes a figure.

/// Appends a line. Writing to a string cannot fail.
macro_rules! push_line {
    ($out:expr $(, $part:expr)*) => { writeln!($out $(, $part)*).expect("writing to a string cannot fail") };
}

/// The cells of a row: texts, numbers, and groups of cells.
macro_rules! cells {
    ($($part:expr),* $(,)?) => { [$(Cells::cells($part)),*].concat() };
}

pub(crate) mod calibration;
pub(crate) mod card;
pub(crate) mod comparison;
pub(crate) mod conclusion;
pub(crate) mod difference;
pub(crate) mod export;
mod families;
pub(crate) mod figure;
pub(crate) mod finding;
pub(crate) mod history;
pub(crate) mod labels;
pub(crate) mod panel;
pub(crate) mod private;
pub(crate) mod probing;
pub(crate) mod problem;
pub(crate) mod progress;
pub(crate) mod promotion;
pub(crate) mod report;
pub(crate) mod results;
pub(crate) mod sampling;
pub(crate) mod succession;
pub(crate) mod summary;
pub(crate) mod view;
