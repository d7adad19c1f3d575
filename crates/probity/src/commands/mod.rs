//! The commands: one module each.

pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod gate;
pub(crate) mod mock;
pub(crate) mod rubric;
pub(crate) mod run;
pub(crate) mod sample;
pub(crate) mod session;
