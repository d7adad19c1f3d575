//! What should make a person look twice at a verdict. Nothing here changes a level.
//!
//! The tables are small and English where they hold words: a suspicion is a hint for the review sample, and
//! a missed one costs nothing. What counts is that a plain verdict raises none.

use std::collections::BTreeSet;

use super::favoured::favoured;
use super::repair::{Suspicion, Suspicions};
use super::words::{Sentence, WordTable, own_words, sentences};
use super::{CriterionScore, Preference, Preferred, Statement};
use crate::packet::Packet;
use crate::rubric::Criterion;

/// Phrases that leave nothing good, in lower case.
pub(super) const DAMNING: WordTable = WordTable(
    "fails all, fails every, fails on all, fails on every, fails completely, fails entirely, completely \
    fails, entirely fails, totally fails, completely wrong, entirely wrong, totally wrong, completely \
    irrelevant, entirely irrelevant, totally irrelevant, completely useless, entirely useless, worst \
    possible, meets none of, meets no criteria, nothing good about, no redeeming",
);

/// Phrases that leave nothing to be wished for, in lower case.
pub(super) const PRAISING: WordTable = WordTable(
    "meets all criteria, meets every criterion, meets all the criteria, meets all of the criteria, \
    perfect in every, excellent in every, flawless, could not be better, couldn't be better, best \
    possible reply, best possible response, nothing to improve, perfect score, perfectly answers, \
    absolutely perfect, fully deserves the highest",
);

/// Words that turn a phrase round when one of them stands among the three words before it.
pub(super) const NEGATIONS: WordTable = WordTable(
    "not, no, never, neither, nor, hardly, barely, without, isn't, doesn't, don't, didn't, wasn't, far, \
    nearly, almost, would, if",
);

/// What [`folded`] takes for a double quote.
const QUOTES: [char; 4] = ['"', '\u{201c}', '\u{201d}', '\u{201e}'];

/// Quotations shorter than this prove nothing.
const QUOTED_WORDS_MIN: usize = 4;
/// Quotations looked up per reasoning.
const QUOTATIONS_MAX: usize = 64;
/// Letters below which a text has no script to speak of.
const LETTERS_MIN: usize = 12;

/// What is suspicious about `statement`.
pub(super) fn suspicions(statement: &Statement, packet: &Packet) -> Suspicions {
    let mut seen = Suspicions::new();
    let of = |score: &CriterionScore| packet.ask().criterion(&score.criterion);
    let contradicts = match statement {
        Statement::Levels(scores) | Statement::Failing { scores, .. } => {
            scores.iter().any(|score| of(score).is_some_and(|criterion| is_contradiction(score, criterion)))
        }
        Statement::Preference(preferred) => speaks_for_another(preferred),
    };
    if contradicts {
        seen.insert(Suspicion::Contradiction);
    }
    let words = statement.words();
    if cites_what_is_not_there(&words, packet) {
        seen.insert(Suspicion::UnsupportedEvidence);
    }
    if is_other_script(&words, packet) {
        seen.insert(Suspicion::OtherScript);
    }
    seen
}

/// Lower case, single spaces, straight quotes: what two people would call the same words.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        for c in word.chars() {
            match c {
                '\u{2018}' | '\u{2019}' => out.push('\''),
                '\u{201c}' | '\u{201d}' | '\u{201e}' => out.push('"'),
                c if c.is_ascii() => out.push(c.to_ascii_lowercase()),
                c => out.extend(c.to_lowercase()),
            }
        }
    }
    out
}

fn is_contradiction(score: &CriterionScore, criterion: &Criterion) -> bool {
    let phrases = if score.level == criterion.scale.best() {
        if !score.violations.is_empty() {
            return true;
        }
        DAMNING
    } else if score.level == criterion.scale.worst() {
        PRAISING
    } else {
        return false;
    };
    let is_said = |words: &Sentence, at: usize| {
        phrases.begins(&words[at..])
            && !words[at.saturating_sub(3)..at].iter().any(|word| NEGATIONS.has(word))
    };
    let sentences = sentences(&own_words(&folded(&score.reasoning)));
    sentences.iter().any(|words| (0..words.len()).any(|at| is_said(words, at)))
}

