//! Withdrawing what a judge has earned. The record stays, with the reason.

use probity_engine::run::standing::{keep, now, records};
use serde_json::json;

use super::super::session::{Watcher, open_for_writing};
use super::PromoteArgs;
use crate::exit::{Exit, Failure};
use crate::{settings, terminal};
use probity_engine::run::Observer as _;

/// Withdraws every standing of this kind of judge under the rubric.
pub(super) fn revoke(args: &PromoteArgs, reason: &str) -> Result<Exit, Failure> {
    if reason.trim().is_empty() {
        return Err(Failure::usage("--revoke: expected a reason, which stays on record"));
    }
    let watcher = Watcher::new(args.reading.quiet || args.reading.json);
    let note = |line: &str| watcher.notice(line);
    let (asking, rubric) = settings::asking(&args.judge, &args.reading, &note)?;
    let path = settings::store_path(&asking)?;
    if !path.exists() {
        return Err(Failure::usage(format!("there is no store at {}", path.display())));
    }
    let failed = |error| Failure::new(Exit::Store, &error);
    let store = open_for_writing(&path, &note)?;
    let found = records(&store.reader().map_err(failed)?).map_err(failed)?;
    let mut found = found.map_err(|problem| Failure { exit: Exit::Store, message: problem, hint: None })?;
    let kind = asking.judge.kind().name();
    let mut n_withdrawn = 0;
    for record in &mut found {
        let is_meant = record.kind() == kind && record.rubric() == rubric.name();
        if is_meant && record.withdrawn().is_none() {
            record.withdraw(now(&asking), reason.trim());
            n_withdrawn += 1;
        }
    }
    if n_withdrawn > 0 {
        keep(&store, &found).map_err(failed)?;
    }
    store.close().map_err(failed)?;
    if args.reading.json {
        let json = json!({ "withdrawn": n_withdrawn, "judge": kind, "rubric": rubric.name(), "reason": reason.trim() });
        terminal::deliver(
            &(serde_json::to_string_pretty(&json).expect("JSON values can be written") + "\n"),
        )?;
    } else {
        let standings =
            if n_withdrawn == 1 { "1 standing".to_owned() } else { format!("{n_withdrawn} standings") };
        terminal::print(&format!("withdrew {standings} of {kind} under rubric {}\n", rubric.name()));
    }
    if n_withdrawn == 0 {
        terminal::note(&format!(
            "no judge of kind {kind} has a standing under rubric {} to withdraw",
            rubric.name()
        ));
        return Ok(Exit::No);
    }
    Ok(Exit::Done)
}
