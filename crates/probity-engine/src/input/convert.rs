//! Files that are no text: Parquet as JSON lines, the first sheet of an Excel file as CSV.
//!
//! They are converted once, into a temporary file without a name, row by row; from then on they are read like any other
//! file. What always holds: no more than the limit is written or unpacked, whatever sizes the file declares, and memory
//! holds a page of each column, or the shared texts of a workbook.

mod pages;
mod parquet;
mod sheet;

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::LoadError;

/// What a file is that is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    Parquet,
    Sheet,
}

impl Binary {
    /// What the first bytes say, and for an archive its content.
    pub(super) fn told(head: &[u8], file: &File) -> Option<Binary> {
        match head {
            [b'P', b'A', b'R', b'1', ..] => Some(Binary::Parquet),
            [b'P', b'K', 3, 4, ..] if sheet::is_workbook(file) => Some(Binary::Sheet),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Binary::Parquet => "Parquet",
            Binary::Sheet => "Excel",
        }
    }
}

/// A file as text.
#[derive(Debug)]
pub(super) struct Converted {
    /// The text, in a file without a name.
    pub(super) text: File,
    /// What is worth saying about what was read.
    pub(super) notices: Vec<String>,
}

/// Why a file could not be converted.
#[derive(Debug)]
pub(super) enum Unconverted {
    /// Its content is not what its format asks for.
    Damaged(String),
    /// It could not be read, or the copy not written.
    Io(io::Error),
}

impl From<io::Error> for Unconverted {
    fn from(error: io::Error) -> Self {
        Unconverted::Io(error)
    }
}

/// Converts `file`, which is called `name`, writing at most `bytes_max` bytes.
pub(super) fn converted(
    name: &Arc<str>,
    file: &File,
    binary: Binary,
    bytes_max: u64,
) -> Result<Converted, LoadError> {
    let kind = binary.name();
    let failed = |error: Unconverted| match error {
        Unconverted::Damaged(why) => LoadError::new(name, format!("the {kind} file cannot be read: {why}"))
            .hint("export it as CSV or JSON lines if this stays so"),
        Unconverted::Io(error) if is_too_large(&error) => {
            LoadError::new(name, format!("the {kind} file unpacks to more than {bytes_max} bytes"))
        }
        Unconverted::Io(error) => {
            LoadError::new(name, format!("the {kind} file cannot be read")).source(error)
        }
    };
    let text = tempfile::tempfile().map_err(|error| failed(error.into()))?;
    let mut out = BufWriter::new(Limited { inner: text, left: bytes_max });
    // The libraries may panic on a damaged file.
    let written = catch_unwind(AssertUnwindSafe(|| match binary {
        Binary::Parquet => parquet::write_lines(file, &mut out, bytes_max),
        Binary::Sheet => sheet::write_table(file, &mut out, bytes_max),
    }));
    let notices =
        written.unwrap_or_else(|_| Err(Unconverted::Damaged("it is damaged".to_owned()))).map_err(failed)?;
    let mut limited = out.into_inner().map_err(|error| failed(error.into_error().into()))?;
    limited.inner.rewind().map_err(|error| failed(error.into()))?;
    Ok(Converted { text: limited.inner, notices })
}

/// More bytes than a file may give.
#[derive(Debug, thiserror::Error)]
#[error("larger than allowed")]
struct TooLarge;

fn is_too_large(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<TooLarge>()).is_some()
}

/// A writer that takes so many bytes.
struct Limited<W> {
    inner: W,
    left: u64,
}

impl<W: Write> Write for Limited<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.left = self.left.checked_sub(n as u64).ok_or_else(|| io::Error::other(TooLarge))?;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
