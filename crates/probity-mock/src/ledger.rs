//! What the mock judge was asked and what it did, one JSON line per call, in a file.
//!
//! A line is in the file before its call is answered, so the ledger outlives the client and the mock judge itself.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file of calls.
#[derive(Debug)]
pub struct CallLedger {
    path: PathBuf,
    file: Mutex<File>,
    /// Where the lines since the start or the last reset begin.
    start: AtomicU64,
}

impl CallLedger {
    /// Appends to the file at `path`, which is made where it is missing.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let start = AtomicU64::new(file.metadata()?.len());
        Ok(CallLedger { path: path.to_owned(), file: Mutex::new(file), start })
    }

    /// Adds a line. It is in the file when this returns.
    pub(crate) fn append(&self, text: &str) -> io::Result<()> {
        let mut file = self.file.lock().expect("no thread panics while it writes");
        file.write_all(format!("{text}\n").as_bytes())
    }

    /// The lines since the start or the last reset.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.start.load(Ordering::Relaxed)))?;
        let mut lines = Vec::new();
        file.read_to_end(&mut lines)?;
        Ok(lines)
    }

    /// Begins anew for readers. The file keeps what it has.
    pub(crate) fn reset(&self) -> io::Result<()> {
        self.start.store(std::fs::metadata(&self.path)?.len(), Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::CallLedger;

    #[test]
    fn lines_are_in_the_file_when_append_returns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        std::fs::write(&path, "earlier\n").unwrap();
        let ledger = CallLedger::open(&path).unwrap();
        ledger.append("one").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "earlier\none\n");
        ledger.append("two").unwrap();
        assert_eq!(ledger.read().unwrap(), b"one\ntwo\n");
        ledger.reset().unwrap();
        ledger.append("three").unwrap();
        assert_eq!(ledger.read().unwrap(), b"three\n");
    }
}
