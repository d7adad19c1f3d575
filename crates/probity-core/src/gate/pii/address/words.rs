//! The words that streets, their parts and the lines around them are made of.
//!
//! All lists are lower case and without accents, as folded text compares to them.

use super::super::words::Word;

/// What a street is called behind its name, in any case.
const SURE_TYPES: &[&str] = &[
    "street",
    "st",
    "str",
    "avenue",
    "ave",
    "road",
    "rd",
    "boulevard",
    "blvd",
    "parkway",
    "pkwy",
    "turnpike",
    "expressway",
];
/// What a street is called behind its name when it is written with a capital. Other things are, too.
const CAPITAL_TYPES: &[&str] = &[
    "way",
    "drive",
    "dr",
    "court",
    "ct",
    "place",
    "pl",
    "close",
    "crescent",
    "cres",
    "terrace",
    "ter",
    "square",
    "sq",
    "circle",
    "cir",
    "trail",
    "trl",
    "park",
    "row",
    "mews",
    "gardens",
    "grove",
    "hill",
    "quay",
    "parade",
    "esplanade",
    "plaza",
    "alley",
    "lane",
    "ln",
    "highway",
    "hwy",
    "broadway",
    "causeway",
    "wharf",
    "bypass",
    "av",
];
/// What a street is called before its name.
const LEADING_TYPES: &[&str] = &[
    "rue",
    "avenue",
    "boulevard",
    "chemin",
    "impasse",
    "allee",
    "quai",
    "via",
    "viale",
    "piazza",
    "piazzetta",
    "vicolo",
    "corso",
    "largo",
    "strada",
    "contrada",
    "calle",
    "avenida",
    "avda",
    "paseo",
    "camino",
    "carretera",
    "ronda",
    "rua",
    "praca",
    "travessa",
    "estrada",
    "rodovia",
    "ul",
    "ulica",
    "aleja",
    "plac",
    "trg",
    "ulitsa",
    "ploshchad",
    "prospekt",
    "postbox",
    "quadra",
];
/// What a street is called behind its name and before its number.
const TRAILING_TYPES: &[&str] = &[
    "strasse",
    "stra\u{df}e",
    "str",
    "weg",
    "platz",
    "gasse",
    "allee",
    "ufer",
    "damm",
    "ter",
    "utca",
    "utja",
    "ut",
    "u",
    "rkp",
    "krt",
    "mnt",
    "pst",
    "puiestee",
    "vej",
    "gade",
    "gata",
    "gatan",
    "vagen",
    "katu",
    "cesta",
    "ulica",
    "ulice",
    "nam",
    "namesti",
    "straat",
    "laan",
    "plein",
    "dreef",
    "wei",
    "odos",
    "terrasse",
];
/// How the name of a street ends where the type is part of it.
const ENDINGS: &[&str] = &[
    "strasse",
    "stra\u{df}e",
    "straat",
    "str",
    "weg",
    "gasse",
    "platz",
    "allee",
    "laan",
    "plein",
    "gracht",
    "singel",
    "dreef",
    "katu",
    "kuja",
    "polku",
    "ntie",
    "gatan",
    "vagen",
    "gata",
    "vej",
    "gade",
    "veien",
    "vegen",
    "vegur",
    "braut",
    "gotu",
    "stigen",
    "stien",
    "bakken",
    "utca",
    "tanav",
    "hof",
    "hove",
    "dijk",
    "ufer",
    "damm",
    "str\u{e6}ti",
];
/// Small words within the name of a street or a town.
const PARTICLES: &[&str] = &[
    "de", "del", "della", "di", "da", "do", "dos", "das", "la", "le", "les", "l", "d", "du", "des", "van",
    "von", "der", "den", "of", "the", "na", "nad", "u", "z", "im", "am", "an", "of", "y", "e", "st", "i",
    "n", "s", "w", "v", "af", "och",
];
/// Parts of a building.
const UNITS: &[&str] =
    &["suite", "apt", "apartment", "unit", "flat", "ste", "floor", "room", "box", "bldg", "building", "po"];
