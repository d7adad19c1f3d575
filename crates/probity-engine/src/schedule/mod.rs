//! When calls are made: concurrency, retries, waits, budgets.
