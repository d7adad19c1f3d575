//! Writing to standard output and standard error.
//!
//! A reader that goes away (`probity run … | head`) is not an error of ours: writing stops quietly.

use std::io::{self, IsTerminal, Write};

use crate::exit::Failure;
use crate::plain::plain;

/// Writes `text` to standard output.
pub(crate) fn print(text: &str) {
    let mut out = io::stdout().lock();
    // The only way this fails is a closed pipe or a full disk behind it; results are in the store and, with
    // --output, in a file whose writing is checked.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes `text`, which is what the command was asked for, to standard output. A reader that goes away has
/// what it wanted; a disk that is full is a failure.
pub(crate) fn deliver(text: &str) -> Result<(), Failure> {
    let mut out = Pipe(io::stdout().lock());
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure::unwritable(None, &error))
}

/// A writer whose reader may go away: what is written after that is dropped.
pub(crate) struct Pipe<W: Write>(pub(crate) W);

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            result => result,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}

/// Writes `text` to standard error, a line at a time, each safe to show.
pub(crate) fn note(text: &str) {
    let mut out = io::stderr().lock();
    for line in text.lines() {
        // Nobody can be told that standard error is closed.
        let _ = writeln!(out, "{}", plain(line));
    }
}

/// Asks `question` on the terminal. Only a yes is one; without a terminal there is none.
pub(crate) fn agrees(question: &str) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    // Nobody can be asked where standard error is closed, and then nothing is read either.
    let asked = write!(io::stderr(), "{} [y/N] ", plain(question)).and_then(|()| io::stderr().flush());
    let mut answer = String::new();
    let is_read = asked.is_ok() && io::stdin().read_line(&mut answer).is_ok();
    is_read && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

/// Whether somebody watches standard error.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}
