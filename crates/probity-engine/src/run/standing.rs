//! What a judge has earned, looked up for an output: the records of the store against what is in use now.
//!
//! Labels and contract are read again from where they were; whatever cannot be read has changed. The clock is
//! read for one thing, whether a standing has ended, and a date in the settings takes its place.
//!
//! What always holds: a record that cannot be read promotes no judge.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::SystemTime;

use probity_core::case::Moment;
use probity_core::json::{self, Json};
use probity_core::probe::{ProbeOutcome, ProbeRecord};
use probity_core::promote::{About, Parts, Seen, Standing, StandingRecord, standing as decided};
use probity_core::results::{Facts, Members, RunResults, SummaryRecord};
use probity_core::rubric::Rubric;

use super::Ran;
use super::asking::Asking;
use super::job::told_parts;
use crate::config::LeftOut;
use crate::judge::file_digest;
use crate::ledger::{JudgeId, Reader, RunId, RunRecord, Store, StoreError};

/// A day in UTC.
const SECONDS_PER_DAY: u64 = 86_400;
/// Where the store keeps what judges have earned.
const NOTE: &str = "standings";
/// What the store itself is called among the sources of parts.
const STORE: &str = "store";
/// What a part is called that cannot be read.
const MISSING: &str = "missing";
/// What stands for a name that no answer had.
const UNNAMED: &str = "none";
/// What stands for a rule whose findings block.
const BLOCKS: &str = "block";
/// What stands for one whose findings do not.
const DOES_NOT_BLOCK: &str = "no block";

/// What an output was made with.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Who was asked, and how.
    pub asking: &'a Asking,
    /// By what.
    pub rubric: &'a Rubric,
    /// The rules of the gate whose findings blocked.
    pub blocking: &'a BTreeSet<String>,
}

/// The moment that counts: the one in the settings, or the clock's.
pub fn now(asking: &Asking) -> Moment {
    asking.config.gate.as_of.unwrap_or_else(clock)
}

/// The clock's day, which is as close as standings are dated.
pub fn clock() -> Moment {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let days = i64::try_from(since.as_secs() / SECONDS_PER_DAY).unwrap_or(i64::MAX);
    Moment::from_seconds(days.saturating_mul(SECONDS_PER_DAY.cast_signed()))
        .expect("the clock is in a year of four digits")
}

impl Subject<'_> {
    /// What the judge of `ran` has earned, given what it said about itself.
    pub fn standing(&self, reader: &Reader, ran: &Ran, facts: &Facts) -> Result<Standing, StoreError> {
        let records = match records(reader)? {
            Ok(records) => records,
            Err(problem) => return Ok(Standing::advisory(problem)),
        };
        if records.is_empty() {
            return Ok(Standing::default());
        }
        let own = self.own_parts(reader, &ran.judge_id)?;
        let kind = own.get("judge.kind").cloned().unwrap_or_default();
        let about = About { judge: ran.judge_id.as_str(), kind: &kind, rubric: self.rubric.name() };
        let current = |record: &StandingRecord| {
            let mut parts = own.clone();
            let bound = record.parts.keys().filter(|part| !own.contains_key(*part));
            for part in bound.filter(|part| !part.starts_with("judge.")) {
                parts.insert(part.clone(), self.part(record, part, reader));
            }
            parts.extend(other("fingerprint", record, facts.judge.fingerprints.as_ref()));
            parts.extend(other("answered_as", record, Some(&facts.judge.answered_as)));
            parts
        };
        Ok(decided(&records, &about, now(self.asking), &current))
    }

    /// The parts that every standing is bound to: all that makes the judge, the rubric, and how many criteria go
    /// into one call.
    pub fn own_parts(&self, reader: &Reader, judge: &JudgeId) -> Result<Parts, StoreError> {
        let registered = reader.judges()?.into_iter().find(|(id, _)| id == judge);
        let identity = registered.map(|(_, identity)| identity);
        let identity = identity.unwrap_or_else(|| self.asking.identity(&LeftOut::default()));
        let mut parts = Parts::new();
        if let Ok(Json::Object(members)) = json::parse(&identity) {
            for (name, value) in members.iter() {
                let value = value.as_str().map_or_else(|| value.canonical(), str::to_owned);
                parts.insert(format!("judge.{name}"), value);
            }
        }
        parts.insert("rubric".to_owned(), self.rubric.hash().to_owned());
        // Criteria that are asked about together are another question than each by itself.
        parts.insert("run.call_plan".to_owned(), self.asking.config.run.call_plan.name().to_owned());
        Ok(parts)
    }

    /// What a bound part is now.
    fn part(&self, record: &StandingRecord, part: &str, reader: &Reader) -> String {
        if let Some(rule) = part.strip_prefix("gate.") {
            return if self.blocking.contains(rule) { BLOCKS } else { DOES_NOT_BLOCK }.to_owned();
        }
        // What was said by the judge itself counts as before unless it said otherwise.
        let as_before = || record.parts.get(part).cloned().unwrap_or_default();
        evidence(record, part, reader).unwrap_or_else(as_before)
    }
}

