//! From a socket to the router: where the server listens, how many connect, and how long each may take.
//!
//! What always holds: only this machine can connect; every wait and every size before a handler has a bound. What
//! a request means is not known here.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::serving;

/// Connections at a time; later ones wait to be accepted.
const CONNECTIONS_MAX: usize = 512;

/// Bytes of a request before its body.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Headers of a request.
const HEADERS_MAX: usize = 64;

/// The limits in time, as arguments for tests that cannot wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// From the start of a connection, or from the last response, until a request's head is complete.
    pub(super) head: Duration,
    /// How long a request may take from its head on, its body and its answer included.
    pub(super) request: Duration,
    /// How long a connection may be used.
    pub(super) connection: Duration,
    /// How long connections have to end when the server stops.
    pub(super) farewell: Duration,
}

impl Patience {
    /// What the server starts with.
    pub(super) const USUAL: Patience = Patience {
        head: Duration::from_secs(30),
        request: Duration::from_secs(30),
        connection: Duration::from_mins(10),
        farewell: Duration::from_secs(2),
    };
}

/// Ports drawn before one is given up on.
const DRAWS_MAX: usize = 8;

/// Sockets on this machine's own addresses, all on one port: IPv4, and IPv6 where there is one. Port 0 draws one.
pub(super) fn bind(port: u16) -> io::Result<Vec<TcpListener>> {
    let mut tries = if port == 0 { DRAWS_MAX } else { 1 };
    loop {
        tries -= 1;
        let v4 = serving::listen(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))?;
        let port = v4.local_addr()?.port();
        match serving::listen(SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), port)) {
            Ok(v6) => return Ok(vec![v4, v6]),
            // Another server on this port would be `localhost` for half of the browsers.
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && tries > 0 => {}
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(error),
            Err(_) => return Ok(vec![v4]),
        }
    }
}

/// Answers every client until `stop` is ready, then lets those who are connected finish.
pub(super) async fn answer(
    listeners: Vec<TcpListener>,
    router: Router,
    patience: Patience,
    stop: impl Future<Output = ()>,
) {
    let seats = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let (leaving, left) = watch::channel(());
    let mut doors = JoinSet::new();
    for listener in listeners {
        doors.spawn(accept(listener, router.clone(), patience, Arc::clone(&seats), left.clone()));
    }
    stop.await;
    doors.shutdown().await;
    drop(leaving);
    let all = u32::try_from(CONNECTIONS_MAX).expect("the number of connections is small");
    // Connections that take longer are cut off: what was acknowledged is on disk.
    let _cut_off = tokio::time::timeout(patience.farewell, seats.acquire_many(all)).await;
}

async fn accept(
    listener: TcpListener,
    router: Router,
    patience: Patience,
    seats: Arc<Semaphore>,
    left: watch::Receiver<()>,
) {
    /// The pause after a connection could not be accepted, mostly because too many files are open.
    const AGAIN: Duration = Duration::from_millis(10);
    while let Ok(seat) = Arc::clone(&seats).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let talk = converse(stream, router.clone(), patience, left.clone());
                tokio::spawn(async move {
                    talk.await;
                    drop(seat);
                });
            }
            Err(_) => tokio::time::sleep(AGAIN).await,
        }
    }
}

/// One connection, from its first byte to its last.
async fn converse(stream: TcpStream, router: Router, patience: Patience, mut left: watch::Receiver<()>) {
    // A page is one write; waiting for more to send only delays it.
    let _slower = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        _ended = connection.as_mut() => return,
        () = tokio::time::sleep(patience.connection) => {}
        _stopping = left.changed() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _cut_off = tokio::time::timeout(patience.head, connection).await;
}
