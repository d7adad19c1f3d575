//! The word lists made ready: a number for each word, what it means, and the phrases that begin with it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::super::text::{Shape, WordId, WordMap, tokenise};
use super::super::TimeUnit;
use super::listed::Listed;
use super::read::{Entry, Section};
use super::{Cues, VERB_FINAL, WordList, plain};

/// A unit of time: what it is counted in, and how many of those it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct UnitWord {
    pub(in super::super) unit: TimeUnit,
    pub(in super::super) times: i64,
}

impl UnitWord {
    /// The unit of a key of `[unit]`.
    fn of_key(key: &str) -> UnitWord {
        let (unit, times) = match key {
            "seconds" => (TimeUnit::Seconds, 1),
            "minutes" => (TimeUnit::Seconds, 60),
            "hours" => (TimeUnit::Seconds, 3600),
            "days" => (TimeUnit::Seconds, 86_400),
            "weeks" => (TimeUnit::Seconds, 604_800),
            "fortnights" => (TimeUnit::Seconds, 1_209_600),
            "working_days" => (TimeUnit::WorkingDays, 1),
            "months" => (TimeUnit::Months, 1),
            "quarters" => (TimeUnit::Months, 3),
            _ => (TimeUnit::Months, 12),
        };
        UnitWord { unit, times }
    }
}

/// What a single word means.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct WordInfo {
    /// As a number.
    pub(in super::super) numeral: Option<u32>,
    /// As a month, 1 to 12.
    pub(in super::super) month: Option<u8>,
    /// As a day of the week, from Monday on.
    pub(in super::super) weekday: Option<u8>,
    /// As a currency, by its place in [`LexiconTable::currencies`].
    pub(in super::super) currency: Option<usize>,
    /// As a hundredth of a currency.
    pub(in super::super) hundredth: Option<usize>,
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

/// What a phrase stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Meaning {
    /// A remedy, by its place in [`LexiconTable::remedies`].
    Remedy(usize, Form),
    /// A deed, by its place in [`LexiconTable::deeds`].
    Deed(usize),
    /// Something that contains a remedy's word and is none.
    Other,
    /// A cue of several words.
    Cue(Cues),
    /// A unit of time of several words.
    Unit(UnitWord),
}

crate::named! {
    /// In which form a remedy is named, by the key of its list.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(in super::super) enum Form {
        /// A noun or a verb that leaves open what is done.
        Open = "forms",
        /// A verb in a language in which it can stand far from its auxiliary.
        Verb = "verbs",
        /// A past form of what can be done for good.
        Done = "done",
        /// Another past form.
        Past = "past",
        /// A form that promises by itself.
        Granted = "granted",
        /// A form that refuses by itself.
        Denied = "denied",
        /// Words that often offer it and may mean something else: they are an offer, and never a promise.
        Loose = "loose",
    }
}

/// A phrase with what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Pattern {
    pub(in super::super) elements: Vec<Element>,
    pub(in super::super) meaning: Meaning,
    /// The word behind its first word. Zero where it need not be a certain one.
    second: WordId,
}

impl Pattern {
    fn new(elements: Vec<Element>, meaning: Meaning) -> Pattern {
        let second = match elements[..] {
            [Element::Word(_), Element::Word(second), ..] => second,
            _ => WordId::default(),
        };
        Pattern { elements, meaning, second }
    }

    /// Whether it may stand where `next` is behind the first word. Most phrases that begin with a word do not.
    pub(in super::super) fn goes_on_with(&self, next: WordId) -> bool {
        self.second == next || self.second == WordId::default()
    }
}

/// The word lists, ready for use.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct LexiconTable {
    pub(in super::super) remedies: Vec<String>,
    pub(in super::super) deeds: Vec<String>,
    /// Those of the deeds that can be undone, by their ids.
    pub(in super::super) acts: Vec<String>,
    /// The deeds that a tool does whose name has these words, by their places in `deeds`.
    calls: BTreeMap<String, Vec<usize>>,
    /// Words that are looked up as they are.
    pub(super) listed: Listed,
    /// Whether verbs stand at the end of their clause.
    pub(in super::super) verb_final: bool,
    /// How the past forms of verbs end that stand behind "have".
    pub(in super::super) participles: Vec<String>,
    /// ISO codes.
    pub(in super::super) currencies: Vec<String>,
    /// Signs of currencies, in lower case.
    pub(in super::super) signs: HashMap<String, usize>,
    /// The phrases that begin with each word, longest first: the first that fits is the right one.
    phrases: Vec<Vec<Pattern>>,
    /// Phrases that begin with a figure, money before percentages, then longest first.
    pub(in super::super) figure_phrases: Vec<Pattern>,
    /// By their numbers: the lists that words stand in by themselves, and what else they mean.
    cues: Vec<Cues>,
    infos: Vec<WordInfo>,
    /// How words for numbers and days of the week end, one bit a letter, by their first letters.
    counting_ends: [u32; 32],
    /// The number of each word, which is in lower case.
    ids: WordMap<u16>,
}

