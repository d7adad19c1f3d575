//! The target `policy` for libFuzzer. What it checks is in `src/targets/policy.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::policy::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("policy");
    },
    |data: &[u8]| {
        check(data);
    }
);
