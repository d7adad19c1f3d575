//! An answer whose parts stand where a map says, for dialects that need no more than that.

use serde::Deserialize;

use super::super::{Completion, Finish, TokenProbability, Usage};
use super::{EnvelopeFault, TOKENS_MAX, append, body_json, body_text, error_in, finish_of, names, not_json};
use crate::json::Json;

/// Where the parts of an answer stand: JSON pointers in which `*` is every element of a list. An element that says it is
/// a thought, or of a type that is no text, is passed over.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerMap {
    /// The text.
    pub text: String,
    /// The words of a refusal.
    #[serde(default)]
    pub refusal: Option<String>,
    /// Why it ended: the first of these that is there.
    pub finish: Vec<String>,
    /// The word that means a complete answer, where it is none of the usual ones.
    #[serde(default)]
    pub complete: Option<String>,
    /// Why the prompt was blocked, where it was.
    #[serde(default)]
    pub blocked: Option<String>,
    /// Tokens read, which are added up. The first must be there.
    pub input: Vec<String>,
    /// Tokens written, in the same way.
    pub output: Vec<String>,
    /// Of the tokens read, those that came from a cache.
    #[serde(default)]
    pub cached: Option<String>,
    /// The service tier.
    #[serde(default)]
    pub tier: Option<String>,
    /// The model.
    pub model: String,
    /// The answer's id.
    #[serde(default)]
    pub id: Option<String>,
    /// The texts of its tokens and their log probabilities, in the same order.
    #[serde(default)]
    pub tokens: Option<[String; 2]>,
}

/// Reads the body of an answer by its map.
pub fn mapped(body: &[u8], map: &AnswerMap) -> Result<Completion, EnvelopeFault> {
    let (value, repairs) = body_json(body_text(body)?).map_err(|error| not_json(&error))?;
    if let Some(fault) = error_in(&value) {
        return Err(fault);
    }
    let texts = |pointer: &Option<String>| {
        let found = pointer.iter().flat_map(|pointer| values(&value, pointer));
        found.filter_map(Json::as_str).fold(None, |mut all, piece| {
            append(&mut all, piece);
            all
        })
    };
    let finish = map.finish.iter().find_map(|pointer| {
        let reason = values(&value, pointer).first().copied();
        if map.complete.is_some() && reason.and_then(Json::as_str) == map.complete.as_deref() {
            return Some(Finish::Stop);
        }
        let found = finish_of(reason);
        (found != Finish::Missing).then_some(found)
    });
    let text = texts(&Some(map.text.clone()));
    let finish = match texts(&map.blocked) {
        Some(_) => Finish::ContentFilter,
        None if text.is_none() && finish.is_none() => return Err(EnvelopeFault::NoChoice),
        None => finish.unwrap_or_default(),
    };
    let sum = |pointers: &[String]| {
        let mut counts = pointers.iter().map(|pointer| values(&value, pointer).first()?.as_u64());
        let sum = counts.next()??.checked_add(counts.flatten().sum())?;
        (sum <= TOKENS_MAX).then_some(sum)
    };
    Ok(Completion {
        text,
        finish,
        refusal: texts(&map.refusal),
        model: texts(&Some(map.model.clone())),
        response_id: texts(&map.id),
        usage: sum(&map.input).zip(sum(&map.output)).map(|(input, output)| {
            let cached = map.cached.as_ref().and_then(|pointer| values(&value, pointer).first()?.as_u64());
            Usage::new(input, output).cached(cached.unwrap_or_default(), 0)
        }),
        tier: texts(&map.tier),
        tokens: map.tokens.iter().flat_map(|pointers| tokens(&value, pointers)).collect(),
        repairs: names(&repairs),
        ..Completion::default()
    })
}

fn tokens(value: &Json, [texts, logprobs]: &[String; 2]) -> Vec<TokenProbability> {
    let both = values(value, texts).into_iter().zip(values(value, logprobs));
    both.map_while(|(text, logprob)| TokenProbability::read(text, logprob)).collect()
}

/// Every value that `pointer` leads to.
fn values<'j>(value: &'j Json, pointer: &str) -> Vec<&'j Json> {
    let mut found = vec![value];
    for step in pointer.split('/').skip(1) {
        let inner = found.into_iter().flat_map(|value| match (value.as_array(), step) {
            (Some(items), "*") => items.iter().filter(|item| is_text(item)).collect(),
            (Some(items), index) => {
                index.parse().ok().and_then(|at: usize| items.get(at)).into_iter().collect()
            }
            (None, key) => value.get(key).into_iter().collect::<Vec<_>>(),
        });
        found = inner.collect();
    }
    found
}

fn is_text(item: &Json) -> bool {
    let kind = item.get("type").and_then(Json::as_str);
    kind.is_none_or(|kind| ["message", "output_text", "refusal"].contains(&kind))
        && item.get("thought") != Some(&Json::Bool(true))
}
