//! A pass over the cases that reads ahead: one thread loads records, others screen them and make their packets,
//! and the caller takes what comes, in the order of the input.
//!
//! What is read ahead is bounded, in records and in bytes. The caller sees the same sequence as in
//! [`Job::screened`], errors included: only the waiting is shared. Where an earlier pass has kept the cases,
//! nothing is read. A small run can be screened before anybody asks for it, while something else is waited for.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::job::{Job, Screened};
use super::kept::Collected;
use crate::load::{LoadError, Record};

/// The most records that are handed over at once.
pub(super) const GROUP_MAX: usize = 128;

/// About how many bytes of text are handed over at once, unless a single record has more.
pub(super) const GROUP_BYTES_MAX: usize = 1 << 20;

/// Groups that may wait between two threads.
pub(super) const GROUPS_WAITING: usize = 2;

/// Threads that screen. It takes about twice as long as loading does.
const SCREENERS: usize = 2;

type Group<T> = Vec<Result<T, LoadError>>;

/// Gives each record, screened, to `take`, until there are no more or one of them is an error. Keeps them for
/// later passes, if they are few enough.
pub(super) fn each_screened<E: From<LoadError>>(
    job: &Job,
    mut take: impl FnMut(&Arc<Screened>) -> Result<(), E>,
) -> Result<(), E> {
    if let Some(cases) = job.kept().cases() {
        return cases.iter().try_for_each(take);
    }
    let mut collected = Collected::new();
    each_read(job, |screened| {
        let taken = take(&screened);
        collected.add(screened);
        taken
    })?;
    job.kept().keep(collected);
    Ok(())
}

/// Screens the cases that the first pass has kept, for the passes that come. Whatever is wrong with them is said by
/// the pass that asks for them.
pub(super) fn screen_early(job: &Job) {
    let mut collected = Collected::new();
    let screened = each_read(job, |screened| {
        collected.add(screened);
        if collected.is_over() { Err(NotKept) } else { Ok(()) }
    });
    if screened.is_ok() {
        job.kept().keep(collected);
    }
}

/// Cases that were screened early and cannot be kept.
struct NotKept;

impl From<LoadError> for NotKept {
    fn from(_: LoadError) -> NotKept {
        NotKept
    }
}

/// Reads each record and gives it, screened, to `take`.
fn each_read<E: From<LoadError>>(
    job: &Job,
    mut take: impl FnMut(Arc<Screened>) -> Result<(), E>,
) -> Result<(), E> {
    thread::scope(|scope| {
        let (mut to_screeners, mut from_screeners) = (Vec::new(), Vec::new());
        for _ in 0..SCREENERS {
            let (loaded, records) = sync_channel(GROUPS_WAITING);
            let (screened, results) = sync_channel::<Group<Arc<Screened>>>(GROUPS_WAITING);
            scope.spawn(move || screen(job, &records, &screened));
            to_screeners.push(loaded);
            from_screeners.push(results);
        }
        scope.spawn(move || load(job, &to_screeners));
        // Groups go round the screeners and come back the same way, so the first that is missing was the last.
        // Leaving early drops the receivers, and whoever sends to them ends.
        let groups = from_screeners.iter().cycle().map_while(|results| results.recv().ok());
        groups.flatten().try_for_each(|screened| take(screened?))
    })
}

fn load(job: &Job, screeners: &[SyncSender<Group<Record>>]) {
    let mut screeners = screeners.iter().cycle();
    // Whoever has left does not need to know.
    let mut hand_over = |group| screeners.next().is_some_and(|screener| screener.send(group).is_ok());
    let records = match job.dataset.take_kept() {
        Ok(Some(groups)) => {
            // Where nobody takes them any more, they are not sent either.
            let _ = groups.into_iter().all(|group| hand_over(group.into_iter().map(Ok).collect()));
            return;
        }
        Ok(None) => job.dataset.records(),
        Err(error) => Err(error),
    };
    let records = match records {
        Ok(records) => records,
        Err(error) => {
            hand_over(vec![Err(error)]);
            return;
        }
    };
    let (mut group, mut n_bytes) = (Vec::with_capacity(GROUP_MAX), 0);
    for record in records {
        n_bytes += record.as_ref().map_or(0, Record::text_bytes);
        group.push(record);
        if group.len() >= GROUP_MAX || n_bytes >= GROUP_BYTES_MAX {
            n_bytes = 0;
            let full = std::mem::replace(&mut group, Vec::with_capacity(GROUP_MAX));
            if !hand_over(full) {
                return;
            }
        }
    }
    hand_over(group);
}

