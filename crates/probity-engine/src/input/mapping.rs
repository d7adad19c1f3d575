//! Where fields come from, as a person says it: `ticket=Body,reply="Bot answer",id=conversation_id+turn`.
//!
//! | source | is |
//! |---|---|
//! | `Body`, `"Bot answer"` | a column or member, whatever its case, spaces, `_` and `-`; quotes keep `,`, `+`, `.` and `[` in a name |
//! | `vars.question`, `messages[-1].content`, `fields[id=7].value` | a place inside JSON, from the end where the number is negative, or the element with a member; also inside JSON text |
//! | `'v7'` | this text, for every record |
//! | `#` | the number of the record in its file, from 1 |
//! | `Subject+Body`, `Id+'-'+Turn` | several, one after the other: columns with a blank line between them, or `/` in names |
//!
//! A text in single quotes and `#` are never columns. Any other source that is as a whole the name of a column means that
//! column, whatever is in it.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use probity_core::json::{self, Json};

use super::field::Field;
use super::names::{KnownName, fold};

/// Where the fields of records come from, as far as that was said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldMap(Vec<(Field, FieldSource)>);

/// A mapping that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MapError(String);

/// Where one field comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldSource {
    /// As it was written.
    pub(super) text: String,
    /// The same as the name of one column in any spelling; empty where it is none.
    folded: String,
    pieces: Vec<PathPiece>,
    /// The criterion of a label, where it is about one.
    pub(super) criterion: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathPiece {
    Constant(String),
    RecordNumber,
    Path { name: String, folded: String, steps: Vec<PathStep> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Key(String),
    /// Counted from the end where it is negative.
    Index(i64),
    /// The first element whose member has this value.
    Where(String, String),
}

/// The members of one record, or the cells of a row.
#[derive(Clone, Copy)]
pub(super) struct RecordMembers<'a, 'm> {
    pub(super) values: &'m [(Cow<'a, str>, Json)],
    pub(super) known: &'m [Arc<KnownName>],
    /// Which record of its file it is, 1-based.
    pub(super) number: usize,
}

impl RecordMembers<'_, '_> {
    /// The member called `name`, exactly or in another spelling.
    fn named(&self, name: &str, folded: &str) -> Option<&Json> {
        let exact = self.values.iter().position(|(member, _)| member == name);
        let at = exact
            .or_else(|| self.known.iter().position(|known| !folded.is_empty() && known.folded == folded))?;
        Some(&self.values[at].1)
    }

    /// The member that a whole source means.
    fn whole(&self, source: &FieldSource) -> Option<&Json> {
        self.named(&source.text, &source.folded).filter(|_| source.may_be_column())
    }
}

impl FieldMap {
    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// This map with what `over` says in place of the same fields.
    #[must_use]
    pub fn under(mut self, over: FieldMap) -> FieldMap {
        self.0.retain(|(field, _)| !over.has(*field));
        self.0.extend(over.0);
        self
    }

    /// Adds a field by its name; labels may be about a criterion, as `label.tone`.
    pub fn add(&mut self, field: &str, source: &str) -> Result<(), MapError> {
        let field = field.trim();
        let criterion = field.strip_prefix(Field::Label.native()).and_then(|rest| rest.strip_prefix('.'));
        let known = if criterion.is_some() { Some(Field::Label) } else { Field::mapped(field) };
        let known = known.ok_or_else(|| {
            let mut native: Vec<&str> = Field::all_names().map(|(_, field)| field.native()).collect();
            native.dedup();
            MapError(format!("there is no field {field:?}, expected one of {}", native.join(", ")))
        })?;
        let criterion = criterion.map(str::to_owned);
        if self.0.iter().any(|(mapped, source)| *mapped == known && source.criterion == criterion) {
            return Err(MapError(format!("the field '{field}' is mapped twice")));
        }
        self.0.push((known, FieldSource { criterion, ..source.parse()? }));
        Ok(())
    }

    /// Whether it says where labels come from.
    pub fn has_labels(&self) -> bool {
        self.has(Field::Label)
    }

    pub(super) fn has(&self, field: Field) -> bool {
        self.0.iter().any(|(mapped, _)| *mapped == field)
    }

