//! The tables of a store, and how their rows are told apart wherever they are.

/// A table, and how its rows are told apart wherever they are.
pub(super) struct CopiedTable {
    pub(super) name: &'static str,
    /// Its columns but the number, with the table that a number in them is of.
    pub(super) columns: &'static [(&'static str, ColumnType)],
    /// How many of the columns, from the first on, say what a row is.
    pub(super) n_key: usize,
    /// Whether rows have numbers.
    pub(super) has_id: bool,
    /// What becomes of a row that is there with other values.
    pub(super) differing: Differing,
}

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnType {
    Int,
    Text,
    Blob,
    /// A number of a row in this table.
    Ref(&'static str),
}

/// What becomes of a row that is there with other values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Differing {
    /// It stays as it is.
    Stays,
    /// It stays, and the other is listed.
    Listed,
    /// These columns take the values of the copied row where they say more.
    Fills(&'static [&'static str]),
}

use self::ColumnType::{Blob, Int, Ref, Text};
use self::Differing::{Fills, Listed, Stays};

impl ColumnType {
    /// The type of the column in a table of given rows.
    pub(super) fn sql(self) -> &'static str {
        match self {
            Int | Ref(_) => "BIGINT",
            Text => "TEXT",
            Blob => "BYTEA",
        }
    }
}

impl CopiedTable {
    /// The names of its columns.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.columns.iter().map(|(name, _)| *name).collect()
    }

    /// Its columns in a table of given rows, behind `at`, the place of a row.
    pub(super) fn rows(&self) -> String {
        let columns: Vec<String> =
            self.columns.iter().map(|(name, kind)| format!("{name} {}", kind.sql())).collect();
        format!("{{rows(at BIGINT, {})}}", columns.join(", "))
    }
}

/// All tables that are copied, those that others refer to first.
pub(super) const TABLES: &[CopiedTable] = &[
    CopiedTable {
        name: "note",
        columns: &[("key", Text), ("value", Text)],
        n_key: 1,
        has_id: false,
        differing: Listed,
    },
    CopiedTable {
        name: "text",
        columns: &[("hash", Blob), ("body", Text)],
        n_key: 1,
        has_id: true,
        differing: Stays,
    },
    CopiedTable {
        name: "judge",
        columns: &[("hash", Text), ("identity", Text)],
        n_key: 1,
        has_id: true,
        differing: Listed,
    },
    CopiedTable {
        name: "case_list",
        columns: &[("key", Text), ("n", Int)],
        n_key: 1,
        has_id: true,
        differing: Fills(&["n"]),
    },
    CopiedTable {
        name: "case_record",
        columns: &[("list", Ref("case_list")), ("n", Int), ("body", Text)],
        n_key: 2,
        has_id: false,
        differing: Stays,
    },
    CopiedTable {
        name: "run",
        columns: &[
            ("name", Text),
            ("parts", Text),
            ("body", Text),
            ("state", Text),
            ("spec", Ref("text")),
            ("cases", Ref("case_list")),
            ("invocation", Text),
            ("outcome", Text),
            ("document", Ref("text")),
        ],
        n_key: 2,
        has_id: true,
        differing: Fills(&["spec", "cases", "invocation", "outcome", "document"]),
    },
    CopiedTable {
        name: "budget",
        columns: &[("key", Text), ("calls_max", Int), ("picodollars_max", Int)],
        n_key: 1,
        has_id: true,
        differing: Fills(&["calls_max", "picodollars_max"]),
    },
    CopiedTable {
        name: "batch",
        columns: &[
            ("tag", Text),
            ("run", Ref("run")),
            ("budget", Ref("budget")),
            ("judge", Ref("judge")),
            ("account", Text),
            ("provider_id", Text),
            ("state", Text),
            ("calls", Int),
            ("spent_picodollars", Int),
            ("body", Text),
        ],
        n_key: 1,
        has_id: true,
        differing: Stays,
    },
    CopiedTable {
        name: "packet",
        columns: &[("hash", Blob), ("body", Text)],
        n_key: 1,
        has_id: true,
        differing: Stays,
    },
];

/// The tables of people, labels and the review room.
pub(super) const ROOM: &[CopiedTable] = &[
    CopiedTable {
        name: "label",
        columns: &[("subject", Text), ("revision", Int), ("body", Text)],
        n_key: 2,
        has_id: true,
        differing: Listed,
    },
    CopiedTable {
        name: "person",
        columns: &[("name", Text), ("role", Text), ("state", Text)],
        n_key: 1,
        has_id: true,
        differing: Stays,
    },
    CopiedTable {
        name: "invitation",
        columns: &[("hash", Blob), ("person", Ref("person")), ("expires", Int), ("used", Int)],
        n_key: 1,
        has_id: false,
        differing: Fills(&["used"]),
    },
    CopiedTable {
        name: "session",
        columns: &[
            ("hash", Blob),
            ("person", Ref("person")),
            ("created", Int),
            ("seen", Int),
            ("ended", Int),
            ("kind", Text),
            ("client", Text),
        ],
        n_key: 1,
        has_id: false,
        differing: Fills(&["ended"]),
    },
    CopiedTable {
        name: "queue",
        columns: &[("name", Text), ("digest", Text), ("overlap", Int), ("body", Text)],
        n_key: 1,
        has_id: true,
        differing: Listed,
    },
    CopiedTable {
        name: "item",
        columns: &[
            ("queue", Ref("queue")),
            ("key", Text),
            ("n", Int),
            ("slice", Text),
            ("shown", Text),
            ("hidden", Text),
        ],
        n_key: 2,
        has_id: true,
        differing: Stays,
    },
    CopiedTable {
        name: "seat",
        columns: &[("item", Ref("item")), ("person", Ref("person")), ("state", Text), ("at", Int)],
        n_key: 2,
        has_id: false,
        differing: Stays,
    },
    CopiedTable {
        name: "act",
        columns: &[
            ("item", Ref("item")),
            ("person", Ref("person")),
            ("kind", Text),
            ("at", Int),
            ("body", Text),
            ("note", Text),
            ("cause", Text),
            ("sight", Text),
        ],
        n_key: 5,
        has_id: true,
        differing: Stays,
    },
    CopiedTable {
        name: "door_act",
        columns: &[("person", Ref("person")), ("kind", Text), ("at", Int), ("about", Text), ("client", Text)],
        n_key: 5,
        has_id: true,
        differing: Stays,
    },
    CopiedTable {
        name: "sight",
        columns: &[("person", Ref("person")), ("reply", Text), ("kind", Text)],
        n_key: 3,
        has_id: false,
        differing: Stays,
    },
    CopiedTable {
        name: "taken_back",
        columns: &[("person", Ref("person")), ("subject", Text), ("revision", Int), ("counts", Int)],
        n_key: 3,
        has_id: false,
        differing: Stays,
    },
];
