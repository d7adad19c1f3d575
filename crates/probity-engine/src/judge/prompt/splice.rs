//! A prompt cut at the places where a case's own texts stand, so that only those are filled in per packet.
//!
//! A template may do anything with its values, and a prompt must be what the template makes of them, byte
//! for byte. So a template is cut only where its source shows that the case's texts are printed as they are
//! and decide nothing: [`is_plain`] knows the few forms that do this and refuses the rest, which is then
//! rendered whole for each packet.

/// Values that differ from case to case, as a template names them.
const NAMES: &[&str] =
    &["situation", "reply", "candidate_a", "candidate_b", "reference", "evidence", "boundary"];

/// A function that prints every value there is.
const PRINTS_ALL: &str = "debug";

/// Conditions and loops that look at which texts a case has and not at what is in them. They come out alike
/// for all tickets with a reference, and for all without, and so for evidence.
const SHAPES: &[&str] = &[
    "situation.turns",
    "reference is not none",
    "reference is none",
    "evidence is not none",
    "evidence is none",
];

/// Statements that print what stands in them, or leave it out.
const STATEMENTS: &[&str] = &["if", "elif", "else", "endif", "for", "endfor"];

/// A character that no text of a template or a rubric should hold. Where one does, nothing is cut.
pub(super) const MARK: char = '\u{f8ff}';

/// A text of a case, or what follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// The customer's words.
    Ticket,
    /// The reply to be graded.
    Reply,
    /// The reply in slot A, to be compared.
    CandidateA,
    /// The reply in slot B, to be compared.
    CandidateB,
    /// The reference reply.
    Reference,
    /// What the reply may rest on.
    Evidence,
    /// The mark around the material.
    Boundary,
}

impl Slot {
    /// Every slot.
    pub(super) const ALL: [Slot; 7] = [
        Slot::Ticket,
        Slot::Reply,
        Slot::CandidateA,
        Slot::CandidateB,
        Slot::Reference,
        Slot::Evidence,
        Slot::Boundary,
    ];

    /// How a template prints it.
    fn printed(self) -> &'static str {
        match self {
            Slot::Ticket => "situation.ticket",
            Slot::Reply => "reply",
            Slot::CandidateA => "candidate_a",
            Slot::CandidateB => "candidate_b",
            Slot::Reference => "reference",
            Slot::Evidence => "evidence",
            Slot::Boundary => "boundary",
        }
    }

    /// What a template is given in its place.
    pub(super) fn stand_in(self) -> String {
        format!("{MARK}{}{MARK}", self.printed())
    }
}

/// A message cut at its slots: plain text and the slot that follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spliced {
    pieces: Vec<(String, Option<Slot>)>,
}

impl Spliced {
    /// Cuts `text`, which was rendered with a stand-in for each slot. `None` where a mark stands elsewhere.
    pub(super) fn cut(text: &str) -> Option<Spliced> {
        let mut parts = text.split(MARK);
        let mut pieces = vec![(parts.next().unwrap_or_default().to_owned(), None)];
        while let Some(name) = parts.next() {
            let slot = Slot::ALL.into_iter().find(|slot| slot.printed() == name)?;
            pieces.last_mut().expect("the first piece is there").1 = Some(slot);
            pieces.push((parts.next()?.to_owned(), None));
        }
        Some(Spliced { pieces })
    }

    /// The message with its slots filled in.
    pub(super) fn filled<'a>(&self, text: impl Fn(Slot) -> &'a str) -> String {
        let slots = || self.pieces.iter().filter_map(|(_, slot)| *slot);
        let n_bytes: usize = self.pieces.iter().map(|(plain, _)| plain.len()).sum();
        let n_bytes = n_bytes + slots().map(|slot| text(slot).len()).sum::<usize>();
        let mut out = String::with_capacity(n_bytes);
        for (plain, slot) in &self.pieces {
            out.push_str(plain);
            out.push_str(slot.map_or("", &text));
        }
        out
    }
}

