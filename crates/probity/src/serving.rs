//! What the servers of this program share: a socket to listen on, and when to stop.

use std::io;
use std::net::SocketAddr;

use probity_engine::platform::{interrupts, terminations};
use tokio::net::{TcpListener, TcpSocket};

/// Advice for a server that cannot listen.
pub(crate) const PORT_TAKEN: &str = "another server may have the port; --port 0 takes a free one";

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 4096;

/// A socket that listens. One that was closed a moment ago does not keep its port.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Ready at Ctrl-C or at a termination request.
pub(crate) fn interrupted() -> io::Result<impl Future<Output = ()>> {
    let (mut terminations, mut interrupts) = (terminations()?, interrupts()?);
    Ok(async move {
        tokio::select! {
            _ = terminations.recv() => {}
            _ = interrupts.recv() => {}
        }
    })
}
