//! Personal data, shown as dots: a report travels further than a reply.

use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
use probity_core::gate::{Finding, Gate};

/// The family of rules that find personal data.
const FAMILY: &str = "pii.";

/// Whether a finding is of personal data.
pub(super) fn is_private(finding: &Finding) -> bool {
    finding.rule().starts_with(FAMILY)
}

/// `found` with every letter and digit as a dot.
pub(super) fn dotted(found: &str) -> String {
    found.chars().map(|c| if c.is_alphanumeric() { '•' } else { c }).collect()
}

/// What a judge said, with what the gate takes for personal data as dots: a judge may quote a ticket.
pub(super) fn shown(text: &str) -> String {
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
        .filter(|finding| is_private(finding))
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
}
