//! Reading requests off a socket: as much HTTP/1.1 as an honest client sends.

use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use super::Request;

/// Reads one request. `unread` keeps what came after it. `None` when the client is gone or talks nonsense.
///
/// The first line of an HTTP/2 client reads as a request with the method `PRI`.
pub async fn read_request(socket: &mut TcpStream, unread: &mut Vec<u8>) -> Option<Request> {
    let head_end = loop {
        if let Some(at) = unread.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        read_more(socket, unread).await?;
    };
    let head = String::from_utf8(unread[..head_end].to_vec()).ok()?;
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let body_start = head_end + 4;
    while unread.len() < body_start + length {
        read_more(socket, unread).await?;
    }
    let body = unread[body_start..body_start + length].to_vec();
    unread.drain(..body_start + length);
    Some(Request { number: 0, connection: 0, method, path, headers, body, at: Duration::ZERO })
}

async fn read_more(socket: &mut TcpStream, unread: &mut Vec<u8>) -> Option<()> {
    let n_read = socket.read_buf(unread).await.ok()?;
    (n_read > 0).then_some(())
}
