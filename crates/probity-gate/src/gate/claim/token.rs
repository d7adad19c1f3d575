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
const CLITICS: &[(&str, &str)] =
    &[("ll", "will"), ("ve", "have"), ("re", "are"), ("m", "am"), ("d", "would"), ("s", "'s")];

/// What is left of a word before "n't", where that is not the word itself.
const CLIPPED: &[(&str, &str)] = &[("ca", "can"), ("wo", "will"), ("sha", "shall"), ("ai", "is")];

/// How an apostrophe can be written.
const APOSTROPHES: &[&str] =
    &["'", "`", "‘", "’", "′", "＇", "´", "&#39;", "&apos;", "&rsquo;", "&#8217;", "&#x27;", "&#039;"];

/// The longest entity that is recognised, in bytes.
const ENTITY_BYTES_MAX: usize = 10;

/// The tokens of `span`; `lookup` gives the number of a word, whatever its case.
pub(super) fn tokenise(text: &str, span: Range<usize>, lookup: impl FnMut(&[u8]) -> WordId) -> Vec<Token> {
    let mut reader = Reader { text: &text[..span.end], tokens: Vec::new(), lookup };
    let mut at = span.start;
    while let Some(c) = reader.text[at..].chars().next() {
        let end = at + c.len_utf8();
        at = match c {
            _ if c.is_alphanumeric() => reader.run(at),
            _ if c.is_whitespace() => end,
            '&' if entity_len(&reader.text[at..]) > 0 => at + entity_len(&reader.text[at..]),
            _ => {
                let shape = Shape::Mark(plain_mark(c));
                reader.tokens.push(Token { start: at, end, shape, word: WordId(0) });
                end
            }
        };
    }
    reader.tokens
}

struct Reader<'t, F> {
    text: &'t str,
    tokens: Vec<Token>,
    lookup: F,
}

impl<F: FnMut(&[u8]) -> WordId> Reader<'_, F> {
    fn push_word(&mut self, range: Range<usize>, word: &str) {
        let word = (self.lookup)(word.as_bytes());
        self.tokens.push(Token { start: range.start, end: range.end, shape: Shape::Word, word });
    }

    /// Reads a run of letters and digits with the contraction behind it, and says where it ends.
    fn run(&mut self, start: usize) -> usize {
        let rest = &self.text[start..];
        let run = &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())];
        let end = start + run.len();
        let shape = match run.bytes().filter(u8::is_ascii_digit).count() {
            0 => Shape::Word,
            n_digits if n_digits == run.len() => Shape::Digits,
            _ => Shape::Mixed,
        };
        if shape == Shape::Word
            && let Some(behind) = self.contraction(start..end)
        {
            return behind;
        }
        let word = (self.lookup)(run.as_bytes());
        self.tokens.push(Token { start, end, shape, word });
        end
    }

    /// Reads the rest of a contraction behind the letters at `range`, and both its words.
    fn contraction(&mut self, range: Range<usize>) -> Option<usize> {
        let (text, Range { start, end }) = (self.text, range);
        text.as_bytes().get(end).filter(|byte| b"'`&".contains(byte) || !byte.is_ascii())?;
        let apostrophe = APOSTROPHES.iter().find(|mark| text[end..].starts_with(**mark))?;
        let rest = &text[end + apostrophe.len()..];
        let tail = &rest[..rest.bytes().take(3).take_while(u8::is_ascii_alphanumeric).count()];
        let behind = end + apostrophe.len() + tail.len();
        let of = |pairs: &[(&str, &'static str)], word: &str| {
            pairs.iter().find(|(short, _)| word.eq_ignore_ascii_case(short)).map(|(_, whole)| *whole)
        };
        let letters = &text[start..end];
        if let Some(base) = letters.strip_suffix(['n', 'N']).filter(|base| !base.is_empty())
            && tail.eq_ignore_ascii_case("t")
        {
            // "can't" has one n, "don't" as well, and what is left of "didn't" is a word.
            self.push_word(start..end - 1, of(CLIPPED, base).unwrap_or(base));
            self.push_word(end - 1..behind, "not");
        } else {
            let whole = of(CLITICS, tail)?;
            self.push_word(start..end, letters);
            self.push_word(end..behind, whole);
        }
        Some(behind)
    }
}

/// How many bytes the entity at the start of a text has. Zero where there is none.
fn entity_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let rest = &bytes[..bytes.len().min(ENTITY_BYTES_MAX)];
    let body = rest[1..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#').count();
    if body > 1 && rest.get(body + 1) == Some(&b';') { body + 2 } else { 0 }
}

/// Quotes, apostrophes and hyphens of all kinds as the one that stands for them.
fn plain_mark(c: char) -> char {
    match c {
        '`' | '‘' | '’' | '´' | '＇' | '′' => '\'',
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
