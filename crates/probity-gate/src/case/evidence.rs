//! What a reply may rest on: sources, retrieved texts and what tools gave.
//!
//! One value for all who look at it: the gate that checks a reply against it, the judge that is shown it in a packet,
//! the reader of a page. It names nothing about who wrote the reply. What always holds: what [`Evidence::bounded`]
//! returns has at most [`EVIDENCE_BYTES_MAX`] bytes of text and says where it was cut.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::{Json, parse};

/// The most text of one reply's evidence that a judge or a reader is shown, in bytes.
pub const EVIDENCE_BYTES_MAX: usize = 64 * 1024;

/// What is kept free for the marks that say where evidence was cut, in bytes.
const MARKS_BYTES: usize = 1024;

/// What a reply may rest on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The policy sources selected for the case, in the order of the record.
    pub sources: Vec<EvidenceSource>,
    /// What was retrieved for the reply, in the order of the record.
    pub context: Vec<ContextText>,
    /// What tools were called for the reply, in the order of their calls.
    pub tools: Vec<ToolCall>,
    /// How many sources, texts and calls were left out by [`Evidence::bounded`].
    pub n_omitted: usize,
}

/// A policy source that a reply rests on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceSource {
    /// Which source.
    pub id: String,
    /// Which version of it, where that is known.
    pub version: Option<String>,
    /// What it says, where that is known.
    pub text: Option<String>,
    /// What the ledger protects, as a sentence each: remedies, amounts, windows, codes.
    pub facts: Vec<String>,
}

/// A text that was retrieved for a reply.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ContextText {
    /// The text.
    pub text: String,
    /// Where it was retrieved from, where the record says.
    pub source: Option<String>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// Which tool.
    pub name: String,
    /// What it was called with: a text, or canonical JSON.
    pub arguments: Option<String>,
    /// What it gave: a text, or canonical JSON.
    pub result: Option<String>,
}

impl Evidence {
    /// Sources by id and version, and nothing else.
    pub fn of_sources<'a>(named: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> Evidence {
        let source = |(id, version): (&str, Option<&str>)| EvidenceSource {
            id: id.to_owned(),
            version: version.map(str::to_owned),
            ..EvidenceSource::default()
        };
        Evidence { sources: named.into_iter().map(source).collect(), ..Evidence::default() }
    }

    /// Whether there is nothing to rest on.
    pub fn is_empty(&self) -> bool {
        self.n_items() == 0
    }

    fn n_items(&self) -> usize {
        self.sources.len() + self.context.len() + self.tools.len() + self.n_omitted
    }

    /// Every text in it: names, versions, texts and facts.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let sources = self.sources.iter().flat_map(|source| {
            let texts = [Some(&source.id), source.version.as_ref(), source.text.as_ref()];
            texts.into_iter().flatten().chain(&source.facts)
        });
        let context = self.context.iter().flat_map(|each| [Some(&each.text), each.source.as_ref()]);
        let tools = self
            .tools
            .iter()
            .flat_map(|call| [Some(&call.name), call.arguments.as_ref(), call.result.as_ref()]);
        sources.chain(context.chain(tools).flatten()).map(String::as_str)
    }

    /// How many bytes its texts have together.
    pub fn n_bytes(&self) -> usize {
        self.texts().map(str::len).sum()
    }

    /// As much of it as is shown: sources first, then retrieved texts, then tools. The text that reaches
    /// [`EVIDENCE_BYTES_MAX`] is cut and says so; what comes after it is left out and counted.
    #[must_use]
    pub fn bounded(mut self) -> Evidence {
        if self.n_bytes() <= EVIDENCE_BYTES_MAX {
            return self;
        }
        let mut room = Room { n_bytes: EVIDENCE_BYTES_MAX - MARKS_BYTES, n_omitted: self.n_omitted };
        room.keep(&mut self.sources, |source| {
            // Facts come first: they are what a judge needs most.
            let named = [Some(&mut source.id), source.version.as_mut()].into_iter().flatten();
            named.chain(&mut source.facts).chain(source.text.as_mut()).collect()
        });
        room.keep(&mut self.context, |each| {
            [each.source.as_mut(), Some(&mut each.text)].into_iter().flatten().collect()
        });
        room.keep(&mut self.tools, |call| {
            let texts = [Some(&mut call.name), call.arguments.as_mut(), call.result.as_mut()];
            texts.into_iter().flatten().collect()
        });
        Evidence { n_omitted: room.n_omitted, ..self }
    }

    /// As packets have it: parts that are empty are left out. `checks` are those that the reply has passed.
    pub fn to_json(&self, checks: &[&'static str]) -> Json {
        let mut written = json!({
            "checks_passed": checks, "context": self.context, "sources": self.sources, "tools": self.tools,
            "omitted": self.n_omitted,
        });
        leave_out_empty(&mut written);
        parse(&written.to_string()).expect("what is written can be read")
    }
}

