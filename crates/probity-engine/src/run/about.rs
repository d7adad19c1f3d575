//! What stands beside the figures of a run: who answered at what cost, what the judge has earned, and who wrote the
//! replies. The same for a run that was just made and for one on record.

use std::collections::{BTreeMap, BTreeSet};

use probity_core::report::{Summary, SummaryBuilder};
use probity_core::results::{AuthorRecord, Facts, JudgeRecord, Members, Tokens};
use probity_core::rubric::Rubric;
use probity_core::verdict::{ModelMatch, Patterns, model_match};
use serde::{Deserialize, Serialize};

use super::asking::Asking;
use super::panel::{members_of, panel_facts};
use super::replies::same_models;
use super::standing::{Subject, now};
use super::told::model_end;
use super::{Ran, RunError};
use crate::config::models::end_warning;
use crate::config::{Backend, Config, StoredTexts, Tier};
use crate::ledger::{JudgeId, Reader, RunId, StoreError, Totals};
use crate::schedule::budget::Money;
use crate::target::TargetDefinition;

/// Said where texts are not on record.
const DIGESTS: &str =
    "the store keeps digests in place of texts (store.texts): what is shown here are digests";

/// What wrote the replies of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetSpec {
    /// The name it is chosen by.
    pub name: String,
    /// Its identity.
    pub id: String,
    /// What it is.
    pub kind: String,
    /// The model asked for and other names of it; empty where none is known.
    pub models: Vec<String>,
    /// Whether its calls have a price.
    pub is_priced: bool,
    /// What a reader should know about its answers.
    pub doubts: Option<String>,
}

impl TargetSpec {
    pub(super) fn new(target: &TargetDefinition, config: &Config, doubts: Option<String>) -> TargetSpec {
        let settings = &target.settings;
        TargetSpec {
            name: settings.name.clone(),
            id: target.id.to_string(),
            kind: settings.kind().name().to_owned(),
            models: settings.models.clone(),
            is_priced: settings.chat().is_some_and(|chat| config.price(chat).is_some()),
            doubts,
        }
    }

    fn facts(&self, reader: &Reader, ran: &Ran) -> Result<AuthorRecord, StoreError> {
        let run = ran.replies.as_ref().and_then(|replies| replies.run);
        let totals = match run.zip(JudgeId::parse(&self.id).ok()) {
            Some((run, id)) => reader.totals(&id, run)?,
            None => Totals::default(),
        };
        let tokens = tokens(&totals);
        Ok(AuthorRecord {
            name: self.name.clone(),
            id: self.id.clone(),
            kind: self.kind.clone(),
            model: self.models.first().cloned().unwrap_or_default(),
            answered_as: Members(totals.models.into_iter().collect()),
            calls: totals.calls,
            calls_lost: totals.lost,
            tokens,
            cost_usd: self.is_priced.then(|| Money::from_picos(totals.cost_picodollars).usd()),
        })
    }
}

/// What the figures of a run are about.
pub(super) struct SummaryParts<'a> {
    pub(super) asking: &'a Asking,
    pub(super) rubric: &'a Rubric,
    /// The rules of the gate whose findings block.
    pub(super) blocking: &'a BTreeSet<String>,
    /// The parts of the run that its results tell.
    pub(super) definition: Vec<(String, String)>,
    pub(super) target: Option<&'a TargetSpec>,
    /// What the record has of texts; a run that was just made has them all.
    pub(super) texts: StoredTexts,
}

impl SummaryParts<'_> {
    /// The figures with what stands beside them.
    pub(super) fn summary(
        self,
        reader: &Reader,
        ran: &Ran,
        (summary, patterns): (SummaryBuilder, Patterns),
    ) -> Result<Summary, RunError> {
        let SummaryParts { asking, rubric, blocking, definition, target, texts } = self;
        let mut facts = facts(&Subject { asking, rubric, blocking }, reader, ran)?;
        if let Some(target) = target {
            let about = target.facts(reader, ran)?;
            let judge = (&asking.judge, &facts.judge.answered_as.0[..]);
            let same = same_models(judge, (&target.name, &target.models), &about.answered_as.0);
            facts.warnings.extend(same.into_iter().chain(target.doubts.clone()));
            facts.target = Some(about);
        }
        facts.warnings.extend(pattern_warnings(asking, &patterns));
        if texts == StoredTexts::Digest {
            facts.warnings.push(DIGESTS.to_owned());
        }
        facts.definition = Members(definition);
        Ok(summary.finish(facts))
    }
}

