//! Personal data, shown as dots: a report travels further than a reply.

use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
use probity_core::gate::Gate;
use probity_core::results::{FindingRecord, finding_records};
use serde::{Deserialize, Serialize};

/// The family of rules that find personal data.
const FAMILY: &str = "pii.";

/// What a page holds of the texts of cases, replies and judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Texts {
    /// All of them as they are.
    Full,
    /// With dots for what the gate takes for personal data.
    #[default]
    Masked,
    /// None.
    None,
}

/// A piece of a reply; `rule` where the gate found something in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// What it says.
    pub(crate) text: String,
    /// The rule.
    pub(crate) rule: Option<String>,
}

impl Texts {
    /// `text` as far as pages show it.
    pub(super) fn shown(self, text: &str) -> String {
        match self {
            Texts::Full => text.to_owned(),
            Texts::Masked => shown(text),
            Texts::None => String::new(),
        }
    }
}

/// Whether what a rule finds is personal data.
fn is_private(rule: &str) -> bool {
    rule.starts_with(FAMILY)
}

/// What the gate takes for personal data in any text: a judge may quote a ticket.
fn private(text: &str) -> Vec<FindingRecord> {
    let id = CaseId::new("text").expect("a plain word is an id");
    let case = Case::new(id, Situation::Ticket("".into()));
    let mut found = match Gate::default().screen(Entry { case, reply: Reply::new(text) }) {
        Ok(admitted) => finding_records(admitted.flags()),
        Err(blocked) => finding_records(blocked.findings()),
    };
    found.retain(|finding| is_private(&finding.rule));
    found
}

/// `text` with dots for personal data.
pub(super) fn shown(text: &str) -> String {
    pieces(text, &[], Texts::Masked).into_iter().map(|piece| piece.text).collect()
}

/// The text cut where findings begin and end, with dots for personal data unless it is shown in full. A span that does
/// not fit the text is left out; of those that overlap, one of personal data counts.
pub(super) fn pieces(text: &str, findings: &[FindingRecord], texts: Texts) -> Vec<Piece> {
    let text = if texts == Texts::None { "" } else { text };
    let masked = if texts == Texts::Masked { private(text) } else { Vec::new() };
    let fits = |found: &&FindingRecord| found.start < found.end && text.get(found.start..found.end).is_some();
    let spans: Vec<&FindingRecord> = findings.iter().chain(&masked).filter(fits).collect();
    let mut edges: Vec<(usize, bool, &str)> = spans
        .iter()
        .flat_map(|found| [(found.start, true, found.rule.as_str()), (found.end, false, found.rule.as_str())])
        .chain([(text.len(), false, "")])
        .collect();
    edges.sort_unstable();
    let (mut pieces, mut at, mut open) = (Vec::new(), 0, Vec::<&str>::new());
    for (edge, begins, rule) in edges {
        if at < edge {
            let rule = open.iter().find(|rule| is_private(rule)).or(open.first());
            let hides = texts == Texts::Masked && rule.is_some_and(|rule| is_private(rule));
            let shown = &text[at..edge];
            let shown = if hides { dotted(shown) } else { shown.to_owned() };
            pieces.push(Piece { text: shown, rule: rule.map(|rule| (*rule).to_owned()) });
            at = edge;
        }
        match open.iter().position(|known| *known == rule) {
            Some(place) if !begins => drop(open.swap_remove(place)),
            _ if begins => open.push(rule),
            _ => {}
        }
    }
    pieces
}

/// `found` with every letter and digit as a dot.
fn dotted(found: &str) -> String {
    found.chars().map(|c| if c.is_alphanumeric() { '•' } else { c }).collect()
}

#[cfg(test)]
mod tests {
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
        let check = |texts, want: &[&str]| {
            let pieces = pieces(text, &private(text), texts);
            assert_eq!(pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>(), want);
            assert_eq!(pieces.iter().filter(|piece| piece.rule.is_some()).count(), want.len() / 2);
        };
        check(Texts::Masked, &["Grüße! Your card is ", "•••• •••• •••• ••••", ", thanks."]);
        check(Texts::Full, &["Grüße! Your card is ", "4111 1111 1111 1111", ", thanks."]);
        check(Texts::None, &[]);
    }

    #[test]
    fn personal_data_inside_another_finding_is_hidden_too() {
        let text = "We promise to write to jane.doe@corp.com at once.";
        let promise = FindingRecord { start: 3, end: text.len(), ..private(text)[0].clone() };
        let promise = FindingRecord { rule: "claim.unsupported_promise".to_owned(), ..promise };
        let shown: String =
            pieces(text, &[promise], Texts::Masked).into_iter().map(|piece| piece.text).collect();
        assert!(shown.ends_with("••••.•••@••••.••• at once."), "{shown}");
    }
}
