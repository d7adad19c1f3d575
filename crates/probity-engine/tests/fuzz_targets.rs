//! The fuzz targets without a fuzzer: every seed, and a fixed number of inputs made from them.
//!
//! This is no search, and it finds little that is new; it keeps the targets and their promises alive on every
//! machine. `cargo xtask fuzz` searches. The inputs follow from [`SEED`], so a failure comes back.

#[expect(unreachable_pub, reason = "the same files are the library that the fuzz binaries link")]
#[path = "../../../fuzz/src/targets/mod.rs"]
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use targets::TARGETS;

/// What all inputs follow from.
const SEED: u64 = 20_260_301;

/// Inputs made per target.
const INPUTS: usize = 400;

/// The variable that names how many seconds each target is searched for, in place of a number of inputs.
const SECONDS: &str = "PROBITY_FUZZ_SECONDS";

/// The longest input made, in bytes: long ones cost time and find no more.
const BYTES_MAX: usize = 4096;

/// Pieces that readers treat in a special way.
const PIECES: &[&[u8]] = &[
    b"{", b"}", b"[", b"]", b"\"", b"'", b"\\", b"\\u", b"\\ud800", b"```", b"<think>", b"</think>", b"//",
    b"/*", b"*/", b",", b":", b"\n", b"\r", b"\0", b"\x1e", b"\xff", b"\xef\xbb\xbf", b"\x1f\x8b\x08",
    b"1e999", b"-0", b"18446744073709551616", b"NaN", b"null", b"true", b"\"score\":4",
    b"\"reasoning\":\"ok\"", b"data: ", b"[DONE]", b"=====", b"\xe2\x80\x9c", b"retry-after: ",
    b"0.000000000001", b"[[criterion]]\n", b"weight = 100\n",
];

/// One to four changes to a seed, the way fuzzers change inputs.
fn changed(rng: &mut StdRng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut data = pick(rng, seeds).clone();
    data.truncate(BYTES_MAX);
    for _ in 0..rng.random_range(1..=4) {
        let at = rng.random_range(0..=data.len());
        let end = rng.random_range(at..=data.len().min(at + 64));
        match rng.random_range(0..6) {
            0 if at < data.len() => data[at] ^= 1 << rng.random_range(0..8),
            1 => drop(data.drain(at..end)),
            2 => {
                let piece = data[at..end].to_vec();
                data.splice(at..at, piece);
            }
            3 => {
                let other = pick(rng, seeds);
                let from = rng.random_range(0..=other.len());
                data.truncate(at);
                data.extend_from_slice(&other[from..]);
            }
            4 => data.truncate(at),
            _ => drop(data.splice(at..at, pick(rng, PIECES).iter().copied())),
        }
    }
    data.truncate(BYTES_MAX);
    data
}

fn pick<'a, T>(rng: &mut StdRng, items: &'a [T]) -> &'a T {
    &items[rng.random_range(0..items.len())]
}

#[track_caller]
#[expect(clippy::print_stdout, reason = "says how far a search went")]
fn check(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
    let seeds = (target.seeds)();
    assert!(seeds.len() >= 10, "{name}: {} seeds, where have its cases gone", seeds.len());
    let mut rng = StdRng::seed_from_u64(SEED);
    let seconds = std::env::var(SECONDS).ok().map(|text| text.parse().expect("a number of seconds"));
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let goes_on = |n: usize| end.map_or(n < INPUTS, |end| Instant::now() < end);
    let made = (0..).take_while(|n| goes_on(*n)).map(|_| changed(&mut rng, &seeds));
    let mut n_inputs = 0_usize;
    for (n, input) in seeds.iter().cloned().chain(made).enumerate() {
        // What was broken is on standard error by then; the input is what is missing there.
        let held = catch_unwind(AssertUnwindSafe(|| (target.check)(&input))).is_ok();
        assert!(held, "{name}: input {n} breaks a promise:\n{}", input.escape_ascii());
        n_inputs += 1;
    }
    println!("{name}: {n_inputs} inputs");
}

#[test]
fn verdicts() {
    check("verdict");
}

#[test]
fn json() {
    check("json");
}

#[test]
fn case_files() {
    check("load");
}

#[test]
fn foreign_files() {
    check("foreign");
}

#[test]
fn binary_files() {
    check("binary");
}

#[test]
fn mappings() {
    check("map");
}

#[test]
fn graders() {
    check("graders");
}

#[test]
fn retries() {
    check("retry");
}

#[test]
fn rubrics() {
    check("rubric");
}

#[test]
fn gate() {
    check("gate");
}

#[test]
fn policies() {
    check("policy");
}

#[test]
fn prompts() {
    check("prompt");
}

#[test]
fn every_target_is_run_here() {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(
        names,
        [
            "verdict", "json", "load", "foreign", "binary", "map", "graders", "retry", "rubric", "gate",
            "policy", "prompt"
        ]
    );
}
