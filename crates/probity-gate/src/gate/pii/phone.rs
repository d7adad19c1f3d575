//! Phone numbers in national and international shapes.
//!
//! A shape that only phones have is enough; a plain row of digits also needs a word such as "call" or
//! "mobile". Numbers that no person has (toll-free and service numbers) are none, and neither is
//! what the reply calls an order.

use std::ops::Range;

use super::card::is_glued;
use super::digits::{self, Digits, Gap, Group};
use super::kind::{Hit, Kind};
use super::label::{Label, Labels, Owner};
use super::link;

/// How much the shape of a number says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Only phones are written like this.
    Sure,
    /// A phone may be written like this, and so may many other numbers.
    Plain,
}

/// Adds the phones among `groups`, which are one cluster.
pub(super) fn find(text: &str, groups: &[Group], dates: &[bool], hits: &mut Vec<Hit>) {
    let mut at = 0;
    while at < groups.len() {
        let run = candidate(text, groups, dates, at);
        match run {
            Some((n, shape)) => {
                hits.extend(hit(text, &groups[at..at + n], shape));
                at += n;
            }
            None => at += 1,
        }
    }
}

/// How many groups from `at` on are written the way a phone is.
fn candidate(text: &str, groups: &[Group], dates: &[bool], at: usize) -> Option<(usize, Shape)> {
    let bytes = text.as_bytes();
    let first = &groups[at];
    let is_international = matches!(bytes[..first.start], [.., b'+'] | [.., b'+', b'(']);
    if is_international {
        return run(groups, dates, at, 8..=15).map(|n| (n, Shape::Sure));
    }
    // Within a run, a number can only start where a new one may.
    let opens = first.gap != Gap::Narrow || at == 0 || bytes[groups[at - 1].end] == b' ' || dates[at - 1];
    let is_digit = first.len() == 1 && bytes[first.start] != b'1';
    if !opens || dates[at] || is_digit {
        return None;
    }
    if let Some(n) = north_american(text, groups, at) {
        return Some((n, Shape::Sure));
    }
    if bytes[first.start] == b'0'
        && let Some(n) = run(groups, dates, at, 9..=14)
    {
        let is_grouped =
            n > 1 && first.len() > 1 && groups[at + 1..at + n].iter().all(|group| group.len() > 1);
        return Some((n, if is_grouped { Shape::Sure } else { Shape::Plain }));
    }
    // A plain row of digits is the whole of its run, or part of a longer number.
    let opens_run = first.gap != Gap::Narrow || dates[at - 1];
    let n = run(groups, dates, at, 7..=13).filter(|_| opens_run)?;
    let goes_on = groups.get(at + n).is_some_and(|next| next.gap == Gap::Narrow && !dates[at + n]);
    (!goes_on).then_some((n, Shape::Plain))
}

/// The longest narrow run from `at` on, if it has as many digits as asked for.
fn run(
    groups: &[Group],
    dates: &[bool],
    at: usize,
    n_digits: std::ops::RangeInclusive<usize>,
) -> Option<usize> {
    let (mut n, mut total) = (0, 0);
    for (group, is_date) in groups[at..].iter().zip(&dates[at..]).take(8) {
        let ends = n > 0 && group.gap != Gap::Narrow;
        if ends || *is_date || total + group.len() > *n_digits.end() {
            break;
        }
        total += group.len();
        n += 1;
    }
    // A number that goes on behind the run is another number.
    let goes_on = groups
        .get(at + n)
        .is_some_and(|next| n > 0 && next.gap == Gap::Narrow && !dates[at + n] && total < *n_digits.start());
    (n > 0 && !goes_on && n_digits.contains(&total)).then_some(n)
}

/// Area code, exchange and line, after a country code or not: three, three and four digits, or ten in one.
fn north_american(text: &str, groups: &[Group], at: usize) -> Option<usize> {
    let skip = usize::from(matches!(&text.as_bytes()[groups[at].start..groups[at].end], b"1" | b"001"));
    let window = groups.get(at + skip..at + skip + 3)?;
    let lens = [window[0].len(), window[1].len(), window[2].len()];
    let is_joined = window[1..].iter().all(|group| group.gap == Gap::Narrow)
        && (skip == 0 || window[0].gap == Gap::Narrow);
    if lens != [3, 3, 4] || !is_joined || !is_plan_valid(text, window) {
        return None;
    }
    let bytes = text.as_bytes();
    let goes_on = groups.get(at + skip + 3).is_some_and(|next| {
        next.gap == Gap::Narrow && matches!(bytes[window[2].end], b'-' | b'.' | b'/' | b'_')
    });
    (!goes_on).then_some(skip + 3)
}

