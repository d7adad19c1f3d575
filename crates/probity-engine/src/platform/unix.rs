//! Linux, macOS and their relatives.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{Signal as Requests, SignalKind, signal};
use tokio_postgres::config::Host;

/// What the system says when it has no more threads, memory or files to give.
pub const EXHAUSTED: [i32; 4] = [
    Errno::AGAIN.raw_os_error(),
    Errno::NOMEM.raw_os_error(),
    Errno::NFILE.raw_os_error(),
    Errno::MFILE.raw_os_error(),
];

/// Where standard input is a file, its name leads there.
pub const STANDARD_INPUT: &str = "/dev/stdin";

/// Variables that every program needs, beside the usual ones.
pub(crate) const SYSTEM_VARIABLES: &[&str] = &[];

/// The variable that names the user's own folder, and where settings lie in it.
pub const SETTINGS_HOME: (&str, &str) = ("HOME", ".config");

/// Programs that open a file in a browser; the first that starts wins.
pub const BROWSERS: &[&str] = if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "wslview"] };

/// Reads what stands in the file from `offset` on, wherever others read.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

/// The name of a database server that is reached over TCP, or else the folder of its socket.
pub(crate) fn tcp_name(host: &Host) -> Result<&str, &Path> {
    match host {
        Host::Tcp(name) => Ok(name),
        Host::Unix(folder) => Err(folder),
    }
}

/// What tells a file from another one of the same name.
pub(crate) fn file_number(metadata: &Metadata) -> u64 {
    metadata.ino()
}

/// Whether a path cannot be followed because its links lead back to themselves.
pub(crate) fn is_link_loop(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::LOOP)
}

/// How a file is opened that, where it is made, is made for this user alone.
pub(crate) fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Makes a folder for this user alone, and those it is in, as far as they are missing.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(path)
}

/// Makes the names in a folder durable.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// The network file system that a folder is on. A system that does not tell is taken for a local one.
#[cfg(target_os = "linux")]
pub(crate) fn network_file_system(folder: &Path) -> Option<&'static str> {
    network_kind(i128::from(rustix::fs::statfs(folder).ok()?.f_type))
}

/// Elsewhere there is no portable way to ask.
#[cfg(not(target_os = "linux"))]
pub(crate) fn network_file_system(_folder: &Path) -> Option<&'static str> {
    None
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

/// How many files this process may have open; `None` where there is no limit.
pub fn open_files() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Raises how many files may be open to `wanted`, as far as the system lets, and returns how many may be then.
pub fn raise_open_files(wanted: u64) -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let soft = current?;
    let raised = maximum.map_or(wanted, |hard| hard.min(wanted)).max(soft);
    let limit = Rlimit { current: Some(raised), maximum };
    let is_raised = raised == soft || setrlimit(Resource::Nofile, limit).is_ok();
    Some(if is_raised { raised } else { soft })
}

/// How many bytes this process may address; `None` where there is no limit.
pub fn address_space() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// Ends this process as a crash would: nothing is flushed and no destructor runs.
#[cfg(debug_assertions)]
pub(crate) fn kill_itself() -> ! {
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
        .expect("a process may end itself");
    loop {
        // The signal may reach another thread first; this one must not get any further.
        std::thread::park();
    }
}

/// Lets a program that is started not see Ctrl-C at the terminal.
pub(crate) fn without_interrupts(command: &mut tokio::process::Command) {
    command.process_group(0);
}

/// Ctrl-C at the terminal.
pub fn interrupts() -> io::Result<Requests> {
    signal(SignalKind::interrupt())
}

/// Requests to end that come from the system or from another program.
pub fn terminations() -> io::Result<Requests> {
    signal(SignalKind::terminate())
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
