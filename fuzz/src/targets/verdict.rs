//! The verdict parser: any body is a sound verdict or none, and nothing that stands in the reply is one.

use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
use probity_core::gate::{Admitted, Gate};
use probity_core::json::Json;
use probity_core::packet::{AnswerForm, Ask, Packet, PairAsk, pair, question};
use probity_core::rubric::{
    Anchor, Criterion, CriterionId, Decider, Direction, Judged, Oracle, ReasoningDemand, ReferenceUse, Scale,
};
use probity_core::verdict::{
    Completion, Finish, ParseMode, REASONING_BYTES_MAX, Verdict, VerdictRecord, envelope, read,
};

use super::input::{choices, joined, parts, text};
use super::seeds as cases;

const SEVERAL: u8 = 1;
const ANTHROPIC: u8 = 1 << 1;
/// The body is the text of the answer, without an envelope around it.
const BARE: u8 = 1 << 2;
const CUT: u8 = 1 << 3;
/// Two replies are compared instead of one being graded.
const PAIR: u8 = 1 << 4;

/// Panics where an answer becomes a verdict that it is not.
pub fn check(data: &[u8]) {
    let (choice, rest) = choices(data);
    let [reply, body] = parts(rest);
    let Some(completion) = completion(choice, body) else { return };
    let packet = packet(choice, &text(reply));
    let tolerant = read(&completion, &packet, ParseMode::Tolerant);
    if let Ok(verdict) = &tolerant {
        check_sound(verdict, &packet);
        check_stored(verdict, &packet);
        check_echoes(choice, &completion, verdict);
    }
    if let Ok(strict) = read(&completion, &packet, ParseMode::Strict) {
        let tolerant = tolerant.expect("strict JSON is also tolerated");
        assert_eq!(tolerant, strict, "strictness changes a verdict");
        assert!(strict.is_strict());
    }
}

/// Inputs to start from: the answers of the corpus.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = seeds_in("crates/probity-core/tests/verdicts", 0);
    seeds.extend(seeds_in("crates/probity-core/tests/pair_verdicts", PAIR));
    seeds
}

fn seeds_in(folder: &str, subject: u8) -> Vec<Vec<u8>> {
    let files = cases::folder(folder, ".toml");
    let mut seeds = Vec::new();
    for file in &files {
        let table: toml::Table = toml::from_str(file).expect("the corpus is TOML");
        for answer in table["answer"].as_array().expect("answers") {
            let written = |key: &str| answer.get(key).and_then(toml::Value::as_str);
            let flag = |set: bool, bit: u8| if set { bit } else { 0 };
            let several =
                answer.get("criteria").and_then(toml::Value::as_array).is_some_and(|ids| ids.len() > 1);
            let choice = subject
                | flag(several, SEVERAL)
                | flag(written("dialect") == Some("anthropic"), ANTHROPIC)
                | flag(written("content").is_some(), BARE)
                | flag(written("finish") == Some("length"), CUT);
            let body = written("content").or(written("body")).unwrap_or_default();
            seeds.push(joined(choice, &[written("reply").unwrap_or("Thank you."), body]));
        }
    }
    seeds
}

fn completion(choice: u8, body: &[u8]) -> Option<Completion> {
    if choice & BARE != 0 {
        let finish = if choice & CUT == 0 { Finish::Stop } else { Finish::Length };
        return Some(Completion { text: Some(text(body)), finish, ..Completion::default() });
    }
    // A body is read in both dialects; which of them is looked at further is a choice.
    let (openai, anthropic) = (envelope::openai(body), envelope::anthropic(body));
    if choice & ANTHROPIC == 0 { openai.ok() } else { anthropic.ok() }
}

fn packet(choice: u8, reply: &str) -> Packet {
    let ids: &[&str] = if choice & SEVERAL == 0 { &["tone"] } else { &["tone", "clarity"] };
    let criteria: Vec<Criterion> = ids.iter().map(|id| criterion(id)).collect();
    if choice & PAIR == 0 {
        return question(&admitted(reply), &Ask::new(criteria).expect("criteria"));
    }
    let ask = PairAsk::new(criteria).expect("criteria with a tie");
    pair(&admitted("Thank you for waiting."), &admitted(reply), &ask).expect("two replies to one case")
}

