//! The words by which claims are recognised, one [`Lexicon`] per language: remedies, cues, deeds, figures and labels.
//!
//! The built-in lists are data files, a folder per language. A tenant adds to them, replaces them and adds languages
//! with files of the same form. Which language a text is in is [`Languages`]' question. What always holds: a phrase of a
//! language names at most one remedy or deed.

mod languages;
mod names;
mod read;
mod table;

use std::ops::{BitOr, BitOrAssign};
use std::sync::OnceLock;

pub use languages::{Language, Languages};
pub(super) use table::{Element, Form, Meaning, Pattern, Table, UnitWord, WordInfo};

use super::super::text::Words;
use crate::spec_file::Problem;
use read::{Entry, Section};

/// The lists that a word or phrase stands in, one bit each, so that a term carries all of them in one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cues(u128);

impl Cues {
    /// In no list.
    pub(super) const NONE: Cues = Cues(0);

    /// Not a list: the word can begin the name of a remedy or deed.
    pub(super) const MENTION: Cues = Cues(1 << 127);

    /// Not a list: the word can begin a figure.
    pub(super) const FIGURE: Cues = Cues(1 << 126);

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
    NEGATION "negation", NO "no", DENIAL "denial", INSTEAD "instead", HARMLESS "harmless",
    GRANT "grant", MODAL "modal", MAYBE "maybe", CONDITION "condition", UNLESS "unless",
    WISH "wish", TOPIC "topic", HEAD "head", REQUEST "request", INQUIRY "inquiry", DUTY "duty", ASK "ask",
    US "us", YOU "you", HAVE "have", BEEN "been", PASSIVE_PAST "passive_past",
    PASSIVE_PRESENT "passive_present", NOT_DONE "not_done", AUXILIARY "auxiliary", HAND_OVER "hand_over",
    DETERMINER "determiner", ADVERB "adverb", DONE_NOW "done_now", JOINT "joint", BREAK "break", TO "to", FULL "full", YET "yet", BY_YOU "by_you",
    RELATIVE "relative", POSTPONED "postponed", REPORTED "reported", OBSERVED "observed", YOUR "your",
}

lists! { FIGURE_KEYS: 64;
    PERCENT "percent", RANGE "range", BETWEEN "between", ARTICLE "articles", HALF "half",
    UNIT_FILLER "unit_fillers", SPAN_LEAD "span_leads", CLOCK "clock", AGE "ages",
}

lists! { REFERENCE_KEYS: 48;
    NUMBER_LABEL "number_labels", FILLER "fillers", CODE_LABEL "code_labels", NOT_CODE "not_codes",
    DOMAIN "domains", CODE_WORD "code_words", PARCEL "parcel_labels",
}

crate::named! {
    /// Words of a language that are looked up as they are, whatever sentence they stand in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum WordList {
        /// Small words that every text of the language has; its language is told by them, and none is a topic.
        Function = "function_words",
        /// Endings that do not change what a word names, the longest first.
        Endings = "endings",
        /// Words that say nothing about what the label of a fact names.
        LabelFillers = "label_fillers",
        /// Words for a kind of figure, which the label of a fact may do without.
        FigureKinds = "figure_kinds",
        /// Words that set a figure against a limit instead of giving the limit.
        Against = "against",
        /// Before a figure of a fact: it is the largest.
        AtMost = "at_most",
        /// Before a figure of a fact: it is the smallest.
        AtLeast = "at_least",
        /// Between two figures of a fact: they are the ends of a range.
        Joins = "joins",
        /// Beside a length of time: it is counted back from now.
        Ago = "ago",
        /// Before a length of time: it was longer.
        MoreThan = "more_than",
        /// Before a length of time: it was shorter.
        LessThan = "less_than",
        /// Between two figures that are added.
        Plus = "plus",
        /// Between two figures that may be added, or between two statements.
        And = "and",
        /// Between two figures of which the second is taken away.
        Minus = "minus",
        /// Between two figures that are multiplied.
        Times = "times",
        /// Before the result of a calculation.
        Equals = "equals",
        /// Beside a figure that is a sum of others.
        Total = "total",
        /// Between a percentage and what it is a share of.
        ShareOf = "share_of",
        /// Before a figure that is taken two times.
        Twice = "twice",
        /// In a sentence whose figure is calculated from others.
        Derived = "derived",
        /// How the past forms of verbs end that stand behind "have".
        Participles = "participles",
        /// Before a figure that is rounded.
        About = "about",
        /// In a sentence whose figures are made up.
        Example = "example",
        /// Words that acknowledge or are polite.
        Polite = "polite",
        /// Words that insult or swear.
        Rude = "rude",
        /// Verbs that say what to do next.
        Steps = "steps",
        /// First or last words in the names of tools that only look something up.
        ReadingCalls = "reading_calls",
        /// States in which a tool says that it did not do what it was called for.
        Failed = "failed",
        /// States in which what a tool was called for is still to come.
        Pending = "pending",
        /// Before or in a deed: it was begun, whatever comes of it.
        Begun = "begun",
        /// Before a deed: it was done to two things.
        Both = "both",
        /// Words in keys of results whose numbers are amounts, however small.
        PriceKeys = "price_keys",
        /// Words in keys whose numbers are shares.
        ShareKeys = "share_keys",
        /// Words in keys whose numbers are hundredths of an amount.
        MinorKeys = "minor_keys",
        /// Words in keys that say how many of something there are.
        CountKeys = "count_keys",
        /// Words in keys whose days are working days.
        WorkingKeys = "working_keys",
        /// Words in keys whose numbers name something and count nothing.
        NameKeys = "name_keys",
        /// Keys whose strings say how a call ended.
        OutcomeKeys = "outcome_keys",
        /// Keys that say by being there that a call failed.
        ErrorKeys = "error_keys",
        /// Words of states and keys that say that something is not done.
        Undone = "undone",
        /// Acts that change what a customer has, by their ids.
        Changing = "changing",
        /// Acts of which a request is enough.
        Requested = "requested",
        /// Deeds and acts whose verbs say little about what is done.
        Vague = "vague",
        /// Acts that a call shows only by its verb.
        Decisions = "decisions",
        /// Deeds that no tool of the conversation needs to have done.
        Happening = "happening",
        /// What a language does that others do not, by name.
        Traits = "traits",
    }
}

