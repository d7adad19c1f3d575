//! Personal data, shown as dots: a report travels further than a reply.

use std::ops::Range;
use std::sync::LazyLock;

use probity_core::gate::pii::{Allow, Scanner, Surroundings};
use probity_core::results::FindingRecord;
use serde::{Deserialize, Serialize};

/// The family of rules that find personal data.
const FAMILY: &str = "pii.";

/// What a page holds of the texts of cases, replies and judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Texts {
    /// All of them as they are.
    Full,
    /// Personal data masked by dots.
    #[default]
    Masked,
    /// None.
    None,
}

probity_core::named! {
    /// Why a part of a text is marked, most important first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(crate) enum MarkKind {
        /// The gate found something in it.
        Gate = "gate",
        /// A source says otherwise, or it is the sentence of the source that does.
        Contradicts = "contradicts",
        /// A source says the same, or it is the sentence of the source that does.
        Agrees = "agrees",
        /// The judge quotes it.
        Quoted = "quoted",
        /// It was not there before.
        Added = "added",
        /// It is not there any more.
        Removed = "removed",
    }
}

/// What is marked in a text, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PieceMark {
    /// The kind of mark.
    pub(crate) kind: MarkKind,
    /// Why, in a few words: a rule of the gate by its id.
    pub(crate) title: String,
    /// What joins it to its like in another text: a number or a letter.
    pub(crate) number: Option<String>,
}

/// A mark with its place in a text, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Where it is.
    pub(crate) range: Range<usize>,
    /// What it is.
    pub(crate) mark: PieceMark,
}

/// A piece of a text, and how it is marked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// What it says.
    pub(crate) text: String,
    /// Why it is marked, where it is. The number stands with the last piece of a mark alone.
    pub(crate) mark: Option<PieceMark>,
}

impl Mark {
    /// A mark at `range`.
    pub(crate) fn new(range: Range<usize>, kind: MarkKind, title: &str) -> Mark {
        Mark { range, mark: PieceMark { kind, title: title.to_owned(), number: None } }
    }

    /// What the gate found.
    pub(crate) fn of(found: &FindingRecord) -> Mark {
        let kind = if found.rule == "claim.contradicted" { MarkKind::Contradicts } else { MarkKind::Gate };
        Mark::new(found.start..found.end, kind, &found.rule)
    }

    /// With a number.
    pub(crate) fn numbered(mut self, number: &impl ToString) -> Mark {
        self.mark.number = Some(number.to_string());
        self
    }

    fn is_private(&self) -> bool {
        self.mark.title.starts_with(FAMILY)
    }
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

/// What the gate takes for personal data in any text: a judge may quote a ticket.
fn private(text: &str) -> Vec<Mark> {
    static SCANNER: LazyLock<Scanner> = LazyLock::new(|| {
        Scanner::new(&Allow::default()).expect("no pattern can be wrong where there is none")
    });
    let found = SCANNER.check(text, &Surroundings::default()).into_iter();
    found.map(|found| Mark::new(found.start..found.end, MarkKind::Gate, found.rule)).collect()
}

/// `text` with dots for personal data.
pub(super) fn shown(text: &str) -> String {
    pieces(text, &[], Texts::Masked).into_iter().map(|piece| piece.text).collect()
}

/// The text cut where marks begin and end, with dots for personal data unless it is shown in full. A mark that does not
/// fit the text is left out; of those that overlap, one of personal data counts, then the most important kind.
pub(super) fn pieces(text: &str, marks: &[Mark], texts: Texts) -> Vec<Piece> {
    let text = if texts == Texts::None { "" } else { text };
    let masked = if texts == Texts::Masked { private(text) } else { Vec::new() };
    let fits = |mark: &&Mark| !mark.range.is_empty() && text.get(mark.range.clone()).is_some();
    let mut marks: Vec<&Mark> = marks.iter().chain(&masked).filter(fits).collect();
    marks.sort_by_key(|mark| (!mark.is_private(), mark.mark.kind));
    let mut edges: Vec<usize> = marks.iter().flat_map(|mark| [mark.range.start, mark.range.end]).collect();
    edges.extend([0, text.len()]);
    edges.sort_unstable();
    edges.dedup();
    let mut cut: Vec<(Range<usize>, Option<&Mark>)> = Vec::new();
    for edge in edges.windows(2) {
        let over =
            marks.iter().find(|mark| mark.range.start <= edge[0] && edge[1] <= mark.range.end).copied();
        match cut.last_mut() {
            Some((range, mark)) if mark.map(std::ptr::from_ref) == over.map(std::ptr::from_ref) => {
                range.end = edge[1];
            }
            _ => cut.push((edge[0]..edge[1], over)),
        }
    }
    let piece = |(range, over): (Range<usize>, Option<&Mark>)| {
        let hides = texts == Texts::Masked && over.is_some_and(Mark::is_private);
        let shown = &text[range.clone()];
        let text = if hides { dotted(shown) } else { shown.to_owned() };
        let mark = over.map(|over| {
            let number = over.mark.number.clone().filter(|_| range.end == over.range.end);
            PieceMark { number, ..over.mark.clone() }
        });
        Piece { text, mark }
    };
    cut.into_iter().map(piece).collect()
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
            assert_eq!(pieces.iter().filter(|piece| piece.mark.is_some()).count(), want.len() / 2);
        };
        check(Texts::Masked, &["Grüße! Your card is ", "•••• •••• •••• ••••", ", thanks."]);
        check(Texts::Full, &["Grüße! Your card is ", "4111 1111 1111 1111", ", thanks."]);
        check(Texts::None, &[]);
    }

    #[test]
    fn the_most_important_mark_counts_and_its_number_stands_at_its_end() {
        let marks = [
            Mark::new(0..12, MarkKind::Agrees, "policy").numbered(&1),
            Mark::new(4..8, MarkKind::Quoted, "quoted"),
            Mark::new(8..20, MarkKind::Gate, "claim.contradicted").numbered(&2),
            Mark::new(30..99, MarkKind::Gate, "beyond the text"),
        ];
        let pieces = pieces("0123456789abcdefghijklmn", &marks, Texts::Full);
        let shown: Vec<_> = pieces
            .iter()
            .map(|piece| (&*piece.text, piece.mark.as_ref().and_then(|mark| mark.number.as_deref())))
            .collect();
        assert_eq!(shown, [("01234567", None), ("89abcdefghij", Some("2")), ("klmn", None)]);
    }

    #[test]
    fn personal_data_inside_another_finding_is_hidden_too() {
        let text = "We promise to write to jane.doe@corp.com at once.";
        let promise = Mark::new(3..text.len(), MarkKind::Gate, "claim.unsupported_promise");
        let shown: String =
            pieces(text, &[promise], Texts::Masked).into_iter().map(|piece| piece.text).collect();
        assert!(shown.ends_with("••••.•••@••••.••• at once."), "{shown}");
    }
}
