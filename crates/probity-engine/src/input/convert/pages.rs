//! The sizes that the pages of a Parquet file declare, looked at before any of them is unpacked.
//!
//! A page says in its header how many bytes it unpacks to, and the library asks for that much memory before it unpacks
//! anything. So the headers of all pages are walked first, and a file that asks for too much is refused. A header is a
//! struct in Thrift's compact protocol, of which only a few numbers matter here.

use std::fs::File;
use std::io::{self, BufReader, Read};

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::Unconverted;
use crate::input::archive::FromStart;

/// A page may unpack to so many bytes.
const PAGE_BYTES_MAX: u64 = 128 << 20;

/// The largest pages of all columns, which are in memory together, may unpack to so many bytes.
const ROW_PAGES_BYTES_MAX: u64 = 512 << 20;

/// A column of lists may have so many values in a row group: all of them may belong to one row.
const LIST_VALUES_MAX: u64 = 32 << 20;

/// The fewest bytes that a value of a dictionary takes, but for those of a fixed length, which the library checks.
const DICTIONARY_VALUE_BYTES: u64 = 4;

/// Bytes that are read at once; a header has fewer, unless it holds statistics.
const HEADER_BYTES: usize = 512;

/// How deep the structs and lists of a header may be nested.
const DEPTH_MAX: usize = 8;

/// Refuses a file whose pages, with all that is around them, declare more than `bytes_max` bytes, or too many at once.
pub(super) fn check(file: &File, metadata: &ParquetMetaData, bytes_max: u64) -> Result<(), Unconverted> {
    let mut left = bytes_max;
    for group in metadata.row_groups() {
        let mut at_once = 0_u64;
        for column in group.columns() {
            let found = walk(file, column, &mut left)?;
            at_once = at_once.saturating_add(found.largest.saturating_add(found.dictionary));
            let is_list = column.column_descr().max_rep_level() > 0;
            let name = || column.column_path().string();
            if is_list && found.n_values > LIST_VALUES_MAX {
                let n = found.n_values;
                return Err(refused(&format!("the lists of '{}' have {n} values in one row group", name())));
            }
            if at_once > ROW_PAGES_BYTES_MAX {
                return Err(refused(&format!(
                    "the pages up to '{}' unpack to {at_once} bytes at once",
                    name()
                )));
            }
        }
    }
    Ok(())
}

fn refused(message: &str) -> Unconverted {
    Unconverted::Damaged(format!("{message}, which is more than is read"))
}

/// What the pages of a column declare together.
#[derive(Default)]
struct ColumnPages {
    /// The bytes of the largest page but the dictionary.
    largest: u64,
    dictionary: u64,
    n_values: u64,
}

/// Walks the headers of a column's pages and takes their bytes from what is `left`.
fn walk(file: &File, column: &ColumnChunkMetaData, left: &mut u64) -> Result<ColumnPages, Unconverted> {
    let (mut offset, mut n_bytes) = column.byte_range();
    let mut found = ColumnPages::default();
    while n_bytes > 0 {
        let source = FromStart { file: file.try_clone()?, offset };
        let page = PageHeader::read(BufReader::with_capacity(HEADER_BYTES, source.take(n_bytes)))?;
        let n_page = page.header_bytes.saturating_add(page.packed_bytes);
        if n_page > n_bytes {
            return Err(Unconverted::Damaged("a page is longer than its column".to_owned()));
        }
        let name = || column.column_path().string();
        if page.unpacked_bytes > PAGE_BYTES_MAX {
            return Err(refused(&format!("a page of '{}' unpacks to {} bytes", name(), page.unpacked_bytes)));
        }
        let n_all = n_page.saturating_add(page.unpacked_bytes);
        *left = left.checked_sub(n_all).ok_or_else(|| Unconverted::Io(io::Error::other(super::TooLarge)))?;
        match page.n_dictionary {
            Some(n)
                if n.saturating_mul(DICTIONARY_VALUE_BYTES)
                    > page.unpacked_bytes.max(HEADER_BYTES as u64) =>
            {
                return Err(refused(&format!("the dictionary of '{}' declares {n} values", name())));
            }
            Some(_) => found.dictionary = found.dictionary.max(page.unpacked_bytes),
            None => found.largest = found.largest.max(page.unpacked_bytes),
        }
        found.n_values = found.n_values.saturating_add(page.n_values);
        (offset, n_bytes) = (offset + n_page, n_bytes - n_page);
    }
    Ok(found)
}

