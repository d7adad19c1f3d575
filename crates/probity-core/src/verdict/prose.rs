//! Prose around a verdict is harmless only if every sentence is known to be.
//!
//! Three kinds are: an opening or a closing, made of framing words alone; a sentence about the case that does not
//! speak of the judging; and a sentence that states the same value. What refuses, takes back or states another
//! value gets that as its reason. The tables are English: other languages, other alphabets and invisible characters
//! cannot be checked. A table that is too short costs an unscored reply, one that is too long a wrong level.

mod tables;
mod value;

use self::tables::{
    DUTCH, ENDS_OF_REFUSALS, ENGLISH, FRAMING, INABILITIES, JUDGING, JUDGING_STARTS, SELF, TAKING_BACK,
    TAKING_BACK_FIRST, TOO_LITTLE, TOPICS, VALUE_WORDS,
};
use self::value::{Graded, Values};
use super::favoured::favoured;
use super::invalid::{Invalid, InvalidReason};
use super::words::{Sentence, WordTable, own_words, sentences};
use super::{Preference, REASONING_BYTES_MAX, Statement};
use crate::case::is_format;
use crate::packet::Packet;
use crate::rubric::Criterion;

/// What stands around a verdict.
#[derive(Debug, Default)]
pub(super) struct Prose {
    /// Before the verdict.
    pub(super) before: String,
    /// After it.
    pub(super) after: String,
}

/// Whether `prose` leaves `statement` as it stands; otherwise why the answer is no verdict.
pub(super) fn check_prose(prose: &Prose, statement: &Statement, packet: &Packet) -> Result<(), Invalid> {
    let all = format!("{}\n{}", prose.before, prose.after);
    let ambiguous = |what: &str, words: &str| {
        Err(Invalid::new(InvalidReason::Ambiguous, format!("the prose around the verdict {what}{words}")))
    };
    if all.len() > REASONING_BYTES_MAX {
        return ambiguous("is too long to be checked", "");
    }
    if let Some(c) = all.chars().find(|c| is_uncheckable(*c)) {
        return ambiguous("has the character ", &format!("U+{:04X}", u32::from(c)));
    }
    let own = sentences(&own_words(&all));
    if let Some(words) = own.iter().find(|sentence| is_refusal(sentence)) {
        let detail = format!("the prose around the verdict refuses: {}", words.join(" "));
        return Err(Invalid::new(InvalidReason::Refused, detail));
    }
    let reader = ProseReader::new(statement, packet);
    if let Some(words) = reader.second_value(prose) {
        return ambiguous("states another value: ", &words);
    }
    if let Some(words) = taken_back(&prose.after) {
        return ambiguous("takes it back: ", &words);
    }
    match reader.unknown(prose) {
        Some(words) => ambiguous("says more than can be checked: ", &words),
        None if is_english(&own) || own.iter().all(|sentence| reader.is_of_judging(sentence)) => Ok(()),
        None => ambiguous("is not known to be English and cannot be checked", ""),
    }
}

/// Letters of other alphabets, which can look like Latin ones; digits that are not ASCII, stars, dots and pictures;
/// characters that are not seen.
fn is_uncheckable(c: char) -> bool {
    let is_latin = c.is_ascii() || matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
    let is_picture = matches!(c, '\u{25a0}'..='\u{27bf}' | '\u{2b50}' | '\u{1f000}'..='\u{1faff}');
    c.is_alphanumeric() && !is_latin || is_picture || is_format(c)
}

fn is_english(own: &[Sentence]) -> bool {
    let has = |table: &WordTable| own.iter().any(|sentence| table.is_in(sentence));
    has(&ENGLISH) && !has(&DUTCH)
}

fn is_refusal(sentence: &Sentence) -> bool {
    let is_unable = INABILITIES.is_in(sentence) && speaks_of_judging(sentence);
    let is_void = TOO_LITTLE.is_in(sentence) && WordTable("there is, there's, i have").is_in(sentence);
    is_unable || is_void || sentence.last().is_some_and(|word| ENDS_OF_REFUSALS.has(word))
}

/// Whether a sentence is about the judge or its task, and not about the case.
fn speaks_of_judging(sentence: &[String]) -> bool {
    let is_start = |word: &String| JUDGING_STARTS.phrases().any(|start| word.starts_with(start));
    SELF.is_in(sentence) || JUDGING.is_in(sentence) || sentence.iter().any(is_start)
}

/// The words after a verdict that take it back.
fn taken_back(after: &str) -> Option<String> {
    let is_back =
        |sentence: &Sentence| TAKING_BACK.is_in(sentence) || TAKING_BACK_FIRST.is_in(&sentence[..1]);
    sentences(&own_words(after)).into_iter().find(is_back).map(|words| words.join(" "))
}

/// What the sentences are held against.
struct ProseReader<'a> {
    statement: &'a Statement,
    values: Values<'a>,
}

impl<'a> ProseReader<'a> {
    fn new(statement: &'a Statement, packet: &'a Packet) -> Self {
        let given = |criterion: &Criterion| {
            statement.scores().iter().find(|score| score.criterion == criterion.id).map(|score| score.level)
        };
        let criteria = packet.ask().criteria().iter();
        let graded = criteria.map(|criterion| Graded::new(criterion, given(criterion)));
        ProseReader { statement, values: Values::new(graded.collect()) }
    }

