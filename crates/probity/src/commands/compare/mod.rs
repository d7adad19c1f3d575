//! `probity compare`: which variant answers better, by a judge that is asked or from verdicts on record.

mod live;
mod read;

use std::path::PathBuf;
use std::sync::Arc;

use probity_core::compare::{Conclusion, comparison};
use probity_core::promote::Standing;
use probity_engine::config::Config;

use super::outlet::Outlet;
use super::session::Ended;
use crate::args::CompareArgs;
use crate::exit::{Exit, Failure};
use crate::render::comparison::{ComparisonDocument, ComparisonOrigin};
use crate::render::conclusion::{Concluded, Conclusions};
use crate::settings::inputs::Inputs;

/// Runs the command.
pub(crate) fn compare(args: &CompareArgs) -> Result<Exit, Failure> {
    let inputs = Inputs::default().and("CASES", &args.files).and("--verdicts", &args.verdicts);
    let prompts: Vec<PathBuf> =
        args.targets.iter().filter_map(|spec| spec.split_once('@')).map(|(_, file)| file.into()).collect();
    let inputs = inputs
        .and("--target", &prompts)
        .and("--labels", &args.labels)
        .and("--items", &args.items)
        .ask(&args.ask);
    let outlet = Outlet::new(&args.output, &args.ask.reading.say, &inputs)?;
    if args.verdicts.is_some() { from_record(args, &outlet) } else { live::live(args, &outlet) }
}

fn from_record(args: &CompareArgs, outlet: &Outlet<'_>) -> Result<Exit, Failure> {
    let recorded = read::recorded(args, &|line| args.ask.reading.say.note(line))?;
    let figures = comparison(&recorded.pairs, args.policies(), args.resampling());
    // Verdicts on record are read without settings, so the share that must be there is the default one.
    let defaults = Config::resolve([]).map_err(|error| Failure::usage(error.to_string()))?;
    let coverage_min = defaults.run.min_coverage.to_f64();
    let concluded = |pairs: &Vec<_>| Concluded {
        conclusion: Conclusion::by_sign_test(pairs, args.policies(), coverage_min),
        standing: Standing::advisory("verdicts from a file have no standing"),
        stopped: None,
    };
    let concluded: Conclusions =
        recorded.pairs.iter().map(|(judge, pairs)| (Arc::clone(judge), concluded(pairs))).collect();
    let name = args.verdicts.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let origin = ComparisonOrigin::Record { labels: recorded.labels, skipped: recorded.skipped };
    let document = ComparisonDocument::new(figures, concluded, recorded.pairs, (name, origin));
    outlet.end(&document, Ended::done())
}
