//! Tests.

mod mock;
mod tidy;
