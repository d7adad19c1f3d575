//! Faults of the connection and of streams: F30 to F42. Most break the rules of HTTP.

use std::io::Write as _;
use std::sync::LazyLock;
use std::time::Duration;

use super::super::answer::{Call, Message};
use super::super::asked::Dialect;
use super::super::form::quoted;
use super::super::http::{Act, Response, Then, head};
use super::Made;
use super::refusal::error_body;

/// One mebibyte of spaces, compressed. Members of a gzip stream may be strung together, so a thousand of
/// these are a gigabyte that takes no time to make.
static MEBIBYTE_OF_SPACES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b' '; 1 << 20]).expect("a vector takes every byte");
    encoder.finish().expect("a vector takes every byte")
});

pub(super) fn f30(_: &Call<'_>) -> Made<Act> {
    broken(None, Vec::new(), Then::Reset)
}

pub(super) fn f31(call: &Call<'_>) -> Made<Act> {
    let whole = clean_body(call);
    let mut bytes = head(200, &json(), Some(whole.len()));
    bytes.extend_from_slice(&whole[..whole.len() / 2]);
    broken(Some(200), bytes, Then::Reset)
}

pub(super) fn f35(_: &Call<'_>) -> Made<Act> {
    broken(None, Vec::new(), Then::Silence)
}

pub(super) fn f36(call: &Call<'_>) -> Made<Act> {
    let bytes = stream_head() + &piece(call, &half(&call.said.json()));
    let then = Then::Repeat { piece: b": keep-alive\n\n".to_vec(), every: call.settings.drip };
    broken(Some(200), bytes.into_bytes(), then)
}

/// Spaces, which JSON allows before a value: nothing is wrong but the pace.
pub(super) fn f37(call: &Call<'_>) -> Made<Act> {
    let bytes = head(200, &json(), Some(1_000_000));
    broken(Some(200), bytes, Then::Repeat { piece: b" ".to_vec(), every: call.settings.drip })
}

pub(super) fn f38(call: &Call<'_>) -> Made<Act> {
    if call.asked.dialect == Dialect::Anthropic {
        return Made::Unbroken;
    }
    let end =
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let bytes = stream_head() + &piece(call, &call.said.json()) + end;
    let act = Act::Break { status: Some(200), bytes: bytes.into_bytes(), then: Then::Silence };
    Made::Verdict(act)
}

pub(super) fn f39(call: &Call<'_>) -> Made<Act> {
    let bytes = stream_head() + &piece(call, &call.said.json());
    broken(Some(200), bytes.into_bytes(), Then::Close)
}

pub(super) fn f40(call: &Call<'_>) -> Made<Act> {
    let error = error_body(call, "server_error", "The server had an error.", None);
    if *call.draw.pick("variant", &[0, 1]) == 0 {
        return Made::Nothing(Act::Respond(Response::json(200, error)));
    }
    let event = if call.asked.dialect == Dialect::Anthropic { "event: error\n" } else { "" };
    let bytes = stream_head() + &piece(call, &half(&call.said.json())) + event + "data: " + &error + "\n\n";
    broken(Some(200), bytes.into_bytes(), Then::Close)
}

pub(super) fn f41(call: &Call<'_>) -> Made<Act> {
    if *call.draw.pick("variant", &[0, 1]) == 0 {
        let body = MEBIBYTE_OF_SPACES.repeat(1024);
        let response = Response::json(200, body).with("content-encoding", "gzip");
        return Made::Nothing(Act::Respond(response));
    }
    let then = Then::Repeat { piece: vec![b' '; 1 << 16], every: Duration::ZERO };
    broken(Some(200), head(200, &json(), None), then)
}

pub(super) fn f42(call: &Call<'_>) -> Made<Act> {
    let mut body = clean_body(call);
    let mut chunked = json();
    chunked.push(("transfer-encoding", "chunked".to_owned()));
    let (mut bytes, then) = match call.draw.bits("variant") % 4 {
        0 => (head(200, &json(), Some(body.len() + 9)), Then::Close),
        1 => (head(200, &json(), Some(body.len() / 2)), Then::Close),
        2 => {
            body = [b"4\r\n{\"id\r\nzz\r\n", body.as_slice()].concat();
            (head(200, &chunked, None), Then::Close)
        }
        _ => {
            body.splice(1..1, *b"\"\xff\xfe\":1,");
            return Made::Nothing(Act::Respond(Response::json(200, body)));
        }
    };
    bytes.extend_from_slice(&body);
    broken(Some(200), bytes, then)
}

fn broken(status: Option<u16>, bytes: Vec<u8>, then: Then) -> Made<Act> {
    Made::Nothing(Act::Break { status, bytes, then })
}

fn json() -> Vec<(&'static str, String)> {
    vec![("content-type", "application/json".to_owned())]
}

fn clean_body(call: &Call<'_>) -> Vec<u8> {
    Message::verdict(call.asked, &call.said.json()).body(call).into_bytes()
}

fn half(text: &str) -> String {
    text.chars().take(text.chars().count() / 2).collect()
}

fn stream_head() -> String {
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n".to_owned()
}

/// A piece of an answer as an event.
fn piece(call: &Call<'_>, text: &str) -> String {
    let text = quoted(text);
    match call.asked.dialect {
        Dialect::OpenAi => {
            let model = quoted(call.model());
            format!(
                "data: {{\"object\":\"chat.completion.chunk\",\"model\":{model},\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}}}}]}}\n\n"
            )
        }
        Dialect::Anthropic => format!(
            "event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":{text}}}}}\n\n"
        ),
    }
}
