//! `docs/commands.md`: every command and flag, as the program itself says it. `UPDATE_EXPECT=1` writes the page.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Arg, Command};
use expect_test::expect_file;

use super::help::{EXAMPLES, GROUPS, plain_command_line};

#[test]
fn the_reference_of_commands_is_current() {
    let root = plain_command_line();
    let mut shared: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut commands = String::new();
    for (title, names) in GROUPS {
        commands += &format!("\n## {title}\n");
        for name in names.iter().filter(|name| **name != "help") {
            add(root.find_subcommand(name).expect("a command"), name, &mut commands, &mut shared);
        }
    }
    let mut page = "# Commands\n\nEvery command and flag, made from the program's own help. Flags that several commands \
                    share are listed once, [at the end](#shared-flags).\n"
        .to_owned();
    page += &commands;
    page += "\n## Shared flags\n";
    for (heading, rows) in &shared {
        page += &format!("\n### {heading}\n\n{}", table(rows));
    }
    expect_file!["../../../../docs/commands.md"].assert_eq(&page);
}

/// Adds a command and those below it.
fn add(
    command: &Command,
    path: &str,
    page: &mut String,
    shared: &mut BTreeMap<String, BTreeMap<String, String>>,
) {
    if command.get_subcommands().next().is_none() || !command.is_subcommand_required_set() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        *page += &format!("\n### `probity {path}`\n\n{about}.\n");
        let (mut own, mut headings) = (BTreeMap::new(), BTreeSet::new());
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_id() != "help") {
            let (name, meaning) = row(arg);
            let Some(heading) = arg.get_help_heading() else {
                own.insert(name, meaning);
                continue;
            };
            let known =
                shared.entry(heading.to_owned()).or_default().entry(name.clone()).or_insert(meaning.clone());
            if *known == meaning {
                headings.insert(heading);
            } else {
                own.insert(name, meaning);
            }
        }
        if !own.is_empty() {
            *page += &format!("\n{}", table(&own));
        }
        if !headings.is_empty() {
            let link = |title: &&str| format!("[{title}](#{})", title.to_lowercase().replace(' ', "-"));
            let links: Vec<String> = headings.iter().map(link).collect();
            *page += &format!("\nShared flags: {}.\n", links.join(", "));
        }
        let examples = EXAMPLES.iter().filter(|(each, _)| *each == path).flat_map(|(_, lines)| *lines);
        *page += &format!("\n```text\n{}\n```\n", examples.copied().collect::<Vec<_>>().join("\n"));
    }
    for inner in command.get_subcommands() {
        add(inner, &format!("{path} {}", inner.get_name()), page, shared);
    }
}

/// A flag as it is typed, and what it means with the values that it takes.
fn row(arg: &Arg) -> (String, String) {
    let value =
        arg.get_value_names().map(|names| names.join(" ")).filter(|_| arg.get_action().takes_values());
    let name = match (arg.get_long(), arg.get_short()) {
        (Some(long), Some(short)) => format!("-{short}, --{long}"),
        (Some(long), None) => format!("--{long}"),
        _ => String::new(),
    };
    let name = [name, value.unwrap_or_default()].join(" ").trim().replace('|', "\\|");
    let mut meaning = arg.get_help().map(ToString::to_string).unwrap_or_default().replace('|', "\\|");
    let values = arg.get_possible_values();
    if arg.get_action().takes_values() && !values.is_empty() {
        let one = |value: &clap::builder::PossibleValue| match value.get_help() {
            Some(help) => format!("`{}` ({})", value.get_name(), help.to_string().to_lowercase()),
            None => format!("`{}`", value.get_name()),
        };
        meaning += &format!(": {}", values.iter().map(one).collect::<Vec<_>>().join(", "));
    }
    (format!("`{name}`"), meaning)
}

fn table(rows: &BTreeMap<String, String>) -> String {
    let lines = rows.iter().map(|(name, meaning)| format!("| {name} | {meaning} |\n"));
    format!("| flag | meaning |\n|---|---|\n{}", lines.collect::<String>())
}
