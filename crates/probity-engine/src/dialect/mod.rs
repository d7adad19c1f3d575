//! What is known of the hosts of models, as data: one table, read once from `config/dialects.toml`.
//!
//! Nothing here sends, waits or decides. A request is built from a row, an answer read by it, and an error looked up in
//! the rules.

mod rules;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

pub use rules::{ErrorAct, ErrorRule, Parameter, ToldError, mentioned, rule};

/// The file that the table is read from.
const DATA: &str = include_str!("../../../../config/dialects.toml");

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(DATA).expect("the embedded table is read by every test"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    parameters: BTreeMap<Parameter, Vec<String>>,
    error: Vec<ErrorRule>,
}
