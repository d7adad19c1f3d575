//! What a judge's server sent becomes a [`Completion`](super::Completion), whatever the dialect.
//!
//! Servers add fields, leave some out and invent finish reasons: none of that is a fault. A fault is a body
//! that carries no answer: not JSON, an error, no choice, or a stream that broke off. Reasoning channels are
//! never part of the text, so they cannot become a verdict. The finish reasons that mean a complete answer are a
//! closed list.

mod anthropic;
mod decisions;
mod mapped;
mod openai;
mod stream;

pub use anthropic::anthropic;
pub use decisions::decisions;
pub use mapped::{AnswerMap, mapped};
pub use openai::openai;

use super::invalid::InvalidReason;
use super::{Finish, Usage};
use crate::json::{self, Json, JsonRepair, Tolerance};

/// The longest error message kept, in bytes. The whole body is stored beside it.
const MESSAGE_BYTES_MAX: usize = 4096;

/// The most tokens of one call that are believed, in each direction: ten times the largest context window.
const TOKENS_MAX: u64 = 100_000_000;

/// Why a body carries no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeFault {
    /// The body is not JSON, or not even UTF-8.
    #[error("expected a JSON body: {detail}")]
    NotJson {
        /// What was wrong with it, and where.
        detail: String,
    },
    /// The server reported an error in the body of a success.
    #[error("the server reports an error: {message}")]
    Error {
        /// The HTTP status that the error names.
        status: Option<u16>,
        /// The server's code for the error.
        code: Option<String>,
        /// The server's kind of error.
        kind: Option<String>,
        /// The server's words.
        message: String,
    },
    /// There is no choice, so there is no answer.
    #[error("expected a choice, found none")]
    NoChoice,
    /// The choices are not numbered from 0, or the message is not the assistant's: which is the answer is a guess.
    #[error("expected choices with the indexes from 0 on and a message of the assistant")]
    UnclearChoice,
    /// The stream ended without a finish reason and without its end mark.
    #[error("the stream ended before the answer did")]
    CutStream,
}

impl EnvelopeFault {
    /// The name under which the fault is stored and reported.
    pub fn name(&self) -> &'static str {
        match self {
            EnvelopeFault::NotJson { .. } => "not_json",
            EnvelopeFault::Error { .. } => "error",
            EnvelopeFault::NoChoice => "no_choice",
            EnvelopeFault::UnclearChoice => "unclear_choice",
            EnvelopeFault::CutStream => "cut_stream",
        }
    }

    /// The reason that an answer without one choice counts as; the other faults are failed calls.
    pub fn reason(&self) -> Option<InvalidReason> {
        match self {
            EnvelopeFault::NoChoice => Some(InvalidReason::NoChoice),
            EnvelopeFault::UnclearChoice => Some(InvalidReason::Ambiguous),
            EnvelopeFault::NotJson { .. } | EnvelopeFault::Error { .. } | EnvelopeFault::CutStream => None,
        }
    }
}

/// The body as text, without a byte order mark.
fn body_text(body: &[u8]) -> Result<&str, EnvelopeFault> {
    let text =
        std::str::from_utf8(body).map_err(|error| EnvelopeFault::NotJson { detail: error.to_string() })?;
    Ok(text.trim_start_matches('\u{feff}').trim())
}

/// One JSON value, and the clean-ups it needed.
fn body_json(text: &str) -> Result<(Json, Vec<JsonRepair>), json::JsonError> {
    json::parse_with(text, Tolerance::LoneSurrogates)
}

fn names(repairs: &[JsonRepair]) -> Vec<String> {
    repairs.iter().map(|repair| repair.name().to_owned()).collect()
}

fn not_json(error: &json::JsonError) -> EnvelopeFault {
    EnvelopeFault::NotJson { detail: error.to_string() }
}

