//! A mock judge that ends with its test, and a client that sees every byte and how the connection ended.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a client waits for an answer that should come.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long it waits for one that should not.
pub(crate) const QUIET: Duration = Duration::from_millis(300);

/// More bytes than this are a flood.
const FLOOD_BYTES: usize = 6 << 20;

/// A mock judge on a free port.
pub(crate) struct MockJudge {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// Where it listens, such as `127.0.0.1:4711`.
    pub(crate) address: String,
}

impl MockJudge {
    /// Starts it with these arguments and waits until it is ready.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_at("0", arguments)
    }

    /// Ends it and starts another one in its place, which answers by these arguments.
    pub(crate) fn replaced(mut self, arguments: &[&str]) -> Self {
        self.kill();
        let (_, port) = self.address.split_once(':').expect("an address has a port");
        Self::start_at(port, arguments)
    }

    fn start_at(port: &str, arguments: &[&str]) -> Self {
        let mut child = probity()
            .args(["mock", "--port", port])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("the output is piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("the output is text");
        let address =
            line.trim_end().strip_prefix("mock judge on http://").and_then(|rest| rest.strip_suffix("/v1"));
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        MockJudge { child, stdout, address }
    }

    /// The endpoint for `--base-url`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Sends a request on a connection of its own.
    pub(crate) fn send(&self, method: &str, path: &str, body: &str) -> Seen {
        Seen::of(self.sent(method, path, body), PATIENCE)
    }

    fn sent(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let mut socket = TcpStream::connect(&self.address).expect("the mock judge listens");
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nhost: mock\r\ncontent-length: {length}\r\n\r\n");
        socket.write_all((head + body).as_bytes()).expect("the request is small");
        socket
    }

    /// Sends a request without a body that carries this key.
    pub(crate) fn send_with_key(&self, method: &str, path: &str, key: &str) -> Seen {
        let mut socket = TcpStream::connect(&self.address).expect("the mock judge listens");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: mock\r\nauthorization: {key}\r\ncontent-length: 0\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).expect("the request is small");
        Seen::of(socket, PATIENCE)
    }

    /// What `GET` of a page of its own brings.
    pub(crate) fn get(&self, path: &str) -> Seen {
        self.send("GET", path, "")
    }

    /// Its counts.
    pub(crate) fn stats(&self) -> Value {
        self.get("/mock/stats").json()
    }

    /// Asks about `user` the way chat completions do.
    pub(crate) fn ask(&self, user: &str) -> Seen {
        self.send("POST", "/v1/chat/completions", &chat(user).to_string())
    }

    /// The same, but gives up after a moment.
    pub(crate) fn ask_briefly(&self, user: &str) -> Seen {
        Seen::of(self.sent("POST", "/v1/chat/completions", &chat(user).to_string()), QUIET)
    }

    /// Ends it as a person would, and returns what it prints at its end.
    pub(crate) fn end(mut self) -> Value {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
        let mut text = String::new();
        self.stdout.read_to_string(&mut text).expect("the output is text");
        assert!(self.child.wait().expect("it ends").success());
        serde_json::from_str(&text).expect("it prints its counts")
    }

    /// Ends it at once, as a crash would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

impl Drop for MockJudge {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ended_already = self.child.wait();
    }
}

/// The program without the variables that choose a judge.
pub(crate) fn probity() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
    command.env_remove("OPENAI_BASE_URL").env_remove("PROBITY_JUDGE").env("OPENAI_API_KEY", "sk-mock");
    command
}

/// A request for a level from 1 to 5 and a reason.
pub(crate) fn chat(user: &str) -> Value {
    json!({
        "model": "m-1",
        "messages": [{ "role": "system", "content": "Judge." }, { "role": "user", "content": user }],
        "response_format": { "type": "json_schema", "json_schema": { "name": "verdict", "schema": level_schema() } },
    })
}

/// The schema of a level from 1 to 5 with a reason.
pub(crate) fn level_schema() -> Value {
    let members =
        json!({ "reasoning": { "type": "string" }, "score": { "type": "integer", "enum": [1, 2, 3, 4, 5] } });
    json!({ "type": "object", "properties": members, "required": ["reasoning", "score"] })
}

/// The lines of a ledger. One that is being written is not there yet.
pub(crate) fn ledger(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("there is a ledger");
    let end = text.rfind('\n').unwrap_or(0);
    text[..end].lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// How a connection ended, as its client sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// With a whole response; the connection stays open.
    Whole,
    /// Closed as usual.
    Closed,
    /// Reset.
    Reset,
    /// Open, and nothing comes any more.
    Quiet,
    /// Open, and it does not stop.
    Flood,
}

/// Everything a client sees after its request.
pub(crate) struct Seen {
    /// All bytes.
    pub(crate) bytes: Vec<u8>,
    /// How it ended.
    pub(crate) end: End,
}

impl Seen {
    fn of(mut socket: TcpStream, patience: Duration) -> Seen {
        socket.set_read_timeout(Some(patience)).expect("the timeout is not zero");
        let (mut bytes, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
        let started = Instant::now();
        let end = loop {
            match socket.read(&mut buffer) {
                Ok(0) => break End::Closed,
                Ok(n) => bytes.extend_from_slice(&buffer[..n]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break End::Reset,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    break End::Quiet;
                }
                Err(error) => panic!("{error}"),
            }
            if is_whole(&bytes) {
                break End::Whole;
            }
            // A drip is not quiet, but it is not an answer either.
            if started.elapsed() > patience {
                break End::Quiet;
            }
            if bytes.len() > FLOOD_BYTES {
                break End::Flood;
            }
        };
        Seen { bytes, end }
    }

    /// The head and the body as text, then how it ended.
    pub(crate) fn text(&self) -> String {
        format!("{}[{:?}]", String::from_utf8_lossy(&self.bytes), self.end)
    }

    /// The status line's number.
    pub(crate) fn status(&self) -> u16 {
        let text = String::from_utf8_lossy(&self.bytes);
        text.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("there is a status")
    }

    /// The body.
    pub(crate) fn body(&self) -> &[u8] {
        let at = self.bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("there is a head");
        &self.bytes[at + 4..]
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(self.body()).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The text of the first choice of a chat completion, if it is one.
    pub(crate) fn content(&self) -> Option<String> {
        let at = self.bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let body: Value = serde_json::from_slice(&self.bytes[at + 4..]).ok()?;
        body["choices"][0]["message"]["content"].as_str().map(str::to_owned)
    }
}

/// Whether `bytes` are a response with all the bytes that its head promises.
fn is_whole(bytes: &[u8]) -> bool {
    let Some(head_end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&bytes[..head_end]).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.and_then(|length| length.parse().ok()) == Some(bytes.len() - head_end - 4)
}
