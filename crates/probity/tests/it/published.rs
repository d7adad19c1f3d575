//! The binary reproduces published figures of pairwise comparisons and of people, with `--json`.

#[path = "../../../probity-core/tests/published/mod.rs"]
pub(crate) mod data;

use serde_json::Value;

use crate::binary::Probity;
use crate::skipped;
use data::people::{self, Calibrator, LabelAsk};
use data::{Ask, Product, sets};

/// The binary in a folder with the files it is asked about.
struct Binary;

impl Product for Binary {
    fn compare(&self, ask: &Ask) -> Value {
        let mut probity = Probity::new();
        let mut args = vec!["--conflict", ask.conflict, "--unparsed", ask.unparsed, "--resamples", "20"];
        for (flag, name, text) in [
            ("--verdicts", "verdicts.jsonl", &ask.verdicts),
            ("--labels", "labels.jsonl", &ask.labels),
            ("--items", "items.jsonl", &ask.items),
        ] {
            if !text.is_empty() {
                probity = probity.file(name, text);
                args.extend([flag, name]);
            }
        }
        probity.args(["compare", "--json"]).words(args.into_iter()).run().code(0).json()
    }
}

impl Calibrator for Binary {
    fn calibrate(&self, ask: &LabelAsk) -> Value {
        let mut probity = Probity::new().file("labels.jsonl", &ask.labels);
        let mut args = vec!["--labels", "labels.jsonl", "--votes", ask.votes, "--ties", ask.ties];
        args.extend(["--unparsed", ask.unparsed, "--resamples", "20"]);
        if !ask.verdicts.is_empty() {
            probity = probity.file("verdicts.jsonl", &ask.verdicts);
            args.extend(["--verdicts", "verdicts.jsonl"]);
        }
        probity.args(["calibrate", "--json"]).words(args.into_iter()).run().code(0).json()
    }
}

/// Sets of many thousand labels: the library reproduces their figures in every run, the program in the long form.
fn in_long_form(check: impl Fn()) {
    if std::env::var_os("PROBITY_LONG_TESTS").is_some() {
        check();
    } else {
        skipped("a large published set through the program", "PROBITY_LONG_TESTS is not set");
    }
}

#[test]
fn llmbar() {
    sets::llmbar(&Binary);
}

#[test]
fn autoj_pairwise() {
    sets::autoj_pairwise(&Binary);
}

#[test]
fn prd_vicuna80() {
    sets::prd_vicuna80(&Binary);
}

#[test]
fn alpaca_eval_dev() {
    sets::alpaca_eval_dev(&Binary);
}

#[test]
fn mtbench_human() {
    in_long_form(|| people::mtbench_human(&Binary));
}

#[test]
fn pandalm() {
    people::pandalm(&Binary);
}

#[test]
fn uss_sgd() {
    in_long_form(|| people::uss_sgd(&Binary));
}

#[test]
fn tweetsumm_support() {
    people::tweetsumm_support(&Binary);
}

#[test]
fn prd_vicuna80_people() {
    people::prd_vicuna80_people(&Binary);
}
