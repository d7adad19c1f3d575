//! The house rules as tests: what a reviewer would otherwise have to look for by hand.
//!
//! Each rule is a function from one file to its offences, so that it can be tried on a planted offence as well as
//! on the repository. What the compiler or the linter already stops is not repeated here. The words that a
//! rule looks for are put together from halves, because this file has to keep the rules too.

mod modules;
mod reading;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use modules::{cycles, later_modules};
use reading::{Dependency, Offence, Source, dependencies, first_segments, has_word, read, repository, root};

/// The most lines a Rust file may have, tests included.
const LINES_MAX: usize = 600;

/// Files that were longer than [`LINES_MAX`] when the rule came. The list only shrinks.
const LONGER: &[&str] = &[];

/// The crates of the workspace with those that each may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("crates/probity-stats/Cargo.toml", &[]),
    ("crates/probity-gate/Cargo.toml", &[]),
    ("crates/probity-core/Cargo.toml", &["probity-gate", "probity-stats"]),
    ("crates/probity-engine/Cargo.toml", &["probity-core"]),
    ("crates/probity-mock/Cargo.toml", &[]),
    ("crates/probity/Cargo.toml", &["probity-core", "probity-engine", "probity-mock"]),
    ("xtask/Cargo.toml", &[]),
    ("fuzz/Cargo.toml", &["probity-core", "probity-engine"]),
];

/// Manifests that decide about versions and lints; the fuzz targets are a workspace of their own.
const DECIDING: &[&str] = &["Cargo.toml", "fuzz/Cargo.toml"];

/// The most types of one name in the workspace.
const TYPE_MEANINGS_MAX: usize = 2;

/// Packages in the lock file; the lock file decides how long a first build takes.
const PACKAGES_MAX: usize = 380;

/// Direct dependencies of probity-core.
const CORE_DEPENDENCIES_MAX: usize = 8;

/// Crates that do not touch the world.
const PURE: &[&str] = &["crates/probity-core/src/", "crates/probity-gate/src/", "crates/probity-stats/src/"];

/// Modules of the standard library that touch the world.
const IMPURE: &[&str] = &["fs", "net", "env", "process", "thread"];

/// Names that say where code was put instead of what it is for.
const HOMELESS: &[&str] = &["util", "utils", "helper", "helpers", "common"];

#[test]
fn rust_files_are_short() {
    check("a file is read in one sitting: split it where the interface is small", &each(".rs", too_long));
    let files = repository();
    let stale = LONGER.iter().filter(|listed| {
        !files.iter().any(|file| file.path == **listed && file.text.lines().count() > LINES_MAX)
    });
    let stale =
        stale.map(|listed| Offence { path: (*listed).to_owned(), line: 1, what: "listed".to_owned() });
    check("a file that is short by now leaves the list of longer ones", &stale.collect::<Vec<_>>());
}

#[test]
fn rust_files_start_with_their_purpose() {
    check("a module comment says what a file is for and what always holds", &each(".rs", no_module_comment));
}

#[test]
fn crates_depend_one_way() {
    check(
        "probity uses probity-engine uses probity-core uses probity-gate and probity-stats, never back",
        &each("Cargo.toml", upward_dependencies),
    );
}

#[test]
fn manifests_take_versions_and_lints_from_the_workspace() {
    check("versions and lints are decided in one place", &each("Cargo.toml", own_versions_or_lints));
}

#[test]
fn dependencies_are_pinned() {
    check("an upgrade is a change that is reviewed", &each("Cargo.toml", unpinned_dependencies));
}

#[test]
fn the_tree_stays_small() {
    let lock = read(&root(), "Cargo.lock");
    let n_packages = lock.text.lines().filter(|line| *line == "[[package]]").count();
    assert!(n_packages > 0, "Cargo.lock lists no package");
    assert!(
        n_packages <= PACKAGES_MAX,
        "Cargo.lock:1: {n_packages} packages, at most {PACKAGES_MAX} are allowed"
    );

    let core = read(&root(), "crates/probity-core/Cargo.toml");
    let direct =
        dependencies(&core).into_iter().filter(|dependency| dependency.section == "dependencies").count();
    assert!(direct > 0, "probity-core lists no dependency");
    assert!(
        direct <= CORE_DEPENDENCIES_MAX,
        "{}:1: {direct} direct dependencies, at most {CORE_DEPENDENCIES_MAX} are allowed",
        core.path
    );
}

