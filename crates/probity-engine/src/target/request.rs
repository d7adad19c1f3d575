//! What a target is asked for one case, as a packet: canonical data whose hash is its name.
//!
//! The packet holds the request exactly as it is sent and says that it is one, so it never equals a judge's packet.
//! Equal requests are one packet and are paid for once.

use std::sync::Arc;

use minijinja::context;
use minijinja::value::{Serde, Value};
use probity_core::case::{Case, Role, Situation, Slice, Turn};
use probity_core::json::{self, Json};
use probity_core::packet::PacketHash;

use super::template::{RequestTemplate, RequestTemplateError};
use crate::config::{ChatSettings, LeftOut};

/// What the packet of a request says it is.
const KIND: &str = "reply_request";

/// A request for one reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The case that the reply is for. A target hears of it only where its request says so.
    pub case_id: String,
    /// The JSON that is sent.
    pub body: String,
    /// The packet's canonical text.
    pub packet: String,
    /// The packet's name.
    pub hash: PacketHash,
}

impl Request {
    fn new(case: &Case, request: Json) -> Request {
        let body = request.canonical();
        let packet = Json::object([("kind", Json::text(KIND)), ("request", request)]).canonical();
        let hash = PacketHash::from_bytes(*blake3::hash(packet.as_bytes()).as_bytes());
        Request { case_id: case.id.to_string(), body, packet, hash }
    }
}

/// A chat request without the parameters that were refused: the system prompt, and the conversation with the customer
/// as the user.
pub(super) fn chat(case: &Case, chat: &ChatSettings, system: Option<&str>, left: &LeftOut) -> Request {
    let message =
        |role: &str, text: &str| Json::object([("role", Json::text(role)), ("content", Json::text(text))]);
    let mut messages: Vec<Json> = system.map(|text| message("system", text)).into_iter().collect();
    match &case.situation {
        Situation::Ticket(ticket) => messages.push(message("user", ticket)),
        Situation::Conversation(turns) => {
            messages.extend(turns.iter().map(|turn| message(chat_role(turn.role), &turn.text)));
        }
    }
    let number = |digits: String| Json::Number(digits);
    let (row, sent) = (chat.dialect(), chat.sent(left));
    let mut members =
        vec![("model".to_owned(), Json::text(&chat.model)), ("messages".to_owned(), Json::Array(messages))];
    // The fields of chat completions stand at the top.
    let mut put = |field: Option<&str>, value: Option<Json>| {
        members
            .extend(field.zip(value).map(|(field, value)| (field.trim_start_matches('/').to_owned(), value)));
    };
    put(row.temperature.as_deref(), sent.temperature.map(|value| number(value.to_string())));
    put(Some(&sent.limit_field), sent.limit.map(|value| number(value.to_string())));
    put(row.seed.as_deref(), sent.seed.map(|seed| Json::int(i64::from(seed))));
    put(row.effort.as_deref(), sent.effort.map(|effort| Json::text(effort.name())));
    Request::new(case, Json::object(members))
}

fn chat_role(role: Role) -> &'static str {
    match role {
        Role::Customer => "user",
        Role::Agent => "assistant",
        Role::System => "system",
    }
}

/// A line for a program: the case as it stands in a case file, without what it is judged by.
pub(super) fn line(case: &Case) -> Request {
    let mut members = vec![
        ("id", Json::text(case.id.as_str())),
        ("slice", case.slice.as_ref().map_or(Json::Null, |slice| Json::text(slice.as_str()))),
        ("metadata", metadata(case)),
    ];
    members.push(match &case.situation {
        Situation::Ticket(ticket) => ("ticket", Json::text(&**ticket)),
        Situation::Conversation(turns) => {
            let turn = |turn: &Turn| {
                Json::object([("role", Json::text(turn.role.name())), ("text", Json::text(&*turn.text))])
            };
            ("turns", Json::Array(turns.iter().map(turn).collect()))
        }
    });
    Request::new(case, Json::object(members))
}

/// What a template makes of a case.
pub(super) fn rendered(case: &Case, template: &RequestTemplate) -> Result<Request, RequestTemplateError> {
    let turn = |turn: &Turn| context! { role => turn.role.name(), text => &*turn.text };
    let (ticket, turns) = match &case.situation {
        Situation::Ticket(text) => {
            let only = Turn { role: Role::Customer, text: Arc::clone(text) };
            (Value::from(&**text), vec![turn(&only)])
        }
        Situation::Conversation(turns) => (Value::from(()), turns.iter().map(turn).collect()),
    };
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata(case).canonical()).expect("canonical JSON is JSON");
    let context = context! {
        id => case.id.as_str(),
        slice => case.slice.as_ref().map(Slice::as_str),
        ticket => ticket,
        turns => turns,
        metadata => Value::from(Serde(metadata)),
    };
    Ok(Request::new(case, template.request(context)?))
}

fn metadata(case: &Case) -> Json {
    let text = case.metadata.as_deref();
    text.map_or(Json::Null, |text| json::parse(text).expect("metadata is the source text of a JSON value"))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use probity_core::case::CaseId;

    use super::*;

    fn case() -> Case {
        let turn = |role, text: &str| Turn { role, text: text.into() };
        let turns = vec![
            turn(Role::Customer, "It \"broke\""),
            turn(Role::Agent, "When?"),
            turn(Role::Customer, "Now"),
        ];
        Case {
            slice: Some(Slice::new("repairs").expect("a slice")),
            metadata: Some(r#"{"order": 12.50}"#.to_owned()),
            reference: Some("SECRET reference".to_owned()),
            known_pii: vec!["SECRET pii".to_owned()],
            ..Case::new(CaseId::new("t1").expect("an id"), Situation::Conversation(turns))
        }
    }

    #[track_caller]
    fn check(request: &Request, want: &Expect) {
        assert!(!request.packet.contains("SECRET"), "what a reply is judged by is not shown to the target");
        assert!(
            request.packet.contains(&request.body) && request.packet.contains(r#""kind":"reply_request""#)
        );
        want.assert_eq(&request.body);
    }

    #[test]
    fn a_program_reads_the_case() {
        check(
            &line(&case()),
            &expect![[
                r#"{"id":"t1","metadata":{"order":12.50},"slice":"repairs","turns":[{"role":"customer","text":"It \"broke\""},{"role":"agent","text":"When?"},{"role":"customer","text":"Now"}]}"#
            ]],
        );
        let ticket = Case::new(CaseId::new("t2").expect("an id"), Situation::Ticket("Help".into()));
        check(&line(&ticket), &expect![[r#"{"id":"t2","metadata":null,"slice":null,"ticket":"Help"}"#]]);
    }

    #[test]
    fn a_template_sees_the_case() {
        let template = RequestTemplate::parse(
            r#"{"q": {{ turns[-1].text }}, "t": {{ ticket }}, "o": {{ metadata.order }}, "s": {{ slice }}, "id": {{ id }}}"#,
        );
        let request = rendered(&case(), &template.expect("a template")).expect("a request");
        check(&request, &expect![[r#"{"id":"t1","o":12.5,"q":"Now","s":"repairs","t":null}"#]]);
    }

    #[test]
    fn equal_requests_are_one_packet() {
        let template = RequestTemplate::parse(r#"{"q": {{ turns }}}"#).expect("a template");
        let other = Case { id: CaseId::new("t2").expect("an id"), ..case() };
        let hash = |case: &Case| rendered(case, &template).expect("a request").hash;
        assert_eq!(hash(&case()), hash(&other));
        assert_ne!(line(&case()).hash, line(&other).hash);
    }
}
