//! Street addresses: a number with the name of a street, in the order and wording of many countries.
//!
//! Every address is found by its number. A town, a postcode or a country alone is none: they only extend
//! an address to the block that it stands in. Whether an address is a person's is not decided here beyond
//! what the reply itself says ("our store at …").

mod block;
mod words;

use std::ops::Range;

use super::digits::Group;
use super::kind::{Hit, Kind};
use super::label::{Labels, Owner};
use super::words::{Word, after, before, is_word_byte};

/// How many words the name of a street has at most.
const NAME_MAX: usize = 5;

/// The address whose street follows the number `group`.
pub(super) fn find_before(text: &str, group: &Group) -> Option<Hit> {
    let core = if is_house(text, group) { number_first(text, group) } else { None }?;
    Some(hit(text, core))
}

/// The address whose street the number `group` follows.
pub(super) fn find_behind(text: &str, group: &Group) -> Option<Hit> {
    let core = if is_house(text, group) { number_last(text, group) } else { None }?;
    Some(hit(text, core))
}

/// The address that a part of a building at `unit` belongs to: `… 104, Suite 845`.
pub(super) fn find_at_unit(text: &str, unit: &Range<usize>) -> Option<Hit> {
    let number = after(text, unit.end).next()?;
    if is_inside_word(text, unit) || number.start > unit.end + 3 || !starts_with_digit(&number) {
        return None;
    }
    let street = before_unit(text, unit.start).or_else(|| behind_unit(text, &number))?;
    Some(hit(text, street.start.min(unit.start)..street.end.max(number.end)))
}

/// The street before a part of a building: a name with a number before or after it.
fn before_unit(text: &str, unit: usize) -> Option<Range<usize>> {
    let end = text[..unit].trim_end_matches([' ', '\n', '.', ',', '>', '?']).len();
    let (mut has_capital, mut n_lower, mut first) = (false, 0, None);
    for word in before(text, end).take(NAME_MAX + 2) {
        if starts_with_digit(&word) && word.text.len() < 7 {
            first = Some(word.start);
            if has_capital {
                break;
            }
        } else if word.is_capital()
            && !word.is_in(&words::SENTENCE_WORDS)
            && !word.is_any(&["creative", "office"])
        {
            has_capital = true;
        } else if !word.is_in(&words::PARTICLES) && !word.is_in(&words::UNITS) && !is_street_word(&word) {
            n_lower += 1;
        }
        if n_lower > 1 {
            break;
        }
    }
    let is_lower = text[unit..].starts_with(char::is_lowercase);
    (has_capital || is_lower).then_some(first?..end)
}

/// The street behind a part of a building: `Suite 913 0547 Bygget 91`.
fn behind_unit(text: &str, unit: &Word<'_>) -> Option<Range<usize>> {
    let mut words = after(text, unit.end);
    let (house, name, number) = (words.next()?, words.next()?, words.find(starts_with_digit)?);
    let is_street = house.is_number() && name.is_capital() && number.start < house.end + 40;
    is_street.then_some(house.start..number.end)
}

/// The address of a box at `trigger`: `P.O. Box 149`, `PSC 4355, Box 4187`, `APO AP 28906`.
pub(super) fn find_box(text: &str, trigger: &Range<usize>) -> Option<Hit> {
    let is_start = trigger.start == 0 || !is_word_byte(text.as_bytes()[trigger.start - 1]);
    let number = after(text, trigger.end).take(2).find(Word::is_number)?;
    (is_start && number.start < trigger.end + 8).then(|| hit(text, trigger.start..number.end))
}

/// The sighting of an address, with the block around it.
fn hit(text: &str, core: Range<usize>) -> Hit {
    let span = block::around(text, &core);
    let owner = Labels::around(text, span.start, span.end).owner;
    let kind = if owner == Some(Owner::Company) { Kind::UnlistedContact } else { Kind::Address };
    Hit { kind, span, core }
}

/// Whether a number can be that of a house: short, and glued to nothing that makes it something else.
fn is_house(text: &str, group: &Group) -> bool {
    let bytes = text.as_bytes();
    let before = group.start.checked_sub(1).map_or(b' ', |i| bytes[i]);
    let is_amount = bytes.get(group.end).is_some_and(|byte| matches!(byte, b'%' | b':' | b'$'));
    let is_joined = before.is_ascii_alphabetic()
        || matches!(before, b'$' | b'#' | b':' | b'@' | b'=' | b'%' | b'_' | b'+');
    group.len() < 6 && !is_amount && !is_joined
}

/// Whether a trigger is only part of a longer word.
fn is_inside_word(text: &str, range: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(|byte| is_word_byte(*byte));
    (range.start > 0 && is_word(range.start - 1)) || (is_word(range.end - 1) && is_word(range.end))
}

