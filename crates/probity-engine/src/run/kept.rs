//! The cases of a small run, kept between its passes: what one pass has loaded, screened and turned into packets,
//! the next one finds ready.
//!
//! What is kept is bounded, so a run of any size fits in memory. Beyond the bound nothing is kept, and every
//! pass reads the files again. What a pass sees is the same either way: a file that changes after it was kept
//! changes nothing any more.

use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};

use super::ahead::screen_early;
use super::job::{Job, Screened};
use crate::load::{case_bytes, entry_bytes};

/// The most that is kept, about, in bytes. A case with two packets takes a kilobyte beside its texts.
const KEPT_BYTES_MAX: usize = 96 << 20;

/// What a case takes beside its texts, about, in bytes: identifiers, allocations, the records themselves.
const CASE_BYTES: usize = 1024;

/// The screened cases of a run, once a pass has seen them all and if they are few enough.
#[derive(Debug, Default)]
pub(super) struct Kept {
    cases: OnceLock<Vec<Arc<Screened>>>,
    /// Whoever screens them at this moment, before a pass has asked for them.
    early: Mutex<Option<JoinHandle<()>>>,
}

impl Kept {
    /// What an earlier pass has kept, in the order of the input. Waits for one that is under way.
    pub(super) fn cases(&self) -> Option<&[Arc<Screened>]> {
        let mut early = self.early.lock().expect("nothing panics while holding the thread");
        // Of a thread that panicked nothing is kept, and the next pass finds out why.
        early.take().map(JoinHandle::join);
        self.cases.get().map(Vec::as_slice)
    }

    /// Begins to screen the cases of `job`, whose this is. Without a thread to spare the first pass does it.
    pub(super) fn begin(&self, job: &Arc<Job>) {
        let job = Arc::clone(job);
        let screener = thread::Builder::new().spawn(move || screen_early(&job)).ok();
        *self.early.lock().expect("nothing panics while holding the thread") = screener;
    }

    /// Keeps what a whole pass has collected.
    pub(super) fn keep(&self, collected: Collected) {
        if let Some(cases) = collected.cases {
            // If another pass was faster, it kept the same.
            let _ = self.cases.set(cases);
        }
    }
}

/// The cases that a pass has seen so far, unless they are too many.
pub(super) struct Collected {
    cases: Option<Vec<Arc<Screened>>>,
    n_bytes: usize,
    n_bytes_max: usize,
}

impl Collected {
    /// Nothing yet.
    pub(super) fn new() -> Collected {
        Collected::bounded(KEPT_BYTES_MAX)
    }

    fn bounded(n_bytes_max: usize) -> Collected {
        Collected { cases: Some(Vec::new()), n_bytes: 0, n_bytes_max }
    }

    /// Whether there were too many.
    pub(super) fn is_over(&self) -> bool {
        self.cases.is_none()
    }

    /// Adds the next case.
    pub(super) fn add(&mut self, screened: Arc<Screened>) {
        let Some(cases) = &mut self.cases else { return };
        self.n_bytes += CASE_BYTES + text_bytes(&screened);
        if self.n_bytes > self.n_bytes_max {
            self.cases = None;
        } else {
            cases.push(screened);
        }
    }
}

/// The bytes of a case's texts, which its packets share.
pub(super) fn text_bytes(screened: &Screened) -> usize {
    match screened {
        Screened::Admitted { admitted, packets, .. } => {
            // Each packet has the reference once more where it shows it. What is written for a call does not stay.
            let references = packets.iter().filter_map(|sized| sized.packet.reference());
            entry_bytes(admitted.entry()) + references.map(str::len).sum::<usize>()
        }
        Screened::Blocked { blocked, .. } => entry_bytes(blocked.entry()),
        Screened::NoReply(no_reply) => case_bytes(&no_reply.case),
        Screened::Skipped(skipped) => skipped.reason.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Skipped;

    /// How many of `n` cases are kept where about `n_fit` of them fit.
    fn n_kept(n: usize, n_fit: usize) -> Option<usize> {
        let skipped = Skipped { index: 0, file: "cases".into(), line: 1, id: None, reason: String::new() };
        let case = Arc::new(Screened::Skipped(skipped));
        let mut collected = Collected::bounded(n_fit * CASE_BYTES);
        (0..n).for_each(|_| collected.add(Arc::clone(&case)));
        let kept = Kept::default();
        kept.keep(collected);
        kept.cases().map(<[_]>::len)
    }

    #[test]
    fn all_cases_are_kept_or_none() {
        assert_eq!([n_kept(0, 3), n_kept(3, 3), n_kept(4, 3), n_kept(9, 3)], [Some(0), Some(3), None, None]);
    }
}