/// The facts of a run, with what its judge has earned.
pub(super) fn facts(subject: &Subject<'_>, reader: &Reader, ran: &Ran) -> Result<Facts, StoreError> {
    let mut facts = of_calls(subject.asking, reader, ran)?;
    let end = model_end(subject.asking, reader)?;
    let warning = end.and_then(|end| end_warning(&facts.judge.model, end, now(subject.asking)));
    facts.warnings.extend(warning);
    let standing = subject.standing(reader, ran, &facts)?;
    Ok(Facts { judge: facts.judge.with_standing(standing), ..facts })
}

/// What a reader should know about the judge's words. The lexical judge writes by template and says so.
pub(super) fn pattern_warnings(asking: &Asking, patterns: &Patterns) -> Vec<String> {
    if matches!(asking.judge.backend, Backend::Baseline) { Vec::new() } else { patterns.warnings() }
}

fn tokens(totals: &Totals) -> Tokens {
    Tokens { input: totals.tokens_in, output: totals.tokens_out, cached: totals.tokens_cached }
}

/// Answers by tier, where one was served in another tier than the usual.
fn service_tiers(tiers: BTreeMap<String, u64>) -> Members<u64> {
    let is_usual = |name: &String| Tier::Standard.billed(Some(name)) == Some(Tier::Standard);
    if tiers.keys().all(is_usual) { Members::default() } else { Members(tiers.into_iter().collect()) }
}

/// What the calls of a run came to.
fn of_calls(asking: &Asking, reader: &Reader, ran: &Ran) -> Result<Facts, StoreError> {
    let totals = match (ran.run, asking.panel()) {
        (Some(run), None) => reader.totals(&ran.judge_id, run)?,
        // Settling what its members said is no call of a panel.
        (Some(run), Some(_)) => member_totals(reader, &ran.judge_id, run)?,
        (None, _) => Totals::default(),
    };
    let chat = asking.judge.chat();
    let has_usage = asking.judge.chats().next().is_some();
    let priced = match &asking.judge.backend {
        Backend::Chat(chat) => asking.config.price(chat).is_some(),
        Backend::Baseline | Backend::Recorded { .. } => true,
        Backend::Panel(panel) => panel.chats().all(|chat| asking.config.price(chat).is_some()),
        // What a program spends, it alone knows.
        Backend::Command(_) => false,
    };
    let mut warnings = Vec::new();
    // The members of a panel are different models.
    if asking.panel().is_none() && (totals.fingerprints.len() > 1 || totals.models.len() > 1) {
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
    let tokens = tokens(&totals);
    Ok(Facts {
        judge: JudgeRecord {
            id: ran.judge_id.to_string(),
            kind: asking.judge.kind().name().to_owned(),
            model: chat.map(|chat| chat.model.clone()).unwrap_or_default(),
            answered_as: totals.models.into_iter().collect(),
            fingerprints: Some(totals.fingerprints.into_iter().collect()),
            ..JudgeRecord::default()
        },
        packets_repeated: ran.plan.n_repeated,
        calls: totals.calls,
        calls_lost: totals.lost,
        tokens,
        calls_without_usage: if has_usage { totals.unknown_usage_answers } else { 0 },
        calls_without_cost: if has_usage { totals.unknown_cost_calls } else { 0 },
        cost_usd: priced.then(|| Money::from_picos(totals.cost_picodollars).usd()),
        saved_usd: Some(totals.saved_picodollars)
            .filter(|saved| *saved != 0 && priced)
            .map(|saved| Money::from_picos(saved).usd()),
        service_tiers: service_tiers(totals.tiers),
        panel: match asking.panel() {
            Some(panel) => panel_facts(asking, panel, reader, ran)?,
            None => None,
        },
        warnings,
        ..Facts::default()
    })
}

/// What the calls to the members of a panel came to.
fn member_totals(reader: &Reader, panel: &JudgeId, run: RunId) -> Result<Totals, StoreError> {
    let mut all = Totals::default();
    for member in members_of(reader, panel)? {
        let totals = reader.totals(&member, run)?;
        all.calls += totals.calls;
        all.lost += totals.lost;
        all.unknown_cost_calls += totals.unknown_cost_calls;
        all.unknown_usage_answers += totals.unknown_usage_answers;
        all.tokens_in = all.tokens_in.saturating_add(totals.tokens_in);
        all.tokens_out = all.tokens_out.saturating_add(totals.tokens_out);
        all.cost_picodollars = all.cost_picodollars.saturating_add(totals.cost_picodollars);
        for (name, n) in totals.models {
            *all.models.entry(name).or_default() += n;
        }
        for (name, n) in totals.fingerprints {
            *all.fingerprints.entry(name).or_default() += n;
        }
        all.repeated_responses.extend(totals.repeated_responses);
    }
    Ok(all)
}
