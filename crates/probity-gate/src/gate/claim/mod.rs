//! What a reply claims: remedies with their polarity, figures, references, and deeds said to be done.
//!
//! Extraction is by word lists and fixed rules, the same on every machine; nothing here knows which
//! claims are supported. That is [`support`](super::support)'s question.

mod clause;
mod extract;
mod lexicon;
mod polarity;
mod term;
mod value;

pub use extract::extract;
pub(super) use extract::{OTHER, extract_read};
pub use lexicon::{Language, Languages, Lexicon, WordList};

use std::ops::Range;

use super::rules::Rule;
use crate::exact::Exact;

/// Claims that nothing supports, or that a source contradicts.
pub(super) const RULES: &[Rule] = &[
    Rule::block("claim.unsupported_promise", "the reply promises a remedy that no source permits"),
    Rule::block("claim.omitted_remedy", "the reply leaves out a remedy that a source requires"),
    Rule::block("claim.contradicted", "the reply says the opposite of a source"),
    Rule::block("claim.wrong_arithmetic", "the reply calculates, and the result is wrong"),
    Rule::block("claim.unsupported_figure", "the reply gives a figure that nothing supports"),
    Rule::block("claim.unsupported_reference", "the reply refers to something that nothing names"),
    Rule::block("claim.unsupported_deed", "the reply says that something is done, and nothing shows it"),
];

/// One thing a reply says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Where it stands in the text, in bytes.
    pub span: Range<usize>,
    /// What it says.
    pub kind: ClaimKind,
}

impl Claim {
    /// The figure or name that it gives, if it gives one.
    pub(super) fn value(&self) -> Option<&Value> {
        match &self.kind {
            ClaimKind::Value(value) => Some(value),
            ClaimKind::Remedy { .. } | ClaimKind::Deed { .. } => None,
        }
    }
}

/// What a claim is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimKind {
    /// Something the company would do for the customer.
    Remedy {
        /// Which, by its id in the word list, such as `refund`.
        remedy: String,
        /// Whether the reply grants it.
        polarity: Polarity,
    },
    /// Something that cannot be taken back is said to have been done already, such as `refund` issued or
    /// an account `cancellation`.
    Deed {
        /// What was done, by its id in the word list.
        deed: String,
        /// Whether the company says that it did it, and not only that it was done.
        is_ours: bool,
    },
    /// A figure or a name that can be looked up.
    Value(Value),
}

crate::named! {
    /// How a reply speaks of a remedy.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Polarity {
        /// The customer gets it, or may have it, whether or not something else must hold.
        Promised = "promised",
        /// The customer does not get it.
        Denied = "denied",
        /// The reply asks about it, or asks the customer to choose.
        Asked = "asked",
        /// The word stands there and grants nothing: the customer's words quoted, a heading, a general remark, a condition,
        /// something that is left open.
        Mentioned = "mentioned",
    }
}

/// A figure or a name, in the one form in which equal things are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// An amount of money.
    Money {
        /// How much, in the currency's main unit.
        amount: Exact,
        /// ISO 4217 code, where the text names a currency. Without one it matches any.
        currency: Option<String>,
    },
    /// A share of a hundred.
    Percent(Exact),
    /// A length of time.
    Span {
        /// The shortest it can be, as a count of `unit`.
        least: Exact,
        /// The longest it can be; equal to `least` where the text names one length.
        most: Exact,
        /// What is counted.
        unit: TimeUnit,
    },
    /// A day of the calendar. Without a year it matches that day of any year.
    Day {
        /// The year, where the text names one.
        year: Option<i32>,
        /// 1 to 12.
        month: u8,
        /// 1 to 31.
        day: u8,
    },
    /// A time of day.
    Time {
        /// Minutes from midnight.
        minutes: u16,
        /// Whether the text says which half of the day is meant: "8:10" may be in the evening.
        is_of_day: bool,
    },
    /// A code of letters and digits, upper case: a policy, a coupon, an error code.
    Code(String),
    /// An order, ticket, invoice or tracking number, upper case, without its label and separators.
    Number(String),
    /// A web address, lower-case host, without scheme, `www.` and a trailing slash.
    Link(String),
    /// An e-mail address, lower case.
    Email(String),
    /// A telephone number's digits, with `+` where the text gives a country.
    Phone(String),
    /// A street address: lower-case words and numbers joined by single spaces.
    Address(String),
}

/// What a length of time is counted in. Seconds to weeks become seconds, months to years become months,
/// because neither can be turned into the other; working days are their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TimeUnit {
    /// Seconds; minutes, hours, days and weeks are whole numbers of them.
    Seconds,
    /// Working days.
    WorkingDays,
    /// Months; quarters and years are whole numbers of them.
    Months,
}
