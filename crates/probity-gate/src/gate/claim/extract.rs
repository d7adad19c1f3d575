//! From a text to its claims: read its sentences, one paragraph after the other, and put the claims in order.
//!
//! The work grows with the length of the text and no faster.

use std::ops::Range;

use super::super::text::{Shape, Text, Token, WordId, quotes};
use super::clause::{self, Bare, Doing, Mood, Sentence};
use super::lexicon::{Cues, Form, Lexicon, Meaning, Table};
use super::polarity::spoken;
use super::term::{Figure, Term, terms};
use super::{Claim, ClaimKind, Value, value};

/// The act that stands for every one without a name.
pub(in super::super) const OTHER: &str = "other";

/// How far behind "we" its "have" can stand, in words.
const HAVE_DISTANCE_MAX: usize = 4;

/// What a text claims, by the start of each claim.
pub fn extract(text: &str, lexicon: &Lexicon) -> Vec<Claim> {
    extract_read(&Text::new(text), lexicon)
}

/// What a text claims that has been read. Spans are of its original.
pub(in super::super) fn extract_read(text: &Text, lexicon: &Lexicon) -> Vec<Claim> {
    let mut reader = Reader { text, table: lexicon.table(), claims: Vec::new(), line: 0, read_to: 0 };
    let mut quoted = (0..0, None);
    for sentence in &text.sentences {
        if quoted.0 != sentence.paragraph {
            quoted = (sentence.paragraph.clone(), None);
        }
        reader.sentence(&sentence.span, &sentence.paragraph, &mut quoted.1);
    }
    let mut claims = reader.claims;
    for claim in &mut claims {
        claim.span = text.original(&claim.span);
    }
    claims.sort_by_key(|claim| (claim.span.start, claim.span.end));
    claims
}

struct Reader<'a> {
    text: &'a Text,
    table: &'a Table,
    claims: Vec<Claim>,
    /// Where the line that was last looked at begins, behind its blanks.
    line: usize,
    /// How far lines have been looked for.
    read_to: usize,
}

