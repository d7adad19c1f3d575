//! What the store holds about a packet: the verdict that counts in this run, or why there is none.

use std::borrow::Cow;

use probity_core::score::Unscored;
use probity_core::verdict::{ModelMatch, ParseMode, Verdict, VerdictRecord, model_match};

use super::RunError;
use super::asking::{Asking, SizedPacket};
use crate::config::{Backend, ModelMismatch};
use crate::store::{self, AttemptOutcome, AttemptSummary, JudgeId, Reader, SettlementRecord, StoreError};

/// Whoever says what a judge said about a packet.
pub(super) type Said<'a> = &'a dyn Fn(&SizedPacket) -> Result<Result<Verdict, Unscored>, RunError>;

/// What became of a packet.
pub(crate) struct PacketResult<'a> {
    pub(crate) packet: &'a SizedPacket,
    pub(crate) verdict: Result<Verdict, Unscored>,
    /// Calls that the verdict took; what is unscored has its own number.
    pub(crate) attempts: u32,
}

/// Looks up what one judge said.
pub(crate) struct Lookup<'a> {
    pub(crate) asking: &'a Asking,
    pub(crate) reader: &'a Reader,
    pub(crate) judge: &'a JudgeId,
    /// The number under which the packets were asked about.
    pub(crate) repeat: u32,
}

/// What the store has about a packet.
pub(super) enum Found<'a> {
    /// A verdict as JSON, and how many attempts it took.
    Verdict { body: Cow<'a, str>, attempts: u32 },
    /// The word that there is none.
    Unscored(Unscored),
    /// An attempt, the last of those that settled nothing.
    Attempt(AttemptSummary),
    /// Nothing.
    Nothing,
}

impl Lookup<'_> {
    /// The verdict on record, or why there is none.
    pub(crate) fn verdict(&self, packet: &SizedPacket) -> Result<Result<Verdict, Unscored>, RunError> {
        self.found(packet)?.verdict(self.asking, packet)
    }

    /// The same with the calls that it took.
    pub(crate) fn result<'p>(&self, packet: &'p SizedPacket) -> Result<PacketResult<'p>, RunError> {
        self.found(packet)?.result(self.asking, packet)
    }

    /// What the store has about a packet.
    pub(super) fn found(&self, packet: &SizedPacket) -> Result<Found<'static>, StoreError> {
        let hash = packet.packet.hash();
        Ok(match self.reader.found(self.judge, self.repeat, &[hash])?.remove(&hash) {
            Some(store::Found::Settled(SettlementRecord::Verdict { body, attempts })) => {
                Found::Verdict { body: Cow::Owned(body), attempts }
            }
            Some(store::Found::Settled(SettlementRecord::Unscored { reason, detail, attempts })) => {
                Found::Unscored(Unscored { cause: reason, detail, attempts })
            }
            // No call is made about it.
            _ if self.asking.is_oversize(packet) => Found::Nothing,
            Some(store::Found::Attempted(last)) => Found::Attempt(last),
            None => Found::Nothing,
        })
    }
}

impl Found<'_> {
    /// What became of `packet`.
    pub(super) fn result<'p>(
        self,
        asking: &Asking,
        packet: &'p SizedPacket,
    ) -> Result<PacketResult<'p>, RunError> {
        let attempts = if let Found::Verdict { attempts, .. } = self { attempts } else { 0 };
        Ok(PacketResult { packet, verdict: self.verdict(asking, packet)?, attempts })
    }

    /// The verdict about `packet`, or why there is none.
    pub(super) fn verdict(
        self,
        asking: &Asking,
        packet: &SizedPacket,
    ) -> Result<Result<Verdict, Unscored>, RunError> {
        let unscored =
            |cause: &str, detail: String, attempts| Unscored { cause: cause.to_owned(), detail, attempts };
        Ok(Err(match self {
            Found::Verdict { body, attempts } => {
                let damaged = |problem: String| RunError::damaged(packet.packet.hash(), &problem);
                let record: VerdictRecord<'_> =
                    serde_json::from_str(&body).map_err(|error| damaged(error.to_string()))?;
                let verdict =
                    record.verdict(packet.packet.ask()).map_err(|error| damaged(error.to_string()))?;
                match objection(asking, &verdict) {
                    None => return Ok(Ok(verdict)),
                    Some((cause, detail)) => unscored(cause, detail, attempts),
                }
            }
            Found::Unscored(unscored) => unscored,
            Found::Attempt(last) => match last.outcome {
                AttemptOutcome::Ended(cause) => unscored(&cause, last.detail, last.n),
                AttemptOutcome::InFlight | AttemptOutcome::Lost => {
                    unscored("lost", "the program ended while the call was in flight".into(), last.n)
                }
            },
            Found::Nothing if asking.is_oversize(packet) => {
                let detail = format!("about {} tokens are more than the judge reads", packet.tokens_input);
                unscored("context_length", detail, 0)
            }
            Found::Nothing if matches!(asking.judge.backend, Backend::Recorded { .. }) => {
                unscored("not_recorded", "no verdict is on record for this packet".into(), 0)
            }
            Found::Nothing => unscored("not_attempted", String::new(), 0),
        }))
    }
}

/// Why this run does not take a verdict that is on record: its settings are stricter than what was needed to read the
/// answer.
fn objection(asking: &Asking, verdict: &Verdict) -> Option<(&'static str, String)> {
    if asking.config.run.parse.mode() == ParseMode::Strict && !verdict.is_strict() {
        return Some(("malformed", format!("needs repairs: {}", verdict.repairs.join(", "))));
    }
    let chat = asking.judge.chat().filter(|chat| chat.model_mismatch != ModelMismatch::Note)?;
    let answered = verdict.model.as_deref();
    let is_other = model_match(&chat.model, &chat.aliases, answered) == ModelMatch::Other;
    is_other.then(|| {
        let answered = answered.unwrap_or_default();
        ("other_model", format!("asked for {}, {answered} answered", chat.model))
    })
}
