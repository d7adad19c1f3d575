//! Entries of a list that are no single reply: two replies to one case with what was said about them in both orders, one
//! reply before and after, and a run with its figures.
//!
//! An item holds texts as they are, so that it can be kept; what a page may show of them is decided when it is shown.

use probity_core::case::Turn;
use probity_core::results::FindingRecord;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::private::{Mark, MarkKind, Texts, pieces};
use super::{ListEntry, case, quoted, words};

/// An entry of a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ListItem {
    /// Its name, which no other entry has.
    pub(crate) name: String,
    /// What it has of each facet of the list.
    pub(crate) values: Vec<Vec<String>>,
    /// Its figure.
    pub(crate) total: Option<f64>,
    /// Its level for each criterion of the list.
    pub(crate) levels: Vec<Option<i64>>,
    /// What stands in its row.
    pub(crate) lines: [String; 2],
    /// What opens.
    pub(crate) view: Opened,
}

/// What opens.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Opened {
    /// Two replies to one case.
    Pair {
        /// The conversation.
        turns: Vec<Turn>,
        /// The replies, candidate A first.
        replies: [PairReply; 2],
        /// What was said, with candidate A shown first and with candidate B.
        orders: Vec<OrderSaid>,
        /// What it counts as, in a sentence.
        counts_as: String,
        /// How well that is.
        tone: String,
    },
    /// What a judge said about something, compared with what people said.
    Held {
        /// The conversation.
        turns: Vec<Turn>,
        /// What was judged, each with a title.
        replies: Vec<(String, String)>,
        /// What was asked about it.
        asked: String,
        /// What the judge said.
        judge: String,
        /// Who said what.
        people: Vec<(String, String)>,
        /// The judge's words.
        reason: Option<String>,
        /// `agrees` or `differs`.
        outcome: String,
    },
    /// A run with its figures.
    Run {
        /// What it is.
        title: String,
        /// Each figure with its value, its interval and its denominator.
        figures: Vec<[String; 4]>,
        /// How to see more of it.
        commands: Vec<String>,
    },
    /// One reply before and after, or a reply with and without something.
    Change {
        /// The conversation.
        turns: Vec<Turn>,
        /// The sides.
        sides: [ChangeSide; 2],
        /// What moved, each with what was said about it afterwards.
        moves: Vec<LevelMove>,
    },
}

/// One of two replies to a case.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PairReply {
    /// What wrote it.
    pub(crate) variant: String,
    /// What it says.
    pub(crate) text: String,
    /// What the gate found in it.
    pub(crate) findings: Vec<FindingRecord>,
}

/// What a judge said with the replies in one order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OrderSaid {
    /// The variants by slot.
    pub(crate) slots: [String; 2],
    /// The slot that won, from 1.
    pub(crate) winner: Option<usize>,
    /// What was said, in a few words.
    pub(crate) says: String,
    /// The judge's words.
    pub(crate) evidence: Vec<String>,
}

/// One side of a change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ChangeSide {
    /// What it is called.
    pub(crate) title: String,
    /// What it came to.
    pub(crate) outcome: String,
    /// Its total, or another figure.
    pub(crate) total: Option<String>,
    /// The reply.
    pub(crate) text: String,
    /// Why it failed, was blocked or has no verdict.
    pub(crate) reasons: Vec<String>,
}

/// How one criterion moved.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LevelMove {
    /// The criterion.
    pub(crate) title: String,
    /// The level before and after.
    pub(crate) levels: [i64; 2],
    /// Whether that is worse.
    pub(crate) is_worse: bool,
    /// What the judge said afterwards.
    pub(crate) reason: Option<String>,
}

impl ListItem {
    /// What the index has of it.
    pub(crate) fn entry(&self) -> ListEntry {
        let ListItem { name, values, total, levels, .. } = self.clone();
        ListEntry { name, values, total, levels }
    }