/// What a page says about itself, in bytes and values.
#[derive(Default)]
struct PageHeader {
    header_bytes: u64,
    unpacked_bytes: u64,
    packed_bytes: u64,
    n_values: u64,
    /// The values of a dictionary, which is what such a page holds.
    n_dictionary: Option<u64>,
}

impl PageHeader {
    fn read(bytes: impl Read) -> Result<PageHeader, Unconverted> {
        let mut header = PageHeader::default();
        let mut thrift = Thrift { bytes, n_read: 0 };
        let number = |path: [i64; 2], value: i64| {
            // What is negative is refused as what is too large is.
            let value = u64::try_from(value).unwrap_or(u64::MAX);
            match path {
                [2, 0] => header.unpacked_bytes = value,
                [3, 0] => header.packed_bytes = value,
                [5 | 8, 1] => header.n_values = value,
                [7, 1] => header.n_dictionary = Some(value),
                _ => {}
            }
        };
        thrift.structure([0, 0], 0, &mut { number })?;
        header.header_bytes = thrift.n_read;
        Ok(header)
    }
}

/// Numbers of a struct in Thrift's compact protocol.
struct Thrift<R> {
    bytes: R,
    n_read: u64,
}

impl<R: Read> Thrift<R> {
    /// Reads a struct and gives its whole numbers to `number`, with the ids of the field and of the field inside it.
    fn structure(
        &mut self,
        path: [i64; 2],
        depth: usize,
        number: &mut dyn FnMut([i64; 2], i64),
    ) -> io::Result<()> {
        let mut id = 0_i64;
        loop {
            let head = self.byte()?;
            let kind = head & 0x0f;
            if kind == 0 {
                return Ok(());
            }
            id = match i64::from(head >> 4) {
                0 => self.number()?,
                delta => id.saturating_add(delta),
            };
            let path = match depth {
                0 => [id, 0],
                1 => [path[0], id],
                // Deeper ones are of no use.
                _ => [0, 0],
            };
            self.value(kind, path, depth, number)?;
        }
    }

    fn value(
        &mut self,
        kind: u8,
        path: [i64; 2],
        depth: usize,
        number: &mut dyn FnMut([i64; 2], i64),
    ) -> io::Result<()> {
        if depth > DEPTH_MAX {
            return Err(io::Error::other("a page header is nested too deeply"));
        }
        match kind {
            1 | 2 => Ok(()),
            3 => self.skip(1),
            4..=6 => self.number().map(|value| number(path, value)),
            7 => self.skip(8),
            8 => {
                let n = self.varint()?;
                self.skip(n)
            }
            9 | 10 => {
                let head = self.byte()?;
                let n = match u64::from(head >> 4) {
                    15 => self.varint()?,
                    n => n,
                };
                // A truth value in a list takes a byte.
                let kind = if matches!(head & 0x0f, 1 | 2) { 3 } else { head & 0x0f };
                (0..n).try_for_each(|_| self.value(kind, [0, 0], depth + 1, number))
            }
            12 => self.structure(path, depth + 1, number),
            _ => Err(io::Error::other("a page header has a value of an unknown kind")),
        }
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.bytes.read_exact(&mut byte)?;
        self.n_read += 1;
        Ok(byte[0])
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(io::Error::other("a number of a page header does not end"))
    }

    /// A number whose lowest bit is its sign.
    fn number(&mut self) -> io::Result<i64> {
        let value = self.varint()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    fn skip(&mut self, n: u64) -> io::Result<()> {
        let n_skipped = io::copy(&mut self.bytes.by_ref().take(n), &mut io::sink())?;
        self.n_read += n_skipped;
        if n_skipped == n { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}
