//! What is wrong with a file that a person wrote, and on which line.
//!
//! Faults are collected, never thrown: a person who fixes a file wants the whole list. An error means
//! the file cannot be used; a warning means that it can, and should be looked at.

/// One thing wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line it stands on, from 1.
    pub line: usize,
    /// What is wrong: lower case, no final period.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem on `line`, without a hint.
    pub fn at(line: usize, message: impl Into<String>) -> Self {
        Problem { line, message: message.into(), hint: None }
    }

    /// The same problem with what to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Problem { hint: Some(hint.into()), ..self }
    }
}

/// Everything found wrong while reading one file.
#[derive(Debug, Default)]
pub struct Faults {
    errors: Vec<Problem>,
    warnings: Vec<Problem>,
}

impl Faults {
    /// Notes what makes the file unusable.
    pub fn error(&mut self, problem: Problem) {
        self.errors.push(problem);
    }

    /// Notes what does not make the file unusable.
    pub fn warning(&mut self, problem: Problem) {
        self.warnings.push(problem);
    }

    /// How many errors there are so far.
    pub fn n_errors(&self) -> usize {
        self.errors.len()
    }

    /// The warnings by line, or the errors by line if there is any.
    pub fn settle(mut self) -> Result<Vec<Problem>, Vec<Problem>> {
        self.errors.sort_by_key(|problem| problem.line);
        self.warnings.sort_by_key(|problem| problem.line);
        if self.errors.is_empty() { Ok(self.warnings) } else { Err(self.errors) }
    }
}
