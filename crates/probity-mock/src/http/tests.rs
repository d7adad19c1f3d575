//! Requests as clients send them, whole, in pieces and wrong.

use std::net::Ipv4Addr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{Connection, HttpResponse, Next, NoRequest, Then, WireAct};

async fn pair() -> (TcpStream, Connection) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    (client, Connection::new(listener.accept().await.unwrap().0))
}

/// Sends `pieces`, closes, and lists everything that was received.
async fn received(pieces: &[&str]) -> String {
    let (mut client, mut connection) = pair().await;
    let pieces: Vec<String> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
    let sender = tokio::spawn(async move {
        for piece in pieces {
            client.write_all(piece.as_bytes()).await.unwrap();
            tokio::task::yield_now().await;
        }
        client.shutdown().await.unwrap();
        client
    });
    let mut lines = Vec::new();
    loop {
        match connection.receive().await {
            Ok(request) => lines.push(format!(
                "{} {} {} {:?}",
                request.method,
                request.path,
                String::from_utf8_lossy(&request.body),
                request.next
            )),
            Err(NoRequest::Status(status)) => {
                lines.push(status.to_string());
                break;
            }
            Err(NoRequest::Gone) => break,
        }
    }
    drop(sender.await);
    lines.join("; ")
}

#[track_caller]
fn check(pieces: &[&str], want: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert_eq!(runtime.block_on(received(pieces)), want, "{pieces:?}");
}

#[test]
fn requests_with_a_length() {
    check(&["POST /v1/x?a=b HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"], "POST /v1/x {} Keep");
    check(&["POST / HT", "TP/1.1\r\ncontent-length: 4\r", "\n\r\n{", "\"a}"], "POST / {\"a} Keep");
    check(&["GET / HTTP/1.1\r\nConnection: close\r\n\r\n"], "GET /  Close");
    check(&["GET / HTTP/1.0\r\n\r\n"], "GET /  Close");
}

#[test]
fn requests_one_after_another() {
    check(
        &["POST /a HTTP/1.1\r\ncontent-length: 1\r\n\r\n1POST /b HTTP/1.1\r\ncontent-length: 1\r\n\r\n2"],
        "POST /a 1 Keep; POST /b 2 Keep",
    );
}

#[test]
fn requests_in_chunks() {
    let head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    check(&[head, "2\r\n{\"\r", "\n3;x=y\r\na\"}\r\n0\r\n\r\n"], "POST / {\"a\"} Keep");
    check(&[head, "0\r\nx-sum: 1\r\n\r\nGET / HTTP/1.1\r\n\r\n"], "POST /  Keep; GET /  Keep");
    check(&[head, "zz\r\n"], "400");
    check(&[head, "1\r\nab\r\n"], "400");
}

#[test]
fn what_is_no_request() {
    check(&["hello\r\n\r\n"], "400");
    check(&["GET / HTTP/2.0\r\n\r\n"], "400");
    check(&["POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n"], "400");
    check(&["POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n"], "413");
    check(&["POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\ncut"], "");
    check(&["GET / HTTP/1.1\r\nx: ", &"y".repeat(70_000)], "431");
}

#[tokio::test]
async fn a_client_that_asks_first_is_told_to_go_on() {
    let (mut client, mut connection) = pair().await;
    client.write_all(b"POST / HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n").await.unwrap();
    let served = tokio::spawn(async move { connection.receive().await });
    let mut told = [0; 25];
    client.read_exact(&mut told).await.unwrap();
    assert_eq!(&told, b"HTTP/1.1 100 Continue\r\n\r\n");
    client.write_all(b"{}").await.unwrap();
    assert!(matches!(served.await.unwrap(), Ok(request) if request.body == b"{}"));
}

#[tokio::test]
async fn a_response_keeps_the_connection_and_a_break_ends_it() {
    let (mut client, mut connection) = pair().await;
    let response = HttpResponse::json(429, "{}").with("retry-after", "7");
    assert_eq!(connection.perform(WireAct::from(response)).await, Next::Keep);
    let act = WireAct { status: None, bytes: b"oops".to_vec(), then: Then::Close };
    assert_eq!(connection.perform(act).await, Next::Close);
    let mut text = String::new();
    client.read_to_string(&mut text).await.unwrap();
    assert_eq!(
        text,
        "HTTP/1.1 429 Mock\r\ncontent-type: application/json\r\nretry-after: 7\r\ncontent-length: 2\r\n\r\n{}oops"
    );
}