/// Whether `source` prints the texts of tickets as they are and does nothing else with them.
pub(super) fn is_plain(source: &str) -> bool {
    let mut rest = source;
    while let Some(start) = rest.find('{') {
        let (before, tag) = rest.split_at(start);
        // An end without a start is the rest of a tag that ended earlier than it seemed.
        if has_end(before) {
            return false;
        }
        let (end, is_plain): (&str, fn(&str) -> bool) = match tag.as_bytes().get(1) {
            Some(b'{') => ("}}", is_plain_expression),
            Some(b'%') => ("%}", is_plain_statement),
            Some(b'#') => ("#}", |_| true),
            _ => {
                rest = &tag[1..];
                continue;
            }
        };
        let Some((inner, after)) = tag[2..].split_once(end) else { return false };
        let inner = inner.strip_prefix(['-', '+']).unwrap_or(inner);
        if !is_plain(inner.strip_suffix(['-', '+']).unwrap_or(inner).trim()) {
            return false;
        }
        rest = after;
    }
    !has_end(rest)
}

fn has_end(text: &str) -> bool {
    ["}}", "%}", "#}"].iter().any(|end| text.contains(end))
}

fn is_plain_expression(expression: &str) -> bool {
    Slot::ALL.iter().any(|slot| slot.printed() == expression) || !names_a_text(expression)
}

fn is_plain_statement(statement: &str) -> bool {
    let keyword = statement.split_whitespace().next().unwrap_or_default();
    STATEMENTS.contains(&keyword) && !names_a_text(statement)
}

/// Whether anything of a case's own is named, other than to see whether it is there.
fn names_a_text(code: &str) -> bool {
    let words = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let code = SHAPES.iter().fold(words, |code, shape| code.replace(shape, ""));
    NAMES.iter().chain([&PRINTS_ALL]).any(|name| code.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, want: bool) {
        assert_eq!(is_plain(source), want, "{source}");
    }

    #[test]
    fn texts_that_are_printed_as_they_are() {
        check("Grade {{ reply }} to {{- situation.ticket -}} by {{boundary}}.", true);
        check("{% if reference is not none -%} {{ reference }} {%- endif %}", true);
        check("{% for turn in situation.turns %}{{ turn.text }}{% endfor %}", true);
        check("{# reply|upper #}{% for c in criteria %}{{ c.id | upper }}{% endfor %} {\"score\": N}", true);
    }

    #[test]
    fn texts_that_are_changed_or_decide_something() {
        for source in [
            "{{ reply | upper }}",
            "{{ reply|length }}",
            "{{ reply ~ boundary }}",
            "{{ situation }}",
            "{{ situation[\"ticket\"] }}",
            "{{ debug() }}",
            "{% if reply == \"\" %}x{% endif %}",
            "{% if \"refund\" in situation.ticket %}x{% endif %}",
            "{% if reference %}x{% endif %}",
            "{% if reference is not none and reference|length > 9 %}x{% endif %}",
            "{% set text = reply %}{{ text }}",
            "{% filter upper %}{{ reply }}{% endfilter %}",
            "{% macro m() %}{{ reply }}{% endmacro %}{{ m()|upper }}",
            "{% set text %}{{ reply }}{% endset %}",
            "{% include \"user\" %}",
            "{% for reply in criteria %}{{ reply }}{% endfor %}",
            "{% raw %}{{ reply }}{% endraw %}",
            "{{ \"}}\" ~ reply }}",
            "{{ \"%}\" if several else reply }}",
            "{{--reply}}",
            "{{ reply",
        ] {
            check(source, false);
        }
    }

    #[test]
    fn a_message_is_cut_at_its_slots_and_put_together_again() {
        let text = format!("a{}b{}", Slot::Reply.stand_in(), Slot::Ticket.stand_in());
        let filled = Spliced::cut(&text).map(|cut| {
            cut.filled(|slot| match slot {
                Slot::Reply => "REPLY",
                _ => "TICKET",
            })
        });
        assert_eq!(filled.as_deref(), Some("aREPLYbTICKET"));
    }

    #[test]
    fn a_mark_that_stands_elsewhere_cuts_nothing() {
        assert_eq!(Spliced::cut(&format!("a{MARK}b")), None);
        assert_eq!(Spliced::cut(&format!("{MARK}reply")), None);
    }
}
