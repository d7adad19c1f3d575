//! Word lists from TOML, each phrase with its place.
//!
//! All files have one form: sections of keys with lists of phrases. An unknown key, a phrase that is there already,
//! and a phrase that could never match are errors with their line.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::super::text::lists::listed;
use super::{CUE_KEYS, Cues, REPLACES, VERB_FINAL, WordList};
use crate::spec_file::{At, Faults, Field, Fields, Problem, Shape, toml_table};

crate::named! {
    /// What a section holds.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Section {
        /// Words that are looked up as they are, and what the language does.
        Language = "language",
        /// What a company can do for a customer, by its id.
        Remedy = "remedy",
        /// What it can have done for good, by its id.
        Deed = "deed",
        /// What it can have done and can undo, by its id.
        Act = "act",
        /// How a sentence speaks of it, and words around figures and references.
        Cue = "cue",
        /// Signs and words of a currency, by its code.
        Currency = "currency",
        /// Words for lengths of time.
        Unit = "unit",
        /// Words for numbers, by the number.
        Numeral = "numeral",
        /// Words for months, by the month's number.
        Month = "month",
        /// Words for days of the week, by their number from Monday on.
        Weekday = "weekday",
    }
}

static TOP: Shape = Shape { place: "the top of the file", keys: &Section::NAMES };

/// The keys of each section, in the order of [`Section`].
static SHAPES: [Shape; Section::ALL.len()] = [
    Shape { place: "[language]", keys: &WordList::NAMES },
    Shape {
        place: "[remedy.…]",
        keys: &["forms", "verbs", "done", "past", "granted", "denied", "loose", "not", "calls"],
    },
    DEED,
    DEED,
    Shape { place: "[cue]", keys: CUE_KEYS },
    Shape { place: "[currency.…]", keys: &["signs", "words", "hundredths"] },
    Shape {
        place: "[unit]",
        keys: &[
            "seconds", "minutes", "hours", "days", "weeks", "fortnights", "working_days", "months",
            "quarters", "years",
        ],
    },
    NUMBERS,
    NUMBERS,
    NUMBERS,
];
const DEED: Shape = Shape { place: "[deed.…] and [act.…]", keys: &["done", "not", "calls"] };
const NUMBERS: Shape = Shape { place: "[numeral], [month] or [weekday]", keys: &[] };

impl Section {
    fn shape(self) -> &'static Shape {
        &SHAPES[self as usize]
    }

    /// Whether its lists are of remedies, deeds or acts.
    pub(super) fn is_of_deeds(self) -> bool {
        matches!(self, Section::Remedy | Section::Deed | Section::Act)
    }
}

/// One phrase of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) section: Section,
    /// The remedy, deed or currency; empty in sections without.
    pub(super) id: Cow<'static, str>,
    /// The key of the list: of a numeral or month, its number.
    pub(super) key: Cow<'static, str>,
    pub(super) phrase: Cow<'static, str>,
}

impl Entry {
    fn place(&self) -> String {
        match &*self.id {
            "" => format!("[{}] {}", self.section.name(), self.key),
            id => format!("[{}.{id}]", self.section.name()),
        }
    }

    /// Which kind of [`POINTS`](super::languages) it has as a word of its language, where it has some. Labels and words
    /// around figures are much the same in many languages.
    pub(super) fn evidence(&self) -> Option<usize> {
        match self.section {
            Section::Language => (self.key == WordList::Function.name()).then_some(0),
            Section::Currency => None,
            Section::Cue => (Cues::of_key(&self.key).0 < Cues::PERCENT.0).then_some(1),
            _ => Some(1),
        }
    }

    /// Whether it says that its file stands in place of the built-in lists.
    pub(super) fn replaces(&self) -> bool {
        self.key == WordList::Traits.name() && self.phrase == REPLACES
    }

    /// Whether it names a remedy.
    pub(super) fn is_of_remedy(&self) -> bool {
        self.section == Section::Remedy
    }

    /// Whether it names something that can be done: a remedy, a deed or an act.
    pub(super) fn is_of_deed(&self) -> bool {
        self.section.is_of_deeds() && (self.section, &*self.key) != (Section::Remedy, "not")
    }

