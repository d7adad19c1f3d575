//! HTTP/1.1 on a bare socket: requests are read by the rules, responses may break every one of them.
//!
//! A server library would not let a response lie about its length or stop before its first byte, so both
//! directions are written out here. Requests may come with a length or in chunks, one after another on the
//! same connection; what they may hold is bounded.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The longest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// The longest body of a request, in bytes.
const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long a client has to read what came before a reset; a reset overtakes unread bytes.
const READ_BEFORE_RESET: Duration = Duration::from_millis(20);

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpRequest {
    /// The method, such as `POST`.
    pub(crate) method: String,
    /// The path without its query.
    pub(crate) path: String,
    /// The query, without its mark.
    pub(crate) query: String,
    /// The key that came with it, in whichever header.
    pub(crate) key: String,
    /// The type of the body.
    pub(crate) content_type: String,
    /// The body.
    pub(crate) body: Vec<u8>,
    /// What the client wants to do with the connection.
    pub(crate) next: Next,
}

/// Whether a connection carries another request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// It does.
    Keep,
    /// It is done with.
    Close,
}

/// Why there is no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoRequest {
    /// The client is gone.
    Gone,
    /// What came is answered with this status and nothing more.
    Status(u16),
}

/// A response by the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HttpResponse {
    /// The status.
    pub(crate) status: u16,
    /// Headers besides the length.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl HttpResponse {
    /// A response with a body of JSON.
    pub(crate) fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        HttpResponse { status, headers, body: body.into() }
    }

    /// The same response with one more header.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Every byte of it.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = head(self.status, &self.headers, Some(self.body.len()));
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// The head of a response, blank line included. `length` may be a lie.
pub(crate) fn head(status: u16, headers: &[(&'static str, String)], length: Option<usize>) -> Vec<u8> {
    let phrase = if status == 200 { "OK" } else { "Mock" };
    let mut head = format!("HTTP/1.1 {status} {phrase}\r\n");
    for (name, value) in headers {
        head.push_str(name);
        head.push_str(": ");
        head.push_str(value);
        head.push_str("\r\n");
    }
    if let Some(length) = length {
        head.push_str(&format!("content-length: {length}\r\n"));
    }
    head.push_str("\r\n");
    head.into_bytes()
}

/// What is done with the connection to answer a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WireAct {
    /// The status that the client sees, if it sees one.
    pub(crate) status: Option<u16>,
    /// What is sent, whether or not it is a response by the rules.
    pub(crate) bytes: Vec<u8>,
    /// What follows.
    pub(crate) then: Then,
}

impl From<HttpResponse> for WireAct {
    fn from(response: HttpResponse) -> WireAct {
        WireAct { status: Some(response.status), bytes: response.bytes(), then: Then::Keep }
    }
}

/// What follows the bytes of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Then {
    /// The next request on the same connection.
    Keep,
    /// The connection is closed as usual.
    Close,
    /// The connection is reset.
    Reset,
    /// Nothing, until the client leaves.
    Silence,
    /// This piece again and again, with a pause before each, until the client leaves.
    Repeat {
        /// The piece.
        piece: Vec<u8>,
        /// The pause before each.
        every: Duration,
    },
}

impl WireAct {
    /// Whether the client is left with something and not kept waiting.
    pub(crate) fn ends_the_call(&self) -> bool {
        !matches!(self.then, Then::Silence | Then::Repeat { .. })
    }
}

/// A client's connection.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: TcpStream,
    unread: Vec<u8>,
}

impl Connection {
    /// A connection that was just accepted.
    pub(crate) fn new(socket: TcpStream) -> Self {
        // Answers are written whole, so nothing is gained by waiting for more; it only costs on old kernels.
        let _only_slower = socket.set_nodelay(true);
        Connection { socket, unread: Vec::new() }
    }

    /// Waits for the next request.
    pub(crate) async fn receive(&mut self) -> Result<HttpRequest, NoRequest> {
        let head_end = self.find(b"\r\n\r\n", 431).await?;
        let head = std::str::from_utf8(&self.unread[..head_end]).map_err(|_| NoRequest::Status(400))?;
        let head = Head::parse(head).ok_or(NoRequest::Status(400))?;
        self.unread.drain(..head_end + 4);
        if head.expects_continue {
            self.socket.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.map_err(|_| NoRequest::Gone)?;
        }
        let body = match head.body {
            BodyLength::Bytes(n) if n > BODY_BYTES_MAX => return Err(NoRequest::Status(413)),
            BodyLength::Bytes(n) => self.take(n).await?,
            BodyLength::Chunks => self.chunks().await?,
        };
        let Head { method, path, query, key, content_type, next, .. } = head;
        Ok(HttpRequest { method, path, query, key, content_type, body, next })
    }

