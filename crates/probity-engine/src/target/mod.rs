//! Targets: the systems that write replies for cases without one.
//!
//! A target is asked for one reply at a time, through the same schedule and into the same store as a judge: what it
//! is asked is a packet, what it answers is kept byte for byte, and the reply read from it is a settlement. An
//! adapter here sends one call and reports what happened; it does not retry, wait or decide what a failure means.
//!
//! What always holds: a reply is the target's own text or there is none. No failure becomes a text, and no
//! confidence that is not a number from 0 to 1 becomes one.

mod definition;
mod endpoint;
mod reply;
pub mod request;
mod template;

pub use definition::{TargetDefinition, is_target};
pub use endpoint::Target;
pub use reply::ReplyRecord;
pub use request::Request;
pub use template::{RequestTemplate, RequestTemplateError};

use std::path::PathBuf;

use crate::judge::JudgeError;

/// Why a target cannot be used as configured. Nothing was sent.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The key, the HTTP client or the program is not available.
    #[error("target {name}: cannot be used")]
    Unusable {
        /// The target.
        name: String,
        /// Why.
        #[source]
        source: JudgeError,
    },
    /// A file that the target consists of cannot be read.
    #[error("target {name}: the file {path} cannot be read")]
    Open {
        /// The target.
        name: String,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The template of its requests cannot be used, or not be filled in for a case.
    #[error("target {at}: {problem}")]
    Template {
        /// The target, and the case where it is one's.
        at: String,
        /// Why.
        problem: RequestTemplateError,
    },
}
