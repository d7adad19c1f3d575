//! `probity promote`: whether a judge may gate a release, and if not, exactly why.
//!
//! Evidence is gathered from the store, by asking, or from files; `probity-core` decides. What was earned is kept in
//! the store where all evidence comes from there. Files give an answer, and nothing is recorded.

mod files;
pub(super) mod live;
mod report;
mod revoke;

use std::path::Path;

use probity_core::calibrate::Counting;
use probity_core::probe::ProbeRecord;
use probity_core::promote::{Contract, Decision, Evidence, decide};
use serde_json::Value;

use super::outlet::Outlet;
use super::session::Ended;
use crate::args::{PromoteArgs, default_counting};
use crate::exit::{Exit, Failure};
use crate::render::promotion::{Gathered, Outcome, PromotionShown, document};
use crate::settings;
use crate::settings::inputs::Inputs;

/// Runs the command.
pub(crate) fn promote(args: &PromoteArgs) -> Result<Exit, Failure> {
    let inputs = Inputs::default().and("CASES", &args.files).and("--contract", &args.contract);
    let inputs = inputs.and("--labels", &args.labels).and("--verdicts", &args.verdicts);
    let inputs = inputs.and("--items", &args.items).and("--probes", &args.probes).ask(&args.ask);
    let outlet = Outlet::new(&args.output, &args.ask.reading.say, &inputs)?;
    if let Some(reason) = &args.revoke {
        return revoke::revoke(args, reason);
    }
    let note = |line: &str| args.ask.reading.say.note(line);
    let path = args.contract.as_deref().ok_or_else(|| Failure::usage("expected --contract FILE"))?;
    let contract = settings::contract(path, &note)?;
    let named = Named { contract, source: format!("file:{}", path.display()) };
    let call = Call { args, outlet: &outlet };
    if args.verdicts.is_some() { files::promote(&call, &named, &note) } else { live::promote(&call, &named) }
}

/// The flags, and where the decision goes.
struct Call<'a> {
    args: &'a PromoteArgs,
    outlet: &'a Outlet<'a>,
}

/// A contract with the place it was read from.
struct Named {
    contract: Contract,
    source: String,
}

/// What counts as what: as in a calibration without flags, so that no setting can be chosen to suit the judge.
fn counting(args: &PromoteArgs) -> Counting {
    let mut counting = default_counting();
    counting.sampling.resampling = args.resampling.resampling();
    counting
}

/// The decision, with the flags that add to the evidence.
fn decided(args: &PromoteArgs, contract: &Contract, evidence: &mut Evidence) -> Decision {
    if let Some(path) = &args.review_path {
        evidence.review_path = Some(path.clone());
    }
    decide(contract, evidence)
}

/// Writes and prints what was decided.
fn finish(
    call: &Call<'_>,
    named: &Named,
    gathered: &Gathered,
    decision: &Decision,
    outcome: &Outcome,
) -> Result<Exit, Failure> {
    let (contract, source) = (&named.contract, named.source.as_str());
    let document = document(&PromotionShown { contract, source, decision, gathered, outcome });
    let exit = if decision.is_met() { Exit::Done } else { Exit::No };
    call.outlet.end(&document, Ended { exit, words: Vec::new() })
}

/// A probing that was read from a file: what it came to, and the whole document.
fn probing_file(path: &Path) -> Result<(ProbeRecord, Value), Failure> {
    let named = format!("probes {}", path.display());
    let usage = |problem: String| Failure::usage(format!("{named}: {problem}"));
    let text = std::fs::read_to_string(path).map_err(|error| Failure::unreadable(&named, &error))?;
    let record = ProbeRecord::read(&text).map_err(|error| usage(error.to_string()))?;
    let document = serde_json::from_str(&text).map_err(|error| usage(error.to_string()))?;
    Ok((record, document))
}

/// What is wrong with a probing of some probes.
fn partial(document: &Value, path: &Path) -> Option<String> {
    let is_partial = document["only"].as_array().is_some_and(|only| !only.is_empty());
    is_partial.then(|| format!("the probing in {} is of some probes only, and all must pass", path.display()))
}
