//! The runs of a store as a list.

use probity_core::results::SummaryRecord;
use probity_core::stats::Estimate;
use probity_engine::ledger::{RunOutcome, RunRecord};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::plain::plain;
use crate::render::figure::columns;

/// What `report --json` writes.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RunList {
    /// The runs in the order in which they were begun.
    runs: Vec<RunLine>,
}

/// What a list says about a run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RunLine {
    /// Its number.
    pub(crate) run: Option<u64>,
    /// When it was first complete, or was last tried.
    pub(crate) at: Option<String>,
    /// The command.
    pub(crate) command: String,
    /// The case files' names.
    pub(crate) files: String,
    /// The rubric.
    pub(crate) rubric: String,
    /// Who judged, or the target that wrote the replies.
    pub(crate) judge: String,
    /// How often the same cases were asked about, from 1.
    pub(crate) round: u64,
    /// `running`, `complete` or `incomplete`.
    pub(crate) state: &'static str,
    /// Only of `run`, under a rubric with a pass rule.
    pub(crate) pass_rate: Option<Estimate>,
}

impl RunList {
    /// The runs with what they came to.
    pub(crate) fn of(records: &[RunRecord], outcomes: &[RunOutcome]) -> RunList {
        let line = |record: &RunRecord| {
            RunLine::of(record, outcomes.iter().find(|outcome| outcome.run == record.run))
        };
        RunList { runs: records.iter().map(line).collect() }
    }
}

impl RunLine {
    /// The line of a run with what it came to, where that is on record.
    pub(crate) fn of(record: &RunRecord, outcome: Option<&RunOutcome>) -> RunLine {
        let scores = outcome.filter(|outcome| outcome.command == "run");
        let scores = scores.and_then(|outcome| serde_json::from_str::<SummaryRecord>(&outcome.body).ok());
        let part = |name: &str| {
            let found = record.manifest.parts.iter().find(|(part, _)| part == name);
            found.map(|(_, value)| value.clone())
        };
        let files = files(record);
        let name = &record.manifest.name;
        let (command, rest) = name.split_once(' ').unwrap_or((name, ""));
        let by = rest.strip_prefix(files.as_str()).unwrap_or(rest).trim().to_owned();
        // A target's replies are not scored: who wrote them stands where the judge does.
        let (rubric, judge) = if is_replies(record) {
            (String::new(), format!("target {by}"))
        } else {
            let judge = [part("judge.kind"), part("judge.model")].into_iter().flatten();
            (by, judge.collect::<Vec<_>>().join(" "))
        };
        RunLine {
            run: record.run.to_string().parse().ok(),
            at: outcome.map(|outcome| outcome.at.clone()),
            command: command.to_owned(),
            files,
            rubric,
            judge,
            round: part("round").and_then(|round| round.parse().ok()).unwrap_or(1),
            state: record.state.name(),
            pass_rate: scores.and_then(|summary| summary.all.pass_rate),
        }
    }
}

/// Whether a run holds what a target wrote.
pub(crate) fn is_replies(record: &RunRecord) -> bool {
    record.manifest.name.starts_with("replies ")
}

/// Whether a run is of `probity run`, with replies that were scored by themselves.
pub(crate) fn is_scored(record: &RunRecord) -> bool {
    record.manifest.name.starts_with("run ")
}

/// The names of a run's case files.
pub(crate) fn files(record: &RunRecord) -> String {
    let body: Option<Value> = serde_json::from_str(&record.manifest.body).ok();
    body.and_then(|body| body["files"].as_str().map(str::to_owned)).unwrap_or_default()
}

/// The list for people.
pub(crate) fn listed(list: &RunList) -> String {
    if list.runs.is_empty() {
        return "the store has no run\n".to_owned();
    }
    let names = ["run", "at", "command", "cases", "rubric", "judge", "state", "pass rate"];
    let mut rows: Vec<Vec<String>> = vec![names.map(str::to_owned).into()];
    let dash = || "–".to_owned();
    for line in &list.runs {
        let round = if line.round > 1 { format!(" (round {})", line.round) } else { String::new() };
        let rate = line.pass_rate.map(|rate| format!("{:.1} % of {}", 100.0 * rate.value, rate.n));
        rows.push(vec![
            line.run.map_or_else(dash, |run| run.to_string()),
            line.at.clone().unwrap_or_else(dash),
            line.command.clone(),
            plain(&line.files) + &round,
            plain(&line.rubric),
            plain(&line.judge),
            line.state.to_owned(),
            rate.unwrap_or_else(dash),
        ]);
    }
    let is_number = [false, true, true, true, true, true, true, true];
    columns(&rows, &is_number)
}
