//! Where a reply and a source say the same figure or name, for people who look at both.
//!
//! This decides nothing: what is supported is [`support`](super::support)'s question.

use std::ops::Range;

use super::claim::{Languages, Value, extract};
use super::policy::same;
use super::text::{sentence_at, sentence_spans};

/// A figure or a name of a reply, and the sentence of a source that has it too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// Where it stands in the reply, in bytes.
    pub reply: Range<usize>,
    /// Where the sentence stands in the source, in bytes.
    pub sentence: Range<usize>,
}

/// The figures and names of `reply` that `source` has too, each with the first sentence that does.
pub fn matched(reply: &str, source: &str) -> Vec<Matched> {
    let languages = Languages::built_in();
    let Some(lexicon) = languages.of(reply).or_else(|| languages.of(source)) else { return Vec::new() };
    let values = |text: &str| -> Vec<(Range<usize>, Value)> {
        let claims = extract(text, lexicon).into_iter();
        claims.filter_map(|claim| Some((claim.span.clone(), claim.value()?.clone()))).collect()
    };
    let said = values(reply);
    if said.is_empty() {
        return Vec::new();
    }
    let (known, sentences) = (values(source), sentence_spans(source));
    let matches = said.into_iter().filter_map(|(span, value)| {
        let (place, _) = known.iter().find(|(_, other)| same(&value, other))?;
        let Range { start, end } = sentence_at(&sentences, place.start);
        let start = end - source[start..end].trim_start().len();
        Some(Matched { reply: span, sentence: start..start + source[start..end].trim_end().len() })
    });
    matches.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reply: &str, source: &str, want: &[(&str, &str)]) {
        let found = matched(reply, source);
        let found: Vec<_> =
            found.iter().map(|each| (&reply[each.reply.clone()], &source[each.sentence.clone()])).collect();
        assert_eq!(found, want);
    }

    #[test]
    fn the_same_figure_is_found_however_it_is_written() {
        let source = "New goods can be sent back within 30 days. We refund the price within 5–7 working days of arrival. A parcel costs 4.90 EUR.";
        check(
            "Our return window is 30 days. Refunds take 5 to 7 working days, and the parcel costs €4.90.",
            source,
            &[
                ("30 days", "New goods can be sent back within 30 days."),
                ("5 to 7 working days", "We refund the price within 5–7 working days of arrival."),
                ("€4.90", "A parcel costs 4.90 EUR."),
            ],
        );
        check("You have 60 days.", source, &[]);
        check("", "", &[]);
    }
}
