//! The fields a record may have, the other names they go by, and what a wrong name was meant to be.
//!
//! Names are compared exactly. Only ASCII letters are folded when a suggestion is looked for, so no
//! locale has a say.

use std::borrow::Cow;

use probity_core::json::{Json, JsonError, JsonProblem, Object, parse};
use probity_core::label::Fields;
use probity_core::spelling::distance;

/// A field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Id,
    Slice,
    Ticket,
    Turns,
    Reply,
    Variant,
    Reference,
    Confidence,
    Evidence,
    Context,
    Tools,
    Admissible,
    AdmissibleReason,
    KnownPii,
    Time,
    Audience,
    Region,
    Language,
    Metadata,
    Csat,
    Rating,
    Outcome,
    Label,
    Annotator,
}

/// Each accepted name. A field's native name is the first of its names.
pub(super) const NAMES: &[(&str, Field)] = &[
    ("id", Field::Id),
    ("slice", Field::Slice),
    ("intent", Field::Slice),
    ("category", Field::Slice),
    ("ticket", Field::Ticket),
    ("input", Field::Ticket),
    ("question", Field::Ticket),
    ("turns", Field::Turns),
    ("reply", Field::Reply),
    ("response", Field::Reply),
    ("answer", Field::Reply),
    ("output", Field::Reply),
    ("variant", Field::Variant),
    ("reference", Field::Reference),
    ("expected_output", Field::Reference),
    ("ideal", Field::Reference),
    ("confidence", Field::Confidence),
    ("evidence", Field::Evidence),
    ("context", Field::Context),
    ("retrieval_context", Field::Context),
    ("tools", Field::Tools),
    ("tool_calls", Field::Tools),
    ("admissible", Field::Admissible),
    ("admissible_reason", Field::AdmissibleReason),
    ("reason", Field::AdmissibleReason),
    ("known_pii", Field::KnownPii),
    ("time", Field::Time),
    ("audience", Field::Audience),
    ("region", Field::Region),
    ("language", Field::Language),
    ("metadata", Field::Metadata),
    ("csat", Field::Csat),
    ("rating", Field::Rating),
];

/// Names that only a mapping may use: in a record they may be anything, also what this program wrote.
const MAPPED_NAMES: &[(&str, Field)] =
    &[("outcome", Field::Outcome), ("label", Field::Label), ("annotator", Field::Annotator)];

pub(super) const N_FIELDS: usize = 24;

/// What customers said: neither labels nor verdicts.
pub(super) const OUTCOMES: [Field; 3] = [Field::Csat, Field::Rating, Field::Outcome];

impl Field {
    /// The field called `name`, exactly.
    pub(super) fn named(name: &str) -> Option<Field> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
    }

    /// The field that a mapping calls `name`.
    pub(super) fn mapped(name: &str) -> Option<Field> {
        Field::all_names().find(|(known, _)| *known == name).map(|(_, field)| *field)
    }

    /// The names that a mapping may use.
    pub(super) fn all_names() -> impl Iterator<Item = &'static (&'static str, Field)> {
        NAMES.iter().chain(MAPPED_NAMES)
    }

    /// The name used when the record gives none.
    pub(super) fn native(self) -> &'static str {
        let mut names = Field::all_names();
        names.find(|(_, field)| *field == self).map(|(name, _)| *name).expect("each field has a name")
    }

    /// What stands between columns that are joined to give the field.
    pub(super) fn joint(self) -> &'static str {
        match self {
            Field::Id | Field::Slice | Field::Variant | Field::Audience | Field::Region => "/",
            Field::Time => " ",
            _ => "\n\n",
        }
    }
}

/// Names by which a span, a batch of spans or a trace is told, in the forms of its exporters.
const SPAN_NAMES: &[&str] =
    &["resourceSpans", "resource_spans", "traceId", "trace_id", "spanId", "span_id", "attributes", "trace"];

/// The names of one kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// Those of cases.
    Cases,
    /// Those of rows that the caller reads.
    Rows(Fields),
}

