//! Groups of digits that a reader would take for one number.
//!
//! A cluster is a run of digit groups with only separators between them: spaces, punctuation, line ends
//! with list markers, table cells, tags. What the number is, if anything, is for others to say, but for days: their
//! digits are never part of a longer number. Finding all clusters reads each byte a fixed number of times at most.

use std::ops::Range;

use super::words::run_after;

/// How long a gap between two groups may be, in bytes.
const GAP_MAX: usize = 24;
/// The longest number that anything here looks for, in digits.
pub(in crate::gate) const DIGITS_MAX: usize = 19;

/// What stands between a group and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum Gap {
    /// Nothing: the group opens its cluster.
    Opening,
    /// What people put inside one number: a space, a hyphen, a dot, brackets.
    Narrow,
    /// What can also stand between two numbers: a comma, a line end, a table cell.
    Wide,
}

/// A run of ASCII digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) struct Group {
    pub(in crate::gate) start: usize,
    pub(in crate::gate) end: usize,
    pub(in crate::gate) gap: Gap,
    /// Whether it is the day, the month or the year of a date.
    pub(in crate::gate) is_dated: bool,
}

impl Group {
    /// How many digits it has.
    pub(in crate::gate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether it goes on from the group before it as one number does.
    pub(in crate::gate) fn is_narrow(&self) -> bool {
        self.gap == Gap::Narrow
    }
}

/// The values of the digits of `groups`, unless there are more than [`DIGITS_MAX`].
pub(in crate::gate) fn values(text: &str, groups: &[Group]) -> Option<Vec<u8>> {
    let digits = groups.iter().flat_map(|group| text.as_bytes()[group.start..group.end].iter());
    (n_digits(groups) <= DIGITS_MAX).then(|| digits.map(|byte| byte - b'0').collect())
}

/// The span of `groups`, which are not empty.
pub(in crate::gate) fn span(groups: &[Group]) -> Range<usize> {
    groups[0].start..groups[groups.len() - 1].end
}

/// How many digits `groups` have together.
pub(in crate::gate) fn n_digits(groups: &[Group]) -> usize {
    groups.iter().map(Group::len).sum()
}

/// Whether the first groups have these many digits each.
pub(in crate::gate) fn have_lens(groups: &[Group], lens: &[usize]) -> bool {
    groups.len() >= lens.len() && groups.iter().zip(lens).all(|(group, len)| group.len() == *len)
}

/// The groups of all clusters of a text.
pub(super) fn groups(text: &str) -> Vec<Group> {
    let opening = |from: usize| {
        let n = text.as_bytes()[from..].iter().position(u8::is_ascii_digit);
        n.map(|n| (from + n, Gap::Opening))
    };
    let mut groups = Vec::new();
    let mut next = opening(0);
    while let Some((start, gap)) = next {
        let end = start + run_after(text, start, usize::MAX, |byte| byte.is_ascii_digit());
        groups.push(Group { start, end, gap, is_dated: false });
        next = gap_after(text, end).or_else(|| opening(end));
    }
    for at in 2..groups.len() {
        if is_date(text, &groups[at - 2..=at]) {
            groups[at - 2..=at].iter_mut().for_each(|group| group.is_dated = true);
        }
    }
    groups
}

/// The start of the next group and what kind of gap lies before it.
fn gap_after(text: &str, end: usize) -> Option<(usize, Gap)> {
    let bytes = text.as_bytes();
    let limit = (end + GAP_MAX).min(bytes.len());
    let (mut at, mut kind) = (end, Gap::Narrow);
    while at < limit {
        match bytes[at] {
            b'0'..=b'9' => {
                let (gap, has) = (at - end, |byte: u8| bytes[end..at].contains(&byte));
                if has(b'\n')
                    && let Some(item) = list_item(text, at)
                {
                    at = item;
                    continue;
                }
                // A narrow gap is short and does not look like the end of a sentence.
                let is_long = gap > 3 || (gap > 1 && has(b'.') && !has(b')'));
                return Some((at, if is_long { Gap::Wide } else { kind }));
            }
            b' ' | b'-' | b'.' | b'_' | b'/' | b'(' | b')' => {}
            mark if b"\n\r\t|,;*>~\"'`".contains(&mark) => kind = Gap::Wide,
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

/// Where the text of a list item starts, when a number such as `2.` or `2)` at `at` only counts it.
fn list_item(text: &str, at: usize) -> Option<usize> {
    let end = at + run_after(text, at, 3, |byte| byte.is_ascii_digit());
    let [b'.' | b')', b' ', b'0'..=b'9', ..] = text.as_bytes().get(end..)? else { return None };
    Some(end + 2)
}

/// Whether three groups are a day, a month and a year in some order, with the same separator.
fn is_date(text: &str, groups: &[Group]) -> bool {
    let [a, b, c] = groups else { return false };
    let gap = &text[a.end..b.start];
    if !matches!(gap, "-" | "/" | "." | " ") || *gap != text[b.end..c.start] {
        return false;
    }
    let number = |group: &Group| text[group.start..group.end].parse::<u32>().unwrap_or(u32::MAX);
    let is_year = |group: &Group| group.len() == 4 && (1900..=2100).contains(&number(group));
    let day_and_month = |one: &Group, other: &Group| {
        let (least, most) = (number(one).min(number(other)), number(one).max(number(other)));
        (1..=12).contains(&least) && most <= 31
    };
    (is_year(a) && day_and_month(b, c))
        || (day_and_month(a, b) && (is_year(c) || (c.len() == 2 && gap != " ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let groups = groups(text);
        let mut got = String::new();
        for group in &groups {
            got.push_str(match group.gap {
                Gap::Opening if group.start == groups[0].start => "",
                Gap::Opening => " / ",
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
        check("4111_1111/1111.1111 x 3", "4111 1111 1111 1111 / 3");
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
        check("12:30", "12 / 30");
        check("5 and 6", "5 / 6");
        check("7. 8 days", "7 | 8");
    }
}
