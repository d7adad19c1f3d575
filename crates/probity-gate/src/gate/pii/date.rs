//! Days written with digits or with the name of a month.
//!
//! A day by itself is no personal data. It matters where the reply gives it as a date of birth, and
//! where its digits would otherwise be taken for part of a longer number.

use std::ops::Range;

use super::digits::{Gap, Group};
use super::words::{self, List};

/// The names of the months and what they are cut to, by their first three letters.
const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Words that may stand between a label and its date.
static LEADS: List = List::of("is was on of the your as listed recorded file our we have in it");

/// For each of `groups`, whether it is part of a date.
pub(super) fn mark(text: &str, groups: &[Group]) -> Vec<bool> {
    let mut dates = vec![false; groups.len()];
    for at in 0..groups.len() {
        if let Some(window) = groups.get(at..at + 3)
            && is_date(text, window)
        {
            dates[at..at + 3].fill(true);
        }
    }
    dates
}

/// Whether three groups are a day, a month and a year in some order, with the same separator.
fn is_date(text: &str, groups: &[Group]) -> bool {
    let [a, b, c] = groups else { return false };
    if a.len() > 4 || b.len() > 2 || !matches!(c.len(), 1 | 2 | 4) || (a.len() != 4 && c.len() == 1) {
        return false;
    }
    if b.gap != Gap::Narrow || c.gap != Gap::Narrow || text[a.end..b.start] != text[b.end..c.start] {
        return false;
    }
    if !matches!(&text[a.end..b.start], "-" | "/" | "." | " ") {
        return false;
    }
    let value = |group: &Group| {
        if group.len() <= 4 { text[group.start..group.end].parse().unwrap_or(0) } else { 0u32 }
    };
    let is_year = |group: &Group| group.len() == 4 && (1900..=2100).contains(&value(group));
    let is_day = |group: &Group| group.len() <= 2 && (1..=31).contains(&value(group));
    let is_month = |group: &Group| group.len() <= 2 && (1..=12).contains(&value(group));
    let day_and_month = |x: &Group, y: &Group| (is_day(x) && is_month(y)) || (is_month(x) && is_day(y));
    (is_year(a) && day_and_month(b, c))
        || (day_and_month(a, b) && (is_year(c) || (c.len() == 2 && &text[a.end..b.start] != " ")))
}

/// The date that starts within a few words after `at`, as for a date of birth.
pub(super) fn after(text: &str, at: usize) -> Option<Range<usize>> {
    let mut found: Vec<words::Word<'_>> = Vec::new();
    for word in words::after(text, at) {
        let is_part = is_day_or_year(word.text) || is_month_name(word.text);
        if is_part {
            found.push(word);
        } else if !found.is_empty() && !word.is_any(&["of", "de", "st", "nd", "rd", "th"]) {
            break;
        } else if found.is_empty() && !word.is_in(&LEADS) {
            return None;
        }
        if found.len() == 3 {
            break;
        }
    }
    let [first, .., last] = &found[..] else { return None };
    let has_year = found.iter().any(|word| word.text.len() == 4 && word.is_number());
    let has_month = found.iter().any(|word| is_month_name(word.text));
    let is_whole = found.len() == 3 || (has_month && found.len() == 2);
    (is_whole && (has_year || found.len() == 3)).then_some(first.start..last.end)
}

/// Whether a word is a number that a date can contain, with or without an ordinal ending.
fn is_day_or_year(word: &str) -> bool {
    let digits = word.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']);
    let ending = word.len() - digits.len();
    let is_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_digits && (ending == 0 || ending == 2) && matches!(digits.len(), 1 | 2 | 4)
}

/// Whether a word names a month, in full or cut short.
fn is_month_name(word: &str) -> bool {
    let Some(start) = word.get(..3) else { return false };
    word.len() <= 9
        && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && MONTHS.iter().any(|month| start.eq_ignore_ascii_case(month))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(after(text, 0).map_or("", |span| &text[span]), want, "{text}");
    }

    #[test]
    fn dates_are_read_in_many_forms() {
        check(" is 1990-03-05.", "1990-03-05");
        check(": 03/05/1990", "03/05/1990");
        check(" on March 5th, 1990 in", "March 5th, 1990");
        check(" 5. Mar 90", "5. Mar 90");
        check(" 05 of march 1990", "05 of march 1990");
    }

    #[test]
    fn other_words_are_no_date() {
        check(" is needed for orders over 50 dollars", "");
        check(" in 1990", "");
        check(" coupon is valid until 2024-12-01", "");
    }
}
