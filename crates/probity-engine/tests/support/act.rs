//! What a scripted server can do with a request, from a clean answer to every way of breaking one.

use std::io;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::http2::{self, Refusal};

/// One thing to do with a request.
#[derive(Debug, Clone)]
pub enum Act {
    /// A proper response with its length; the connection stays open.
    Respond {
        /// The HTTP status.
        status: u16,
        /// Further headers.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// Waits, then does the other act.
    After(Duration, Box<Act>),
    /// Waits until the gate is open, then does the other act.
    WhenOpen(tokio::sync::watch::Receiver<bool>, Box<Act>),
    /// These bytes exactly, then a clean close.
    Raw(Vec<u8>),
    /// The connection is reset without a byte.
    ResetBeforeByte,
    /// The connection is closed cleanly without a byte.
    CloseBeforeByte,
    /// A head that promises `promised` bytes, then `sent`, then a reset.
    PartialThenReset {
        /// The length in the head.
        promised: usize,
        /// What is sent of the body.
        sent: Vec<u8>,
    },
    /// Nothing, for ever.
    NeverAnswer,
    /// These bytes (head included), then nothing, for ever.
    StallAfter(Vec<u8>),
    /// A head, then the body again and again with a pause before each, for ever.
    Drip {
        /// The head, with the blank line after it.
        head: Vec<u8>,
        /// The piece that is repeated.
        piece: Vec<u8>,
        /// The pause before each.
        pause: Duration,
    },
    /// A head that promises more (or less) than the body has, then a clean close.
    WrongLength {
        /// The length in the head.
        promised: usize,
        /// The whole body.
        body: Vec<u8>,
    },
    /// A chunked body whose second chunk has no length.
    BadChunk,
    /// A compressed body that is not compressed.
    BadGzip,
    /// A body without length that never ends, as fast as the client reads.
    Endless,
    /// A small compressed body that is `decoded_bytes` of zeros when it is read.
    GzipBomb {
        /// Its size when read.
        decoded_bytes: usize,
    },
    /// An event stream that ends with `data: [DONE]`, and a connection that stays open.
    KeepOpenAfterDone {
        /// The events before the end.
        events: Vec<u8>,
    },
    /// An event stream that stalls after `events`, with comment lines that keep coming.
    SseComments {
        /// The events before the stall.
        events: Vec<u8>,
        /// The pause before each comment line.
        pause: Duration,
    },
    /// An HTTP/2 server that refuses the stream.
    Http2(Refusal),
}

/// Whether the connection can carry another request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It can.
    KeepOpen,
    /// It is done with.
    Close,
}

/// A 200 response with this JSON.
pub fn http_ok(body: &str) -> Act {
    Act::respond(200, &[("content-type", "application/json")], body)
}

/// The head of an event stream.
pub fn sse_head() -> Vec<u8> {
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n".to_vec()
}

impl Act {
    /// A response with these headers.
    pub fn respond(status: u16, headers: &[(&str, &str)], body: &str) -> Act {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Act::Respond { status, headers, body: body.as_bytes().to_vec() }
    }

    /// Does it. A client that is gone is no failure of the server.
    pub async fn perform(self, socket: &mut TcpStream) -> Next {
        match self {
            Act::Respond { status, headers, body } => {
                match socket.write_all(&response(status, &headers, &body)).await {
                    Ok(()) => Next::KeepOpen,
                    Err(_) => Next::Close,
                }
            }
            Act::After(pause, act) => {
                tokio::time::sleep(pause).await;
                Box::pin(act.perform(socket)).await
            }
            Act::WhenOpen(mut gate, act) => {
                // A gate that nobody can open any more is as good as open.
                drop(gate.wait_for(|open| *open).await);
                Box::pin(act.perform(socket)).await
            }
            other => {
                let _client_gone = other.misbehave(socket).await;
                Next::Close
            }
        }
    }

    async fn misbehave(self, socket: &mut TcpStream) -> io::Result<()> {
        match self {
            Act::Respond { .. } | Act::After(..) | Act::WhenOpen(..) => unreachable!("these behave"),
            Act::Raw(bytes) => finish(socket, &bytes).await,
            Act::ResetBeforeByte => socket.set_zero_linger(),
            Act::CloseBeforeByte => Ok(()),
            Act::PartialThenReset { promised, sent } => {
                socket.write_all(&with_length(promised, &sent)).await?;
                socket.flush().await?;
                // A reset overtakes bytes that the client has not read yet.
                tokio::time::sleep(Duration::from_millis(20)).await;
                socket.set_zero_linger()
            }
            Act::NeverAnswer => std::future::pending().await,
            Act::StallAfter(bytes) => stall(socket, &bytes).await,
            Act::Drip { head, piece, pause } => drip(socket, &head, &piece, pause).await,
            Act::WrongLength { promised, body } => finish(socket, &with_length(promised, &body)).await,
            Act::BadChunk => {
                let chunks =
                    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{\"a\"\r\nzz\r\n:1}\r\n";
                finish(socket, chunks.as_bytes()).await
            }
            Act::BadGzip => {
                let head =
                    "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 12\r\n\r\nnot gzip at ";
                finish(socket, head.as_bytes()).await
            }
            Act::Endless => {
                drip(socket, b"HTTP/1.1 200 OK\r\n\r\n", &vec![b'x'; 64 * 1024], Duration::ZERO).await
            }
            Act::GzipBomb { decoded_bytes } => finish(socket, &gzip_bomb(decoded_bytes)).await,
            Act::KeepOpenAfterDone { events } => {
                stall(socket, &[sse_head(), events, b"data: [DONE]\n\n".to_vec()].concat()).await
            }
            Act::SseComments { events, pause } => {
                drip(socket, &[sse_head(), events].concat(), b": keep-alive\n\n", pause).await
            }
            Act::Http2(refusal) => http2::refuse(socket, refusal).await,
        }
    }
}

fn response(status: u16, headers: &[(String, String)], body: &[u8]) -> Vec<u8> {
    let extra =
        headers.iter().fold(String::new(), |lines, (name, value)| lines + name + ": " + value + "\r\n");
    let head = format!("HTTP/1.1 {status} Scripted\r\ncontent-length: {}\r\n{extra}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn with_length(promised: usize, body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {promised}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

async fn finish(socket: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    socket.write_all(bytes).await?;
    socket.shutdown().await
}

async fn stall(socket: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    socket.write_all(bytes).await?;
    std::future::pending().await
}

async fn drip(socket: &mut TcpStream, head: &[u8], piece: &[u8], pause: Duration) -> io::Result<()> {
    socket.write_all(head).await?;
    loop {
        tokio::time::sleep(pause).await;
        socket.write_all(piece).await?;
    }
}

/// Zeros, compressed as they are made, so that the server needs no memory for them either.
fn gzip_bomb(decoded_bytes: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut zeros = io::Read::take(io::repeat(0), decoded_bytes as u64);
    io::copy(&mut zeros, &mut encoder).expect("a vector takes every byte");
    let body = encoder.finish().expect("a vector takes every byte");
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), &body].concat()
}