    async fn chunks(&mut self) -> Result<Vec<u8>, NoRequest> {
        let mut body = Vec::new();
        loop {
            let line_end = self.find(b"\r\n", 400).await?;
            let line = String::from_utf8_lossy(&self.unread[..line_end]);
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(|_| NoRequest::Status(400))?;
            self.unread.drain(..line_end + 2);
            if size > BODY_BYTES_MAX - body.len() {
                return Err(NoRequest::Status(413));
            }
            if size == 0 {
                break;
            }
            body.extend(self.take(size).await?);
            if self.take(2).await? != b"\r\n" {
                return Err(NoRequest::Status(400));
            }
        }
        // Trailers end with a blank line.
        loop {
            let line_end = self.find(b"\r\n", 431).await?;
            self.unread.drain(..line_end + 2);
            if line_end == 0 {
                return Ok(body);
            }
        }
    }

    /// Where `mark` begins in what is unread, reading until it is there.
    async fn find(&mut self, mark: &[u8], else_status: u16) -> Result<usize, NoRequest> {
        let mut from = 0;
        loop {
            let found = self.unread[from..].windows(mark.len()).position(|window| window == mark);
            if let Some(at) = found {
                return Ok(from + at);
            }
            if self.unread.len() > HEAD_BYTES_MAX {
                return Err(NoRequest::Status(else_status));
            }
            from = (self.unread.len() + 1).saturating_sub(mark.len());
            self.read_more().await?;
        }
    }

    async fn take(&mut self, n_bytes: usize) -> Result<Vec<u8>, NoRequest> {
        while self.unread.len() < n_bytes {
            self.read_more().await?;
        }
        let rest = self.unread.split_off(n_bytes);
        Ok(std::mem::replace(&mut self.unread, rest))
    }

    async fn read_more(&mut self) -> Result<(), NoRequest> {
        self.unread.reserve(4096);
        match self.socket.read_buf(&mut self.unread).await {
            Ok(n) if n > 0 => Ok(()),
            _ => Err(NoRequest::Gone),
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> Next {
        match self.socket.write_all(bytes).await {
            Ok(()) => Next::Keep,
            Err(_) => Next::Close,
        }
    }

    /// Answers. A client that is gone is no failure of the server.
    pub(crate) async fn perform(&mut self, act: WireAct) -> Next {
        if self.write(&act.bytes).await == Next::Close {
            return Next::Close;
        }
        match act.then {
            Then::Keep => return Next::Keep,
            Then::Close => {
                let _client_gone = self.socket.shutdown().await;
            }
            Then::Reset => {
                if !act.bytes.is_empty() {
                    tokio::time::sleep(READ_BEFORE_RESET).await;
                }
                let _closed_as_usual = self.socket.set_zero_linger();
            }
            Then::Silence => self.until_gone().await,
            Then::Repeat { piece, every } => self.repeat(&piece, every).await,
        }
        Next::Close
    }

    async fn until_gone(&mut self) {
        while self.read_more().await.is_ok() {
            self.unread.clear();
        }
    }

    async fn repeat(&mut self, piece: &[u8], every: Duration) {
        loop {
            if !every.is_zero() {
                tokio::select! {
                    () = self.until_gone() => return,
                    () = tokio::time::sleep(every) => {}
                }
            }
            if self.write(piece).await == Next::Close {
                return;
            }
        }
    }
}

/// The head of a request, as far as it matters here.
struct Head {
    method: String,
    path: String,
    query: String,
    key: String,
    content_type: String,
    body: BodyLength,
    expects_continue: bool,
    next: Next,
}

enum BodyLength {
    Bytes(usize),
    Chunks,
}

impl Head {
    fn parse(text: &str) -> Option<Head> {
        let mut lines = text.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let (method, target, version) = (first.next()?, first.next()?, first.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let next = match version {
            "HTTP/1.1" => Next::Keep,
            "HTTP/1.0" => Next::Close,
            _ => return None,
        };
        let mut head = Head {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            key: String::new(),
            content_type: String::new(),
            body: BodyLength::Bytes(0),
            expects_continue: false,
            next,
        };
        for line in lines {
            let (name, value) = line.split_once(':')?;
            head.header(name, value.trim())?;
        }
        Some(head)
    }

    fn header(&mut self, name: &str, value: &str) -> Option<()> {
        if name.eq_ignore_ascii_case("content-length") {
            if !matches!(self.body, BodyLength::Chunks) {
                self.body = BodyLength::Bytes(value.parse().ok()?);
            }
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            self.body = value.eq_ignore_ascii_case("chunked").then_some(BodyLength::Chunks)?;
        } else if name.eq_ignore_ascii_case("connection") {
            if value.eq_ignore_ascii_case("close") {
                self.next = Next::Close;
            } else if value.eq_ignore_ascii_case("keep-alive") {
                self.next = Next::Keep;
            }
        } else if ["authorization", "x-api-key", "api-key"].iter().any(|key| name.eq_ignore_ascii_case(key)) {
            value.clone_into(&mut self.key);
        } else if name.eq_ignore_ascii_case("content-type") {
            value.clone_into(&mut self.content_type);
        } else if name.eq_ignore_ascii_case("expect") {
            self.expects_continue = value.eq_ignore_ascii_case("100-continue");
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
