//! The attacks of the list of web cases on a room with a public name, byte by byte over its own TLS.
//!
//! The same attacks on a room on this machine, and behind a named proxy, are tests of the web module.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use crate::any_certificate::trusting;
use crate::binary::Probity;
use crate::public::{NAME, cases, certificate, free_port};
use crate::web::Started;

const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

/// The longest that an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A room with a public name.
struct PublicRoom {
    probity: Probity,
    room: Started,
    port: u16,
    client: Arc<ClientConfig>,
}

/// What came back, up to the end of the connection.
#[derive(Debug)]
struct Got {
    status: u16,
    head: String,
    body: String,
}

impl Got {
    fn of(text: &str) -> Got {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Got { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// W16: every answer that is the room's own has these.
    #[track_caller]
    fn guarded(self) -> Got {
        let policy = self.header("content-security-policy").unwrap_or_default();
        for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]
        {
            assert!(policy.contains(part), "{part} in {self:?}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(self.header(name), Some(value), "{name} of {}", self.head);
        }
        let shared = self.head.to_lowercase().contains("access-control-");
        assert!(!shared, "nothing is for other origins: {}", self.head);
        self
    }
}

impl PublicRoom {
    fn open() -> PublicRoom {
        let probity = Probity::new().file("cases.jsonl", cases(6));
        let [certificate, key] = certificate(probity.path(".").as_path());
        let port = free_port();
        let (listen, url) = (format!("127.0.0.1:{port}"), format!("https://{NAME}:{port}"));
        let files = [certificate.to_str().unwrap(), key.to_str().unwrap()];
        let words = [
            "cases.jsonl", "--listen", &listen, "--public-url", &url, "--tls-cert", files[0], "--tls-key",
            files[1], "--person", "Ann", "--person", "Ben", "--overlap", "1",
        ];
        let room = Started::of(&probity, "review", words);
        PublicRoom { probity, room, port, client: trusting() }
    }

    /// What comes back for these bytes, sent over TLS.
    fn raw(&self, bytes: &[u8]) -> String {
        let tcp = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        tcp.set_read_timeout(Some(PATIENCE)).unwrap();
        let name = ServerName::try_from(NAME).unwrap();
        let mut tls = StreamOwned::new(ClientConnection::new(Arc::clone(&self.client), name).unwrap(), tcp);
        // A server may hang up before it has read everything.
        let _ = tls.write_all(bytes).and_then(|()| tls.flush());
        let mut all = Vec::new();
        let _ = tls.read_to_end(&mut all);
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Sends a request with these headers; `HOST` in them stands for the room's name with its port.
    fn ask(&self, line: &str, headers: &[&str], body: &str) -> Got {
        let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for header in headers {
            text += &format!("{header}\r\n");
        }
        if !body.is_empty() {
            text += &format!("Content-Length: {}\r\n", body.len());
        }
        let text = text.replace("HOST", &format!("{NAME}:{}", self.port));
        Got::of(&self.raw(format!("{text}\r\n{body}").as_bytes()))
    }

    fn get(&self, path: &str, session: &str) -> Got {
        self.ask(&format!("GET {path}"), &["Host: HOST", session], "").guarded()
    }

    fn post(&self, path: &str, session: &str, form: &str) -> Got {
        let headers = ["Host: HOST", "Origin: https://HOST", "Sec-Fetch-Site: same-origin", FORM, session];
        self.ask(&format!("POST {path}"), &headers, form).guarded()
    }

    /// The header of the session of somebody who has come in.
    fn session(&self, name: &str) -> String {
        let got = self.post("/enter", "X: y", &format!("token={}", self.room.token_of(name)));
        assert_eq!(got.status, 303, "{got:?}");
        format!("Cookie: {}", got.header("set-cookie").unwrap().split(';').next().unwrap())
    }

    fn end(self) {
        self.room.end().code(0);
    }
}

/// Names that are not the room's, `NAME` and `PORT` filled in.
const FOREIGN: &[&str] = &[
    "NAME", "NAME:443", "NAME:80", "NAME:0PORT", "NAME:PORT0", "NAME.:PORT", ".NAME:PORT", "xNAME:PORT",
    "NAME.evil.example:PORT", "evil.example:PORT", "evil.example", "127.0.0.1:PORT", "localhost:PORT",
    "[::1]:PORT", "2130706433:PORT", "user@NAME:PORT", "NAME:PORT@evil.example", "NAME:PORT:PORT",
    "NAME:PORT, evil.example", "evil.example, NAME:PORT", "https://NAME:PORT", "NAME:PORT/",
    "NAME:PORT/enter", "NAME:PORT?x", "x/?a#", "label.example.c\u{f8}m:PORT", "label%2eexample.com:PORT",
    "example.com:PORT", "probity.localhost:PORT", "",
];

#[test]
fn w03_w04_the_public_form_answers_to_its_name_alone() {
    let room = PublicRoom::open();
    let session = room.session("Lena");
    for host in FOREIGN {
        let host = format!("Host: {}", host.replace("NAME", NAME).replace("PORT", &room.port.to_string()));
        for path in ["/enter", "/people", "/assets/none.css"] {
            let got = room.ask(&format!("GET {path}"), &[&host, &session], "");
            assert!([400, 421].contains(&got.status), "{path} with {host}: {got:?}");
            assert!(!got.body.contains("Lena"), "{host}");
        }
    }
    let upper = format!("Host: {}:{}", NAME.to_uppercase(), room.port);
    assert_eq!(room.ask("GET /people", &[&upper, &session], "").guarded().status, 200, "names have no case");
    for headers in [&[][..], &["Host: HOST", "Host: evil.example"], &["Host: evil.example", "Host: HOST"]] {
        assert_eq!(room.ask("GET /people", &[headers, &[&*session]].concat(), "").status, 400, "{headers:?}");
    }
    for (line, want) in [
        ("GET https://evil.example/people", 421),
        ("GET http://127.0.0.1/people", 421),
        ("GET https://HOST/people", 200),
    ] {
        assert_eq!(room.ask(line, &["Host: HOST", &session], "").status, want, "{line}");
    }
    for header in [
        "X-Forwarded-Host: HOST", "Forwarded: host=HOST", "X-Host: HOST", "X-Original-Host: HOST",
        "X-Original-URL: /people", "X-Rewrite-URL: /people", "X-HTTP-Method-Override: POST",
    ] {
        let got = room.ask("GET /people", &["Host: evil.example", header, &session], "");
        assert_eq!(got.status, 421, "{header}");
        assert_eq!(
            room.ask("GET /enter", &["Host: HOST", header], "").status,
            200,
            "{header} decides nothing"
        );
    }
    room.end();
}

#[test]
fn w05_w06_w07_w08_changes_come_from_the_public_form_s_own_pages() {
    let room = PublicRoom::open();
    let session = room.session("Lena");
    let n_people = || room.get("/people", &session).body.matches("/remove\"").count();
    let before = n_people();
    let origins = [
        ("", None),
        ("Origin: https://HOST", Some(true)),
        ("Origin: http://HOST", Some(false)),
        ("Origin: null", Some(false)),
        ("Origin: https://evil.example", Some(false)),
        ("Origin: https://HOST.evil.example", Some(false)),
        ("Origin: https://label.example.com", Some(false)),
        ("Origin: ", Some(false)),
    ];
    let sites = [
        ("", None),
        ("Sec-Fetch-Site: same-origin", Some(true)),
        ("Sec-Fetch-Site: same-site", Some(false)),
        ("Sec-Fetch-Site: cross-site", Some(false)),
        ("Sec-Fetch-Site: none", Some(false)),
    ];
    for (origin, own_origin) in origins {
        for (site, own_site) in sites {
            let said = [own_origin, own_site];
            let is_own = said.contains(&Some(true)) && !said.contains(&Some(false));
            let headers: Vec<&str> = ["Host: HOST", FORM, &session, origin, site]
                .into_iter()
                .filter(|line| !line.is_empty())
                .collect();
            // A name that is refused: what is let in changes nothing here either.
            let got = room.ask("POST /people", &headers, "name=").guarded();
            assert_eq!(got.status, if is_own { 422 } else { 403 }, "{origin} {site}");
        }
    }
    let own = ["Host: HOST", "Origin: https://HOST", "Sec-Fetch-Site: same-origin", &session];
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "post", "GETX"] {
        let got = room.ask(&format!("{method} /people"), &[&own[..], &[FORM]].concat(), "name=Eve");
        assert_eq!(got.status, 405, "{method}");
    }
    for kind in ["text/plain", "application/json", "multipart/form-data; boundary=x", "application/xml", ""] {
        let kind = format!("Content-Type: {kind}");
        let got = room.ask("POST /people", &[&own[..], &[&*kind]].concat(), "name=Eve").guarded();
        assert_eq!(got.status, 415, "{kind}");
    }
    for path in ["/people?name=Eve", "/leave", "/people/1/remove", "/people/metrics", "/queues/1/next"] {
        let got = room.get(path, &session);
        assert!([200, 404, 405].contains(&got.status), "{path}: {}", got.status);
    }
    let bearer = session.replace("Cookie: __Host-probity=", "Authorization: Bearer ");
    assert_eq!(room.get("/people", &bearer).status, 401, "a session is a cookie");
    assert_eq!(n_people(), before, "nobody was added or removed, and the session is there");
    room.end();
}

#[test]
fn w09_w10_w11_w15_w35_sessions_and_links_of_the_public_form() {
    let room = PublicRoom::open();
    let token = room.room.token_of("Lena");
    assert!(token.len() == 64 && token != room.room.token_of("Ann"));
    assert_eq!(room.get(&format!("/enter?token={token}"), "X: y").status, 200, "an address uses nothing up");
    let got = room.post("/enter", "X: y", &format!("token={token}"));
    let cookie = got.header("set-cookie").unwrap().to_owned();
    let parts: Vec<&str> = cookie.split("; ").collect();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Secure"] {
        assert!(parts.contains(&part), "{part} in {cookie}");
    }
    assert!(parts[0].starts_with("__Host-probity=") && !cookie.to_lowercase().contains("domain"), "{cookie}");
    let again = room.post("/enter", "X: y", &format!("token={token}"));
    assert!(again.status == 401 && !again.body.contains(&token), "a link works once");
    let value = parts[0].split_once('=').unwrap().1;
    assert!(value.len() == 64 && value != token);
    for bad in [
        format!("__Host-probity={}", "a".repeat(64)),
        format!("probity={value}"),
        format!("__Secure-probity={value}"),
        format!("probity-{}={value}", room.port),
        format!("__host-probity={value}"),
        format!("__Host-probity={token}"),
        format!("__Host-probity={value}; __Host-probity={}", "a".repeat(64)),
    ] {
        assert_eq!(room.get("/", &format!("Cookie: {bad}")).status, 401, "{bad}");
    }
    let session = format!("Cookie: {}", parts[0]);
    assert_eq!(room.get("/people", &session).status, 200);
    let forwarded = ["Host: HOST", "X-Forwarded-For: 6.6.6.6", "Forwarded: for=6.6.6.6", &session];
    room.ask("GET /people", &forwarded, "");
    let log = room.get("/log", &session).body;
    assert!(log.contains("127.0.0.1") && !log.contains("6.6.6.6"), "no proxy was named");
    assert_eq!(room.post("/leave", &session, "x=1").status, 303);
    assert_eq!(room.get("/people", &session).status, 401, "it has ended for good");
    // Two minutes may meet here, so there are enough for both.
    let wrong: Vec<u16> =
        (0..45).map(|n| room.post("/enter", "X: y", &format!("token={n:064}")).status).collect();
    assert!(wrong.contains(&401) && wrong.contains(&429), "{wrong:?}");
    assert_eq!(room.get("/", &room.session("Ann")).status, 200, "a good link opens");
    for file in room.probity.files() {
        let bytes = std::fs::read(&file).unwrap();
        for secret in [token.as_bytes(), value.as_bytes()] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret), "{}", file.display());
        }
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        let is_own = file.to_string_lossy().contains(".probity");
        assert!(!is_own || mode.trailing_zeros() >= 6, "{} is {mode:o}", file.display());
    }
    let said = room.room.end().code(0).stderr;
    assert!(said.matches(&token).count() == 1 && !said.contains(value), "{said}");
}

