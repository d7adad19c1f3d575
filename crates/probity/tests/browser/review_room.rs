//! A review room as a process: started, read for its links, killed, started again; and people who answer without
//! a browser.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;

use crate::binary::Probity;
use crate::client::Browser;

/// The key that submits.
pub(crate) const ENTER: &str = "\u{E007}";

/// The key that goes to what comes next.
pub(crate) const TAB: &str = "\u{E004}";

/// The key that leaves a field.
pub(crate) const ESCAPE: &str = "\u{E00C}";

impl Browser {
    /// Does what leads to another page, and waits until that page takes keys.
    #[track_caller]
    pub(crate) fn turned(&self, act: impl FnOnce()) {
        self.execute("document.documentElement.dataset.left = 'yes'", &[]);
        act();
        self.wait_until("!document.documentElement.dataset.left && document.documentElement.dataset.ready");
    }

    /// Comes in by a link.
    #[track_caller]
    pub(crate) fn come_in(&self, link: &str) {
        self.turned(|| self.goto(link));
        self.wait_until("location.pathname != '/enter' && document.documentElement.dataset.ready");
    }
}

/// A running `probity review`.
pub(crate) struct ReviewRoom {
    process: Child,
    /// The port it listens on.
    pub(crate) port: u16,
    /// The name it answers to, with the port.
    pub(crate) host: String,
    links: BTreeMap<String, String>,
}

impl ReviewRoom {
    /// Starts `probity review` with these further words and waits until it serves.
    #[track_caller]
    pub(crate) fn start(probity: &Probity, words: &[&str]) -> ReviewRoom {
        ReviewRoom::started(probity, "review", words)
    }

    /// Starts `probity open` with these further words and waits until it serves.
    #[track_caller]
    pub(crate) fn open(probity: &Probity, words: &[&str]) -> ReviewRoom {
        ReviewRoom::started(probity, "open", words)
    }

    #[track_caller]
    fn started(probity: &Probity, command: &str, words: &[&str]) -> ReviewRoom {
        let named: &[&str] = if words.contains(&"--as") { &[] } else { &["--as", "Lena"] };
        let words = named.iter().chain(words).copied();
        let call = probity.args([command, "--no-open"]).words(words);
        let mut process = call.start();
        let mut printed = BufReader::new(process.stderr.take().unwrap()).lines();
        let (mut links, mut said) = (BTreeMap::new(), String::new());
        for line in printed.by_ref().map_while(Result::ok) {
            said += &format!("{line}\n");
            if let Some((name, link)) = line.split_once(": http://") {
                links.insert(name.to_owned(), format!("http://{link}"));
            }
            if line.contains("Ctrl-C") {
                break;
            }
        }
        let host = links.values().next().and_then(|link: &String| link.split('/').nth(2)).map(str::to_owned);
        let host = host.unwrap_or_else(|| panic!("it does not serve:\n{said}"));
        let port = host.rsplit(':').next().and_then(|port| port.parse().ok()).unwrap();
        // Whatever it still says is read, so that it never waits for a reader.
        std::thread::spawn(move || printed.for_each(drop));
        ReviewRoom { process, port, host, links }
    }

    /// The link of somebody who was invited at the start. It opens the door once.
    #[track_caller]
    pub(crate) fn link(&self, name: &str) -> &str {
        self.links.get(name).unwrap_or_else(|| panic!("no link for {name}"))
    }

    /// The address of a page.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    /// Ends the process as a power cut would.
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Somebody who comes in by their link and has no browser.
    #[track_caller]
    pub(crate) fn visitor(&self, name: &str) -> Visitor {
        let token = self.link(name).rsplit('#').next().unwrap();
        let mut visitor = Visitor { port: self.port, host: self.host.clone(), cookie: String::new() };
        let entered = visitor.post("/enter", &[("token", token)]);
        let cookie = entered.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a session");
        cookie.split(';').next().unwrap().clone_into(&mut visitor.cookie);
        visitor
    }
}

impl Drop for ReviewRoom {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Somebody who talks to the server by plain requests.
pub(crate) struct Visitor {
    port: u16,
    host: String,
    cookie: String,
}

impl Visitor {
    /// A page, with its head.
    pub(crate) fn get(&self, path: &str) -> String {
        self.send(&format!("GET {path}"), "")
    }

    /// A form, and what came back, with its head.
    pub(crate) fn post(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let pairs: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", coded(value))).collect();
        self.send(&format!("POST {path}"), &pairs.join("&"))
    }

    /// The place that a form leads to.
    #[track_caller]
    pub(crate) fn led(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let got = self.post(path, fields);
        let place = got.lines().find_map(|line| line.strip_prefix("location: "));
        place.unwrap_or_else(|| panic!("POST {path} leads nowhere:\n{got}")).trim().to_owned()
    }

    /// Answers what a queue has for this person, at most `n` items, by what `answer` says about the page.
    pub(crate) fn label(&self, queue: u32, n: usize, answer: impl Fn(&str) -> Vec<(String, String)>) {
        for _ in 0..n {
            let place = self.led(&format!("/queues/{queue}/next"), &[("x", "1")]);
            if !place.starts_with("/items/") {
                return;
            }
            let page = self.get(&place);
            let revision =
                page.split("name=\"revision\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
            let mut fields = answer(&page);
            fields.push(("revision".to_owned(), revision.expect("a form").to_owned()));
            let fields: Vec<(&str, &str)> =
                fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            self.led(&format!("{place}/label"), &fields);
        }
    }

    fn send(&self, line: &str, body: &str) -> String {
        let Visitor { port, host, cookie } = self;
        let head = format!(
            "{line} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        let mut stream = TcpStream::connect(("127.0.0.1", *port)).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        String::from_utf8(all).unwrap()
    }
}

/// A value as forms send it.
fn coded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let coded = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(coded).collect()
}
