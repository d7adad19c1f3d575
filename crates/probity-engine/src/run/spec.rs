//! What a run is made of but its cases, as its record has it: enough to report it from any folder, with none of its
//! files left.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use probity_core::gate::Gate;
use probity_core::packet::{self, Ask, PacketHash};
use probity_core::promote::Standing;
use probity_core::report::Summary;
use probity_core::rubric::{self, Rubric};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::about::{SummaryParts, TargetSpec, facts};
use super::asking::Asking;
use super::by_people::PeopleDecisions;
use super::case_record::{CaseRecord, JoinedRecordText, PacketRecord};
use super::job::told_parts;
use super::plan::Plan;
use super::replies::{RepliesRan, target_run};
use super::results::{ResultRows, Row, Scoring};
use super::standing::Subject;
use super::{Ran, RunError};
use crate::config::layer::Layer;
use crate::config::{Config, JudgeSettings, LeftOut, StoredTexts};
use crate::input::JoinedRecord;
use crate::judge::prompt::Template;
use crate::ledger::{AttemptRecord, CaseList, JudgeId, Reader, RunId, RunRecord, Store, StoreError};

/// Cases that are recorded at once.
const GROUP: usize = 64;

/// What a run is made of but its cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The names of the case files.
    pub files: String,
    /// What settings files, variables and flags say, but where the record is: that may hold a password.
    pub settings: Layer,
    /// The judge.
    pub judge: JudgeSettings,
    /// The parameters that the judge refused.
    pub left_out: String,
    /// The text of the rubric.
    pub rubric: String,
    /// The text of the prompt template.
    pub template: String,
    /// The rules of the gate whose findings block.
    pub blocking: BTreeSet<String>,
    /// The texts of policies, word lists and rules of the user's own, by the names of their files.
    pub policies: Vec<(String, String)>,
    /// Which time the judge looks at the same cases, from 1.
    pub round: u32,
    /// How often each packet was asked about in it.
    pub n_repeats: u32,
    /// Packets equal to one met before.
    pub n_repeated: u64,
    /// What wrote the replies, where they were asked for.
    pub target: Option<TargetSpec>,
    /// What stands around the records of other tools' files, by file, as JSON text.
    pub frames: Vec<(String, String)>,
}

impl RunSpec {
    /// What these parts come to, for a first round without a target.
    pub(super) fn new(files: &str, asking: &Asking, rubric: &Rubric, gate: &Gate) -> RunSpec {
        let mut settings = asking.config.written().clone();
        settings.run.store = None;
        settings.store.password_command = None;
        RunSpec {
            files: files.to_owned(),
            settings,
            judge: asking.judge.clone(),
            left_out: asking.left().text(),
            rubric: rubric.source().to_owned(),
            template: asking.template.source(),
            blocking: gate.blocking(),
            policies: gate.sources(),
            round: 1,
            n_repeats: 1,
            n_repeated: 0,
            target: None,
            frames: Vec::new(),
        }
    }

    /// The record's text.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("texts, numbers and lists can be written")
    }
}

/// The most repeats of a round.
pub const REPEATS_MAX: u32 = 1_000;

/// The numbers under which the store keeps the repeats of a round. No two rounds have one in common.
pub(super) fn repeat_numbers(round: u32, n_repeats: u32) -> Range<u32> {
    let first = (round - 1) * REPEATS_MAX;
    first..first + n_repeats.min(REPEATS_MAX)
}

/// A run as the store has it. Reporting it makes no call and reads no file.
#[derive(Debug)]
pub struct RecordedRun {
    /// The names of its case files.
    pub name: String,
    /// Its rubric.
    pub rubric: Rubric,
    /// Who was asked, and how.
    pub asking: Asking,
    record: RunRecord,
    spec: RunSpec,
    judge_id: JudgeId,
    asks: Vec<Arc<Ask>>,
}

impl RecordedRun {
    /// Reads what `record` was made of, which is a run of `probity run`.
    pub fn open(reader: &Reader, record: RunRecord) -> Result<RecordedRun, RunError> {
        let run = record.run;
        if reader.n_cases(run)?.is_none() {
            return Err(RunError::NotOnRecord { run, what: "some of its cases".to_owned() });
        }
        RecordedRun::read(reader, record)
    }

