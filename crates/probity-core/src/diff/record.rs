//! A results file, read back.
//!
//! The file may have been edited, cut or mistaken for another; whatever is not as a run writes it is an error
//! that says where. What always holds: a row has a level or a cause for each criterion unless it is blocked, and
//! every level is on the criterion's scale.

use super::definition::RunDefinition;
use super::row::{Row, RowLevel, row};
use crate::json::{Json, JsonError, JsonProblem, Object, parse};

/// A criterion and the levels it can take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriterionScale {
    /// Names it.
    pub id: String,
    /// Its levels, as the summary lists them.
    pub levels: Vec<i64>,
}

impl CriterionScale {
    /// How far a level can move.
    pub fn span(&self) -> f64 {
        let ends = self.levels.iter().min().zip(self.levels.iter().max());
        ends.map_or(0.0, |(min, max)| max.saturating_sub(*min) as f64)
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResults {
    /// What it was made of.
    pub definition: RunDefinition,
    /// The rubric's criteria, in its order.
    pub criteria: Vec<CriterionScale>,
    /// The replies, in the order of the input.
    pub rows: Vec<Row>,
    /// Whether there is a pass rate: the rubric has a pass rule, and something could be rated by it.
    pub rated: Rated,
    /// What the run said a reader must know before believing it.
    pub warnings: Vec<String>,
}

/// Whether a run has a pass rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rated {
    /// It has one.
    Yes,
    /// The rubric has no pass rule, or nothing was scored or blocked.
    No,
}

/// Why a text is not a results file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON.
    #[error("not a results file: line {line}: {problem}")]
    NotJson {
        /// Where, from 1.
        line: usize,
        /// What is wrong there.
        problem: JsonProblem,
    },
    /// It is JSON, and something else.
    #[error("not a results file: expected an object with `results` and `summary`, found {found}")]
    SomethingElse {
        /// What it is.
        found: String,
    },
    /// The summary is not as a run writes it.
    #[error("`summary`: {problem}")]
    Summary {
        /// What is wrong.
        problem: String,
    },
    /// A row is not as a run writes it.
    #[error("`results[{place}]`: {problem}")]
    Row {
        /// Its place, from 0.
        place: usize,
        /// What is wrong.
        problem: String,
    },
    /// Rows are missing, or too many.
    #[error("`results` has {rows} rows, and `summary` says {entered} entered")]
    Incomplete {
        /// Rows.
        rows: u64,
        /// Replies that the summary counts.
        entered: u64,
    },
}

/// Reads the text of a results file.
pub fn read(text: &str) -> Result<RunResults, ReadError> {
    let json = parse(text).map_err(|JsonError { problem, offset }| ReadError::NotJson {
        line: 1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count(),
        problem,
    })?;
    let (results, summary) = parts(&json)?;
    let fault = |problem: String| ReadError::Summary { problem };
    let definition = RunDefinition::read(summary).map_err(fault)?;
    let criteria = criteria(summary).map_err(fault)?;
    let entered = summary.get("entered").and_then(Json::as_u64);
    let entered = entered.ok_or_else(|| fault("`entered` is missing".to_owned()))?;
    let rows = results.iter().enumerate().map(|(place, json)| {
        let fault = |problem: String| ReadError::Row { place, problem };
        let row = row(json, criteria.iter().map(|criterion| criterion.id.as_str())).map_err(fault)?;
        on_scale(&row, &criteria).map_err(fault)?;
        Ok(row)
    });
    let rows: Vec<Row> = rows.collect::<Result<_, _>>()?;
    if rows.len() as u64 != entered {
        return Err(ReadError::Incomplete { rows: rows.len() as u64, entered });
    }
    let rated = match summary.get("pass_rate") {
        None | Some(Json::Null) => Rated::No,
        Some(_) => Rated::Yes,
    };
    let warnings = summary.get("warnings").and_then(Json::as_array).unwrap_or_default();
    let warnings = warnings.iter().filter_map(Json::as_str).map(str::to_owned).collect();
    Ok(RunResults { definition, criteria, rows, rated, warnings })
}

fn parts(json: &Json) -> Result<(&[Json], &Object), ReadError> {
    let else_found = |found: String| ReadError::SomethingElse { found };
    let object = json.as_object().ok_or_else(|| else_found(json.kind().to_owned()))?;
    let results = object.get("results").and_then(Json::as_array);
    let summary = object.get("summary").and_then(Json::as_object);
    results.zip(summary).ok_or_else(|| {
        let keys: Vec<String> = object.iter().take(5).map(|(key, _)| format!("`{key}`")).collect();
        else_found(if keys.is_empty() { "none of them".to_owned() } else { keys.join(", ") })
    })
}

fn criteria(summary: &Object) -> Result<Vec<CriterionScale>, String> {
    let criteria = summary.get("criteria").and_then(Json::as_object);
    let criteria = criteria.ok_or("`criteria` is missing")?;
    let scale = |(id, figures): (&str, &Json)| {
        let levels = figures.get("levels").and_then(Json::as_object);
        let levels = levels.ok_or_else(|| format!("criterion `{id}` has no `levels`"))?;
        let levels: Result<Vec<i64>, _> = levels.iter().map(|(level, _)| level.parse()).collect();
        let levels = levels.map_err(|_| format!("criterion `{id}` has a level that is no whole number"))?;
        Ok(CriterionScale { id: id.to_owned(), levels })
    };
    criteria.iter().map(scale).collect()
}

fn on_scale(row: &Row, criteria: &[CriterionScale]) -> Result<(), String> {
    for (criterion, level) in criteria.iter().zip(&row.levels) {
        if let RowLevel::Scored { level, .. } = level
            && !criterion.levels.contains(level)
        {
            return Err(format!("`{}` is at {level}, which is not on its scale", criterion.id));
        }
    }
    Ok(())
}
