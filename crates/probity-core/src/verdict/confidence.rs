//! How sure a judge is of what it decides, read from one of three places: the probabilities of the tokens that state the
//! decision, what the judge says of its own confidence, or what its host gives with the decision.
//!
//! It is a signal and nothing more. It changes no level, and labels say what it is worth.

use std::ops::Range;

use super::Completion;
use super::object::{CONFIDENCE, SCORE};
use super::preference::VERDICT;
use crate::json::Json;
use crate::packet::{AnswerForm, Ask};

/// A probability in parts per million, so that equal ones compare and add up as equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Confidence(u32);

impl Confidence {
    /// None at all.
    pub const NONE: Confidence = Confidence(0);
    /// No doubt at all.
    pub const WHOLE: Confidence = Confidence(1_000_000);

    /// So many parts per million, a million at most.
    pub fn of_ppm(ppm: u32) -> Option<Confidence> {
        (ppm <= Confidence::WHOLE.0).then_some(Confidence(ppm))
    }

    /// A share from 0 to 1. `None` for what is none.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a million is a count"
    )]
    pub fn of_share(share: f64) -> Option<Confidence> {
        (0.0..=1.0)
            .contains(&share)
            .then(|| Confidence((share * f64::from(Confidence::WHOLE.0)).round() as u32))
    }

    /// Parts per million.
    pub fn ppm(self) -> u32 {
        self.0
    }

    /// The share from 0 to 1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / f64::from(Confidence::WHOLE.0)
    }
}

/// A token of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenProbability {
    /// Its text.
    pub text: String,
    /// How probable it was after those before it.
    pub probability: Confidence,
}

impl TokenProbability {
    /// A token by its text and its log probability.
    pub(super) fn read(text: &Json, logprob: &Json) -> Option<TokenProbability> {
        let Json::Number(logprob) = logprob else { return None };
        // Rounding lifts some hosts' values slightly above zero.
        let probability = Confidence::of_share(logprob.parse::<f64>().ok()?.exp().min(1.0))?;
        Some(TokenProbability { text: text.as_str()?.to_owned(), probability })
    }
}

/// Where a judge's confidence is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfidenceSource {
    /// In the probabilities of the tokens that state the decision.
    Tokens,
    /// In its own words, as `confidence` of its answer, 0 to 100.
    Stated,
    /// In what its host gives with the decision.
    Given,
}

/// How sure an answer to `ask` is. `None` where that is not said, and for an answer that decides several things.
pub fn confidence(completion: &Completion, source: ConfidenceSource, ask: &Ask) -> Option<Confidence> {
    if ask.n_decisions() != 1 {
        return None;
    }
    match source {
        ConfidenceSource::Given => completion.confidence,
        ConfidenceSource::Stated => {
            let text = completion.tool.as_ref().map(|tool| tool.arguments.as_str());
            let text = text.or(completion.text.as_deref())?;
            let stated: f64 = text[value_of(text, CONFIDENCE)?].parse().ok()?;
            Confidence::of_share(stated / 100.0)
        }
        ConfidenceSource::Tokens => {
            let key = if ask.form() == AnswerForm::Preference { VERDICT } else { SCORE };
            of_tokens(completion.text.as_deref()?, &completion.tokens, key)
        }
    }
}

/// The probability of the tokens that `text` states its decision with: the product of theirs.
fn of_tokens(text: &str, tokens: &[TokenProbability], key: &str) -> Option<Confidence> {
    let stated = value_of(text, key)?;
    let (mut end, mut share) = (0, 1.0);
    for token in tokens {
        let start = end;
        end += token.text.len();
        // Tokens of another text say nothing about this one.
        (text.get(start..end)? == token.text).then_some(())?;
        if start < stated.end && stated.start < end {
            share *= token.probability.share();
        }
    }
    (end >= stated.end).then_some(share).and_then(Confidence::of_share)
}

/// Where the value of the last member called `key` stands in `text`, without quotes. The decision comes last in what a
/// judge is asked for.
fn value_of(text: &str, key: &str) -> Option<Range<usize>> {
    let quoted = format!("\"{key}\"");
    let after = text.rfind(&quoted)? + quoted.len();
    let value = text[after..].trim_start().strip_prefix(':')?.trim_start();
    let value = value.strip_prefix('"').unwrap_or(value);
    let start = text.len() - value.len();
    let length = value.find(|c: char| c == '"' || c == ',' || c == '}' || c.is_whitespace())?;
    (length > 0).then_some(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    fn tokens(all: &[(&str, f64)]) -> Vec<TokenProbability> {
        let token = |(text, share): &(&str, f64)| TokenProbability {
            text: (*text).to_owned(),
            probability: Confidence::of_share(*share).expect("a share"),
        };
        all.iter().map(token).collect()
    }

    #[track_caller]
    fn check(completion: &Completion, source: ConfidenceSource, want: Option<u32>) {
        let packet = fixture::packet(&["tone"], "Hello");
        assert_eq!(confidence(completion, source, packet.ask()).map(Confidence::ppm), want);
    }

    #[test]
    fn the_tokens_of_the_decision_count_and_no_others() {
        let text = r#"{"reasoning": "a \"score\": 2", "score": 4}"#;
        let answer = |tokens| Completion { text: Some(text.to_owned()), tokens, ..Completion::default() };
        let whole =
            [(r#"{"reasoning": "a \"score\": 2", "score"#, 0.1), ("\":", 0.9), (" 4", 0.8), ("}", 0.5)];
        check(&answer(tokens(&whole)), ConfidenceSource::Tokens, Some(800_000));
        // Tokens that end before the decision, or are those of another text, say nothing.
        check(&answer(tokens(&whole[..2])), ConfidenceSource::Tokens, None);
        check(&answer(tokens(&[("no", 0.9)])), ConfidenceSource::Tokens, None);
        check(&answer(Vec::new()), ConfidenceSource::Tokens, None);
    }

    #[test]
    fn a_word_of_several_tokens_is_as_probable_as_all_of_them() {
        let all = tokens(&[("{\"verdict\": \"t", 0.9), ("ie", 0.5), ("\"}", 0.1)]);
        let found = of_tokens("{\"verdict\": \"tie\"}", &all, VERDICT);
        assert_eq!(found.map(Confidence::ppm), Some(450_000));
    }

    #[test]
    fn what_a_judge_states_is_a_number_of_a_hundred() {
        for (stated, want) in [
            ("95", Some(950_000)),
            ("\"70\"", Some(700_000)),
            ("101", None),
            ("-1", None),
            ("high", None),
            ("NaN", None),
        ] {
            let text = format!("{{\"score\": 4, \"confidence\": {stated}}}");
            let completion = Completion { text: Some(text), ..Completion::default() };
            check(&completion, ConfidenceSource::Stated, want);
            check(&completion, ConfidenceSource::Given, None);
        }
    }

    #[test]
    fn an_answer_that_decides_several_things_has_no_one_confidence() {
        let packet = fixture::packet(&["tone", "clarity"], "Hello");
        let completion = Completion { confidence: Some(Confidence::WHOLE), ..Completion::default() };
        assert_eq!(confidence(&completion, ConfidenceSource::Given, packet.ask()), None);
        check(&completion, ConfidenceSource::Given, Some(1_000_000));
    }
}