impl LexiconTable {
    pub(super) fn of(entries: &[Entry]) -> LexiconTable {
        let ids = |wanted: fn(&Entry) -> bool| -> Vec<String> {
            let ids = entries.iter().filter(|entry| wanted(entry)).map(|entry| entry.id.to_string());
            ids.collect::<BTreeSet<_>>().into_iter().collect()
        };
        let mut table = LexiconTable {
            remedies: ids(Entry::is_of_remedy),
            deeds: ids(Entry::is_of_deed),
            acts: ids(|entry| entry.section == Section::Act),
            currencies: ids(|entry| entry.section == Section::Currency),
            cues: vec![Cues::NONE],
            infos: vec![WordInfo::default()],
            ..LexiconTable::default()
        };
        // By their elements, so that cues of the same phrase come together.
        let mut patterns = BTreeMap::new();
        for entry in entries {
            table.add(entry, &mut patterns);
        }
        table.verb_final = table.listed.has(WordList::Traits, VERB_FINAL);
        table.participles = table.listed.phrases(WordList::Participles).map(str::to_owned).collect();
        table.finish(patterns);
        table
    }

    /// The number of a word, whatever the case of its ASCII letters.
    pub(in super::super) fn lookup(&self, word: &[u8]) -> WordId {
        WordId(self.ids.get(word).unwrap_or(0))
    }

    pub(in super::super) fn info(&self, word: WordId) -> &WordInfo {
        &self.infos[usize::from(word.0)]
    }

    /// The lists that a word that is no token stands in, whatever the case of its ASCII letters.
    pub(in super::super) fn cues_of(&self, word: &str) -> Cues {
        self.cues(self.lookup(word.as_bytes()))
    }

    /// What a word that is no token means, whatever the case of its ASCII letters.
    pub(in super::super) fn info_of(&self, word: &str) -> &WordInfo {
        self.info(self.lookup(word.as_bytes()))
    }

    /// What a word that is no token means as a number or a day of the week. Most words are neither by their first and last
    /// letters.
    pub(super) fn counting(&self, word: &str) -> Option<&WordInfo> {
        let (first, last) = ends(word)?;
        (self.counting_ends[first] >> last & 1 == 1).then(|| self.info_of(word))
    }

    /// What a tool whose name has these words does.
    pub(super) fn deeds_of_call(&self, words: &str) -> Vec<&str> {
        self.calls.get(&plain(words)).into_iter().flatten().map(|deed| self.deeds[*deed].as_str()).collect()
    }

    /// What a phrase of plain words stands for.
    pub(super) fn patterns_of(&self, phrase: &str) -> impl Iterator<Item = Meaning> {
        let words: Vec<WordId> = phrase.split(' ').map(|word| self.lookup(word.as_bytes())).collect();
        let first = self.phrases(words[0]).iter();
        let is_phrase = move |pattern: &&Pattern| {
            words.iter().map(|word| Element::Word(*word)).eq(pattern.elements.iter().copied())
        };
        first.filter(is_phrase).map(|pattern| pattern.meaning)
    }

    /// The lists that a word stands in by itself.
    pub(in super::super) fn cues(&self, word: WordId) -> Cues {
        self.cues[usize::from(word.0)]
    }

    /// The phrases that begin with `word`, longest first.
    pub(in super::super) fn phrases(&self, word: WordId) -> &[Pattern] {
        &self.phrases[usize::from(word.0)]
    }

