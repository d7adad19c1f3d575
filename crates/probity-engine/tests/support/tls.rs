//! A TLS server whose certificate nobody has signed but itself.
//!
//! The certificate and its key were made for this purpose alone and protect nothing.

#![allow(unreachable_pub, reason = "a module of a test binary")]

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection};

/// Offers a self-signed certificate to one client, on a thread of its own, and says where.
pub fn self_signed_once() -> SocketAddr {
    let certificate = CertificateDer::from(include_bytes!("self_signed_cert.der").as_slice());
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(include_bytes!("self_signed_key.der").as_slice()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider supports the usual versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("the certificate belongs to the key");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("a bound listener has an address");
    std::thread::spawn(move || {
        let Ok((mut socket, _)) = listener.accept() else { return };
        let Ok(mut connection) = ServerConnection::new(Arc::new(config)) else { return };
        while connection.is_handshaking() && connection.complete_io(&mut socket).is_ok() {}
    });
    address
}
