//! Street addresses: a number with the name of a street, in the order and wording of many countries.
//!
//! Every address is found by its number. A town, a postcode or a country alone is none: they only extend
//! an address to the block that it stands in, which ends where words begin that belong to a sentence. Whether an
//! address is a person's is not decided here beyond what the reply itself says ("our store at …").

use std::ops::Range;

use super::{Contact, ContactKind, Group, List, Text, Word, may_start, month, run_after, run_before};

/// How many words the name of a street has at most.
const NAME_MAX: usize = 5;
/// How far a block reaches beyond its street, in bytes.
const BLOCK_MAX: usize = 160;
/// How many words behind an address can say when it is open.
const OPENING_WORDS: usize = 8;

/// The address whose street the first group of a cluster follows, or follows the last one.
pub(super) fn find(text: &Text, first: &Group, last: &Group) -> Option<Contact> {
    let behind =
        house(text, first).and_then(|group| number_last(text, group).or_else(|| japanese(text, group)));
    let core = behind.or_else(|| {
        let group = house(text, last)?;
        number_first(text, group)
    });
    Some(street(text, core?))
}

/// The address that a part of a building at `unit` belongs to: `… 104, Suite 845`.
pub(super) fn find_at_unit(text: &Text, unit: &Range<usize>) -> Option<Contact> {
    let number = text.after(unit.end).next().filter(Word::starts_with_digit)?;
    let in_block = || {
        let is_name = text.after(number.end).next().is_some_and(|name| is_town(&name));
        (is_name && ends_in_postcode(text, number.end)).then_some(unit.start)
    };
    let start = before_unit(text, unit.start).or_else(in_block)?;
    may_start(text, unit.start).then(|| street(text, start..number.end))
}

/// Where the street before a part of a building starts: a name with a number before or after it.
fn before_unit(text: &Text, unit: usize) -> Option<usize> {
    let end = text[..unit].trim_end_matches([' ', '\n', '.', ',', '>', '?']).len();
    let belongs = |word: &Word<'_>| {
        let lists = [List::Particles, List::BuildingParts, List::TrailingStreetTypes];
        lists.into_iter().any(|list| word.is_in(list)) || is_type(word) || is_leading_type(word)
    };
    let (mut has_capital, mut n_lower, mut first) = (false, 0, None);
    for word in text.before(end).take(NAME_MAX + 2) {
        if word.starts_with_digit() {
            first = Some(word.start);
        } else if is_town(&word) {
            has_capital = true;
        } else if !belongs(&word) {
            n_lower += 1;
        }
        if n_lower > 1 || (has_capital && first == Some(word.start)) {
            break;
        }
    }
    first.filter(|_| has_capital || text[unit..].starts_with(char::is_lowercase))
}

/// The address of a box at `trigger`: `P.O. Box 149`, `PSC 4355, Box 4187`, `APO AP 28906`.
pub(super) fn find_box(text: &Text, trigger: &Range<usize>) -> Option<Contact> {
    let number = text.after(trigger.end).take(2).find(Word::is_number)?;
    may_start(text, trigger.start).then(|| street(text, trigger.start..number.end))
}

/// The address whose street is `core`, with the block around it. One with opening hours is the company's.
fn street(text: &Text, core: Range<usize>) -> Contact {
    let span = block_start(text, core.start)..block_end(text, core.end);
    let is_apart = |word: &Word<'_>| text[span.end..word.start].contains(['.', '!', '?', '\n']);
    let mut behind = text.after(span.end).take(OPENING_WORDS).take_while(|word| !is_apart(word));
    let opens = behind.any(|word| word.is_in(List::Opening));
    let street = Contact::new(text, ContactKind::Street, span.clone(), core);
    Contact { is_own: street.is_own || opens, ..street }
}

/// The number, if it can be that of a house: short, and glued to nothing that makes it something else.
fn house<'g>(text: &Text, group: &'g Group) -> Option<&'g Group> {
    let is_amount = run_after(text, group.end, 1, |byte| b"%:$".contains(&byte)) > 0;
    let joins = |byte: u8| byte.is_ascii_alphabetic() || b"$#:@=%_+".contains(&byte);
    let is_joined = run_before(text, group.start, 1, joins) > 0;
    (group.len() < 6 && !is_amount && !is_joined).then_some(group)
}

/// Whether a word is a counted street: `5th`.
fn is_ordinal(word: &Word<'_>) -> bool {
    let n_letters = || word.text.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    word.starts_with_digit() && word.text.len() < 6 && n_letters() == 2
}

/// Whether a word can close the name of a street.
fn is_type(word: &Word<'_>) -> bool {
    word.is_in(List::StreetTypes) || (word.is_capital() && word.is_in(List::CapitalStreetTypes))
}

