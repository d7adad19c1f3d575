//! Which reply of one run is paired with which reply of the other.
//!
//! Where a variant is in both runs, the same variant's replies to the same case are a pair. Where none is, the
//! runs are about two variants of the same cases, and the case alone makes the pair.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::difference::Incomparable;
use crate::results::{ResultRow, RunResults};

crate::named! {
    /// What makes two replies a pair.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PairedBy {
        /// The same case and the same variant.
        CaseAndVariant = "id_and_variant",
        /// The same case; the runs name no variant, or share none.
        Case = "id",
    }
}

/// The same case before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Pair<'a> {
    /// In the first run.
    pub before: &'a ResultRow,
    /// In the second run.
    pub after: &'a ResultRow,
}

impl<'a> Pair<'a> {
    /// The slice, where both runs say the same.
    pub fn slice(&self) -> Option<Option<&'a str>> {
        (self.before.slice == self.after.slice).then_some(self.before.slice.as_deref())
    }

    /// Whether outcome, total or a level differs.
    pub fn differs(&self) -> bool {
        let (before, after) = (self.before, self.after);
        let n = before.criteria.0.len().max(after.criteria.0.len());
        before.outcome != after.outcome
            || before.total != after.total
            || (0..n).any(|place| before.level(place) != after.level(place))
    }

    /// Whether the outcome differs.
    pub fn flipped(&self) -> bool {
        self.before.outcome != self.after.outcome
    }
}

/// All replies of two runs.
pub(super) struct Paired<'a> {
    pub(super) by: PairedBy,
    pub(super) pairs: Vec<Pair<'a>>,
    pub(super) only_before: Vec<&'a ResultRow>,
    pub(super) only_after: Vec<&'a ResultRow>,
}

/// A case, and a variant where that counts.
type Key<'a> = (&'a str, Option<&'a str>);

pub(super) fn paired<'a>(before: &'a RunResults, after: &'a RunResults) -> Result<Paired<'a>, Incomparable> {
    let variants = |run: &'a RunResults| -> BTreeSet<Option<&'a str>> {
        run.results.iter().map(|row| row.variant.as_deref()).collect()
    };
    let (one, other) = (variants(before), variants(after));
    let named = one.union(&other).any(Option::is_some);
    let by = if named && !one.is_disjoint(&other) { PairedBy::CaseAndVariant } else { PairedBy::Case };
    let key = |row: &'a ResultRow| -> Key<'a> {
        (&row.id, if by == PairedBy::Case { None } else { row.variant.as_deref() })
    };
    let (firsts, seconds) = (by_key(before, key, by)?, by_key(after, key, by)?);
    let (mut pairs, mut only_before) = (Vec::new(), Vec::new());
    for row in &before.results {
        match seconds.get(&key(row)) {
            Some(after) => pairs.push(Pair { before: row, after }),
            None => only_before.push(row),
        }
    }
    let only_after = after.results.iter().filter(|row| !firsts.contains_key(&key(row))).collect();
    Ok(Paired { by, pairs, only_before, only_after })
}

fn by_key<'a>(
    run: &'a RunResults,
    key: impl Fn(&'a ResultRow) -> Key<'a>,
    by: PairedBy,
) -> Result<HashMap<Key<'a>, &'a ResultRow>, Incomparable> {
    let mut rows = HashMap::with_capacity(run.results.len());
    for row in &run.results {
        if rows.insert(key(row), row).is_some() {
            let (id, variant) = (row.id.clone(), row.variant.clone());
            return Err(match by {
                PairedBy::Case if variant.is_some() => Incomparable::WhichVariant { id },
                PairedBy::Case | PairedBy::CaseAndVariant => Incomparable::Twice { id, variant },
            });
        }
    }
    Ok(rows)
}
