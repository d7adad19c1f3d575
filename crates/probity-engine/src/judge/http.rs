//! One HTTP exchange: a body goes out, a whole response or a named fault comes back.
//!
//! Nothing is retried or redirected here, and nothing interpreted but whether a status is an error. Every call ends: four clocks run (connecting, first
//! byte, silence, the whole call) and the decoded body is capped while it arrives, so neither a hanging
//! nor a flooding server holds a call or memory for longer than the limits say. All clocks are monotonic:
//! a suspended machine or a changed wall clock cannot stretch or cut them.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Client, Method, RequestBuilder, Url};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};

use super::event_stream::{Progress, Scanner};
use super::fault::{Phase, transport_fault};
use super::room::{AnswerRoom, Rooms, SMALL_BYTES_MAX};
use super::{CallLimits, CallOutcome, Reception, Response, TransportFault};

/// How many streams one HTTP/2 connection carries at most. Servers commonly refuse more.
const STREAMS_PER_CONNECTION_MAX: usize = 100;

/// How long an unused connection is kept. Shorter than what servers commonly keep, so that a request
/// seldom meets a connection that is just being closed.
const IDLE_CONNECTION_KEPT: Duration = Duration::from_secs(50);

/// How calls share connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// HTTP/1.1: one connection per call in flight, reused afterwards.
    Http1,
    /// HTTP/2 and nothing else, for servers known to speak it.
    Http2 {
        /// How many connections; each carries at most 100 calls at a time, further calls wait their turn.
        shards: NonZeroUsize,
    },
}

/// How calls reach their host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transit {
    /// Encrypted to the host, whose certificate one of the system's authorities vouches for; through the proxy that
    /// the environment names, if it does.
    Encrypted,
    /// In the clear, and never through a proxy, which would read keys and cases. No certificate is needed; reading
    /// the system's authorities takes longer than the rest of a short command.
    Direct,
}

impl Transit {
    /// How calls reach the host of `url`.
    pub fn to(url: &Url) -> Transit {
        if url.scheme() == "http" { Transit::Direct } else { Transit::Encrypted }
    }
}

/// Makes calls within their limits. Cheap to clone; clones share connections.
#[derive(Debug, Clone)]
pub struct HttpClient {
    limits: CallLimits,
    shards: Arc<[Shard]>,
    rooms: Rooms,
    next: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Shard {
    client: Client,
    streams: Semaphore,
}

/// The HTTP client could not be set up.
#[derive(Debug, thiserror::Error)]
#[error("could not set up the http client")]
pub struct BadHttpClient {
    source: reqwest::Error,
}

impl HttpClient {
    /// A client whose calls keep to `limits`. Proxies are those of the usual environment variables.
    pub fn new(limits: CallLimits, pool: Pool, transit: Transit) -> Result<Self, BadHttpClient> {
        // Another part of the process may have chosen a provider already; then that one is used.
        let _already_installed = rustls::crypto::ring::default_provider().install_default();
        let n_shards = match pool {
            Pool::Http1 => 1,
            Pool::Http2 { shards } => shards.get(),
        };
        let shards =
            (0..n_shards).map(|_| Shard::new(limits, pool, transit)).collect::<Result<Vec<_>, _>>()?;
        let rooms = Rooms::new(limits.body_bytes_max);
        Ok(HttpClient { limits, shards: shards.into(), rooms, next: Arc::new(AtomicUsize::new(0)) })
    }

    /// Sends `body` to `url` and waits for the whole response, whatever its status.
    pub async fn post(&self, url: &Url, headers: HeaderMap, body: Vec<u8>) -> Reception {
        self.send(|client| client.post(url.clone()).headers(headers).body(body)).await
    }

    /// Asks for what is at `url`, and waits as for any response.
    pub async fn get(&self, url: &Url, headers: HeaderMap) -> Reception {
        self.send(|client| client.get(url.clone()).headers(headers)).await
    }

    /// Sends a request by any method, and waits as for any response.
    pub async fn exchange(&self, method: Method, url: &Url, headers: HeaderMap, body: Vec<u8>) -> Reception {
        self.send(|client| client.request(method, url.clone()).headers(headers).body(body)).await
    }

