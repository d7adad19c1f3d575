//! Spans of calls to a model as records: what a customer wrote, and the reply that went out.
//!
//! A record may be a batch as OTLP has it (`resourceSpans`, with as many spans as were exported together), or one
//! span with its attributes beside it, as many exporters write a line. The attributes are those of OpenTelemetry's
//! `GenAI` conventions or of `OpenInference`. Exports hold spans of everything, so a span that is no call of a model is no
//! record and is passed over; one that is and has no reply is a record that is skipped, with the reason.
//!
//! Results of evaluations (events in logs, annotations of Phoenix) are joined by the id of the span, or of the answer.

mod attributes;
mod side;
mod verdicts;

pub(super) use verdicts::{ANNOTATION, LOGS};

use std::io;

use probity_core::case::Moment;
use probity_core::json::{Json, Object};

use super::beside::Beside;
use super::case::{FileContext, ForeignCase};
use super::conversation::Conversation;
use super::messages::{first, inner_json};
use super::path::{at, text, text_at};
use super::{Form, Pieced, Read};
use crate::input::field::Field;
use attributes::Attributes;
use side::{Event, INPUT, OUTPUT, side};

/// The attributes that may name a slice, unless one is asked for.
const SLICE_ATTRIBUTES: &[&str] =
    &["support.intent", "intent", "category", "gen_ai.conversation.topic", "metadata.intent"];

const BATCHES: &[&str] = &["resourceSpans", "resource_spans", "batches"];
const SCOPES: &[&str] = &["scopeSpans", "scope_spans", "instrumentationLibrarySpans"];
const ATTRIBUTES: &[&str] = &["attributes", "Attributes", "span_attributes", "SpanAttributes"];
const RESOURCE: &[&str] = &["resource", "Resource", "resource_attributes", "ResourceAttributes"];
const TRACE: &[&str] = &["traceId", "trace_id", "traceID", "TraceID", "TraceId"];
const SPAN: &[&str] = &["spanId", "span_id", "spanID", "SpanID", "SpanId"];
const PARENT: &[&str] = &["parentSpanId", "parent_span_id", "parent_id", "ParentSpanId"];
const CONTEXT: &[&str] = &["context", "SpanContext", "spanContext", "span_context"];
const END: &[&str] =
    &["endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime", "EndTime", "timestamp"];

/// How far above a span its slice is looked for.
const ANCESTORS_MAX: usize = 64;

/// Spans: one, or a batch.
pub(super) const FORM: Form = Form { tool: "spans", is, read, pieces: Some(pieces) };

/// Whether the beginning of a file is that of a batch: such a record holds many replies.
pub(in crate::input) fn begins_batch(head: &[u8]) -> bool {
    let inside = head.trim_ascii_start().strip_prefix(b"{").unwrap_or_default().trim_ascii_start();
    BATCHES
        .iter()
        .any(|name| inside.strip_prefix(b"\"").is_some_and(|rest| rest.starts_with(name.as_bytes())))
}

fn is(record: &Object) -> bool {
    first(record, BATCHES).is_some_and(|found| found.as_array().is_some())
        || first(record, SCOPES).is_some()
        || is_span(record)
}

fn read(record: &Json, context: &FileContext<'_>) -> Read {
    let spans = spans(record);
    let n_all = spans.len();
    let is_case = |span: &&Span<'_>| span.is_model_call() || span.has_mapped_reply(context);
    let cases: Vec<_> = spans.iter().filter(is_case).map(|span| span.case(context)).collect();
    Read::Spans { n_passed_over: n_all - cases.len(), cases }
}

/// What spans say about others: the slice of those below, and the documents of their trace.
fn pieces(record: &Json, found: &mut Pieced<'_>) -> io::Result<()> {
    for span in spans(record) {
        let (Some(trace), Some(id)) = (named(span.object, TRACE), named(span.object, SPAN)) else { continue };
        let members = [
            ("parent", named(span.object, PARENT)),
            ("slice", span.attribute_slice(found.options.slice_attribute.as_deref())),
        ];
        let members = members.into_iter().filter_map(|(name, text)| Some((name, Json::String(text?))));
        found.add(&format!("span:{trace}:{id}"), &Json::object(members))?;
        for document in span.documents() {
            found.add(&format!("document:{trace}"), &document)?;
        }
    }
    Ok(())
}

