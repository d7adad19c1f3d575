//! One run whole: its document, and each of its replies with what it came to, from the record or from a results file.
//!
//! Nothing here depends on which command made the calls: a run whose every answer was on record is as whole as any.

use std::io;

use probity_core::report::{Summary, SummaryBuilder};
use probity_core::results::{ResultRow, RunResults};
use probity_core::rubric::Rubric;
use probity_engine::input::Skipped;
use probity_engine::ledger::{JudgeId, RunRecord, Store};
use probity_engine::run::RunError;
use probity_engine::run::results::Row;
use probity_engine::run::spec::RecordedRun;
use serde::Deserialize;

use super::list::is_scored;
use crate::render::private::Texts;
use crate::render::report::appendix::Appendix;
use crate::render::report::document::{Document, SKIPPED_MAX};
use crate::render::summary::document;
use crate::render::view::{
    self, AskedPacket, AskedReader, BLOCK, CaseParts, EntryTexts, Index, ListEntry, ListHead, ListItem,
    Viewer, Votes,
};

/// A run whole.
pub(crate) struct ShownRun {
    /// What it came to.
    pub(crate) document: Document,
    /// Its replies; `None` where it scored none by themselves.
    pub(crate) replies: Option<Replies>,
}

/// The replies of a run.
pub(crate) struct Replies {
    /// What each came to, in the order of the run.
    pub(crate) results: RunResults,
    /// The rubric they were scored by.
    pub(crate) rubric: Rubric,
    /// What a list is filtered and ordered by, in the same order.
    pub(crate) entries: Vec<ListEntry>,
    votes: Votes,
    /// Who was asked, and which independent answer is shown; `None` where that is not on record.
    judge: Option<(JudgeId, u32)>,
    viewer: Viewer,
}

/// What another command than `run` left on record.
#[derive(Deserialize)]
struct DocumentRecord {
    document: Document,
}

impl ShownRun {
    /// A run of the store, with what its judge has earned by now.
    pub(crate) fn recorded(store: &Store, record: RunRecord) -> Result<ShownRun, RunError> {
        let reader = store.reader()?;
        let run = record.run;
        if !is_scored(&record) {
            let stored = reader.document(run)?.and_then(|text| serde_json::from_str(&text).ok());
            let DocumentRecord { document } =
                stored.ok_or_else(|| RunError::NotOnRecord { run, what: "what it wrote".to_owned() })?;
            let standing = RecordedRun::read(&reader, record)?.standing(&reader)?;
            return Ok(ShownRun { document: document.with_standing(&standing), replies: None });
        }
        let recorded = RecordedRun::open(&reader, record)?;
        let (mut rows, mut skipped) = (Vec::new(), Vec::new());
        let summary = recorded.report(store, &mut |row| {
            match row {
                Row::Reply(row) => rows.push(*row),
                Row::Skipped(record) if skipped.len() < SKIPPED_MAX => skipped.push(record),
                Row::Skipped(_) => {}
            }
            Ok(())
        })?;
        let mut appendix = Appendix::asked(&recorded.asking, &summary.rubric, &summary.record.facts);
        if let Some(call) = reader.invocation(run)? {
            appendix = appendix.of_call(&call.argv);
        }
        let document = document(&summary, &recorded.name, &skipped, appendix);
        let labels = reader.labels()?.into_iter().map(|stored| stored.label);
        let votes = Votes::new(labels, &summary.rubric);
        let judge = Some((recorded.judge().clone(), recorded.first_repeat()));
        let standing = summary.record.facts.judge.earned.clone();
        let Summary { rubric, record: summary, .. } = summary;
        let results =
            RunResults { results: rows, skipped: Vec::new(), failed: Vec::new(), summary, standing };
        Ok(ShownRun { document, replies: Some(Replies::new(results, rubric, votes, judge)) })
    }

