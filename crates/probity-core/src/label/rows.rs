//! Rows of files about items, as the objects they are: labels, verdicts and facts share what they say of an item.
//!
//! Nothing is converted; only names may be numbers, which are taken by their source text. What is wrong makes the row
//! a [`RowFault`].

use crate::case;
use crate::json::{Json, Object};

/// The field names that a kind of row knows, for reading tables and finding typing errors.
///
/// Every row may also say what is known about its item; those names stand here once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fields {
    /// The names of this kind of row, the telling ones first.
    pub own: &'static [&'static str],
    /// Those of them that hold numbers.
    pub own_numbers: &'static [&'static str],
}

/// The names under which any row says what is known about its item.
const ABOUT_ITEMS: &[&str] = &[
    "id", "index", "case", "question_id", "slice", "intent", "category", "dataset", "variant", "variant_a",
    "variant_b", "system_a", "system_b", "model_a", "model_b", "len_a", "len_b", "reply_a", "reply_b",
    "difficulty",
];

/// Those of them that hold numbers.
const NUMBERS_ABOUT_ITEMS: &[&str] = &["len_a", "len_b", "difficulty"];

impl Fields {
    /// All names, the row's own first.
    pub fn known(self) -> impl Iterator<Item = &'static str> {
        self.own.iter().chain(ABOUT_ITEMS).copied()
    }

    /// Whether `name` holds a number.
    pub fn is_number(self, name: &str) -> bool {
        self.own_numbers.contains(&name) || NUMBERS_ABOUT_ITEMS.contains(&name)
    }
}

/// Why a row cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFault {
    /// The item it is about, where that much could be read.
    pub item: Option<String>,
    /// What is wrong and what was expected.
    pub reason: String,
}

/// What is known about an item beside verdicts. Any row may say it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ItemFacts {
    /// The case it belongs to.
    pub case: Option<String>,
    /// The slice of the case.
    pub slice: Option<String>,
    /// The variant that wrote the reply, where the item is one reply and not a pair.
    pub variant: Option<String>,
    /// The variants that wrote candidate A and candidate B.
    pub variants: Option<[String; 2]>,
    /// The lengths of candidate A and candidate B in characters.
    pub lengths: Option<[u64; 2]>,
    /// How hard the case is, where that was measured.
    pub difficulty: Option<f64>,
}

/// Facts about an item.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemRow {
    /// The pair.
    pub item: String,
    /// What is known about it.
    pub facts: ItemFacts,
}

const ITEM: &[&str] = &["item", "id", "index"];
pub(crate) const CASE: &[&str] = &["case", "question_id"];
pub(crate) const SLICE: &[&str] = &["slice", "intent", "category", "dataset"];
const VARIANT_A: &[&str] = &["variant_a", "system_a", "model_a"];
const VARIANT_B: &[&str] = &["variant_b", "system_b", "model_b"];
impl ItemRow {
    /// The names it knows.
    pub const FIELDS: Fields = Fields { own: &["item"], own_numbers: &[] };

    /// Reads a row with facts about an item.
    pub fn read(object: &Object) -> Result<ItemRow, RowFault> {
        let row = RowObject::of(object)?;
        let facts = row.facts().map_err(|reason| row.fault(reason))?;
        Ok(ItemRow { item: row.item, facts })
    }
}

impl ItemFacts {
    /// These facts, with what they leave open taken from `others`.
    #[must_use]
    pub fn or(self, others: &ItemFacts) -> ItemFacts {
        ItemFacts {
            case: self.case.or_else(|| others.case.clone()),
            slice: self.slice.or_else(|| others.slice.clone()),
            variant: self.variant.or_else(|| others.variant.clone()),
            variants: self.variants.or_else(|| others.variants.clone()),
            lengths: self.lengths.or(others.lengths),
            difficulty: self.difficulty.or(others.difficulty),
        }
    }

    /// The same of the pair the other way round.
    pub(super) fn turned(self) -> ItemFacts {
        ItemFacts {
            variants: self.variants.map(|[a, b]| [b, a]),
            lengths: self.lengths.map(|[a, b]| [b, a]),
            ..self
        }
    }
}

/// An object that says which item it is about.
pub(crate) struct RowObject<'a> {
    /// All of it.
    pub(crate) object: &'a Object,
    /// The item.
    pub(crate) item: String,
}

impl<'a> RowObject<'a> {
    /// The row, if it names an item.
    pub(crate) fn of(object: &'a Object) -> Result<Self, RowFault> {
        let nameless = |reason| RowFault { item: None, reason };
        let mut row = RowObject { object, item: String::new() };
        row.item = row.name(ITEM).map_err(nameless)?.ok_or_else(|| nameless(missing("item")))?;
        Ok(row)
    }