crate::named! {
    /// What a language does that others do not.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Trait {
        /// Verbs stand at the end of their clause, apart from their auxiliaries: "wir haben den Betrag erstattet".
        VerbFinal = "verb_final",
        /// Not of the language: the file stands in place of the built-in lists.
        Replaces = "replaces_built_in",
    }
}

/// The word lists of one language, for [`extract`](super::extract).
#[derive(Debug, Clone)]
pub struct Lexicon {
    /// ISO 639-1.
    code: String,
    /// Everything that the files say, in their order.
    entries: Vec<Entry>,
    /// Ready for use from the first text of the language on.
    ready: OnceLock<Ready>,
}

#[derive(Debug, Clone)]
struct Ready {
    /// By the number of their list.
    words: Vec<Words>,
    /// The lists of phrases.
    table: Table,
}

impl Lexicon {
    /// The English lists that come with Probity.
    pub fn built_in() -> &'static Lexicon {
        Languages::built_in().get("en").expect("there are English lists")
    }

    fn new(code: &str, entries: Vec<Entry>) -> Lexicon {
        Lexicon { code: code.to_owned(), entries, ready: OnceLock::new() }
    }

    fn ready(&self) -> &Ready {
        self.ready.get_or_init(|| {
            let mut words = vec![Words::default(); WordList::ALL.len()];
            for entry in self.entries.iter().filter(|entry| entry.section == Section::Language) {
                let list = WordList::from_name(&entry.key).expect("the reader knows its keys");
                words[list as usize].insert(entry.phrase.clone());
            }
            let mut table = Table::of(&self.entries);
            table.verb_final = words[WordList::Traits as usize].contains(Trait::VerbFinal.name());
            table.participles =
                words[WordList::Participles as usize].iter().map(|end| (**end).to_owned()).collect();
            Ready { words, table }
        })
    }

    /// The lists of phrases.
    pub(super) fn table(&self) -> &Table {
        &self.ready().table
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
        Ok(Lexicon::new(&self.code, entries))
    }

    /// The code of the language, such as `en`.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Whether a word or phrase stands in a list.
    pub fn has(&self, list: WordList, word: &str) -> bool {
        self.ready().words[list as usize].contains(word)
    }

    /// The words of a list.
    pub fn words(&self, list: WordList) -> impl Iterator<Item = &str> {
        self.ready().words[list as usize].iter().map(|word| &**word)
    }

    /// The words of `text` without their endings, in lower case. Those that stand in `fillers` are left out.
    pub fn stems<'t>(&'t self, text: &'t str, fillers: WordList) -> impl Iterator<Item = String> + 't {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let words = words.map(str::to_lowercase).filter(move |word| !self.has(fillers, word));
        words.map(|word| self.stem(word))
    }

    /// Rough: it only has to bring `returns`, `returned` and `returning` together.
    fn stem(&self, mut word: String) -> String {
        const LENGTH_MIN: usize = 4;
        let least = |ending: &str| if ending.len() == 1 { LENGTH_MIN - 1 } else { LENGTH_MIN };
        let cuts = |ending: &&str| {
            word.ends_with(ending) && word.len() >= least(ending) + ending.len() && !word.ends_with("ss")
        };
        let ending = self.words(WordList::Endings).filter(cuts).max_by_key(|ending| ending.len());
        if let Some(len) = ending.map(str::len) {
            word.truncate(word.len() - len);
        }
        if word.len() > LENGTH_MIN && word.ends_with('e') {
            word.pop();
        }
        if let [.., before, last] = word.as_bytes()
            && before == last
            && last.is_ascii_alphabetic()
            && !b"aeiouls".contains(last)
            && word.len() > LENGTH_MIN
        {
            word.pop();
        }
        word
    }

    /// The ids of the remedies, sorted.
    pub fn remedies(&self) -> impl Iterator<Item = &str> {
        self.table().remedies.iter().map(String::as_str)
    }

    /// Whether a deed can be undone.
    pub fn is_act(&self, deed: &str) -> bool {
        self.table().acts.iter().any(|act| act == deed)
    }

    /// The ids of the deeds, sorted: those of the lists and the remedies that can be done for good.
    pub fn deeds(&self) -> impl Iterator<Item = &str> {
        self.table().deeds.iter().map(String::as_str)
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
                hint: known keys: language, remedy, deed, act, cue, figure, currency, unit, numeral, month, weekday, reference"]],
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
