//! What the fuzz binaries share: the targets, and the seeds they start from.
//!
//! The targets know nothing of libFuzzer, so that the same functions also run as an ordinary test, in
//! `crates/probity-engine/tests/fuzz_targets.rs`.

pub mod targets;

use std::path::Path;

/// The variable that names the folder for the seeds of a target. Without it none are written.
const SEEDS_FOLDER: &str = "PROBITY_FUZZ_SEEDS";

/// Writes the seeds of the target called `name`, before libFuzzer reads its corpus.
///
/// Seeds are made anew for every run from the cases of the tests, so there is no second copy to keep.
pub fn write_seeds(name: &str) {
    let Some(folder) = std::env::var_os(SEEDS_FOLDER) else { return };
    let target =
        targets::TARGETS.iter().find(|target| target.name == name).expect("every binary is a target");
    std::fs::create_dir_all(&folder).expect("the folder for seeds can be made");
    for (n, seed) in (target.seeds)().iter().enumerate() {
        std::fs::write(Path::new(&folder).join(format!("seed-{n:04}")), seed).expect("a seed can be written");
    }
}
