//! What help desks have in common: a thread of comments, of which some are private.
//!
//! A private note never becomes a turn, a reply or a kept value: it is counted and dropped here.

use probity_core::case::Role;
use probity_core::json::{Json, Object};

use super::case::ForeignCase;
use super::conversation::{Conversation, turn};

/// One message of a thread.
pub(super) struct Comment {
    pub(super) role: Role,
    /// What was written, without quoted mail and signature.
    pub(super) text: String,
    pub(super) is_public: bool,
    /// Whether a bot wrote it.
    pub(super) by_bot: bool,
}

/// Makes a case of a thread: what customers and agents said in public, and the last answer of an agent.
pub(super) fn thread(case: &mut ForeignCase, comments: Vec<Comment>) {
    case.beside.n_private = comments.iter().filter(|comment| !comment.is_public).count();
    let seen = |comment: &Comment| comment.is_public && !comment.text.trim().is_empty();
    let public: Vec<Comment> = comments.into_iter().filter(seen).collect();
    let reply = public.iter().rposition(|comment| comment.role == Role::Agent);
    case.bots = public.iter().map(|comment| comment.by_bot).collect();
    let turns = public.into_iter().map(|comment| turn(comment.role, comment.text)).collect();
    let no_reply = reply.is_none().then_some("no public reply by an agent");
    case.conversation = Conversation { turns, reply, no_reply, ..Conversation::default() };
}

/// `object` with the list at `name` (and, inside it, at `name` once more) without what `is_private` says.
pub(super) fn without(object: &Json, name: &str, is_private: fn(&Json) -> bool) -> Json {
    let Some(members) = object.as_object() else { return object.clone() };
    let mut kept = Object::new();
    for (key, value) in members.iter() {
        let value = match value {
            Json::Array(items) if key == name => {
                Json::Array(items.iter().filter(|item| !is_private(item)).cloned().collect())
            }
            inner @ Json::Object(_) if key == name => without(inner, name, is_private),
            other => other.clone(),
        };
        kept.insert(key, value).expect("the keys of an object differ");
    }
    Json::Object(kept)
}
