//! Where the words, numbers and marks of a text start, found once for everyone who looks for words in it.
//!
//! What is looked for never starts inside a word or a number, at a space or inside a character, so four of five
//! places of a letter are passed over without a look. Nothing here knows what is looked for.
//!
//! What always holds: places come in order, each once, and each is the start of a character.

/// How many bytes are told together: one for each bit of a number.
const BLOCK: usize = 64;

/// A text with the places where something starts.
#[derive(Debug)]
pub(super) struct Outline<'t> {
    text: &'t str,
    /// A bit for each byte, those of the first 64 bytes in the first number, lowest first.
    starts: Vec<u64>,
}

impl<'t> Outline<'t> {
    /// The outline of `text`.
    pub(super) fn of(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len().div_ceil(BLOCK));
        // Each block with the byte before it; nothing starts at the spaces around the text.
        let mut near = [b' '; BLOCK + 1];
        let mut blocks = bytes.chunks_exact(BLOCK);
        for block in &mut blocks {
            near[1..].copy_from_slice(block);
            starts.push(starts_in(&near));
            near[0] = near[BLOCK];
        }
        let rest = blocks.remainder();
        if !rest.is_empty() {
            near[1..].fill(b' ');
            near[1..=rest.len()].copy_from_slice(rest);
            starts.push(starts_in(&near));
        }
        Outline { text, starts }
    }

    /// The text itself.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The places from `from` on where a word, a number or a mark starts.
    pub(super) fn starts(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        let mut block = from / BLOCK;
        let mut left = self.starts.get(block).map_or(0, |starts| starts & (u64::MAX << (from % BLOCK)));
        std::iter::from_fn(move || {
            while left == 0 {
                block += 1;
                left = *self.starts.get(block)?;
            }
            let at = block * BLOCK + left.trailing_zeros() as usize;
            left &= left - 1;
            Some(at)
        })
    }
}

/// A bit for each byte of a block, behind the byte before the block, that starts something.
fn starts_in(near: &[u8; BLOCK + 1]) -> u64 {
    // One byte for each first, because that is what processors do for many at once.
    let flags: [u8; BLOCK] = std::array::from_fn(|at| u8::from(is_start(near[at], near[at + 1])));
    let (eights, _) = flags.as_chunks::<8>();
    eights.iter().rev().fold(0, |bits, eight| (bits << 8) | gathered(*eight))
}

/// Eight flags, each zero or one, as eight bits. The multiplication moves each flag to its bit of the highest byte.
fn gathered(flags: [u8; 8]) -> u64 {
    u64::from_le_bytes(flags).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Whether a word, a number or a mark starts with `byte`, behind `before`.
fn is_start(before: u8, byte: u8) -> bool {
    let is_inside = (byte.is_ascii_alphabetic() & before.is_ascii_alphabetic())
        | (byte.is_ascii_digit() & before.is_ascii_digit())
        | (0x80..0xC0).contains(&byte);
    !is_inside & (byte != b' ')
}
