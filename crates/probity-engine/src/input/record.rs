//! From the members of an object, or the cells of a row, to the fields of a record.

use std::borrow::Cow;

use probity_core::json::{self, Json, Object};

use super::assign::Assignment;
use super::entry::Refused;
use super::field::{Field, Reason, RecordFields};
use super::json::member_text;
use super::mapping::{FieldMap, RecordMembers};
use super::names::NameCache;

/// How a record is read.
pub(super) struct RecordReading<'o> {
    /// Where fields come from, as the user mapped them.
    pub(super) map: &'o FieldMap,
    /// Which record of its file it is, 1-based.
    pub(super) number: usize,
}

/// A row as the viewer of a dataset gives it: the record inside, with its number for an id and the names of classes that
/// `frame` lists in place of their numbers, unless cells of it were cut. Other objects are as they were.
pub(super) fn unwrapped(mut object: Object, frame: &Json) -> Result<Object, Refused> {
    let is_row = object.get("row").is_some_and(|row| row.as_object().is_some());
    let cut = object.get("truncated_cells").and_then(Json::as_array).filter(|_| is_row);
    let Some(cut) = cut else { return Ok(object) };
    if !cut.is_empty() {
        let cut: Vec<&str> = cut.iter().filter_map(Json::as_str).collect();
        let reason = format!("cells cut by the viewer: {}", cut.join(", ")).into();
        let id = object.get("row_idx").map(Json::canonical);
        return Err(Refused { id, reason });
    }
    let number = object.take("row_idx");
    let Some(Json::Object(mut row)) = object.take("row") else { return Ok(object) };
    for feature in frame.get("features").and_then(Json::as_array).unwrap_or_default() {
        let column = feature.get("name").and_then(Json::as_str).unwrap_or_default();
        let names = feature.get("type").and_then(|kind| kind.get("names")?.as_array());
        let number = row.get(column).and_then(Json::as_u64).and_then(|number| usize::try_from(number).ok());
        if let Some(name) = names.and_then(|names| names.get(number?)) {
            row.take(column);
            // It was just taken out.
            let _ = row.insert(column, name.clone());
        }
    }
    if let Some(number) = number.filter(|_| row.get(Field::Id.native()).is_none()) {
        // The name is not there yet.
        let _ = row.insert(Field::Id.native(), number);
    }
    Ok(row)
}

/// The fields of an object whose source is `text`; names that look like typing errors go to `warnings`.
pub(super) fn object_fields<'a>(
    object: Object,
    text: &'a str,
    (reading, names): (&RecordReading<'_>, &mut NameCache),
    warnings: &mut Vec<String>,
) -> Result<RecordFields<'a>, Reason> {
    let values: Vec<(Cow<'a, str>, Json)> =
        object.into_iter().map(|(name, json)| (Cow::Owned(name), json)).collect();
    let known = values.iter().map(|(name, _)| names.get(name)).collect();
    let assigned = Assignment::new(&values.iter().map(|(name, _)| &**name), known, reading.map)?;
    names.note_first(|| assigned.notice(values.iter().map(|(name, _)| &**name), reading.map));
    warnings.extend(assigned.doubts.iter().cloned());
    let unread =
        values.iter().zip(&assigned.known).filter(|((name, _), known)| !reading.map.takes(name, known));
    warnings.extend(unread.filter_map(|(_, known)| known.typo.clone()));
    let mut found = mapped(&values, &assigned, reading)?;
    for ((name, json), field) in values.into_iter().zip(assigned.fields) {
        let Some(field) = field else { continue };
        found.put(field, name, json)?;
        if field == Field::Metadata {
            found.metadata_text = member_text(text, Field::Metadata.native()).map(Cow::Borrowed);
        }
    }
    Ok(found)
}

/// The fields of a row's cells, by what the columns mean.
pub(super) fn row_fields<'a>(
    columns: impl Iterator<Item = &'a str>,
    cells: Vec<&'a str>,
    assigned: &Assignment,
    reading: &RecordReading<'_>,
) -> Result<RecordFields<'a>, Reason> {
    let is_used = |field: &Option<Field>| field.is_some() || !reading.map.is_empty();
    let value = |((name, cell), field): ((&'a str, &&str), &Option<Field>)| {
        let json = if is_used(field) && !cell.is_empty() { Json::text(*cell) } else { Json::Null };
        (Cow::Borrowed(name), json)
    };
    let values: Vec<_> = columns.zip(&cells).zip(&assigned.fields).map(value).collect();
    let mut found = mapped(&values, assigned, reading)?;
    let has_turns = assigned.has(Field::Turns);
    for (((name, json), cell), field) in values.into_iter().zip(cells).zip(&assigned.fields) {
        let Some(field) = *field else { continue };
        // An id, a ticket and a reply must be filled; an empty cell of another column says nothing.
        let is_required = matches!(field, Field::Id | Field::Reply) || (field == Field::Ticket && !has_turns);
        match json {
            Json::Null if is_required => found.put(field, name, Json::text(""))?,
            Json::Null => {}
            _ => match typed(field, &name, Json::text(cell)) {
                Ok(json) => found.put(field, name, json)?,
                // A bad list of tools in a column that the user did not map does not cost the record.
                Err(_) if field == Field::Tools && !is_json(cell) => {
                    found.doubts.push(format!("the '{name}' cell is no JSON list of calls; it is left out"));
                }
                Err(reason) => return Err(reason),
            },
        }
        if field == Field::Metadata {
            let is_text = json::parse(cell).is_err();
            found.metadata_text =
                Some(if is_text { Json::text(cell).canonical().into() } else { cell.into() });
        }
    }
    Ok(found)
}

/// The fields that a person mapped.
fn mapped<'a>(
    values: &[(Cow<'a, str>, Json)],
    assigned: &Assignment,
    reading: &RecordReading<'_>,
) -> Result<RecordFields<'a>, Reason> {
    let mut found = RecordFields::default();
    let members = RecordMembers { values, known: &assigned.known, number: reading.number };
    for (field, source) in reading.map.sources() {
        let Some(json) = source.value(members, *field) else { continue };
        if *field == Field::Label {
            found.labels.push((source.criterion.clone(), json));
            continue;
        }
        let json = typed(*field, &source.text, json)?;
        if *field == Field::Metadata {
            found.metadata_text = Some(json.canonical().into());
        }
        found.put_asked(*field, source.text.clone(), json)?;
    }
    Ok(found)
}

/// A value as its field has it: a text that must be JSON is read as such.
fn typed(field: Field, name: &str, json: Json) -> Result<Json, Reason> {
    let Json::String(text) = json else { return Ok(json) };
    let must_be_json = match field {
        // A text may begin with a bracket, too.
        Field::Context if is_json(&text) => return Ok(json::parse(&text).unwrap_or(Json::String(text))),
        Field::Metadata if !is_json(&text) => return Ok(json::parse(&text).unwrap_or(Json::String(text))),
        // What was said may be a text, with a speaker before each line.
        Field::Turns => is_json(&text),
        Field::Evidence | Field::Tools | Field::Admissible | Field::KnownPii | Field::Metadata => true,
        _ => false,
    };
    if !must_be_json {
        return Ok(Json::String(text));
    }
    json::parse(&text).map_err(|error| Reason::malformed(&error, &format!("the '{name}' cell")))
}

/// Whether a text begins as a list or an object does.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['[', '{'])
}
