//! What stops a whole load, as opposed to one record.

use std::fmt;
use std::io;
use std::sync::Arc;

/// A data set that cannot be read. The caller has spent nothing and exits with "input is wrong".
#[derive(Debug)]
pub struct LoadError {
    /// The file as it was named, or `-`.
    pub file: Arc<str>,
    /// The line it happened on, 1-based, where there is one.
    pub line: Option<usize>,
    /// What is wrong and what was expected.
    pub message: String,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
    /// What the operating system said.
    pub source: Option<io::Error>,
}

impl LoadError {
    pub(crate) fn new(file: &Arc<str>, message: impl Into<String>) -> Self {
        Self { file: Arc::clone(file), line: None, message: message.into(), hint: None, source: None }
    }

    pub(crate) fn line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with a hint where there is one.
    pub(super) fn hint_if(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    pub(super) fn source(mut self, source: io::Error) -> Self {
        self.source = Some(source);
        self
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|error| error as _)
    }
}
