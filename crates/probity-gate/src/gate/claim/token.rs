//! A text as words, digits and marks, each with its place.
//!
//! Contractions come apart and are written out, whatever their apostrophe: "we'll" is "we" and "will",
//! "can’t" is "can" and "not". Case is folded for ASCII only. Nothing here knows what a word means; it is
//! looked up once and carried as a number.
//!
//! What always holds: tokens are in order, do not overlap, and begin and end on character borders.

use std::ops::Range;

/// A word of a word list, by its number. Zero is a word that no list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct WordId(pub(super) u16);

/// One word, number or mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// Where it starts in the text, in bytes.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// What it is.
    pub(super) shape: Shape,
    /// The word in the lists, where it is one.
    pub(super) word: WordId,
}

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Letters only.
    Word,
    /// Digits only.
    Digits,
    /// Letters and digits.
    Mixed,
    /// One character that is neither; kinds of quotes and apostrophes are one each.
    Mark(char),
}

/// What follows an apostrophe, with the word that it stands for.
const CLITICS: &[(&[u8], &[u8])] =
    &[(b"ll", b"will"), (b"ve", b"have"), (b"re", b"are"), (b"m", b"am"), (b"d", b"would"), (b"s", b"'s")];

/// What is left of a word before "n't", where that is not the word itself.
const CLIPPED: &[(&[u8], &[u8])] = &[(b"ca", b"can"), (b"wo", b"will"), (b"sha", b"shall"), (b"ai", b"is")];

/// How an apostrophe can be written as an entity.
const APOSTROPHE_ENTITIES: &[&[u8]] = &[b"&#39;", b"&apos;", b"&rsquo;", b"&#8217;", b"&#x27;", b"&#039;"];

/// The longest entity that is recognised, in bytes.
const ENTITY_BYTES_MAX: usize = 10;

/// The tokens of `span`; `lookup` gives the number of a word, whatever its case.
pub(super) fn tokenise(
    text: &str,
    span: Range<usize>,
    mut lookup: impl FnMut(&[u8]) -> WordId,
) -> Vec<Token> {
    let (mut at, mut tokens) = (span.start, Vec::new());
    let bytes = &text.as_bytes()[..span.end];
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_alphanumeric() || byte >= 0x80 {
            at = run_or_mark(text, bytes, at, &mut lookup, &mut tokens);
        } else if byte.is_ascii_whitespace() {
            at += 1;
        } else if byte == b'&' && entity_len(bytes, at) > 0 {
            at += entity_len(bytes, at);
        } else {
            let shape = Shape::Mark(if byte == b'`' { '\'' } else { char::from(byte) });
            tokens.push(Token { start: at, end: at + 1, shape, word: WordId(0) });
            at += 1;
        }
    }
    tokens
}

/// Reads a run of letters and digits with the contraction behind it, or one character that is neither.
fn run_or_mark(
    text: &str,
    bytes: &[u8],
    start: usize,
    lookup: &mut impl FnMut(&[u8]) -> WordId,
    tokens: &mut Vec<Token>,
) -> usize {
    let (end, shape) = run(text, bytes, start);
    if end == start {
        let Some(c) = text[start..].chars().next() else { return bytes.len() };
        let end = start + c.len_utf8();
        if !c.is_whitespace() {
            tokens.push(Token { start, end, shape: Shape::Mark(plain_mark(c)), word: WordId(0) });
        }
        return end;
    }
    if shape == Shape::Word
        && let Some(behind) = contraction(bytes, start, end, lookup, tokens)
    {
        return behind;
    }
    tokens.push(Token { start, end, shape, word: lookup(&bytes[start..end]) });
    end
}

/// The run of letters and digits at `start`: its end and what it is made of.
fn run(text: &str, bytes: &[u8], start: usize) -> (usize, Shape) {
    let (mut at, mut letters, mut digits) = (start, false, false);
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_alphabetic() {
            letters = true;
            at += 1;
        } else if byte.is_ascii_digit() {
            digits = true;
            at += 1;
        } else if byte >= 0x80 {
            match text[at..].chars().next() {
                Some(c) if c.is_alphanumeric() => {
                    letters = true;
                    at += c.len_utf8();
                }
                _ => break,
            }
        } else {
            break;
        }
    }
    let shape = match (letters, digits) {
        (true, true) => Shape::Mixed,
        (false, true) => Shape::Digits,
        _ => Shape::Word,
    };
    (at, shape)
}

