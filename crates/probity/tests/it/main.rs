//! Tests.

mod tidy;
