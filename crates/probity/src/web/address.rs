//! Where the pages are: the one value of scheme, name and port that links, `Host`, `Origin` and cookies follow.
//!
//! Cookies do not tell ports apart, so a cookie of `127.0.0.1` goes to every program that a browser opens on this
//! machine. The pages are therefore served under a name of their own below `localhost`, which browsers take for this
//! machine without asking a name server. The name is drawn for the store and stands in no response to another name,
//! so that no other program can use it.

use std::net::ToSocketAddrs;

/// What a system is asked by whose browsers resolve names themselves nowhere but there.
const RESOLVES_BY_SYSTEM: bool = cfg!(target_os = "macos");

/// The address that serves where a name of its own cannot be resolved.
const LOOPBACK: &str = "127.0.0.1";

/// Where the pages are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerAddress {
    scheme: &'static str,
    name: String,
    port: u16,
}

impl ServerAddress {
    /// The address under `localhost` that is the store's own, or the loopback address on a system where the browser
    /// may not find it.
    pub(super) fn own(label: &str, port: u16) -> ServerAddress {
        let name = format!("probity-{label}.localhost");
        let is_found = !RESOLVES_BY_SYSTEM || (name.as_str(), port).to_socket_addrs().is_ok();
        if is_found { ServerAddress { scheme: "http", name, port } } else { ServerAddress::loopback(port) }
    }

    /// The loopback address, whose cookies every program on this machine can get.
    pub(super) fn loopback(port: u16) -> ServerAddress {
        ServerAddress { scheme: "http", name: LOOPBACK.to_owned(), port }
    }

    /// Whether other programs on this machine get the cookies of this address.
    pub(super) fn shares_cookies(&self) -> bool {
        self.name == LOOPBACK
    }

    /// The address of a page.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}://{}:{}{path}", self.scheme, self.name, self.port)
    }

    /// Whether a `Host` header names this server.
    pub(super) fn is_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        match host.strip_suffix(&format!(":{}", self.port)) {
            Some(name) => name == self.name,
            None => self.port == 80 && host == self.name,
        }
    }

    /// Whether an `Origin` header names a page of this server.
    pub(super) fn is_origin(&self, origin: &str) -> bool {
        let host = origin.strip_prefix(self.scheme).and_then(|rest| rest.strip_prefix("://"));
        host.is_some_and(|host| self.is_host(host))
    }

    /// The name of the session cookie. It holds the port, because a loopback address is shared.
    pub(super) fn cookie_name(&self) -> String {
        format!("probity-{}", self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_decides_links_host_and_origin() {
        let own = ServerAddress { scheme: "http", name: "probity-1f.localhost".to_owned(), port: 8700 };
        assert_eq!(own.url("/enter#x"), "http://probity-1f.localhost:8700/enter#x");
        assert!(own.is_host("probity-1f.localhost:8700") && own.is_host("PROBITY-1F.LocalHost:8700"));
        assert!(own.is_origin("http://probity-1f.localhost:8700"));
        for other in ["127.0.0.1:8700", "localhost:8700", "probity-2.localhost:8700", "probity-1f.localhost"]
        {
            assert!(!own.is_host(other), "{other}");
            assert!(!own.is_origin(&format!("http://{other}")), "{other}");
        }
        assert!(!own.is_origin("https://probity-1f.localhost:8700"));
        assert!(!own.shares_cookies() && ServerAddress::loopback(1).shares_cookies());
        let plain = ServerAddress { port: 80, ..own };
        assert!(plain.is_host("probity-1f.localhost") && plain.is_host("probity-1f.localhost:80"));
    }
}
