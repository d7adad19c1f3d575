//! The program as people use it: the binary with files, settings and judges of each test's own, and the
//! house rules of the repository.
//!
//! No test reaches beyond this machine, reads the environment it is started in, or shares a folder with
//! another one. The one exception is `real_judge`, which installs a server once, where it is asked to.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]
#![allow(clippy::unwrap_used, reason = "a test that meets something else than it expects has failed")]

mod answers;
mod any_certificate;
mod batch;
mod binary;
mod calibrate;
mod changes;
mod check;
mod ci;
mod compare;
mod comparisons;
mod desks;
mod diff;
mod disk;
mod documents;
mod export;
mod faults;
mod foreign;
mod gate;
mod gold;
mod golden;
mod guarantees;
mod harness;
mod history;
mod hostile;
mod hosts;
mod init;
mod inputs;
mod interrupt;
mod judges;
mod labels;
mod limits;
mod mcp;
mod mistakes;
mod mock;
mod models;
mod open;
mod order;
mod overwrite;
mod own_rules;
mod policies;
mod policy;
mod pooler;
mod price;
mod probes;
mod probing;
mod promotion;
mod promotion_files;
mod prompts;
mod public;
mod public_attacks;
mod published;
mod real_judge;
mod report_kinds;
mod reports;
mod review;
mod sample;
mod score;
mod succession;
mod target;
mod terminal;
mod tidy;
mod trust;
mod usage;
mod web;
mod weekly;

#[path = "../../../probity-engine/tests/support/mod.rs"]
mod support;

use support::skipped;
