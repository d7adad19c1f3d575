//! A verdict on disk.
//!
//! A record is only data. It becomes a verdict again by being checked against what was asked, so a store that was
//! edited, or read with another rubric, cannot create a level.

use std::borrow::Cow;

use super::{Confidence, CriterionScore, Invalid, InvalidReason, Preference, Preferred, Statement, Verdict};
use crate::packet::{AnswerForm, Ask};
use crate::rubric::Criterion;

/// The version of the record's format.
const VERSION: u32 = 1;

/// A verdict as it is stored. It borrows the text that it is read from, or the verdict that it is made of.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictRecord<'a> {
    /// The version of this format, 1.
    v: u32,
    /// Empty where a preference was asked for.
    #[serde(borrow)]
    scores: Vec<ScoreRecord<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    preference: Option<PreferenceRecord>,
    /// Why criteria have no score, where those with one fail the reply by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rest: Option<RestRecord>,
    repairs: Vec<String>,
    suspicions: Vec<String>,
    model: Option<Cow<'a, str>>,
    /// In parts per million.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ScoreRecord<'a> {
    #[serde(borrow)]
    criterion: Cow<'a, str>,
    level: i64,
    #[serde(borrow)]
    reasoning: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    violations: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PreferenceRecord {
    verdict: String,
    evidence: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RestRecord {
    reason: String,
    detail: String,
}

/// Why a record is not a verdict about what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct BadVerdictRecord {
    /// What was asked for.
    pub expected: String,
    /// What the record has.
    pub found: String,
}

impl BadVerdictRecord {
    fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        BadVerdictRecord { expected: expected.into(), found: found.into() }
    }
}

impl<'a> From<&'a Verdict> for VerdictRecord<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        let score = |score: &'a CriterionScore| ScoreRecord {
            criterion: Cow::Borrowed(score.criterion.as_str()),
            level: score.level,
            reasoning: Cow::Borrowed(&score.reasoning),
            violations: score.violations.clone(),
        };
        VerdictRecord {
            v: VERSION,
            scores: verdict.scores().iter().map(score).collect(),
            preference: verdict.preferred().map(|preferred| PreferenceRecord {
                verdict: preferred.preference().name().to_owned(),
                evidence: preferred.evidence().to_vec(),
            }),
            rest: match &verdict.statement {
                Statement::Failing { rest: Invalid { reason, detail }, .. } => {
                    Some(RestRecord { reason: reason.name().to_owned(), detail: detail.clone() })
                }
                Statement::Levels(_) | Statement::Preference(_) => None,
            },
            repairs: verdict.repairs.clone(),
            suspicions: verdict.suspicions.clone(),
            model: verdict.model.as_deref().map(Cow::Borrowed),
            confidence: verdict.confidence.map(Confidence::ppm),
        }
    }
}

impl VerdictRecord<'_> {
    /// The record of a verdict that leaves a pair to a person, for this reason.
    pub fn for_person(reason: &str) -> VerdictRecord<'static> {
        VerdictRecord {
            v: VERSION,
            scores: Vec::new(),
            preference: Some(PreferenceRecord {
                verdict: Preference::NeedsHumanReview.name().to_owned(),
                evidence: vec![reason.to_owned()],
            }),
            rest: None,
            repairs: Vec::new(),
            suspicions: Vec::new(),
            model: None,
            confidence: None,
        }
    }

    /// The verdict, if the record answers exactly what `ask` asks.
    pub fn verdict(self, ask: &Ask) -> Result<Verdict, BadVerdictRecord> {
        if self.v != VERSION {
            let expected = format!("a verdict record of version {VERSION}");
            return Err(BadVerdictRecord::new(expected, format!("version {}", self.v)));
        }
        let statement = match (ask.form(), self.preference) {
            (AnswerForm::Levels, None) => match self.rest {
                None => Statement::Levels(levels(self.scores, &ask.criteria().iter().collect::<Vec<_>>())?),
                Some(rest) => failing(self.scores, rest, ask)?,
            },
            (AnswerForm::Preference, Some(record)) if self.scores.is_empty() => {
                Statement::Preference(preferred(record)?)
            }
            (AnswerForm::Levels, Some(_)) => return Err(BadVerdictRecord::new("levels", "something else")),
            (AnswerForm::Preference, _) => {
                return Err(BadVerdictRecord::new("a preference", "something else"));
            }
        };
        let model = self.model.map(Cow::into_owned);
        let confidence = self.confidence.map(|ppm| {
            let bad = || BadVerdictRecord::new("a confidence of a million parts at most", ppm.to_string());
            Confidence::of_ppm(ppm).ok_or_else(bad)
        });
        let (repairs, suspicions) = (self.repairs, self.suspicions);
        Ok(Verdict { statement, repairs, suspicions, model, confidence: confidence.transpose()? })
    }
}

