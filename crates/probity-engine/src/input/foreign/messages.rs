//! The messages of a conversation with a model, in each of the forms that APIs, logs and spans have.
//!
//! Texts, calls of tools and what the tools gave are told apart. Reasoning, images and files are left out.

use probity_core::json::{self, Json, Object};

use super::path::{as_text, at, first_at, text_at};

/// One message.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Message {
    /// Who spoke, where that is said.
    pub(super) role: Option<String>,
    /// What was said, where there was any text.
    pub(super) text: String,
    /// Whether it is a plain text, which may be empty.
    pub(super) is_plain: bool,
    /// Whether the model refused to answer.
    pub(super) is_refusal: bool,
    /// The tools it asks for.
    pub(super) calls: Vec<Call>,
    /// What tools gave: the id of the call, and the result.
    pub(super) results: Vec<(String, Json)>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::input) struct Call {
    /// Names the call within its conversation.
    pub(in crate::input) id: String,
    pub(super) name: String,
    pub(super) arguments: Option<Json>,
    pub(super) result: Option<Json>,
}

impl Message {
    /// A message that is a text.
    pub(super) fn plain(role: &str, text: impl Into<String>) -> Self {
        Message { role: Some(role.to_owned()), text: text.into(), is_plain: true, ..Message::default() }
    }
}

/// The messages in a value: a list, one message, JSON text of either, or a text that is a message itself.
pub(super) fn messages(json: &Json) -> Vec<Message> {
    match json {
        Json::Array(items) => items.iter().flat_map(messages).collect(),
        Json::Object(object) => object.get("messages").map_or_else(|| message(object), messages),
        Json::String(text) => match inner_json(text) {
            Some(inner) => messages(&inner),
            None if text.trim().is_empty() => Vec::new(),
            None => vec![Message { text: text.clone(), is_plain: true, ..Message::default() }],
        },
        _ => Vec::new(),
    }
}

/// The list or object that a text spells.
pub(super) fn inner_json(text: &str) -> Option<Json> {
    let is_json = text.trim_start().starts_with(['[', '{']);
    json::parse(text).ok().filter(|_| is_json)
}

/// Messages that name no role get this one.
pub(super) fn with_role(mut messages: Vec<Message>, role: &str) -> Vec<Message> {
    for message in &mut messages {
        message.role.get_or_insert_with(|| role.to_owned());
    }
    messages
}

/// The message that an object is, which may be wrapped as a choice is.
fn message(object: &Object) -> Vec<Message> {
    let role = first(object, &["role", "sender", "from", "author"]).and_then(Json::as_str).map(str::to_owned);
    if let Some(inner) = first(object, &["message"]) {
        let inner = messages(inner).into_iter();
        return inner
            .map(|message| Message { role: message.role.or_else(|| role.clone()), ..message })
            .collect();
    }
    if let Some(item) = call_item(object) {
        return vec![item];
    }
    let said = first(object, &["parts", "content", "contents", "text"]);
    let is_agent = role.as_deref().is_none_or(|role| role == "assistant");
    // Anthropic cuts one text of an agent into blocks; elsewhere a part is a text of its own.
    let separator = if is_agent && object.get("parts").is_none() { "" } else { "\n" };
    let mut read =
        Message { text: said.map(|said| text_of(said, separator)).unwrap_or_default(), ..Message::default() };
    read.is_plain = matches!(said, Some(Json::String(_)));
    read.calls = calls(object, said);
    read.results = results(object, role.as_deref(), said, &read.text);
    read.is_refusal = first(object, &["refusal"]).is_some();
    read.role = role;
    let says = said.is_some() || !read.calls.is_empty() || read.is_refusal;
    if says { vec![read] } else { Vec::new() }
}

