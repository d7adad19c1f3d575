//! `probity init`: a folder to begin in, with a settings file that changes nothing and cases to try.
//!
//! Nothing that is there is touched: where one of the files exists, none is written.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use probity_engine::config::DEFAULTS;

use super::rubric::TO_CHANGE;
use crate::args::{InitArgs, SETTINGS_FILE};
use crate::exit::{Exit, Failure};
use crate::terminal;

const CASES_FILE: &str = "tickets.jsonl";
const RUBRIC_FILE: &str = "rubric.toml";

/// Cases to try, in the form that most people have theirs.
const TICKETS: &str = include_str!("tickets.jsonl");

/// Runs the command.
pub(crate) fn init(args: &InitArgs) -> Result<Exit, Failure> {
    let mut files = vec![(SETTINGS_FILE, settings()), (CASES_FILE, TICKETS.to_owned())];
    if args.rubric {
        files.push((RUBRIC_FILE, TO_CHANGE.to_owned()));
    }
    for (name, _) in &files {
        let path = args.folder.join(name);
        if path.exists() {
            return Err(Failure::usage(format!("{} already exists; nothing was written", path.display()))
                .hint("give another folder: probity init FOLDER"));
        }
    }
    fs::create_dir_all(&args.folder).map_err(|error| Failure::unwritable(Some(&args.folder), &error))?;
    for (name, text) in &files {
        let path = args.folder.join(name);
        let made = OpenOptions::new().write(true).create_new(true).open(&path);
        made.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| Failure::unwritable(Some(&path), &error))?;
        terminal::print(&format!("wrote {}\n", path.display()));
    }
    terminal::print(&next(args));
    Ok(Exit::Done)
}

/// Every setting with its default, none of them in force until its `#` is taken away.
fn settings() -> String {
    let mut text =
        "# The settings of Probity with their defaults. A line that begins with `#` and no space is a \
                    setting:\n# take the `#` away, also before the name of its section, and change it.\n# \
                    Addresses, programs, variables, headers and places outside this folder also need\n# `probity \
                    trust`, after each change: a file that came with a clone must not decide them.\n\n"
            .to_owned();
    // What stands before the first section is about the program's own file.
    let sections = DEFAULTS.find("\n[").map_or(DEFAULTS, |at| &DEFAULTS[at + 1..]);
    for line in sections.lines() {
        let is_setting = !line.is_empty() && !line.starts_with('#');
        text.push_str(if is_setting { "#" } else { "" });
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// What to do now.
fn next(args: &InitArgs) -> String {
    let folder = &args.folder;
    let enter = if folder == Path::new(".") { String::new() } else { format!("cd {} && ", folder.display()) };
    let rubric = if args.rubric { format!(" --rubric {RUBRIC_FILE}") } else { String::new() };
    format!("now: {enter}probity run {CASES_FILE}{rubric}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rubric_to_change_has_no_problem() {
        let reading = probity_core::rubric::read(TO_CHANGE).expect("it is a rubric");
        assert!(reading.warnings.is_empty());
    }

    #[test]
    fn what_is_written_is_every_default_and_sets_none() {
        let text = settings();
        assert_eq!(toml::from_str::<toml::Table>(&text).expect("comments are TOML"), toml::Table::new());
        let live: String = text
            .lines()
            .map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line))
            .fold(String::new(), |text, line| text + line + "\n");
        assert_eq!(
            toml::from_str::<toml::Table>(&live).expect("the settings are TOML"),
            toml::from_str::<toml::Table>(DEFAULTS).expect("the defaults are TOML"),
        );
    }
}
