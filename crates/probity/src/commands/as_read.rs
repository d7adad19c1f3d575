//! How the first records of a data set were read, field by field, for a person to check before money is spent.

use probity_core::case::{Case, Evidence, Reply, Situation};
use probity_engine::input::{Dataset, LoadError, Place, Record};
use serde_json::{Value, json};

use crate::plain::plain;

/// How many records are shown.
const SHOWN: usize = 3;

/// How many characters of a text are shown to people.
const TEXT_CHARS: usize = 100;

/// A record as it was read: where it stands, and its fields, or why it has none.
pub(super) struct AsRead {
    file: String,
    line: usize,
    fields: Vec<(&'static str, String)>,
}

/// The first records of the data set.
pub(super) fn first(dataset: &Dataset) -> Result<Vec<AsRead>, LoadError> {
    dataset.records()?.take(SHOWN).map(|record| Ok(as_read(record?))).collect()
}

fn as_read(record: Record) -> AsRead {
    match record {
        Record::Entry { place: Place { file, line, .. }, entry } => {
            AsRead { file: file.to_string(), line, fields: fields(&entry.case, Some(&entry.reply)) }
        }
        Record::Unanswered { case, skipped } => {
            AsRead { file: skipped.file, line: skipped.line, fields: fields(&case, None) }
        }
        Record::Skipped(skipped) => {
            let id = skipped.id.map(|id| ("id", id));
            let fields = id.into_iter().chain([("skipped", skipped.reason)]).collect();
            AsRead { file: skipped.file, line: skipped.line, fields }
        }
    }
}

/// The fields that a record has, by their native names.
fn fields(case: &Case, reply: Option<&Reply>) -> Vec<(&'static str, String)> {
    let mut fields = vec![("id", case.id.to_string())];
    let mut put = |name, value: Option<String>| fields.extend(value.map(|value| (name, value)));
    put("slice", case.slice.as_ref().map(|slice| slice.as_str().to_owned()));
    match &case.situation {
        Situation::Ticket(text) => put("ticket", Some(text.to_string())),
        Situation::Conversation(turns) => {
            for turn in turns {
                put("turn", Some(format!("{}: {}", turn.role.name(), turn.text)));
            }
        }
    }
    put("reply", Some(reply.map_or_else(|| "none".to_owned(), |reply| reply.text.to_string())));
    put("variant", reply.and_then(|reply| Some(reply.variant.as_ref()?.as_str().to_owned())));
    put("confidence", reply.and_then(|reply| Some(reply.confidence?.value().to_string())));
    put("reference", case.reference.clone());
    put("time", case.circumstances.time.map(|time| time.to_string()));
    put("audience", case.circumstances.audience.clone());
    put("region", case.circumstances.region.clone());
    put("evidence", evidence(&case.evidence));
    put("metadata", case.metadata.clone());
    for (kind, value) in &case.outcomes {
        put("outcome", Some(format!("{kind}: {value}")));
    }
    fields
}

/// The amount of evidence for a reply; empty if there is none.
fn evidence(evidence: &Evidence) -> Option<String> {
    let counts = [
        (evidence.sources.len(), "sources"),
        (evidence.context.len(), "retrieved texts"),
        (evidence.tools.len(), "tool calls"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

/// The records for a terminal.
pub(super) fn text(records: &[AsRead]) -> String {
    let mut text = String::from("the first records as they were read:\n");
    for AsRead { file, line, fields } in records {
        text += &format!("  {}, line {line}\n", plain(file));
        for (name, value) in fields {
            let mut shown: String = value.chars().take(TEXT_CHARS).collect();
            if shown.len() < value.len() {
                shown.push('…');
            }
            text += &format!("    {name:<10}  {}\n", plain(&shown.replace(['\n', '\r'], " ")));
        }
    }
    text
}

/// The records for machines.
pub(super) fn json(records: &[AsRead]) -> Value {
    let record = |AsRead { file, line, fields }: &AsRead| {
        let fields: Vec<Value> =
            fields.iter().map(|(name, value)| json!({ "field": name, "value": value })).collect();
        json!({ "file": file, "line": line, "fields": fields })
    };
    records.iter().map(record).collect()
}
