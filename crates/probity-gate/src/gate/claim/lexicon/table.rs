//! The word lists made ready: a number for each word, what it means, and the phrases that begin with it.

use std::collections::{BTreeMap, HashMap};

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
    /// The phrases that begin with it: a range of [`Table::patterns`].
    patterns: (u32, u32),
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

/// The word lists, ready for use.
#[derive(Debug, Clone)]
pub(in super::super) struct Table {
    pub(in super::super) remedies: Vec<String>,
    pub(in super::super) deeds: Vec<String>,
    /// ISO codes.
    pub(in super::super) currencies: Vec<String>,
    /// Signs of currencies, longest first.
    pub(in super::super) signs: Vec<(String, u8)>,
    patterns: Vec<Pattern>,
    /// Phrases that begin with a figure.
    figure_patterns: (u32, u32),
    infos: Vec<WordInfo>,
    /// The number of each word, which is in lower case.
    ids: HashMap<Box<[u8]>, u16>,
}

impl Table {
    pub(super) fn of(entries: &[Entry]) -> Table {
        let mut draft = Draft::default();
        draft.name_ids(entries);
        for entry in entries {
            draft.add(entry);
        }
        draft.finish()
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
        let (from, to) = self.info(word).patterns;
        &self.patterns[from as usize..to as usize]
    }

    /// The phrases that begin with a figure.
    pub(in super::super) fn figure_phrases(&self) -> &[Pattern] {
        &self.patterns[self.figure_patterns.0 as usize..self.figure_patterns.1 as usize]
    }
}

#[derive(Default)]
struct Draft {
    remedies: Vec<String>,
    deeds: Vec<String>,
    currencies: Vec<String>,
    signs: Vec<(String, u8)>,
    ids: HashMap<Box<[u8]>, u16>,
    infos: Vec<WordInfo>,
    /// By their elements, so that cues of the same phrase come together.
    patterns: BTreeMap<Vec<Element>, Meaning>,
}

impl Draft {
    fn name_ids(&mut self, entries: &[Entry]) {
        self.infos.push(WordInfo::default());
        let ids = |wanted: &dyn Fn(&Entry) -> bool| {
            let ids: std::collections::BTreeSet<&String> =
                entries.iter().filter(|entry| wanted(entry)).map(|entry| &entry.id).collect();
            ids.into_iter().cloned().collect::<Vec<_>>()
        };
        self.remedies = ids(&|entry| entry.section == Section::Remedy);
        self.deeds = ids(&|entry| {
            entry.section == Section::Deed || (entry.section == Section::Remedy && entry.key != "not")
        });
        self.currencies = ids(&|entry| entry.section == Section::Currency);
    }

    fn add(&mut self, entry: &Entry) {
        let place = |names: &[String]| names.binary_search(&entry.id).unwrap_or_default();
        match entry.section {
            Section::Remedy | Section::Deed => self.add_mention(entry),
            Section::Cue => self.add_cue(&entry.phrase, list(CUE_KEYS, entry.key)),
            Section::Reference => {
                // Labels of several words are phrases; the rest is looked up as it is written.
                let cues = list(REFERENCE_KEYS, entry.key);
                let (label, whole) = (Cues::NUMBER_LABEL | Cues::CODE_LABEL, entry.phrase.contains(' '));
                if whole && cues.any(label) {
                    self.add_cue(&entry.phrase, cues);
                } else {
                    let word = self.intern(entry.phrase.as_bytes());
                    let info = &mut self.infos[usize::from(word.0)];
                    info.cues = info.cues | cues;
                }
            }
            Section::Currency => {
                let currency = u8::try_from(place(&self.currencies)).unwrap_or(u8::MAX);
                match entry.key {
                    "signs" => self.signs.push((entry.phrase.clone(), currency)),
                    "words" => self.info(&entry.phrase).currency = Some(currency),
                    _ => self.info(&entry.phrase).hundredth = Some(currency),
                }
            }
            Section::Unit => {
                let unit = list(UNIT_KEYS, entry.key);
                if entry.phrase.contains(' ') {
                    let elements = self.elements(&entry.phrase);
                    self.patterns.insert(elements, Meaning::Unit(unit));
                } else {
                    self.info(&entry.phrase).unit = Some(unit);
                }
            }
            Section::Numeral => self.info(&entry.phrase).numeral = Some(entry.number),
            Section::Month => self.info(&entry.phrase).month = u8::try_from(entry.number).ok(),
        }
    }

    fn add_mention(&mut self, entry: &Entry) {
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
        self.patterns.insert(elements, meaning);
    }

    fn add_cue(&mut self, phrase: &str, cues: Cues) {
        let elements = self.elements(phrase);
        if let [Element::Word(word)] = elements[..] {
            let info = &mut self.infos[usize::from(word.0)];
            info.cues = info.cues | cues;
            return;
        }
        // A phrase that names a remedy is no cue as well.
        if let Meaning::Cue(all) = self.patterns.entry(elements).or_insert(Meaning::Cue(Cues::NONE)) {
            *all = *all | cues;
        }
    }

    fn info(&mut self, word: &str) -> &mut WordInfo {
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

    fn finish(mut self) -> Table {
        let mut patterns: Vec<Pattern> = std::mem::take(&mut self.patterns)
            .into_iter()
            .map(|(elements, meaning)| Pattern { elements: elements.into(), meaning })
            .collect();
        // By first element, then longest first: the first that fits is the right one.
        patterns
            .sort_by_key(|pattern| (pattern.elements.first().copied(), usize::MAX - pattern.elements.len()));
        let mut figure_patterns = (0, 0);
        for (at, pattern) in (0_u32..).zip(&patterns) {
            let range = match pattern.elements.first() {
                Some(Element::Word(word)) => {
                    let info = &mut self.infos[usize::from(word.0)];
                    if matches!(pattern.meaning, Meaning::Remedy(..) | Meaning::Deed(_)) {
                        info.cues = info.cues | Cues::MENTION;
                    }
                    &mut info.patterns
                }
                Some(Element::Money | Element::Percent) => &mut figure_patterns,
                _ => continue,
            };
            if range.1 == 0 {
                range.0 = at;
            }
            range.1 = at + 1;
        }
        self.signs.sort_by_key(|(sign, _)| (usize::MAX - sign.len(), sign.clone()));
        for info in &mut self.infos {
            let counts = info.numeral.is_some() || info.month.is_some() || info.currency.is_some();
            info.cues = if counts { info.cues | Cues::FIGURE } else { info.cues };
        }
        for word in ["a", "an", "half"] {
            let info = self.info(word);
            info.cues = info.cues | Cues::FIGURE;
        }
        Table {
            remedies: self.remedies,
            deeds: self.deeds,
            currencies: self.currencies,
            signs: self.signs,
            patterns,
            figure_patterns,
            ids: self.ids,
            infos: self.infos,
        }
    }
}

/// The value of a key that the reader has checked.
fn list<T: Copy>(keys: &[(&str, T)], key: &str) -> T {
    keys.iter().find(|(known, _)| *known == key).map(|(_, value)| *value).expect("the reader knows its keys")
}