    /// Asks for what is at `url`, to be taken piece by piece. What is no success is received whole.
    pub async fn download(&self, url: &Url, headers: HeaderMap) -> Result<Download, Reception> {
        let (client, _stream) = self.shards[0].stream().await;
        let clocks = Clocks::start(self.limits);
        let (until, late) = (later(clocks.started, self.limits.first_byte), self.limits.first_byte);
        let outcome = match timeout_at(until, client.get(url.clone()).headers(headers).send()).await {
            Ok(Ok(response)) if response.status().is_success() => {
                return Ok(Download { response, limits: self.limits });
            }
            Ok(Ok(response)) => receive(response, &clocks, (&self.rooms, &mut AnswerRoom::default())).await,
            Ok(Err(error)) => broken(transport_fault(error, Phase::Head, self.limits.connect), Vec::new()),
            Err(_) => broken(TransportFault::FirstByteTimeout(late), Vec::new()),
        };
        Err(Reception { outcome, elapsed: clocks.started.elapsed(), room: AnswerRoom::default() })
    }

    async fn send(&self, request: impl FnOnce(&Client) -> RequestBuilder) -> Reception {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % self.shards.len();
        let (client, _stream) = self.shards[turn].stream().await;
        let clocks = Clocks::start(self.limits);
        let request = request(client);
        let mut room = AnswerRoom::default();
        let outcome = exchange(request, &clocks, (&self.rooms, &mut room)).await;
        Reception { outcome, elapsed: clocks.started.elapsed(), room }
    }
}

/// A body that is taken piece by piece, so that it may be larger than memory. Its reader bounds what it keeps.
#[derive(Debug)]
pub struct Download {
    response: reqwest::Response,
    limits: CallLimits,
}

impl Download {
    /// The next piece; `None` where the body is whole. A body that ends too early is a fault.
    pub async fn piece(&mut self) -> Result<Option<Vec<u8>>, TransportFault> {
        let idle = self.limits.idle;
        match timeout_at(later(Instant::now(), idle), self.response.chunk()).await {
            Ok(Ok(piece)) => Ok(piece.map(Into::into)),
            Ok(Err(error)) => Err(transport_fault(error, Phase::Body, self.limits.connect)),
            Err(_) => Err(TransportFault::IdleTimeout(idle)),
        }
    }
}

impl Shard {
    fn new(limits: CallLimits, pool: Pool, transit: Transit) -> Result<Self, BadHttpClient> {
        let builder = Client::builder()
            .user_agent(concat!("probity/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(limits.connect)
            .pool_max_idle_per_host(usize::MAX)
            .pool_idle_timeout(IDLE_CONNECTION_KEPT)
            .tcp_nodelay(true);
        let (builder, streams) = match pool {
            Pool::Http1 => (builder.http1_only(), Semaphore::MAX_PERMITS),
            Pool::Http2 { .. } => (builder.http2_prior_knowledge(), STREAMS_PER_CONNECTION_MAX),
        };
        let builder = match transit {
            Transit::Encrypted => builder,
            Transit::Direct => builder.no_proxy().tls_certs_only([]),
        };
        let client = builder.build().map_err(|source| BadHttpClient { source: source.without_url() })?;
        Ok(Shard { client, streams: Semaphore::new(streams) })
    }

    async fn stream(&self) -> (&Client, SemaphorePermit<'_>) {
        let permit = self.streams.acquire().await.expect("the semaphore is never closed");
        (&self.client, permit)
    }
}

/// The clocks of one call.
struct Clocks {
    limits: CallLimits,
    started: Instant,
    deadline: Instant,
}

impl Clocks {
    fn start(limits: CallLimits) -> Self {
        let started = Instant::now();
        Clocks { limits, started, deadline: later(started, limits.total) }
    }

    /// When to stop waiting if a step that began at `since` may take `step`, and the fault if it does.
    fn step(&self, since: Instant, step: Duration, fault: TransportFault) -> (Instant, TransportFault) {
        let end = later(since, step);
        if end < self.deadline {
            (end, fault)
        } else {
            (self.deadline, TransportFault::TotalTimeout(self.limits.total))
        }
    }
}

/// `since` plus `step`; a step too long to count ends in thirty years.
fn later(since: Instant, step: Duration) -> Instant {
    const FAR: Duration = Duration::from_hours(30 * 365 * 24);
    since + step.min(FAR)
}

async fn exchange(
    request: RequestBuilder,
    clocks: &Clocks,
    memory: (&Rooms, &mut AnswerRoom),
) -> CallOutcome {
    let limits = clocks.limits;
    let (until, late) =
        clocks.step(clocks.started, limits.first_byte, TransportFault::FirstByteTimeout(limits.first_byte));
    match timeout_at(until, request.send()).await {
        Ok(Ok(response)) => receive(response, clocks, memory).await,
        Ok(Err(error)) => broken(transport_fault(error, Phase::Head, limits.connect), Vec::new()),
        Err(_) => broken(late, Vec::new()),
    }
}

/// The response with its body. An error status is reported as one however its body ends: too large a body is kept
/// in part, and so is one that breaks off.
async fn receive(
    mut response: reqwest::Response,
    clocks: &Clocks,
    memory: (&Rooms, &mut AnswerRoom),
) -> CallOutcome {
    let is_success = response.status().is_success();
    let status = response.status().as_u16();
    let headers = header_texts(response.headers());
    let mut body = Body::new(&headers, clocks.limits.body_bytes_max);
    match fill(&mut body, &mut response, clocks, memory).await {
        Err(fault) if is_success => broken(fault, body.bytes),
        Ok(()) | Err(_) => CallOutcome::Response(Response { status, headers, body: body.bytes }),
    }
}

/// Takes the pieces of a body until it ends.
async fn fill(
    body: &mut Body,
    response: &mut reqwest::Response,
    clocks: &Clocks,
    (rooms, room): (&Rooms, &mut AnswerRoom),
) -> Result<(), TransportFault> {
    let limits = clocks.limits;
    let mut last_piece = Instant::now();
    loop {
        let (until, late) = clocks.step(last_piece, limits.idle, TransportFault::IdleTimeout(limits.idle));
        let piece = match timeout_at(until, response.chunk()).await {
            Ok(Ok(Some(piece))) => piece,
            Ok(Ok(None)) => return Ok(()),
            Ok(Err(error)) => return Err(transport_fault(error, Phase::Body, limits.connect)),
            Err(_) => return Err(late),
        };
        if room.is_needed(body.bytes.len() + piece.len()) {
            // Waiting for memory is no silence of the server; only the clock of the whole call runs on.
            match timeout_at(clocks.deadline, rooms.take()).await {
                Ok(taken) => *room = taken,
                Err(_) => return Err(TransportFault::TotalTimeout(limits.total)),
            }
            last_piece = Instant::now();
        }
        match body.add(&piece)? {
            Progress::Nothing => {}
            Progress::Content => last_piece = Instant::now(),
            Progress::Done(_) => return Ok(()),
        }
    }
}

/// A body as it arrives. It never holds more than its cap.
struct Body {
    bytes: Vec<u8>,
    bytes_max: usize,
    events: Option<Scanner>,
}

impl Body {
    fn new(headers: &[(String, String)], bytes_max: usize) -> Self {
        let content_type = headers.iter().find(|(name, _)| name == "content-type");
        let streams = content_type.is_some_and(|(_, value)| value.trim().starts_with("text/event-stream"));
        Body { bytes: Vec::new(), bytes_max, events: streams.then(Scanner::default) }
    }

    fn add(&mut self, piece: &[u8]) -> Result<Progress, TransportFault> {
        let progress = match &mut self.events {
            Some(scanner) => scanner.feed(piece),
            None => Progress::Content,
        };
        let piece = match progress {
            Progress::Done(end) => &piece[..end],
            Progress::Nothing | Progress::Content => piece,
        };
        let room = self.bytes_max - self.bytes.len();
        self.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() <= room {
            return Ok(progress);
        }
        self.bytes.truncate(SMALL_BYTES_MAX);
        Err(TransportFault::TooLarge(self.bytes_max))
    }
}

fn header_texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes()))).collect()
}

fn broken(fault: TransportFault, partial: Vec<u8>) -> CallOutcome {
    CallOutcome::Broken { fault, partial }
}
