//! A server on this machine that answers as scripted, well or badly, and remembers what it was asked.
//!
//! It writes its responses byte by byte over plain TCP, so it can break every rule of HTTP that real
//! servers break. It runs on a thread and a runtime of its own: tests with and without a runtime can use
//! it, and pausing a test's clock does not pause it. It ends when it is dropped. Nothing in here belongs
//! to one test; include it with `#[path = "support/mod.rs"] mod support;` (it needs
//! `tokio`, `serde_json` and `flate2`). [`Act`] lists what the server can do.

#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test binary uses a part of it")]

mod act;
mod http2;
mod postgres;
mod skipped;
mod wire;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

pub use act::{Act, http_ok, sse_head};
pub use http2::Refusal;
pub use postgres::{PrivateServer, Shutdown, Syncs};
pub use skipped::skipped;

/// One request as it arrived.
#[derive(Debug, Clone)]
pub struct Request {
    /// The position in order of arrival, from 0.
    pub number: usize,
    /// Which connection it came on, from 0.
    pub connection: usize,
    /// The method, such as `POST`.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Header names in lower case with their values, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// When its last byte had arrived, counted from the start of the server.
    pub at: Duration,
}

impl Request {
    /// The first header called `name` (lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("the request body is JSON")
    }
}

/// Decides what happens to a request.
type Script = dyn Fn(&Request) -> Act + Send + Sync;

/// The server. Its address is free for this test alone.
pub struct ScriptedServer {
    address: SocketAddr,
    state: Arc<State>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct State {
    script: Box<Script>,
    /// What it answers when it is asked for its models. That is no call, and is not among the requests.
    models: Mutex<String>,
    started: Instant,
    requests: Mutex<Vec<Request>>,
    n_connections: AtomicUsize,
    n_open_calls: AtomicUsize,
    n_open_calls_peak: AtomicUsize,
}

impl ScriptedServer {
    /// A server that asks `script` about each request.
    pub fn with(script: impl Fn(&Request) -> Act + Send + Sync + 'static) -> Self {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a listener can be non-blocking");
        let address = listener.local_addr().expect("a bound listener has an address");
        let state = Arc::new(State {
            script: Box::new(script),
            models: Mutex::new(r#"{"data":[{"id":"gpt-4o-mini"}]}"#.to_owned()),
            started: Instant::now(),
            requests: Mutex::default(),
            n_connections: AtomicUsize::new(0),
            n_open_calls: AtomicUsize::new(0),
            n_open_calls_peak: AtomicUsize::new(0),
        });
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn({
            let state = Arc::clone(&state);
            move || serve(listener, &state, stopped)
        });
        ScriptedServer { address, state, stop: Some(stop), thread: Some(thread) }
    }

    /// A server that does the same for every request.
    pub fn always(act: Act) -> Self {
        Self::with(move |_| act.clone())
    }

    /// A server that does one act after the other; the last one repeats.
    pub fn sequence(acts: Vec<Act>) -> Self {
        assert!(!acts.is_empty(), "a sequence has at least one act");
        Self::with(move |request| acts[request.number.min(acts.len() - 1)].clone())
    }

    /// Answers with this text when it is asked for its models, in place of a list with one.
    pub fn list_models(&self, body: &str) {
        body.clone_into(&mut self.state.models.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// `http://127.0.0.1:…` with `path` after it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.state.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many requests came.
    pub fn n_requests(&self) -> usize {
        self.state.requests.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// How many connections were made.
    pub fn n_connections(&self) -> usize {
        self.state.n_connections.load(Ordering::SeqCst)
    }

    /// The most requests that were being answered at one time.
    pub fn n_open_calls_peak(&self) -> usize {
        self.state.n_open_calls_peak.load(Ordering::SeqCst)
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

fn serve(listener: std::net::TcpListener, state: &Arc<State>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener).expect("a non-blocking listener");
        let accept = async {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(converse(socket, Arc::clone(state)));
            }
        };
        // Either way out drops the runtime, and with it every open connection.
        tokio::select! {
            () = accept => {}
            _ = stopped => {}
        }
    });
}

/// Answers requests on one connection until it ends.
async fn converse(mut socket: TcpStream, state: Arc<State>) {
    let connection = state.n_connections.fetch_add(1, Ordering::SeqCst);
    let _delay_is_no_error = socket.set_nodelay(true);
    let mut unread = Vec::new();
    while let Some(request) = wire::read_request(&mut socket, &mut unread).await {
        if request.method == "GET" && request.path.ends_with("/models") {
            let list = state.models.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if http_ok(&list).perform(&mut socket).await == act::Next::Close {
                return;
            }
            continue;
        }
        let request = state.record(request, connection);
        let act = (state.script)(&request);
        let open = state.n_open_calls.fetch_add(1, Ordering::SeqCst) + 1;
        state.n_open_calls_peak.fetch_max(open, Ordering::SeqCst);
        let next = act.perform(&mut socket).await;
        state.n_open_calls.fetch_sub(1, Ordering::SeqCst);
        if next == act::Next::Close {
            return;
        }
    }
}

impl State {
    fn record(&self, mut request: Request, connection: usize) -> Request {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        request.number = requests.len();
        request.connection = connection;
        request.at = self.started.elapsed();
        requests.push(request.clone());
        request
    }
}
