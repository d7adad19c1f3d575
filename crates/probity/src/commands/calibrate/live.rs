//! A calibration with a judge that is asked now, or was asked before and is on record.
//!
//! Everything that can be wrong with labels is found before any call is made.

use crate::render::figure::counted;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use probity_core::calibrate::{Calibration, Counting, calibration};
use probity_core::label::{
    Faults, InputFile, JoinOptions, LabelEntry, LabelFrame, LabelsShow, NotBlind, Scale, Settling, Sheet,
    VerdictEntry, digest, sheet,
};
use probity_core::promote::{Contract, LabelCoverage};
use probity_core::results::Facts;
use probity_core::review::{LabelForm, labels_show};
use probity_core::rubric::{Decider, Rubric};
use probity_engine::input::Place;
use probity_engine::ledger::{JudgeId, Store};
use probity_engine::review::label_frame;
use probity_engine::run::asking::Asking;
use probity_engine::run::basis::Basis;
use probity_engine::run::compare::{Stopping, run as run_comparison};
use probity_engine::run::labelled::{
    FLOOR, LabelScope, LabelledPairs, LabelledReplies, Matched, Verdicts, pairs, replies,
};
use probity_engine::run::work::Work;
use probity_engine::run::{self, Ran, RunError, run};

use super::super::check::dry_run;
use super::super::labels::kept;
use super::super::rows::{Files, all_faults, refuse_skipped, refused, row_options};
use super::super::session::{Covered, Ended, Session};
use crate::exit::Failure;
use crate::render::calibration as page;
use crate::render::view::conversation;
use crate::settings::{self, CaseFlags, LabelledJob};

/// What a live calibration is made of.
#[derive(Clone, Copy)]
pub(crate) struct Live<'a> {
    /// The cases and the judge.
    pub(crate) cases: CaseFlags<'a>,
    /// What people said; without it, what the store holds.
    pub(crate) labels: Option<&'a Path>,
    /// What labels of single replies are about; without it, what they show.
    pub(crate) about: Option<LabelScope>,
    /// Labels by people who had seen a verdict.
    pub(crate) not_blind: NotBlind,
    /// What counts as what.
    pub(crate) counting: Counting,
    /// What labels are gathered for, where it is known.
    pub(crate) contract: Option<&'a Contract>,
}

/// How far a judge says what people say about these cases, and all that it rests on.
pub(crate) struct LiveCalibration {
    /// The figures. There is one judge among them.
    pub(crate) calibration: Calibration,
    /// What is worth a line about the labels.
    pub(crate) notices: Vec<String>,
    /// What labels showed when the store's queue chose what to label next, where one did.
    pub(crate) before: Option<LabelsShow>,
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
    pub(crate) coverage: LabelCoverage,
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

/// What was asked: labelled replies, or labelled pairs.
pub(crate) enum Asked {
    /// Each reply by itself.
    Replies(Arc<LabelledReplies>),
    /// Pairs of replies.
    Pairs(LabelledPairs),
}

impl Deref for Asked {
    type Target = Basis;

    fn deref(&self) -> &Basis {
        match self {
            Asked::Replies(replies) => &replies.job,
            Asked::Pairs(pairs) => &pairs.job,
        }
    }
}

impl Asked {
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

    /// What is asked, as one piece of work.
    pub(crate) fn work(&self) -> Arc<dyn Work> {
        match self {
            Asked::Replies(replies) => Arc::<LabelledReplies>::clone(replies),
            Asked::Pairs(pairs) => pairs.job.work(),
        }
    }

    /// What a member of the panel that was asked said under `repeat`, as rows of the name `name`.
    pub(crate) fn look(
        &self,
        store: &Store,
        member: (usize, &JudgeId),
        repeat: u32,
        name: &str,
    ) -> Result<Vec<VerdictEntry>, RunError> {
        match self {
            Asked::Replies(replies) => replies.look(store, member, repeat, name),
            Asked::Pairs(pairs) => pairs.look(store, member, repeat, name),
        }
    }

