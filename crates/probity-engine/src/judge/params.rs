//! How a model is told what its answer should look like.

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
