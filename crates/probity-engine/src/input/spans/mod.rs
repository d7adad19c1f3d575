//! OpenTelemetry spans of calls to a model as records: what a customer wrote, and the reply that went out.
//!
//! A record may be a batch as OTLP has it (`resourceSpans`, with as many spans as were exported together), or one
//! span with its attributes beside it, as many exporters write a line. Exports hold spans of everything, so a
//! span without an attribute of `gen_ai` is no record and is passed over; one that does and has no reply is a
//! record that is skipped, with the reason.
//!
//! What always holds: a span becomes the fields of a record and goes through the same checks as one.

mod attributes;
mod messages;

use probity_core::case::{Moment, Role};
use probity_core::json::{Json, Object};

use super::LoadOptions;
use super::entry::{Content, Refused, entry};
use super::field::{Field, FileNames, Reason, RecordFields};
use attributes::{Attributes, first};
use messages::{Event, INPUT, Message, OUTPUT, side};

/// The attributes that may name a slice, unless one is asked for.
const SLICE_ATTRIBUTES: &[&str] = &["support.intent", "intent", "category", "gen_ai.conversation.topic"];

const BATCHES: &[&str] = &["resourceSpans", "resource_spans", "batches"];
const SCOPES: &[&str] = &["scopeSpans", "scope_spans", "instrumentationLibrarySpans"];
const ATTRIBUTES: &[&str] = &["attributes", "Attributes", "span_attributes", "SpanAttributes"];
const RESOURCE: &[&str] = &["resource", "Resource", "resource_attributes", "ResourceAttributes"];
const TRACE: &[&str] = &["traceId", "trace_id", "traceID", "TraceID", "TraceId"];
const SPAN: &[&str] = &["spanId", "span_id", "spanID", "SpanID", "SpanId"];
const CONTEXT: &[&str] = &["context", "SpanContext", "spanContext", "span_context"];
const END: &[&str] =
    &["endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime", "EndTime", "timestamp"];

/// What a record of spans holds.
pub(super) struct Batch {
    /// The calls of a model, each a case with its reply or the reason why not.
    pub(super) spans: Vec<Result<Content, Refused>>,
    /// Spans of other things.
    pub(super) n_passed_over: usize,
}

/// Whether the beginning of a file is that of a batch: such a record holds many replies.
pub(super) fn begins_batch(head: &[u8]) -> bool {
    let inside = head.trim_ascii_start().strip_prefix(b"{").unwrap_or_default().trim_ascii_start();
    BATCHES
        .iter()
        .any(|name| inside.strip_prefix(b"\"").is_some_and(|rest| rest.starts_with(name.as_bytes())))
}

/// The spans of a record; `None` where it is a record of another kind.
pub(super) fn batch(record: &Object, options: &LoadOptions) -> Option<Batch> {
    let mut spans = Vec::new();
    if let Some(batches) = first(record, BATCHES).and_then(Json::as_array) {
        batches.iter().filter_map(Json::as_object).for_each(|one| add_scopes(one, &mut spans));
    } else if first(record, SCOPES).is_some() {
        add_scopes(record, &mut spans);
    } else if is_span(record) {
        spans.push(Span::new(record, record));
    } else {
        return None;
    }
    let n_all = spans.len();
    let calls = spans.into_iter().filter(Span::is_about_genai);
    let spans: Vec<_> = calls.map(|span| span.entry(options)).collect();
    Some(Batch { n_passed_over: n_all - spans.len(), spans })
}

/// Adds the spans of one resource, by whatever part of the program they were made.
fn add_scopes<'a>(holder: &'a Object, spans: &mut Vec<Span<'a>>) {
    let scopes = first(holder, SCOPES).and_then(Json::as_array).unwrap_or_default();
    let listed = scopes.iter().filter_map(|scope| scope.get("spans")?.as_array()).flatten();
    spans.extend(listed.filter_map(Json::as_object).map(|span| Span::new(span, holder)));
}

/// A record with an id of its own is a case, whatever else it says.
fn is_span(record: &Object) -> bool {
    let has_names =
        first(record, ATTRIBUTES).is_some() || record.iter().any(|(name, _)| name.starts_with("gen_ai."));
    record.get(Field::Id.native()).is_none() && named(record, TRACE).is_some() && has_names
}

/// The text of the first of `names` in a span or its context.
fn named(span: &Object, names: &[&str]) -> Option<String> {
    let inner = || first(span, CONTEXT).and_then(Json::as_object).and_then(|inner| first(inner, names));
    let text = first(span, names).or_else(inner)?.as_str()?;
    let text = text.strip_prefix("0x").unwrap_or(text);
    (!text.is_empty()).then(|| text.to_owned())
}

/// One span with everything that is said about it.
struct Span<'a> {
    object: &'a Object,
    attributes: Attributes,
    resource: Attributes,
    events: Vec<Event>,
}

impl<'a> Span<'a> {
    fn new(object: &'a Object, holder: &Object) -> Self {
        let mut attributes = Attributes::default();
        first(object, ATTRIBUTES).inspect(|list| attributes.add(list));
        attributes.add_dotted(object);
        let mut resource = Attributes::default();
        if let Some(json) = first(holder, RESOURCE) {
            resource.add(json.get("attributes").unwrap_or(json));
        }
        let events = first(object, &["events", "Events"]).and_then(Json::as_array).unwrap_or_default();
        let events = events.iter().filter_map(Json::as_object).map(event).collect();
        Span { object, attributes, resource, events }
    }

