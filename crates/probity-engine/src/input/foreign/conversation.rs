//! From messages to what was said before a reply, the reply, and the tools that were called.
//!
//! The reply is the last text of an agent. What comes after it (thanks, a mark that ends the conversation) is kept
//! apart. Where the last thing that an agent did is a call of a tool without a text, there is no reply.

use std::sync::Arc;

use probity_core::case::{Role, Turn};
use probity_core::json::Json;

use super::messages::{Call, Message};

/// Why there is no reply, in the words of every format.
pub(super) const TOOL_CALL: &str = "the output is a tool call, not a reply";

/// A conversation between a customer and an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::input) struct Conversation {
    /// Texts of customers and agents, in order. Only a reply may be without a visible character.
    pub(in crate::input) turns: Vec<Turn>,
    /// Which of them is the reply.
    pub(in crate::input) reply: Option<usize>,
    /// Why none is.
    pub(super) no_reply: Option<&'static str>,
    /// The tools that were called, each call once.
    pub(in crate::input) calls: Vec<PlacedCall>,
    /// System and developer prompts.
    pub(super) instructions: Vec<String>,
}

/// A call of a tool and how many turns came before it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::input) struct PlacedCall {
    pub(in crate::input) call: Call,
    pub(super) n_turns: usize,
}

/// A turn.
pub(super) fn turn(role: Role, text: impl Into<Arc<str>>) -> Turn {
    Turn { role, text: text.into() }
}

impl Conversation {
    /// The conversation that messages are.
    pub(super) fn of(messages: &[Message]) -> Self {
        let mut read = Conversation::default();
        let mut last_agent = None;
        for message in messages {
            let role = message.role.as_deref().and_then(Role::parse);
            let is_seen = !message.text.trim().is_empty();
            read.add_calls(message);
            match role {
                Some(Role::System) if is_seen => read.instructions.push(message.text.clone()),
                Some(role @ (Role::Customer | Role::Agent)) => {
                    let is_empty_reply = role == Role::Agent
                        && message.is_plain
                        && message.calls.is_empty()
                        && !message.is_refusal;
                    if is_seen || is_empty_reply {
                        read.turns.push(turn(role, &*message.text));
                    }
                    if role == Role::Agent {
                        last_agent = Some(message);
                    }
                }
                _ => {}
            }
        }
        read.find_reply(last_agent);
        read
    }

    /// A conversation whose reply stands apart from it.
    pub(super) fn answered(turns: Vec<Turn>, reply: Option<String>) -> Self {
        let mut read = Conversation::default();
        read.say(turns, reply);
        read
    }

    /// Puts turns and reply in place of what was said.
    pub(super) fn say(&mut self, turns: Vec<Turn>, reply: Option<String>) {
        self.turns = turns;
        self.reply = reply.as_ref().map(|_| self.turns.len());
        self.turns.extend(reply.map(|reply| turn(Role::Agent, reply)));
        self.no_reply = self.no_reply.filter(|_| self.reply.is_none());
    }

    /// Adds the calls of a message and the results in it.
    pub(super) fn add_calls(&mut self, message: &Message) {
        let n_turns = self.turns.len();
        for call in &message.calls {
            if !self.calls.iter().any(|known| known.call.id == call.id) {
                self.calls.push(PlacedCall { call: call.clone(), n_turns });
            }
        }
        for (id, result) in &message.results {
            if let Some(known) = self.calls.iter_mut().find(|known| known.call.id == *id) {
                known.call.result = Some(result.clone());
            }
        }
    }

    fn find_reply(&mut self, last_agent: Option<&Message>) {
        let reply = self.turns.iter().rposition(|turn| turn.role == Role::Agent);
        let only_calls = last_agent.is_some_and(|last| !last.calls.is_empty() && last.text.trim().is_empty());
        self.no_reply = match reply {
            _ if only_calls => Some(TOOL_CALL),
            Some(_) => None,
            None if last_agent.is_some_and(|last| last.is_refusal) => Some("the last message is a refusal"),
            None => Some("no message by an agent"),
        };
        let reply = reply.filter(|_| self.no_reply.is_none());
        let is_seen = |turn: &Turn| !turn.text.trim().is_empty();
        let n_hidden = |turns: &[Turn]| turns.iter().filter(|turn| !is_seen(turn)).count();
        self.reply = reply.map(|at| at - n_hidden(&self.turns[..at]));
        let mut at = 0;
        self.turns.retain(|turn| {
            at += 1;
            is_seen(turn) || Some(at - 1) == reply
        });
    }

    /// Takes the reply away, for `reason`.
    pub(super) fn without_reply(&mut self, reason: &'static str) {
        if let Some(at) = self.reply.take() {
            self.turns.truncate(at);
        }
        self.no_reply = Some(reason);
    }

    /// The text of the reply.
    pub(in crate::input) fn reply_text(&self) -> Option<&str> {
        self.reply.map(|at| &*self.turns[at].text)
    }

    /// What was said before the reply; everything where there is none.
    pub(in crate::input) fn before(&self) -> &[Turn] {
        &self.turns[..self.reply.unwrap_or(self.turns.len())]
    }

    /// The turns of an agent that answer a customer.
    pub(in crate::input) fn answers(&self) -> impl Iterator<Item = usize> {
        let first = self.turns.iter().position(|turn| turn.role == Role::Customer);
        let from = first.unwrap_or(self.turns.len());
        (from..self.turns.len()).filter(|at| self.turns[*at].role == Role::Agent)
    }

    /// The calls before the reply, as the field `tools` has them.
    pub(super) fn tools(&self) -> Option<Json> {
        let n_turns = self.reply.unwrap_or(self.turns.len());
        let calls = self.calls.iter().filter(|placed| placed.n_turns <= n_turns);
        let calls: Vec<Json> = calls.map(|placed| placed.call.to_json()).collect();
        (!calls.is_empty()).then_some(Json::Array(calls))
    }
}

#[cfg(test)]
mod tests {
    use probity_core::json::parse;

    use super::super::messages::messages;
    use super::*;

    #[track_caller]
    fn check(json: &str, want: &str) {
        let read = Conversation::of(&messages(&parse(json).expect("JSON")));
        let before: Vec<&str> = read.before().iter().map(|turn| &*turn.text).collect();
        let said = read
            .reply_text()
            .map_or_else(|| format!("none: {}", read.no_reply.unwrap_or("?")), str::to_owned);
        assert_eq!(format!("{} -> {said}", before.join(" | ")), want, "{json}");
    }

    #[test]
    fn n31_the_reply_is_the_last_text_of_an_agent() {
        let asks = r#"{"role":"user","content":"Where is it?"}"#;
        let calls =
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f"}}]}"#;
        let answers = r#"{"role":"assistant","content":"Here."}"#;
        let thanks = r#"{"role":"user","content":"Thanks"}"#;
        check(&format!("[{asks},{calls},{answers},{thanks}]"), "Where is it? -> Here.");
        check(&format!("[{asks},{answers},{calls}]"), &format!("Where is it? | Here. -> none: {TOOL_CALL}"));
        check(&format!("[{asks}]"), "Where is it? -> none: no message by an agent");
        let empty = r#"{"role":"assistant","content":""}"#;
        check(&format!("[{asks},{empty},{thanks},{empty}]"), "Where is it? | Thanks -> ");
        let refusal = r#"{"role":"assistant","content":null,"refusal":"I cannot help."}"#;
        check(&format!("[{asks},{refusal}]"), "Where is it? -> none: the last message is a refusal");
    }
}
