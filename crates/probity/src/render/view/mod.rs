//! The list of replies and the case behind each of them, as report files and the pages of the server have them.
//!
//! A case is made into markup once, here, by its template. A file holds an index with the figures of all replies and
//! their cases in compressed blocks; the script in the page filters, orders and puts in what was made here.

mod case;
pub(crate) mod query;

use std::io::{self, Write as _};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use probity_core::results::{ResultRow, RowOutcome};
use probity_core::rubric::Rubric;
use probity_core::sample::NO_SLICE;
use serde::Serialize;
use serde_json::json;

use super::private::Texts;
use crate::plain::excerpt;

/// The template of a case.
const CASE: &str = include_str!("../../../pages/view/case.html.jinja");
/// The place of the list, which the script fills.
pub(crate) const LIST: &str = include_str!("../../../pages/view/list.html.jinja");
/// What the list and a case look like.
pub(crate) const STYLE: &str = include_str!("../../../pages/view/view.css");
/// What filters, orders and opens.
pub(crate) const SCRIPT: &str = include_str!("../../../pages/view/view.js");

/// How many cases a block holds.
pub(crate) const BLOCK: usize = 256;
/// How much of a ticket and a reply stands in a row of the list.
const LINE_COLUMNS_MAX: usize = 160;

/// Makes cases into markup.
pub(crate) struct Viewer {
    environment: Environment<'static>,
    rubric: Rubric,
    texts: Texts,
}

/// The figures of all replies, column by column, in the order of the run.
#[derive(Serialize)]
pub(crate) struct Index {
    block: usize,
    criteria: Vec<CriterionColumn>,
    name: Vec<String>,
    slice: Vec<String>,
    variant: Vec<Option<String>>,
    outcome: Vec<RowOutcome>,
    total: Vec<Option<f64>>,
    /// By criterion, then by reply.
    levels: Vec<Vec<Option<i64>>>,
    rules: Vec<Vec<String>>,
}

/// A criterion as the list shows it.
#[derive(Serialize)]
struct CriterionColumn {
    id: String,
    title: String,
    best: i64,
    worst: i64,
    levels: Vec<i64>,
}

impl Viewer {
    pub(crate) fn new(rubric: Rubric, texts: Texts) -> Viewer {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.add_template("case", CASE).expect("the template is parsed by a test");
        Viewer { environment, rubric, texts }
    }

    /// A case as markup.
    pub(crate) fn case(&self, row: &ResultRow) -> io::Result<String> {
        let view = case::case(row, &self.rubric, self.texts);
        let template = self.environment.get_template("case").map_err(io::Error::other)?;
        template.render(Serde(&view)).map_err(io::Error::other)
    }

    /// Cases with the lines that stand for them in the list, compressed.
    pub(crate) fn block(&self, rows: &[ResultRow]) -> io::Result<String> {
        let line =
            |text: Option<&str>| excerpt(&self.texts.shown(text.unwrap_or_default()), LINE_COLUMNS_MAX);
        let rows = rows
            .iter()
            .map(|row| Ok(json!([line(row.ticket.as_deref()), line(row.reply.as_deref()), self.case(row)?])));
        let rows = serde_json::to_vec(&rows.collect::<io::Result<Vec<_>>>()?)?;
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::default());
        deflated.write_all(&rows)?;
        Ok(BASE64_STANDARD.encode(deflated.finish()?))
    }

    /// An index without replies.
    pub(crate) fn index(&self) -> Index {
        let column = |criterion: &probity_core::rubric::Criterion| CriterionColumn {
            id: criterion.id.to_string(),
            title: criterion.title.clone(),
            best: criterion.scale.best(),
            worst: criterion.scale.worst(),
            levels: criterion.scale.levels().to_vec(),
        };
        let criteria: Vec<CriterionColumn> = self.rubric.criteria().iter().map(column).collect();
        Index {
            block: BLOCK,
            levels: criteria.iter().map(|_| Vec::new()).collect(),
            criteria,
            name: Vec::new(),
            slice: Vec::new(),
            variant: Vec::new(),
            outcome: Vec::new(),
            total: Vec::new(),
            rules: Vec::new(),
        }
    }
}

impl Index {
    /// Adds a reply.
    pub(crate) fn add(&mut self, row: &ResultRow) {
        self.name.push(row.name());
        self.slice.push(row.slice.clone().unwrap_or_else(|| NO_SLICE.to_owned()));
        self.variant.push(row.variant.clone());
        self.outcome.push(row.outcome);
        self.total.push(row.total.map(probity_core::exact::Exact::to_f64));
        for (at, levels) in self.levels.iter_mut().enumerate() {
            levels.push(row.level(at));
        }
        let mut rules: Vec<String> = row.gate.findings.iter().map(|finding| finding.rule.clone()).collect();
        rules.dedup();
        self.rules.push(rules);
    }
}
