//! Server-sent events, as far as transport needs them: what is progress, and where a stream ends.
//!
//! Comment lines (`: keep-alive`) and blank lines are not progress, so a server that stalls cannot keep a
//! call alive with them. The bytes themselves are kept as they came; nothing is assembled here.

/// What a piece of a stream brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Comments and blank lines only.
    Nothing,
    /// Bytes of at least one line that means something.
    Content,
    /// `data: [DONE]`, which ends at this offset of the piece.
    Done(usize),
}

/// Follows a stream across pieces that may be cut anywhere.
#[derive(Debug, Default)]
pub struct Scanner {
    /// The start of the current line, as far as it is needed to know the line.
    line_start: Vec<u8>,
}

/// The longest line start that must be known: `data: [DONE]`.
const LINE_START_MAX: usize = 12;

impl Scanner {
    /// Reads the next piece of the stream.
    pub fn feed(&mut self, piece: &[u8]) -> Progress {
        let mut progress = Progress::Nothing;
        for (at, byte) in piece.iter().enumerate() {
            if matches!(byte, b'\n' | b'\r') {
                self.line_start.clear();
                continue;
            }
            if self.line_start.len() < LINE_START_MAX {
                self.line_start.push(*byte);
                if is_done(&self.line_start) {
                    return Progress::Done(at + 1);
                }
            }
            if self.line_start[0] != b':' {
                progress = Progress::Content;
            }
        }
        progress
    }
}

fn is_done(line: &[u8]) -> bool {
    line == b"data: [DONE]" || line == b"data:[DONE]"
}

/// The data lines of a whole stream, without `data:` and the space after it.
pub(crate) fn data_lines(body: &str) -> impl Iterator<Item = &str> {
    body.split(['\n', '\r'])
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|data| data.strip_prefix(' ').unwrap_or(data))
}

#[cfg(test)]
mod tests {
    use super::{Progress, Scanner, data_lines};

    #[track_caller]
    fn check(pieces: &[&str], want: Progress) {
        let mut scanner = Scanner::default();
        let last = pieces.iter().map(|piece| scanner.feed(piece.as_bytes())).last();
        assert_eq!(last, Some(want), "{pieces:?}");
    }

    #[test]
    fn f36_comments_are_no_progress() {
        check(&[": keep-alive\n\n"], Progress::Nothing);
        check(&[": keep-", "alive\n"], Progress::Nothing);
        check(&["data: {}\n\n", "\n: ping\n"], Progress::Nothing);
        check(&[": ping\ndata: {"], Progress::Content);
        check(&["data: {", "}"], Progress::Content);
    }

    #[test]
    fn f38_done_is_found_wherever_it_is_cut() {
        check(&["data: {}\n\ndata: [DONE]\n\n"], Progress::Done(22));
        check(&["data: [DO", "NE]"], Progress::Done(3));
        check(&["data:[DONE]\n"], Progress::Done(11));
        check(&["data: the text [DONE]\n"], Progress::Content);
    }

    #[test]
    fn f39_data_lines() {
        let lines: Vec<&str> = data_lines("event: x\r\ndata: {\"a\":1}\r\n\r\n: c\ndata:[DONE]\n").collect();
        assert_eq!(lines, ["{\"a\":1}", "[DONE]"]);
    }
}
