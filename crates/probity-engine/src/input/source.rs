//! Where the bytes of a data file come from, and the check that they have not changed.
//!
//! A source can be opened again and again: what cannot be read twice (standard input, a pipe) is copied once into a
//! temporary file that has no name, so that it is gone with the process however that ends. Each opening and each end of
//! a pass compares the file with what it was when the data set was opened. Nothing here looks into the content beyond its
//! first bytes.

use std::fs::{self, File, Metadata};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use flate2::read::MultiGzDecoder;

use super::archive::{FromStart, LogArchive};
use super::bytes::Input;
use super::convert::{Binary, Converted, converted};
use super::encoding::{self, Census, Decoded, Encoding};
use super::{LoadError, LoadOptions, magic};
use crate::platform::{file_number, is_link_loop};

/// Below this many decoded bytes no compression ratio is suspicious.
const RATIO_FREE_BYTES: u64 = 16 << 20;

/// One file of a data set.
#[derive(Debug)]
pub(super) struct DataFile {
    name: Arc<str>,
    store: Store,
    identity: Identity,
    packing: Packing,
    /// Whether a row of a sheet is counted, and not the lines of its copy.
    pub(super) counts_rows: bool,
    /// What is worth saying about how the file became text.
    pub(super) notices: Vec<String>,
    /// What the whole of the bytes was found to be, where that was asked.
    census: OnceLock<(Encoding, Option<u64>)>,
}

#[derive(Debug)]
enum Store {
    Path(PathBuf),
    /// What was read from a stream, in a file without a name.
    Spooled(File),
}

/// How the file is compressed.
#[derive(Debug, Clone)]
pub(super) enum Packing {
    Plain,
    Gzip,
    /// The samples of a log of Inspect, one after another.
    Log(LogArchive),
}

/// What stays the same while a file is not modified.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity {
    bytes: u64,
    modified: Option<SystemTime>,
    file_number: u64,
}

impl Identity {
    fn of(metadata: &Metadata) -> Self {
        Self { bytes: metadata.len(), modified: metadata.modified().ok(), file_number: file_number(metadata) }
    }
}

/// An opened source: its decoded bytes, and the handle that tells whether it changed meanwhile.
pub(super) struct OpenSource {
    pub(super) input: Input,
    /// How its text is encoded.
    pub(super) encoding: Encoding,
    handle: File,
    identity: Identity,
}

impl OpenSource {
    /// Checks that the file is still the one the data set was opened with.
    pub(super) fn check(&self) -> Result<(), LoadError> {
        let name = self.input.file();
        let metadata = self.handle.metadata().map_err(|error| refusal(name, error))?;
        if Identity::of(&metadata) == self.identity { Ok(()) } else { Err(changed(name)) }
    }
}

impl DataFile {
    /// Finds the file, copies it when it is a stream, and looks at how it is packed.
    pub(super) fn find(path: &Path, options: &LoadOptions) -> Result<Self, LoadError> {
        if path.as_os_str() == "-" {
            return Self::spool(&Arc::from("-"), io::stdin().lock(), options);
        }
        let name: Arc<str> = Arc::from(path.to_string_lossy());
        let refused = |error| refusal(&name, error);
        let metadata = fs::metadata(path).map_err(refused)?;
        if metadata.is_dir() {
            let error = LoadError::new(&name, "is a directory, expected a file");
            return Err(error.hint("name the files in it one by one"));
        }
        let file = File::open(path).map_err(refused)?;
        if !metadata.is_file() {
            return Self::spool(&name, file, options);
        }
        let metadata = file.metadata().map_err(refused)?;
        Self::look(name, Store::Path(path.to_owned()), (file, &metadata), options)
    }

    /// Copies a stream into a temporary file, because the data is read more than once.
    pub(super) fn spool(
        name: &Arc<str>,
        stream: impl Read,
        options: &LoadOptions,
    ) -> Result<Self, LoadError> {
        let failed = |error| LoadError::new(name, "cannot copy the stream to a temporary file").source(error);
        let mut spooled = tempfile::tempfile().map_err(failed)?;
        let limit = options.stream_bytes_max;
        let copied = io::copy(&mut stream.take(limit.saturating_add(1)), &mut spooled).map_err(failed)?;
        if copied > limit {
            return Err(LoadError::new(name, format!("the stream is longer than {limit} bytes"))
                .hint("write it to a file first, and name that file"));
        }
        let file = spooled.try_clone().map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        Self::look(Arc::clone(name), Store::Spooled(spooled), (file, &metadata), options)
    }

