//! Sizes and times.

use std::net::Ipv4Addr;
use std::time::Duration;

use probity_engine::review::PersonRole;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Site, guarded};
use crate::web::listen::{Patience, bind};
use crate::web::reach::Reach;

#[tokio::test]
async fn w01_only_this_machine_can_connect() {
    let listeners = bind(&Reach::own(0)).unwrap();
    let ports: Vec<u16> = listeners.iter().map(|each| each.local_addr().unwrap().port()).collect();
    assert!(listeners.iter().all(|each| each.local_addr().unwrap().ip().is_loopback()));
    assert!(ports.iter().all(|port| *port == ports[0] && *port != 0), "{ports:?}");
    assert_eq!(listeners[0].local_addr().unwrap().ip(), Ipv4Addr::LOCALHOST);
    assert!(bind(&Reach::own(ports[0])).is_err(), "a port that is taken is not shared");
}

#[tokio::test]
async fn w20_a_body_is_as_long_as_its_form() {
    let site = Site::open();
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    let got = site.post("/people", &cookie, &format!("name={}", "a".repeat(4096))).await;
    assert_eq!(got.status, 413);
    guarded(&got);
}

#[tokio::test]
async fn w20_a_head_is_not_endless() {
    let site = Site::open();
    let long =
        site.ask("GET /enter", &["Host: 127.0.0.1:PORT", &format!("X: {}", "a".repeat(40_000))], "").await;
    assert_eq!(long.status, 431);
    let many: Vec<String> = (0..80).map(|n| format!("X-{n}: a")).collect();
    let mut headers = vec!["Host: 127.0.0.1:PORT"];
    headers.extend(many.iter().map(String::as_str));
    assert_eq!(site.ask("GET /enter", &headers, "").await.status, 431);
}

/// The server hangs up on a client that never finishes; the test ends when it does.
#[tokio::test]
async fn w20_a_head_that_trickles_is_cut_off() {
    let short = Duration::from_millis(50);
    let site = Site::with(Patience { head: short, ..Patience::USUAL });
    let mut stream = TcpStream::connect(("127.0.0.1", site.port)).await.unwrap();
    stream.write_all(b"GET /enter HTTP/1.1\r\nHost: ").await.unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    assert_eq!(site.get("/enter", "").await.status, 200, "others are served");
}

#[tokio::test]
async fn w20_a_body_that_never_ends_is_not_waited_for() {
    let short = Duration::from_millis(50);
    let site = Site::with(Patience { request: short, ..Patience::USUAL });
    let head = format!(
        "POST /enter HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ntoken=",
        site.port
    );
    let got = site.raw(&head).await;
    assert_eq!(got.status, 408);
    guarded(&got);
}
