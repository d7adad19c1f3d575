//! Files of rows that are no cases: labels, verdicts, items and samples, and what is wrong with them.

use std::path::{Path, PathBuf};

use probity_core::json::Object;
use probity_core::label::{Faults, Fields, LabelEntry, RowFault};
use probity_engine::input::{Dataset, FileRows, LoadOptions, Place, Skipped, Strictness, read_rows};
use probity_engine::run::foreign::ForeignReplies;

use crate::args::{AskArgs, JudgeArgs};
use crate::exit::Failure;
use crate::settings;

/// What a judge is called in rows that name none.
pub(super) const NO_JUDGE: &str = "(none)";
/// So many faults are shown at once.
const FAULTS_SHOWN_MAX: usize = 5;

/// What another tool's files say about the replies that its own judge has scored, where no judge of ours is named.
pub(super) fn scored_by_another(files: &[PathBuf], ask: &AskArgs) -> Result<Option<ForeignReplies>, Failure> {
    let JudgeArgs { judge, model, base_url, .. } = &ask.judge;
    let names_judge = judge.is_some() || model.is_some() || base_url.is_some();
    if names_judge || files.is_empty() || files.iter().any(|path| path.as_os_str() == "-") {
        return Ok(None);
    }
    // What is wrong with the cases is said where they are needed.
    let options = settings::records(&ask.reading.settings, &ask.reading.records)?;
    let Ok(dataset) = Dataset::open(files, options) else { return Ok(None) };
    let Some(replies) = ForeignReplies::of(&dataset)?.filter(ForeignReplies::has_verdicts) else {
        return Ok(None);
    };
    dataset.notices().iter().for_each(|notice| ask.reading.say.note(notice));
    Ok(Some(replies))
}

/// The names of files, as they were given.
pub(super) fn names<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> String {
    files.into_iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
}

/// How files of rows are read.
pub(super) fn row_options(strict: bool, delimiter: Option<&str>) -> Result<LoadOptions, Failure> {
    let strict = if strict { Strictness::Strict } else { Strictness::Skip };
    let delimiter = settings::delimiter(delimiter)?;
    Ok(LoadOptions { strict, delimiter, ..LoadOptions::default() })
}

/// The files as they are read.
pub(super) struct Files<'a> {
    options: LoadOptions,
    /// Rows that cannot be used, of the files read so far.
    pub(super) skipped: Vec<Skipped>,
    note: &'a dyn Fn(&str),
}

impl<'a> Files<'a> {
    /// No file yet; what is worth a line goes to `note`.
    pub(super) fn new(options: LoadOptions, note: &'a dyn Fn(&str)) -> Self {
        Files { options, skipped: Vec::new(), note }
    }

    /// Says something worth a line.
    pub(super) fn note(&self, line: &str) {
        (self.note)(line);
    }

    /// What the file of another tool says about its replies; `None` where it is no such file.
    pub(super) fn foreign(&self, path: &Path) -> Option<ForeignReplies> {
        if path.as_os_str() == "-" {
            return None;
        }
        let dataset = Dataset::open(&[path.to_owned()], self.options.clone()).ok()?;
        ForeignReplies::of(&dataset).ok().flatten()
    }

    /// What people said, in a file of labels, in another tool's, or in the columns of cases that are mapped.
    pub(super) fn labels(&mut self, path: &Path) -> Result<Vec<(Place, LabelEntry)>, Failure> {
        if self.options.map.has_labels() {
            let dataset = Dataset::open(&[path.to_owned()], self.options.clone())?;
            dataset.notices().iter().for_each(|notice| self.note(notice));
            return Ok(ForeignReplies::of(&dataset)?.map(|replies| replies.labels()).unwrap_or_default());
        }
        match self.foreign(path) {
            Some(replies) => Ok(replies.labels()),
            None => self.rows(path, LabelEntry::FIELDS, LabelEntry::read),
        }
    }

    /// The rows of a file that can be used.
    pub(super) fn rows<T>(
        &mut self,
        path: &Path,
        fields: Fields,
        read: impl Fn(&Object) -> Result<T, RowFault>,
    ) -> Result<Vec<(Place, T)>, Failure> {
        let FileRows { rows, skipped, notices } = read_rows(path, fields, &self.options, read)?;
        for notice in notices {
            (self.note)(&notice);
        }
        if let (true, Some(first)) = (rows.is_empty(), skipped.first()) {
            let message = format!(
                "{}:{}: none of the {} rows can be used; the first one: {}",
                first.file,
                first.line,
                skipped.len(),
                first.reason
            );
            return Err(Failure::usage(message));
        }
        self.skipped.extend(skipped);
        Ok(rows)
    }
}

/// A label that cannot be read is not left out: that would change every figure.
pub(super) fn refuse_skipped(skipped: &[Skipped]) -> Result<(), Failure> {
    let line = |row: &Skipped| format!("{}:{}: record {}: {}", row.file, row.line, row.index, row.reason);
    let lines: Vec<String> = skipped.iter().map(line).collect();
    if lines.is_empty() { Ok(()) } else { Err(all_faults(&lines)) }
}

/// What is wrong with rows, each with its place.
pub(super) fn refused(faults: &Faults, places: &[Place]) -> Failure {
    let line = |(row, first, reason): &(usize, Option<usize>, String)| {
        let Some(place) = places.get(*row) else { return reason.clone() };
        let first = first.and_then(|first| places.get(first));
        let first = first.map(|first| format!(", like record {} at line {}", first.index, first.line));
        format!("{}:{}: record {} {reason}{}", place.file, place.line, place.index, first.unwrap_or_default())
    };
    all_faults(&faults.rows.iter().map(line).collect::<Vec<_>>())
}

/// The first faults, and how many more there are.
pub(super) fn all_faults(lines: &[String]) -> Failure {
    let mut message = lines[..lines.len().min(FAULTS_SHOWN_MAX)].join("\n  ");
    if lines.len() > FAULTS_SHOWN_MAX {
        message += &format!("\n  and {} more", lines.len() - FAULTS_SHOWN_MAX);
    }
    Failure::usage(message)
}
