//! Figures that others published, and what this program makes of the same verdicts.
//!
//! A [`Product`] is the library or the binary: verdicts, labels and items in, the JSON of a comparison out. Each
//! set names, for each figure of its reference, where the figure stands in that JSON. What belongs to another
//! part of the program is left out by name and counted, never passed over.

#![allow(clippy::print_stdout, reason = "how much was compared is what a reader of the tests wants to know")]

pub(crate) mod people;
pub(crate) mod sets;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use probity_core::json::{self, Json};
use probity_core::stats::proportion;
use serde_json::Value;

/// What a comparison is made of: files as texts, and policies by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ask {
    /// Rows of verdicts.
    pub(crate) verdicts: String,
    /// Rows of labels; none if empty.
    pub(crate) labels: String,
    /// Rows about items; none if empty.
    pub(crate) items: String,
    /// What disagreement between orders is worth.
    pub(crate) conflict: &'static str,
    /// What a missing verdict is worth.
    pub(crate) unparsed: &'static str,
}

/// What makes figures of verdicts.
pub(crate) trait Product {
    /// The comparison as JSON.
    fn compare(&self, ask: &Ask) -> Value;
}

/// One figure of a reference.
pub(crate) struct Metric {
    /// Its name.
    pub(crate) id: String,
    /// As computed independently, to six decimals.
    pub(crate) value: f64,
    /// As published, with the digits it was printed with.
    pub(crate) published: Option<String>,
    /// The denominator.
    pub(crate) n: Option<u64>,
    /// Wilson's interval of a share, where the reference has one.
    pub(crate) wilson: Option<[f64; 2]>,
}

/// A set of published data: its folder and its reference.
pub(crate) struct Set {
    name: &'static str,
    folder: PathBuf,
    metrics: Vec<Metric>,
}

/// What a figure came to: our value, and the denominator where a Wilson interval is checked against it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ours {
    /// In the unit of the reference.
    pub(crate) value: f64,
    /// Observations.
    pub(crate) n: u64,
    /// What the published figure is about, beside the value.
    pub(crate) published: Published,
}

/// How a published figure relates to the value beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Published {
    /// It is the same, rounded.
    Rounded,
    /// It is the same with the digits behind the point cut off.
    CutOff,
    /// It counts observations that are not in the set, so only the value can be compared.
    OfMore,
    /// It is fitted to inputs that the set rounds to six decimals, so its sixth may differ by one.
    Fitted,
}

/// What there is to say about a metric.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Found {
    /// The product has the figure.
    Ours(Ours),
    /// Another part of the program has it, or it is no figure: why.
    LeftOut(&'static str),
}

impl Set {
    /// The set called `name`, unless no data is there: then one line says so.
    pub(crate) fn open(name: &'static str) -> Option<Set> {
        let Some(folder) = std::env::var_os("PROBITY_PUBLISHED_DATA") else {
            crate::skipped(&format!("published figures of {name}"), "PROBITY_PUBLISHED_DATA is not set");
            return None;
        };
        let folder = Path::new(&folder).join(name);
        let reference = fs::read_to_string(folder.join("reference.json")).expect("a reference");
        let reference = json::parse(&reference).expect("JSON");
        let metrics = reference.get("metrics").and_then(Json::as_array).expect("metrics");
        Some(Set { name, folder, metrics: metrics.iter().map(metric).collect() })
    }

    /// The text of a file of the set.
    pub(crate) fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Compares every metric with what `find` finds for it, and prints how many agree.
    pub(crate) fn check(&self, find: impl Fn(&str) -> Found) {
        let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut n_compared, mut n_published) = (0, 0);
        let mut wrong = Vec::new();
        for metric in &self.metrics {
            match find(&metric.id) {
                Found::LeftOut(why) => *left_out.entry(why).or_default() += 1,
                Found::Ours(ours) => {
                    n_compared += 1;
                    n_published +=
                        usize::from(metric.published.is_some() && ours.published != Published::OfMore);
                    wrong.extend(difference(metric, ours));
                }
            }
        }
        let right = n_compared - wrong.len();
        println!("{}: {right} of {n_compared} figures ({n_published} of them published)", self.name);
        for (why, n) in &left_out {
            println!("{}: {n} left out: {why}", self.name);
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(n_compared > 0, "nothing was compared");
    }
}

fn metric(json: &Json) -> Metric {
    let text = |name: &str| match json.get(name) {
        Some(Json::Number(text)) => Some(text.clone()),
        _ => None,
    };
    let number = |json: &Json| match json {
        Json::Number(text) => text.parse::<f64>().expect("a number"),
        other => panic!("{other:?}"),
    };
    let id = json.get("id").and_then(Json::as_str).expect("an id");
    let wilson = json.get("wilson95").and_then(Json::as_array);
    Metric {
        id: id.to_owned(),
        value: text("value").expect("a value").parse().expect("a number"),
        published: text("published"),
        n: json.get("n").and_then(Json::as_u64),
        wilson: wilson.map(|ends| [number(&ends[0]), number(&ends[1])]),
    }
}

/// What differs from the reference, at the precision it is printed with.
fn difference(metric: &Metric, ours: Ours) -> Option<String> {
    let near = |one: f64, other: f64, decimals: usize| {
        let unit = 10_f64.powi(-i32::try_from(decimals).expect("few decimals"));
        (one - other).abs() <= 0.5 * unit + 1e-9
    };
    let is_fit = ours.published == Published::Fitted && (ours.value - metric.value).abs() <= 1e-6;
    if !is_fit && !near(ours.value, metric.value, 6) {
        return Some(format!("{}: {} instead of {}", metric.id, ours.value, metric.value));
    }
    if let Some(published) = metric.published.as_ref().filter(|_| ours.published != Published::OfMore) {
        let decimals = published.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let stated: f64 = published.parse().expect("a number");
        let value = if ours.published == Published::CutOff { ours.value.floor() } else { ours.value };
        if !near(value, stated, decimals.min(6)) {
            return Some(format!("{}: {value} instead of the published {published}", metric.id));
        }
    }
    if let Some([low, high]) = metric.wilson {
        let hits = (ours.value * ours.n as f64).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
        let share = proportion(hits as u64, ours.n).expect("observations");
        if !near(share.low, low, 6) || !near(share.high, high, 6) {
            return Some(format!("{}: interval {share:?} instead of {low} to {high}", metric.id));
        }
    }
    None
}
