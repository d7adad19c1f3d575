//! The word lists made ready: a number for each word, what it means, and the phrases that begin with it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::TimeUnit;
use super::super::token::{Shape, WordId, tokenise};
use super::cue::{CUE_KEYS, Cues, REFERENCE_KEYS};
use super::read::{Entry, Section};

/// A unit of time: what it is counted in, and how many of those it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct UnitWord {
    pub(in super::super) unit: TimeUnit,
    pub(in super::super) times: i64,
}

const fn unit(unit: TimeUnit, times: i64) -> UnitWord {
    UnitWord { unit, times }
}

/// The keys of `[unit]`.
pub(super) const UNIT_KEYS: &[(&str, UnitWord)] = &[
    ("seconds", unit(TimeUnit::Seconds, 1)),
    ("minutes", unit(TimeUnit::Seconds, 60)),
    ("hours", unit(TimeUnit::Seconds, 3600)),
    ("days", unit(TimeUnit::Seconds, 86_400)),
    ("weeks", unit(TimeUnit::Seconds, 604_800)),
    ("fortnights", unit(TimeUnit::Seconds, 1_209_600)),
    ("working_days", unit(TimeUnit::WorkingDays, 1)),
    ("months", unit(TimeUnit::Months, 1)),
    ("quarters", unit(TimeUnit::Months, 3)),
    ("years", unit(TimeUnit::Months, 12)),
];

/// What a single word means.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct WordInfo {
    /// The lists it stands in by itself.
    pub(in super::super) cues: Cues,
    /// As a number.
    pub(in super::super) numeral: Option<u32>,
    /// As a month, 1 to 12.
    pub(in super::super) month: Option<u8>,
    /// As a currency, by its place in [`Table::currencies`].
    pub(in super::super) currency: Option<u8>,
    /// As a hundredth of a currency.
    pub(in super::super) hundredth: Option<u8>,
    /// As a unit of time.
    pub(in super::super) unit: Option<UnitWord>,
}

/// One place of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Element {
    /// This word.
    Word(WordId),
    /// This character.
    Mark(char),
    /// Up to three words of any kind.
    Gap,
    /// An amount of money.
    Money,
    /// A percentage.
    Percent,
}

impl Element {
    /// Whether this is the place of `word`.
    pub(in super::super) fn is_word(self, word: WordId) -> bool {
        self == Element::Word(word)
    }
}

/// What a phrase stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Meaning {
    /// A remedy, by its place in [`Table::remedies`].
    Remedy(u16, Form),
    /// A deed, by its place in [`Table::deeds`].
    Deed(u16),
    /// Something that contains a remedy's word and is none.
    Other,
    /// A cue of several words.
    Cue(Cues),
    /// A unit of time of several words.
    Unit(UnitWord),
}

/// In which form a remedy is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Form {
    /// A noun or a verb that leaves open what is done.
    Open,
    /// A past form of what can be done for good, with the deed.
    Done(u16),
    /// Another past form.
    Past,
    /// A form that promises by itself.
    Granted,
    /// A form that refuses by itself.
    Denied,
}

/// A phrase with what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Pattern {
    pub(in super::super) elements: Box<[Element]>,
    pub(in super::super) meaning: Meaning,
}

/// Phrases by their elements, so that cues of the same phrase come together.
type Patterns = BTreeMap<Vec<Element>, Meaning>;

/// The word lists, ready for use.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Table {
    pub(in super::super) remedies: Vec<String>,
    pub(in super::super) deeds: Vec<String>,
    /// ISO codes.
    pub(in super::super) currencies: Vec<String>,
    /// Signs of currencies, longest first.
    pub(in super::super) signs: Vec<(String, u8)>,
    /// The phrases that begin with each word, longest first: the first that fits is the right one.
    phrases: Vec<Vec<Pattern>>,
    /// Phrases that begin with a figure, money before percentages, then longest first.
    pub(in super::super) figure_phrases: Vec<Pattern>,
    infos: Vec<WordInfo>,
    /// The number of each word, which is in lower case.
    ids: HashMap<Box<[u8]>, u16>,
}

