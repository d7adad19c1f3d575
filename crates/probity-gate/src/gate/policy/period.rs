//! When a version is in force: from a moment, until another.
//!
//! Days are days in UTC unless the text says otherwise. A version that names no end is in force until a
//! later one begins; that is decided where versions are compared, not here.

use crate::case::{Moment, NotAMoment};

/// From a moment on, up to and without another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first moment; absent where it has always been in force.
    pub from: Option<Moment>,
    /// The first moment at which it is no longer in force; absent where no end is written.
    pub until: Option<Moment>,
}

impl Period {
    /// Whether it has begun and not ended.
    pub fn contains(&self, at: Moment) -> bool {
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at < until)
    }

    /// Whether it ends before it begins.
    pub(super) fn is_empty(&self) -> bool {
        matches!((self.from, self.until), (Some(from), Some(until)) if until <= from)
    }
}

/// The first moment after what `text` names: a day without a time is in force to its end.
pub(super) fn end(text: &str) -> Result<Moment, NotAMoment> {
    let moment: Moment = text.parse()?;
    let is_a_day = text.trim().len() == "2026-04-01".len();
    Ok(if is_a_day { moment.next_day() } else { moment })
}
