//! Which outermost module of a crate uses which: one way, and in the order of `lib.rs` where that is an order.
//!
//! A use is a path behind `crate::`, and behind `super::` in a file that lies at the root. A name that the root
//! exports again counts as its module. What tests use is no part of it.

use std::collections::{BTreeMap, BTreeSet};

use super::reading::{Offence, Source, first_segments};

/// Crates whose `lib.rs` lists each module behind those that it uses.
const ORDERED: &[&str] = &["crates/probity-core", "crates/probity-gate"];

/// Files that hold tests or what tests are made of.
const TEST_FILES: &[&str] = &["tests.rs", "properties.rs", "fixture.rs", "examples.rs"];

/// One module using another of its crate, at a place.
struct Use<'f> {
    file: &'f Source,
    line: usize,
    from: &'f str,
    to: String,
}

/// Uses of a module that `lib.rs` lists behind the one that uses it.
pub(crate) fn later_modules(files: &[Source]) -> Vec<Offence> {
    let mut offences = Vec::new();
    for krate in ORDERED {
        let order: Vec<&str> = files.iter().filter(|file| is_root(krate, file)).flat_map(declared).collect();
        assert!(!order.is_empty(), "{krate} has no modules, so the rule looks at nothing");
        let place = |name: &str| order.iter().position(|module| *module == name);
        for used in uses(files, krate).into_iter().filter(|used| place(&used.to) > place(used.from)) {
            let what = format!("`{}` uses the later module `{}`", used.from, used.to);
            offences.push(used.file.offence(used.line, what));
        }
    }
    offences
}

/// Uses that lie on a cycle.
pub(crate) fn cycles(files: &[Source]) -> Vec<Offence> {
    let crates: BTreeSet<&str> = files.iter().filter_map(Source::in_crate).map(|(krate, _)| krate).collect();
    let mut offences = Vec::new();
    for krate in crates {
        let uses = uses(files, krate);
        for used in uses.iter().filter(|used| reached(&uses, &used.to).contains(used.from)) {
            let what = format!("`{}` uses `{}`, which uses it in turn", used.from, used.to);
            offences.push(used.file.offence(used.line, what));
        }
    }
    offences
}

/// Every use of another module inside `krate`.
fn uses<'f>(files: &'f [Source], krate: &str) -> Vec<Use<'f>> {
    let own = || files.iter().filter(|file| file.in_crate().is_some_and(|(name, _)| name == krate));
    let modules: BTreeSet<&str> = own().filter_map(module).collect();
    let exported: BTreeMap<String, String> =
        own().filter(|file| is_root(krate, file)).flat_map(exports).collect();
    let mut uses = Vec::new();
    for file in own().filter(|file| !is_test(file)) {
        let Some(from) = module(file) else { continue };
        let code = file.code();
        let code = code.find("#[cfg(test)]\nmod tests {").map_or(code.as_str(), |at| &code[..at]);
        let at_root = file.in_crate().is_some_and(|(_, inside)| !inside.contains('/'));
        let roots = if at_root { &["crate", "super"][..] } else { &["crate"] };
        for (line, name) in roots.iter().flat_map(|root| first_segments(code, root)) {
            let to = if modules.contains(name.as_str()) { Some(name) } else { exported.get(&name).cloned() };
            uses.extend(to.filter(|to| to != from).map(|to| Use { file, line, from, to }));
        }
    }
    uses
}

/// The modules that `start` uses, directly or not.
fn reached<'u>(uses: &'u [Use<'_>], start: &str) -> BTreeSet<&'u str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start.to_owned()];
    while let Some(from) = open.pop() {
        for used in uses.iter().filter(|used| used.from == from) {
            if reached.insert(used.to.as_str()) {
                open.push(used.to.clone());
            }
        }
    }
    reached
}

/// The outermost module that a file belongs to.
fn module(file: &Source) -> Option<&str> {
    let first = file.in_crate()?.1.split('/').next()?.trim_end_matches(".rs");
    (first != "lib" && first != "main").then_some(first)
}

fn is_root(krate: &str, file: &Source) -> bool {
    file.in_crate().is_some_and(|(name, inside)| name == krate && ["lib.rs", "main.rs"].contains(&inside))
}

fn is_test(file: &Source) -> bool {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    TEST_FILES.contains(&name) || file.path.contains("/tests/")
}

/// The modules that a root declares, in its order.
fn declared(file: &Source) -> Vec<&str> {
    file.text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect()
}

/// The names that a root exports again, each with its module.
fn exports(file: &Source) -> Vec<(String, String)> {
    let code = file.code();
    let mut exports = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let statement = code[at + "use ".len()..].split(';').next().unwrap_or_default();
        if let Some((module, names)) = statement.split_once("::") {
            let names =
                names.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty());
            exports.extend(names.map(|name| (name.to_owned(), module.to_owned())));
        }
    }
    exports
}

#[test]
fn planted_uses_are_seen() {
    let file = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let files = [
        file("crates/probity-gate/src/lib.rs", "pub mod a;\npub mod b;\npub mod c;\n"),
        file("crates/probity-core/src/lib.rs", "pub mod a;\n"),
        file("crates/probity-gate/src/a.rs", "// crate::b\nuse crate::{\n    b::B,\n};\n"),
        file(
            "crates/probity-gate/src/b/mod.rs",
            "use crate::a::A;\n#[cfg(test)]\nmod tests {\n    use crate::c;\n}",
        ),
        file("xtask/src/main.rs", "mod x;\nmod y;\npub use x::X;\n"),
        file("xtask/src/x.rs", "use super::y::Y;\n"),
        file("xtask/src/y.rs", "use super::X;\n"),
    ];
    let shown = |offences: Vec<Offence>| offences.iter().map(Offence::to_string).collect::<Vec<_>>();
    assert_eq!(
        shown(later_modules(&files)),
        ["crates/probity-gate/src/a.rs:2: `a` uses the later module `b`"]
    );
    assert_eq!(
        shown(cycles(&files)),
        [
            "crates/probity-gate/src/a.rs:2: `a` uses `b`, which uses it in turn",
            "crates/probity-gate/src/b/mod.rs:1: `b` uses `a`, which uses it in turn",
            "xtask/src/x.rs:1: `x` uses `y`, which uses it in turn",
            "xtask/src/y.rs:1: `y` uses `x`, which uses it in turn",
        ]
    );
}
