//! Every answer in `tests/verdicts`, `tests/pair_verdicts` and `tests/hostile` gets the verdict, or the reason for
//! none, that its file states.
//!
//! One file per case; a new answer needs no code. Answers in the second folder are about two replies. `content` is the text of a model's answer, `body`
//! is what a server sent. In both, `{{hash}}` and `{{boundary}}` stand for the packet's own, and the mark of
//! `fill` for a text that is too long to write down.
//!
//! Each row of `tests/hostile` names the rule that it tries and that no other row tries. The rows were drawn before
//! the rules that read them; every second one was held out while the rules were written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
use probity_core::packet::{self, Ask, Packet, PairAsk};
use probity_core::rubric::{
    Anchor, Criterion, CriterionId, Decider, Direction, Judged, Oracle, ReasoningDemand, ReferenceUse, Scale,
};
use probity_core::verdict::{
    self, Completion, EnvelopeFault, Invalid, InvalidReason, ParseMode, Verdict, VerdictRecord, envelope,
};
use probity_core::{gate::Admitted, gate::Gate, json::Json};
use serde::Deserialize;

/// Cases that no single answer can show, and where they are tested instead.
const ELSEWHERE: &[(u32, &str)] = &[
    (57, "verdict::model_match, against the model that was asked for"),
    (58, "the report of a run, over many answers"),
    (59, "the report of a run, over many answers"),
    (87, "verdict::patterns, over many verdicts"),
    (88, "verdict::patterns, over many verdicts"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSpec {
    case: String,
    about: String,
    #[serde(default)]
    answer: Vec<AnswerSpec>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerSpec {
    #[serde(default = "default_criteria")]
    criteria: Vec<String>,
    #[serde(default = "default_levels")]
    levels: Vec<i64>,
    /// Points per criterion, in the order of `criteria`.
    #[serde(default)]
    weights: Vec<String>,
    #[serde(default)]
    reasoning_demand: DemandSpec,
    #[serde(default = "default_ticket")]
    ticket: String,
    #[serde(default = "default_reply")]
    reply: String,
    /// The reply in slot B, where two are compared; `reply` is in slot A.
    #[serde(default = "default_other")]
    other: String,
    #[serde(default)]
    mode: ModeSpec,
    content: Option<String>,
    #[serde(default = "default_finish")]
    finish: String,
    body: Option<String>,
    #[serde(default)]
    dialect: DialectSpec,
    fill: Option<FillSpec>,
    expect: String,
    /// The first criterion's reasoning, or the first evidence, as it must be stored.
    reasoning: Option<String>,
    /// The tokens as `input+output`, or `unknown`.
    usage: Option<String>,
    /// How many choices came too many.
    extra_choices: Option<u32>,
    /// The rule that a hostile answer tries.
    rule: Option<String>,
    /// Whether a hostile answer was held out while the rules were written.
    #[serde(default)]
    held_out: bool,
    /// Whether a hostile answer is about two replies.
    #[serde(default)]
    pair: bool,
    /// What the reader makes of a hostile answer, where that is known not to be what `expect` asks for.
    known: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum DemandSpec {
    #[default]
    Given,
    NotEmpty,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum ModeSpec {
    #[default]
    Tolerant,
    Strict,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum DialectSpec {
    #[default]
    Openai,
    Anthropic,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FillSpec {
    mark: String,
    text: String,
    times: usize,
}

fn default_criteria() -> Vec<String> {
    vec!["tone".to_owned()]
}

fn default_levels() -> Vec<i64> {
    vec![1, 2, 3, 4, 5]
}

fn default_ticket() -> String {
    "My order 1042 has not arrived. Where is it?".to_owned()
}

fn default_reply() -> String {
    "I am sorry for the delay. Your order will arrive on Friday.".to_owned()
}

fn default_other() -> String {
    "It comes on Friday. Reply to this message if it does not.".to_owned()
}

fn default_finish() -> String {
    "stop".to_owned()
}

impl AnswerSpec {
    fn packet(&self, subject: SubjectSpec) -> Packet {
        match subject {
            SubjectSpec::Reply => {
                let ask = Ask::new(self.criteria()).expect("at least one criterion");
                packet::question(&self.admitted(&self.reply), &ask)
            }
            SubjectSpec::Pair => {
                let ask = PairAsk::new(self.criteria()).expect("criteria with a tie");
                packet::pair(&self.admitted(&self.reply), &self.admitted(&self.other), &ask)
                    .expect("replies to one case")
            }
        }
    }

    fn admitted(&self, reply: &str) -> Admitted {
        let case =
            Case::new(CaseId::new("t1").expect("an id"), Situation::Ticket(self.ticket.as_str().into()));
        Gate::open().screen(Entry { case, reply: Reply::new(reply) }).expect("no rule, no block")
    }

    fn criteria(&self) -> Vec<Criterion> {
        let criterion = |(at, id): (usize, &String)| Criterion {
            id: CriterionId::new(id.as_str()).expect("criteria are ids"),
            title: id.clone(),
            question: format!("How good is the {id} of the reply?"),
            scale: Scale::new(self.levels.clone(), Direction::HigherIsBetter).expect("levels ascend"),
            anchors: self
                .levels
                .iter()
                .map(|level| Anchor { level: *level, text: format!("{id} {level}") })
                .collect(),
            weight: self.weights.get(at).map(|weight| weight.parse().expect("weights are decimals")),
            tie: Some(format!("Both have the same {id}.")),
            outside: Vec::new(),
            violations: Vec::new(),
            oracle: Oracle::None,
            decider: Decider::Judge,
            judged: Judged::Pointwise,
            better: None,
            rules: Vec::new(),
            reference: ReferenceUse::Hidden,
            reasoning: match self.reasoning_demand {
                DemandSpec::Given => ReasoningDemand::Given,
                DemandSpec::NotEmpty => ReasoningDemand::NotEmpty,
            },
        };
        self.criteria.iter().enumerate().map(criterion).collect()
    }

    fn body(&self, packet: &Packet) -> String {
        let filled = |text: &str| {
            let text = text.replace("{{hash}}", &packet.hash().to_string());
            let text = text.replace("{{boundary}}", &packet.boundary());
            match &self.fill {
                Some(fill) => text.replace(&fill.mark, &fill.text.repeat(fill.times)),
                None => text,
            }
        };
        match (&self.content, &self.body) {
            (Some(content), None) => openai_body(&filled(content), &self.finish),
            (None, Some(body)) => filled(body),
            _ => panic!("an answer has either content or body"),
        }
    }

    fn completion(&self, packet: &Packet) -> Result<Completion, EnvelopeFault> {
        let body = self.body(packet);
        match self.dialect {
            DialectSpec::Openai => envelope::openai(body.as_bytes()),
            DialectSpec::Anthropic => envelope::anthropic(body.as_bytes()),
        }
    }
}

fn openai_body(content: &str, finish: &str) -> String {
    let message = Json::object([("role", Json::text("assistant")), ("content", Json::text(content))]);
    let choice =
        Json::object([("index", Json::int(0)), ("message", message), ("finish_reason", Json::text(finish))]);
    let usage = Json::object([("prompt_tokens", Json::int(200)), ("completion_tokens", Json::int(20))]);
    let members = [
        ("id", Json::text("chatcmpl-1")),
        ("model", Json::text("judge-1")),
        ("choices", Json::Array(vec![choice])),
        ("usage", usage),
    ];
    Json::object(members).canonical()
}

/// One line for what an answer came to.
fn summary(result: &Result<Verdict, Invalid>) -> String {
    let verdict = match result {
        Ok(verdict) => verdict,
        Err(invalid) => return invalid_summary(invalid.reason, &invalid.detail),
    };
    let mut line = "verdict".to_owned();
    if let Some(preferred) = verdict.preferred() {
        let _ = write!(line, " {} n={}", preferred.preference().name(), preferred.evidence().len());
    }
    for score in verdict.scores() {
        let _ = write!(line, " {}={}", score.criterion, score.level);
    }
    for (name, list) in [("repaired", &verdict.repairs), ("suspect", &verdict.suspicions)] {
        if !list.is_empty() {
            let _ = write!(line, " {name}:{}", list.join(","));
        }
    }
    line
}

fn invalid_summary(reason: InvalidReason, detail: &str) -> String {
    let id = if reason == InvalidReason::MissingCriterion { format!(":{detail}") } else { String::new() };
    let reask = if reason.reask() { " reask" } else { "" };
    format!("invalid {reason}{id}{reask}")
}

/// What an answer is about.
#[derive(Clone, Copy)]
enum SubjectSpec {
    Reply,
    Pair,
}

fn check(answer: &AnswerSpec, subject: SubjectSpec, place: &str) {
    let packet = answer.packet(subject);
    let completion = match answer.completion(&packet) {
        Ok(completion) => completion,
        Err(fault) => {
            let line = fault
                .reason()
                .map_or_else(|| format!("fault {}", fault.name()), |reason| invalid_summary(reason, ""));
            assert_eq!(line, answer.expect, "{place}: {fault}");
            return;
        }
    };
    let mode = match answer.mode {
        ModeSpec::Tolerant => ParseMode::Tolerant,
        ModeSpec::Strict => ParseMode::Strict,
    };
    let result = verdict::read(&completion, &packet, mode);
    assert_eq!(summary(&result), answer.expect, "{place}: {:?}", result.as_ref().err());
    if let Ok(verdict) = &result {
        check_verdict(answer, verdict, &packet, place);
    }
    if mode == ParseMode::Tolerant {
        let strict = verdict::read(&completion, &packet, ParseMode::Strict).is_ok();
        let told = result.as_ref().is_ok_and(Verdict::is_strict);
        assert_eq!(told, strict, "{place}: strict reading differs from what the verdict says about it");
    }
    if let Some(usage) = &answer.usage {
        let got = completion.usage.map(|usage| format!("{}+{}", usage.input, usage.output));
        assert_eq!(got.as_deref().unwrap_or("unknown"), usage, "{place}");
    }
    if let Some(extra) = answer.extra_choices {
        assert_eq!(completion.extra_choices, extra, "{place}");
    }
}

fn check_verdict(answer: &AnswerSpec, verdict: &Verdict, packet: &Packet, place: &str) {
    if let Some(reasoning) = &answer.reasoning {
        let first = verdict.scores().first().map(|score| &score.reasoning);
        let evidence = verdict.preferred().and_then(|preferred| preferred.evidence().first());
        assert_eq!(first.or(evidence), Some(reasoning), "{place}");
    }
    let stored = serde_json::to_string(&VerdictRecord::from(verdict)).expect("serializable");
    let record: VerdictRecord = serde_json::from_str(&stored).expect("a record");
    assert_eq!(record.verdict(packet.ask()).as_ref(), Ok(verdict), "{place}: the store changes the verdict");
}

fn files(folder: &str, letter: char) -> BTreeMap<u32, FileSpec> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).expect("the corpus folder") {
        let path = entry.expect("a folder entry").path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        assert!(path.extension().is_some_and(|suffix| suffix == "toml"), "{name}: only TOML belongs here");
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let file: FileSpec = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(file.case, name, "the file is named after its case");
        assert!(!file.about.is_empty(), "{name}: says nothing about the case");
        assert!(!file.answer.is_empty(), "{name}: no answer");
        let number = name.strip_prefix(letter).and_then(|digits| digits.parse().ok());
        files.insert(number.unwrap_or_else(|| panic!("{name}: expected {letter} and a number")), file);
    }
    files
}

/// Checks every answer of a folder and returns how many there are.
fn check_folder(folder: &str, letter: char, subject: SubjectSpec) -> usize {
    let files = files(folder, letter);
    let mut checked = 0;
    for (number, file) in &files {
        for (at, answer) in file.answer.iter().enumerate() {
            check(answer, subject, &format!("{letter}{number} answer {}", at + 1));
            checked += 1;
        }
    }
    checked
}

#[test]
fn f44_to_f90_every_answer_gets_what_its_file_says() {
    assert!(check_folder("verdicts", 'F', SubjectSpec::Reply) >= 228);
}

#[test]
fn every_answer_about_a_pair_gets_what_its_file_says() {
    assert!(check_folder("pair_verdicts", 'P', SubjectSpec::Pair) >= 40);
}

/// What the reader makes of a hostile answer, in one line.
fn reading(answer: &AnswerSpec) -> String {
    let packet = answer.packet(if answer.pair { SubjectSpec::Pair } else { SubjectSpec::Reply });
    let completion = match answer.completion(&packet) {
        Ok(completion) => completion,
        Err(fault) => return fault.reason().map_or(fault.name().to_owned(), |r| invalid_summary(r, "")),
    };
    let line = summary(&verdict::read(&completion, &packet, ParseMode::Tolerant));
    match (&answer.usage, completion.usage) {
        (None, _) => line,
        (Some(_), None) => format!("{line} usage:unknown"),
        (Some(_), Some(usage)) => format!("{line} usage:{}+{}", usage.input, usage.output),
    }
}

/// A hostile answer that expects `invalid` must not be believed, for whatever reason.
fn is_as_expected(answer: &AnswerSpec, line: &str) -> bool {
    let usage = answer.usage.as_ref().map_or(String::new(), |usage| format!(" usage:{usage}"));
    let is_refused = answer.expect == "invalid" && line.starts_with("invalid ");
    is_refused || line == format!("{}{usage}", answer.expect)
}

#[test]
fn n11_n12_n14_n15_hostile_answers_are_read_by_their_rules() {
    let files = files("hostile", 'H');
    let answers: Vec<&AnswerSpec> = files.values().flat_map(|file| &file.answer).collect();
    let rules: BTreeSet<&str> = answers
        .iter()
        .map(|answer| answer.rule.as_deref().expect("a hostile answer names its rule"))
        .collect();
    assert_eq!(rules.len(), answers.len(), "a rule is tried by one row");
    let mut wrong = Vec::new();
    for (name, held_out) in [("tuned", false), ("held out", true)] {
        let half: Vec<_> = answers.iter().filter(|answer| answer.held_out == held_out).collect();
        let mut n_right = 0;
        for answer in &half {
            let line = reading(answer);
            let is_right = is_as_expected(answer, &line);
            n_right += usize::from(is_right);
            if is_right == answer.known.is_some() || answer.known.as_ref().is_some_and(|known| *known != line)
            {
                wrong.push(format!("{:?}: expected {}, found {line}", answer.rule, answer.expect));
            }
        }
        println!("hostile answers, {name}: {n_right} of {} as expected", half.len());
    }
    println!("hostile answers: {} rows, {} rules", answers.len(), rules.len());
    assert!(answers.len() >= 114 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn f44_to_f90_no_case_is_missing_without_a_reason() {
    let files = files("verdicts", 'F');
    for number in 44..=90 {
        let elsewhere = ELSEWHERE.iter().any(|(case, _)| *case == number);
        let here = files.contains_key(&number);
        assert!(here != elsewhere, "F{number}: in the folder {here}, on the list of exceptions {elsewhere}");
    }
}