    pub(super) fn sources(&self) -> impl Iterator<Item = &(Field, FieldSource)> {
        self.0.iter()
    }

    /// Whether a column of this name is mapped as a whole, so that its own name says nothing more.
    pub(super) fn takes(&self, name: &str, known: &KnownName) -> bool {
        self.0.iter().any(|(_, source)| source.is_column(name, &known.folded))
    }

    /// Whether a source reads the column of this name.
    pub(super) fn uses(&self, name: &str, known: &KnownName) -> bool {
        let is_read = |piece: &PathPiece| match piece {
            PathPiece::Path { name: own, folded, .. } => own == name || *folded == known.folded,
            PathPiece::Constant(_) | PathPiece::RecordNumber => false,
        };
        self.takes(name, known) || self.0.iter().any(|(_, source)| source.pieces.iter().any(is_read))
    }

    /// The first column that a source begins with and that is not among `names`: the field and the column.
    pub(super) fn missing(&self, names: &[(&str, &KnownName)]) -> Option<(Field, &str)> {
        let is_there = |text: &str, folded: &str| {
            names.iter().any(|(name, known)| *name == text || (!folded.is_empty() && known.folded == folded))
        };
        self.0.iter().find_map(|(field, source)| {
            let lost = |piece: &&PathPiece| match piece {
                PathPiece::Path { name, folded, .. } => !is_there(name, folded),
                PathPiece::Constant(_) | PathPiece::RecordNumber => false,
            };
            let is_whole = names.iter().any(|(name, known)| source.is_column(name, &known.folded));
            let piece = source.pieces.iter().find(lost).filter(|_| !is_whole)?;
            let PathPiece::Path { name, .. } = piece else { return None };
            Some((*field, name.as_str()))
        })
    }
}

impl FromStr for FieldMap {
    type Err = MapError;

    /// Reads `FIELD=SOURCE,FIELD=SOURCE`.
    fn from_str(text: &str) -> Result<Self, MapError> {
        let mut map = FieldMap::default();
        for entry in split(text, ',').into_iter().filter(|entry| !entry.trim().is_empty()) {
            let (field, source) = entry.split_once('=').ok_or_else(|| {
                MapError(format!("{:?}: expected FIELD=COLUMN, such as ticket=Body", entry.trim()))
            })?;
            map.add(field, source)?;
        }
        Ok(map)
    }
}

impl FromStr for FieldSource {
    type Err = MapError;

    fn from_str(text: &str) -> Result<Self, MapError> {
        let text = text.trim();
        let pieces: Result<Vec<PathPiece>, MapError> = split(text, '+').into_iter().map(piece).collect();
        let (pieces, whole) = (pieces?, unquoted(text, '"').unwrap_or(text));
        let folded = if matches!(pieces[..], [PathPiece::Path { .. }]) { fold(whole) } else { String::new() };
        Ok(FieldSource { text: whole.to_owned(), folded, pieces, criterion: None })
    }
}

impl fmt::Display for FieldSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FieldSource {
    /// Whether the whole source means the column of this name.
    fn is_column(&self, name: &str, folded: &str) -> bool {
        self.may_be_column() && (self.text == name || (!folded.is_empty() && self.folded == folded))
    }

    fn may_be_column(&self) -> bool {
        !matches!(self.pieces[..], [PathPiece::Constant(_) | PathPiece::RecordNumber])
    }

    /// What the record has there; `None` where it has nothing.
    pub(super) fn value(&self, members: RecordMembers<'_, '_>, field: Field) -> Option<Json> {
        let whole = members.whole(self).cloned();
        let found = whole.or_else(|| match &self.pieces[..] {
            [one] => one.value(members),
            several => joined(several, members, field.joint()),
        })?;
        Some(found).filter(|json| *json != Json::Null)
    }
}

