//! What people and machines are shown. Nothing here computes a figure.

pub(crate) mod calibration;
pub(crate) mod card;
pub(crate) mod comparison;
pub(crate) mod conclusion;
pub(crate) mod difference;
pub(crate) mod equal_length;
pub(crate) mod finding;
pub(crate) mod history;
pub(crate) mod live;
pub(crate) mod plain;
pub(crate) mod probing;
pub(crate) mod problem;
pub(crate) mod progress;
pub(crate) mod promotion;
pub(crate) mod report;
pub(crate) mod results;
pub(crate) mod sampling;
pub(crate) mod summary;
