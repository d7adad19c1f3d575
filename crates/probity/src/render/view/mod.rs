//! The list of replies and the case behind each of them, as report files and the pages of the server have them.
//!
//! A case is made into markup once, here, by its template. A file holds an index with the figures of all entries, the
//! pieces of the templates, and the texts of each case in compressed blocks; the script in the page filters, orders and
//! puts together what was made here.

mod case;
mod item;
mod listing;
mod markup;
mod people;
pub(crate) mod query;
mod quoted;
mod raw;
mod words;

use std::io;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use probity_core::results::ResultRow;
use probity_core::rubric::Rubric;
use probity_core::sample::NO_SLICE;
use serde_json::{Value, json};

pub(crate) use self::case::{conversation, fail_reason};
pub(crate) use self::item::{ChangeSide, LevelMove, ListItem, Opened, OrderSaid, PairReply};
pub(crate) use self::listing::{BLOCK, EntryTexts, Index, ListEntry, ListHead, Listing, block};
pub(crate) use self::people::Votes;
pub(crate) use self::raw::{AskedPacket, AskedReader};
pub(crate) use self::words::changed;
use super::private::Texts;
use crate::plain::excerpt;

/// The templates by name.
const TEMPLATES: [(&str, &str); 8] = [
    ("case", include_str!("../../../pages/view/case.html.jinja")),
    ("raw", include_str!("../../../pages/view/raw.html.jinja")),
    ("pair", include_str!("../../../pages/view/pair.html.jinja")),
    ("change", include_str!("../../../pages/view/change.html.jinja")),
    ("held", include_str!("../../../pages/view/held.html.jinja")),
    ("run", include_str!("../../../pages/view/run.html.jinja")),
    ("turns", include_str!("../../../pages/view/turns.html.jinja")),
    ("words", WORDS),
];
/// A text with its marks.
pub(crate) const WORDS: &str = include_str!("../../../pages/view/words.html.jinja");
/// The place of the list, which the script fills.
pub(crate) const LIST: &str = include_str!("../../../pages/view/list.html.jinja");
/// The list of keys.
pub(crate) const KEYS: &str = include_str!("../../../pages/view/keys.html.jinja");
/// What a list and what opens from it look like.
pub(crate) const STYLE: &str = include_str!("../../../pages/view/view.css");
/// What the figures and cases of a run look like.
pub(crate) const CASE_STYLE: &str = include_str!("../../../pages/view/case.css");
/// What the figures of other commands look like.
pub(crate) const PARTS_STYLE: &str = include_str!("../../../pages/view/parts.css");
/// What filters, orders and opens.
pub(crate) const SCRIPT: &str = include_str!("../../../pages/view/view.js");

/// How much of a ticket and a reply stands in a row of the list.
const LINE_COLUMNS_MAX: usize = 160;

/// Makes cases into markup.
pub(crate) struct Viewer {
    environment: Environment<'static>,
    texts: Texts,
}

/// What a case is made of beside its row.
#[derive(Clone, Copy)]
pub(crate) struct CaseParts<'a> {
    /// What it was judged by.
    pub(crate) rubric: &'a Rubric,
    /// What people said, where that is shown.
    pub(crate) votes: Option<&'a Votes>,
    /// What the judge was sent and what came back, where that is shown.
    pub(crate) asked: Option<&'a [AskedPacket]>,
}

impl Viewer {
    pub(crate) fn new(texts: Texts) -> Viewer {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.set_formatter(markup::write_apart);
        for (name, source) in TEMPLATES {
            environment.add_template(name, source).expect("the templates are parsed by a test");
        }
        Viewer { environment, texts }
    }

    /// What is shown of texts.
    pub(crate) fn texts(&self) -> Texts {
        self.texts
    }

    /// What a template says about `view`, with seams around its texts; `plain` as one of many on a page, where nothing
    /// scrolls by itself and nothing is named twice.
    fn written(&self, template: &str, mut view: Value, plain: bool) -> io::Result<String> {
        view["plain"] = json!(plain);
        let template = self.environment.get_template(template).map_err(io::Error::other)?;
        template.render(Serde(&view)).map_err(io::Error::other)
    }

    /// A case as markup.
    pub(crate) fn case(&self, row: &ResultRow, parts: CaseParts<'_>) -> io::Result<String> {
        Ok(markup::together(&self.written_case(row, parts, true)?))
    }

    fn written_case(&self, row: &ResultRow, parts: CaseParts<'_>, plain: bool) -> io::Result<String> {
        let votes = parts.votes.map(|votes| votes.of(row)).unwrap_or_default();
        let mut view = case::case(row, parts.rubric, self.texts, &votes);
        view["packets"] =
            json!(parts.asked.filter(|_| self.texts != Texts::None).map(|asked| self.packets(asked)));
        self.written("case", view, plain)
    }

    fn packets(&self, asked: &[AskedPacket]) -> Vec<Value> {
        asked.iter().map(|asked| raw::packet(asked, self.texts)).collect()
    }

    /// What a judge was sent and what came back as markup.
    pub(crate) fn raw(&self, asked: &[AskedPacket]) -> io::Result<String> {
        Ok(markup::together(&self.written("raw", json!({ "packets": self.packets(asked) }), false)?))
    }

    /// What a block has of a reply.
    pub(crate) fn reply(&self, row: &ResultRow, parts: CaseParts<'_>) -> io::Result<EntryTexts> {
        let lines = [self.line(row.ticket.as_deref()), self.line(row.reply.as_deref())];
        Ok(EntryTexts { lines, written: self.written_case(row, parts, false)? })
    }

    /// An entry of a list as markup.
    pub(crate) fn item(&self, item: &ListItem) -> io::Result<String> {
        Ok(markup::together(&self.written_item(item, true)?))
    }

    fn written_item(&self, item: &ListItem, plain: bool) -> io::Result<String> {
        let (template, view) = item.view(self.texts);
        self.written(template, view, plain)
    }

    /// What a block has of it.
    pub(crate) fn listed(&self, item: &ListItem) -> io::Result<EntryTexts> {
        let lines = item.lines.each_ref().map(|line| self.line(Some(line)));
        Ok(EntryTexts { lines, written: self.written_item(item, false)? })
    }

    fn line(&self, text: Option<&str>) -> String {
        excerpt(&self.texts.shown(text.unwrap_or_default()), LINE_COLUMNS_MAX)
    }
}

/// The list of a run's replies.
pub(crate) fn replies(rubric: &Rubric) -> ListHead {
    let facets =
        [("o", "Outcome"), ("slice", "Slice"), ("variant", "Variant"), ("rule", "Rule"), ("label", "Labels")];
    ListHead::new("replies", "Total", &facets).with_levels(rubric)
}

/// What the index has of a reply.
pub(crate) fn reply_entry(row: &ResultRow, parts: CaseParts<'_>) -> ListEntry {
    let votes = parts.votes.map(|votes| votes.of(row)).unwrap_or_default();
    let rules = row.gate.findings.iter().map(|finding| finding.rule.clone()).collect();
    let slice = row.slice.clone().unwrap_or_else(|| NO_SLICE.to_owned());
    ListEntry {
        name: row.name(),
        values: vec![
            vec![row.outcome.name().to_owned()],
            vec![slice],
            row.variant.iter().cloned().collect(),
            rules,
            people::standing(row, &votes),
        ],
        total: row.total.map(probity_core::exact::Exact::to_f64),
        levels: (0..parts.rubric.criteria().len()).map(|at| row.level(at)).collect(),
    }
}
