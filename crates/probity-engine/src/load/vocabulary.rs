//! Which names the records of a file may have.

use probity_core::compare::Fields;

use super::field::{Field, suggestion, suggestion_among};

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
