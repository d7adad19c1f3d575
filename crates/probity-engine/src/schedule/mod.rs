//! When calls are made: concurrency, retries, waits, budgets.

pub mod retry_after;
