//! Hosts that nothing is sent to: those of a cloud's own services, and public ones without encryption.
//!
//! Only the text of a URL is checked, in every spelling that an address can have; names are not resolved.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// Suffixes of names that are not public hosts.
const PRIVATE_NAMES: &[&str] = &["localhost", "local", "internal", "lan", "intranet", "home.arpa"];

/// Names of metadata services, which hand out a machine's own credentials.
const METADATA_NAMES: &[&str] = &["metadata.google.internal", "instance-data.ec2.internal"];

/// The address of such a service in IPv6.
const METADATA: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// Why nothing is sent to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadHost {
    /// It is link-local, or a service that hands out credentials.
    #[error("the URL is that of a link-local or metadata address; expected another host")]
    LinkLocal,
    /// Customers' texts and keys would cross public networks unencrypted.
    #[error(
        "the URL sends to a public host without encryption; expected https, or a private address or name for http"
    )]
    Public,
}

/// Whether requests may go to `url`.
pub(crate) fn checked(url: &Url) -> Result<(), BadHost> {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).trim_end_matches('.');
    let is_private = match host.parse::<IpAddr>() {
        Ok(address) => {
            let address = plain(address);
            if is_link_local(address) {
                return Err(BadHost::LinkLocal);
            }
            is_private(address)
        }
        Err(_) if METADATA_NAMES.contains(&host) => return Err(BadHost::LinkLocal),
        Err(_) => !host.contains('.') || PRIVATE_NAMES.iter().any(|end| ends_with(host, end)),
    };
    if url.scheme() == "https" || is_private { Ok(()) } else { Err(BadHost::Public) }
}

fn ends_with(host: &str, end: &str) -> bool {
    host.strip_suffix(end).is_some_and(|before| before.ends_with('.'))
}

/// The IPv4 address inside an IPv6 address, if there is one: mapped, compatible or translated.
fn plain(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    let inside = match v6.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some((high, low)),
        [0, 0, 0, 0, 0, 0, high, low] if high > 0 => Some((high, low)),
        _ => None,
    };
    let v4 = |(high, low): (u16, u16)| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    inside.map_or(address, |inside| v4(inside).into())
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local() || v6 == METADATA,
    }
}

/// Whether an address belongs to this machine or to a private network, including carrier-grade NAT and overlay
/// networks.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [first, second, ..] = v4.octets();
            let is_shared = first == 100 && second & 0xc0 == 64;
            v4.is_loopback() || v4.is_private() || v4.is_unspecified() || is_shared
        }
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unspecified() || v6.is_unique_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Result<(), BadHost>) {
        assert_eq!(checked(&Url::parse(text).expect("a URL")), want, "{text}");
    }

    #[test]
    fn w26_link_local_and_metadata_addresses_are_refused() {
        for host in [
            "169.254.169.254", "169.254.0.1:8080", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376",
            "169.254.43518", "[fe80::1]", "[febf::1]", "[fd00:ec2::254]", "[::ffff:169.254.169.254]",
            "[::ffff:a9fe:a9fe]", "[::169.254.169.254]", "[64:ff9b::169.254.169.254]",
            "metadata.google.internal", "METADATA.google.internal.",
        ] {
            check(&format!("http://{host}/latest"), Err(BadHost::LinkLocal));
            check(&format!("https://{host}/latest"), Err(BadHost::LinkLocal));
        }
    }

    #[test]
    fn w26_public_hosts_need_https() {
        for host in
            ["api.example.com", "8.8.8.8", "[2001:db8::1]", "172.32.0.1", "[::ffff:8.8.8.8]", "localhost.com"]
        {
            check(&format!("http://{host}/v1"), Err(BadHost::Public));
            check(&format!("https://{host}/v1"), Ok(()));
        }
    }

    #[test]
    fn w26_private_hosts_do_not() {
        for host in [
            "localhost:11434", "127.0.0.1", "127.9.9.9", "[::1]:80", "[::ffff:127.0.0.1]", "10.0.0.5",
            "172.16.0.1", "192.168.1.20", "100.64.0.1", "[fd12:3456::1]", "ollama:11434", "gpu.local",
            "bot.svc.cluster.local", "bot.internal", "a.localhost",
        ] {
            check(&format!("http://{host}/v1"), Ok(()));
        }
    }
}
