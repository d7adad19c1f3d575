//! Queues whose hidden halves hold words that must not be seen too early.

use probity_core::case::Evidence;
use probity_core::results::FindingRecord;
use probity_core::review::{
    Arrangement, AskedCriterion, AskedLevel, Exhibit, Hidden, HiddenJudge, HiddenPacket, HiddenVerdict,
    LabelForm, Questionnaire, ShownTurn,
};
use probity_engine::review::{Added, After, NewItem, NewQueue, QueueId, QueueSpec};

use super::Site;

/// Words of the hidden halves. None may be in a byte that is sent before an answer.
pub(super) const CANARIES: [&str; 7] = [
    "canary-variant-one", "canary-variant-two", "canary-model", "canary-verdict", "canary-finding",
    "canary-slice", "canary-case",
];

/// What is asked of people, and how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) name: &'static str,
    pub(super) form: LabelForm,
    pub(super) n: usize,
    pub(super) overlap: u32,
    pub(super) after: After,
}

impl Wanted {
    pub(super) const LEVELS: Wanted =
        Wanted { name: "levels", form: LabelForm::Levels, n: 3, overlap: 2, after: After::Nothing };
    pub(super) const PAIRS: Wanted = Wanted { name: "pairs", form: LabelForm::Pair, ..Wanted::LEVELS };
}

impl Site {
    /// Adds a queue.
    pub(super) async fn queue(&self, wanted: Wanted) -> QueueId {
        match self.room.add_queue(queue(wanted)).await.unwrap() {
            Added::New(id) => id,
            other => panic!("{other:?}"),
        }
    }
}

fn queue(wanted: Wanted) -> NewQueue {
    let spec = QueueSpec {
        asked: asked(wanted.form),
        overlap: wanted.overlap,
        seed: 7,
        arrangement: Arrangement::Shuffled,
        after: wanted.after,
        round: 1,
        source: "all".to_owned(),
        frame: None,
    };
    let items = (1..=wanted.n).map(|n| item(wanted.form, n)).collect();
    NewQueue { name: wanted.name.to_owned(), spec, items }
}

fn asked(form: LabelForm) -> Questionnaire {
    let level = |level| AskedLevel { level, anchor: Some(format!("anchor of {level}")) };
    let criterion = |id: &str| AskedCriterion {
        id: id.to_owned(),
        title: format!("Title of {id}"),
        question: format!("How is its {id}?"),
        levels: (1..=5).map(level).collect(),
        outside: Vec::new(),
        violations: Vec::new(),
        better: Some("the clearer one".to_owned()),
        tie: None,
    };
    Questionnaire {
        form,
        rubric: "relevance-tone".to_owned(),
        criteria: ["relevance", "tone"].map(criterion).into(),
    }
}

fn item(form: LabelForm, n: usize) -> NewItem {
    let replies = match form {
        LabelForm::Levels => vec![format!("Reply to ticket {n}.")],
        LabelForm::Pair => {
            vec![format!("First reply to ticket {n}."), format!("Second reply to ticket {n}.")]
        }
    };
    let turn = ShownTurn { role: "customer".to_owned(), text: format!("Ticket {n} says <b>hello</b>.") };
    let mut evidence = Evidence::of_sources([("refunds", Some("3"))]);
    evidence.sources[0].text = Some("Refunds within 30 days.".to_owned());
    let shown = Exhibit { conversation: vec![turn], evidence: vec![evidence], reference: None, replies };
    NewItem { key: format!("item-{n}"), shown, hidden: hidden(form, n) }
}

fn hidden(form: LabelForm, n: usize) -> Hidden {
    let verdict = |criterion: Option<&str>, order: Option<&str>, said: &str| HiddenVerdict {
        criterion: criterion.map(str::to_owned),
        order: order.map(str::to_owned),
        said: Some(said.to_owned()),
        reasoning: "canary-verdict says why".to_owned(),
    };
    let verdicts = match form {
        LabelForm::Levels => vec![verdict(Some("relevance"), None, "4"), verdict(Some("tone"), None, "2")],
        LabelForm::Pair => vec![verdict(None, Some("ab"), "a"), verdict(None, Some("ba"), "b")],
    };
    let packet = |criterion: Option<&str>, word: &str| HiddenPacket {
        criterion: criterion.map(str::to_owned),
        packet: blake3::hash(format!("{n}{word}").as_bytes()).to_hex().to_string(),
    };
    let (packets, n_replies) = match form {
        LabelForm::Levels => (vec![packet(Some("relevance"), "r"), packet(Some("tone"), "t")], 1),
        LabelForm::Pair => (vec![packet(None, "ab"), packet(None, "ba")], 2),
    };
    let [rule, severity, message] = ["pii.email", "warn", "canary-finding"].map(str::to_owned);
    let (expected, source, version) = (None, None, None);
    let finding = FindingRecord { rule, severity, start: 0, end: 1, message, expected, source, version };
    Hidden {
        case: format!("canary-case-{n}"),
        slice: Some("canary-slice".to_owned()),
        variants: CANARIES[..n_replies].iter().map(|name| Some((*name).to_owned())).collect(),
        packets,
        judge: Some(HiddenJudge {
            id: "j".repeat(64),
            kind: "openai".to_owned(),
            model: "canary-model".to_owned(),
        }),
        verdicts,
        findings: vec![vec![finding]; n_replies],
    }
}