    /// The template that shows it, and what that is filled with.
    pub(super) fn view(&self, texts: Texts) -> (&'static str, Value) {
        match &self.view {
            Opened::Pair { turns, replies, orders, counts_as, tone } => {
                let mut view = pair(replies, orders, texts);
                view["turns"] = json!(case::turns(turns, None, texts));
                view["counts_as"] = json!(counts_as);
                view["tone"] = json!(tone);
                view["name"] = json!(self.name);
                ("pair", view)
            }
            Opened::Held { turns, replies, asked, judge, people, reason, outcome } => {
                let quotes = reason.as_deref().map(quoted::quotes).unwrap_or_default();
                let reply = |(title, text): &(String, String)| json!({ "title": title, "pieces": pieces(text, &quoted::marks(text, &quotes), texts) });
                let view = json!({
                    "name": self.name, "turns": case::turns(turns, None, texts),
                    "replies": replies.iter().map(reply).collect::<Vec<_>>(), "asked": asked, "judge": judge,
                    "people": people, "reason": reason.as_deref().map(|reason| texts.shown(reason)), "outcome": outcome,
                });
                ("held", view)
            }
            Opened::Run { title, figures, commands } => {
                ("run", json!({ "title": title, "figures": figures, "commands": commands }))
            }
            Opened::Change { turns, sides, moves } => {
                let [removed, added] = words::changed(&sides[0].text, &sides[1].text);
                let side = |(side, marks): (&ChangeSide, Vec<Mark>)| {
                    json!({
                        "title": side.title, "outcome": side.outcome, "total": side.total,
                        "pieces": pieces(&side.text, &marks, texts), "reasons": side.reasons,
                    })
                };
                let sides: Vec<Value> = sides.iter().zip([removed, added]).map(side).collect();
                let reason = |each: &LevelMove| each.reason.as_deref().map(|reason| texts.shown(reason));
                let moves: Vec<Value> = moves
                    .iter()
                    .map(|each| {
                        json!({ "title": each.title, "levels": each.levels, "is_worse": each.is_worse, "reason": reason(each) })
                    })
                    .collect();
                let view = json!({
                    "name": self.name, "turns": case::turns(turns, None, texts), "sides": sides, "moves": moves,
                });
                ("change", view)
            }
        }
    }
}

/// Both replies with the judge's quotes marked, and both orders with what was said.
fn pair(replies: &[PairReply; 2], orders: &[OrderSaid], texts: Texts) -> Value {
    let mut marks: [Vec<Mark>; 2] =
        replies.each_ref().map(|reply| reply.findings.iter().map(Mark::of).collect());
    let mut letters = ('a'..='z').cycle();
    let mut orders_shown = Vec::new();
    for order in orders {
        let mut lines = Vec::new();
        for said in &order.evidence {
            let mut quotes = quoted::quotes(said);
            quotes.push(said.trim());
            let found = replies.each_ref().map(|reply| quoted::marks(&reply.text, &quotes));
            let letter = found.iter().any(|found| !found.is_empty()).then(|| letters.next()).flatten();
            for (marks, found) in marks.iter_mut().zip(found) {
                marks.extend(
                    found
                        .into_iter()
                        .map(|mark| letter.map_or(mark.clone(), |letter| mark.numbered(&letter))),
                );
            }
            lines.push(json!({ "text": texts.shown(said), "letter": letter.map(String::from) }));
        }
        orders_shown.push(
            json!({ "slots": order.slots, "winner": order.winner, "says": order.says, "lines": lines }),
        );
    }
    let shorter = replies.each_ref().map(|reply| reply.text.chars().count());
    let reply = |at: usize| {
        let reply = &replies[at];
        let n = shorter[at];
        let longer = n.saturating_sub(shorter[1 - at]);
        let flagged = marks[at].iter().any(|mark| mark.mark.kind == MarkKind::Gate);
        json!({
            "variant": reply.variant, "n_chars": n, "longer": longer, "pieces": pieces(&reply.text, &marks[at], texts),
            "flagged": flagged, "findings": reply.findings.iter().map(|found| json!({ "rule": found.rule, "message": found.message })).collect::<Vec<_>>(),
        })
    };
    json!({ "replies": [reply(0), reply(1)], "orders": orders_shown })
}
