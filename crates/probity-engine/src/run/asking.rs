//! Who is asked, and how: the judge, its template and the settings of a run, whatever the run is about.
//!
//! What is asked is measured once, so that a packet's tokens can be estimated without a prompt.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
use probity_core::gate::{Admitted, Gate};
use probity_core::json::Json;
use probity_core::packet::{self, Ask, NotAPair, Packet, PairAsk};
use probity_core::panel::{PanelRecord, Signal};
use probity_core::rubric::{Criterion, Judged, ReasoningDemand, Rubric};

use super::record::{Lookup, PacketRef, Terms};
use super::{Network, RunError};
use crate::config::{Backend, ChatSettings, Config, JudgeSettings, LeftOut, PanelSettings, Tier};
use crate::judge::prompt::{Template, TemplateError};
use crate::judge::{JudgeError, Prompt, file_digest, n_more_bytes};
use crate::ledger::{JudgeId, Reader};
use crate::schedule::budget::Money;

/// Characters that make a token, roughly, in the texts judges read.
pub(super) const CHARS_PER_TOKEN: u64 = 4;

/// The version of the embedded lexical judge. Raise it when its answers change.
const BASELINE_VERSION: &str = "lexical-1";

/// A judge, its template and the settings of a run.
#[derive(Debug)]
pub struct Asking {
    /// The judge.
    pub judge: JudgeSettings,
    /// The prompt template.
    pub template: Template,
    /// All settings.
    pub config: Config,
    /// BLAKE3 of each file that the judge consists of: recorded verdicts, or the program and its scripts.
    file_hashes: Vec<String>,
    /// What the judge was not sent in the latest turn.
    left: Mutex<LeftOut>,
    /// The judges that it is made of, each with its template.
    members: Vec<Asking>,
    /// What labels made of them, once that is known.
    fitted: Mutex<Option<Arc<PanelRecord>>>,
}

/// A packet with an estimate of what a call about it takes.
#[derive(Debug, Clone)]
pub struct SizedPacket {
    /// The packet, which plan, calls and results share.
    pub packet: Arc<Packet>,
    /// Tokens of the prompt, estimated from its length.
    pub tokens_input: u64,
}

impl Asking {
    /// Puts the parts together. Fails where the judge's file cannot be read.
    pub fn new(judge: JudgeSettings, template: Template, config: Config) -> Result<Self, RunError> {
        let file_hashes = file_hashes(&judge)?;
        let (left, members, fitted) = Default::default();
        Ok(Asking { judge, template, config, file_hashes, left, members, fitted })
    }

    /// The same made of `members`.
    #[must_use]
    pub fn made_of(self, members: Vec<Asking>) -> Self {
        Asking { members, ..self }
    }

    /// What says how sure the judge is.
    pub(crate) fn signal(&self) -> Signal {
        let source = self.judge.chat().and_then(|chat| chat.confidence(&self.left()));
        if source.is_some() { Signal::Confidence } else { Signal::Looks }
    }

    /// Why no verdict of the judge has the reasons that `rubric` asks for, where none has.
    pub fn reasons_lacking(&self, rubric: &Rubric) -> Option<String> {
        let is_asked = |criterion: &Criterion| {
            criterion.reasoning == ReasoningDemand::NotEmpty || criterion.judged == Judged::Pairwise
        };
        (!self.gives_reasons() && rubric.criteria().iter().any(is_asked)).then(|| {
            "the rubric asks for reasons, and the judge gives probabilities alone: make it a stage of a cascade \
             with one that gives reasons"
                .to_owned()
        })
    }

    fn gives_reasons(&self) -> bool {
        match &self.judge.backend {
            Backend::Chat(chat) => chat.dialect().gives_reasons(),
            Backend::Panel(_) => self.members.iter().any(Asking::gives_reasons),
            Backend::Baseline | Backend::Command(_) | Backend::Recorded { .. } => true,
        }
    }

    /// How the members decide together, for a judge made of judges.
    pub fn panel(&self) -> Option<&PanelSettings> {
        self.judge.panel()
    }

    /// The judges that it is made of.
    pub fn members(&self) -> &[Asking] {
        &self.members
    }

    /// What labels made of the members, where that is known.
    pub fn fitted(&self) -> Option<Arc<PanelRecord>> {
        self.fitted.lock().expect("no thread panics while it holds this").clone()
    }

    pub(super) fn set_fitted(&self, record: Option<PanelRecord>) {
        *self.fitted.lock().expect("no thread panics while it holds this") = record.map(Arc::new);
    }

