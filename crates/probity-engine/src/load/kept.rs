//! The records of a small data set, kept from the first pass for whoever reads them next.
//!
//! What is kept is bounded: beyond the bound nothing is, and the files are read again.

use std::collections::HashMap;

use probity_core::case::{Case, Entry};

use super::{Keep, Record};

/// The most that is kept, about, in bytes.
const KEPT_BYTES_MAX: usize = 32 << 20;

/// What a record takes beside its texts, about, in bytes.
const RECORD_BYTES: usize = 512;

/// The records of a group, unless it is the last.
const GROUP: usize = 128;

/// The records that the first pass has read so far, unless they are too many.
pub(super) struct Keeping {
    groups: Option<Vec<Vec<Record>>>,
    n_bytes: usize,
    n_bytes_max: usize,
}

impl Keeping {
    /// Nothing yet.
    pub(super) fn new(keep: Keep) -> Keeping {
        let groups = match keep {
            Keep::Nothing => None,
            Keep::Few => Some(Vec::new()),
        };
        Keeping { groups, n_bytes: 0, n_bytes_max: KEPT_BYTES_MAX }
    }

    /// Adds the next record.
    pub(super) fn add(&mut self, record: impl FnOnce() -> Record) {
        let Some(groups) = &mut self.groups else { return };
        let record = record();
        self.n_bytes += RECORD_BYTES + record.text_bytes();
        if self.n_bytes > self.n_bytes_max {
            self.groups = None;
            return;
        }
        if groups.last().is_none_or(|group| group.len() == GROUP) {
            groups.push(Vec::with_capacity(GROUP));
        }
        groups.last_mut().expect("there is one with room").push(record);
    }

    /// The records, of which these repeat the one whose index stands beside them.
    pub(super) fn finish(self, repeats: &HashMap<usize, usize>) -> Option<Vec<Vec<Record>>> {
        let mut groups = self.groups?;
        for (index, first) in repeats {
            let slot = &mut groups[index / GROUP][index % GROUP];
            *slot = slot.clone().repeating(*first);
        }
        Some(groups)
    }
}

impl Record {
    /// The bytes of its texts.
    fn text_bytes(&self) -> usize {
        match self {
            Record::Entry { entry, .. } => entry_bytes(entry),
            Record::Unanswered { case, .. } => case_bytes(case),
            Record::Skipped(skipped) => skipped.reason.len(),
        }
    }
}

/// The bytes of a case's texts and its reply.
fn entry_bytes(entry: &Entry) -> usize {
    case_bytes(&entry.case) + entry.reply.text.len()
}

/// The bytes of a case's texts.
fn case_bytes(case: &Case) -> usize {
    let texts = [&case.reference, &case.metadata, &case.circumstances.audience, &case.circumstances.region];
    let known = case.known_pii.iter().map(String::len);
    let n_shared = case.situation.n_bytes() + case.evidence.n_bytes();
    n_shared + texts.into_iter().flatten().map(String::len).chain(known).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Skipped;

    fn record(index: usize) -> Record {
        Record::Skipped(Skipped { index, file: "cases".into(), line: 1, id: None, reason: String::new() })
    }

    /// How many of `n` records are kept where about `n_fit` of them fit.
    fn n_kept(n: usize, n_fit: usize, keep: Keep) -> Option<usize> {
        let mut keeping = Keeping { n_bytes_max: n_fit * RECORD_BYTES, ..Keeping::new(keep) };
        (0..n).for_each(|index| keeping.add(|| record(index)));
        keeping.finish(&HashMap::new()).map(|groups| groups.iter().map(Vec::len).sum())
    }

    #[test]
    fn all_records_are_kept_or_none() {
        let few = [n_kept(0, 300, Keep::Few), n_kept(300, 300, Keep::Few), n_kept(301, 300, Keep::Few)];
        assert_eq!(few, [Some(0), Some(300), None]);
        assert_eq!(n_kept(3, 300, Keep::Nothing), None);
    }

    #[test]
    fn a_record_that_repeats_another_is_found_in_its_group() {
        let mut keeping = Keeping::new(Keep::Few);
        (0..3 * GROUP).for_each(|index| keeping.add(|| record(index)));
        let groups = keeping.finish(&HashMap::from([(GROUP + 7, 5)])).expect("they are few");
        let repeats = groups.iter().flatten().filter_map(|record| match record {
            Record::Skipped(skipped) if !skipped.reason.is_empty() => Some((skipped.index, &skipped.reason)),
            _ => None,
        });
        let want = "Identical to record 5".to_owned();
        assert_eq!(repeats.collect::<Vec<_>>(), [(GROUP + 7, &want)]);
    }
}