    /// What the store holds of the judge that was asked, as rows of the name `judge`.
    pub(crate) fn verdicts(&self, store: &Store, ran: &Ran, judge: &str) -> Result<Verdicts, RunError> {
        match self {
            Asked::Replies(replies) => replies.verdicts(store, ran, judge),
            Asked::Pairs(pairs) => pairs.verdicts(store, ran, judge),
        }
    }
}

/// What people labelled, checked, about which no judge was asked yet.
pub(crate) struct Labelled {
    /// The labels themselves.
    pub(crate) labels: LabelRows,
    /// What became of them.
    pub(crate) matched: Matched,
    /// What a judge is asked.
    pub(crate) asked: Asked,
    options: JoinOptions,
}

/// Reads labels and cases, asks for the verdicts that are not on record, and calibrates. `None` where it was only to be
/// said what asking would take.
pub(crate) fn calibrated(
    live: &Live<'_>,
    session: &Session<'_>,
    is_json: bool,
) -> Result<Option<LiveCalibration>, Failure> {
    let labelled = labelled(live, &|line| session.note(line))?;
    let asked = &labelled.asked;
    if session.is_dry_run() {
        match asked {
            Asked::Replies(replies) => dry_run(&[&**replies], "reply", is_json),
            Asked::Pairs(pairs) => dry_run(&[&*pairs.job.work()], "pair", is_json),
        }?;
        return Ok(None);
    }
    let store = session.open(&asked.asking)?;
    let ran = session.ask(&store, async |session| asked.run(session).await)??;
    let mut calibrated = labelled.calibrated(live.counting, store, ran)?;
    calibrated.notices.extend(calibrated.bought(live.contract));
    calibrated.notices.iter().for_each(|notice| session.note(notice));
    Ok(Some(calibrated))
}

/// Reads labels and cases, and finds everything that can be wrong with them.
pub(crate) fn labelled(live: &Live<'_>, note: &dyn Fn(&str)) -> Result<Labelled, Failure> {
    let from_file = live.labels.map(|path| read_labels(path, live, note)).transpose()?;
    let job = settings::labelled(&live.cases, note)?;
    let labels = from_file.map_or_else(|| stored_labels(&job.asking), Ok)?;
    let (asked, matched) = matched(job, live, &labels)?;
    let scale = scale(&asked.rubric, &matched);
    // In a store labels come one by one, and only what people disagree on is settled.
    let settling = if live.labels.is_some() { Settling::EveryRow } else { Settling::ByItem };
    let (not_blind, floor) = (live.not_blind, Some(FLOOR.to_owned()));
    let frame = frame(&asked)?;
    let options = JoinOptions { scale, not_blind, floor, settling, frame, ..JoinOptions::default() };
    check(&matched, &options, &labels)?;
    announce(&matched, note);
    Ok(Labelled { labels, matched, asked, options })
}

impl Labelled {
    /// The labels beside what judges said.
    pub(crate) fn sheet(&self, said: &[VerdictEntry]) -> Result<Sheet, Failure> {
        sheet(&self.matched.labels, said, &[], self.options.clone())
            .map_err(|faults| faulty(&faults, &self.matched.rows, &self.labels))
    }

    /// Calibrates with what `ran` left in the store.
    pub(crate) fn calibrated(
        self,
        counting: Counting,
        store: Store,
        ran: Ran,
    ) -> Result<LiveCalibration, Failure> {
        let verdicts = self.asked.verdicts(&store, &ran, &judge_name(&self.asked.asking))?;
        let (n, of) = verdicts.coverage();
        let said: Vec<_> = verdicts.judge.into_iter().chain(verdicts.floor).collect();
        let sheet = self.sheet(&said)?;
        Ok(LiveCalibration {
            calibration: calibration(&sheet, counting),
            notices: sheet.notices().to_vec(),
            before: self.options.frame.map(|frame| frame.before),
            labels: self.labels,
            matched: self.matched,
            asked: self.asked,
            ran,
            facts: verdicts.facts,
            coverage: LabelCoverage { n, of },
            store,
        })
    }
}

/// What labelled items were drawn from, where the store has a queue that chose them.
fn frame(asked: &Asked) -> Result<Option<LabelFrame>, Failure> {
    let path = settings::store_address(&asked.asking)?;
    let form = match asked {
        Asked::Replies(_) => LabelForm::Levels,
        Asked::Pairs(_) => LabelForm::Pair,
    };
    let store = path.may_exist().then(|| Store::open_read_only(&path)).transpose()?;
    Ok(store.map(|store| label_frame(&store, asked.rubric.name(), form)).transpose()?.flatten())
}

/// The labels that the store holds. They have no places.
fn stored_labels(asking: &Asking) -> Result<LabelRows, Failure> {
    let path = settings::store_address(asking)?;
    let entries: Vec<LabelEntry> = kept(&path)?.into_iter().map(|stored| stored.label).collect();
    if entries.is_empty() {
        return Err(Failure::usage(format!("{path} has no labels"))
            .hint("name a file with --labels, or import labels with `probity import labels FILE`"));
    }
    let (digest, source) = (digest(&entries), "store".to_owned());
    Ok(LabelRows { entries, places: Vec::new(), digest, source })
}

fn read_labels(path: &Path, live: &Live<'_>, note: &dyn Fn(&str)) -> Result<LabelRows, Failure> {
    let records = &live.cases.reading.records;
    let mut files = Files::new(row_options(records.strict, records.delimiter.as_deref())?, note);
    let rows = files.labels(path)?;
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
                return Err(Failure::usage("--about has no effect when replies are compared"));
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
        .hint(
            "to correct a label, `probity export labels`, edit the file and name it with --labels; labels by several \
             rubrics can share a store if each names its `rubric`",
        )
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
        return Err(Failure::usage(format!("none of the {n} labels can be compared with a judge: {why}"))
            .hint("a label's `item` is the `id` of a case, its `criterion` one of the rubric's"));
    }
    sheet(&matched.labels, &[], &[], options.clone())
        .map(|_| ())
        .map_err(|faults| faulty(&faults, &matched.rows, rows))
}

