//! The binary in a folder of its own: files in, exit code and both streams out.
//!
//! The environment is empty but for what a test sets, so no key or setting of the machine gets in.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::ScriptedServer;

/// Waits that no test has to sit through.
///
/// The first call goes alone until it is answered, however busy the machine is.
pub(crate) const QUICK: &str =
    "[schedule]\nbackoff_ms_first = 2\nbackoff_ms_max = 10\npilot_ms_max = 30000\n";

/// The program under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_probity");

/// A folder with files, and the environment the binary sees in it.
pub(crate) struct Probity {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl Probity {
    /// An empty folder and an empty environment.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Probity { folder, variables: Vec::new() }
    }

    /// With this file in it.
    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    /// With `server` as the OpenAI-compatible endpoint and waits that are short.
    pub(crate) fn server(self, server: &ScriptedServer) -> Self {
        self.file("probity.toml", QUICK).variable("OPENAI_BASE_URL", &server.url("/v1"))
    }

    /// With this variable in the environment.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Writes a file now.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }

    /// Where `name` is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The bytes of `name`.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// `name` as JSON.
    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.bytes(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Every file below the folder.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
                let path = entry.path();
                if path.is_dir() { folders.push(path) } else { found.push(path) }
            }
        }
        found
    }

    /// `name` as text.
    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A program in this folder, with the environment of the binary and its streams captured.
    pub(crate) fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The shell with this script, in which `$0` is the binary.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut command = self.program("sh");
        command.args(["-c", script, BINARY]);
        command
    }

    /// The binary with these arguments, as a command to be started in some other way.
    pub(crate) fn binary(&self, args: &[&str]) -> Command {
        let mut command = self.program(BINARY);
        command.args(args);
        command
    }

    /// The binary with these arguments, one word each.
    pub(crate) fn args<const N: usize>(&self, args: [&str; N]) -> Call<'_> {
        Call { command: self.binary(&args), stdin: Vec::new(), _folder: self }
    }

    /// `probity run tickets.json --output out.json` and further arguments.
    pub(crate) fn run_tickets<const N: usize>(&self, more: [&str; N]) -> Ran {
        self.args(["run", "tickets.json", "--output", "out.json"]).words(more.into_iter()).run()
    }
}

/// The binary, about to be started.
pub(crate) struct Call<'a> {
    command: Command,
    stdin: Vec<u8>,
    _folder: &'a Probity,
}

impl Call<'_> {
    /// With this on standard input.
    pub(crate) fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.command.stdin(Stdio::piped());
        self.stdin = bytes.as_ref().to_vec();
        self
    }

    /// With further arguments.
    pub(crate) fn words<'a>(mut self, words: impl Iterator<Item = &'a str>) -> Self {
        self.command.args(words);
        self
    }

    /// With this variable set for this call.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts it.
    pub(crate) fn start(mut self) -> Child {
        let mut child = self.command.spawn().expect("the binary starts");
        if let Some(mut stdin) = child.stdin.take() {
            // A program that refuses its arguments does not read its input.
            let _ = stdin.write_all(&self.stdin);
        }
        child
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Ran {
        Ran::after(self.start())
    }
}

/// What a process came to.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code; `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Ran {
    /// Runs `command` to its end.
    pub(crate) fn of(mut command: Command) -> Self {
        Ran::after(command.spawn().expect("the binary starts"))
    }

    /// Waits for the end of `child`.
    pub(crate) fn after(child: Child) -> Self {
        let Output { status, stdout, stderr } = child.wait_with_output().expect("the binary ends");
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        let ran =
            Ran { code: status.code(), signal: status.signal(), stdout: text(stdout), stderr: text(stderr) };
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        ran
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// What stands on standard error between the line about settings and judge that every run begins with, and the one
    /// about the files that it wrote.
    #[track_caller]
    pub(crate) fn after_settings(&self) -> &str {
        let (line, rest) = self.stderr.split_once('\n').expect("a line about the settings");
        assert!(line.starts_with("settings: "), "{}", self.stderr);
        rest.rfind("wrote ").map_or(rest, |wrote| &rest[..wrote])
    }

    /// The same call, which must have ended with `code`.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// The same call, which must have said all of `parts` on standard error.
    #[track_caller]
    pub(crate) fn says<const N: usize>(self, parts: [&str; N]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "expected {part:?} in:\n{}", self.stderr);
        }
        self
    }
}
