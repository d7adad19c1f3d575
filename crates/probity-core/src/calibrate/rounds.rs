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
    let voice = |row: usize| {
        let entry = &entries[row];
        (voices[row], entry.annotator.is_some(), entry.adjudicated == Some(true))
    };
    let mut rows: Vec<usize> = (0..entries.len()).collect();
    rows.sort_by_key(|row| (voice(*row), entries[*row].round));
    let mut last = vec![0; entries.len()];
    for same in rows.chunk_by(|one, other| voice(*one) == voice(*other)) {
        let again = same.array_windows().filter(|[one, other]| entries[*one].round == entries[*other].round);
        faults.extend(again.map(|[first, row]| (*row, Some(*first), said_again(&entries[*row]))));
        same.iter().for_each(|row| last[*row] = same[same.len() - 1]);
    }
    faults.sort_by_key(|(row, ..)| *row);
    if faults.is_empty() { Ok(last) } else { Err(Faults { file: InputFile::Labels, rows: faults }) }
}

fn said_again(entry: &LabelEntry) -> String {
    let by = entry.annotator.as_ref().map(|name| format!(" by '{name}'")).unwrap_or_default();
    format!("is about item '{}'{by} in round {} again", entry.item, entry.round)
}
