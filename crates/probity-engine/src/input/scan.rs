//! The first pass over a data set: everything that can be wrong is found before anything is spent.
//!
//! Names are unique over all files: one reply per id and variant. The first pass keeps eight bytes per
//! record, a hash of its name. Only where a hash comes twice does a second pass read those records again
//! and tell a duplicate from a chance collision, and equal content from different content. After that no
//! pass has to remember names.

use probity_core::spelling::counted;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write as _;
use std::sync::Arc;

use probity_core::case::{EVIDENCE_BYTES_MAX, Slice};
use probity_core::json::Json;
use unicode_normalization::UnicodeNormalization;

use super::entry::Content;
use super::foreign::{Pieces, Withheld, is_desk, public_frame};
use super::pass::{Item, Pass, SLICES_MAX};
use super::reader::Parsed;
use super::{Dedup, Digest, LoadError, LoadOptions, Place, Sources, Strictness};

/// What the first pass found.
#[derive(Debug)]
pub(super) struct Scanned {
    /// The digest of each file.
    pub(super) file_digests: Vec<blake3::Hash>,
    /// What is public of what stands around the records of each file.
    pub(super) frames: Vec<Json>,
    /// The private part of that.
    pub(super) withheld: Withheld,
    /// Whether some records belong to cases elsewhere.
    pub(super) has_beside: bool,
    pub(super) digest: Digest,
    pub(super) notices: Vec<String>,
    /// Records that repeat an earlier one, and the index of that one.
    pub(super) repeats: HashMap<usize, usize>,
}

/// Hashes a record's name to the number that is kept.
type NameHash = fn(&str) -> u64;

/// Reads all files once, and a second time if a name may occur twice.
pub(super) fn scan(sources: &Arc<Sources>, options: &LoadOptions) -> Result<Scanned, LoadError> {
    scan_with(sources, options, name_hash)
}

fn scan_with(sources: &Arc<Sources>, options: &LoadOptions, hash: NameHash) -> Result<Scanned, LoadError> {
    let mut pass = Pass::begin(sources, options)?;
    let mut names = SeenNames::default();
    let mut slices = HashSet::new();
    let mut doubts = Doubts::new(options.strict);
    let mut skips = Vec::new();
    let (mut n_records, mut n_skipped, mut n_cut) = (0, 0, 0);
    while let Some(Item { place, parsed, .. }) = pass.next()? {
        n_records += 1;
        doubts.add(&place, &parsed)?;
        match &parsed.outcome {
            Err(refused) => {
                n_skipped += 1;
                if n_skipped <= SKIPS_MAX {
                    let Place { index, file, line } = &place;
                    let reason = &refused.reason.text;
                    skips.push(format!("{file}: line {line}: record {index} is skipped: {reason}"));
                }
            }
            Ok(content) => {
                names.add(content, &place, hash);
                n_cut += usize::from(content.case().evidence.n_bytes() > EVIDENCE_BYTES_MAX);
                if slices.len() <= SLICES_MAX
                    && let Some(slice) =
                        content.case().slice.as_ref().filter(|slice| !slices.contains(*slice))
                {
                    slices.insert(slice.clone());
                }
            }
        }
    }
    if let Some(error) = pass.empty_part_error() {
        return Err(error);
    }
    let repeats = match names.twice.len() {
        0 => HashMap::new(),
        _ => repeats(sources, options, &names.twice, hash)?,
    };
    let mut notices = pass.notices;
    if pass.n_left_out > 0 {
        notices.push(format!("records left out by --slice or --only: {}", pass.n_left_out));
    }
    if n_cut > 0 {
        let kib = EVIDENCE_BYTES_MAX >> 10;
        notices.push(format!(
            "evidence longer than {kib} KiB is cut where it is shown: in {}",
            counted(n_cut, "record")
        ));
    }
    notices.extend(doubts.notices());
    notices.extend(skips);
    if n_skipped > SKIPS_MAX {
        notices.push(format!("{} more records are skipped", n_skipped - SKIPS_MAX));
    }
    notices.extend(names.look_alikes);
    notices.extend(dataset_notices(&slices, repeats.len()));
    let mut hasher = blake3::Hasher::new();
    for file in &pass.digests {
        hasher.update(file.as_bytes());
    }
    hasher.update(options.content().as_bytes());
    let digest = Digest {
        hex: hasher.finalize().to_hex().to_string(),
        n_records,
        n_skipped: n_skipped + repeats.len(),
        n_blank_lines: pass.n_blank_lines,
    };
    let Pass { digests: file_digests, frames, has_beside, .. } = pass;
    let (frames, withheld) = public_frames(frames, &sources.pieces);
    Ok(Scanned { file_digests, frames, withheld, has_beside, digest, notices, repeats })
}

