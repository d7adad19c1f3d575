//! Results from the store: what was recorded, in the order of the input, and nothing else.
//!
//! This pass makes no call and reads no clock, so the same store gives the same bytes. Two threads look up what
//! the store has and make rows of it; the caller's thread makes figures of them, in the order of the input.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::vec::IntoIter;

use probity_core::gate::Admitted;
use probity_core::report::{ReplyResult, SummaryBuilder};
use probity_core::rubric::{CriterionId, Decider};
use probity_core::score::{CriterionOutcome, Scored, Unscored, decided_by_gate};
use probity_core::verdict::{Invalid, Patterns, Statement, Verdict};

use super::RunError;
use super::ahead::{GROUP_BYTES_MAX, GROUP_MAX, GROUPS_WAITING, each_screened};
use super::asking::SizedPacket;
use super::early::Early;
use super::job::{Job, Screened};
use super::kept::text_bytes;
use super::record::{Found, Lookup, PacketResult};
use super::replies::NoReply;
use super::work::Work as _;
use crate::fault_points::{self, Point};
use crate::load::{LoadError, Skipped};
use crate::store::{JudgeId, Reader, StoreError};

/// Threads that look up. Making figures of what they find takes about as long as one of them takes.
const LOOKERS: usize = 2;

const READER_HELD: &str = "nothing panics while holding the reader";

/// One line of the results.
#[derive(Debug)]
pub enum Row {
    /// A reply's result.
    Reply(Box<ReplyResult>),
    /// A record that could not be used.
    Skipped(Skipped),
}

impl Row {
    /// Counts it.
    pub(super) fn count(&self, summary: &mut SummaryBuilder) {
        match self {
            Row::Skipped(_) => summary.skip(),
            Row::Reply(result) => summary.add(result),
        }
    }
}

/// Walks over all cases in order, gives each row to `sink`, and returns the figures so far. What is there `early` is
/// not made again.
pub(super) fn results(
    job: &Job,
    (reader, judge): (&mut Reader, &JudgeId),
    early: Early,
    sink: &mut dyn FnMut(Row) -> std::io::Result<()>,
) -> Result<(SummaryBuilder, Patterns), RunError> {
    let Early { n_cases, rows, mut summary, mut patterns } = early;
    let mut give = |row: Row| {
        if let Row::Reply(_) = row {
            fault_points::reach(Point::DuringResults);
        }
        sink(row).map_err(RunError::output)
    };
    rows.into_iter().try_for_each(&mut give)?;
    patterns.join(each_row(job, (reader, judge), n_cases, |row| {
        row.count(&mut summary);
        give(row)
    })?);
    Ok((summary, patterns))
}

/// Gives each row but the first `n_early` to `take`, in the order of the input. What is looked up ahead is bounded.
fn each_row(
    job: &Job,
    (reader, judge): (&mut Reader, &JudgeId),
    n_early: usize,
    mut take: impl FnMut(Row) -> Result<(), RunError>,
) -> Result<Patterns, RunError> {
    // A connection answers one thread at a time.
    let looker = &Looker { job, reader: Mutex::new(reader), judge };
    thread::scope(|scope| {
        let (mut to_lookers, mut from_lookers, mut lookers) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..LOOKERS {
            let (screened, groups) = sync_channel::<Group<Arc<Screened>>>(GROUPS_WAITING);
            let (found, rows) = sync_channel::<Group<Row>>(GROUPS_WAITING);
            lookers.push(scope.spawn(move || looker.look_up(&groups, &found)));
            to_lookers.push(screened);
            from_lookers.push(rows);
        }
        scope.spawn(move || hand_out(job, n_early, &to_lookers));
        // Groups go round the lookers and come back the same way, so the first that is missing was the last.
        // Leaving early drops the receivers, and whoever sends to them ends.
        for group in from_lookers.iter().cycle().map_while(|rows| rows.recv().ok()) {
            // What was found before an error is a result like any other.
            group.members.into_iter().try_for_each(&mut take)?;
            group.error.map_or(Ok(()), Err)?;
        }
        // A looker that still has something to say, because another one panicked, says it to nobody.
        drop(from_lookers);
        let mut patterns = Patterns::default();
        for looker in lookers {
            patterns.join(looker.join().expect("looking up does not panic"));
        }
        Ok(patterns)
    })
}

