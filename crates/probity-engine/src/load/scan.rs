//! The first pass over a data set: everything that can be wrong is found before anything is spent.
//!
//! Names are unique over all files: one reply per id and variant. The first pass keeps eight bytes per
//! record, a hash of its name. Only where a hash comes twice does a second pass read those records again
//! and tell a duplicate from a chance collision, and equal content from different content. After that no
//! pass has to remember names.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write as _;
use std::sync::Arc;

use probity_core::case::Slice;
use probity_core::packet::ByDigest;
use unicode_normalization::UnicodeNormalization;

use super::entry::Refused;
use super::kept::Keeping;
use super::pass::{Pass, Threads};
use super::source::Source;
use super::{Content, Dedup, Digest, LoadError, LoadOptions, Notice, Place, Record, Strictness};

/// More slices than this are probably not slices.
const SLICES_MAX: usize = 1_000;

/// What the first pass found.
pub(super) struct Scanned {
    /// The digest of each file.
    pub(super) file_digests: Vec<blake3::Hash>,
    pub(super) digest: Digest,
    pub(super) notices: Vec<Notice>,
    /// Records that repeat an earlier one, and the index of that one.
    pub(super) repeats: HashMap<usize, usize>,
    /// The records in groups, where they are kept.
    pub(super) kept: Option<Vec<Vec<Record>>>,
}

/// How a record's name becomes the number that is kept.
type NameHash = fn(&str) -> u64;

/// Reads all files once, and once more where a name may occur twice.
pub(super) fn scan(sources: &Arc<[Source]>, options: &LoadOptions) -> Result<Scanned, LoadError> {
    let pass = Pass::new(Arc::clone(sources), options.clone()).on(Threads::FOR_LARGE_FILES);
    scan_with(sources, options, pass, name_hash)
}

fn scan_with(
    sources: &Arc<[Source]>,
    options: &LoadOptions,
    mut pass: Pass,
    hash: NameHash,
) -> Result<Scanned, LoadError> {
    let mut names = Names::default();
    let mut slices = HashSet::new();
    let mut doubts = Doubts::default();
    let mut skips = Vec::new();
    let mut keeping = Keeping::new(options.keep);
    let (mut n_records, mut n_skipped) = (0, 0);
    while let Some((place, parsed)) = pass.next()? {
        n_records += 1;
        let content = Content::of(parsed.outcome, options.unanswered);
        if options.strict == Strictness::Strict {
            no_doubt(&place, content.as_ref().err(), &parsed.warnings)?;
        }
        doubts.add(&place, &parsed.warnings);
        match &content {
            Err(refused) => {
                n_skipped += 1;
                if n_skipped <= SKIPS_MAX {
                    skips.push(skip_notice(&place, refused));
                }
            }
            Ok(content) => {
                names.add(content, &place, hash);
                if slices.len() <= SLICES_MAX
                    && let Some(slice) =
                        content.case().slice.as_ref().filter(|slice| !slices.contains(*slice))
                {
                    slices.insert(slice.clone());
                }
            }
        }
        keeping.add(|| Record::of(place, content, parsed.warnings));
    }
    let repeats = match names.twice.len() {
        0 => HashMap::new(),
        _ => repeats(sources, options, &names.twice, hash)?,
    };
    let mut notices = pass.notices;
    notices.extend(doubts.notices());
    notices.extend(skips);
    if n_skipped > SKIPS_MAX {
        let message = format!("{} more records are skipped", n_skipped - SKIPS_MAX);
        notices.push(Notice { file: None, message });
    }
    notices.extend(names.look_alikes);
    notices.extend(dataset_notices(&slices, repeats.len()));
    let mut hasher = blake3::Hasher::new();
    for file in &pass.digests {
        hasher.update(file.as_bytes());
    }
    let digest = Digest {
        hex: hasher.finalize().to_hex().to_string(),
        n_records,
        n_skipped: n_skipped + repeats.len(),
        n_blank_lines: pass.n_blank_lines,
    };
    let kept = keeping.finish(&repeats);
    Ok(Scanned { file_digests: pass.digests, digest, notices, repeats, kept })
}

/// So many records that are skipped are worth a line each.
const SKIPS_MAX: usize = 20;

fn skip_notice(place: &Place, refused: &Refused) -> Notice {
    let message = format!("line {}: record {} is skipped: {}", place.line, place.index, refused.reason.text);
    Notice { file: Some(Arc::clone(&place.file)), message }
}

/// Turns the first bad or doubtful record into an error.
pub(super) fn no_doubt(
    place: &Place,
    refused: Option<&Refused>,
    warnings: &[String],
) -> Result<(), LoadError> {
    let reason = refused.map(|refused| &refused.reason.text).or(warnings.first());
    match reason {
        None => Ok(()),
        Some(reason) => {
            let message = format!("record {}: {reason}", place.index);
            Err(LoadError::new(&place.file, message).line(place.line))
        }
    }
}

