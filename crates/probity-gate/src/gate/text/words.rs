//! The lists of words that texts are read by, and a word with the lists that it stands in.
//!
//! A word is a run of letters and digits of any script. The lists of all languages are one: which language a text has is
//! not asked here.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::spelling::bare;
use super::token::{is_spaceless, is_word_byte};
use super::word_map::WordMap;

/// The data files of all languages.
const FILES: &[&str] = &[
    include_str!("../../../data/en/pii.toml"),
    include_str!("../../../data/de/pii.toml"),
    include_str!("../../../data/fr/pii.toml"),
    include_str!("../../../data/es/pii.toml"),
    include_str!("../../../data/pt/pii.toml"),
    include_str!("../../../data/it/pii.toml"),
    include_str!("../../../data/nl/pii.toml"),
    include_str!("../../../data/ja/pii.toml"),
    include_str!("../../../data/sv/pii.toml"),
    include_str!("../../../data/da/pii.toml"),
    include_str!("../../../data/no/pii.toml"),
    include_str!("../../../data/fi/pii.toml"),
    include_str!("../../../data/pl/pii.toml"),
];

/// Sections of keys with lists of words.
type Sections = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// What the data files say together.
pub(in crate::gate) static DATA: LazyLock<Sections> = LazyLock::new(|| {
    let mut data = Sections::new();
    for file in FILES {
        let sections: Sections = toml::from_str(file).expect("the built-in lists are read by every test");
        for (section, lists) in sections {
            for (key, words) in lists {
                data.entry(section.clone()).or_default().entry(key).or_default().extend(words);
            }
        }
    }
    data
});

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
        NoStreetNames = "no_street_names", Drives = "drives", Roles = "roles",
        TopLevelDomains = "top_level_domains", FileEndings = "file_endings", MailHosts = "mail_hosts", PaymentHandles = "payment_handles",
        DateLeads = "date_leads", Our = "our", ValueLeads = "value_leads", Connectors = "connectors",
        PartCues = "part_cues", Greetings = "greetings", GivenNames = "given_names",
        NamePointers = "name_pointers", NoNames = "no_names",
    }
}

impl List {
    /// Whether `word` is in the list, whatever its case and accents.
    pub(in crate::gate) fn has(self, word: impl AsRef<[u8]>) -> bool {
        self.is_of(lists(word.as_ref()))
    }

    /// The words of the list.
    pub(in crate::gate) fn words(self) -> &'static [String] {
        &DATA["words"][self.name()]
    }

    /// Whether it is one of `lists`.
    pub(super) fn is_of(self, lists: u64) -> bool {
        lists >> self as u32 & 1 == 1
    }
}

/// The lists that a word stands in, one bit each, whatever its case and accents. No list has a word that starts with a
/// digit.
pub(super) fn lists(word: &[u8]) -> u64 {
    static LISTS: LazyLock<WordMap<u64>> = LazyLock::new(|| {
        let mut lists = WordMap::default();
        for list in List::ALL {
            for word in list.words() {
                *lists.get_or_insert(bare(word).collect::<String>().as_bytes(), 0) |= 1 << list as u32;
            }
        }
        lists
    });
    match (word.first(), word.is_ascii()) {
        (Some(b'0'..=b'9') | None, _) => 0,
        (_, true) => LISTS.get(word).unwrap_or(0),
        (_, false) => {
            let bare: String = bare(&String::from_utf8_lossy(word)).collect();
            LISTS.get(bare.as_bytes()).unwrap_or(0)
        }
    }
}

/// A word and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) struct Word<'t> {
    pub(in crate::gate) text: &'t str,
    pub(in crate::gate) start: usize,
    pub(in crate::gate) end: usize,
    /// One bit for each list that it stands in.
    lists: u64,
}

impl<'t> Word<'t> {
    /// The word at `range` of a text.
    pub(in crate::gate) fn at(text: &'t str, range: Range<usize>) -> Self {
        let Range { start, end } = range;
        Word { text: &text[range], start, end, lists: lists(&text.as_bytes()[start..end]) }
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
        list.is_of(self.lists)
    }

    /// Whether it equals one of `words`, which are lower case, whatever its case.
    pub(in crate::gate) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.eq_ignore_ascii_case(word))
    }
}

/// The number of the month that a word names in some language, whatever its case and accents.
pub(in crate::gate) fn month(word: &str) -> Option<u8> {
    static MONTHS: LazyLock<WordMap<u8>> = LazyLock::new(|| {
        let mut months = WordMap::default();
        for (number, words) in &DATA["months"] {
            for word in words {
                let number = number.parse().expect("months are counted");
                months.get_or_insert(bare(word).collect::<String>().as_bytes(), number);
            }
        }
        months
    });
    if word.is_ascii() {
        MONTHS.get(word.as_bytes())
    } else {
        MONTHS.get(bare(word).collect::<String>().as_bytes())
    }
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
