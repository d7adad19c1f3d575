//! The server over a real socket: requests as bytes, responses as bytes.

mod access;
mod blind;
mod door;
mod fixture;
mod labelling;
mod limits;
mod objects;
mod public;
mod session;

#[path = "../../../tests/it/any_certificate.rs"]
mod any_certificate;

use std::sync::Arc;
use std::time::Duration;

use probity_engine::review::{PersonName, PersonRole, ReviewRoom};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use super::address::ServerAddress;
use super::app::{AppState, ServerPlace, now};
use super::listen::{self, Patience};
use super::reach::{Proxies, Reach};
use super::routes;
use super::shelf::RunSource;

/// Where this variable is set, servers have a public name unless a test is about names.
const IS_PUBLIC: &str = "PROBITY_TEST_PUBLIC";

/// The public name of a server.
const PUBLIC: &str = "https://label.example";

/// A server with a store of its own, until it is dropped.
struct Site {
    port: u16,
    /// What requests have in place of `http://127.0.0.1:PORT`.
    origin: String,
    room: Arc<ReviewRoom>,
    _stop: oneshot::Sender<()>,
    _folder: TempDir,
}

/// A response.
struct Got {
    status: u16,
    head: String,
    body: String,
}

impl Site {
    fn open() -> Site {
        Site::with(Patience::USUAL)
    }

    fn with(patience: Patience) -> Site {
        if std::env::var_os(IS_PUBLIC).is_none() {
            return Site::at(patience, None);
        }
        let site = Site::at(patience, Some(ServerAddress::public(PUBLIC).unwrap()));
        Site { origin: PUBLIC.to_owned(), ..site }
    }

    /// A server with a public name, or with its own on this machine.
    fn at(patience: Patience, public: Option<ServerAddress>) -> Site {
        Site::within(Reach::own(0), patience, public)
    }

    fn within(reach: Reach, patience: Patience, public: Option<ServerAddress>) -> Site {
        let folder = tempfile::tempdir().unwrap();
        let room = Arc::new(ReviewRoom::open(&folder.path().join("store.db")).unwrap());
        let listeners = listen::bind(&reach).unwrap();
        let port = listeners[0].local_addr().unwrap().port();
        let origin = format!("http://127.0.0.1:{port}");
        let address = public.unwrap_or_else(|| ServerAddress::loopback(port));
        let place = ServerPlace { address, proxies: Proxies::of(&["127.0.0.2"]) };
        let app = Arc::new(AppState::new(Arc::clone(&room), RunSource::Store, place, None, patience));
        let (stop, stopped) = oneshot::channel();
        let router = routes::router(&app);
        tokio::spawn(async move {
            listen::answer(listeners, router, Arc::new(reach), patience, async {
                let _ = stopped.await;
            })
            .await;
        });
        Site { port, origin, room, _stop: stop, _folder: folder }
    }

    /// Sends bytes and reads until the server closes. The name on this machine becomes the public one where tests are
    /// made with that.
    async fn raw(&self, bytes: &str) -> Got {
        let host = self.origin.split_once("//").map_or("", |(_, host)| host);
        let own = format!("127.0.0.1:{}", self.port);
        let bytes = bytes.replace(&format!("http://{own}"), &self.origin).replace(&own, host);
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut all = Vec::new();
        tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut all)).await.unwrap().unwrap();
        Got::of(&String::from_utf8(all).unwrap())
    }

    /// Sends a request whose lines after the first are `headers`; `PORT` stands for the port.
    async fn ask(&self, line: &str, headers: &[&str], body: &str) -> Got {
        let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for header in headers {
            text += &format!("{}\r\n", header.replace("PORT", &self.port.to_string()));
        }
        if !body.is_empty() {
            text += &format!("Content-Length: {}\r\n", body.len());
        }
        self.raw(&format!("{text}\r\n{body}")).await
    }

    /// A page, for the session of `cookie`.
    async fn get(&self, path: &str, cookie: &str) -> Got {
        self.ask(&format!("GET {path}"), &["Host: 127.0.0.1:PORT", &format!("Cookie: {cookie}")], "").await
    }

    /// A form sent from a page of the server, in the session of `cookie`.
    async fn post(&self, path: &str, cookie: &str, form: &str) -> Got {
        let cookie = format!("Cookie: {cookie}");
        let headers = [
            "Host: 127.0.0.1:PORT",
            "Origin: http://127.0.0.1:PORT",
            "Sec-Fetch-Site: same-origin",
            "Content-Type: application/x-www-form-urlencoded",
            &cookie,
        ];
        self.ask(&format!("POST {path}"), &headers, form).await
    }

    /// A token for a person.
    async fn token(&self, name: &str, role: PersonRole) -> String {
        let (_, token) = self.room.invite(&PersonName::new(name).unwrap(), role, now()).await.unwrap();
        token.expose().to_owned()
    }

    /// The cookie of a person who has come in.
    async fn cookie(&self, name: &str, role: PersonRole) -> String {
        let token = self.token(name, role).await;
        let got = self.post("/enter", "", &format!("token={token}")).await;
        assert_eq!(got.status, 303, "{}", got.body);
        let cookie = got.header("set-cookie").expect("a cookie");
        cookie.split(';').next().unwrap().to_owned()
    }
}

impl Got {
    fn of(text: &str) -> Got {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Got { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// What every response must have, errors included.
#[track_caller]
fn guarded(got: &Got) {
    let want = [
        ("content-security-policy", super::door::POLICY),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ];
    for (name, value) in want {
        assert_eq!(got.header(name), Some(value), "{name} of\n{}", got.head);
    }
    assert!(got.header("cache-control").is_some(), "{}", got.head);
    assert_eq!(got.header("access-control-allow-origin"), None);
}
