//! A file of notes that many threads add to at once.
//!
//! Whoever adds a note takes the next place and writes there, and nobody waits while another one writes. A process that
//! dies meanwhile leaves a gap or half a note between others. So each note begins with a stamp, which is drawn for the
//! file and which nobody who sends an answer can know, and a reader goes from stamp to stamp. A note counts if its check
//! holds.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::lock::beside;
use super::private;

/// How the file begins; the number of the store's opening and the stamp follow.
const MAGIC: &[u8; 16] = b"probity calls 2\n";

/// How files began whose notes had no stamp and stood without gaps; the number of the store's opening follows.
const MAGIC_WITHOUT_STAMPS: &[u8; 16] = b"probity calls 1\n";

const STAMP_BYTES: usize = 8;

const HEADER_BYTES: usize = MAGIC.len() + size_of::<i64>() + STAMP_BYTES;

/// What stands between a stamp and its note: the lengths of the note's two parts, and the check of both.
const FRAME_BYTES: usize = 12;

/// What each note of a file begins with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamp([u8; STAMP_BYTES]);

impl Stamp {
    pub(super) fn drawn() -> Stamp {
        Stamp(rand::random())
    }
}

/// Where a note stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    begin: u64,
    pub(super) n_bytes: u64,
}

/// A note as it stands in the file.
pub(super) struct Framed(Vec<u8>);

impl Framed {
    /// What `write` writes, and behind it the parts of `blob`.
    pub(super) fn new(stamp: Stamp, write: impl FnOnce(&mut Vec<u8>), blob: [&[u8]; 2]) -> Framed {
        const BEFORE: usize = STAMP_BYTES + FRAME_BYTES;
        let n_blob: usize = blob.iter().map(|part| part.len()).sum();
        let mut frame = Vec::with_capacity(BEFORE + 512 + n_blob);
        frame.extend(stamp.0);
        frame.resize(BEFORE, 0);
        write(&mut frame);
        let n_note = frame.len() - BEFORE;
        for part in blob {
            frame.extend_from_slice(part);
        }
        let length =
            |n: usize| u32::try_from(n).expect("no packet or answer has four gigabytes").to_le_bytes();
        let (before, body) = frame.split_at_mut(BEFORE);
        let (lengths, checked) = before[STAMP_BYTES..].split_at_mut(8);
        lengths[..4].copy_from_slice(&length(n_note));
        lengths[4..].copy_from_slice(&length(n_blob));
        checked.copy_from_slice(&check(lengths, body));
        Framed(frame)
    }
}

/// A file of notes, for writing.
pub(super) struct NoteFile {
    file: File,
    /// Where the next note goes.
    end: AtomicU64,
}

impl NoteFile {
    /// A new file at `path` with nothing but its header.
    pub(super) fn new(path: &Path, openings: i64, stamp: Stamp) -> io::Result<NoteFile> {
        let file = private::options().read(true).write(true).create(true).truncate(true).open(path)?;
        let header = [MAGIC.as_slice(), &openings.to_le_bytes(), &stamp.0].concat();
        positioned::write_all(&file, &header, 0)?;
        Ok(NoteFile { file, end: AtomicU64::new(HEADER_BYTES as u64) })
    }

