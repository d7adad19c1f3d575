//! `probity report`: what the store knows of past runs. It asks nobody and writes nothing to the store.

mod history;
pub(super) mod list;
pub(crate) mod past;

use crate::args::{OutputArgs, ReportArgs};
use crate::exit::{Exit, Failure};
use crate::render::report::pretty;
use crate::terminal;

use list::{RunList, listed};
use past::{Past, Places};

/// Runs the command.
pub(crate) fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    let past = Past::open(&args.store)?;
    if args.history {
        return history::history(args, &past);
    }
    let Some(name) = &args.run else { return list(args, &past) };
    let record = past.named(name, |_| true)?;
    let OutputArgs { output, reports } = &args.output;
    let (output, reports) = (output.clone(), reports.clone());
    past.replay(record, &Places { output, reports, json: args.say.json, quiet: args.say.quiet })
}

fn list(args: &ReportArgs, past: &Past) -> Result<Exit, Failure> {
    if args.output.output.is_some() || !args.output.reports.is_empty() {
        return Err(Failure::usage("--output and --report are about one run, expected its number or `last`")
            .hint("`probity report last --report report.html`"));
    }
    let list = RunList::of(past.runs(), &past.outcomes()?);
    terminal::deliver(&if args.say.json { pretty(&list) } else { listed(&list) })?;
    Ok(Exit::Done)
}
