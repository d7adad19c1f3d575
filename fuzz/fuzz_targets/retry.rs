//! The target `retry` for libFuzzer. What it checks is in `src/targets/retry.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::retry::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("retry");
    },
    |data: &[u8]| {
        check(data);
    }
);
