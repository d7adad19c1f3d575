//! Names as numbers, and what names a unit.
//!
//! Rows repeat the same few names a hundred thousand times. Each name gets a number when it is first seen, and
//! nothing after that compares texts. No name is copied.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

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

/// What names a unit: the item, the criterion, in order the variants where rows name them, and the packet where labels
/// of all these were given on several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key<'a> {
    /// The item.
    pub(super) item: &'a str,
    /// What was asked about it.
    pub(super) criterion: Option<&'a str>,
    /// Two of a pair and one of a reply at most.
    pub(super) variants: [Option<&'a str>; 3],
    /// What was shown, where several replies share the rest.
    pub(super) packet: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], want: &[usize]) {
        let mut numbered = Numbered::new();
        let numbers: Vec<usize> = names.iter().map(|name| numbered.number(*name)).collect();
        assert_eq!(numbers, want);
        let found = numbers.iter().map(|number| numbered.names()[*number]);
        assert_eq!(found.collect::<Vec<_>>(), names);
    }

    #[test]
    fn a_name_keeps_its_number_in_any_order() {
        check(&["b", "a", "c", "b", "a", "c"], &[0, 1, 2, 0, 1, 2]);
        check(&["b", "b", "a", "c", "a", "b", "d", "a"], &[0, 0, 1, 2, 1, 0, 3, 1]);
    }

    #[test]
    fn what_is_not_named_is_not_an_empty_name() {
        let mut keys = Numbered::new();
        let key =
            |criterion, variant| Key { item: "1", criterion, variants: [None, None, variant], packet: None };
        let all = [key(None, None), key(Some(""), None), key(None, Some("")), key(Some("x"), None)];
        let again = all.into_iter().chain([key(None, Some("x"))]).chain(all);
        let numbers: Vec<usize> = again.map(|key| keys.number(key)).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 0, 1, 2, 3]);
    }
}
