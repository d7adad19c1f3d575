//! Which names the records of a file may have.

use super::field::{Field, suggestion, suggestion_among};
use probity_core::label::Fields;

/// Names by which a span or a batch of spans is told, in the forms of its exporters.
const SPAN_NAMES: &[&str] =
    &["resourceSpans", "resource_spans", "traceId", "trace_id", "spanId", "span_id", "attributes"];

/// The names of one kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// Those of cases.
    Cases,
    /// Those of rows that somebody else reads.
    Rows(Fields),
}

impl Vocabulary {
    /// Whether a record may have this name.
    pub(super) fn knows(self, name: &str) -> bool {
        match self {
            Vocabulary::Cases => Field::named(name).is_some(),
            Vocabulary::Rows(fields) => fields.known().any(|known| known == name),
        }
    }

    /// Whether an object with this name is a record and not a wrapper around records.
    pub(super) fn is_of_records(self, name: &str) -> bool {
        match self {
            Vocabulary::Cases => {
                let field = Field::named(name);
                let required = [Field::Id, Field::Ticket, Field::Turns, Field::Reply];
                field.is_some_and(|field| required.contains(&field)) || SPAN_NAMES.contains(&name)
            }
            Vocabulary::Rows(fields) => fields.known().any(|known| known == name),
        }
    }

    /// Some of the names, for a person.
    pub(super) fn examples(self) -> String {
        match self {
            Vocabulary::Cases => "id, ticket and reply".to_owned(),
            Vocabulary::Rows(fields) => fields.known().take(3).collect::<Vec<_>>().join(", "),
        }
    }

    /// The warning for an unknown name that is close to a known one.
    pub(super) fn suggestion(self, unknown: &str) -> Option<String> {
        match self {
            Vocabulary::Cases => suggestion(unknown),
            Vocabulary::Rows(fields) => suggestion_among(unknown, fields.known()),
        }
    }
}
