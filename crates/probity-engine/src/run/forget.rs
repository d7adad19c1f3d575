//! Erasing what a customer wrote and was answered, wherever the record has it, while figures stay.

use super::RunError;
use super::case_record::{CaseRecord, CaseStatus};
use crate::ledger::{Erasure, Forgotten, PlacedCase, Store};

/// Erases the texts of the case called `id`, in every run that met it. Nothing is done where there is none.
pub fn forget(store: &Store, id: &str) -> Result<Forgotten, RunError> {
    let reader = store.reader()?;
    let (mut erasure, mut last) = (Erasure::default(), (-1, -1));
    loop {
        let page = reader.placed_cases(last)?;
        let Some(end) = page.last() else { break };
        last = (end.list, end.n);
        for placed in page {
            // What is no case is a record of a help desk beside them.
            let Ok(record) = serde_json::from_str::<CaseRecord>(&placed.body) else { continue };
            if record.case_id() != Some(id) {
                continue;
            }
            erasure.texts.extend(record.texts());
            erasure.packets.extend(record.packets().iter().map(|packet| packet.hash));
            let body = serde_json::to_string(&record.erased()).expect("plain data");
            erasure.cases.push(PlacedCase { body, ..placed });
        }
    }
    drop(reader);
    if erasure.cases.is_empty() {
        return Ok(Forgotten::default());
    }
    let mut forgotten = store.erase(erasure.clone())?;
    if store.is_shared() {
        // What other workers were recording at that moment. Whatever they record from now on is erased with it.
        let late = store.erase(erasure)?;
        forgotten.n_answers += late.n_answers;
    }
    Ok(forgotten)
}

impl CaseRecord {
    fn case_id(&self) -> Option<&str> {
        match &self.status {
            CaseStatus::Skipped { id, .. } => id.as_deref(),
            CaseStatus::NoReply { case, .. } => Some(case.id.as_str()),
            CaseStatus::Blocked { entry, .. } | CaseStatus::Admitted { entry, .. } => {
                Some(entry.case.id.as_str())
            }
        }
    }
}
