//! What people see, in a real browser: pages opened by Debian's Chromium through its web driver.
//!
//! No page may reach beyond this machine, and none is judged by its markup alone. Where there is no browser
//! every test prints that it was skipped and passes. The long form keeps pictures of all pages in `target/screenshots`.

#![allow(clippy::unwrap_used, reason = "a test that meets something else than it expects has failed")]

mod axe;
mod client;
mod driver;
mod firefox;
mod hostile;
mod large;
mod open;
mod reading;
mod report;
mod report_views;
mod review;
mod review_hostile;
mod review_pages;
mod review_room;
mod review_tap;

#[allow(dead_code, reason = "the tests of the binary use the rest of it")]
#[path = "../it/binary.rs"]
mod binary;
#[allow(dead_code, reason = "the tests of the mock judge use the rest of it")]
#[path = "../it/mock/process.rs"]
mod mock_judge;
#[path = "../../../probity-engine/tests/support/mod.rs"]
mod support;
