//! A tap on the line between browser and server: every byte that the server sends is kept, and one can be lost.
//!
//! The server answers to its own port alone, so requests get it written into their heads; nothing else is changed.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What all connections share.
#[derive(Default)]
struct Line {
    sent: Mutex<Vec<u8>>,
    losing: Mutex<Option<String>>,
    n_lost: Mutex<usize>,
}

/// A tap, open until the test ends.
pub(crate) struct Tap {
    /// Where the browser connects, and the server.
    ports: [u16; 2],
    line: Arc<Line>,
}

impl Tap {
    /// A tap on the line to the server at `server`.
    pub(crate) fn on(server: u16) -> Tap {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let line = Arc::new(Line::default());
        let shared = Arc::clone(&line);
        std::thread::spawn(move || {
            for browser in listener.incoming().map_while(Result::ok) {
                let Ok(up) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let line = Arc::clone(&shared);
                std::thread::spawn(move || connected(&line, browser, up, [port, server]));
            }
        });
        Tap { ports: [port, server], line }
    }

    /// An address of the server, by way of the tap.
    pub(crate) fn tapped(&self, url: &str) -> String {
        let [own, server] = self.ports;
        url.replace(&format!(".localhost:{server}/"), &format!(".localhost:{own}/"))
    }

    /// The next request whose head has `part` reaches the server, and its answer reaches nobody.
    pub(crate) fn lose_answer_to(&self, part: &str) {
        *self.line.losing.lock().unwrap() = Some(part.to_owned());
    }

    /// How many answers were lost.
    pub(crate) fn n_lost(&self) -> usize {
        *self.line.n_lost.lock().unwrap()
    }

    /// Everything that the server has sent so far.
    pub(crate) fn sent(&self) -> Vec<u8> {
        self.line.sent.lock().unwrap().clone()
    }
}

/// One connection: requests up, answers down.
fn connected(line: &Arc<Line>, mut browser: TcpStream, mut up: TcpStream, [own, server]: [u16; 2]) {
    let loses = Arc::new(Mutex::new(false));
    let (down_line, down_loses) = (Arc::clone(line), Arc::clone(&loses));
    let (mut from, mut to) = (up.try_clone().unwrap(), browser.try_clone().unwrap());
    let down = std::thread::spawn(move || {
        let mut bytes = [0; 16 * 1024];
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            if *down_loses.lock().unwrap() {
                *down_line.n_lost.lock().unwrap() += 1;
                break;
            }
            down_line.sent.lock().unwrap().extend_from_slice(&bytes[..n]);
            if to.write_all(&bytes[..n]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
        let _ = from.shutdown(Shutdown::Both);
    });
    let mut bytes = [0; 16 * 1024];
    while let Ok(n @ 1..) = browser.read(&mut bytes) {
        let text = String::from_utf8_lossy(&bytes[..n]).into_owned();
        let mut losing = line.losing.lock().unwrap();
        if losing.as_ref().is_some_and(|part| text.starts_with("POST") && text.contains(part.as_str())) {
            *loses.lock().unwrap() = true;
            *losing = None;
        }
        drop(losing);
        let text = text.replace(&format!(".localhost:{own}"), &format!(".localhost:{server}"));
        if up.write_all(text.as_bytes()).is_err() {
            break;
        }
    }
    let _ = up.shutdown(Shutdown::Write);
    let _ = down.join();
}