    /// What is wrong with it.
    pub(crate) fn fault(&self, reason: String) -> RowFault {
        RowFault { item: Some(self.item.clone()), reason }
    }

    /// The value under the one of `names` that is there, and that name.
    pub(crate) fn get(&self, names: &[&'static str]) -> Result<Option<(&'static str, &'a Json)>, String> {
        let mut found = names.iter().filter_map(|name| Some((*name, self.object.get(name)?)));
        match (found.next(), found.next()) {
            (Some((first, _)), Some((second, _))) if first != "item" => {
                Err(format!("'{first}' and '{second}' both give the '{}' field", names[0]))
            }
            (first, _) => Ok(first),
        }
    }

    /// A name that may be left out: a text or a number by its source text.
    pub(crate) fn name(&self, names: &[&'static str]) -> Result<Option<String>, String> {
        let Some((name, json)) = self.get(names)? else { return Ok(None) };
        let (Json::String(text) | Json::Number(text)) = json else {
            return if *json == Json::Null { Ok(None) } else { Err(must_be(name, "a string", json)) };
        };
        if text.is_empty() && names != ITEM {
            return Ok(None);
        }
        case::name(text.clone(), name).map(Some).map_err(|error| error.to_string())
    }

    pub(crate) fn facts(&self) -> Result<ItemFacts, String> {
        let variants = match (self.name(VARIANT_A)?, self.name(VARIANT_B)?) {
            (None, None) => None,
            (Some(a), Some(b)) => Some(apart("variant_a", a, "variant_b", b)?),
            (Some(_), None) => return Err(missing("variant_b")),
            (None, Some(_)) => return Err(missing("variant_a")),
        };
        let lengths = match self.lengths("len_a", "len_b")? {
            None => self.texts()?,
            lengths => lengths,
        };
        let difficulty = self.number("difficulty")?;
        let (case, slice, variant) = (self.name(CASE)?, self.name(SLICE)?, self.name(&["variant"])?);
        Ok(ItemFacts { case, slice, variant, variants, lengths, difficulty })
    }

    pub(crate) fn number(&self, name: &'static str) -> Result<Option<f64>, String> {
        match self.object.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Number(text)) => {
                Ok(Some(text.parse().expect("the text of a JSON number is a number")))
            }
            Some(other) => Err(must_be(name, "a number", other)),
        }
    }

    pub(crate) fn lengths(
        &self,
        first: &'static str,
        second: &'static str,
    ) -> Result<Option<[u64; 2]>, String> {
        let length = |name| match self.object.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(json) => match json.as_u64() {
                Some(length) => Ok(Some(length)),
                None => Err(must_be(name, "a whole number that is not negative", json)),
            },
        };
        match (length(first)?, length(second)?) {
            (Some(first), Some(second)) => Ok(Some([first, second])),
            (None, None) => Ok(None),
            (Some(_), None) => Err(missing(second)),
            (None, Some(_)) => Err(missing(first)),
        }
    }

    /// The lengths of the replies themselves, where the row holds them.
    fn texts(&self) -> Result<Option<[u64; 2]>, String> {
        let length = |name| match self.object.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text.chars().count() as u64)),
            Some(other) => Err(must_be(name, "a string", other)),
        };
        Ok(length("reply_a")?.zip(length("reply_b")?).map(|(a, b)| [a, b]))
    }
}

/// Two names, unless they are one.
pub(crate) fn apart(
    first_name: &str,
    first: String,
    second_name: &str,
    second: String,
) -> Result<[String; 2], String> {
    if first == second {
        return Err(format!("'{first_name}' and '{second_name}' are both '{first}', expected two variants"));
    }
    Ok([first, second])
}

pub(crate) fn missing(name: &str) -> String {
    format!("Missing '{name}' field")
}

pub(crate) fn must_be(name: &str, expected: &str, found: &Json) -> String {
    let found = match found {
        Json::Number(text) => text,
        other => other.kind(),
    };
    format!("'{name}' must be {expected}, found {found}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn object(text: &str) -> Object {
        parse(text).expect("JSON").as_object().expect("an object").clone()
    }

    #[test]
    fn what_a_row_leaves_open_comes_from_the_items() {
        let row = ItemRow::read(&object(r#"{"item":"x","question_id":4,"reply_a":"äöü","reply_b":"no"}"#));
        let items = row.expect("a row").facts;
        assert_eq!((items.case.as_deref(), items.lengths), (Some("4"), Some([3, 2])));
        let own = ItemFacts { case: Some("own".into()), ..ItemFacts::default() };
        assert_eq!(own.or(&items), ItemFacts { case: Some("own".into()), ..items });
    }
}