    /// Looks at how a file is packed, and converts it where it is no text.
    fn look(
        name: Arc<str>,
        store: Store,
        (file, metadata): (File, &Metadata),
        options: &LoadOptions,
    ) -> Result<Self, LoadError> {
        let refused = |error| refusal(&name, error);
        let handle = file.try_clone().map_err(refused)?;
        let head = head_of(FromStart { file, offset: 0 }).map_err(refused)?;
        let packing = if magic::is_gzip(&head) {
            Packing::Gzip
        } else if magic::is_zip(&head) {
            let file = handle.try_clone().map_err(refused)?;
            LogArchive::find(file).map_or(Packing::Plain, Packing::Log)
        } else {
            Packing::Plain
        };
        let (counts_rows, notices) = (false, Vec::new());
        let identity = Identity::of(metadata);
        let mut found =
            Self { name, store, identity, packing, counts_rows, notices, census: OnceLock::new() };
        let (head, handle) = match found.packing {
            Packing::Plain => (head, handle),
            Packing::Log(_) => return Ok(found),
            Packing::Gzip => {
                // Damaged gzip is found, and said, when the content is read.
                let unpacked = found
                    .bytes(options)
                    .and_then(|(bytes, _)| head_of(bytes).map_err(|error| refusal(&found.name, error)));
                match unpacked {
                    Ok(head) if head.starts_with(b"PAR1") || head.starts_with(b"PK") => {
                        (head, found.unpacked(options)?)
                    }
                    _ => return Ok(found),
                }
            }
        };
        if let Some(binary) = Binary::told(&head, &handle) {
            let limit = found.decoded_limit(options);
            let Converted { text, notices } = converted(&found.name, &handle, binary, limit)?;
            let metadata = text.metadata().map_err(|error| refusal(&found.name, error))?;
            found.identity = Identity::of(&metadata);
            (found.store, found.packing, found.notices) = (Store::Spooled(text), Packing::Plain, notices);
            found.counts_rows = binary == Binary::Sheet;
        }
        Ok(found)
    }

    /// A copy of the file without its packing.
    fn unpacked(&self, options: &LoadOptions) -> Result<File, LoadError> {
        let failed = |error| LoadError::new(&self.name, "cannot be unpacked").source(error);
        let mut copy = tempfile::tempfile().map_err(failed)?;
        io::copy(&mut self.bytes(options)?.0, &mut copy).map_err(failed)?;
        Ok(copy)
    }

    /// The file as it was named.
    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// How the file is compressed.
    pub(super) fn packing(&self) -> &Packing {
        &self.packing
    }

    /// What stands around the records of a log, as its source text.
    pub(super) fn log_header(&self, options: &LoadOptions) -> Result<Option<String>, LoadError> {
        let Packing::Log(log) = &self.packing else { return Ok(None) };
        let file = self.file().map_err(|error| refusal(&self.name, error))?;
        let header = log.header(&file, options.record_bytes_max as u64);
        let failed = |error| LoadError::new(&self.name, "the header of the log cannot be read").source(error);
        header.map(Some).map_err(failed)
    }

    fn file(&self) -> io::Result<File> {
        match &self.store {
            Store::Path(path) => File::open(path),
            Store::Spooled(spooled) => spooled.try_clone(),
        }
    }

    /// Opens the file at its beginning.
    pub(super) fn open(&self, options: &LoadOptions) -> Result<OpenSource, LoadError> {
        let (mut reader, handle) = self.bytes(options)?;
        let mut head = Vec::new();
        let read = reader.by_ref().take(magic::HEAD_BYTES as u64).read_to_end(&mut head);
        let encoding = options.encoding.unwrap_or_else(|| encoding::marked(&head));
        let encoding = self.census.get().map_or(encoding, |(encoding, _)| *encoding);
        let whole = Cursor::new(head).chain(Failing(read.err())).chain(reader);
        let reader: Box<dyn Read + Send> = match encoding {
            Encoding::Utf8 => Box::new(Filled(whole)),
            _ => Box::new(Filled(Decoded::new(whole, encoding))),
        };
        let input = Input::new(Arc::clone(&self.name), reader);
        let opened = OpenSource { input, encoding, handle, identity: self.identity.clone() };
        opened.check().map(|()| opened)
    }

    /// Opens the file as the table that it is: one that is not UTF-8 may be what Excel writes.
    pub(super) fn open_table(
        &self,
        options: &LoadOptions,
        opened: OpenSource,
    ) -> Result<OpenSource, LoadError> {
        if opened.encoding != Encoding::Utf8 || options.encoding.is_some() || self.census.get().is_some() {
            return Ok(opened);
        }
        let (mut reader, _) = self.bytes(options)?;
        let (mut census, mut buffer) = (Census::default(), vec![0; 64 << 10]);
        // What cannot be read is found again, and said, when the content is read.
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            census.add(&buffer[..n]);
        }
        match self.census.get_or_init(|| census.encoding()).0 {
            Encoding::Utf8 => Ok(opened),
            _ => self.open(options),
        }
    }

    /// What is worth saying about the encoding.
    pub(super) fn encoding_notice(&self, opened: &OpenSource) -> Option<String> {
        let name = opened.encoding.name();
        match self.census.get() {
            Some((Encoding::Windows1252, Some(at))) => {
                Some(format!("read as {name}: byte {at} is no UTF-8 (--encoding says what it is)"))
            }
            _ if opened.encoding == Encoding::Utf8 => None,
            _ => Some(format!("read as {name}")),
        }
    }

    /// The unpacked bytes from the beginning, and the handle they are read by.
    fn bytes(&self, options: &LoadOptions) -> Result<(Box<dyn Read + Send>, File), LoadError> {
        let file = self.file().map_err(|error| refusal(&self.name, error))?;
        let handle = file.try_clone().map_err(|error| refusal(&self.name, error))?;
        let limit = self.decoded_limit(options);
        let reader: Box<dyn Read + Send> = match &self.packing {
            Packing::Plain => Box::new(FromStart { file, offset: 0 }),
            Packing::Gzip => {
                let inner = MultiGzDecoder::new(io::BufReader::new(FromStart { file, offset: 0 }));
                Box::new(Bounded { inner, decoded: 0, limit })
            }
            Packing::Log(log) => Box::new(Bounded { inner: log.samples(file), decoded: 0, limit }),
        };
        Ok((reader, handle))
    }

    fn decoded_limit(&self, options: &LoadOptions) -> u64 {
        let by_ratio = self.identity.bytes.saturating_mul(options.decode_ratio_max).max(RATIO_FREE_BYTES);
        by_ratio.min(options.decoded_bytes_max)
    }
}

