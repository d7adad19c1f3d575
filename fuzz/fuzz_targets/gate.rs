//! The target `gate` for libFuzzer. What it checks is in `src/targets/gate.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::gate::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("gate");
    },
    |data: &[u8]| {
        check(data);
    }
);