#[test]
fn modules_use_only_earlier_modules() {
    check("a reply flows one way, and so do the imports", &later_modules(&repository()));
    check("modules of a crate that use each other are one module", &cycles(&repository()));
}

#[test]
fn core_is_pure() {
    check(
        "the numbers must not know the world: no file, network, clock, process or thread",
        &each(".rs", impure),
    );
}

#[test]
fn modules_are_named_after_a_concept() {
    check("a function without a home is a missing concept", &each(".rs", homeless));
}

#[test]
fn type_names_mean_one_thing() {
    check("a name with three meanings says none of them", &repeated_type_names(&repository()));
}

#[test]
fn nothing_is_left_over() {
    check(
        "unfinished work belongs in an issue, and a test that does not run protects nothing",
        &each("", leftovers),
    );
}

#[test]
fn paths_are_not_of_one_machine() {
    check("a path that exists on one machine helps no other user", &each("", absolute_paths));
}

#[test]
fn links_in_documents_resolve() {
    check("a document mentions only files that exist", &each(".md", dead_links));
}

/// Every rule sees an offence when there is one; a rule that sees nothing would never fail.
#[test]
fn each_rule_sees_a_planted_offence() {
    let core = "crates/probity-core/src/score/planted.rs";
    let manifest = "crates/probity-core/Cargo.toml";
    planted(too_long, core, &"\n".repeat(LINES_MAX + 1), &[1]);
    planted(no_module_comment, core, "use std::fmt;\n", &[1]);
    planted(
        upward_dependencies,
        manifest,
        "[dependencies]\nblake3.workspace = true\nprobity.workspace = true\n",
        &[3],
    );
    planted(upward_dependencies, manifest, "\n[dev-dependencies.probity-engine]\nworkspace = true\n", &[2]);
    planted(
        own_versions_or_lints,
        manifest,
        "[dependencies]\ncsv = \"=1.4.0\"\n[lints]\nworkspace = true\n",
        &[2],
    );
    planted(own_versions_or_lints, manifest, "[dependencies]\ncsv.workspace = true\n", &[1]);
    let workspace =
        "[workspace.dependencies]\na = \"=1.0\"\nb = \"1.0\"\nc = { path = \"c\", version = \"1\" }\n";
    planted(unpinned_dependencies, "Cargo.toml", workspace, &[3]);
    let spread =
        "[workspace.dependencies]\na = { version = \"=1.0\", features = [\n    \"std\",\n] }\nb = \"1.0\"\n";
    planted(unpinned_dependencies, "Cargo.toml", spread, &[5]);
    planted(impure, core, "//! std::fs\nuse std::{collections::BTreeMap, fs};\n", &[2]);
    planted(impure, core, "use std::time::Duration;\nuse std::time::SystemTime;\n", &[2]);
    planted(impure, core, "fn f() { tokio::spawn(g()); }\n", &[1]);
    planted(homeless, "crates/probity/src/web/utils.rs", "//! Text.\n", &[1]);
    planted(homeless, core, "//! Text.\nmod helpers;\n", &[2]);
    let alike = Source { path: core.to_owned(), text: "struct A {\n".repeat(TYPE_MEANINGS_MAX + 1) };
    assert_eq!(repeated_type_names(&[alike]).len(), 1, "one meaning too many");
    for word in leftover_words() {
        planted(leftovers, core, &format!("//! Text.\n{word}\n"), &[2]);
    }
    planted(
        absolute_paths,
        "docs/a.md",
        &format!("see docs{0} or\n`{0}results.json`\n", ["/tm", "p/"].concat()),
        &[2],
    );
    planted(dead_links, "CONTRIBUTING.md", "[a](Cargo.toml)\n[b](no-such-file.md#part)\n", &[2]);
}

