//! Eight bytes of a text at once, as one number whose lowest byte is the first.
//!
//! What is said of each byte is said in its highest bit. Nothing here knows what the bytes are for.

/// The highest bit of each of eight bytes.
pub(super) const HIGH_BITS: u64 = every(0x80);

/// The first eight bytes, or fewer and zeros.
pub(super) fn eight(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => bytes.iter().rev().fold(0, |eight, byte| (eight << 8) | u64::from(*byte)),
    }
}

/// Eight times the same byte.
pub(super) const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Selects the first `n_bytes`, which may be more than eight.
pub(super) fn mask(n_bytes: usize) -> u64 {
    let n_bits = u32::try_from(8 * n_bytes.min(8)).unwrap_or(u64::BITS);
    u64::MAX.checked_shl(n_bits).map_or(u64::MAX, |above| !above)
}

/// The same for letters of either case, and not the same for different letters. Other bytes may become others.
pub(super) fn fold(bytes: u64) -> u64 {
    bytes | every(0x20)
}

/// One multiplication spreads all bits over the upper ones; those above the lowest `n_low` are left.
pub(super) fn spread(bytes: u64, n_low: u32) -> usize {
    usize::try_from(bytes.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> n_low).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_mask_selects_the_first_bytes(bytes in any::<[u8; 8]>(), n_bytes in 0_usize..12) {
            let selected = eight(&bytes) & mask(n_bytes);
            prop_assert_eq!(selected, eight(&bytes[..n_bytes.min(8)]));
        }
    }
}
