//! Parquet and Excel: any bytes behind their first ones are records or an error, and a second reading gives the same.

use super::load;
use super::samples::{parquet, workbook};

/// Panics where bytes are neither records nor an error.
pub fn check(data: &[u8]) {
    load::check(data);
}

/// Inputs to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let texts = ["", "a", "Where is it?", "line\nline", "\u{e4}\u{1f600}", "7", "0.5", "\"quoted\", cell"];
    let mut seeds = Vec::new();
    for text in texts {
        let row = [text, "Where is my order?", "On its way."];
        seeds.push(parquet(&[vec![row; 3], vec![row]]));
        seeds.push(workbook(&[vec!["id", "ticket", "reply"], vec![], row.to_vec(), vec!["b", text]]));
    }
    // The first byte says how it is read.
    seeds.into_iter().map(|seed| [vec![0], seed].concat()).collect()
}