#[track_caller]
fn planted(rule: fn(&Source) -> Vec<Offence>, path: &str, text: &str, lines: &[usize]) {
    let source = Source { path: path.to_owned(), text: text.to_owned() };
    let seen: Vec<usize> = rule(&source).iter().map(|offence| offence.line).collect();
    assert_eq!(seen, lines, "lines seen in {path}:\n{text}");
}

#[track_caller]
fn check(why: &str, offences: &[Offence]) {
    let list: Vec<String> = offences.iter().map(Offence::to_string).collect();
    assert!(list.is_empty(), "{why}\n{}", list.join("\n"));
}

/// What `rule` sees in the files whose path ends with `end`.
#[track_caller]
fn each(end: &str, rule: fn(&Source) -> Vec<Offence>) -> Vec<Offence> {
    let files: Vec<Source> = repository().into_iter().filter(|file| file.path.ends_with(end)).collect();
    assert!(!files.is_empty(), "no file ends with `{end}`, so the rule looks at nothing");
    files.iter().flat_map(rule).collect()
}

fn too_long(file: &Source) -> Vec<Offence> {
    let n_lines = file.text.lines().count();
    if n_lines <= LINES_MAX || LONGER.contains(&file.path.as_str()) {
        return Vec::new();
    }
    vec![file.offence(1, format!("{n_lines} lines, at most {LINES_MAX} are allowed"))]
}

/// Types by a name that [`TYPE_MEANINGS_MAX`] others have. What stands in files of tests or at the end of a file for them is
/// left out.
fn repeated_type_names(files: &[Source]) -> Vec<Offence> {
    let (mut meanings, mut offences) = (BTreeMap::<&str, usize>::new(), Vec::new());
    let sources =
        files.iter().filter(|file| file.in_crate().is_some_and(|(_, inside)| !inside.contains("tests")));
    for file in sources {
        let code = file.lines().take_while(|(_, line)| *line != "#[cfg(test)]");
        for (number, line) in code {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
            let declared = words.windows(2).find(|pair| matches!(pair[0], "struct" | "enum" | "trait"));
            let is_declaration = line.ends_with(['{', ';']) && !line.trim_start().starts_with("//");
            let Some(name) = declared.map(|pair| pair[1]).filter(|name| is_declaration && !name.is_empty())
            else {
                continue;
            };
            let n = meanings.entry(name).or_default();
            *n += 1;
            if *n > TYPE_MEANINGS_MAX {
                offences.push(file.offence(number, format!("`{name}` has {n} meanings")));
            }
        }
    }
    offences
}

fn no_module_comment(file: &Source) -> Vec<Offence> {
    if file.text.starts_with("//! ") {
        Vec::new()
    } else {
        vec![file.offence(1, "expected `//! ` and a sentence")]
    }
}

fn upward_dependencies(file: &Source) -> Vec<Offence> {
    let Some((_, allowed)) = MAY_USE.iter().find(|(path, _)| *path == file.path) else {
        let known = file.path == "Cargo.toml";
        return if known {
            Vec::new()
        } else {
            vec![file.offence(1, "a crate that `MAY_USE` does not list")]
        };
    };
    let ours = |dependency: &Dependency| dependency.name.starts_with("probity") || dependency.name == "xtask";
    dependencies(file)
        .into_iter()
        .filter(|dependency| ours(dependency) && !allowed.contains(&dependency.name.as_str()))
        .map(|dependency| file.offence(dependency.line, format!("may not use {}", dependency.name)))
        .collect()
}

fn own_versions_or_lints(file: &Source) -> Vec<Offence> {
    if DECIDING.contains(&file.path.as_str()) {
        return Vec::new();
    }
    let mut offences: Vec<Offence> = dependencies(file)
        .into_iter()
        .filter(|dependency| !dependency.text.contains("workspace = true"))
        .map(|dependency| {
            file.offence(dependency.line, format!("expected {}.workspace = true", dependency.name))
        })
        .collect();
    if !file.text.contains("[lints]\nworkspace = true") {
        offences.push(file.offence(1, "expected [lints] with workspace = true"));
    }
    offences
}

