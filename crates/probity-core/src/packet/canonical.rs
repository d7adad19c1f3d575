//! A packet's members in canonical order, written without building a tree: every reply of every run comes
//! through here.

use super::{Ask, Material, PAIR_VERDICTS, Subject};
use crate::case::Situation;
use crate::json::write_string;

/// What a packet about one reply starts with, and nothing: its criteria.
pub(super) fn reply_start(criteria: &str) -> (String, String) {
    (format!("{{\"criteria\":{criteria}"), String::new())
}

/// What a packet about two replies starts with, up to the first of them, and what follows the second: its
/// criteria.
pub(super) fn pair_start(criteria: &str) -> (String, String) {
    let mut start = "{\"allowed_verdicts\":[".to_owned();
    for (i, verdict) in PAIR_VERDICTS.iter().enumerate() {
        start.push_str(if i > 0 { "," } else { "" });
        write_string(verdict, &mut start);
    }
    start.push_str("],\"candidates\":{\"A\":");
    (start, format!("}},\"criteria\":{criteria}"))
}

/// The canonical text whose end is `end`.
pub(super) fn whole(ask: &Ask, end: &str) -> String {
    [ask.start.as_str(), end].concat()
}

/// What follows the ask's own start in the canonical text.
pub(super) fn end(ask: &Ask, material: &Material, reference: Option<&str>) -> String {
    let Material { situation, subject, grounds } = material;
    let n_turns = if let Situation::Conversation(turns) = situation { turns.len() } else { 1 };
    let n_bytes = situation.n_bytes() + subject.n_bytes() + reference.map_or(0, str::len);
    let mut out = String::with_capacity(ask.middle.len() + n_bytes + 40 * n_turns + 128);
    if let Subject::Pair { a, b } = subject {
        write_string(a, &mut out);
        out.push_str(",\"B\":");
        write_string(b, &mut out);
        out.push_str(&ask.middle);
    }
    if let Some(evidence) = grounds.to_json() {
        out.push_str(",\"evidence\":");
        out.push_str(&evidence);
    }
    out.push_str(match subject {
        Subject::Reply(_) => ",\"probity_packet\":1",
        Subject::Pair { .. } => ",\"probity_pair_packet\":1",
    });
    if let Some(reference) = reference {
        out.push_str(",\"reference\":");
        write_string(reference, &mut out);
    }
    if let Subject::Reply(reply) = subject {
        out.push_str(",\"reply\":");
        write_string(reply, &mut out);
    }
    out.push_str(",\"situation\":");
    write_situation(situation, &mut out);
    out.push('}');
    out
}

fn write_situation(situation: &Situation, out: &mut String) {
    match situation {
        Situation::Ticket(text) => {
            out.push_str("{\"ticket\":");
            write_string(text, out);
        }
        Situation::Conversation(turns) => {
            out.push_str("{\"turns\":[");
            for (i, turn) in turns.iter().enumerate() {
                out.push_str(if i > 0 { ",{\"role\":" } else { "{\"role\":" });
                write_string(turn.role.name(), out);
                out.push_str(",\"text\":");
                write_string(&turn.text, out);
                out.push('}');
            }
            out.push(']');
        }
    }
    out.push('}');
}