/// The texts of pieces one after the other, with `joint` between columns; what is empty is left out.
fn joined(pieces: &[PathPiece], members: RecordMembers<'_, '_>, joint: &str) -> Option<Json> {
    let mut all = String::new();
    let (mut has_column, mut ends_with_column) = (false, false);
    for piece in pieces {
        let is_constant = matches!(piece, PathPiece::Constant(_));
        let text = piece.value(members).map(plain_text).filter(|text| is_constant || !text.trim().is_empty());
        let Some(text) = text else { continue };
        if ends_with_column && !is_constant {
            all.push_str(joint);
        }
        all.push_str(&text);
        has_column |= !is_constant;
        ends_with_column = !is_constant;
    }
    has_column.then_some(Json::String(all))
}

/// A value as a text: a name as it is, the rest as JSON.
pub(super) fn plain_text(json: Json) -> String {
    match json {
        Json::String(text) | Json::Number(text) => text,
        Json::Null => String::new(),
        other => other.canonical(),
    }
}

impl PathPiece {
    fn value(&self, members: RecordMembers<'_, '_>) -> Option<Json> {
        match self {
            PathPiece::Constant(text) => Some(Json::text(text.clone())),
            PathPiece::RecordNumber => Some(Json::Number(members.number.to_string())),
            PathPiece::Path { name, folded, steps } => {
                let found = Cow::Borrowed(members.named(name, folded)?);
                steps.iter().try_fold(found, inside).map(Cow::into_owned)
            }
        }
    }
}

/// One step into JSON, or into a text that is JSON.
fn inside<'a>(json: Cow<'a, Json>, step: &PathStep) -> Option<Cow<'a, Json>> {
    let json = match &*json {
        Json::String(text) => Cow::Owned(json::parse(text).ok()?),
        _ => json,
    };
    match json {
        Cow::Borrowed(json) => at(json, step).map(Cow::Borrowed),
        Cow::Owned(json) => at(&json, step).cloned().map(Cow::Owned),
    }
}

fn at<'a>(json: &'a Json, step: &PathStep) -> Option<&'a Json> {
    match (json, step) {
        (Json::Object(object), PathStep::Key(key)) => object.get(key).or_else(|| {
            let folded = fold(key);
            object.iter().find(|(name, _)| fold(name) == folded).map(|(_, json)| json)
        }),
        (Json::Array(items), PathStep::Index(index)) => {
            let n = i64::try_from(items.len()).ok()?;
            let at = if *index < 0 { n.checked_add(*index)? } else { *index };
            items.get(usize::try_from(at).ok()?)
        }
        (Json::Array(items), PathStep::Where(key, value)) => {
            let has = |json: &Json| matches!(json, Json::String(text) | Json::Number(text) if text == value);
            items.iter().find(|item| item.get(key).is_some_and(has))
        }
        _ => None,
    }
}

/// The parts of `text` between `separator`, which does not count in quotes.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut within: Option<char> = None;
    text.split(|c: char| {
        match within {
            Some(quote) if quote == c => within = None,
            None if matches!(c, '"' | '\'') => within = Some(c),
            _ => {}
        }
        within.is_none() && c == separator
    })
    .collect()
}

fn unquoted(text: &str, quote: char) -> Option<&str> {
    text.strip_prefix(quote)?.strip_suffix(quote)
}

fn piece(text: &str) -> Result<PathPiece, MapError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(MapError("a source is empty, expected a column, a path or a text in quotes".to_owned()));
    }
    if let Some(constant) = unquoted(text, '\'') {
        return Ok(PathPiece::Constant(constant.replace("\\n", "\n")));
    }
    if text == "#" {
        return Ok(PathPiece::RecordNumber);
    }
    if let Some(name) = unquoted(text, '"') {
        return Ok(PathPiece::Path { name: name.to_owned(), folded: fold(name), steps: Vec::new() });
    }
    let mut parts = text.split('.');
    let (name, mut steps) = indexed(parts.next().unwrap_or_default())?;
    for part in parts.filter(|part| !part.is_empty()) {
        let (key, indexes) = indexed(part)?;
        steps.push(PathStep::Key(key.to_owned()));
        steps.extend(indexes);
    }
    Ok(PathPiece::Path { name: name.to_owned(), folded: fold(name), steps })
}

