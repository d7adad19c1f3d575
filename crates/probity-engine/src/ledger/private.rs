//! Files and folders that are made for this user alone, whatever the mask of the process.
//!
//! What is there already keeps its permissions. The database makes its write-ahead log with those of its file.

use std::io;
use std::path::Path;

pub(super) use crate::platform::{private_folder as folder, private_options as options};

/// Makes an empty file, unless there is one.
pub(super) fn file(path: &Path) -> io::Result<()> {
    match options().write(true).create_new(true).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}
