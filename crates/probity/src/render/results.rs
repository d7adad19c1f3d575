//! The results file: one row per line, written as it is made, complete or not there at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use probity_core::report::Summary;
use probity_engine::run::results::Row;
use serde_json::{Value, json};

/// Writes results as JSON: `results`, `skipped`, `failed`, `summary`.
pub(crate) struct ResultsWriter<W: Write> {
    out: W,
    n_results: u64,
    skipped: Vec<Value>,
    failed: Vec<Value>,
}

impl<W: Write> ResultsWriter<W> {
    /// Starts the document.
    pub(crate) fn new(mut out: W) -> io::Result<Self> {
        out.write_all(b"{\n  \"results\": [")?;
        Ok(ResultsWriter { out, n_results: 0, skipped: Vec::new(), failed: Vec::new() })
    }

    /// Adds one row.
    pub(crate) fn add(&mut self, row: &Row) -> io::Result<()> {
        match row {
            Row::Reply(result) => {
                self.out.write_all(if self.n_results > 0 { b",\n    " } else { b"\n    " })?;
                self.n_results += 1;
                serde_json::to_writer(&mut self.out, &result.to_json())?;
                self.failed.extend(result.failed_json());
            }
            Row::Skipped(skipped) => self.skipped.push(json!({
                "index": skipped.index,
                "reason": skipped.reason,
                "id": skipped.id,
                "file": &*skipped.file,
                "line": skipped.line,
            })),
        }
        Ok(())
    }

    /// Ends the document.
    pub(crate) fn finish(mut self, summary: &Summary) -> io::Result<W> {
        self.out.write_all(if self.n_results > 0 { b"\n  ]" } else { b"]" })?;
        for (name, rows) in [("skipped", &self.skipped), ("failed", &self.failed)] {
            write!(self.out, ",\n  \"{name}\": [")?;
            for (i, row) in rows.iter().enumerate() {
                self.out.write_all(if i > 0 { b",\n    " } else { b"\n    " })?;
                serde_json::to_writer(&mut self.out, row)?;
            }
            self.out.write_all(if rows.is_empty() { b"]" } else { b"\n  ]" })?;
        }
        let summary = serde_json::to_string_pretty(&summary.to_json())?;
        write!(self.out, ",\n  \"summary\": {}\n}}\n", summary.replace('\n', "\n  "))?;
        Ok(self.out)
    }
}

/// A file that replaces the one of its name only when it is complete and on disk.
pub(crate) struct WholeFile {
    target: PathBuf,
    file: BufWriter<tempfile::NamedTempFile>,
}

impl WholeFile {
    /// Begins to write what will be `target`. Missing folders are made.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(folder)?;
        let file = tempfile::Builder::new().prefix(".probity-").tempfile_in(folder)?;
        Ok(WholeFile { target: target.to_owned(), file: BufWriter::new(file) })
    }

    /// Finds out whether a file can be put at `target`, and leaves nothing behind.
    pub(crate) fn try_out(target: &Path) -> io::Result<()> {
        if target.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Self::create(target).map(drop)
    }

    /// Puts the file in its place.
    pub(crate) fn keep(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        file.as_file().set_permissions(mode)?;
        file.persist(&self.target).map_err(|error| error.error)?;
        let folder = self.target.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
