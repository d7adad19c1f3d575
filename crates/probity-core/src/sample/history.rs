//! Which replies were drawn before, so that no week shows what another has shown.
//!
//! A history is the list of draws in the order they were first made. A draw that is made again, with the same name
//! and of the same replies, sees what it saw the first time, whatever was drawn since, and gives the same sample.
//!
//! What always holds: a draw on record is never replaced unless that is asked for.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::allocation::Spread;
use super::draw::Drawn;
use crate::case::Entry;

/// The form in which histories are written.
const VERSION: u32 = 1;

/// Whether a draw may have what earlier draws had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// It leaves that out, and stands beside earlier draws.
    No,
    /// It draws from everything, in place of the draw of its name.
    Yes,
}

/// A draw on record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct DrawRecord {
    name: String,
    seed: u64,
    size: u64,
    by: String,
    minimum: Option<u64>,
    duplicates: String,
    again: bool,
    /// What names the replies that were drawn from.
    population: String,
    /// The drawn replies.
    replies: Vec<String>,
}

/// The draws so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History(Vec<DrawRecord>);

#[derive(Debug, Serialize, Deserialize)]
struct HistoryRecord {
    version: u32,
    draws: Vec<DrawRecord>,
}

/// A history that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the record of earlier draws cannot be read, expected version {VERSION}: {why}")]
pub struct BadHistory {
    /// Why not.
    pub why: String,
}

/// A draw whose name another one has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a draw called {name} is on record and differs in: {differs}")]
pub struct NameTaken {
    /// The name.
    pub name: String,
    /// What differs.
    pub differs: String,
}

/// What names a reply, in histories.
pub fn reply_name(entry: &Entry) -> String {
    match &entry.reply.variant {
        // Neither part can contain a line feed.
        Some(variant) => format!("{}\n{}", entry.case.id, variant.as_str()),
        None => entry.case.id.to_string(),
    }
}

impl History {
    /// Reads what [`History::to_text`] wrote; no text is no history.
    pub fn read(text: Option<&str>) -> Result<Self, BadHistory> {
        let Some(text) = text else { return Ok(History::default()) };
        let record: HistoryRecord =
            serde_json::from_str(text).map_err(|error| BadHistory { why: error.to_string() })?;
        if record.version != VERSION {
            return Err(BadHistory { why: format!("found version {}", record.version) });
        }
        Ok(History(record.draws))
    }

    /// The history as it is kept.
    pub fn to_text(&self) -> String {
        let record = HistoryRecord { version: VERSION, draws: self.0.clone() };
        serde_json::to_string(&record).expect("strings and numbers can be written")
    }

    /// The replies that the draw called `name` must leave out: those of draws that were there before it.
    pub fn earlier(&self, name: &str, again: Again) -> HashSet<&str> {
        let place = self.0.iter().position(|draw| draw.name == name);
        let before = match again {
            Again::Yes => 0,
            Again::No => place.unwrap_or(self.0.len()),
        };
        self.0[..before].iter().flat_map(|draw| &draw.replies).map(String::as_str).collect()
    }

    /// The history with this draw, whose replies have these names.
    pub fn with(mut self, drawn: &Drawn, replies: Vec<String>, again: Again) -> Result<History, NameTaken> {
        let design = &drawn.design;
        let record = DrawRecord {
            name: design.name.clone(),
            seed: design.seed,
            size: design.size,
            by: design.spread.name().to_owned(),
            minimum: match design.spread {
                Spread::Minimum(n) => Some(n),
                Spread::Proportional | Spread::Equal | Spread::Lacking(_) => None,
            },
            duplicates: design.duplicates.name().to_owned(),
            again: again == Again::Yes,
            population: drawn.fingerprint.clone(),
            replies,
        };
        match self.0.iter_mut().find(|known| known.name == record.name) {
            None => self.0.push(record),
            Some(known) if again == Again::Yes || *known == record => *known = record,
            Some(known) => {
                let differs = differences(known, &record).join(", ");
                return Err(NameTaken { name: record.name, differs });
            }
        }
        Ok(self)
    }
}

fn differences(known: &DrawRecord, new: &DrawRecord) -> Vec<&'static str> {
    let parts = [
        ("the seed", known.seed != new.seed),
        ("the size", known.size != new.size),
        ("how it is spread over slices", (&known.by, known.minimum) != (&new.by, new.minimum)),
        ("what is done with near-identical tickets", known.duplicates != new.duplicates),
        ("the replies that are drawn from", known.population != new.population),
        ("--again", known.again != new.again),
    ];
    let found: Vec<&str> = parts.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
    // An earlier draw that was replaced changes what is left.
    if found.is_empty() { vec!["the draws before it"] } else { found }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{design, entry, told_apart};
    use super::super::{Design, Frame};
    use super::*;

    /// Draws two replies of ten under `name` and gives the history with them, and the draw.
    fn draw(history: &History, design: Design, again: Again) -> Result<(History, Vec<String>), NameTaken> {
        let entries: Vec<Entry> = (0..10).map(|n| entry(&format!("t{n}"), None, &told_apart(n))).collect();
        let earlier = history.earlier(&design.name, again);
        let mut frame = Frame::new(design);
        for (place, entry) in entries.iter().enumerate() {
            if earlier.contains(&*reply_name(entry)) {
                frame.leave_out(entry);
            } else {
                frame.add(place, entry);
            }
        }
        let drawn = frame.draw().expect("enough draws");
        let names: Vec<String> = drawn.chosen.keys().map(|place| reply_name(&entries[*place])).collect();
        let history = history.clone().with(&drawn, names.clone(), again)?;
        Ok((History::read(Some(&history.to_text())).expect("as written"), names))
    }

    fn week(name: &str) -> Design {
        Design { name: name.to_owned(), ..design(2, Spread::Proportional, 7) }
    }

    #[test]
    fn no_week_shows_what_another_has_shown_and_each_can_be_made_again() {
        let mut history = History::default();
        let mut seen = Vec::new();
        for name in ["W1", "W2", "W3", "W4", "W5"] {
            let (next, names) = draw(&history, week(name), Again::No).expect("a free name");
            assert!(names.iter().all(|name| !seen.contains(name)), "{names:?} after {seen:?}");
            seen.extend(names);
            history = next;
        }
        assert_eq!(seen.len(), 10);
        let (same, names) = draw(&history, week("W2"), Again::No).expect("the same draw");
        assert_eq!((&same, &names[..]), (&history, &seen[2..4]));
        assert_eq!(draw(&history, week("W6"), Again::No).expect("nothing is left").1.len(), 0);
        assert_eq!(draw(&history, week("W6"), Again::Yes).expect("everything").1.len(), 2);
    }

    #[test]
    fn a_draw_on_record_is_not_replaced_by_accident() {
        let (history, _) = draw(&History::default(), week("W1"), Again::No).expect("a free name");
        let other = Design { seed: 8, size: 3, ..week("W1") };
        let refused = draw(&history, other.clone(), Again::No).expect_err("another draw");
        assert_eq!(refused.to_string(), "a draw called W1 is on record and differs in: the seed, the size");
        let (history, names) = draw(&history, other, Again::Yes).expect("asked for");
        assert_eq!((history.0.len(), names.len()), (1, 3));
    }

    #[test]
    fn what_is_no_history_is_refused() {
        assert!(History::read(Some("{}")).is_err());
        assert!(History::read(Some(r#"{"version":2,"draws":[]}"#)).is_err());
        assert_eq!(History::read(None), Ok(History::default()));
    }
}