/// Reads the rest of a contraction behind the letters at `start..end`, and both its words.
fn contraction(
    bytes: &[u8],
    start: usize,
    end: usize,
    lookup: &mut impl FnMut(&[u8]) -> WordId,
    tokens: &mut Vec<Token>,
) -> Option<usize> {
    let apostrophe = apostrophe_len(bytes, end);
    if apostrophe == 0 {
        return None;
    }
    let tail_start = end + apostrophe;
    let n_letters =
        bytes[tail_start..].iter().take(3).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let behind = tail_start + n_letters;
    if n_letters > 2 || bytes.get(behind).is_some_and(|byte| *byte >= 0x80 && n_letters == 0) {
        return None;
    }
    let tail = &bytes[tail_start..behind];
    let last = bytes[end - 1];
    if tail.eq_ignore_ascii_case(b"t") && last.eq_ignore_ascii_case(&b'n') && end - start > 1 {
        let base = &bytes[start..end - 1];
        let clipped = CLIPPED.iter().find(|(clipped, _)| base.eq_ignore_ascii_case(clipped));
        // "can't" has one n, "don't" as well, and what is left of "didn't" is a word.
        let word = lookup(clipped.map_or(base, |(_, whole)| whole));
        tokens.push(Token { start, end: end - 1, shape: Shape::Word, word });
        tokens.push(Token { start: end - 1, end: behind, shape: Shape::Word, word: lookup(b"not") });
        return Some(behind);
    }
    let (_, whole) = CLITICS.iter().find(|(clitic, _)| tail.eq_ignore_ascii_case(clitic))?;
    tokens.push(Token { start, end, shape: Shape::Word, word: lookup(&bytes[start..end]) });
    tokens.push(Token { start: end, end: behind, shape: Shape::Word, word: lookup(whole) });
    Some(behind)
}

/// How many bytes the apostrophe at `at` has. Zero where there is none.
fn apostrophe_len(bytes: &[u8], at: usize) -> usize {
    let Some(rest) = bytes.get(at..) else { return 0 };
    match rest {
        [b'\'' | b'`', ..] => 1,
        [0xE2, 0x80, 0x98 | 0x99 | 0xB2, ..] | [0xEF, 0xBC, 0x87, ..] => 3,
        [0xCA, 0xBC, ..] | [0xC2, 0xB4, ..] => 2,
        [b'&', ..] => {
            let entity = APOSTROPHE_ENTITIES.iter().find(|entity| rest.starts_with(entity));
            entity.map_or(0, |entity| entity.len())
        }
        _ => 0,
    }
}

/// How many bytes the entity at `at` has. Zero where there is none.
fn entity_len(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..bytes.len().min(at + ENTITY_BYTES_MAX)];
    let body = rest[1..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
    if body > 1 && rest.get(body + 1) == Some(&b';') { body + 2 } else { 0 }
}

/// Quotes, apostrophes and hyphens of all kinds as the one that stands for them.
fn plain_mark(c: char) -> char {
    match c {
        '‘' | '’' | 'ʼ' | '´' | '＇' | '′' => '\'',
        '“' | '”' | '„' | '«' | '»' => '"',
        '‐' | '‑' | '−' => '-',
        '，' => ',',
        '：' => ':',
        '；' => ';',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// The tokens, with the words that were looked up where they are not as written.
    #[track_caller]
    fn check(text: &str, want: &Expect) {
        let mut words = vec![String::new()];
        let lookup = |word: &[u8]| {
            words.push(String::from_utf8(word.to_ascii_lowercase()).expect("whole characters"));
            WordId(u16::try_from(words.len() - 1).expect("few words"))
        };
        let tokens = tokenise(text, 0..text.len(), lookup);
        let shown: Vec<String> = tokens
            .iter()
            .map(|token| {
                let written = &text[token.start..token.end];
                match words[usize::from(token.word.0)].as_str() {
                    "" => written.to_owned(),
                    word if word == written => written.to_owned(),
                    word => format!("{written}={word}"),
                }
            })
            .collect();
        want.assert_eq(&shown.join("|"));
    }

    #[test]
    fn contractions_come_apart_whatever_their_apostrophe() {
        check("We'll", &expect!["We=we|'ll=will"]);
        check("can’t won't CAN`T", &expect!["ca=can|n’t=not|wo=will|n't=not|CA=can|N`T=not"]);
        check("can&#39;t I&rsquo;ve", &expect!["ca=can|n&#39;t=not|I=i|&rsquo;ve=have"]);
        check("you'd it's o'clock customers' o'", &expect!["you|'d=would|it|'s|o|'|clock|customers|'|o|'"]);
    }

    #[test]
    fn letters_digits_and_marks() {
        check("RPL-14, 48h €5 &nbsp; &amp x", &expect!["RPL=rpl|-|14|,|48h|€|5|&|amp|x"]);
        check("naïve “Zürich” 👍ok", &expect!["naïve|“|Zürich=zürich|”|👍|ok"]);
    }
}