/// What follows one another in the input, and why it ends behind them, where that is for an error.
struct Group<T> {
    members: Vec<T>,
    error: Option<RunError>,
}

/// Hands the screened cases but the first `n_early` to the lookers in turn, in groups.
fn hand_out(job: &Job, n_early: usize, lookers: &[SyncSender<Group<Arc<Screened>>>]) {
    let mut lookers = lookers.iter().cycle();
    let mut hand_over = |members, error| {
        let group = Group { members, error };
        lookers.next().is_some_and(|looker| looker.send(group).is_ok())
    };
    let (mut members, mut n_bytes, mut n_left) = (Vec::with_capacity(GROUP_MAX), 0, n_early);
    let handed_out = each_screened(job, |screened| {
        if n_left > 0 {
            n_left -= 1;
            return Ok(());
        }
        n_bytes += text_bytes(screened);
        members.push(Arc::clone(screened));
        if members.len() < GROUP_MAX && n_bytes < GROUP_BYTES_MAX {
            return Ok(());
        }
        n_bytes = 0;
        let full = std::mem::replace(&mut members, Vec::with_capacity(GROUP_MAX));
        if hand_over(full, None) { Ok(()) } else { Err(Ended::Left) }
    });
    // Whoever has left does not need the rest.
    match handed_out {
        Ok(()) => drop(hand_over(members, None)),
        Err(Ended::Left) => {}
        Err(Ended::Failed(error)) => drop(hand_over(members, Some(error))),
    }
}

/// Makes rows of cases with what the store has about them.
struct Looker<'a> {
    job: &'a Job,
    reader: Mutex<&'a mut Reader>,
    judge: &'a JudgeId,
}

impl Looker<'_> {
    /// Makes rows of each group. Returns what the judge's words have in common.
    fn look_up(&self, groups: &Receiver<Group<Arc<Screened>>>, found: &SyncSender<Group<Row>>) -> Patterns {
        let mut patterns = Patterns::default();
        for Group { members, error } in groups {
            let mut rows = Group { members: Vec::with_capacity(members.len()), error: None };
            rows.error = self.rows(&members, &mut rows.members, &mut patterns).err().or(error);
            if found.send(rows).is_err() {
                break;
            }
        }
        patterns
    }

    /// Adds a row for each of `cases`, up to the first error.
    fn rows(
        &self,
        cases: &[Arc<Screened>],
        rows: &mut Vec<Row>,
        patterns: &mut Patterns,
    ) -> Result<(), RunError> {
        // What is to be looked up is looked up at once, so that the lookers seldom wait for each other.
        let mut found = self.found(cases);
        for screened in cases {
            rows.push(row(self.job, screened, &mut found, patterns)?);
        }
        Ok(())
    }

    /// What there is about each packet of `cases`, in their order, up to the first error.
    fn found(&self, cases: &[Arc<Screened>]) -> IntoIter<Result<Found<'_>, StoreError>> {
        let (judge, repeat) = (self.judge, self.job.repeat());
        let mut reader = None;
        let mut found = Vec::with_capacity(2 * cases.len());
        for packet in cases.iter().flat_map(|screened| packets(screened)) {
            let reader = reader.get_or_insert_with(|| self.reader.lock().expect(READER_HELD));
            let lookup = Lookup { asking: &self.job.asking, reader, judge, repeat };
            found.push(lookup.found(packet));
            if found.last().is_some_and(Result::is_err) {
                break;
            }
        }
        found.into_iter()
    }
}

/// The row of a case, with what was `found` about each of its packets, in their order.
pub(super) fn row<'a>(
    job: &Job,
    screened: &Screened,
    found: &mut impl Iterator<Item = Result<Found<'a>, StoreError>>,
    patterns: &mut Patterns,
) -> Result<Row, RunError> {
    let result = match screened {
        Screened::Skipped(skipped) => return Ok(Row::Skipped(skipped.clone())),
        Screened::Blocked { blocked, .. } => ReplyResult::blocked(blocked, &job.rubric),
        Screened::NoReply(no_reply) => without_reply(job, no_reply),
        Screened::Admitted { admitted, packets, .. } => {
            let answered = |packet| {
                let found = found.next().expect("whatever there is to a packet was looked up, or failed");
                found?.result(&job.asking, packet)
            };
            let answered = packets.iter().map(answered).collect::<Result<Vec<_>, RunError>>()?;
            result(job, admitted, answered, patterns)
        }
    };
    Ok(Row::Reply(Box::new(result)))
}

