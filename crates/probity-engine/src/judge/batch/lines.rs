//! Requests and results of batches, line by line: ids, what is written, and what is read within bounds.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use probity_core::packet::PacketHash;
use serde_json::{Value, json};

use crate::judge::JudgeId;

/// Bytes of an id before it is spelled: 32 characters.
const ID_BYTES: usize = 24;

/// The id of a request. It follows from what is asked, who is asked and which attempt it is, so a request that was sent is
/// known again by any process.
pub fn request_id(packet: &PacketHash, judge: &JudgeId, repeat: u32, n: u32) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(packet.as_bytes()).update(judge.as_str().as_bytes()).update(b"\n");
    hasher.update(&repeat.to_le_bytes()).update(&n.to_le_bytes());
    URL_SAFE_NO_PAD.encode(&hasher.finalize().as_bytes()[..ID_BYTES])
}

/// A value on one line, whatever a reader takes for the end of one.
pub(super) fn on_one_line(value: &Value) -> String {
    let text = value.to_string();
    // Such characters stand in JSON only inside of texts.
    text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029").replace('\u{85}', "\\u0085")
}

/// What became of one request of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultLine {
    /// The id of the request, exactly as it came.
    pub id: String,
    /// What became of it.
    pub end: RequestEnd,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestEnd {
    /// It was answered, as a call by itself would have been.
    Answered {
        /// The HTTP status.
        status: u16,
        /// The body.
        body: Vec<u8>,
    },
    /// The batch ended before it was run. Nothing is billed.
    NotRun {
        /// Why: `batch_expired` or `batch_cancelled`.
        why: &'static str,
    },
}

/// A line that is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// The id in it, where that can be told.
    pub id: Option<String>,
    /// What is wrong with it.
    pub problem: &'static str,
    /// Its bytes, or the first of them.
    pub raw: Vec<u8>,
}

/// Bytes that are kept of a line that is no result.
const RAW_MAX: usize = 16 * 1024;

impl BadLine {
    fn new(line: &[u8], problem: &'static str) -> BadLine {
        let raw = line[..line.len().min(RAW_MAX)].to_vec();
        BadLine { id: told_id(&raw), problem, raw }
    }
}

/// Reads a line of results, whichever form it has.
pub(crate) fn result_line(line: &[u8]) -> Result<ResultLine, BadLine> {
    let bad = |problem| BadLine::new(line, problem);
    let value: Value = serde_json::from_slice(line).map_err(|_| bad("the line is not JSON"))?;
    let id = value["custom_id"].as_str().ok_or_else(|| bad("the line has no custom_id"))?.to_owned();
    let end = if let Some(result) = value.get("result") { of_message(result) } else { of_response(&value) };
    Ok(ResultLine { id, end: end.ok_or_else(|| bad("the line has neither an answer nor an error"))? })
}

/// OpenAI's form: a response with a status, or an error of the batch.
fn of_response(value: &Value) -> Option<RequestEnd> {
    let response = &value["response"];
    let status = response["status_code"].as_u64().and_then(|status| u16::try_from(status).ok());
    if let Some((status, body)) = status.zip(response.get("body")) {
        return Some(RequestEnd::Answered { status, body: body.to_string().into_bytes() });
    }
    let error = value.get("error").filter(|error| error.is_object())?;
    Some(match error["code"].as_str() {
        Some("batch_expired") => RequestEnd::NotRun { why: "batch_expired" },
        Some("batch_cancelled" | "batch_canceled") => RequestEnd::NotRun { why: "batch_cancelled" },
        _ => RequestEnd::Answered { status: 500, body: json!({ "error": error }).to_string().into_bytes() },
    })
}

/// Anthropic's form: a message, an error, or neither.
fn of_message(result: &Value) -> Option<RequestEnd> {
    Some(match result["type"].as_str()? {
        "succeeded" => {
            RequestEnd::Answered { status: 200, body: result.get("message")?.to_string().into_bytes() }
        }
        "errored" => {
            let error = result.get("error")?;
            let name = error.pointer("/error/type").or(error.get("type")).and_then(Value::as_str);
            RequestEnd::Answered { status: status_of(name?), body: error.to_string().into_bytes() }
        }
        "expired" => RequestEnd::NotRun { why: "batch_expired" },
        "canceled" | "cancelled" => RequestEnd::NotRun { why: "batch_cancelled" },
        _ => return None,
    })
}

/// The status with which a call by itself gets the error of this name.
fn status_of(name: &str) -> u16 {
    match name {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    }
}

/// The id in a line that cannot be read as a whole.
fn told_id(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let rest = text.split_once("\"custom_id\"")?.1.trim_start().strip_prefix(':')?.trim_start();
    let id = rest.strip_prefix('"')?.split_once('"')?.0;
    let is_id =
        !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    is_id.then(|| id.to_owned())
}

/// Cuts pieces into lines, of which none is longer than a bound. Only LF ends a line.
#[derive(Debug)]
pub struct LineCutter {
    line: Vec<u8>,
    bytes_max: usize,
    is_too_long: bool,
}

impl LineCutter {
    /// Lines of at most so many bytes.
    pub fn new(bytes_max: usize) -> LineCutter {
        LineCutter { line: Vec::new(), bytes_max, is_too_long: false }
    }

