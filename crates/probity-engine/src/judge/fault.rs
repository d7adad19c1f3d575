//! What a failed exchange means, read from the errors of the HTTP client.
//!
//! The client's errors nest; the cause is at the bottom. Where a cause has a public type (operating system,
//! TLS) the type decides. The HTTP/1 and HTTP/2 layers keep theirs private, so their wording decides; the
//! client is pinned to an exact version and the transport tests produce each of these errors for real.
//!
//! No text that leaves here holds a URL or a key.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

use super::TransportFault;
use super::mask::masked;

/// Which part of a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Connecting, sending, or waiting for the response's head.
    Head,
    /// Reading the body.
    Body,
}

/// The fault behind `error`. `connect` is the connect clock, which the client itself keeps.
pub(super) fn transport_fault(error: reqwest::Error, phase: Phase, connect: Duration) -> TransportFault {
    let error = error.without_url();
    let causes = causes(&error);
    let deepest = causes.last().map(|cause| masked(&cause.to_string())).unwrap_or_default();
    if let Some(tls) = causes.iter().find_map(|cause| cause.downcast_ref::<rustls::Error>()) {
        return tls_fault(tls);
    }
    if error.is_connect() || error.is_builder() {
        return if error.is_timeout() {
            TransportFault::ConnectTimeout(connect)
        } else {
            TransportFault::Connect(deepest)
        };
    }
    let texts: Vec<String> = causes.iter().map(ToString::to_string).collect();
    if texts.iter().any(|text| says_refused(text)) {
        return TransportFault::Refused(deepest);
    }
    let damaged = match phase {
        Phase::Head => texts.iter().any(|text| says_malformed(text)),
        Phase::Body => causes.iter().any(|cause| is_damage(*cause)),
    };
    if damaged { TransportFault::BadBody(deepest) } else { TransportFault::Lost(deepest) }
}

/// Anything that is wrong with TLS itself stays wrong; only an alert may be the server's passing mood.
fn tls_fault(error: &rustls::Error) -> TransportFault {
    let text = masked(&error.to_string());
    match error {
        rustls::Error::AlertReceived(_) => TransportFault::Connect(text),
        _ => TransportFault::Tls(text),
    }
}

/// `error` and everything below it, outermost first. An operating system error hides what it wraps from
/// `source`, so that is asked for by hand.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> Vec<&'a (dyn Error + 'static)> {
    let mut causes = vec![error];
    let mut current = error;
    loop {
        let wrapped = current.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let next = match wrapped {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => current.source(),
        };
        let Some(next) = next else { return causes };
        causes.push(next);
        current = next;
    }
}

/// A GOAWAY, `REFUSED_STREAM` or `ENHANCE_YOUR_CALM` from the server.
fn says_refused(text: &str) -> bool {
    text.starts_with("connection error received:")
        || (text.starts_with("stream error received:")
            && (text.contains("refused stream") || text.contains("excessive load")))
}

/// A head that is not HTTP.
fn says_malformed(text: &str) -> bool {
    text.ends_with("parsed") || text == "message head is too large"
}

/// Chunking or compression that is against the rules, as opposed to a connection that ended.
fn is_damage(cause: &(dyn Error + 'static)) -> bool {
    cause
        .downcast_ref::<io::Error>()
        .is_some_and(|error| matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput))
}

#[cfg(test)]
mod tests {
    use super::{says_malformed, says_refused, tls_fault};
    use crate::judge::TransportFault;

    #[test]
    fn f32_refusals_of_a_server() {
        assert!(says_refused(
            "stream error received: refused stream before processing any application logic"
        ));
        assert!(says_refused("connection error received: detected excessive load generating behavior"));
        assert!(says_refused("connection error received: not a result of an error"));
        assert!(!says_refused("stream error received: stream no longer needed"));
        assert!(!says_refused("connection error detected: frame with invalid size"));
    }

    #[test]
    fn f33_certificates_are_final_and_alerts_are_not() {
        use rustls::CertificateError::{Expired, NotValidForName, UnknownIssuer};
        for cause in [Expired, NotValidForName, UnknownIssuer] {
            let fault = tls_fault(&rustls::Error::InvalidCertificate(cause));
            assert!(matches!(fault, TransportFault::Tls(_)), "{fault:?}");
        }
        let alert = tls_fault(&rustls::Error::AlertReceived(rustls::AlertDescription::InternalError));
        assert!(matches!(alert, TransportFault::Connect(_)), "{alert:?}");
    }

    #[test]
    fn f42_heads_that_are_not_http() {
        assert!(says_malformed("invalid content-length parsed"));
        assert!(!says_malformed("connection closed before message completed"));
    }
}
