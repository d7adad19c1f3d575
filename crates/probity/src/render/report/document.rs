//! What a command came to, as a document: built once, and shown on a terminal, as a page, in Markdown and to CI servers.
//!
//! A builder says what is shown, in blocks; how a block looks is decided where a kind of output is written. Every text
//! here is plain text: nothing in it is markup, wherever it comes from. The judge's standing is in one place of it, so
//! that a document of the store is shown with what the judge has earned by now.

use std::fmt::Display;
use std::io;

use probity_core::promote::Standing;
use probity_core::results::Facts;
use probity_core::stats::{Estimate, Undefined};
use probity_engine::input::Skipped;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::figure::{self, NONE, judge_name};
use super::super::private::{Piece, Texts};
use super::super::view::{ListHead, ListItem};
use super::appendix::Appendix;
use super::chart::{PlotMark, Ruler, query};
use super::junit::{TestCase, junit};
use super::{ReportKind, html, markdown, message, pretty, text};
use crate::terminal::Ink;

/// So many records that cannot be used are listed.
pub(crate) const SKIPPED_MAX: usize = 20;

/// What one command came to.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Document {
    /// The command: `compare`, `calibrate`.
    pub(crate) command: String,
    /// What it is about.
    pub(crate) title: String,
    /// How it was counted, in a line.
    pub(crate) about: String,
    /// Who judged, where one judge did.
    pub(crate) judge: Option<JudgeLine>,
    /// What came of it, in one sentence with its main figure.
    pub(crate) verdict: String,
    /// What else is to be known first.
    pub(crate) lead: String,
    /// The figures that are read first.
    pub(crate) tiles: Vec<Tile>,
    /// What a reader has to know before the figures.
    pub(crate) warnings: Vec<String>,
    /// The rest, in order.
    pub(crate) sections: Vec<Section>,
    /// What the calls took, line by line.
    pub(crate) calls: Vec<String>,
    /// What can be searched, filtered and opened on a page, where that is no list of a run's replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) list: Option<DocumentList>,
    /// What it was made with.
    pub(crate) appendix: Option<Appendix>,
    /// What a CI server is told.
    pub(crate) tests: Vec<TestCase>,
    /// For programs.
    pub(crate) json: Value,
}

/// What a page lists, entry by entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DocumentList {
    /// What it is about.
    pub(crate) head: ListHead,
    /// Its entries.
    pub(crate) items: Vec<ListItem>,
}

/// Who judged, and what that judge has earned.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct JudgeLine {
    /// Its kind and model.
    pub(crate) name: String,
    /// `promoted` or `advisory`.
    pub(crate) standing: String,
    /// Why.
    pub(crate) reason: String,
}

/// A figure in large letters.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Tile {
    /// The figure.
    pub(crate) value: String,
    /// What it counts, with its interval and denominator.
    pub(crate) name: String,
}

/// A part of a document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Section {
    /// Its anchor.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: String,
    /// What it holds.
    pub(crate) blocks: Vec<Block>,
    /// Where it is shown.
    pub(crate) shown: ShownIn,
}

/// Where a section is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ShownIn {
    /// Everywhere.
    Everywhere,
    /// In files: it is too long for a terminal.
    InFiles,
    /// On pages: it is drawn, and other outputs say the same in another section.
    OnPages,
    /// Everywhere but on pages, which show the same in another way.
    NotOnPages,
    /// Where neither a page nor a terminal shows it.
    InMarkdown,
}

/// A piece of a section.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "block", content = "it", rename_all = "snake_case")]
pub(crate) enum Block {
    /// A paragraph.
    Text(String),
    /// A paragraph about what is drawn, which says nothing where nothing is.
    Legend(String),
    /// A heading inside the section.
    Heading(String),
    /// Rows and columns.
    Table(Table),
    /// What a template draws; a table beside it has the same figures.
    Drawing(Value),
    /// Texts of replies and judges: the first of them, and how many there are.
    Quotes(Vec<Quote>, u64),
    /// Short lines.
    List(Vec<String>),
    /// The place of the list.
    Rows,
    /// Blocks behind a line.
    Fold(Fold),
    /// A line for a shell.
    Command(String),
    /// Two texts side by side, and what moved between them.
    Sides([SideText; 2], Vec<String>),
}

