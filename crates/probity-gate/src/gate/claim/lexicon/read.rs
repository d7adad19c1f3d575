//! Word lists from TOML, each phrase with its place.
//!
//! All files have one form: sections of keys with lists of phrases, or of words with numbers. An unknown
//! key, a phrase that is there already, and a phrase that could never match are errors with their line.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::cue::{CUE_KEYS, REFERENCE_KEYS};
use super::table::UNIT_KEYS;
use crate::spec_file::Problem;
use crate::spelling::closest;

crate::named! {
    /// What a section holds.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(super) enum Section {
        /// What a company can do for a customer.
        Remedy = "remedy",
        /// What it can have done for good.
        Deed = "deed",
        /// How a sentence speaks of it.
        Cue = "cue",
        /// Signs and words of a currency.
        Currency = "currency",
        /// Words for lengths of time.
        Unit = "unit",
        /// Words for numbers.
        Numeral = "numeral",
        /// Words for months.
        Month = "month",
        /// Labels and other words around references.
        Reference = "reference",
    }
}

impl Section {
    /// The keys that hold phrases.
    fn keys(self) -> Vec<&'static str> {
        match self {
            Section::Remedy => vec!["forms", "done", "past", "granted", "denied", "not"],
            Section::Deed => vec!["done"],
            Section::Cue => CUE_KEYS.iter().map(|(key, _)| *key).collect(),
            Section::Currency => vec!["signs", "words", "hundredths"],
            Section::Unit => UNIT_KEYS.iter().map(|(key, _)| *key).collect(),
            Section::Numeral | Section::Month => Vec::new(),
            Section::Reference => REFERENCE_KEYS.iter().map(|(key, _)| *key).collect(),
        }
    }
}

/// One phrase of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) section: Section,
    /// The remedy, deed or currency; empty in sections without.
    pub(super) id: String,
    /// The key of the list; empty where a word has a number.
    pub(super) key: &'static str,
    pub(super) phrase: String,
    /// What a numeral or month counts as; zero elsewhere.
    pub(super) number: u32,
}

impl Entry {
    fn place(&self) -> String {
        match (self.id.as_str(), self.key) {
            ("", "") => format!("[{}]", self.section.name()),
            ("", key) => format!("[{}] {key}", self.section.name()),
            (id, _) => format!("[{}.{id}]", self.section.name()),
        }
    }

    /// What may stand once only. Remedies and deeds share their phrases, apart from those that mean
    /// something else; lists of cues may share words with each other.
    fn identity(&self) -> (Section, &'static str, String) {
        let (section, key) = match self.section {
            Section::Remedy | Section::Deed => (Section::Remedy, ""),
            Section::Cue | Section::Reference => (self.section, self.key),
            Section::Currency if self.key == "signs" => (self.section, self.key),
            other => (other, ""),
        };
        (section, key, self.phrase.clone())
    }
}

/// The phrases of `text`, none of which `known` has.
pub(super) fn entries(text: &str, known: &[Entry]) -> Result<Vec<Entry>, Problem> {
    let reader = Reader { text };
    let tree = DeTable::parse(text).map_err(|error| {
        reader.error(error.span().unwrap_or(0..0), format!("not TOML: {}", error.message()), None)
    })?;
    let mut found = Vec::new();
    for (name, value) in tree.get_ref() {
        let Some(section) = Section::from_name(name.get_ref()) else {
            let names = Section::ALL.map(Section::name);
            return Err(reader.unknown(name.span(), name.get_ref(), "at the top", &names));
        };
        let table = reader.table(name.get_ref(), value)?;
        match section {
            Section::Remedy | Section::Deed | Section::Currency => {
                for (id, value) in table {
                    reader.check_id(section, id)?;
                    let lists = reader.table(id.get_ref(), value)?;
                    reader.lists(section, id.get_ref(), lists, &mut found)?;
                }
            }
            Section::Numeral | Section::Month => reader.numbers(section, table, &mut found)?,
            Section::Cue | Section::Unit | Section::Reference => {
                reader.lists(section, "", table, &mut found)?;
            }
        }
    }
    found.sort_by_key(|(span, _): &(Range<usize>, Entry)| span.start);
    reader.refuse_duplicates(&found, known)?;
    Ok(found.into_iter().map(|(_, entry)| entry).collect())
}

type Found = Vec<(Range<usize>, Entry)>;

struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    fn error(&self, span: Range<usize>, message: String, hint: Option<String>) -> Problem {
        let before = self.text.get(..span.start).unwrap_or("");
        Problem { line: before.matches('\n').count() + 1, message, hint }
    }

    fn unknown(&self, span: Range<usize>, name: &str, place: &str, keys: &[&str]) -> Problem {
        let hint = match closest(name, keys.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known keys: {}", keys.join(", ")),
        };
        self.error(span, format!("unknown key `{name}` {place}"), Some(hint))
    }

    fn table<'v>(&self, name: &str, value: &'v Spanned<DeValue<'v>>) -> Result<&'v DeTable<'v>, Problem> {
        value.get_ref().as_table().ok_or_else(|| {
            let hint = format!("such as [{name}] on a line of its own");
            self.error(value.span(), format!("`{name}` must be a table"), Some(hint))
        })
    }

    fn check_id(&self, section: Section, id: &Spanned<toml::de::DeString<'_>>) -> Result<(), Problem> {
        let name: &str = id.get_ref();
        let plain = |byte: u8| match section {
            Section::Currency => byte.is_ascii_uppercase(),
            _ => byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_',
        };
        if !name.is_empty() && name.bytes().all(plain) {
            return Ok(());
        }
        let (rule, hint) = match section {
            Section::Currency => ("upper-case letters", "such as [currency.EUR]"),
            _ => ("lower-case letters, digits and `_`", "such as [remedy.price_match]"),
        };
        Err(self.error(id.span(), format!("the id {name:?} must be {rule}"), Some(hint.to_owned())))
    }

    fn lists(
        &self,
        section: Section,
        id: &str,
        table: &DeTable<'_>,
        found: &mut Found,
    ) -> Result<(), Problem> {
        let keys = section.keys();
        for (key, value) in table {
            let Some(known) = keys.iter().find(|known| **known == key.get_ref().as_ref()) else {
                let dot = if id.is_empty() { "" } else { "." };
                let place = format!("in [{}{dot}{id}]", section.name());
                return Err(self.unknown(key.span(), key.get_ref(), &place, &keys));
            };
            for phrase in self.phrases(known, value)? {
                self.check_phrase(section, &phrase)?;
                let text = phrase.get_ref().clone();
                let entry = Entry { section, id: id.to_owned(), key: known, phrase: text, number: 0 };
                found.push((phrase.span(), entry));
            }
        }
        Ok(())
    }

    fn phrases(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<Spanned<String>>, Problem> {
        let refuse = || {
            let hint = format!("such as {key} = [\"one phrase\", \"another\"]");
            self.error(value.span(), format!("`{key}` must be a list of texts"), Some(hint))
        };
        let list = value.get_ref().as_array().ok_or_else(refuse)?;
        list.iter()
            .map(|item| {
                let text = item.get_ref().as_str().ok_or_else(refuse)?;
                Ok(Spanned::new(item.span(), text.to_owned()))
            })
            .collect()
    }

    fn check_phrase(&self, section: Section, phrase: &Spanned<String>) -> Result<(), Problem> {
        let written = phrase.get_ref();
        let plain = written.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        if section == Section::Remedy || section == Section::Deed {
            let edge = |edge: Option<&str>| edge == Some("..");
            if edge(written.split(' ').next()) || edge(written.split(' ').next_back()) {
                let message = format!("{written:?} must not begin or end with `..`");
                return Err(self.error(phrase.span(), message, None));
            }
        }
        if !plain.is_empty() && plain == *written {
            return Ok(());
        }
        let message = format!("{written:?} must be lower-case words separated by single spaces");
        Err(self.error(phrase.span(), message, Some(format!("write {plain:?}"))))
    }

    fn numbers(&self, section: Section, table: &DeTable<'_>, found: &mut Found) -> Result<(), Problem> {
        for (key, value) in table {
            let name: &str = key.get_ref();
            let number = value.get_ref().as_integer().and_then(|number| number.as_str().parse().ok());
            let Some(number) = number else {
                let hint = format!("such as {name} = 12");
                return Err(self.error(value.span(), format!("`{name}` must be a whole number"), Some(hint)));
            };
            let entry = Entry { section, id: String::new(), key: "", phrase: name.to_owned(), number };
            found.push((key.span(), entry));
        }
        Ok(())
    }

    fn refuse_duplicates(&self, found: &Found, known: &[Entry]) -> Result<(), Problem> {
        let mut seen: BTreeMap<_, (&Entry, &str)> = BTreeMap::new();
        seen.extend(known.iter().map(|entry| (entry.identity(), (entry, "the built-in lists have it"))));
        for (span, entry) in found {
            if let Some((first, owner)) = seen.insert(entry.identity(), (entry, "it stands there twice")) {
                let message = format!("{:?} stands already under {}", entry.phrase, first.place());
                let hint = match entry.section {
                    Section::Remedy | Section::Deed if first.id != entry.id => {
                        "a phrase names one remedy or deed; remove one of the two".to_owned()
                    }
                    _ => format!("{owner}; remove it here"),
                };
                return Err(self.error(span.clone(), message, Some(hint)));
            }
        }
        Ok(())
    }
}
