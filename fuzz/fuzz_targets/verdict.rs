//! The target `verdict` for libFuzzer. What it checks is in `src/targets/verdict.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::verdict::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("verdict");
    },
    |data: &[u8]| {
        check(data);
    }
);