    /// How long it is, gaps included.
    pub(super) fn n_bytes(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    /// Writes a note to a place of its own.
    pub(super) fn add(&self, note: &Framed) -> io::Result<Place> {
        let n_bytes = note.0.len() as u64;
        let begin = self.end.fetch_add(n_bytes, Ordering::Relaxed);
        positioned::write_all(&self.file, &note.0, begin)?;
        Ok(Place { begin, n_bytes })
    }

    /// A new file in the place of this one at `path`, with the notes at `places`, which are then their places there.
    pub(super) fn with_only(
        &self,
        mut places: Vec<&mut Place>,
        path: &Path,
        (openings, stamp): (i64, Stamp),
    ) -> io::Result<NoteFile> {
        places.sort_unstable();
        let new_path = beside(path, ".new");
        let new = NoteFile::new(&new_path, openings, stamp)?;
        let (mut note, mut begins) = (Vec::new(), Vec::with_capacity(places.len()));
        for place in &places {
            note.resize(usize::try_from(place.n_bytes).map_err(io::Error::other)?, 0);
            positioned::read_exact(&self.file, &mut note, place.begin)?;
            let begin = new.end.fetch_add(place.n_bytes, Ordering::Relaxed);
            positioned::write_all(&new.file, &note, begin)?;
            begins.push(begin);
        }
        std::fs::rename(&new_path, path)?;
        places.into_iter().zip(begins).for_each(|(place, begin)| place.begin = begin);
        Ok(new)
    }
}

/// The content of such a file.
pub(super) struct Notes {
    bytes: Vec<u8>,
    /// Where they begin.
    begin: usize,
    /// Empty where they have none.
    stamp: Vec<u8>,
    /// The number of the store's opening that they belong to.
    pub(super) openings: i64,
}

impl Notes {
    /// What the file at `path` holds. `None` where it is another program's; an error where it cannot be read.
    pub(super) fn read(path: &Path) -> io::Result<Option<Notes>> {
        let mut bytes = Vec::new();
        File::open(path)?.read_to_end(&mut bytes)?;
        let is_known = |magic: &[u8]| bytes.starts_with(magic);
        let n_stamp = match () {
            () if is_known(MAGIC) => STAMP_BYTES,
            () if is_known(MAGIC_WITHOUT_STAMPS) => 0,
            // Whoever made it died before anything else.
            () if [MAGIC, MAGIC_WITHOUT_STAMPS].iter().any(|magic| magic.starts_with(&bytes)) => {
                return Ok(Some(Notes::nothing()));
            }
            () => return Ok(None),
        };
        let header = bytes[MAGIC.len()..].split_at_checked(size_of::<i64>());
        let Some((number, stamp)) = header.filter(|(_, rest)| rest.len() >= n_stamp) else {
            return Ok(Some(Notes::nothing()));
        };
        let openings = i64::from_le_bytes(number.try_into().expect("as many bytes as a number has"));
        let (stamp, begin) = (stamp[..n_stamp].to_vec(), MAGIC.len() + size_of::<i64>() + n_stamp);
        Ok(Some(Notes { bytes, begin, stamp, openings }))
    }

    fn nothing() -> Notes {
        Notes { bytes: Vec::new(), begin: 0, stamp: Vec::new(), openings: 0 }
    }

    /// Each whole note with its blob, in the order of their places.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut rest = &self.bytes[self.begin..];
        std::iter::from_fn(move || {
            loop {
                let framed = self.after_stamp(rest)?;
                match whole(framed) {
                    Some((note, blob, behind)) => {
                        rest = behind;
                        return Some((note, blob));
                    }
                    // Nothing says where another one begins.
                    None if self.stamp.is_empty() => return None,
                    None => rest = framed,
                }
            }
        })
    }

    /// What follows the next stamp.
    fn after_stamp<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        if let Some(rest) = bytes.strip_prefix(self.stamp.as_slice()) {
            return Some(rest);
        }
        let at = bytes.windows(self.stamp.len()).position(|bytes| bytes == self.stamp)?;
        Some(&bytes[at + self.stamp.len()..])
    }
}