impl Vocabulary {
    fn names(self) -> impl Iterator<Item = &'static str> {
        let (of_cases, of_rows) = match self {
            Vocabulary::Cases => (NAMES, None),
            Vocabulary::Rows(fields) => (&[][..], Some(fields)),
        };
        let of_rows = of_rows.into_iter().flat_map(Fields::known);
        of_cases.iter().map(|(name, _)| *name).chain(of_rows)
    }

    /// Whether a record may have this name.
    pub(super) fn knows(self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// Whether an object with this name is a record and not a wrapper around records.
    pub(super) fn is_of_records(self, name: &str) -> bool {
        if self != Vocabulary::Cases {
            return self.knows(name);
        }
        let required = [Field::Id, Field::Ticket, Field::Turns, Field::Reply];
        Field::named(name).is_some_and(|field| required.contains(&field)) || SPAN_NAMES.contains(&name)
    }

    /// Some of the names, for a person.
    pub(super) fn examples(self) -> String {
        match self {
            Vocabulary::Cases => "id, ticket and reply".to_owned(),
            Vocabulary::Rows(_) => self.names().take(3).collect::<Vec<_>>().join(", "),
        }
    }

    /// The warning for an unknown name that is close to a known one.
    pub(super) fn suggestion(self, unknown: &str) -> Option<String> {
        let folded = unknown.to_ascii_lowercase();
        let near = self.names().filter(|known| is_near(&folded, known));
        let known = near.min_by_key(|known| distance(&folded, known))?;
        Some(format!("unknown field '{unknown}': did you mean '{known}'?"))
    }
}

/// What a file calls the fields that a record must have, for records that lack them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileNames {
    pub(super) ticket: &'static str,
    pub(super) reply: &'static str,
}

impl FileNames {
    /// Those that are used where a file has no say.
    pub(super) const NATIVE: FileNames = FileNames { ticket: "ticket", reply: "reply" };

    /// The names that stand first as keys in the beginning of a file, or the native ones. They are for messages alone.
    pub(super) fn of(head: &[u8]) -> FileNames {
        let head = String::from_utf8_lossy(head);
        let first = |field: Field| {
            let names = NAMES.iter().filter(|(_, known)| *known == field);
            let placed = names.filter_map(|(name, _)| Some((key_place(&head, name)?, *name)));
            placed.min().map_or_else(|| field.native(), |(_, name)| name)
        };
        FileNames { ticket: first(Field::Ticket), reply: first(Field::Reply) }
    }
}

/// Where `name` first stands as a key of JSON.
fn key_place(text: &str, name: &str) -> Option<usize> {
    let quoted = format!("\"{name}\"");
    let is_key = |at: &usize| text[at + quoted.len()..].trim_start().starts_with(':');
    text.match_indices(&quoted).map(|(at, _)| at).find(is_key)
}

/// Why a record, or the file it stands in, is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reason {
    pub(super) text: String,
    pub(super) reach: FaultReach,
}

/// How much a fault spoils.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultReach {
    Record,
    /// The text stops before its value does; harmless in the middle of a file, a cut at its end.
    CutRecord,
    File,
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self { text, reach: FaultReach::Record }
    }
}

impl Reason {
    /// The reason for JSON text that cannot be read. `holder` is what the offset counts from.
    pub(super) fn malformed(error: &JsonError, holder: &str) -> Self {
        let reach = match error.problem {
            JsonProblem::TooDeep => FaultReach::File,
            JsonProblem::UnexpectedEnd => FaultReach::CutRecord,
            _ => FaultReach::Record,
        };
        let text = match error.problem {
            JsonProblem::TrailingText => {
                format!("more than one JSON value in {holder}, the second at byte {}", error.offset)
            }
            _ => format!("malformed JSON: {error} of {holder}"),
        };
        Self { text, reach }
    }
}

/// The object that a record is.
pub(super) fn object(text: &str) -> Result<Object, Reason> {
    let value = parse(text).map_err(|error| Reason::malformed(&error, "the record"))?;
    match value {
        Json::Object(object) => Ok(object),
        other => Err(format!("expected an object, found {}", other.kind()).into()),
    }
}

/// One value as the record gives it.
pub(super) struct FieldValue<'a> {
    /// The name it was given under.
    pub(super) name: Cow<'a, str>,
    /// The value.
    pub(super) json: Json,
    /// Whether a person mapped it: what was asked for is not left out.
    pub(super) is_asked: bool,
}

