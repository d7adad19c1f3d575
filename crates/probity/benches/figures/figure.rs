//! A measured figure beside the bar that it has to meet.

use std::fmt;

use serde_json::{Value, json};

/// One figure.
pub(crate) struct Figure {
    what: String,
    seen: Seen,
    bar: Bar,
}

/// What was measured.
enum Seen {
    Value(f64, &'static str),
    /// Nothing, for this reason.
    Skipped(&'static str),
}

/// What a figure must keep.
#[derive(Clone, Copy)]
pub(crate) enum Bar {
    AtMost(f64),
    AtLeast(f64),
    /// Shown beside the others; nothing is asked of it.
    None,
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bar::AtMost(bar) => write!(f, "<= {bar}"),
            Bar::AtLeast(bar) => write!(f, ">= {bar}"),
            Bar::None => f.write_str("-"),
        }
    }
}

impl Figure {
    pub(crate) fn new(what: impl Into<String>, value: f64, unit: &'static str, bar: Bar) -> Figure {
        Figure { what: what.into(), seen: Seen::Value(value, unit), bar }
    }

    /// A figure that cannot be measured here.
    pub(crate) fn skipped(what: impl Into<String>, reason: &'static str, bar: Bar) -> Figure {
        Figure { what: what.into(), seen: Seen::Skipped(reason), bar }
    }

    /// The cells of its row: figure, seen, bar, met.
    pub(crate) fn cells(&self) -> [String; 4] {
        let seen = match self.seen {
            Seen::Value(value, unit) => format!("{value:.3} {unit}"),
            Seen::Skipped(reason) => format!("skipped: {reason}"),
        };
        [self.what.clone(), seen, self.bar.to_string(), self.met().to_owned()]
    }

    pub(crate) fn to_json(&self) -> Value {
        let (value, unit) = match self.seen {
            Seen::Value(value, unit) => (Some(value), Some(unit)),
            Seen::Skipped(_) => (None, None),
        };
        json!({ "figure": self.what, "seen": value, "unit": unit, "bar": self.bar.to_string(), "met": self.met() })
    }

    fn met(&self) -> &'static str {
        match (&self.seen, self.bar) {
            (Seen::Skipped(_), _) | (_, Bar::None) => "-",
            (Seen::Value(value, _), Bar::AtMost(bar)) if *value <= bar => "yes",
            (Seen::Value(value, _), Bar::AtLeast(bar)) if *value >= bar => "yes",
            _ => "NO",
        }
    }
}
