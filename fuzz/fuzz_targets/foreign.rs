//! The target `foreign` for libFuzzer. What it checks is in `src/targets/foreign.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::foreign::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("foreign");
    },
    |data: &[u8]| {
        check(data);
    }
);
