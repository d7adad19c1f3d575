//! A figure as documents have it: a value with its interval, or the reason that there is none.

use schemars::JsonSchema;
use serde::Serialize;

use super::Estimate;

/// A figure, or why there is none. Not knowing is null and never a number.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FigureRecord {
    /// The point estimate; null where there is none.
    pub value: Option<f64>,
    /// Lower end of the interval.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
    /// Observations.
    pub n: u64,
    /// Why there is no value; only then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl FigureRecord {
    /// The figure, or what stands in its place where `n` observations give none.
    pub fn of<E: ToString>(figure: Result<Estimate, E>, n: u64) -> FigureRecord {
        match figure {
            Ok(Estimate { value, low, high, n }) => {
                FigureRecord { value: Some(value), low: Some(low), high: Some(high), n, reason: None }
            }
            Err(reason) => {
                FigureRecord { value: None, low: None, high: None, n, reason: Some(reason.to_string()) }
            }
        }
    }
}
