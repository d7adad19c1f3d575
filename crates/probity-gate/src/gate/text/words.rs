//! The lists of words that texts are read by, and a word with the lists that it stands in.
//!
//! A word is a run of letters and digits of any script. The lists of all languages are one: which language a text has is
//! not asked here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::lists::{VALUES, files, listed};
use super::{WordMap, bare, is_spaceless, is_word_byte};

/// The data files of all languages.
pub(super) const FILES: [&str; 13] =
    files!("pii.toml" of "en" "de" "fr" "es" "pt" "it" "nl" "ja" "sv" "da" "no" "fi" "pl");

/// Words as the files have them.
type Words = Vec<Cow<'static, str>>;

/// What the data files say together: lists of words by their section and key. Those that are looked up one by one have no
/// accents.
static DATA: LazyLock<BTreeMap<(&str, &str), Words>> = LazyLock::new(|| {
    let months = VALUES.iter().flat_map(|file| listed(file)).filter(|listed| listed.section == "month");
    let mut data = BTreeMap::<_, Words>::new();
    for listed in FILES.iter().flat_map(|file| listed(file)).chain(months) {
        let is_bare = listed.phrase.is_ascii() || !matches!(listed.section, "words" | "month");
        let word = if is_bare { listed.phrase.into() } else { bare(listed.phrase).collect() };
        data.entry((listed.section, listed.key)).or_default().push(word);
    }
    data
});

/// The words under a key of a section, in all languages.
pub(in crate::gate) fn words_under(section: &'static str, key: &'static str) -> &'static [Cow<'static, str>] {
    DATA.get(&(section, key)).map_or(&[], Vec::as_slice)
}

/// The keys of a section, each with its words.
pub(in crate::gate) fn keys_of(
    section: &str,
) -> impl Iterator<Item = (&'static str, &'static [Cow<'static, str>])> {
    let keys = DATA.iter().filter(move |((its, _), _)| *its == section);
    keys.map(|((_, key), words)| (*key, words.as_slice()))
}

crate::named! {
    /// The lists of words. What each is for stands in the data file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(in crate::gate) enum List {
        Abbreviations = "abbreviations", NumberAbbreviations = "number_abbreviations", CardLabels = "card_labels", PhoneLabels = "phone_labels",
        SocialSecurityLabels = "social_security_labels", ReferenceLabels = "reference_labels",
        VersionLabels = "version_labels", Company = "company", OfACompany = "of_a_company",
        OfAPerson = "of_a_person", StreetTypes = "street_types",
        CapitalStreetTypes = "capital_street_types", LeadingStreetTypes = "leading_street_types",
        LowerLeadingStreetTypes = "lower_leading_street_types",
        TrailingStreetTypes = "trailing_street_types", StreetEndings = "street_endings",
        Particles = "particles", BuildingParts = "building_parts", HomeCues = "home_cues",
        SentenceWords = "sentence_words", NumberedCapitals = "numbered_capitals",
        NoStreetNames = "no_street_names", Roles = "roles",
        TopLevelDomains = "top_level_domains", FileEndings = "file_endings", MailHosts = "mail_hosts", PaymentHandles = "payment_handles",
        DateLeads = "date_leads", Our = "our", ValueLeads = "value_leads", Connectors = "connectors",
        PartCues = "part_cues", Greetings = "greetings", GivenNames = "given_names",
        NamePointers = "name_pointers", NoNames = "no_names",
        Finding = "finding", Against = "against", Encouraging = "encouraging", LabelFillers = "label_fillers", LabelLeads = "label_leads",
        RestCues = "rest_cues", Numbering = "numbering", PlaceholderNames = "placeholder_names",
        Opening = "opening", SampleCues = "sample_cues",
    }
}

impl List {
    /// Whether `word` is in the list, whatever its case and accents.
    pub(in crate::gate) fn has(self, word: impl AsRef<[u8]>) -> bool {
        Meaning::of(word.as_ref()).is_in(self)
    }

    /// Whether a word begins with a word of the list: `neunzehnhundertachtzig`.
    pub(in crate::gate) fn starts(self, word: &str) -> bool {
        let word = without_accents(word);
        let begins = |start: &[u8]| {
            word.as_bytes().get(..start.len()).is_some_and(|its| start.eq_ignore_ascii_case(its))
        };
        self.words().iter().any(|start| begins(start.as_bytes()))
    }

    /// Whether a word is made of something and a word of the list: `Lindenstrasse`, `Firmenkonto`.
    pub(super) fn ends(self, word: &str) -> bool {
        let word = without_accents(word);
        let ends = |ending: &[u8]| {
            let rest = word.len().checked_sub(ending.len()).filter(|rest| *rest >= COMPOUND_MIN);
            rest.is_some_and(|rest| ending.eq_ignore_ascii_case(&word.as_bytes()[rest..]))
        };
        let endings = self.words().iter().filter(|ending| ending.len() >= COMPOUND_MIN);
        endings.into_iter().any(|ending| ends(ending.as_bytes()))
    }

