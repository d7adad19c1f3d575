//! Windows.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::FileExt as _;
use std::path::Path;

use tokio_postgres::config::Host;

/// What the system says when it has no more memory, handles or quota to give.
pub const EXHAUSTED: [i32; 4] = [4, 8, 14, 1816];

/// There is no name that leads to standard input.
pub const STANDARD_INPUT: &str = "CONIN$";

/// Variables that every program needs, beside the usual ones.
pub(crate) const SYSTEM_VARIABLES: &[&str] =
    &["COMSPEC", "ComSpec", "PATHEXT", "Path", "SYSTEMROOT", "SystemRoot", "windir"];

/// The variable that names the folder of the user's settings, and where they lie in it.
pub const SETTINGS_HOME: (&str, &str) = ("APPDATA", "");

/// Programs that open a file in a browser.
pub const BROWSERS: &[&str] = &["explorer"];

/// What Windows says where links lead back to themselves: `ERROR_CANT_RESOLVE_FILENAME`.
const LINK_LOOP: i32 = 1921;

/// A process of a group of its own gets no Ctrl-C (`CREATE_NEW_PROCESS_GROUP`).
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

/// Ctrl-C at the terminal.
pub type Interrupts = tokio::signal::windows::CtrlC;

/// Requests to end the process.
pub type Terminations = tokio::signal::windows::CtrlBreak;

/// Reads what stands in the file from `offset` on. It moves the place where the file is read next, which is never
/// used for a file that is read like this.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

/// The name of a database server. There are no sockets in the file system here.
pub(crate) fn tcp_name(host: &Host) -> Result<&str, &Path> {
    let Host::Tcp(name) = host;
    Ok(name)
}

/// What tells a file from another one of the same name: where the standard library does not say, nothing does, and
/// length and time decide.
pub(crate) fn file_number(_metadata: &Metadata) -> u64 {
    0
}

/// Whether a path cannot be followed because its links lead back to themselves.
pub(crate) fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(LINK_LOOP)
}

/// How a file is opened that, where it is made, is made for this user alone: a user's folders are theirs already.
pub(crate) fn private_options() -> OpenOptions {
    OpenOptions::new()
}

/// Makes a folder and those it is in, as far as they are missing.
pub fn private_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// Makes the names in a folder durable: NTFS journals them by itself, and a folder cannot be synced.
pub fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// There is no portable way to ask which file system a folder is on.
pub(crate) fn network_file_system(_folder: &Path) -> Option<&'static str> {
    None
}

/// How many files this process may have open; `None` where there is no limit.
pub fn open_files() -> Option<u64> {
    None
}

/// There is no limit to raise.
pub fn raise_open_files(_wanted: u64) -> Option<u64> {
    None
}

/// How many bytes this process may address; `None` where there is no limit.
pub fn address_space() -> Option<u64> {
    None
}

/// Ends this process as a crash would.
#[cfg(debug_assertions)]
pub(crate) fn kill_itself() -> ! {
    std::process::abort()
}

/// Lets a program that is started not see Ctrl-C at the terminal.
pub(crate) fn without_interrupts(command: &mut tokio::process::Command) {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// Ctrl-C at the terminal.
pub fn interrupts() -> io::Result<Interrupts> {
    tokio::signal::windows::ctrl_c()
}

/// Requests to end that come from the system or from another program.
pub fn terminations() -> io::Result<Terminations> {
    tokio::signal::windows::ctrl_break()
}
