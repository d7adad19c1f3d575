//! One pass over a text that tells where the words of several families may start.
//!
//! A family is a set of words that one part of the gate looks for. What is looked for never starts inside a word or
//! a number, at a space or inside a character, so four of five places of a letter are passed over without a look; at
//! the others, the first bytes say which families have a word that starts like this. Most text is left behind by
//! that, and each family compares its words at the few places that are left.
//!
//! What always holds: where a word of a family starts at such a place, the outline has that place.

/// How many bytes are told together: one for each bit of a number.
const BLOCK: usize = 64;

/// How many bytes of a word are looked at.
const HEAD_BYTES: usize = 3;

/// How many places the table of heads has: enough that a thousand words leave it almost empty.
const HEADS_LOG2: u32 = 15;

/// How many families there are.
const FAMILIES: usize = 3;

/// Who looks for words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// What announces personal data.
    PersonalData,
    /// What a reply says to a grader.
    Signs,
    /// What a tenant forbids.
    Forbidden,
}

impl Family {
    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// What can follow a word that is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Anything.
    Open,
    /// No ASCII letter. Where one follows a short word, it may be passed over.
    Whole,
}

/// How the words of some families start.
#[derive(Debug, Clone)]
pub(super) struct Heads {
    /// By a hash of the first bytes, a bit for each family that has a word with such a head.
    table: Box<[u8; 1 << HEADS_LOG2]>,
    /// By the first byte, a bit for each family that has it as a word.
    bytes: Box<[u8; 256]>,
    /// A bit for each family that was added.
    families: u8,
}

impl Heads {
    /// The heads of no family.
    pub(super) fn new() -> Self {
        let table = vec![0; 1 << HEADS_LOG2].try_into().expect("there are as many places as were asked for");
        Heads { table, bytes: Box::new([0; 256]), families: 0 }
    }

    /// Adds the words of a family, none of them empty or with a space at its start.
    pub(super) fn add<'w>(&mut self, family: Family, words: impl Iterator<Item = (&'w [u8], Ending)>) {
        self.families |= family.bit();
        for (word, ending) in words {
            match *word {
                [byte] => {
                    self.bytes[usize::from(byte.to_ascii_lowercase())] |= family.bit();
                    self.bytes[usize::from(byte.to_ascii_uppercase())] |= family.bit();
                }
                // One byte of the head lies behind the word.
                [first, second] => {
                    let follows = |byte: &u8| ending == Ending::Open || !byte.is_ascii_alphabetic();
                    for third in (0..=u8::MAX).filter(follows) {
                        self.table[place([first, second, third])] |= family.bit();
                    }
                }
                [first, second, third, ..] => self.table[place([first, second, third])] |= family.bit(),
                [] => {}
            }
        }
    }

    /// The outline of `text`: where words of the families that were added may start.
    pub(super) fn outline<'t>(&self, text: &'t str) -> Outline<'t> {
        let bytes = text.as_bytes();
        let blocks = (0..bytes.len()).step_by(BLOCK).map(|from| {
            match bytes.get(from.wrapping_sub(1)..).and_then(|near| near.first_chunk()) {
                Some(near) => self.block(near),
                None => self.block(&near_border(bytes, from)),
            }
        });
        Outline { text, blocks: blocks.collect(), families: self.families }
    }

    fn block(&self, near: &Near) -> Block {
        Block { places: self.places(bits(near, is_start), near) }
    }

    /// For each family, a bit for each of `starts` where one of its words may start.
    fn places(&self, mut starts: u64, near: &Near) -> [u64; FAMILIES] {
        let mut places = [0; FAMILIES];
        while starts != 0 {
            let at = starts.trailing_zeros() as usize % BLOCK;
            starts &= starts - 1;
            let families = self.families_at([near[at + 1], near[at + 2], near[at + 3]]);
            if families != 0 {
                for (family, places) in places.iter_mut().enumerate() {
                    *places |= u64::from((families >> family) & 1) << at;
                }
            }
        }
        places
    }

    /// A bit for each family that may have a word with this head.
    fn families_at(&self, head: [u8; HEAD_BYTES]) -> u8 {
        self.table[place(head)] | self.bytes[usize::from(head[0])]
    }
}

/// A block with the byte before it, and those behind it that a word at its end can start with.
type Near = [u8; 1 + BLOCK + HEAD_BYTES - 1];

/// A text with the places where words of some families may start.
#[derive(Debug)]
pub(super) struct Outline<'t> {
    text: &'t str,
    blocks: Vec<Block>,
    families: u8,
}

/// What is told of 64 bytes of a text: a bit for each byte, lowest first.
#[derive(Debug)]
struct Block {
    /// For each family, where a word may start.
    places: [u64; FAMILIES],
}

