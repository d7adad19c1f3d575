//! The two passes over a text: one over its numbers, one over its words.
//!
//! Almost all text is left behind by the passes themselves. What they stop at is handed to the module that
//! knows it, and every one of those looks at a bounded stretch around it, so that the work grows with the
//! text and not faster. Whether a value is allowed or was written by the customer is decided later.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::super::text::{
    Contact, ContactKind, Labels, List, Phrases, Text, bare, digits, is_whole, keys_of,
};
use super::allow::is_test_value;
use super::kind::{Hit, Kind};
use super::labelled::{self, Announced};
use super::masked::{self, Spelled};
use super::national::{Identifier, is_service};
use super::{card, identifier, linked, national, secret};

/// What a word opens.
#[derive(Debug, Clone, Copy)]
enum Trigger {
    Label(Announced),
    /// A word of a number.
    Spelled(Spelled),
    /// The label of some identifiers.
    Identifier(&'static [&'static Identifier]),
}

/// The words that make the check look closer, and what each of them opens. They are found with their accents and without.
static TRIGGERS: LazyLock<Phrases<Trigger>> = LazyLock::new(|| {
    let mut triggers = BTreeMap::new();
    for (label, rows) in national::labels() {
        triggers.insert(label, Trigger::Identifier(rows.leak()));
    }
    for (key, words) in keys_of("triggers") {
        let label = Announced::from_name(key);
        let spelled = || match key.strip_prefix("times_") {
            Some(times) => times.parse().ok().map(Spelled::Times),
            None => key.parse().ok().map(Spelled::Number),
        };
        let opened = label.map(Trigger::Label).or_else(|| spelled().map(Trigger::Spelled));
        let opened = opened.expect("the code knows every key of the files");
        for word in words {
            triggers.entry(&**word).or_insert(opened);
        }
    }
    let spelled = |(word, trigger): (&'static str, Trigger)| {
        let bare = (!word.is_ascii() && word.len() > 3).then(|| bare(word).collect::<String>().into());
        bare.into_iter().chain([Cow::Borrowed(word)]).map(move |word| (word, trigger))
    };
    Phrases::new(triggers.into_iter().flat_map(spelled))
});

/// What was recognised in a text so far.
#[derive(Debug, Default)]
struct Scan {
    hits: Vec<Hit>,
    /// Where the end of a card number is shown.
    last_fours: Vec<Range<usize>>,
    /// The words of numbers.
    spelled: Vec<(Spelled, Range<usize>)>,
}

/// Every value that is recognised in a text, in no order.
pub(super) fn scan(text: &Text) -> Vec<Hit> {
    let mut scan = Scan::default();
    scan.hits.extend(text.contacts.iter().filter_map(|contact| of_contact(text, contact)));
    scan.hits.extend(national::alone(text));
    scan.hits.extend(secret::tokens(text).map(|span| Hit::new(Kind::Secret, span)));
    for groups in text.clusters() {
        if digits::n_digits(groups) >= 6 {
            scan.hits.extend(card::find(text, groups));
        }
        let ibans = groups.iter().filter_map(|group| identifier::iban(text, group));
        scan.hits.extend(ibans.map(|span| Hit::owned(text, Kind::Iban, span)));
    }
    for run in masked::runs(text, masked::is_place, b" -./()") {
        scan.last_fours.extend(masked::last_four(text, &run));
        scan.hits.extend(masked::find(text, run));
    }
    let alike = masked::runs(text, masked::is_alike, b" -.").filter(|run| is_alike(text, run));
    scan.hits.extend(alike.map(|run| Hit::new(Kind::LookAlikeDigits, run)));
    scan.hits.extend(identifier::addresses(text).map(|span| Hit::new(Kind::Ip, span)));
    for found in TRIGGERS.find(text) {
        scan.word(text, *found.meaning, found.span);
    }
    scan.hits.extend(masked::spelled(text, &scan.spelled));
    let linked = linked::find(text, &scan.last_fours, &scan.hits);
    scan.hits.extend(linked);
    scan.hits
}

