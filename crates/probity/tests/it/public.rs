//! The room by a public name as a process: its own TLS, Caddy and nginx in front of it by the recipes of the docs, and
//! people who label through them beside a run.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{COOKIE, LOCATION, ORIGIN, SET_COOKIE};
use serde_json::json;

use crate::binary::Probity;
use crate::guarantees::ledger::number;
use crate::mock::process::MockJudge;
use crate::skipped;
use crate::web::Started;

/// The name that people open.
pub(crate) const NAME: &str = "label.example.com";

/// People and items of the short form; the long form is asked for by `PROBITY_LONG_TESTS`.
const SHORT: (usize, usize) = (8, 3);
const LONG: (usize, usize) = (50, 20);

/// Cases of the run beside which they label: it does not end before they have.
const RUN_CASES: usize = 10_000;

/// What a person thinks between a page and the answer in the long form, in milliseconds. People take longer.
const THINK_MS: std::ops::Range<u64> = 250..750;

/// The longest that 99 of 100 may wait where nothing else runs on the machine, which only the long form asks.
const WAIT_MS_MAX: f64 = 150.0;

fn is_long() -> bool {
    std::env::var_os("PROBITY_LONG_TESTS").is_some_and(|value| !value.is_empty())
}

pub(crate) fn cases(n: usize) -> String {
    let case = |n: usize| {
        json!({ "id": format!("c-{n}"), "ticket": format!("Where is parcel {n}?"), "reply": format!("Parcel {n} comes.") })
            .to_string()
    };
    (1..=n).map(case).collect::<Vec<_>>().join("\n")
}

