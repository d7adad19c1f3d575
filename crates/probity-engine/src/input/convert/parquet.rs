//! Parquet as JSON lines, row group by row group.
//!
//! Whole numbers keep their digits, a null is null, a moment is written in UTC. Names of classes that the `datasets`
//! library keeps beside the table take the place of their numbers. Bytes that are no text, and vectors, are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;

use jiff::Timestamp;
use jiff::civil::Date;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row};
use probity_core::json::write_string;
use serde_json::Value;

use super::{Unconverted, pages};

/// Rows that are read at once.
const BATCH_ROWS: usize = 128;

impl From<ParquetError> for Unconverted {
    fn from(error: ParquetError) -> Self {
        Unconverted::Damaged(error.to_string())
    }
}

/// Writes a line for each row and returns what is worth saying. Its pages may unpack to `bytes_max` bytes.
pub(super) fn write_lines(
    file: &File,
    out: &mut impl Write,
    bytes_max: u64,
) -> Result<Vec<String>, Unconverted> {
    let reader = SerializedFileReader::new(file.try_clone()?)?;
    let metadata = reader.metadata();
    pages::check(file, metadata, bytes_max)?;
    let listed = metadata.file_metadata().key_value_metadata();
    let features =
        listed.and_then(|listed| listed.iter().find(|entry| entry.key == "huggingface")?.value.as_ref());
    let mut lines = Lines { classes: classes(features.map(String::as_str)), ..Lines::default() };
    for row in RowIter::from_file_into(Box::new(reader)).with_batch_size(BATCH_ROWS) {
        lines.line(&row?);
        out.write_all(lines.text.as_bytes())?;
    }
    let left_out: Vec<&str> = lines.left_out.iter().map(String::as_str).collect();
    let notice = format!("left out, because they hold no text: {}", left_out.join(", "));
    Ok(if left_out.is_empty() { Vec::new() } else { vec![notice] })
}

/// The names of classes, by column.
fn classes(features: Option<&str>) -> BTreeMap<String, Vec<String>> {
    let parsed: Option<Value> = features.and_then(|text| serde_json::from_str(text).ok());
    let columns = parsed.as_ref().and_then(|value| value.pointer("/info/features")?.as_object());
    let names = |feature: &Value| -> Option<Vec<String>> {
        let names = feature.get("names")?.as_array()?;
        Some(names.iter().map(|name| name.as_str().unwrap_or_default().to_owned()).collect())
    };
    let columns = columns.into_iter().flatten();
    columns.filter_map(|(name, feature)| Some((name.clone(), names(feature)?))).collect()
}

/// The line that is being written.
#[derive(Default)]
struct Lines {
    text: String,
    classes: BTreeMap<String, Vec<String>>,
    /// Columns with values that have no form as text.
    left_out: BTreeSet<String>,
}

impl Lines {
    fn line(&mut self, row: &Row) {
        self.text.clear();
        self.text.push('{');
        for (name, field) in row.get_column_iter() {
            let start = self.text.len();
            if start > 1 {
                self.text.push(',');
            }
            write_string(name, &mut self.text);
            self.text.push(':');
            let class =
                self.classes.get(name).and_then(|names| names.get(usize::try_from(index(field)?).ok()?));
            let written = match class {
                Some(class) => {
                    write_string(class, &mut self.text);
                    true
                }
                None => write_value(field, &mut self.text),
            };
            if !written {
                self.text.truncate(start);
                self.left_out.insert(name.clone());
            }
        }
        self.text.push_str("}\n");
    }
}

/// The number that a class may be.
fn index(field: &Field) -> Option<i64> {
    match field {
        Field::Long(n) => Some(*n),
        Field::Int(n) => Some(i64::from(*n)),
        _ => None,
    }
}

/// Writes a value as JSON, unless it has no form as text.
fn write_value(field: &Field, out: &mut String) -> bool {
    let known = match field {
        Field::Null => write!(out, "null"),
        Field::Bool(value) => write!(out, "{value}"),
        Field::Byte(value) => write!(out, "{value}"),
        Field::Short(value) => write!(out, "{value}"),
        Field::Int(value) | Field::TimeMillis(value) => write!(out, "{value}"),
        Field::Long(value) | Field::TimeMicros(value) => write!(out, "{value}"),
        Field::UByte(value) => write!(out, "{value}"),
        Field::UShort(value) => write!(out, "{value}"),
        Field::UInt(value) => write!(out, "{value}"),
        Field::ULong(value) => write!(out, "{value}"),
        Field::Float16(value) => return write_float(f64::from(value.to_f32()), out),
        // The shortest digits that give the same number back: 0.3, not 0.30000001192092896.
        Field::Float(value) => return write_float(value.to_string().parse().unwrap_or(f64::NAN), out),
        Field::Double(value) => return write_float(*value, out),
        Field::Decimal(_) => write!(out, "{field}"),
        Field::Str(text) => return write_text(text, out),
        Field::Bytes(bytes) => {
            return std::str::from_utf8(bytes.data()).is_ok_and(|text| write_text(text, out));
        }
        Field::Date(days) => {
            let date =
                Date::constant(1970, 1, 1).checked_add(jiff::Span::new().try_days(*days).unwrap_or_default());
            return date.is_ok_and(|date| write_text(&date.to_string(), out));
        }
        Field::TimestampMillis(value) => return write_moment(Timestamp::from_millisecond(*value).ok(), out),
        Field::TimestampMicros(value) => return write_moment(Timestamp::from_microsecond(*value).ok(), out),
        Field::Group(row) => return write_row(row, out),
        Field::ListInternal(list) => {
            let is_vector = matches!(
                list.elements().first(),
                Some(Field::Float(_) | Field::Double(_) | Field::Float16(_))
            );
            return !is_vector && write_list(list.elements().iter(), out);
        }
        Field::MapInternal(map) => return write_map(map.entries(), out),
    };
    known.is_ok()
}

fn write_text(text: &str, out: &mut String) -> bool {
    write_string(text, out);
    true
}

fn write_float(value: f64, out: &mut String) -> bool {
    let text = if value.is_finite() { value.to_string() } else { "null".to_owned() };
    out.push_str(&text);
    true
}

fn write_moment(moment: Option<Timestamp>, out: &mut String) -> bool {
    moment.is_some_and(|moment| write_text(&moment.to_string(), out))
}

fn write_list<'a>(items: impl Iterator<Item = &'a Field>, out: &mut String) -> bool {
    out.push('[');
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        if !write_value(item, out) {
            out.push_str("null");
        }
    }
    out.push(']');
    true
}

fn write_row(row: &Row, out: &mut String) -> bool {
    out.push('{');
    for (at, (name, field)) in row.get_column_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_string(name, out);
        out.push(':');
        if !write_value(field, out) {
            out.push_str("null");
        }
    }
    out.push('}');
    true
}

/// A map as an object where its keys are texts, which are all different; anything else has no form.
fn write_map(entries: &[(Field, Field)], out: &mut String) -> bool {
    out.push('{');
    let mut seen = BTreeSet::new();
    for (key, value) in entries {
        let Field::Str(key) = key else { return false };
        if !seen.insert(key) {
            continue;
        }
        if seen.len() > 1 {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        if !write_value(value, out) {
            out.push_str("null");
        }
    }
    out.push('}');
    true
}
