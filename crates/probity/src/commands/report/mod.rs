//! `probity report`: what the store knows of past runs. It asks nobody and writes nothing to the store.

mod args;
mod history;
pub(super) mod list;
pub(crate) mod past;

pub(crate) use args::ReportArgs;

use super::compare::pretty;
use crate::exit::{Exit, Failure};
use crate::terminal;

use list::{RunList, listed};
use past::{Past, Places};

/// Runs the command.
pub(crate) fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    let past = Past::open(&args.settings, args.store.as_ref())?;
    if args.history {
        return history::history(args, &past);
    }
    let Some(name) = &args.run else { return list(args, &past) };
    let record = past.named(name, |_| true)?;
    past.replay(
        record,
        &Places {
            output: args.output.clone(),
            reports: args.reports.clone(),
            json: args.json,
            quiet: args.quiet,
        },
    )
}

fn list(args: &ReportArgs, past: &Past) -> Result<Exit, Failure> {
    if args.output.is_some() || !args.reports.is_empty() {
        return Err(Failure::usage("--output and --report are about one run, expected its number or `last`")
            .hint("`probity report last --report report.html`"));
    }
    let list = RunList::of(past.runs(), &past.outcomes()?);
    terminal::deliver(&if args.json { pretty(&list) } else { listed(&list) })?;
    Ok(Exit::Done)
}