/// The spans of a record.
fn spans(record: &Json) -> Vec<Span<'_>> {
    let Some(record) = record.as_object() else { return Vec::new() };
    let mut spans = Vec::new();
    if let Some(batches) = first(record, BATCHES).and_then(Json::as_array) {
        batches.iter().filter_map(Json::as_object).for_each(|one| add_scopes(one, &mut spans));
    } else if first(record, SCOPES).is_some() {
        add_scopes(record, &mut spans);
    } else {
        spans.push(Span::new(record, record));
    }
    spans
}

/// Adds the spans of one resource, by whatever part of the program they were made.
fn add_scopes<'a>(holder: &'a Object, spans: &mut Vec<Span<'a>>) {
    let scopes = first(holder, SCOPES).and_then(Json::as_array).unwrap_or_default();
    let listed = scopes.iter().filter_map(|scope| scope.get("spans")?.as_array()).flatten();
    spans.extend(listed.filter_map(Json::as_object).map(|span| Span::new(span, holder)));
}

/// A record with an id of its own is a case, whatever else it says; Phoenix numbers spans beside their context.
fn is_span(record: &Object) -> bool {
    let has_names =
        first(record, ATTRIBUTES).is_some() || record.iter().any(|(name, _)| name.starts_with("gen_ai."));
    let is_numbered = record.get(Field::Id.native()).is_some() && record.get("span_kind").is_none();
    !is_numbered && named(record, TRACE).is_some() && has_names
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
        let metadata = attributes.text("metadata").and_then(|text| inner_json(&text));
        attributes.add(&Json::object(metadata.map(|metadata| ("metadata", metadata))));
        let mut resource = Attributes::default();
        if let Some(json) = first(holder, RESOURCE) {
            resource.add(json.get("attributes").unwrap_or(json));
        }
        let events = first(object, &["events", "Events"]).and_then(Json::as_array).unwrap_or_default();
        let events = events.iter().filter_map(Json::as_object).map(event).collect();
        Span { object, attributes, resource, events }
    }

    /// The kind that `OpenInference` gives a span.
    fn kind(&self) -> Option<String> {
        let beside = || text(first(self.object, &["span_kind"])?);
        self.attributes.text("openinference.span.kind").or_else(beside)
    }

    fn is_model_call(&self) -> bool {
        let prefix = "gen_ai.";
        let is_genai = || {
            let mut events = self.events.iter();
            self.attributes.has_prefix(prefix) || events.any(|event| event.name.starts_with(prefix))
        };
        self.kind().map_or_else(is_genai, |kind| kind == "LLM")
    }

    fn case(&self, context: &FileContext<'_>) -> ForeignCase {
        let (trace, span) = (named(self.object, TRACE), named(self.object, SPAN));
        let mut case = ForeignCase::default();
        if trace.is_none() || span.is_none() {
            let what = if trace.is_none() { "trace id" } else { "span id" };
            case.skip = Some(format!("the span has no {what}"));
        }
        let (trace, span) = (trace.unwrap_or_default(), span.unwrap_or_default());
        case.id = format!("{trace}:{span}");
        let output = side(&self.attributes, &self.events, &OUTPUT);
        let mut said = side(&self.attributes, &self.events, &INPUT);
        let has_output =
            output.iter().any(|message| !message.text.trim().is_empty() || !message.calls.is_empty());
        if has_output {
            said.extend(output);
        }
        case.conversation = Conversation::of(&said);
        if !has_output {
            case.failed(self.why_no_output());
        } else if case.conversation.before().is_empty() {
            case.skip = Some("the span has no input message with a text".to_owned());
        }
        case.slice = self.slice(&trace, context);
        case.variant = self.variant();
        case.context = context.pieces.of(&format!("document:{trace}")).iter().filter_map(text).collect();
        if let Some(end) = self.end() {
            case.fields.push((Field::Time, Json::int(end.seconds())));
        }
        case.fields.push((Field::Metadata, self.metadata()));
        case.beside = Beside { kept: Some(Json::Object(self.object.clone())), ..Beside::default() };
        verdicts::add(
            &mut case.beside,
            &span,
            self.attributes.text("gen_ai.response.id").as_deref(),
            context,
        );
        verdicts::add_events(&mut case.beside, &self.events);
        if !context.options.map.is_empty() {
            case.map(&self.members(), context);
        }
        case
    }

    /// What a mapping may name: attributes of the span and its resource by their full names, and what stands beside them.
    fn members(&self) -> Json {
        let mut members = Object::new();
        for source in [&self.attributes.object(), &self.resource.object()] {
            for (name, json) in source.as_object().into_iter().flat_map(Object::iter) {
                // The first of a name stands.
                let _ = members.insert(name, json.clone());
            }
        }
        for (name, json) in self.object.iter() {
            let _ = members.insert(name, json.clone());
        }
        Json::Object(members)
    }

    fn has_mapped_reply(&self, context: &FileContext<'_>) -> bool {
        context.options.map.has(Field::Reply) && {
            let mut case = ForeignCase::default();
            case.map(&self.members(), context);
            case.conversation.reply.is_some()
        }
    }

    fn why_no_output(&self) -> String {
        if let Some(error) = self.attributes.text("error.type") {
            return format!("error: {error}");
        }
        if self.events.iter().any(|event| event.name == "exception") {
            return "error: the span has no output message".to_owned();
        }
        "the span has no output message with a text; is the capture of content switched on?".to_owned()
    }

    /// What a retriever found.
    fn documents(&self) -> Vec<Json> {
        let found = self.attributes.tree("retrieval.documents");
        let contents = found.as_array().unwrap_or_default().iter();
        contents.filter_map(|document| at(document, "document.content")).cloned().collect()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.attributes.text(name).or_else(|| self.resource.text(name))
    }

    /// The slice that the span itself names.
    fn attribute_slice(&self, asked_for: Option<&str>) -> Option<String> {
        match asked_for {
            Some(name) => self.attributes.text(name),
            None => SLICE_ATTRIBUTES.iter().find_map(|name| self.attributes.text(name)),
        }
    }

    /// The slice of the span, of the nearest span above it, or of its resource.
    fn slice(&self, trace: &str, context: &FileContext<'_>) -> Option<String> {
        let asked_for = context.options.slice_attribute.as_deref();
        if let Some(slice) = self.attribute_slice(asked_for) {
            return Some(slice);
        }
        let mut above = named(self.object, PARENT);
        for _ in 0..ANCESTORS_MAX {
            let Some(piece) = above.and_then(|id| context.pieces.first(&format!("span:{trace}:{id}"))) else {
                break;
            };
            if let Some(slice) = text_at(&piece, &["slice"]) {
                return Some(slice);
            }
            above = text_at(&piece, &["parent"]);
        }
        let names = asked_for.map_or_else(|| SLICE_ATTRIBUTES.to_vec(), |name| vec![name]);
        names.iter().find_map(|name| self.resource.text(name))
    }

    fn variant(&self) -> Option<String> {
        if self.kind().is_some() {
            return self.text("llm.model_name");
        }
        self.text("gen_ai.response.model").or_else(|| self.text("service.version"))
    }

    fn metadata(&self) -> Json {
        let names = [
            ("model", &["gen_ai.response.model", "gen_ai.request.model", "llm.model_name"][..]),
            ("provider", &["gen_ai.provider.name", "gen_ai.system", "llm.system"]),
            ("operation", &["gen_ai.operation.name"]),
            ("conversation", &["gen_ai.conversation.id", "session.id"]),
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
