//! A calibration with a judge that is asked now, or was asked before and is on record.
//!
//! Everything that can be wrong with labels is found before anybody is asked.

use std::path::Path;
use std::sync::Arc;

use probity_core::calibrate::{
    Calibration, Counting, Faults, InputFile, JoinOptions, LabelEntry, NotBlind, Scale, Settling, Sheet,
    VerdictEntry, calibration, digest, sheet,
};
use probity_core::gate::Gate;
use probity_core::report::Facts;
use probity_core::rubric::{Decider, Rubric};
use probity_engine::input::Place;
use probity_engine::ledger::{JudgeId, Store};
use probity_engine::run::asking::Asking;
use probity_engine::run::compare::{Stopping, run as run_comparison};
use probity_engine::run::labelled::{
    About, FLOOR, LabelledPairs, LabelledReplies, Matched, Verdicts, pairs, replies,
};
use probity_engine::run::work::Work;
use probity_engine::run::{self, Ran, RunError, run};

use super::super::check::dry_run;
use super::super::labels::kept;
use super::super::rows::{Files, all_faults, refuse_skipped, refused, row_options};
use super::super::session::{Covered, Ended, Session};
use crate::exit::{Exit, Failure};
use crate::render::report::calibration as page;
use crate::settings::{self, CaseFlags, LabelledJob};

/// What a live calibration is made of.
#[derive(Clone, Copy)]
pub(crate) struct Live<'a> {
    /// The cases and the judge.
    pub(crate) cases: CaseFlags<'a>,
    /// What people said; without it, what the store holds.
    pub(crate) labels: Option<&'a Path>,
    /// What labels of single replies are about; without it, what they show.
    pub(crate) about: Option<About>,
    /// Labels by people who had seen a verdict.
    pub(crate) not_blind: NotBlind,
    /// What counts as what.
    pub(crate) counting: Counting,
}

/// How far a judge says what people say about these cases, and all that it rests on.
pub(crate) struct LiveCalibration {
    /// The figures. There is one judge among them.
    pub(crate) calibration: Calibration,
    /// What is worth a line about the labels.
    pub(crate) notices: Vec<String>,
    /// The labels themselves.
    pub(crate) labels: LabelRows,
    /// What became of them before anything was asked.
    pub(crate) matched: Matched,
    /// What was asked.
    pub(crate) asked: Asked,
    /// How asking went.
    pub(crate) ran: Ran,
    /// What the store knows about the judge's calls.
    pub(crate) facts: Facts,
    /// Labelled items and criteria that a judge may see.
    pub(crate) coverage: Coverage,
    /// Where everything is kept, still open.
    pub(crate) store: Store,
}

/// A set of labels, by its content and its source.
pub(crate) struct LabelRows {
    /// The labels.
    pub(crate) entries: Vec<LabelEntry>,
    /// The place of each, where they come from a file.
    pub(crate) places: Vec<Place>,
    /// BLAKE3 of the labels, whatever their order.
    pub(crate) digest: String,
    /// `file:` and the path as it was named, or `store`.
    pub(crate) source: String,
}

/// How much of what was to be asked has a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Coverage {
    /// With a verdict.
    pub(crate) n_judged: u64,
    /// All of them.
    pub(crate) n: u64,
}

impl Coverage {
    /// The share with a verdict; `None` of nothing.
    pub(crate) fn share(self) -> Option<f64> {
        (self.n > 0).then(|| self.n_judged as f64 / self.n as f64)
    }
}

/// What was asked: labelled replies, or labelled pairs.
pub(crate) enum Asked {
    /// Each reply by itself.
    Replies(Arc<LabelledReplies>),
    /// Pairs of replies.
    Pairs(LabelledPairs),
}

impl Asked {
    /// Who was asked, and how.
    pub(crate) fn asking(&self) -> &Asking {
        match self {
            Asked::Replies(replies) => &replies.job().asking,
            Asked::Pairs(pairs) => &pairs.job.asking,
        }
    }