/// The packets that a judge is asked about a case.
pub(super) fn packets(screened: &Screened) -> &[SizedPacket] {
    match screened {
        Screened::Admitted { packets, .. } => packets,
        Screened::Skipped(_) | Screened::Blocked { .. } | Screened::NoReply(_) => &[],
    }
}

/// Why handing out ended before the cases did.
enum Ended {
    /// Nobody takes what is found any more.
    Left,
    Failed(RunError),
}

impl From<RunError> for Ended {
    fn from(error: RunError) -> Ended {
        Ended::Failed(error)
    }
}

impl From<LoadError> for Ended {
    fn from(error: LoadError) -> Ended {
        Ended::Failed(error.into())
    }
}

/// The result of a case without a reply.
fn without_reply(job: &Job, NoReply { case, why, .. }: &NoReply) -> ReplyResult {
    let target = job.target().expect("only a job with a target has cases without a reply");
    ReplyResult::no_reply(case, target.variant(), &job.rubric, why)
}

/// The result of an admitted reply from what became of each of its packets.
pub(crate) fn result(
    job: &Job,
    admitted: &Admitted,
    answered: Vec<PacketResult<'_>>,
    patterns: &mut Patterns,
) -> ReplyResult {
    let mut judged: Vec<(CriterionId, CriterionOutcome)> = Vec::new();
    for PacketResult { packet, verdict, attempts } in answered {
        let (scores, why) = match verdict {
            Ok(verdict) => {
                patterns.add(&verdict);
                scored(verdict, attempts)
            }
            Err(unscored) => (Vec::new(), Some(unscored)),
        };
        let asked = packet.packet.ask().criteria().iter();
        let is_left = |id: &CriterionId| !scores.iter().any(|(known, _)| known == id);
        let left: Vec<CriterionId> = asked.map(|c| c.id.clone()).filter(is_left).collect();
        judged.extend(scores);
        judged.extend(why.into_iter().flat_map(|why| {
            let unscored = |id: &CriterionId| (id.clone(), CriterionOutcome::Unscored(why.clone()));
            left.iter().map(unscored).collect::<Vec<_>>()
        }));
    }
    let criteria = job.rubric.criteria().iter().map(|criterion| {
        let outcome = match criterion.decider {
            Decider::Judge => {
                let place = judged.iter().position(|(id, _)| *id == criterion.id);
                judged.swap_remove(place.expect("every judged criterion was asked about")).1
            }
            Decider::Gate => decided_by_gate(criterion, job.gate()),
            Decider::Person => CriterionOutcome::Unscored(Unscored {
                cause: "awaiting_person".to_owned(),
                detail: "a person decides this criterion".to_owned(),
                attempts: 0,
            }),
        };
        (criterion.id.clone(), outcome)
    });
    let criteria = criteria.collect();
    ReplyResult::judged(admitted, &job.rubric, criteria)
}

/// What a verdict says about each criterion, and why it says nothing about the others, where there are any.
fn scored(verdict: Verdict, attempts: u32) -> (Vec<(CriterionId, CriterionOutcome)>, Option<Unscored>) {
    let (levels, rest) = match verdict.statement {
        Statement::Levels(levels) => (levels, None),
        Statement::Failing { scores, rest } => (scores, Some(rest)),
        Statement::Preference(_) => unreachable!("a record is checked against the ask, which is for levels"),
    };
    let (repairs, suspicions) = (verdict.repairs, verdict.suspicions);
    let scores = levels.into_iter().map(|score| {
        let scored = Scored {
            level: score.level,
            reasoning: score.reasoning,
            violations: score.violations,
            decider: Decider::Judge,
            repairs: repairs.clone(),
            suspicions: suspicions.clone(),
        };
        (score.criterion, CriterionOutcome::Scored(scored))
    });
    let why =
        rest.map(|Invalid { reason, detail }| Unscored { cause: reason.name().to_owned(), detail, attempts });
    (scores.collect(), why)
}

