//! What a run is about: cases, rubric, template and judge, and the packets that follow from them.
//!
//! Nothing here is remembered between passes. Cases are read, screened and turned into packets anew each
//! time they are needed, so a run of any size fits in memory and every pass sees the same thing.

use std::path::PathBuf;
use std::sync::Arc;

use probity_core::gate::{Admitted, Blocked, Gate};
use probity_core::json::Json;
use probity_core::packet::{self, Ask, CallPlan, Packet};
use probity_core::rubric::{Criterion, ReferenceUse, Rubric};
use probity_core::verdict::Usage;

use super::{Network, RunError};
use crate::config::{Backend, Config, JudgeSettings, Structured};
use crate::judge::params::Shape;
use crate::judge::prompt::{Template, TemplateError};
use crate::judge::{JudgeError, Prompt};
use crate::load::{Dataset, LoadError, Place, Record, Skipped};
use crate::schedule::budget::Money;
use crate::store::{JudgeId, Manifest};

/// Characters that make a token, roughly, in the texts judges read.
const CHARS_PER_TOKEN: u64 = 4;

/// Tokens that roles, message borders and an answer's schema add to a prompt, at the most.
const ENVELOPE_TOKENS: u64 = 512;

/// The version of the embedded lexical judge. Raise it when its answers change.
const BASELINE_VERSION: &str = "lexical-1";

/// What a job is made of.
#[derive(Debug)]
pub struct Definition {
    /// The cases.
    pub dataset: Dataset,
    /// The files' names, for people and for telling runs apart.
    pub dataset_name: String,
    /// The rubric.
    pub rubric: Rubric,
    /// The prompt template.
    pub template: Template,
    /// The rules that decide which replies are judged.
    pub gate: Gate,
    /// All settings.
    pub config: Config,
    /// The judge.
    pub judge: JudgeSettings,
}

/// Cases, rubric, template and judge of a run.
#[derive(Debug)]
pub struct Job {
    /// The cases.
    pub dataset: Dataset,
    /// The files' names, for people and for telling runs apart.
    pub dataset_name: String,
    /// The rubric.
    pub rubric: Rubric,
    /// How many criteria go into one call.
    pub plan: CallPlan,
    /// The prompt template.
    pub template: Template,
    /// The judge.
    pub judge: JudgeSettings,
    /// All settings.
    pub config: Config,
    /// BLAKE3 of each file that the judge consists of: recorded verdicts, or the program and its scripts.
    file_hashes: Vec<String>,
    /// The rules that decide which replies are judged.
    gate: Gate,
    asks: Vec<SizedAsk>,
}

/// An ask with the length of everything in its prompt that is not the case's own text.
#[derive(Debug)]
struct SizedAsk {
    ask: Arc<Ask>,
    overhead_chars: u64,
}

/// A record on its way to the judge.
#[derive(Debug)]
pub enum Screened {
    /// The gate admitted the reply; these packets ask about it.
    Admitted {
        /// Where the record stands.
        place: Place,
        /// The admitted reply.
        admitted: Box<Admitted>,
        /// One packet per call, in the order of the rubric.
        packets: Vec<SizedPacket>,
    },
    /// The gate blocked the reply.
    Blocked {
        /// Where the record stands.
        place: Place,
        /// The blocked reply.
        blocked: Blocked,
    },
    /// The record cannot be used.
    Skipped(Skipped),
}

/// A packet with an estimate of what a call about it takes.
#[derive(Debug, Clone)]
pub struct SizedPacket {
    /// The packet.
    pub packet: Packet,
    /// Tokens of the prompt, estimated from its length.
    pub tokens_input: u64,
}

impl Job {
    /// Puts the parts together. Fails where the template cannot be filled in or the judge's file cannot be
    /// read.
    pub fn new(definition: Definition) -> Result<Self, RunError> {
        let Definition { dataset, dataset_name, rubric, template, gate, config, judge } = definition;
        let file_hashes = file_hashes(&judge)?;
        let plan = config.run.call_plan;
        let asks = packet::asks(&rubric, plan)
            .into_iter()
            .map(|ask| {
                let empty = packet::question(&blank(), &ask);
                let prompt = template.render(&empty)?;
                let overhead_chars = (prompt.system.len() + prompt.user.len()) as u64;
                Ok(SizedAsk { ask, overhead_chars })
            })
            .collect::<Result<_, TemplateError>>()?;
        Ok(Job { dataset, dataset_name, rubric, plan, template, judge, config, file_hashes, gate, asks })
    }