/// Every path of the room, with what varies set to 1.
const PATHS: &[(&str, &str)] = &[
    ("GET", "/"),
    ("GET", "/queues"),
    ("GET", "/queues/1"),
    ("GET", "/queues/1/guidelines"),
    ("POST", "/queues/1/next"),
    ("POST", "/queues/1/undo"),
    ("GET", "/items/1"),
    ("POST", "/items/1/label"),
    ("POST", "/items/1/skip"),
    ("POST", "/items/1/reveal"),
    ("POST", "/items/1/cause"),
    ("POST", "/leave"),
];
const PATHS_OF_LEADS: &[(&str, &str)] = &[
    ("GET", "/queues/1/disagreements"),
    ("GET", "/queues/1/agreement"),
    ("GET", "/items/1/settle"),
    ("POST", "/items/1/settle"),
    ("GET", "/runs"),
    ("GET", "/runs/compare"),
    ("GET", "/runs/1"),
    ("GET", "/runs/1/blocks/1"),
    ("GET", "/runs/1/raw/1"),
    ("GET", "/labels.csv"),
    ("GET", "/labels.jsonl"),
    ("GET", "/people"),
    ("POST", "/people"),
    ("POST", "/people/1/remove"),
    ("POST", "/people/metrics"),
    ("POST", "/sessions/1/end"),
    ("GET", "/log"),
    ("GET", "/metrics"),
];

