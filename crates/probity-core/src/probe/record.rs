//! What a probing came to, as it is on record: what a contract needs to know of it.

use serde_json::Value;

crate::named! {
    /// What a probe says about a judge.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ProbeOutcome {
        /// The shortcut is rarer than what is tolerated.
        Pass = "pass",
        /// It is more frequent.
        Fail = "fail",
        /// Too few answers to tell.
        Inconclusive = "inconclusive",
        /// The probe has no meaning for this rubric.
        NotApplicable = "not_applicable",
    }
}

/// One probe of a probing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeLine {
    /// The probe.
    pub name: String,
    /// What it belongs to: `length`, `injection`.
    pub family: String,
    /// What it says about the judge.
    pub outcome: ProbeOutcome,
    /// The same in words, with its figures.
    pub message: String,
}

/// A probing that was made before.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeRecord {
    /// The hash of everything that was asked: probes, bases, seed and tolerance.
    pub battery: String,
    /// The share of violations that was tolerated, where the document says it.
    pub tolerance: Option<f64>,
    /// How many criteria went into one call, where the document says it.
    pub call_plan: Option<String>,
    /// The probes in the order of the battery.
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
        let fault = |problem: String| NotAProbing { problem };
        let json: Value = serde_json::from_str(text).map_err(|error| fault(error.to_string()))?;
        let lines = json["probes"].as_array().ok_or_else(|| fault("`probes` is no list".to_owned()))?;
        let line = |(place, line): (usize, &Value)| {
            let text = |key: &str| {
                let text = line[key].as_str().map(str::to_owned);
                text.ok_or_else(|| fault(format!("probe {}: `{key}` is no text", place + 1)))
            };
            let result = text("result")?;
            let outcome = ProbeOutcome::from_name(&result)
                .ok_or_else(|| fault(format!("probe {}: `result` is `{result}`", place + 1)))?;
            Ok(ProbeLine { name: text("name")?, family: text("family")?, outcome, message: text("message")? })
        };
        Ok(ProbeRecord {
            battery: json["battery"].as_str().map(str::to_owned).unwrap_or_default(),
            tolerance: json["tolerance"].as_f64(),
            call_plan: json["call_plan"].as_str().map(str::to_owned),
            lines: lines.iter().enumerate().map(line).collect::<Result<_, _>>()?,
        })
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
        check("{}", "`probes` is no list");
        check(r#"{"probes":[{}]}"#, "probe 1: `result` is no text");
        check(r#"{"probes":[{"result":"passed"}]}"#, "probe 1: `result` is `passed`");
        check(r#"{"probes":[{"result":"pass"}]}"#, "probe 1: `name` is no text");
        check("nothing", "expected what `probity probe --json` writes");
    }
}
