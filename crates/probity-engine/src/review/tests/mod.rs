//! The room's promises.