#[test]
fn w12_w13_w16_w23_strangers_and_reviewers_get_what_is_theirs() {
    let room = PublicRoom::open();
    let ask = |(method, path): (&str, &str), session: &str| match method {
        "GET" => room.get(path, session).status,
        _ => room.post(path, session, "name=Eve&revision=0&note=&level.relevance=3&level.tone=4").status,
    };
    for route in PATHS.iter().chain(PATHS_OF_LEADS) {
        assert_eq!(ask(*route, "X: y"), 401, "{route:?}");
    }
    let [ann, ben] = ["Ann", "Ben"].map(|name| room.session(name));
    for route in PATHS_OF_LEADS {
        assert_eq!(ask(*route, &ann), 403, "{route:?}");
    }
    let given = |session: &str| {
        let got = room.post("/queues/1/next", session, "x=1");
        got.header("location").filter(|place| place.starts_with("/items/")).expect("an item").to_owned()
    };
    let (of_ann, of_ben) = (given(&ann), given(&ben));
    assert_ne!(of_ann, of_ben);
    let form = "revision=0&note=secret+of+ann&level.relevance=4&level.tone=2";
    assert_eq!(room.post(&format!("{of_ann}/label"), &ann, form).status, 303);
    for n in ["0", "-1", "1", "2", "3", "4", "5", "6", "7", "99999999999999999999", "1%20OR%201=1", "%00"] {
        let item = format!("/items/{n}");
        if item == of_ben {
            continue;
        }
        let page = room.get(&item, &ben);
        assert!(
            [400, 404].contains(&page.status) && !page.body.contains("secret of ann"),
            "{item}: {page:?}"
        );
        let changed = room.post(&format!("{item}/label"), &ben, form).status;
        assert!([400, 404].contains(&changed), "{item}: {changed}");
    }
    assert!(room.get(&of_ann, &ann).body.contains("secret of ann"), "it is as she left it");
    for name in [
        "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "....//etc/passwd", "%2fetc%2fpasswd", "..",
        "C:%5cwindows%5cwin.ini", "%5c%5chost%5cshare", "review.css%00.html", "%c0%ae%c0%ae%c0%afetc",
        "../../cases.jsonl",
    ] {
        let got = room.get(&format!("/assets/{name}"), &ann);
        assert!([400, 404].contains(&got.status) && !got.body.contains("root:"), "{name}: {got:?}");
    }
    room.end();
}