fn screen(job: &Job, records: &Receiver<Group<Record>>, screened: &SyncSender<Group<Arc<Screened>>>) {
    for group in records {
        let group =
            group.into_iter().map(|record| record.and_then(|record| job.screen(record)).map(Arc::new));
        if screened.send(group.collect()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use probity_core::gate::Gate;
    use probity_core::packet::AnswerForm;
    use probity_core::rubric;
    use serde_json::json;

    use super::super::Observer;
    use super::super::job::Definition;
    use super::super::plan::Plan;
    use super::*;
    use crate::config::Config;
    use crate::judge::prompt::Template;
    use crate::load::{Dataset, Keep, LoadOptions};
    use crate::schedule::desk::Progress;
    use crate::schedule::lane::Lane;

    /// Watches and says nothing.
    pub(in crate::run) struct Nobody;

    impl Observer for Nobody {
        fn notice(&self, _: &str) {}
        fn planned(&self, _: &Plan) {}
        fn calling(&self, _: &Arc<Progress>, _: &Arc<Lane>) {}
        fn called(&self) {}
    }

    /// A job over these lines.
    pub(in crate::run) fn job(lines: &[String], keep: Keep) -> (tempfile::TempDir, Arc<Job>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cases.jsonl");
        std::fs::write(&path, lines.join("\n")).expect("cases can be written");
        let options = LoadOptions { keep, ..LoadOptions::default() };
        let dataset = Dataset::open(&[path], options).expect("cases can be read");
        let config = Config::resolve([]).expect("the defaults fit");
        let judge = config.named_judge("baseline").expect("it is built in").clone();
        let rubric = rubric::built_in("relevance-tone").expect("it is built in");
        let job = Job::new(Definition {
            dataset,
            dataset_name: "cases".to_owned(),
            rubric,
            template: Template::built_in(AnswerForm::Levels),
            gate: Gate::default(),
            config,
            judge,
            target: None,
        });
        (folder, Arc::new(job.expect("the template fits")))
    }

    pub(in crate::run) fn line(id: usize, reply: &str) -> String {
        json!({ "id": id.to_string(), "ticket": "It broke.", "reply": reply }).to_string()
    }

    /// What a pass gives.
    fn pass(job: &Job) -> Vec<String> {
        let mut given = Vec::new();
        let passed = each_screened(job, |one| {
            given.push(format!("{one:?}"));
            Ok::<(), LoadError>(())
        });
        passed.expect("a pass");
        given
    }

    #[track_caller]
    fn check(lines: &[String]) {
        for (keep, early) in [(Keep::Nothing, false), (Keep::Few, false), (Keep::Few, true)] {
            let (_folder, job) = job(lines, keep);
            let alone: Vec<String> =
                job.screened().expect("a pass").map(|one| format!("{:?}", one.expect("a record"))).collect();
            if early {
                job.begin_screening();
            }
            for of in ["read", "kept"] {
                assert!(pass(&job) == alone, "{} records, {keep:?}, {of}", lines.len());
            }
            assert!(job.kept().cases().is_some() && !job.dataset.has_kept());
        }
    }

    #[test]
    fn the_sequence_is_that_of_a_pass_on_one_thread() {
        for n in [1, GROUP_MAX - 1, GROUP_MAX, GROUP_MAX + 1, 5 * GROUP_MAX + 7] {
            check(&(0..n).map(|id| line(id, "Sorry.")).collect::<Vec<_>>());
        }
    }

    #[test]
    fn large_replies_blocked_ones_and_bad_records_keep_their_place() {
        let large = "Sorry. ".repeat(GROUP_BYTES_MAX / 10);
        let replies = ["Sorry.", &large, "Card 4111 1111 1111 1111 was charged.", ""];
        check(&(0..40).map(|id| line(id, replies[id % replies.len()])).collect::<Vec<_>>());
    }

    #[test]
    fn whoever_leaves_early_is_not_kept() {
        let lines: Vec<String> = (0..9 * GROUP_MAX).map(|id| line(id, "Sorry.")).collect();
        let (_folder, job) = job(&lines, Keep::Few);
        let mut n_taken = 0;
        let left: Result<(), crate::run::RunError> = each_screened(&job, |_| {
            n_taken += 1;
            let full = std::io::Error::other("the disk is full");
            if n_taken < 3 { Ok(()) } else { Err(crate::run::RunError::output(full)) }
        });
        assert!(left.is_err() && n_taken == 3 && job.kept().cases().is_none());
        assert_eq!(pass(&job).len(), lines.len());
    }

    #[test]
    fn a_file_that_changed_before_its_records_were_taken_is_an_error() {
        let (folder, job) = job(&[line(1, "Sorry.")], Keep::Few);
        std::fs::write(folder.path().join("cases.jsonl"), line(1, "Sorry, sorry.")).expect("written");
        job.begin_screening();
        let error = each_screened(&job, |_| Ok::<(), LoadError>(())).expect_err("it changed");
        assert!(error.to_string().ends_with("the file changed while it was in use"), "{error}");
    }
}
