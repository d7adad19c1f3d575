//! Writing to standard output and standard error.
//!
//! A reader that goes away (`probity run … | head`) is not an error of ours: writing stops quietly.

use std::io::{self, IsTerminal, Write};

use crate::exit::Failure;
use crate::plain::plain;

/// How text looks on a stream: with colours where a terminal shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// As it is.
    Plain,
    /// With escape sequences for colours.
    Coloured,
}

/// A way to set text off. The words say the same without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Emphasis {
    /// A heading.
    Strong,
    /// As wanted.
    Good,
    /// Not as wanted.
    Bad,
    /// Not known, or to be read with care.
    Doubt,
    /// What can be typed.
    Hint,
}

impl Ink {
    /// What `stream` shows. `NO_COLOR` turns colours off everywhere, `CLICOLOR_FORCE` turns them on in pipes too.
    pub(crate) fn of(stream: &impl IsTerminal) -> Ink {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_forced =
            std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0" && !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
        let is_coloured = !is_set("NO_COLOR") && (is_forced || (stream.is_terminal() && !is_dumb));
        if is_coloured { Ink::Coloured } else { Ink::Plain }
    }

    /// `text`, set off where colours are shown.
    pub(crate) fn paint(self, text: &str, emphasis: Emphasis) -> String {
        let code = match emphasis {
            Emphasis::Strong => "1",
            Emphasis::Good => "32",
            Emphasis::Bad => "31",
            Emphasis::Doubt => "33",
            Emphasis::Hint => "36",
        };
        match self {
            Ink::Coloured if !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }
}

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

/// The first word of a note, and how it is set off.
const SIGNALS: [(&str, Emphasis); 4] = [
    ("error:", Emphasis::Bad),
    ("FAILED:", Emphasis::Bad),
    ("warning:", Emphasis::Doubt),
    ("hint:", Emphasis::Hint),
];

/// Writes `text` to standard error, a line at a time, each safe to show.
pub(crate) fn note(text: &str) {
    let mut out = io::stderr().lock();
    let ink = Ink::of(&out);
    for line in text.lines() {
        let line = plain(line);
        let signal =
            SIGNALS.iter().find_map(|(word, emphasis)| Some((word, line.strip_prefix(word)?, *emphasis)));
        let line = match signal {
            Some((word, rest, emphasis)) => format!("{}{rest}", ink.paint(word, emphasis)),
            None => line,
        };
        // There is no other place to say that standard error is closed.
        let _ = writeln!(out, "{line}");
    }
}

/// Asks `question` on the terminal. Only a yes is one; without a terminal there is none.
pub(crate) fn agrees(question: &str) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    // Where standard error is closed, nothing is asked and nothing is read.
    let asked = write!(io::stderr(), "{} [y/N] ", plain(question)).and_then(|()| io::stderr().flush());
    let mut answer = String::new();
    let is_read = asked.is_ok() && io::stdin().read_line(&mut answer).is_ok();
    is_read && ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

/// Whether standard error is a terminal.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}
