//! How sure the mock judge is of what it says, in each of the ways in which judges are asked: by the probabilities of its
//! tokens, by its own word, or by those of a host that gives them with every decision.

use serde_json::{Value, json};

use super::MockSettings;
use super::asked::JudgeRequest;

/// How sure it is where nothing speaks against that, and where something does.
const SURE: [f64; 2] = [0.97, 0.55];

/// Characters of a token.
const TOKEN_CHARS: usize = 3;

/// How sure the mock judge is of what it says about `asked`.
pub(crate) fn sure(settings: &MockSettings, asked: &JudgeRequest) -> f64 {
    SURE[usize::from(settings.unsure.as_ref().is_some_and(|text| asked.user.contains(text)))]
}

/// The tokens of an answer with their log probabilities: those of the decision are as probable as it is `sure`.
pub(crate) fn logprobs(text: &str, sure: f64) -> Value {
    let decided = ["\"score\":", "\"verdict\":\""].iter().find_map(|key| Some(text.rfind(key)? + key.len()));
    let mut content = Vec::new();
    let mut start = 0;
    let characters: Vec<char> = text.chars().collect();
    for token in characters.chunks(TOKEN_CHARS) {
        let token: String = token.iter().collect();
        let end = start + token.len();
        let is_decision = decided.is_some_and(|at| (start..end).contains(&at));
        content.push(json!({ "token": token, "logprob": if is_decision { sure.ln() } else { 0.0 } }));
        start = end;
    }
    json!({ "content": content })
}

/// The answers of Decisions to `questions`: what `said`, a verdict as JSON, decides is as probable as it is `sure`, and the
/// rest is shared out.
pub(crate) fn answers(questions: &[Value], said: &Value, sure: f64) -> Value {
    let answer = |question: &Value| {
        let name = question["name"].as_str().unwrap_or_default();
        let (kind, list, key) = match question["type"].as_str() {
            Some("choice") => ("choice", "choices", "value"),
            _ => ("score", "levels", "label"),
        };
        let decided = said.get(name).filter(|said| said.is_object()).unwrap_or(said);
        let decided = decided.get("verdict").or(decided.get("score")).cloned().unwrap_or_default();
        let decided = decided.as_str().map_or_else(|| decided.to_string(), str::to_owned);
        let all: Vec<&str> =
            question[list].as_array().into_iter().flatten().filter_map(|each| each[key].as_str()).collect();
        let rest = (1.0 - sure) / (all.len().max(2) - 1) as f64;
        let probability = |(place, word): (usize, &&str)| {
            let probability = if **word == decided { sure } else { rest };
            match kind {
                "choice" => json!({ "value": word, "probability": probability }),
                _ => json!({ "value": place, "label": word, "probability": probability }),
            }
        };
        let probabilities: Vec<Value> = all.iter().enumerate().map(probability).collect();
        json!({ "type": kind, "name": name, "probabilities": probabilities, "confidence": sure })
    };
    questions.iter().map(answer).collect()
}