/// Blocks behind a line that says what they come to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Fold {
    /// What it is about.
    pub(crate) title: String,
    /// In what respect.
    pub(crate) about: String,
    /// A shape for each part, by its tone and name.
    pub(crate) shapes: Vec<(Tone, String)>,
    /// What it comes to.
    pub(crate) word: String,
    /// How well that is.
    pub(crate) tone: Tone,
    /// Whether it is open at first.
    pub(crate) is_open: bool,
    /// What is behind it.
    pub(crate) blocks: Vec<Block>,
}

/// One of two texts side by side.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SideText {
    /// What it is.
    pub(crate) title: String,
    /// What it says, with what differs marked.
    pub(crate) pieces: Vec<Piece>,
}

/// Rows and columns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Table {
    /// The columns.
    pub(crate) columns: Vec<Column>,
    /// The rows; each has a cell for every column.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Column {
    /// Its title.
    pub(crate) title: String,
    /// What stands in it.
    pub(crate) kind: ColumnKind,
    /// What a column of pictures is drawn on.
    pub(crate) ruler: Option<Ruler>,
}

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ColumnKind {
    /// Words.
    Text,
    /// Numbers, one under the other.
    Number,
    /// Pictures of numbers that stand in another column too.
    Plot,
}

/// A cell of a table.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "cell", content = "it", rename_all = "snake_case")]
pub(crate) enum Cell {
    /// Words or a number.
    Text(String),
    /// The same, and how a page shows it.
    Styled(String, String),
    /// The same, and what the list of replies is narrowed to by it.
    Filter(String, String, String),
    /// A figure with its interval, as a template draws it.
    Plot(Value),
}

probity_core::named! {
    /// How well something went. The word beside it says the same.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(crate) enum Tone {
        /// As wanted.
        Met = "met",
        /// Not as wanted.
        Missed = "missed",
        /// Not known.
        Unscored = "unscored",
        /// Neither.
        Soft = "soft",
    }
}

/// What was written by a bot or said by a judge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Quote {
    /// What it is about.
    pub(crate) title: String,
    /// In what respect.
    pub(crate) about: String,
    /// How it came out.
    pub(crate) word: String,
    /// How well that is.
    pub(crate) tone: Tone,
    /// The reply, where it is shown.
    pub(crate) pieces: Vec<Piece>,
    /// What was said, line by line.
    pub(crate) lines: Vec<String>,
}

impl Document {
    /// As standard output shows it.
    pub(crate) fn text(&self) -> String {
        self.text_in(Ink::of(&io::stdout()))
    }

    /// As a terminal shows it, in this ink.
    pub(crate) fn text_in(&self, ink: Ink) -> String {
        text::text(self, ink)
    }

    /// As a file of this kind has it; `texts` is what a page shows of texts.
    pub(crate) fn file(&self, kind: ReportKind, texts: Texts) -> io::Result<String> {
        match kind {
            ReportKind::Html => html::html(self, texts),
            ReportKind::Json => Ok(pretty(&self.json)),
            ReportKind::Junit => junit(self),
            ReportKind::Markdown => Ok(markdown::markdown(self)),
            ReportKind::Message => Ok(message::text(self)),
            ReportKind::Slack => Ok(pretty(&message::slack(self))),
            ReportKind::Rows(_) => {
                Err(io::Error::other("rows are what `probity run` has, expected a name in .json"))
            }
        }
    }

    /// The document with what its judge has earned by now.
    pub(crate) fn with_standing(mut self, standing: &Standing) -> Document {
        if let Some(judge) = self.judge.take() {
            self.judge = Some(JudgeLine::new(judge.name, standing));
        }
        restate(&mut self.json, standing);
        self
    }
}

