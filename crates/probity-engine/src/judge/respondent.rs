//! What answers packets: a judge, which gives verdicts, or a target, which writes replies.
//!
//! The schedule is the same for both. It knows nothing of what an answer says beyond whether it can be settled.

use probity_core::packet::PacketHash;
use probity_core::verdict::{self, Completion, EnvelopeFault, Invalid, ParseMode, VerdictRecord};

use super::{Judge, Question, Reception};

/// A judge or a target: what answers packets.
pub trait Respondent: Send + Sync + 'static {
    /// What one call is about.
    type Question: Send + Sync + 'static;

    /// The packet of a question: its name and its canonical text.
    fn packet(question: &Self::Question) -> (PacketHash, &str);

    /// How many decisions an answer to a question has.
    fn n_decisions(_question: &Self::Question) -> u32 {
        1
    }

    /// What is sent about a question. It is made before the call waits for its turn, so that the turn is not spent on it.
    fn request(&self, question: &Self::Question) -> Vec<u8>;

    /// Asks once by its request, the server at this place where there are several, and reports what happened.
    fn ask(
        &self,
        question: &Self::Question,
        request: Vec<u8>,
        server: usize,
    ) -> impl Future<Output = Reception> + Send;

    /// Reads a whole body in the respondent's dialect.
    fn completion(&self, body: &[u8]) -> Result<Completion, EnvelopeFault>;

    /// What an answer settles, as the JSON that is kept; or why it settles nothing.
    fn settled(&self, completion: &Completion, question: &Self::Question) -> Result<String, Unusable>;

    /// Takes in how many tokens the server says that it reads.
    fn learn_context(&self, tokens: u32);

    /// Whether the same question can bring another answer. Asking again makes sense only then.
    fn may_answer_differently(&self) -> bool;
}

/// Why an answer cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// The reason's name.
    pub reason: &'static str,
    /// The reason in a sentence.
    pub detail: String,
    /// Whether asking again may help.
    pub remedy: Remedy,
}

/// What may help after an answer that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Asking once more.
    AskAgain,
    /// Nothing.
    Nothing,
}

impl From<&Invalid> for Unusable {
    fn from(invalid: &Invalid) -> Self {
        let remedy = if invalid.reason.reask() { Remedy::AskAgain } else { Remedy::Nothing };
        Unusable { reason: invalid.reason.name(), detail: invalid.detail.clone(), remedy }
    }
}

impl Respondent for Judge {
    type Question = Question;

    fn packet(question: &Question) -> (PacketHash, &str) {
        (question.packet.hash(), question.packet.canonical())
    }

    fn n_decisions(question: &Question) -> u32 {
        question.packet.ask().n_decisions().try_into().unwrap_or(u32::MAX)
    }

    fn request(&self, question: &Question) -> Vec<u8> {
        Judge::request(self, question)
    }

    async fn ask(&self, question: &Question, request: Vec<u8>, server: usize) -> Reception {
        Judge::ask(self, question, request, server).await
    }

    fn completion(&self, body: &[u8]) -> Result<Completion, EnvelopeFault> {
        Judge::completion(self, body)
    }

    /// Whatever can be read is settled. What a stricter run makes of it is decided when results are read, so
    /// that the same store says the same thing whichever run came first.
    fn settled(&self, completion: &Completion, question: &Question) -> Result<String, Unusable> {
        if let Judge::Panel(_) = self {
            return super::panel::settled(completion, question);
        }
        if let Some(detail) = self.prompt_cut(completion, question) {
            return Err(Unusable { reason: "prompt_cut", detail, remedy: Remedy::Nothing });
        }
        let mut verdict = verdict::read(completion, &question.packet, ParseMode::Tolerant)
            .map_err(|invalid| Unusable::from(&invalid))
            .map_err(|why| Unusable { detail: self.cleaned(why.detail), ..why })?;
        verdict.confidence = self.confidence(completion, question);
        let record = serde_json::to_string(&VerdictRecord::from(&verdict)).expect("a verdict is plain data");
        Ok(self.cleaned(record))
    }

    fn learn_context(&self, tokens: u32) {
        Judge::learn_context(self, tokens);
    }

    fn may_answer_differently(&self) -> bool {
        Judge::may_answer_differently(self)
    }
}