    /// Reads what `record` was made of but its cases, whatever command made it.
    pub fn read(reader: &Reader, record: RunRecord) -> Result<RecordedRun, RunError> {
        let run = record.run;
        let missing = |what: String| RunError::NotOnRecord { run, what };
        let text = reader.spec(run)?.ok_or_else(|| missing("what it was made of".to_owned()))?;
        let spec: RunSpec = serde_json::from_str(&text).map_err(|error| missing(error.to_string()))?;
        let judge = record.part("judge").and_then(|id| JudgeId::parse(id).ok());
        let judge_id = judge.ok_or_else(|| missing("its judge".to_owned()))?;
        let config = Config::resolve([spec.settings.clone()]).map_err(|error| missing(error.to_string()))?;
        let rubric = rubric::read(&spec.rubric).map_err(|_| missing("its rubric".to_owned()))?.rubric;
        let left = LeftOut::parse(&spec.left_out);
        let asking = Asking::on_record(spec.judge.clone(), Template::parse(&spec.template)?, config, left);
        let asks = packet::asks(&rubric, asking.config.run.call_plan);
        Ok(RecordedRun { name: spec.files.clone(), rubric, asking, record, spec, judge_id, asks })
    }

    /// The run.
    pub fn run(&self) -> RunId {
        self.record.run
    }

    /// What stood around the records of other tools' files, by file, as JSON text.
    pub fn frames(&self) -> &[(String, String)] {
        &self.spec.frames
    }

    /// Its cases, in the order of the input.
    pub fn cases(
        &self,
        store: &Store,
    ) -> Result<impl Iterator<Item = Result<CaseRecord, RunError>> + use<>, StoreError> {
        Ok(groups(store.reader()?, self.run()).flatten())
    }

    /// The records of help desks' files that are no cases, and what of the files around them is not kept.
    pub fn joined(
        &self,
        store: &Store,
    ) -> Result<impl Iterator<Item = Result<JoinedRecordText, RunError>> + use<>, StoreError> {
        let (reader, run) = (store.reader()?, self.run());
        Ok(read_groups(run, move |n| reader.joined_from(run, n)).flatten())
    }

    /// Every attempt at each of `packets`, in their order, with the packet and the repeat of the run, from 0.
    pub fn attempts(
        &self,
        reader: &Reader,
        packets: &[PacketRecord],
    ) -> Result<Vec<(PacketHash, u32, AttemptRecord)>, StoreError> {
        let mut all = Vec::new();
        for packet in packets {
            for (repeat, number) in (0..).zip(self.repeat_numbers()) {
                let attempts = reader.attempts_of(&packet.hash, &self.judge_id, number)?;
                all.extend(attempts.into_iter().map(|attempt| (packet.hash, repeat, attempt)));
            }
        }
        Ok(all)
    }

    /// The judge that was asked.
    pub fn judge(&self) -> &JudgeId {
        &self.judge_id
    }

    /// Which independent answer counts first.
    pub fn first_repeat(&self) -> u32 {
        self.repeat_numbers().start
    }

    fn repeat_numbers(&self) -> Range<u32> {
        repeat_numbers(self.spec.round, self.spec.n_repeats)
    }

    /// What it came to, before its results are read back.
    pub fn ran(&self, reader: &Reader) -> Result<Ran, StoreError> {
        let target = self.spec.target.as_ref();
        let about = (self.name.as_str(), self.repeat_numbers().start);
        let replies_run =
            target.map(|target| target_run(reader, &self.record, about, target)).transpose()?.flatten();
        let plan = Plan { n_repeated: self.spec.n_repeated, ..Plan::default() };
        let replies = target.map(|_| RepliesRan { run: replies_run, ..RepliesRan::default() });
        Ok(Ran { run: Some(self.run()), replies, ..Ran::planned(plan, self.judge_id.clone()) })
    }

    /// What its judge has earned by now.
    pub fn standing(&self, reader: &Reader) -> Result<Standing, StoreError> {
        let subject = Subject { asking: &self.asking, rubric: &self.rubric, blocking: &self.spec.blocking };
        Ok(facts(&subject, reader, &self.ran(reader)?)?.judge.earned)
    }

