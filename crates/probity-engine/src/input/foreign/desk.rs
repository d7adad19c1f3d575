//! What help desks have in common: threads of messages of which some are private, and people of whom some are agents.
//!
//! What is public stands in `config/desks.toml`; nothing else is kept. A private note never becomes a turn, a reply or
//! a kept value, and no mail address that is known to be an agent's is in any of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use probity_core::case::Role;
use probity_core::json::{Json, Object};
use serde::Deserialize;

use super::Pieced;
use super::beside::Withheld;
use super::case::ForeignCase;
use super::conversation::{Conversation, turn};
use super::path::{as_text, at, text_at};
use super::pieces::Pieces;

const DATA: &str = include_str!("../../../config/desks.toml");

static DESKS: LazyLock<BTreeMap<String, Desk>> =
    LazyLock::new(|| toml::from_str(DATA).expect("the embedded table is read by every test"));

/// The public records of a help desk, by their shape.
type Desk = BTreeMap<String, PublicRecord>;

/// Members and their values.
type Conditions = BTreeMap<String, Vec<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PublicRecord {
    members: Vec<String>,
    #[serde(default)]
    shown_if: Conditions,
    shown_without_body_if: Option<Conditions>,
    #[serde(default)]
    hidden_if: Conditions,
    customer_if: Option<Conditions>,
}

impl PublicRecord {
    fn is_shown(&self, record: &Json) -> bool {
        let has = |(name, values): (&String, &Vec<String>)| {
            at(record, name).is_some_and(|value| values.contains(&as_text(value)))
        };
        let is_silent = || {
            let silent = self.shown_without_body_if.as_ref();
            silent.is_some_and(|silent| silent.iter().all(has)) && body(record).is_none()
        };
        (self.shown_if.iter().all(has) || is_silent()) && !self.hidden_if.iter().any(has)
    }

    fn is_agent(&self, record: &Json) -> bool {
        self.customer_if.as_ref().is_some_and(|is_customer| {
            !is_customer
                .iter()
                .all(|(name, values)| text_at(record, &[name]).is_some_and(|value| values.contains(&value)))
        })
    }

    /// How a member is public; `None` where it is not known to be.
    fn member(&self, name: &str) -> Option<PublicMember<'_>> {
        self.members.iter().find_map(|member| match member.split_once(':') {
            Some((known, shape)) => (known == name).then_some(PublicMember::Records(shape)),
            None => (member == name).then_some(PublicMember::Whole),
        })
    }
}

/// How a member is public.
#[derive(Clone, Copy)]
enum PublicMember<'a> {
    Whole,
    /// What is public of the records of this shape in it.
    Records(&'a str),
}

/// The text of a message, where it has one.
pub(super) fn body(record: &Json) -> Option<String> {
    text_at(record, &["body", "body_text", "html_body", "plain_body"])
}

/// Whether a record of this shape is public.
pub(super) fn is_shown(desk: &str, shape: &str, record: &Json) -> bool {
    DESKS[desk][shape].is_shown(record)
}

/// Whether `tool` is a help desk.
pub(in crate::input) fn is_desk(tool: &str) -> bool {
    DESKS.contains_key(tool)
}

/// Notes the mail addresses of the agents in a record.
pub(super) fn note_agents(desk: &str, shape: &str, record: &Json, found: &mut Pieced<'_>) {
    let Json::Object(members) = record else {
        return record.as_array().into_iter().flatten().for_each(|one| note_agents(desk, shape, one, found));
    };
    let known = &DESKS[desk][shape];
    if let Some(address) = text_at(record, &["email"]).filter(|_| known.is_agent(record)) {
        found.note_agent(&address);
    }
    for (name, value) in members.iter() {
        if let Some(PublicMember::Records(shape)) = known.member(name) {
            note_agents(desk, shape, value, found);
        }
    }
}

/// What stands in place of an agent's mail address.
const MASK: &str = "[an agent's address]";

/// What is public of a help desk's records, and a count of what is not.
pub(super) struct Public<'a> {
    desk: &'static Desk,
    agents: &'a HashSet<String>,
    /// Addresses that are agents' in this record.
    pub(super) own_agents: Vec<String>,
    pub(super) withheld: Withheld,
}

impl<'a> Public<'a> {
    pub(super) fn new(desk: &str, agents: &'a HashSet<String>) -> Self {
        Public { desk: &DESKS[desk], agents, own_agents: Vec::new(), withheld: Withheld::default() }
    }

