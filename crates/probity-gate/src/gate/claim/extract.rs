//! From a text to its claims: read its sentences, one paragraph after the other, and put the claims in order.
//!
//! The work grows with the length of the text and no faster.

use std::ops::Range;

use super::clause::{self, Mood, Sentence};
use super::deed::{Bare, Doing, doing};
use super::lexicon::{Cues, Form, Lexicon, Meaning, Table};
use super::polarity::{Mention, spoken};
use super::sentence::{self, Line};
use super::term::{Figure, terms};
use super::token::{Token, tokenise};
use super::{Claim, ClaimKind, Value, value};

/// Which claims are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum Wanted {
    All,
    /// Figures and references alone.
    Values,
}

/// What a text claims, by the start of each claim.
pub fn extract(text: &str, lexicon: &Lexicon) -> Vec<Claim> {
    extract_wanted(text, lexicon, Wanted::All)
}

/// Those of the claims of a text that are wanted.
pub(in crate::gate) fn extract_wanted(text: &str, lexicon: &Lexicon, wanted: Wanted) -> Vec<Claim> {
    let mut reader = Reader {
        text,
        table: &lexicon.table,
        wanted,
        claims: Vec::new(),
        quotes: None,
        line: Line::default(),
    };
    let mut at = 0;
    while let Some(paragraph) = sentence::paragraph(text, at) {
        reader.paragraph(&paragraph);
        at = paragraph.end;
    }
    let mut claims = reader.claims;
    claims.sort_by_key(|claim| (claim.span.start, claim.span.end));
    claims
}

struct Reader<'a> {
    text: &'a str,
    table: &'a Table,
    wanted: Wanted,
    claims: Vec<Claim>,
    /// Of the paragraph, read for its first mention.
    quotes: Option<Vec<Range<usize>>>,
    line: Line,
}

impl Reader<'_> {
    fn paragraph(&mut self, paragraph: &Range<usize>) {
        self.quotes = None;
        let mut from = paragraph.start;
        while from < paragraph.end {
            let end = sentence::sentence_end(self.text, paragraph, from, self.table);
            self.sentence(&(from..end), paragraph);
            from = end;
        }
    }

    fn sentence(&mut self, span: &Range<usize>, paragraph: &Range<usize>) {
        let table = self.table;
        let tokens = tokenise(self.text, span.clone(), |word| table.lookup(word));
        let figures = value::figures(self.text, &tokens, table);
        let may_mention = self.wanted == Wanted::All && may_mention(&tokens, &figures, table);
        let terms = if may_mention { terms(&tokens, &figures, table) } else { Vec::new() };
        for figure in figures {
            let span = tokens[figure.first].start..tokens[figure.behind - 1].end;
            self.claims.push(Claim { span, kind: ClaimKind::Value(figure.value) });
        }
        if terms.iter().all(|term| term.mention.is_none()) {
            return;
        }
        let breaks = clause::breaks(&terms);
        let quotes = self.quotes.get_or_insert_with(|| sentence::quotes(self.text, paragraph));
        let mood = mood(self.text, span, &mut self.line);
        for (at, term) in terms.iter().enumerate() {
            if let Some(meaning) = term.mention {
                let mood = if is_quoted(quotes, term.start) { Mood::Aside } else { mood };
                let sentence = Sentence { terms: &terms, breaks: &breaks, mood };
                claims_of(&sentence, at, meaning, table, &mut self.claims);
            }
        }
    }
}

/// Whether a sentence has anything that could begin the name of a remedy or deed.
fn may_mention(tokens: &[Token], figures: &[Figure], table: &Table) -> bool {
    let amount = |figure: &Figure| matches!(figure.value, Value::Money { .. } | Value::Percent(_));
    figures.iter().any(amount) || tokens.iter().any(|token| table.cues(token.word).any(Cues::MENTION))
}

fn is_quoted(quotes: &[Range<usize>], at: usize) -> bool {
    let next = quotes.partition_point(|quote| quote.end <= at);
    quotes.get(next).is_some_and(|quote| quote.contains(&at))
}

/// How the sentence at `span` is spoken.
fn mood(text: &str, span: &Range<usize>, line: &mut Line) -> Mood {
    let first = span.start + (span.len() - text[span.clone()].trim_start().len());
    let behind = (first + 1).min(span.end);
    if line.first_byte(text.as_bytes(), behind) == Some(b'>') {
        return Mood::Aside;
    }
    let said = text[span.clone()].trim();
    let hashes = said.bytes().take_while(|byte| *byte == b'#').count();
    if hashes > 0 && said[hashes..].starts_with(' ') {
        return Mood::Aside;
    }
    let end = said.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
    if end.ends_with('?') { Mood::Question } else { Mood::Statement }
}

/// Adds what the mention at `at` claims.
fn claims_of(sentence: &Sentence<'_>, at: usize, meaning: Meaning, table: &Table, claims: &mut Vec<Claim>) {
    let term = &sentence.terms[at];
    let span = term.start..term.mention_end;
    let mut add = |kind| claims.push(Claim { span: span.clone(), kind });
    let deed = |id: u16| ClaimKind::Deed { deed: table.deeds[usize::from(id)].clone() };
    match meaning {
        Meaning::Remedy(id, form) => {
            let said = spoken(sentence, Mention { at, form });
            let remedy = table.remedies[usize::from(id)].clone();
            if said.doing == Doing::Ours {
                let done = table.deeds.binary_search(&remedy).ok();
                let place = match form {
                    Form::Done(place) => Some(place),
                    Form::Past => None,
                    _ => done.and_then(|place| u16::try_from(place).ok()),
                };
                add(ClaimKind::Remedy { remedy, polarity: said.polarity });
                place.map(deed).into_iter().for_each(add);
            } else {
                add(ClaimKind::Remedy { remedy, polarity: said.polarity });
            }
        }
        Meaning::Deed(id) => {
            let clause = sentence.clause(at);
            let stated = sentence.mood == Mood::Statement && !sentence.is_condition(&clause);
            if stated && doing(sentence, at, &clause, Bare::Counts) == Doing::Ours {
                add(deed(id));
            }
        }
        Meaning::Other | Meaning::Cue(_) | Meaning::Unit(_) => {}
    }
}
