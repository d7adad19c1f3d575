//! What files say about the records of other files, or of other lines: comments of a ticket, scores of a trace, the
//! span above a span.
//!
//! Pieces are written to a temporary file without a name when the data set is opened, and looked up by their key when
//! the record that they belong to is read. Memory holds about fifty bytes for each of them, however long it is.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Write as _};

use probity_core::json::{self, Json};

use crate::platform::read_exact_at;

/// Pieces by key, in the order in which they were added.
#[derive(Debug, Default)]
pub(in crate::input) struct Pieces {
    file: Option<File>,
    places: HashMap<u64, Vec<PieceExtent>>,
    agents: HashSet<String>,
}

/// Where a piece stands in the file.
#[derive(Debug, Clone, Copy)]
struct PieceExtent {
    offset: u64,
    n_bytes: usize,
}

/// Pieces that are being gathered.
pub(in crate::input) struct Gathering {
    file: BufWriter<File>,
    places: HashMap<u64, Vec<PieceExtent>>,
    /// Hashes of what was added: pages of an export may overlap.
    seen: HashSet<u64>,
    /// The mail addresses of agents, in lower case.
    agents: HashSet<String>,
    n_bytes: u64,
    n_bytes_max: u64,
}

impl Pieces {
    /// The pieces of `key`. What cannot be read is not there; the file is this process's own.
    pub(super) fn of(&self, key: &str) -> Vec<Json> {
        let Some((file, places)) = self.file.as_ref().zip(self.places.get(&hash(key))) else {
            return Vec::new();
        };
        places.iter().filter_map(|place| read(file, *place, key)).collect()
    }

    /// The mail addresses that are known to be agents', in lower case.
    pub(super) fn agents(&self) -> &HashSet<String> {
        &self.agents
    }

    /// The first piece of `key`.
    pub(super) fn first(&self, key: &str) -> Option<Json> {
        let place = *self.places.get(&hash(key))?.first()?;
        read(self.file.as_ref()?, place, key)
    }
}

/// Reads one piece; `None` where it only shares the hash of its key.
fn read(file: &File, place: PieceExtent, key: &str) -> Option<Json> {
    let mut bytes = vec![0; place.n_bytes];
    read_exact_at(file, &mut bytes, place.offset).ok()?;
    let text = std::str::from_utf8(&bytes).ok()?;
    json::parse(text.strip_prefix(key)?.strip_prefix('\n')?).ok()
}

impl Gathering {
    /// Room for at most `n_bytes_max` bytes of pieces.
    pub(in crate::input) fn new(n_bytes_max: u64) -> io::Result<Self> {
        let file = BufWriter::new(tempfile::tempfile()?);
        let (places, seen, agents) = (HashMap::new(), HashSet::new(), HashSet::new());
        Ok(Gathering { file, places, seen, agents, n_bytes: 0, n_bytes_max })
    }

    /// Notes the mail address of an agent.
    pub(super) fn note_agent(&mut self, address: &str) {
        self.agents.insert(address.to_lowercase());
    }

    /// Adds a piece, unless the same is there already.
    pub(super) fn add(&mut self, key: &str, piece: &Json) -> io::Result<()> {
        let text = format!("{key}\n{}", piece.canonical());
        if !self.seen.insert(hash(&text)) {
            return Ok(());
        }
        let n_bytes = text.len();
        if self.n_bytes + n_bytes as u64 > self.n_bytes_max {
            return Err(io::Error::other(format!("more than {} bytes of joined records", self.n_bytes_max)));
        }
        self.file.write_all(text.as_bytes())?;
        self.places.entry(hash(key)).or_default().push(PieceExtent { offset: self.n_bytes, n_bytes });
        self.n_bytes += n_bytes as u64;
        Ok(())
    }

    /// The pieces, to be looked up.
    pub(in crate::input) fn finish(self) -> io::Result<Pieces> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Pieces { file: Some(file), places: self.places, agents: self.agents })
    }
}

fn hash(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    u64::from_le_bytes(*hash.as_bytes().first_chunk().expect("the hash has 32 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_found_by_their_key_in_order_and_once() {
        let mut gathering = Gathering::new(100).expect("a temporary file");
        for (key, piece) in [("a", "1.0"), ("b", "2"), ("a", "3"), ("a", "1.0")] {
            gathering.add(key, &json::parse(piece).expect("JSON")).expect("room");
        }
        assert!(gathering.add("c", &Json::text("x".repeat(100))).is_err());
        let pieces = gathering.finish().expect("written");
        let texts = |key: &str| pieces.of(key).iter().map(Json::canonical).collect::<Vec<_>>();
        assert_eq!(texts("a"), ["1.0", "3"]);
        assert_eq!(texts("c"), [""; 0]);
        assert_eq!(pieces.first("b").map(|piece| piece.canonical()).as_deref(), Some("2"));
    }
}
