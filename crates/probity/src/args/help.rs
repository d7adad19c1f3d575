//! What `--help` says beyond the flags: commands in groups, two examples each, and the exit codes.
//!
//! Both are tables, checked by tests: every command stands in one group, and every example is a command line that is
//! understood.

use clap::builder::styling::{AnsiColor, Styles};
use clap::error::{ContextKind, ContextValue};
use clap::{Command, CommandFactory as _};
use probity_core::spelling::closest;

use super::Cli;

/// The commands by what they are for, in the order in which people meet them.
const GROUPS: &[(&str, &[&str])] = &[
    ("Every day", &["init", "run", "score", "check", "compare", "diff", "report", "open"]),
    ("Trust in the judge", &["review", "calibrate", "probe", "promote", "succeed"]),
    ("Data and rules", &["sample", "import", "export", "rubric", "policy", "gate"]),
    ("Upkeep", &["doctor", "store", "batch", "models", "trust", "mock", "mcp", "completions", "help"]),
];

/// Two examples for each command, by the words that call it.
const EXAMPLES: &[(&str, [&str; 2])] = &[
    ("init", ["probity init", "probity init support-eval --rubric"]),
    (
        "run",
        [
            "probity run tickets.json",
            "probity run gold.jsonl --rubric support-gold --model gpt-6-luna --report report.html",
        ],
    ),
    (
        "score",
        [
            "probity score --ticket 'Where is my order?' --reply 'It ships tomorrow.'",
            "probity score --rubric support-gold --ticket 'Refund?' --reply 'Done.' --json",
        ],
    ),
    ("check", ["probity check tickets.json --model gpt-6-luna", "probity check tickets.json --show"]),
    (
        "compare",
        [
            "probity compare old.jsonl new.jsonl --model gpt-6-luna",
            "probity compare old.jsonl new.jsonl --until-decided --report compare.html",
        ],
    ),
    (
        "diff",
        ["probity diff before.json after.json", "probity diff before.json after.json --report diff.html"],
    ),
    ("report", ["probity report", "probity report --history --report history.html"]),
    ("open", ["probity open", "probity open results.json"]),
    ("review", ["probity review sample.jsonl", "probity review sample.jsonl --person ann --person bob"]),
    (
        "calibrate",
        [
            "probity calibrate gold.jsonl --rubric support-gold --model gpt-6-luna",
            "probity calibrate --labels labels.jsonl --verdicts verdicts.jsonl --json",
        ],
    ),
    (
        "probe",
        [
            "probity probe gold.jsonl --model gpt-6-luna --dry-run",
            "probity probe gold.jsonl --model gpt-6-luna",
        ],
    ),
    (
        "promote",
        [
            "probity promote gold.jsonl --rubric support-gold --contract contract.toml",
            "probity promote gold.jsonl --contract contract.toml --json",
        ],
    ),
    (
        "succeed",
        [
            "probity succeed gold.jsonl --from old-judge --to new-judge --dry-run",
            "probity succeed gold.jsonl --from old-judge --to new-judge",
        ],
    ),
    (
        "sample",
        [
            "probity sample week46.jsonl --output sample.jsonl",
            "probity sample estimate --sample sample.jsonl --results results.json",
        ],
    ),
    (
        "import labels",
        ["probity import labels labels.jsonl", "probity import labels labels.csv --store team.db"],
    ),
    ("export labels", ["probity export labels", "probity export labels --store team.db"]),
    ("export results", ["probity export results 3", "probity export results 3 --output results.csv"]),
    (
        "import answers",
        ["probity import answers answers.jsonl", "probity import answers answers.jsonl --store team.db"],
    ),
    (
        "export requests",
        [
            "probity export requests gold.jsonl --model demo --output requests.jsonl",
            "probity export requests gold.jsonl --rubric support-gold --output requests.jsonl",
        ],
    ),
    (
        "store copy",
        [
            "probity store copy .probity/store.db backup.db",
            "probity store copy team.db postgres://db.example/probity",
        ],
    ),
    ("batch list", ["probity batch list", "probity batch list --all"]),
    ("rubric new", ["probity rubric new", "probity rubric new"]),
    ("rubric show", ["probity rubric show support-gold", "probity rubric show my-rubric.toml"]),
    ("rubric check", ["probity rubric check my-rubric.toml", "probity rubric check rubrics/returns.toml"]),
    (
        "rubric diff",
        ["probity rubric diff support-gold my-rubric.toml", "probity rubric diff old.toml new.toml --json"],
    ),
    ("policy draft", ["probity policy draft returns.md", "probity policy draft returns.md shipping.md"]),
    ("policy check", ["probity policy check policies.toml", "probity policy check policies.toml --json"]),
    (
        "gate check",
        [
            "probity gate check cases.jsonl --policies policies.toml",
            "probity gate check cases.jsonl --rules rules.toml --json",
        ],
    ),
    ("gate rules", ["probity gate rules", "probity gate rules --rules rules.toml"]),
    ("models", ["probity models", "probity models --json"]),
    ("doctor", ["probity doctor", "probity doctor --model gpt-6-luna --ask"]),
    ("trust", ["probity trust", "probity trust team/probity.toml"]),
    ("mcp", ["probity mcp", "probity mcp --allow-spend"]),
    ("completions", ["probity completions bash", "probity completions --man man"]),
    ("mock", ["probity mock --port 8377", "probity mock --port 8377 --latency 50ms --fault F01=0.1"]),
];

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 a check failed, 2 wrong usage or input and nothing was spent, 3 incomplete (run the same command again to continue), 4 the store or the disk failed.

