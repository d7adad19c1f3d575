//! The process behind a command judge: its start, its three streams and its end.
//!
//! It ends when its output ends, whatever the process itself does after that; what is left of it is killed.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{CallLimits, StartError, Waiting};
use crate::config::CommandSettings;
use crate::platform::{SYSTEM_VARIABLES, without_interrupts};

/// How long a program may take to end after it closed its output.
const END_MAX: Duration = Duration::from_secs(2);
/// How much of what the program writes to its error stream is kept for the message: the last lines.
const STDERR_LINES_MAX: usize = 10;
const STDERR_LINE_BYTES_MAX: usize = 500;

/// The variables that every program sees: where things are and how to write. All others may hold a secret.
const SEEN: &[&str] =
    &["HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TEMP", "TERM", "TMP", "TMPDIR", "TZ", "USER"];

/// How the names of further variables begin that every program sees: those of the language.
const SEEN_PREFIX: &str = "LC_";

/// Where answers go.
pub(super) struct Sink {
    pub(super) waiting: Arc<Waiting>,
    pub(super) limits: CallLimits,
}

/// Starts a program and the tasks that serve it. The program ends when `queue` is closed and it notices.
pub(super) fn start(
    settings: &CommandSettings,
    queue: mpsc::Receiver<String>,
    sink: Sink,
) -> Result<(), StartError> {
    let mut command = prepared(settings)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let spawn = |source| StartError::Spawn { program: settings.argv[0].clone(), source };
    let mut child = command.spawn().map_err(spawn)?;
    let stdin = child.stdin.take().expect("the input is piped");
    let stdout = child.stdout.take().expect("the output is piped");
    let stderr = child.stderr.take().expect("the error stream is piped");
    let writer = tokio::spawn(write(stdin, queue));
    let tail = tokio::spawn(last_lines(stderr));
    tokio::spawn(serve(child, stdout, sink, Helpers { writer, tail }));
    Ok(())
}

/// A program that sees few variables of the environment and no Ctrl-C.
pub(in crate::judge) fn prepared(settings: &CommandSettings) -> Result<Command, StartError> {
    let (program, arguments) = settings.argv.split_first().ok_or(StartError::NoProgram)?;
    let mut command = Command::new(program);
    command.args(arguments).kill_on_drop(true);
    // Ctrl-C is for Probity, which finishes what is in flight; the program ends with its input.
    without_interrupts(&mut command);
    command.env_clear();
    let is_passed = |name: &OsStr| name.to_str().is_some_and(|name| is_seen(name, &settings.pass_env));
    command.envs(std::env::vars_os().filter(|(name, _)| is_passed(name)));
    Ok(command)
}

/// Whether the program sees the variable `name`.
pub(super) fn is_seen(name: &str, pass_env: &[String]) -> bool {
    let is_usual = SEEN.contains(&name) || SYSTEM_VARIABLES.contains(&name) || name.starts_with(SEEN_PREFIX);
    is_usual || pass_env.iter().any(|passed| passed == name)
}

struct Helpers {
    writer: JoinHandle<()>,
    tail: JoinHandle<VecDeque<String>>,
}

async fn write(mut stdin: ChildStdin, mut queue: mpsc::Receiver<String>) {
    while let Some(line) = queue.recv().await {
        // A program that no longer reads is noticed by the end of its output; asking it again fails at once.
        if stdin.write_all(line.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn serve(mut child: Child, stdout: ChildStdout, sink: Sink, helpers: Helpers) {
    let mut output = BufReader::new(stdout);
    let bytes_max = sink.limits.body_bytes_max;
    let read_error = loop {
        match next_line(&mut output, bytes_max).await {
            Ok(Some(Line::Whole(line))) => sink.waiting.take_line(line),
            Ok(Some(Line::TooLong(start))) => sink.waiting.take_long_line(start, bytes_max),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    helpers.writer.abort();
    let mut reason = match (read_error, tokio::time::timeout(END_MAX, child.wait()).await) {
        (Some(error), _) => format!("its output could not be read ({error})"),
        (None, Ok(Ok(status))) => format!("it ended with {status}"),
        (None, _) => "it closed its output".to_owned(),
    };
    drop(child);
    if let Ok(Ok(lines)) = tokio::time::timeout(END_MAX, helpers.tail).await
        && !lines.is_empty()
    {
        reason = format!("{reason}; it wrote: {}", Vec::from(lines).join(" | "));
    }
    sink.waiting.end(&reason);
}

/// The last lines of the error stream, each cut to a bound.
async fn last_lines(stderr: ChildStderr) -> VecDeque<String> {
    let mut lines = VecDeque::new();
    let mut stream = BufReader::new(stderr);
    while let Ok(Some(line)) = next_line(&mut stream, STDERR_LINE_BYTES_MAX).await {
        let (Line::Whole(bytes) | Line::TooLong(bytes)) = line;
        lines.push_back(String::from_utf8_lossy(&bytes).trim_end().to_owned());
        if lines.len() > STDERR_LINES_MAX {
            lines.pop_front();
        }
    }
    lines
}

/// One line without its line break.
enum Line {
    Whole(Vec<u8>),
    /// The line was longer than the bound; its start is kept and the rest was passed over.
    TooLong(Vec<u8>),
}

async fn next_line(
    stream: &mut BufReader<impl AsyncRead + Unpin>,
    bytes_max: usize,
) -> std::io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut n_read = 0_usize;
    loop {
        let piece = stream.fill_buf().await?;
        let line_break = piece.iter().position(|byte| *byte == b'\n');
        let content = &piece[..line_break.unwrap_or(piece.len())];
        n_read = n_read.saturating_add(content.len());
        let room = bytes_max.saturating_sub(line.len());
        line.extend_from_slice(&content[..content.len().min(room)]);
        let consumed = line_break.map_or(piece.len(), |at| at + 1);
        let is_end = consumed == 0;
        stream.consume(consumed);
        if is_end && n_read == 0 {
            return Ok(None);
        }
        if is_end || line_break.is_some() {
            return Ok(Some(if n_read > bytes_max { Line::TooLong(line) } else { Line::Whole(line) }));
        }
    }
}
