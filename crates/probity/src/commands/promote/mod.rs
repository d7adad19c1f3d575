//! `probity promote`: whether a judge may gate a release, and if not, exactly why.
//!
//! Evidence is gathered from the store, by asking, or from files; `probity-core` decides. What was earned is kept in
//! the store where all evidence comes from there. Files give an answer, and nothing is recorded.

mod files;
pub(super) mod live;
mod report;
mod revoke;

use std::path::Path;

use probity_core::calibrate::{Calibration, Counting};
use probity_core::probe::ProbeRecord;
use probity_core::promote::{Contract, Decision, Evidence, Parts, decide};
use serde_json::{Value, json};

use super::outlet::Outlet;
use super::session::Ended;
use crate::args::{PromoteArgs, default_counting};
use crate::exit::{Exit, Failure};
use crate::render::promotion::{PromotionShown, document};
use crate::render::report::appendix::Appendix;
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
    let path = args.contract.as_deref().ok_or_else(|| Failure::usage("expected --contract and a file"))?;
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

/// What a decision rests on, whoever gathered it.
struct Gathered {
    /// What was measured.
    evidence: Evidence,
    /// The judge, for machines.
    judge: Value,
    /// The judge and what it was measured by, for people.
    name: String,
    /// What a standing would be bound to.
    bound: Parts,
    /// What to retain, by section.
    sections: report::Sections,
    /// How far the judge says what people say.
    calibration: Calibration,
    /// What it was made with, for people.
    appendix: Appendix,
    /// What a reader has to know about the judge's answers.
    warnings: Vec<String>,
}

/// What becomes of a decision.
struct Outcome {
    /// Why the judge has the standing that it has.
    reason: String,
    /// What the store holds of it now.
    recorded: Recorded,
}

/// What the store holds of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recorded {
    /// The judge is promoted.
    Promoted,
    /// An earlier standing is withdrawn.
    Withdrawn,
    /// Nothing.
    Nothing,
}

impl Outcome {
    /// An answer that files give: what the judge would be, and why nothing was recorded.
    fn of_files(decision: &Decision, files: &[String]) -> Outcome {
        let would = if decision.is_met() {
            "would be promoted: the contract is met"
        } else {
            "the contract is not met"
        };
        let files = files.join(" and ");
        let reason = format!(
            "{would}; nothing was recorded, because a standing rests on the store alone and not on {files}"
        );
        Outcome { reason, recorded: Recorded::Nothing }
    }

    /// What the judge has earned by this decision.
    fn standing(&self) -> &'static str {
        if self.recorded == Recorded::Promoted { "promoted" } else { "advisory" }
    }
}

/// What counts as what: as in a calibration without flags, so that nobody chooses what suits the judge.
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
    let met = decision.is_met();
    let contract = &named.contract;
    let mut json = decision.to_json();
    json["standing"] = json!(outcome.standing());
    json["standing_reason"] = json!(outcome.reason);
    json["met"] = json!(met);
    json["recorded"] = json!(outcome.recorded != Recorded::Nothing);
    json["contract"] = json!({
        "name": contract.name,
        "version": contract.version,
        "owner": contract.owner,
        "hash": contract.hash,
        "source": named.source,
    });
    json["judge"] = gathered.judge.clone();
    json["as_of"] = json!(gathered.evidence.now.to_string());
    json["valid_until"] =
        json!(contract.ends(gathered.evidence.now).filter(|_| met).map(|end| end.to_string()));
    json["bound"] = json!(gathered.bound);
    json["report"] = gathered.sections.to_json(contract, decision, outcome);
    let document = document(PromotionShown {
        contract,
        judge: &gathered.name,
        decision,
        standing: outcome.standing(),
        reason: &outcome.reason,
        kept: match outcome.recorded {
            Recorded::Promoted => "recorded in the store",
            Recorded::Withdrawn => "an earlier standing was withdrawn in the store",
            Recorded::Nothing => "nothing was recorded",
        },
        bound: &gathered.bound,
        calibration: &gathered.calibration,
        appendix: &gathered.appendix,
        warnings: &gathered.warnings,
        json,
    });
    let exit = if met { Exit::Done } else { Exit::No };
    call.outlet.end(&document, Ended { exit, words: Vec::new() })
}

/// A probing that was read from a file: what it came to, and the whole document.
fn probing_file(path: &Path) -> Result<(ProbeRecord, Value), Failure> {
    let usage = |problem: String| Failure::usage(format!("probes {}: {problem}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| usage(format!("cannot be read: {error}")))?;
    let record = ProbeRecord::read(&text).map_err(|error| usage(error.to_string()))?;
    let document = serde_json::from_str(&text).map_err(|error| usage(error.to_string()))?;
    Ok((record, document))
}

/// What is wrong with a probing of some probes.
fn partial(document: &Value, path: &Path) -> Option<String> {
    let is_partial = document["only"].as_array().is_some_and(|only| !only.is_empty());
    is_partial.then(|| format!("the probing in {} is of some probes only, and all must pass", path.display()))
}
