//! The results file: one row per line, written as it is made, complete or not there at all.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use probity_core::report::Summary;
use probity_engine::fault_points::{self, Point};
use probity_engine::platform::sync_folder;
use probity_engine::run::results::Row;
use serde::Serialize;

/// Writes a [`RunResults`](probity_core::results::RunResults) row by row, so that a run of any size fits.
pub(crate) struct ResultsWriter<W: Write> {
    out: W,
    n_results: u64,
    skipped: Spool,
    failed: Spool,
}

/// Rows that come while others are written and follow them: kept in a temporary file, so that a run of any
/// size is reported in bounded memory.
struct Spool {
    file: BufWriter<File>,
    n: u64,
}

impl Spool {
    fn new() -> io::Result<Spool> {
        Ok(Spool { file: BufWriter::new(tempfile::tempfile()?), n: 0 })
    }

    fn add(&mut self, row: &impl Serialize) -> io::Result<()> {
        self.file.write_all(if self.n > 0 { b",\n    " } else { b"\n    " })?;
        self.n += 1;
        serde_json::to_writer(&mut self.file, row)?;
        Ok(())
    }

    fn copy_to(self, out: &mut impl Write) -> io::Result<()> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        io::copy(&mut file, out)?;
        out.write_all(if self.n > 0 { b"\n  ]" } else { b"]" })
    }
}

impl<W: Write> ResultsWriter<W> {
    /// Starts the document.
    pub(crate) fn new(mut out: W) -> io::Result<Self> {
        out.write_all(b"{\n  \"results\": [")?;
        Ok(ResultsWriter { out, n_results: 0, skipped: Spool::new()?, failed: Spool::new()? })
    }

    /// Adds one row.
    pub(crate) fn add(&mut self, row: &Row) -> io::Result<()> {
        match row {
            Row::Reply(row) => {
                self.out.write_all(if self.n_results > 0 { b",\n    " } else { b"\n    " })?;
                self.n_results += 1;
                serde_json::to_writer(&mut self.out, row)?;
                row.failed_rows().try_for_each(|row| self.failed.add(&row))?;
            }
            Row::Skipped(skipped) => self.skipped.add(skipped)?,
        }
        Ok(())
    }

    /// Ends the document.
    pub(crate) fn finish(mut self, summary: &Summary) -> io::Result<W> {
        self.out.write_all(if self.n_results > 0 { b"\n  ]" } else { b"]" })?;
        for (name, rows) in [("skipped", self.skipped), ("failed", self.failed)] {
            write!(self.out, ",\n  \"{name}\": [")?;
            rows.copy_to(&mut self.out)?;
        }
        let summary = serde_json::to_string_pretty(&summary.record)?;
        write!(self.out, ",\n  \"summary\": {}\n}}\n", summary.replace('\n', "\n  "))?;
        Ok(self.out)
    }
}

/// A file that replaces the one of its name only when it is complete and on disk. What is not a regular file
/// (a pipe, a device) is written to as it is.
pub(crate) enum WholeFile {
    /// A temporary file beside its target.
    Replacing { target: PathBuf, file: Box<BufWriter<tempfile::NamedTempFile>> },
    /// Something that cannot be replaced.
    Direct(BufWriter<File>),
}

impl WholeFile {
    /// Begins to write what will be `target`. Missing folders are made, links are followed. A file that is replaced
    /// keeps its permissions; a new one holds customers' text and is for this user alone.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let target = std::fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        if is_special(&target)? {
            let file = File::options().write(true).open(&target)?;
            return Ok(WholeFile::Direct(BufWriter::new(file)));
        }
        let folder = folder_of(&target);
        std::fs::create_dir_all(folder)?;
        let file = tempfile::Builder::new().prefix(".probity-").tempfile_in(folder)?;
        if let Ok(replaced) = std::fs::metadata(&target) {
            file.as_file().set_permissions(replaced.permissions())?;
        }
        Ok(WholeFile::Replacing { target, file: Box::new(BufWriter::new(file)) })
    }

    /// Finds out whether a file can be put at `target`, and leaves nothing behind.
    pub(crate) fn try_out(target: &Path) -> io::Result<()> {
        if is_special(target)? { Ok(()) } else { Self::create(target).map(drop) }
    }

    /// Puts the file in its place.
    pub(crate) fn keep(self) -> io::Result<()> {
        let (target, file) = match self {
            WholeFile::Direct(mut file) => return file.flush(),
            WholeFile::Replacing { target, file } => (target, file),
        };
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        fault_points::reach(Point::BeforeRename);
        file.persist(&target).map_err(|error| error.error)?;
        sync_folder(folder_of(&target))
    }
}

/// Whether something stands at `target` that is no regular file. A folder is an error.
fn is_special(target: &Path) -> io::Result<bool> {
    match std::fs::metadata(target) {
        Ok(meta) if meta.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(meta) => Ok(!meta.is_file()),
        Err(_) => Ok(false),
    }
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            WholeFile::Replacing { file, .. } => file.write(bytes),
            WholeFile::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            WholeFile::Replacing { file, .. } => file.flush(),
            WholeFile::Direct(file) => file.flush(),
        }
    }
}