/// The error that `value` reports, if it reports one.
fn error_in(value: &Json) -> Option<EnvelopeFault> {
    match value.get("error") {
        Some(Json::String(message)) if !message.is_empty() => return Some(error_of(&Json::Null, message)),
        Some(details @ Json::Object(object)) if !object.is_empty() => {
            return Some(error_of(details, &message_of(details)));
        }
        _ => {}
    }
    let says_error = |key: &str| value.get(key).and_then(Json::as_str) == Some("error");
    (says_error("object") || says_error("type")).then(|| error_of(value, &message_of(value)))
}

fn message_of(details: &Json) -> String {
    let message = ["message", "msg", "detail"].iter().find_map(|key| details.get(key).and_then(Json::as_str));
    message.map_or_else(|| details.canonical(), str::to_owned)
}

fn error_of(details: &Json, message: &str) -> EnvelopeFault {
    let word = |key: &str| match details.get(key) {
        Some(Json::String(text) | Json::Number(text)) => Some(text.clone()),
        _ => None,
    };
    let http = |text: String| text.parse::<u16>().ok().filter(|status| (100..600).contains(status));
    let status = ["status", "status_code", "code"].iter().find_map(|key| word(key).and_then(http));
    EnvelopeFault::Error {
        status,
        code: word("code"),
        kind: word("type"),
        message: message[..message.floor_char_boundary(MESSAGE_BYTES_MAX)].to_owned(),
    }
}

/// A finish reason of either dialect. Some servers write an empty one while a stream goes on.
fn finish_of(value: Option<&Json>) -> Finish {
    let reason = match value {
        None | Some(Json::Null) => return Finish::Missing,
        Some(Json::String(reason)) if reason.is_empty() => return Finish::Missing,
        Some(Json::String(reason)) => reason,
        Some(other) => return Finish::Other(other.canonical()),
    };
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" => Finish::Stop,
        "length" | "max_tokens" | "max_output_tokens" | "model_length" | "model_context_window_exceeded" => {
            Finish::Length
        }
        "content_filter"
        | "content_filtered"
        | "safety"
        | "recitation"
        | "blocklist"
        | "prohibited_content"
        | "spii"
        | "sensitive"
        | "guardrail_intervened" => Finish::ContentFilter,
        "refusal" => Finish::Refusal,
        "tool_calls" | "function_call" | "tool_use" => Finish::ToolCalls,
        _ => Finish::Other(reason.to_owned()),
    }
}

/// Where hosts of chat completions say how much of a prompt came from their cache.
const CACHED: [&[&str]; 2] = [&["prompt_tokens_details", "cached_tokens"], &["prompt_cache_hit_tokens"]];

/// Where some of them say how much was written to it.
const CACHE_WRITTEN: [&[&str]; 1] = [&["prompt_tokens_details", "cache_write_tokens"]];

/// Tokens, if both counts were written as whole numbers from zero to [`TOKENS_MAX`]. What was read from a cache, or
/// written to it, was read too: chat completions count it among the prompt's tokens, Messages beside them.
fn usage_of(value: Option<&Json>) -> Option<Usage> {
    let count = |path: &[&str]| {
        let count = path.iter().try_fold(value?, |value, key| value.get(key))?.as_u64()?;
        (count <= TOKENS_MAX).then_some(count)
    };
    let first = |paths: &[&[&str]]| paths.iter().find_map(|path| count(path));
    let input = count(&["prompt_tokens"]).or_else(|| count(&["input_tokens"]))?;
    let output = count(&["completion_tokens"]).or_else(|| count(&["output_tokens"]))?;
    // Some hosts count thinking in the total alone.
    let total = count(&["total_tokens"]).unwrap_or_default();
    let output = output.max(total.saturating_sub(input));
    let beside = [&["cache_read_input_tokens"], &["cache_creation_input_tokens"]].map(|path| count(path));
    if let [None, None] = beside {
        let [cached, written] = [first(&CACHED), first(&CACHE_WRITTEN)].map(Option::unwrap_or_default);
        return Some(Usage::new(input, output).cached(cached, written));
    }
    let [cached, written] = beside.map(Option::unwrap_or_default);
    Some(Usage::new(input + cached + written, output).cached(cached, written))
}

