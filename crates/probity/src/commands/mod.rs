//! What each command says, as text. The caller prints it and chooses the exit code.

pub(crate) mod rubric;