/// Leaves out the members that say nothing.
fn leave_out_empty(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(leave_out_empty);
            members.retain(|_, member| ![Value::Null, json!([]), json!(0)].contains(member));
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_empty),
        _ => {}
    }
}

/// How much may still be shown, and what was not.
struct Room {
    n_bytes: usize,
    n_omitted: usize,
}

impl Room {
    /// Keeps the items whose texts fit, and of the first that does not as much as fits.
    fn keep<T>(&mut self, items: &mut Vec<T>, texts: impl Fn(&mut T) -> Vec<&mut String>) {
        let n_given = items.len();
        items.retain_mut(|item| {
            let has_room = self.n_bytes > 0;
            for text in has_room.then(|| texts(item)).into_iter().flatten() {
                let n_bytes = text.len();
                if n_bytes > self.n_bytes && self.n_bytes == 0 {
                    "[cut]".clone_into(text);
                } else if n_bytes > self.n_bytes {
                    text.truncate(text.floor_char_boundary(self.n_bytes));
                    text.push_str(&format!("\u{2026} [cut: {} of {n_bytes} bytes]", n_bytes - text.len()));
                    self.n_bytes = 0;
                } else {
                    self.n_bytes -= n_bytes;
                }
            }
            has_room
        });
        self.n_omitted += n_given - items.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: impl Into<String>) -> ContextText {
        ContextText { text: text.into(), source: None }
    }

    #[test]
    fn n22_evidence_is_cut_at_its_bound_and_says_so() {
        let tool = ToolCall { name: "orders".to_owned(), arguments: None, result: Some("{}".to_owned()) };
        let mut evidence = Evidence::of_sources([("returns", Some("7"))]);
        evidence.context = vec![text("short"), text("\u{e9}".repeat(EVIDENCE_BYTES_MAX)), text("left out")];
        evidence.tools = vec![tool];
        let n_before = evidence.n_bytes();
        let bounded = evidence.bounded();
        assert_eq!((bounded.sources.len(), bounded.context.len(), bounded.tools.len()), (1, 2, 0));
        assert_eq!(bounded.n_omitted, 2);
        assert!(
            bounded.context[1].text.ends_with(" of 131072 bytes]"),
            "{:?}",
            bounded.context[1].text.len()
        );
        assert!(n_before > 2 * EVIDENCE_BYTES_MAX && bounded.n_bytes() <= EVIDENCE_BYTES_MAX);
        assert_eq!(bounded.clone().bounded(), bounded, "what was cut once is not cut again");
        let small = Evidence { context: vec![text("short")], ..Evidence::default() };
        assert_eq!(small.clone().bounded(), small);
    }

    #[test]
    fn n22_the_written_form_leaves_out_what_is_empty() {
        let mut evidence = Evidence::of_sources([("returns", None)]);
        assert_eq!(evidence.to_json(&[]).canonical(), r#"{"sources":[{"id":"returns"}]}"#);
        evidence.sources[0].facts.push("No reply may promise refund.".to_owned());
        evidence.context.push(ContextText { text: "30 days".to_owned(), source: Some("faq".to_owned()) });
        let call = ToolCall { name: "orders".to_owned(), arguments: Some("{}".to_owned()), result: None };
        evidence.tools.push(call);
        assert_eq!(
            evidence.to_json(&["evidence"]).canonical(),
            concat!(
                r#"{"checks_passed":["evidence"],"context":[{"source":"faq","text":"30 days"}],"#,
                r#""sources":[{"facts":["No reply may promise refund."],"id":"returns"}],"#,
                r#""tools":[{"arguments":"{}","name":"orders"}]}"#
            )
        );
        assert!(Evidence::default().is_empty() && !evidence.is_empty());
    }
}