/// The note behind a stamp, its blob and what follows. `None` where there is no whole one.
fn whole(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (frame, rest) = bytes.split_at_checked(FRAME_BYTES)?;
    let length = |at: usize| {
        let bytes = frame[at..at + 4].try_into().expect("four bytes");
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    let (n_note, n_blob) = (length(0)?, length(4)?);
    let (body, rest) = rest.split_at_checked(n_note.checked_add(n_blob)?)?;
    let is_whole = check(&frame[..8], body) == frame[8..];
    is_whole.then(|| (&body[..n_note], &body[n_note..], rest))
}

/// Tells a note that was cut short, damaged or never written from a whole one.
fn check(lengths: &[u8], body: &[u8]) -> [u8; 4] {
    let mut crc = flate2::Crc::new();
    crc.update(lengths);
    crc.update(body);
    crc.sum().to_le_bytes()
}

/// Reading and writing at a place, whoever else does so elsewhere in the file.
#[cfg(unix)]
mod positioned {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt;

    pub(super) fn write_all(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        file.write_all_at(bytes, at)
    }

    pub(super) fn read_exact(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
        file.read_exact_at(bytes, at)
    }
}

#[cfg(windows)]
mod positioned {
    use std::fs::File;
    use std::io;
    use std::os::windows::fs::FileExt;

    pub(super) fn write_all(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let n = file.seek_write(bytes, at)?;
            if n == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            (bytes, at) = (&bytes[n..], at + n as u64);
        }
        Ok(())
    }

    pub(super) fn read_exact(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let n = file.seek_read(bytes, at)?;
            if n == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            (bytes, at) = (&mut bytes[n..], at + n as u64);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Stamp = Stamp(*b"a stamp!");

    fn note(text: &str) -> Framed {
        Framed::new(STAMP, |note| note.extend_from_slice(text.as_bytes()), [b"", b"blob of "])
    }

    /// The notes that are found in a file of `pieces`.
    fn found(pieces: &[&[u8]]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes");
        let header = [MAGIC.as_slice(), &7_i64.to_le_bytes(), &STAMP.0].concat();
        std::fs::write(&path, [header, pieces.concat()].concat()).expect("written");
        let notes = Notes::read(&path).expect("it can be read").expect("it is ours");
        assert_eq!(notes.openings, 7);
        notes.iter().map(|(note, _)| String::from_utf8_lossy(note).into_owned()).collect()
    }

    #[test]
    fn whole_notes_are_found_behind_gaps_and_halves() {
        let [one, two] = [note("one"), note("two")];
        let zeros = [0; 40];
        assert_eq!(found(&[&one.0, &two.0]), ["one", "two"]);
        assert_eq!(found(&[&zeros[..note("three").0.len()], &one.0, &zeros, &two.0, &zeros]), ["one", "two"]);
        for cut in 0..one.0.len() {
            assert_eq!(found(&[&one.0[..cut], &two.0]), ["two"], "cut at {cut}");
            assert_eq!(found(&[&two.0, &one.0[..cut]]), ["two"], "cut at {cut}");
        }
        for at in 0..one.0.len() {
            let mut flipped = one.0.clone();
            flipped[at] ^= 4;
            assert_eq!(found(&[&flipped, &two.0]), ["two"], "flipped at {at}");
        }
    }

    #[test]
    fn a_note_inside_an_answer_is_none_without_the_stamp() {
        let forged = Framed::new(Stamp([0; STAMP_BYTES]), |note| note.extend(b"forged"), [b"", b""]);
        let half = Framed::new(STAMP, |note| note.extend(b"half"), [&forged.0, &forged.0]);
        assert_eq!(found(&[&half.0[..half.0.len() - 1], &note("one").0]), ["one"]);
    }

    #[test]
    fn threads_add_at_once_and_copies_keep_what_they_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes");
        let file = NoteFile::new(&path, 3, STAMP).expect("a file");
        let add = |n: u32| file.add(&note(&n.to_string())).expect("added");
        let mut places: Vec<(u32, Place)> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|thread| {
                    scope.spawn(move || (0..50).map(|n| (50 * thread + n, add(50 * thread + n))).collect())
                })
                .collect();
            threads.into_iter().flat_map(|thread| -> Vec<_> { thread.join().expect("no panic") }).collect()
        });
        let read = || {
            let notes = Notes::read(&path).expect("it can be read").expect("it is ours");
            let mut numbers: Vec<u32> = notes
                .iter()
                .map(|(note, _)| String::from_utf8_lossy(note).parse().expect("a number"))
                .collect();
            numbers.sort_unstable();
            numbers
        };
        assert_eq!(read(), (0..200).collect::<Vec<_>>());
        places.retain(|(n, _)| n % 3 == 0);
        let kept = places.iter_mut().map(|(_, place)| place).collect();
        let smaller = file.with_only(kept, &path, (3, STAMP)).expect("copied");
        smaller.add(&note("200")).expect("added");
        assert_eq!(read(), (0..=200).filter(|n| n % 3 == 0 || *n == 200).collect::<Vec<_>>());
    }

    #[test]
    fn notes_without_stamps_are_read_up_to_the_first_that_is_not_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes");
        let [one, two, three] = ["one", "two", "three"].map(|text| note(text).0[STAMP_BYTES..].to_vec());
        let header = [MAGIC_WITHOUT_STAMPS.as_slice(), &5_i64.to_le_bytes()].concat();
        std::fs::write(&path, [header, one, two, three[1..].to_vec()].concat()).expect("written");
        let notes = Notes::read(&path).expect("it can be read").expect("it is ours");
        let texts: Vec<_> = notes.iter().map(|(note, _)| note.to_vec()).collect();
        assert_eq!((notes.openings, texts), (5, vec![b"one".to_vec(), b"two".to_vec()]));
    }

    #[test]
    fn a_header_that_was_cut_short_has_no_notes_and_another_file_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notes");
        let header = [MAGIC.as_slice(), &5_i64.to_le_bytes(), &STAMP.0].concat();
        let earlier = [MAGIC_WITHOUT_STAMPS.as_slice(), &5_i64.to_le_bytes()].concat();
        let cuts = [&header, &earlier].map(|header| (0..=header.len()).map(|cut| &header[..cut]));
        for cut in cuts.into_iter().flatten() {
            std::fs::write(&path, cut).expect("written");
            let notes = Notes::read(&path).expect("it can be read").expect("it is ours");
            assert_eq!(notes.iter().count(), 0, "{cut:?}");
        }
        std::fs::write(&path, "something else").expect("written");
        assert!(Notes::read(&path).expect("it can be read").is_none());
    }
}
