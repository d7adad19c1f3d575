//! How large the source is, in figures that two versions can be compared with.
//!
//! Source is what is under `src` of each crate, without tests: neither their files nor their modules inside a file.
//! It is read line by line as text, so a macro or an odd layout can hide an item; two versions are read alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Files that hold tests or what tests are made of.
const TEST_FILES: [&str; 4] = ["tests.rs", "properties.rs", "fixture.rs", "examples.rs"];

/// Pronouns in place of a noun of the code.
const PRONOUNS: [&str; 4] = ["whoever", "nobody", "somebody", "anybody"];

/// Types of constants that can tune something.
const NUMBERS: [&str; 14] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "f32", "f64", "Duration",
    "NonZero",
];

/// From how many definitions on a type name is listed.
const MEANINGS_LISTED: usize = 3;

/// One file without its tests.
struct SourceFile {
    /// The crate's folder.
    krate: String,
    /// The crate's outermost module that it belongs to.
    module: String,
    text: String,
}

/// Prints the figures of the workspace in this folder.
pub(crate) fn run() -> ExitCode {
    match sources().and_then(|sources| write(&sources, &mut io::stdout().lock())) {
        Ok(()) => ExitCode::SUCCESS,
        // `head` has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot read the source: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(sources: &[SourceFile], out: &mut impl Write) -> io::Result<()> {
    let lines = || sources.iter().flat_map(|source| source.text.lines());
    let crates: BTreeSet<&str> = sources.iter().map(|source| source.krate.as_str()).collect();
    writeln!(out, "source lines          {:>7}", lines().count())?;
    writeln!(out, "files                 {:>7}", sources.len())?;
    writeln!(out, "crates                {:>7}", crates.len())?;
    writeln!(out, "public items          {:>7}", lines().filter(|line| is_public_item(line)).count())?;
    writeln!(out, "  unused elsewhere    {:>7}", unused_outside()?)?;
    writeln!(out, "numeric constants     {:>7}", lines().filter(|line| is_numeric_constant(line)).count())?;
    writeln!(out, "threads spawned       {:>7}", lines().filter(|line| spawns_thread(line)).count())?;
    writeln!(out, "whoever, nobody, …    {:>7}", lines().map(n_pronouns).sum::<usize>())?;
    let meanings = meanings(sources);
    writeln!(out, "type names of {MEANINGS_LISTED} and more {:>5}", meanings.len())?;
    let cycles: Vec<String> = crates.iter().flat_map(|krate| cycles(sources, krate)).collect();
    writeln!(out, "module cycles         {:>7}", cycles.len())?;
    for krate in crates {
        let n =
            sources.iter().filter(|source| source.krate == krate).map(|source| source.text.lines().count());
        writeln!(out, "  lines of {krate:<16} {:>6}", n.sum::<usize>())?;
    }
    for (name, n) in meanings {
        writeln!(out, "  {n:>2} types named {name}")?;
    }
    for cycle in cycles {
        writeln!(out, "  cycle: {cycle}")?;
    }
    Ok(())
}

/// Public items of the library crates whose names no other crate, test, benchmark or example has. A type that only
/// stands in the fields of another is among them.
fn unused_outside() -> io::Result<usize> {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for root in ["crates", "xtask", "fuzz"] {
        for path in all_files(Path::new(root))? {
            let text = fs::read_to_string(&path)?;
            files.push((path, text));
        }
    }
    let mut n_unused = 0;
    for krate in fs::read_dir("crates")? {
        let src = krate?.path().join("src");
        if !src.join("lib.rs").exists() {
            continue;
        }
        let mut used: BTreeSet<&str> = BTreeSet::new();
        for (path, text) in &files {
            let lines = if path.starts_with(&src) { examples(text) } else { text.lines().collect() };
            let words =
                lines.into_iter().flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
            used.extend(words);
        }
        let own = sources()?
            .into_iter()
            .filter(|source| src == Path::new("crates").join(&source.krate).join("src"));
        let names: Vec<String> = own.flat_map(|source| public_names(&source.text)).collect();
        n_unused += names.iter().filter(|name| !used.contains(name.as_str())).count();
    }
    Ok(n_unused)
}

/// The lines of examples in documentation, which are outside of their crate.
fn examples(text: &str) -> Vec<&str> {
    let mut fence: Option<bool> = None;
    let mut found = Vec::new();
    for line in text.lines().filter(|line| line.trim_start().starts_with("//")) {
        match (line.split_once("```"), fence) {
            (Some(_), Some(_)) => fence = None,
            (Some((_, kind)), None) => fence = Some(kind != "text"),
            (None, Some(true)) => found.push(line),
            (None, _) => {}
        }
    }
    found
}

/// The names of the items that are public everywhere.
fn public_names(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let words = declaration(line).split(' ').skip_while(|word| ["const", "async"].contains(word));
        let word = words
            .skip_while(|word| ["fn", "struct", "enum", "trait", "type", "static", "mod"].contains(word));
        word.take(1)
            .map(|word| word.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
            .next()
    };
    text.lines().filter(|line| is_public_item(line)).filter_map(name).collect()
}

/// Every Rust file and page below `folder`, tests too.
fn all_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(all_files(&path)?);
        } else if path.extension().is_some_and(|suffix| suffix == "rs" || suffix == "md") {
            found.push(path);
        }
    }
    Ok(found)
}