/// Whether area code and exchange are such that the North American plan can assign them.
fn is_plan_valid(text: &str, groups: &[Group]) -> bool {
    Digits::of(text, groups).is_some_and(|digits| {
        let digits = digits.values();
        digits.len() == 10 && digits[0] > 1 && digits[3] > 1 && digits[1..3] != [1, 1]
    })
}

/// The sighting of a phone, unless the words around it say otherwise.
fn hit(text: &str, groups: &[Group], shape: Shape) -> Option<Hit> {
    let span = with_frame(text, digits::span(groups));
    let digits = Digits::of(text, groups)?;
    if is_service(digits.values()) || digits.values().iter().all(|digit| *digit == digits.values()[0]) {
        return None;
    }
    let bytes = text.as_bytes();
    let before = span.start.checked_sub(1).map_or(b' ', |i| bytes[i]);
    let is_decimal =
        matches!(before, b'.' | b',') && span.start > 1 && bytes[span.start - 2].is_ascii_digit();
    let is_number = is_decimal || matches!(before, b'$' | b'%') || bytes.get(span.end) == Some(&b'%');
    if is_number || is_day(digits.values()) {
        return None;
    }
    let labels = Labels::around(text, span.start, span.end);
    if is_glued(text, span.start, span.end, labels) || labels.is_reference() {
        return None;
    }
    let is_called_phone = labels.nearest == Some(Label::Phone);
    let ten = groups.len() == 1 && digits.len() == 10 && is_plan_valid(text, groups);
    let is_phone = match shape {
        Shape::Sure => is_called_phone || !link::covers(text, span.start),
        Shape::Plain => {
            is_called_phone || (ten && labels.nearest.is_none() && !link::covers(text, span.start))
        }
    };
    let kind = if labels.owner == Some(Owner::Company) { Kind::UnlistedContact } else { Kind::Phone };
    is_phone.then(|| Hit { kind, core: digits::span(groups), span })
}

/// Whether eight digits are a day without separators.
fn is_day(digits: &[u8]) -> bool {
    let two = |at: usize| digits[at] * 10 + digits[at + 1];
    digits.len() == 8 && matches!(two(0), 19 | 20) && (1..=12).contains(&two(4)) && (1..=31).contains(&two(6))
}

/// The span with its plus sign, its opening bracket and its extension.
fn with_frame(text: &str, span: Range<usize>) -> Range<usize> {
    let before = text[..span.start].trim_end_matches(['+', '(']);
    let start = before.len().max(span.start.saturating_sub(2));
    let rest = text[span.end..].trim_start_matches([' ', ',', '.']);
    let mark = ["extension ", "ext. ", "ext ", "ext.", "x", "#"]
        .iter()
        .find(|mark| rest.get(..mark.len()).is_some_and(|text| text.eq_ignore_ascii_case(mark)));
    let end = mark.map_or(span.end, |mark| {
        let from = text.len() - rest.len() + mark.len();
        let n = text.as_bytes()[from..].iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
        if n > 0 && from < span.end + 16 { from + n } else { span.end }
    });
    start..end
}

/// Whether a number is free of charge or of a service, so that no person has it.
fn is_service(digits: &[u8]) -> bool {
    let national = match digits {
        [1, rest @ ..] | [0, 0, 1, rest @ ..] if rest.len() == 10 => rest,
        [4, 4, rest @ ..] if rest.len() == 10 && matches!(rest[0], 3 | 8) => return true,
        [0, 8, 0, 0 | 8, ..] if matches!(digits.len(), 10 | 11) => return true,
        [0, 3, 0 | 3, _, ..] | [0, 3 | 8, 4, 3..=5, ..] | [0, 3 | 8, 7, 0..=3, ..] if digits.len() == 11 => {
            return true;
        }
        _ => digits,
    };
    national.len() == 10
        && matches!(
            national[..3],
            [8, 0, 0] | [8, 3, 3] | [8, 4, 4] | [8, 5, 5] | [8, 6, 6] | [8, 7, 7] | [8, 8, 8]
        )
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
            find(text, &groups, &super::super::date::mark(text, &groups), &mut hits);
        }
        let got: Vec<&str> = hits.iter().map(|hit| &text[hit.span.clone()]).collect();
        assert_eq!(got.join(" | "), want, "{text}");
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
    fn numbers_of_services_are_none() {
        check("1-800-555-0199, 0800 123 4567", "");
        check("Order 415-555-2671, RMA-415-555-2671", "");
    }
}
