//! A pass over the cases that reads ahead: one thread loads records, a second one screens them and makes their
//! packets, and the caller takes what comes, in the order of the input.
//!
//! What is read ahead is bounded, in records and in bytes. The caller sees the same sequence as in
//! [`Job::screened`], errors included: only the waiting is shared.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::job::{Job, Screened};
use crate::load::{LoadError, Record};

/// The most records that are handed over at once.
const GROUP_MAX: usize = 128;

/// About how many bytes of text are handed over at once, unless a single record has more.
const GROUP_BYTES_MAX: usize = 1 << 20;

/// Groups that may wait between two threads.
const GROUPS_WAITING: usize = 2;

type Group<T> = Vec<Result<T, LoadError>>;

/// Gives each record, screened, to `take`, until there are no more or one of them is an error.
pub(super) fn each_screened<E: From<LoadError>>(
    job: &Job,
    mut take: impl FnMut(Screened) -> Result<(), E>,
) -> Result<(), E> {
    thread::scope(|scope| {
        let (loaded, records) = sync_channel(GROUPS_WAITING);
        let (screened, results) = sync_channel::<Group<Screened>>(GROUPS_WAITING);
        scope.spawn(move || load(job, &loaded));
        scope.spawn(move || screen(job, &records, &screened));
        // Leaving early drops the receiver, and whoever sends to it ends.
        results.into_iter().flatten().try_for_each(|screened| take(screened?))
    })
}

fn load(job: &Job, loaded: &SyncSender<Group<Record>>) {
    let records = match job.dataset.records() {
        Ok(records) => records,
        Err(error) => {
            // Whoever has left does not need to know.
            let _ = loaded.send(vec![Err(error)]);
            return;
        }
    };
    let (mut group, mut n_bytes) = (Vec::with_capacity(GROUP_MAX), 0);
    for record in records {
        n_bytes += record.as_ref().map_or(0, text_bytes);
        group.push(record);
        if group.len() >= GROUP_MAX || n_bytes >= GROUP_BYTES_MAX {
            n_bytes = 0;
            let full = std::mem::replace(&mut group, Vec::with_capacity(GROUP_MAX));
            if loaded.send(full).is_err() {
                return;
            }
        }
    }
    // As above.
    let _ = loaded.send(group);
}

fn screen(job: &Job, records: &Receiver<Group<Record>>, screened: &SyncSender<Group<Screened>>) {
    for group in records {
        let group = group.into_iter().map(|record| record.and_then(|record| job.screen(record)));
        if screened.send(group.collect()).is_err() {
            return;
        }
    }
}

fn text_bytes(record: &Record) -> usize {
    match record {
        Record::Entry { entry, .. } => {
            let situation: usize = entry.case.situation.texts().iter().map(|text| text.len()).sum();
            situation + entry.reply.text.len() + entry.case.reference.as_ref().map_or(0, String::len)
        }
        Record::Skipped(_) => 0,
    }
}