/// Says what will not be asked about, and what is odd about labels.
fn announce(matched: &Matched, note: &dyn Fn(&str)) {
    let first = matched.rejected.first().map(|first| format!("'{}': {}", first.item, first.reason));
    let rejected = format!("rejected and not counted; the first one is about {}", first.unwrap_or_default());
    for (n, noun, what) in [
        (matched.n_unlabelled, "reply", "or pairs without a label: not asked about"),
        (matched.rejected.len() as u64, "label", &*rejected),
        (matched.n_blocked, "label", "about replies that the gate blocks: not counted"),
        (matched.n_identical, "label", "about identical replies: not counted"),
        (matched.n_early, "label", "older than its case: counted all the same"),
    ] {
        if n > 0 {
            note(&format!("{} {what}", counted(n, noun)));
        }
    }
}

/// What the judge is called in reports.
fn judge_name(asking: &Asking) -> String {
    let model = asking.judge.chat().map(|chat| chat.model.as_str()).unwrap_or_default();
    format!("{} {model}", asking.judge.kind().name()).trim_end().to_owned()
}

impl LiveCalibration {
    /// What labels bought since a queue chose what to label next, where one did.
    pub(crate) fn bought(&self, contract: Option<&Contract>) -> Option<String> {
        let before = self.before.as_ref()?;
        let judge = self.calibration.judges.keys().next()?;
        let after = labels_show(&self.calibration, judge, contract);
        (after.n_rows > before.n_rows)
            .then(|| format!("what the last labels bought: {}", before.bought(&after)))
    }

    /// The judge, for a page.
    pub(crate) fn for_page(&self) -> page::AskedJudge<'_> {
        page::AskedJudge {
            basis: &self.asked,
            facts: &self.facts,
            labels: &self.labels.digest,
            n_missing: self.coverage.of - self.coverage.n,
        }
    }

    /// What the labelled items say, and why the judge said what it did.
    pub(crate) fn texts(&self) -> Result<page::HeldTexts, Failure> {
        let mut texts = page::HeldTexts::new();
        match &self.asked {
            Asked::Replies(replies) => {
                replies.each_result(&self.store, &self.ran, &mut |row, admitted| {
                    let reasons =
                        row.asked().filter_map(|(id, said)| Some((id.to_owned(), said.reasoning.clone()?)));
                    let held = page::HeldText {
                        ticket: row.ticket.clone().unwrap_or_default(),
                        turns: conversation(&admitted.entry().case.situation),
                        replies: vec![("Reply".to_owned(), row.reply.clone().unwrap_or_default())],
                        reasons: reasons.collect(),
                    };
                    texts.insert(row.id.clone(), held);
                })?;
            }
            Asked::Pairs(pairs) => {
                let field = &pairs.job.field;
                for case in &field.cases {
                    let replies = field.variants.iter().zip(&case.replies);
                    let replies = replies.filter_map(|(name, reply)| Some((name, reply.as_ref()?.entry())));
                    let replies: Vec<_> = replies.collect();
                    let Some((_, entry)) = replies.first() else { continue };
                    let held = page::HeldText {
                        ticket: entry
                            .case
                            .situation
                            .texts()
                            .last()
                            .map(ToString::to_string)
                            .unwrap_or_default(),
                        turns: conversation(&entry.case.situation),
                        replies: replies
                            .iter()
                            .map(|(name, entry)| (name.to_string(), entry.reply.text.to_string()))
                            .collect(),
                        ..page::HeldText::default()
                    };
                    texts.insert(case.id.to_string(), held);
                }
            }
        }
        Ok(texts)
    }

    /// How asking ended.
    pub(crate) fn ended(&self) -> Ended {
        let of = "what people labelled has a verdict";
        let LabelCoverage { n, of: all } = self.coverage;
        let share = n as f64 / all as f64;
        let covered = (all > 0).then_some(Covered { share, of, missing: String::new() });
        Ended::of(&self.ran, self.asked.asking.config.run.min_coverage, covered)
    }
}
