//! Reading case files.
