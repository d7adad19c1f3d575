//! The runs of a store as a list.

use probity_engine::store::{RunOutcome, RunRecord};
use serde_json::{Value, json};

use crate::plain::plain;
use crate::render::figure::columns;

/// What a list says about a run.
struct Line {
    run: String,
    at: Option<String>,
    command: String,
    files: String,
    rubric: String,
    judge: String,
    round: Option<String>,
    state: &'static str,
    pass_rate: Value,
}

impl Line {
    fn of(record: &RunRecord, outcomes: &[RunOutcome]) -> Line {
        let outcome = outcomes.iter().find(|outcome| outcome.run == record.run);
        let body = outcome.and_then(|outcome| serde_json::from_str::<Value>(&outcome.body).ok());
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
        Line {
            run: record.run.to_string(),
            at: outcome.map(|outcome| outcome.at.clone()),
            command: command.to_owned(),
            files,
            rubric,
            judge,
            round: part("round"),
            state: record.state.name(),
            pass_rate: body.map_or(Value::Null, |body| body["pass_rate"].clone()),
        }
    }
}

/// Whether a run holds what a target wrote.
pub(super) fn is_replies(record: &RunRecord) -> bool {
    record.manifest.name.starts_with("replies ")
}

/// The names of a run's case files.
pub(super) fn files(record: &RunRecord) -> String {
    let body: Option<Value> = serde_json::from_str(&record.manifest.body).ok();
    body.and_then(|body| body["files"].as_str().map(str::to_owned)).unwrap_or_default()
}

/// The list for people.
pub(super) fn listed(records: &[RunRecord], outcomes: &[RunOutcome]) -> String {
    if records.is_empty() {
        return "the store has no run\n".to_owned();
    }
    let names = ["run", "at", "command", "cases", "rubric", "judge", "state", "pass rate"];
    let mut rows: Vec<Vec<String>> = vec![names.map(str::to_owned).into()];
    for record in records {
        let line = Line::of(record, outcomes);
        let round = line.round.map_or(String::new(), |round| format!(" (round {round})"));
        let rate = line.pass_rate["value"].as_f64().zip(line.pass_rate["n"].as_u64());
        let rate = rate.map_or("–".to_owned(), |(rate, n)| format!("{:.1} % of {n}", 100.0 * rate));
        rows.push(vec![
            line.run,
            line.at.unwrap_or_else(|| "–".to_owned()),
            line.command,
            plain(&line.files) + &round,
            plain(&line.rubric),
            plain(&line.judge),
            line.state.to_owned(),
            rate,
        ]);
    }
    columns(&rows)
}

/// The list for programs.
pub(super) fn listed_json(records: &[RunRecord], outcomes: &[RunOutcome]) -> Value {
    let line = |record: &RunRecord| {
        let line = Line::of(record, outcomes);
        json!({
            "run": line.run.parse::<u64>().ok(),
            "at": line.at,
            "command": line.command,
            "files": line.files,
            "rubric": line.rubric,
            "judge": line.judge,
            "round": line.round.and_then(|round| round.parse::<u64>().ok()).unwrap_or(1),
            "state": line.state,
            "pass_rate": line.pass_rate,
        })
    };
    json!({ "runs": records.iter().map(line).collect::<Vec<_>>() })
}
