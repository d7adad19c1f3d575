//! A text as words, digits and marks, each with its place.
//!
//! Contractions come apart and are written out, whatever their apostrophe: "we'll" is "we" and "will",
//! "can’t" is "can" and "not". Nothing here knows what a word means; claims look it up and carry it as a number.
//!
//! What always holds: tokens are in order, do not overlap, and begin and end on character borders.

use std::ops::Range;

/// A word of a word list, by its number. Zero is a word that no list has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(in crate::gate) struct WordId(pub(in crate::gate) u16);

/// One word, number or mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) struct Token {
    /// Where it starts in the clean text, in bytes.
    pub(in crate::gate) start: usize,
    /// Where it ends.
    pub(in crate::gate) end: usize,
    /// What it is.
    pub(in crate::gate) shape: Shape,
    /// Whether a contact starts here.
    pub(in crate::gate) opens_contact: bool,
    /// What a part of a contraction stands for. A reference to it is half as large.
    spoken: Option<&'static &'static str>,
}

/// What a token is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum Shape {
    /// Letters only.
    Word,
    /// Digits only.
    Digits,
    /// Letters and digits.
    Mixed,
    /// One character that is neither; kinds of quotes and apostrophes are one each.
    Mark(char),
}

/// What the part of a contraction behind its apostrophe stands for.
const CLITICS: &[(&str, &str)] =
    &[("ll", "will"), ("ve", "have"), ("re", "are"), ("m", "am"), ("d", "would"), ("s", "'s")];

/// What is left of a word before "n't" stands for, where that is not the word itself.
const NEGATED: &[(&str, &str)] = &[("ca", "can"), ("wo", "will"), ("sha", "shall"), ("ai", "is")];

/// How an apostrophe can be written in clean text.
const APOSTROPHES: &[&str] = &["'", "`", "&#39;", "&apos;", "&rsquo;", "&#8217;", "&#x27;", "&#039;"];

impl Token {
    /// The word that it stands for, which but for contractions is in `text`, the text that it was read from.
    pub(in crate::gate) fn spoken<'t>(&self, text: &'t str) -> &'t str {
        self.spoken.copied().unwrap_or(&text[self.start..self.end])
    }
}

/// The tokens of a clean text; `mark` gives the character that was written for a mark at a place.
pub(in crate::gate) fn tokenise(text: &str, mark: impl Fn(usize, char) -> char) -> Vec<Token> {
    // Most tokens have four bytes, with the space behind them.
    let mut reader = Tokeniser { text, tokens: Vec::with_capacity(text.len() / 4) };
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        at = match byte {
            byte if is_word_byte(*byte) => reader.run(at),
            byte if byte.is_ascii_whitespace() => at + 1,
            byte => {
                reader.push(at..at + 1, Shape::Mark(mark(at, char::from(*byte))), None);
                at + 1
            }
        };
    }
    reader.tokens
}

/// Whether a byte belongs to a word. Bytes of characters outside ASCII all do, because clean text has only letters there.
pub(in crate::gate) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// Whether a byte begins a character of a script that is written without spaces, such as kana and the ideographs.
pub(in crate::gate) fn is_spaceless(byte: u8) -> bool {
    (0xE3..=0xE9).contains(&byte)
}

struct Tokeniser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

impl Tokeniser<'_> {
    fn push(&mut self, range: Range<usize>, shape: Shape, spoken: Option<&'static &'static str>) {
        self.tokens.push(Token { start: range.start, end: range.end, shape, opens_contact: false, spoken });
    }

    /// Reads a run of letters and digits with the contraction behind it, and says where it ends.
    fn run(&mut self, start: usize) -> usize {
        let rest = &self.text.as_bytes()[start..];
        let is_spaceless = is_spaceless(rest[0]);
        let belongs = |byte: &&u8| {
            let goes_on = (0x80..0xC0).contains(*byte);
            is_word_byte(**byte) && (goes_on || is_spaceless == self::is_spaceless(**byte))
        };
        let len = rest.iter().take_while(belongs).count();
        let end = start + len;
        let shape = match rest[..len].iter().filter(|byte| byte.is_ascii_digit()).count() {
            0 => Shape::Word,
            n_digits if n_digits == len => Shape::Digits,
            _ => Shape::Mixed,
        };
        if shape == Shape::Word
            && let Some(behind) = self.contraction(start..end)
        {
            return behind;
        }
        self.push(start..end, shape, None);
        end
    }

    /// Reads the rest of a contraction behind the letters at `range`, and both its words.
    fn contraction(&mut self, range: Range<usize>) -> Option<usize> {
        let (text, Range { start, end }) = (self.text, range);
        text.as_bytes().get(end).filter(|byte| b"'`&".contains(byte))?;
        let apostrophe = APOSTROPHES.iter().find(|mark| text[end..].starts_with(**mark))?;
        let rest = &text[end + apostrophe.len()..];
        let tail = &rest[..rest.bytes().take(3).take_while(u8::is_ascii_alphanumeric).count()];
        let behind = end + apostrophe.len() + tail.len();
        let spoken = |part: &str, table: &'static [(&str, &str)]| {
            table.iter().find(|(its, _)| part.eq_ignore_ascii_case(its)).map(|(_, spoken)| spoken)
        };
        let letters = &text[start..end];
        if let Some(base) = letters.strip_suffix(['n', 'N']).filter(|base| !base.is_empty())
            && tail.eq_ignore_ascii_case("t")
        {
            // "can't" has one n, "don't" as well, and what is left of "didn't" is a word.
            self.push(start..end - 1, Shape::Word, spoken(base, NEGATED));
            self.push(end - 1..behind, Shape::Word, Some(&"not"));
        } else {
            let clitic = spoken(tail, CLITICS)?;
            self.push(start..end, Shape::Word, None);
            self.push(end..behind, Shape::Word, Some(clitic));
        }
        Some(behind)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// The tokens, with the words that they stand for where they are not as written.
    #[track_caller]
    fn check(text: &str, want: &Expect) {
        let shown: Vec<String> = tokenise(text, |_, mark| mark)
            .iter()
            .map(|token| match (&text[token.start..token.end], token.spoken(text)) {
                (written, spoken) if written == spoken => written.to_owned(),
                (written, spoken) => format!("{written}={spoken}"),
            })
            .collect();
        want.assert_eq(&shown.join("|"));
    }

    #[test]
    fn contractions_come_apart_whatever_their_apostrophe() {
        check("We'll", &expect!["We|'ll=will"]);
        check("can't won't CAN`T", &expect!["ca=can|n't=not|wo=will|n't=not|CA=can|N`T=not"]);
        check("can&#39;t I&rsquo;ve", &expect!["ca=can|n&#39;t=not|I|&rsquo;ve=have"]);
        check("you'd it's o'clock customers' o'", &expect!["you|'d=would|it|'s|o|'|clock|customers|'|o|'"]);
    }

    #[test]
    fn letters_digits_and_marks() {
        check("RPL-14, 48h $5 &nbsp; &amp x", &expect!["RPL|-|14|,|48h|$|5|&|nbsp|;|&|amp|x"]);
        check("番号は58年7月21日", &expect!["番号は|58|年|7|月|21|日"]);
        check("naïve Zürich, ok", &expect!["naïve|Zürich|,|ok"]);
    }
}
