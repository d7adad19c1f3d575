//! What stands between workers and their server: a proxy that cuts connections, and pgbouncer.

use std::io::{Read, Write};
use std::net::{Shutdown as Side, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::PrivateServer;

/// A COMMIT as a client sends it: a simple query.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";

/// What becomes of the COMMIT of a connection that is cut.
#[derive(Debug, Clone, Copy)]
enum CutCommit {
    /// It never reaches the server.
    Lost,
    /// The server has it, and its answer reaches no client.
    Unanswered,
    /// The server has it after the client has come back.
    Late,
}

/// How long a late COMMIT takes: longer than a client waits before it comes back.
const LATE: Duration = Duration::from_millis(500);

/// Passes connections on to a server's socket, and cuts some of them at a COMMIT.
pub(crate) struct CuttingProxy {
    port: u16,
    /// Both ends of each connection; `None` from when there is no way through any more.
    open: Arc<Mutex<Option<Vec<TcpStream>>>>,
    n_left: Arc<AtomicUsize>,
    n_cuts: usize,
}

impl CuttingProxy {
    /// A proxy before the server with its socket in `folder` that cuts `n_cuts` connections.
    pub(crate) fn before(folder: &Path, n_cuts: usize) -> CuttingProxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (n_left, n_met) = (Arc::new(AtomicUsize::new(n_cuts)), Arc::new(AtomicUsize::new(0)));
        let (socket, left) = (folder.join(".s.PGSQL.5432"), Arc::clone(&n_left));
        let open = Arc::new(Mutex::new(Some(Vec::new())));
        let known = Arc::clone(&open);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Some(clients) = &mut *known.lock().expect("nothing panics while it holds this") else {
                    continue;
                };
                let Ok(server) = UnixStream::connect(&socket) else { continue };
                clients.extend(client.try_clone());
                let (left, met) = (Arc::clone(&left), Arc::clone(&n_met));
                std::thread::spawn(move || pass(client, server, &left, &met));
            }
        });
        CuttingProxy { port, open, n_left, n_cuts }
    }

    /// The address of a database behind it.
    pub(crate) fn address(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Lets nothing through from now on.
    pub(crate) fn cut_off(&self) {
        let clients = self.open.lock().expect("nothing panics while it holds this").take();
        for client in clients.into_iter().flatten() {
            let _ = client.shutdown(Side::Both);
        }
    }

    /// How many connections were cut.
    pub(crate) fn n_cut(&self) -> usize {
        self.n_cuts - self.n_left.load(Ordering::SeqCst)
    }
}

fn pass(mut client: TcpStream, mut server: UnixStream, left: &AtomicUsize, met: &AtomicUsize) {
    let _ = client.set_nodelay(true);
    let (Ok(mut to_client), Ok(mut from_server)) = (client.try_clone(), server.try_clone()) else { return };
    let answers = std::thread::spawn(move || {
        let _ = std::io::copy(&mut from_server, &mut to_client);
        let _ = to_client.shutdown(Side::Both);
    });
    let mut buffer = vec![0; 1 << 16];
    while let Ok(n) = client.read(&mut buffer) {
        if n == 0 {
            break;
        }
        let is_commit = buffer[..n].ends_with(COMMIT);
        let is_cut = is_commit && met.fetch_add(1, Ordering::SeqCst) % 7 == 3;
        match is_cut.then(|| left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1))) {
            Some(Ok(n_left)) => {
                let _ = client.shutdown(Side::Both);
                let commit = [CutCommit::Lost, CutCommit::Unanswered, CutCommit::Late][n_left % 3];
                if matches!(commit, CutCommit::Late) {
                    std::thread::sleep(LATE);
                }
                if !matches!(commit, CutCommit::Lost) {
                    let _ = server.write_all(&buffer[..n]);
                    std::thread::sleep(Duration::from_millis(30));
                }
                break;
            }
            _ if server.write_all(&buffer[..n]).is_err() => break,
            _ => {}
        }
    }
    let _ = server.shutdown(Side::Both);
    let _ = answers.join();
}

/// pgbouncer, which hands each transaction to a session of its own choice.
pub(crate) struct Pooler {
    folder: tempfile::TempDir,
    process: Child,
}

impl Pooler {
    /// A pooler before `server`; `None`, with a line, where it is not installed. It tries a server that was lost again
    /// after a second in place of 15: tests have leases of two seconds in place of 15.
    #[expect(clippy::print_stdout, reason = "a test says what it skips")]
    pub(crate) fn before(server: &PrivateServer) -> Option<Pooler> {
        if Command::new("pgbouncer").arg("--version").stdout(Stdio::null()).status().is_err() {
            println!("skipped: pgbouncer is not installed");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().display();
        let settings = format!(
            "[databases]\n* = host={} port=5432 user=postgres\n[pgbouncer]\nlisten_port = 6432\nlisten_addr =\n\
             unix_socket_dir = {at}\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 4\nserver_login_retry = 1\n\
             logfile = {at}/log\npidfile = {at}/pid\n",
            server.socket().display()
        );
        std::fs::write(folder.path().join("settings.ini"), settings).expect("own folder");
        let mut command = Command::new("pgbouncer");
        command.arg(folder.path().join("settings.ini")).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some((uid, gid)) = server.user() {
            std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid)).expect("root may do that");
            command.uid(uid).gid(gid);
        }
        let process = command.spawn().expect("pgbouncer starts");
        let began = Instant::now();
        while !folder.path().join(".s.PGSQL.6432").exists() {
            assert!(began.elapsed() < Duration::from_secs(20), "pgbouncer does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Pooler { folder, process })
    }

    /// The address of a database behind it.
    pub(crate) fn address(&self, database: &str) -> String {
        format!("postgres:///{database}?host={}&port=6432&user=postgres", self.folder.path().display())
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
