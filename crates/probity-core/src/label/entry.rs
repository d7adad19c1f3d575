//! Rows of labels and verdicts, as the objects they are.
//!
//! A row is read once. What a label or a verdict means is decided when the scale is known; here it is a text.

use super::canonical::{CHECKSUM, verified};
use super::rows::{Fields, ItemFacts, RowFault, RowObject, missing, must_be};
use crate::case::Moment;
use crate::json::{Json, Object};
use crate::verdict::Confidence;

/// Ways to write that a person could not tell.
const ABSTENTIONS: &[&str] = &["abstain", "cannot_tell", "cannot tell"];
const LABEL: &[&str] = &["label", "gold", "score"];
const ANNOTATOR: &[&str] = &["annotator", "annotator_id", "labeler", "rater"];

/// What a person said about an item.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelEntry {
    /// The item.
    pub item: String,
    /// What was asked about it, where several things were.
    pub criterion: Option<String>,
    /// The name of the rubric that it was asked by.
    pub rubric: Option<String>,
    /// Who said it, without spaces around the name.
    pub annotator: Option<String>,
    /// What was said; `None` for a person who could not tell.
    pub label: Option<String>,
    /// Whether the person had not seen a verdict.
    pub blind: Option<bool>,
    /// Whether it settles what others said.
    pub adjudicated: Option<bool>,
    /// Which time this person looked at the item, from one.
    pub round: u64,
    /// How long it took.
    pub seconds: Option<f64>,
    /// When it was given, as RFC 3339 writes it.
    pub at: Option<String>,
    /// The hash of the packet that the person was shown.
    pub packet: Option<String>,
    /// What else the row says about the item.
    pub facts: ItemFacts,
}

/// What a judge said, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spoken {
    /// Once, or what both orders came to. `None` for no verdict.
    Once(Option<String>),
    /// In each order of a pair.
    BothOrders([Option<String>; 2]),
}

/// What a judge said about an item.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictEntry {
    /// The item.
    pub item: String,
    /// What was asked about it, where several things were.
    pub criterion: Option<String>,
    /// The judge, where the row names one.
    pub judge: Option<String>,
    /// What was said.
    pub spoken: Spoken,
    /// How sure the judge was of it, in each order where there are two.
    pub confidence: [Option<Confidence>; 2],
    /// What else the row says about the item.
    pub facts: ItemFacts,
}

impl LabelEntry {
    /// The names it knows.
    pub const FIELDS: Fields = Fields {
        own: &[
            "item", "label", "annotator", "criterion", "rubric", "score", "blind", "round", "adjudicated",
            "seconds", "at", "packet", CHECKSUM, "gold", "annotator_id", "labeler", "rater",
        ],
        own_numbers: &["round", "seconds"],
    };

    /// Reads a row with a person's label. One that was exported must be as it was.
    pub fn read(object: &Object) -> Result<LabelEntry, RowFault> {
        verified(object, LabelEntry::of)
    }

    fn of(object: &Object) -> Result<LabelEntry, RowFault> {
        let row = row(object)?;
        let read = || {
            let (name, json) = row.get(LABEL)?.ok_or_else(|| missing("label"))?;
            let label = text(name, json)?.filter(|label| !ABSTENTIONS.contains(&label.as_str()));
            let annotator = row.name(ANNOTATOR)?.map(|name| name.trim().to_owned());
            let round = match row.object.get("round") {
                None | Some(Json::Null) => 1,
                Some(json) => json
                    .as_u64()
                    .or_else(|| json.as_str()?.parse().ok())
                    .ok_or_else(|| must_be("round", "a whole number", json))?,
            };
            Ok(LabelEntry {
                item: row.item.clone(),
                criterion: row.name(&["criterion"])?,
                rubric: row.name(&["rubric"])?,
                annotator,
                label,
                blind: flag(&row, "blind")?,
                adjudicated: flag(&row, "adjudicated")?,
                round,
                seconds: row.number("seconds")?,
                at: moment(&row)?,
                packet: row.name(&["packet"])?,
                facts: row.facts()?,
            })
        };
        read().map_err(|reason| row.fault(reason))
    }
}

impl VerdictEntry {
    /// The names it knows.
    pub const FIELDS: Fields = Fields {
        own: &[
            "item", "verdict", "verdict_ab", "verdict_ba", "verdict_after_swap", "score", "criterion",
            "judge",
        ],
        own_numbers: &[],
    };

    /// Reads a row with a verdict, a score, or a verdict in each order.
    pub fn read(object: &Object) -> Result<VerdictEntry, RowFault> {
        let row = row(object)?;
        let read = || {
            let spoken = if object.get("verdict_ab").is_some() || object.get("verdict_ba").is_some() {
                let pass = |name| text(name, object.get(name).ok_or_else(|| missing(name))?);
                Spoken::BothOrders([pass("verdict_ab")?, pass("verdict_ba")?])
            } else {
                let found = row.get(&["verdict", "verdict_after_swap", "score"])?;
                let (name, json) = found.ok_or_else(|| missing("verdict"))?;
                Spoken::Once(text(name, json)?)
            };
            let (criterion, judge) = (row.name(&["criterion"])?, row.name(&["judge"])?);
            let (item, facts) = (row.item.clone(), row.facts()?);
            Ok(VerdictEntry { item, criterion, judge, spoken, confidence: [None; 2], facts })
        };
        read().map_err(|reason| row.fault(reason))
    }
}

/// The row, unless its item is a number that a spreadsheet has written its own way: such a name is no longer the
/// one that was exported.
fn row(object: &Object) -> Result<RowObject<'_>, RowFault> {
    let row = RowObject::of(object)?;
    let mangled = row.item.split_once(['e', 'E']).is_some_and(|(front, exponent)| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let dotted = front.split_once(['.', ',']).is_some_and(|(whole, rest)| digits(whole) && digits(rest));
        (dotted || digits(front)) && exponent.strip_prefix('+').is_some_and(digits)
    });
    if mangled {
        let reason = format!(
            "'item' is '{}', a number as spreadsheets write it, expected the name that was exported",
            row.item
        );
        return Err(row.fault(reason));
    }
    Ok(row)
}

/// What was said: a text, a number by its source text, or pass and fail as true and false.
fn text(name: &'static str, json: &Json) -> Result<Option<String>, String> {
    match json {
        Json::Null => Ok(None),
        Json::String(text) | Json::Number(text) => Ok(Some(text.trim().to_owned())),
        Json::Bool(passes) => Ok(Some(if *passes { "pass" } else { "fail" }.to_owned())),
        other => Err(must_be(name, "a string or a number", other)),
    }
}

/// When a label was given.
fn moment(row: &RowObject) -> Result<Option<String>, String> {
    match row.object.get("at") {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => match text.parse::<Moment>() {
            Ok(_) => Ok(Some(text.trim().to_owned())),
            Err(error) => Err(format!("'at': {error}")),
        },
        Some(other) => Err(must_be("at", "a string", other)),
    }
}

/// A yes or no, which tables can only write as a text.
fn flag(row: &RowObject, name: &'static str) -> Result<Option<bool>, String> {
    match row.object.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Bool(flag)) => Ok(Some(*flag)),
        Some(json) => match json.as_str().map(str::to_ascii_lowercase).as_deref() {
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            _ => Err(must_be(name, "true or false", json)),
        },
    }
}