#[cfg(test)]
mod tests {
    use super::super::ahead::tests::{job, line};
    use super::*;
    use crate::load::Keep;
    use crate::store::{AttemptEnd, AttemptStart, Decision, Manifest, Settlement, Store};

    /// What an output that takes `n_rows` is given of `n` cases, and how that ends, where the stored verdict about the
    /// case at `damaged` is none.
    fn told(n: usize, damaged: Option<usize>, n_rows: usize) -> [String; 2] {
        let lines: Vec<String> = (0..n).map(|id| line(id, &format!("Sorry, {id}."))).collect();
        let (folder, job) = job(&lines, Keep::Few);
        let store = Store::open(&folder.path().join("store.db")).expect("a store").store;
        let judge = JudgeId::of_identity("{}");
        store.register_judge(&judge, "{}").expect("a judge");
        if let Some(at) = damaged {
            let case = job.screened().expect("a pass").nth(at).expect("a record").expect("it is whole");
            let packet = packets(&case)[0].packet.hash();
            let decision = Decision::Verdict { body: "{}".to_owned() };
            let settlement = Settlement { attempts: 1, decision };
            let manifest = Manifest { name: "told".to_owned(), parts: Vec::new(), body: "{}".to_owned() };
            let start = AttemptStart {
                packet,
                packet_body: Arc::from("{}"),
                judge: judge.clone(),
                run: store.begin_run(&manifest).expect("a run").run(),
                repeat: 0,
                n: 1,
                cause: "first".to_owned(),
                started_unix_ms: 0,
            };
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let attempt = runtime.block_on(store.intend(start)).expect("begun");
            let concluded = store.conclude(attempt, AttemptEnd::default(), Some(settlement));
            runtime.block_on(concluded).expect("settled");
        }
        [store.snapshot(), store.snapshot()].map(|reader| {
            let mut ids = Vec::new();
            let of = (&mut reader.expect("a reader"), &judge);
            let given = results(&job, of, Early::nothing(&job), &mut |row| {
                let Row::Reply(result) = row else { panic!("expected a reply, found {row:?}") };
                ids.push(result.id.parse::<usize>().expect("ids are numbers"));
                if ids.len() < n_rows { Ok(()) } else { Err(std::io::Error::other("full")) }
            });
            assert!(ids.iter().copied().eq(0..ids.len()), "rows come in the order of the input: {ids:?}");
            match given {
                Ok(_) => format!("{} rows", ids.len()),
                Err(RunError::Damaged { .. }) => format!("{} rows, then damage", ids.len()),
                Err(RunError::Output(_)) => format!("{} rows, then no room", ids.len()),
                Err(other) => format!("{} rows, then {other}", ids.len()),
            }
        })
    }

    #[track_caller]
    fn check(n: usize, damaged: Option<usize>, n_rows: usize, want: &str) {
        assert_eq!(told(n, damaged, n_rows), [want, want]);
    }

    #[test]
    fn rows_come_in_the_order_of_the_input() {
        for n in [1, GROUP_MAX - 1, GROUP_MAX, GROUP_MAX + 1, 5 * GROUP_MAX + 7] {
            check(n, None, usize::MAX, &format!("{n} rows"));
        }
    }

    #[test]
    fn what_was_found_before_an_error_is_given_first() {
        let n = 9 * GROUP_MAX;
        for at in [0, 1, GROUP_MAX - 1, GROUP_MAX, 4 * GROUP_MAX + 5, n - 1] {
            check(n, Some(at), usize::MAX, &format!("{at} rows, then damage"));
        }
    }

    #[test]
    fn an_output_that_fails_ends_the_pass() {
        for n_rows in [1, GROUP_MAX, 3 * GROUP_MAX + 1] {
            check(12 * GROUP_MAX, Some(8 * GROUP_MAX), n_rows, &format!("{n_rows} rows, then no room"));
        }
    }
}
