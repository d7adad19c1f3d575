//! When calls are made: concurrency, retries, waits, budgets.

pub mod classify;
pub mod retry_after;
