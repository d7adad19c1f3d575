//! Inspect's logs: zip archives with a header and a file for each sample, packed with deflate or zstd.
//!
//! The samples are read as one stream of JSON values, one entry after another, in the order of the archive's own list.
//! Nothing is unpacked before it is read, and how much comes out in all is bounded by the caller. Names in the archive
//! are compared and never used as paths.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

use flate2::read::DeflateDecoder;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use zip::{CompressionMethod, ZipArchive};

use crate::platform::{read_at, read_exact_at};

/// The bytes before the name in a local header.
const LOCAL_HEADER_BYTES: usize = 30;

/// A log with its samples.
#[derive(Debug, Clone)]
pub(super) struct LogArchive {
    header: ArchivedFile,
    samples: Arc<[ArchivedFile]>,
}

/// One file in the archive.
#[derive(Debug, Clone, Copy)]
struct ArchivedFile {
    /// Where its local header begins.
    offset: u64,
    n_packed: u64,
    method: CompressionMethod,
}

impl LogArchive {
    /// The log that a zip archive is; `None` where it is something else.
    pub(super) fn find(file: File) -> Option<Self> {
        let mut archive = ZipArchive::new(FromStart { file, offset: 0 }).ok()?;
        let (mut header, mut start, mut samples) = (None, None, Vec::new());
        for index in 0..archive.len() {
            let found = archive.by_index_raw(index).ok()?;
            let (offset, n_packed, method) =
                (found.header_start(), found.compressed_size(), found.compression());
            let entry = ArchivedFile { offset, n_packed, method };
            match found.name().ok()?.as_ref() {
                "header.json" => header = Some(entry),
                "_journal/start.json" => start = Some(entry),
                name if name.starts_with("samples/") => samples.push(entry),
                _ => {}
            }
        }
        // A log that was not finished has no header yet.
        Some(LogArchive { header: header.or(start)?, samples: samples.into() })
    }

    /// What the log says about all samples, at most `n_bytes_max` bytes of it.
    pub(super) fn header(&self, file: &File, n_bytes_max: u64) -> io::Result<String> {
        let mut text = String::new();
        self.header.open(file)?.take(n_bytes_max).read_to_string(&mut text)?;
        Ok(text)
    }

    /// The samples, one after another.
    pub(super) fn samples(&self, file: File) -> impl Read + Send + use<> {
        Samples { file, entries: Arc::clone(&self.samples), n_opened: 0, current: Box::new(io::empty()) }
    }
}

impl ArchivedFile {
    fn open(&self, file: &File) -> io::Result<Box<dyn Read + Send>> {
        let mut header = [0; LOCAL_HEADER_BYTES];
        read_exact_at(file, &mut header, self.offset)?;
        let length = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let offset = self.offset.saturating_add(LOCAL_HEADER_BYTES as u64 + length(26) + length(28));
        let packed = BufReader::new(FromStart { file: file.try_clone()?, offset }.take(self.n_packed));
        match self.method {
            CompressionMethod::STORE => Ok(Box::new(packed)),
            CompressionMethod::DEFLATE => Ok(Box::new(DeflateDecoder::new(packed))),
            CompressionMethod::ZSTD => Ok(Box::new(Frames { decoder: FrameDecoder::new(), packed })),
            _ => Err(io::Error::other("packed in a way that is not read, expected deflate or zstd")),
        }
    }
}

/// Entries as one stream, each on a line of its own.
struct Samples {
    file: File,
    entries: Arc<[ArchivedFile]>,
    n_opened: usize,
    current: Box<dyn Read + Send>,
}

impl Read for Samples {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.current.read(buffer);
            match read.map_err(|error| io::Error::other(format!("the archive is damaged: {error}")))? {
                0 if !buffer.is_empty() => {}
                n => return Ok(n),
            }
            let Some(entry) = self.entries.get(self.n_opened) else { return Ok(0) };
            let opened = entry.open(&self.file)?;
            self.current = Box::new(opened.chain(Cursor::new(b"\n")));
            self.n_opened += 1;
        }
    }
}

/// Zstandard frames, of which an entry may have several.
struct Frames<R> {
    decoder: FrameDecoder,
    packed: R,
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.decoder.can_collect() == 0 {
            if self.decoder.is_finished() {
                if self.packed.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.decoder.reset(&mut self.packed).map_err(io::Error::other)?;
            }
            let step = BlockDecodingStrategy::UptoBlocks(1);
            self.decoder.decode_blocks(&mut self.packed, step).map_err(io::Error::other)?;
        }
        self.decoder.read(buffer)
    }
}

/// A reader with a position of its own: handles of one file without a name share theirs.
pub(super) struct FromStart {
    pub(super) file: File,
    pub(super) offset: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = read_at(&self.file, buffer, self.offset)?;
        self.offset += n as u64;
        Ok(n)
    }
}

impl Seek for FromStart {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(by) => self.offset.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.len().checked_add_signed(by),
        };
        self.offset = target.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.offset)
    }
}