/// Whether the name of a street follows the word.
fn is_leading_type(word: &Word<'_>) -> bool {
    word.is_in(List::LowerLeadingStreetTypes) || (word.is_capital() && word.is_in(List::LeadingStreetTypes))
}

/// Whether a capital before a number names something else: `Page 3`, `March 5`.
fn names_no_street(word: &Word<'_>) -> bool {
    word.is_in(List::NumberedCapitals) || month(word.text).is_some()
}

/// Whether a word can be the name of a town rather than the start of a sentence.
fn is_town(word: &Word<'_>) -> bool {
    word.is_capital() && !word.is_in(List::SentenceWords)
}

/// The street that follows its number: `12 Oak Street`, `36 rue de Pologne`.
fn number_first(text: &Text, group: &Group) -> Option<Range<usize>> {
    let from = group.end + run_after(text, group.end, 1, |byte| byte.is_ascii_alphabetic());
    let rest = &text.as_bytes()[from..];
    let is_spaced = rest.starts_with(b" ") || rest.starts_with(b", ");
    if !is_spaced || rest.get(1).is_some_and(u8::is_ascii_punctuation) {
        return None;
    }
    let mut name = text.after(from).take(NAME_MAX + 1);
    let first = name.next().filter(|first| !text[from..first.start].contains('\n'))?;
    if is_leading_type(&first) {
        return leading_street(text, group.start, &first);
    }
    if !first.is_capital() && !is_ordinal(&first) {
        return lower_street(group.start, &first, name.next()?);
    }
    let belongs = |word: &Word<'_>| word.is_capital() || is_ordinal(word) || word.is_in(List::Particles);
    let kind = on_line(text, first.end, name).find(|word| is_type(word) || !belongs(word))?;
    (is_type(&kind) && is_street(text, group, &kind)).then_some(group.start..kind.end)
}

/// Whether a number, a name and a type are a street rather than two hard drives or a day at a park.
fn is_street(text: &Text, number: &Group, kind: &Word<'_>) -> bool {
    let leads_to = |word: Word<'_>| word.is_any(&["at", "to", "on", "from", "near", "address", "is", "in"]);
    kind.is_in(List::StreetTypes)
        || number.len() > 2
        || text.before(number.start).next().is_some_and(leads_to)
        || ends_in_postcode(text, kind.end)
}

