//! Faults that are a response by the rules of HTTP, and not the one that was hoped for: F01 to F28.

use super::super::answer::MockCall;
use super::super::form::quoted;
use super::super::http::{HttpResponse, WireAct};
use super::{FaultMade, MockFault, response};

/// The delay of F09 as a field beside the message.
const RETRY_INFO: &str =
    "\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"52s\"}],";

pub(super) const FAULTS: &[MockFault] = &[
    response("F01", "429 with Retry-After in seconds (--retry-after)", |call| {
        refused(rate_limited(call).with("retry-after", call.settings.retry_after_s.to_string()))
    }),
    response("F03", "429 with retry-after-ms 350 beside Retry-After 1", |call| {
        refused(rate_limited(call).with("retry-after-ms", "350").with("retry-after", "1"))
    }),
    response("F04", "429 with Retry-After 0", |call| refused(rate_limited(call).with("retry-after", "0"))),
    response("F05", "429 with a Retry-After that is no time: -5, abc, NaN, 1e309, empty", |call| {
        refused(rate_limited(call).with("retry-after", call.variant(&["-5", "abc", "NaN", "1e309", ""])))
    }),
    response("F06", "429 with Retry-After 86400", |call| {
        refused(rate_limited(call).with("retry-after", "86400"))
    }),
    response("F07", "429 without any header", |call| refused(rate_limited(call))),
    response("F08", "429 with only x-ratelimit-reset-requests: 1m30s, 6m0s, 12ms", |call| {
        let value = call.variant(&["1m30s", "6m0s", "12ms"]);
        refused(rate_limited(call).with("x-ratelimit-reset-requests", value))
    }),
    response("F09", "429 with the delay only in the body, as a field or in a sentence", |call| {
        let details = call.variant(&[RETRY_INFO, ""]);
        let rest = "\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"Please retry in 52.4s.\"";
        refused(HttpResponse::json(429, format!("{{\"error\":{{{details}{rest}}}}}")))
    }),
    response("F10", "429 with code insufficient_quota", |call| {
        refused(error(call, 429, "insufficient_quota", "You exceeded your current quota."))
    }),
    response("F11", "429 with another code that says that credit or a spend limit is used up", |call| {
        let code = call.variant(&[
            "credit_balance_exhausted",
            "organization_spend_limit_exceeded",
            "project_spend_limit_exceeded",
            "organization_usage_limit_exceeded",
        ]);
        refused(error(call, 429, code, "A limit of this account is reached."))
    }),
    response("F12", "429 whose message says INSUFFICIENT QUOTA and whose code does not", |call| {
        refused(error(call, 429, "rate_limit_exceeded", "INSUFFICIENT QUOTA for this second. Try again."))
    }),
    response("F13", "429 or 503 with code slow_down", |call| {
        let status = call.variant(&[429, 503]);
        refused(error(call, status, "slow_down", "Please raise your request rate more slowly."))
    }),
    response("F15", "an answer with x-ratelimit-remaining-tokens 0 and a reset in 500ms", |call| {
        let body = call.body(&call.stating(&call.said.json()));
        let response = HttpResponse::json(200, body).with("x-ratelimit-remaining-tokens", "0");
        FaultMade::Verdict(WireAct::from(response.with("x-ratelimit-reset-tokens", "500ms")))
    }),
    response("F16", "500", |call| refused(error(call, 500, "server_error", "The server had an error."))),
    response("F17", "502, 503 or 504 with a page of HTML from a proxy", |call| {
        let status = call.variant(&[502, 503, 504]);
        let page = format!("<!DOCTYPE html><html><body><h1>{status}</h1>retry in 404 years</body></html>");
        let headers = vec![("content-type", "text/html".to_owned())];
        refused(HttpResponse { status, headers, body: page.into_bytes() })
    }),
    response("F18", "529 overloaded_error", |call| {
        refused(error(call, 529, "overloaded_error", "Overloaded"))
    }),
    response("F19", "503 with Retry-After in seconds (--retry-after)", |call| {
        let response = error(call, 503, "server_error", "Down for a moment.");
        refused(response.with("retry-after", call.settings.retry_after_s.to_string()))
    }),
    response("F20", "408, 409 or 425", |call| {
        refused(error(call, call.variant(&[408, 409, 425]), "try_again", "Try again."))
    }),
    response("F22", "400 context_length_exceeded with token counts", |call| {
        let message = format!(
            "This model's maximum context length is 8192 tokens, your messages have {} tokens.",
            8192 + call.asked.n_bytes.div_ceil(4)
        );
        refused(error(call, 400, "context_length_exceeded", &message))
    }),
    response("F23", "400 unsupported parameter", |call| {
        let name = call.variant(&["temperature", "response_format", "reasoning_effort", "max_tokens"]);
        let message = format!("Unsupported parameter: '{name}' is not supported with this model.");
        refused(HttpResponse::json(
            400,
            call.asked.dialect.error("unsupported_parameter", &message, Some(name)),
        ))
    }),
    response("F24", "401 or 403", |call| {
        let codes = [(401, "invalid_api_key"), (403, "unsupported_country_region_territory")];
        let (status, code) = call.variant(&codes);
        refused(error(call, status, code, "This key may not be used here."))
    }),
    response("F25", "404 or 410: no such model", |call| {
        let message = format!("The model {} does not exist or is retired.", quoted(&call.asked.model));
        refused(error(call, call.variant(&[404, 410]), "model_not_found", &message))
    }),
    response("F26", "413, 414 or 431", |call| {
        let status = call.variant(&[413, 414, 431]);
        refused(error(call, status, "request_too_large", "The request is too large."))
    }),
    response("F27", "422: the schema is refused", |call| {
        let message = "Invalid schema for response_format 'verdict'.";
        refused(HttpResponse::json(
            422,
            call.asked.dialect.error("invalid_schema", message, Some("response_format")),
        ))
    }),
    // The host is one of those that never exist, so a client that follows gets nowhere.
    response("F28", "a redirect to another host", |call| {
        let status = call.variant(&[301, 302, 307, 308]);
        let response = HttpResponse { status, headers: Vec::new(), body: Vec::new() };
        refused(response.with("location", "http://elsewhere.invalid/v1/chat/completions"))
    }),
];

fn refused(response: HttpResponse) -> FaultMade<WireAct> {
    FaultMade::Nothing(WireAct::from(response))
}

fn rate_limited(call: &MockCall<'_>) -> HttpResponse {
    error(call, 429, call.asked.dialect.rate_limit_code(), "Rate limit reached.")
}

fn error(call: &MockCall<'_>, status: u16, code: &str, message: &str) -> HttpResponse {
    HttpResponse::json(status, call.asked.dialect.error(code, message, None))
}
