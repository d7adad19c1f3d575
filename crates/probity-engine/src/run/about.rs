//! What stands beside the figures of a run: who answered at what cost, what the judge has earned, and who wrote the
//! replies. The same for a run that was just made and for one on record.

use std::collections::BTreeSet;

use probity_core::report::{Summary, SummaryBuilder};
use probity_core::results::{AuthorRecord, Members, Tokens};
use probity_core::rubric::Rubric;
use probity_core::verdict::Patterns;
use serde::{Deserialize, Serialize};

use super::asking::Asking;
use super::replies::same_models;
use super::standing::Subject;
use super::{Ran, RunError, facts};
use crate::config::{Config, StoredTexts};
use crate::ledger::{JudgeId, Reader, StoreError, Totals};
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
        let settings = target.settings();
        TargetSpec {
            name: settings.name.clone(),
            id: target.id().to_string(),
            kind: settings.kind().name().to_owned(),
            models: settings.models().into_iter().map(str::to_owned).collect(),
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
        Ok(AuthorRecord {
            name: self.name.clone(),
            id: self.id.clone(),
            kind: self.kind.clone(),
            model: self.models.first().cloned().unwrap_or_default(),
            answered_as: Members(totals.models.into_iter().collect()),
            calls: totals.calls,
            calls_lost: totals.lost,
            tokens: Tokens { input: totals.tokens_in, output: totals.tokens_out },
            cost_usd: self.is_priced.then(|| Money::from_picos(totals.cost_picodollars).usd()),
        })
    }
}

/// What the figures of a run are about.
pub(super) struct About<'a> {
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

impl About<'_> {
    /// The figures with what stands beside them.
    pub(super) fn summary(
        self,
        reader: &Reader,
        ran: &Ran,
        (summary, patterns): (SummaryBuilder, Patterns),
    ) -> Result<Summary, RunError> {
        let About { asking, rubric, blocking, definition, target, texts } = self;
        let mut facts = facts::facts(&Subject { asking, rubric, blocking }, reader, ran)?;
        if let Some(target) = target {
            let about = target.facts(reader, ran)?;
            let models: Vec<&str> = target.models.iter().map(String::as_str).collect();
            let judge = (&asking.judge, &facts.judge.answered_as[..]);
            let same = same_models(judge, (&target.name, &models), &about.answered_as.0);
            facts.warnings.extend(same.into_iter().chain(target.doubts.clone()));
            facts.target = Some(about);
        }
        facts.warnings.extend(facts::pattern_warnings(asking, &patterns));
        if texts == StoredTexts::Digest {
            facts.warnings.push(DIGESTS.to_owned());
        }
        facts.definition = definition;
        Ok(summary.finish(facts))
    }
}