/// Levels that fail the reply by themselves. The packet may have been answered for a rubric with other automatic
/// fails than those of `ask`: what does not fail here does not stand here.
fn failing(
    records: Vec<ScoreRecord<'_>>,
    rest: RestRecord,
    ask: &Ask,
) -> Result<Statement, BadVerdictRecord> {
    let RestRecord { reason, detail } = rest;
    let expected = "a reason why an answer cannot be used";
    let reason = InvalidReason::from_name(&reason)
        .ok_or_else(|| BadVerdictRecord::new(expected, format!("{reason:?}")))?;
    let is_named =
        |criterion: &&Criterion| records.iter().any(|score| score.criterion == criterion.id.as_str());
    let named: Vec<&Criterion> = ask.criteria().iter().filter(is_named).collect();
    let mut scores = levels(records, &named)?;
    scores.retain(|score| ask.fails_alone(&score.criterion, score.level));
    Ok(Statement::Failing { scores, rest: Invalid { reason, detail } })
}

/// A level for each of `criteria`, in that order, and for no other.
fn levels(
    records: Vec<ScoreRecord<'_>>,
    criteria: &[&Criterion],
) -> Result<Vec<CriterionScore>, BadVerdictRecord> {
    let expected = criteria.iter().map(|criterion| criterion.id.as_str());
    if !records.iter().map(|score| &*score.criterion).eq(expected.clone()) {
        let expected: Vec<&str> = expected.collect();
        let found: Vec<&str> = records.iter().map(|score| &*score.criterion).collect();
        return Err(BadVerdictRecord::new(format!("the criteria {expected:?}"), format!("{found:?}")));
    }
    let mut scores = Vec::with_capacity(records.len());
    for (score, criterion) in records.into_iter().zip(criteria) {
        if !criterion.scale.has(score.level) {
            let expected = format!("a level of the scale of {}", criterion.id);
            return Err(BadVerdictRecord::new(expected, score.level.to_string()));
        }
        let ScoreRecord { level, reasoning, violations, .. } = score;
        let is_known = |id: &String| criterion.violations.iter().any(|known| known.id == *id);
        if let Some(violation) = violations.iter().find(|id| !is_known(id)) {
            let expected = format!("the violations of {}", criterion.id);
            return Err(BadVerdictRecord::new(expected, format!("{violation:?}")));
        }
        let reasoning = reasoning.into_owned();
        scores.push(CriterionScore { criterion: criterion.id.clone(), level, reasoning, violations });
    }
    Ok(scores)
}