    fn add(&mut self, entry: &Entry, patterns: &mut BTreeMap<Vec<Element>, Meaning>) {
        let place = |names: &[String]| {
            names.binary_search_by(|name| name.as_str().cmp(&entry.id)).unwrap_or_default()
        };
        let (phrase, key) = (&*entry.phrase, &*entry.key);
        let is_one_word = !phrase.contains(' ');
        match entry.section {
            Section::Language => {
                let list = WordList::from_name(key).expect("the reader knows its keys");
                self.listed.insert(list, entry.phrase.clone());
                if matches!(list, WordList::Failed | WordList::Pending) {
                    self.listed.insert(list, plain(phrase).into());
                }
            }
            section if section.is_of_deeds() && key == "calls" => {
                let deed = place(&self.deeds);
                self.calls.entry(plain(phrase)).or_default().push(deed);
            }
            Section::Remedy | Section::Deed | Section::Act => {
                let meaning = match (entry.section, key) {
                    (_, "not") => Meaning::Other,
                    (Section::Deed | Section::Act, _) => Meaning::Deed(place(&self.deeds)),
                    _ => Meaning::Remedy(place(&self.remedies), Form::from_name(key).unwrap_or(Form::Open)),
                };
                patterns.insert(self.elements(phrase), meaning);
                if !phrase.is_ascii() {
                    patterns.entry(self.elements(&plain(phrase))).or_insert(meaning);
                }
            }
            Section::Cue => self.add_cue(phrase, Cues::of_key(key), patterns),
            Section::Currency => {
                let currency = place(&self.currencies);
                match key {
                    "signs" => _ = self.signs.insert(phrase.to_owned(), currency),
                    "words" => self.word(phrase).currency = Some(currency),
                    _ => self.word(phrase).hundredth = Some(currency),
                }
            }
            Section::Unit if is_one_word => self.word(phrase).unit = Some(UnitWord::of_key(key)),
            Section::Unit => _ = patterns.insert(self.elements(phrase), Meaning::Unit(UnitWord::of_key(key))),
            Section::Numeral | Section::Weekday => {
                let (number, word) = (key.parse().ok(), self.word(phrase));
                match entry.section {
                    Section::Numeral => word.numeral = number,
                    _ => word.weekday = number.and_then(|number| u8::try_from(number).ok()),
                }
                if let Some((first, last)) = ends(phrase) {
                    self.counting_ends[first] |= 1 << last;
                }
            }
            Section::Month => self.word(phrase).month = key.parse().ok(),
        }
    }

    fn add_cue(&mut self, phrase: &str, cues: Cues, patterns: &mut BTreeMap<Vec<Element>, Meaning>) {
        let elements = self.elements(phrase);
        // What is no word is looked up as it is written, too: "covid-19".
        let written = self.intern(phrase);
        self.cues[usize::from(written.0)] |= cues;
        // A phrase that names a remedy is no cue as well.
        if elements != [Element::Word(written)]
            && let Meaning::Cue(all) = patterns.entry(elements).or_insert(Meaning::Cue(Cues::NONE))
        {
            *all |= cues;
        }
    }

    fn word(&mut self, word: &str) -> &mut WordInfo {
        let id = self.intern(word);
        &mut self.infos[usize::from(id.0)]
    }

    fn intern(&mut self, word: &str) -> WordId {
        // Beyond 65,535 words a list would be read as unknown words; no list is near that.
        let new = u16::try_from(self.infos.len()).unwrap_or(0);
        let id = *self.ids.get_or_insert(word, new);
        if id == new && id > 0 {
            self.infos.push(WordInfo::default());
            self.cues.push(Cues::NONE);
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
                    elements.extend(tokenise(piece, |_, mark| mark).iter().map(|token| match token.shape {
                        Shape::Mark(mark) => Element::Mark(mark),
                        _ => Element::Word(self.intern(token.spoken(piece))),
                    }));
                }
            }
        }
        elements
    }

    fn finish(&mut self, patterns: BTreeMap<Vec<Element>, Meaning>) {
        for (info, cues) in self.infos.iter().zip(&mut self.cues) {
            let begins = cues.any(Cues::ARTICLE | Cues::HALF | Cues::NOON);
            if begins || info.numeral.is_some() || info.month.is_some() || info.currency.is_some() {
                *cues |= Cues::FIGURE;
            }
        }
        self.phrases = vec![Vec::new(); self.infos.len()];
        for (elements, meaning) in patterns {
            let phrases = match elements.first() {
                Some(Element::Word(word)) => {
                    if matches!(meaning, Meaning::Remedy(..) | Meaning::Deed(_)) {
                        self.cues[usize::from(word.0)] |= Cues::MENTION;
                    }
                    &mut self.phrases[usize::from(word.0)]
                }
                Some(Element::Money | Element::Percent) => &mut self.figure_phrases,
                _ => continue,
            };
            phrases.push(Pattern::new(elements, meaning));
        }
        for phrases in &mut self.phrases {
            phrases.sort_by_key(|pattern| Reverse(pattern.elements.len()));
        }
        self.figure_phrases.sort_by_key(|pattern| (pattern.elements[0], Reverse(pattern.elements.len())));
    }
}

/// The first and the last byte of a word, whatever their case.
fn ends(word: &str) -> Option<(usize, u8)> {
    let (first, last) = (word.as_bytes().first()?, word.as_bytes().last()?);
    Some((usize::from(first & 31), last & 31))
}
