//! Tests: one good contract, one change each, and what comes of it.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]

mod decisions;
mod faults;
mod standings;

use super::{Contract, ContractReading, read};

/// A contract with one of everything.
const BASE: &str = include_str!("base.toml");

/// The base file with one text exchanged for another, which must stand in it exactly once.
#[track_caller]
fn changed(from: &str, to: &str) -> String {
    assert_eq!(BASE.matches(from).count(), 1, "{from:?} must stand once in the base file");
    BASE.replace(from, to)
}

/// The contract of a file that must be good.
#[track_caller]
fn good(text: &str) -> Contract {
    match read(text) {
        Ok(ContractReading { contract, .. }) => contract,
        Err(problems) => panic!("expected a good contract, found {problems:#?}"),
    }
}