    fn is_about_genai(&self) -> bool {
        let prefix = "gen_ai.";
        self.attributes.has_prefix(prefix) || self.events.iter().any(|event| event.name.starts_with(prefix))
    }

    fn entry(&self, options: &LoadOptions) -> Result<Content, Refused> {
        let missing = |what: &str| Refused::from(Reason::from(format!("the span has no {what}")));
        let trace = named(self.object, TRACE).ok_or_else(|| missing("trace id"))?;
        let span = named(self.object, SPAN).ok_or_else(|| missing("span id"))?;
        let id = format!("{trace}:{span}");
        let refuse =
            |reason: &str| Refused { id: Some(id.clone()), ..Reason::from(reason.to_owned()).into() };
        let reply = self.reply().map_err(refuse)?;
        let turns = self.turns();
        if turns.is_empty() {
            return Err(refuse("the span has no input message with a text"));
        }
        let metadata = self.metadata();
        let metadata_text = metadata.canonical();
        let fields = [
            (Field::Id, Some(Json::text(id.clone()))),
            (Field::Slice, self.slice(options.slice_attribute.as_deref()).map(Json::String)),
            (Field::Turns, Some(Json::Array(turns))),
            (Field::Reply, Some(Json::String(reply))),
            (Field::Variant, self.variant().map(Json::String)),
            (Field::Time, self.end().map(|end| Json::int(end.seconds()))),
            (Field::Metadata, Some(metadata)),
        ];
        let mut found = RecordFields::default();
        found.metadata_text = Some(metadata_text.into());
        for (field, json) in fields.into_iter().filter_map(|(field, json)| Some((field, json?))) {
            found.put(field, field.native(), json)?;
        }
        entry(&mut found, FileNames::NATIVE, options)
    }

    /// The text of the last message that came out.
    fn reply(&self) -> Result<String, &'static str> {
        let mut output = side(&self.attributes, &self.events, &OUTPUT);
        let calls_tool = output.iter().any(|message| message.calls_tool);
        let last = loop {
            match output.pop() {
                Some(message) if message.text.trim().is_empty() => {}
                other => break other,
            }
        };
        match last {
            Some(message) => Ok(message.text),
            None if calls_tool => Err("the span's output is a tool call, not a reply"),
            None => Err("the span has no output message with a text; is the capture of content switched on?"),
        }
    }

    /// What customer and agent said before the reply. Instructions and tools are left out.
    fn turns(&self) -> Vec<Json> {
        let input = side(&self.attributes, &self.events, &INPUT);
        let turn = |Message { role, text, .. }: Message| {
            let role = Role::parse(&role?).filter(|role| *role != Role::System)?;
            let fields = [("role", Json::text(role.name())), ("text", Json::String(text))];
            Some(Json::object(fields))
        };
        input.into_iter().filter(|message| !message.text.trim().is_empty()).filter_map(turn).collect()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.attributes.text(name).or_else(|| self.resource.text(name))
    }

    fn slice(&self, asked_for: Option<&str>) -> Option<String> {
        match asked_for {
            Some(name) => self.text(name),
            None => SLICE_ATTRIBUTES.iter().find_map(|name| self.text(name)),
        }
    }

    fn variant(&self) -> Option<String> {
        self.text("gen_ai.response.model").or_else(|| self.text("service.version"))
    }

    fn metadata(&self) -> Json {
        let names = [
            ("model", &["gen_ai.response.model", "gen_ai.request.model"][..]),
            ("provider", &["gen_ai.provider.name", "gen_ai.system"]),
            ("operation", &["gen_ai.operation.name"]),
            ("conversation", &["gen_ai.conversation.id"]),
            ("service", &["service.name"]),
            ("service_version", &["service.version"]),
        ];
        let known = names.iter().filter_map(|(key, names)| {
            let text = names.iter().find_map(|name| self.text(name))?;
            Some((*key, Json::String(text)))
        });
        Json::object(known)
    }

    fn end(&self) -> Option<Moment> {
        let (Json::String(text) | Json::Number(text)) = first(self.object, END)? else { return None };
        match text.parse::<u64>() {
            Ok(number) => seconds(number).and_then(Moment::from_seconds),
            Err(_) => text.parse().ok(),
        }
    }
}

fn event(object: &Object) -> Event {
    let name = first(object, &["name", "Name"]).and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut attributes = Attributes::default();
    first(object, &["attributes", "Attributes"]).inspect(|list| attributes.add(list));
    Event { name, attributes, body: object.get("body").cloned().unwrap_or(Json::Null) }
}

/// Seconds from a number that may count nanoseconds, microseconds, milliseconds or seconds: the ranges of dates
/// from 1973 to 5138 do not meet.
fn seconds(number: u64) -> Option<i64> {
    let divisor = match number {
        100_000_000_000_000_000.. => 1_000_000_000,
        100_000_000_000_000.. => 1_000_000,
        100_000_000_000.. => 1_000,
        _ => 1,
    };
    i64::try_from(number / divisor).ok()
}
