//! The beginning of the results, made while the last calls of a run are under way.
//!
//! A verdict that is settled stands for ever, so a case that has all of its verdicts has its result, whatever becomes
//! of the others. Results are made in the order of the input up to the first case that lacks a verdict, and what is
//! made here is what a report would make later. Only what is in memory anyway is looked at: cases that are kept, and
//! verdicts that this process has settled.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use probity_core::report::SummaryBuilder;
use probity_core::verdict::Patterns;

use super::RunError;
use super::job::{Job, Screened};
use super::record::Found;
use super::results::{Row, packets, row};
use super::work::Work as _;
use crate::store::{JudgeId, Store};

/// Cases that are looked at together.
const CASES_AT_ONCE: usize = 64;

/// How long a missing verdict is waited for before the next look.
const WAIT: Duration = Duration::from_millis(10);

/// The results of the first cases of a run.
#[derive(Debug)]
pub struct Early {
    /// How many cases.
    pub(super) n_cases: usize,
    /// Their rows, in order.
    pub(super) rows: Vec<Row>,
    /// The figures so far.
    pub(super) summary: SummaryBuilder,
    /// What the judge's words have in common so far.
    pub(super) patterns: Patterns,
}

impl Early {
    pub(super) fn nothing(job: &Job) -> Early {
        let (summary, patterns) = (SummaryBuilder::new(&job.rubric), Patterns::default());
        Early { n_cases: 0, rows: Vec::new(), summary, patterns }
    }

    /// Makes results of cases that are kept, as verdicts of `judge` come into `store`, until there are no more or the
    /// calls are over, which `is_over` waits for, but not longer than it is told.
    pub(super) fn results(
        job: &Job,
        (store, judge): (&Store, &JudgeId),
        mut is_over: impl FnMut(Duration) -> bool,
    ) -> Option<Early> {
        let cases = job.kept().cases()?;
        let mut early = Early::nothing(job);
        while early.n_cases < cases.len() {
            let group = &cases[early.n_cases..cases.len().min(early.n_cases + CASES_AT_ONCE)];
            let asked = group.iter().flat_map(|screened| packets(screened)).map(|sized| sized.packet.hash());
            let settled = store.settled_here(judge, job.repeat(), asked);
            let wait = match early.add(job, group, settled) {
                // What cannot be read is told by the report.
                Err(_) => break,
                Ok(Added::Whole) => Duration::ZERO,
                Ok(Added::Part) => WAIT,
            };
            if is_over(wait) {
                break;
            }
        }
        Some(early)
    }

    /// Adds the results of `cases` that `settled`, the verdicts on their first packets, are enough for.
    fn add(
        &mut self,
        job: &Job,
        cases: &[Arc<Screened>],
        settled: Vec<(String, u32)>,
    ) -> Result<Added, RunError> {
        let mut n_left = settled.len();
        let mut found = settled
            .into_iter()
            .map(|(body, attempts)| Ok(Found::Verdict { body: Cow::Owned(body), attempts }));
        for screened in cases {
            let n_needed = packets(screened).len();
            if n_needed > n_left {
                return Ok(Added::Part);
            }
            n_left -= n_needed;
            let row = row(job, screened, &mut found, &mut self.patterns)?;
            row.count(&mut self.summary);
            self.rows.push(row);
            self.n_cases += 1;
        }
        Ok(Added::Whole)
    }
}

/// How much of a group has its results.
enum Added {
    Whole,
    Part,
}

#[cfg(test)]
mod tests {
    use tokio::sync::watch;

    use super::super::ahead::tests::{Nobody, job, line};
    use super::super::plan::UnscoredPolicy;
    use super::super::replies::run_job;
    use super::super::{Mode, Network, Ran, Session, report};
    use super::*;
    use crate::load::Keep;
    use crate::store::{Decision, Settlement, SettlementRecord};

    /// Cases, some of which are blocked or cannot be used, judged by the embedded judge.
    struct Judged {
        folder: tempfile::TempDir,
        job: Arc<Job>,
        store: Store,
        ran: Ran,
    }

