//! A PostgreSQL server of a test's own: in a temporary folder, on a Unix socket, ended with the test.
//!
//! It runs as a user that is not root, which the server insists on. Where its programs are missing the test is skipped
//! with a line.

#![allow(
    unreachable_pub,
    dead_code,
    reason = "each test binary has it at a place of its own and uses a part"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long the server may take to start.
const START_MAX: Duration = Duration::from_mins(1);

/// The server. It ends when this is dropped.
pub struct PrivateServer {
    programs: PathBuf,
    /// Data, socket and log.
    folder: TempDir,
    /// The user and group that it runs as, where this is root.
    user: Option<(u32, u32)>,
    process: Option<Child>,
    syncs: Syncs,
    /// Further settings.
    more: Vec<String>,
}

/// Whether a server syncs what it commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syncs {
    /// As every server that is used.
    Always,
    /// For tests that do not measure.
    Never,
}

/// How a server is stopped.
#[derive(Debug, Clone, Copy)]
pub enum Shutdown {
    /// Transactions are ended, and everything is written.
    Fast,
    /// At once, as after a crash.
    Immediate,
}

impl PrivateServer {
    /// Makes and starts a server; `None`, with a line, where PostgreSQL is not installed. It does not sync: stopped as
    /// after a crash it keeps what the system has, and no test takes the power away.
    pub fn start() -> Option<PrivateServer> {
        PrivateServer::with(Syncs::Never)
    }

