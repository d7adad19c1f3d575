//! From a text to its claims: find the sentences worth a look, read them, put the claims in order.
//!
//! Only a sentence that contains a digit, a sign of an address or a word of the lists is read; the rest of
//! a text costs one pass over its outline. The work grows with the length of the text and no faster.

use std::cell::RefCell;
use std::ops::Range;

use super::super::outline::Outline;
use super::clause::{self, Mood, Sentence};
use super::deed::{Bare, Doing, doing};
use super::lexicon::{Cues, Form, Lexicon, Meaning, Table};
use super::polarity::{Mention, spoken};
use super::sentence::{self, Line};
use super::term::{Figure, Term, terms};
use super::token::{Token, tokenise};
use super::{Claim, ClaimKind, Value, trigger, value};

/// The most tokens that room is kept for from one text to the next.
const KEPT_MAX: usize = 1024;

/// Which claims are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum Wanted {
    All,
    /// Figures and references alone.
    Values,
}

/// What a text claims, by the start of each claim.
pub fn extract(text: &str, lexicon: &Lexicon) -> Vec<Claim> {
    extract_wanted(&lexicon.outline(text), lexicon, Wanted::All)
}

/// Those of the claims of a text, given in outline, that are wanted.
pub(in crate::gate) fn extract_wanted(
    outline: &Outline<'_>,
    lexicon: &Lexicon,
    wanted: Wanted,
) -> Vec<Claim> {
    let text = outline.text();
    let mut reader = Reader {
        text,
        outline,
        table: &lexicon.table,
        wanted,
        claims: Vec::new(),
        desk: DESK.take(),
        line: Line::default(),
    };
    let mut at = 0;
    while let Some(hit) = reader.next_hit(at..text.len()) {
        let paragraph = sentence::paragraph(text, at, hit);
        reader.paragraph(&paragraph, hit);
        at = paragraph.end;
    }
    if reader.desk.tokens.capacity() <= KEPT_MAX {
        DESK.set(reader.desk);
    }
    let mut claims = reader.claims;
    claims.sort_by_key(|claim| (claim.span.start, claim.span.end));
    claims
}

thread_local! {
    /// Room for the next text. What is written in it is never read.
    static DESK: RefCell<Desk> = RefCell::default();
}

/// Lists that are filled anew for each sentence.
#[derive(Default)]
struct Desk {
    tokens: Vec<Token>,
    figures: Vec<Figure>,
    terms: Vec<Term>,
    breaks: Vec<bool>,
    /// Of the paragraph, once somebody asked.
    quotes: Option<Vec<Range<usize>>>,
}

struct Reader<'a> {
    text: &'a str,
    outline: &'a Outline<'a>,
    table: &'a Table,
    wanted: Wanted,
    claims: Vec<Claim>,
    desk: Desk,
    line: Line,
}

impl Reader<'_> {
    fn next_hit(&mut self, range: Range<usize>) -> Option<usize> {
        trigger::next(self.outline, range, self.table, &mut self.desk.tokens)
    }

    fn paragraph(&mut self, paragraph: &Range<usize>, first_hit: usize) {
        self.desk.quotes = None;
        let (mut from, mut hit) = (paragraph.start, Some(first_hit));
        while let Some(at) = hit {
            let span = sentence::sentence(self.outline, paragraph, from, at, self.table);
            self.sentence(&span, paragraph);
            from = span.end;
            hit = self.next_hit(from..paragraph.end);
        }
    }

    fn sentence(&mut self, span: &Range<usize>, paragraph: &Range<usize>) {
        let desk = &mut self.desk;
        desk.tokens.clear();
        desk.figures.clear();
        desk.terms.clear();
        desk.breaks.clear();
        tokenise(self.text, span.clone(), |text, len| self.table.lookup_start(text, len), &mut desk.tokens);
        value::figures(self.text, &desk.tokens, self.table, &mut desk.figures);
        let table = self.table;
        if self.wanted == Wanted::All && may_mention(&desk.tokens, &desk.figures, table) {
            terms(&desk.tokens, &desk.figures, table, &mut desk.terms);
        }
        for figure in desk.figures.drain(..) {
            let span = desk.tokens[figure.first].start..desk.tokens[figure.behind - 1].end;
            self.claims.push(Claim { span, kind: ClaimKind::Value(figure.value) });
        }
        if desk.terms.iter().all(|term| term.mention.is_none()) {
            return;
        }
        clause::breaks(&desk.terms, &mut desk.breaks);
        let quotes = desk.quotes.get_or_insert_with(|| sentence::quotes(self.text, paragraph));
        let mood = mood(self.text, span, &mut self.line);
        for (at, term) in desk.terms.iter().enumerate() {
            if let Some(meaning) = term.mention {
                let mood = if is_quoted(quotes, term.start) { Mood::Aside } else { mood };
                let sentence = Sentence { terms: &desk.terms, breaks: &desk.breaks, mood };
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
