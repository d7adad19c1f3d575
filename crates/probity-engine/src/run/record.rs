//! What the store holds about a packet: the verdict that counts in this run, or why there is none.

use probity_core::packet::{Ask, PacketHash};
use probity_core::score::Unscored;
use probity_core::verdict::{ModelMatch, ParseMode, Verdict, VerdictRecord, model_match};

use super::RunError;
use super::asking::SizedPacket;
use crate::config::{Backend, JudgeSettings, LeftOut, ModelMismatch};
use crate::ledger::{AttemptOutcome, AttemptSummary, Found, JudgeId, Reader, Settled, Settlement};

/// Says what a judge said about a packet.
pub(super) type VerdictLookup<'a> = &'a dyn Fn(&SizedPacket) -> Result<Result<Verdict, Unscored>, RunError>;

/// What a run takes for a verdict. Its settings may be stricter than what was needed to read an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) judge: &'a JudgeSettings,
    pub(crate) parse: ParseMode,
}

/// A packet by name, with what reading its verdict needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PacketRef<'a> {
    pub(crate) hash: PacketHash,
    pub(crate) ask: &'a Ask,
    pub(crate) tokens_input: u64,
}

/// What became of a packet.
pub(crate) struct PacketResult<'a> {
    pub(crate) ask: &'a Ask,
    pub(crate) verdict: Result<Verdict, Unscored>,
    /// Calls that the verdict took; what is unscored has its own number.
    pub(crate) attempts: u32,
}

/// Looks up what one judge said.
pub(crate) struct Lookup<'a> {
    pub(crate) terms: Terms<'a>,
    pub(crate) reader: &'a Reader,
    pub(crate) judge: &'a JudgeId,
    /// The number under which the packets were asked about.
    pub(crate) repeat: u32,
}

impl Lookup<'_> {
    /// The verdict on record, or why there is none.
    pub(crate) fn verdict(&self, packet: &SizedPacket) -> Result<Result<Verdict, Unscored>, RunError> {
        let mut results = self.results(std::slice::from_ref(packet))?;
        Ok(results.pop().expect("a packet has a result").verdict)
    }

    /// What became of each of `packets`.
    pub(crate) fn results<'p>(&self, packets: &'p [SizedPacket]) -> Result<Vec<PacketResult<'p>>, RunError> {
        let hashes: Vec<PacketHash> = packets.iter().map(|sized| sized.packet.hash()).collect();
        let found = self.reader.found(self.judge, self.repeat, &hashes)?;
        let result =
            |sized: &'p SizedPacket| self.terms.result(sized.named(), found.get(&sized.packet.hash()));
        packets.iter().map(result).collect()
    }
}

/// How an attempt that settled nothing ended, in a word and in a sentence.
pub(super) fn ended(attempt: &AttemptSummary) -> (&str, &str) {
    match &attempt.outcome {
        AttemptOutcome::Ended(cause) => (cause, &attempt.detail),
        _ => ("lost", "the program ended while the call was in flight"),
    }
}

impl Terms<'_> {
    /// Whether the judge could not read a prompt of so many tokens and still have room to answer.
    pub(crate) fn is_oversize(&self, tokens_input: u64) -> bool {
        self.judge.chat().is_some_and(|chat| {
            let room = chat.context_tokens.map(|tokens| u64::from(tokens.get()));
            room.is_some_and(|room| tokens_input + chat.sent(&LeftOut::default()).limit_most() > room)
        })
    }

    /// What became of `packet`, about which the store has `found`.
    pub(super) fn result<'p>(
        &self,
        packet: PacketRef<'p>,
        found: Option<&Found>,
    ) -> Result<PacketResult<'p>, RunError> {
        let unscored =
            |cause: &str, detail: String, attempts| Unscored { cause: cause.to_owned(), detail, attempts };
        let unscored = match found {
            Some(Found::Settled(Settlement { decision: Settled::Verdict { body }, attempts })) => {
                let verdict =
                    self.verdict(packet, body)?.map_err(|(cause, detail)| unscored(cause, detail, *attempts));
                return Ok(PacketResult { ask: packet.ask, verdict, attempts: *attempts });
            }
            Some(Found::Settled(Settlement { decision: Settled::Unscored { reason, detail }, attempts })) => {
                unscored(reason, detail.clone(), *attempts)
            }
            // No call is made about it.
            _ if self.is_oversize(packet.tokens_input) => {
                let detail = format!("about {} tokens exceed the judge's context", packet.tokens_input);
                unscored("context_length", detail, 0)
            }
            Some(Found::Attempted(last)) => {
                let (cause, detail) = ended(last);
                unscored(cause, detail.to_owned(), last.n)
            }
            None if matches!(self.judge.backend, Backend::Recorded { .. }) => {
                unscored("not_recorded", "no verdict is on record for this packet".to_owned(), 0)
            }
            None => unscored("not_attempted", String::new(), 0),
        };
        Ok(PacketResult { ask: packet.ask, verdict: Err(unscored), attempts: 0 })
    }

    /// The verdict in `body`, or why this run does not take it.
    fn verdict(
        &self,
        packet: PacketRef<'_>,
        body: &str,
    ) -> Result<Result<Verdict, (&'static str, String)>, RunError> {
        let damaged = |problem: String| RunError::damaged(packet.hash, &problem);
        let record: VerdictRecord<'_> =
            serde_json::from_str(body).map_err(|error| damaged(error.to_string()))?;
        let verdict = record.verdict(packet.ask).map_err(|error| damaged(error.to_string()))?;
        Ok(match self.objection(&verdict) {
            None => Ok(verdict),
            Some(objection) => Err(objection),
        })
    }

    fn objection(&self, verdict: &Verdict) -> Option<(&'static str, String)> {
        if self.parse == ParseMode::Strict && !verdict.is_strict() {
            return Some(("malformed", format!("needs repairs: {}", verdict.repairs.join(", "))));
        }
        let chat = self.judge.chat().filter(|chat| chat.model_mismatch != ModelMismatch::Note)?;
        let answered = verdict.model.as_deref();
        let is_other = model_match(&chat.model, &chat.aliases, answered) == ModelMatch::Other;
        is_other.then(|| {
            let answered = answered.unwrap_or_default();
            ("other_model", format!("asked for {}, {answered} answered", chat.model))
        })
    }
}