/// Whether the evidence speaks outright for another verdict. A tie may rest on praise of both slots.
fn speaks_for_another(preferred: &Preferred) -> bool {
    let favoured: BTreeSet<Preference> =
        preferred.evidence().iter().flat_map(|text| favoured(text)).collect();
    match preferred.preference() {
        Preference::NeedsHumanReview => false,
        Preference::Tie => favoured.len() == 1 && !favoured.contains(&Preference::Tie),
        slot => favoured.iter().any(|each| *each != slot),
    }
}

fn cites_what_is_not_there(words: &[&str], packet: &Packet) -> bool {
    let quoted: Vec<String> = words.iter().flat_map(|text| quotations(text)).collect();
    if quoted.is_empty() {
        return false;
    }
    let mut texts = packet.texts();
    for criterion in packet.ask().criteria() {
        texts.extend([criterion.title.as_str(), &criterion.question]);
        texts.extend([&criterion.tie, &criterion.better].into_iter().flatten().map(String::as_str));
        texts.extend(criterion.anchors.iter().map(|anchor| anchor.text.as_str()));
        texts.extend(criterion.violations.iter().map(|violation| violation.text.as_str()));
        texts.extend(criterion.outside.iter().map(String::as_str));
    }
    let texts: Vec<String> = texts.into_iter().map(folded).collect();
    quoted.iter().any(|quotation| !texts.iter().any(|text| text.contains(quotation.as_str())))
}

/// The passages in double quotes that are long enough to look up, folded, cut where the judge left words out.
fn quotations(reasoning: &str) -> Vec<String> {
    if !reasoning.contains(QUOTES) {
        return Vec::new();
    }
    let text = folded(reasoning);
    let passages = text.split('"').skip(1).step_by(2);
    // An odd number of quotes leaves a last passage that does not end.
    let closed = text.matches('"').count() / 2;
    let pieces = passages
        .take(closed)
        .flat_map(|passage| passage.split("...").flat_map(|part| part.split('\u{2026}')));
    let edges = |c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '[' | ']');
    pieces
        .map(|piece| piece.trim_matches(edges).to_owned())
        .filter(|piece| piece.split(' ').count() >= QUOTED_WORDS_MIN)
        .take(QUOTATIONS_MAX)
        .collect()
}

