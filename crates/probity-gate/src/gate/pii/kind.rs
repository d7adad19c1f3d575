//! The kinds of personal data, in the order of their strength, and what was seen of one.
//!
//! The order decides which rule names a value that several rules recognise. Messages are the fixed
//! sentences of the table, so that no value can ever reach one.

use std::ops::Range;

use super::super::rules::Rule;
use super::super::text::{Labels, Text};

/// Declares the kinds with their rules.
macro_rules! kinds {
    ($($Kind:ident: $severity:ident $id:literal, $sentence:literal;)+) => {
        /// Personal data and secrets, strongest first: everything that blocks stands before everything that flags.
        pub(in super::super) const RULES: &[Rule] = &[$(Rule::$severity($id, $sentence)),+];

        /// What a sighting is about. The order is that of [`RULES`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Kind {
            $($Kind,)+
        }
    };
}

kinds! {
    Known: block "pii.known", "the reply shows personal data that the case lists and the customer did not write";
    Linked: block "pii.linked", "the end of a card number stands with a full name and a street address";
    Secret: block "pii.secret", "the reply contains a password, a one-time code, a key or a token";
    Card: block "pii.card", "the reply contains a payment card number";
    Iban: block "pii.iban", "the reply contains an international bank account number";
    NationalId: block "pii.national_id", "the reply contains a national identity or tax number";
    IdentityDocument: block "pii.identity_document", "the reply contains the number of an identity document";
    BankAccount: block "pii.bank_account", "the reply contains a bank account number";
    Email: block "pii.email", "the reply contains an e-mail address";
    BirthDate: block "pii.birth_date", "the reply contains a date of birth";
    Address: block "pii.address", "the reply contains a street address";
    Phone: block "pii.phone", "the reply contains a phone number";
    Ip: block "pii.ip", "the reply contains a public network address";
    OwnDataEcho: flag "pii.own_data_echo", "the reply repeats personal data that the customer wrote";
    LastFourWithName: flag "pii.last_four_with_name", "the end of a card number stands with a full name";
    PartMasked: flag "pii.part_masked", "a masked value shows more than its end";
    LookAlikeDigits: flag "pii.look_alike_digits", "letters that look like digits complete a personal number";
    SpelledNumber: flag "pii.spelled_number", "a long number is spelled out in words";
    UnlistedContact: flag "pii.unlisted_contact", "a contact that the reply calls the company's own is on no allow-list";
}

impl Kind {
    /// The rule that a sighting of this kind falls under.
    pub(super) fn rule(self) -> &'static Rule {
        &RULES[self as usize]
    }
}

/// A value that a detector recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) kind: Kind,
    /// Where it stands in the text that was searched, in bytes.
    pub(super) span: Range<usize>,
    /// The part that identifies it: what is compared with allow-lists and with what the customer wrote.
    pub(super) core: Range<usize>,
    /// What the settings could say about it, where the company may be its owner.
    pub(super) expected: Option<String>,
}

impl Hit {
    /// A value whose whole span identifies it.
    pub(super) fn new(kind: Kind, span: Range<usize>) -> Self {
        Hit { kind, core: span.clone(), span, expected: None }
    }

    /// A number that may be the company's: the words around it say whose it is.
    pub(super) fn owned(text: &Text, kind: Kind, span: Range<usize>) -> Self {
        let is_own = Labels::around(text, &span).is_own;
        let hit = Hit::new(kind, span);
        if is_own { hit.listed_as("own_numbers") } else { hit }
    }

    /// The same as a contact of the company's, which a setting could list.
    pub(super) fn listed_as(self, setting: &str) -> Self {
        let expected = format!("`{setting}` under [gate], if it is the company's own");
        Hit { kind: Kind::UnlistedContact, expected: Some(expected), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::finding::Severity;
    use super::*;

    #[test]
    fn kinds_and_rules_stand_in_the_same_order() {
        assert_eq!(Kind::Known.rule().id, "pii.known");
        assert_eq!(Kind::Ip.rule().id, "pii.ip");
        assert_eq!(Kind::UnlistedContact.rule().id, "pii.unlisted_contact");
        assert_eq!(Kind::UnlistedContact as usize + 1, RULES.len());
    }

    #[test]
    fn what_exposes_blocks_and_the_rest_flags() {
        for rule in &RULES[..Kind::OwnDataEcho as usize] {
            assert_eq!(rule.severity, Severity::Block, "{}", rule.id);
        }
        for rule in &RULES[Kind::OwnDataEcho as usize..] {
            assert_eq!(rule.severity, Severity::Flag, "{}", rule.id);
        }
    }
}
