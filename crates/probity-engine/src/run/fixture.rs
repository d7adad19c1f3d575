//! Jobs over a few cases for tests, judged by the embedded judge.

use std::sync::Arc;

use probity_core::gate::Gate;
use probity_core::packet::AnswerForm;
use probity_core::rubric;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::watch;

use super::asking::Asking;
use super::basis::Basis;
use super::job::Job;
use super::plan::{Plan, UnscoredPolicy};
use super::replies::run_job;
use super::{Mode, Network, Observer, Ran, Session};
use crate::config::Config;
use crate::input::{Dataset, LoadOptions};
use crate::judge::prompt::Template;
use crate::ledger::Store;
use crate::schedule::desk::Progress;
use crate::schedule::lane::Lane;

/// Says nothing.
pub(super) struct Silent;

impl Observer for Silent {
    fn notice(&self, _: &str) {}
    fn planned(&self, _: &Plan) {}
    fn calling(&self, _: &Arc<Progress>, _: &Arc<Lane>) {}
    fn called(&self) {}
}

/// The case `id` with this reply.
pub(super) fn line(id: usize, reply: &str) -> String {
    json!({ "id": id.to_string(), "ticket": "It broke.", "reply": reply }).to_string()
}

/// So many cases: admitted, blocked, skipped and admitted again, each with a reply of its own.
pub(super) fn mixed(n: usize) -> Vec<String> {
    let replies = ["Sorry, we send a new one.", "Card 4111 1111 1111 1111 was charged.", "", "No."];
    let reply = |id: usize| match replies[id % 4] {
        "" => String::new(),
        text => format!("{text} Bye, {id}."),
    };
    (0..n).map(|id| line(id, &reply(id))).collect()
}

/// A job over these lines.
pub(super) fn job(lines: &[String]) -> (TempDir, Arc<Job>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cases.jsonl");
    std::fs::write(&path, lines.join("\n")).expect("cases can be written");
    let dataset = Dataset::open(&[path], LoadOptions::default()).expect("cases can be read");
    let config = Config::resolve([]).expect("the defaults fit");
    let judge = config.named_judge("baseline").expect("it is built in").clone();
    let rubric = rubric::built_in("relevance-tone").expect("it is built in");
    let asking = Asking::new(judge, Template::built_in(AnswerForm::Levels), config).expect("no file is read");
    let basis = Basis::new("cases".to_owned(), rubric, asking, Gate::default());
    let job = Job::new(basis, dataset, None);
    (folder, Arc::new(job.expect("the template fits")))
}

/// A store in this folder.
pub(super) fn store(folder: &TempDir) -> Store {
    Store::open(&folder.path().join("store.db")).expect("a store").store
}

/// Runs the job.
pub(super) fn run(job: &Arc<Job>, store: &Store) -> Ran {
    let (_interrupt, interrupted) = watch::channel(false);
    let mode = Mode {
        network: Network::Offline,
        unscored: UnscoredPolicy::Keep,
        interrupted,
        invocation: None,
        shard: None,
        dispatch: crate::run::batch::Dispatch::Online,
    };
    let session = Session { store, mode: &mode, key: &|_| None, observer: &Silent };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(run_job(job, &session)).expect("a run")
}
