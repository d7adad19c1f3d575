//! National identity and tax numbers whose form or check digits say what they are.
//!
//! Numbers that need a label to be recognised are read by the `labelled` module.

use super::digits::{self, Digits, Gap, Group};
use super::kind::{Hit, Kind};
use super::label::{Label, Labels};

/// Adds the national numbers among `groups`, which are one cluster.
pub(super) fn find(text: &str, groups: &[Group], dates: &[bool], hits: &mut Vec<Hit>) {
    for at in 0..groups.len() {
        // No other group opens one of these.
        let n = match groups[at].len() {
            3 | 9 if !dates[at] => social_security(text, groups, at).or_else(|| cpf(text, groups, at)),
            _ => None,
        };
        if let Some(n) = n {
            hits.push(Hit::new(Kind::NationalId, digits::span(&groups[at..at + n])));
        }
        if let Some(span) = lettered(text, &groups[at])
            && !Labels::around(text, span.start, span.end).is_reference()
        {
            hits.push(Hit::new(Kind::NationalId, span));
        }
    }
}

/// Whether nine digits can be a social security number of the United States (Social Security
/// Administration: no area 000, 666 or from 900 on, no group 00, no serial 0000).
pub(super) fn is_social_security(digits: &[u8]) -> bool {
    let Some((area, [group @ .., _, _, _, _])) = digits.split_at_checked(3) else { return false };
    let serial = &digits[3 + group.len()..];
    group.len() == 2
        && area != [0; 3]
        && area != [6; 3]
        && area[0] != 9
        && group != [0; 2]
        && serial != [0; 4]
}

/// How many groups from `at` on are a social security number.
fn social_security(text: &str, groups: &[Group], at: usize) -> Option<usize> {
    let is_bare = groups[at].len() == 9;
    let n = if is_bare { 1 } else { 3 };
    let window = groups.get(at..at + n)?;
    let lens_fit = is_bare || [window[0].len(), window[1].len(), window[2].len()] == [3, 2, 4];
    if !lens_fit || !is_social_security(Digits::of(text, window)?.values()) {
        return None;
    }
    let span = digits::span(window);
    let bytes = text.as_bytes();
    let gaps_fit = is_bare || {
        let gap = &text[window[0].end..window[1].start];
        matches!(gap, "-" | " " | "." | "/" | "_") && gap == &text[window[1].end..window[2].start]
    };
    let joins = |byte: u8| matches!(byte, b'-' | b'/' | b'.') || byte.is_ascii_alphanumeric();
    let is_longer = (at > 0 && groups[at].gap == Gap::Narrow && joins(bytes[span.start - 1]))
        || groups.get(at + n).is_some_and(|next| next.gap == Gap::Narrow && joins(bytes[span.end]));
    if !gaps_fit || is_longer || is_joined_to_letters(text, span.start) {
        return None;
    }
    let labels = Labels::around(text, span.start, span.end);
    let is_one = labels.nearest == Some(Label::SocialSecurity) || (!is_bare && !labels.is_reference());
    is_one.then_some(n)
}

/// Whether letters stand directly before, or before a hyphen, and are no label.
fn is_joined_to_letters(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end_matches(['-', '#']);
    let is_label = ["ssn", "ssn_"].iter().any(|label| {
        before
            .get(before.len().saturating_sub(label.len())..)
            .is_some_and(|end| end.eq_ignore_ascii_case(label))
    });
    !is_label && before.len() + 1 >= start && before.ends_with(|char: char| char.is_ascii_alphanumeric())
}