    /// Its results from the store, each row to `sink` in the order of the input.
    pub fn report(
        &self,
        store: &Store,
        sink: &mut dyn FnMut(Row) -> std::io::Result<()>,
    ) -> Result<Summary, RunError> {
        let (cases, mut reader) = (store.reader()?, store.snapshot()?);
        let people = PeopleDecisions::of(&self.rubric, &reader)?;
        let rows = ResultRows {
            people,
            scoring: Scoring::new(&self.rubric, &self.asking, &self.asks, &self.spec.blocking),
            reader: std::sync::Mutex::new(&mut reader),
            judge: &self.judge_id,
            repeats: self.repeat_numbers(),
        };
        let figures = rows.each(groups(cases, self.run()), |record| record, sink)?;
        let about = SummaryParts {
            asking: &self.asking,
            rubric: &self.rubric,
            blocking: &self.spec.blocking,
            definition: told_parts(&self.record.manifest),
            target: self.spec.target.as_ref(),
            texts: self.asking.config.store.texts,
        };
        about.summary(&reader, &self.ran(&reader)?, figures)
    }
}

/// The cases of a run in groups, as they were recorded.
fn groups(reader: Reader, run: RunId) -> impl Iterator<Item = Vec<Result<CaseRecord, RunError>>> {
    read_groups(run, move |n| reader.cases_from(run, n))
}

/// The records that `next` gives from a number on, until it gives none.
fn read_groups<T: DeserializeOwned>(
    run: RunId,
    next: impl Fn(usize) -> Result<Vec<String>, StoreError>,
) -> impl Iterator<Item = Vec<Result<T, RunError>>> {
    let mut n = 0;
    std::iter::from_fn(move || {
        let bodies = match next(n) {
            Err(error) => return Some(vec![Err(error.into())]),
            Ok(bodies) if bodies.is_empty() => return None,
            Ok(bodies) => bodies,
        };
        let first = n;
        n += bodies.len();
        let read = |(index, body): (usize, &String)| {
            let what = |error| format!("case {index} ({error})");
            serde_json::from_str(body).map_err(|error| RunError::NotOnRecord { run, what: what(error) })
        };
        Some((first..).zip(&bodies).map(read).collect())
    })
}

/// Cases on their way into the record of a run.
pub(super) struct CaseRecorder<'a> {
    store: &'a Store,
    list: CaseList,
    texts: StoredTexts,
    waiting: Vec<String>,
    n: usize,
    n_cases: usize,
}

impl<'a> CaseRecorder<'a> {
    /// Begins to record the cases known by `key` for `run`; `None` where the store has them.
    pub(super) fn begin(
        store: &'a Store,
        run: RunId,
        key: &str,
        texts: StoredTexts,
    ) -> Result<Option<CaseRecorder<'a>>, StoreError> {
        let list = store.own_cases(run, key)?;
        Ok(list.map(|list| CaseRecorder { store, list, texts, waiting: Vec::new(), n: 0, n_cases: 0 }))
    }

    /// Adds the next case.
    pub(super) fn add(&mut self, record: CaseRecord) -> Result<(), StoreError> {
        let record = if self.texts == StoredTexts::Digest { record.with_digests() } else { record };
        self.n_cases += 1;
        self.put(&record)
    }

    /// Adds a record that is no case. All cases were added.
    pub(super) fn add_joined(&mut self, record: JoinedRecord) -> Result<(), StoreError> {
        self.put(&JoinedRecordText::new(record, self.texts))
    }

    fn put(&mut self, record: &impl Serialize) -> Result<(), StoreError> {
        self.waiting.push(serde_json::to_string(record).expect("texts and numbers can be written"));
        if self.waiting.len() < GROUP { Ok(()) } else { self.send() }
    }

    /// Records those that wait, and that there are no more.
    pub(super) fn complete(mut self) -> Result<(), StoreError> {
        self.send()?;
        self.store.complete_cases(self.list, self.n_cases)
    }

    fn send(&mut self) -> Result<(), StoreError> {
        let records = std::mem::take(&mut self.waiting);
        let first = self.n;
        self.n += records.len();
        self.store.add_cases(self.list, first, records)
    }
}