/// Doubts about records, each kept once with its first place.
#[derive(Default)]
pub(super) struct Doubts(BTreeMap<String, (Place, usize)>);

/// So many different doubts are worth a line each.
const DOUBTS_MAX: usize = 20;

impl Doubts {
    pub(super) fn add(&mut self, place: &Place, warnings: &[String]) {
        for warning in warnings {
            if let Some((_, n)) = self.0.get_mut(warning) {
                *n += 1;
            } else if self.0.len() < DOUBTS_MAX {
                self.0.insert(warning.clone(), (place.clone(), 1));
            }
        }
    }

    pub(super) fn notices(self) -> impl Iterator<Item = Notice> {
        self.0.into_iter().map(|(warning, (place, n))| {
            let more = if n > 1 { format!(" (in {n} records)") } else { String::new() };
            let message = format!("line {}: {warning}{more}", place.line);
            Notice { file: Some(place.file), message }
        })
    }
}

fn dataset_notices(slices: &HashSet<Slice>, n_repeats: usize) -> Vec<Notice> {
    let mut notices = Vec::new();
    if slices.len() > SLICES_MAX {
        let message = format!("more than {SLICES_MAX} distinct slices: figures per slice will say little");
        notices.push(Notice { file: None, message });
    }
    if n_repeats > 0 {
        let message = format!("skipped because they repeat an earlier record in every field: {n_repeats}");
        notices.push(Notice { file: None, message });
    }
    notices
}

/// The names seen in the first pass, as hashes.
#[derive(Default)]
struct Names {
    seen: HashSet<u64, ByDigest>,
    /// Hashes that came more than once.
    twice: HashSet<u64, ByDigest>,
    /// Names that are not ASCII: the hash of their composed form, and the hash and index of the first.
    composed: HashMap<u64, (u64, usize)>,
    look_alikes: Vec<Notice>,
    /// The name that is being looked at. Its memory is used again.
    name: String,
}

/// So many pairs of look-alike names are worth a line each.
const LOOK_ALIKES_MAX: usize = 20;

impl Names {
    fn add(&mut self, content: &Content, place: &Place, hash: NameHash) {
        content.write_name(&mut self.name);
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
            let message = format!(
                "line {}: the id of record {} looks like that of record {index} but is composed of other \
                 characters: possibly a duplicate",
                place.line, place.index
            );
            self.look_alikes.push(Notice { file: Some(Arc::clone(&place.file)), message });
        }
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
    sources: &Arc<[Source]>,
    options: &LoadOptions,
    twice: &HashSet<u64, ByDigest>,
    hash: NameHash,
) -> Result<HashMap<usize, usize>, LoadError> {
    let mut firsts: HashMap<String, First> = HashMap::new();
    let mut repeats = HashMap::new();
    let mut pass = Pass::new(Arc::clone(sources), options.clone());
    let mut name = String::new();
    while let Some((place, parsed)) = pass.next()? {
        let Ok(record) = Content::of(parsed.outcome, options.unanswered) else { continue };
        record.write_name(&mut name);
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
    let variant = match record {
        Content::Entry(entry) => entry.reply.variant.as_ref(),
        Content::Unanswered { .. } => None,
    };
    let variant = variant.map_or(String::new(), |variant| format!(" of variant '{}'", variant.as_str()));
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
        "an id names one reply per variant, over all files"
    };
    LoadError::new(&place.file, message).line(place.line).hint(hint)
}

#[cfg(test)]
mod tests {
    use probity_core::case::CaseId;

    use super::*;

    fn sources(text: &str, options: &LoadOptions) -> Arc<[Source]> {
        let source = Source::spool(&Arc::from("-"), text.as_bytes(), options).expect("spooled");
        Arc::from([source])
    }

    #[test]
    fn d11_names_that_only_share_a_hash_are_not_duplicates() {
        let options = LoadOptions::default();
        let line = |id: &str| format!("{{\"id\":\"{id}\",\"ticket\":\"t\",\"reply\":\"r\"}}\n");
        let scan = |sources: &Arc<[Source]>| {
            let pass = Pass::new(Arc::clone(sources), options.clone());
            scan_with(sources, &options, pass, |_| 7)
        };
        let different = sources(&(line("a") + &line("b") + &line("c")), &options);
        assert!(scan(&different).expect("no duplicate").repeats.is_empty());
        let twice = sources(&(line("a") + &line("b") + &line("a")), &options);
        let error = scan(&twice).err().expect("a duplicate");
        assert_eq!(error.line, Some(3));
    }

    #[test]
    fn d11_a_name_costs_few_bytes() {
        let options = LoadOptions::default();
        let sources = sources("{\"id\":\"a\",\"ticket\":\"t\",\"reply\":\"r\"}", &options);
        let (place, parsed) = Pass::new(sources, options).next().expect("read").expect("a record");
        let mut entry = parsed.outcome.ok().expect("an entry");
        let mut names = Names::default();
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