/// Whether the reasoning is in a script of neither the customer's and agent's texts nor the criteria.
fn is_other_script(words: &[&str], packet: &Packet) -> bool {
    let Some(reasoning) = dominant_script(words.iter().copied()) else {
        return false;
    };
    let mut texts = packet.situation().texts();
    texts.extend(packet.subject().replies());
    let criteria = packet.ask().criteria().iter();
    let asked = criteria.flat_map(|criterion| {
        [criterion.title.as_str(), &criterion.question]
            .into_iter()
            .chain(criterion.anchors.iter().map(|a| a.text.as_str()))
    });
    match dominant_script(texts.into_iter()) {
        Some(script) => script != reasoning && dominant_script(asked) != Some(reasoning),
        None => false,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    Hebrew,
    /// Han, Kana and Hangul, which are written together.
    EastAsian,
    Devanagari,
}

/// First and last code point of the blocks in use, and the script they belong to.
const SCRIPTS: &[(u32, u32, Script)] = &[
    (0x41, 0x5a, Script::Latin),
    (0x61, 0x7a, Script::Latin),
    (0xc0, 0x24f, Script::Latin),
    (0x370, 0x3ff, Script::Greek),
    (0x400, 0x52f, Script::Cyrillic),
    (0x590, 0x5ff, Script::Hebrew),
    (0x600, 0x6ff, Script::Arabic),
    (0x750, 0x77f, Script::Arabic),
    (0x900, 0x97f, Script::Devanagari),
    (0x1100, 0x11ff, Script::EastAsian),
    (0x1e00, 0x1eff, Script::Latin),
    (0x1f00, 0x1fff, Script::Greek),
    (0x3040, 0x30ff, Script::EastAsian),
    (0x3400, 0x4dbf, Script::EastAsian),
    (0x4e00, 0x9fff, Script::EastAsian),
    (0xac00, 0xd7af, Script::EastAsian),
    (0xfb50, 0xfdff, Script::Arabic),
    (0xfe70, 0xfeff, Script::Arabic),
    (0x20000, 0x2fa1f, Script::EastAsian),
];

/// The script of more than half of the letters, if there are enough of them.
fn dominant_script<'a>(texts: impl Iterator<Item = &'a str>) -> Option<Script> {
    let mut counts = [0_usize; SCRIPTS.len()];
    for text in texts {
        // The first two rows of the table are the letters of ASCII, whose case does not matter here.
        counts[0] += text.bytes().filter(u8::is_ascii_alphabetic).count();
        if text.is_ascii() {
            continue;
        }
        for c in text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()) {
            let code = u32::from(c);
            if let Some(at) = SCRIPTS.iter().position(|(first, last, _)| (*first..=*last).contains(&code)) {
                counts[at] += 1;
            }
        }
    }
    let of = |script: Script| {
        SCRIPTS.iter().zip(counts).filter(|((.., each), _)| *each == script).map(|(_, n)| n).sum::<usize>()
    };
    let total: usize = counts.iter().sum();
    let mut scripts = SCRIPTS.iter().map(|(.., script)| *script);
    scripts.find(|script| total >= LETTERS_MIN && of(*script) * 2 > total)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[track_caller]
    fn check(level: i64, reasoning: &str, want: &str) {
        let reply = "Your parcel will arrive within 5 working days. We\u{2019}re  sorry for the delay.";
        let packet = fixture::packet(&["tone"], reply);
        let criterion = packet.ask().criteria()[0].id.clone();
        let scores = vec![CriterionScore {
            criterion,
            level,
            reasoning: reasoning.to_owned(),
            violations: Vec::new(),
        }];
        let statement = Statement::Levels(scores);
        let names: Vec<&str> = suspicions(&statement, &packet).iter().map(|seen| seen.name()).collect();
        assert_eq!(names.join(","), want, "{reasoning}");
    }

    #[test]
    fn f85_total_blame_beside_the_best_level() {
        check(5, "The reply fails all criteria.", "contradiction");
        check(5, "It is COMPLETELY\n wrong.", "contradiction");
        check(4, "The reply fails all criteria.", "");
        check(5, "The reply does not fail; it never fails all criteria.", "");
        check(5, "The customer wrote \"this is completely wrong\" and got help.", "unsupported_evidence");
        check(5, "Warm and clear.", "");
    }

    #[test]
    fn f85_total_praise_beside_the_worst_level() {
        check(1, "A flawless reply.", "contradiction");
        check(1, "The tone is far from flawless.", "");
        check(5, "A flawless reply.", "");
    }

    #[test]
    fn f86_quotations_are_looked_up() {
        check(4, "It says \"will arrive within 5 Working  days\".", "");
        check(4, "It says \u{201c}we're sorry for the delay.\u{201d}", "");
        check(4, "It says \"your parcel will arrive \u{2026} sorry for the delay\".", "");
        check(4, "It says \"we will refund you today\".", "unsupported_evidence");
        check(4, "It says \"within two days\" and 5\" is an inch sign.", "");
        check(4, "\"How good is the tone of the reply?\" was asked.", "");
        check(4, "It never closes \"a quotation of many words", "");
    }

    #[test]
    fn f84_another_script() {
        check(
            4,
            "\u{41e}\u{442}\u{432}\u{435}\u{442} \u{432}\u{435}\u{436}\u{43b}\u{438}\u{432}\u{44b}\u{439}",
            "other_script",
        );
        check(4, "\u{4e2d}\u{6587}", "");
        check(4, "Sch\u{f6}n und h\u{f6}flich formuliert", "");
    }

    #[test]
    fn f86_marks_at_the_edges_of_a_quotation_are_not_looked_up() {
        check(4, "It says \"sorry for the delay,\" and means it.", "");
    }

    #[test]
    fn f84_reasoning_in_the_script_of_the_question() {
        let russian =
            "\u{41e}\u{442}\u{432}\u{435}\u{442} \u{432}\u{435}\u{436}\u{43b}\u{438}\u{432}\u{44b}\u{439}";
        let packet = fixture::packet_of(vec![fixture::criterion("tone", &[1, 5])], russian, russian);
        assert!(!is_other_script(&["Warm and clear."], &packet));
    }

    #[test]
    fn f84_a_script_is_that_of_more_than_half_of_at_least_twelve_letters() {
        let script = |latin: usize, greek: usize| {
            let text = "a".repeat(latin) + &"\u{3b1}".repeat(greek);
            dominant_script(std::iter::once(text.as_str()))
        };
        assert_eq!(script(11, 0), None);
        assert_eq!(script(12, 0), Some(Script::Latin));
        assert_eq!(script(6, 6), None);
        assert_eq!(script(7, 6), Some(Script::Latin));
        assert_eq!(script(6, 7), Some(Script::Greek));
    }
}