`probity COMMAND --help` explains a command. Begin with: probity init, then probity run tickets.json";

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// The whole command line, as it is parsed and as its help is printed.
pub(crate) fn command_line() -> Command {
    let mut command = Cli::command().styles(STYLES).after_help(EXIT_CODES);
    for (path, lines) in EXAMPLES {
        let words: Vec<&str> = path.split(' ').collect();
        command = with_examples(command, &words, lines);
    }
    let groups = grouped(&command);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\x1b[1m\x1b[32mOptions:\x1b[0m\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

/// The error with the command that was perhaps meant, where clap itself finds none near enough.
pub(crate) fn with_suggestion(mut error: clap::Error) -> clap::Error {
    let commands = GROUPS.iter().flat_map(|(_, names)| *names).copied();
    let near = match (error.get(ContextKind::InvalidSubcommand), error.get(ContextKind::SuggestedSubcommand))
    {
        (Some(ContextValue::String(typed)), None) => closest(typed, commands),
        _ => None,
    };
    if let Some(near) = near {
        let suggestion = ContextValue::Strings(vec![near.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, suggestion);
    }
    error
}

fn with_examples(command: Command, path: &[&str], lines: &[&str; 2]) -> Command {
    let Some((name, rest)) = path.split_first() else {
        let lines = lines.iter().fold(String::new(), |text, line| text + "\n  " + line);
        let before = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
        return command.after_help(format!("{before}\x1b[1m\x1b[32mExamples:\x1b[0m{lines}"));
    };
    command.mut_subcommand(*name, |inner| with_examples(inner, rest, lines))
}

/// The list of commands, group by group.
fn grouped(command: &Command) -> String {
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or(0);
    let about = |name: &str| match command.find_subcommand(name).and_then(Command::get_about) {
        Some(about) => about.to_string(),
        None => "Print this list, or the help of a command".to_owned(),
    };
    let mut text = String::new();
    for (title, names) in GROUPS {
        text += &format!("\x1b[1m\x1b[32m{title}:\x1b[0m\n");
        for name in *names {
            text += &format!("  \x1b[1m\x1b[36m{name:<width$}\x1b[0m  {}\n", about(name));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::FromArgMatches as _;

    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let defined: BTreeSet<&str> =
            command.get_subcommands().filter(|each| !each.is_hide_set()).map(Command::get_name).collect();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let once: BTreeSet<&str> = listed.iter().copied().filter(|name| *name != "help").collect();
        assert_eq!(once, defined);
        assert_eq!(listed.len(), once.len() + 1, "a command stands in two groups");
    }

    #[test]
    fn every_command_has_examples_that_are_understood() {
        for (path, lines) in EXAMPLES {
            for line in lines {
                assert!(
                    line.starts_with(&format!("probity {}", path.split(' ').next().unwrap_or_default())),
                    "{line}"
                );
                let matches = command_line().try_get_matches_from(words(line));
                let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
                assert!(
                    parsed.is_ok(),
                    "{line}: {}",
                    parsed.err().map(|error| error.to_string()).unwrap_or_default()
                );
            }
        }
        let examples: BTreeSet<&str> =
            EXAMPLES.iter().map(|(path, _)| path.split(' ').next().unwrap_or_default()).collect();
        let command = Cli::command();
        let without: Vec<&str> = command
            .get_subcommands()
            .filter(|each| !each.is_hide_set())
            .map(Command::get_name)
            .filter(|name| !examples.contains(name))
            .collect();
        assert!(without.is_empty(), "without an example: {without:?}");
    }

    /// The words of a shell line in which single quotes hold spaces.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for sign in line.chars() {
            match sign {
                '\'' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                other => words.last_mut().expect("there is a word").push(other),
            }
        }
        words
    }
}
