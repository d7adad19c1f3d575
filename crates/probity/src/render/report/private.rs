//! Personal data, shown as dots: a report travels further than a reply.

use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
use probity_core::gate::Gate;
use probity_core::results::FindingRecord;

use super::document::Piece;

/// The family of rules that find personal data.
const FAMILY: &str = "pii.";
/// How much of a reply is shown, in bytes.
const TEXT_BYTES_MAX: usize = 2_000;

/// Whether what a rule finds is personal data.
fn is_private(rule: &str) -> bool {
    rule.starts_with(FAMILY)
}

/// `found` with every letter and digit as a dot.
fn dotted(found: &str) -> String {
    found.chars().map(|c| if c.is_alphanumeric() { '•' } else { c }).collect()
}

/// What a judge said, with what the gate takes for personal data as dots: a judge may quote a ticket.
pub(in crate::render) fn shown(text: &str) -> String {
    let id = CaseId::new("reason").expect("a plain word is an id");
    let case = Case::new(id, Situation::Ticket("".into()));
    let screened = Gate::default().screen(Entry { case, reply: Reply::new(text) });
    let findings = match &screened {
        Ok(admitted) => admitted.flags(),
        Err(blocked) => blocked.findings(),
    };
    let mut shown = text.to_owned();
    let mut spans: Vec<(usize, usize)> = findings
        .iter()
        .filter(|finding| is_private(finding.rule()))
        .map(|finding| (finding.sighting.start, finding.sighting.end))
        .collect();
    // From the end, so that what is written does not move what is still to be found.
    spans.sort_unstable_by(|one, other| other.cmp(one));
    for (start, end) in spans {
        if let Some(found) = text.get(start..end) {
            let dots = dotted(found);
            if shown.get(start..end) == Some(found) {
                shown.replace_range(start..end, &dots);
            }
        }
    }
    shown
}

/// The reply cut where findings begin and end. A span that does not fit the text is left out. Personal data is
/// shown as dots: a report travels further than a reply.
pub(in crate::render) fn pieces(text: &str, findings: &[FindingRecord]) -> Vec<Piece> {
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    let mut spans: Vec<(usize, usize, &str, bool)> = findings
        .iter()
        .map(|finding| (finding.start, finding.end, finding.rule.as_str(), is_private(&finding.rule)))
        .filter(|(start, stop, ..)| start < stop && *stop <= end && text.get(*start..*stop).is_some())
        .collect();
    spans.sort_unstable();
    let mut pieces = Vec::new();
    let mut at = 0;
    let plain = |text: &str| Piece { text: text.to_owned(), rule: None };
    for (start, stop, rule, private) in spans {
        if start < at {
            continue;
        }
        if at < start {
            pieces.push(plain(&text[at..start]));
        }
        let found = &text[start..stop];
        let visible = if private { dotted(found) } else { found.to_owned() };
        pieces.push(Piece { text: visible, rule: Some(rule.to_owned()) });
        at = stop;
    }
    let cut = if end < text.len() { "…" } else { "" };
    if at < end || !cut.is_empty() {
        pieces.push(plain(&format!("{}{cut}", &text[at..end])));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use probity_core::results::finding_records;

    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(shown(text), want);
    }

    #[test]
    fn what_a_judge_quotes_is_dotted() {
        check(
            "Repeats the card 4111 1111 1111 1111 in full.",
            "Repeats the card •••• •••• •••• •••• in full.",
        );
        check("Gives jane.doe@corp.com away.", "Gives ••••.•••@••••.••• away.");
        check("Curt, and beside the point.", "Curt, and beside the point.");
    }

    #[test]
    fn what_the_gate_found_is_marked_and_personal_data_is_not_repeated() {
        let text = "Grüße! Your card is 4111 1111 1111 1111, thanks.";
        let case =
            Case::new(CaseId::new("t").expect("an id"), Situation::Ticket("Which card do you have?".into()));
        let blocked = Gate::default().screen(Entry { case, reply: Reply::new(text) }).expect_err("a leak");
        let pieces = pieces(text, &finding_records(blocked.findings()));
        let marked: Vec<&str> = pieces.iter().filter(|p| p.rule.is_some()).map(|p| p.text.as_str()).collect();
        assert_eq!(marked, ["•••• •••• •••• ••••"]);
        let shown: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(shown, "Grüße! Your card is •••• •••• •••• ••••, thanks.");
    }

    #[test]
    fn a_long_reply_is_cut_visibly_and_never_inside_a_letter() {
        let pieces = pieces(&"ü".repeat(5_000), &[]);
        assert!(pieces[0].text.ends_with("ü…") && pieces[0].text.len() <= TEXT_BYTES_MAX + 3);
    }
}