fn sources() -> io::Result<Vec<SourceFile>> {
    let mut sources = Vec::new();
    let mut roots = vec![PathBuf::from("xtask")];
    for entry in fs::read_dir("crates")? {
        roots.push(entry?.path());
    }
    roots.sort();
    for root in roots {
        let krate = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let src = root.join("src");
        let files = rust_files(&src)?;
        let mut tests = Vec::new();
        for path in &files {
            tests.extend(test_modules(path, &fs::read_to_string(path)?));
        }
        for path in files {
            if tests.iter().any(|test| path.starts_with(test) || path == test.with_extension("rs")) {
                continue;
            }
            let inner = path.strip_prefix(&src).unwrap_or(&path);
            let first = inner.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
            let module = first.unwrap_or_default().trim_end_matches(".rs").to_owned();
            let text = without_tests(&fs::read_to_string(&path)?);
            sources.push(SourceFile { krate: krate.clone(), module, text });
        }
    }
    Ok(sources)
}

fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                folders.push(path);
            } else if path.extension().is_some_and(|suffix| suffix == "rs")
                && !TEST_FILES.contains(&name.as_str())
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The folders of the modules that the file at `path` declares for tests alone, each without its suffix.
fn test_modules(path: &Path, text: &str) -> Vec<PathBuf> {
    let is_root = ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| path.ends_with(name));
    let folder = if is_root { path.with_file_name("") } else { path.with_extension("") };
    let lines: Vec<&str> = text.lines().collect();
    let pairs = lines.windows(2).filter(|pair| pair[0].trim() == "#[cfg(test)]");
    let names = pairs.filter_map(|pair| pair[1].trim().split_once("mod ")?.1.strip_suffix(';'));
    names.map(|name| folder.join(name)).collect()
}

/// The text without modules that are compiled for tests alone.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let opens = lines.peek().is_some_and(|next| next.contains("mod ") && next.trim_end().ends_with('{'));
        if line.trim() == "#[cfg(test)]" && opens {
            let indent = line.len() - line.trim_start().len();
            let end = format!("{}}}", " ".repeat(indent));
            for inside in lines.by_ref() {
                if inside == end {
                    break;
                }
            }
        } else {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The line without its visibility.
fn declaration(line: &str) -> &str {
    let line = line.trim_start();
    match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ").map_or(rest, |(_, rest)| rest),
        Some(rest) if rest.starts_with(' ') => rest.trim_start(),
        _ => line,
    }
}

fn is_public_item(line: &str) -> bool {
    let item = line.trim_start().strip_prefix("pub ").map(str::trim_start);
    let words = ["fn ", "struct ", "enum ", "trait ", "const ", "type ", "static ", "mod ", "async fn "];
    item.is_some_and(|item| words.iter().any(|word| item.starts_with(word)))
}

fn is_numeric_constant(line: &str) -> bool {
    let constant = declaration(line).strip_prefix("const ");
    let typed = constant.and_then(|rest| rest.split_once(": ")).map(|(_, typed)| typed);
    typed.is_some_and(|typed| NUMBERS.iter().any(|number| typed.starts_with(number)))
}