    /// What is public of a record of this shape; nothing where it is not public itself.
    pub(super) fn of(&mut self, shape: &str, record: &Json) -> Option<Json> {
        let known = &self.desk[shape];
        let Some(members) = record.as_object() else {
            self.withheld.add(shape);
            return None;
        };
        if !known.is_shown(record) {
            match body(record) {
                Some(_) => self.withheld.notes += 1,
                None => self.withheld.add(shape),
            }
            return None;
        }
        let mut kept = Object::new();
        for (name, value) in members.iter() {
            let public = match (known.member(name), value) {
                _ if is_empty(value) => Some(value.clone()),
                (Some(PublicMember::Records(shape)), Json::Array(items)) => {
                    Some(Json::Array(items.iter().filter_map(|item| self.of(shape, item)).collect()))
                }
                (Some(PublicMember::Records(shape)), Json::Object(_)) => self.of(shape, value),
                (Some(PublicMember::Whole), _) => Some(self.masked_json(value)),
                _ => {
                    self.withheld.add(name);
                    None
                }
            };
            if let Some(public) = public {
                kept.insert(name, public).expect("the keys of an object differ");
            }
        }
        Some(Json::Object(kept))
    }

    fn masked_json(&mut self, json: &Json) -> Json {
        match json {
            Json::Array(items) => Json::Array(items.iter().map(|item| self.masked_json(item)).collect()),
            Json::Object(members) => {
                Json::object(members.iter().map(|(name, value)| (name, self.masked_json(value))))
            }
            Json::String(text) => {
                let masked = self.masked(text).into_owned();
                self.withheld.addresses += usize::from(masked != *text);
                Json::String(masked)
            }
            other => other.clone(),
        }
    }

    /// A text without the mail addresses of agents.
    pub(super) fn masked<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '%');
        let mut masked = Cow::Borrowed(text);
        let mut done = 0;
        for (at, _) in text.match_indices('@') {
            let local = &text[done.min(at)..at];
            let start = at - (local.len() - local.trim_end_matches(is_inside).len());
            let after = &text[at + 1..];
            let end = at + 1 + (after.len() - after.trim_start_matches(is_inside).len());
            let address = text[start..end].trim_end_matches('.');
            let lower = address.to_lowercase();
            let is_agent = self.agents.contains(&lower) || self.own_agents.contains(&lower);
            if is_agent && start < at {
                let out = masked.to_mut();
                // Everything up to `done` stands in `out` as it was or masked.
                let from = out.len() - (text.len() - start);
                out.replace_range(from..from + address.len(), MASK);
                done = start + address.len();
            }
        }
        masked
    }
}

/// Whether a value says nothing.
fn is_empty(json: &Json) -> bool {
    match json {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(members) => members.is_empty(),
        Json::Bool(_) | Json::Number(_) => false,
    }
}

/// One message of a thread.
pub(super) struct Comment {
    pub(super) role: Role,
    /// What was written, without quoted mail and signature.
    pub(super) text: String,
    pub(super) is_public: bool,
    /// Whether a bot wrote it.
    pub(super) by_bot: bool,
    /// Whether it is only taken for an agent's, because its author is not known.
    pub(super) is_guessed: bool,
}

/// Makes a case of a thread: what customers and agents said in public, and the last answer of an agent.
pub(super) fn thread(case: &mut ForeignCase, comments: Vec<Comment>, public: &Public<'_>) {
    case.beside.n_private = comments.iter().filter(|comment| !comment.is_public).count();
    let seen = |comment: &Comment| comment.is_public && !comment.text.trim().is_empty();
    let shown: Vec<Comment> = comments.into_iter().filter(seen).collect();
    case.beside.n_guessed = shown.iter().filter(|comment| comment.is_guessed).count();
    let reply = shown.iter().rposition(|comment| comment.role == Role::Agent);
    case.bots = shown.iter().map(|comment| comment.by_bot).collect();
    let turns = shown.iter().map(|comment| turn(comment.role, public.masked(&comment.text))).collect();
    let no_reply = reply.is_none().then_some("no public reply by an agent");
    case.conversation = Conversation { turns, reply, no_reply, ..Conversation::default() };
}

/// What is public of what stands around the records of a help desk's file.
pub(in crate::input) fn public_frame(tool: &str, frame: &Json, pieces: &Pieces) -> (Json, Withheld) {
    let mut public = Public::new(tool, pieces.agents());
    let kept = public.of("frame", frame).unwrap_or(Json::Null);
    (kept, public.withheld)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_that_a_member_names_is_there() {
        for (name, desk) in DESKS.iter() {
            for member in desk.values().flat_map(|shape| &shape.members) {
                let known = member.split_once(':').is_none_or(|(_, shape)| desk.contains_key(shape));
                assert!(known, "{name}: {member}");
            }
        }
    }

    #[test]
    fn addresses_of_agents_are_masked_and_no_others() {
        let agents = HashSet::from(["sam@desk.example".to_owned(), "kim@desk.example".to_owned()]);
        let public = Public::new("zendesk", &agents);
        for (text, want) in [
            ("mail sam@desk.example.", "mail [an agent's address]."),
            ("<Sam@Desk.example>,kim@desk.example", "<[an agent's address]>,[an agent's address]"),
            ("ann@desk.example, nosam@desk.example", "ann@desk.example, nosam@desk.example"),
            ("@desk.example a@b@c \u{e9}@\u{e9} @", "@desk.example a@b@c \u{e9}@\u{e9} @"),
        ] {
            assert_eq!(public.masked(text), want);
        }
    }
}
