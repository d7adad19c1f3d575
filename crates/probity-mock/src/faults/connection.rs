//! Faults of the connection and of streams: F30 to F42. Most break the rules of HTTP.

use std::io::Write as _;
use std::sync::LazyLock;
use std::time::Duration;

use super::super::answer::MockCall;
use super::super::dialect::Dialect;
use super::super::http::{HttpResponse, Then, WireAct, head};
use super::{FaultMade, MockFault, response};

/// One mebibyte of spaces, compressed. Members of a gzip stream may be strung together, so a thousand of
/// these are a gigabyte that takes no time to make.
static MEBIBYTE_OF_SPACES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b' '; 1 << 20]).expect("a vector takes every byte");
    encoder.finish().expect("a vector takes every byte")
});

pub(super) const FAULTS: &[MockFault] = &[
    response("F30", "the connection is reset before any byte", |_| broken(None, Vec::new(), Then::Reset)),
    response("F31", "the connection is reset in the middle of the body", |call| {
        let whole = clean_body(call);
        let mut bytes = head(200, &as_json(), Some(whole.len()));
        bytes.extend_from_slice(&whole[..whole.len() / 2]);
        broken(Some(200), bytes, Then::Reset)
    }),
    response("F35", "headers never come", |_| broken(None, Vec::new(), Then::Silence)),
    response("F36", "an event stream stalls while keep-alive comments go on (--drip)", |call| {
        let then = Then::Repeat { piece: b": keep-alive\n\n".to_vec(), every: call.settings.drip };
        broken(Some(200), stream(call, &half(&call.said.json()), ""), then)
    }),
    // Spaces, which JSON allows before a value: nothing is wrong but the pace.
    response("F37", "one byte at a time, with a long pause before each (--drip)", |call| {
        let then = Then::Repeat { piece: b" ".to_vec(), every: call.settings.drip };
        broken(Some(200), head(200, &as_json(), Some(1_000_000)), then)
    }),
    response("F38", "an event stream ends with [DONE] and the connection stays open", |call| {
        if call.asked.dialect == Dialect::Anthropic {
            return FaultMade::Unbroken;
        }
        let end =
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        let bytes = stream(call, &call.said.json(), end);
        FaultMade::Verdict(WireAct { status: Some(200), bytes, then: Then::Silence })
    }),
    response("F39", "an event stream ends without a finish reason or [DONE]", |call| {
        broken(Some(200), stream(call, &call.said.json(), ""), Then::Close)
    }),
    response("F40", "an error inside a 200 body or inside an event stream", |call| {
        let error = call.asked.dialect.error("server_error", "The server had an error.", None);
        if call.variant(&[true, false]) {
            return FaultMade::Nothing(WireAct::from(HttpResponse::json(200, error)));
        }
        let event = if call.asked.dialect == Dialect::Anthropic { "event: error\n" } else { "" };
        let end = format!("{event}data: {error}\n\n");
        broken(Some(200), stream(call, &half(&call.said.json()), &end), Then::Close)
    }),
    response("F41", "1 GB out of 1 MB of gzip, or a body without end", |call| {
        if call.variant(&[true, false]) {
            let response = HttpResponse::json(200, MEBIBYTE_OF_SPACES.repeat(1024));
            return FaultMade::Nothing(WireAct::from(response.with("content-encoding", "gzip")));
        }
        let then = Then::Repeat { piece: vec![b' '; 1 << 16], every: Duration::ZERO };
        broken(Some(200), head(200, &as_json(), None), then)
    }),
    response("F42", "a wrong Content-Length, bad chunking, or a body that is not UTF-8", |call| {
        let mut body = clean_body(call);
        let mut bytes = match call.variant(&[0, 1, 2, 3]) {
            0 => head(200, &as_json(), Some(body.len() + 9)),
            1 => head(200, &as_json(), Some(body.len() / 2)),
            2 => {
                body = [b"4\r\n{\"id\r\nzz\r\n", body.as_slice()].concat();
                let chunked = ("transfer-encoding", "chunked".to_owned());
                head(200, &[as_json(), vec![chunked]].concat(), None)
            }
            _ => {
                body.splice(1..1, *b"\"\xff\xfe\":1,");
                return FaultMade::Nothing(WireAct::from(HttpResponse::json(200, body)));
            }
        };
        bytes.extend_from_slice(&body);
        broken(Some(200), bytes, Then::Close)
    }),
];

fn broken(status: Option<u16>, bytes: Vec<u8>, then: Then) -> FaultMade<WireAct> {
    FaultMade::Nothing(WireAct { status, bytes, then })
}

fn as_json() -> Vec<(&'static str, String)> {
    vec![("content-type", "application/json".to_owned())]
}

fn clean_body(call: &MockCall<'_>) -> Vec<u8> {
    call.body(&call.stating(&call.said.json())).into_bytes()
}

fn half(text: &str) -> String {
    text.chars().take(text.chars().count() / 2).collect()
}

/// The start of an event stream: a piece of an answer, and what follows it.
fn stream(call: &MockCall<'_>, text: &str, end: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let piece = call.asked.dialect.event(call.model(), text);
    format!("{head}{piece}{end}").into_bytes()
}