    fn judged(n: usize) -> Judged {
        let replies = ["Sorry, we send a new one.", "Card 4111 1111 1111 1111 was charged.", "", "No."];
        let reply = |id: usize| match replies[id % 4] {
            "" => String::new(),
            text => format!("{text} Bye, {id}."),
        };
        let lines: Vec<String> = (0..n).map(|id| line(id, &reply(id))).collect();
        let (folder, job) = job(&lines, Keep::Few);
        let store = Store::open(&folder.path().join("store.db")).expect("a store").store;
        let (_interrupt, interrupted) = watch::channel(false);
        let mode =
            Mode { network: Network::Offline, unscored: UnscoredPolicy::Keep, interrupted, invocation: None };
        let session = Session { store: &store, mode: &mode, key: &|_| None, observer: &Nobody };
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
        let ran = runtime.block_on(run_job(&job, &session)).expect("a run");
        let early = ran.early.as_ref().expect("whoever feeds a small run begins with its results");
        assert!(early.n_cases <= n && early.rows.len() == early.n_cases);
        Judged { folder, job, store, ran }
    }

    /// What a report says, row by row and in all.
    fn told(job: &Job, store: &Store, ran: &mut Ran) -> (Vec<String>, String) {
        let mut rows = Vec::new();
        let summary = report(job, store, ran, &mut |row| {
            rows.push(format!("{row:?}"));
            Ok(())
        });
        (rows, format!("{:?}", summary.expect("a report").record()))
    }

    #[test]
    fn what_is_made_early_is_what_a_report_makes() {
        for n in [1, CASES_AT_ONCE, CASES_AT_ONCE + 1, 5 * CASES_AT_ONCE + 3] {
            let Judged { folder: _folder, job, store, mut ran } = judged(n);
            // As if every verdict had come before the last call was over.
            let early = Early::results(&job, (&store, &ran.judge_id), |wait| !wait.is_zero());
            let early = early.expect("the cases are kept");
            assert_eq!((early.n_cases, early.rows.len()), (n, n));
            ran.early = Some(early);
            let with_early = told(&job, &store, &mut ran);
            assert!(ran.early.is_none());
            assert!(with_early == told(&job, &store, &mut ran), "{n} cases");
        }
    }

    #[test]
    fn a_case_that_lacks_a_verdict_ends_it_and_the_rest_comes_later() {
        let n = 3 * CASES_AT_ONCE;
        let Judged { folder, job, store, mut ran } = judged(n);
        let whole = told(&job, &store, &mut ran);
        let reader = store.reader().expect("a reader");
        let cases = job.kept().cases().expect("they are kept");
        let asked: Vec<_> =
            cases.iter().flat_map(|case| packets(case)).map(|one| one.packet.hash()).collect();
        for n_settled in [0, 1, asked.len() / 2, asked.len() - 1] {
            let other = Store::open(&folder.path().join(format!("{n_settled}.db"))).expect("a store").store;
            other.register_judge(&ran.judge_id, "{}").expect("a judge");
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            for packet in asked.iter().take(n_settled) {
                let settled = reader.settlement(packet, &ran.judge_id, 0).expect("it can be read");
                let Some(SettlementRecord::Verdict { body, attempts }) = settled else {
                    panic!("expected a verdict, found {settled:?}")
                };
                let settlement = Settlement {
                    packet: *packet,
                    judge: ran.judge_id.clone(),
                    repeat: 0,
                    attempts,
                    attempt: None,
                    decision: Decision::Verdict { body },
                };
                runtime.block_on(other.keep_packet(*packet, Arc::from("{}"))).expect("kept");
                runtime.block_on(other.settle(settlement)).expect("settled");
            }
            let early = Early::results(&job, (&other, &ran.judge_id), |wait| !wait.is_zero());
            let early = early.expect("the cases are kept");
            assert!(early.n_cases < n, "{n_settled} verdicts are not enough");
            assert!(early.n_cases >= n_settled / 2, "each case has two packets at the most");
            ran.early = Some(early);
            assert!(told(&job, &store, &mut ran) == whole, "{n_settled} verdicts");
        }
    }
}
