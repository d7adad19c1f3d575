//! The documentation as a site: `docs/` by mdBook into `target/book`.
//!
//! mdBook is installed where it is missing, built without optimisation and without its server: a site of some forty
//! pages needs neither. Where that is not possible, the step is skipped and the closing table says so.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::step::{self, Ending, StepFailure};

/// Installed where mdBook is missing. `book.toml` is written for this version.
const VERSION: &str = "0.5.4";

/// Builds the site, after a check that every page is in its table of contents.
pub(crate) fn build() -> Ending {
    let missing = missing_pages(&step::root().join("docs"));
    if !missing.is_empty() {
        let output = format!("docs/SUMMARY.md does not list {}", missing.join(", "));
        return Ending::Failed(StepFailure { command: "mdbook build".to_owned(), output });
    }
    if !step::has_version(Command::new("mdbook")) {
        println!("   installing mdbook {VERSION}: this takes a minute or two, once");
        let words = [
            "install", "--locked", "--quiet", "--debug", "--no-default-features", "mdbook", "--version",
            VERSION,
        ];
        if let Err(failure) = step::captured(step::cargo(words)) {
            println!("{failure}");
            return Ending::Skipped("documentation site (mdbook could not be installed)");
        }
    }
    let mut build = Command::new("mdbook");
    build.arg("build").arg(step::root());
    step::captured(build).into()
}

/// The pages below `docs` that the table of contents does not name.
fn missing_pages(docs: &Path) -> Vec<String> {
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap_or_default();
    let listed: BTreeSet<&str> =
        summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let mut missing = Vec::new();
    for folder in ["", "design/"] {
        let Ok(entries) = fs::read_dir(docs.join(folder)) else { continue };
        for name in entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
            let page = format!("{folder}{name}");
            let is_page = Path::new(&name).extension().is_some_and(|suffix| suffix == "md");
            if is_page && name != "SUMMARY.md" && !listed.contains(page.as_str()) {
                missing.push(page);
            }
        }
    }
    missing.sort();
    missing
}
