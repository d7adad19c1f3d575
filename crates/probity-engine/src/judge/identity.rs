//! Which judge or target gave an answer: a hash over everything that makes it answer as it does.

use std::fmt;
use std::sync::Arc;

/// A judge's identity: the hash over everything that makes it answer as it does, in lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JudgeId(Arc<str>);

impl JudgeId {
    /// The id of the judge that `identity`, canonical JSON, describes.
    pub fn of_identity(identity: &str) -> JudgeId {
        JudgeId(blake3::hash(identity.as_bytes()).to_hex().as_str().into())
    }

    /// An id as it was written down before.
    pub fn parse(hex: &str) -> Result<JudgeId, NotAJudgeId> {
        let is_hex = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if hex.is_empty() || !hex.bytes().all(is_hex) {
            return Err(NotAJudgeId { found: hex.to_owned() });
        }
        Ok(JudgeId(hex.into()))
    }

    /// An id that a store holds.
    pub(crate) fn stored(hex: &str) -> JudgeId {
        JudgeId(hex.into())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JudgeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is not a judge's id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not the id of a judge, expected lower-case hexadecimal digits")]
pub struct NotAJudgeId {
    /// The text.
    pub found: String,
}