    /// The same that syncs what it commits or not.
    #[allow(clippy::print_stdout, reason = "a test says what it skips")]
    pub fn with(syncs: Syncs) -> Option<PrivateServer> {
        let Some(programs) = programs() else {
            println!("skipped: PostgreSQL is not installed (/usr/lib/postgresql/*/bin)");
            return None;
        };
        let user = user();
        let folder = tempfile::tempdir().expect("a folder");
        if let Some((uid, gid)) = user {
            std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid)).expect("root may do that");
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("own folder");
        }
        let mut server = PrivateServer { programs, folder, user, process: None, syncs, more: Vec::new() };
        server.make();
        server.run();
        Some(server)
    }

    /// Makes the files of a server, which takes a second; copies of those that the first test has made do not.
    fn make(&self) {
        let test = std::env::current_exe().expect("a test has a file");
        let version = self.programs.parent().and_then(Path::file_name).unwrap_or_default().display();
        let made = test.with_file_name(format!("postgres-{version}"));
        let copy = |from: &Path, to: &Path| {
            let copied = Command::new("cp").arg("-a").arg(from).arg(to).stderr(Stdio::null()).status();
            copied.is_ok_and(|status| status.success())
        };
        if made.exists() && copy(&made, &self.data()) {
            return;
        }
        let _ = fs::remove_dir_all(self.data());
        let mut initdb = self.program("initdb");
        initdb.args([
            "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync",
        ]);
        let ended = initdb.arg("-D").arg(self.data()).stdout(Stdio::null()).output().expect("initdb starts");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        // Whole under its name or not at all, whatever other tests do at the same time.
        let begun = made.with_extension(std::process::id().to_string());
        if !copy(&self.data(), &begun) || fs::rename(&begun, &made).is_err() {
            let _ = fs::remove_dir_all(begun);
        }
    }

    /// Starts the server on its data, as it was left.
    pub fn run(&mut self) {
        let log = fs::File::create(self.folder.path().join("log")).expect("a log");
        let mut command = self.program("postgres");
        command.arg("-D").arg(self.data()).arg("-k").arg(self.folder.path());
        command.args(["-h", "", "-c", "max_connections=200", "-c", "deadlock_timeout=200ms"]);
        if self.syncs == Syncs::Never {
            command.args(["-c", "fsync=off"]);
        }
        command.args(self.more.iter().flat_map(|setting| ["-c", setting]));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.process = Some(command.spawn().expect("postgres starts"));
        let began = Instant::now();
        while !self.answers() {
            assert!(began.elapsed() < START_MAX, "{}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Starts it again, listening at an address of this machine as well, where it asks for passwords; with TLS where
    /// there is a certificate and its key.
    pub fn listen(&mut self, address: &str, tls: Option<[&Path; 2]>) {
        self.stop(Shutdown::Fast);
        let rules = "local all all trust\nhost all all 127.0.0.0/8 scram-sha-256\n";
        fs::write(self.data().join("pg_hba.conf"), rules).expect("own folder");
        self.more = vec![format!("listen_addresses={address}")];
        for (name, file) in ["ssl_cert_file", "ssl_key_file"].into_iter().zip(tls.into_iter().flatten()) {
            let own = self.data().join(name);
            fs::copy(file, &own).expect("own folder");
            fs::set_permissions(&own, fs::Permissions::from_mode(0o600)).expect("own file");
            if let Some((uid, gid)) = self.user {
                std::os::unix::fs::chown(&own, Some(uid), Some(gid)).expect("root may do that");
            }
            self.more.push(format!("{name}={}", own.display()));
        }
        self.more.push(format!("ssl={}", if tls.is_some() { "on" } else { "off" }));
        self.run();
    }

    /// Stops it.
    pub fn stop(&mut self, how: Shutdown) {
        let Some(mut process) = self.process.take() else { return };
        let signal = match how {
            Shutdown::Fast => "-INT",
            Shutdown::Immediate => "-QUIT",
        };
        let _ = Command::new("kill").args([signal, &process.id().to_string()]).status();
        let _ = process.wait();
    }

    /// Keeps a copy of the data of a server that is stopped.
    pub fn keep_copy(&self) {
        let copied = Command::new("cp").arg("-a").arg(self.data()).arg(self.kept()).status();
        assert!(copied.is_ok_and(|status| status.success()), "a copy");
    }

    /// Puts the copy in place of the data of a server that is stopped.
    pub fn go_back_to_copy(&self) {
        fs::remove_dir_all(self.data()).expect("own folder");
        fs::rename(self.kept(), self.data()).expect("own folder");
    }

    /// Makes a standby of a server that is stopped.
    pub fn stand_by(&self) {
        fs::write(self.data().join("standby.signal"), "").expect("own folder");
    }

    /// Makes it one again that writes.
    pub fn lead(&self) {
        fs::remove_file(self.data().join("standby.signal")).expect("it is a standby");
    }

    /// Begins a statement that takes long, in a session of its own.
    pub fn begin_sql(&self, database: &str, sql: &str) -> Child {
        let mut psql = Command::new("psql");
        psql.args(["-X", "-q", "-U", "postgres", "-d", database, "-h"]).arg(self.socket()).args(["-c", sql]);
        psql.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("psql starts")
    }

    /// The user and group that it runs as, where this is root.
    pub fn user(&self) -> Option<(u32, u32)> {
        self.user
    }

    /// The folder of its socket.
    pub fn socket(&self) -> &Path {
        self.folder.path()
    }

    /// The address of a database.
    pub fn address(&self, database: &str) -> String {
        format!("postgres:///{database}?host={}&user=postgres", self.socket().display())
    }

    /// What the server says to a statement: rows of columns separated by `|`.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let mut psql = Command::new("psql");
        psql.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-h"])
            .arg(self.socket());
        let ended = psql.args(["-d", database, "-c", sql]).output().expect("psql starts");
        assert!(ended.status.success(), "{sql}: {}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8_lossy(&ended.stdout).trim().to_owned()
    }

    /// Whether it takes connections.
    fn answers(&self) -> bool {
        let mut ready = self.program("pg_isready");
        ready.arg("-q").arg("-h").arg(self.socket());
        ready.status().is_ok_and(|status| status.success())
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn kept(&self) -> PathBuf {
        self.folder.path().join("kept")
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(self.folder.path());
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        self.stop(Shutdown::Immediate);
    }
}

/// The folder of the newest server programs.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    let mut found: Vec<PathBuf> = folders.filter(|folder| folder.join("postgres").exists()).collect();
    found.sort();
    found.pop()
}

/// The user `postgres`, where this is root.
fn user() -> Option<(u32, u32)> {
    let id = |arguments: &[&str]| -> Option<u32> {
        let told = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8(told.stdout).ok()?.trim().parse().ok()
    };
    (id(&["-u"])? == 0).then(|| Some((id(&["-u", "postgres"])?, id(&["-g", "postgres"])?)))?
}