/// The frames that are kept, and what of them is not: those of known tools, and what is public of a help desk's. A page
/// without a record is one of the help desk that wrote the others.
fn public_frames(frames: Vec<(Option<&'static str>, Json)>, pieces: &Pieces) -> (Vec<Json>, Withheld) {
    let mut withheld = Withheld::default();
    let desk = frames.iter().find_map(|(tool, _)| tool.filter(|tool| is_desk(tool)));
    let public = frames.into_iter().map(|(tool, frame)| match tool.or(desk) {
        Some(desk) if is_desk(desk) => {
            let (public, left_out) = public_frame(desk, &frame, pieces);
            withheld.merge(&left_out);
            public
        }
        Some(_) => frame,
        None => Json::Null,
    });
    let public = public.collect();
    (public, withheld)
}

/// So many records that are skipped are worth a line each.
const SKIPS_MAX: usize = 20;

/// Doubts about records, each kept once with its first place.
pub(super) struct Doubts {
    strict: Strictness,
    kept: BTreeMap<String, (Place, usize)>,
}

/// So many different doubts are worth a line each.
const DOUBTS_MAX: usize = 20;

impl Doubts {
    pub(super) fn new(strict: Strictness) -> Self {
        Doubts { strict, kept: BTreeMap::new() }
    }

    /// Adds the doubts about one record. Where records are read strictly, the first bad or doubtful one is an error.
    pub(super) fn add<T>(&mut self, place: &Place, parsed: &Parsed<T>) -> Result<(), LoadError> {
        let refused = parsed.outcome.as_ref().err().map(|refused| &refused.reason.text);
        if let (Strictness::Strict, Some(reason)) = (self.strict, refused.or(parsed.warnings.first())) {
            let message = format!("record {}: {reason}", place.index);
            return Err(LoadError::new(&place.file, message).line(place.line));
        }
        for warning in &parsed.warnings {
            if let Some((_, n)) = self.kept.get_mut(warning) {
                *n += 1;
            } else if self.kept.len() < DOUBTS_MAX {
                self.kept.insert(warning.clone(), (place.clone(), 1));
            }
        }
        Ok(())
    }

    pub(super) fn notices(self) -> impl Iterator<Item = String> {
        self.kept.into_iter().map(|(warning, (Place { file, line, .. }, n))| {
            let more = if n > 1 { format!(" (in {n} records)") } else { String::new() };
            format!("{file}: line {line}: {warning}{more}")
        })
    }
}

fn dataset_notices(slices: &HashSet<Slice>, n_repeats: usize) -> Vec<String> {
    let mut notices = Vec::new();
    if slices.len() > SLICES_MAX {
        notices.push(format!("more than {SLICES_MAX} distinct slices: figures per slice will say little"));
    }
    if n_repeats > 0 {
        notices.push(format!("skipped because they repeat an earlier record in every field: {n_repeats}"));
    }
    notices
}

/// The names seen in the first pass, as hashes.
#[derive(Default)]
struct SeenNames {
    seen: HashSet<u64>,
    /// Hashes that came more than once.
    twice: HashSet<u64>,
    /// Names that are not ASCII: the hash of their composed form, and the hash and index of the first.
    composed: HashMap<u64, (u64, usize)>,
    look_alikes: Vec<String>,
    /// The name that is being looked at. Its memory is used again.
    name: String,
}

/// So many pairs of look-alike names are worth a line each.
const LOOK_ALIKES_MAX: usize = 20;

impl SeenNames {
    fn add(&mut self, content: &Content, place: &Place, hash: NameHash) {
        write_name(content, &mut self.name);
        let name = self.name.as_str();
        let hashed = hash(name);
        if !self.seen.insert(hashed) {
            self.twice.insert(hashed);
        }
        if name.is_ascii() {
            return;
        }
        let composed = hash(&name.nfc().collect::<String>());
        let (first, index) = *self.composed.entry(composed).or_insert((hashed, place.index));
        if first != hashed && self.look_alikes.len() < LOOK_ALIKES_MAX {
            self.look_alikes.push(format!(
                "{}: line {}: the id of record {} looks like that of record {index} but is composed of other \
                 characters: possibly a duplicate",
                place.file, place.line, place.index
            ));
        }
    }
}

/// Writes what must be unique into `name`. Neither part can contain a line feed.
fn write_name(content: &Content, name: &mut String) {
    name.clear();
    for part in [content.case().id.as_str(), "\n", content.variant().map_or("", |variant| variant.as_str())] {
        name.push_str(part);
    }
}

fn name_hash(name: &str) -> u64 {
    let hash = blake3::hash(name.as_bytes());
    let first = hash.as_bytes().first_chunk().expect("the hash has 32 bytes");
    u64::from_le_bytes(*first)
}

/// The content of a record as a number that is compared within one load and never stored.
fn digest(content: &Content) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    write!(hasher, "{content:?}").expect("hashing does not fail");
    hasher.finalize()
}