/// What the judge of the results in a file has earned: what the store has on record for the run that wrote them,
/// where the judge has not lost it since. What the file says about it does not count.
pub fn of_results(reader: &Reader, file: &RunResults) -> Result<Standing, StoreError> {
    let SummaryRecord { rubric, facts: Facts { judge, definition, .. }, .. } = &file.summary;
    let mut told = definition.0.clone();
    told.sort();
    let made_it = |run: &&RunRecord| {
        let is_part =
            |name: &str, value: &String| run.manifest.parts.contains(&(name.to_owned(), value.clone()));
        let mut parts = told_parts(&run.manifest);
        parts.sort();
        parts == told && is_part("judge", &judge.id) && is_part("rubric", &rubric.hash)
    };
    let runs = reader.runs()?;
    let runs: Vec<RunId> = runs.iter().filter(made_it).map(|record| record.run).collect();
    let outcome = reader.outcomes()?.into_iter().rev().find(|outcome| runs.contains(&outcome.run));
    let said = outcome.and_then(|outcome| serde_json::from_str::<SummaryRecord>(&outcome.body).ok());
    match said.map(|summary| summary.facts.judge) {
        Some(said) if said.standing == "promoted" => {}
        Some(said) => return Ok(Standing::advisory(said.standing_reason)),
        None => return Ok(file.standing.clone()),
    }
    let records = match records(reader)? {
        Ok(records) => records,
        Err(problem) => return Ok(Standing::advisory(problem)),
    };
    let is_own = |record: &StandingRecord| {
        record.judge == judge.id && record.parts.get("rubric") == Some(&rubric.hash)
    };
    let records: Vec<StandingRecord> = records.into_iter().filter(is_own).collect();
    let about = About { judge: &judge.id, kind: &judge.kind, rubric: &rubric.name };
    let now = |record: &StandingRecord, (part, value): (&String, &String)| {
        (part.clone(), evidence(record, part, reader).unwrap_or_else(|| value.clone()))
    };
    let current = |record: &StandingRecord| record.parts.iter().map(|part| now(record, part)).collect();
    Ok(decided(&records, &about, clock(), &current))
}

/// What a bound part is now that is read again from where it was. `None` for all others.
fn evidence(record: &StandingRecord, part: &str, reader: &Reader) -> Option<String> {
    if let Some(source) = record.sources.get(part) {
        return Some(source_digest(source, reader).unwrap_or_else(|| MISSING.to_owned()));
    }
    let rubric = record.parts.get("rubric").filter(|_| part.starts_with("probes"))?;
    let probing =
        JudgeId::parse(&record.judge).ok().and_then(|judge| probing(reader, &judge, rubric).ok()?);
    let parts = probing.map(|probing| probe_parts(&probing)).unwrap_or_default();
    Some(parts.get(part).cloned().unwrap_or_else(|| MISSING.to_owned()))
}

/// The parts that bind a standing to the model that answered. None where several did.
pub fn answer_parts(seen: &Seen) -> Parts {
    let only = |part: &str, names: &[String]| match names {
        [] => Some((part.to_owned(), UNNAMED.to_owned())),
        [only] => Some((part.to_owned(), only.clone())),
        _ => None,
    };
    only("answered_as", &seen.models).into_iter().chain(only("fingerprint", &seen.fingerprints)).collect()
}

/// The parts that bind a standing to the rules which must block.
pub fn gate_parts(blocking: &[&'static str]) -> Parts {
    blocking.iter().map(|rule| (format!("gate.{rule}"), BLOCKS.to_owned())).collect()
}

/// The parts that bind a standing to a probing: what was asked, and which probes did not pass.
pub fn probe_parts(probing: &ProbeRecord) -> Parts {
    let is_good = |outcome| matches!(outcome, ProbeOutcome::Pass | ProbeOutcome::NotApplicable);
    let bad = probing.lines.iter().filter(|line| !is_good(line.outcome));
    let bad: BTreeSet<&str> = bad.map(|line| line.name.as_str()).collect();
    let bad = if bad.is_empty() { "none".to_owned() } else { bad.into_iter().collect::<Vec<_>>().join(", ") };
    Parts::from([("probes".to_owned(), probing.battery.clone()), ("probes.not_passed".to_owned(), bad)])
}

/// The last probing of a judge under the rubric of this hash. One that cannot be read is none.
pub fn probing(
    reader: &Reader,
    judge: &JudgeId,
    rubric_hash: &str,
) -> Result<Option<ProbeRecord>, StoreError> {
    let text = reader.noted(&format!("probe:{judge}:{rubric_hash}"))?;
    Ok(text.and_then(|text| ProbeRecord::read(&text).ok()))
}

/// The digest of what `source` holds now: of a file's bytes, or of the labels in the store. `None` where it cannot
/// be read.
fn source_digest(source: &str, reader: &Reader) -> Option<String> {
    match source.strip_prefix("file:") {
        Some(path) => file_digest(Path::new(path)).ok(),
        None if source == STORE => reader.labels_digest().ok(),
        None => None,
    }
}

/// The records of a store, or what is wrong with them.
pub fn records(reader: &Reader) -> Result<Result<Vec<StandingRecord>, String>, StoreError> {
    Ok(match reader.noted(NOTE)? {
        None => Ok(Vec::new()),
        Some(text) => StandingRecord::read_all(&text)
            .map_err(|error| format!("the standings in the store cannot be read: {error}")),
    })
}

/// Keeps these records in place of those that were there.
pub fn keep(store: &Store, records: &[StandingRecord]) -> Result<(), StoreError> {
    store.note(NOTE, &StandingRecord::write_all(records))
}

/// What a judge called itself, where a record is bound to another name. Nothing where it said nothing.
fn other(part: &str, record: &StandingRecord, seen: Option<&Members<u64>>) -> Option<(String, String)> {
    let bound = record.parts.get(part)?;
    let other = seen?.names().find(|name| bound != name)?;
    Some((part.to_owned(), other.to_owned()))
}