/// The first bytes of a file.
fn head_of(bytes: impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    bytes.take(magic::HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// The error for a file that is not what it was.
pub(super) fn changed(name: &Arc<str>) -> LoadError {
    LoadError::new(name, "the file changed while it was in use")
        .hint("wait until it is written completely, then run the same command again")
}

/// Says why a file cannot be opened, one message per cause.
pub(super) fn refusal(name: &Arc<str>, error: io::Error) -> LoadError {
    let message = if is_link_loop(&error) {
        "the symbolic links to this file form a loop"
    } else {
        match error.kind() {
            io::ErrorKind::NotFound => "there is no such file",
            io::ErrorKind::PermissionDenied => "no permission to read this file",
            io::ErrorKind::NotADirectory => "a part of the path is a file, expected a directory",
            _ => "cannot be opened",
        }
    };
    LoadError::new(name, message).source(error)
}

/// A reader that fails once, or has nothing.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Refuses to decode more than `limit` bytes, so that a small file cannot fill the machine.
struct Bounded<R> {
    inner: R,
    decoded: u64,
    limit: u64,
}

/// More bytes came out of a packed file than its size allows.
#[derive(Debug, thiserror::Error)]
#[error("unpacks to more than {limit} bytes")]
pub(super) struct OverLimit {
    limit: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.decoded += n as u64;
        if self.decoded > self.limit {
            return Err(io::Error::other(OverLimit { limit: self.limit }));
        }
        Ok(n)
    }
}

/// Fills each buffer as far as there are bytes: the format is told by the first ones.
struct Filled<R>(R);

impl<R: Read> Read for Filled<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut n = 0;
        while n < buffer.len() {
            match self.0.read(&mut buffer[n..]) {
                Ok(0) => break,
                Ok(more) => n += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use rustix::io::Errno;

    use super::*;

    #[track_caller]
    fn check(error: io::Error, want: &str) {
        assert_eq!(refusal(&Arc::from("x.json"), error).to_string(), want);
    }

    #[test]
    fn d40_each_refusal_has_its_message() {
        check(io::ErrorKind::NotFound.into(), "x.json: there is no such file");
        check(io::ErrorKind::PermissionDenied.into(), "x.json: no permission to read this file");
        check(Errno::LOOP.into(), "x.json: the symbolic links to this file form a loop");
        check(Errno::NOTDIR.into(), "x.json: a part of the path is a file, expected a directory");
        check(Errno::IO.into(), "x.json: cannot be opened");
    }

    #[test]
    fn d40_a_stream_is_copied_once_and_read_twice() {
        let options = LoadOptions::default();
        let source = DataFile::spool(&Arc::from("-"), &b"abc"[..], &options).expect("spooled");
        for _ in 0..2 {
            let mut opened = source.open(&options).expect("opened");
            assert_eq!(opened.input.fill().expect("read"), b"abc");
        }
    }

    #[test]
    fn n17_an_endless_stream_ends_with_a_message() {
        let small = LoadOptions { stream_bytes_max: 2, ..LoadOptions::default() };
        let error = DataFile::spool(&Arc::from("-"), io::repeat(b'x'), &small).expect_err("too long");
        assert_eq!(error.to_string(), "-: the stream is longer than 2 bytes");
        assert_eq!(error.hint.as_deref(), Some("write it to a file first, and name that file"));
    }

    #[test]
    fn n17_a_stream_leaves_no_file_with_a_name() {
        let options = LoadOptions::default();
        let source = DataFile::spool(&Arc::from("-"), &b"abc"[..], &options).expect("spooled");
        let Store::Spooled(file) = &source.store else { panic!("a stream is copied") };
        assert_eq!(file.metadata().expect("metadata").nlink(), 0);
        let mut first = source.open(&options).expect("opened");
        assert_eq!(first.input.fill().expect("read"), b"abc");
        let mut second = source.open(&options).expect("opened while the first is read");
        assert_eq!(second.input.fill().expect("read"), b"abc");
    }
}
