//! What `--help` says beyond the flags: commands in groups, examples, and the exit codes.
//!
//! Both are tables, checked by tests: every command stands in one group, and every example is a command line that is
//! understood.

use clap::builder::styling::{AnsiColor, Styles};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, CommandFactory as _};
use probity_core::spelling::closest;

use super::Cli;

/// The commands by what they are for, in the order in which people meet them.
pub(super) const GROUPS: &[(&str, &[&str])] = &[
    ("Every day", &["init", "run", "check", "score", "compare", "diff", "report", "open"]),
    ("Trust in the judge", &["review", "calibrate", "probe", "promote", "succeed"]),
    ("Data and rules", &["sample", "import", "export", "rubric", "policy", "gate"]),
    ("Upkeep", &["doctor", "store", "batch", "models", "trust", "mock", "mcp", "completions", "help"]),
];

/// Examples for each command, by the words that call it.
pub(super) const EXAMPLES: &[(&str, &[&str])] = &[
    ("init", &["probity init", "probity init support-eval --rubric"]),
    (
        "run",
        &[
            "probity run tickets.json",
            "probity run gold.jsonl --rubric support-gold --model gpt-6-luna --report report.html",
        ],
    ),
    (
        "score",
        &[
            "probity score --ticket 'Where is my order?' --reply 'It ships tomorrow.'",
            "probity score --rubric support-gold --ticket 'Refund?' --reply 'Done.' --json",
        ],
    ),
    ("check", &["probity check tickets.json --model gpt-6-luna", "probity check tickets.json --show"]),
    (
        "compare",
        &[
            "probity compare old.jsonl new.jsonl --model gpt-6-luna",
            "probity compare old.jsonl new.jsonl --until-decided --report compare.html",
        ],
    ),
    ("diff", &["probity diff before.json after.json", "probity diff 3 last --report diff.html"]),
    ("report", &["probity report", "probity report last --report report.html", "probity report --history"]),
    ("open", &["probity open", "probity open results.json"]),
    ("review", &["probity review sample.jsonl", "probity review sample.jsonl --person ann --person bob"]),
    (
        "calibrate",
        &[
            "probity calibrate gold.jsonl --rubric support-gold --model gpt-6-luna",
            "probity calibrate --labels labels.jsonl --verdicts verdicts.jsonl --json",
        ],
    ),
    (
        "probe",
        &[
            "probity probe gold.jsonl --model gpt-6-luna --dry-run",
            "probity probe gold.jsonl --model gpt-6-luna",
        ],
    ),
    (
        "promote",
        &[
            "probity promote gold.jsonl --rubric support-gold --contract contract.toml",
            "probity promote --revoke 'the model changed' --rubric support-gold",
        ],
    ),
    (
        "succeed",
        &[
            "probity succeed gold.jsonl --from old-judge --to new-judge --dry-run",
            "probity succeed gold.jsonl --from old-judge --to new-judge",
        ],
    ),
    (
        "sample",
        &[
            "probity sample week46.jsonl --output sample.jsonl",
            "probity sample tickets.jsonl --gold --output gold.jsonl",
        ],
    ),
    (
        "sample estimate",
        &[
            "probity sample estimate --sample sample.jsonl --results results.json",
            "probity sample estimate --sample sample.jsonl --results results.json --labels labels.jsonl",
        ],
    ),
    (
        "import labels",
        &["probity import labels labels.jsonl", "probity import labels labels.csv --store team.db"],
    ),
    (
        "import answers",
        &["probity import answers answers.jsonl", "probity import answers answers.jsonl --store team.db"],
    ),
    ("export labels", &["probity export labels", "probity export labels --output labels.csv"]),
    ("export results", &["probity export results", "probity export results 3 --output results.csv"]),
    ("export cases", &["probity export cases", "probity export cases 3 --original --output cases.json"]),
    ("export replies", &["probity export replies", "probity export replies 3 --output replies.jsonl"]),
    ("export packets", &["probity export packets", "probity export packets 3 --output packets.jsonl"]),
    ("export answers", &["probity export answers", "probity export answers 3 --output answers.jsonl"]),
    (
        "export requests",
        &[
            "probity export requests gold.jsonl --model demo --output requests.jsonl",
            "probity export requests gold.jsonl --rubric support-gold --output requests.jsonl",
        ],
    ),
    ("rubric list", &["probity rubric list"]),
    ("rubric show", &["probity rubric show support-gold", "probity rubric show rubric.toml"]),
    ("rubric new", &["probity rubric new > rubric.toml"]),
    ("rubric check", &["probity rubric check rubric.toml"]),
    (
        "rubric diff",
        &["probity rubric diff support-gold rubric.toml", "probity rubric diff old.toml new.toml --json"],
    ),
    ("rubric draft", &["probity rubric draft promptfooconfig.json > rubric.toml"]),
    ("policy draft", &["probity policy draft returns.md shipping.md > policies.toml"]),
    (
        "policy check",
        &["probity policy check policies.toml", "probity policy check policies.toml --cases gold.jsonl"],
    ),
    (
        "gate check",
        &[
            "probity gate check cases.jsonl --policies policies.toml",
            "probity gate check cases.jsonl --rules rules.toml --json",
        ],
    ),
    ("gate rules", &["probity gate rules", "probity gate rules --rules rules.toml"]),
    ("doctor", &["probity doctor", "probity doctor --model gpt-6-luna --ask"]),
    (
        "store copy",
        &[
            "probity store copy .probity/store.db backup.db",
            "probity store copy team.db postgres://db.example/probity",
        ],
    ),
    ("store merge", &["probity store merge part-1.db part-2.db --into all.db"]),
    ("store check", &["probity store check", "probity store check --store postgres://db.example/probity"]),
    ("store stats", &["probity store stats", "probity store stats --json"]),
    ("store vacuum", &["probity store vacuum", "probity store vacuum --store team.db"]),
    ("store forget", &["probity store forget --case ticket-17"]),
    ("batch list", &["probity batch list", "probity batch list --all"]),
    ("batch cancel", &["probity batch cancel batch_67c1", "probity batch cancel batch_67c1 --release"]),
    ("models", &["probity models", "probity models --judge openai"]),
    ("trust", &["probity trust", "probity trust team/probity.toml"]),
    ("mock", &["probity mock", "probity mock --latency 50ms --fault F01=0.1"]),
    ("mcp", &["probity mcp", "probity mcp --allow-spend"]),
    ("completions", &["probity completions bash", "probity completions --man man"]),
];

