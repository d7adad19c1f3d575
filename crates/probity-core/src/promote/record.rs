//! A standing on disk, and what has changed since it was earned.
//!
//! A record is only data. It is made from a [`Promotion`], and what was read back counts only through
//! [`standing`](super::standing), which compares it with what is in use now.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::decision::Promotion;
use crate::case::Moment;

/// The version of the record's format.
const VERSION: u32 = 1;

/// What a standing is bound to: parts by name, each as a value or a hash.
pub type Parts = BTreeMap<String, String>;

/// A standing as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandingRecord {
    /// The version of this format, 1.
    v: u32,
    /// The judge's identity, hexadecimal.
    pub judge: String,
    /// The judge's kind.
    pub kind: String,
    /// The rubric's name.
    pub rubric: String,
    /// The contract's name, version and owner.
    pub contract: [String; 3],
    /// When the standing was earned.
    pub granted: String,
    /// When it ends, as it was written.
    pub until: Option<String>,
    /// What it is bound to.
    pub parts: Parts,
    /// Where parts are read again, by the part's name.
    pub sources: BTreeMap<String, String>,
    /// The withdrawal, if there was one.
    pub withdrawn: Option<Withdrawn>,
}

/// A standing that was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withdrawn {
    /// When.
    pub on: String,
    /// Why, as it was said.
    pub reason: String,
}

/// What a new standing is about and bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The judge's identity, hexadecimal.
    pub judge: String,
    /// The judge's kind.
    pub kind: String,
    /// The rubric's name.
    pub rubric: String,
    /// Everything that must stay as it is.
    pub parts: Parts,
    /// Where a part is read again, such as `file:contract.toml`, by the part's name.
    pub sources: BTreeMap<String, String>,
}

/// A part that is no longer what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Which.
    pub part: String,
    /// Its value when the standing was earned; `None` where it had none.
    pub was: Option<String>,
    /// Its value now; `None` where it has none.
    pub is: Option<String>,
}

impl StandingRecord {
    /// The record of a promotion.
    pub fn of(promotion: &Promotion, bound: Bound) -> StandingRecord {
        let Bound { judge, kind, rubric, parts, sources } = bound;
        StandingRecord {
            v: VERSION,
            judge,
            kind,
            rubric,
            contract: promotion.contract.clone(),
            granted: promotion.granted.to_string(),
            until: promotion.until.map(|until| until.to_string()),
            parts,
            sources,
            withdrawn: None,
        }
    }

    /// Reads the records of a store. One of another version is left out: it promotes no judge.
    pub fn read_all(text: &str) -> Result<Vec<StandingRecord>, serde_json::Error> {
        let records: Vec<Value> = serde_json::from_str(text)?;
        let known = records.into_iter().filter(|record| record["v"] == json!(VERSION));
        known.map(serde_json::from_value).collect()
    }

    /// The records as they are stored.
    pub fn write_all(records: &[StandingRecord]) -> String {
        serde_json::to_string(records).expect("records can be written as JSON")
    }

    /// Takes the standing back. The first withdrawal stays on record.
    pub fn withdraw(&mut self, on: Moment, reason: &str) {
        let withdrawn = || Withdrawn { on: on.to_string(), reason: reason.to_owned() };
        self.withdrawn.get_or_insert_with(withdrawn);
    }

    /// Whether the standing has ended at `now`. An end that cannot be read has passed.
    pub(crate) fn has_ended(&self, now: Moment) -> bool {
        let ends = self.until.as_ref().map(|until| until.parse::<Moment>());
        ends.is_some_and(|ends| ends.map_or(true, |ends| ends <= now))
    }

    /// Whether the standing was earned after `now`. A day that cannot be read has not come.
    pub(crate) fn is_later_than(&self, now: Moment) -> bool {
        self.granted.parse::<Moment>().map_or(true, |granted| granted > now)
    }

    /// What differs from the parts that are in use now, by name.
    pub fn changed(&self, current: &Parts) -> Vec<Changed> {
        let mut names: Vec<&String> = self.parts.keys().chain(current.keys()).collect();
        names.sort();
        names.dedup();
        let changed = |part: &String| {
            let (was, is) = (self.parts.get(part).cloned(), current.get(part).cloned());
            (was != is).then(|| Changed { part: part.clone(), was, is })
        };
        names.into_iter().filter_map(changed).collect()
    }

    /// A change in words, with the place that the part is read from.
    pub fn words(&self, changed: &Changed) -> String {
        let source = self.sources.get(&changed.part).map(|source| format!(" ({source})")).unwrap_or_default();
        let value = |value: &Option<String>| value.as_deref().map_or_else(|| "nothing".to_owned(), short);
        format!("{}{source} changed from {} to {}", changed.part, value(&changed.was), value(&changed.is))
    }
}

/// A hash by its first digits; anything else as it is.
fn short(value: &str) -> String {
    let is_hash = value.len() == 64 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { value[..12].to_owned() } else { value.to_owned() }
}
