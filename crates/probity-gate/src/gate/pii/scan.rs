//! The two passes over a text: one over its bytes for digits and `@`, one over its words.
//!
//! Almost all text is left behind by the passes themselves. What they stop at is handed to the module that
//! knows it, and every one of those looks at a bounded stretch around it, so that the work grows with the
//! text and not faster. Whether a value is allowed or was written by the customer is decided later.

use std::ops::Range;

use super::alike;
use super::digits::{self, Group};
use super::kind::{Hit, Kind};
use super::masked;
use super::spelled::Spelled;
use super::trigger::{self, Found, Trigger};
use super::words::is_word_byte;
use super::{address, card, date, email, iban, ip, labelled, linked, national, phone, secret};

/// Everything that was recognised in a text.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The values, in no order.
    pub(super) hits: Vec<Hit>,
    /// How often a module was asked to look at something: the measure of work.
    pub(super) n_looks: usize,
    /// Where the end of a card number is shown.
    last_fours: Vec<Range<usize>>,
    /// How far the text has been read by modules that read long stretches.
    read_to: ReadTo,
}

/// Where the last stretch ends that each of these read, so that none reads it twice.
#[derive(Debug, Default)]
struct ReadTo {
    address: usize,
    alike: usize,
    v6: usize,
    secret: usize,
    unit: usize,
}

/// Recognises everything in a text, which is folded.
pub(super) fn scan(text: &str) -> Scan {
    let mut scan = Scan::default();
    scan.numbers(text);
    scan.words(text);
    let linked = linked::find(text, &scan.last_fours, &scan.hits);
    scan.hits.extend(linked);
    scan
}

impl Scan {
    /// The pass over bytes.
    fn numbers(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(n) = bytes[at..].iter().position(|byte| byte.is_ascii_digit() || *byte == b'@') {
            at += n;
            if bytes[at] == b'@' {
                self.n_looks += 1;
                self.hits.extend(email::find(text, at));
                at += 1;
            } else {
                let groups = digits::read_cluster(text, at);
                at = digits::span(&groups).end;
                self.cluster(text, &groups);
            }
        }
    }

    /// Looks at one cluster of digits.
    fn cluster(&mut self, text: &str, groups: &[Group]) {
        let n_digits = digits::n_digits(groups);
        let (first, last) = (groups[0], groups[groups.len() - 1]);
        self.n_looks += groups.len();
        if n_digits >= 6 {
            let dates = date::mark(text, groups);
            self.n_looks += 3 * groups.len();
            card::find(text, groups, &dates, &mut self.hits);
            phone::find(text, groups, &dates, &mut self.hits);
            national::find(text, groups, &dates, &mut self.hits);
        } else {
            // Two digits can open a national number whose others follow a letter or a space.
            national::find(text, &groups[..1], &[false], &mut self.hits);
        }
        for (at, group) in groups.iter().enumerate() {
            self.hits.extend(ip::find_v4(text, groups, at).map(|span| Hit::new(Kind::Ip, span)));
            self.hits.extend(iban::find(text, group).map(|span| Hit::new(Kind::Iban, span)));
        }
        self.neighbours(text, &first, &last);
        if first.start >= self.read_to.address {
            let found = address::find_behind(text, &first).or_else(|| address::find_before(text, &last));
            self.read_to.address = found.as_ref().map_or(self.read_to.address, |hit| hit.span.end);
            self.hits.extend(found);
        }
    }