fn spawns_thread(line: &str) -> bool {
    ["thread::spawn(", "scope.spawn(", "Builder::new().spawn("].iter().any(|call| line.contains(call))
}

fn n_pronouns(line: &str) -> usize {
    let lower = line.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| PRONOUNS.contains(word)).count()
}

/// Type names that are defined several times, the most frequent first.
fn meanings(sources: &[SourceFile]) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in sources.iter().flat_map(|source| source.text.lines()) {
        let words: Vec<&str> = declaration(line).splitn(3, ' ').collect();
        if let ["struct" | "enum" | "trait", name, ..] = words.as_slice()
            && name.starts_with(|first: char| first.is_ascii_alphabetic())
        {
            let name: String = name.chars().take_while(char::is_ascii_alphanumeric).collect();
            *counts.entry(name).or_default() += 1;
        }
    }
    let mut listed: Vec<_> = counts.into_iter().filter(|(_, n)| *n >= MEANINGS_LISTED).collect();
    listed.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    listed
}

/// Pairs of a crate's outermost modules that use each other.
fn cycles(sources: &[SourceFile], krate: &str) -> Vec<String> {
    let modules: BTreeSet<&str> =
        sources.iter().filter(|source| source.krate == krate).map(|source| source.module.as_str()).collect();
    let mut edges: BTreeSet<(&str, &str)> = BTreeSet::new();
    for source in sources.iter().filter(|source| source.krate == krate) {
        let root = matches!(source.module.as_str(), "lib" | "main");
        let used = used_modules(&source.text).into_iter().filter_map(|name| modules.get(name.as_str()));
        edges.extend(
            used.filter(|used| !root && **used != source.module).map(|used| (source.module.as_str(), *used)),
        );
    }
    let mutual = edges.iter().filter(|(from, to)| from < to && edges.contains(&(*to, *from)));
    mutual.map(|(from, to)| format!("{krate}: {from} and {to}")).collect()
}

/// The names that follow `crate::`, also those of a group in braces.
fn used_modules(text: &str) -> Vec<String> {
    let mut used = Vec::new();
    for after in text.split("crate::").skip(1) {
        let group = after.strip_prefix('{').and_then(|group| group.split_once("};")).map(|(group, _)| group);
        let names = group.map_or_else(|| vec![after], |group| group.split(',').collect());
        let name =
            |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        used.extend(names.into_iter().map(name));
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_for_tests_alone_are_no_source() {
        let text = "mod a;\n#[cfg(test)]\nmod bridges;\n#[cfg(test)]\npub(crate) mod made;\n";
        let found = |path: &str| test_modules(Path::new(path), text);
        assert_eq!(found("src/input/mod.rs"), ["src/input/bridges", "src/input/made"].map(PathBuf::from));
        assert_eq!(found("src/case.rs")[0], PathBuf::from("src/case/bridges"));
    }

    #[test]
    fn tests_are_no_source() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {\n    }\n}\nfn c() {}\n";
        assert_eq!(without_tests(text), "fn a() {}\nfn c() {}\n");
    }

    #[test]
    fn modules_that_use_each_other_are_a_cycle() {
        let source = |module: &str, text: &str| SourceFile {
            krate: "k".to_owned(),
            module: module.to_owned(),
            text: text.to_owned(),
        };
        let sources = [
            source("a", "use crate::{b::B, c};"),
            source("b", "use crate::a::A;"),
            source("c", ""),
            source("lib", ""),
        ];
        assert_eq!(cycles(&sources, "k"), ["k: a and b"]);
    }

    #[test]
    fn constants_and_types_are_told_by_their_first_words() {
        assert!(is_numeric_constant("    pub(crate) const LIMIT: u64 = 3;"));
        assert!(!is_numeric_constant("const NAME: &str = \"u64\";"));
        assert_eq!(public_names("pub fn a() {}\npub(crate) fn b() {}\n    pub const C: u8 = 1;"), ["a", "C"]);
        assert!(is_public_item("pub async fn ask() {}") && !is_public_item("pub(crate) fn ask() {}"));
        assert_eq!(n_pronouns("/// Whoever waits, and nobody else."), 2);
    }
}
