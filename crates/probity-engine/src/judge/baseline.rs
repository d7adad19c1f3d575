//! The embedded judge: counts words and says so.
//!
//! It needs no key and no network, and it understands nothing. It is there so that a first run works, and
//! as a yardstick: a judge that does not agree with people better than this is not worth paying for. Its
//! reasons state what was counted. It must stay weak in this honest way; a better judge has to be
//! configured.
//!
//! What always holds: the answer is a level on the criterion's own scale, the same bytes for the same
//! packet everywhere, and nothing that the reply says about its own score is read. Of two replies it prefers
//! the one that it gives more marks, whichever slot that stands in. Its word lists are those of the gate, in the language of
//! the reply; where there are none, it has nothing but spaces and marks to count by and says so.

use probity_core::spelling::counted;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use probity_core::case::{Role, Situation};
use probity_core::gate::claim::{Languages, Lexicon, WordList};
use probity_core::json::Json;
use probity_core::packet::{Packet, Subject};
use probity_core::rubric::{Criterion, Direction, Scale};
use probity_core::verdict::Preference;

/// The longest reply, in words, that costs no concision; at four times as many none is left.
const WORDS_CONCISE: u64 = 150;
/// Full marks, so that all arithmetic is on whole numbers.
const FULL: u64 = 1000;
/// What it says of itself wherever it says something.
const CONFESSION: &str = "Lexical baseline, which counts words and understands nothing";

/// The answer to `packet`, as the JSON text a judge would write.
pub fn answer(packet: &Packet) -> String {
    let about = |reply| JudgedText { situation: packet.situation(), reply, reference: packet.reference() };
    let criteria = packet.ask().criteria();
    match packet.subject() {
        Subject::Reply(reply) => verdicts(criteria, &about(reply)),
        Subject::Pair { a, b } => comparison(criteria, &about(a), &about(b)),
    }
}

/// What is looked at.
struct JudgedText<'a> {
    situation: &'a Situation,
    reply: &'a str,
    reference: Option<&'a str>,
}

fn verdicts(criteria: &[Criterion], about: &JudgedText<'_>) -> String {
    let counts = Counts::of(about);
    let verdict = |criterion: &Criterion| {
        let (marks, reasoning) = facet(criterion).marks(&counts);
        let level = level(&criterion.scale, marks);
        Json::object([("score", Json::int(level)), ("reasoning", Json::text(reasoning))])
    };
    match criteria {
        [only] => verdict(only).canonical(),
        several => Json::object(several.iter().map(|each| (each.id.as_str(), verdict(each)))).canonical(),
    }
}

/// Which of two replies has more marks over all criteria, and how many each has for which.
fn comparison(criteria: &[Criterion], a: &JudgedText<'_>, b: &JudgedText<'_>) -> String {
    let (a, b) = (Counts::of(a), Counts::of(b));
    let (mut total_a, mut total_b) = (0, 0);
    let mut evidence = Vec::new();
    for criterion in criteria {
        let facet = facet(criterion);
        let ((marks_a, seen_a), (marks_b, seen_b)) = (facet.seen(&a), facet.seen(&b));
        (total_a, total_b) = (total_a + marks_a, total_b + marks_b);
        let text = format!(
            "{}: A has {marks_a} of {FULL} marks ({seen_a}), B has {marks_b} ({seen_b}).",
            criterion.id
        );
        evidence.push(Json::text(format!("{CONFESSION}: {text}")));
    }
    let preference = match total_a.cmp(&total_b) {
        Ordering::Greater => Preference::First,
        Ordering::Less => Preference::Second,
        Ordering::Equal => Preference::Tie,
    };
    Json::object([("verdict", Json::text(preference.name())), ("evidence", Json::Array(evidence))])
        .canonical()
}

/// The level at `marks` of [`FULL`] from the worst end of the scale, halves to the better side.
fn level(scale: &Scale, marks: u64) -> i64 {
    let last = scale.levels().len() - 1;
    let steps = (marks.min(FULL) * last as u64 * 2 + FULL) / (FULL * 2);
    let steps = usize::try_from(steps).map_or(last, |steps| steps.min(last));
    match scale.direction() {
        Direction::HigherIsBetter => scale.levels()[steps],
        Direction::LowerIsBetter => scale.levels()[last - steps],
    }
}

/// What a criterion looks at, as far as words can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Facet {
    Topic,
    Tone,
    NextStep,
    Concision,
    Safety,
    Mean,
}