/// An item of OpenAI's responses that is a call or its result, beside the messages.
fn call_item(object: &Object) -> Option<Message> {
    let item = Json::Object(object.clone());
    let role = |role: &str| Some(role.to_owned());
    match kind(&item)? {
        "function_call" => {
            Some(Message { role: role("assistant"), calls: vec![call(&item)], ..Message::default() })
        }
        "function_call_output" => {
            let result = (text_at(&item, &["call_id"])?, at(&item, "output")?.clone());
            Some(Message { role: role("tool"), results: vec![result], ..Message::default() })
        }
        _ => None,
    }
}

fn calls(object: &Object, said: Option<&Json>) -> Vec<Call> {
    let listed = match first(object, &["tool_calls"]) {
        Some(Json::String(text)) => inner_json(text),
        other => other.cloned(),
    };
    let listed = listed.as_ref().and_then(Json::as_array).unwrap_or_default();
    let old = first(object, &["function_call"]);
    let parts = said.and_then(Json::as_array).unwrap_or_default().iter().filter(|part| is_call(part));
    listed.iter().chain(old).chain(parts).map(call).collect()
}

/// The call that a value describes, whatever its tool's API calls the members.
pub(super) fn call(json: &Json) -> Call {
    let json = json.get("tool_call").unwrap_or(json);
    let name = text_at(json, &["function.name", "function", "name", "toolName", "tool_name"]);
    let arguments =
        ["function.arguments", "arguments", "input", "inputParameters", "input_parameters", "args"];
    let ids = ["call_id", "id", "tool_call_id", "toolCallId"];
    Call {
        id: text_at(json, &ids).unwrap_or_else(|| json.canonical()),
        name: name.unwrap_or_else(|| "unnamed tool".to_owned()),
        arguments: first_at(json, &arguments).cloned(),
        result: first_at(json, &["output", "result"]).cloned(),
    }
}

/// What tools gave: a message of a tool is one result, the content of a customer's may have several.
fn results(object: &Object, role: Option<&str>, said: Option<&Json>, text: &str) -> Vec<(String, Json)> {
    let id = first(object, &["tool_call_id", "name", "function"]).and_then(Json::as_str);
    if let (Some("tool" | "function"), Some(id)) = (role, id) {
        let own = said.and_then(|said| said.as_array()?.iter().find_map(result_of));
        return vec![own.unwrap_or_else(|| (id.to_owned(), Json::text(text)))];
    }
    said.and_then(Json::as_array).unwrap_or_default().iter().filter_map(result_of).collect()
}

fn result_of(part: &Json) -> Option<(String, Json)> {
    if !matches!(kind(part), Some("tool_result" | "tool_call_response")) {
        return None;
    }
    let id = text_at(part, &["tool_use_id", "id", "tool_call_id"])?;
    let result = first_at(part, &["content", "response", "result"])?;
    let result = if let Json::Array(_) = result { Json::text(text_of(result, "\n")) } else { result.clone() };
    Some((id, result))
}

fn kind(part: &Json) -> Option<&str> {
    part.get("type").and_then(Json::as_str)
}

fn is_call(part: &Json) -> bool {
    matches!(kind(part), Some("tool_call" | "tool_use" | "tool_calls" | "function_call" | "server_tool_call"))
}

