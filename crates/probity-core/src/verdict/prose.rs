//! Prose around a verdict is harmless only if it is an opening or a closing, made of framing words alone.
//!
//! "Here is my verdict:" decides nothing, and neither does "Let me know if you need anything else!". Any other word,
//! a number, a slot or a question might refuse, correct or take back what the object says, and nothing here tries
//! to understand it. A word that the table lacks costs an unscored reply; one too many could cost a wrong level.

use super::invalid::{Invalid, InvalidReason};
use super::words::{WordTable, sentences};

/// Words that open or close an answer and decide nothing, and the comma between them.
const FRAMING: WordTable = WordTable(
    "the, this, that, these, here, here's, is, are, it, it's, as, of, for, on, in, to, with, and, by, below, above, \
    following, follows, my, i, i've, me, you, evaluation, assessment, verdict, judgement, judgment, rating, score, \
    scores, reasoning, result, results, answer, response, output, json, object, format, requested, asked, provided, \
    have, based, rubric, criteria, read, reviewed, checked, compared, both, replies, reply, ticket, sure, certainly, \
    ok, okay, done, thanks, thank, hope, helps, let, know, need, want, anything, else, more, questions, details, \
    final, overall, analysis, explanation, summary, conclusion, so, go, carefully",
);
/// The one condition that decides nothing.
const OFFER: &str = "let me know if you";

/// Whether `prose` leaves the verdict beside it as it stands; otherwise why the answer is no verdict.
pub(super) fn check_prose(prose: &str) -> Result<(), Invalid> {
    let is_unseen = |c: &char| !c.is_ascii() && !matches!(c, '\u{2018}'..='\u{201d}' | '\u{2026}');
    let detail = if let Some(c) = prose.chars().find(is_unseen) {
        format!("the prose around the verdict has the character U+{:04X}", u32::from(c))
    } else {
        let is_more = |words: &String| {
            words.replace(OFFER, "you").split(' ').any(|word| word != "," && !FRAMING.has(word))
        };
        let Some(words) = sentences(prose).iter().map(|words| words.join(" ")).find(is_more) else {
            return Ok(());
        };
        format!("the prose around the verdict does more than introduce it: {words}")
    };
    Err(Invalid::new(InvalidReason::Ambiguous, detail))
}
