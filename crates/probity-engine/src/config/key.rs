//! Whether a judge needs a key. The key itself is no setting; its variable is.

use serde::{Deserialize, Serialize};

/// Whether a call can go out without a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyUse {
    /// It cannot: the endpoint is the provider's own, or the settings name the variable.
    Required,
    /// The endpoint is another one, such as a local server: a key is sent where there is one.
    IfPresent,
}

/// Whether `value` could be a key at all: what decides which judge is used.
pub fn is_present(value: Option<&str>) -> bool {
    value.is_some_and(|value| !value.trim().is_empty())
}