/// Whether a word starts with a digit.
fn starts_with_digit(word: &Word<'_>) -> bool {
    word.text.starts_with(|char: char| char.is_ascii_digit())
}

/// Whether a word is a counted street: `5th`.
fn is_ordinal(word: &Word<'_>) -> bool {
    let n_letters = || word.text.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    starts_with_digit(word) && word.text.len() < 6 && n_letters() == 2
}

/// Whether a word says what kind of street something is.
fn is_street_word(word: &Word<'_>) -> bool {
    words::is_type(word) || words::is_leading_type(word) || word.is_in(&words::TRAILING_TYPES)
}

/// The street that follows its number: `12 Oak Street`, `36 rue de Pologne`.
fn number_first(text: &str, group: &Group) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let letter = usize::from(bytes.get(group.end).is_some_and(u8::is_ascii_alphabetic));
    let from = group.end + letter;
    let is_spaced = matches!(bytes.get(from..)?, [b' ', ..] | [b',', b' ', ..]);
    if !is_spaced || bytes.get(from + 1).is_some_and(u8::is_ascii_punctuation) {
        return None;
    }
    let mut name = after(text, from).take(NAME_MAX + 1);
    let first = name.next()?;
    if words::is_leading_type(&first) {
        return leading_street(text, group.start, &first);
    }
    if !first.is_capital() && !is_ordinal(&first) {
        return lower_street(group.start, &first, name.next()?);
    }
    let is_size = first.text.len() <= 2
        && !first.is_any(&["n", "s", "e", "w", "ne", "nw", "se", "sw", "st", "mt", "la", "el"]);
    if (is_size && !is_ordinal(&first)) || first.is_any(&["google", "one"]) {
        return None;
    }
    let mut last = first;
    for word in name {
        if !is_one_line(text, last.end, word.start) {
            return None;
        }
        if words::is_type(&word) {
            let core = group.start..word.end;
            return is_street(text, group, &last, &word).then_some(core);
        }
        if !word.is_capital() && !is_ordinal(&word) && !word.is_in(&words::PARTICLES) {
            return None;
        }
        last = word;
    }
    None
}

/// Whether a number, a name and a type are a street rather than two hard drives or a day at a park.
fn is_street(text: &str, number: &Group, name: &Word<'_>, kind: &Word<'_>) -> bool {
    let is_drive = kind.is_any(&["drive"]) && name.is_in(&words::DRIVES);
    let leads_to = |word: Word<'_>| word.is_any(&["at", "to", "on", "from", "near", "address", "is", "in"]);
    let is_sure = kind.is_in(&words::SURE_TYPES)
        || number.len() > 2
        || before(text, number.start).next().is_some_and(leads_to)
        || ends_in_postcode(text, &(number.start..kind.end));
    is_sure && !is_drive
}