/// Says `standing` wherever `json` says one with its reason.
fn restate(json: &mut Value, standing: &Standing) {
    match json {
        Value::Object(members) => {
            if members.contains_key("standing_reason") {
                members.insert("standing".to_owned(), json!(standing));
                members.insert("standing_reason".to_owned(), json!(standing.reason()));
            }
            members.values_mut().for_each(|value| restate(value, standing));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| restate(value, standing)),
        _ => {}
    }
}

impl Section {
    /// Whether it is the place of a list of all replies.
    pub(crate) fn has_rows(&self) -> bool {
        matches!(self.blocks.first(), Some(Block::Rows))
    }

    /// An empty section.
    pub(crate) fn new(id: &str, title: &str) -> Self {
        let (id, title) = (id.to_owned(), title.to_owned());
        Section { id, title, blocks: Vec::new(), shown: ShownIn::Everywhere }
    }

    /// The section, in files alone.
    pub(crate) fn in_files(self) -> Self {
        Section { shown: ShownIn::InFiles, ..self }
    }

    /// The section, on pages alone.
    pub(crate) fn on_pages(self) -> Self {
        Section { shown: ShownIn::OnPages, ..self }
    }

    /// The section, in Markdown alone.
    pub(crate) fn only_in_markdown(self) -> Self {
        Section { shown: ShownIn::InMarkdown, ..self }
    }

    /// The section, everywhere but on pages.
    pub(crate) fn not_on_pages(self) -> Self {
        Section { shown: ShownIn::NotOnPages, ..self }
    }

    /// With one more block.
    pub(crate) fn with(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    /// With a paragraph.
    pub(crate) fn text(self, text: impl Into<String>) -> Self {
        self.with(Block::Text(text.into()))
    }

    /// With a paragraph about what is drawn.
    pub(crate) fn legend(self, text: impl Into<String>) -> Self {
        self.with(Block::Legend(text.into()))
    }

    /// With a heading.
    pub(crate) fn heading(self, text: impl Into<String>) -> Self {
        self.with(Block::Heading(text.into()))
    }

    /// With a table, unless it has no rows.
    pub(crate) fn table(self, table: Table) -> Self {
        if table.rows.is_empty() { self } else { self.with(Block::Table(table)) }
    }

    /// With lines, unless there are none.
    pub(crate) fn list(self, items: impl IntoIterator<Item = String>) -> Self {
        let items: Vec<String> = items.into_iter().collect();
        if items.is_empty() { self } else { self.with(Block::List(items)) }
    }

    /// With lines below a heading, unless there are none.
    pub(crate) fn listed(self, heading: &str, items: impl IntoIterator<Item = String>) -> Self {
        let items: Vec<String> = items.into_iter().collect();
        if items.is_empty() { self } else { self.heading(heading).list(items) }
    }

    /// With the first of `n` quotes, unless there are none.
    pub(crate) fn quotes(self, quotes: Vec<Quote>, n: usize) -> Self {
        if quotes.is_empty() { self } else { self.with(Block::Quotes(quotes, n as u64)) }
    }

    /// The section, unless nothing is in it.
    pub(crate) fn filled(self) -> Option<Self> {
        (!self.blocks.is_empty()).then_some(self)
    }
}

/// The first records that cannot be used, with their places and reasons, and how many more there are.
pub(crate) fn skipped_lines(skipped: &[Skipped], n: u64) -> Vec<String> {
    let line = |record: &Skipped| {
        let id = record.id.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
        format!("record {} at {}:{}{id}: {}", record.index, record.file, record.line, record.reason)
    };
    listed_first(skipped, n, SKIPPED_MAX, line)
}

/// The first `most` of `n` things as lines, and how many more there are.
pub(crate) fn listed_first<T>(items: &[T], n: u64, most: usize, line: impl Fn(&T) -> String) -> Vec<String> {
    let first = items.iter().take(most).map(line);
    let more = n.saturating_sub(items.len().min(most) as u64);
    first.chain((more > 0).then(|| format!("and {more} more"))).collect()
}

impl Table {
    /// A table without rows. A title that begins with `#` is of a column of numbers, one with `~` of differences that
    /// are drawn, one with `|` of bars up to what is needed, one with `%` of the columns of a share, and one with `^` of those of a coefficient.
    pub(crate) fn new(titles: &[&str]) -> Self {
        let column = |title: &str, kind| Column { title: title.to_owned(), kind, ruler: None };
        let plot = |ruler| Column { ruler: Some(ruler), ..column("", ColumnKind::Plot) };
        let mut columns = Vec::new();
        for title in titles {
            let bare = title.trim_start_matches(['#', '~', '|', '%', '^']);
            match title.chars().next() {
                Some('#') => columns.push(column(bare, ColumnKind::Number)),
                Some('~') => columns.push(plot(Ruler::net())),
                Some('|') => columns.push(column(bare, ColumnKind::Plot)),
                Some('%') => {
                    columns.push(plot(Ruler::shares()));
                    columns
                        .extend([bare, "95 % interval", "n"].map(|title| column(title, ColumnKind::Number)));
                }
                Some('^') => {
                    columns.extend([bare, "95 % interval"].map(|title| column(title, ColumnKind::Number)));
                }
                _ => columns.push(column(bare, ColumnKind::Text)),
            }
        }
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "a row has a cell for every column");
        self.rows.push(cells);
    }
}

