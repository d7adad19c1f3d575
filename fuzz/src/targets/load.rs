//! The loader: any bytes are records or an error, every record is accounted for, and a second pass gives the
//! same.

use std::cell::RefCell;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use probity_engine::input::{Dataset, Dedup, LoadError, LoadOptions, Record, Strictness, Unanswered};

use super::input::choices;
use super::seeds as cases;

/// Panics where bytes are neither records nor an error.
pub fn check(data: &[u8]) {
    let (choice, content) = choices(data);
    let chosen = |bit: u8| choice & (1 << bit) != 0;
    let options = LoadOptions {
        strict: if chosen(0) { Strictness::Strict } else { Strictness::Skip },
        dedup: if chosen(1) { Dedup::Identical } else { Dedup::Refuse },
        delimiter: chosen(2).then_some(b';'),
        record_bytes_max: if chosen(3) { 64 } else { 8 << 20 },
        decoded_bytes_max: if chosen(4) { 4096 } else { 64 << 20 },
        unanswered: if chosen(6) { Unanswered::Take } else { Unanswered::Refuse },
        ..LoadOptions::default()
    };
    let packed = chosen(5).then(|| gzip(content));
    scratch(packed.as_deref().unwrap_or(content), |path| {
        match Dataset::open(&[path.to_owned()], options.clone()) {
            Ok(dataset) => check_dataset(&dataset, path, options),
            Err(error) => check_error(&error),
        }
    });
}

/// Gives `content` to `read` as a file.
pub fn scratch(content: &[u8], read: impl FnOnce(&Path)) {
    SCRATCH.with_borrow_mut(|scratch| read(scratch.holding(content)));
}

/// Inputs to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let tests = cases::folder("crates/probity-engine/tests/input", ".rs");
    let literals = tests.iter().flat_map(|source| cases::literals(source));
    let kept =
        literals.filter(|literal| literal.contains(['{', '[', ',', ';']) && !literal.contains(" line "));
    let examples = [".json", ".jsonl", ".csv"].iter().flat_map(|end| cases::folder("examples", end));
    let choices = [0_u8, 0b10, 0b100, 0b1000, 0b10_0000].iter().cycle();
    kept.chain(examples).zip(choices).map(|(text, choice)| [&[*choice], text.as_bytes()].concat()).collect()
}

fn check_dataset(dataset: &Dataset, path: &Path, options: LoadOptions) {
    let pass =
        || dataset.records().expect("a pass over an unchanged file").map(|item| item.expect("the same"));
    let records: Vec<Record> = pass().collect();
    let index = |record: &Record| match record {
        Record::Entry { place, .. } => place.index,
        Record::Skipped(skipped) | Record::Unanswered { skipped, .. } => skipped.index,
    };
    assert!(records.iter().map(index).eq(0..records.len()), "an index is missing");
    let n_skipped = records.iter().filter(|record| matches!(record, Record::Skipped(_))).count();
    let digest = dataset.digest();
    assert_eq!((digest.n_records, digest.n_skipped), (records.len(), n_skipped), "records were lost");
    assert!(options.strict == Strictness::Skip || options.dedup == Dedup::Identical || n_skipped == 0);
    for record in &records {
        match record {
            Record::Skipped(skipped) | Record::Unanswered { skipped, .. } => {
                assert!(!skipped.reason.is_empty() && skipped.line > 0);
            }
            Record::Entry { place, entry, .. } => {
                assert!(place.line > 0 && !entry.case.id.as_str().is_empty());
                assert!(!entry.reply.text.contains('\0'), "a text with NUL");
            }
        }
    }
    assert!(pass().eq(records), "a second pass differs");
    let again = Dataset::open(&[path.to_owned()], options).expect("the same file");
    assert_eq!(again.digest(), digest, "the same bytes have two digests");
}

fn check_error(error: &LoadError) {
    assert!(!error.to_string().is_empty(), "an error without words");
    assert!(error.line != Some(0), "lines are counted from 1");
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).expect("a vector takes everything");
    encoder.finish().expect("a vector takes everything")
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch::new());
}

/// One file that is written again for each input, in memory where the system has a place for that.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let thread = format!("{:?}", std::thread::current().id());
        let number: String = thread.chars().filter(char::is_ascii_digit).collect();
        Scratch(folder.join(format!("probity-fuzz-{}-{number}", std::process::id())))
    }

    fn holding(&mut self, content: &[u8]) -> &Path {
        std::fs::write(&self.0, content).expect("the scratch file can be written");
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A file left behind in the place for temporary files harms nobody.
        let _ = std::fs::remove_file(&self.0);
    }
}
