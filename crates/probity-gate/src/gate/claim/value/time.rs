//! Times of day: "8:10 pm", "20:10", "8pm", "16 Uhr", "16h30".

use super::super::Value;
use super::super::lexicon::Cues;
use super::super::term::Figure;
use super::Page;

/// The longest time that is read, in bytes.
const TIME_BYTES_MAX: usize = 16;

/// The time of day that starts at `at`.
pub(super) fn time(page: &Page<'_>, at: usize) -> Option<Figure> {
    let (figure, is_certain) = clock(page, at)?;
    (is_certain || begins_range(page, at, figure.behind)).then_some(figure)
}

/// What the number at `at` is as a time of day, and whether nothing else can be meant.
fn clock(page: &Page<'_>, at: usize) -> Option<(Figure, bool)> {
    if (page.is_digits(at) && page.len(at) > 2) || page.follows_mark(at, ":.,/") {
        return None;
    }
    let start = page.tokens.get(at)?.start;
    let end = page.text.floor_char_boundary(start + TIME_BYTES_MAX);
    let (hour, mut rest) = number(&page.text[start..end])?;
    if rest.starts_with(|c: char| c.is_ascii_punctuation() && !":.-".contains(c)) {
        return None;
    }
    // A mark and two digits. "9 h 04" is a time, and "9 h 04 min" a length of time.
    let is_length = |minute: &&str| minute.get(2..).is_some_and(|rest| rest.trim_start().starts_with('m'));
    let spaced = rest.strip_prefix(" h ").filter(|minute| !is_length(minute));
    let written = rest.strip_prefix([':', '.', 'h']).or(spaced);
    let written =
        written.and_then(|minute| number(minute).filter(|(_, behind)| minute.len() - behind.len() == 2));
    let by_mark = written.is_some() && !rest.starts_with('.');
    let (minute, behind) = written.unwrap_or((0, rest));
    // Seconds say nothing more.
    rest = behind.strip_prefix(':').and_then(number).map_or(behind, |(_, behind)| behind);
    let half = half(rest);
    rest = half.map_or(rest, |(_, behind)| behind);
    let read_to = end - rest.len();
    let behind = page.behind(at, read_to);
    let by_clock = page.is(behind, Cues::CLOCK);
    let is_whole = page.tokens[behind - 1].end <= read_to;
    if !is_whole || hour > 24 || minute > 59 {
        return None;
    }
    let is_of_day = half.is_some() || hour > 12 || page.raw(at).starts_with('0');
    let hour = half.map_or(hour, |(hours, _)| hour % 12 + hours);
    let value = Value::Time { minutes: hour % 24 * 60 + minute, is_of_day };
    let figure = Page::figure(at, behind + usize::from(by_clock), value);
    Some((figure, by_mark || by_clock || half.is_some()))
}

/// The hours that the half of the day adds which a text starts with: "am", "p.m.", and the rest.
fn half(text: &str) -> Option<(u16, &str)> {
    let said = text.trim_start_matches(' ');
    let hours = if said.starts_with(['p', 'P']) { 12 } else { 0 };
    let behind =
        said.strip_prefix(['a', 'A', 'p', 'P'])?.trim_start_matches(['.', ' ']).strip_prefix(['m', 'M'])?;
    (!behind.starts_with(|c: char| c.is_ascii_alphanumeric())).then_some((hours, behind))
}

/// Whether the number at `at` is the first hour of a range: "between 1 and 5 pm", "8 to noon", "between 9 and 11 today".
fn begins_range(page: &Page<'_>, at: usize, behind: usize) -> bool {
    let is_joint = page.has_mark(behind, "-\u{2013}") || page.is(behind, Cues::RANGE | Cues::JOINT);
    let Some((last, is_certain)) = clock(page, behind + 1) else {
        return is_joint && page.is(behind + 1, Cues::NOON);
    };
    let is_between = at > 0 && page.is(at - 1, Cues::BETWEEN);
    let ends = page.mark(last.behind).is_some() || page.is(last.behind, Cues::DETERMINER);
    is_joint && (is_certain || (is_between && ends))
}

/// The number of at most two digits that a text starts with, and the rest.
fn number(text: &str) -> Option<(u16, &str)> {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..n_digits].parse().ok().filter(|_| n_digits <= 2)?;
    Some((number, &text[n_digits..]))
}
