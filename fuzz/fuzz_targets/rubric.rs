//! The target `rubric` for libFuzzer. What it checks is in `src/targets/rubric.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::rubric::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("rubric");
    },
    |data: &[u8]| {
        check(data);
    }
);
