//! Withdrawing what a judge has earned. The record stays, with the reason.

use probity_engine::run::standing::{keep, now, records};
use serde_json::json;

use super::super::outlet::deliver;
use super::super::session::open_for_writing;
use crate::args::{AskArgs, PromoteArgs};
use crate::exit::{Exit, Failure};
use crate::render::figure::counted;
use crate::{settings, terminal};

/// Withdraws every standing of this kind of judge under the rubric.
pub(super) fn revoke(args: &PromoteArgs, reason: &str) -> Result<Exit, Failure> {
    if reason.trim().is_empty() {
        return Err(Failure::usage("--revoke: expected a reason, which stays on record"));
    }
    let AskArgs { judge, reading, .. } = &args.ask;
    let note = |line: &str| reading.say.note(line);
    let (asking, rubric) = settings::asking(judge, reading, &note)?;
    let path = settings::store_address(&asking)?;
    if !path.may_exist() {
        return Err(Failure::usage(format!("there is no store at {path}")));
    }
    let store = open_for_writing(&path, &note)?;
    let found = records(&store.reader()?)?;
    let mut found = found.map_err(Failure::store)?;
    let kind = asking.judge.kind().name();
    let mut n_withdrawn = 0;
    for record in &mut found {
        let is_meant = record.kind == kind && record.rubric == rubric.name();
        if is_meant && record.withdrawn.is_none() {
            record.withdraw(now(&asking), reason.trim());
            n_withdrawn += 1;
        }
    }
    if n_withdrawn > 0 {
        keep(&store, &found)?;
    }
    store.close()?;
    let (name, reason) = (rubric.name(), reason.trim());
    let json = json!({ "withdrawn": n_withdrawn, "judge": kind, "rubric": name, "reason": reason });
    let standings = counted(n_withdrawn, "standing");
    deliver(&reading.say, &json, || format!("withdrew {standings} of {kind} under rubric {name}\n"))?;
    if n_withdrawn == 0 {
        terminal::note(&format!("no judge of kind {kind} has a standing under rubric {name} to withdraw"));
        return Ok(Exit::No);
    }
    Ok(Exit::Done)
}