    /// By what.
    pub(crate) fn rubric(&self) -> &Rubric {
        match self {
            Asked::Replies(replies) => &replies.job().rubric,
            Asked::Pairs(pairs) => &pairs.job.rubric,
        }
    }

    /// The case files, for people.
    pub(crate) fn name(&self) -> &str {
        match self {
            Asked::Replies(replies) => &replies.job().dataset_name,
            Asked::Pairs(pairs) => &pairs.job.name,
        }
    }

    /// The rules that decided which replies are judged.
    pub(crate) fn gate(&self) -> &Gate {
        match self {
            Asked::Replies(replies) => replies.job().gate(),
            Asked::Pairs(pairs) => pairs.job.gate(),
        }
    }

    async fn run(&self, session: &run::Session<'_>) -> Result<Ran, RunError> {
        match self {
            Asked::Replies(replies) => {
                let work: Arc<dyn Work> = Arc::<LabelledReplies>::clone(replies);
                run(&work, session).await
            }
            Asked::Pairs(pairs) => {
                run_comparison(&pairs.job, Stopping::Never, session, None).await.map(|(ran, _)| ran)
            }
        }
    }

    fn verdicts(&self, store: &Store, ran: &Ran, judge: &str) -> Result<Verdicts, RunError> {
        match self {
            Asked::Replies(replies) => replies.verdicts(store, ran, judge),
            Asked::Pairs(pairs) => pairs.verdicts(store, ran, judge),
        }
    }
}

/// A calibration about which nothing was asked yet.
pub(crate) struct Prepared {
    rows: LabelRows,
    asked: Asked,
    matched: Matched,
    options: JoinOptions,
}

impl Prepared {
    /// Reads labels and cases, and finds everything that can be wrong with them.
    pub(crate) fn new(live: &Live<'_>, session: &Session<'_>) -> Result<Prepared, Failure> {
        let note = |line: &str| session.note(line);
        let from_file = live.labels.map(|path| read_labels(path, live, &note)).transpose()?;
        let job = settings::labelled(&live.cases, &note)?;
        let rows = from_file.map_or_else(|| stored_labels(job.asking()), Ok)?;
        let (asked, matched) = matched(job, live, &rows)?;
        let scale = scale(asked.rubric(), &matched);
        // In a store labels come one by one, and only what people disagree on is settled.
        let settling = if live.labels.is_some() { Settling::EveryRow } else { Settling::ByItem };
        let (not_blind, floor) = (live.not_blind, Some(FLOOR.to_owned()));
        let options = JoinOptions { scale, not_blind, floor, settling, ..JoinOptions::default() };
        check(&matched, &options, &rows)?;
        announce(&matched, &note);
        Ok(Prepared { rows, asked, matched, options })
    }

    /// Says what asking would take, and asks nothing.
    pub(crate) fn dry_run(&self, is_json: bool) -> Result<Exit, Failure> {
        match &self.asked {
            Asked::Replies(replies) => dry_run(&[&**replies], "replies", is_json),
            Asked::Pairs(pairs) => dry_run(&[&*pairs.job.work()], "pairs", is_json),
        }
    }

    /// Asks for the verdicts that are not on record, and calibrates.
    pub(crate) fn ask(self, live: &Live<'_>, session: &Session<'_>) -> Result<LiveCalibration, Failure> {
        let store = session.open(self.asked.asking())?;
        let ran = session.ask(&store, async |session| self.asked.run(session).await)??;
        self.calibrated(live.counting, store, ran)
    }

    /// What the store holds of `judge` about what people labelled, as rows of this name.
    pub(crate) fn verdicts(
        &self,
        store: &Store,
        judge: &JudgeId,
        name: &str,
    ) -> Result<Vec<VerdictEntry>, Failure> {
        Ok(self.asked.verdicts(store, &Ran::on_record(judge.clone()), name)?.judge)
    }

    /// What people said beside what several judges say.
    pub(crate) fn sheet(&self, said: &[VerdictEntry]) -> Result<Sheet, Failure> {
        sheet(&self.matched.labels, said, &[], self.options.clone())
            .map_err(|faults| faulty(&faults, &self.matched.rows, &self.rows))
    }

