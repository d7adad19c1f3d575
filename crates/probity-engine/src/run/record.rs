//! What the store holds about a packet: the verdict that counts in this run, or why there is none.

use probity_core::score::Unscored;
use probity_core::verdict::{ModelMatch, ParseMode, Verdict, VerdictRecord, model_match};

use super::RunError;
use super::asking::{Asking, SizedPacket};
use crate::config::{Backend, ModelMismatch};
use crate::store::{AttemptOutcome, JudgeId, Reader, SettlementRecord};

/// Whoever says what a judge said about a packet.
pub(super) type Said<'a> = &'a dyn Fn(&SizedPacket) -> Result<Result<Verdict, Unscored>, RunError>;

/// Looks up what one judge said.
pub(crate) struct Lookup<'a> {
    pub(crate) asking: &'a Asking,
    pub(crate) reader: &'a Reader,
    pub(crate) judge: &'a JudgeId,
    /// The number under which the packets were asked about.
    pub(crate) repeat: u32,
}

impl Lookup<'_> {
    /// The verdict on record, or why there is none.
    pub(crate) fn verdict(&self, packet: &SizedPacket) -> Result<Result<Verdict, Unscored>, RunError> {
        let hash = packet.packet.hash();
        let unscored =
            |cause: &str, detail: String, attempts| Unscored { cause: cause.to_owned(), detail, attempts };
        match self.reader.settlement(&hash, self.judge, self.repeat)? {
            Some(SettlementRecord::Verdict { body, attempts }) => {
                let record: VerdictRecord = serde_json::from_str(&body)
                    .map_err(|error| RunError::damaged(hash, &error.to_string()))?;
                let verdict = record
                    .verdict(packet.packet.ask())
                    .map_err(|error| RunError::damaged(hash, &error.to_string()))?;
                Ok(match self.objection(&verdict) {
                    None => Ok(verdict),
                    Some((cause, detail)) => Err(unscored(cause, detail, attempts)),
                })
            }
            Some(SettlementRecord::Unscored { reason, detail, attempts }) => {
                Ok(Err(unscored(&reason, detail, attempts)))
            }
            None if self.asking.is_oversize(packet) => {
                let detail = format!("about {} tokens are more than the judge reads", packet.tokens_input);
                Ok(Err(unscored("context_length", detail, 0)))
            }
            None => Ok(Err(match self.reader.last_attempt(&hash, self.judge, self.repeat)? {
                None if matches!(self.asking.judge.backend, Backend::Recorded { .. }) => {
                    unscored("not_recorded", "no verdict is on record for this packet".into(), 0)
                }
                None => unscored("not_attempted", String::new(), 0),
                Some(last) => match last.outcome {
                    AttemptOutcome::Ended(cause) => unscored(&cause, last.detail, last.n),
                    AttemptOutcome::InFlight | AttemptOutcome::Lost | AttemptOutcome::NotSent => {
                        unscored("lost", "the program ended while the call was in flight".into(), last.n)
                    }
                },
            })),
        }
    }

    /// Why this run does not take a verdict that is on record: its settings are stricter than what was
    /// needed to read the answer.
    fn objection(&self, verdict: &Verdict) -> Option<(&'static str, String)> {
        if self.asking.config.run.parse.mode() == ParseMode::Strict && !verdict.is_strict() {
            return Some(("malformed", format!("needs repairs: {}", verdict.repairs.join(", "))));
        }
        let chat = self.asking.judge.chat().filter(|chat| chat.model_mismatch != ModelMismatch::Note)?;
        let answered = verdict.model.as_deref();
        let is_other = model_match(&chat.model, &chat.aliases, answered) == ModelMatch::Other;
        is_other.then(|| {
            let answered = answered.unwrap_or_default();
            ("other_model", format!("asked for {}, {answered} answered", chat.model))
        })
    }
}
