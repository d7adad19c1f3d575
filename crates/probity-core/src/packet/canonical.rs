//! A packet's members in canonical order, written without building a tree: every reply of every run comes
//! through here.

use super::{Ask, PAIR_VERDICTS, Subject};
use crate::case::Situation;
use crate::json::write_string;

/// The version of the format of packets about one reply, as a member of the hashed data.
const REPLY_FORMAT: &str = ",\"probity_packet\":1";

/// The version of the format of packets about two replies.
const PAIR_FORMAT: &str = ",\"probity_pair_packet\":1";

/// The canonical text.
pub(super) fn packet(ask: &Ask, situation: &Situation, subject: &Subject, reference: Option<&str>) -> String {
    let texts: usize = situation.texts().iter().map(|text| text.len() + 40).sum();
    let replies: usize = subject.replies().iter().map(|text| text.len()).sum();
    let mut out = String::with_capacity(ask.canonical.len() + texts + replies + 256);
    match subject {
        Subject::Reply(_) => out.push('{'),
        Subject::Pair { a, b } => write_candidates(a, b, &mut out),
    }
    out.push_str("\"criteria\":");
    out.push_str(&ask.canonical);
    out.push_str(match subject {
        Subject::Reply(_) => REPLY_FORMAT,
        Subject::Pair { .. } => PAIR_FORMAT,
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

fn write_candidates(a: &str, b: &str, out: &mut String) {
    out.push_str("{\"allowed_verdicts\":[");
    for (i, verdict) in PAIR_VERDICTS.iter().enumerate() {
        out.push_str(if i > 0 { "," } else { "" });
        write_string(verdict, out);
    }
    out.push_str("],\"candidates\":{\"A\":");
    write_string(a, out);
    out.push_str(",\"B\":");
    write_string(b, out);
    out.push_str("},");
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