/// `name[0][-1]` as the name and the indexes.
fn indexed(part: &str) -> Result<(&str, Vec<PathStep>), MapError> {
    let (name, mut rest) = part.find('[').map_or((part, ""), |at| part.split_at(at));
    let mut steps = Vec::new();
    while let Some(inside) = rest.strip_prefix('[') {
        let refused =
            || MapError(format!("{part:?}: expected a whole number in brackets, such as [0] or [-1]"));
        let (index, after) = inside.split_once(']').ok_or_else(refused)?;
        steps.push(match index.split_once('=') {
            Some((key, value)) => PathStep::Where(key.trim().to_owned(), value.trim().to_owned()),
            None => PathStep::Index(index.trim().parse().map_err(|_| refused())?),
        });
        rest = after;
    }
    Ok((name, steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, record: &str, want: Option<&str>) {
        let Ok(Json::Object(object)) = json::parse(record) else { panic!("{record}") };
        let values: Vec<_> = object.into_iter().map(|(name, json)| (Cow::Owned(name), json)).collect();
        let known: Vec<_> = values.iter().map(|(name, _)| Arc::new(KnownName::new(name))).collect();
        let members = RecordMembers { values: &values, known: &known, number: 7 };
        let source: FieldSource = source.parse().expect("a source");
        assert_eq!(source.value(members, Field::Ticket).map(plain_text).as_deref(), want, "{source}");
    }

    #[test]
    fn a_source_is_a_column_a_path_a_text_or_several() {
        check("bot answer", r#"{"Bot_Answer":"a"}"#, Some("a"));
        check("\"Bot, answer\"", r#"{"Bot, answer":"a"}"#, Some("a"));
        check("Ticket-Nr.", r#"{"Ticket-Nr.":"a"}"#, Some("a"));
        check("vars.question", r#"{"vars":{"question":"a"}}"#, Some("a"));
        check("vars.question", r#"{"vars":"{\"question\":\"a\"}"}"#, Some("a"));
        check("vars.question", r#"{"vars.question":"a","vars":{"question":"b"}}"#, Some("a"));
        check("messages[-1].content", r#"{"messages":[{"content":"a"},{"content":"b"}]}"#, Some("b"));
        check("messages[2]", r#"{"messages":[1,2]}"#, None);
        check("fields[id=7].value", r#"{"fields":[{"id":6},{"id":7,"value":"a"}]}"#, Some("a"));
        check("'v7'", "{}", Some("v7"));
        check("'v7'", r#"{"v7":"a","'v7'":"b"}"#, Some("v7"));
        check("\"v7\"", r#"{"v7":"a"}"#, Some("a"));
        check("#", "{}", Some("7"));
        check("#", r##"{"Number":1,"#":2}"##, Some("7"));
        check("\"#\"", r##"{"#":2}"##, Some("2"));
        check("a+b", r#"{"ab":"z","a":"x"}"#, Some("x"));
        check("a+b", r#"{"a+b":"z","a":"x"}"#, Some("z"));
        check("a+b", r#"{"a":"x","b":"y"}"#, Some("x\n\ny"));
        check("a+b", r#"{"a":" ","b":"y"}"#, Some("y"));
        check("a+b", "{}", None);
        check("a+'-'+b", r#"{"a":"x","b":2}"#, Some("x-2"));
        check("a", r#"{"a":null}"#, None);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let error = |text: &str| text.parse::<FieldMap>().expect_err("an error").to_string();
        assert_eq!(error("Body"), "\"Body\": expected FIELD=COLUMN, such as ticket=Body");
        assert_eq!(error("ticket=a,input=b"), "the field 'input' is mapped twice");
        assert_eq!(error("label.a=x,label.a=y"), "the field 'label.a' is mapped twice");
        assert!("label=x,label.a=x,label.b=y".parse::<FieldMap>().is_ok());
        assert_eq!(
            error("ticket=a[x]"),
            "\"a[x]\": expected a whole number in brackets, such as [0] or [-1]"
        );
        assert!(error("tickt=a").starts_with("there is no field \"tickt\", expected one of id, slice"));
        assert!(error("ticket=").starts_with("a source is empty"));
        let map: FieldMap = "ticket=\"a,b\",reply='x=y'".parse().expect("commas and signs in quotes");
        assert_eq!(map.0.len(), 2);
    }
}