    /// What may stand once only. Remedies and deeds share their phrases, apart from those that mean
    /// something else; lists of cues may share words with each other.
    fn identity(&self) -> (Section, &str, &str) {
        let (section, key) = match self.section {
            // The name of a tool can say that it does several things, and it is not looked for in texts.
            section if section.is_of_deeds() && self.key == "calls" => (Section::Deed, &*self.id),
            section if section.is_of_deeds() => (Section::Deed, ""),
            Section::Language | Section::Cue => (self.section, &*self.key),
            other => (other, ""),
        };
        (section, key, &self.phrase)
    }
}

/// The phrases of a file that comes with Probity.
pub(super) fn built_in(file: &'static str) -> impl Iterator<Item = Entry> {
    listed(file).filter_map(|listed| {
        let section = Section::from_name(listed.section)?;
        Some(Entry { section, id: listed.id.into(), key: listed.key.into(), phrase: listed.phrase.into() })
    })
}

/// The phrases of `text`, none of which `known` has.
pub(super) fn entries(text: &str, known: &[Entry]) -> Result<Vec<Entry>, Vec<Problem>> {
    let mut reader = EntryReader { faults: Faults::default(), found: Vec::new() };
    if let Some(table) = toml_table(text, &mut reader.faults) {
        let top = Fields::top(&TOP, &table, 1);
        top.refuse_unknown_keys(&[], &mut reader.faults);
        for section in Section::ALL {
            reader.section(&top, section);
        }
    }
    reader.found.sort_by_key(|at| at.line);
    reader.refuse_duplicates(known);
    reader.faults.settle()?;
    Ok(reader.found.into_iter().map(|at| at.value).collect())
}

struct EntryReader {
    faults: Faults,
    found: Vec<At<Entry>>,
}

impl EntryReader {
    fn section(&mut self, top: &Fields<'_>, section: Section) {
        if section.is_of_deeds() || section == Section::Currency {
            for (id, fields) in top.named_tables(section.name(), section.shape(), &mut self.faults) {
                if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                    let problem =
                        Problem::at(fields.line, format!("the id {id:?} must be letters, digits and `_`"));
                    self.faults.error(problem.hint("such as [remedy.price_match]"));
                }
                self.lists(&fields, section, id);
            }
        } else if let Field::Given(fields) = top.table(section.name(), section.shape(), &mut self.faults) {
            self.lists(&fields.value, section, "");
        }
    }

    fn lists(&mut self, fields: &Fields<'_>, section: Section, id: &str) {
        let is_counted = matches!(section, Section::Numeral | Section::Month | Section::Weekday);
        if !is_counted {
            fields.refuse_unknown_keys(&[], &mut self.faults);
        }
        for (key, line) in fields.keys() {
            if is_counted && key.parse::<u32>().is_err() {
                let problem = Problem::at(line, format!("`{key}` must be a whole number"));
                self.faults.error(problem.hint("such as 12 = [\"twelve\", \"dozen\"]"));
            }
            let phrases = fields.one_or_more_texts(key, &mut self.faults);
            for At { line, value: phrase } in phrases.given().map_or(Vec::new(), |at| at.value.clone()) {
                self.check_phrase(section, key, &phrase, line);
                let (id, key) = (id.to_owned().into(), key.to_owned().into());
                self.found.push(At { line, value: Entry { section, id, key, phrase: phrase.into() } });
            }
        }
    }

    fn check_phrase(&mut self, section: Section, key: &str, written: &str, line: usize) {
        let plain = written.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        if key == WordList::Traits.name() && ![VERB_FINAL, REPLACES].contains(&written) {
            let problem = Problem::at(line, format!("there is no trait {written:?}"));
            self.faults.error(problem.hint(format!("known: {VERB_FINAL}, {REPLACES}")));
        }
        if section.is_of_deeds()
            && (written.starts_with(".. ") || written.ends_with(" ..") || written == "..")
        {
            self.faults.error(Problem::at(line, format!("{written:?} must not begin or end with `..`")));
        } else if plain != written {
            let message = format!("{written:?} must be lower-case words separated by single spaces");
            self.faults.error(Problem::at(line, message).hint(format!("write {plain:?}")));
        }
    }

    fn refuse_duplicates(&mut self, known: &[Entry]) {
        let mut seen: BTreeMap<_, _> = known.iter().map(|entry| (entry.identity(), entry)).collect();
        for At { line, value: entry } in &self.found {
            if let Some(first) = seen.insert(entry.identity(), entry) {
                let message = format!("{:?} stands already under {}", entry.phrase, first.place());
                let hint = "a phrase has one meaning, in the built-in lists and yours; remove it here";
                self.faults.error(Problem::at(*line, message).hint(hint));
            }
        }
    }
}
