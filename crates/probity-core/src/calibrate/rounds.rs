//! Who said something about the same thing again: a later round counts, the same round twice is a fault.

use super::entry::LabelEntry;
use super::join::{Faults, InputFile};

/// What a row is about and who said it, as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Voice {
    /// The unit.
    pub(super) key: usize,
    /// The name of the person, or of nobody.
    pub(super) name: usize,
}

/// For each row, the row of the last round in which the same person said something about the same.
/// `adjudicated` is whether any row says that it settles what others said, or that it does not.
pub(super) fn last_rounds(
    entries: &[LabelEntry],
    voices: &[Voice],
    adjudicated: bool,
) -> Result<Vec<usize>, Faults> {
    let unsettled =
        entries.iter().enumerate().filter(|(_, entry)| adjudicated && entry.adjudicated.is_none());
    let reason = || "expected 'adjudicated' in every row, as other rows have it".to_owned();
    let mut faults: Vec<_> = unsettled.map(|(row, _)| (row, None, reason())).collect();
    // Somebody without a name is not somebody whose name says so.
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
    let mut last = vec![0; entries.len()];
    for same in said.chunk_by(|one, other| one.0 == other.0) {
        let again = same.array_windows().filter(|[one, other]| one.1 == other.1);
        faults.extend(
            again.map(|[(_, _, first), (_, _, row)]| (*row, Some(*first), said_again(&entries[*row]))),
        );
        for (_, _, row) in same {
            last[*row] = same[same.len() - 1].2;
        }
    }
    faults.sort_by_key(|(row, ..)| *row);
    if faults.is_empty() { Ok(last) } else { Err(Faults { file: InputFile::Labels, rows: faults }) }
}

fn said_again(entry: &LabelEntry) -> String {
    let by = entry.annotator.as_ref().map(|name| format!(" by '{name}'")).unwrap_or_default();
    format!("is about item '{}'{by} in round {} again", entry.item, entry.round)
}