/// Flags of `score` that are about many cases: accepted, and not worth a line of its help.
const ABOUT_MANY: &[&str] = &[
    "Reading files", "Which cases", "shard", "batch", "no_wait", "concurrency", "min_coverage", "max_calls",
    "name",
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
    let command = with_examples(Cli::command(), "", "\x1b[1m\x1b[32mExamples:\x1b[0m");
    let groups = grouped(&command);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\x1b[1m\x1b[32mOptions:\x1b[0m\n{{options}}{{after-help}}"
    );
    command.styles(STYLES).after_help(EXIT_CODES).help_template(template)
}

/// The same without colours, for man pages and the reference.
pub(crate) fn plain_command_line() -> Command {
    with_examples(Cli::command(), "", "Examples:")
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

/// The command at `path` with its examples below its help; a command of commands has the first one of each.
fn with_examples(command: Command, path: &str, heading: &str) -> Command {
    let is_below =
        |each: &str| path.is_empty() || each.strip_prefix(path).is_some_and(|rest| rest.starts_with(' '));
    let own = EXAMPLES.iter().filter(|(each, _)| *each == path).flat_map(|(_, lines)| *lines);
    let below = EXAMPLES.iter().filter(|(each, _)| is_below(each)).filter_map(|(_, lines)| lines.first());
    let mut lines: Vec<&str> = own.copied().collect();
    if lines.is_empty() {
        lines.extend(below.copied());
    }
    let mut command = command.mut_subcommands(|inner| {
        let path = format!("{path} {}", inner.get_name());
        with_examples(inner, path.trim_start(), heading)
    });
    if path == "score" {
        let is_hidden = |arg: &Arg| {
            ABOUT_MANY.contains(&arg.get_id().as_str())
                || arg.get_help_heading().is_some_and(|title| ABOUT_MANY.contains(&title))
        };
        command = command.mut_args(|arg| if is_hidden(&arg) { arg.hide(true) } else { arg });
    }
    let before = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
    let lines = lines.iter().fold(String::new(), |text, line| text + "\n  " + line);
    command.after_help(format!("{before}{heading}{lines}"))
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
    use std::path::Path;

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
            for line in *lines {
                assert!(line.starts_with(&format!("probity {path}")), "{line}");
                let typed = line.split(" > ").next().unwrap_or_default();
                let matches = command_line().try_get_matches_from(words(typed));
                let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
                assert!(
                    parsed.is_ok(),
                    "{line}: {}",
                    parsed.err().map(|error| error.to_string()).unwrap_or_default()
                );
            }
        }
        let mut paths = Vec::new();
        leaves(&Cli::command(), "", &mut paths);
        let without: Vec<&String> =
            paths.iter().filter(|path| EXAMPLES.iter().all(|(each, _)| each != path)).collect();
        assert!(without.is_empty(), "without an example: {without:?}");
    }

    /// The paths of all commands that do something.
    fn leaves(command: &Command, path: &str, paths: &mut Vec<String>) {
        for inner in command.get_subcommands() {
            leaves(inner, format!("{path} {}", inner.get_name()).trim_start(), paths);
        }
        if !command.is_subcommand_required_set() {
            paths.push(path.to_owned());
        }
    }

    /// Pages may name files that only their reader has, so their commands are not run; but each has to be understood.
    #[test]
    fn every_command_of_every_page_is_understood() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut n_lines = 0;
        for folder in ["", "docs", "examples/ci", "examples/weak-judge", "python"] {
            let entries = std::fs::read_dir(root.join(folder)).expect("a folder").flatten();
            for page in entries
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|end| end == "md"))
            {
                let text = std::fs::read_to_string(&page).expect("a page").replace("\\\n", " ");
                for line in shown(&text) {
                    let parsed = command_line().try_get_matches_from(words(&line));
                    assert!(
                        parsed.is_ok(),
                        "{}: {line}: {}",
                        page.display(),
                        parsed.err().map(|error| error.to_string()).unwrap_or_default()
                    );
                    n_lines += 1;
                }
            }
        }
        assert!(n_lines > 100, "{n_lines} lines");
    }

    /// The calls of the program in the shell blocks of a page, without what a shell makes of the rest of the line.
    fn shown(page: &str) -> Vec<String> {
        let mut is_inside = false;
        let mut lines = Vec::new();
        for line in page.lines().map(str::trim) {
            match line {
                "```sh" | "```console" => is_inside = true,
                "```" => is_inside = false,
                _ if is_inside => {
                    let typed = line.trim_start_matches("$ ");
                    let call = typed
                        .split([' ', '\t'])
                        .skip_while(|word| word.contains('='))
                        .collect::<Vec<_>>()
                        .join(" ");
                    let ends = [" #", " | ", " > ", " < ", " && ", " 2>", " &"]
                        .iter()
                        .filter_map(|sign| call.find(sign));
                    let call = &call[..ends.min().unwrap_or(call.len())];
                    if call.starts_with("probity ") {
                        lines.push(call.trim().to_owned());
                    }
                }
                _ => {}
            }
        }
        lines
    }

    /// The words of a shell line in which quotes hold spaces.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut quote = None;
        for sign in line.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
            match sign {
                '\'' | '"' if quote == Some(sign) => quote = None,
                '\'' | '"' if quote.is_none() => quote = Some(sign),
                ' ' if quote.is_none() => words.push(String::new()),
                other => words.last_mut().expect("there is a word").push(other),
            }
        }
        words
    }
}
