//! Files of other tools, up to three read together, or a log in an archive: any bytes are records or an error, two
//! passes give the same with what is said beside them, and a case per answer loses none of its turns.

use std::path::PathBuf;

use probity_engine::input::{AgentTurns, Annotated, Dataset, Instructions, LoadOptions, Record, Unanswered};

use super::input::{choices, joined, parts};
use super::seeds as cases;

/// What files are called: a page of comments is named after its ticket.
const NAMES: [&str; 3] = ["tickets.json", "7.json", "users.json"];

/// Panics where bytes are neither records nor an error.
pub fn check(data: &[u8]) {
    let (choice, content) = choices(data);
    let chosen = |bit: u8| choice & (1 << bit) != 0;
    let options = LoadOptions {
        turns: if chosen(0) { AgentTurns::Each } else { AgentTurns::Last },
        instructions: if chosen(1) { Instructions::Shown } else { Instructions::Apart },
        unanswered: if chosen(2) { Unanswered::Take } else { Unanswered::Refuse },
        decoded_bytes_max: 1 << 20,
        stream_bytes_max: if chosen(3) { 256 } else { 1 << 20 },
        ..LoadOptions::default()
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let texts = parts::<3>(content);
    let files: Vec<(&str, Vec<u8>)> = if chosen(4) {
        let method = if chosen(5) { 93 } else { 8 * u16::from(chosen(6)) };
        vec![("log.eval", archive(&texts, method))]
    } else {
        let given = NAMES.into_iter().zip(texts).filter(|(_, text)| !text.is_empty());
        given.map(|(name, text)| (name, text.to_vec())).collect()
    };
    let written = files.iter().map(|(name, content)| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("a file can be written");
        path
    });
    let paths: Vec<PathBuf> = written.collect();
    match Dataset::open(&paths, options) {
        Ok(dataset) => check_dataset(&dataset),
        Err(error) => assert!(!error.to_string().is_empty() && error.line != Some(0)),
    }
}

fn check_dataset(dataset: &Dataset) {
    let pass =
        || dataset.annotated().expect("a pass over unchanged files").map(|item| item.expect("the same"));
    let records: Vec<Annotated> = pass().collect();
    assert_eq!(dataset.digest().n_records, records.len(), "records were lost");
    for Annotated { record, beside } in &records {
        if let Record::Entry { entry, .. } = record {
            assert!(!entry.reply.text.trim().is_empty() && !entry.case.situation.texts().is_empty());
        }
        for verdict in beside.iter().flat_map(|beside| &beside.verdicts) {
            assert!(verdict.judge.contains(':'), "a foreign judge is named after its tool");
        }
    }
    assert!(pass().eq(records), "a second pass differs");
}

/// A zip archive of a header and two samples whose packed bytes are the given ones.
fn archive(texts: &[&[u8]; 3], method: u16) -> Vec<u8> {
    let names = ["header.json", "samples/1_epoch_1.json", "samples/2_epoch_1.json"];
    let (mut out, mut list) = (Vec::new(), Vec::new());
    for (name, packed) in names.iter().zip(texts) {
        let method = if *name == names[0] { 0 } else { method };
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
        let n_packed = number(packed.len());
        let n_name = &number(name.len())[..2];
        let common =
            [&[20, 0, 0, 0][..], &method.to_le_bytes(), &[0; 8], &n_packed, &n_packed, n_name, &[0, 0]]
                .concat();
        list.extend(
            [&b"PK\x01\x02\x14\x00"[..], &common, &[0; 10], &number(out.len()), name.as_bytes()].concat(),
        );
        out.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), packed].concat());
    }
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
    [&out[..], &list, b"PK\x05\x06\0\0\0\0\x03\0\x03\0", &number(list.len()), &number(out.len()), &[0, 0]]
        .concat()
}

/// Inputs to start from: the small files of the tests, in threes.
pub fn seeds() -> Vec<Vec<u8>> {
    let literals = cases::literals(&cases::file("crates/probity-engine/tests/input/foreign.rs"));
    let files: Vec<&String> = literals.iter().filter(|text| text.starts_with(['{', '['])).collect();
    let choices = [0_u8, 1, 0b110, 0b1_0000, 0b1000].into_iter().cycle();
    files.windows(3).zip(choices).map(|(three, choice)| joined(choice, three)).collect()
}
