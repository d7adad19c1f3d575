//! One pass over all files of a data set: records numbered through, files checked at their ends.

use std::sync::Arc;

use super::cases::CaseReader;
use super::entry::Content;
use super::reader::Parsed;
use super::source::Source;
use super::{LoadError, LoadOptions, Notice, Place};

/// A pass that is under way.
pub(super) struct Pass {
    sources: Arc<[Source]>,
    options: LoadOptions,
    /// The file that is being read; nothing before it is opened.
    reader: Option<CaseReader>,
    n_records: usize,
    /// The digests of the files that were read to their ends.
    pub(super) digests: Vec<blake3::Hash>,
    /// How many blank lines those files had.
    pub(super) n_blank_lines: usize,
    /// What is worth saying about the files that were opened.
    pub(super) notices: Vec<Notice>,
}

impl Pass {
    /// Opens the first file: a pass that cannot begin is not begun.
    pub(super) fn begin(sources: &Arc<[Source]>, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut pass = Self {
            sources: Arc::clone(sources),
            options: options.clone(),
            reader: None,
            n_records: 0,
            digests: Vec::new(),
            n_blank_lines: 0,
            notices: Vec::new(),
        };
        pass.open_next()?;
        Ok(pass)
    }

    /// The next record of any file, with its place; `None` after the last file.
    pub(super) fn next(&mut self) -> Result<Option<(Place, Parsed<Content>)>, LoadError> {
        while let Some(mut reader) = self.reader.take() {
            if let Some(parsed) = reader.next()? {
                let (index, file) = (self.n_records, Arc::clone(reader.file.file()));
                self.n_records += 1;
                self.reader = Some(reader);
                return Ok(Some((Place { index, file, line: parsed.line }, parsed)));
            }
            self.finish(reader);
            self.open_next()?;
        }
        Ok(None)
    }

    /// Opens the file after those that were read to their ends.
    fn open_next(&mut self) -> Result<(), LoadError> {
        if let Some(source) = self.sources.get(self.digests.len()) {
            let mut reader = CaseReader::open(source, &self.options)?;
            self.notices.append(&mut reader.file.notices);
            self.reader = Some(reader);
        }
        Ok(())
    }

    fn finish(&mut self, reader: CaseReader) {
        let CaseReader { file, n_passed_over, .. } = reader;
        if n_passed_over > 0 {
            let message = format!("passed over {n_passed_over} spans that are not about GenAI");
            self.notices.push(Notice { file: Some(Arc::clone(file.file())), message });
        }
        self.n_blank_lines += file.n_blank_lines;
        self.digests.push(file.digest());
    }
}
