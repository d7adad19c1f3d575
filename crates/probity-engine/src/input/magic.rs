//! What the first bytes of a file say it is. Names are never asked.

/// How many bytes are enough to tell.
pub(super) const HEAD_BYTES: usize = 16;

/// A content that is not read, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Foreign {
    /// What was found.
    pub(super) what: &'static str,
    /// What to do.
    pub(super) hint: &'static str,
}

const TO_UTF8: &str = "save it as UTF-8, for example with `iconv -f UTF-32 -t UTF-8`";
const UNPACK: &str = "unpack it first, or pack it with gzip";
const UNZIP: &str = "unpack it first and name the file in it; save a spreadsheet as CSV";
const EXPORT: &str = "export it as JSON lines or CSV first";

/// First bytes of contents that are told by name; longer signatures stand before their prefixes.
const SIGNATURES: &[(&[u8], Foreign)] = &[
    (&[0xff, 0xfe, 0, 0], Foreign { what: "UTF-32 (little-endian) text", hint: TO_UTF8 }),
    (&[0, 0, 0xfe, 0xff], Foreign { what: "UTF-32 (big-endian) text", hint: TO_UTF8 }),
    (&[0x28, 0xb5, 0x2f, 0xfd], Foreign { what: "zstd data", hint: UNPACK }),
    (&[0xfd, b'7', b'z', b'X', b'Z', 0], Foreign { what: "xz data", hint: UNPACK }),
    (&[b'B', b'Z', b'h', b'9', 0x31, 0x41], Foreign { what: "bzip2 data", hint: UNPACK }),
    (b"PK\x03\x04", Foreign { what: "a zip archive", hint: UNZIP }),
    (b"PK\x05\x06", Foreign { what: "an empty zip archive", hint: UNZIP }),
    (b"SQLite format 3", Foreign { what: "an SQLite database", hint: EXPORT }),
    (&[0x1f, 0x8b], Foreign { what: "gzip data inside gzip data", hint: "unpack it once" }),
];

/// Whether the bytes begin a gzip member.
pub(super) fn is_gzip(head: &[u8]) -> bool {
    head.starts_with(&[0x1f, 0x8b])
}

/// Whether the bytes begin a zip archive.
pub(super) fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04")
}

/// What the bytes are, when they are something that is not read.
pub(super) fn foreign(head: &[u8]) -> Option<&'static Foreign> {
    let known = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature));
    known.map(|(_, foreign)| foreign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &[u8], want: &str) {
        assert_eq!(foreign(head).map_or("", |found| found.what), want);
    }

    #[test]
    fn contents_are_told_by_their_first_bytes() {
        check(b"{\"id\":1}", "");
        check(b"PARTNER,id", "");
        check(&[0xff, 0xfe, 0, 0], "UTF-32 (little-endian) text");
        check(b"", "");
    }
}
