//! The template of an HTTP target's requests: how a case becomes JSON.
//!
//! Everything a template prints is escaped as JSON, with or without the filter `tojson`, so a ticket can neither break
//! the request nor add to it. An undefined name is an error. Output and steps are bounded, so every template
//! terminates.

use std::fmt;

use minijinja::value::Value;
use minijinja::{Environment, ErrorKind};
use probity_core::json::{self, Json};

use crate::judge::bounded_template::{self, Bounded, Refused, Unbounded};

/// The largest request, in bytes.
const REQUEST_BYTES_MAX: usize = 4 << 20;

/// The name of the only template.
const NAME: &str = "request";

/// A template that has been read and understood.
#[derive(Debug, Clone)]
pub struct RequestTemplate {
    environment: Environment<'static>,
    hash: String,
}

/// Why a template makes no request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestTemplateError {
    /// It is not well formed.
    #[error("the request template is not well formed: {0}")]
    Malformed(String),
    /// It could need too much memory.
    #[error("the request template is refused: {0}")]
    Unbounded(Unbounded),
    /// It could not be filled in.
    #[error("the request template could not be filled in: {0}")]
    Render(String),
    /// It makes more than is sent.
    #[error("the request template made more than {REQUEST_BYTES_MAX} bytes")]
    TooLong,
    /// What it makes is not JSON.
    #[error("the request template made no JSON: {0}")]
    NotJson(String),
}

impl RequestTemplate {
    /// Reads a template from its source text.
    pub fn parse(source: &str) -> Result<RequestTemplate, RequestTemplateError> {
        let mut environment = bounded_template::environment();
        environment.add_filter("tojson", |value: Value| json_text(&value).map(Value::from_safe_string));
        environment.set_formatter(|out, _, value| {
            if value.is_safe() {
                return write_out(out, &value.to_string());
            }
            write_out(out, &json_text(value)?)
        });
        bounded_template::add(&mut environment, NAME, source).map_err(|refused| match refused {
            Refused::Malformed(error) => RequestTemplateError::Malformed(one_line(&error)),
            Refused::Unbounded(why) => RequestTemplateError::Unbounded(why),
        })?;
        Ok(RequestTemplate { environment, hash: blake3::hash(source.as_bytes()).to_hex().to_string() })
    }

    /// BLAKE3 of the source text, hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The request for a case whose fields are `context`.
    pub(super) fn request(&self, context: Value) -> Result<Json, RequestTemplateError> {
        let mut bounded = Bounded::new(REQUEST_BYTES_MAX);
        let template = self.environment.get_template(NAME).expect("the template was added");
        let rendered = template.render_captured_to(context, &mut bounded);
        if bounded.is_full {
            return Err(RequestTemplateError::TooLong);
        }
        rendered.map_err(|error| RequestTemplateError::Render(one_line(&error)))?;
        json::parse(&bounded.text()).map_err(|error| RequestTemplateError::NotJson(error.to_string()))
    }
}

fn write_out(out: &mut impl fmt::Write, text: &str) -> Result<(), minijinja::Error> {
    out.write_str(text).map_err(minijinja::Error::from)
}

fn json_text(value: &Value) -> Result<String, minijinja::Error> {
    if value.is_undefined() {
        return Err(minijinja::Error::from(ErrorKind::UndefinedError));
    }
    let mut bounded = Bounded::new(REQUEST_BYTES_MAX);
    match serde_json::to_writer(&mut bounded, value) {
        Ok(()) => Ok(bounded.text()),
        Err(error) => Err(minijinja::Error::new(ErrorKind::BadSerialization, error.to_string())),
    }
}

/// The error with its causes, on one line.
fn one_line(error: &minijinja::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use minijinja::context;

    use super::*;

    #[track_caller]
    fn check(source: &str, want: &str) {
        let context = context! {
            ticket => "Say \"hi\", </b> {{ id }}\n",
            turns => vec![context! { role => "customer", text => "x" }],
            slice => (),
        };
        let made = RequestTemplate::parse(source).and_then(|template| template.request(context));
        let shown = made.map_or_else(|error| error.to_string(), |json| json.canonical());
        assert!(shown.contains(want), "{shown}\nexpected {want}");
    }

    #[test]
    fn whatever_is_printed_is_json() {
        let said = r#"{"q":"Say \"hi\", </b> {{ id }}\n"}"#;
        check(r#"{"q": {{ ticket | tojson }}}"#, said);
        check(r#"{"q": {{ ticket }}}"#, said);
        check(
            r#"{"slice": {{ slice }}, "turns": {{ turns }}}"#,
            r#"{"slice":null,"turns":[{"role":"customer","text":"x"}]}"#,
        );
        check(
            "[{% for turn in turns %}{{ turn.text }}{% if not loop.last %},{% endif %}{% endfor %}]",
            r#"["x"]"#,
        );
    }

    #[test]
    fn what_makes_no_request() {
        check(r#"{"q": "{{ ticket }}"}"#, "the request template made no JSON: ");
        check("hello", "the request template made no JSON: ");
        check("{{ unknown }}", "the request template could not be filled in: undefined value");
        check("{{ unknown | tojson }}", "the request template could not be filled in: undefined value");
        check("{{ ticket.a.b }}", "the request template could not be filled in: undefined value");
        check("{% for", "the request template is not well formed: ");
        let huge = "{% for i in range(99999) %}{{ ticket }}{{ ticket }}{{ ticket }}{% endfor %}";
        check(huge, "the request template made more than 4194304 bytes");
        let endless = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}";
        check(endless, "the request template could not be filled in: engine ran out of fuel");
        let growing = "{% set ns = namespace(a=\"xxxxxxxxxx\") %}{% for i in range(40) %}{% set ns.a = ns.a ~ ns.a %}{% endfor %}";
        check(growing, "the request template could not be filled in: unknown function: namespace");
        let doubling = format!("{{% set a = ticket %}}{}", "{% set a = a ~ a %}".repeat(40));
        check(&doubling, "the request template is refused: it has more than 8 of");
        let escaping = format!("{{{{ ticket{} }}}}", " | tojson | string".repeat(40));
        check(&escaping, "expected at most 4194304 bytes");
    }
}
