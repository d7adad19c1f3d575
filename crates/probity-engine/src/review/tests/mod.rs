//! The room's promises, tried one by one.
//!
//! A test drives one [`Scene`]: a room in its own folder, with a lead, reviewers and a queue.

mod answers;
mod beside;
mod doors;
mod elsewhere;
mod handing_out;
mod runs;
mod settling;

use std::collections::BTreeMap;
use std::path::PathBuf;

use probity_core::review::{
    Arrangement, AskedCriterion, AskedLevel, Exhibit, Hidden, HiddenJudge, HiddenPacket, HiddenVerdict,
    LabelForm, Questionnaire, ReplySide, ReviewerAnswer, ShownTurn,
};

use super::*;
use crate::ledger::tests::engine::{is_on_server, store_in};

/// When tests take place, in seconds.
const NOW: i64 = 1_780_000_000;

struct Scene {
    folder: tempfile::TempDir,
    room: ReviewRoom,
    queue: QueueId,
    lead: PersonId,
    ann: PersonId,
    bob: PersonId,
    cem: PersonId,
}

impl Scene {
    /// A room with a queue of `n_items`, each for `overlap` people.
    fn new(form: LabelForm, n_items: usize, overlap: u32) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let room = ReviewRoom::open(store_in(folder.path())).unwrap();
        let [lead, ann, bob, cem] = [
            ("lea", PersonRole::Lead),
            ("ann", PersonRole::Reviewer),
            ("bob", PersonRole::Reviewer),
            ("cem", PersonRole::Reviewer),
        ]
        .map(|(name, role)| invited(&room, name, role).0);
        let Added::New(queue) = wait(room.add_queue(new_queue("first", form, n_items, overlap))).unwrap()
        else {
            panic!("a queue in a new store is new")
        };
        Scene { folder, room, queue, lead, ann, bob, cem }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }

    fn address(&self) -> StoreAddress {
        store_in(self.folder.path())
    }

    fn next(&self, person: PersonId) -> Option<ItemView> {
        self.next_at(person, NOW)
    }

    fn next_at(&self, person: PersonId, now: i64) -> Option<ItemView> {
        next_item(&self.room, self.queue, person, now)
    }

    fn submit(&self, item: &ItemView, person: PersonId, answer: ReviewerAnswer) -> Submitted {
        let submission = Submission {
            item: item.id,
            person,
            expected_revision: item.revision,
            answer,
            note: String::new(),
            at: NOW,
        };
        wait(self.room.submit(submission)).unwrap()
    }

    /// Gives `person` everything that is left for them, and has them say the same about all.
    fn label_all(&self, person: PersonId, answer: &ReviewerAnswer) -> usize {
        let mut n = 0;
        while let Some(item) = self.next(person) {
            let kept = self.submit(&item, person, answer.clone());
            assert!(matches!(kept, Submitted::Kept { .. }), "{kept:?}");
            n += 1;
        }
        n
    }

    /// The labels that count, as annotator, item, criterion and label, in order.
    fn labels(&self) -> Vec<String> {
        let mut labels: Vec<String> = self.room.labels().unwrap().iter().map(line).collect();
        labels.sort();
        labels
    }
}

fn line(stored: &StoredLabel) -> String {
    let label = &stored.label;
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    format!("{} {} {} {}", text(&label.annotator), label.item, text(&label.criterion), text(&label.label))
}

fn invited(room: &ReviewRoom, name: &str, role: PersonRole) -> (PersonId, AccessToken) {
    wait(room.invite(&PersonName::new(name).unwrap(), role, NOW)).unwrap()
}

/// A verdict that a person says something about.
fn about(item: &ItemView, person: PersonId, criterion: Option<&str>) -> CausedBy {
    CausedBy { item: item.id, person, criterion: criterion.map(str::to_owned) }
}

fn asked(form: LabelForm) -> Questionnaire {
    let level = |level| AskedLevel { level, anchor: Some(format!("what a {level} looks like")) };
    let criterion = |id: &str| AskedCriterion {
        id: id.to_owned(),
        title: id.to_owned(),
        question: format!("how is the {id}?"),
        levels: (1..=5).map(level).collect(),
        outside: Vec::new(),
        violations: Vec::new(),
        better: None,
        tie: None,
    };
    Questionnaire {
        form,
        rubric: "relevance-tone".to_owned(),
        criteria: ["relevance", "tone"].map(criterion).to_vec(),
    }
}

fn new_queue(name: &str, form: LabelForm, n_items: usize, overlap: u32) -> NewQueue {
    let spec = QueueSpec {
        asked: asked(form),
        overlap,
        seed: 7,
        arrangement: Arrangement::Shuffled,
        after: After::Reveal,
        round: 1,
        source: "all".to_owned(),
        frame: None,
    };
    let items = (0..n_items).map(|n| item(form, n)).collect();
    NewQueue { name: name.to_owned(), spec, items }
}

fn item(form: LabelForm, n: usize) -> NewItem {
    let turn = ShownTurn { role: "customer".to_owned(), text: format!("ticket {n}") };
    let (replies, variants) = match form {
        LabelForm::Levels => (vec![format!("reply {n}")], vec![Some("bot".to_owned())]),
        LabelForm::Pair => (
            vec![format!("reply a {n}"), format!("reply b {n}")],
            vec![Some("old".to_owned()), Some("new".to_owned())],
        ),
    };
    let shown = Exhibit { conversation: vec![turn], evidence: Vec::new(), reference: None, replies };
    NewItem { key: format!("case-{n}"), shown, hidden: hidden(form, n, variants) }
}

fn hidden(form: LabelForm, n: usize, variants: Vec<Option<String>>) -> Hidden {
    let parts: [(Option<&str>, Option<&str>); 2] = match form {
        LabelForm::Levels => [(Some("relevance"), None), (Some("tone"), None)],
        LabelForm::Pair => [(None, Some("ab")), (None, Some("ba"))],
    };
    let text = |text: Option<&str>| text.map(str::to_owned);
    let verdict = |(criterion, order): (Option<&str>, Option<&str>)| HiddenVerdict {
        criterion: text(criterion),
        order: text(order),
        said: Some(if form == LabelForm::Pair { "a" } else { "4" }.to_owned()),
        reasoning: "CANARY-REASONING".to_owned(),
    };
    let packet = |(at, (criterion, _)): (usize, &(Option<&str>, Option<&str>))| HiddenPacket {
        criterion: text(*criterion),
        packet: format!("packet-{n}-{at}"),
    };
    Hidden {
        case: format!("case-{n}"),
        slice: Some(if n.is_multiple_of(2) { "billing" } else { "delivery" }.to_owned()),
        variants,
        packets: parts.iter().enumerate().map(packet).collect(),
        judge: Some(HiddenJudge {
            id: "00".to_owned(),
            kind: "openai".to_owned(),
            model: "CANARY-MODEL".to_owned(),
        }),
        verdicts: parts.map(verdict).to_vec(),
        findings: vec![Vec::new()],
    }
}

fn levels(relevance: i64, tone: i64) -> ReviewerAnswer {
    let level = |(id, level): (&str, i64)| (id.to_owned(), Some(level));
    ReviewerAnswer::Levels(BTreeMap::from([("relevance", relevance), ("tone", tone)].map(level)))
}

/// The next item of a queue for a person, as they see it.
fn next_item(room: &ReviewRoom, queue: QueueId, person: PersonId, now: i64) -> Option<ItemView> {
    let next = wait(room.next(queue, person, now)).unwrap()?;
    room.item(next, person).unwrap()
}

/// Runs a future on a runtime of its own.
fn wait<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}
