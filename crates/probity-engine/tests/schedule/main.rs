//! Packets pursued for real: a store on disk, calls over HTTP, a server that answers as scripted.
//!
//! Every test ends with the same audit: the store holds one attempt per call that reached the server, each
//! with its cause, its number and its raw bytes, and a verdict only where a whole valid answer came.

mod answers;
mod bodies;
mod hosts;
mod limits;
mod refusals;
mod resume;
mod scene;
#[path = "../support/mod.rs"]
mod support;
mod transport;
