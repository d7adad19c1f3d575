//! The target `binary` for libFuzzer. What it checks is in `src/targets/binary.rs`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_fuzz::targets::binary::check;

fuzz_target!(
    init: {
        probity_fuzz::write_seeds("binary");
        // A library that panics on a damaged file is caught where it is called; what reaches the fuzzer is a finding.
        std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
    },
    |data: &[u8]| {
        check(data);
    }
);