/// Words before a place where somebody lives.
const CUES: &[&str] =
    &["address", "addresses", "lives", "live", "lived", "living", "resides", "residing", "corner", "adresse"];
/// Capitals that open a new sentence or close a letter rather than name a town.
const SENTENCE_WORDS: &[&str] = &[
    "best",
    "regards",
    "kind",
    "thanks",
    "thank",
    "please",
    "hi",
    "hello",
    "dear",
    "sincerely",
    "if",
    "we",
    "your",
    "the",
    "i",
    "let",
    "you",
    "it",
    "this",
    "our",
    "is",
    "for",
    "phone",
    "tel",
    "email",
    "order",
    "visa",
    "mastercard",
    "card",
    "delivery",
    "and",
    "but",
    "as",
    "once",
    "when",
    "yours",
    "cheers",
    "warm",
    "mobile",
    "fax",
    "office",
    "desk",
    "call",
    "name",
    "e",
    "in",
    "there",
    "that",
    "they",
    "he",
    "she",
    "on",
    "at",
    "to",
];
/// Capitals before a number that name no street.
const OTHER_CAPITALS: &[&str] = &[
    "order",
    "item",
    "version",
    "step",
    "section",
    "chapter",
    "page",
    "level",
    "tier",
    "plan",
    "model",
    "table",
    "figure",
    "room",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "windows",
    "iphone",
    "galaxy",
    "ios",
    "android",
    "suite",
    "apt",
    "apartment",
    "case",
    "ticket",
    "invoice",
    "line",
    "option",
    "part",
    "phase",
    "size",
    "usd",
    "eur",
    "gbp",
    "at",
    "in",
    "on",
    "the",
    "is",
    "your",
    "address",
    "p",
    "o",
    "box",
    "about",
    "all",
    "another",
];

/// Whether a word closes the name of a street, and nothing else is called so.
pub(super) fn is_sure_type(word: &Word<'_>) -> bool {
    word.is_any(SURE_TYPES)
}

/// Whether a word can close the name of a street.
pub(super) fn is_type(word: &Word<'_>) -> bool {
    word.is_any(SURE_TYPES) || (word.is_capital() && word.is_any(CAPITAL_TYPES))
}

/// Whether the name of a street follows the word.
pub(super) fn is_leading_type(word: &Word<'_>) -> bool {
    let is_any_case = word.is_any(&[
        "rue", "ul", "rua", "calle", "avenida", "trg", "piazza", "viale", "ulica", "chemin", "impasse",
    ]);
    is_any_case || (word.is_capital() && word.is_any(LEADING_TYPES))
}

/// Whether the word closes the name of a street, with its number next.
pub(super) fn is_trailing_type(word: &Word<'_>) -> bool {
    word.is_any(TRAILING_TYPES)
}

/// Whether the name of the street itself says that it is one. In lower case it needs more to be sure.
pub(super) fn has_street_ending(word: &Word<'_>) -> bool {
    let bytes = word.text.as_bytes();
    let ends = |ending: &&str| {
        let tail = bytes.len().checked_sub(ending.len()).map(|from| &bytes[from..]);
        bytes.len() >= ending.len() + 3
            && tail.is_some_and(|tail| tail.eq_ignore_ascii_case(ending.as_bytes()))
    };
    ENDINGS.iter().any(|ending| ends(&ending)) && !word.is_any(&["brigade", "renegade", "auntie"])
}

/// Whether a small word may stand inside a name.
pub(super) fn is_particle(word: &Word<'_>) -> bool {
    word.is_any(PARTICLES)
}

/// Whether a word names a part of a building.
pub(super) fn is_unit(word: &Word<'_>) -> bool {
    word.is_any(UNITS)
}

/// Whether a place is likely to follow the word.
pub(super) fn is_cue(word: &Word<'_>) -> bool {
    word.is_any(CUES)
}

/// Whether a capital opens a sentence rather than names a town.
pub(super) fn opens_sentence(word: &Word<'_>) -> bool {
    word.is_any(SENTENCE_WORDS)
}

/// Whether a capital before a number names something other than a street.
pub(super) fn is_other_capital(word: &Word<'_>) -> bool {
    word.is_any(OTHER_CAPITALS)
}
