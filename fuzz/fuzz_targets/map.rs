//! The target `map` for libFuzzer. What it checks is in `src/targets/map.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::map::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("map");
    },
    |data: &[u8]| {
        check(data);
    }
);
