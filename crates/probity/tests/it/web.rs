//! `probity review` as a process: where it listens, what it prints, what it leaves on disk, how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

use crate::binary::{Probity, Ran};

const CASES: &str = concat!(
    r#"{"id":"a","slice":"billing","ticket":"Where is my invoice?","reply":"Under Account, Invoices."}"#,
    "\n",
    r#"{"id":"b","slice":"returns","ticket":"Can I return it?","reply":"Yes, within 30 days."}"#,
);

/// A server and what it has said until it served.
pub(crate) struct Started {
    process: Child,
    said: String,
    rest: BufReader<std::process::ChildStderr>,
}

impl Started {
    #[track_caller]
    fn new<const N: usize>(probity: &Probity, words: [&str; N]) -> Started {
        Started::of(probity, "review", words)
    }

    /// Starts a command that serves.
    #[track_caller]
    pub(crate) fn of<'a>(
        probity: &Probity,
        command: &str,
        words: impl IntoIterator<Item = &'a str>,
    ) -> Started {
        let call = probity.args([command, "--no-open", "--as", "Lena"]).words(words.into_iter());
        let mut process = call.start();
        let mut rest = BufReader::new(process.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains("Ctrl-C") {
            assert!(rest.read_line(&mut said).unwrap() > 0, "it does not serve:\n{said}");
        }
        Started { process, said, rest }
    }

    /// The name that it answers to, with its port.
    fn host(&self) -> &str {
        self.said.split("http://").nth(1).and_then(|place| place.split('/').next()).unwrap()
    }

    pub(crate) fn port(&self) -> u16 {
        self.host().rsplit(':').next().unwrap().parse().unwrap()
    }

    fn token(&self) -> &str {
        self.said.split("Lena: http://").nth(1).and_then(|link| link.split(['#', '\n']).nth(1)).unwrap()
    }

    /// The token in the link of a person.
    #[track_caller]
    pub(crate) fn token_of(&self, name: &str) -> String {
        let line = self.said.lines().find(|line| line.starts_with(&format!("{name}: http")));
        line.and_then(|line| line.split('#').nth(1)).expect("a link with a token").to_owned()
    }

    /// Comes in as the lead, and gives back the header of the session.
    #[track_caller]
    pub(crate) fn come_in(&self) -> String {
        let entered = self.ask("POST /enter", "", &format!("token={}", self.token()));
        let cookie = entered.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a session");
        format!("Cookie: {}\r\n", cookie.split(';').next().unwrap())
    }

    /// A page, as readers without scripts have it.
    #[track_caller]
    pub(crate) fn page(&self, session: &str, path: &str) -> String {
        let got = self.ask(&format!("GET {path}"), session, "");
        assert!(got.starts_with("HTTP/1.1 200"), "{path}: {got}");
        got
    }

    /// Sends a request and gives back everything that comes.
    pub(crate) fn ask(&self, line: &str, more: &str, body: &str) -> String {
        let (host, port) = (self.host(), self.port());
        let head = format!(
            "{line} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{more}\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut all = String::new();
        stream.read_to_string(&mut all).unwrap();
        all
    }

    /// Asks it to end, and gives back what it came to, with all that it said.
    pub(crate) fn end(mut self) -> Ran {
        let pid = Pid::from_child(&self.process);
        kill_process(pid, Signal::TERM).unwrap();
        self.rest.read_to_string(&mut self.said).unwrap();
        let mut ran = Ran::after(self.process);
        ran.stderr = self.said;
        ran
    }
}

/// Local addresses that somebody listens on at a port, as the system writes them.
fn listening(port: u16) -> Vec<String> {
    let hex = format!(":{port:04X}");
    let tables =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let rows = tables.iter().flat_map(|table| table.lines().skip(1));
    let fields = rows.map(|row| row.split_whitespace().collect::<Vec<_>>());
    fields
        .filter(|field| field[3] == "0A" && field[1].ends_with(&hex))
        .map(|field| field[1].trim_end_matches(&hex).to_owned())
        .collect()
}

#[test]
fn w01_it_listens_on_this_machine_s_own_addresses() {
    let probity = Probity::new().file("cases.jsonl", CASES);
    let room = Started::new(&probity, ["cases.jsonl"]);
    let addresses = listening(room.port());
    let own = ["0100007F", "00000000000000000000000001000000"];
    assert!(
        !addresses.is_empty() && addresses.iter().all(|each| own.contains(&each.as_str())),
        "{addresses:?}"
    );
    room.end().code(0);
}

#[test]
fn w10_w34_what_it_prints_is_the_links_and_no_request() {
    let probity = Probity::new().file("cases.jsonl", CASES);
    let room = Started::new(&probity, ["cases.jsonl", "--person", "Ann"]);
    let token = room.token().to_owned();
    let entered = room.ask("POST /enter", "", &format!("token={token}"));
    let cookie = entered.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a session");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let page = room.ask("GET /people", &format!("Cookie: {cookie}\r\n"), "");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    room.ask("GET /enter?token=canary%0aforged:%20line", "", "");
    room.ask("POST /enter", "", "token=canary");
    let ran = room.end().code(0);
    assert_eq!(ran.stdout, "", "standard output is for machines");
    assert_eq!(ran.stderr.matches(&token).count(), 1, "the link is printed once: {}", ran.stderr);
    let session = cookie.split('=').nth(1).unwrap();
    assert!(!ran.stderr.contains(session) && !ran.stderr.contains("canary"), "{}", ran.stderr);
    for file in probity.files() {
        let bytes = std::fs::read(&file).unwrap();
        for secret in [token.as_bytes(), session.as_bytes()] {
            let found = bytes.windows(secret.len()).any(|window| window == secret);
            assert!(!found, "a token is in {}", file.display());
        }
    }
}

#[test]
fn w11_w35_each_start_has_its_own_tokens_and_files_are_for_this_user() {
    let probity = Probity::new().file("cases.jsonl", CASES);
    let first = Started::new(&probity, ["cases.jsonl"]);
    let token = first.token().to_owned();
    assert_eq!(token.len(), 64);
    first.end().code(0);
    let second = Started::new(&probity, ["cases.jsonl"]);
    assert_ne!(second.token(), token);
    for file in probity.files().into_iter().filter(|file| file.to_string_lossy().contains(".probity")) {
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} is {mode:o}", file.display());
    }
    second.end().code(0);
}

#[test]
fn a_port_that_is_taken_is_said() {
    let probity = Probity::new().file("cases.jsonl", CASES);
    let room = Started::new(&probity, ["cases.jsonl"]);
    let port = room.port().to_string();
    let other = Probity::new().file("cases.jsonl", CASES);
    let ran = other.args(["review", "cases.jsonl", "--no-open", "--port", &port]).run().code(2);
    ran.says(["cannot listen on 127.0.0.1 at port", "--port 0"]);
    room.end().code(0);
}

#[test]
fn w33_names_are_printed_as_text() {
    let probity = Probity::new().file("cases.jsonl", CASES);
    let name = "A\u{1b}]52;c;eA==\u{7}";
    let ran = probity.args(["review", "cases.jsonl", "--no-open", "--person", name]).run().code(2);
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
}
