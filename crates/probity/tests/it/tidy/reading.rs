//! The repository as the rules see it: its text files, and the little of Rust and TOML that they need to know.
//!
//! None of this parses a language in full: it reads Rust as `cargo fmt` leaves it and manifests as they are
//! written here. A shape it does not know makes a rule complain rather than look away.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// File names that end like this are read as text by the rules about words and paths.
const PROSE_AND_CODE: &[&str] = &[".rs", ".md", ".toml", ".yml", ".html", ".css", ".js", ".sql", ".ci/run"];

/// A text file of the repository.
pub(crate) struct Source {
    /// Where it is, from the root of the repository, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A place where a rule is broken.
pub(crate) struct Offence {
    pub(crate) path: String,
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) what: String,
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

impl Source {
    pub(crate) fn offence(&self, line: usize, what: impl Into<String>) -> Offence {
        Offence { path: self.path.clone(), line, what: what.into() }
    }

    /// The lines with their numbers, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The text with its comment lines emptied, so that line numbers stay as they are.
    pub(crate) fn code(&self) -> String {
        let blank =
            |line: &str| if line.trim_start().starts_with("//") { String::new() } else { line.to_owned() };
        self.text.lines().map(blank).collect::<Vec<_>>().join("\n")
    }

    /// The crate whose source this is, and the path inside it.
    pub(crate) fn in_crate(&self) -> Option<(&str, &str)> {
        self.path
            .split_once("/src/")
            .filter(|(_, inside)| Path::new(inside).extension().is_some_and(|suffix| suffix == "rs"))
    }

    pub(crate) fn is_prose_or_code(&self) -> bool {
        PROSE_AND_CODE.iter().any(|end| self.path.ends_with(end))
    }
}

/// An entry of a dependency table.
pub(crate) struct Dependency {
    /// `dependencies`, `dev-dependencies` or `build-dependencies`.
    pub(crate) section: String,
    pub(crate) name: String,
    pub(crate) line: usize,
    /// The entry as written, on one line.
    pub(crate) text: String,
}

/// The entries of every dependency table of a manifest, for all targets.
pub(crate) fn dependencies(manifest: &Source) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    let mut section = None;
    let mut own_table = false;
    for (line, text) in manifest.lines() {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if let Some(header) = text.strip_prefix('[') {
            let parts: Vec<&str> = header.trim_end_matches(']').split('.').collect();
            let at = parts.iter().position(|part| part.ends_with("dependencies"));
            section = at.map(|at| parts[at].to_owned());
            let name = at.and_then(|at| parts.get(at + 1));
            own_table = name.is_some();
            if let (Some(section), Some(name)) = (&section, name) {
                let (section, name) = (section.clone(), (*name).to_owned());
                found.push(Dependency { section, name, line, text: String::new() });
            }
        } else if let Some(section) = &section {
            if let Some(last) = found.last_mut().filter(|last| own_table || is_open(&last.text)) {
                last.text.push_str(text);
            } else {
                let name = text.split(['.', ' ', '=']).next().unwrap_or_default().to_owned();
                found.push(Dependency { section: section.clone(), name, line, text: text.to_owned() });
            }
        }
    }
    found
}

/// Whether an entry goes on in the next line.
fn is_open(text: &str) -> bool {
    text.matches(['[', '{']).count() > text.matches([']', '}']).count()
}

/// What follows `root::` in paths and imports, with the line each path starts on.
pub(crate) fn first_segments(code: &str, root: &str) -> Vec<(usize, String)> {
    let start = format!("{root}::");
    let mut found = Vec::new();
    for (at, _) in code.match_indices(&start) {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let line = code[..at].lines().count().max(1) + usize::from(code[..at].ends_with('\n'));
        let rest = &code[at + start.len()..];
        let segments = if rest.starts_with('{') { group(rest) } else { vec![identifier(rest)] };
        found.extend(segments.into_iter().map(|segment| (line, segment)));
    }
    found
}

/// The first segments inside the braces that `text` starts with.
fn group(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut fresh = false;
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '{' => {
                depth += 1;
                fresh = depth == 1;
            }
            '}' => depth -= 1,
            ',' => fresh = depth == 1,
            c if fresh && !c.is_whitespace() => {
                found.push(identifier(&text[at..]));
                fresh = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Whether `word` stands in `line` and is not a part of a longer word.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let joined_before = word.starts_with(joins) && line[..at].ends_with(joins);
        let joined_after = word.ends_with(joins) && line[at + word.len()..].starts_with(joins);
        !joined_before && !joined_after
    })
}

pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).expect("the crate lies two folders below the root").to_owned()
}

pub(crate) fn read(root: &Path, path: &str) -> Source {
    let text =
        fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("could not read {path}: {error}"));
    Source { path: path.to_owned(), text }
}

/// Every text file of the repository, in order of path. Build output and stores are no part of it.
pub(crate) fn repository() -> Vec<Source> {
    let root = root();
    let mut folders = vec![String::new()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        if root.join(&folder).join("CACHEDIR.TAG").exists() {
            continue;
        }
        let entries = fs::read_dir(root.join(&folder)).expect("the folder was listed by its parent");
        for entry in entries {
            let entry = entry.expect("the entry is readable");
            let name = entry.file_name().into_string().expect("file names are UTF-8");
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let kind = entry.file_type().expect("the entry has a type");
            let is_own = ![".git", ".probity", "target", "fuzz/target"].contains(&path.as_str());
            if kind.is_dir() && is_own {
                folders.push(path);
            } else if kind.is_file() {
                // A file that is not text has no line to complain about.
                let text = fs::read_to_string(entry.path()).unwrap_or_default();
                files.push(Source { path, text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}
