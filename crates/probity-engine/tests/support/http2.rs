//! Just enough HTTP/2 to turn a client away: settings, then a refusal.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How the first stream is refused.
#[derive(Debug, Clone, Copy)]
pub enum Refusal {
    /// `RST_STREAM` with `REFUSED_STREAM`.
    RefusedStream,
    /// `GOAWAY` with `NO_ERROR` that names no stream as seen: a server that is being restarted.
    GoAway,
    /// `GOAWAY` with `ENHANCE_YOUR_CALM`.
    EnhanceYourCalm,
}

const SETTINGS: u8 = 4;
const RST_STREAM: u8 = 3;
const GOAWAY: u8 = 7;

/// Greets the client and refuses what it asks, once its first request has arrived.
pub async fn refuse(socket: &mut TcpStream, refusal: Refusal) -> std::io::Result<()> {
    socket.write_all(&frame(SETTINGS, 0, &[])).await?;
    // The request follows the client's own settings; a moment is enough for its headers to arrive here.
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let answer = match refusal {
        Refusal::RefusedStream => frame(RST_STREAM, 1, &7u32.to_be_bytes()),
        Refusal::GoAway => frame(GOAWAY, 0, &[0, 0, 0, 0, 0, 0, 0, 0]),
        Refusal::EnhanceYourCalm => frame(GOAWAY, 0, &[0, 0, 0, 0, 0, 0, 0, 11]),
    };
    socket.write_all(&answer).await?;
    // Closing while the client still sends would reset the connection and hide the frame.
    let mut ignored = [0; 1024];
    while socket.read(&mut ignored).await? > 0 {}
    Ok(())
}

fn frame(kind: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("frames here are tiny").to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, 0];
    frame.extend_from_slice(&stream.to_be_bytes());
    frame.extend_from_slice(payload);
    frame
}