/// Whether a run is a personal number when its letters are read as digits.
fn is_alike(text: &Text, run: &Range<usize>) -> bool {
    let Some(digits) = masked::read_alike(text, run) else { return false };
    let is_personal = |hit: &Hit| {
        matches!(hit.kind, Kind::Card | Kind::NationalId | Kind::Phone) && hit.span == (0..run.len())
    };
    scan(&Text::new(&digits)).iter().any(is_personal) && !Labels::around(text, run).is_reference()
}

impl Scan {
    /// Looks at what one word opens.
    fn word(&mut self, text: &Text, trigger: Trigger, range: Range<usize>) {
        match trigger {
            Trigger::Identifier(rows) if labelled::is_label(text, &range) => {
                // Where a firm has such numbers too, a label alone says little.
                let kind = rows.iter().map(|row| row.announced()).min().flatten();
                let announced = kind.filter(|_| labelled::is_telling(text, &range));
                let any = || labelled::find(text, announced?, &range);
                self.hits.extend(national::labelled(text, &range, rows).or_else(any));
            }
            Trigger::Spelled(word) if is_whole(text, &range) => self.spelled.push((word, range)),
            Trigger::Identifier(_) | Trigger::Spelled(_) => {}
            Trigger::Label(Announced::LastFour) => self.last_fours.extend(linked::last_four(text, &range)),
            Trigger::Label(Announced::PrivateKey) => self.hits.push(Hit::new(Kind::Secret, range)),
            Trigger::Label(announced) => self.hits.extend(labelled::find(text, announced, &range)),
        }
    }
}

/// What a contact gives away. Numbers of services are no person's, and a masked address may show two characters of its
/// local part.
fn of_contact(text: &Text, contact: &Contact) -> Option<Hit> {
    let value = &text[contact.core.clone()];
    let (local, domain) = value.rsplit_once('@').unwrap_or((value, ""));
    let (kind, setting) = match contact.kind {
        ContactKind::Mail if local.contains('*') => {
            let is_masked = local.chars().filter(|char| *char != '*').count() <= 2;
            return (!is_masked).then(|| Hit::new(Kind::PartMasked, contact.span.clone()));
        }
        ContactKind::Mail => {
            // The local part may only say what belongs there: `vorname.nachname`.
            let is_placeholder = local.split(['.', '_', '-']).all(|part| List::PlaceholderNames.has(part));
            let mut before = text.before(contact.span.start).take(4);
            let is_sample =
                is_test_value(Kind::Email, value) && before.any(|word| word.is_in(List::SampleCues));
            if is_placeholder || is_sample {
                return None;
            }
            (Kind::Email, format!("own_domains = [{:?}]", domain.to_lowercase()))
        }
        ContactKind::Phone if is_service(value) => return None,
        ContactKind::Phone => (Kind::Phone, "own_phones".to_owned()),
        ContactKind::Street => (Kind::Address, "own_addresses".to_owned()),
    };
    let hit = Hit { core: contact.core.clone(), ..Hit::new(kind, contact.span.clone()) };
    Some(if contact.is_own { hit.listed_as(&setting) } else { hit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_alike(text: &str, want: &str) {
        let text = Text::new(text);
        let hit = masked::runs(&text, masked::is_alike, b" -.").find(|run| is_alike(&text, run));
        assert_eq!(hit.map_or("", |run| &text[run]), want, "{}", &*text);
    }

    #[test]
    fn letters_complete_a_number() {
        check_alike("41l1 1111 1I11 1111", "41l1 1111 1I11 1111");
        check_alike("it is 219-O9-9999", "219-O9-9999");
        check_alike("4l5-555-2671", "4l5-555-2671");
    }

    #[test]
    fn codes_are_left_alone() {
        check_alike("1Z999AA10123456784", "");
        check_alike("SKU 41l1 1111 1I11 1111", "");
        check_alike("SOB 12 OZ", "");
    }
}
