//! Who said something about the same thing again: a later round counts, a row that repeats another word for word
//! counts once, and two different rows of one round are a fault.

use super::entry::LabelEntry;
use super::join::{Faults, InputFile};

/// What a row is about and who said it, as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Voice {
    /// The unit.
    pub(super) key: usize,
    /// The name of the person, or the one for rows without a name.
    pub(super) name: usize,
}

/// What becomes of a row beside the other rows of one person about one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowFate {
    /// It counts.
    Counts,
    /// The same person said something in a later round.
    Superseded,
    /// An earlier row is the same label word for word.
    Repeated,
}

/// What becomes of each row. `adjudicated` is whether any row says that it settles what others said, or that it
/// does not.
pub(super) fn turns(
    entries: &[LabelEntry],
    voices: &[Voice],
    adjudicated: bool,
) -> Result<Vec<RowFate>, Faults> {
    let unsettled =
        entries.iter().enumerate().filter(|(_, entry)| adjudicated && entry.adjudicated.is_none());
    let reason = || "expected 'adjudicated' in every row, as other rows have it".to_owned();
    let mut faults: Vec<_> = unsettled.map(|(row, _)| (row, None, reason())).collect();
    // A person without a name is not the person whose name says so.
    let mut said: Vec<_> = entries
        .iter()
        .zip(voices)
        .enumerate()
        .map(|(row, (entry, voice))| {
            let who = (*voice, entry.annotator.is_some(), entry.adjudicated == Some(true));
            (who, entry.round, row)
        })
        .collect();
    said.sort_unstable();
    let mut turns = vec![RowFate::Counts; entries.len()];
    for same in said.chunk_by(|one, other| one.0 == other.0) {
        let last_round = same[same.len() - 1].1;
        for (_, _, row) in same.iter().filter(|(_, round, _)| *round != last_round) {
            turns[*row] = RowFate::Superseded;
        }
        for [(_, _, first), (_, _, row)] in same.array_windows().filter(|[one, other]| one.1 == other.1) {
            if entries[*row].canonical() == entries[*first].canonical() {
                turns[*row] = RowFate::Repeated;
            } else {
                faults.push((*row, Some(*first), said_again(&entries[*row])));
            }
        }
    }
    faults.sort_by_key(|(row, ..)| *row);
    if faults.is_empty() { Ok(turns) } else { Err(Faults { file: InputFile::Labels, rows: faults }) }
}

fn said_again(entry: &LabelEntry) -> String {
    let by = entry.annotator.as_ref().map(|name| format!(" by '{name}'")).unwrap_or_default();
    format!("is about item '{}'{by} in round {} again", entry.item, entry.round)
}
