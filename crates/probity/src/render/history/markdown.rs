//! A timeline in Markdown, as code hosts show it.

use probity_core::report::Timeline;

use super::{anchor, figures, flags, notes, points, title};
use crate::render::report::markdown::escaped;

/// The timeline in Markdown.
pub(crate) fn markdown(timeline: &Timeline) -> String {
    let mut out = "# How figures moved\n".to_owned();
    for series in &timeline.series {
        out += &format!("\n## {}\n\n", escaped(&title(series)));
        out += &anchor(series).map(|anchor| format!("{}\n\n", escaped(&anchor))).unwrap_or_default();
        let flags = flags(series);
        for flag in &flags {
            out += &format!("- **{}**\n", escaped(flag));
        }
        if !flags.is_empty() {
            out += "\n";
        }
        out += &table(&figures(series));
        out += "\n";
        out += &table(&points(series));
    }
    let notes = notes(timeline);
    if !notes.is_empty() {
        out += "\n";
    }
    for note in &notes {
        out += &format!("- {}\n", escaped(note));
    }
    out
}

/// Rows as a table; the first is its header.
fn table(rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        out += &format!("| {} |\n", cells.join(" | "));
        if at == 0 {
            let under: Vec<&str> =
                row.iter().enumerate().map(|(at, _)| if at == 0 { "---" } else { "--:" }).collect();
            out += &format!("|{}|\n", under.join("|"));
        }
    }
    out
}
