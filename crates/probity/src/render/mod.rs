//! Values of the core as text that people read. Nothing here decides anything or prints anything.

pub(crate) mod card;
