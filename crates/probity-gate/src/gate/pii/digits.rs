//! Groups of digits that a reader would take for one number.
//!
//! A cluster is a run of digit groups with only separators between them: spaces, punctuation, line ends
//! with list markers, table cells, tags. What the number is, if anything, is for others to say. Finding all
//! clusters reads each byte a fixed number of times at most.

use std::ops::Range;

/// How long a gap between two groups may be, in bytes.
const GAP_MAX: usize = 24;
/// The longest number that anything here looks for, in digits.
pub(super) const DIGITS_MAX: usize = 19;

/// What stands between a group and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing: the group opens its cluster.
    Opening,
    /// What people put inside one number: a space, a hyphen, a dot, brackets.
    Narrow,
    /// What can also stand between two numbers: a comma, a line end, a table cell.
    Wide,
}

/// A run of ASCII digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) gap: Gap,
}

impl Group {
    /// How many digits it has.
    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }
}

/// Up to [`DIGITS_MAX`] digits, as values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Digits {
    values: [u8; DIGITS_MAX],
    len: usize,
}

impl Digits {
    /// The digits of `groups`, unless they are too many.
    pub(super) fn of(text: &str, groups: &[Group]) -> Option<Self> {
        let mut digits = Digits { values: [0; DIGITS_MAX], len: 0 };
        for group in groups {
            if digits.len + group.len() > DIGITS_MAX {
                return None;
            }
            for byte in &text.as_bytes()[group.start..group.end] {
                digits.values[digits.len] = byte - b'0';
                digits.len += 1;
            }
        }
        Some(digits)
    }

    /// The digits of `values`, unless they are too many.
    pub(super) fn of_values(values: &[u8]) -> Option<Self> {
        let mut digits = Digits { values: [0; DIGITS_MAX], len: values.len() };
        digits.values.get_mut(..values.len())?.copy_from_slice(values);
        Some(digits)
    }

    /// The values in order.
    pub(super) fn values(&self) -> &[u8] {
        &self.values[..self.len]
    }

    /// The first `n` digits as a number, zeros standing in for missing ones.
    pub(super) fn prefix(&self, n: usize) -> u32 {
        self.values[..n].iter().fold(0, |prefix, digit| prefix * 10 + u32::from(*digit))
    }

    /// How many digits there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }
}

/// The span of `groups`, which are not empty.
pub(super) fn span(groups: &[Group]) -> Range<usize> {
    groups[0].start..groups[groups.len() - 1].end
}

/// How many digits `groups` have together.
pub(super) fn n_digits(groups: &[Group]) -> usize {
    groups.iter().map(Group::len).sum()
}

/// The groups of the cluster that opens with the digit at `at`.
pub(super) fn read_cluster(text: &str, at: usize) -> Vec<Group> {
    let bytes = text.as_bytes();
    let mut groups = Vec::new();
    let (mut start, mut gap) = (at, Gap::Opening);
    loop {
        let end = digits_end(bytes, start);
        groups.push(Group { start, end, gap });
        match gap_after(bytes, end) {
            Some((next, kind)) => (start, gap) = (next, kind),
            None => return groups,
        }
    }
}

/// Where the digits that start at `at` end.
fn digits_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The start of the next group and what kind of gap lies before it.
fn gap_after(bytes: &[u8], end: usize) -> Option<(usize, Gap)> {
    let limit = (end + GAP_MAX).min(bytes.len());
    let (mut at, mut kind) = (end, Gap::Narrow);
    let mut has_line_end = false;
    while at < limit {
        match bytes[at] {
            b'0'..=b'9' if has_line_end && list_marker(bytes, at).is_some() => {
                at = list_marker(bytes, at)?;
                has_line_end = false;
                continue;
            }
            b'0'..=b'9' => return Some((at, kind_of(&bytes[end..at], kind))),
            b' ' | b'-' | b'.' | b'_' | b'/' | b'(' | b')' => {}
            // Two asterisks hide digits; one is a bullet.
            b'*' if bytes.get(at + 1) == Some(&b'*') => return None,
            b'\n' => (kind, has_line_end) = (Gap::Wide, true),
            b'\r' | b'\t' | b'|' | b',' | b';' | b'*' | b'>' | b'~' | b'"' | b'\'' | b'`' => kind = Gap::Wide,
            b'<' => {
                at += bytes[at..limit].iter().position(|byte| *byte == b'>')?;
                kind = Gap::Wide;
            }
            _ => return None,
        }
        at += 1;
    }
    None
}

/// A gap without any wide separator is narrow when it is short and does not look like the end of a sentence.
fn kind_of(gap: &[u8], kind: Gap) -> Gap {
    let is_long = gap.len() > 3 || (gap.len() > 1 && gap.contains(&b'.') && !gap.contains(&b')'));
    if is_long { Gap::Wide } else { kind }
}

/// Where the text of a list item starts, when a number such as `2.` or `2)` at `at` only counts it.
fn list_marker(bytes: &[u8], at: usize) -> Option<usize> {
    let end = digits_end(&bytes[..(at + 3).min(bytes.len())], at);
    let [b'.' | b')', b' ', b'0'..=b'9', ..] = bytes.get(end..)? else { return None };
    Some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let groups = read_cluster(text, text.find(|char: char| char.is_ascii_digit()).unwrap());
        let mut got = String::new();
        for group in &groups {
            got.push_str(match group.gap {
                Gap::Opening => "",
                Gap::Narrow => " ",
                Gap::Wide => " | ",
            });
            got.push_str(&text[group.start..group.end]);
        }
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn one_number_has_narrow_gaps() {
        check("Tel. +1 (415) 555-2671.", "1 415 555 2671");
        check("4111_1111/1111.1111 x 3", "4111 1111 1111 1111");
    }

    #[test]
    fn lists_and_tables_have_wide_gaps() {
        check("- 4111\n- 1111\n- 22 ok", "4111 | 1111 | 22");
        check("| 4111 | 1111 |", "4111 | 1111");
        check("<td>4111</td><td>1111</td>", "4111 | 1111");
        check("1. 4111\n2. 1111\n3. 22", "1 | 4111 | 1111 | 22");
    }

    #[test]
    fn other_text_ends_a_cluster() {
        check("12:30", "12");
        check("5 and 6", "5");
        check("7. 8 days", "7 | 8");
    }
}
