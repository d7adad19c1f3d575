//! The words by which claims are recognised: remedies, cues, deeds, figures and labels.
//!
//! The built-in lists are data files beside this one. A tenant adds to them with files of the same form;
//! nothing built in can be taken away. What always holds: a phrase names at most one remedy or deed.

mod cue;
mod read;
mod table;

use std::sync::LazyLock;

pub(super) use cue::Cues;
pub(super) use table::{Element, Form, Meaning, Pattern, Table, UnitWord, WordInfo};

use read::Entry;

/// The built-in lists, in the order in which they are read.
const BUILT_IN: &[&str] =
    &[include_str!("remedies.toml"), include_str!("cues.toml"), include_str!("values.toml")];

/// Word lists for [`extract`](super::extract).
#[derive(Debug, Clone)]
pub struct Lexicon {
    /// Everything that the files say, in their order.
    entries: Vec<Entry>,
    /// The same, ready for use.
    pub(super) table: Table,
}

/// A word list that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LexiconError {
    /// The line it stands on, from 1.
    pub line: usize,
    /// What is wrong: lower case, no final period.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Lexicon {
    /// The lists that come with Probity.
    pub fn built_in() -> &'static Lexicon {
        static BUILT: LazyLock<Lexicon> = LazyLock::new(|| {
            let mut entries = Vec::new();
            for file in BUILT_IN {
                let more = read::entries(file, &entries);
                entries.extend(more.expect("the built-in lists are read by a test"));
            }
            Lexicon { table: Table::of(&entries), entries }
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
    pub fn extended(&self, toml: &str) -> Result<Lexicon, LexiconError> {
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
            Err(error) => format!("{error}\nhint: {}", error.hint.clone().unwrap_or_default()),
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
                line 2: unknown key `froms` in [remedy.loaner]
                hint: did you mean `forms`?"]],
        );
        check(
            "\n[remedies.loaner]\nforms = [\"loaner\"]",
            &expect![[r"
                line 2: unknown key `remedies` at the top
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
                line 3: not TOML: duplicate key
                hint: "]],
        );
    }

    #[test]
    fn wrong_types_and_phrases_are_refused() {
        check(
            "[remedy.loaner]\nforms = \"loaner\"",
            &expect![[r#"
                line 2: `forms` must be a list of texts
                hint: such as forms = ["one phrase", "another"]"#]],
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
            "[numeral]\ndozen = \"twelve\"",
            &expect![[r"
                line 2: `dozen` must be a whole number
                hint: such as dozen = 12"]],
        );
    }
}
