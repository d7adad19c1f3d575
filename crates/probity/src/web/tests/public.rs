//! The room by a public name: what follows the name, who is believed, what leads can end and read.

use std::sync::Arc;
use std::time::Duration;

use probity_engine::review::PersonRole;
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, ServerName};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;

use super::any_certificate::trusting;
use super::{Got, PUBLIC, Site, guarded};
use crate::web::address::ServerAddress;
use crate::web::listen::Patience;
use crate::web::reach::Reach;

const HOST: &str = "Host: label.example";
const ORIGIN: &str = "Origin: https://label.example";
const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

fn site() -> Site {
    Site::at(Patience::USUAL, Some(ServerAddress::public(PUBLIC).unwrap()))
}

/// The same with TLS of its own.
fn own_tls(patience: Patience) -> Site {
    const CERTIFICATE: &[u8] =
        include_bytes!("../../../../probity-engine/tests/support/self_signed_cert.der");
    const KEY: &[u8] = include_bytes!("../../../../probity-engine/tests/support/self_signed_key.der");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let key = PrivateKeyDer::try_from(KEY).unwrap();
    let tls = config.with_no_client_auth().with_single_cert(vec![CERTIFICATE.into()], key).unwrap();
    let reach = Reach { tls: Some(Arc::new(tls)), ..Reach::own(0) };
    Site::within(reach, patience, Some(ServerAddress::public(PUBLIC).unwrap()))
}

/// The server hangs up on clients that never finish, before and after there is TLS; the test ends when it does.
#[tokio::test]
async fn w20_a_greeting_or_a_head_that_trickles_over_tls_is_cut_off() {
    let site = own_tls(Patience { head: Duration::from_millis(60), ..Patience::USUAL });
    let connect = async || TcpStream::connect(("127.0.0.1", site.port)).await.unwrap();
    // The beginning of a greeting.
    for greeting in [&b""[..], b"\x16\x03\x01", b"\x16\x03\x01\x02\x00\x01\x00"] {
        let mut stream = connect().await;
        stream.write_all(greeting).await.unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        assert!(rest.len() < 64, "{rest:?}");
    }
    let secured = async || {
        let connector = TlsConnector::from(trusting());
        connector.connect(ServerName::try_from("label.example").unwrap(), connect().await).await.unwrap()
    };
    let mut stream = secured().await;
    stream.write_all(b"GET /enter HTTP/1.1\r\nHost: label.").await.unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    let mut stream = secured().await;
    stream
        .write_all(b"GET /enter HTTP/1.1\r\nHost: label.example\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    let got = Got::of(&String::from_utf8_lossy(&rest));
    assert_eq!(got.status, 200, "others are served");
    guarded(&got);
}

/// What is about the names and cookies of a room on this machine. The tests here are the same for a public name.
const ABOUT_OWN_NAMES: &[&str] = &["tests::public", "w01_", "w03_", "w05_w07_", "w09_a_session_is_a_cookie"];

/// Every attack on the room on this machine is made on the room by a public name.
#[test]
fn every_attack_fails_by_a_public_name_too() {
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.arg("web::tests").env(super::IS_PUBLIC, "1");
    for name in ABOUT_OWN_NAMES {
        again.args(["--skip", name]);
    }
    let ran = again.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("w20_"), "{said}");
}

/// The session of a person who came in with these further headers.
async fn entered(site: &Site, name: &str, role: PersonRole, more: &[&str]) -> (String, Got) {
    let token = site.token(name, role).await;
    let headers = [&[HOST, ORIGIN, FORM], more].concat();
    let got = site.ask("POST /enter", &headers, &format!("token={token}")).await;
    assert_eq!(got.status, 303, "{}", got.body);
    let cookie = got.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    (format!("Cookie: {cookie}"), got)
}

