//! The target `prompt` for libFuzzer. What it checks is in `src/targets/prompt.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::prompt::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("prompt");
    },
    |data: &[u8]| {
        check(data);
    }
);
