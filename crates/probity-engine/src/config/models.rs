//! Models known by name: their prices and retirement dates. One data file, with a date and a source in each row, is
//! the only place that says anything about a model.

use std::sync::LazyLock;

use probity_core::case::Moment;
use probity_core::exact::Exact;
use serde::{Deserialize, Deserializer};

use super::price::ListPrice;

/// How many days before a model retires every output warns.
pub(crate) const WARNING_DAYS: i64 = 60;

/// The rows of the file, in its order.
pub static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../config/models.toml")).expect("the file is embedded");
    file.model
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    model: Vec<Model>,
}

/// What is known about a model. Prices are in US dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The name that requests use.
    pub name: String,
    /// Who offers it.
    pub host: String,
    /// Prompt tokens.
    #[serde(default, deserialize_with = "parsed")]
    pub input: Option<Exact>,
    /// Completion tokens, including reasoning.
    #[serde(default, deserialize_with = "parsed")]
    pub output: Option<Exact>,
    /// Cached prompt tokens.
    #[serde(default, deserialize_with = "parsed")]
    pub cached: Option<Exact>,
    /// Prompt tokens in a batch.
    #[serde(default, deserialize_with = "parsed")]
    pub batch_input: Option<Exact>,
    /// Completion tokens in a batch.
    #[serde(default, deserialize_with = "parsed")]
    pub batch_output: Option<Exact>,
    /// The day its host retires it.
    #[serde(default, deserialize_with = "parsed")]
    pub ends: Option<Moment>,
    /// The replacement that its host recommends.
    pub successor: Option<String>,
    /// The day of the evidence.
    #[serde(deserialize_with = "day")]
    pub as_of: Moment,
    /// What it was read in.
    pub source: String,
    /// What else counts.
    pub note: Option<String>,
}

/// A model as a server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerModel {
    /// The name that requests use.
    pub id: String,
    /// When it ends, where the server tells.
    pub ends: Option<Moment>,
    /// How many tokens it reads, where the server tells.
    pub context: Option<u32>,
}

impl ServerModel {
    /// A model of which nothing but the name is known.
    pub fn named(id: &str) -> ServerModel {
        ServerModel { id: id.to_owned(), ends: None, context: None }
    }
}

impl Model {
    /// The model of this name.
    pub fn named(name: &str) -> Option<&'static Model> {
        MODELS.iter().find(|model| model.name == name)
    }

    /// What calls cost, where that is known.
    pub fn price(&self) -> Option<ListPrice> {
        Some(ListPrice {
            input: self.input?,
            output: self.output?,
            cached: self.cached,
            cache_write: None,
            flex: None,
            batch: self.batch_input.zip(self.batch_output),
        })
    }
}

/// What is said of `model`, which ends on `end`, where that is near or past.
pub fn end_warning(model: &str, end: Moment, now: Moment) -> Option<String> {
    let when = match end.days_after(now) {
        ..=0 => format!("ended on {end}"),
        1 => format!("ends on {end}, tomorrow"),
        days if days <= WARNING_DAYS => format!("ends on {end}, in {days} days"),
        _ => return None,
    };
    let successor = Model::named(model).and_then(|known| known.successor.as_ref());
    let successor = successor.map(|name| format!("; its host names {name} in its place")).unwrap_or_default();
    Some(format!("the model {model} {when}{successor}; `probity succeed` says what another judge changes"))
}

fn parsed<'de, D: Deserializer<'de>, T: std::str::FromStr>(from: D) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map(Some).map_err(|_| serde::de::Error::custom(format!("{text:?} cannot be read")))
}

fn day<'de, D: Deserializer<'de>>(from: D) -> Result<Moment, D::Error> {
    parsed(from)?.ok_or_else(|| serde::de::Error::custom("expected a day"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Moment {
        text.parse().expect("a day")
    }

    #[test]
    fn every_row_says_something_once() {
        for (at, model) in MODELS.iter().enumerate() {
            assert!(model.price().is_some() || model.ends.is_some(), "{model:?}");
            assert!(MODELS[..at].iter().all(|other| other.name != model.name), "{model:?}");
            let known = model.successor.as_deref().map(|name| (name, Model::named(name)));
            assert!(
                known.is_none_or(|(_, known)| known.is_some_and(|known| known.ends.is_none())),
                "{model:?}"
            );
        }
    }

    #[track_caller]
    fn check(now: &str, want: Option<&str>) {
        let end = Model::named("gpt-4o-mini").and_then(|model| model.ends).expect("an end");
        let got = end_warning("gpt-4o-mini", end, moment(now));
        assert_eq!(got.is_some(), want.is_some(), "{got:?}");
        assert!(want.is_none_or(|want| got.as_ref().is_some_and(|got| got.contains(want))), "{got:?}");
    }

    #[test]
    fn an_end_is_told_sixty_days_before_and_ever_after() {
        check("2026-11-14", None);
        check("2026-11-15", Some("ends on 2027-01-14, in 60 days; its host names gpt-6-luna"));
        check("2027-01-13", Some("tomorrow"));
        check("2027-01-14", Some("ended on 2027-01-14"));
        check("2028-01-01", Some("ended on"));
    }
}
