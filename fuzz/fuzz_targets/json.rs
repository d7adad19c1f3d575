//! The target `json` for libFuzzer. What it checks is in `src/targets/json.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::json::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("json");
    },
    |data: &[u8]| {
        check(data);
    }
);
