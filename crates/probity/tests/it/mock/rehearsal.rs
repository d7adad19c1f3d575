//! A folder with files, a mock judge and its ledger, which says what was asked.

use std::collections::BTreeSet;
use std::ops::Deref;

use serde_json::Value;

use super::process::{MockJudge, ledger};
use crate::binary::Probity;

/// Where the mock judge writes what it was asked.
const LEDGER: &str = "ledger.jsonl";

/// Files and a judge to try commands with.
pub(crate) struct Rehearsal {
    folder: Probity,
    pub(crate) mock: MockJudge,
}

impl Deref for Rehearsal {
    type Target = Probity;

    fn deref(&self) -> &Probity {
        &self.folder
    }
}

impl Rehearsal {
    /// These files, and a mock judge with these arguments.
    pub(crate) fn new(files: &[(&str, String)], judge: &[&str]) -> Rehearsal {
        let keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"];
        let folder = keys.into_iter().fold(Probity::new(), |folder, key| folder.variable(key, "sk-mock"));
        for (name, text) in files {
            folder.write(name, text);
        }
        let path = folder.path(LEDGER);
        let path = path.to_str().expect("paths here are UTF-8");
        let mock = MockJudge::start(&[&["--ledger", path], judge].concat());
        Rehearsal { folder, mock }
    }

    /// The calls so far, in the order of arrival.
    pub(crate) fn calls(&self) -> Vec<Value> {
        let path = self.path(LEDGER);
        if path.exists() { ledger(&path) } else { Vec::new() }
    }

    /// The packets of all calls so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        let calls = self.calls();
        calls.iter().map(|call| call["packet"].as_str().expect("a packet").to_owned()).collect()
    }

    /// Every packet was asked about once, and there are `n` of them.
    #[track_caller]
    pub(crate) fn check_asked(&self, n: usize) {
        let asked = self.asked();
        let packets: BTreeSet<&String> = asked.iter().collect();
        assert_eq!((asked.len(), packets.len()), (n, n), "calls and different packets");
    }
}