/// Whether the block around a street ends in a postcode.
fn ends_in_postcode(text: &str, core: &Range<usize>) -> bool {
    let block = block::around(text, core);
    let last = text[core.end..block.end].rsplit(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
    last.len() > 3 && last.bytes().all(|byte| byte.is_ascii_digit())
}

/// A street whose type stands before its name.
fn leading_street(text: &str, start: usize, kind: &Word<'_>) -> Option<Range<usize>> {
    let (mut end, mut at) = (None, kind.end);
    for word in after(text, kind.end).take(NAME_MAX) {
        let may_be_lower = kind.is_any(&["rue", "rua", "calle", "ulica", "trg"]);
        let is_name = word.is_capital() || (end.is_none() && word.text.len() > 3 && may_be_lower);
        if !is_one_line(text, at, word.start) {
            break;
        }
        at = word.end;
        if is_name {
            end = Some(word.end);
        } else if !word.is_in(&words::PARTICLES) {
            break;
        }
    }
    end.map(|end| start..end)
}

/// A street without capitals: one word and a type that is nothing else.
fn lower_street(start: usize, name: &Word<'_>, kind: Word<'_>) -> Option<Range<usize>> {
    let is_street = kind.is_in(&words::SURE_TYPES) && kind.start == name.end + 1;
    if !is_street {
        return None;
    }
    let is_name =
        name.text.chars().all(char::is_alphabetic) && name.text.len() > 2 && !name.is_in(&words::NO_NAMES);
    is_name.then_some(start..kind.end)
}

/// The street that its number follows: `Rooseveltlaan 110`, `Via Roma 131`, `Erzsebet ter 19`.
fn number_last(text: &str, group: &Group) -> Option<Range<usize>> {
    let mut name = before(text, group.start).take(NAME_MAX);
    let last = name.next()?;
    let gap = &text[last.end..group.start];
    if !matches!(gap, " " | ". " | ", ") || starts_with_digit(&last) {
        return None;
    }
    // Most words before a number are neither of these, and then there is no need to ask what else they are.
    let (is_capital, has_ending) = (last.is_capital(), words::has_street_ending(&last));
    let ends_in_type = last.is_in(&words::TRAILING_TYPES);
    if !(is_capital || has_ending || ends_in_type) || last.is_in(&words::OTHER_CAPITALS) {
        return None;
    }
    if has_ending && (is_capital || has_cue(text, last.start)) {
        return Some(last.start..group.end);
    }
    if !is_capital && !ends_in_type {
        return None;
    }
    let mut start = is_capital.then_some(last.start);
    let mut at = last.start;
    for word in name {
        if !is_one_line(text, word.end, at) {
            break;
        }
        at = word.start;
        if words::is_leading_type(&word) && start.is_some() {
            return Some(word.start..group.end);
        }
        if word.is_capital() && !word.is_in(&words::OTHER_CAPITALS) {
            if ends_in_type {
                return Some(word.start..group.end);
            }
            start = Some(word.start);
        } else if ends_in_type && has_cue(text, word.start) {
            return Some(word.start..group.end);
        } else if !word.is_in(&words::PARTICLES) {
            break;
        }
    }
    let start = start?;
    (has_cue(text, start) || is_in_block(text, start, group.end)).then_some(start..group.end)
}

/// Whether a name between two numbers is followed by a town and a postcode, so that it can only be a street.
fn is_in_block(text: &str, start: usize, end: usize) -> bool {
    let Some(house) = before(text, start).next().filter(|house| house.end + 1 == start) else { return false };
    let is_year = house.text.len() == 4 && (house.text.starts_with("19") || house.text.starts_with("20"));
    let is_house = house.is_number() && (3..=5).contains(&house.text.len()) && !is_year;
    let rest = &text[end..];
    let is_apart = rest.starts_with(", ") || rest.trim_start_matches('.').starts_with('\n');
    let has_town = after(text, end).next().is_some_and(|town| town.is_capital());
    is_house && is_apart && has_town && ends_in_postcode(text, &(start..end))
}

/// Whether the words before a name say that a place follows: "lives at", "address:", but not "address it".
fn has_cue(text: &str, start: usize) -> bool {
    let mut is_led = false;
    for word in before(text, start).take(6) {
        is_led |= text[word.end..start].starts_with(':') || word.is_any(&["is", "at", "in", "on", "of"]);
        if word.is_in(&words::CUES) {
            return is_led;
        }
    }
    false
}

/// Whether two words stand on one line, with nothing but what a name can contain between them.
fn is_one_line(text: &str, from: usize, to: usize) -> bool {
    text.as_bytes()[from..to].iter().all(|byte| matches!(byte, b' ' | b'.' | b'\'' | b'-')) && to - from < 4
}

#[cfg(test)]
mod tests {
    use super::super::digits::read_cluster;
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let mut at = 0;
        let mut got = "";
        while let Some(next) = text[at..].find(|char: char| char.is_ascii_digit()) {
            let groups = read_cluster(text, at + next);
            at = groups[groups.len() - 1].end;
            if let Some(hit) =
                groups.iter().find_map(|group| find_behind(text, group).or_else(|| find_before(text, group)))
            {
                got = &text[hit.span];
                break;
            }
        }
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn the_number_may_stand_first() {
        check(
            "to 742 Evergreen Terrace, Springfield, IL 62704 today",
            "742 Evergreen Terrace, Springfield, IL 62704",
        );
        check("at 12 oak street", "12 oak street");
        check("221B Baker Street, London NW1 6XE", "221B Baker Street, London NW1 6XE");
        check("1600 N. 5th Ave., Suite 4", "1600 N. 5th Ave., Suite 4");
        check("36 rue de Pologne", "36 rue de Pologne");
    }

    #[test]
    fn the_number_may_stand_last() {
        check("in der Hauptstrasse 5, 10115 Berlin", "Hauptstrasse 5, 10115 Berlin");
        check("Via Roma 131", "Via Roma 131");
        check("Passauer Strasse 33", "Passauer Strasse 33");
        check("He lives at Pivovarska 276", "Pivovarska 276");
    }

    #[test]
    fn other_numbers_are_no_houses() {
        check("2 Hard Drive units and 1 Flash Drive, 3 Water Park tickets, 2 Lightning Lane passes", "");
        check("To address Error 403 use Live Chat 24 hours; a ThinkPad 14 or Notepad 3 will do", "");
        check("Amazon Ring 4, 2 Place Settings, 10 Day Pass, Step 2 Place your order", "");
        check("3 business days, 2 Google Drive files, iPhone 14, March 5", "");
        check("The 5 star review of 2 TB Drive and $20 Way", "");
        check("order 12345 on the road", "");
    }
}
