//! The target `graders` for libFuzzer. What it checks is in `src/targets/graders.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::graders::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("graders");
    },
    |data: &[u8]| {
        check(data);
    }
);
