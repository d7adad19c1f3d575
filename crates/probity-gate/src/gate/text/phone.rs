//! Phone numbers in national and international shapes.
//!
//! A shape that only phones have is enough; a plain row of digits also needs a word such as "call" or
//! "mobile". What the text calls an order is none.

use std::ops::{Range, RangeInclusive};

use super::{Contact, ContactKind, Group, Labels, List, Text, digits, run_after};

/// How far back a link is looked for, in bytes. A longer link reads as text from there on.
const LINK_MAX: usize = 300;

/// How much the shape of a number says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PhoneShape {
    /// Only phones are written like this.
    Sure,
    /// A phone may be written like this, and so may many other numbers.
    Plain,
}

/// Adds the phones among `groups`, which are one cluster.
pub(super) fn find(text: &Text, groups: &[Group], found: &mut Vec<Contact>) {
    let mut at = 0;
    while at < groups.len() {
        let candidate = candidate(text, groups, at);
        found.extend(candidate.and_then(|(n, shape)| phone(text, &groups[at..at + n], shape)));
        at += candidate.map_or(1, |(n, _)| n);
    }
}

/// How many groups from `at` on are written the way a phone is.
fn candidate(text: &Text, groups: &[Group], at: usize) -> Option<(usize, PhoneShape)> {
    let bytes = text.as_bytes();
    let first = &groups[at];
    if matches!(bytes[..first.start], [.., b'+'] | [.., b'+', b'(']) {
        return run(groups, at, 8..=15).map(|n| (n, PhoneShape::Sure));
    }
    // Within a run, a number can only start where a new one may.
    let opens_run = !first.is_narrow() || at == 0 || groups[at - 1].is_dated;
    let opens = opens_run || (bytes[groups[at - 1].end] == b' ' && groups[at - 1].len() > 1);
    if !opens || first.is_dated {
        return None;
    }
    if let Some(n) = by_grouping(text, groups, at) {
        return Some((n, PhoneShape::Sure));
    }
    if let Some(n) = run(groups, at, 9..=14).filter(|_| bytes[first.start] == b'0') {
        let is_grouped = n > 1 && groups[at..at + n].iter().all(|group| group.len() > 1);
        return Some((n, if is_grouped { PhoneShape::Sure } else { PhoneShape::Plain }));
    }
    // A plain row of digits is the whole of its run, or part of a longer number.
    let n = run(groups, at, 7..=13).filter(|_| opens_run)?;
    let goes_on = groups.get(at + n).is_some_and(|next| next.is_narrow() && !next.is_dated);
    (!goes_on).then_some((n, PhoneShape::Plain))
}

/// The longest narrow run from `at` on, if it has as many digits as asked for.
fn run(groups: &[Group], at: usize, n_digits: RangeInclusive<usize>) -> Option<usize> {
    let (mut n, mut total) = (0, 0);
    for group in groups[at..].iter().take(8) {
        let ends = n > 0 && !group.is_narrow();
        if ends || group.is_dated || total + group.len() > *n_digits.end() {
            break;
        }
        total += group.len();
        n += 1;
    }
    (n > 0 && n_digits.contains(&total)).then_some(n)
}

/// How many groups from `at` on have a grouping that only phones have.
fn by_grouping(text: &Text, groups: &[Group], at: usize) -> Option<usize> {
    let rest = &groups[at..];
    let is_bracketed = text[..rest[0].start].ends_with('(') && text[rest[0].end..].starts_with(')');
    let is_phone = |groups: &[Group]| {
        let digits = || digits::values(text, groups).unwrap_or_default();
        let mut lens = [0; 4];
        lens.iter_mut().zip(groups).for_each(|(len, group)| *len = group.len());
        match lens {
            // North America without its code and with it.
            [3, 3, 4, 0] => is_north_american(&digits()),
            [1, 3, 3, 4] => digits().strip_prefix(&[1]).is_some_and(is_north_american),
            [3, 3, 3, 4] => digits().strip_prefix(&[0, 0, 1]).is_some_and(is_north_american),
            // Mobile numbers of Brazil, and of India.
            [2, 5, 4, 0] => digits()[2] == 9,
            [5, 5, 0, 0] => digits()[0] > 5,
            [2, 4, 4, 0] => is_bracketed,
            _ => false,
        }
    };
    let n_narrow = rest[1..].iter().take(3).take_while(|group| group.is_narrow()).count();
    (2..=n_narrow + 1).find(|n| is_phone(&rest[..*n]))
}

