//! Which verdict about two replies a judge's own words support.
//!
//! Only unconditional words count: a merit in one respect ("A is better on tone"), a negation or a condition supports
//! neither reply. A missed claim costs only a hint; the tables are small and English.

use std::collections::BTreeSet;

use super::Preference;
use super::suspect::{DAMNING, NEGATIONS, PRAISING};
use super::words::{WordTable, has_phrase, own_words, sentences};

/// What judges call the reply in a slot.
const NOUNS: WordTable =
    WordTable("reply, response, answer, candidate, option, assistant, message, version, one");
/// Words that make a clause a concession or a condition.
const CONCESSIONS: WordTable = WordTable("although, though, while, whereas, despite, could, might, unless");
/// Words allowed between a slot and its praise or blame.
const ADVERBS: WordTable = WordTable(
    "is, the, a, clearly, far, much, simply, definitely, obviously, plainly, overall, still, significantly, \
    slightly, by, should, deserves, to, have, clear, comes, out",
);
const BETTER: WordTable = WordTable(
    "better, superior, stronger, best, preferable, wins, win, won, beats, outperforms, winner, ahead, >",
);
const WORSE: WordTable = WordTable("worse, inferior, weaker, worst, loses, <");
/// What is the whole of a reply, if it is more or less of it.
const QUALITIES: WordTable = WordTable("helpful, useful");
/// Words before a slot that choose it.
const CHOOSING: WordTable =
    WordTable("prefer, preferred, choose, pick, favour, favor, select, winner, verdict, choice");
/// What may follow a comparison that holds as a whole.
const AS_A_WHOLE: WordTable = WordTable("overall, because, since, and, of, by, choice, here");
const EQUAL: WordTable = WordTable(
    "tie, a draw, equally good, equally bad, equally well, equally strong, equally helpful, equal quality",
);
/// The same in words that are negations themselves.
const NEITHER: WordTable = WordTable(
    "no difference, no clear winner, neither is better, neither reply is better, neither one is better",
);

/// The verdicts that `text` speaks for outright, quotations aside.
pub(super) fn favoured(text: &str) -> BTreeSet<Preference> {
    let sentences = sentences(&own_words(text));
    let clauses = sentences.iter().flat_map(|sentence| sentence.split(|word| word == ","));
    clauses.flat_map(in_clause).collect()
}

fn is_open(clause: &[String]) -> bool {
    // "Far better" is no negation, though "far from flawless" is one.
    let is_negated = NEGATIONS.phrases().any(|word| word != "far" && has_phrase(clause, word));
    is_negated || CONCESSIONS.is_in(clause) || WordTable("far from").is_in(clause)
}

fn in_clause(clause: &[String]) -> Vec<Preference> {
    if NEITHER.is_in(clause) {
        return vec![Preference::Tie];
    }
    if let [not, named @ ..] = clause
        && not == "not"
        && let Some((denied, _)) = slot(named)
    {
        return vec![other(denied)];
    }
    if is_open(clause) {
        return Vec::new();
    }
    let mut found: Vec<Preference> = EQUAL.is_in(clause).then_some(Preference::Tie).into_iter().collect();
    let mut at = 0;
    while at < clause.len() {
        let Some((slot, n_words)) = slot(&clause[at..]) else {
            at += 1;
            continue;
        };
        let (before, after) = (&clause[..at], &clause[at + n_words..]);
        found.extend(after_slot(after, slot).or_else(|| before_slot(before, after, slot)));
        at += n_words;
    }
    found
}

/// The slot that `words` begin with, and how many words name it.
fn slot(words: &[String]) -> Option<(Preference, usize)> {
    let first = words.first()?.as_str();
    let second = words.get(1).map(String::as_str);
    let is_noun = |word: Option<&str>| word.is_some_and(|word| NOUNS.has(word));
    match (first, second) {
        ("A", _) | ("a", Some("is")) => Some((Preference::First, 1)),
        ("B" | "b", _) => Some((Preference::Second, 1)),
        ("a's", noun) => Some((Preference::First, 1 + usize::from(is_noun(noun)))),
        ("b's", noun) => Some((Preference::Second, 1 + usize::from(is_noun(noun)))),
        ("first" | "former", noun) if is_noun(noun) => Some((Preference::First, 2)),
        ("second" | "latter", noun) if is_noun(noun) => Some((Preference::Second, 2)),
        (noun, Some("a" | "A")) if is_noun(Some(noun)) => Some((Preference::First, 2)),
        (noun, Some("b" | "B")) if is_noun(Some(noun)) => Some((Preference::Second, 2)),
        _ => None,
    }
}

