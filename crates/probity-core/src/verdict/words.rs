//! The words of a judge's prose, by sentence, for the rules that look at them. Nothing is understood here.

/// The words of one sentence and the marks that part or compare them, in order: lower case, typographic apostrophes
/// straightened. The letters `A` and `B` on their own stay capital, because they name slots.
pub(super) type Sentence = Vec<String>;

/// The sentences of `text`. A line ends a sentence too; a question keeps its mark, and what a line begins with that is
/// no word is left out.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let marked = text.replace('?', " ?.");
    let is_word = |c: char| c.is_alphanumeric() || c == '?';
    let parts =
        marked.split(['.', '!', ';', '\n']).map(|part| words(part.trim_start_matches(|c| !is_word(c))));
    parts.filter(|sentence| !sentence.is_empty()).collect()
}

fn words(part: &str) -> Sentence {
    let mut words = Sentence::new();
    let mut word = String::new();
    for c in part.chars().chain([' ']) {
        match c {
            '\'' | '\u{2019}' if !word.is_empty() => word.push('\''),
            c if c.is_alphanumeric() => word.push(c),
            c => {
                let ended = std::mem::take(&mut word);
                match ended.trim_end_matches('\'') {
                    "" => {}
                    slot @ ("A" | "B") => words.push(slot.to_owned()),
                    other => words.push(other.to_lowercase()),
                }
                if matches!(c, ',' | '/' | '%' | '-' | '\u{2013}' | '<' | '>' | '?') {
                    words.push(c.to_string());
                }
            }
        }
    }
    words
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

    /// Whether `words` begin with one of them.
    pub(super) fn begins(&self, words: &[String]) -> bool {
        self.phrases().any(|phrase| begins(words, phrase))
    }

    /// Whether one of them stands in `sentence`.
    pub(super) fn is_in(&self, sentence: &[String]) -> bool {
        self.phrases().any(|phrase| has_phrase(sentence, phrase))
    }
}

/// Whether `sentence` has the words of `phrase` in a row.
pub(super) fn has_phrase(sentence: &[String], phrase: &str) -> bool {
    (0..sentence.len()).any(|at| begins(&sentence[at..], phrase))
}

fn begins(words: &[String], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|word| words.next().is_some_and(|found| found == word))
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
        check("I can\u{2019}t say. A is 3.5, B 2/5!", "i can't say | A is 3 | 5 , B 2 / 5");
        check("final_score: 2\n**Score** 'is' 1-5", "final score 2 | score is 1 - 5");
        check("---\n- It says sorry.", "it says sorry");
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