/// The first record of a name.
struct First {
    place: Place,
    content: blake3::Hash,
}

/// Reads the records whose names may occur twice again, and finds those that repeat an earlier one.
fn repeats(
    sources: &Arc<Sources>,
    options: &LoadOptions,
    twice: &HashSet<u64>,
    hash: NameHash,
) -> Result<HashMap<usize, usize>, LoadError> {
    let mut firsts: HashMap<String, First> = HashMap::new();
    let mut repeats = HashMap::new();
    let mut pass = Pass::begin(sources, options)?;
    let mut name = String::new();
    while let Some(Item { place, parsed, .. }) = pass.next()? {
        let Ok(record) = parsed.outcome else { continue };
        write_name(&record, &mut name);
        if !twice.contains(&hash(&name)) {
            continue;
        }
        let content = digest(&record);
        match firsts.get(&name) {
            None => {
                firsts.insert(name.clone(), First { place, content });
            }
            Some(first) if first.content == content && options.dedup == Dedup::Identical => {
                repeats.insert(place.index, first.place.index);
            }
            Some(first) => return Err(duplicate(&record, &place, first, first.content == content)),
        }
    }
    Ok(repeats)
}

fn duplicate(record: &Content, place: &Place, first: &First, same: bool) -> LoadError {
    let variant =
        record.variant().map_or(String::new(), |variant| format!(" of variant '{}'", variant.as_str()));
    let content = if same { "the same" } else { "different" };
    let message = format!(
        "record {} has the id '{}'{variant} that record {} at {}:{} has, with {content} content",
        place.index,
        record.case().id,
        first.place.index,
        first.place.file,
        first.place.line
    );
    let hint = if same {
        "remove one, or ask for identical records to be skipped with --dedup=identical"
    } else {
        "an id names one reply per variant, over all files; --map variant=COLUMN says what tells replies apart"
    };
    LoadError::new(&place.file, message).line(place.line).hint(hint)
}

#[cfg(test)]
mod tests {
    use probity_core::case::CaseId;

    use super::super::source::DataFile;
    use super::*;

    fn sources(text: &str, options: &LoadOptions) -> Arc<Sources> {
        let source = DataFile::spool(&Arc::from("-"), text.as_bytes(), options).expect("spooled");
        Arc::new(Sources { files: vec![source], pieces: Pieces::default() })
    }

    #[test]
    fn d11_names_that_only_share_a_hash_are_not_duplicates() {
        let options = LoadOptions::default();
        let line = |id: &str| format!("{{\"id\":\"{id}\",\"ticket\":\"t\",\"reply\":\"r\"}}\n");
        let scan = |sources: &Arc<Sources>| scan_with(sources, &options, |_| 7);
        let different = sources(&(line("a") + &line("b") + &line("c")), &options);
        assert!(scan(&different).expect("no duplicate").repeats.is_empty());
        let twice = sources(&(line("a") + &line("b") + &line("a")), &options);
        let error = scan(&twice).expect_err("a duplicate");
        assert_eq!(error.line, Some(3));
    }

    #[test]
    fn d11_a_name_costs_few_bytes() {
        let options = LoadOptions::default();
        let sources = sources("{\"id\":\"a\",\"ticket\":\"t\",\"reply\":\"r\"}", &options);
        let mut pass = Pass::begin(&sources, &options).expect("opened");
        let Item { place, parsed, .. } = pass.next().expect("read").expect("a record");
        let Ok(Content::Entry(mut entry)) = parsed.outcome else { panic!("expected an entry") };
        let mut names = SeenNames::default();
        let n_names = 60_000;
        for n in 0..n_names {
            entry.case.id = CaseId::new(n.to_string()).expect("an id");
            names.add(&Content::Entry(entry.clone()), &place, name_hash);
        }
        assert!(names.twice.is_empty() && names.composed.is_empty());
        // A slot holds the hash and one byte of control, and a table is at most 7/8 full.
        let slots = (names.seen.capacity() * 8).div_ceil(7);
        assert!(slots * 9 <= 24 * n_names, "{slots} slots");
    }
}
