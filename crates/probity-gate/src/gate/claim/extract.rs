//! From a text to its claims: read its sentences, one paragraph after the other, and put the claims in order.
//!
//! The work grows with the length of the text and no faster.

use std::ops::Range;

use super::super::text::{Shape, Text, Token, WordId, quotes};
use super::clause::{self, Bare, Doing, Mood, Sentence};
use super::lexicon::{Cues, Form, Lexicon, LexiconTable, Meaning};
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
    let mut reader =
        Extractor { text, table: lexicon.table(), claims: Vec::new(), quoted: (0..0, Vec::new()) };
    for sentence in &text.sentences {
        reader.sentence(&sentence.span, &sentence.paragraph);
    }
    let mut claims = reader.claims;
    for claim in &mut claims {
        claim.span = text.original(&claim.span);
    }
    claims.sort_by_key(|claim| (claim.span.start, claim.span.end));
    claims
}

struct Extractor<'a> {
    text: &'a Text,
    table: &'a LexiconTable,
    claims: Vec<Claim>,
    /// The last paragraph with a mention, and what stands in quotes in it.
    quoted: (Range<usize>, Vec<Range<usize>>),
}

impl Extractor<'_> {
    /// Reads one sentence of a paragraph.
    fn sentence(&mut self, span: &Range<usize>, paragraph: &Range<usize>) {
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
            is(at, Cues::HAVE) && (at.saturating_sub(HAVE_DISTANCE_MAX)..at + 2).any(|at| is(at, Cues::US))
        };
        let passive = if table.verb_final { Cues::PASSIVE_PAST } else { Cues::BEEN };
        let may_mention = figures.iter().any(is_amount)
            || (0..words.len()).any(|at| is(at, Cues::MENTION | Cues::YOUR | passive) || is_perfect(at));
        let terms = if may_mention { terms(tokens, &words, &figures, table) } else { Vec::new() };
        for figure in figures {
            let span = tokens[figure.first].start..tokens[figure.behind - 1].end;
            self.claims.push(Claim { span, kind: ClaimKind::Value(figure.value) });
        }
        let has_verb = terms.iter().any(|term| term.is(Cues::HAVE | passive));
        let may_claim = |term: &Term| term.mention.is_some() || has_verb && self.is_past(term);
        let mentions: Vec<usize> = (0..terms.len()).filter(|at| may_claim(&terms[*at])).collect();
        if mentions.is_empty() {
            return;
        }
        let breaks = clause::breaks(&terms);
        if self.quoted.0 != *paragraph {
            self.quoted = (paragraph.clone(), quotes(self.text, paragraph));
        }
        let end = self.text[span.clone()].trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
        let mood = if end.ends_with('?') { Mood::Question } else { Mood::Statement };
        for at in mentions {
            let start = terms[at].start;
            let next = self.quoted.1.partition_point(|quote| quote.end <= start);
            let is_quoted = self.quoted.1.get(next).is_some_and(|quote| quote.contains(&start));
            let mood = if is_quoted { Mood::Aside } else { mood };
            let sentence = Sentence { terms: &terms, breaks: &breaks, mood, verb_final: table.verb_final };
            self.mention(&sentence, at, passive);
        }
    }

    /// Whether it is a past form that no list has: "asked".
    fn is_past(&self, term: &Term) -> bool {
        let said = &self.text[term.start..term.end];
        // Where verbs stand at the end, nouns do too, and have a capital.
        (!self.table.verb_final || said.starts_with(char::is_lowercase))
            && !term.is(Cues::OBSERVED | Cues::INQUIRY | Cues::WISH | Cues::DENIAL | Cues::AUXILIARY)
            && self.table.participles.iter().any(|ending| said.ends_with(ending.as_str()))
    }

    /// Adds what the term at `at` claims.
    fn mention(&mut self, sentence: &Sentence<'_>, at: usize, passive: Cues) {
        let term = &sentence.terms[at];
        let (end, clause) = (term.mention_end, sentence.clause(at));
        let is_open = sentence.is_condition(&clause) || sentence.has(clause.start..at, Cues::ASK);
        let is_told = sentence.mood == Mood::Statement && !is_open;
        let deed = |id: &String, doing| ClaimKind::Deed { deed: id.clone(), is_ours: doing == Doing::Ours };
        let mut add = |end: usize, kind| self.claims.push(Claim { span: term.start..end, kind });
        match term.mention {
            Some(Meaning::Remedy(id, form)) => {
                let (said, remedy) = (spoken(sentence, at, form), &self.table.remedies[id]);
                add(end, ClaimKind::Remedy { remedy: remedy.clone(), polarity: said.polarity });
                if said.doing.is_done()
                    && form != Form::Past
                    && self.table.deeds.binary_search(remedy).is_ok()
                {
                    let verb_end = said.handed_over.map_or(end, |verb| sentence.terms[verb].end.max(end));
                    add(verb_end, deed(remedy, said.doing));
                }
            }
            Some(Meaning::Deed(id)) if self.table.deeds[id] != OTHER => {
                let is_act = self.table.acts.contains(&self.table.deeds[id]);
                let bare = if is_act { Bare::IsAdjective } else { Bare::Counts };
                let doing = sentence.doing(at, &clause, bare);
                if is_told && doing.is_done() {
                    add(end, deed(&self.table.deeds[id], doing));
                }
            }
            None | Some(Meaning::Deed(_)) if is_told => {
                if let Some(doing) = sentence.act(at, &clause, passive) {
                    add(end, deed(&OTHER.to_owned(), doing));
                }
            }
            _ => {}
        }
    }
}
