//! One run at a time per store, and none on file systems where that cannot be kept.
//!
//! The lock is a file beside the store, held by the operating system for as long as the process lives: a
//! killed process leaves the file but not the lock. Readers and the review room do not need it.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::private;

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
#[cfg(target_os = "linux")]
pub(super) fn require_local(folder: &Path, store: &Path) -> Result<(), StoreError> {
    // A system that does not tell is taken for a local one.
    let Ok(stat) = rustix::fs::statfs(folder) else { return Ok(()) };
    match network_kind(i128::from(stat.f_type)) {
        Some(kind) => Err(StoreError::Unusable {
            path: store.to_path_buf(),
            why: format!("it is on {kind}, expected a local file system"),
        }),
        None => Ok(()),
    }
}

/// Elsewhere there is no portable way to ask.
#[cfg(not(target_os = "linux"))]
pub(super) fn require_local(_folder: &Path, _store: &Path) -> Result<(), StoreError> {
    Ok(())
}

/// The network file system that Linux numbers so (`linux/magic.h`).
#[cfg(target_os = "linux")]
fn network_kind(number: i128) -> Option<&'static str> {
    // Some systems give the 32-bit number with its sign extended.
    match number & 0xffff_ffff {
        0x6969 => Some("NFS"),
        0x517b => Some("SMB"),
        0xff53_4d42 => Some("CIFS"),
        0xfe53_4d42 => Some("SMB2"),
        0x00c3_6400 => Some("Ceph"),
        0x5346_414f | 0x6b41_4653 => Some("AFS"),
        _ => None,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::network_kind;

    #[test]
    fn network_file_systems_are_known() {
        assert_eq!(network_kind(0x6969), Some("NFS"));
        assert_eq!(network_kind(i128::from(0xff53_4d42_u32.cast_signed())), Some("CIFS"));
        assert_eq!(network_kind(0xef53), None, "ext4 is local");
    }
}