/// The known fields of one record, each at most once.
#[derive(Default)]
pub(super) struct RecordFields<'a> {
    values: [Option<FieldValue<'a>>; N_FIELDS],
    /// The source text of the metadata.
    pub(super) metadata_text: Option<Cow<'a, str>>,
    /// What a mapping calls labels, each with its criterion where that is said.
    pub(super) labels: Vec<(Option<String>, Json)>,
    /// What was left out because it could not be read.
    pub(super) doubts: Vec<String>,
    /// Why there is no reply, where the reader of the record knows.
    pub(super) no_reply: Option<String>,
}

impl<'a> RecordFields<'a> {
    /// Sets a field, unless another name of it was there already. Texts of the context come together.
    pub(super) fn put(
        &mut self,
        field: Field,
        name: impl Into<Cow<'a, str>>,
        json: Json,
    ) -> Result<(), Reason> {
        self.set(field, FieldValue { name: name.into(), json, is_asked: false })
    }

    /// Sets a field that a person mapped.
    pub(super) fn put_asked(&mut self, field: Field, name: String, json: Json) -> Result<(), Reason> {
        self.set(field, FieldValue { name: name.into(), json, is_asked: true })
    }

    fn set(&mut self, field: Field, value: FieldValue<'a>) -> Result<(), Reason> {
        let slot = &mut self.values[field as usize];
        match slot {
            None => *slot = Some(value),
            Some(earlier) if field == Field::Context => {
                let both = [std::mem::replace(&mut earlier.json, Json::Null), value.json];
                earlier.json = Json::Array(both.into_iter().flat_map(listed).collect());
            }
            Some(earlier) => return Err(both_name(&earlier.name, &value.name, field).into()),
        }
        Ok(())
    }

    /// Whether the field was given and is not null.
    pub(super) fn has(&self, field: Field) -> bool {
        self.values[field as usize].as_ref().is_some_and(|value| value.json != Json::Null)
    }

    /// Takes the value of a field out, unless it is null, which says as much as leaving it out.
    pub(super) fn given(&mut self, field: Field) -> Option<FieldValue<'a>> {
        self.take(field).filter(|value| value.json != Json::Null)
    }

    /// Takes the value of a field out.
    pub(super) fn take(&mut self, field: Field) -> Option<FieldValue<'a>> {
        self.values[field as usize].take()
    }
}

/// The items of a list, or the value as its only one; null has none.
fn listed(json: Json) -> Vec<Json> {
    match json {
        Json::Array(items) => items,
        Json::Null => Vec::new(),
        one => vec![one],
    }
}

/// The message for two names of one field.
pub(super) fn both_name(first: &str, second: &str, field: Field) -> String {
    format!("'{first}' and '{second}' both give the '{}' field", field.native())
}

/// Names in common use that are near a known one and mean something else.
const OTHER_WORDS: &[&str] = &["content", "contents", "chat"];

/// Whether one name is likely the other with a typing error. Short names have too many neighbours, and a
/// name that differs in two places must at least begin alike.
fn is_near(folded: &str, known: &str) -> bool {
    if OTHER_WORDS.contains(&folded) || folded.len().abs_diff(known.len()) > 2 {
        return false;
    }
    match distance(folded, known) {
        0 => true,
        1 => known.len() >= 4,
        2 => known.len() >= 6 && folded.as_bytes().first() == known.as_bytes().first(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(unknown: &str, want: Option<&str>) {
        let want = want.map(|known| format!("unknown field '{unknown}': did you mean '{known}'?"));
        assert_eq!(Vocabulary::Cases.suggestion(unknown), want);
    }

    #[test]
    fn d18_a_typing_error_is_told_from_another_name() {
        check("replly", Some("reply"));
        check("rpely", Some("reply"));
        check("tikcte", Some("ticket"));
        for other in ["idx", "content", "model", "dialogue", "", "\u{130}d"] {
            check(other, None);
        }
    }

    #[test]
    fn native_names_are_known() {
        for (name, field) in NAMES {
            assert_eq!(Field::named(name), Some(*field));
            assert_eq!(Field::named(field.native()), Some(*field));
            assert!((*field as usize) < N_FIELDS);
        }
    }
}
