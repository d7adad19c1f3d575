//! One reply of a results file.

use crate::json::{Json, Object};

/// What a reply came to, as results name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowOutcome {
    /// It passes.
    Pass,
    /// It was scored and does not pass.
    Fail,
    /// It was scored by a rubric without a pass rule.
    Scored,
    /// The gate blocked it.
    Blocked,
    /// At least one criterion has no level.
    Unscored,
}

impl RowOutcome {
    /// Every outcome, in the order in which changes are listed.
    pub const ALL: [RowOutcome; 5] =
        [RowOutcome::Pass, RowOutcome::Fail, RowOutcome::Scored, RowOutcome::Blocked, RowOutcome::Unscored];

    /// The name used in results.
    pub fn name(self) -> &'static str {
        match self {
            RowOutcome::Pass => "pass",
            RowOutcome::Fail => "fail",
            RowOutcome::Scored => "scored",
            RowOutcome::Blocked => "blocked",
            RowOutcome::Unscored => "unscored",
        }
    }

    /// Whether it passes, where that was decided: a blocked reply does not, an unscored one is unknown.
    pub fn passes(self) -> Option<bool> {
        match self {
            RowOutcome::Pass => Some(true),
            RowOutcome::Fail | RowOutcome::Blocked => Some(false),
            RowOutcome::Scored | RowOutcome::Unscored => None,
        }
    }
}

/// What a criterion of an admitted reply came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowLevel {
    /// A level and what was said about it.
    Scored {
        /// The level.
        level: i64,
        /// The reason.
        reasoning: String,
    },
    /// No level, for this cause.
    Unscored {
        /// The cause by name.
        cause: String,
    },
}

impl RowLevel {
    /// The level, where there is one.
    pub fn level(&self) -> Option<i64> {
        match self {
            RowLevel::Scored { level, .. } => Some(*level),
            RowLevel::Unscored { .. } => None,
        }
    }
}

/// One reply with what it came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The case's id.
    pub id: String,
    /// What wrote the reply.
    pub variant: Option<String>,
    /// The case's slice.
    pub slice: Option<String>,
    /// What it came to.
    pub outcome: RowOutcome,
    /// Points out of 100, where there are any.
    pub total: Option<f64>,
    /// One for each criterion of the rubric, in its order; empty when blocked.
    pub levels: Vec<RowLevel>,
    /// Why it failed or was blocked, or has no verdict.
    pub reasons: Vec<String>,
}

impl Row {
    /// The level of the criterion at `place`, where it has one.
    pub fn level(&self, place: usize) -> Option<i64> {
        self.levels.get(place).and_then(RowLevel::level)
    }
}

/// Reads a row of a run whose criteria are `criteria`.
pub(super) fn row<'c>(json: &Json, criteria: impl Iterator<Item = &'c str> + Clone) -> Result<Row, String> {
    let object = json.as_object().ok_or_else(|| format!("expected an object, found {}", json.kind()))?;
    let id = text(object, "id")?.ok_or("`id` is missing")?;
    let ending = text(object, "outcome")?.ok_or("`outcome` is missing")?;
    let outcome = RowOutcome::ALL.into_iter().find(|outcome| outcome.name() == ending).ok_or_else(|| {
        let names: Vec<&str> = RowOutcome::ALL.iter().map(|outcome| outcome.name()).collect();
        format!("`outcome` is {ending:?}, expected one of {}", names.join(", "))
    })?;
    let levels = match outcome {
        RowOutcome::Blocked => Vec::new(),
        _ => criteria.clone().map(|id| level(object, id)).collect::<Result<_, _>>()?,
    };
    let total = match object.get("total") {
        None | Some(Json::Null) => None,
        Some(Json::Number(text)) => {
            let total = text.parse().ok().filter(|total| (0.0..=100.0).contains(total));
            Some(total.ok_or_else(|| format!("`total` is {text}, expected 0 to 100"))?)
        }
        Some(other) => return Err(format!("`total` is {}, expected a number or null", other.kind())),
    };
    let reasons = reasons(object, outcome, criteria.zip(&levels));
    let (variant, slice) = (text(object, "variant")?, text(object, "slice")?);
    Ok(Row { id, variant, slice, outcome, total, levels, reasons })
}

fn text(object: &Object, name: &str) -> Result<Option<String>, String> {
    match object.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("`{name}` is {}, expected a string", other.kind())),
    }
}

fn level(object: &Object, criterion: &str) -> Result<RowLevel, String> {
    let value = object.get(criterion).ok_or_else(|| format!("`{criterion}` is missing"))?;
    let said = |name: &str| value.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    match value.get("score") {
        Some(Json::Number(text)) => {
            let level = text.parse();
            let level = level.map_err(|_| format!("`{criterion}` has the score {text}, expected a level"))?;
            Ok(RowLevel::Scored { level, reasoning: said("reasoning") })
        }
        Some(Json::Null) => Ok(RowLevel::Unscored { cause: said("unscored") }),
        _ => Err(format!("`{criterion}` has no `score`, expected a level or null")),
    }
}

fn reasons<'c, 'l>(
    object: &Object,
    outcome: RowOutcome,
    levels: impl Iterator<Item = (&'c str, &'l RowLevel)>,
) -> Vec<String> {
    let list = |value: Option<&Json>| value.and_then(Json::as_array).unwrap_or_default().to_vec();
    match outcome {
        RowOutcome::Pass | RowOutcome::Scored => Vec::new(),
        RowOutcome::Fail => {
            let reasons = list(object.get("fail_reasons"));
            reasons.iter().filter_map(Json::as_str).map(str::to_owned).collect()
        }
        RowOutcome::Blocked => {
            let findings = list(object.get("gate").and_then(|gate| gate.get("findings")));
            let blocking = findings.iter().filter(|finding| {
                finding.get("severity").and_then(Json::as_str).is_none_or(|severity| severity == "block")
            });
            blocking.filter_map(|finding| finding.get("rule")?.as_str()).map(str::to_owned).collect()
        }
        RowOutcome::Unscored => levels
            .filter_map(|(id, level)| match level {
                RowLevel::Scored { .. } => None,
                RowLevel::Unscored { cause } => Some(format!("{id}: {cause}")),
            })
            .collect(),
    }
}
