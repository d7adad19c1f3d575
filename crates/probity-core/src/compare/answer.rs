//! A judge's answer about one pair in one order, as the object it should be.
//!
//! The object has a `verdict`, one of `A`, `B`, `tie` and `needs_human_review` (A is the first slot), and
//! `evidence`, a list of texts. A verdict for one side rests on evidence or is none. Finding the object in an
//! answer's text is not done here.

use super::pass::Preference;
use crate::json::Json;

/// A valid answer about a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Which slot it prefers.
    pub preference: Preference,
    /// What it says in support. Not empty where it prefers a slot.
    pub evidence: Vec<String>,
}

/// Why an answer about a pair is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAnswer {
    /// The verdict is missing, no text, or none of the four.
    #[error("expected A, B, tie or needs_human_review as \"verdict\", found {found}")]
    Verdict {
        /// What stands there.
        found: String,
    },
    /// The evidence is no list, or not only texts.
    #[error("expected a list of texts as \"evidence\", found {found}")]
    Evidence {
        /// What stands there.
        found: String,
    },
    /// A side is preferred and nothing supports it.
    #[error("expected evidence for the verdict {verdict}, found none")]
    NoEvidence {
        /// The verdict.
        verdict: &'static str,
    },
}

impl Answer {
    /// Reads the object. Other members do not matter; nothing is corrected.
    pub fn read(json: &Json) -> Result<Answer, InvalidAnswer> {
        let (preference, verdict) = match json.get("verdict").and_then(Json::as_str) {
            Some("A") => (Preference::First, Some("A")),
            Some("B") => (Preference::Second, Some("B")),
            Some("tie") => (Preference::Tie, None),
            Some("needs_human_review") => (Preference::NeedsHumanReview, None),
            _ => return Err(InvalidAnswer::Verdict { found: found(json.get("verdict")) }),
        };
        let evidence = evidence(json.get("evidence"))?;
        match verdict {
            Some(verdict) if evidence.is_empty() => Err(InvalidAnswer::NoEvidence { verdict }),
            _ => Ok(Answer { preference, evidence }),
        }
    }
}

/// An absent list is an empty one.
fn evidence(json: Option<&Json>) -> Result<Vec<String>, InvalidAnswer> {
    let Some(json) = json else { return Ok(Vec::new()) };
    let texts = json.as_array().map(|items| items.iter().map(Json::as_str));
    let texts = texts.and_then(Iterator::collect::<Option<Vec<&str>>>);
    let texts = texts.ok_or_else(|| InvalidAnswer::Evidence { found: found(Some(json)) })?;
    Ok(texts.into_iter().map(str::to_owned).collect())
}

fn found(json: Option<&Json>) -> String {
    match json {
        None => "nothing".to_owned(),
        Some(Json::String(text)) => format!("{text:?}"),
        Some(Json::Array(items)) => {
            let odd = items.iter().find(|item| item.as_str().is_none());
            odd.map_or("an array".to_owned(), |item| format!("a list with {}", item.kind()))
        }
        Some(other) => other.kind().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, want: &Expect) {
        let read = match Answer::read(&crate::json::parse(text).expect("JSON")) {
            Ok(answer) => format!("{:?} {:?}", answer.preference, answer.evidence),
            Err(invalid) => invalid.to_string(),
        };
        want.assert_eq(&read);
    }

    #[test]
    fn the_four_verdicts() {
        check(r#"{"verdict":"A","evidence":["says when"]}"#, &expect![[r#"First ["says when"]"#]]);
        check(r#"{"verdict":"B","evidence":["a","b"],"note":1}"#, &expect![[r#"Second ["a", "b"]"#]]);
        check(r#"{"verdict":"tie","evidence":[]}"#, &expect!["Tie []"]);
        check(r#"{"verdict":"needs_human_review"}"#, &expect!["NeedsHumanReview []"]);
    }

    #[test]
    fn unknown_verdicts() {
        check(
            r#"{"verdict":"C","evidence":["x"]}"#,
            &expect![[r#"expected A, B, tie or needs_human_review as "verdict", found "C""#]],
        );
        check(
            r#"{"verdict":"a","evidence":["x"]}"#,
            &expect![[r#"expected A, B, tie or needs_human_review as "verdict", found "a""#]],
        );
        check(
            r#"{"verdict":1}"#,
            &expect![[r#"expected A, B, tie or needs_human_review as "verdict", found a number"#]],
        );
        check(
            r#"{"evidence":["x"]}"#,
            &expect![[r#"expected A, B, tie or needs_human_review as "verdict", found nothing"#]],
        );
        check(
            r#"["A"]"#,
            &expect![[r#"expected A, B, tie or needs_human_review as "verdict", found nothing"#]],
        );
    }

    #[test]
    fn evidence_of_the_wrong_type() {
        check(
            r#"{"verdict":"B","evidence":"B has a next action."}"#,
            &expect![[r#"expected a list of texts as "evidence", found "B has a next action.""#]],
        );
        check(
            r#"{"verdict":"tie","evidence":["x",2]}"#,
            &expect![[r#"expected a list of texts as "evidence", found a list with a number"#]],
        );
        check(
            r#"{"verdict":"tie","evidence":null}"#,
            &expect![[r#"expected a list of texts as "evidence", found null"#]],
        );
    }

    #[test]
    fn a_side_without_evidence() {
        check(
            r#"{"verdict":"A","evidence":[]}"#,
            &expect!["expected evidence for the verdict A, found none"],
        );
        check(r#"{"verdict":"B"}"#, &expect!["expected evidence for the verdict B, found none"]);
    }
}
