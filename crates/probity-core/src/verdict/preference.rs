//! What an answer about two replies says: which slot is better, and the evidence for it.
//!
//! The verdict is one of four words, exactly: a label in other letters, in brackets or in a sentence is not
//! turned into one. What always holds: a [`Preferred`] that decides for a slot has evidence with words in it.

use super::REASONING_BYTES_MAX;
use super::invalid::{Invalid, InvalidReason};
use super::object::{AnswerMembers, stored_reasoning};
use super::repair::{Repair, Repairs};
use crate::json::{Json, Object};
use crate::packet::PAIR_VERDICTS;

pub(super) const VERDICT: &str = "verdict";
const EVIDENCE: &str = "evidence";

crate::named! {
    /// What a judge said in one pass, in the terms it was asked in: slots. The names are those of [`PAIR_VERDICTS`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Preference {
        /// The reply in the first slot, A.
        First = "A",
        /// The reply in the second slot, B.
        Second = "B",
        /// Neither.
        Tie = "tie",
        /// A person should decide.
        NeedsHumanReview = "needs_human_review",
    }
}

impl Preference {
    /// Whether it is for one of the slots.
    pub fn is_decisive(self) -> bool {
        matches!(self, Preference::First | Preference::Second)
    }
}

/// A preference with what supports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preferred {
    preference: Preference,
    evidence: Vec<String>,
}

impl Preferred {
    /// `preference` with its evidence. `None` where it is for a slot and no evidence has a word.
    pub(super) fn new(preference: Preference, evidence: Vec<String>) -> Option<Preferred> {
        let is_supported = evidence.iter().any(|text| !text.trim().is_empty());
        (is_supported || !preference.is_decisive()).then_some(Preferred { preference, evidence })
    }

    /// Which slot.
    pub fn preference(&self) -> Preference {
        self.preference
    }

    /// What supports it, in the judge's words, [`REASONING_BYTES_MAX`] bytes at most in all.
    pub fn evidence(&self) -> &[String] {
        &self.evidence
    }
}

/// Whether `object` has a key that only a verdict about a pair would have.
pub(super) fn is_shaped(object: &Object) -> bool {
    let is_ours = |key: &str| key.eq_ignore_ascii_case(VERDICT) || key.eq_ignore_ascii_case(EVIDENCE);
    object.iter().any(|(key, _)| is_ours(key))
}

/// The verdict and the evidence in `object`, whatever the case of their keys and however they are listed, for
/// comparing two objects.
pub(super) fn verdict_and_evidence(object: &Object) -> Option<(&str, Vec<&str>)> {
    let find =
        |key: &str| object.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value);
    let evidence = match find(EVIDENCE) {
        Some(Json::Array(items)) => items.iter().filter_map(Json::as_str).collect(),
        Some(Json::String(text)) => vec![text.as_str()],
        _ => Vec::new(),
    };
    Some((find(VERDICT)?.as_str()?, evidence))
}

/// What the members say about two replies.
pub(super) fn preferred(members: &mut AnswerMembers<'_>) -> Result<Preferred, Invalid> {
    let Some(verdict) = members.take(VERDICT)? else {
        return Err(Invalid::new(InvalidReason::MissingVerdict, expected("nothing")));
    };
    let Some(word) = verdict.as_str() else {
        return Err(Invalid::new(InvalidReason::Type, expected(verdict.kind())));
    };
    let Some(preference) = Preference::from_name(word) else {
        return Err(Invalid::new(InvalidReason::UnknownVerdict, expected(&format!("{word:?}"))));
    };
    let evidence = members.take(EVIDENCE)?.map_or(Ok(Vec::new()), texts)?;
    let evidence = stored(&evidence, members.repairs_mut());
    Preferred::new(preference, evidence).ok_or_else(|| {
        let detail = format!("expected evidence for the verdict {word}, found none with words");
        Invalid::new(InvalidReason::MissingEvidence, detail)
    })
}

fn expected(found: &str) -> String {
    format!("expected one of {} as \"{VERDICT}\", found {found}", PAIR_VERDICTS.join(", "))
}

fn texts(json: &Json) -> Result<Vec<&str>, Invalid> {
    let wrong = |found: &str| {
        let detail = format!("expected a list of texts as \"{EVIDENCE}\", found {found}");
        Invalid::new(InvalidReason::Type, detail)
    };
    let items = json.as_array().ok_or_else(|| wrong(json.kind()))?;
    let text = |item| Json::as_str(item).ok_or_else(|| wrong(&format!("a list with {}", item.kind())));
    items.iter().map(text).collect()
}

/// The evidence as it is stored: no NUL, at most [`REASONING_BYTES_MAX`] bytes over all texts.
fn stored(texts: &[&str], repairs: &mut Repairs) -> Vec<String> {
    let mut left = REASONING_BYTES_MAX;
    let mut kept = Vec::with_capacity(texts.len());
    for text in texts {
        let mut text = stored_reasoning(text, repairs);
        if text.len() > left {
            text.truncate(text.floor_char_boundary(left));
            repairs.insert(Repair::ReasoningCapped.name());
        }
        left -= text.len();
        kept.push(text);
        if left == 0 {
            break;
        }
    }
    if kept.len() < texts.len() {
        repairs.insert(Repair::ReasoningCapped.name());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_packets() {
        let names = Preference::ALL.map(Preference::name);
        assert_eq!(names, PAIR_VERDICTS);
        for preference in Preference::ALL {
            assert_eq!(Preference::from_name(preference.name()), Some(preference));
        }
        assert_eq!(Preference::from_name("a"), None);
    }

    #[track_caller]
    fn check(lengths: &[usize], kept: &[usize], want: &[&str]) {
        let texts: Vec<String> = lengths.iter().map(|n| "x".repeat(*n)).collect();
        let mut repairs = Repairs::new();
        let stored = stored(&texts.iter().map(String::as_str).collect::<Vec<_>>(), &mut repairs);
        assert_eq!(stored.iter().map(String::len).collect::<Vec<_>>(), kept);
        assert_eq!(repairs.into_iter().collect::<Vec<_>>(), want);
    }

    #[test]
    fn evidence_is_cut_only_beyond_the_most_that_is_kept() {
        check(&[3, 0, 4], &[3, 0, 4], &[]);
        check(&[REASONING_BYTES_MAX], &[REASONING_BYTES_MAX], &[]);
        check(&[REASONING_BYTES_MAX - 1, 2], &[REASONING_BYTES_MAX - 1, 1], &["reasoning_capped"]);
        check(&[REASONING_BYTES_MAX, 2], &[REASONING_BYTES_MAX], &["reasoning_capped"]);
    }
}
