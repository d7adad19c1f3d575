//! The words of a judge's prose, by sentence, for the rules that look at them.
//!
//! Nothing is understood here: words, numbers and the few marks that bind numbers or ask, in order.

/// The words and marks of one sentence: lower case, typographic apostrophes straightened, a number with its
/// decimals as one word. The letters `A` and `B` on their own stay capital, because they name slots.
pub(super) type Sentence = Vec<String>;

/// The sentences of `text`. A line ends a sentence too; the number that begins an item of a list is left out.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut reader = Sentences::default();
    for line in text.lines() {
        reader.line(line);
    }
    reader.done
}

/// `text` without the passages in double quotes, which are the customer's or the agent's words. Where hardly
/// anything else is said, or a quotation does not end, all of it is taken for the judge's own words.
pub(super) fn own_words(text: &str) -> String {
    let straight = text.replace(['\u{201c}', '\u{201d}', '\u{201e}'], "\"");
    let own = straight.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let is_closed = straight.matches('"').count().is_multiple_of(2);
    if is_closed && own.split_whitespace().count() > 1 { own } else { straight }
}

/// Words and phrases to look for, in lower case, parted by commas.
pub(super) struct WordTable(pub(super) &'static str);

impl WordTable {
    /// The words and phrases.
    pub(super) fn phrases(&self) -> impl Iterator<Item = &'static str> {
        self.0.split(", ")
    }

    /// Whether `word` is one of them.
    pub(super) fn has(&self, word: &str) -> bool {
        self.phrases().any(|phrase| phrase == word)
    }

    /// Whether one of them stands in `sentence`.
    pub(super) fn is_in(&self, sentence: &[String]) -> bool {
        self.phrases().any(|phrase| has_phrase(sentence, phrase))
    }
}

/// Whether `sentence` has the words of `phrase` in a row.
pub(super) fn has_phrase(sentence: &[String], phrase: &str) -> bool {
    let is_at = |at: usize| {
        phrase.split(' ').zip(at..).all(|(word, at)| sentence.get(at).is_some_and(|found| found == word))
    };
    (0..sentence.len()).any(is_at)
}

#[derive(Default)]
struct Sentences {
    done: Vec<Sentence>,
    sentence: Sentence,
    word: String,
}

impl Sentences {
    fn line(&mut self, line: &str) {
        let mut rest = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        if let Some(item) = after_item_number(rest) {
            rest = item;
        }
        let mut characters = rest.chars().peekable();
        while let Some(c) = characters.next() {
            let next = characters.peek().copied();
            self.character(
                c,
                next.is_some_and(char::is_alphanumeric),
                next.is_some_and(|c| c.is_ascii_digit()),
            );
        }
        self.end_sentence();
    }

    fn character(&mut self, c: char, is_before_word: bool, is_before_digit: bool) {
        let is_number = !self.word.is_empty() && self.word.bytes().all(|b| b.is_ascii_digit());
        match c {
            '\'' | '\u{2019}' if !self.word.is_empty() && is_before_word => self.word.push('\''),
            '.' | ',' if is_number && is_before_digit => self.word.push('.'),
            c if c.is_alphanumeric() => self.word.push(c),
            '.' | '!' | ';' => self.end_sentence(),
            '?' => {
                self.end_word();
                self.sentence.push("?".to_owned());
                self.end_sentence();
            }
            _ => {
                self.end_word();
                if matches!(c, ',' | '/' | '%' | '-' | '\u{2013}' | '<' | '>') {
                    self.sentence.push(if c == '\u{2013}' { '-' } else { c }.to_string());
                }
            }
        }
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        if matches!(word.as_str(), "A" | "B") {
            self.sentence.push(word);
        } else if !word.is_empty() {
            self.sentence.push(word.to_lowercase());
        }
    }

    fn end_sentence(&mut self) {
        self.end_word();
        if !self.sentence.is_empty() {
            self.done.push(std::mem::take(&mut self.sentence));
        }
    }
}

/// What follows the number of a list's item, if `line` is one.
fn after_item_number(line: &str) -> Option<&str> {
    let item = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let words = item.strip_prefix(['.', ')'])?.strip_prefix(' ')?;
    (item.len() < line.len() && !words.trim().is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let shown: Vec<String> = sentences(text).iter().map(|sentence| sentence.join(" ")).collect();
        assert_eq!(shown.join(" | "), want, "{text}");
    }

    #[test]
    fn words_numbers_and_marks() {
        check("I can\u{2019}t say. A is 3.5, B 2/5!", "i can't say | A is 3.5 , B 2 / 5");
        check("final_score: 2\n**Score** 1\u{2013}5", "final score 2 | score 1 - 5");
        check("1. It says sorry.\n2) It names 2 days.\n2.", "it says sorry | it names 2 days | 2");
        check("Is it 4? Yes.", "is it 4 ? | yes");
        check("", "");
    }

    #[test]
    fn quotations_are_not_the_judges_words() {
        assert_eq!(own_words("It says \u{201c}no\u{201d} twice."), "It says   twice.");
        assert_eq!(own_words("\"I cannot.\""), "\"I cannot.\"");
        assert_eq!(own_words("He said \"so. I cannot."), "He said \"so. I cannot.");
    }
}
