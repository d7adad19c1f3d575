//! Files and folders that are made for this user alone, whatever the mask of the process.
//!
//! What is there already keeps the permissions that somebody gave it. The database makes its journal with the
//! permissions of its file.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// How a file is opened that, where it is made, is made for this user alone.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes an empty file, unless there is one.
pub(super) fn file(path: &Path) -> io::Result<()> {
    match options().write(true).create_new(true).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Makes a folder and those it is in, as far as they are missing.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
