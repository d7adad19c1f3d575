//! What a careful reader holds against a reply: a figure that contradicts the ticket, a question that stays open,
//! disrespect, and promises.
//!
//! The signs are general: numbers with the word that follows them, questions with their content words, and lexicons.
//! Nothing here knows how a fault was planted.

use std::collections::BTreeSet;

/// The fewest letters of a content word, and how many of them tell words apart: `print` is `printer`.
const LETTERS: std::ops::RangeInclusive<usize> = 4..=5;

/// Words of four letters or more that say nothing about a ticket's subject.
const FUNCTION_WORDS: &[&str] = &[
    "about", "after", "again", "also", "although", "another", "because", "before", "between", "could",
    "does", "each", "every", "from", "have", "instead", "into", "need", "only", "other", "please", "should",
    "since", "some", "still", "such", "than", "that", "their", "them", "then", "there", "these", "they",
    "this", "those", "want", "what", "when", "where", "which", "while", "will", "with", "without", "would",
    "your",
];

/// Stems and turns of phrase that no support desk writes to a customer.
const DISRESPECT: &[&str] = &[
    "stupid", "idiot", "moron", "dumb", "half a brain", "no brain", "ridiculous", "nonsense", "pathetic",
    "wasting our time", "waste our time", "waste of time", "your own fault", "not our problem",
    "stop bothering", "leave us alone", "shut up", "out yourself", "do not write to us", "don't write to us",
    "don't contact us", "do not contact us", "nothing more to say", "deal with it", "grow up",
];

/// Commitments in the company's name.
const PROMISES: &[&str] = &[
    "guarantee", "we promise", "you have our word", "you have my word", "never happen again", "we swear",
    "vow to",
];

/// How many things speak against `reply` as an answer to `ticket`.
pub(super) fn n_flaws(ticket: &str, reply: &str) -> usize {
    let lower = reply.to_lowercase();
    let has = |phrases: &[&str]| usize::from(phrases.iter().any(|phrase| lower.contains(phrase)));
    n_wrong_figures(ticket, reply) + n_open_questions(ticket, reply) + has(DISRESPECT) + has(PROMISES)
}

/// Figures of the reply for a thing of which the ticket has other figures.
fn n_wrong_figures(ticket: &str, reply: &str) -> usize {
    let known = figures(ticket);
    let is_wrong = |(number, thing): &&(String, String)| {
        let mut of_thing = known.iter().filter(|(_, one)| one == thing).peekable();
        of_thing.peek().is_some() && of_thing.all(|(one, _)| one != number)
    };
    figures(reply).iter().filter(is_wrong).count()
}

/// Each number with the content word right behind it.
fn figures(text: &str) -> BTreeSet<(String, String)> {
    let is_mark = |c: char| !c.is_alphanumeric();
    let words: Vec<String> =
        text.split_whitespace().map(|word| word.trim_matches(is_mark).to_lowercase()).collect();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let pairs = words.windows(2).filter(|pair| is_number(&pair[0]));
    pairs.filter_map(|pair| Some((pair[0].clone(), content_word(&pair[1])?))).collect()
}

/// Questions of the ticket of whose content words, two at least, the reply uses none.
fn n_open_questions(ticket: &str, reply: &str) -> usize {
    let used = content_words(reply);
    let sentences = ticket.split_inclusive(['.', '!', '?', '\n']);
    let questions = sentences.filter(|sentence| sentence.ends_with('?')).map(content_words);
    questions.filter(|words| words.len() > 1 && words.is_disjoint(&used)).count()
}

/// The words of a text that say something about its subject.
pub(super) fn content_words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphabetic()).filter_map(content_word).collect()
}

/// What tells a word in lower case from others; `None` where it says nothing about a subject.
pub(super) fn content_word(word: &str) -> Option<String> {
    let is_content = word.chars().count() >= *LETTERS.start() && !FUNCTION_WORDS.contains(&word);
    is_content.then(|| word.chars().take(*LETTERS.end()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICKET: &str =
        "We ordered 12 chairs and 3 desks. Where are the missing chairs? And how do I cancel the desks?";
    const GOOD: &str = "Your 12 chairs are on their way. To cancel the 3 desks, open the order.";

    #[track_caller]
    fn check(reply: &str, want: usize) {
        assert_eq!(n_flaws(TICKET, reply), want, "{reply}");
    }

    #[test]
    fn n25_faults_are_seen_by_what_they_say() {
        check(GOOD, 0);
        check(&GOOD.replace("12 chairs", "14 chairs"), 1);
        check(&GOOD.replace("3 desks", "12 desks"), 1);
        check("Your 12 chairs are on their way.", 1);
        check("", 2);
        check(&format!("{GOOD} What a stupid thing to ask."), 1);
        check(&format!("{GOOD} We promise that they arrive today."), 1);
        check(&format!("{GOOD} It is 4 days by ship."), 0);
        check(&format!("{GOOD} Thank you for your patience."), 0);
    }
}
