//! The contacts that were read from the text, as values.

use super::super::super::text::ContactKind;
use super::super::Value;
use super::super::term::Figure;
use super::Page;

/// The contact that starts at `at`. One that is masked or spelled out is none that could be looked up.
pub(super) fn contact(page: &Page<'_>, at: usize) -> Option<Figure> {
    let (contacts, start) = (&page.text.contacts, page.tokens[at].start);
    if !page.tokens[at].opens_contact {
        return None;
    }
    let contact = &contacts[contacts.partition_point(|contact| contact.span.start < start)];
    let raw = &page.text[contact.core.clone()];
    let value = match contact.kind {
        ContactKind::Mail if raw.contains([' ', '*']) || !raw.contains('@') => return None,
        ContactKind::Mail => Value::Email(raw.to_lowercase()),
        ContactKind::Phone => {
            let plus = if page.has_mark(at, "+") { "+" } else { "" };
            // "(0)" is only dialled at home.
            let digits = raw.replace("(0)", "").chars().filter(char::is_ascii_digit).collect::<String>();
            Value::Phone(format!("{plus}{digits}"))
        }
        ContactKind::Street => {
            let words = raw.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
            Value::Address(words.collect::<Vec<_>>().join(" ").to_lowercase())
        }
    };
    Some(Page::figure(at, page.behind(at, contact.core.end), value))
}