#[tokio::test]
async fn w03_w05_w09_host_origin_and_cookie_follow_the_public_name() {
    let site = site();
    let (session, got) = entered(&site, "Lena", PersonRole::Lead, &[]).await;
    let cookie = got.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-probity=") && cookie.ends_with("; Secure"), "{cookie}");
    assert!(cookie.contains("Path=/;") && cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    assert_eq!(site.ask("GET /", &[HOST, &session], "").await.status, 200);
    for host in [
        "127.0.0.1:PORT", "localhost:PORT", "label.example:PORT", "label.example.evil", "",
        "label.example:80",
    ] {
        let got = site.ask("GET /", &[&format!("Host: {host}"), &session], "").await;
        assert_eq!(got.status, 421, "{host}");
        guarded(&got);
    }
    let invite = async |origin: &str| {
        site.ask("POST /people", &[HOST, origin, FORM, &session], "name=Ann").await.status
    };
    for origin in ["Origin: http://label.example", "Origin: https://evil.example", "Origin: null", "X: y"] {
        assert_eq!(invite(origin).await, 403, "{origin}");
    }
    assert_eq!(invite(ORIGIN).await, 200);
    let page = site.ask("POST /people", &[HOST, ORIGIN, FORM, &session], "name=Ann").await.body;
    assert!(
        page.contains("value=\"https:&#x2f;&#x2f;label.example&#x2f;enter#"),
        "links have the public name: {page}"
    );
}

#[tokio::test]
async fn w03_forwarded_names_decide_nothing() {
    let site = site();
    let (session, _) = entered(&site, "Lena", PersonRole::Lead, &["X-Forwarded-For: 6.6.6.6"]).await;
    for header in
        ["X-Forwarded-Host: label.example", "Forwarded: host=label.example", "X-Host: label.example"]
    {
        let got = site.ask("GET /", &["Host: evil.example", header, &session], "").await;
        assert_eq!(got.status, 421, "{header}");
    }
    let people = site.ask("GET /people", &[HOST, &session], "").await.body;
    assert!(people.contains("127.0.0.1") && !people.contains("6.6.6.6"), "no proxy was named: {people}");
    let plain = site.ask("GET /", &[HOST, "X-Forwarded-Proto: http", &session], "").await;
    assert_eq!(plain.status, 200, "what is said by a client that is no proxy does not count");
}

/// The same from an address that was named as a proxy.
async fn by_proxy(site: &Site, line: &str, headers: &[&str], body: &str) -> Got {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    let mut stream = socket.connect(([127, 0, 0, 1], site.port).into()).await.unwrap();
    let headers = headers.iter().fold(String::new(), |text, header| text + header + "\r\n");
    let length = body.len();
    let text =
        format!("{line} HTTP/1.1\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut all = String::new();
    stream.read_to_string(&mut all).await.unwrap();
    Got::of(&all)
}

#[tokio::test]
async fn a_named_proxy_says_where_requests_come_from() {
    let site = site();
    let token = site.token("Lena", PersonRole::Lead).await;
    let form = format!("token={token}");
    let said = ["X-Forwarded-Proto: https", "X-Forwarded-For: 6.6.6.6, 198.51.100.7"];
    let plain = by_proxy(&site, "POST /enter", &[HOST, ORIGIN, FORM, "X-Forwarded-Proto: http"], &form).await;
    assert_eq!(plain.status, 421, "a proxy that was asked without TLS is refused");
    let got = by_proxy(&site, "POST /enter", &[&[HOST, ORIGIN, FORM][..], &said].concat(), &form).await;
    assert_eq!(got.status, 303, "{}", got.body);
    let session = format!("Cookie: {}", got.header("set-cookie").unwrap().split(';').next().unwrap());
    let people = site.ask("GET /people", &[HOST, &session], "").await.body;
    assert!(people.contains("198.51.100.7") && !people.contains("6.6.6.6"), "{people}");
    let log = site.ask("GET /log", &[HOST, &session], "").await.body;
    assert!(log.contains("<td>enter</td>") && log.contains("198.51.100.7"), "{log}");
}

#[tokio::test]
async fn sessions_are_listed_and_ended_by_leads() {
    let site = site();
    let (lead, _) = entered(&site, "Lena", PersonRole::Lead, &[]).await;
    let (reviewer, _) = entered(&site, "Rita", PersonRole::Reviewer, &[]).await;
    assert_eq!(site.ask("GET /", &[HOST, &reviewer], "").await.status, 200);
    let people = site.ask("GET /people", &[HOST, &lead], "").await.body;
    let (before, _) =
        people.split_once("/end\"><button class=\"quiet\" aria-label=\"End the session of Rita").unwrap();
    let id = before.rsplit('/').next().unwrap().to_owned();
    let path = format!("POST /sessions/{id}/end");
    assert_eq!(site.ask(&path, &[HOST, ORIGIN, FORM, &reviewer], "x=1").await.status, 403);
    assert_eq!(site.ask(&path, &[HOST, ORIGIN, FORM, &lead], "x=1").await.status, 303);
    assert_eq!(site.ask("GET /", &[HOST, &reviewer], "").await.status, 401, "it has ended");
    assert_eq!(site.ask(&path, &[HOST, ORIGIN, FORM, &lead], "x=1").await.status, 404);
    let log = site.ask("GET /log", &[HOST, &lead], "").await.body;
    for text in ["end session", "Rita", "Lena", "enter"] {
        assert!(log.contains(text), "{text} in {log}");
    }
}

#[tokio::test]
async fn w07_figures_are_for_leads_and_for_a_token_that_reads_nothing_else() {
    let site = site();
    let (lead, _) = entered(&site, "Lena", PersonRole::Lead, &[]).await;
    let (reviewer, _) = entered(&site, "Rita", PersonRole::Reviewer, &[]).await;
    assert_eq!(site.ask("GET /metrics", &[HOST, &reviewer], "").await.status, 403);
    assert_eq!(site.ask("GET /metrics", &[HOST], "").await.status, 401);
    let own = site.ask("GET /metrics", &[HOST, &lead], "").await;
    assert_eq!(own.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    for line in
        ["probity_people{role=\"lead\"} 1", "probity_sessions 2", "# TYPE probity_request_seconds histogram"]
    {
        assert!(own.body.lines().any(|each| each == line), "{line} in\n{}", own.body);
    }
    let made = site.ask("POST /people/metrics", &[HOST, ORIGIN, FORM, &lead], "x=1").await.body;
    let token = made.split("readonly value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let bearer = format!("Authorization: Bearer {token}");
    assert_eq!(site.ask("GET /metrics", &[HOST, &bearer], "").await.status, 200);
    let cookie = format!("Cookie: __Host-probity={token}");
    for (path, header) in [("/people", &bearer), ("/", &bearer), ("/", &cookie), ("/metrics", &cookie)] {
        assert_eq!(site.ask(&format!("GET {path}"), &[HOST, header], "").await.status, 401, "{path}");
    }
    let session = lead.split('=').nth(1).unwrap();
    let wrong = format!("Authorization: Bearer {session}");
    assert_eq!(site.ask("GET /metrics", &[HOST, &wrong], "").await.status, 401, "a session is no such token");
}