    /// Looks at what touches a cluster: masks, letters that look like digits, colons.
    fn neighbours(&mut self, text: &str, first: &Group, last: &Group) {
        let bytes = text.as_bytes();
        let around = [
            first.start.checked_sub(1).map(|i| bytes[i]),
            bytes.get(last.end).copied(),
            first.start.checked_sub(2).map(|i| bytes[i]),
            bytes.get(last.end + 1).copied(),
        ];
        let has = |test: fn(u8) -> bool| around.into_iter().flatten().any(test);
        if has(masked::is_mask) {
            self.n_looks += 1;
            self.hits.extend(masked::find(text, first, last));
            self.last_fours.extend(masked::last_four(text, last));
        }
        if has(alike::is_stand_in) && first.start >= self.read_to.alike {
            self.n_looks += 1;
            let run = alike::run(text, first);
            self.read_to.alike = run.end;
            self.hits.extend(alike::find(text, run).map(|span| Hit::new(Kind::LookAlikeDigits, span)));
        }
        let is_hex = |byte: Option<u8>| byte.is_some_and(|byte| byte == b':' || byte.is_ascii_hexdigit());
        if (is_hex(around[0]) || is_hex(around[1])) && first.start >= self.read_to.v6 {
            self.n_looks += 1;
            let found = ip::find_v6(text, last);
            self.read_to.v6 = found.as_ref().map_or(last.end, |span| span.end);
            self.hits.extend(found.map(|span| Hit::new(Kind::Ip, span)));
        }
    }

    /// The pass over words.
    fn words(&mut self, text: &str) {
        let mut spelled = Spelled::default();
        for found in trigger::find(text) {
            self.n_looks += 1;
            let range = found.start..found.end;
            match found.trigger {
                Trigger::Number(spelling) if is_whole(text, &range) => {
                    self.hits.extend(spelled.read(text, spelling, range));
                }
                Trigger::Number(_) => {}
                _ => self.word(text, &found, &range),
            }
        }
        self.hits.extend(spelled.end());
    }

    /// Looks at what one word opens.
    fn word(&mut self, text: &str, found: &Found, range: &Range<usize>) {
        match found.trigger {
            Trigger::Label(announced) => self.hits.extend(labelled::find(text, announced, range)),
            Trigger::Secret(token) if range.start >= self.read_to.secret => {
                self.read_to.secret = secret::token_end(text.as_bytes(), range.end);
                self.hits.extend(secret::find(text, token, range).map(|span| Hit::new(Kind::Secret, span)));
            }
            Trigger::At => self.hits.extend(at_word(text, range)),
            Trigger::Dot => self.hits.extend(email::find_at_dot(text, range.start)),
            Trigger::PostBox | Trigger::Unit if range.start >= self.read_to.unit => {
                let is_box = found.trigger == Trigger::PostBox;
                let hit =
                    if is_box { address::find_box(text, range) } else { address::find_at_unit(text, range) };
                self.read_to.unit = hit.as_ref().map_or(range.end, |hit| hit.span.end);
                self.hits.extend(hit);
            }
            Trigger::LastFour => self.last_fours.extend(linked::last_four(text, range)),
            Trigger::Secret(_) | Trigger::Number(_) | Trigger::PostBox | Trigger::Unit => {}
        }
    }
}

/// The address around a word for `@`. Where the host was part of the trigger, only its first word is.
fn at_word(text: &str, range: &Range<usize>) -> Option<Hit> {
    let is_word = text.as_bytes()[range.start].is_ascii_alphabetic();
    let at = if is_word { range.start..range.start + 2 } else { range.clone() };
    (!is_word || is_whole(text, &at)).then(|| email::find_spelled(text, at))?
}

/// Whether no letter or digit touches a range.
fn is_whole(text: &str, range: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    (range.start == 0 || !is_word_byte(bytes[range.start - 1]))
        && bytes.get(range.end).is_none_or(|byte| !is_word_byte(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How much work a text takes for each of its bytes, in looks per hundred bytes.
    fn looks_per_hundred(part: &str, n: usize) -> usize {
        let text = part.repeat(n / part.len());
        scan(&text).n_looks * 100 / text.len()
    }

    #[test]
    fn p74_work_grows_with_the_text_and_not_faster() {
        let parts = [
            "4111 1111-1111.1111 ", "4 ", "4", "1-2-3-4.", "4\n", "a@a.a", "eyJ.", "12 Oak ", "xx 4 ",
            "one ", "0 ", "4l",
        ];
        for part in parts {
            let (short, long) = (looks_per_hundred(part, 4_000), looks_per_hundred(part, 64_000));
            assert!(long <= short + 1, "{part:?}: {short} looks per hundred bytes became {long}");
            assert!(long <= 400, "{part:?}: {long} looks per hundred bytes");
        }
    }
}