/// A figure that may be missing altogether, or not exist for a reason.
pub(crate) type Coefficient = Option<Result<Estimate, Undefined>>;

impl Cell {
    /// A cell of words or a number.
    pub(crate) fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A word that says how well something went.
    pub(crate) fn word(text: impl Into<String>, tone: Tone) -> Cell {
        Cell::Styled(text.into(), tone.name().to_owned())
    }

    /// A text that narrows the list of replies to those with these values.
    pub(crate) fn filter(text: impl Into<String>, style: &str, wanted: &[(&str, &str)]) -> Cell {
        Cell::Filter(text.into(), style.to_owned(), query(wanted))
    }

    /// A share: picture, value, interval and denominator.
    pub(crate) fn share(rate: Option<&Estimate>) -> CellGroup {
        Cell::marked(rate, &[])
    }

    /// A share with a mark at one half.
    pub(crate) fn half_marked(rate: Option<&Estimate>) -> CellGroup {
        Cell::marked(rate, &[(PlotMark::Line, Some(0.5))])
    }

    /// A share with marks to hold it against.
    pub(crate) fn marked(rate: Option<&Estimate>, marks: &[(PlotMark, Option<f64>)]) -> CellGroup {
        let Some(known) = rate else { return CellGroup([NONE; 4].map(Cell::text).into()) };
        let [value, interval, n] = figure::share(rate).map(Cell::text);
        CellGroup(vec![Cell::plot(&Ruler::shares(), known, marks), value, interval, n])
    }

    /// A figure as `ruler` shows it.
    pub(crate) fn plot(ruler: &Ruler, figure: &Estimate, marks: &[(PlotMark, Option<f64>)]) -> Cell {
        let mut drawn = ruler.drawn([figure.value, figure.low, figure.high], marks);
        let label = format!("{}, n {}", drawn["label"].as_str().unwrap_or_default(), figure.n);
        drawn["label"] = json!(label);
        Cell::Plot(drawn)
    }

    /// A picture that says what it is about.
    pub(crate) fn named(mut self, what: &str) -> Cell {
        if let Cell::Plot(drawn) = &mut self {
            let label = format!("{what}: {}", drawn["label"].as_str().unwrap_or_default());
            drawn["label"] = json!(label);
        }
        self
    }

