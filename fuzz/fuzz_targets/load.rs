//! The target `load` for libFuzzer. What it checks is in `src/targets/load.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::load::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("load");
    },
    |data: &[u8]| {
        check(data);
    }
);