/// Requests that two readers could take for different ones.
const AMBIGUOUS: &[&str] = &[
    "Content-Length: 7\r\nContent-Length: 70\r\n\r\ntoken=x",
    "Content-Length: 7, 70\r\n\r\ntoken=x",
    "Content-Length: +7\r\n\r\ntoken=x",
    "Content-Length: -7\r\n\r\ntoken=x",
    "Content-Length: 0x7\r\n\r\ntoken=x",
    "Content-Length: 99999999999999999999999\r\n\r\ntoken=x",
    "Transfer-Encoding: chunked, identity\r\n\r\n7\r\ntoken=x\r\n0\r\n\r\n",
    "Transfer-Encoding: xchunked\r\n\r\n7\r\ntoken=x\r\n0\r\n\r\n",
    "Content-Length : 7\r\n\r\ntoken=x",
    "X: a\r\n folded: b\r\nContent-Length: 7\r\n\r\ntoken=x",
    "X\0: a\r\nContent-Length: 7\r\n\r\ntoken=x",
];

#[test]
fn w20_requests_that_are_too_much_or_mean_two_things_are_refused() {
    let room = PublicRoom::open();
    let session = room.session("Lena");
    let host = format!("{NAME}:{}", room.port);
    let hidden = format!("GET /people HTTP/1.1\r\nHost: {host}\r\n\r\n");
    for request in AMBIGUOUS {
        let head = format!(
            "POST /enter HTTP/1.1\r\nHost: {host}\r\nOrigin: https://{host}\r\n{session}\r\n{FORM}\r\n"
        );
        let got = room.raw(format!("{head}{request}{hidden}").as_bytes());
        assert!(got.is_empty() || Got::of(&got).status == 400, "{request:?}: {got}");
        assert!(
            got.matches("HTTP/1.1 ").count() <= 1,
            "what hides behind it is not looked at: {request:?}: {got}"
        );
    }
    // A request with two lengths is read by one rule, and the one behind it has no session of its own.
    let both = format!(
        "POST /leave HTTP/1.1\r\nHost: {host}\r\nOrigin: https://{host}\r\n{FORM}\r\nContent-Length: 4\r\n\
         Transfer-Encoding: chunked\r\n{session}\r\n\r\n0\r\n\r\nGET /people HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    );
    assert!(!room.raw(both.as_bytes()).contains("Lena"));
    let long = format!("X: {}", "a".repeat(40_000));
    // A connection that is closed with bytes unread is reset, and the answer may be lost with it.
    let is_refused = |got: &Got| [0, 414, 431].contains(&got.status);
    assert!(is_refused(&room.ask("GET /enter", &["Host: HOST", &long], "")));
    let many: Vec<String> = (0..80).map(|n| format!("X-{n}: a")).collect();
    let many: Vec<&str> = std::iter::once("Host: HOST").chain(many.iter().map(String::as_str)).collect();
    assert_eq!(room.ask("GET /enter", &many, "").status, 431);
    let path = format!("GET /{}", "a".repeat(70_000));
    assert!(is_refused(&room.ask(&path, &["Host: HOST"], "")));
    let body = room.post("/enter", "X: y", &format!("token={}", "a".repeat(8192)));
    assert_eq!(body.status, 413);
    // In plain text, and in what is no TLS, there is nothing.
    for bytes in
        [&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes()[..], &[0x16, 3, 1, 0xff, 0xff, 0, 0]]
    {
        let mut plain = TcpStream::connect(("127.0.0.1", room.port)).unwrap();
        plain.set_read_timeout(Some(PATIENCE)).unwrap();
        plain.write_all(bytes).unwrap();
        plain.shutdown(std::net::Shutdown::Write).unwrap();
        let mut got = Vec::new();
        let _ = plain.read_to_end(&mut got);
        assert!(!got.starts_with(b"HTTP/"), "{}", String::from_utf8_lossy(&got));
    }
    assert_eq!(room.get("/enter", "X: y").status, 200, "it serves others as before");
    room.end();
}