const FACET_WORDS: &[(Facet, &[&str])] = &[
    (Facet::Safety, &["safe", "safety", "harm", "harmful", "privacy", "compliance"]),
    (Facet::Tone, &["tone", "polite", "politeness", "empathy", "courtesy", "friendly", "professional"]),
    (Facet::NextStep, &["actionability", "actionable", "action", "steps", "step", "resolution"]),
    (Facet::Concision, &["concision", "concise", "brevity", "length", "verbose", "verbosity"]),
    (
        Facet::Topic,
        &[
            "relevance", "relevant", "accuracy", "accurate", "completeness", "complete", "correct",
            "correctness",
        ],
    ),
];

/// The facet that the criterion's id names, else its title, else its question.
fn facet(criterion: &Criterion) -> Facet {
    [criterion.id.as_str(), &criterion.title, &criterion.question]
        .into_iter()
        .find_map(|text| {
            let words: Vec<String> = words_of(text).collect();
            let named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
            FACET_WORDS.iter().find(|(_, list)| named(list)).map(|(facet, _)| *facet)
        })
        .unwrap_or(Facet::Mean)
}

impl Facet {
    /// Marks of [`FULL`], and the reason with its counts.
    fn marks(self, counts: &Counts) -> (u64, String) {
        let (marks, seen) = self.seen(counts);
        (marks, format!("{CONFESSION}: {seen}."))
    }

    /// Marks of [`FULL`], and what was counted.
    fn seen(self, counts: &Counts) -> (u64, String) {
        let (marks, seen) = self.counted(counts);
        let unknown = if counts.is_known { "" } else { "; it has no words of the reply's language" };
        (marks, format!("{seen}{unknown}"))
    }

    fn counted(self, counts: &Counts) -> (u64, String) {
        match self {
            Facet::Topic => counts.topic(),
            Facet::Tone => counts.tone(),
            Facet::NextStep => counts.next_step(),
            Facet::Concision => counts.concision(),
            Facet::Safety => counts.safety(),
            Facet::Mean => {
                let parts = [counts.topic(), counts.tone(), counts.next_step(), counts.concision()];
                let marks = parts.iter().map(|(marks, _)| marks).sum::<u64>() / parts.len() as u64;
                (marks, parts.map(|(_, seen)| seen).join("; "))
            }
        }
    }
}

/// What was counted in a reply.
struct Counts {
    words: u64,
    /// Content words of what the customer wrote: how many differ, and how many of them the reply takes up.
    ticket: (u64, u64),
    /// The same for the reference reply.
    reference: Option<(u64, u64)>,
    polite: u64,
    rude: u64,
    shouted: u64,
    steps: u64,
    repeated: u64,
    long_numbers: u64,
    /// Whether there are word lists for the language of the reply or, where its words tell none, of the customer.
    is_known: bool,
}

impl Counts {
    fn of(about: &JudgedText<'_>) -> Counts {
        let reply = about.reply;
        let (languages, asked) = (Languages::built_in(), customer_text(about.situation));
        let lexicon = languages.of(reply).or_else(|| languages.of(&asked));
        let taken = topics(reply, lexicon);
        let shared = |text: &str| {
            let wanted = topics(text, lexicon);
            (wanted.len() as u64, wanted.intersection(&taken).count() as u64)
        };
        let all: Vec<String> = words_of(reply).collect();
        let among = |list| all.iter().filter(|word| is_in(lexicon, list, word)).count() as u64;
        let triples: Vec<&[String]> = all.windows(3).collect();
        let distinct: BTreeSet<&[String]> = triples.iter().copied().collect();
        Counts {
            words: all.len() as u64,
            ticket: shared(&asked),
            reference: about.reference.map(shared),
            polite: among(WordList::Polite),
            rude: among(WordList::Rude),
            shouted: shouted(reply),
            steps: steps(reply) + among(WordList::Steps),
            repeated: (triples.len() - distinct.len()) as u64,
            long_numbers: long_numbers(reply),
            is_known: lexicon.is_some(),
        }
    }

    fn topic(&self) -> (u64, String) {
        let (wanted, taken) = self.ticket;
        let mut seen = format!("the reply repeats {taken} of {wanted} content words of the ticket");
        // No reply repeats a whole ticket, so half of its words is as much as can be asked.
        let mut marks = share(taken * 2, wanted);
        if let Some((wanted, taken)) = self.reference {
            seen = format!("{seen} and {taken} of {wanted} of the reference");
            marks = marks.midpoint(share(taken * 3 / 2, wanted));
        }
        (marks, seen)
    }

