//! A packet's members in canonical order, written without building a tree: every reply of every run comes
//! through here.

use super::{Ask, Material, PAIR_VERDICTS, Subject};
use crate::case::Situation;
use crate::json::write_string;

/// The canonical text.
pub(super) fn canonical(ask: &Ask, material: &Material, reference: Option<&str>) -> String {
    let Material { situation, subject, grounds } = material;
    let mut out = "{".to_owned();
    if let Subject::Pair { a, b } = subject {
        out.push_str("\"allowed_verdicts\":[");
        for (i, verdict) in PAIR_VERDICTS.iter().enumerate() {
            out.push_str(if i > 0 { "," } else { "" });
            write_string(verdict, &mut out);
        }
        out.push_str("],\"candidates\":{\"A\":");
        write_string(a, &mut out);
        out.push_str(",\"B\":");
        write_string(b, &mut out);
        out.push_str("},");
    }
    out.push_str("\"criteria\":");
    out.push_str(&ask.criteria_json);
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
