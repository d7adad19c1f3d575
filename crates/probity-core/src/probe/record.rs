//! The result of a probing, as recorded: what a contract needs to know.

use serde::Deserialize;

crate::named! {
    /// What a probe says about a judge.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ProbeOutcome {
        /// The shortcut works less often than the tolerance.
        Pass = "pass",
        /// It works more often.
        Fail = "fail",
        /// Too few answers to tell.
        Inconclusive = "inconclusive",
        /// The probe has no meaning for this rubric.
        NotApplicable = "not_applicable",
    }
}

/// One probe of a probing.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ProbeLine {
    /// The probe.
    pub name: String,
    /// What it belongs to: `length`, `injection`.
    pub family: String,
    /// What it says about the judge.
    #[serde(rename = "result")]
    pub outcome: ProbeOutcome,
    /// The same in words, with its figures.
    pub message: String,
}

/// A probing that was made before.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ProbeRecord {
    /// The hash of everything that was asked: probes, bases, seed and tolerance.
    #[serde(default)]
    pub battery: String,
    /// The share of violations that was tolerated, where the document says it.
    pub tolerance: Option<f64>,
    /// How many criteria went into one call, where the document says it.
    pub call_plan: Option<String>,
    /// The probes in the order of the battery.
    #[serde(rename = "probes")]
    pub lines: Vec<ProbeLine>,
}

/// Why a document is no probing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected what `probity probe --json` writes: {problem}")]
pub struct NotAProbing {
    /// What is wrong with it.
    pub problem: String,
}

impl ProbeRecord {
    /// Reads what `probity probe --json` writes.
    pub fn read(text: &str) -> Result<ProbeRecord, NotAProbing> {
        serde_json::from_str(text).map_err(|error| NotAProbing { problem: error.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probing_is_read_back() {
        let text =
            r#"{"battery":"b","probes":[{"name":"n","family":"length","result":"fail","message":"m"}]}"#;
        let record = ProbeRecord::read(text).expect("a probing");
        assert_eq!((record.battery.as_str(), record.lines.len()), ("b", 1));
        assert_eq!(record.lines[0].outcome, ProbeOutcome::Fail);
    }

    #[track_caller]
    fn check(text: &str, problem: &str) {
        let error = ProbeRecord::read(text).expect_err("no probing").to_string();
        assert!(error.contains(problem), "{error}");
    }

    #[test]
    fn what_is_no_probing_says_why() {
        check("{}", "missing field `probes`");
        check(r#"{"probes":[{}]}"#, "missing field `name` at line 1 column 13");
        check(
            r#"{"probes":[{"result":"passed"}]}"#,
            "unknown variant `passed`, expected one of `pass`, `fail`",
        );
        check("nothing", "expected what `probity probe --json` writes");
    }
}
