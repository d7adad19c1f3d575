//! Names as numbers, and what names a unit.
//!
//! Rows repeat the same few names a hundred thousand times. Each name gets a number when it is first seen, and
//! nothing after that compares texts. No name is copied.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use crate::compare::ItemFacts;

/// Names in the order in which they were first seen.
#[derive(Debug)]
pub(super) struct Numbered<N> {
    numbers: HashMap<N, usize>,
    names: Vec<N>,
}

impl<N: Hash + Eq + Copy> Numbered<N> {
    /// No name yet.
    pub(super) fn new() -> Self {
        Numbered { numbers: HashMap::new(), names: Vec::new() }
    }

    /// The number of a name, which is the next one where it is new.
    pub(super) fn number(&mut self, name: N) -> usize {
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }

    /// The names, each at its number.
    pub(super) fn names(&self) -> &[N] {
        &self.names
    }
}

impl Numbered<&str> {
    /// The names as they can be shared.
    pub(super) fn shared(&self) -> Vec<Arc<str>> {
        self.names.iter().map(|name| Arc::from(*name)).collect()
    }
}

/// What names a unit: the item, the criterion, and in order the variants where rows name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key<'a> {
    /// The item.
    pub(super) item: &'a str,
    /// What was asked about it.
    pub(super) criterion: Option<&'a str>,
    /// Two of a pair and one of a reply at most.
    pub(super) variants: [Option<&'a str>; 3],
}

/// What rows say about an item and figures need.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    /// The case it belongs to.
    pub(super) case: Option<&'a str>,
    /// The slice of the case.
    pub(super) slice: Option<&'a str>,
    /// The variants that wrote candidate A and candidate B.
    pub(super) variants: Option<[&'a str; 2]>,
    /// The lengths of candidate A and candidate B.
    pub(super) lengths: Option<[u64; 2]>,
}

impl<'a> Known<'a> {
    /// What one row says.
    pub(super) fn of(facts: &'a ItemFacts) -> Self {
        Known {
            case: facts.case.as_deref(),
            slice: facts.slice.as_deref(),
            variants: facts.variants.as_ref().map(|[a, b]| [&**a, &**b]),
            lengths: facts.lengths,
        }
    }

    /// The same of the pair the other way round.
    pub(super) fn turned(self) -> Self {
        Known {
            variants: self.variants.map(|[a, b]| [b, a]),
            lengths: self.lengths.map(|[a, b]| [b, a]),
            ..self
        }
    }

    /// What is missing here is taken from `other`.
    pub(super) fn or(self, other: Self) -> Self {
        Known {
            case: self.case.or(other.case),
            slice: self.slice.or(other.slice),
            variants: self.variants.or(other.variants),
            lengths: self.lengths.or(other.lengths),
        }
    }
}