/// The text of a message's content: itself, or that of its parts that are text.
pub(super) fn text_of(json: &Json, separator: &str) -> String {
    match json {
        // Some exporters write the parts as JSON text once more.
        Json::String(text) if text.starts_with("[{") => match json::parse(text) {
            Ok(parts @ Json::Array(_)) if !text_of(&parts, separator).is_empty() => {
                text_of(&parts, separator)
            }
            _ => text.clone(),
        },
        Json::String(text) => text.clone(),
        Json::Array(parts) => {
            let texts = parts.iter().map(|part| text_of(part, separator)).filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join(separator)
        }
        Json::Object(part) if matches!(kind(json), None | Some("text" | "input_text" | "output_text")) => {
            let inner = first(part, &["message_content", "content", "text", "value"]);
            inner.map(|inner| text_of(inner, separator)).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The first member of `names` that is there and not null.
pub(super) fn first<'a>(object: &'a Object, names: &[&str]) -> Option<&'a Json> {
    names.iter().filter_map(|name| object.get(name)).find(|json| **json != Json::Null)
}

impl Call {
    /// The call as the field `tools` has it.
    pub(super) fn to_json(&self) -> Json {
        let members = [
            Some(("name", Json::text(&*self.name))),
            self.arguments.as_ref().map(|arguments| ("arguments", Json::String(as_text(arguments)))),
            self.result.as_ref().map(|result| ("result", Json::String(as_text(result)))),
        ];
        Json::object(members.into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Vec<Message> {
        messages(&json::parse(json).expect("JSON"))
    }

    #[track_caller]
    fn check(json: &str, want: &[(&str, &str)]) {
        let found = read(json);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|message| (message.role.as_deref().unwrap_or("-"), message.text.as_str()))
            .collect();
        assert_eq!(found, want, "{json}");
    }

    #[test]
    fn messages_in_each_form() {
        check(r#"[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]"#, &[("user", "Hi")]);
        check(r#"[{"role":"user","content":"Hi"}]"#, &[("user", "Hi")]);
        check(
            r#"[{"role":"user","content":[{"type":"text","text":"Hi"},{"type":"image_url"}]}]"#,
            &[("user", "Hi")],
        );
        check(r#""[{\"role\":\"user\",\"content\":\"Hi\"}]""#, &[("user", "Hi")]);
        check(r#"["{\"role\":\"user\",\"content\":\"Hi\"}"]"#, &[("user", "Hi")]);
        check(r#"{"index":0,"message":{"role":"assistant","content":"Hello"}}"#, &[("assistant", "Hello")]);
        check(r#"{"index":0,"message":"{\"content\":\"Hello\"}"}"#, &[("-", "Hello")]);
        check(r#"{"messages":[{"role":"user","content":"Hi"}]}"#, &[("user", "Hi")]);
        check(r#""Where is my parcel?""#, &[("-", "Where is my parcel?")]);
        check(r#""[urgent] where is it?""#, &[("-", "[urgent] where is it?")]);
        check("null", &[]);
    }

    #[test]
    fn what_nobody_reads_is_left_out() {
        let parts = r#"[{"type":"reasoning","content":"hmm"},{"type":"text","content":"Yes."},{"type":"text","content":"Sent."}]"#;
        check(&format!(r#"[{{"role":"assistant","parts":{parts}}}]"#), &[("assistant", "Yes.\nSent.")]);
        let call = r#"[{"role":"assistant","parts":[{"type":"tool_call","name":"refund","arguments":{}}]}]"#;
        check(call, &[("assistant", "")]);
        assert_eq!(read(call)[0].calls[0].name, "refund");
    }

    #[test]
    fn n31_calls_and_results_of_every_api() {
        for (asks, gives) in [
            (
                r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
                r#"{"role":"tool","tool_call_id":"c","content":"sent"}"#,
            ),
            (
                r#"{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]}"#,
                r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"sent"}]}]}"#,
            ),
            (
                r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#,
                r#"{"type":"function_call_output","call_id":"c","output":"sent"}"#,
            ),
            (
                r#"{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"f","arguments":{}}]}"#,
                r#"{"role":"tool","parts":[{"type":"tool_call_response","id":"c","response":"sent"}]}"#,
            ),
        ] {
            let [asked, gave] = [read(asks), read(gives)];
            let call = &asked[0].calls[0];
            let arguments = call.arguments.as_ref().map(as_text);
            assert_eq!((&*call.id, &*call.name, arguments.as_deref()), ("c", "f", Some("{}")), "{asks}");
            assert_eq!(gave[0].results, [("c".to_owned(), Json::text("sent"))], "{gives}");
            assert!(asked[0].text.is_empty(), "{asks}");
        }
    }
}
