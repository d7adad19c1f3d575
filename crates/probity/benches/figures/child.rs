//! Processes under measurement: the program, and the mock judge it talks to.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often a process's memory is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// What a finished process took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) wall: Duration,
    /// The most memory it held, in MiB.
    pub(crate) memory_mib: f64,
}

/// The program, with nothing of this machine's settings.
pub(crate) fn probity(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if ["OPENAI", "ANTHROPIC", "PROBITY"].iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs `command` to its end and measures it. It must succeed.
pub(crate) fn measure(command: &mut Command) -> Taken {
    let started = Instant::now();
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program can be started");
    let stderr = child.stderr.take().expect("standard error is piped");
    let said = thread::spawn(move || std::io::read_to_string(stderr).unwrap_or_default());
    let done = Arc::new(AtomicBool::new(false));
    let peak = Arc::new(AtomicU64::new(0));
    let looker = thread::spawn({
        let (done, peak, pid) = (Arc::clone(&done), Arc::clone(&peak), child.id());
        move || {
            while !done.load(Ordering::Relaxed) {
                peak.fetch_max(peak_kib(pid), Ordering::Relaxed);
                thread::sleep(LOOK);
            }
        }
    });
    let status = child.wait().expect("the program can be waited for");
    let wall = started.elapsed();
    done.store(true, Ordering::Relaxed);
    looker.join().expect("looking at a process does not panic");
    let said = said.join().expect("reading standard error does not panic");
    assert!(status.success(), "{command:?} ended with {status}: {said}");
    Taken { wall, memory_mib: peak.load(Ordering::Relaxed) as f64 / 1024.0 }
}

/// The most memory the process held so far, in KiB, as the kernel counts it.
fn peak_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// A mock judge that ends with its owner.
pub(crate) struct Mock {
    child: Child,
    /// Where it answers, such as `http://127.0.0.1:1234/v1`.
    pub(crate) url: String,
}

impl Mock {
    /// Starts a mock judge that takes `latency` for each answer.
    pub(crate) fn start(folder: &Path, latency: &str) -> Mock {
        let mut child = probity(folder)
            .args(["mock", "--port", "0", "--latency", latency])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the mock judge can be started");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("standard output is piped");
        BufReader::new(stdout).read_line(&mut line).expect("the mock judge says where it is");
        let url = line.split_whitespace().find(|word| word.starts_with("http://"));
        let url = url.unwrap_or_else(|| panic!("the mock judge said {line:?}")).to_owned();
        Mock { child, url }
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        // A mock that has ended already is as good as one that is ended here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
