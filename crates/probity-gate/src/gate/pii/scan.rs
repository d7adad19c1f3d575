//! The two passes over a text: one over its numbers, one over its words.
//!
//! Almost all text is left behind by the passes themselves. What they stop at is handed to the module that
//! knows it, and every one of those looks at a bounded stretch around it, so that the work grows with the
//! text and not faster. Whether a value is allowed or was written by the customer is decided later.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::super::text::digits::{self, Group};
use super::super::text::label::{Labels, Owner};
use super::super::text::words::{is_whole, keys_of};
use super::super::text::{Contact, ContactKind, Phrases, Text, bare};
use super::kind::{Hit, Kind};
use super::labelled::{self, Announced};
use super::masked::{self, Spelled, Spelling};
use super::national::Identifier;
use super::numbers::is_service;
use super::secret::{self, Token};
use super::{card, identifier, linked, national};

/// What a word opens.
#[derive(Debug, Clone, Copy)]
enum Trigger {
    Label(Announced),
    /// The label of some identifiers; whether any number behind it counts.
    Identifier {
        rows: &'static [&'static Identifier],
        is_enough: bool,
    },
    Secret(Token),
    Number(Spelling),
    /// The end of a card number.
    LastFour,
}

impl Trigger {
    /// What the words under a key of the data file open.
    fn from_key(key: &str) -> Option<Trigger> {
        let label = Announced::from_name(key).map(Trigger::Label);
        label.or_else(|| Token::from_name(key).map(Trigger::Secret)).or_else(|| match key {
            "double" => Some(Trigger::Number(Spelling::Times(2))),
            "triple" => Some(Trigger::Number(Spelling::Times(3))),
            "last_four" => Some(Trigger::LastFour),
            digit => Some(Trigger::Number(Spelling::Digits(digit.parse().ok()?))),
        })
    }
}

/// The words that make the check look closer, and what each of them opens. They are found with their accents and without.
static TRIGGERS: LazyLock<Phrases<Trigger>> = LazyLock::new(|| {
    let mut triggers = BTreeMap::new();
    for (label, rows) in national::labels() {
        triggers.insert(label, Trigger::Identifier { rows: rows.leak(), is_enough: false });
    }
    for (key, words) in keys_of("triggers") {
        let opened = Trigger::from_key(key).expect("the code knows every key of the files");
        for word in words {
            let trigger = triggers.entry(&**word).or_insert(opened);
            if let (Trigger::Identifier { is_enough, .. }, Trigger::Label(Announced::NationalId)) =
                (trigger, opened)
            {
                *is_enough = true;
            }
        }
    }
    let spelled = |(word, trigger): (&'static str, Trigger)| {
        let without = (!word.is_ascii()).then(|| (bare(word).collect::<String>().into(), trigger));
        [(Cow::Borrowed(word), trigger)].into_iter().chain(without)
    };
    Phrases::new(triggers.into_iter().flat_map(spelled))
});

/// What was recognised in a text so far.
#[derive(Debug, Default)]
struct Scan {
    hits: Vec<Hit>,
    /// Where the end of a card number is shown.
    last_fours: Vec<Range<usize>>,
    /// Where the last token ends that was read, so that none is read twice.
    token_end: usize,
}

/// Every value that is recognised in a text, in no order.
pub(super) fn scan(text: &Text) -> Vec<Hit> {
    let mut scan = Scan::default();
    scan.hits.extend(text.contacts().iter().filter_map(|contact| of_contact(text, contact)));
    scan.hits.extend(national::alone(text));
    for cluster in text.clusters() {
        scan.cluster(text, cluster);
    }
    for run in masked::runs(text, masked::is_place, b" -./()") {
        scan.last_fours.extend(masked::last_four(text, &run));
        scan.hits.extend(masked::find(text, run));
    }
    let alike = masked::runs(text, masked::is_alike, b" -.").filter(|run| is_alike(text, run));
    scan.hits.extend(alike.map(|run| Hit::new(Kind::LookAlikeDigits, run)));
    if text.contains(':') {
        let runs = masked::runs(text, identifier::is_v6_byte, b"");
        let v6 = runs.filter_map(|run| identifier::ip_v6(text, run));
        scan.hits.extend(v6.map(|span| Hit::new(Kind::Ip, span)));
    }
    let mut spelled = Spelled::default();
    for found in TRIGGERS.find(text) {
        scan.word(text, *found.meaning, found.span, &mut spelled);
    }
    scan.hits.extend(spelled.end());
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
    /// Looks at one cluster of digits.
    fn cluster(&mut self, text: &Text, groups: &[Group]) {
        if digits::n_digits(groups) >= 6 {
            self.hits.extend(card::find(text, groups));
        }
        for at in 0..groups.len() {
            self.hits.extend(identifier::ip_v4(text, groups, at).map(|span| Hit::new(Kind::Ip, span)));
            self.hits.extend(identifier::iban(text, &groups[at]).map(|span| {
                let owner = Labels::around(text, &span).owner;
                Hit::owned(Kind::Iban, span, owner)
            }));
        }
    }

    /// Looks at what one word opens.
    fn word(&mut self, text: &Text, trigger: Trigger, range: Range<usize>, spelled: &mut Spelled) {
        match trigger {
            Trigger::Number(spelling) if is_whole(text, &range) => {
                self.hits.extend(spelled.read(text, spelling, range));
            }
            Trigger::Identifier { rows, is_enough } if labelled::is_label(text, &range) => {
                let number = national::labelled(text, &range, rows);
                let any = || labelled::find(text, Announced::NationalId, &range).filter(|_| is_enough);
                self.hits.extend(number.or_else(any));
            }
            Trigger::Label(announced) => self.hits.extend(labelled::find(text, announced, &range)),
            Trigger::Secret(token) if range.start >= self.token_end => {
                self.token_end = secret::token_end(text, range.end);
                self.hits.extend(secret::find(text, token, &range).map(|span| Hit::new(Kind::Secret, span)));
            }
            Trigger::LastFour => self.last_fours.extend(linked::last_four(text, &range)),
            Trigger::Secret(_) | Trigger::Number(_) | Trigger::Identifier { .. } => {}
        }
    }
}

/// What a contact gives away. Numbers of services are no person's, and a masked address may show two characters of its
/// local part.
fn of_contact(text: &Text, contact: &Contact) -> Option<Hit> {
    let value = &text[contact.core.clone()];
    let local = value.split('@').next().unwrap_or("");
    let kind = match contact.kind {
        ContactKind::Mail if local.contains('*') => {
            (local.chars().filter(|char| *char != '*').count() > 2).then_some(Kind::PartMasked)?
        }
        ContactKind::Phone if is_service(value) => return None,
        ContactKind::Mail => Kind::Email,
        ContactKind::Phone => Kind::Phone,
        ContactKind::Street => Kind::Address,
    };
    let hit = Hit { core: contact.core.clone(), ..Hit::new(kind, contact.span.clone()) };
    if contact.owner != Some(Owner::Company) || kind == Kind::PartMasked {
        return Some(hit);
    }
    let domain = value.rsplit('@').next().unwrap_or("").to_lowercase();
    Some(match contact.kind {
        ContactKind::Mail if value.contains('@') => hit.listed_as(&format!("own_domains = [{domain:?}]")),
        ContactKind::Mail => hit.listed_as("own_domains"),
        ContactKind::Phone => hit.listed_as("own_phones"),
        ContactKind::Street => hit.listed_as("own_addresses"),
    })
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
