//! An input in parts: a byte of choices, then texts divided by a byte that no text needs.
//!
//! The division is by a byte and not by lengths, so that a fuzzer can lengthen one part without moving the
//! others, and so that seeds stay readable.

/// Divides the parts. As a control character it is not needed in any of them.
const DIVIDER: u8 = 0x1e;

/// The byte of choices and what follows it.
pub fn choices(data: &[u8]) -> (u8, &[u8]) {
    data.split_first().map_or((0, data), |(choices, rest)| (*choices, rest))
}

/// Exactly `N` parts; the last one keeps further dividers, missing ones are empty.
pub fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut split = data.splitn(N, |byte| *byte == DIVIDER);
    std::array::from_fn(|_| split.next().unwrap_or_default())
}

/// A part as text.
pub fn text(part: &[u8]) -> String {
    String::from_utf8_lossy(part).into_owned()
}

/// The input with these choices and parts.
pub fn joined<P: AsRef<[u8]>>(choices: u8, parts: &[P]) -> Vec<u8> {
    let mut data = vec![choices];
    for (n, part) in parts.iter().enumerate() {
        if n > 0 {
            data.push(DIVIDER);
        }
        data.extend_from_slice(part.as_ref());
    }
    data
}
