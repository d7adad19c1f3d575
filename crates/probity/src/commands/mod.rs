//! The commands: one module each, of flags, a job and a document. What they share is the skeleton of those that ask
//! ([`session`]), where results go ([`outlet`]), and files of rows ([`rows`]).

mod as_read;
pub(crate) mod batch;
pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod gate;
pub(crate) mod init;
pub(crate) mod labels;
pub(crate) mod mcp;
pub(crate) mod mock;
pub(crate) mod models;
pub(crate) mod open;
mod originals;
mod outlet;
pub(crate) mod policy;
mod price;
pub(crate) mod probe;
pub(crate) mod promote;
mod replies;
pub(crate) mod report;
pub(crate) mod review;
mod rows;
pub(crate) mod rubric;
pub(crate) mod rubric_diff;
pub(crate) mod run;
pub(crate) mod sample;
pub(crate) mod score;
mod session;
pub(crate) mod store;
pub(crate) mod succeed;
pub(crate) mod trust;

#[cfg(test)]
mod tests;
