//! Personal data and secrets in a reply.
//!
//! The reply is folded to one spelling, searched for values by their form, their check digits and the words
//! around them, and what a list allows is taken out. What the customer wrote in the same conversation is an
//! echo; everything else that identifies a person is a leak. A greeting by first name, an order number, a
//! parcel, a price or a link to a page is neither. No message ever contains a value or a part of one, and
//! the work grows with the length of the reply and not faster.

mod allow;
mod card;
mod encoded;
mod identifier;
mod kind;
mod known;
mod labelled;
mod linked;
mod masked;
mod national;
mod scan;
mod secret;
mod split;

pub use allow::{Allow, PatternProblem, Scanner, TestValues};
pub(super) use kind::RULES;

use super::finding::Sighting;
use super::text::Text;
use kind::{Hit, Kind};
use known::Echo;

/// What a reply stands in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// What the agent wrote before the reply, earliest first.
    pub earlier: &'a [&'a str],
    /// What the customer wrote.
    pub customer: &'a [&'a str],
    /// Personal data of the case that the reply must not show.
    pub known: &'a [String],
}

impl Scanner {
    /// The personal data and secrets that `reply` shows, in the order of their place. Spans are bytes of
    /// the reply and never cut a character.
    pub fn check(&self, reply: &str, around: &Surroundings<'_>) -> Vec<Sighting> {
        self.check_read(&Text::new(reply), around)
    }

    /// The same for a reply that has been read.
    pub(super) fn check_read(&self, text: &Text, around: &Surroundings<'_>) -> Vec<Sighting> {
        let echo = Echo::new(around.customer);
        let mut hits = self.found(text, &echo);
        hits.extend(known::find(text, around.known).into_iter().map(|hit| as_echo(text, hit, &echo)));
        hits.extend(self.encoded(text, &echo));
        hits.extend(split::find(around.earlier, text).filter(|hit| !self.allows(text, hit)));
        for hit in &mut hits {
            hit.span = text.original(&hit.span);
        }
        merged(hits)
    }

    /// What stands in a text, without what is allowed.
    fn found(&self, text: &Text, echo: &Echo<'_>) -> Vec<Hit> {
        let hits = scan::scan(text).into_iter().filter(|hit| !self.allows(text, hit));
        hits.map(|hit| as_echo(text, hit, echo)).collect()
    }

    /// What stands in `text` behind one level of encoding.
    fn encoded(&self, text: &Text, echo: &Echo<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        if let Some(resolved) = encoded::resolved(text) {
            let resolved = Text::of(resolved, text);
            let found = self.found(&resolved, echo).into_iter();
            hits.extend(found.map(|hit| Hit::new(hit.kind, resolved.original(&hit.span))));
        }
        for (span, plain) in encoded::base64_words(text) {
            let strongest = self.found(&Text::new(&plain), echo).into_iter().map(|hit| hit.kind).min();
            hits.extend(strongest.map(|kind| Hit::new(kind, span)));
        }
        hits
    }
}

/// The hit as an echo, where the customer wrote what it shows.
fn as_echo(text: &Text, hit: Hit, echo: &Echo<'_>) -> Hit {
    // What is weaker says that a person should look, and exposes nothing.
    let exposes = hit.kind < Kind::OwnDataEcho && hit.kind != Kind::Linked;
    let is_echo = exposes && echo.contains(&text[hit.core.clone()]);
    Hit { kind: if is_echo { Kind::OwnDataEcho } else { hit.kind }, ..hit }
}

/// One sighting for each value: where several overlap, the strongest names the whole.
fn merged(mut hits: Vec<Hit>) -> Vec<Sighting> {
    hits.sort_by_key(|hit| (hit.span.start, hit.kind));
    let mut values: Vec<Hit> = Vec::new();
    for hit in hits {
        match values.last_mut() {
            Some(last) if hit.span.start < last.span.end => {
                last.span.end = last.span.end.max(hit.span.end);
                last.kind = last.kind.min(hit.kind);
            }
            _ => values.push(hit),
        }
    }
    let sighting = |hit: Hit| {
        let expected = hit.expected.filter(|_| hit.kind == Kind::UnlistedContact);
        Sighting { expected, ..Sighting::at(hit.kind.rule().id, hit.span, hit.kind.rule().sentence) }
    };
    values.into_iter().map(sighting).collect()
}