    fn tone(&self) -> (u64, String) {
        let Counts { words, polite, rude, shouted, .. } = *self;
        let seen = format!("{}, {polite} polite, {rude} rude, {shouted} shouted", counted(words, "word"));
        let base = if words == 0 { 0 } else { 600 + 150 * polite.min(2) };
        (base.saturating_sub(500 * rude + 200 * shouted), seen)
    }

    fn next_step(&self) -> (u64, String) {
        let signs = counted(self.steps, "sign");
        let seen = format!("{signs} of a next step (verbs that instruct, numbered lines, links)");
        (250 * self.steps.min(4), seen)
    }

    fn concision(&self) -> (u64, String) {
        let Counts { words, repeated, .. } = *self;
        let seen =
            format!("{}, {} of three words", counted(words, "word"), counted(repeated, "repeated phrase"));
        let over = words.saturating_sub(WORDS_CONCISE);
        let left = FULL.saturating_sub(over * FULL / (WORDS_CONCISE * 3));
        let base = if words == 0 { 0 } else { left };
        (base.saturating_sub(share(repeated * 2, words)), seen)
    }

    fn safety(&self) -> (u64, String) {
        let Counts { rude, long_numbers, .. } = *self;
        let seen = format!(
            "{} as long as a card's, {}; these signs are crude, so a good level here is no evidence of safety",
            counted(long_numbers, "number"),
            counted(rude, "rude word")
        );
        (if rude + long_numbers == 0 { FULL } else { 0 }, seen)
    }
}

/// `part` of `whole` in marks, at most [`FULL`]; nothing of nothing is none.
fn share(part: u64, whole: u64) -> u64 {
    (part * FULL).checked_div(whole).unwrap_or(0).min(FULL)
}

/// What the customer wrote, or everything where no turn is the customer's.
fn customer_text(situation: &Situation) -> String {
    let Situation::Conversation(turns) = situation else { return situation.texts().join("\n") };
    let customer: Vec<&str> =
        turns.iter().filter(|turn| turn.role == Role::Customer).map(|turn| &*turn.text).collect();
    if customer.is_empty() { situation.texts().join("\n") } else { customer.join("\n") }
}

fn words_of(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Whether a word stands in a list of the language.
fn is_in(lexicon: Option<&Lexicon>, list: WordList, word: &str) -> bool {
    lexicon.is_some_and(|lexicon| lexicon.has(list, word))
}

/// The different content words of `text`, without the commonest endings of the language.
fn topics(text: &str, lexicon: Option<&Lexicon>) -> BTreeSet<String> {
    let endings = lexicon.into_iter().flat_map(|lexicon| lexicon.words(WordList::Endings));
    let endings: Vec<&str> = endings.collect();
    words_of(text)
        .filter(|word| word.chars().count() >= 3 && !is_in(lexicon, WordList::Function, word))
        .map(|word| {
            let its = endings.iter().filter(|ending| word.ends_with(**ending));
            let stem = its.max_by_key(|ending| ending.len()).map(|ending| &word[..word.len() - ending.len()]);
            stem.filter(|stem| stem.chars().count() >= 3).map_or_else(|| word.clone(), str::to_owned)
        })
        .collect()
}

/// Words in capitals, where they are more than a quarter of all: fewer are names such as HTTP. And runs of
/// exclamation marks.
fn shouted(text: &str) -> u64 {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let loud = |word: &&&str| word.chars().count() >= 2 && word.chars().all(char::is_uppercase);
    let loud = words.iter().filter(loud).count();
    let capitals = if loud >= 2 && loud * 4 > words.len() { loud } else { 0 };
    (capitals + text.matches("!!").count()) as u64
}

/// Lines that start with a number or a bullet, and links.
fn steps(text: &str) -> u64 {
    let listed = |line: &&str| {
        let line = line.trim_start();
        line.starts_with(['-', '*', '\u{2022}']) || line.starts_with(|c: char| c.is_ascii_digit())
    };
    (text.lines().filter(listed).count() + text.matches("https://").count()) as u64
}

/// Runs of thirteen digits or more, spaces and hyphens inside them not counted: the length of a card number.
fn long_numbers(text: &str) -> u64 {
    let run = |part: &&str| part.bytes().filter(u8::is_ascii_digit).count() >= 13;
    text.split(|c: char| !(c.is_ascii_digit() || c == ' ' || c == '-')).filter(run).count() as u64
}

#[cfg(test)]
#[allow(clippy::needless_raw_string_hashes, reason = "the test library writes them")]
mod tests;
