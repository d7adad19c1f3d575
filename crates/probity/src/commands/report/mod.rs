//! `probity report`: past runs from the store. It makes no calls and writes nothing to the store.

pub(super) mod history;
pub(crate) mod past;

use std::path::PathBuf;

use super::outlet::{Outlet, deliver};
use crate::args::ReportArgs;
use crate::exit::{Exit, Failure};
use crate::runs::list::{RunList, files, listed};
use crate::settings::inputs::Inputs;

use past::{Past, ShownBeside};

/// Runs the command.
pub(crate) fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    let past = Past::open(&args.store)?;
    if args.history {
        return history::history(args, &past);
    }
    let Some(name) = &args.run else { return list(args, &past) };
    let record = past.named(name, |_| true)?;
    // The cases of a run are a person's own, although its report does not need them.
    let cases: Vec<PathBuf> = files(record).split(' ').map(PathBuf::from).collect();
    let inputs = Inputs::default().and("CASES", &cases).store(&args.store);
    let shown = ShownBeside { labels: args.labels, raw: args.raw };
    past.report(record, &Outlet::of_run(&args.output, &args.say, &inputs)?, shown)
}

fn list(args: &ReportArgs, past: &Past) -> Result<Exit, Failure> {
    if args.output.output.is_some() || !args.output.reports.is_empty() {
        return Err(Failure::usage("--output and --report need a run: its number, or `last`")
            .hint("`probity report last --report report.html`"));
    }
    let list = RunList::of(&past.runs, &past.outcomes()?);
    deliver(&args.say, &list, || listed(&list))?;
    Ok(Exit::Done)
}
