//! Faults that are a response by the rules of HTTP, and not the one that was hoped for: F01 to F28.

use super::super::answer::{Call, Message};
use super::super::asked::Dialect;
use super::super::form::quoted;
use super::super::http::{Act, Response};
use super::Made;

pub(super) fn f01(call: &Call<'_>) -> Made<Act> {
    refused(rate_limited(call).with("retry-after", call.settings.retry_after_s.to_string()))
}

pub(super) fn f03(call: &Call<'_>) -> Made<Act> {
    refused(rate_limited(call).with("retry-after-ms", "350").with("retry-after", "1"))
}

pub(super) fn f04(call: &Call<'_>) -> Made<Act> {
    refused(rate_limited(call).with("retry-after", "0"))
}

pub(super) fn f05(call: &Call<'_>) -> Made<Act> {
    let value = *call.draw.pick("variant", &["-5", "abc", "NaN", "1e309", ""]);
    refused(rate_limited(call).with("retry-after", value))
}

pub(super) fn f06(call: &Call<'_>) -> Made<Act> {
    refused(rate_limited(call).with("retry-after", "86400"))
}

pub(super) fn f07(call: &Call<'_>) -> Made<Act> {
    refused(rate_limited(call))
}

pub(super) fn f08(call: &Call<'_>) -> Made<Act> {
    let value = *call.draw.pick("variant", &["1m30s", "6m0s", "12ms"]);
    refused(rate_limited(call).with("x-ratelimit-reset-requests", value))
}

pub(super) fn f09(call: &Call<'_>) -> Made<Act> {
    let details = *call.draw.pick(
        "variant",
        &[
            "\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"52s\"}],",
            "",
        ],
    );
    refused(Response::json(
        429,
        format!(
            "{{\"error\":{{{details}\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"Please retry in 52.4s.\"}}}}"
        ),
    ))
}

pub(super) fn f10(call: &Call<'_>) -> Made<Act> {
    refused(error(call, 429, "insufficient_quota", "You exceeded your current quota."))
}

pub(super) fn f11(call: &Call<'_>) -> Made<Act> {
    const CODES: [&str; 4] = [
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
    ];
    let code = *call.draw.pick("variant", &CODES);
    refused(error(call, 429, code, "A limit of this account is reached."))
}

pub(super) fn f12(call: &Call<'_>) -> Made<Act> {
    refused(error(call, 429, "rate_limit_exceeded", "INSUFFICIENT QUOTA for this second. Try again."))
}

pub(super) fn f13(call: &Call<'_>) -> Made<Act> {
    let status = *call.draw.pick("variant", &[429, 503]);
    refused(error(call, status, "slow_down", "Please raise your request rate more slowly."))
}

pub(super) fn f15(call: &Call<'_>) -> Made<Act> {
    let body = Message::verdict(call.asked, &call.said.json()).body(call);
    let response = Response::json(200, body)
        .with("x-ratelimit-remaining-tokens", "0")
        .with("x-ratelimit-reset-tokens", "500ms");
    Made::Verdict(Act::Respond(response))
}

pub(super) fn f16(call: &Call<'_>) -> Made<Act> {
    refused(error(call, 500, "server_error", "The server had an error."))
}

pub(super) fn f17(call: &Call<'_>) -> Made<Act> {
    let status = *call.draw.pick("variant", &[502, 503, 504]);
    let page = format!("<!DOCTYPE html><html><body><h1>{status}</h1>retry in 404 years</body></html>");
    let headers = vec![("content-type", "text/html".to_owned())];
    refused(Response { status, headers, body: page.into_bytes() })
}

pub(super) fn f18(call: &Call<'_>) -> Made<Act> {
    refused(error(call, 529, "overloaded_error", "Overloaded"))
}

pub(super) fn f19(call: &Call<'_>) -> Made<Act> {
    let response = error(call, 503, "server_error", "Down for a moment.");
    refused(response.with("retry-after", call.settings.retry_after_s.to_string()))
}

pub(super) fn f20(call: &Call<'_>) -> Made<Act> {
    let status = *call.draw.pick("variant", &[408, 409, 425]);
    refused(error(call, status, "try_again", "Try again."))
}

pub(super) fn f22(call: &Call<'_>) -> Made<Act> {
    let message = format!(
        "This model's maximum context length is 8192 tokens, your messages have {} tokens.",
        8192 + call.asked.n_bytes.div_ceil(4)
    );
    refused(error(call, 400, "context_length_exceeded", &message))
}

pub(super) fn f23(call: &Call<'_>) -> Made<Act> {
    let name =
        *call.draw.pick("variant", &["temperature", "response_format", "reasoning_effort", "max_tokens"]);
    let message = format!("Unsupported parameter: '{name}' is not supported with this model.");
    refused(Response::json(400, error_body(call, "unsupported_parameter", &message, Some(name))))
}

pub(super) fn f24(call: &Call<'_>) -> Made<Act> {
    let (status, code) = *call
        .draw
        .pick("variant", &[(401, "invalid_api_key"), (403, "unsupported_country_region_territory")]);
    refused(error(call, status, code, "This key may not be used here."))
}

pub(super) fn f25(call: &Call<'_>) -> Made<Act> {
    let status = *call.draw.pick("variant", &[404, 410]);
    let message = format!("The model {} does not exist or is retired.", quoted(&call.asked.model));
    refused(error(call, status, "model_not_found", &message))
}

pub(super) fn f26(call: &Call<'_>) -> Made<Act> {
    let status = *call.draw.pick("variant", &[413, 414, 431]);
    refused(error(call, status, "request_too_large", "The request is too large."))
}

pub(super) fn f27(call: &Call<'_>) -> Made<Act> {
    let message = "Invalid schema for response_format 'verdict'.";
    refused(Response::json(422, error_body(call, "invalid_schema", message, Some("response_format"))))
}

/// The host is one of those that never exist, so a client that follows gets nowhere.
pub(super) fn f28(call: &Call<'_>) -> Made<Act> {
    let status = *call.draw.pick("variant", &[301, 302, 307, 308]);
    let response = Response { status, headers: Vec::new(), body: Vec::new() };
    refused(response.with("location", "http://elsewhere.invalid/v1/chat/completions"))
}

fn refused(response: Response) -> Made<Act> {
    Made::Nothing(Act::Respond(response))
}

fn rate_limited(call: &Call<'_>) -> Response {
    let code = match call.asked.dialect {
        Dialect::OpenAi => "rate_limit_exceeded",
        Dialect::Anthropic => "rate_limit_error",
    };
    error(call, 429, code, "Rate limit reached.")
}

fn error(call: &Call<'_>, status: u16, code: &str, message: &str) -> Response {
    Response::json(status, error_body(call, code, message, None))
}

/// An error in the call's dialect.
pub(super) fn error_body(call: &Call<'_>, code: &str, message: &str, param: Option<&str>) -> String {
    let (code, message) = (quoted(code), quoted(message));
    match call.asked.dialect {
        Dialect::OpenAi => {
            let param = param.map_or("null".to_owned(), quoted);
            format!(
                "{{\"error\":{{\"message\":{message},\"type\":{code},\"param\":{param},\"code\":{code}}}}}"
            )
        }
        Dialect::Anthropic => {
            format!("{{\"type\":\"error\",\"error\":{{\"type\":{code},\"message\":{message}}}}}")
        }
    }
}