    /// The items that people labelled.
    pub(crate) fn labelled(&self) -> impl Iterator<Item = &str> {
        self.matched.labels.iter().map(|label| label.item.as_str())
    }

    /// Calibrates with what `ran` left in the store.
    pub(crate) fn calibrated(
        self,
        counting: Counting,
        store: Store,
        ran: Ran,
    ) -> Result<LiveCalibration, Failure> {
        let Prepared { rows, asked, matched, options } = self;
        let verdicts = asked.verdicts(&store, &ran, &judge_name(asked.asking()))?;
        let (n_judged, n) = verdicts.coverage();
        let said: Vec<_> = verdicts.judge.into_iter().chain(verdicts.floor).collect();
        let sheet = sheet(&matched.labels, &said, &[], options)
            .map_err(|faults| faulty(&faults, &matched.rows, &rows))?;
        Ok(LiveCalibration {
            calibration: calibration(&sheet, counting),
            notices: sheet.notices().to_vec(),
            labels: rows,
            matched,
            asked,
            ran,
            facts: verdicts.facts,
            coverage: Coverage { n_judged, n },
            store,
        })
    }
}

/// The labels that the store holds. They have no places.
fn stored_labels(asking: &Asking) -> Result<LabelRows, Failure> {
    let path = settings::store_path(asking)?;
    let entries: Vec<LabelEntry> = kept(&path)?.into_iter().map(|stored| stored.label).collect();
    if entries.is_empty() {
        return Err(Failure::usage(format!("{} holds no labels", path.display()))
            .hint("name a file with --labels, or bring labels in with `probity import labels FILE`"));
    }
    let (digest, source) = (digest(&entries), "store".to_owned());
    Ok(LabelRows { entries, places: Vec::new(), digest, source })
}

fn read_labels(path: &Path, live: &Live<'_>, note: &dyn Fn(&str)) -> Result<LabelRows, Failure> {
    let records = &live.cases.reading.records;
    let mut files = Files::new(row_options(records.strict, records.delimiter.as_deref())?, note);
    let rows = files.rows(path, LabelEntry::FIELDS, LabelEntry::read)?;
    refuse_skipped(&files.skipped)?;
    let (places, entries): (Vec<Place>, Vec<LabelEntry>) = rows.into_iter().unzip();
    let (digest, source) = (digest(&entries), format!("file:{}", path.display()));
    Ok(LabelRows { entries, places, digest, source })
}

fn matched(job: LabelledJob, live: &Live<'_>, rows: &LabelRows) -> Result<(Asked, Matched), Failure> {
    match job {
        LabelledJob::Replies(job) => {
            let (replies, matched) = replies(*job, &rows.entries, live.about, rows.digest.clone())?;
            Ok((Asked::Replies(replies), matched))
        }
        LabelledJob::Pairs(job) => {
            if live.about.is_some() {
                return Err(Failure::usage("--about means nothing where replies are compared"));
            }
            let (pairs, matched) = pairs(*job, &rows.entries);
            Ok((Asked::Pairs(pairs), matched))
        }
    }
}

/// What can be said under the rubric: sides of a pair, pass or fail, or the levels of every judged criterion.
fn scale(rubric: &Rubric, matched: &Matched) -> Option<Scale> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let first = matched.labels.first()?;
    let values = if first.facts.variants.is_some() {
        names(&["a", "tie", "b"])
    } else if first.criterion.is_none() {
        names(&["fail", "pass"])
    } else {
        let judged = rubric.criteria().iter().filter(|criterion| criterion.decider == Decider::Judge);
        let mut levels: Vec<i64> = judged.flat_map(|criterion| criterion.scale.levels()).copied().collect();
        levels.sort_unstable();
        levels.dedup();
        levels.iter().map(ToString::to_string).collect()
    };
    Scale::declared(&values)
}