fn other(slot: Preference) -> Preference {
    if slot == Preference::First { Preference::Second } else { Preference::First }
}

/// "… is clearly better", "… beats B", "… is completely wrong".
fn after_slot(after: &[String], slot: Preference) -> Option<Preference> {
    let bare = if after.first().is_some_and(|word| word == "is") { &after[1..] } else { after };
    if DAMNING.begins(bare) {
        return Some(other(slot));
    }
    if PRAISING.begins(bare) {
        return Some(slot);
    }
    let n_adverbs = after.iter().take_while(|word| ADVERBS.has(word)).count();
    let (word, rest) = after.get(n_adverbs..)?.split_first()?;
    let (word, rest) = match (word.as_str(), rest) {
        ("more", [quality, rest @ ..]) if QUALITIES.has(quality) => ("better", rest),
        ("less", [quality, rest @ ..]) if QUALITIES.has(quality) => ("worse", rest),
        (word, rest) => (word, rest),
    };
    // Without a verb, "A better reply" is an article.
    let is_verb = matches!(word, "wins" | "win" | "won" | "beats" | "outperforms" | "loses" | ">" | "<");
    if !(is_verb || matches!(after[0].as_str(), "is" | "comes")) || !is_about_the_whole(rest) {
        return None;
    }
    match word {
        word if BETTER.has(word) => Some(slot),
        word if WORSE.has(word) => Some(other(slot)),
        _ => None,
    }
}

/// "I prefer …", "the better reply is …".
fn before_slot(before: &[String], after: &[String], slot: Preference) -> Option<Preference> {
    let is_filler = |word: &&String| matches!(word.as_str(), "is" | "the" | "to" | "goes") || NOUNS.has(word);
    let word = before.iter().rev().find(|word| !is_filler(word))?.as_str();
    // "A is inferior to B" is said of A.
    let is_compared = has_phrase(before, "to") && !has_phrase(before, "goes");
    let is_stated = before.iter().any(|word| word == "is") || CHOOSING.has(word);
    if is_compared || !is_stated || !is_about_the_whole(after) {
        return None;
    }
    match word {
        word if BETTER.has(word) || CHOOSING.has(word) => Some(slot),
        word if WORSE.has(word) => Some(other(slot)),
        _ => None,
    }
}

/// Whether what follows a comparison leaves it whole: nothing, the other slot, or a reason.
fn is_about_the_whole(rest: &[String]) -> bool {
    let rest = match rest {
        [than, rest @ ..] if matches!(than.as_str(), "than" | "to") => {
            let rest = if rest.first().is_some_and(|word| word == "the") { &rest[1..] } else { rest };
            slot(rest).map_or(rest, |(_, n_words)| &rest[n_words..])
        }
        rest => slot(rest).map_or(rest, |(_, n_words)| &rest[n_words..]),
    };
    rest.first().is_none_or(|word| AS_A_WHOLE.has(word) || NOUNS.has(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let names: Vec<&str> = favoured(text).into_iter().map(Preference::name).collect();
        assert_eq!(names.join(" "), want, "{text}");
    }

    #[test]
    fn n15_words_that_speak_for_a_slot() {
        for text in [
            "A is clearly better.",
            "reply a is better than reply b",
            "B is far worse than A because it is late",
        ] {
            check(text, "A");
        }
        for text in [
            "The better reply is B",
            "I prefer the second reply.",
            "Winner: B",
            "B beats A",
            "A fails completely",
            "A loses to B",
            "A is inferior to B.",
            "Candidate B is more helpful.",
            "b is clearly better",
            "B's reply is better than A's.",
        ] {
            check(text, "B");
        }
        check("Both are equally good.", "tie");
        check("A is better. B is better.", "A B");
    }

    #[test]
    fn n15_words_that_leave_it_open() {
        for text in [
            "A is better on tone",
            "A is better than B in tone",
            "A is not better.",
            "A would be better if it named the day",
            "A better reply would name the day",
            "Although A is better, that is not all",
            "A names the day, B does so too",
            "The customer says \"A is better\"",
            "A wins on tone",
            "B is more helpful on tone",
            "Is A better?",
        ] {
            check(text, "");
        }
    }
}