    /// Its words, without accents.
    fn words(self) -> &'static [Cow<'static, str>] {
        static WORDS: LazyLock<Vec<&[Cow<'static, str>]>> =
            LazyLock::new(|| List::ALL.iter().map(|list| words_under("words", list.name())).collect());
        WORDS[self as usize]
    }
}

/// A word without its accents, in any case.
fn without_accents(word: &str) -> Cow<'_, str> {
    if word.is_ascii() { word.into() } else { bare(word).collect::<String>().into() }
}

/// How many bytes each part of a word that is made of two has.
const COMPOUND_MIN: usize = 3;

/// What the lists of all languages say about a word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Meaning {
    /// One bit for each list that it stands in.
    lists: u64,
    /// The number of the month that it names.
    pub(super) month: Option<u8>,
}

impl Meaning {
    /// What a word means, whatever its case and accents. No list has a word that starts with a digit.
    pub(super) fn of(word: &[u8]) -> Meaning {
        static MEANINGS: LazyLock<WordMap<Meaning>> = LazyLock::new(meanings);
        match (word.first(), word.is_ascii()) {
            (Some(b'0'..=b'9') | None, _) => None,
            (_, true) => MEANINGS.get(word),
            (_, false) => MEANINGS.get(bare(&String::from_utf8_lossy(word)).collect::<String>().as_bytes()),
        }
        .unwrap_or_default()
    }

    /// Whether the word is in a list.
    pub(super) fn is_in(self, list: List) -> bool {
        self.lists >> list as u32 & 1 == 1
    }
}

fn meanings() -> WordMap<Meaning> {
    let mut meanings = WordMap::<Meaning>::default();
    for list in List::ALL {
        for word in list.words() {
            meanings.get_or_insert(word, Meaning::default()).lists |= 1 << list as u32;
        }
    }
    for (number, words) in keys_of("month") {
        for word in words {
            meanings.get_or_insert(word, Meaning::default()).month = number.parse().ok();
        }
    }
    meanings
}

/// A word and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) struct Word<'t> {
    pub(in crate::gate) text: &'t str,
    pub(in crate::gate) start: usize,
    pub(in crate::gate) end: usize,
    meaning: Meaning,
}

impl<'t> Word<'t> {
    /// The word at `range` of a text.
    pub(in crate::gate) fn at(text: &'t str, range: Range<usize>) -> Self {
        let Range { start, end } = range;
        Word { text: &text[range], start, end, meaning: Meaning::of(&text.as_bytes()[start..end]) }
    }

    /// Whether its first letter is upper case, or has no case at all.
    pub(in crate::gate) fn is_capital(&self) -> bool {
        self.text.starts_with(|char: char| char.is_alphabetic() && !char.is_lowercase())
    }

    /// Whether it is written with ASCII digits only.
    pub(in crate::gate) fn is_number(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Whether it starts with an ASCII digit.
    pub(in crate::gate) fn starts_with_digit(&self) -> bool {
        self.text.starts_with(|char: char| char.is_ascii_digit())
    }

    /// Whether it is in a list, whatever its case.
    pub(in crate::gate) fn is_in(&self, list: List) -> bool {
        self.meaning.is_in(list)
    }

    /// Whether it equals one of `words`, which are lower case, whatever its case.
    pub(in crate::gate) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.eq_ignore_ascii_case(word))
    }
}

/// The number of the month that a word names in some language, whatever its case and accents.
pub(in crate::gate) fn month(word: &str) -> Option<u8> {
    Meaning::of(word.as_bytes()).month
}

/// Whether no word goes on before `at`. In scripts without spaces, a word may start anywhere.
pub(in crate::gate) fn may_start(text: &str, at: usize) -> bool {
    let first_of_char = text.as_bytes()[..at].iter().rev().take(4).find(|byte| !(0x80..0xC0).contains(*byte));
    first_of_char.is_none_or(|byte| !is_joining(*byte))
}

/// Whether no word goes on at `at`.
pub(in crate::gate) fn may_end(text: &str, at: usize) -> bool {
    text.as_bytes().get(at).is_none_or(|byte| !is_joining(*byte))
}

/// Whether a character that begins with `byte` joins what it touches to a longer word.
fn is_joining(byte: u8) -> bool {
    is_word_byte(byte) && !is_spaceless(byte)
}

/// Whether no letter or digit touches a range.
pub(in crate::gate) fn is_whole(text: &str, range: &Range<usize>) -> bool {
    may_start(text, range.start) && may_end(text, range.end)
}

/// How many bytes before `at` belong to a run, at most `max`.
pub(in crate::gate) fn run_before(text: &str, at: usize, max: usize, belongs: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[..at].iter().rev().take(max).take_while(|byte| belongs(**byte)).count()
}

/// How many bytes from `at` on belong to a run, at most `max`.
pub(in crate::gate) fn run_after(text: &str, at: usize, max: usize, belongs: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[at..].iter().take(max).take_while(|byte| belongs(**byte)).count()
}