impl<'t> Outline<'t> {
    /// The text itself.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The places from `from` on where a word of `family` may start, in order.
    pub(super) fn places(&self, family: Family, from: usize) -> impl Iterator<Item = usize> + '_ {
        debug_assert!(self.families & family.bit() != 0, "the outline was made with heads of this family");
        let bits = move |block: usize| self.blocks.get(block).map(|block| block.places[family as usize]);
        let mut block = from / BLOCK;
        let mut left = bits(block).unwrap_or(0) & (u64::MAX << (from % BLOCK));
        std::iter::from_fn(move || {
            while left == 0 {
                block += 1;
                left = bits(block)?;
            }
            let at = block * BLOCK + left.trailing_zeros() as usize;
            left &= left - 1;
            Some(at)
        })
    }
}

/// The place of a head in the table, whatever the case of its letters. Setting one bit of each byte folds it, and one
/// multiplication spreads all bits over the upper ones.
fn place([first, second, third]: [u8; HEAD_BYTES]) -> usize {
    let head = u32::from_le_bytes([0, first, second, third]) | 0x2020_2000;
    (head.wrapping_mul(0x9E37_79B1) >> (u32::BITS - HEADS_LOG2)) as usize
}

/// A block at the start or the end of a text. Nothing starts at the spaces around the text.
fn near_border(bytes: &[u8], from: usize) -> Near {
    std::array::from_fn(|at| (from + at).checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(b' '))
}

/// A bit for each byte of a block that `is` something, given the byte before it.
fn bits(near: &Near, is: impl Fn(u8, u8) -> bool) -> u64 {
    // One byte for each first, because that is what processors do for many at once.
    let flags: [u8; BLOCK] = std::array::from_fn(|at| u8::from(is(near[at], near[at + 1])));
    let (eights, _) = flags.as_chunks::<8>();
    eights.iter().rev().fold(0, |bits, eight| (bits << 8) | gathered(*eight))
}

/// Eight flags, each zero or one, as eight bits. The multiplication moves each flag to its bit of the highest byte.
fn gathered(flags: [u8; 8]) -> u64 {
    u64::from_le_bytes(flags).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Whether a word, a number or a mark starts with `byte`, behind `before`.
fn is_start(before: u8, byte: u8) -> bool {
    // Nothing here waits for anything else, so that many bytes can be told at once.
    let is_inside_word = byte.is_ascii_alphabetic() & before.is_ascii_alphabetic();
    let is_inside_number = byte.is_ascii_digit() & before.is_ascii_digit();
    let is_inside_character = (0x80..0xC0).contains(&byte);
    let is_space = byte == b' ';
    !(is_inside_word | is_inside_number | is_inside_character | is_space)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn heads(words: &[&str]) -> Heads {
        let mut heads = Heads::new();
        heads.add(Family::Signs, words.iter().map(|word| (word.as_bytes(), Ending::Open)));
        heads
    }

    #[track_caller]
    fn check(words: &[&str], text: &str, want: &[usize]) {
        let heads = heads(words);
        let outline = heads.outline(text);
        assert_eq!(outline.places(Family::Signs, 0).collect::<Vec<_>>(), want, "{words:?} in {text:?}");
    }

    #[test]
    fn words_start_at_words_numbers_and_marks() {
        check(&["refund", "(at)"], "A REFUND prerefund, refunded(at)", &[2, 20, 28]);
        check(&["4"], "44 4 x4", &[0, 3, 6]);
        check(&["é"], "née", &[1]);
        check(&[], "refund", &[]);
    }

    #[test]
    fn short_words_are_looked_at_with_what_follows() {
        let mut heads = Heads::new();
        heads.add(Family::PersonalData, [(b"oh".as_slice(), Ending::Whole)].into_iter());
        let outline = heads.outline("oh ohm oh");
        assert_eq!(outline.places(Family::PersonalData, 0).collect::<Vec<_>>(), [0, 7]);
        assert_eq!(outline.places(Family::PersonalData, 1).collect::<Vec<_>>(), [7]);
    }

    proptest! {
        /// Nothing that starts where something can start is passed over, and nothing starts elsewhere.
        #[test]
        fn no_word_is_passed_over(
            words in proptest::collection::vec("[a-cA-C.4é]{1,6}", 1..4),
            text in "[a-cA-C. 4é]{0,100}",
        ) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let text = format!("{text}{}{text}", words[0]);
            let heads = heads(&words);
            let outline = heads.outline(&text);
            let places: Vec<usize> = outline.places(Family::Signs, 0).collect();
            let bytes = text.as_bytes();
            let starts = |at: &usize| is_start(at.checked_sub(1).map_or(b' ', |before| bytes[before]), bytes[*at]);
            for word in &words {
                for at in (0..text.len()).filter(starts) {
                    let is_here = bytes[at..].get(..word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()));
                    prop_assert!(!is_here || places.contains(&at), "{word:?} at {at}");
                }
            }
            prop_assert!(places.iter().all(|at| starts(at) && text.is_char_boundary(*at)));
        }
    }
}