impl Table {
    pub(super) fn of(entries: &[Entry]) -> Table {
        let ids = |wanted: &dyn Fn(&Entry) -> bool| {
            let ids: BTreeSet<&String> =
                entries.iter().filter(|entry| wanted(entry)).map(|entry| &entry.id).collect();
            ids.into_iter().cloned().collect::<Vec<_>>()
        };
        let is_done = |entry: &Entry| match entry.section {
            Section::Remedy => entry.key != "not",
            section => section == Section::Deed,
        };
        let mut table = Table {
            remedies: ids(&|entry| entry.section == Section::Remedy),
            deeds: ids(&is_done),
            currencies: ids(&|entry| entry.section == Section::Currency),
            infos: vec![WordInfo::default()],
            ..Table::default()
        };
        let mut patterns = Patterns::new();
        for entry in entries {
            table.add(entry, &mut patterns);
        }
        table.finish(patterns);
        table
    }

    /// The number of a word, whatever the case of its ASCII letters.
    pub(in super::super) fn lookup(&self, word: &[u8]) -> WordId {
        WordId(self.ids.get(word.to_ascii_lowercase().as_slice()).copied().unwrap_or(0))
    }

    pub(in super::super) fn info(&self, word: WordId) -> &WordInfo {
        &self.infos[usize::from(word.0)]
    }

    /// The lists that a word stands in by itself.
    pub(in super::super) fn cues(&self, word: WordId) -> Cues {
        self.info(word).cues
    }

    /// The phrases that begin with `word`, longest first.
    pub(in super::super) fn phrases(&self, word: WordId) -> &[Pattern] {
        &self.phrases[usize::from(word.0)]
    }

    fn add(&mut self, entry: &Entry, patterns: &mut Patterns) {
        let place = |names: &[String]| names.binary_search(&entry.id).unwrap_or_default();
        match entry.section {
            Section::Remedy | Section::Deed => self.add_mention(entry, patterns),
            Section::Cue => self.add_cue(&entry.phrase, list(CUE_KEYS, entry.key), patterns),
            Section::Reference => {
                // Labels of several words are phrases; the rest is looked up as it is written.
                let cues = list(REFERENCE_KEYS, entry.key);
                let (label, whole) = (Cues::NUMBER_LABEL | Cues::CODE_LABEL, entry.phrase.contains(' '));
                if whole && cues.any(label) {
                    self.add_cue(&entry.phrase, cues, patterns);
                } else {
                    self.word(&entry.phrase).cues |= cues;
                }
            }
            Section::Currency => {
                let currency = u8::try_from(place(&self.currencies)).unwrap_or(u8::MAX);
                match entry.key {
                    "signs" => self.signs.push((entry.phrase.clone(), currency)),
                    "words" => self.word(&entry.phrase).currency = Some(currency),
                    _ => self.word(&entry.phrase).hundredth = Some(currency),
                }
            }
            Section::Unit => {
                let unit = list(UNIT_KEYS, entry.key);
                if entry.phrase.contains(' ') {
                    let elements = self.elements(&entry.phrase);
                    patterns.insert(elements, Meaning::Unit(unit));
                } else {
                    self.word(&entry.phrase).unit = Some(unit);
                }
            }
            Section::Numeral => self.word(&entry.phrase).numeral = Some(entry.number),
            Section::Month => self.word(&entry.phrase).month = u8::try_from(entry.number).ok(),
        }
    }

