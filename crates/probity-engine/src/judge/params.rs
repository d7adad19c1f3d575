//! What a model is asked to do besides reading the prompt: the parameters that both adapters share.
//!
//! Parameters are part of a judge's identity. None is dropped or changed on the way: what is set is sent,
//! and what cannot be sent is an error before anything is sent.

use serde_json::Number;

/// A sampling temperature from 0 to 2, kept as the decimal it was written as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Temperature(Number);

impl Temperature {
    /// Reads a decimal such as `0` or `0.7`.
    pub fn parse(text: &str) -> Option<Self> {
        let number: Number = serde_json::from_str(text.trim()).ok()?;
        number.as_f64().is_some_and(|value| (0.0..=2.0).contains(&value)).then_some(Temperature(number))
    }

    /// The temperature as it stands in a request.
    pub fn number(&self) -> &Number {
        &self.0
    }
}

/// How a verdict-shaped answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// By a schema that the service enforces.
    Schema,
    /// By asking the service for some JSON object; the prompt says which.
    JsonObject,
    /// By the prompt alone.
    Plain,
}

impl Shape {
    /// The name under which it is part of a judge's identity.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Schema => "schema",
            Shape::JsonObject => "json_object",
            Shape::Plain => "plain",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Temperature;

    #[track_caller]
    fn check(text: &str, want: Option<&str>) {
        assert_eq!(Temperature::parse(text).map(|t| t.number().to_string()).as_deref(), want, "{text}");
    }

    #[test]
    fn temperatures_are_sent_as_written() {
        check("0", Some("0"));
        check("0.0", Some("0.0"));
        check("0.7", Some("0.7"));
        check("2", Some("2"));
        check("2.1", None);
        check("-0.1", None);
        check("NaN", None);
        check("warm", None);
    }
}
