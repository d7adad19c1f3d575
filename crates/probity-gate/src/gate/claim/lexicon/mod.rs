//! The words by which claims are recognised, one [`Lexicon`] per language: remedies, cues, deeds, figures and labels.
//!
//! The built-in lists are data files, a folder per language. A tenant adds to them, replaces them and adds languages
//! with files of the same form. Which language a text is in is [`Languages`]' question. What always holds: a phrase of a
//! language names at most one remedy or deed.

mod languages;
mod listed;
mod names;
mod read;
mod table;

use std::ops::{BitOr, BitOrAssign};
use std::sync::OnceLock;

pub use languages::{Language, Languages};
pub(super) use table::{Element, Form, LexiconTable, Meaning, Pattern, UnitWord, WordInfo};

use super::super::text::bare;
use crate::spec_file::Problem;
use read::Entry;

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
    fn of_key(key: &str) -> Cues {
        let number = CUE_KEYS.iter().position(|known| *known == key).expect("the reader knows its keys");
        Cues(1 << number)
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

/// Numbers the lists and makes the table of their keys. What each list does is said in the data files.
macro_rules! lists {
    ($($name:ident $key:literal),+ $(,)?) => {
        const CUE_KEYS: &[&str] = &[$($key),+];
        lists!(@consts 0; $($name)+);
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

lists! {
    NEGATION "negation", NO "no", DENIAL "denial", INSTEAD "instead", HARMLESS "harmless",
    GRANT "grant", MODAL "modal", MAYBE "maybe", CONDITION "condition", UNLESS "unless",
    WISH "wish", TOPIC "topic", HEAD "head", REQUEST "request", INQUIRY "inquiry", DUTY "duty", ASK "ask",
    US "us", YOU "you", HAVE "have", BEEN "been", PASSIVE_PAST "passive_past",
    PASSIVE_PRESENT "passive_present", NOT_DONE "not_done", AUXILIARY "auxiliary", HAND_OVER "hand_over",
    DETERMINER "determiner", ADVERB "adverb", DONE_NOW "done_now", JOINT "joint", BREAK "break", TO "to", FULL "full", YET "yet", BY_YOU "by_you",
    RELATIVE "relative", POSTPONED "postponed", REPORTED "reported", OBSERVED "observed", YOUR "your",
    FOR_YOU "for_you", PURPOSE "purpose", CAUSE "cause",
    PERCENT "percent", RANGE "range", BETWEEN "between", ARTICLE "articles", HALF "half",
    UNIT_FILLER "unit_fillers", SPAN_LEAD "span_leads", SPAN_TAIL "span_tails", CLOCK "clock", AGE "ages", NOON "noon",
    NUMBER_LABEL "number_labels", FILLER "fillers", CODE_LABEL "code_labels", NOT_CODE "not_codes",
    DOMAIN "domains", CODE_WORD "code_words", PARCEL "parcel_labels",
}

crate::named! {
    /// Words of a language that are looked up as they are, whatever sentence they stand in. What each list is for stands
    /// in the data files, English first.
    #[allow(missing_docs, reason = "the data files say what each list is for")]
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum WordList {
        Function = "function_words", Endings = "endings", LabelFillers = "label_fillers",
        FigureKinds = "figure_kinds", Against = "against", AtMost = "at_most", AtLeast = "at_least",
        Joins = "joins", Ago = "ago", MoreThan = "more_than", LessThan = "less_than", Plus = "plus",
        And = "and", Minus = "minus", Times = "times", Equals = "equals", Total = "total",
        ShareOf = "share_of", Derived = "derived", Participles = "participles", Infinitives = "infinitives",
        About = "about", Example = "example", Polite = "polite", Rude = "rude", Steps = "steps",
        ReadingCalls = "reading_calls", Failed = "failed", Pending = "pending", Begun = "begun",
        Both = "both", Also = "also", Every = "every", PriceKeys = "price_keys", AmountKeys = "amount_keys", SpanKeys = "span_keys", ShareKeys = "share_keys",
        MinorKeys = "minor_keys", SentKeys = "sent_keys", DayKeys = "day_keys", SuccessKeys = "success_keys",
        CountKeys = "count_keys", WorkingKeys = "working_keys", NameKeys = "name_keys",
        OutcomeKeys = "outcome_keys", ErrorKeys = "error_keys", Undone = "undone", Changing = "changing",
        Requested = "requested", Decisions = "decisions",
        Happening = "happening", Measures = "measures", Traits = "traits",
    }
}

/// A trait: verbs stand at the end of their clause, apart from their auxiliaries: "wir haben den Betrag erstattet".
const VERB_FINAL: &str = "verb_final";

/// Not of the language: the file stands in place of the built-in lists.
const REPLACES: &str = "replaces_built_in";

/// A text as programs write it: "zaehlerstand", "expediee".
fn plain(text: &str) -> String {
    let text = text.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue").replace('ß', "ss");
    bare(&text).collect()
}

/// The word lists of one language, for [`extract`](super::extract).
#[derive(Debug, Clone)]
pub struct Lexicon {
    /// ISO 639-1.
    code: String,
    /// Everything that the files say, in their order.
    entries: Vec<Entry>,
    /// The lists, ready for use from the first text of the language on.
    table: OnceLock<LexiconTable>,
}

impl Lexicon {
    /// The English lists that come with Probity.
    pub fn built_in() -> &'static Lexicon {
        Languages::built_in().get("en").expect("there are English lists")
    }

    fn new(code: &str, entries: Vec<Entry>) -> Lexicon {
        Lexicon { code: code.to_owned(), entries, table: OnceLock::new() }
    }

    /// The lists, ready for use.
    pub(super) fn table(&self) -> &LexiconTable {
        self.table.get_or_init(|| LexiconTable::of(&self.entries))
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
        self.table().listed.has(list, word)
    }

    /// Whether a word begins a word or phrase of one of the lists.
    pub(in crate::gate) fn begins(&self, lists: &[WordList], word: &str) -> bool {
        self.table().listed.begins(lists, word)
    }

    /// The words of a list.
    pub fn words(&self, list: WordList) -> impl Iterator<Item = &str> {
        self.table().listed.phrases(list)
    }

    /// The words of `text` without their endings, in lower case. Those that stand in `fillers` are left out.
    pub fn stems<'t>(&'t self, text: &'t str, fillers: WordList) -> impl Iterator<Item = String> + 't {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let words = words.map(str::to_lowercase).filter(move |word| !self.has(fillers, word));
        words.map(move |word| self.stem(if word.is_ascii() { word } else { plain(&word) }))
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
            && word.len() > LENGTH_MIN
            && b"bcdfgjkmnpqrtvwxyz".contains(last)
        {
            word.pop();
        }
        word
    }

    /// Whether a deed can be undone.
    pub fn is_act(&self, deed: &str) -> bool {
        self.table().acts.iter().any(|act| act == deed)
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
                hint: known keys: language, remedy, deed, act, cue, currency, unit, numeral, month, weekday"]],
        );
    }

    #[test]
    fn duplicates_are_refused() {
        check(
            "[remedy.loaner]\nforms = [\"loaner\",\n  \"refund\"]",
            &expect![[r#"
                line 3: "refund" stands already under [remedy.refund]
                hint: a phrase has one meaning, in the built-in lists and yours; remove it here"#]],
        );
        check(
            "[cue]\nnegation = [\"never\"]",
            &expect![[r#"
                line 2: "never" stands already under [cue] negation
                hint: a phrase has one meaning, in the built-in lists and yours; remove it here"#]],
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
                line 1: the id "Loan er" must be letters, digits and `_`
                hint: such as [remedy.price_match]"#]],
        );
        check(
            "[numeral]\ndozen = [\"twelve\"]",
            &expect![[r#"
                line 2: `dozen` must be a whole number
                hint: such as 12 = ["twelve", "dozen"]
                line 2: "twelve" stands already under [numeral] 12
                hint: a phrase has one meaning, in the built-in lists and yours; remove it here"#]],
        );
    }
}
