//! The words by which claims are recognised: remedies, cues, deeds, figures and labels.
//!
//! The built-in lists are the data files of a language. A tenant adds to them with files of the same form;
//! nothing built in can be taken away. What always holds: a phrase names at most one remedy or deed.

mod read;
mod table;

use std::ops::{BitOr, BitOrAssign};
use std::sync::LazyLock;

pub(super) use table::{Element, Form, Meaning, Pattern, Table, UnitWord, WordInfo};

use crate::spec_file::Problem;
use read::Entry;

/// The built-in lists, in the order in which they are read.
const BUILT_IN: &[&str] = &[
    include_str!("../../../../data/en/remedies.toml"),
    include_str!("../../../../data/en/cues.toml"),
    include_str!("../../../../data/en/values.toml"),
];

/// The lists that a word or phrase stands in, one bit each, so that a term carries all of them in one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cues(u64);

impl Cues {
    /// In no list.
    pub(super) const NONE: Cues = Cues(0);

    /// Not a list: the word can begin the name of a remedy or deed.
    pub(super) const MENTION: Cues = Cues(1 << 63);

    /// Not a list: the word can begin a figure.
    pub(super) const FIGURE: Cues = Cues(1 << 62);

    /// Whether they share a list with `others`.
    pub(super) fn any(self, others: Cues) -> bool {
        self.0 & others.0 != 0
    }

    /// The list of a key that the reader has checked.
    fn of_key(keys: &[&str], first: Cues, key: &str) -> Cues {
        let number = keys.iter().position(|known| *known == key).expect("the reader knows its keys");
        Cues(first.0 << number)
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

/// Numbers the lists from `$start` on and makes the table of their keys. What each list does is said in the data files.
macro_rules! lists {
    ($table:ident: $start:expr; $($name:ident $key:literal),+ $(,)?) => {
        const $table: &[&str] = &[$($key),+];
        lists!(@consts $start; $($name)+);
    };
    (@consts $bit:expr; $name:ident $($rest:ident)*) => {
        impl Cues {
            #[allow(dead_code, reason = "some lists only keep their phrases from being read as other words")]
            #[doc = concat!("The list behind `", stringify!($name), "`.")]
            pub(super) const $name: Cues = Cues(1 << ($bit));
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
    DOMAIN "domains",
}

/// Word lists for [`extract`](super::extract).
#[derive(Debug, Clone)]
pub struct Lexicon {
    /// Everything that the files say, in their order.
    entries: Vec<Entry>,
    /// The same, ready for use.
    pub(super) table: Table,
}

impl Lexicon {
    /// The lists that come with Probity.
    pub fn built_in() -> &'static Lexicon {
        static BUILT: LazyLock<Lexicon> = LazyLock::new(|| {
            let empty = Lexicon { entries: Vec::new(), table: Table::default() };
            let whole = BUILT_IN.iter().try_fold(empty, |lexicon, file| lexicon.extended(file));
            whole.expect("the built-in lists are read by a test")
        });
        &BUILT
    }

    /// These lists and those of `toml`, which has the form of the built-in files.
    ///
    /// ```
    /// use probity_gate::gate::claim::{Lexicon, extract};
    ///
    /// let lexicon = Lexicon::built_in().extended("[remedy.loaner]\nforms = [\"loaner\"]").unwrap();
    /// assert_eq!(extract("We will send you a loaner.", &lexicon).len(), 1);
    /// ```
    pub fn extended(&self, toml: &str) -> Result<Lexicon, Vec<Problem>> {
        let mut entries = self.entries.clone();
        entries.extend(read::entries(toml, &self.entries)?);
        Ok(Lexicon { table: Table::of(&entries), entries })
    }

    /// The ids of the remedies, sorted.
    pub fn remedies(&self) -> impl Iterator<Item = &str> {
        self.table.remedies.iter().map(String::as_str)
    }

    /// The ids of the deeds, sorted: those of the lists and the remedies that can be done for good.
    pub fn deeds(&self) -> impl Iterator<Item = &str> {
        self.table.deeds.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(toml: &str, want: &Expect) {
        let said = match Lexicon::built_in().extended(toml) {
            Ok(_) => "fine".to_owned(),
            Err(problems) => {
                let said = problems.into_iter().map(|Problem { line, message, hint }| {
                    format!("line {line}: {message}\nhint: {}", hint.unwrap_or_default())
                });
                said.collect::<Vec<_>>().join("\n")
            }
        };
        want.assert_eq(&said);
    }

    #[test]
    fn a_tenant_adds_remedies_and_words() {
        check("[remedy.loaner]\nforms = [\"loaner\"]\n[cue]\ndenial = [\"nope\"]", &expect!["fine"]);
    }

    #[test]
    fn unknown_keys_are_refused() {
        check(
            "[remedy.loaner]\nfroms = [\"loaner\"]",
            &expect![[r"
                line 2: unknown key `froms` in [remedy.…]
                hint: did you mean `forms`?"]],
        );
        check(
            "\n[remedies.loaner]\nforms = [\"loaner\"]",
            &expect![[r"
                line 2: unknown key `remedies` in the top of the file
                hint: known keys: remedy, deed, cue, currency, unit, numeral, month, reference"]],
        );
    }

    #[test]
    fn duplicates_are_refused() {
        check(
            "[remedy.loaner]\nforms = [\"loaner\",\n  \"refund\"]",
            &expect![[r#"
                line 3: "refund" stands already under [remedy.refund]
                hint: a phrase names one remedy or deed; remove one of the two"#]],
        );
        check(
            "[cue]\nnegation = [\"never\"]",
            &expect![[r#"
                line 2: "never" stands already under [cue] negation
                hint: the built-in lists have it; remove it here"#]],
        );
        check(
            "[remedy.loaner]\nforms = [\"loaner\"]\nforms = [\"loan\"]",
            &expect![[r"
                line 3: duplicate key `forms`
                hint: a key may stand once in a table; keep one of the two"]],
        );
    }

    #[test]
    fn wrong_types_and_phrases_are_refused() {
        check(
            "[remedy.loaner]\nforms = 3",
            &expect![[r"
                line 2: `forms` must be a text or a list of texts, found a number
                hint: "]],
        );
        check(
            "[remedy.loaner]\nforms = [\"Loaner\"]",
            &expect![[r#"
                line 2: "Loaner" must be lower-case words separated by single spaces
                hint: write "loaner""#]],
        );
        check(
            "[remedy.\"Loan er\"]\nforms = [\"loaner\"]",
            &expect![[r#"
                line 1: the id "Loan er" must be lower-case letters, digits and `_`
                hint: such as [remedy.price_match]"#]],
        );
        check(
            "[numeral]\ndozen = [\"twelve\"]",
            &expect![[r#"
                line 2: `dozen` must be a whole number
                hint: such as 12 = ["twelve", "dozen"]
                line 2: "twelve" stands already under [numeral] 12
                hint: the built-in lists have it; remove it here"#]],
        );
    }
}
