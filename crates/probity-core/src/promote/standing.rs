//! What a judge has earned, as it stands beside every score.

use std::fmt;

use serde::{Serialize, Serializer};

use super::record::{Parts, StandingRecord};
use crate::case::Moment;

/// What a judge has earned, with the reason. Only [`standing`] makes one that is promoted.
///
/// It is written to reports and never read from one:
///
/// ```compile_fail
/// use probity_core::promote::Standing;
/// let standing: Standing = serde_json::from_str("\"promoted\"").expect("a standing");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    earned: Earned,
    reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Earned {
    Promoted,
    Advisory,
    Never,
}

/// What a standing is looked up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About<'a> {
    /// The judge's identity, hexadecimal.
    pub judge: &'a str,
    /// The judge's kind.
    pub kind: &'a str,
    /// The rubric's name.
    pub rubric: &'a str,
}

impl Default for Standing {
    /// No contract has ever promoted the judge.
    fn default() -> Self {
        Standing { earned: Earned::Never, reason: "never promoted".to_owned() }
    }
}

impl Standing {
    /// A judge that informs and must not gate, because of `reason`.
    pub fn advisory(reason: impl Into<String>) -> Standing {
        Standing { earned: Earned::Advisory, reason: reason.into() }
    }

    /// `promoted` or `advisory`.
    pub fn name(&self) -> &'static str {
        if self.is_promoted() { "promoted" } else { "advisory" }
    }

    /// Whether the judge may gate.
    pub fn is_promoted(&self) -> bool {
        self.earned == Earned::Promoted
    }

    /// Whether no contract has ever promoted the judge.
    pub fn is_new(&self) -> bool {
        self.earned == Earned::Never
    }

    /// Why: under which contract, or what took it away.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Standing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What `about` has earned by `records`, in the order they were made. `current` gives the parts in use now that
/// a record is to be compared with.
///
/// Of several records under one kind of judge and one rubric, the first that is as it was counts, the newest
/// first; where none is, the one that least has changed about is named, and a withdrawn one only where there is
/// no other.
pub fn standing(
    records: &[StandingRecord],
    about: &About<'_>,
    now: Moment,
    current: &dyn Fn(&StandingRecord) -> Parts,
) -> Standing {
    let own =
        records.iter().rev().filter(|record| record.kind == about.kind && record.rubric == about.rubric);
    let mut best: Option<((bool, usize), String)> = None;
    for record in own {
        let changed = record.changed(&current(record));
        let reason = if let Some(withdrawn) = &record.withdrawn {
            format!("withdrawn on {}: {}", withdrawn.on, withdrawn.reason)
        } else if !changed.is_empty() {
            let words: Vec<String> = changed.iter().map(|changed| record.words(changed)).collect();
            format!("revoked: {}", words.join("; "))
        } else if record.is_later_than(now) {
            format!("promoted on {}, after this day", record.granted)
        } else if record.has_ended(now) {
            format!("expired on {}", record.until.as_deref().unwrap_or_default())
        } else {
            return Standing { earned: Earned::Promoted, reason: granted(record) };
        };
        let distance = (record.withdrawn.is_some(), changed.len());
        if best.as_ref().is_none_or(|(least, _)| distance < *least) {
            best = Some((distance, reason));
        }
    }
    match best {
        Some((_, reason)) => Standing::advisory(reason),
        None => never(records, about),
    }
}

fn granted(record: &StandingRecord) -> String {
    let until = record.until.as_ref().map(|until| format!(", until {until}")).unwrap_or_default();
    let [name, version, _] = &record.contract;
    format!("promoted on {} under contract {name} {version}{until}", record.granted)
}

/// Never promoted, or never under this rubric.
fn never(records: &[StandingRecord], about: &About<'_>) -> Standing {
    let elsewhere = records.iter().rev().find(|record| record.judge == about.judge);
    match elsewhere {
        Some(record) => Standing::advisory(format!(
            "never promoted under rubric {}, only under {}",
            about.rubric, record.rubric
        )),
        None => Standing::default(),
    }
}
