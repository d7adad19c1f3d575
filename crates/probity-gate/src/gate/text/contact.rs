//! Ways to reach a person or a place: e-mail addresses, telephone numbers and street addresses, read once per text.
//!
//! Whose they are is said as far as the text says it; what that means is for others to decide.

use std::ops::Range;
use std::sync::LazyLock;

use super::words::words_under;
use super::{Labels, Phrases, Text, digits, mail, phone, street};

/// A way to reach a person or a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::gate) struct Contact {
    pub(in crate::gate) kind: ContactKind,
    /// Where it stands, with all that belongs to it.
    pub(in crate::gate) span: Range<usize>,
    /// The part that identifies it.
    pub(in crate::gate) core: Range<usize>,
    /// Whether the words around it say that it is the company's.
    pub(in crate::gate) is_own: bool,
}

/// What kind of contact something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum ContactKind {
    Mail,
    Phone,
    Street,
}

impl Contact {
    /// A contact in `text`, with what the words around it say.
    pub(super) fn new(text: &Text, kind: ContactKind, span: Range<usize>, core: Range<usize>) -> Self {
        Contact { kind, core, is_own: Labels::around(text, &span).is_own, span }
    }
}

/// Finds the contact that a word stands in.
type Finder = fn(&Text, &Range<usize>) -> Option<Contact>;

/// Words that stand in a contact: an address without a street, or a part of a building.
static PARTS: LazyLock<Phrases<Finder>> = LazyLock::new(|| {
    let parts: [(_, Finder); 2] = [("post_box", street::find_box), ("unit", street::find_at_unit)];
    let words = |(key, find)| words_under("contact", key).iter().map(move |word| (word, find));
    Phrases::new(parts.into_iter().flat_map(words))
});

/// The contacts of a text, by their start.
pub(super) fn contacts(text: &Text) -> Vec<Contact> {
    let mut found: Vec<Contact> =
        text.match_indices('@').filter_map(|(at, _)| mail::find(text, at)).collect();
    let mut read_to = 0;
    for cluster in text.clusters() {
        if digits::n_digits(cluster) >= 6 {
            phone::find(text, cluster, &mut found);
        }
        let (first, last) = (cluster[0], cluster[cluster.len() - 1]);
        if first.start >= read_to
            && let Some(street) = street::find(text, &first, &last)
        {
            read_to = street.span.end;
            found.push(street);
        }
    }
    found.extend(mail::find_spelled(text));
    read_to = 0;
    for part in PARTS.find(text) {
        if part.span.start >= read_to
            && let Some(contact) = (part.meaning)(text, &part.span)
        {
            read_to = contact.span.end;
            found.push(contact);
        }
    }
    found.sort_by_key(|contact| contact.span.start);
    found
}
