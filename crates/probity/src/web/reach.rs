//! Who can reach the server: this machine alone, or a team by a public name.
//!
//! What always holds: beyond this machine nothing is served in plain text to anyone but a proxy that was named, and what
//! a request says about where it comes from counts only where a named proxy says it.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::address::ServerAddress;
use crate::args::AddressArgs;
use crate::exit::Failure;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The widest networks that can be named as proxies, in bits that are given.
const BITS_MIN: [u8; 2] = [8, 16];

/// Who can reach the server.
pub(crate) struct Reach {
    /// Where it listens; `None` for this machine's own addresses.
    pub(super) listen: Option<IpAddr>,
    /// The port; 0 draws a free one.
    pub(super) port: u16,
    /// The name that people open; `None` on this machine alone.
    pub(super) public: Option<ServerAddress>,
    /// The server's own TLS.
    pub(super) tls: Option<Arc<ServerConfig>>,
    /// Proxies that are believed.
    pub(super) proxies: Proxies,
}

impl Reach {
    /// This machine alone, at a port.
    #[cfg(test)]
    pub(super) fn own(port: u16) -> Reach {
        Reach { listen: None, port, public: None, tls: None, proxies: Proxies::default() }
    }

    /// What flags say. Anything but this machine's own addresses without TLS is refused unless the proxy is named.
    pub(crate) fn of(args: &AddressArgs) -> Result<Reach, Failure> {
        let public = args.public_url.as_deref().map(ServerAddress::public).transpose();
        let public = public.map_err(|why| Failure::usage(format!("--public-url: {why}")))?;
        let proxies = args.proxies.iter().map(|text| {
            let network = text.parse::<Network>();
            network.map_err(|why| Failure::usage(format!("--proxy {text}: {why}")))
        });
        let proxies = Proxies(proxies.collect::<Result<Vec<_>, _>>()?);
        let tls = tls(args.tls_cert.as_deref(), args.tls_key.as_deref())?;
        let (listen, port) = place(args)?;
        let is_beyond = listen.is_some_and(|address| !address.is_loopback());
        if public.is_none() && (is_beyond || tls.is_some() || !proxies.0.is_empty()) {
            return Err(Failure::usage("--public-url is missing")
                .hint("say which address people open: --public-url https://label.example.com"));
        }
        if is_beyond && tls.is_none() && proxies.0.is_empty() {
            return Err(Failure::usage("--listen beyond this machine without TLS is refused").hint(
                "give --tls-cert and --tls-key, or name the proxy that speaks TLS with --proxy ADDRESS",
            ));
        }
        Ok(Reach { listen, port, public, tls, proxies })
    }

    /// Whether a client at this address is turned away at once: it would be answered in plain text.
    pub(super) fn refuses(&self, peer: IpAddr) -> bool {
        self.tls.is_none() && !peer.to_canonical().is_loopback() && !self.proxies.has(peer)
    }
}

/// Where the server listens.
fn place(args: &AddressArgs) -> Result<(Option<IpAddr>, u16), Failure> {
    let Some(text) = &args.listen else { return Ok((None, args.port)) };
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok((Some(address.ip()), address.port()));
    }
    let address = text.parse::<IpAddr>().map_err(|_| {
        Failure::usage(format!("--listen {text}: expected an address such as 0.0.0.0 or 10.0.0.5:8443"))
    })?;
    Ok((Some(address), args.port))
}

/// The server's own TLS, from a certificate with its chain and its key, both as PEM.
fn tls(certificate: Option<&Path>, key: Option<&Path>) -> Result<Option<Arc<ServerConfig>>, Failure> {
    let (certificate, key) = match (certificate, key) {
        (None, None) => return Ok(None),
        (Some(certificate), Some(key)) => (certificate, key),
        _ => return Err(Failure::usage("--tls-cert and --tls-key belong together")),
    };
    let wrong = |flag: &str, path: &Path, why: &dyn std::fmt::Display| {
        Failure::usage(format!("{flag} {}: {why}", path.display()))
    };
    let chain = CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let chain = chain.map_err(|error| wrong("--tls-cert", certificate, &error))?;
    if chain.is_empty() {
        return Err(wrong("--tls-cert", certificate, &"there is no certificate in it, expected PEM"));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong("--tls-key", key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, private));
    let mut config = config.map_err(|error| wrong("--tls-cert", certificate, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Some(Arc::new(config)))
}

/// Proxies that are believed.
#[derive(Debug, Clone, Default)]
pub(super) struct Proxies(Vec<Network>);

impl Proxies {
    /// These addresses and networks.
    #[cfg(test)]
    pub(super) fn of(texts: &[&str]) -> Proxies {
        Proxies(texts.iter().map(|text| text.parse().expect("an address or a network")).collect())
    }

    fn has(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.has(address))
    }

    /// Where a request comes from: the peer, or what a named proxy says, as far as the last of them.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.has(peer) {
            return peer;
        }
        let said = headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
        let hops: Vec<&str> = said.flat_map(|value| value.split(',')).map(str::trim).collect();
        let addresses = hops.iter().rev().map_while(|hop| hop.parse::<IpAddr>().ok());
        let mut client = peer;
        for address in addresses {
            client = address.to_canonical();
            if !self.has(client) {
                break;
            }
        }
        client
    }

    /// Whether a named proxy says that it was asked without TLS.
    pub(super) fn says_plain(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        self.has(peer.to_canonical()) && headers.get_all(FORWARDED_PROTO).iter().any(|value| value != "https")
    }
}