/// What is wrong with labels: with their places, or with what they are about where the store has them. `numbers`
/// has the place among all labels of each that was looked at.
fn faulty(faults: &Faults, numbers: &[usize], rows: &LabelRows) -> Failure {
    if !rows.places.is_empty() {
        let places: Vec<Place> = numbers.iter().map(|row| rows.places[*row].clone()).collect();
        return refused(faults, &places);
    }
    let line = |(row, _, reason): &(usize, Option<usize>, String)| {
        let label = numbers.get(*row).map(|row| &rows.entries[*row]);
        let item = label.map(|label| label.item.as_str()).unwrap_or_default();
        let by = label.and_then(|label| label.annotator.as_ref());
        let by = by.map(|name| format!(" by '{name}'")).unwrap_or_default();
        format!("the label of item '{item}'{by} in the store: {reason}")
    };
    all_faults(&faults.rows.iter().map(line).collect::<Vec<_>>())
        .hint("labels by several rubrics can share a store if each names its `rubric`")
}

/// Finds what is wrong with labels before anything is spent.
fn check(matched: &Matched, options: &JoinOptions, rows: &LabelRows) -> Result<(), Failure> {
    if !matched.faults.is_empty() {
        let faults = matched.faults.iter().map(|(row, reason)| (*row, None, reason.clone())).collect();
        let all: Vec<usize> = (0..rows.entries.len()).collect();
        return Err(faulty(&Faults { file: InputFile::Labels, rows: faults }, &all, rows));
    }
    if matched.labels.is_empty() {
        let why = match matched.rejected.first() {
            Some(first) => format!("the first one, about '{}': {}", first.item, first.reason),
            None if matched.n_blocked > 0 => "the gate blocks what they are about".to_owned(),
            None => "what they are about is identical".to_owned(),
        };
        let n = rows.entries.len();
        return Err(Failure::usage(format!("none of {n} labels can be held against a judge; {why}"))
            .hint("a label's `item` is the `id` of a case, its `criterion` one of the rubric's"));
    }
    sheet(&matched.labels, &[], &[], options.clone())
        .map(|_| ())
        .map_err(|faults| faulty(&faults, &matched.rows, rows))
}

/// Says what will not be asked about, and what is odd about labels.
fn announce(matched: &Matched, note: &dyn Fn(&str)) {
    if matched.n_unlabelled > 0 {
        note(&format!("{} replies or pairs have no label and are not asked about", matched.n_unlabelled));
    }
    if let Some(first) = matched.rejected.first() {
        note(&format!(
            "{} labels are rejected and do not count, the first one about '{}': {}",
            matched.rejected.len(),
            first.item,
            first.reason
        ));
    }
    if matched.n_blocked > 0 {
        note(&format!("{} labels are about what the gate blocks and do not count", matched.n_blocked));
    }
    if matched.n_identical > 0 {
        note(&format!("{} labels are about identical replies and do not count", matched.n_identical));
    }
    if matched.n_early > 0 {
        note(&format!("{} labels are older than the case they are about; they count", matched.n_early));
    }
}

/// What the judge is called in reports.
fn judge_name(asking: &Asking) -> String {
    let model = asking.judge.chat().map(|chat| chat.model.as_str()).unwrap_or_default();
    format!("{} {model}", asking.judge.kind().name()).trim_end().to_owned()
}

impl LiveCalibration {
    /// The judge, for a page.
    pub(crate) fn for_page(&self) -> page::Asked<'_> {
        page::Asked {
            asking: self.asked.asking(),
            rubric: self.asked.rubric(),
            facts: &self.facts,
            labels: &self.labels.digest,
            gate: self.asked.gate().digest(),
            n_missing: self.coverage.n - self.coverage.n_judged,
        }
    }

    /// How asking ended.
    pub(crate) fn ended(&self) -> Ended {
        let of = "what people labelled has a verdict";
        let covered = self.coverage.share().map(|share| Covered { share, of, missing: String::new() });
        Ended::of(&self.ran, self.asked.asking().config.run.min_coverage, covered)
    }
}
