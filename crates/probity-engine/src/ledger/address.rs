//! Where a store is: a file, or a database of a PostgreSQL server.
//!
//! A password is never part of what is shown. TLS with a verified name is a must unless the server is this machine.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::db::Protection;
use crate::platform::tcp_name;

/// How long a worker's calls stay its own after it was last heard, unless the settings say otherwise.
pub(super) const LEASE: Duration = Duration::from_secs(15);

/// How long a command that tells the password may take.
const COMMAND_MAX: Duration = Duration::from_secs(30);

/// How long connecting may take.
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// How long sent data may stay unconfirmed before the connection counts as lost.
const SILENCE_MAX: Duration = Duration::from_secs(20);

/// Where a store is.
#[derive(Debug, Clone)]
pub enum StoreAddress {
    /// A file.
    File(PathBuf),
    /// A database of a server.
    Server(Arc<ServerAddress>),
}

/// How a server's database is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerOptions {
    /// The program, with its arguments, that writes the password to its standard output.
    pub password_command: Option<Vec<String>>,
    /// How long a worker's calls stay its own after it was last heard.
    pub lease: Duration,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions { password_command: None, lease: LEASE }
    }
}

/// A database of a server, and how it is reached.
pub struct ServerAddress {
    config: Config,
    pub(super) protection: Protection,
    pub(super) options: ServerOptions,
    shown: String,
}

/// What is wrong with an address. The address itself is not repeated: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the address of the store is not usable: {0}")]
pub struct AddressError(String);

impl StoreAddress {
    /// Reads an address: what begins with `postgres://` is a server's, everything else a file's.
    pub fn parse(text: &str, options: &ServerOptions) -> Result<StoreAddress, AddressError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(StoreAddress::Server(Arc::new(ServerAddress::parse(text, options.clone())?)));
        }
        match text.split_once("://") {
            Some((scheme, _)) => {
                Err(AddressError(format!("expected a file or postgres://…, found an address of `{scheme}`")))
            }
            None => Ok(StoreAddress::File(PathBuf::from(text))),
        }
    }

    /// Whether there may be a store: a server has to be asked.
    pub fn may_exist(&self) -> bool {
        match self {
            StoreAddress::File(path) => path.exists(),
            StoreAddress::Server(_) => true,
        }
    }

    /// The file, where it is one.
    pub fn file(&self) -> Option<&Path> {
        if let StoreAddress::File(path) = self { Some(path) } else { None }
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreAddress::File(path) => path.display().fmt(f),
            StoreAddress::Server(server) => server.shown.fmt(f),
        }
    }
}

impl From<&Path> for StoreAddress {
    fn from(path: &Path) -> Self {
        StoreAddress::File(path.to_path_buf())
    }
}

impl From<&PathBuf> for StoreAddress {
    fn from(path: &PathBuf) -> Self {
        StoreAddress::File(path.clone())
    }
}

impl From<&StoreAddress> for StoreAddress {
    fn from(address: &StoreAddress) -> Self {
        address.clone()
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl ServerAddress {
    fn parse(text: &str, options: ServerOptions) -> Result<ServerAddress, AddressError> {
        // What other programs call a verified name is the only kind there is here.
        let plain = text.replace("sslmode=verify-full", "sslmode=require");
        let fault = |error: tokio_postgres::Error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            AddressError(format!("{error}: {cause}"))
        };
        let mut config: Config = plain.parse().map_err(fault)?;
        if config.get_hosts().is_empty() {
            return Err(AddressError("expected a host, as in postgres://user@host/database".to_owned()));
        }
        let is_local = config.get_hosts().iter().all(is_this_machine);
        let names_mode = plain.contains("sslmode=");
        let protection = match config.get_ssl_mode() {
            SslMode::Require => Protection::Tls,
            _ if is_local => Protection::Local,
            _ if names_mode => {
                return Err(AddressError(
                    "expected sslmode=require: without TLS only a server on this machine is used".to_owned(),
                ));
            }
            _ => Protection::Tls,
        };
        config.ssl_mode(match protection {
            Protection::Tls => SslMode::Require,
            Protection::Local => SslMode::Disable,
        });
        config.connect_timeout(CONNECT_MAX).tcp_user_timeout(SILENCE_MAX);
        config.keepalives_idle(SILENCE_MAX).keepalives_interval(SILENCE_MAX / 4).keepalives_retries(4);
        if config.get_application_name().is_none() {
            config.application_name("probity");
        }
        let shown = shown(&config);
        Ok(ServerAddress { config, protection, options, shown })
    }

    /// How to connect, with the password. It is asked for each time: some of them do not live long.
    pub(super) fn config(&self) -> Result<Config, String> {
        let mut config = self.config.clone();
        if config.get_password().is_none()
            && let Some(password) = self.password()?
        {
            config.password(password);
        }
        Ok(config)
    }

    fn password(&self) -> Result<Option<String>, String> {
        if let Ok(password) = std::env::var("PGPASSWORD") {
            return Ok(Some(password));
        }
        if let Some(command) = &self.options.password_command {
            return printed(command).map(Some);
        }
        let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".pgpass"));
        match std::env::var_os("PGPASSFILE").map(PathBuf::from).or_else(home) {
            Some(path) => self.in_file(&path),
            None => Ok(None),
        }
    }

    /// The password of the first line of a `.pgpass` file that fits: host, port, database, user, password.
    fn in_file(&self, path: &Path) -> Result<Option<String>, String> {
        let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = path.metadata().map_or(0, |file| file.permissions().mode());
            if mode & 0o077 != 0 {
                return Err(format!("{} can be read by others, expected mode 0600", path.display()));
            }
        }
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            _ => "localhost".to_owned(),
        };
        let port = self.config.get_ports().first().copied().unwrap_or(5432).to_string();
        let user = self.config.get_user().unwrap_or_default();
        let wanted = [&host, &port, self.config.get_dbname().unwrap_or(user), user];
        Ok(text.lines().find_map(|line| password_in(line, wanted)))
    }
}

