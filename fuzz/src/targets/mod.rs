//! The fuzz targets: each takes bytes, makes of them what an outsider could send, and panics where the code
//! that reads it breaks a promise.
//!
//! A target is a plain function without state that matters, so the same input always ends the same way.

pub mod binary;
pub mod foreign;
pub mod gate;
pub mod graders;
mod input;
pub mod json;
pub mod load;
pub mod map;
pub mod policy;
pub mod prompt;
pub mod retry;
pub mod rubric;
pub mod samples;
mod seeds;
pub mod verdict;

/// A function to be fed with bytes.
pub struct Target {
    /// Names it on the command line.
    pub name: &'static str,
    /// Inputs to start from, made from the cases of the tests.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Panics where a promise is broken.
    pub check: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "verdict", seeds: verdict::seeds, check: verdict::check },
    Target { name: "json", seeds: json::seeds, check: json::check },
    Target { name: "load", seeds: load::seeds, check: load::check },
    Target { name: "foreign", seeds: foreign::seeds, check: foreign::check },
    Target { name: "binary", seeds: binary::seeds, check: binary::check },
    Target { name: "map", seeds: map::seeds, check: map::check },
    Target { name: "graders", seeds: graders::seeds, check: graders::check },
    Target { name: "retry", seeds: retry::seeds, check: retry::check },
    Target { name: "rubric", seeds: rubric::seeds, check: rubric::check },
    Target { name: "gate", seeds: gate::seeds, check: gate::check },
    Target { name: "policy", seeds: policy::seeds, check: policy::check },
    Target { name: "prompt", seeds: prompt::seeds, check: prompt::check },
];