    fn add_mention(&mut self, entry: &Entry, patterns: &mut Patterns) {
        let place = |names: &[String]| {
            let place = names.binary_search(&entry.id).unwrap_or_default();
            u16::try_from(place).unwrap_or(u16::MAX)
        };
        let meaning = match (entry.section, entry.key) {
            (Section::Deed, _) => Meaning::Deed(place(&self.deeds)),
            (_, "not") => Meaning::Other,
            (_, key) => {
                let form = match key {
                    "done" => Form::Done(place(&self.deeds)),
                    "past" => Form::Past,
                    "granted" => Form::Granted,
                    "denied" => Form::Denied,
                    _ => Form::Open,
                };
                Meaning::Remedy(place(&self.remedies), form)
            }
        };
        let elements = self.elements(&entry.phrase);
        patterns.insert(elements, meaning);
    }

    fn add_cue(&mut self, phrase: &str, cues: Cues, patterns: &mut Patterns) {
        let elements = self.elements(phrase);
        if let [Element::Word(word)] = elements[..] {
            self.infos[usize::from(word.0)].cues |= cues;
            return;
        }
        // A phrase that names a remedy is no cue as well.
        if let Meaning::Cue(all) = patterns.entry(elements).or_insert(Meaning::Cue(Cues::NONE)) {
            *all |= cues;
        }
    }

    fn word(&mut self, word: &str) -> &mut WordInfo {
        let id = self.intern(word.as_bytes());
        &mut self.infos[usize::from(id.0)]
    }

    fn intern(&mut self, word: &[u8]) -> WordId {
        debug_assert!(!word.iter().any(u8::is_ascii_uppercase), "the reader wants lower case");
        if let Some(id) = self.ids.get(word) {
            return WordId(*id);
        }
        // Beyond 65,535 words a list would be read as unknown words; no list is near that.
        let id = u16::try_from(self.infos.len()).unwrap_or(0);
        if id > 0 {
            self.ids.insert(word.into(), id);
            self.infos.push(WordInfo::default());
        }
        WordId(id)
    }

    fn elements(&mut self, phrase: &str) -> Vec<Element> {
        let mut elements = Vec::new();
        for piece in phrase.split(' ') {
            match piece {
                ".." => elements.push(Element::Gap),
                "<money>" => elements.push(Element::Money),
                "<percent>" => elements.push(Element::Percent),
                _ => {
                    let tokens = tokenise(piece, 0..piece.len(), |word| self.intern(word));
                    elements.extend(tokens.iter().map(|token| match token.shape {
                        Shape::Mark(mark) => Element::Mark(mark),
                        _ => Element::Word(token.word),
                    }));
                }
            }
        }
        elements
    }

    fn finish(&mut self, patterns: Patterns) {
        for word in ["a", "an", "half"] {
            self.word(word).cues |= Cues::FIGURE;
        }
        for info in &mut self.infos {
            if info.numeral.is_some() || info.month.is_some() || info.currency.is_some() {
                info.cues |= Cues::FIGURE;
            }
        }
        self.phrases = vec![Vec::new(); self.infos.len()];
        for (elements, meaning) in patterns {
            let phrases = match elements.first() {
                Some(Element::Word(word)) => {
                    if matches!(meaning, Meaning::Remedy(..) | Meaning::Deed(_)) {
                        self.infos[usize::from(word.0)].cues |= Cues::MENTION;
                    }
                    &mut self.phrases[usize::from(word.0)]
                }
                Some(Element::Money | Element::Percent) => &mut self.figure_phrases,
                _ => continue,
            };
            phrases.push(Pattern { elements: elements.into(), meaning });
        }
        for phrases in &mut self.phrases {
            phrases.sort_by_key(|pattern| Reverse(pattern.elements.len()));
        }
        self.figure_phrases.sort_by_key(|pattern| (pattern.elements[0], Reverse(pattern.elements.len())));
        self.signs.sort_by_key(|(sign, _)| (Reverse(sign.len()), sign.clone()));
    }
}

/// The value of a key that the reader has checked.
fn list<T: Copy>(keys: &[(&str, T)], key: &str) -> T {
    keys.iter().find(|(known, _)| *known == key).map(|(_, value)| *value).expect("the reader knows its keys")
}
