//! A decision on a terminal: every requirement with its figure, then what is not met and what would meet it.

use std::fmt::Write as _;
use std::io;

use probity_core::calibrate::Calibration;
use probity_core::promote::{Check, Contract, Decision, Parts, Requirement};
use serde_json::Value;

use super::figure::{columns, none, texts};
use super::report::appendix::Appendix;
use super::report::{Document, Kind, paged, promotion as page};
use crate::plain::{excerpt, plain};

/// The widest that a figure may be in the table.
const CELL_CHARS_MAX: usize = 32;

/// A decision with everything that is said about it.
pub(crate) struct PromotionDocument<'a> {
    /// The contract.
    pub(crate) contract: &'a Contract,
    /// The judge and what it was measured by.
    pub(crate) judge: &'a str,
    /// What was decided.
    pub(crate) decision: &'a Decision,
    /// What the judge has earned by it: `promoted` or `advisory`.
    pub(crate) standing: &'static str,
    /// Why the judge has the standing that it has.
    pub(crate) reason: &'a str,
    /// Whether the store holds it now, in words.
    pub(crate) kept: &'static str,
    /// What a standing is bound to.
    pub(crate) bound: &'a Parts,
    /// The calibration.
    pub(crate) calibration: &'a Calibration,
    /// What it was made with.
    pub(crate) appendix: &'a Appendix,
    /// What a reader has to know about the judge's answers.
    pub(crate) warnings: &'a [String],
    /// For programs, with the six sections as they are retained under `report`.
    pub(crate) json: Value,
}

impl Document for PromotionDocument<'_> {
    fn json(&self) -> &Value {
        &self.json
    }

    fn text(&self) -> String {
        promotion(self)
    }

    fn file(&self, kind: Kind) -> io::Result<String> {
        paged(self, kind, || page::page(self), || page::test_cases(self))
    }
}

/// The decision as text.
fn promotion(shown: &PromotionDocument<'_>) -> String {
    let Contract { name, version, owner, .. } = shown.contract;
    let mut out = format!(
        "contract {} {} · owner {} · {}\n\n",
        plain(name),
        plain(version),
        plain(owner),
        plain(shown.judge)
    );
    let mut rows = vec![texts(["requirement", "have", "need", ""])];
    for check in shown.decision.checks() {
        let met = if check.unmet.is_none() { "met" } else { "not met" };
        let [have, need] = cells(check);
        rows.push(vec![title(check), have, need, met.to_owned()]);
    }
    out += &columns(&rows);
    let unmet = shown.decision.unmet();
    if !unmet.is_empty() {
        writeln!(out, "\nnot met, {} of {}", unmet.len(), shown.decision.checks().len())
            .expect("a string takes any text");
    }
    for unmet in &unmet {
        let message = plain(unmet.message()).replace("; ", "\n    ");
        writeln!(out, "  {}: {message}", unmet.requirement.title()).expect("a string takes any text");
    }
    let standing = shown.standing;
    let reason = match shown.reason.strip_prefix(standing) {
        Some(rest) => rest.to_owned(),
        None => format!(", {}", shown.reason),
    };
    writeln!(out, "\nstanding: {standing}{}", plain(&reason)).expect("a string takes any text");
    out
}

/// A requirement by name, with what it is about.
pub(crate) fn title(check: &Check) -> String {
    match &check.about {
        Some(about) => format!("{} ({})", check.requirement.title(), plain(about)),
        None => check.requirement.title().to_owned(),
    }
}

/// A requirement in few words: what was shown, and what is wanted.
pub(crate) fn cells(check: &Check) -> [String; 2] {
    let (have, need) = (&check.have, &check.need);
    let texts = match check.requirement {
        Requirement::HardGates => {
            let n_rules = need.as_array().map_or(0, Vec::len);
            [have.get("blocking").map_or_else(none, |n| format!("{n} block")), format!("{n_rules} rules")]
        }
        Requirement::Probes => {
            let passed = |of: &Value| format!("{} of {of} pass", have["passed"]);
            [have.get("of").map_or_else(none, passed), names(need)]
        }
        Requirement::OneModel => {
            let seen = |models: &Value| [names(models), names(&have["fingerprints"])].join(", ");
            [have.get("models").map_or_else(none, seen), "one".to_owned()]
        }
        _ => [figure(have), figure(need)],
    };
    texts.map(|text| excerpt(&text, CELL_CHARS_MAX))
}

fn names(value: &Value) -> String {
    let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    let joined = texts.collect::<Vec<_>>().join(", ");
    if joined.is_empty() { none() } else { joined }
}

fn figure(value: &Value) -> String {
    match value {
        Value::Null => none(),
        Value::Number(number) if number.is_f64() => format!("{:.2}", number.as_f64().unwrap_or_default()),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
