//! What the store knows about a run beyond its verdicts: calls, tokens, money, and who answered.

use probity_core::promote::Standing;
use probity_core::report::{Facts, JudgeFacts};
use probity_core::results::Tokens;
use probity_core::verdict::{ModelMatch, Patterns, model_match};

use super::Ran;
use super::asking::Asking;
use super::standing::{Subject, model_end, now};
use crate::config::Backend;
use crate::config::models::end_warning;
use crate::ledger::{Reader, StoreError, Totals};
use crate::schedule::budget::Money;

/// The facts of a run, with what its judge has earned.
pub(super) fn facts(subject: &Subject<'_>, reader: &Reader, ran: &Ran) -> Result<Facts, StoreError> {
    let mut facts = of_calls(subject.asking, reader, ran)?;
    let end = model_end(subject.asking, reader)?;
    let warning = end.and_then(|end| end_warning(&facts.judge.model, end, now(subject.asking)));
    facts.warnings.extend(warning);
    facts.judge.standing = subject.standing(reader, ran, &facts)?;
    Ok(facts)
}

/// What a reader should know about the judge's words. The lexical judge writes by template and says so.
pub(super) fn pattern_warnings(asking: &Asking, patterns: &Patterns) -> Vec<String> {
    if matches!(asking.judge.backend, Backend::Baseline) { Vec::new() } else { patterns.warnings() }
}

/// What the calls of a run came to.
fn of_calls(asking: &Asking, reader: &Reader, ran: &Ran) -> Result<Facts, StoreError> {
    let totals = match ran.run {
        Some(run) => reader.totals(&ran.judge_id, run)?,
        None => Totals::default(),
    };
    let chat = asking.judge.chat();
    let priced = match &asking.judge.backend {
        Backend::Chat(chat) => asking.config.price(chat).is_some(),
        Backend::Baseline | Backend::Recorded { .. } => true,
        // What a program spends, it alone knows.
        Backend::Command(_) => false,
    };
    let mut warnings = Vec::new();
    if totals.fingerprints.len() > 1 || totals.models.len() > 1 {
        let names = totals.models.iter().chain(&totals.fingerprints);
        let names: Vec<String> = names.map(|(name, n)| format!("{name} ({n})")).collect();
        warnings.push(format!("the judge changed during the run: {}", names.join(", ")));
    }
    if let Some(chat) = chat {
        let other: Vec<&str> = totals
            .models
            .keys()
            .map(String::as_str)
            .filter(|name| model_match(&chat.model, &chat.aliases, Some(name)) == ModelMatch::Other)
            .collect();
        if !other.is_empty() {
            warnings.push(format!("asked for {}, answered by {}", chat.model, other.join(", ")));
        }
    }
    for repeated in &totals.repeated_responses {
        let n = repeated.packets.len();
        warnings.push(format!("one answer ({}) came for {n} different packets", repeated.response_id));
    }
    Ok(Facts {
        judge: JudgeFacts {
            id: ran.judge_id.to_string(),
            kind: asking.judge.kind().name().to_owned(),
            model: chat.map(|chat| chat.model.clone()).unwrap_or_default(),
            standing: Standing::default(),
            answered_as: totals.models.into_iter().collect(),
            fingerprints: totals.fingerprints.into_iter().collect(),
        },
        definition: Vec::new(),
        packets_repeated: ran.plan.n_repeated,
        calls: totals.calls,
        calls_lost: totals.lost,
        tokens: Tokens { input: totals.tokens_in, output: totals.tokens_out },
        calls_without_usage: if chat.is_some() { totals.unknown_usage_answers } else { 0 },
        calls_without_cost: if chat.is_some() { totals.unknown_cost_calls } else { 0 },
        cost_usd: priced.then(|| Money::from_picos(totals.cost_picodollars).usd()),
        warnings,
        target: None,
    })
}
