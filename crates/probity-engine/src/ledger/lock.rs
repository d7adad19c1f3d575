//! One run at a time per store, and none on file systems where that cannot be kept.
//!
//! The lock is a file beside the store, held by the operating system for as long as the process lives: a
//! killed process leaves the file but not the lock. Readers and the review room do not need it.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::private;
use crate::platform::network_file_system;

const DOING: &str = "locking";

/// The name of the lock file, after the store's.
const SUFFIX: &str = ".lock";

/// The right to write to one store. It ends when this is dropped.
pub(super) struct Lock {
    file: File,
    path: PathBuf,
    /// Whether the lock file was not there before.
    is_new: bool,
}

impl Lock {
    /// Takes the lock of the store at `store`, or says who has it.
    pub(super) fn take(store: &Path) -> Result<Lock, StoreError> {
        let path = beside(store, SUFFIX);
        let is_new = !path.exists();
        let fault = |error| StoreError::of_system(store, DOING, &error);
        let mut file = private::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| StoreError::of_system(&path, DOING, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked { path: store.to_path_buf(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(fault(error)),
        }
        file.set_len(0).map_err(fault)?;
        file.rewind().map_err(fault)?;
        writeln!(file, "{}", std::process::id()).map_err(fault)?;
        Ok(Lock { file, path, is_new })
    }

    /// Gives the lock back, and takes away the file if it was made for a store that turned out to be none.
    pub(super) fn discard(self) {
        if self.is_new {
            // What cannot be removed does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process between fork and exec has it open as well.
        let _ = self.file.unlock();
    }
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Every file that a store at `store` may consist of.
pub fn files(store: &Path) -> Vec<PathBuf> {
    ["", "-wal", "-shm", "-journal", SUFFIX].into_iter().map(|suffix| beside(store, suffix)).collect()
}

/// The path of the file that stands beside `store` under its name and `suffix`.
pub(super) fn beside(store: &Path, suffix: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Refuses a folder on a network file system: journal readers share memory, and locks must hold.
pub(super) fn require_local(folder: &Path, store: &Path) -> Result<(), StoreError> {
    match network_file_system(folder) {
        Some(kind) => Err(StoreError::Unusable {
            path: store.to_path_buf(),
            why: format!("it is on {kind}, expected a local file system"),
        }),
        None => Ok(()),
    }
}
