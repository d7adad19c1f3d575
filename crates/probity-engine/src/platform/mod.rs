//! What differs between operating systems, and nothing else: each function has one meaning and an implementation for
//! every family of systems. The rest of the program names none.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::fs::File;
use std::io;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

/// Fills `buffer` with what stands in the file from `offset` on.
pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match read_at(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                buffer = &mut buffer[n..];
                offset += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether `error` says that the machine ran out of something, and nothing about what was asked for.
pub fn is_exhausted(error: &io::Error) -> bool {
    let full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    full || error.raw_os_error().is_some_and(|code| EXHAUSTED.contains(&code))
}
