//! The words that streets, their parts and the lines around them are made of.
//!
//! All lists are in lower case and without accents, as folded text is.

use super::super::words::{List, Word};

/// What a street is called behind its name, in any case.
pub(super) static SURE_TYPES: List = List::of(
    "\
    ave avenue blvd boulevard expressway parkway pkwy rd road st str street turnpike",
);
/// What a street is called behind its name when it is written with a capital. Other things are, too.
static CAPITAL_TYPES: List = List::of(
    "\
    alley av broadway bypass causeway cir circle close court cres crescent ct dr drive esplanade gardens \
    grove highway hill hwy lane ln mews parade park pl place plaza quay row sq square ter terrace trail trl \
    way wharf",
);
/// What a street is called before its name.
static LEADING_TYPES: List = List::of(
    "\
    aleja allee av avda avenida avenue boulevard calle camino carretera chemin contrada corso estrada \
    impasse largo paseo piazza piazzetta plac ploshchad postbox praca prospekt quadra quai rodovia ronda rua \
    rue strada travessa trg ul ulica ulitsa via viale vicolo",
);
/// Those of them that are nothing else in English and so need no capital.
static LEADING_IN_LOWER_CASE: List = List::of(
    "\
    avenida avenue boulevard calle chemin impasse piazza rua rue trg ul ulica viale",
);
/// What a street is called behind its name and before its number.
pub(super) static TRAILING_TYPES: List = List::of(
    "\
    allee cesta damm dreef gade gasse gata gatan katu krt laan mnt nam namesti odos platz plein pst puiestee \
    rkp str straat strasse stra\u{df}e ter terrasse u ufer ulica ulice ut utca utja vagen vej weg wei",
);
/// How the name of a street ends where the type is part of it.
const ENDINGS: &str = "\
    strasse stra\u{df}e straat str weg gasse platz allee laan plein gracht singel dreef katu kuja polku ntie \
    gatan vagen gata vej gade veien vegen vegur braut gotu stigen stien bakken utca tanav hof hove dijk ufer \
    damm str\u{e6}ti";
/// How many bytes of a name stand before such an ending.
const NAME_MIN: usize = 3;
/// Small words within the name of a street or a town.
pub(super) static PARTICLES: List = List::of(
    "\
    af am an d da das de del della den der des di do dos du e i im l la le les n na nad och of s st the u v \
    van von w y z",
);
/// Parts of a building.
pub(super) static UNITS: List = List::of("apartment apt bldg box building flat floor po room ste suite unit");
/// Words before the place where a person lives.
pub(super) static CUES: List =
    List::of("address addresses adresse corner live lived lives living resides residing");
/// Capitals that open a new sentence or close a letter rather than name a town.
pub(super) static SENTENCE_WORDS: List = List::of(
    "\
    and as at best but call card cheers dear delivery desk e email fax for he hello hi i if in is it kind \
    let mastercard mobile name office on once order our phone please regards she sincerely tel thank thanks \
    that the there they this to visa warm we when you your yours",
);
/// Capitals before a number that name no street.
pub(super) static OTHER_CAPITALS: List = List::of(
    "\
    about address all android another apartment apr april apt at aug august box case chapter dec december \
    eur feb february figure friday galaxy gbp in invoice ios iphone is item jan january jul july jun june \
    level line mar march may model monday nov november o oct october on option order p page part phase plan \
    room saturday section sep sept september size step suite sunday table the thursday ticket tier tuesday \
    usd version wednesday windows your",
);

/// What stands between a number and a street that is no name: `2 miles road`.
pub(super) static NO_NAMES: List = List::of("the and per different miles mile minutes other more for off");
/// Drives that are no streets.
pub(super) static DRIVES: List = List::of("hard flash usb external state thumb ssd pen test disk google");

/// Whether a word can close the name of a street.
pub(super) fn is_type(word: &Word<'_>) -> bool {
    word.is_in(&SURE_TYPES) || (word.is_capital() && word.is_in(&CAPITAL_TYPES))
}

/// Whether the name of a street follows the word.
pub(super) fn is_leading_type(word: &Word<'_>) -> bool {
    word.is_in(&LEADING_IN_LOWER_CASE) || (word.is_capital() && word.is_in(&LEADING_TYPES))
}

/// Whether the name of the street itself says that it is one. In lower case it needs more to be sure.
pub(super) fn has_street_ending(word: &Word<'_>) -> bool {
    let bytes = word.text.as_bytes();
    let ends = |ending: &str| {
        let from = bytes.len().checked_sub(ending.len());
        from.is_some_and(|from| from >= NAME_MIN && bytes[from..].eq_ignore_ascii_case(ending.as_bytes()))
    };
    ENDINGS.split(' ').any(ends) && !word.is_any(&["brigade", "renegade", "auntie"])
}