    /// The parts of a run on record. Nothing is asked with them, so no file of the judge is looked at.
    pub(super) fn on_record(
        judge: JudgeSettings,
        template: Template,
        config: Config,
        left: LeftOut,
    ) -> Asking {
        let (file_hashes, members, fitted) = Default::default();
        Asking { judge, template, config, file_hashes, left: Mutex::new(left), members, fitted }
    }

    /// What the judge was not sent, because it refused it.
    pub fn left(&self) -> LeftOut {
        self.left.lock().expect("no thread panics while it holds this").clone()
    }

    pub(super) fn set_left(&self, left: &LeftOut) {
        *self.left.lock().expect("no thread panics while it holds this") = left.clone();
    }

    /// The length of everything that is sent about `empty`, a packet whose texts are empty; of judges that decide
    /// together, to the one that is sent the most.
    pub(super) fn overhead_chars(&self, empty: &Packet) -> Result<u64, TemplateError> {
        if let Some((first, others)) = self.members.split_first() {
            let longest = |most: u64, member: &Asking| Ok(member.overhead_chars(empty)?.max(most));
            return others.iter().try_fold(first.overhead_chars(empty)?, longest);
        }
        let prompt = self.template.render(empty)?;
        let n_more_bytes = n_more_bytes(&self.judge, empty.ask());
        Ok((prompt.system.len() + prompt.user.len() + n_more_bytes) as u64)
    }

    /// The most a call with `prompt` can cost in `tier`, where the model has a price.
    pub fn most(&self, prompt: &Prompt, left: &LeftOut, tier: Tier) -> Option<Money> {
        let chat = self.judge.chat()?;
        self.config.most(chat, left, prompt.system.len() + prompt.user.len(), tier)
    }

    /// The tier that single calls ask for.
    pub(super) fn tier(&self) -> Tier {
        self.judge.chat().map_or(Tier::Standard, |chat| chat.service_tier.tier())
    }

    /// The tokens of `prompt` that the host's cache of prompts would keep, estimated.
    pub(super) fn tokens_cacheable(&self, prompt: &Prompt) -> u64 {
        let kept = |chat: &ChatSettings| Some(chat.dialect().cache.as_ref()?.tokens_min);
        let stable = (prompt.system.len() + prompt.n_stable) as u64 / CHARS_PER_TOKEN;
        let min = self.judge.chat().and_then(kept);
        if min.is_some_and(|min| stable >= min) { stable } else { 0 }
    }

    /// Whether the judge could not read the prompt and still have room to answer.
    pub(crate) fn is_oversize(&self, packet: &SizedPacket) -> bool {
        self.terms().is_oversize(packet.tokens_input)
    }

    /// What is taken for a verdict.
    pub(super) fn terms(&self) -> Terms<'_> {
        Terms { judge: &self.judge, parse: self.config.run.parse.mode() }
    }

    /// What `judge` said under this repeat, as `reader` has it.
    pub(crate) fn lookup<'a>(&'a self, reader: &'a Reader, judge: &'a JudgeId, repeat: u32) -> Lookup<'a> {
        Lookup { terms: self.terms(), reader, judge, repeat }
    }

    /// Whether the judge may be asked: without a network only one that runs inside this program, and never
    /// one that is nothing but the store's own record.
    pub fn may_ask(&self, network: Network) -> bool {
        match self.judge.backend {
            Backend::Recorded { verdicts: None } => false,
            Backend::Baseline | Backend::Recorded { verdicts: Some(_) } => true,
            // What is decided is written down, for which its members have to be asked.
            Backend::Chat(_) | Backend::Command(_) | Backend::Panel(_) => network == Network::Online,
        }
    }

    /// What makes the judge answer as it does, as canonical JSON, with its parameters as they are really sent.
    pub fn identity(&self, left: &LeftOut) -> String {
        let mut members: Vec<(String, Json)> = self
            .config
            .digest_parts(&self.judge, left)
            .into_iter()
            .filter(|(name, _)| name.starts_with("judge.") && !NOT_IDENTITY.contains(&name.as_str()))
            .map(|(name, value)| (name.trim_start_matches("judge.").to_owned(), Json::text(value)))
            .collect();
        if let Backend::Baseline = self.judge.backend {
            members.push(("version".to_owned(), Json::text(BASELINE_VERSION)));
        }
        // The content of a file makes the judge, wherever it lies.
        if !self.file_hashes.is_empty() {
            members.retain(|(name, _)| name != "verdicts");
            members
                .push(("files".to_owned(), Json::Array(self.file_hashes.iter().map(Json::text).collect())));
        }
        if let Backend::Panel(_) = self.judge.backend {
            let made_of = self.members.iter().map(|member| Json::text(member.identity(&member.left())));
            members.push(("members".to_owned(), Json::Array(made_of.collect())));
            let fitted = self.fitted().map_or_else(|| "none".to_owned(), |record| record.text());
            members.push(("fitted".to_owned(), Json::text(fitted)));
        }
        if let Backend::Chat(_) | Backend::Command(_) = self.judge.backend {
            members.push(("template".to_owned(), Json::text(self.template.hash())));
        }
        Json::object(members).canonical()
    }
}

