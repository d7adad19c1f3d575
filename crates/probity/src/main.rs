//! Probity.

#[allow(dead_code, reason = "the command line that calls it is not here yet")]
mod commands;
mod render;

fn main() {}