    /// The results in a file called `name`, scored by `rubric`.
    pub(crate) fn of_file(results: RunResults, rubric: Rubric, name: &str) -> ShownRun {
        let mut builder = SummaryBuilder::new(&rubric);
        results.results.iter().for_each(|row| builder.add(row));
        let summary =
            Summary { record: results.summary.clone(), ..builder.finish(results.summary.facts.clone()) };
        let skipped = results.skipped.iter().take(SKIPPED_MAX).map(|each| Skipped {
            index: each.index,
            file: each.file.clone(),
            line: each.line,
            id: each.id.clone(),
            reason: each.reason.clone(),
        });
        let skipped: Vec<Skipped> = skipped.collect();
        let appendix = Appendix::of_files(Some(&rubric));
        let document = document(&summary, name, &skipped, appendix).with_standing(&results.standing);
        ShownRun { document, replies: Some(Replies::new(results, rubric, Votes::default(), None)) }
    }
}

impl ShownRun {
    /// The index of its list, as JSON; `None` where it has none.
    pub(crate) fn index(&self) -> io::Result<Option<String>> {
        let (head, entries): (ListHead, Vec<ListEntry>) = match (&self.replies, &self.document.list) {
            (Some(replies), _) => (replies.head(), replies.entries.clone()),
            (None, Some(list)) => (list.head.clone(), list.items.iter().map(ListItem::entry).collect()),
            (None, None) => return Ok(None),
        };
        let mut index = Index::new(head);
        for entry in entries {
            index.add(entry);
        }
        Ok(Some(serde_json::to_string(&index)?))
    }

    /// The block of this number of its list; `None` where there is none.
    pub(crate) fn block(&self, number: usize) -> io::Result<Option<String>> {
        let entries: Option<io::Result<Vec<EntryTexts>>> = match (&self.replies, &self.document.list) {
            (Some(replies), _) => {
                let rows = replies.rows().chunks(BLOCK).nth(number);
                rows.map(|rows| {
                    rows.iter().map(|row| replies.viewer.reply(row, replies.parts(None))).collect()
                })
            }
            (None, Some(list)) => {
                let viewer = Viewer::new(Texts::Full);
                let items = list.items.chunks(BLOCK).nth(number);
                items.map(|items| items.iter().map(|item| viewer.listed(item)).collect())
            }
            (None, None) => None,
        };
        entries.map(|entries| view::block(&entries?)).transpose()
    }
}

impl Replies {
    fn new(results: RunResults, rubric: Rubric, votes: Votes, judge: Option<(JudgeId, u32)>) -> Replies {
        let viewer = Viewer::new(Texts::Full);
        let mut replies = Replies { results, rubric, entries: Vec::new(), votes, judge, viewer };
        let entry = |row| view::reply_entry(row, replies.parts(None));
        replies.entries = replies.rows().iter().map(entry).collect();
        replies
    }

    /// What each came to.
    pub(crate) fn rows(&self) -> &[ResultRow] {
        &self.results.results
    }

    /// What a list of them is about.
    pub(crate) fn head(&self) -> ListHead {
        view::replies(&self.rubric)
    }

    /// Whether the record has what the judge was sent.
    pub(crate) fn has_packets(&self) -> bool {
        self.judge.is_some()
    }

    /// What the judge was sent about the reply at `place` and what came back, where that is on record.
    pub(crate) fn asked(&self, store: &Store, place: usize) -> io::Result<Option<Vec<AskedPacket>>> {
        let Some(((judge, repeat), row)) = self.judge.clone().zip(self.rows().get(place)) else {
            return Ok(None);
        };
        let reader = store.reader().map_err(io::Error::other)?;
        AskedReader { reader, judge, repeat }.packets(&row.packets).map(Some)
    }

    fn parts<'a>(&'a self, asked: Option<&'a [AskedPacket]>) -> CaseParts<'a> {
        CaseParts { rubric: &self.rubric, votes: Some(&self.votes), asked }
    }

    /// A case as markup, with what the judge was sent where that is given.
    pub(crate) fn case(&self, row: &ResultRow, asked: Option<&[AskedPacket]>) -> io::Result<String> {
        self.viewer.case(row, self.parts(asked))
    }

    /// What the judge was sent and what came back as markup.
    pub(crate) fn raw(&self, asked: &[AskedPacket]) -> io::Result<String> {
        self.viewer.raw(asked)
    }
}
