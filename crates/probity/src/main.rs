//! Probity.
fn main() {}