/// A Brazilian taxpayer number, `###.###.###-##` with two check digits.
fn cpf(text: &str, groups: &[Group], at: usize) -> Option<usize> {
    let window = groups.get(at..at + 4)?;
    if window[3].len() != 2 || window[..3].iter().any(|group| group.len() != 3) {
        return None;
    }
    let digits = Digits::of(text, window)?;
    let digits = digits.values();
    if digits.iter().all(|digit| *digit == digits[0]) {
        return None;
    }
    let check = |n: usize| {
        let sum: usize = digits[..n]
            .iter()
            .zip((2..=n + 1).rev())
            .map(|(digit, weight)| usize::from(*digit) * weight)
            .sum();
        usize::from(digits[n]) == (sum * 10 % 11) % 10
    };
    let gaps_fit =
        &text[window[0].end..window[1].start] == "." && &text[window[2].end..window[3].start] == "-";
    (gaps_fit && check(9) && check(10)).then_some(4)
}

/// Numbers with letters at fixed places: the British national insurance number (`QQ 12 34 56 C`) and the
/// Spanish identity number (eight digits and their check letter).
fn lettered(text: &str, group: &Group) -> Option<std::ops::Range<usize>> {
    if !matches!(group.len(), 2 | 6 | 8) {
        return None;
    }
    let bytes = text.as_bytes();
    let is_end = |at: usize| bytes.get(at).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    if group.len() == 8 && is_start(bytes, group.start) {
        let number: usize = text[group.start..group.end].parse().ok()?;
        let letter = b"TRWAGMYFPDXBNJZSQVHLCKE"[number % 23];
        let at = group.end + usize::from(bytes.get(group.end) == Some(&b'-'));
        return (bytes.get(at) == Some(&letter) && is_end(at + 1)).then_some(group.start..at + 1);
    }
    let from = group.start - usize::from(group.start > 0 && bytes[group.start - 1] == b' ');
    let start = from.checked_sub(2)?;
    if group.len() == 8 || !is_start(bytes, start) {
        return None;
    }
    let [a, b] = [bytes[start], bytes[start + 1]];
    let is_prefix =
        |byte: u8| byte.is_ascii_uppercase() && !matches!(byte, b'D' | b'F' | b'I' | b'Q' | b'U' | b'V');
    if !is_prefix(a) || !is_prefix(b) || b == b'O' {
        return None;
    }
    let mut at = group.start;
    for pair in 0..3 {
        at += usize::from(pair > 0 && bytes.get(at) == Some(&b' '));
        bytes.get(at..at + 2)?.iter().all(u8::is_ascii_digit).then_some(())?;
        at += 2;
    }
    at += usize::from(bytes.get(at) == Some(&b' '));
    (matches!(bytes.get(at), Some(b'A'..=b'D')) && is_end(at + 1)).then_some(start..at + 1)
}

/// Whether a word may start at `at`.
fn is_start(bytes: &[u8], at: usize) -> bool {
    at == 0 || !super::words::is_word_byte(bytes[at - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let mut hits = Vec::new();
        let mut at = 0;
        while let Some(next) = text[at..].find(|char: char| char.is_ascii_digit()) {
            let groups = digits::read_cluster(text, at + next);
            at = digits::span(&groups).end;
            find(text, &groups, &vec![false; groups.len()], &mut hits);
        }
        let got: Vec<&str> = hits.iter().map(|hit| &text[hit.span.clone()]).collect();
        assert_eq!(got.join(" | "), want, "{text}");
    }

    #[test]
    fn numbers_with_a_form_of_their_own() {
        check("It is 219-09-9999.", "219-09-9999");
        check("SSN 219099999", "219099999");
        check("CPF 529.982.247-25", "529.982.247-25");
        check("DNI 12345678Z", "12345678Z");
        check("AB 12 34 56 C", "AB 12 34 56 C");
        check("AB123456C", "AB123456C");
    }

    #[test]
    fn numbers_outside_the_ranges_are_none() {
        check("000-12-3456 666-12-3456 901-12-3456 219-00-9999 219-09-0000", "");
        check("219099999", "");
        check("RMA-219-09-9999 and order 219-09-9999", "");
        check("529.982.247-26 12345678A DF123456C, ticket 12345678Z", "");
    }
}
