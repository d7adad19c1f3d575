//! What the loader makes of each bad input, one test per case number.
//!
//! Cases that are not here, and why:
//! - D37: the export half; a cell that starts with `=` is imported as it stands (tested here).
//! - D39: no archive is opened, so names inside one are never seen; the refusal is tested with D38.
//! - D43, D44: whether a criterion has its reference text and whether a packet fits its judge is known when
//!   a run is planned, not when cases are read.
//! - D45: rendering prompts; that template syntax is loaded as it stands is tested here.

#![expect(clippy::needless_raw_string_hashes, reason = "expected texts are written by expect-test")]
#![expect(clippy::unicode_not_nfc, reason = "the texts of D23 are not composed on purpose")]
#![expect(clippy::format_collect, reason = "test inputs are short")]

mod bridges;
mod columns;
mod desks;
mod files;
mod foreign;
mod headers;
mod names;
mod properties;
mod records;
mod rows;
mod rules;
mod sheets;
mod sources;
mod spans;
mod tables;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use probity_core::case::{Entry, Situation};
use probity_engine::input::{Dataset, LoadError, LoadOptions, Record};

/// Two good records.
const A: &str = r#"{"id":"a","ticket":"t","reply":"r"}"#;
const B: &str = r#"{"id":"b","ticket":"u","reply":"s"}"#;

/// A folder with the files of one test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), content).expect("written");
        self.path(name)
    }

    /// Text without the path of the folder.
    fn hide(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("packed");
    encoder.finish().expect("packed")
}

/// What a load gives, a line for each thing.
fn summary(folder: &Folder, paths: &[PathBuf], options: LoadOptions) -> String {
    let mut out = String::new();
    match Dataset::open(paths, options) {
        Err(error) => show_error(&mut out, &error),
        Ok(dataset) => {
            // Records that are skipped are shown in their places.
            let is_other = |notice: &&String| !notice.contains(" is skipped: ");
            for notice in dataset.notices().iter().filter(is_other) {
                writeln!(out, "notice: {notice}").expect("to a string");
            }
            match dataset.records().and_then(Iterator::collect::<Result<Vec<Record>, LoadError>>) {
                Ok(records) => records.iter().for_each(|record| show_record(&mut out, record)),
                Err(error) => show_error(&mut out, &error),
            }
        }
    }
    folder.hide(&out)
}

fn show_error(out: &mut String, error: &LoadError) {
    writeln!(out, "error: {error}").expect("to a string");
    if let Some(hint) = &error.hint {
        writeln!(out, "hint: {hint}").expect("to a string");
    }
}

fn show_record(out: &mut String, record: &Record) {
    match record {
        Record::Skipped(skipped) | Record::Unanswered { skipped, .. } => {
            let id = skipped.id.as_deref().unwrap_or("?");
            writeln!(out, "{} line {}: {id} skipped: {}", skipped.index, skipped.line, skipped.reason)
        }
        Record::Entry { place, entry } => {
            let situation = match &entry.case.situation {
                Situation::Ticket(text) => format!("{text:?}"),
                Situation::Conversation(turns) => {
                    let turn =
                        |turn: &probity_core::case::Turn| format!("{}: {:?}", turn.role.name(), turn.text);
                    format!("[{}]", turns.iter().map(turn).collect::<Vec<_>>().join(", "))
                }
            };
            let (id, reply) = (&entry.case.id, &entry.reply.text);
            writeln!(out, "{} line {}: {id} {situation} -> {reply:?}", place.index, place.line)
        }
    }
    .expect("to a string");
}

/// Loads one file and compares what comes out.
#[track_caller]
fn check(name: &str, content: impl AsRef<[u8]>, want: &expect_test::Expect) {
    check_with(name, content, LoadOptions::default(), want);
}

#[track_caller]
fn check_with(name: &str, content: impl AsRef<[u8]>, options: LoadOptions, want: &expect_test::Expect) {
    let folder = Folder::new();
    let path = folder.write(name, content);
    want.assert_eq(&summary(&folder, &[path], options));
}

/// The entries of one file that loads without a skipped record.
#[track_caller]
fn entries(name: &str, content: impl AsRef<[u8]>) -> Vec<Entry> {
    let folder = Folder::new();
    let path = folder.write(name, content);
    let dataset = Dataset::open(&[path], LoadOptions::default()).expect("loads");
    let entry = |record| match record {
        Ok(Record::Entry { entry, .. }) => *entry,
        other => panic!("expected an entry, found {other:?}"),
    };
    dataset.records().expect("a pass").map(entry).collect()
}

/// The digest of one file.
#[track_caller]
fn digest(content: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    let path = folder.write("cases", content);
    Dataset::open(&[path], LoadOptions::default()).expect("loads").digest().hex.clone()
}
