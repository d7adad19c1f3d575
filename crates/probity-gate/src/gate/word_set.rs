//! Many fixed words, and which of them stand at a place of a text, whatever the case of their ASCII letters.
//!
//! Words that start alike are kept together, so that few are compared. Where to look is for
//! [`sieve`](super::sieve) and [`outline`](super::outline) to say.

use super::eight::{eight, fold, mask, spread};

/// How many bytes of a word say which others it is kept with.
const KEY_BYTES_MAX: usize = 3;

/// A set of words.
#[derive(Debug, Clone)]
pub(super) struct WordSet {
    words: Vec<Box<[u8]>>,
    /// How the words start: by bucket, then longest first.
    starts: Vec<Start>,
    /// Where the starts of each bucket begin, and behind the last where they end. A power of two and one.
    buckets: Vec<usize>,
    /// Which bytes from the start of a word say what bucket it is in.
    key_mask: u64,
}

/// The first bytes of a word, so that most are told apart without a look at the word.
#[derive(Debug, Clone, Copy)]
struct Start {
    bytes: u64,
    /// Which of eight bytes the word has.
    mask: u64,
    /// Of the word.
    number: usize,
}

impl WordSet {
    /// The set of `words`, none of them empty.
    pub(super) fn of<'w>(words: impl Iterator<Item = &'w [u8]>) -> Self {
        let words: Vec<Box<[u8]>> = words.map(Box::from).collect();
        let shortest = words.iter().map(|word| word.len()).min().unwrap_or(KEY_BYTES_MAX);
        let mut set = WordSet {
            starts: Vec::new(),
            buckets: vec![0; (words.len() * 4).next_power_of_two() + 1],
            key_mask: mask(shortest.min(KEY_BYTES_MAX)),
            words,
        };
        let mut starts: Vec<Start> = (0..set.words.len()).map(|number| set.start(number)).collect();
        starts
            .sort_by_key(|start| (set.bucket(start.bytes), std::cmp::Reverse(set.words[start.number].len())));
        for bucket in 0..set.buckets.len() {
            set.buckets[bucket] = starts.partition_point(|start| set.bucket(start.bytes) < bucket);
        }
        set.starts = starts;
        set
    }

    fn start(&self, number: usize) -> Start {
        let word = &self.words[number];
        let mask = mask(word.len().min(8));
        Start { bytes: fold(eight(word)) & mask, mask, number }
    }

    /// The words in the order of their numbers.
    pub(super) fn words(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.words.iter().map(AsRef::as_ref)
    }

    /// The longest word that starts at `at`, by its number, and how long it is. Of equal ones it is the first.
    pub(super) fn longest_at(&self, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
        let number = self.all_at(bytes, at).next()?;
        Some((number, self.words[number].len()))
    }

    /// All words that start at `at`, longest first.
    pub(super) fn all_at<'b>(&'b self, bytes: &'b [u8], at: usize) -> impl Iterator<Item = usize> + 'b {
        let rest = &bytes[at..];
        let near = fold(eight(rest));
        let bucket = self.bucket(near);
        let starts = self.starts[self.buckets[bucket]..self.buckets[bucket + 1]].iter();
        let here = starts.filter(move |start| {
            start.bytes == near & start.mask && {
                let word = &self.words[start.number];
                rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            }
        });
        here.map(|start| start.number)
    }

    /// The bucket of words that start with folded bytes like these.
    fn bucket(&self, folded: u64) -> usize {
        spread(folded & self.key_mask, u64::BITS - (self.buckets.len() - 1).trailing_zeros().max(1))
            % (self.buckets.len() - 1)
    }
}
