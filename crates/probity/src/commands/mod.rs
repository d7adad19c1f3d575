//! The commands: one module each.

pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod gate;
pub(crate) mod init;
pub(crate) mod inputs;
pub(crate) mod labels;
pub(crate) mod mock;
pub(crate) mod probe;
pub(crate) mod promote;
pub(crate) mod replies;
pub(crate) mod report;
pub(crate) mod review;
pub(crate) mod rubric;
pub(crate) mod rubric_diff;
pub(crate) mod run;
pub(crate) mod sample;
pub(crate) mod session;
pub(crate) mod trust;

#[cfg(test)]
mod tests;
