//! The binary reproduces published figures of pairwise comparisons, with `--json`.

#[allow(dead_code, reason = "the sets about people are for the library")]
#[path = "../../../probity-core/tests/published/mod.rs"]
mod data;

use serde_json::Value;

use crate::binary::Probity;
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