impl Reader<'_> {
    /// Reads one sentence; `quoted` is what stands in quotes in its paragraph, read for the first mention.
    fn sentence(
        &mut self,
        span: &Range<usize>,
        paragraph: &Range<usize>,
        quoted: &mut Option<Vec<Range<usize>>>,
    ) {
        let table = self.table;
        let tokens = self.text.tokens_in(span);
        let lookup = |token: &Token| match token.shape {
            Shape::Mark(_) => WordId::default(),
            _ => table.lookup(token.spoken(self.text).as_bytes()),
        };
        let words: Vec<WordId> = tokens.iter().map(lookup).collect();
        let figures = value::figures(self.text, tokens, &words, table);
        let is_amount = |figure: &Figure| matches!(figure.value, Value::Money { .. } | Value::Percent(_));
        let is = |at: usize, cues: Cues| words.get(at).is_some_and(|word| table.cues(*word).any(cues));
        let is_perfect = |at: usize| {
            is(at, Cues::HAVE)
                && (at.saturating_sub(HAVE_DISTANCE_MAX)..at + 2).any(|at| is(at, Cues::US | Cues::OUR))
        };
        let passive = if table.verb_final { Cues::PASSIVE_PAST } else { Cues::BEEN };
        let may_mention = figures.iter().any(is_amount)
            || (0..words.len()).any(|at| is(at, Cues::MENTION | Cues::YOUR | passive) || is_perfect(at));
        let terms = if may_mention { terms(tokens, &words, &figures, table) } else { Vec::new() };
        for figure in figures {
            let span = tokens[figure.first].start..tokens[figure.behind - 1].end;
            self.claims.push(Claim { span, kind: ClaimKind::Value(figure.value) });
        }
        let has_deed = |term: &Term| term.mention.is_some() || term.is(Cues::HAVE | passive);
        if !terms.iter().any(has_deed) {
            return;
        }
        let breaks = clause::breaks(&terms);
        let in_quotes = quoted.get_or_insert_with(|| quotes(self.text, paragraph));
        let mood = self.mood(span.clone());
        for (at, term) in terms.iter().enumerate().filter(|(_, term)| has_deed(term)) {
            let next = in_quotes.partition_point(|quote| quote.end <= term.start);
            let is_quoted = in_quotes.get(next).is_some_and(|quote| quote.contains(&term.start));
            let mood = if is_quoted { Mood::Aside } else { mood };
            let sentence = Sentence { terms: &terms, breaks: &breaks, mood, verb_final: table.verb_final };
            match term.mention {
                Some(meaning) => self.mention(&sentence, at, meaning),
                // "Your plans have changed".
                None if term.is(Cues::HAVE) && at > 1 && terms[at - 2].is(Cues::YOUR) => {}
                None if term.is(Cues::HAVE) => {
                    let verb = sentence.perfect(at);
                    self.act(verb, &sentence);
                    self.act(verb.and_then(|verb| sentence.joined_verb(verb)), &sentence);
                }
                None => self.act(sentence.passive(at), &sentence),
            }
        }
    }

    /// How the sentence at `span` is spoken.
    fn mood(&mut self, span: Range<usize>) -> Mood {
        let said = self.text[span.clone()].trim_start();
        let first = span.end - said.len();
        let said = said.trim_end();
        let hashes = said.len() - said.trim_start_matches('#').len();
        if self.is_quoted_line((first + 1).min(span.end)) || (hashes > 0 && said[hashes..].starts_with(' ')) {
            return Mood::Aside;
        }
        let end = said.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
        if end.ends_with('?') { Mood::Question } else { Mood::Statement }
    }

    /// Whether the line that the byte before `at` stands in is quoted. It is asked from left to right, so that all lines
    /// are read once.
    fn is_quoted_line(&mut self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        for (n, byte) in bytes[self.read_to..at].iter().enumerate() {
            let is_indent = self.line == self.read_to + n && matches!(byte, b' ' | b'\t');
            if is_indent || *byte == b'\n' {
                self.line = self.read_to + n + 1;
            }
        }
        self.read_to = at;
        self.line < at && bytes[self.line] == b'>'
    }

    /// Adds what the company says it has done in words that no list has: "I have asked the driver".
    fn act(&mut self, verb: Option<usize>, sentence: &Sentence<'_>) {
        let Some(at) = verb else { return };
        let verb = &sentence.terms[at];
        let said = self.text[verb.start..verb.end].to_lowercase();
        let is_listed = matches!(verb.mention, Some(Meaning::Deed(id)) if self.table.deeds[id] == OTHER);
        // Where verbs stand at the end, nouns do too, and have a capital.
        let is_verb = !sentence.verb_final || self.text[verb.start..].starts_with(char::is_lowercase);
        let is_past =
            || is_verb && self.table.participles.iter().any(|ending| said.ends_with(ending.as_str()));
        if is_listed || (verb.mention.is_none() && is_past()) {
            let span = verb.start..verb.mention_end;
            let is_ours = sentence.is_ours(at);
            self.claims.push(Claim { span, kind: ClaimKind::Deed { deed: OTHER.to_owned(), is_ours } });
        }
    }

    /// Adds what the mention at `at` claims.
    fn mention(&mut self, sentence: &Sentence<'_>, at: usize, meaning: Meaning) {
        let term = &sentence.terms[at];
        let mut add = |end: usize, kind| self.claims.push(Claim { span: term.start..end, kind });
        let (end, clause) = (term.mention_end, sentence.clause(at));
        let is_ours = sentence.is_ours(at);
        let deed = |id: usize| ClaimKind::Deed { deed: self.table.deeds[id].clone(), is_ours };
        let is_open = sentence.is_condition(&clause) || sentence.has(clause.start..at, Cues::ASK);
        let is_told = sentence.mood == Mood::Statement && !is_open;
        // "Your booking is cancelled."
        let is_state = |is_act| is_told && sentence.is_state(at, &clause, is_act);
        match meaning {
            Meaning::Remedy(id, form) => {
                let said = spoken(sentence, at, form);
                let remedy = self.table.remedies[id].clone();
                let done = self.table.deeds.binary_search(&remedy).ok();
                add(end, ClaimKind::Remedy { remedy, polarity: said.polarity });
                let behind = sentence.terms.get(clause.end);
                let is_bound = behind.is_some_and(|term| term.is(Cues::CAUSE | Cues::CONDITION));
                let is_done = said.doing == Doing::Ours && form != Form::Past
                    || form == Form::Done && !is_bound && is_state(true);
                let verb_end = said.handed_over.map_or(end, |verb| sentence.terms[verb].end.max(end));
                done.filter(|_| is_done).map(deed).into_iter().for_each(|kind| add(verb_end, kind));
            }
            Meaning::Deed(id) if self.table.deeds[id] == OTHER => {}
            Meaning::Deed(id) => {
                let is_act = self.table.acts.contains(&self.table.deeds[id]);
                let bare = if is_act { Bare::IsAdjective } else { Bare::Counts };
                if is_state(is_act) || (is_told && sentence.doing(at, &clause, bare) == Doing::Ours) {
                    add(end, deed(id));
                }
            }
            Meaning::Other | Meaning::Cue(_) | Meaning::Unit(_) => {}
        }
    }
}