    /// The rules that decide which replies are judged.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Calls needed for one admitted reply.
    pub fn calls_per_reply(&self) -> usize {
        self.asks.len()
    }

    /// One pass over the cases: each is read, screened and turned into packets.
    pub fn screened(&self) -> Result<impl Iterator<Item = Result<Screened, LoadError>> + '_, LoadError> {
        Ok(self.dataset.records()?.map(|record| record.and_then(|record| self.screen(record))))
    }

    /// One record, screened and turned into packets.
    pub(super) fn screen(&self, record: Record) -> Result<Screened, LoadError> {
        let (place, entry) = match record {
            Record::Entry { place, entry, .. } => (place, entry),
            Record::Skipped(skipped) => return Ok(Screened::Skipped(skipped)),
        };
        if let Some(criterion) = self.needs_reference().filter(|_| entry.case.reference.is_none()) {
            let skipped = Skipped {
                index: place.index,
                file: place.file,
                line: place.line,
                id: Some(entry.case.id.to_string()),
                reason: format!("Missing 'reference' field, which criterion '{}' needs", criterion.id),
            };
            return self.dataset.allow(skipped).map(Screened::Skipped);
        }
        Ok(match self.gate.screen(entry) {
            Err(blocked) => Screened::Blocked { place, blocked },
            Ok(admitted) => {
                let packets = self.asks.iter().map(|sized| sized.packet(&admitted)).collect();
                Screened::Admitted { place, admitted: Box::new(admitted), packets }
            }
        })
    }

    fn needs_reference(&self) -> Option<&Criterion> {
        self.rubric.criteria().iter().find(|criterion| criterion.reference == ReferenceUse::Required)
    }

    /// The most a call with `prompt` can cost, where the model has a price: no token is shorter than a byte.
    pub fn most(&self, prompt: &Prompt) -> Option<Money> {
        let chat = self.judge.chat()?;
        let price = self.config.price(&chat.model)?;
        let input = (prompt.system.len() + prompt.user.len()) as u64 + ENVELOPE_TOKENS;
        Some(Money::of(price, Usage { input, output: u64::from(chat.output_tokens_max.get()) }))
    }

    /// Whether the judge could not read the prompt and still have room to answer.
    pub fn is_oversize(&self, packet: &SizedPacket) -> bool {
        self.judge.chat().is_some_and(|chat| {
            let room = chat.context_tokens.map(|tokens| u64::from(tokens.get()));
            room.is_some_and(|room| packet.tokens_input + u64::from(chat.output_tokens_max.get()) > room)
        })
    }

    /// Whether the judge may be asked: without a network only one that runs inside this program, and never
    /// one that is nothing but the store's own record.
    pub fn may_ask(&self, network: Network) -> bool {
        match self.judge.backend {
            Backend::Recorded { verdicts: None } => false,
            Backend::Baseline | Backend::Recorded { verdicts: Some(_) } => true,
            Backend::Openai(_) | Backend::Anthropic(_) | Backend::Command(_) => network == Network::Online,
        }
    }

    /// How the answer's shape is asked for at first.
    pub fn shape_first(&self) -> Option<Shape> {
        self.judge.chat().map(|chat| match chat.structured {
            Structured::Auto | Structured::Schema => Shape::Schema,
            Structured::JsonObject => Shape::JsonObject,
            Structured::Plain => Shape::Plain,
        })
    }

    /// Whether another shape may be asked for when the judge refuses the first.
    pub fn shape_is_free(&self) -> bool {
        self.judge.chat().is_some_and(|chat| chat.structured == Structured::Auto)
    }

    /// What makes the judge answer as it does, as canonical JSON, with the answer's shape as it is really asked for.
    pub fn identity(&self, shape: Option<Shape>) -> String {
        let mut members: Vec<(String, Json)> = self
            .config
            .digest_parts(&self.judge)
            .into_iter()
            .filter(|(name, _)| name.starts_with("judge.") && !NOT_IDENTITY.contains(&name.as_str()))
            .map(|(name, value)| (name.trim_start_matches("judge.").to_owned(), Json::text(value)))
            .collect();
        for (name, value) in &mut members {
            if name == "structured"
                && let Some(shape) = shape
            {
                *value = Json::text(shape.name());
            }
        }
        if let Backend::Baseline = self.judge.backend {
            members.push(("version".to_owned(), Json::text(BASELINE_VERSION)));
        }
        // The content of a file makes the judge, wherever it lies.
        if !self.file_hashes.is_empty() {
            members.retain(|(name, _)| name != "verdicts");
            members
                .push(("files".to_owned(), Json::Array(self.file_hashes.iter().map(Json::text).collect())));
        }
        if let Backend::Openai(_) | Backend::Anthropic(_) | Backend::Command(_) = self.judge.backend {
            members.push(("template".to_owned(), Json::text(self.template.hash())));
        }
        Json::object(members).canonical()
    }

    /// What defines the run under the judge `id`.
    pub fn manifest(&self, id: &JudgeId) -> Manifest {
        let mut parts = vec![
            ("cases".to_owned(), self.dataset.digest().hex.clone()),
            ("rubric".to_owned(), self.rubric.hash().to_owned()),
            ("template".to_owned(), self.template.hash().to_owned()),
            ("gate".to_owned(), self.gate.digest().to_owned()),
            ("judge".to_owned(), id.to_string()),
        ];
        parts.extend(self.config.digest_parts(&self.judge));
        let members = parts.iter().map(|(name, value)| (name.clone(), Json::text(value)));
        let body = Json::object(members.chain([("files".to_owned(), Json::text(&self.dataset_name))]));
        Manifest {
            name: format!("run {} {}", self.dataset_name, self.rubric.name()),
            parts,
            body: body.canonical(),
        }
    }
}