/// Whether the block around a street that ends at `end` ends in a postcode.
fn ends_in_postcode(text: &Text, end: usize) -> bool {
    let mut words = text[end..block_end(text, end)].rsplit(|char: char| !char.is_alphanumeric());
    let (last, before) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let is_number = last.len() > 3 && last.bytes().all(|byte| byte.is_ascii_digit());
    let is_part = |word: &str| {
        let is_short = (2..=4).contains(&word.len());
        is_short && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    // "62704", "NW1 6XE", "M4C 1B5", "1016 GV".
    is_number || (is_part(last) && is_part(before) && before.contains(|char: char| char.is_ascii_digit()))
}

/// Whether a postcode of five digits and a town close the block of a street that ends at `end`.
fn leads_to_town(text: &Text, end: usize) -> bool {
    // Most streets have no such number near them, and words are costly to read.
    let near = &text.as_bytes()[end..text.len().min(end + BLOCK_MAX)];
    if !near.split(|byte| !byte.is_ascii_digit()).any(|run| run.len() == 5) {
        return false;
    }
    let words: Vec<Word<'_>> = text.words(end..block_end(text, end)).collect();
    words.windows(2).any(|pair| pair[0].is_number() && pair[0].text.len() == 5 && is_town(&pair[1]))
}

/// A street whose type stands before its name.
fn leading_street(text: &Text, start: usize, kind: &Word<'_>) -> Option<Range<usize>> {
    let may_be_lower = kind.is_in(List::LowerLeadingStreetTypes);
    let mut end = None;
    for word in on_line(text, kind.end, text.after(kind.end).take(NAME_MAX)) {
        if word.is_capital() || (end.is_none() && word.text.len() > 3 && may_be_lower) {
            end = Some(word.end);
        } else if !word.is_in(List::Particles) {
            break;
        }
    }
    Some(start..end?)
}

/// A street without capitals: one word and a type that is nothing else.
fn lower_street(start: usize, name: &Word<'_>, kind: Word<'_>) -> Option<Range<usize>> {
    let is_name =
        name.text.chars().all(char::is_alphabetic) && name.text.len() > 2 && !name.is_in(List::NoStreetNames);
    let is_street = is_name && kind.is_in(List::StreetTypes) && kind.start == name.end + 1;
    is_street.then_some(start..kind.end)
}

/// The street that its number follows: `Rooseveltlaan 110`, `Via Roma 131`, `Erzsebet ter 19`.
fn number_last(text: &Text, group: &Group) -> Option<Range<usize>> {
    let mut name = text.before(group.start).take(NAME_MAX);
    let last = name.next()?;
    let is_near = matches!(&text[last.end..group.start], " " | ". " | ", ");
    if !is_near || last.starts_with_digit() || names_no_street(&last) {
        return None;
    }
    let (is_capital, ends_in_type) = (last.is_capital(), last.is_in(List::TrailingStreetTypes));
    // The name of the street itself may say that it is one, but "Hotel Lindenhof, 4 stars".
    if is_capital && text[last.end..group.start] != *", " && List::StreetEndings.ends(last.text) {
        return Some(last.start..group.end);
    }
    if !is_capital && !ends_in_type {
        return None;
    }
    let mut start = is_capital.then_some(last.start);
    for word in on_line(text, last.start, name) {
        let is_name = word.is_capital() && !names_no_street(&word);
        let is_whole = ends_in_type && (is_name || has_cue(text, word.start));
        if is_whole || (is_leading_type(&word) && start.is_some()) {
            return Some(word.start..group.end);
        }
        if is_name {
            start = Some(word.start);
        } else if !word.is_in(List::Particles) {
            break;
        }
    }
    let start = start.filter(|start| has_cue(text, *start) || leads_to_town(text, group.end))?;
    Some(start..group.end)
}

/// A Japanese address, from the largest part to the number of the house: `京都市中京区井筒屋町415-2`.
fn japanese(text: &Text, group: &Group) -> Option<Range<usize>> {
    let name = text.before(group.start).next().filter(|name| name.end == group.start)?;
    let has = |signs: &str| name.text.contains(|char: char| signs.contains(char));
    let rest = &text[group.end..];
    let is_counted = rest.starts_with(['-', '丁', '番', '号']);
    let is_place = (has("都道府県") && has("市区町村郡")) || (has("市区町村郡") && is_counted);
    let end = group.end + run_after(text, group.end, BLOCK_MAX, |byte| byte.is_ascii_digit() || byte == b'-');
    is_place.then_some(name.start..end)
}

/// Whether the words before a name say that a place follows: "lives at", "address:", but not "address it".
fn has_cue(text: &Text, start: usize) -> bool {
    let mut is_led = false;
    let cue = text.before(start).take(6).find(|word| {
        is_led |= text[word.end..start].starts_with(':') || word.is_any(&["is", "at", "in", "on", "of"]);
        word.is_in(List::HomeCues)
    });
    cue.is_some() && is_led
}

/// The words of a name from `at` on, in either direction, as long as they stand on one line with nothing but what a name
/// can contain between them.
fn on_line<'t>(
    text: &'t Text,
    mut at: usize,
    words: impl Iterator<Item = Word<'t>>,
) -> impl Iterator<Item = Word<'t>> {
    words.take_while(move |word| {
        let (gap, next) =
            if word.start < at { (word.end..at, word.start) } else { (at..word.start, word.end) };
        at = next;
        gap.len() < 4 && text[gap].bytes().all(|byte| b" .'-".contains(&byte))
    })
}

/// The start of the block of a street: a number directly before it belongs to it.
fn block_start(text: &Text, at: usize) -> usize {
    let Some(before) = text[..at].strip_suffix(' ') else { return at };
    let n = run_before(text, before.len(), 6, |byte| byte.is_ascii_digit());
    let from = before.len() - n;
    let is_own_word =
        before[..from].is_empty() || before[..from].ends_with(|c: char| c.is_ascii_whitespace() || c == '>');
    if (1..=5).contains(&n) && is_own_word { from } else { at }
}

/// The end of the block of a street that ends at `at`: flat, town, postcode and country, on its line or the next.
fn block_end(text: &Text, at: usize) -> usize {
    let limit = (at + BLOCK_MAX).min(text.len());
    let (mut end, mut from) = (at, at);
    for word in text.words(at..limit) {
        if !may_lie_between(&text[from..word.start]) {
            break;
        }
        let belongs = if word.starts_with_digit() {
            word.text.len() <= 6 || word.text.contains(|char: char| char.is_ascii_alphabetic())
        } else {
            word.is_in(List::BuildingParts) || is_town(&word) || is_type(&word)
        };
        if belongs {
            end = word.end;
        } else if word.starts_with_digit() || !word.is_in(List::Particles) {
            break;
        }
        from = word.end;
    }
    end
}

/// Whether only what separates the parts of an address lies between two words.
fn may_lie_between(gap: &str) -> bool {
    gap.len() < 12 && gap.bytes().all(|byte| b" ,.?()\n\r>*-'#".contains(&byte)) && !gap.contains("**")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let text = Text::new(text);
        let street = text.contacts.iter().find(|contact| contact.kind == ContactKind::Street);
        assert_eq!(street.map_or("", |street| &text[street.span.clone()]), want, "{}", &*text);
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