/// A certificate that nobody has signed but itself, and its key, as PEM.
pub(crate) fn certificate(folder: &Path) -> [PathBuf; 2] {
    const DER: [(&str, &[u8]); 2] = [
        ("CERTIFICATE", include_bytes!("../../../probity-engine/tests/support/self_signed_cert.der")),
        ("PRIVATE KEY", include_bytes!("../../../probity-engine/tests/support/self_signed_key.der")),
    ];
    DER.map(|(what, bytes)| {
        let coded = BASE64_STANDARD.encode(bytes);
        let lines: Vec<&str> =
            coded.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
        let path = folder.join(format!("{}.pem", what.replace(' ', "-")));
        std::fs::write(
            &path,
            format!("-----BEGIN {what}-----\n{}\n-----END {what}-----\n", lines.join("\n")),
        )
        .unwrap();
        path
    })
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn w02_beyond_this_machine_takes_a_name_and_tls_or_a_named_proxy() {
    let probity =
        Probity::new().file("cases.jsonl", cases(1)).file("key.pem", "no key").file("cert.pem", "none");
    let name = "https://label.example.com";
    for (words, says) in [
        (&["--listen", "0.0.0.0"][..], "--public-url is missing"),
        (&["--listen", "0.0.0.0", "--public-url", name], "without TLS is refused"),
        (&["--listen", "::", "--public-url", name], "without TLS is refused"),
        (&["--listen", "10.0.0.1:80", "--public-url", "http://label.example.com"], "expected https://"),
        (&["--proxy", "127.0.0.1"], "--public-url is missing"),
        (&["--public-url", name, "--proxy", "0.0.0.0/0"], "too wide"),
        (&["--listen", "somewhere", "--public-url", name], "expected an address"),
        (&["--public-url", name, "--tls-cert", "cert.pem", "--tls-key", "key.pem"], "no certificate"),
    ] {
        let ran =
            probity.args(["review", "cases.jsonl", "--no-open"]).words(words.iter().copied()).run().code(2);
        assert!(ran.stderr.contains(says), "{words:?}: {}", ran.stderr);
    }
    for flag in ["--host", "--bind", "--address", "--insecure"] {
        probity.args(["review", "cases.jsonl", flag, "0.0.0.0"]).run().code(2);
    }
}

/// Somebody who labels over TLS.
struct Labeller {
    client: reqwest::Client,
    origin: String,
    cookie: String,
}

impl Labeller {
    async fn enter(port: u16, token: &str) -> Labeller {
        let client = reqwest::Client::builder().no_proxy().tls_danger_accept_invalid_certs(true).http1_only();
        let client = client.resolve(NAME, ([127, 0, 0, 1], port).into());
        let client = client.redirect(reqwest::redirect::Policy::none()).timeout(Duration::from_mins(1));
        let origin = format!("https://{NAME}:{port}");
        let mut labeller = Labeller { client: client.build().unwrap(), origin, cookie: String::new() };
        let entered = labeller.post("/enter", &format!("token={token}")).await;
        let cookie = entered.headers().get(SET_COOKIE).expect("a session").to_str().unwrap().to_owned();
        assert!(cookie.starts_with("__Host-probity=") && cookie.contains("Secure"), "{cookie}");
        cookie.split(';').next().unwrap().clone_into(&mut labeller.cookie);
        labeller
    }

    async fn post(&self, path: &str, form: &str) -> reqwest::Response {
        let asked = self.client.post(format!("{}{path}", self.origin)).header(COOKIE, &self.cookie);
        let asked =
            asked.header(ORIGIN, &self.origin).header("content-type", "application/x-www-form-urlencoded");
        let got = asked.body(form.to_owned()).send().await.unwrap();
        assert_eq!(got.status(), 303, "{path}");
        got
    }

    /// Labels up to `n` items; how long each page and each answer took, in milliseconds.
    async fn label(self, n: usize) -> (usize, [Vec<f64>; 2]) {
        let mut waits = [Vec::new(), Vec::new()];
        let place = |got: &reqwest::Response| got.headers()[LOCATION].to_str().unwrap().to_owned();
        let mut at = place(&self.post("/queues/1/next", "x=1").await);
        let mut n_given = 0;
        while n_given < n && at.starts_with("/items/") {
            let started = Instant::now();
            let asked = self.client.get(format!("{}{at}", self.origin)).header(COOKIE, &self.cookie);
            let page = asked.send().await.unwrap().text().await.unwrap();
            waits[0].push(started.elapsed().as_secs_f64() * 1000.0);
            assert!(page.contains("name=\"revision\""), "{page}");
            if is_long() {
                let drawn = number((&self.cookie, n_given)) % (THINK_MS.end - THINK_MS.start);
                tokio::time::sleep(Duration::from_millis(THINK_MS.start + drawn)).await;
            }
            let started = Instant::now();
            let answered =
                self.post(&format!("{at}/label"), "revision=0&note=&level.relevance=3&level.tone=4").await;
            waits[1].push(started.elapsed().as_secs_f64() * 1000.0);
            at = place(&answered);
            n_given += 1;
        }
        (n_given, waits)
    }
}

fn percentile(waits: &mut [f64], percent: usize) -> f64 {
    waits.sort_by(f64::total_cmp);
    waits[(waits.len() * percent).div_ceil(100) - 1]
}

/// Has people label through what serves the public name at `port`, beside a run.
fn labelled(probity: &Probity, room: &Started, port: u16, what: &str) {
    let (n_people, n_items) = if is_long() { LONG } else { SHORT };
    let mock = MockJudge::start(&["--latency", "50ms"]);
    let url = mock.url();
    probity.write("run.jsonl", cases(RUN_CASES));
    let call = probity.args(["run", "run.jsonl", "--base-url", &url, "--model", "m", "--quiet", "--yes"]);
    let mut running = Running(call.variable("OPENAI_API_KEY", "sk-mock").start());
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (n_given, [mut pages, mut answers]) = runtime.block_on(async {
        let mut all = Vec::new();
        for n in 0..n_people {
            let token = room.token_of(&format!("p{n}"));
            all.push(tokio::spawn(Labeller::enter(port, &token).await.label(n_items)));
        }
        let (mut n_given, mut waits) = (0, [Vec::new(), Vec::new()]);
        for labelling in all {
            let (n, own) = labelling.await.unwrap();
            n_given += n;
            waits.iter_mut().zip(own).for_each(|(all, own)| all.extend(own));
        }
        (n_given, waits)
    });
    assert_eq!(running.0.try_wait().unwrap(), None, "the run ended before them");
    drop(running);
    let exported = probity.args(["export", "labels"]).run().code(0);
    assert_eq!(exported.stdout.lines().count(), 2 * n_given, "an answer was lost or doubled through {what}");
    assert_eq!(n_given, n_people * n_items, "through {what}");
    let figures = [&mut pages, &mut answers].map(|waits| [50, 99].map(|percent| percentile(waits, percent)));
    #[expect(clippy::print_stderr, reason = "the figures are what the test is for")]
    {
        eprintln!(
            "{what}: {n_people} people, {n_given} answers, none lost; pages p50 {:.0} ms p99 {:.0} ms, answers p50 {:.0} ms p99 {:.0} ms",
            figures[0][0], figures[0][1], figures[1][0], figures[1][1]
        );
    }
    if is_long() {
        assert!(figures.iter().all(|of| of[1] <= WAIT_MS_MAX), "{what}: {figures:?}");
    }
}

fn room(probity: &Probity, port: u16, public: u16, more: &[&str]) -> Started {
    let (n_people, _) = if is_long() { LONG } else { SHORT };
    let people: Vec<String> = (0..n_people).map(|n| format!("p{n}")).collect();
    let listen = format!("127.0.0.1:{port}");
    let url = format!("https://{NAME}:{public}");
    let overlap = n_people.to_string();
    let mut words = vec!["cases.jsonl", "--listen", &listen, "--public-url", &url, "--overlap", &overlap];
    words.extend(people.iter().flat_map(|name| ["--person", name]));
    words.extend(more);
    Started::of(probity, "review", words)
}

#[test]
fn people_label_over_the_room_s_own_tls_beside_a_run() {
    let probity = Probity::new().file("cases.jsonl", cases(if is_long() { 100 } else { 10 }));
    let [certificate, key] = certificate(probity.path(".").as_path());
    let port = free_port();
    let files = ["--tls-cert", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let room = room(&probity, port, port, &files);
    labelled(&probity, &room, port, "its own TLS");
    // In plain text there is nothing.
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    std::io::Write::write_all(&mut stream, b"GET / HTTP/1.1\r\nHost: label.example.com\r\n\r\n").unwrap();
    let mut got = Vec::new();
    let _ = std::io::Read::read_to_end(&mut stream, &mut got);
    assert!(!got.starts_with(b"HTTP/"), "{}", String::from_utf8_lossy(&got));
    room.end().code(0);
}

/// Starts a proxy by a recipe of the docs, with the names and places of a test.
fn proxied(program: &str, recipe: &str, start: impl Fn(&Path, &Path) -> Command) {
    let found = Command::new(program).arg("-v").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let version = Command::new(program).arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() && version.is_err() {
        skipped("a recipe for a proxy", &format!("{program} is not installed"));
        return;
    }
    let probity = Probity::new().file("cases.jsonl", cases(if is_long() { 100 } else { 10 }));
    let [certificate, key] = certificate(probity.path(".").as_path());
    let (port, public) = (free_port(), free_port());
    let text = recipe
        .replace("/etc/ssl/label.example.com.pem", certificate.to_str().unwrap())
        .replace("/etc/ssl/label.example.com.key", key.to_str().unwrap())
        .replace("127.0.0.1:8700", &format!("127.0.0.1:{port}"))
        .replace("listen 443 ssl", &format!("listen 127.0.0.1:{public} ssl"))
        .replace("\nlabel.example.com {", &format!("\nhttps://label.example.com:{public} {{"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recipe");
    std::fs::write(&file, text).unwrap();
    let room = room(&probity, port, public, &["--proxy", "127.0.0.1"]);
    let mut command = start(folder.path(), &file);
    let proxy =
        Running(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let ready = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        std::net::TcpStream::connect(("127.0.0.1", public)).is_ok()
    });
    assert!(ready, "{program} does not listen");
    labelled(&probity, &room, public, program);
    drop(proxy);
    room.end().code(0);
}

#[test]
fn people_label_through_nginx_beside_a_run() {
    proxied("nginx", include_str!("../../../../docs/recipes/nginx.conf"), |folder, recipe| {
        let whole = folder.join("nginx.conf");
        let places: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("    {name}_temp_path {};\n", folder.join(name).display()))
            .concat();
        let text = format!(
            "daemon off;\nmaster_process off;\npid {};\nerror_log stderr;\nevents {{}}\nhttp {{\n    access_log off;\n{places}    include {};\n}}\n",
            folder.join("pid").display(),
            recipe.display()
        );
        std::fs::write(&whole, text).unwrap();
        let mut command = Command::new("nginx");
        command.arg("-p").arg(folder).arg("-c").arg(whole);
        command
    });
}

#[test]
fn people_label_through_caddy_beside_a_run() {
    proxied("caddy", include_str!("../../../../docs/recipes/Caddyfile"), |folder, recipe| {
        let text = std::fs::read_to_string(recipe).unwrap();
        let whole = folder.join("Caddyfile");
        std::fs::write(&whole, format!("{{\n\tadmin off\n\tauto_https disable_redirects\n}}\n{text}"))
            .unwrap();
        let mut command = Command::new("caddy");
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(whole);
        command.env("HOME", folder).env("XDG_DATA_HOME", folder).env("XDG_CONFIG_HOME", folder);
        command
    });
}
