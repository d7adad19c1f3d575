//! Agreement beyond what chance gives, and why there is none.

/// Why there is no figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Undefined {
    /// Nothing was said by both.
    #[error("no labels")]
    Nothing,
    /// There is too little to say anything.
    #[error("n too small: {n} of at least {n_min}")]
    TooFew {
        /// What there is.
        n: u64,
        /// What there should be.
        n_min: u64,
    },
    /// Only one category is in use, so there is nothing that chance could get wrong.
    #[error("undefined: only one class is in use")]
    OneClass,
    /// One of the two classes that the figure is about was never given by people.
    #[error("undefined: no label of this class")]
    NoSuchClass,
}

/// Agreement beyond what chance gives.
pub(super) fn beyond(observed: f64, expected: f64) -> Result<f64, Undefined> {
    // One category in use gives exactly one, up to the last digits of the float.
    if expected < 1.0 - 1e-12 {
        Ok((observed - expected) / (1.0 - expected))
    } else {
        Err(Undefined::OneClass)
    }
}

/// Both ends of an interval of agreement, beyond what chance gives. Chance is not always right.
pub(super) fn beyond_of((low, high): (f64, f64), expected: f64) -> (f64, f64) {
    ((low - expected) / (1.0 - expected), (high - expected) / (1.0 - expected))
}
