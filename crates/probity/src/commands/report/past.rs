//! Runs of the store by number, and the report of one of them.
//!
//! A run owns what it was made of, so its report needs no file of it and no folder: no judge is asked, and nothing is
//! written to the store.

use probity_core::case::Moment;
use probity_core::promote::Standing;
use probity_core::report::Bridge;
use probity_core::results::RunResults;
use probity_engine::ledger::{Reader, RunId, RunOutcome, RunRecord, Store};
use probity_engine::run::spec::RecordedRun;
use probity_engine::run::standing::of_results;

use super::super::diff::read_results_text;
use super::super::outlet::Outlet;
use super::super::run;
use super::super::session::StoredDocument;
use super::super::succeed::bridge_key;
use crate::args::StoreArgs;
use crate::exit::{Exit, Failure};
use crate::render::report::Beside;
use crate::render::view::{AskedReader, Votes};
use crate::runs::list::{is_replies, is_scored};
use crate::settings;

/// The word for the run that was begun last.
const LAST: &str = "last";

/// What pages show beside the rows of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ShownBeside {
    /// What people decided.
    pub(crate) labels: bool,
    /// What the judge was sent, and what came back.
    pub(crate) raw: bool,
}

/// The runs of a store.
pub(crate) struct Past {
    /// The store.
    pub(crate) store: Store,
    /// What reads it.
    pub(crate) reader: Reader,
    /// The runs in the order in which they were begun.
    pub(crate) runs: Vec<RunRecord>,
}

impl Past {
    /// Reads the runs of the store that settings and flags name.
    pub(crate) fn open(args: &StoreArgs) -> Result<Past, Failure> {
        let path = settings::store_of(args)?;
        if !path.may_exist() {
            return Err(Failure::usage(format!("there is no store at {path}"))
                .hint("`probity run` makes one; --store names one that is elsewhere"));
        }
        let store = Store::open_read_only(&path)?;
        let reader = store.reader()?;
        let runs = reader.runs()?;
        Ok(Past { store, reader, runs })
    }

    /// The run of `probity run` called `name`, with what it was made of.
    pub(crate) fn run(&self, name: &str) -> Result<RecordedRun, Failure> {
        let record = self.named(name, |run| is_run(run).unwrap_or(false))?;
        if !is_run(record)? {
            return Err(not_a_run(record));
        }
        Ok(RecordedRun::open(&self.reader, record.clone())?)
    }

    /// When a run was first complete, or was last tried, where that is on record.
    pub(crate) fn moment(&self, run: RunId) -> Result<Option<Moment>, Failure> {
        let outcomes = self.outcomes()?;
        Ok(outcomes.iter().find(|outcome| outcome.run == run).and_then(|outcome| outcome.at.parse().ok()))
    }

    /// What they came to, as far as that is on record.
    pub(crate) fn outcomes(&self) -> Result<Vec<RunOutcome>, Failure> {
        self.reader.outcomes().map_err(|error| Failure::new(Exit::Store, &error))
    }

    /// What `succeed` found between two judges under the rubric of this hash.
    pub(crate) fn bridge(&self, rubric: &str, judges: [&str; 2]) -> Option<Bridge> {
        let noted = self.reader.noted(&bridge_key(rubric, judges)).ok().flatten()?;
        serde_json::from_str(&noted).ok()
    }

    /// Whether `name` is the name of a run, of this store or another.
    pub(crate) fn is_name(name: &str) -> bool {
        name == LAST || name.parse::<u64>().is_ok()
    }

    /// The run called `name`: a number, or the last one that `fits`.
    pub(crate) fn named(&self, name: &str, fits: impl Fn(&RunRecord) -> bool) -> Result<&RunRecord, Failure> {
        let found = match name {
            LAST => self.runs.iter().rev().find(|run| fits(run)),
            number => self.runs.iter().find(|run| run.run.to_string() == number),
        };
        found.ok_or_else(|| {
            let shown = self.store.path().display();
            Failure::usage(format!("{shown} has no run {name}, expected a number or `{LAST}`"))
                .hint("`probity report` lists the runs")
        })
    }

    /// Reports `record` from what is on record, and ends as its command did.
    pub(crate) fn report(
        &self,
        record: &RunRecord,
        outlet: &Outlet<'_>,
        shown: ShownBeside,
    ) -> Result<Exit, Failure> {
        if !is_run(record)? {
            let stored = self.reader.document(record.run)?;
            let stored: Option<StoredDocument<'_>> =
                stored.as_deref().and_then(|text| serde_json::from_str(text).ok());
            let stored = stored.ok_or_else(|| {
                let name = &record.manifest.name;
                Failure::usage(format!("run {} ({name}): its results are not on record", record.run))
                    .hint("run the same command with --offline: its verdicts are in the store")
            })?;
            let ended = stored.ended();
            let standing = RecordedRun::read(&self.reader, record.clone())?.standing(&self.reader)?;
            return outlet.end(&stored.document.into_owned().with_standing(&standing), ended);
        }
        let run = RecordedRun::open(&self.reader, record.clone())?;
        let beside = self.beside(&run, shown)?;
        run::recorded(&run, &self.store, outlet, beside)
    }

    /// What pages show beside the rows of a run.
    fn beside(&self, run: &RecordedRun, shown: ShownBeside) -> Result<Beside, Failure> {
        let votes = shown.labels.then(|| self.reader.labels()).transpose()?;
        let votes =
            votes.map(|labels| Votes::new(labels.into_iter().map(|stored| stored.label), &run.rubric));
        let asked = shown.raw.then(|| self.store.reader()).transpose()?;
        let (judge, repeat) = (run.judge().clone(), run.first_repeat());
        Ok(Beside { votes, asked: asked.map(|reader| AskedReader { reader, judge, repeat }) })
    }

    /// The results of a run of `probity run`, as it would write them.
    pub(crate) fn results(&self, record: &RunRecord) -> Result<RunResults, Failure> {
        if !is_run(record)? {
            return Err(not_a_run(record));
        }
        let recorded = RecordedRun::open(&self.reader, record.clone())?;
        let (text, standing) = run::results(&recorded, &self.store)?;
        let mut results = read_results_text(text, &format!("run {}", record.run))?;
        results.standing = standing;
        Ok(results)
    }

    /// What the judge of results in a file has earned, as far as this store knows the run that wrote them.
    pub(crate) fn standing(&self, results: &RunResults) -> Result<Standing, Failure> {
        let standing = of_results(&self.reader, results);
        standing.map_err(|error| Failure::new(Exit::Store, &error))
    }
}

fn not_a_run(record: &RunRecord) -> Failure {
    let name = &record.manifest.name;
    Failure::usage(format!("run {} ({name}) did not score single replies", record.run))
        .hint("expected a run of `probity run`; `probity report` lists the runs")
}

/// Whether a run is of `probity run`, with cases and verdicts, and not what another command came to.
fn is_run(record: &RunRecord) -> Result<bool, Failure> {
    let name = &record.manifest.name;
    if is_replies(record) {
        let message =
            format!("run {} ({name}) is what a target wrote, and nothing in it is scored", record.run);
        return Err(Failure::usage(message).hint(
            "expected the run that scored it, a run of `probity run`; `probity report` lists the runs",
        ));
    }
    Ok(is_scored(record))
}