    /// Takes away what the cell would narrow a list to.
    pub(super) fn unlink(&mut self) {
        match self {
            Cell::Filter(text, style, _) => *self = Cell::Styled(std::mem::take(text), std::mem::take(style)),
            Cell::Plot(drawn) if drawn["query"].is_string() => drawn["query"] = Value::Null,
            Cell::Text(_) | Cell::Styled(..) | Cell::Plot(_) => {}
        }
    }

    /// A picture of something that narrows the list to those with these values.
    pub(crate) fn opening(self, what: &str, wanted: &[(&str, &str)]) -> Cell {
        let mut cell = self.named(what);
        if let Cell::Plot(drawn) = &mut cell {
            drawn["query"] = json!(query(wanted));
        }
        cell
    }

    /// A coefficient: value and interval, or why there is none.
    pub(crate) fn coefficient(figure: Coefficient) -> CellGroup {
        let [value, interval] = match figure {
            Some(Ok(Estimate { value, low, high, .. })) => {
                [format!("{value:.3}"), format!("{low:.3} to {high:.3}")]
            }
            Some(Err(reason)) => [NONE.to_owned(), reason.to_string()],
            None => [NONE; 2].map(str::to_owned),
        };
        CellGroup(vec![Cell::text(value), Cell::text(interval)])
    }
}

/// What can stand in a row of a table.
pub(crate) trait Cells {
    /// The cells it takes.
    fn cells(self) -> Vec<Cell>;
}

/// Cells that belong together.
pub(crate) struct CellGroup(pub(crate) Vec<Cell>);

impl CellGroup {
    /// Cells of a figure whose picture narrows the list to those with these values.
    pub(crate) fn opening(mut self, what: &str, wanted: &[(&str, &str)]) -> CellGroup {
        self.0[0] = self.0[0].clone().opening(what, wanted);
        self
    }
}

impl Cells for CellGroup {
    fn cells(self) -> Vec<Cell> {
        self.0
    }
}

impl Cells for Cell {
    fn cells(self) -> Vec<Cell> {
        vec![self]
    }
}

impl<T: Display> Cells for T {
    fn cells(self) -> Vec<Cell> {
        vec![Cell::text(self.to_string())]
    }
}

impl Tile {
    /// A count.
    pub(crate) fn count(n: impl TryInto<u64>, name: &str) -> Tile {
        Tile { value: n.try_into().unwrap_or(u64::MAX).to_string(), name: name.to_owned() }
    }

    /// A share with its interval and denominator.
    pub(crate) fn share(rate: &Estimate, name: &str) -> Tile {
        let [value, interval, n] = figure::share(Some(rate));
        Tile { value, name: format!("{name}, {interval} %, n {n}") }
    }

    /// A coefficient with its interval and denominator.
    pub(crate) fn coefficient(figure: &Estimate, name: &str) -> Tile {
        let interval = format!("{:.2} to {:.2}, n {}", figure.low, figure.high, figure.n);
        Tile { value: format!("{:.2}", figure.value), name: format!("{name}, {interval}") }
    }
}

impl JudgeLine {
    /// The judge called `name`, which has earned `standing`.
    pub(crate) fn new(name: impl Into<String>, standing: &Standing) -> JudgeLine {
        let (standing, reason) = (standing.name().to_owned(), standing.reason().to_owned());
        JudgeLine { name: name.into(), standing, reason }
    }

    /// The judge as the store knows it.
    pub(crate) fn of(facts: &Facts) -> JudgeLine {
        JudgeLine::new(judge_name(facts), &facts.judge.earned)
    }

    /// What that means for a reader; empty where nothing has to be said.
    pub(super) fn caution(&self) -> &'static str {
        if self.is_promoted() {
            ""
        } else {
            "These figures are information only and must not gate a release."
        }
    }

    /// Whether the judge may gate.
    pub(crate) fn is_promoted(&self) -> bool {
        self.standing == "promoted"
    }
}
