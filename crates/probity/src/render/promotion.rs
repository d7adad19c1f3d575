//! A decision on a terminal: every requirement with its figure, then what is not met and what would meet it.

use std::fmt::Write as _;

use probity_core::promote::{Check, Contract, Decision};
use serde_json::Value;

use super::plain::{excerpt, plain};
use super::summary::columns;

/// The widest that a figure may be in the table.
const CELL_CHARS_MAX: usize = 40;

/// What is shown.
pub(crate) struct Shown<'a> {
    /// The contract.
    pub(crate) contract: &'a Contract,
    /// The judge and what it was measured by.
    pub(crate) name: &'a str,
    /// What was decided.
    pub(crate) decision: &'a Decision,
    /// Why the judge has the standing that it has.
    pub(crate) reason: &'a str,
}

/// The decision as text.
pub(crate) fn promotion(shown: &Shown) -> String {
    let Contract { name, version, owner, .. } = shown.contract;
    let mut out = format!(
        "contract {} {} · owner {} · {}\n\n",
        plain(name),
        plain(version),
        plain(owner),
        plain(shown.name)
    );
    let mut rows = vec![["requirement", "have", "need", ""].map(str::to_owned).to_vec()];
    for check in shown.decision.checks() {
        let met = if check.unmet.is_none() { "met" } else { "not met" };
        rows.push(vec![title(check), cell(&check.have), cell(&check.need), met.to_owned()]);
    }
    out += &columns(&rows);
    let unmet = shown.decision.unmet();
    if !unmet.is_empty() {
        writeln!(out, "\nnot met, {} of {}", unmet.len(), shown.decision.checks().len())
            .expect("a string takes any text");
    }
    for unmet in &unmet {
        writeln!(out, "  {}: {}", unmet.requirement.title(), plain(&unmet.message))
            .expect("a string takes any text");
    }
    let standing = if unmet.is_empty() { "promoted" } else { "advisory" };
    writeln!(out, "\nstanding: {standing}, {}", plain(shown.reason)).expect("a string takes any text");
    out
}

fn title(check: &Check) -> String {
    match &check.about {
        Some(about) => format!("{} ({})", check.requirement.title(), plain(about)),
        None => check.requirement.title().to_owned(),
    }
}

/// A figure in few words.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => "–".to_owned(),
        Value::Number(number) if number.is_f64() => format!("{:.2}", number.as_f64().unwrap_or_default()),
        Value::String(text) => text.clone(),
        Value::Array(items) => match &items[..] {
            [Value::String(only)] => only.clone(),
            items => format!("{} of them", items.len()),
        },
        Value::Object(members) if members.contains_key("passed") => {
            format!("{} of {}", cell(&value["passed"]), cell(&value["of"]))
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| format!("{} {name}", cell(value));
            members.iter().map(member).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    excerpt(&text, CELL_CHARS_MAX)
}
