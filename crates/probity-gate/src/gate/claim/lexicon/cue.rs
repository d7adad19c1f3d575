//! The lists of words that say how a sentence speaks of a remedy, and those around figures.
//!
//! Each list is one bit, so a term carries all its lists in one number. The names are the keys of the data
//! files; what each list does is said there.

use std::ops::{BitOr, BitOrAssign};

/// The lists that a word or phrase stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct Cues(u64);

impl Cues {
    /// In no list.
    pub(in super::super) const NONE: Cues = Cues(0);

    /// Not a list: the word can begin the name of a remedy or deed.
    pub(in super::super) const MENTION: Cues = Cues(1 << 63);

    /// Not a list: the word can begin a figure.
    pub(in super::super) const FIGURE: Cues = Cues(1 << 62);

    /// Whether they share a list with `others`.
    pub(in super::super) fn any(self, others: Cues) -> bool {
        self.0 & others.0 != 0
    }
}

impl BitOr for Cues {
    type Output = Cues;
    fn bitor(self, other: Cues) -> Cues {
        Cues(self.0 | other.0)
    }
}

impl BitOrAssign for Cues {
    fn bitor_assign(&mut self, other: Cues) {
        *self = *self | other;
    }
}

/// Numbers the lists and makes the table of their keys.
macro_rules! lists {
    ($table:ident: $start:expr; $($name:ident $key:literal),+ $(,)?) => {
        lists!(@consts $start; $($name)+);
        /// The keys of the data file with their lists.
        pub(super) const $table: &[(&str, Cues)] = &[$(($key, Cues::$name)),+];
    };
    (@consts $bit:expr; $name:ident $($rest:ident)*) => {
        impl Cues {
            #[doc = concat!("The list behind `", stringify!($name), "`.")]
            pub(in super::super) const $name: Cues = Cues(1 << ($bit));
        }
        lists!(@consts $bit + 1; $($rest)*);
    };
    (@consts $bit:expr;) => {};
}

lists! { CUE_KEYS: 0;
    NEGATION "negation", NO "no", NOR "nor", DENIAL "denial", INSTEAD "instead", HARMLESS "harmless",
    GRANT "grant", MODAL "modal", MAYBE "maybe", CONDITION "condition", UNLESS "unless", UNTIL "until",
    WISH "wish", TOPIC "topic", HEAD "head", REQUEST "request", INQUIRY "inquiry", DUTY "duty", ASK "ask",
    US "us", YOU "you", HAVE "have", BEEN "been", PASSIVE_PAST "passive_past",
    PASSIVE_PRESENT "passive_present", NOT_DONE "not_done", AUXILIARY "auxiliary", HAND_OVER "hand_over",
    DETERMINER "determiner", ADVERB "adverb", DONE_NOW "done_now", JOINT "joint", BREAK "break",
    CONTRAST "contrast", NEED "need", SUPPLY "supply", TO "to", FULL "full", YET "yet", BY_YOU "by_you",
}

lists! { REFERENCE_KEYS: 48;
    NUMBER_LABEL "number_labels", FILLER "fillers", CODE_LABEL "code_labels", NOT_CODE "not_codes",
    STREET "streets", PHONE_LABEL "phone_labels", DOMAIN "domains", ABBREVIATION "abbreviations",
    NUMBER_ABBREVIATION "number_abbreviations",
}