/// Settings of a judge that decide how its answers are used and not what they are.
pub(super) const NOT_IDENTITY: &[&str] = &["judge.model_mismatch", "judge.aliases", "judge.context_tokens"];

/// The hashes of the files that a judge consists of. An argument of a program that is no file is not one.
fn file_hashes(judge: &JudgeSettings) -> Result<Vec<String>, JudgeError> {
    let paths: Vec<PathBuf> = match &judge.backend {
        Backend::Recorded { verdicts } => verdicts.iter().cloned().collect(),
        Backend::Command(command) => {
            command.argv.iter().map(PathBuf::from).filter(|path| path.is_file()).collect()
        }
        Backend::Chat(_) | Backend::Baseline | Backend::Panel(_) => Vec::new(),
    };
    let digest = |path: PathBuf| file_digest(&path).map_err(|source| JudgeError::Open { path, source });
    paths.into_iter().map(digest).collect()
}

impl SizedPacket {
    /// `packet`, whose prompt has `overhead_chars` beside the packet's own texts.
    pub(super) fn new(packet: Packet, overhead_chars: u64) -> Self {
        let tokens_input = (overhead_chars + packet.n_bytes() as u64).div_ceil(CHARS_PER_TOKEN);
        SizedPacket { packet: Arc::new(packet), tokens_input }
    }

    /// How many decisions an answer to it has.
    pub(super) fn n_decisions(&self) -> u64 {
        self.packet.ask().n_decisions() as u64
    }

    /// The packet by name.
    pub(crate) fn named(&self) -> PacketRef<'_> {
        PacketRef { hash: self.packet.hash(), ask: self.packet.ask(), tokens_input: self.tokens_input }
    }
}

/// What is asked about one reply.
#[derive(Debug)]
pub(super) struct SizedAsk {
    pub(super) ask: Arc<Ask>,
    /// Everything in its prompt that is not the case's own text.
    overhead_chars: u64,
}

/// What is asked about a pair of replies.
#[derive(Debug)]
pub(super) struct SizedPairAsk {
    ask: PairAsk,
    /// Everything in its prompt that is not the case's own text.
    overhead_chars: u64,
}

impl SizedAsk {
    /// Measures the prompt of `ask`.
    pub(super) fn new(ask: Arc<Ask>, asking: &Asking) -> Result<SizedAsk, TemplateError> {
        let overhead_chars = asking.overhead_chars(&packet::question(&blank(), &ask))?;
        Ok(SizedAsk { ask, overhead_chars })
    }

    /// The packets that ask each of `asks` about an admitted reply.
    pub(super) fn packets(asks: &[SizedAsk], admitted: &Admitted) -> Vec<SizedPacket> {
        let packets = packet::questions(admitted, asks.iter().map(|sized| &sized.ask));
        let sized = asks.iter().zip(packets);
        sized.map(|(sized, packet)| SizedPacket::new(packet, sized.overhead_chars)).collect()
    }
}

impl SizedPairAsk {
    /// Measures the prompt of `ask`.
    pub(super) fn new(ask: PairAsk, asking: &Asking) -> Result<SizedPairAsk, TemplateError> {
        let empty = packet::pair(&blank(), &blank(), &ask).expect("a reply is to its own case");
        Ok(SizedPairAsk { overhead_chars: asking.overhead_chars(&empty)?, ask })
    }

    /// The packet that asks about two replies to one case, in this order.
    pub(super) fn packet(&self, first: &Admitted, second: &Admitted) -> Result<SizedPacket, NotAPair> {
        Ok(SizedPacket::new(packet::pair(first, second, &self.ask)?, self.overhead_chars))
    }
}

/// A reply of nothing to nothing, for measuring prompts.
fn blank() -> Admitted {
    let case = Case::new(CaseId::new("blank").expect("a plain word is an id"), Situation::Ticket("".into()));
    let reply = Reply::new("");
    Gate::open().screen(Entry { case, reply }).expect("no rule, nothing blocked")
}
