//! One run whole: its document, and each of its replies with what it came to, from the record or from a results file.
//!
//! Nothing here depends on which command made the calls: a run whose every answer was on record is as whole as any.

use std::io;

use probity_core::report::{Summary, SummaryBuilder};
use probity_core::results::{ResultRow, RunResults};
use probity_core::rubric::Rubric;
use probity_engine::input::Skipped;
use probity_engine::ledger::{RunRecord, Store};
use probity_engine::run::RunError;
use probity_engine::run::case_record::{CaseRecord, CaseStatus};
use probity_engine::run::results::Row;
use probity_engine::run::spec::RecordedRun;
use serde::Deserialize;

use super::list::is_scored;
use crate::render::private::Texts;
use crate::render::report::appendix::Appendix;
use crate::render::report::document::{Document, SKIPPED_MAX};
use crate::render::summary::document;
use crate::render::view::{self, BLOCK, CaseParts, Index, Viewer};

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
    /// The packets that asked about each, by their hashes; empty where they are not on record.
    pub(crate) packets: Vec<Vec<String>>,
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
        let cases = recorded.cases(store)?.collect::<Result<Vec<CaseRecord>, RunError>>()?;
        let replies = cases.iter().filter(|case| !matches!(case.status, CaseStatus::Skipped { .. }));
        let packets =
            replies.map(|case| case.packets().iter().map(|packet| packet.hash.to_string()).collect());
        let packets = packets.collect();
        let standing = summary.record.facts.judge.earned.clone();
        let Summary { rubric, record: summary, .. } = summary;
        let results =
            RunResults { results: rows, skipped: Vec::new(), failed: Vec::new(), summary, standing };
        Ok(ShownRun { document, replies: Some(Replies::new(results, rubric, packets)) })
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
        ShownRun { document, replies: Some(Replies::new(results, rubric, Vec::new())) }
    }
}

impl Replies {
    fn new(results: RunResults, rubric: Rubric, packets: Vec<Vec<String>>) -> Replies {
        let viewer = Viewer::new(Texts::Full);
        Replies { results, rubric, packets, viewer }
    }

    /// What each came to.
    pub(crate) fn rows(&self) -> &[ResultRow] {
        &self.results.results
    }

    /// The index of all replies, as JSON.
    pub(crate) fn index(&self) -> io::Result<String> {
        let mut index = Index::new(view::replies(&self.rubric));
        self.rows().iter().for_each(|row| index.add(view::reply_entry(row, self.parts())));
        Ok(serde_json::to_string(&index)?)
    }

    /// The block of this number; `None` where there is none.
    pub(crate) fn block(&self, number: usize) -> io::Result<Option<String>> {
        let Some(rows) = self.rows().chunks(BLOCK).nth(number) else { return Ok(None) };
        let entries = rows.iter().map(|row| self.viewer.reply(row, self.parts()));
        view::block(&entries.collect::<io::Result<Vec<_>>>()?).map(Some)
    }

    fn parts(&self) -> CaseParts<'_> {
        CaseParts { rubric: &self.rubric, votes: None, asked: None }
    }

    /// A case as markup.
    pub(crate) fn case(&self, row: &ResultRow) -> io::Result<String> {
        self.viewer.case(row, self.parts())
    }
}
