//! Where the pages are: the one value of scheme, name and port that links, `Host`, `Origin` and cookies follow.
//!
//! On this machine alone: cookies do not tell ports apart, so a cookie of `127.0.0.1` goes to every program that a
//! browser opens on this machine. The pages are therefore served under a name of their own below `localhost`, which
//! browsers take for this machine without asking a name server. The name is drawn for the store and stands in no
//! response to another name, so that no other program can use it.
//!
//! For a team: the pages have a public name, always by TLS, which this server or a proxy in front of it speaks. The
//! session cookie is then for that name alone (`__Host-`) and never sent without TLS (`Secure`).

use std::net::ToSocketAddrs;

/// What a system is asked by whose browsers resolve names themselves nowhere but there.
const RESOLVES_BY_SYSTEM: bool = cfg!(target_os = "macos");

/// The address that serves where a name of its own cannot be resolved.
const LOOPBACK: &str = "127.0.0.1";

/// Longer than every name of a host.
const NAME_CHARS_MAX: usize = 253;

/// How the pages are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }

    /// The port that addresses leave out.
    fn port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

/// Where the pages are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerAddress {
    scheme: Scheme,
    name: String,
    port: u16,
}

impl ServerAddress {
    /// The address under `localhost` that is the store's own, or the loopback address on a system where the browser
    /// may not find it.
    pub(super) fn own(label: &str, port: u16) -> ServerAddress {
        let name = format!("probity-{label}.localhost");
        let is_found = !RESOLVES_BY_SYSTEM || (name.as_str(), port).to_socket_addrs().is_ok();
        if is_found {
            ServerAddress { scheme: Scheme::Http, name, port }
        } else {
            ServerAddress::loopback(port)
        }
    }

    /// The loopback address, whose cookies every program on this machine can get.
    pub(super) fn loopback(port: u16) -> ServerAddress {
        ServerAddress { scheme: Scheme::Http, name: LOOPBACK.to_owned(), port }
    }

    /// The public address that `text` names: `https://`, a name, and a port where it is not 443.
    pub(crate) fn public(text: &str) -> Result<ServerAddress, String> {
        let expected = "expected https://NAME or https://NAME:PORT";
        let rest = text.strip_prefix("https://").ok_or(expected)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (name, port) = match rest.rsplit_once(':') {
            Some((name, port)) => (name, port.parse().ok().filter(|port| *port > 0).ok_or(expected)?),
            None => (rest, Scheme::Https.port()),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        let is_name = !name.is_empty() && name.len() <= NAME_CHARS_MAX && name.chars().all(is_plain);
        if !is_name || name.starts_with('.') || name.contains("..") {
            return Err(expected.to_owned());
        }
        Ok(ServerAddress { scheme: Scheme::Https, name: name.to_ascii_lowercase(), port })
    }

    /// Whether it is served by TLS, by this server or by a proxy in front of it.
    pub(super) fn is_public(&self) -> bool {
        self.scheme == Scheme::Https
    }

    /// Whether other programs on this machine get the cookies of this address.
    pub(super) fn shares_cookies(&self) -> bool {
        self.name == LOOPBACK
    }

    /// The address of a page.
    pub(super) fn url(&self, path: &str) -> String {
        let ServerAddress { scheme, name, port } = self;
        // A port on this machine is part of how people know the server; one on the web is left out where it can be.
        if *port == scheme.port() && self.is_public() {
            return format!("{}://{name}{path}", scheme.name());
        }
        format!("{}://{name}:{port}{path}", scheme.name())
    }

    /// Whether a `Host` header names this server.
    pub(super) fn is_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        match host.strip_suffix(&format!(":{}", self.port)) {
            Some(name) => name == self.name,
            None => self.port == self.scheme.port() && host == self.name,
        }
    }

    /// Whether an `Origin` header names a page of this server.
    pub(super) fn is_origin(&self, origin: &str) -> bool {
        let host = origin.strip_prefix(self.scheme.name()).and_then(|rest| rest.strip_prefix("://"));
        host.is_some_and(|host| self.is_host(host))
    }

    /// The name of the session cookie. On this machine it holds the port, because a loopback address is shared; by TLS
    /// the browser itself keeps it to this name.
    pub(super) fn cookie_name(&self) -> String {
        match self.scheme {
            Scheme::Http => format!("probity-{}", self.port),
            Scheme::Https => "__Host-probity".to_owned(),
        }
    }

    /// What the session cookie says about where it goes.
    pub(super) fn cookie_bounds(&self) -> &'static str {
        match self.scheme {
            Scheme::Http => "Path=/; HttpOnly; SameSite=Strict",
            Scheme::Https => "Path=/; HttpOnly; SameSite=Strict; Secure",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_decides_links_host_and_origin() {
        let own = ServerAddress { scheme: Scheme::Http, name: "probity-1f.localhost".to_owned(), port: 8700 };
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

    #[test]
    fn w03_w09_a_public_name_decides_them_too() {
        let room = ServerAddress::public("https://Label.Shop.example/").unwrap();
        assert_eq!(room.url("/enter#x"), "https://label.shop.example/enter#x");
        for host in ["label.shop.example", "LABEL.shop.example:443"] {
            assert!(room.is_host(host), "{host}");
            assert!(room.is_origin(&format!("https://{host}")), "{host}");
            assert!(!room.is_origin(&format!("http://{host}")), "{host} without TLS");
        }
        for host in
            ["label.shop.example:8443", "shop.example", "x.label.shop.example", "127.0.0.1", "", "[::1]:443"]
        {
            assert!(!room.is_host(host), "{host}");
        }
        assert_eq!(room.cookie_name(), "__Host-probity");
        assert!(room.cookie_bounds().ends_with("; Secure") && !room.cookie_bounds().contains("Domain"));
        let other_port = ServerAddress::public("https://label.shop.example:8443").unwrap();
        assert_eq!(other_port.url("/"), "https://label.shop.example:8443/");
        assert!(other_port.is_host("label.shop.example:8443") && !other_port.is_host("label.shop.example"));
    }

    #[test]
    fn w02_what_is_no_public_name_is_refused() {
        for text in [
            "http://label.example", "label.example", "https://", "https://a/b", "https://a?b", "https://u@a",
            "https://a:0", "https://a:99999", "https://a:b", "https://[::1]", "https://a..b",
            "https://ä.example",
        ] {
            assert!(ServerAddress::public(text).is_err(), "{text}");
        }
    }
}