    /// The words that state another value than the verdict.
    fn second_value(&self, prose: &Prose) -> Option<String> {
        let Statement::Preference(preferred) = self.statement else {
            let is_other = |words: &Sentence| {
                let is_about_the_case = self.is_about_the_case(words) && !self.values.is_about_value(words);
                !is_about_the_case && self.values.states_another(words)
            };
            let before = sentences(&prose.before).into_iter().find(is_other);
            let after =
                || sentences(&prose.after).into_iter().find(|words| self.values.states_another(words));
            return before.or_else(after).map(|words| words.join(" "));
        };
        let all = format!("{}\n{}", prose.before, prose.after);
        let stated = preferred.preference();
        let other = favoured(&all).into_iter().find(|favoured| *favoured != stated);
        let is_marked = |preference: &Preference| {
            *preference != stated && all.contains(&format!("[[{}]]", preference.name()))
        };
        let other = other.or_else(|| Preference::ALL.into_iter().find(is_marked));
        let named = || sentences(&all).into_iter().find(|words| self.names_another_slot(words, stated));
        other.map(|other| other.name().to_owned()).or_else(|| named().map(|words| words.join(" ")))
    }

    /// "Final answer: A", where it is B: a slot among words that would decide nothing without it.
    fn names_another_slot(&self, words: &Sentence, stated: Preference) -> bool {
        let mut slots = words.iter().filter(|word| matches!(word.as_str(), "A" | "B")).peekable();
        self.is_framing(words) && slots.peek().is_some() && slots.all(|slot| slot != stated.name())
    }

    /// A sentence that is of no known kind.
    fn unknown(&self, prose: &Prose) -> Option<String> {
        let (before, introduction) = introduced(&prose.before);
        let (continued, after) = continued(&prose.after);
        let framing = sentences(introduction).into_iter().chain(sentences(continued));
        let not_framing = framing.into_iter().find(|words| !self.is_of_judging(words));
        let free = [before, after].map(|text| sentences(&own_words(text))).into_iter().flatten();
        let is_known = |words: &Sentence| self.is_about_the_case(words) || self.is_of_judging(words);
        not_framing.or_else(|| free.into_iter().find(|words| !is_known(words))).map(|words| words.join(" "))
    }

    fn is_of_judging(&self, words: &[String]) -> bool {
        self.is_framing(words) || self.states_the_same(words)
    }

    fn is_framing(&self, words: &[String]) -> bool {
        let is_offer = |at: usize| words[at] == "if" && words.get(at + 1).is_some_and(|next| next == "you");
        let is_word = |word: &String| word.chars().any(char::is_alphabetic);
        let is_frame = |at: usize| {
            let word = &words[at];
            !is_word(word) || FRAMING.has(word) || self.values.is_name(word) || is_offer(at)
        };
        (0..words.len()).all(is_frame) && self.values.levels(words).next().is_none()
    }

    fn is_about_the_case(&self, words: &[String]) -> bool {
        let is_slot = |word: &String| matches!(word.as_str(), "A" | "B") && self.values.is_empty();
        let begins_with_it = words.first().is_some_and(|word| matches!(word.as_str(), "it" | "both"));
        let is_of_rubric = self.values.names_criterion(words) || self.values.is_recital(words);
        let has_topic = begins_with_it || is_of_rubric || TOPICS.is_in(words) || words.iter().any(is_slot);
        let is_of_judging = speaks_of_judging(words) || VALUE_WORDS.is_in(words);
        has_topic && !is_of_judging && !self.values.may_state_level(words)
    }

    /// "I assign a 4", "I prefer B": a sentence about the judging that says what the verdict says.
    fn states_the_same(&self, words: &[String]) -> bool {
        let Statement::Preference(preferred) = self.statement else {
            return self.states_given(words);
        };
        let favoured = favoured(&words.join(" "));
        let is_same = !favoured.is_empty() && favoured.iter().all(|each| *each == preferred.preference());
        let is_doubted = INABILITIES.is_in(words) || TAKING_BACK.is_in(words);
        is_same && !is_doubted && !WordTable("not, no, never, if, would, could").is_in(words)
    }

    /// Clauses that say which levels were given, with nothing behind them and only known clauses before.
    fn states_given(&self, words: &[String]) -> bool {
        let mut clauses = words.split(|word| word == ",").skip_while(|clause| {
            !self.values.states_given(clause) && (self.is_framing(clause) || self.is_about_the_case(clause))
        });
        clauses.next().is_some_and(|first| self.values.states_given(first))
            && clauses.all(|clause| self.values.states_given(clause))
    }
}

/// The text before an object, cut where the sentence begins that the object is part of. A fence's label and the
/// colon of the line before do not end that sentence.
fn introduced(before: &str) -> (&str, &str) {
    let text = before.trim_end_matches(['`', ' ', '\t']);
    let text = text.strip_suffix("json").unwrap_or(text).trim_end_matches(['`', ' ', '\t']);
    let line = text.trim_end();
    let is_own_line = line.len() < text.len() && !line.ends_with(':');
    let is_ended = is_own_line || line.trim_end_matches(['"', '\u{201d}']).ends_with(['.', '!', '?', '>']);
    let from = line.rfind(['.', '!', '?', ';', '\n', '>']).map_or(0, |at| at + 1);
    if is_ended { (before, "") } else { before.split_at(from) }
}

/// The text after an object, cut where the sentence ends that the object is part of.
fn continued(after: &str) -> (&str, &str) {
    let text = after.trim_start_matches(['`', '"', '\'', ',', ' ', '~', '*']);
    if !text.starts_with(|c: char| {
        c.is_lowercase() || matches!(c, '?' | ';' | ':' | '-' | '\u{2013}' | '\u{2014}')
    }) {
        return ("", after);
    }
    let end = after.find(['.', '!', '\n']).unwrap_or(after.len());
    after.split_at(end)
}
