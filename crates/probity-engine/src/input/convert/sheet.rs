//! The first sheet of an Excel workbook as CSV.
//!
//! A row is a row, also an empty one, so that numbers of rows can be given. Dates are written as dates, whole numbers
//! without a point, errors as nothing.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek, SeekFrom, Write};

use calamine::{DataRef, Reader as _, Xlsx, XlsxError};
use zip::ZipArchive;

use super::{TooLarge, Unconverted};

/// The file inside that only a workbook has.
const WORKBOOK: &str = "xl/workbook.xml";

/// What is not a sheet is held in memory: texts that cells share, and formats.
const SHARED_BYTES_MAX: u64 = 512 << 20;

/// So many rows and columns a sheet of Excel has.
const ROWS_MAX: u32 = 1 << 20;
const COLUMNS_MAX: u32 = 1 << 14;

impl From<XlsxError> for Unconverted {
    fn from(error: XlsxError) -> Self {
        Unconverted::Damaged(error.to_string())
    }
}

/// Whether an archive is a workbook.
pub(super) fn is_workbook(file: &File) -> bool {
    let archive = file.try_clone().ok().and_then(|file| ZipArchive::new(BufReader::new(file)).ok());
    archive.is_some_and(|archive| archive.file_names().any(|name| name.is_ok_and(|name| name == WORKBOOK)))
}

/// Writes a line for each row of the first sheet and returns what is worth saying.
pub(super) fn write_table(
    file: &File,
    out: &mut impl Write,
    bytes_max: u64,
) -> Result<Vec<String>, Unconverted> {
    check_sizes(file, bytes_max)?;
    let mut file = file.try_clone()?;
    file.seek(SeekFrom::Start(0))?;
    let mut workbook = Xlsx::new(BufReader::new(file))?;
    let sheets = workbook.sheet_names();
    let Some((first, others)) = sheets.split_first() else {
        return Err(Unconverted::Damaged("it has no sheet".to_owned()));
    };
    let mut cells = workbook.worksheet_cells_reader(first)?;
    let mut table = TableWriter { out, row: 0, cells: Vec::new(), width: 0 };
    while let Some(cell) = cells.next_cell()? {
        let (row, column) = cell.get_position();
        if row >= ROWS_MAX || column >= COLUMNS_MAX || row < table.row {
            return Err(Unconverted::Damaged(format!("a cell stands in row {row}, column {column}")));
        }
        table.put(row, column as usize, shown(cell.get_value()))?;
    }
    table.end_row()?;
    let notice = format!("read the sheet '{first}'; not read: {}", others.join(", "));
    Ok(if others.is_empty() { Vec::new() } else { vec![notice] })
}

/// Unpacks everything once, so that no size is believed: only sheets, which are streamed, may be large.
fn check_sizes(file: &File, bytes_max: u64) -> Result<(), Unconverted> {
    let mut archive = ZipArchive::new(BufReader::new(file.try_clone()?)).map_err(damaged)?;
    let mut left = bytes_max;
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(damaged)?;
        let is_sheet = entry.name().is_ok_and(|name| name.contains("worksheets/"));
        let allowed = if is_sheet { left } else { left.min(SHARED_BYTES_MAX) };
        let n = io::copy(&mut entry.take(allowed.saturating_add(1)), &mut io::sink())?;
        if n > allowed {
            return Err(io::Error::other(TooLarge).into());
        }
        left -= n;
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "maps an error")]
fn damaged(error: zip::result::ZipError) -> Unconverted {
    Unconverted::Damaged(error.to_string())
}

fn shown(value: &DataRef<'_>) -> String {
    match value {
        DataRef::String(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::DateTime(moment) if moment.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
            let date = format!("{year:04}-{month:02}-{day:02}");
            if (hour, minute, second) == (0, 0, 0) {
                date
            } else {
                format!("{date}T{hour:02}:{minute:02}:{second:02}")
            }
        }
        DataRef::DateTime(duration) => duration.as_f64().to_string(),
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

/// Puts cells into rows, and rows into lines.
struct TableWriter<'w, W> {
    out: &'w mut W,
    /// The row that is being filled, 0-based.
    row: u32,
    cells: Vec<String>,
    /// How many columns the first row with cells has; later ones are as long, or longer.
    width: usize,
}

impl<W: Write> TableWriter<'_, W> {
    fn put(&mut self, row: u32, column: usize, text: String) -> io::Result<()> {
        while self.row < row {
            self.end_row()?;
            self.row += 1;
        }
        if self.cells.len() <= column && !text.is_empty() {
            self.cells.resize(column + 1, String::new());
        }
        if !text.is_empty() {
            self.cells[column] = text;
        }
        Ok(())
    }

    fn end_row(&mut self) -> io::Result<()> {
        if !self.cells.is_empty() {
            self.width = if self.width == 0 { self.cells.len() } else { self.width };
            self.cells.resize(self.cells.len().max(self.width), String::new());
            let quoted = self.cells.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
            self.out.write_all(quoted.collect::<Vec<_>>().join(",").as_bytes())?;
            self.cells.clear();
        }
        self.out.write_all(b"\n")
    }
}