/// Settings of a judge that decide how its answers are used and not what they are.
const NOT_IDENTITY: &[&str] = &["judge.model_mismatch", "judge.aliases", "judge.context_tokens"];

impl SizedAsk {
    fn packet(&self, admitted: &Admitted) -> SizedPacket {
        let packet = packet::question(admitted, &self.ask);
        let texts = packet.situation().texts().iter().map(|text| text.len()).sum::<usize>();
        let chars = texts + packet.reply().len() + packet.reference().map_or(0, str::len);
        let tokens_input = (self.overhead_chars + chars as u64).div_ceil(CHARS_PER_TOKEN);
        SizedPacket { packet, tokens_input }
    }
}

/// The hashes of the files that a judge consists of. An argument of a program that is no file is not one.
fn file_hashes(judge: &JudgeSettings) -> Result<Vec<String>, JudgeError> {
    let paths: Vec<PathBuf> = match &judge.backend {
        Backend::Recorded { verdicts } => verdicts.iter().cloned().collect(),
        Backend::Command(command) => {
            command.argv.iter().map(PathBuf::from).filter(|path| path.is_file()).collect()
        }
        Backend::Openai(_) | Backend::Anthropic(_) | Backend::Baseline => Vec::new(),
    };
    let hash = |path: PathBuf| {
        let mut hasher = blake3::Hasher::new();
        let read = std::fs::File::open(&path).and_then(|file| hasher.update_reader(file).map(|_| ()));
        read.map_err(|source| JudgeError::Open { path, source })?;
        Ok(hasher.finalize().to_hex().to_string())
    };
    paths.into_iter().map(hash).collect()
}

/// A reply of nothing to nothing, for measuring prompts.
fn blank() -> Admitted {
    use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
    let case =
        Case::new(CaseId::new("blank").expect("a plain word is an id"), Situation::Ticket(String::new()));
    let reply = Reply::new(String::new());
    Gate::open().screen(Entry { case, reply }).expect("no rule, nothing blocked")
}
