//! Which error is meant: the names and phrases by which services say it.
//!
//! Names are compared exactly. A phrase decides only between outcomes that both end the item or both end the
//! lane before money is spent, never between asking again and giving up on an account.

use super::error_body::ErrorBody;

/// Names under which services say that an account is used up. Only exact names count: a sentence about
/// quota may be about the next second.
pub(super) const QUOTA_NAMES: &[&str] = &[
    "insufficient_quota",
    "credit_balance_exhausted",
    "organization_spend_limit_exceeded",
    "project_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "billing_error",
];

/// A sentence that says the same at a service that gives it no name. It comes with a 400, which no limit per
/// second does.
pub(super) const QUOTA_PHRASES: &[&str] = &["credit balance is too low"];

/// Names under which services say that a prompt does not fit the model.
pub(super) const CONTEXT_NAMES: &[&str] =
    &["context_length_exceeded", "exceed_context_size_error", "string_above_max_length"];

/// Sentences that say the same, for services that give no name.
pub(super) const CONTEXT_PHRASES: &[&str] =
    &["maximum context length", "prompt is too long", "context window", "exceeds the available context size"];

/// The HTTP status that an error inside a 200 response stands for.
pub(super) fn named_status(error: &ErrorBody) -> u16 {
    const STATUSES: &[(u16, &[&str])] = &[
        (
            429,
            &[
                "rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED", "slow_down",
                "too_many_requests",
            ],
        ),
        (529, &["overloaded_error"]),
        (401, &["authentication_error", "invalid_api_key", "UNAUTHENTICATED"]),
        (403, &["permission_error", "PERMISSION_DENIED"]),
        (404, &["not_found_error", "model_not_found", "NOT_FOUND"]),
        (413, &["request_too_large"]),
        (408, &["timeout_error", "DEADLINE_EXCEEDED"]),
        (503, &["UNAVAILABLE"]),
        (400, CONTEXT_NAMES),
        (400, &["invalid_request_error", "INVALID_ARGUMENT", "unsupported_parameter", "unsupported_value"]),
    ];
    let by_name = || STATUSES.iter().find(|(_, names)| error.is_named(names)).map(|(status, _)| *status);
    error.status.or_else(by_name).unwrap_or(500)
}

/// Whether a request asks for more than the limit allows in its whole period. "Used" in the message means
/// that it was only too much for now.
pub(super) fn larger_than_limit(error: &ErrorBody) -> bool {
    let message = error.message.to_ascii_lowercase();
    let leading_number = |text: &str| {
        let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
        digits.replace(',', "").parse::<u64>().ok()
    };
    let number_after = |word: &str| {
        message
            .match_indices(word)
            .find_map(|(at, _)| leading_number(message[at + word.len()..].trim_start()))
    };
    match (number_after("limit"), number_after("requested")) {
        (Some(limit), Some(requested)) => requested > limit,
        _ => message.contains("request too large"),
    }
}

/// The parameters that judges are asked with.
const PARAMETERS: &[&str] = &[
    "response_format", "json_schema", "json_object", "temperature", "reasoning_effort",
    "max_completion_tokens", "max_tokens", "top_logprobs", "logprobs", "tool_choice", "tools", "seed",
    "top_p",
];

/// Whether an error is about a parameter that the server does not take.
pub(super) fn about_parameter(error: &ErrorBody) -> bool {
    const NAMES: &[&str] = &["unsupported_parameter", "unsupported_value", "unknown_parameter"];
    const PHRASES: &[&str] = &[
        "unsupported", "not support", "unknown", "unrecognized", "not permitted", "not allowed",
        "unavailable", "deprecated", "invalid schema",
    ];
    error.is_named(NAMES) || (mentioned_parameter(error).is_some() && error.says(PHRASES))
}

/// Whether a refusal is about the way in which structured output was asked for, and nothing else.
pub(super) fn is_about_structured_output(error: &ErrorBody) -> bool {
    mentioned_parameter(error)
        .is_some_and(|name| matches!(name.as_str(), "response_format" | "json_schema" | "json_object"))
}

/// The parameter an error is about: by its field, or the first known one that its message names.
fn mentioned_parameter(error: &ErrorBody) -> Option<String> {
    let known = |text: &str| PARAMETERS.iter().filter_map(|name| Some((text.find(name)?, *name))).min();
    let field = error.param.as_deref().filter(|param| !param.is_empty());
    match field {
        Some(param) => Some(known(param).map_or(param, |(_, name)| name).to_owned()),
        None => known(&error.message).map(|(_, name)| name.to_owned()),
    }
}
