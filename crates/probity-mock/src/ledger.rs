//! What the mock judge was asked and what it did, one JSON line per call, in a file.
//!
//! A line is in the file before its call is answered, so the ledger outlives the client and the mock judge
//! itself. One thread writes; lines that arrive while it writes go into its next write together.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use tokio::sync::oneshot;

/// The most lines that go into one write.
const LINES_PER_WRITE_MAX: usize = 4096;

/// A file of calls.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    lines: mpsc::Sender<Line>,
    /// Where the lines since the start or the last reset begin.
    start: AtomicU64,
}

struct Line {
    text: String,
    written: oneshot::Sender<io::Result<()>>,
}

impl Ledger {
    /// Appends to the file at `path`, which is made where it is missing.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let start = AtomicU64::new(file.metadata()?.len());
        let (lines, waiting) = mpsc::channel();
        std::thread::Builder::new().name("ledger".to_owned()).spawn(move || write_all(file, &waiting))?;
        Ok(Ledger { path: path.to_owned(), lines, start })
    }

    /// Adds a line and waits until it is in the file.
    pub(crate) async fn append(&self, text: String) -> io::Result<()> {
        let gone = || io::Error::other("the ledger's writer is gone");
        let (written, waiting) = oneshot::channel();
        self.lines.send(Line { text, written }).map_err(|_| gone())?;
        waiting.await.map_err(|_| gone())?
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

/// Writes until no sender is left.
fn write_all(mut file: File, waiting: &mpsc::Receiver<Line>) {
    let mut bytes = Vec::new();
    let mut written = Vec::new();
    while let Ok(first) = waiting.recv() {
        let more = waiting.try_iter().take(LINES_PER_WRITE_MAX - 1);
        for line in std::iter::once(first).chain(more) {
            bytes.extend_from_slice(line.text.as_bytes());
            bytes.push(b'\n');
            written.push(line.written);
        }
        let result = file.write_all(&bytes);
        bytes.clear();
        for done in written.drain(..) {
            let result =
                result.as_ref().copied().map_err(|error| io::Error::new(error.kind(), error.to_string()));
            // A call whose client has gone no longer waits.
            let _nobody_waits = done.send(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ledger;

    #[tokio::test]
    async fn lines_are_in_the_file_when_append_returns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        std::fs::write(&path, "earlier\n").unwrap();
        let ledger = Ledger::open(&path).unwrap();
        ledger.append("one".to_owned()).await.unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "earlier\none\n");
        ledger.append("two".to_owned()).await.unwrap();
        assert_eq!(ledger.read().unwrap(), b"one\ntwo\n");
        ledger.reset().unwrap();
        ledger.append("three".to_owned()).await.unwrap();
        assert_eq!(ledger.read().unwrap(), b"three\n");
    }
}
