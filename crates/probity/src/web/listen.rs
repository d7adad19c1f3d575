//! From a socket to the router: where the server listens, how many connect, and how long each may take.
//!
//! What always holds: who may not reach the server is turned away before a byte is read; every wait and every size
//! before a handler has a bound. What a request means is not known here.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::reach::Reach;
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

/// The address that a connection comes from, which every request carries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

/// Ports drawn before one is given up on.
const DRAWS_MAX: usize = 8;

/// Sockets where the server is to listen: at the address that was named, or on this machine's own addresses, all on one
/// port: IPv4, and IPv6 where there is one. Port 0 draws one.
pub(super) fn bind(reach: &Reach) -> io::Result<Vec<TcpListener>> {
    if let Some(address) = reach.listen {
        return Ok(vec![serving::listen(SocketAddr::new(address, reach.port))?]);
    }
    let port = reach.port;
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
    reach: Arc<Reach>,
    patience: Patience,
    stop: impl Future<Output = ()>,
) {
    let seats = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let (leaving, left) = watch::channel(());
    let mut doors = JoinSet::new();
    for listener in listeners {
        let talk = Talk { router: router.clone(), reach: Arc::clone(&reach), patience, left: left.clone() };
        doors.spawn(accept(listener, talk, Arc::clone(&seats)));
    }
    stop.await;
    doors.shutdown().await;
    drop(leaving);
    let all = u32::try_from(CONNECTIONS_MAX).expect("the number of connections is small");
    // Connections that take longer are cut off: what was acknowledged is on disk.
    let _cut_off = tokio::time::timeout(patience.farewell, seats.acquire_many(all)).await;
}

/// What every connection needs.
#[derive(Clone)]
struct Talk {
    router: Router,
    reach: Arc<Reach>,
    patience: Patience,
    left: watch::Receiver<()>,
}

async fn accept(listener: TcpListener, talk: Talk, seats: Arc<Semaphore>) {
    /// The pause after a connection could not be accepted, mostly because too many files are open.
    const AGAIN: Duration = Duration::from_millis(10);
    while let Ok(seat) = Arc::clone(&seats).acquire_owned().await {
        match listener.accept().await {
            Ok((_, peer)) if talk.reach.refuses(peer.ip()) => {}
            Ok((stream, peer)) => {
                let talk = talk.clone();
                tokio::spawn(async move {
                    secured(stream, Peer(peer.ip()), talk).await;
                    drop(seat);
                });
            }
            Err(_) => tokio::time::sleep(AGAIN).await,
        }
    }
}

/// One connection, from its first byte on; by TLS where that is the server's own.
async fn secured(stream: TcpStream, peer: Peer, talk: Talk) {
    // A page is one write; waiting for more to send only delays it.
    let _slower = stream.set_nodelay(true);
    let Some(tls) = talk.reach.tls.clone() else { return converse(stream, peer, talk).await };
    let greeting = TlsAcceptor::from(tls).accept(stream);
    if let Ok(Ok(stream)) = tokio::time::timeout(talk.patience.head, greeting).await {
        converse(stream, peer, talk).await;
    }
}

async fn converse<S>(stream: S, peer: Peer, talk: Talk)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Talk { router, patience, mut left, .. } = talk;
    let inner = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(peer);
        inner.call(request)
    });
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