fn unpinned_dependencies(file: &Source) -> Vec<Offence> {
    if !DECIDING.contains(&file.path.as_str()) {
        return Vec::new();
    }
    dependencies(file)
        .into_iter()
        .filter(|dependency| !dependency.text.contains("path = ") && !dependency.text.contains("\"="))
        .map(|dependency| file.offence(dependency.line, format!("{} has no exact version", dependency.name)))
        .collect()
}

fn impure(file: &Source) -> Vec<Offence> {
    if !PURE.iter().any(|krate| file.path.starts_with(krate)) {
        return Vec::new();
    }
    let code = file.code();
    let modules =
        first_segments(&code, "std").into_iter().filter(|(_, name)| IMPURE.contains(&name.as_str()));
    let mut seen: BTreeSet<(usize, String)> =
        modules.map(|(line, name)| (line, format!("std::{name}"))).collect();
    for (index, line) in code.lines().enumerate() {
        let words = ["SystemTime", "Instant", "tokio"].into_iter().filter(|word| has_word(line, word));
        seen.extend(words.map(|word| (index + 1, word.to_owned())));
    }
    seen.into_iter().map(|(line, what)| file.offence(line, what)).collect()
}

fn homeless(file: &Source) -> Vec<Offence> {
    let part = file.path.trim_end_matches(".rs").split('/').find(|part| HOMELESS.contains(part));
    let mut offences: Vec<Offence> =
        part.map(|part| file.offence(1, format!("named `{part}`"))).into_iter().collect();
    for (line, text) in file.lines() {
        let declared = HOMELESS.iter().find(|name| {
            let rest =
                text.split_once("mod ").filter(|(before, _)| !before.contains("//")).map(|(_, rest)| rest);
            rest.is_some_and(|rest| rest.trim_end_matches([' ', ';', '{']) == **name)
        });
        offences.extend(declared.map(|name| file.offence(line, format!("a module named `{name}`"))));
    }
    offences
}

fn leftover_words() -> Vec<String> {
    let halves = [
        ("TO", "DO"),
        ("FIX", "ME"),
        ("db", "g!("),
        ("unimple", "mented!("),
        ("to", "do!("),
        ("#[ig", "nore"),
        ("```ig", "nore"),
    ];
    halves.iter().map(|(first, second)| format!("{first}{second}")).collect()
}

fn leftovers(file: &Source) -> Vec<Offence> {
    if !file.is_prose_or_code() {
        return Vec::new();
    }
    let words = leftover_words();
    file.lines()
        .filter_map(|(line, text)| {
            words.iter().find(|word| has_word(text, word)).map(|word| file.offence(line, word))
        })
        .collect()
}

fn absolute_paths(file: &Source) -> Vec<Offence> {
    if !file.is_prose_or_code() {
        return Vec::new();
    }
    let starts =
        [["/wo", "rk/"], ["/ro", "ot/"], ["/ho", "me/"], ["/tm", "p/"]].map(|halves| halves.concat());
    let inside = |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || "_-.)}]/*".contains(c));
    let mut offences = Vec::new();
    for (line, text) in file.lines() {
        for start in &starts {
            if text.match_indices(start).any(|(at, _)| !inside(&text[..at])) {
                offences.push(file.offence(line, format!("a path under {start}")));
            }
        }
    }
    offences
}

fn dead_links(file: &Source) -> Vec<Offence> {
    // A report that a test compares is no document.
    if file.path.contains("/tests/") || file.path.starts_with("cases/") {
        return Vec::new();
    }
    let folder = root().join(&file.path).parent().map(Path::to_owned).unwrap_or_default();
    let mut fenced = false;
    let mut offences = Vec::new();
    for (line, text) in file.lines() {
        fenced ^= text.trim_start().starts_with("```");
        if fenced {
            continue;
        }
        for rest in text.split("](").skip(1) {
            let target = rest.split([')', ' ', '#']).next().unwrap_or_default();
            if !target.is_empty() && !target.contains(':') && !folder.join(target).exists() {
                offences.push(file.offence(line, format!("`{target}` does not exist")));
            }
        }
    }
    offences
}
