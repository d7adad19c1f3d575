//! Rows of files with recorded verdicts about pairs.
//!
//! What a judge said is data: a verdict that is none of the known ones is an unparsed pass, not a bad row.

use super::pair::{Grade, Verdicts};
use super::pass::{Candidate, Choice, Pass};
use crate::json::{Json, Object};
use crate::label::{CASE, Fields, ItemFacts, RowFault, RowObject, SLICE, apart, missing, must_be};
use crate::score::Unscored;

/// What a judge said about an item.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictRow {
    /// The pair.
    pub item: String,
    /// The judge, where the row names one.
    pub judge: Option<String>,
    /// What was said.
    pub verdicts: Verdicts,
    /// What else the row says about the item.
    pub facts: ItemFacts,
}

/// What candidate A is called where rows grade a model against a baseline that they do not name.
const BASELINE: &str = "baseline";

impl VerdictRow {
    /// The names it knows.
    pub const FIELDS: Fields = Fields {
        own: &[
            "item", "verdict_ab", "verdict_ba", "judge", "model", "baseline", "preference", "len_model",
            "len_baseline",
        ],
        own_numbers: &["preference", "len_model", "len_baseline"],
    };

    /// Reads a row with a verdict in each order, or with a graded preference.
    pub fn read(object: &Object) -> Result<VerdictRow, RowFault> {
        let row = RowObject::of(object)?;
        let graded = object.get("preference").is_some();
        let read = || {
            let (verdicts, facts) = if graded { row.graded()? } else { (row.both_orders()?, row.facts()?) };
            let judge = row.name(&["judge"])?;
            Ok(VerdictRow { item: row.item.clone(), judge, verdicts, facts })
        };
        read().map_err(|reason| row.fault(reason))
    }
}

impl RowObject<'_> {
    fn both_orders(&self) -> Result<Verdicts, String> {
        Ok(Verdicts::BothOrders { ab: self.pass("verdict_ab")?, ba: self.pass("verdict_ba")? })
    }

    /// A verdict by candidate. What is none of them was said by the judge, and stays unparsed.
    fn pass(&self, name: &'static str) -> Result<Pass, String> {
        let text = match self.object.get(name).ok_or_else(|| missing(name))? {
            Json::Null => None,
            Json::String(text) => Some(text),
            other => return Err(must_be(name, "a string or null", other)),
        };
        if let Some(choice) = text.and_then(|text| choice(text)) {
            return Ok(Pass::Decided(choice));
        }
        let detail = text.cloned().unwrap_or_default();
        Ok(Pass::Unscored(Unscored { cause: "unparsed".to_owned(), detail, attempts: 0 }))
    }

    /// A preference from 1 (the baseline) to 2 (the model).
    fn graded(&self) -> Result<(Verdicts, ItemFacts), String> {
        let preference = self.number("preference")?.ok_or_else(|| missing("preference"))?;
        let grade = Grade::new(preference - 1.0)
            .ok_or_else(|| format!("'preference' is {preference}, expected 1 to 2"))?;
        let model = self.name(&["model"])?.ok_or_else(|| missing("model"))?;
        let baseline = self.name(&["baseline"])?.unwrap_or_else(|| BASELINE.to_owned());
        let facts = ItemFacts {
            case: self.name(CASE)?,
            slice: self.name(SLICE)?,
            variant: None,
            variants: Some(apart("baseline", baseline, "model", model)?),
            lengths: self.lengths("len_baseline", "len_model")?,
            difficulty: self.number("difficulty")?,
        };
        Ok((Verdicts::Graded(grade), facts))
    }
}

fn choice(text: &str) -> Option<Choice> {
    match text {
        "a" => Some(Choice::Wins(Candidate::A)),
        "b" => Some(Choice::Wins(Candidate::B)),
        "tie" => Some(Choice::Tie),
        "needs_human_review" => Some(Choice::NeedsHumanReview),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