fn text_member(value: &Json, key: &str) -> Option<String> {
    value.get(key).and_then(Json::as_str).map(str::to_owned)
}

/// A message is the assistant's. Servers leave the role out, or empty in the later pieces of a stream.
fn check_role(message: &Json) -> Result<(), EnvelopeFault> {
    match message.get("role") {
        None | Some(Json::Null) => Ok(()),
        Some(Json::String(role)) if role.is_empty() || role == "assistant" => Ok(()),
        Some(_) => Err(EnvelopeFault::UnclearChoice),
    }
}

/// Adds `piece` to `text`, which exists from the first piece on.
fn append(text: &mut Option<String>, piece: &str) {
    text.get_or_insert_default().push_str(piece);
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::Completion;
    use super::*;

    type Dialect = fn(&[u8]) -> Result<Completion, EnvelopeFault>;

    #[track_caller]
    fn check(dialect: Dialect, body: &str, want: &str) {
        let got = match dialect(body.as_bytes()) {
            Ok(completion) => {
                let tool = completion.tool.map(|tool| format!(" {}({})", tool.name, tool.arguments));
                let usage = completion.usage.map(|usage| format!(" {}+{}", usage.input, usage.output));
                format!(
                    "{:?} {:?}{}{}",
                    completion.finish,
                    completion.text.unwrap_or_else(|| "none".to_owned()),
                    tool.unwrap_or_default(),
                    usage.unwrap_or_default()
                )
            }
            Err(EnvelopeFault::Error { status, code, kind, message }) => {
                format!("error {status:?} {code:?} {kind:?} {message}")
            }
            Err(fault) => fault.name().to_owned(),
        };
        assert_eq!(got, want, "{body}");
    }

    #[test]
    fn f40_an_error_in_a_success_is_the_error_it_names() {
        check(
            openai,
            r#"{"error":{"message":"slow down","type":"rate_limit","code":429}}"#,
            r#"error Some(429) Some("429") Some("rate_limit") slow down"#,
        );
        check(openai, r#"{"error":"overloaded"}"#, "error None None None overloaded");
        check(
            openai,
            r#"{"object":"error","message":"no","code":400}"#,
            r#"error Some(400) Some("400") None no"#,
        );
        check(
            openai,
            r#"{"choices":[{"error":{"code":502,"message":"upstream"},"finish_reason":"error"}]}"#,
            r#"error Some(502) Some("502") None upstream"#,
        );
        check(
            anthropic,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            r#"error None None Some("overloaded_error") Overloaded"#,
        );
        check(openai, r#"{"error":null,"choices":[{"message":{"content":"a"}}]}"#, r#"Missing "a""#);
    }

    #[test]
    fn f42_a_body_that_is_not_json() {
        for body in ["", "<html>", "{\"choices\":", "{\"id\":1,\"id\":2}"] {
            check(openai, body, "not_json");
            check(anthropic, body, "not_json");
        }
        let invalid = openai(b"{\"choices\":[\"\xff\"]}").expect_err("not UTF-8");
        assert_eq!(invalid.name(), "not_json");
    }

    #[test]
    fn f44_no_choice() {
        for body in ["{}", r#"{"choices":[]}"#, r#"{"choices":null}"#, r#"{"choices":[null]}"#, "[]", "1"] {
            check(openai, body, "no_choice");
        }
        check(anthropic, "{}", "no_choice");
        assert_eq!(EnvelopeFault::NoChoice.reason(), Some(InvalidReason::NoChoice));
    }

    #[test]
    fn n12_choices_not_numbered_from_0_and_the_words_of_others_are_no_answer() {
        let choice = |index: &str| format!(r#"{{"index":{index},"message":{{"content":"a"}}}}"#);
        let body = |choices: &[String]| format!(r#"{{"choices":[{}]}}"#, choices.join(","));
        check(openai, &body(&[choice("0"), choice("1")]), r#"Missing "a""#);
        check(openai, &body(&[choice("1"), choice("0")]), r#"Missing "a""#);
        check(openai, &body(&[choice("null")]), r#"Missing "a""#);
        for indexes in [&["0", "0.0"][..], &["\"0\""], &["1"], &["0.0"], &["-1"], &["0", "2"], &["0", "null"]]
        {
            let choices: Vec<_> = indexes.iter().map(|index| choice(index)).collect();
            check(openai, &body(&choices), "unclear_choice");
        }
        check(openai, &body(&["null".to_owned(), choice("0")]), "no_choice");
        check(
            openai,
            "data: {\"choices\":[{\"index\":\"0\",\"delta\":{}}]}\n\ndata: [DONE]\n\n",
            "unclear_choice",
        );
        for (role, want) in [
            (r#""assistant""#, r#"Missing "a""#),
            ("null", r#"Missing "a""#),
            (r#""user""#, "unclear_choice"),
            ("1", "unclear_choice"),
        ] {
            let message = format!(r#"{{"role":{role},"content":"a"}}"#);
            check(openai, &format!(r#"{{"choices":[{{"message":{message}}}]}}"#), want);
            let stream = format!("data: {{\"choices\":[{{\"delta\":{message}}}]}}\n\ndata: [DONE]\n\n");
            check(openai, &stream, want);
            check(anthropic, &message, want);
        }
    }

    #[test]
    fn f56_usage_that_cannot_be_believed_is_unknown() {
        let body =
            |usage: &str| format!(r#"{{"choices":[{{"message":{{"content":"a"}}}}],"usage":{usage}}}"#);
        check(openai, &body(r#"{"prompt_tokens":7,"completion_tokens":3}"#), r#"Missing "a" 7+3"#);
        for usage in ["null", "{}", r#"{"prompt_tokens":-1,"completion_tokens":3}"#, "\"7\""] {
            check(openai, &body(usage), r#"Missing "a""#);
        }
        check(openai, &body(r#"{"prompt_tokens":"7","completion_tokens":3}"#), r#"Missing "a""#);
        check(openai, &body(r#"{"prompt_tokens":7.5,"completion_tokens":3}"#), r#"Missing "a""#);
    }

    #[test]
    fn n14_more_tokens_than_a_call_can_have_are_unknown() {
        let body = |input: u64, output: u64| {
            let usage = format!(r#"{{"prompt_tokens":{input},"completion_tokens":{output}}}"#);
            format!(r#"{{"choices":[{{"message":{{"content":"a"}}}}],"usage":{usage}}}"#)
        };
        check(openai, &body(100_000_000, 100_000_000), r#"Missing "a" 100000000+100000000"#);
        check(openai, &body(100_000_001, 1), r#"Missing "a""#);
        check(openai, &body(1, 1_000_000_000_000_000_000), r#"Missing "a""#);
    }

    #[test]
    fn n12_only_known_reasons_are_an_end() {
        let finish = |reason: &str| finish_of(Some(&Json::text(reason)));
        for reason in ["stop", "STOP", "eos", "eos_token", "end_turn", "stop_sequence"] {
            assert_eq!(finish(reason), Finish::Stop, "{reason}");
        }
        for reason in ["recitation", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "sensitive", "SAFETY"] {
            assert_eq!(finish(reason), Finish::ContentFilter, "{reason}");
        }
        for reason in ["length", "max_tokens", "MAX_TOKENS", "model_length"] {
            assert_eq!(finish(reason), Finish::Length, "{reason}");
        }
        for reason in ["abort", "pause_turn", "repetition", "LANGUAGE", "CONTINUATION", "done", "stopped"] {
            assert_eq!(finish(reason), Finish::Other(reason.to_owned()));
        }
        for value in ["0", "1", "true", "false", "[]", "{}"] {
            let json = json::parse(value).expect("JSON");
            assert_eq!(finish_of(Some(&json)), Finish::Other(value.to_owned()));
        }
        assert_eq!(finish_of(None), Finish::Missing);
        assert_eq!(finish_of(Some(&Json::Null)), Finish::Missing);
    }

    #[test]
    fn f39_streams_are_joined_or_cut() {
        let delta =
            |text: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
        let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
        let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n";
        let both = format!(": hi\n\n{}{}", delta("a"), delta("b"));
        check(openai, &format!("{both}{end}{usage}data: [DONE]\n\n"), r#"Stop "ab" 7+3"#);
        check(openai, &format!("{both}data: [DONE]"), r#"Missing "ab""#);
        check(openai, &format!("{both}{end}").replace("\n\n", "\r\n\r\n"), r#"Stop "ab""#);
        check(openai, &format!("{both}{end}").replace("\n\n", "\n"), r#"Stop "ab""#);
        check(openai, &format!("event: x\n{both}{end}data: [DONE]\n\n{}", delta("c")), r#"Stop "ab""#);
        check(openai, &both, "cut_stream");
        check(openai, &format!("{both}data: {{\"choices\":[{{\"del"), "cut_stream");
        check(openai, ": keep-alive\n\n: keep-alive\n\n", "cut_stream");
        check(openai, "data: [DONE]\n\n", "no_choice");
        check(openai, &format!("{both}data: {{oops}}\n\n{end}"), "not_json");
    }

    #[test]
    fn f40_an_error_inside_a_stream() {
        let start = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
        let error = "data: {\"error\":{\"message\":\"gone\",\"code\":\"server_error\"}}\n\n";
        check(
            openai,
            &format!("{start}{error}data: [DONE]\n\n"),
            r#"error None Some("server_error") None gone"#,
        );
        let event = "event: error\ndata: {\"message\":\"gone\"}\n\n";
        check(openai, &format!("{start}{event}"), "error None None None gone");
    }

    #[test]
    fn f52_tool_calls_in_a_stream_are_joined() {
        let part =
            |part: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{part}]}}}}]}}\n\n");
        let first = part(r#"{"index":0,"function":{"name":"verdict","arguments":"{\"sc"}}"#);
        let second = part(r#"{"index":0,"function":{"arguments":"ore\":4}"}}"#);
        let body = format!("{first}{second}data: [DONE]\n\n");
        check(openai, &body, r#"Missing "none" verdict({"score":4})"#);
    }

    #[test]
    fn anthropic_blocks() {
        check(
            anthropic,
            r#"{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"},{"type":"text","text":"b"}],
                "stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":3}}"#,
            r#"Stop "ab" 7+3"#,
        );
        check(
            anthropic,
            r#"{"content":[{"type":"tool_use","name":"verdict","input":{"score":4}}],"stop_reason":"tool_use"}"#,
            r#"ToolCalls "none" verdict({"score":4})"#,
        );
        check(anthropic, r#"{"content":[],"stop_reason":"refusal"}"#, r#"Refusal "none""#);
        check(anthropic, r#"{"content":"a","stop_reason":"pause_turn"}"#, r#"Other("pause_turn") "a""#);
    }

    #[test]
    fn f40_an_empty_error_is_no_error() {
        for error in [r#""""#, "{}"] {
            let body = format!(r#"{{"error":{error},"choices":[{{"message":{{"content":"a"}}}}]}}"#);
            check(openai, &body, r#"Missing "a""#);
        }
    }

    #[test]
    fn f39_an_event_is_one_text_over_its_lines_or_one_text_per_line() {
        let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
        let over_lines = "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\n\n";
        check(openai, &format!("{over_lines}{end}"), r#"Stop "a""#);
        let per_line = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n";
        check(openai, &format!("{per_line}{end}"), r#"Stop "a""#);
    }
}