fn preferred(record: PreferenceRecord) -> Result<Preferred, BadVerdictRecord> {
    let PreferenceRecord { verdict, evidence } = record;
    let expected = "a verdict about two replies with its evidence";
    Preference::from_name(&verdict)
        .and_then(|preference| Preferred::new(preference, evidence))
        .ok_or_else(|| BadVerdictRecord::new(expected, format!("{verdict:?}")))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::packet::Packet;

    #[track_caller]
    fn check(record: &str, want: &str) {
        check_about(&fixture::packet(&["tone", "clarity"], "Hello"), record, want);
    }

    #[track_caller]
    fn check_about(packet: &Packet, record: &str, want: &str) {
        let got = match serde_json::from_str::<VerdictRecord<'_>>(record) {
            Ok(read) => match read.verdict(packet.ask()) {
                Ok(verdict) => {
                    let again = serde_json::to_string(&VerdictRecord::from(&verdict)).expect("serializable");
                    assert_eq!(again, record);
                    "verdict".to_owned()
                }
                Err(bad) => bad.to_string(),
            },
            Err(_) => "not a record".to_owned(),
        };
        assert_eq!(got, want, "{record}");
    }

    fn record(v: u32, first: &str, level: i64) -> String {
        format!(
            r#"{{"v":{v},"scores":[{{"criterion":"{first}","level":{level},"reasoning":"a"}},{{"criterion":"clarity","level":2,"reasoning":""}}],"repairs":["fence"],"suspicions":[],"model":"m"}}"#
        )
    }

    #[test]
    fn a_record_is_checked_against_what_was_asked() {
        check(&record(1, "tone", 4), "verdict");
        check(&record(2, "tone", 4), "expected a verdict record of version 1, found version 2");
        check(&record(1, "tone", 6), "expected a level of the scale of tone, found 6");
        check(
            &record(1, "speed", 4),
            r#"expected the criteria ["tone", "clarity"], found ["speed", "clarity"]"#,
        );
        check(
            r#"{"v":1,"scores":[],"repairs":[],"suspicions":[]}"#,
            r#"expected the criteria ["tone", "clarity"], found []"#,
        );
        check(r#"{"v":1,"scores":[],"repairs":[],"suspicions":[],"x":1}"#, "not a record");
        let sure =
            |ppm: u32| record(1, "tone", 4).replace("\"m\"}", &format!("\"m\",\"confidence\":{ppm}}}"));
        check(&sure(930_000), "verdict");
        check(&sure(1_000_001), "expected a confidence of a million parts at most, found 1000001");
    }

    #[test]
    fn n01_levels_that_fail_a_reply_are_checked_like_others() {
        let packet = fixture::failing_packet(&["tone", "clarity"], "clarity");
        let record = |criterion: &str, level: i64, reason: &str| {
            format!(
                r#"{{"v":1,"scores":[{{"criterion":"{criterion}","level":{level},"reasoning":"a"}}],"rest":{{"reason":"{reason}","detail":"tone"}},"repairs":[],"suspicions":[],"model":null}}"#
            )
        };
        check_about(&packet, &record("clarity", 1, "missing_criterion"), "verdict");
        check_about(
            &packet,
            &record("clarity", 1, "tired"),
            r#"expected a reason why an answer cannot be used, found "tired""#,
        );
        check_about(
            &packet,
            &record("clarity", 0, "missing_criterion"),
            "expected a level of the scale of clarity, found 0",
        );
        check_about(
            &packet,
            &record("speed", 1, "missing_criterion"),
            r#"expected the criteria [], found ["speed"]"#,
        );
        // The packet is the same for a rubric in which the level fails nothing.
        let other = fixture::packet(&["tone", "clarity"], "Hello");
        let stored = record("clarity", 1, "missing_criterion");
        let read: VerdictRecord<'_> = serde_json::from_str(&stored).expect("a record");
        assert_eq!(read.verdict(other.ask()).expect("a verdict").scores(), []);
    }

    #[test]
    fn a_preference_is_checked_against_what_was_asked() {
        let pair = fixture::pair("Hello", "Good day");
        let record = |verdict: &str, evidence: &str| {
            format!(
                r#"{{"v":1,"scores":[],"preference":{{"verdict":"{verdict}","evidence":[{evidence}]}},"repairs":[],"suspicions":[],"model":null}}"#
            )
        };
        check_about(&pair, &record("A", r#""a""#), "verdict");
        check_about(&pair, &record("tie", ""), "verdict");
        check_about(&pair, &record("needs_human_review", ""), "verdict");
        let bad =
            |word: &str| format!("expected a verdict about two replies with its evidence, found {word:?}");
        check_about(&pair, &record("C", r#""a""#), &bad("C"));
        check_about(&pair, &record("B", r#"" ""#), &bad("B"));
        check(&record("A", r#""a""#), "expected levels, found something else");
        let levels = &self::record(1, "tone", 4);
        check_about(&pair, levels, "expected a preference, found something else");
    }
}