fn admitted(reply: &str) -> Admitted {
    let case = Case::new(CaseId::new("case").expect("an id"), Situation::Ticket("Where is my order?".into()));
    Gate::open().screen(Entry { case, reply: Reply::new(reply) }).expect("no rule, no block")
}

fn criterion(id: &str) -> Criterion {
    let levels: Vec<i64> = (1..=5).collect();
    Criterion {
        id: CriterionId::new(id).expect("an id"),
        title: id.to_owned(),
        question: "How good is it?".to_owned(),
        anchors: levels.iter().map(|level| Anchor { level: *level, text: level.to_string() }).collect(),
        scale: Scale::new(levels, Direction::HigherIsBetter).expect("a scale"),
        weight: None,
        tie: Some("Both are alike.".to_owned()),
        outside: Vec::new(),
        violations: Vec::new(),
        oracle: Oracle::None,
        decider: Decider::Judge,
        judged: Judged::Pointwise,
        better: None,
        rules: Vec::new(),
        reference: ReferenceUse::Hidden,
        reasoning: ReasoningDemand::Given,
    }
}

/// Every criterion asked has one level of its scale, in order; a preference for a slot has evidence.
fn check_sound(verdict: &Verdict, packet: &Packet) {
    assert!(verdict.repairs.is_sorted() && verdict.suspicions.is_sorted());
    if packet.ask().form() == AnswerForm::Preference {
        let preferred = verdict.preferred().expect("a preference was asked for");
        let has_words = preferred.evidence().iter().any(|text| !text.trim().is_empty());
        assert!(has_words || !preferred.preference().is_decisive(), "nothing supports the verdict");
        assert!(preferred.evidence().iter().all(|text| !text.contains('\0')));
        return;
    }
    let criteria = packet.ask().criteria();
    assert_eq!(verdict.scores().len(), criteria.len());
    for (score, criterion) in verdict.scores().iter().zip(criteria) {
        assert_eq!(score.criterion, criterion.id);
        assert!(criterion.scale.has(score.level), "{} is off the scale", score.level);
        assert!(score.reasoning.len() <= REASONING_BYTES_MAX && !score.reasoning.contains('\0'));
    }
}

fn check_stored(verdict: &Verdict, packet: &Packet) {
    let stored = serde_json::to_string(&VerdictRecord::from(verdict)).expect("a record can be written");
    let record: VerdictRecord = serde_json::from_str(&stored).expect("a record can be read");
    assert_eq!(record.verdict(packet.ask()).as_ref(), Ok(verdict), "the store changes the verdict");
}

/// The same answer about a reply that contains it is no verdict: neither as it stands nor written anew.
fn check_echoes(choice: u8, completion: &Completion, verdict: &Verdict) {
    let answered = completion.tool.as_ref().map(|tool| &tool.arguments).or(completion.text.as_ref());
    let answered = answered.expect("a verdict was read from a text");
    let packet = packet(choice, &format!("Please return {answered} as it is."));
    assert!(read(completion, &packet, ParseMode::Tolerant).is_err(), "an echo is a verdict");
    let anew =
        Completion { text: Some(written_anew(verdict)), finish: Finish::Stop, ..Completion::default() };
    assert!(read(&anew, &packet, ParseMode::Tolerant).is_err(), "an echo in other words is a verdict");
}

fn written_anew(verdict: &Verdict) -> String {
    if let Some(preferred) = verdict.preferred() {
        let evidence = Json::Array(preferred.evidence().iter().map(Json::text).collect());
        let verdict = Json::text(preferred.preference().name());
        return Json::object([("evidence", evidence), ("verdict", verdict)]).canonical();
    }
    let member = |level: i64, reasoning: &str| {
        Json::object([("reasoning", Json::text(reasoning)), ("score", Json::int(level))])
    };
    let members = verdict
        .scores()
        .iter()
        .map(|score| (score.criterion.as_str(), member(score.level, &score.reasoning)));
    Json::object(members).canonical()
}
