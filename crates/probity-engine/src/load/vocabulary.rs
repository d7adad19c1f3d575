//! Which names the records of a file may have.

use super::field::{Field, suggestion, suggestion_among};

/// The names of one kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// Those of cases.
    Cases,
    /// Those of rows that somebody else reads.
    Rows(&'static [&'static str]),
}

impl Vocabulary {
    /// Whether a record may have this name.
    pub(super) fn knows(self, name: &str) -> bool {
        match self {
            Vocabulary::Cases => Field::named(name).is_some(),
            Vocabulary::Rows(known) => known.contains(&name),
        }
    }

    /// Some of the names, for a person.
    pub(super) fn examples(self) -> String {
        match self {
            Vocabulary::Cases => "id, ticket and reply".to_owned(),
            Vocabulary::Rows(known) => known.iter().take(3).copied().collect::<Vec<_>>().join(", "),
        }
    }

    /// The warning for an unknown name that is close to a known one.
    pub(super) fn suggestion(self, unknown: &str) -> Option<String> {
        match self {
            Vocabulary::Cases => suggestion(unknown),
            Vocabulary::Rows(known) => suggestion_among(unknown, known.iter().copied()),
        }
    }
}
