//! The dialects that the mock judge understands, and how each says no.

use serde_json::json;

/// How a request is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Chat completions.
    OpenAi,
    /// The Messages API.
    Anthropic,
    /// OpenAI's Responses.
    Responses,
    /// Gemini's `generateContent`.
    Gemini,
    /// Ollama's own chat.
    Ollama,
    /// OpenAI's Decisions.
    Decisions,
}

impl Dialect {
    /// The dialect of a request with this method and path, if it is a call to the judge. What stands before the end of
    /// the path differs from host to host.
    pub(crate) fn of(method: &str, path: &str) -> Option<Dialect> {
        let ends = [
            ("/chat/completions", Dialect::OpenAi),
            ("/messages", Dialect::Anthropic),
            ("/responses", Dialect::Responses),
            ("/decisions", Dialect::Decisions),
            ("/api/chat", Dialect::Ollama),
            (":generateContent", Dialect::Gemini),
        ];
        let found = ends.into_iter().find(|(end, _)| method == "POST" && path.ends_with(end));
        found.map(|(_, dialect)| dialect)
    }

    /// The name in ledger lines.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Dialect::OpenAi => "openai",
            Dialect::Anthropic => "anthropic",
            Dialect::Responses => "responses",
            Dialect::Gemini => "gemini",
            Dialect::Ollama => "ollama",
            Dialect::Decisions => "decisions",
        }
    }

    /// The code of an ordinary rate limit.
    pub(crate) fn rate_limit_code(self) -> &'static str {
        match self {
            Dialect::Anthropic => "rate_limit_error",
            _ => "rate_limit_exceeded",
        }
    }

    /// The body of an error, about this parameter where there is one.
    pub(crate) fn error(self, code: &str, message: &str, param: Option<&str>) -> String {
        match self {
            Dialect::Anthropic => json!({ "type": "error", "error": { "type": code, "message": message } }),
            _ => json!({ "error": { "message": message, "type": code, "param": param, "code": code } }),
        }
        .to_string()
    }

    /// A piece of an answer's text by this model, as an event of a stream.
    pub(crate) fn event(self, model: &str, text: &str) -> String {
        if self == Dialect::Anthropic {
            let delta = json!({ "type": "text_delta", "text": text });
            let data = json!({ "type": "content_block_delta", "index": 0, "delta": delta });
            return format!("event: content_block_delta\ndata: {data}\n\n");
        }
        let choice = json!({ "index": 0, "delta": { "content": text } });
        let object = "chat.completion.chunk";
        let data = json!({ "object": object, "model": model, "choices": [choice] });
        format!("data: {data}\n\n")
    }
}
