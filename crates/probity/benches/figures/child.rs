//! Processes under measurement: the program, the mock judge it talks to, and the room where people label.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
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

/// How long `command` takes to its end. It must succeed. Its memory is not looked at: that would cost it time.
pub(crate) fn wall(command: &mut Command) -> Duration {
    watched(command, |_, _| ())
}

/// Runs `command` to its end and measures it. It must succeed.
pub(crate) fn measure(command: &mut Command) -> Taken {
    let peak = AtomicU64::new(0);
    let wall = watched(command, |pid, is_done| {
        while !is_done.load(Ordering::Relaxed) {
            peak.fetch_max(peak_kib(pid), Ordering::Relaxed);
            thread::sleep(LOOK);
        }
    });
    Taken { wall, memory_mib: mib(peak.into_inner()) }
}

/// Runs `command` to its end beside `watch`, which is told its number and when it is done. Returns how long it took.
fn watched(command: &mut Command, watch: impl FnOnce(u32, &AtomicBool) + Send) -> Duration {
    let started = Instant::now();
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program can be started");
    let stderr = child.stderr.take().expect("standard error is piped");
    let (pid, is_done) = (child.id(), AtomicBool::new(false));
    let (status, wall, said) = thread::scope(|scope| {
        let said = scope.spawn(move || std::io::read_to_string(stderr).unwrap_or_default());
        scope.spawn(|| watch(pid, &is_done));
        let status = child.wait().expect("the program can be waited for");
        let wall = started.elapsed();
        is_done.store(true, Ordering::Relaxed);
        (status, wall, said.join().expect("reading standard error does not panic"))
    });
    assert!(status.success(), "{command:?} ended with {status}: {said}");
    wall
}

/// The most memory the process held so far, in MiB.
pub(crate) fn peak_mib(pid: u32) -> f64 {
    mib(peak_kib(pid))
}

fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

/// The most memory the process held so far, in KiB, as the kernel counts it.
fn peak_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// A process that serves until its owner is gone.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        // A process that has ended already is as good as one that is ended here.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A mock judge that ends with its owner.
pub(crate) struct Mock {
    _child: Served,
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
        Mock { _child: Served(child), url }
    }

    /// A name that no other mock judge of this run has.
    pub(crate) fn name(&self) -> String {
        self.url.chars().filter(char::is_ascii_digit).collect()
    }
}

/// A review room that ends with its owner.
pub(crate) struct Room {
    _child: Served,
    /// Where it answers, such as `http://127.0.0.1:1234`.
    pub(crate) origin: String,
    /// The invited people, each with the token of their link.
    pub(crate) invited: Vec<(String, String)>,
}

impl Room {
    /// Starts `command`, which is a `probity review` without a browser, and waits until it serves.
    pub(crate) fn start(command: &mut Command) -> Room {
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the review room can be started");
        let mut lines = BufReader::new(child.stderr.take().expect("standard error is piped")).lines();
        let child = Served(child);
        let (mut invited, mut origin, mut said) = (Vec::new(), None, String::new());
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some((start, token)) = line.split_once("/enter#") {
                let (name, host) = start.split_once(": ").expect("a link stands behind a name");
                invited.push((name.to_owned(), token.to_owned()));
                origin = Some(host.to_owned());
            }
            if line.contains("Ctrl-C") {
                break;
            }
            said += &format!("{line}\n");
        }
        let origin = origin.unwrap_or_else(|| panic!("the review room said {said}"));
        // Whatever it still says is read, so that it never waits for a reader.
        thread::spawn(move || lines.for_each(drop));
        Room { _child: child, origin, invited }
    }
}
