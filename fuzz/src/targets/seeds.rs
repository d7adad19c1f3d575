//! Where seeds come from: the cases that the tests already have.

use std::path::{Path, PathBuf};

/// A file of the repository, as text.
pub fn file(path: &str) -> String {
    let full = root().join(path);
    std::fs::read_to_string(&full).unwrap_or_else(|error| panic!("{}: {error}", full.display()))
}

/// The files of a folder of the repository whose names end with `end`, in order, as text.
pub fn folder(path: &str, end: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a folder entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(end))
        .collect();
    names.sort();
    names.iter().map(|name| file(&format!("{path}/{name}"))).collect()
}

/// The string literals of Rust source: test inputs, without a second list of them.
///
/// It reads Rust as it is written here and makes no promise beyond that; a literal cut wrongly is a seed too.
pub fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find('"') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let hashes = before.len() - before.trim_end_matches('#').len();
        let raw = before.trim_end_matches('#').ends_with('r');
        let close = format!("\"{}", "#".repeat(if raw { hashes } else { 0 }));
        let end = if raw { after.find(&close) } else { closing_quote(after) };
        let Some(end) = end else { break };
        let literal = &after[..end];
        found.push(if raw { literal.to_owned() } else { unescaped(literal) });
        rest = &after[end + close.len()..];
    }
    found.retain(|literal| !literal.is_empty());
    found.sort();
    found.dedup();
    found
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes.then_some(at)
    })
}

fn unescaped(literal: &str) -> String {
    let marks = literal.replace("\\u{feff}", "\u{feff}").replace("\\u{1f}", "\u{1f}");
    let lines = marks.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t");
    lines.replace("\\\"", "\"").replace("\\\\", "\\").replace("{{", "{").replace("}}", "}")
}

/// The repository, from whichever crate this is part of.
fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = own.ancestors().find(|folder| folder.join("crates/probity-core").is_dir());
    root.expect("the crate lies inside the repository").to_owned()
}