    /// Takes a piece and gives each line that ends in it to `take`.
    pub fn feed(&mut self, piece: &[u8], take: &mut impl FnMut(Result<ResultLine, BadLine>)) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let (text, is_end) = part.strip_suffix(b"\n").map_or((part, false), |text| (text, true));
            let room = self.bytes_max - self.line.len();
            self.is_too_long |= text.len() > room;
            self.line.extend_from_slice(&text[..text.len().min(room)]);
            if is_end {
                self.end(take);
            }
        }
    }

    /// Takes what is left behind the last line feed, where that is a line.
    pub fn finish(mut self, take: &mut impl FnMut(Result<ResultLine, BadLine>)) {
        self.end(take);
    }

    fn end(&mut self, take: &mut impl FnMut(Result<ResultLine, BadLine>)) {
        let line = std::mem::take(&mut self.line);
        let is_too_long = std::mem::take(&mut self.is_too_long);
        if is_too_long {
            take(Err(BadLine::new(&line, "the line is longer than an answer may be")));
        } else if !line.trim_ascii().is_empty() {
            take(result_line(&line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, bytes_max: usize, piece: usize) -> Vec<String> {
        let (mut cutter, mut seen) = (LineCutter::new(bytes_max), Vec::new());
        let mut take = |line: Result<ResultLine, BadLine>| {
            seen.push(match line {
                Ok(ResultLine { id, end: RequestEnd::Answered { status, .. } }) => format!("{id} {status}"),
                Ok(ResultLine { id, end: RequestEnd::NotRun { why } }) => format!("{id} {why}"),
                Err(BadLine { id, problem, .. }) => format!("{id:?} {problem}"),
            });
        };
        text.as_bytes().chunks(piece).for_each(|piece| cutter.feed(piece, &mut take));
        cutter.finish(&mut take);
        seen
    }

    #[test]
    fn b65_lines_end_with_a_line_feed_and_with_nothing_else() {
        let line = |id: &str| {
            format!(r#"{{"custom_id":"{id}","response":{{"status_code":200,"body":{{"a":"x\u2028y"}}}}}}"#)
        };
        let text = format!("{}\r\n\n{}", line("a1"), line("a2"));
        for piece in [1, 7, 1000] {
            assert_eq!(lines(&text, 1000, piece), ["a1 200", "a2 200"]);
        }
        let sent = on_one_line(&json!({ "a": "x\u{2028}y\u{85}\n" }));
        assert_eq!(sent, r#"{"a":"x\u2028y\u0085\n"}"#);
        assert_eq!(serde_json::from_str::<Value>(&sent).unwrap()["a"], "x\u{2028}y\u{85}\n");
    }

    #[test]
    fn b35_b36_a_bad_line_is_told_and_the_next_one_is_read() {
        let good = r#"{"custom_id":"a2","result":{"type":"expired"}}"#;
        let long = format!(r#"{{"custom_id":"a1","padding":"{}"}}"#, "x".repeat(200));
        let text = format!("{{\"custom_id\":\"a1\",\"resp\n{long}\n{good}\n{{\"a\":1}}\n");
        assert_eq!(
            lines(&text, 100, 13),
            [
                r#"Some("a1") the line is not JSON"#,
                r#"Some("a1") the line is longer than an answer may be"#,
                "a2 batch_expired",
                "None the line has no custom_id",
            ]
        );
    }

    #[test]
    fn both_forms_are_read() {
        for (line, want) in [
            (
                r#"{"custom_id":"a","response":null,"error":{"code":"batch_expired","message":"…"}}"#,
                "a batch_expired",
            ),
            (r#"{"custom_id":"a","response":null,"error":{"code":"boom","message":"…"}}"#, "a 500"),
            (r#"{"custom_id":"a","response":{"status_code":400,"body":{"error":{}}},"error":null}"#, "a 400"),
            (r#"{"custom_id":"a","result":{"type":"succeeded","message":{"id":"m"}}}"#, "a 200"),
            (
                r#"{"custom_id":"a","result":{"type":"errored","error":{"type":"error","error":{"type":"overloaded_error","message":"…"}}}}"#,
                "a 529",
            ),
            (r#"{"custom_id":"a","result":{"type":"canceled"}}"#, "a batch_cancelled"),
            (
                r#"{"custom_id":"a","response":null,"error":null}"#,
                "Some(\"a\") the line has neither an answer nor an error",
            ),
        ] {
            assert_eq!(lines(line, 1000, 1000), [want]);
        }
    }

    #[test]
    fn b66_b67_ids_have_32_plain_characters_and_differ_by_repeat_and_attempt() {
        let packet = PacketHash::from_bytes([7; 32]);
        let judge = JudgeId::of_identity("{}");
        let ids: std::collections::BTreeSet<String> = (0..10)
            .flat_map(|repeat| (1..10).map(move |n| (repeat, n)))
            .map(|(repeat, n)| request_id(&packet, &judge, repeat, n))
            .collect();
        assert_eq!(ids.len(), 90);
        let is_plain = |id: &String| {
            id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        };
        assert!(ids.iter().all(is_plain));
        assert_eq!(request_id(&packet, &judge, 3, 4), request_id(&packet, &judge, 3, 4));
    }
}
