//! The runs that pages show: those of the store, or the one of a results file.
//!
//! A run is made from the record as a whole, which takes a processor for a while, so the last ones are kept. What
//! always holds: a run that is complete is made again when its outcome, a label or a standing has changed; one that is
//! going on is at most [`GOING_ON_MAX`] behind.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use probity_engine::ledger::{RunRecord, StoreError};
use probity_engine::review::{ReviewRoom, RunVersion};

use super::app::App;
use super::refusal::Refusal;
use crate::runs::list::{RunLine, is_replies};
use crate::runs::shown::ShownRun;

/// Runs that are kept.
const KEPT_MAX: usize = 4;

/// How far behind the page of a run may be that is going on.
const GOING_ON_MAX: Duration = Duration::from_secs(5);

/// How long a run is kept whatever happens: standings end by the clock.
const AGE_MAX: Duration = Duration::from_mins(10);

/// The number of the run in a results file.
pub(crate) const FILE_RUN: i64 = 1;

/// Where runs come from.
pub(crate) enum RunSource {
    /// The room's store.
    Store,
    /// A results file.
    File(Box<FileRun>),
}

/// The run in a results file.
pub(crate) struct FileRun {
    /// What a list says about it.
    pub(crate) line: RunLine,
    /// The run.
    pub(crate) shown: Arc<ShownRun>,
}

/// The runs that pages show.
pub(super) struct Shelf {
    source: RunSource,
    kept: Mutex<Vec<KeptRun>>,
}

struct KeptRun {
    run: i64,
    version: RunVersion,
    made: Instant,
    shown: Arc<ShownRun>,
}

impl Shelf {
    pub(super) fn new(source: RunSource) -> Shelf {
        Shelf { source, kept: Mutex::new(Vec::new()) }
    }

    /// The file whose results are shown, where it is one.
    pub(super) fn file(&self) -> Option<&FileRun> {
        match &self.source {
            RunSource::Store => None,
            RunSource::File(file) => Some(file),
        }
    }

    /// The kept run, where it is still right.
    fn found(&self, run: i64, version: &RunVersion) -> Option<Arc<ShownRun>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.iter().find(|kept| kept.run == run)?;
        let age = kept.made.elapsed();
        let is_right =
            if version.is_complete { kept.version == *version && age < AGE_MAX } else { age < GOING_ON_MAX };
        is_right.then(|| Arc::clone(&kept.shown))
    }

    fn keep(&self, run: i64, version: RunVersion, shown: &Arc<ShownRun>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.run != run);
        kept.insert(0, KeptRun { run, version, made: Instant::now(), shown: Arc::clone(shown) });
        kept.truncate(KEPT_MAX);
    }
}

/// The run of this number, whole.
pub(super) async fn shown(app: &App, run: i64) -> Result<Arc<ShownRun>, Refusal> {
    if let Some(file) = app.shelf.file() {
        return if run == FILE_RUN { Ok(Arc::clone(&file.shown)) } else { Err(Refusal::not_found()) };
    }
    let look = move |room: &ReviewRoom| room.run_version(run);
    let version = app.read(look).await?.ok_or_else(Refusal::not_found)?;
    if let Some(shown) = app.shelf.found(run, &version) {
        return Ok(shown);
    }
    let _turn = app.computing.acquire().await.map_err(|_| Refusal::broken())?;
    // Another request may have made it while this one waited.
    if let Some(shown) = app.shelf.found(run, &version) {
        return Ok(shown);
    }
    let made = app.read(move |room| made(room, run)).await?;
    let shown = Arc::new(made.map_err(|why| Refusal::conflict(format!("run {run} cannot be shown: {why}")))?);
    app.shelf.keep(run, version, &shown);
    Ok(shown)
}

/// The run from the record, or why it cannot be made.
fn made(room: &ReviewRoom, run: i64) -> Result<Result<ShownRun, String>, StoreError> {
    let records = room.store().reader()?.runs()?;
    let Some(record) = records.into_iter().find(|record| record.run.number() == run) else {
        return Ok(Err("it is not there".to_owned()));
    };
    if is_replies(&record) {
        return Ok(Err("it is what a target wrote, and nothing in it is scored".to_owned()));
    }
    let going_on = is_going_on(&record);
    Ok(ShownRun::recorded(room.store(), record).map_err(|why| {
        if going_on { format!("{why} yet; load the page again in a moment") } else { why.to_string() }
    }))
}

fn is_going_on(record: &RunRecord) -> bool {
    record.state.name() == "running"
}
