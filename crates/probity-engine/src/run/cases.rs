//! The screened cases of a run between its passes: in memory where they fit, else read and screened again.
//!
//! The first whole pass, which is the plan's, decides which. What a pass sees is the same either way; a file that
//! changes once the cases are in memory changes nothing any more.

use probity_core::case::Case;

use super::job::Screened;
use crate::input::Record;

/// The most that stays in memory, about, in bytes.
const IN_MEMORY_BYTES_MAX: usize = 96 << 20;

/// What a case takes beside its texts, about, in bytes: identifiers, allocations, two packets.
const CASE_BYTES: usize = 1024;

/// Where a later pass finds the cases.
#[derive(Debug)]
pub(super) enum Cases {
    /// Here, in the order of the input.
    InMemory(Vec<Screened>),
    /// In their files.
    Streamed,
}

/// The cases that a pass has met so far, unless they are too many.
#[derive(Debug, Default)]
pub(super) struct Collected {
    cases: Vec<Screened>,
    n_bytes: usize,
}

impl Collected {
    /// Adds the next case.
    pub(super) fn add(&mut self, screened: Screened) {
        self.n_bytes += CASE_BYTES + screened_bytes(&screened);
        if self.is_small() {
            self.cases.push(screened);
        } else {
            self.cases = Vec::new();
        }
    }

    /// What the next passes use.
    pub(super) fn cases(self) -> Cases {
        if self.is_small() { Cases::InMemory(self.cases) } else { Cases::Streamed }
    }

    fn is_small(&self) -> bool {
        self.n_bytes <= IN_MEMORY_BYTES_MAX
    }
}

/// The bytes of a case's texts, which its packets share but for the reference.
pub(super) fn screened_bytes(screened: &Screened) -> usize {
    match screened {
        Screened::Admitted { admitted, packets, .. } => {
            let references = packets.iter().filter_map(|sized| sized.packet.reference());
            let entry = admitted.entry();
            case_bytes(&entry.case) + entry.reply.text.len() + references.map(str::len).sum::<usize>()
        }
        Screened::Blocked { blocked, .. } => {
            case_bytes(&blocked.entry().case) + blocked.entry().reply.text.len()
        }
        Screened::NoReply(no_reply) => case_bytes(&no_reply.case),
        Screened::Skipped(skipped) => skipped.reason.len(),
    }
}

/// The bytes of a record's texts.
pub(super) fn record_bytes(record: &Record) -> usize {
    match record {
        Record::Entry { entry, .. } => case_bytes(&entry.case) + entry.reply.text.len(),
        Record::Unanswered { case, .. } => case_bytes(case),
        Record::Skipped(skipped) => skipped.reason.len(),
    }
}

fn case_bytes(case: &Case) -> usize {
    let texts = [&case.reference, &case.metadata].into_iter().flatten().chain(&case.known_pii);
    case.situation.n_bytes() + case.evidence.n_bytes() + texts.map(String::len).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Skipped;

    /// How many of `n` cases with a reason of `n_bytes` stay in memory.
    fn n_in_memory(n: usize, n_bytes: usize) -> Option<usize> {
        let mut collected = Collected::default();
        for index in 0..n {
            let reason = "x".repeat(n_bytes);
            collected.add(Screened::Skipped(Skipped {
                index,
                file: "cases".into(),
                line: 1,
                id: None,
                reason,
            }));
        }
        match collected.cases() {
            Cases::InMemory(cases) => Some(cases.len()),
            Cases::Streamed => None,
        }
    }

    #[test]
    fn all_cases_stay_in_memory_or_none() {
        let half = IN_MEMORY_BYTES_MAX / 2 - CASE_BYTES;
        assert_eq!([n_in_memory(0, 0), n_in_memory(2, half)], [Some(0), Some(2)]);
        assert_eq!([n_in_memory(2, half + 1), n_in_memory(3, half)], [None, None]);
    }
}