/// An address or a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    bits: u8,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let expected = || "expected an address such as 10.0.0.5, or a network such as 10.0.0.0/24".to_owned();
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address = address.parse::<IpAddr>().map_err(|_| expected())?.to_canonical();
        let [most, least] = if address.is_ipv4() { [32, BITS_MIN[0]] } else { [128, BITS_MIN[1]] };
        let bits = bits.map_or(Ok(most), |bits| bits.parse::<u8>().map_err(|_| expected()))?;
        if bits > most {
            return Err(expected());
        }
        if bits < least {
            return Err(format!("the network is too wide to be believed, expected at least /{least}"));
        }
        Ok(Network { address, bits })
    }
}

impl Network {
    fn has(&self, address: IpAddr) -> bool {
        let leading =
            |one: u128, other: u128, width: u32| (one ^ other) >> (width - u32::from(self.bits)) == 0;
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                leading(u32::from(own).into(), u32::from(other).into(), 32)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => self.bits == 0 || leading(own.into(), other.into(), 128),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[track_caller]
    fn check(peer: &str, forwarded: &[&str], want: &str) {
        let proxies =
            Proxies(["10.1.0.0/16", "127.0.0.1", "fd00::7"].map(|text| text.parse().unwrap()).into());
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(FORWARDED_FOR, value.parse().unwrap());
        }
        assert_eq!(proxies.client(ip(peer), &headers), ip(want), "{peer} {forwarded:?}");
    }

    #[test]
    fn forwarded_headers_count_from_named_proxies_alone() {
        check("203.0.113.9", &["198.51.100.1"], "203.0.113.9");
        check("10.1.2.3", &["198.51.100.1"], "198.51.100.1");
        check("10.1.2.3", &["6.6.6.6, 198.51.100.1"], "198.51.100.1");
        check("10.1.2.3", &["198.51.100.1", "10.1.9.9"], "198.51.100.1");
        check("::ffff:10.1.2.3", &["2001:db8::1"], "2001:db8::1");
        check("127.0.0.1", &[], "127.0.0.1");
        check("127.0.0.1", &["nonsense"], "127.0.0.1");
        check("127.0.0.1", &["6.6.6.6, nonsense, 10.1.0.1"], "10.1.0.1");
        check("fd00::7", &["fd00::8"], "fd00::8");
    }

    #[test]
    fn networks_are_read_and_none_is_everybody() {
        for text in ["0.0.0.0/0", "::/0", "10.0.0.0/7", "10.0.0.0/33", "host", "10.0.0.0/x", "", "10.0.0.0/"]
        {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
        let network: Network = "192.168.4.0/22".parse().unwrap();
        assert!(network.has(ip("192.168.7.255")) && !network.has(ip("192.168.8.0")));
        let one: Network = "fd00::1".parse().unwrap();
        assert!(one.has(ip("fd00::1")) && !one.has(ip("fd00::2")) && !one.has(ip("10.0.0.1")));
    }

    #[test]
    fn a_proxy_that_was_asked_in_plain_text_says_so() {
        let proxies = Proxies(vec!["10.1.0.1".parse().unwrap()]);
        let headers = |value: &str| HeaderMap::from_iter([(FORWARDED_PROTO, value.parse().unwrap())]);
        assert!(proxies.says_plain(ip("10.1.0.1"), &headers("http")));
        assert!(!proxies.says_plain(ip("10.1.0.1"), &headers("https")));
        assert!(!proxies.says_plain(ip("10.1.0.2"), &headers("http")), "no setting names it");
    }
}