/// Whether area code and exchange are such that the North American plan can assign them.
fn is_north_american(digits: &[u8]) -> bool {
    digits.len() == 10 && digits[0] > 1 && digits[3] > 1 && digits[1..3] != [1, 1]
}

/// The phone that `groups` are, unless the words around them say otherwise.
fn phone(text: &Text, groups: &[Group], shape: PhoneShape) -> Option<Contact> {
    let span = with_frame(text, digits::span(groups));
    let digits = digits::values(text, groups)?;
    if is_day(&digits) || digits.iter().all(|digit| *digit == digits[0]) {
        return None;
    }
    let bytes = text.as_bytes();
    let is_amount = matches!(bytes[..span.start], [.., b'$' | b'%'] | [.., b'0'..=b'9', b'.' | b','])
        || bytes.get(span.end) == Some(&b'%');
    let labels = Labels::around(text, &span);
    if is_amount || labels.is_glued(text, &span) || labels.is_reference() {
        return None;
    }
    let is_ten = || groups.len() == 1 && labels.nearest.is_none() && is_north_american(&digits);
    let is_phone = labels.nearest == Some(List::PhoneLabels)
        || ((shape == PhoneShape::Sure || is_ten()) && !is_in_link(text, span.start));
    let core = digits::span(groups);
    is_phone.then_some(Contact { kind: ContactKind::Phone, core, span, is_own: labels.is_own })
}

/// Whether `at` lies inside a link. Rows of digits in a link are mostly ids of pages.
fn is_in_link(text: &Text, at: usize) -> bool {
    let bytes = text.as_bytes();
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'"' | b'(' | b')' | b'\'');
    let word = bytes[at.saturating_sub(LINK_MAX)..at].rsplit(ends).next().unwrap_or_default();
    word.windows(3).any(|part| part == b"://") || word.starts_with(b"www.")
}

/// Whether eight digits are a day without separators.
fn is_day(digits: &[u8]) -> bool {
    let two = |at: usize| digits[at] * 10 + digits[at + 1];
    digits.len() == 8 && matches!(two(0), 19 | 20) && (1..=12).contains(&two(4)) && (1..=31).contains(&two(6))
}

/// The span with its plus sign, its opening bracket and its extension.
fn with_frame(text: &Text, span: Range<usize>) -> Range<usize> {
    let before = text[..span.start].trim_end_matches(['+', '(']);
    let start = before.len().max(span.start.saturating_sub(2));
    let rest = text[span.end..].trim_start_matches([' ', ',', '.']);
    let is_here = |mark: &&&str| rest.get(..mark.len()).is_some_and(|text| text.eq_ignore_ascii_case(mark));
    let mark = ["extension ", "ext. ", "ext ", "ext.", "x", "#"].iter().find(is_here);
    let end = mark.map_or(span.end, |mark| {
        let from = text.len() - rest.len() + mark.len();
        let n = run_after(text, from, 6, |byte| byte.is_ascii_digit());
        if n > 0 && from < span.end + 16 { from + n } else { span.end }
    });
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let text = Text::new(text);
        let phones = text.contacts.iter().filter(|contact| contact.kind == ContactKind::Phone);
        let got: Vec<&str> = phones.map(|phone| &text[phone.span.clone()]).collect();
        assert_eq!(got.join(" | "), want, "{}", &*text);
    }

    #[test]
    fn shapes_of_phones_need_no_label() {
        check("Ask Jane: (415) 555-2671.", "(415) 555-2671");
        check("415.555.2671 or 1-415-555-2672", "415.555.2671 | 1-415-555-2672");
        check("+44 20 7946 0958", "+44 20 7946 0958");
        check("+41 (0)96 471 07 95", "+41 (0)96 471 07 95");
        check("07700 900 123", "07700 900 123");
        check("415-555-2671 ext. 204", "415-555-2671 ext. 204");
    }

    #[test]
    fn plain_digits_need_one() {
        check("call me on 699 956 915", "699 956 915");
        check("registered on 20241130", "");
        check("we sold 699 956 915 of them", "");
        check("2024-11-30 and 12/05/2024 10 am", "");
    }

    #[test]
    fn what_the_text_calls_an_order_is_none() {
        check("Order 415-555-2671, RMA-415-555-2671", "");
    }

    #[track_caller]
    fn check_link(text: &str, want: bool) {
        assert_eq!(is_in_link(&Text::new(text), text.find('7').unwrap()), want, "{text}");
    }

    #[test]
    fn a_link_reaches_to_the_next_space() {
        check_link("see https://shop.example/a/7", true);
        check_link("see (www.shop.example/7)", true);
        check_link("see https://shop.example/a 7", false);
        check_link("7", false);
    }
}