/// The password of a line, where its other fields fit.
fn password_in(line: &str, wanted: [&str; 4]) -> Option<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(next) = chars.next() {
        match next {
            '\\' => fields.last_mut()?.extend(chars.next()),
            ':' if fields.len() < 5 => fields.push(String::new()),
            other => fields.last_mut()?.push(other),
        }
    }
    let [ref of @ .., ref password] = fields[..] else { return None };
    let fits = of.len() == 4 && of.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted);
    fits.then(|| password.clone())
}

/// The first line that a program prints.
fn printed(command: &[String]) -> Result<String, String> {
    let [program, arguments @ ..] = command else {
        return Err("the command for the password is empty".to_owned());
    };
    let fault = |what: &str| format!("the command for the password, `{program}`, {what}");
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    let mut child = child.map_err(|error| fault(&format!("cannot be run: {error}")))?;
    let until = Instant::now() + COMMAND_MAX;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(10)),
            _ => {
                let _ = child.kill();
                return Err(fault(&format!("did not end within {} s", COMMAND_MAX.as_secs())));
            }
        }
    };
    let mut text = String::new();
    let read = child.stdout.take().map(|mut out| out.read_to_string(&mut text));
    match (status.success(), read) {
        (true, Some(Ok(_))) => Ok(text.lines().next().unwrap_or_default().to_owned()),
        _ => Err(fault(&format!("failed with {status}"))),
    }
}

fn is_this_machine(host: &Host) -> bool {
    let is_loopback = |name: &str| {
        name == "localhost" || name.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
    };
    tcp_name(host).map_or(true, is_loopback)
}

/// The address without its password and options.
fn shown(config: &Config) -> String {
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let database = config.get_dbname().unwrap_or_default();
    let mut folder = None;
    let ports = config.get_ports();
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .enumerate()
        .map(|(n, host)| {
            let port = ports.get(n).or(ports.first()).filter(|port| **port != 5432);
            let port = port.map(|port| format!(":{port}")).unwrap_or_default();
            match tcp_name(host) {
                Ok(name) => format!("{name}{port}"),
                Err(path) => {
                    folder = Some(path.display().to_string());
                    port
                }
            }
        })
        .collect();
    let folder = folder.map(|folder| format!("?host={folder}")).unwrap_or_default();
    format!("postgres://{user}{}/{database}{folder}", hosts.join(","))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, want: &Expect) {
        let told = match StoreAddress::parse(text, &ServerOptions::default()) {
            Ok(StoreAddress::Server(server)) => format!("{server:?} by {:?}", server.protection),
            Ok(StoreAddress::File(path)) => format!("file {}", path.display()),
            Err(error) => error.to_string(),
        };
        assert!(!told.contains("secret"), "{told}");
        want.assert_eq(&told);
    }

    #[test]
    fn k22_k23_an_address_shows_no_password_and_asks_for_tls() {
        check(".probity/store.db", &expect!["file .probity/store.db"]);
        check(
            "postgres://ann:secret@db.example/probity",
            &expect!["postgres://ann@db.example/probity by Tls"],
        );
        check(
            "postgres://ann:secret@db.example:6432/p?sslmode=verify-full",
            &expect!["postgres://ann@db.example:6432/p by Tls"],
        );
        check("postgresql://localhost/p", &expect!["postgres://localhost/p by Local"]);
        check("postgres://127.0.0.1/p?sslmode=require", &expect!["postgres://127.0.0.1/p by Tls"]);
        check("postgres:///p?host=/run/sockets", &expect!["postgres:///p?host=/run/sockets by Local"]);
        check(
            "postgres://ann:secret@db.example/p?sslmode=disable",
            &expect![
                "the address of the store is not usable: expected sslmode=require: without TLS only a server on this machine is used"
            ],
        );
        check(
            "mysql://ann:secret@db.example/p",
            &expect![
                "the address of the store is not usable: expected a file or postgres://…, found an address of `mysql`"
            ],
        );
    }

    #[test]
    fn a_line_of_a_password_file() {
        let wanted = ["db.example", "5432", "probity", "ann"];
        assert_eq!(password_in("*:*:*:ann:a\\:b", wanted).as_deref(), Some("a:b"));
        assert_eq!(password_in("db.example:5432:probity:ann:s:t", wanted).as_deref(), Some("s:t"));
        assert_eq!(password_in("db.example:5433:probity:ann:no", wanted), None);
        assert_eq!(password_in("# a comment", wanted), None);
    }
}
