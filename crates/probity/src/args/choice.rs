//! Flags whose values are names: each name with what it means and what it stands for.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use probity_core::calibrate::{Ties, Votes};
use probity_core::compare::{Conflict, Unparsed};
use probity_core::label::NotBlind;
use probity_core::sample::Duplicates;
use probity_engine::config::Structured;
use probity_engine::input::{AgentTurns, Dedup, Encoding};
use probity_engine::review::build::QueueSource;
use probity_engine::run::labelled::LabelScope;

use crate::render::private::Texts;

/// A name, what it means, and the value.
pub(super) type Choice<T> = (&'static str, &'static str, T);

/// How to ask the judge for structured output.
pub(super) const STRUCTURED: &[Choice<Structured>] = &[
    ("auto", "A JSON schema where the host supports it, else any JSON object", Structured::Auto),
    ("schema", "A JSON schema", Structured::Schema),
    ("json_object", "Any JSON object", Structured::JsonObject),
    ("plain", "The prompt alone", Structured::Plain),
];

/// What to do with exact repeats.
pub(super) const DEDUP: &[Choice<Dedup>] = &[
    ("refuse", "Stop with an error", Dedup::Refuse),
    ("identical", "Skip the later one and list it", Dedup::Identical),
];

/// Where conversations of foreign files are judged.
pub(super) const TURNS: &[Choice<AgentTurns>] = &[
    ("last", "The last agent turn", AgentTurns::Last),
    ("each", "Every agent turn that answers a customer, each as a case of its own", AgentTurns::Each),
];

/// What a page holds of texts.
pub(super) const TEXTS: &[Choice<Texts>] = &[
    ("full", "In full", Texts::Full),
    ("masked", "With personal data masked", Texts::Masked),
    ("none", "Not at all", Texts::None),
];

/// How text is encoded.
pub(super) const ENCODING: &[Choice<Encoding>] = &[
    ("utf-8", "UTF-8", Encoding::Utf8),
    ("utf-16le", "UTF-16, little-endian, as Excel writes Unicode text", Encoding::Utf16Le),
    ("utf-16be", "UTF-16, big-endian", Encoding::Utf16Be),
    ("windows-1252", "Western European, as Excel writes CSV", Encoding::Windows1252),
];

/// How a pair counts if its two orders disagree.
pub(super) const CONFLICT: &[Choice<Conflict>] = &[
    ("tie", "As a tie", Conflict::Tie),
    ("drop", "Not at all", Conflict::Drop),
    ("pool", "Each order counts separately", Conflict::Pool),
    ("sum", "A winner and a tie make a win; two different winners make a tie", Conflict::Sum),
];

/// How an invalid verdict counts.
pub(super) const UNPARSED: &[Choice<Unparsed>] = &[
    ("tie", "As a tie", Unparsed::Tie),
    ("drop", "Not at all", Unparsed::Drop),
    ("wrong", "As wrong against labels; not at all in win rates", Unparsed::Wrong),
];

/// What labels of single replies are about.
pub(super) const ABOUT: &[Choice<LabelScope>] = &[
    ("criteria", "The levels of criteria", LabelScope::Criteria),
    ("outcome", "Whether a reply passes", LabelScope::Outcome),
];

/// How several votes on one item count.
pub(super) const VOTES: &[Choice<Votes>] = &[
    ("majority", "As one label: the most frequent vote", Votes::Majority),
    ("pooled", "Each as a label of its own", Votes::Pooled),
];

/// What a tie is worth.
pub(super) const TIES: &[Choice<Ties>] =
    &[("keep", "Like any other verdict", Ties::Keep), ("drop", "Not at all", Ties::Drop)];

/// How labels count if their author had seen a verdict.
pub(super) const NOT_BLIND: &[Choice<NotBlind>] =
    &[("drop", "Not at all", NotBlind::Drop), ("keep", "Like any other label", NotBlind::Keep)];

/// What to do with near-identical tickets.
pub(super) const DUPLICATES: &[Choice<Duplicates>] = &[
    ("represent", "One stands for all: figures are about distinct tickets", Duplicates::Represent),
    ("keep", "Each counts: figures are about replies", Duplicates::Keep),
];

/// Which cases come into a queue.
pub(super) const SOURCE: &[Choice<QueueSource>] = &[
    ("all", "All of them, or a sample", QueueSource::All),
    ("unstable", "Those the judge has no verdict on or contradicts itself about", QueueSource::Unstable),
    ("teach", "The most informative first", QueueSource::Teach),
    ("contract", "Those the contract still needs labels for, by slice", QueueSource::Contract),
];

/// Reads one of the names.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let values = choices.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values).map(move |text| {
        let chosen = choices.iter().find(|(name, ..)| *name == text);
        chosen.expect("the parser takes these names alone").2
    })
}

/// Reads the name of a run.
pub(super) fn run_name(text: &str) -> Result<String, String> {
    probity_core::case::name(text.trim().to_owned(), "--name").map_err(|error| error.to_string())
}

/// Reads a number of calls.
pub(super) fn count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number, 0 or more".to_owned())
}

/// Reads a share.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1, such as 0.8 for 80 %".to_owned())
}
