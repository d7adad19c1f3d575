//! A report as a document: what a page, a Markdown file and a reader see of it, whatever command made it.
//!
//! A builder says what is shown, in blocks; how a block looks is decided where a kind of report is written. Every
//! text here is plain text: nothing in it is markup, wherever it comes from.

use probity_core::report::Facts;
use probity_core::stats::Estimate;
use serde::Serialize;

use super::super::figure::{self, NONE, judge_name};
use super::appendix::Appendix;
use super::chart::{Matrix, Reliability, Scatter, Whisker};

/// A report of one command.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Page {
    /// The command, for machines: `compare`, `calibrate`.
    pub(crate) command: &'static str,
    /// What the report is about.
    pub(crate) title: String,
    /// Who judged, where one judge did.
    pub(crate) judge: Option<JudgeLine>,
    /// What came of it, in one sentence.
    pub(crate) lead: String,
    /// The figures that are read first.
    pub(crate) tiles: Vec<Tile>,
    /// What a reader has to know before the figures.
    pub(crate) warnings: Vec<String>,
    /// The rest, in order.
    pub(crate) sections: Vec<Section>,
    /// What it was made with.
    pub(crate) appendix: Appendix,
}

/// Who judged, and what that judge has earned.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct JudgeLine {
    /// Its kind and model.
    pub(crate) name: String,
    /// `promoted` or `advisory`.
    pub(crate) standing: String,
    /// Why.
    pub(crate) reason: String,
    /// What that means for whoever reads on; empty where nothing has to be said.
    pub(crate) caution: &'static str,
}

/// A figure in large letters.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Tile {
    /// The figure.
    pub(crate) value: String,
    /// What it counts, with its interval and denominator.
    pub(crate) name: String,
}

/// A part of a report.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Section {
    /// Its anchor.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: String,
    /// What it holds.
    pub(crate) blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "block", rename_all = "snake_case")]
pub(crate) enum Block {
    /// A paragraph.
    Text {
        /// Its text.
        text: String,
    },
    /// A paragraph about what is drawn, which says nothing where nothing is.
    Legend {
        /// Its text.
        text: String,
    },
    /// A heading inside the section.
    Heading {
        /// Its text.
        text: String,
    },
    /// Rows and columns.
    Table(Table),
    /// Counts by two things.
    Matrix(Matrix),
    /// Points on two axes.
    Scatter(Scatter),
    /// What is meant when something is said.
    Reliability(Reliability),
    /// Texts of replies and judges.
    Quotes {
        /// Each of them.
        quotes: Vec<Quote>,
    },
    /// Short lines.
    List {
        /// Each of them.
        items: Vec<String>,
    },
}

/// Rows and columns.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Table {
    /// The columns.
    pub(crate) columns: Vec<Column>,
    /// The rows; each has a cell for every column.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Column {
    /// Its title.
    pub(crate) title: String,
    /// What stands in it.
    pub(crate) kind: ColumnKind,
}

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "cell", rename_all = "snake_case")]
pub(crate) enum Cell {
    /// Words or a number.
    Text {
        /// As it is shown.
        text: String,
    },
    /// A word that says how well something went.
    Word {
        /// The word.
        text: String,
        /// How well.
        tone: Tone,
    },
    /// A figure with its interval, drawn.
    Plot(Whisker),
}

/// How well something went. The word beside it says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tone {
    /// As wanted.
    Met,
    /// Not as wanted.
    Missed,
    /// Nobody knows.
    Unscored,
    /// Neither.
    Soft,
}

/// What somebody wrote.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Quote {
    /// What it is about.
    pub(crate) title: String,
    /// In what respect.
    pub(crate) about: String,
    /// How it came out.
    pub(crate) word: String,
    /// How well that is.
    pub(crate) tone: Tone,
    /// What was said, line by line.
    pub(crate) lines: Vec<String>,
}

impl Section {
    /// An empty section.
    pub(crate) fn new(id: &str, title: &str) -> Self {
        Section { id: id.to_owned(), title: title.to_owned(), blocks: Vec::new() }
    }

    /// With one more block.
    pub(crate) fn with(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    /// With a paragraph.
    pub(crate) fn text(self, text: impl Into<String>) -> Self {
        self.with(Block::Text { text: text.into() })
    }

    /// With a paragraph about what is drawn.
    pub(crate) fn legend(self, text: impl Into<String>) -> Self {
        self.with(Block::Legend { text: text.into() })
    }

    /// With a heading.
    pub(crate) fn heading(self, text: impl Into<String>) -> Self {
        self.with(Block::Heading { text: text.into() })
    }

    /// With a table, unless it has no rows.
    pub(crate) fn table(self, table: Table) -> Self {
        if table.rows.is_empty() { self } else { self.with(Block::Table(table)) }
    }

    /// With lines, unless there are none.
    pub(crate) fn list(self, items: Vec<String>) -> Self {
        if items.is_empty() { self } else { self.with(Block::List { items }) }
    }

    /// With quotes, unless there are none.
    pub(crate) fn quotes(self, quotes: Vec<Quote>) -> Self {
        if quotes.is_empty() { self } else { self.with(Block::Quotes { quotes }) }
    }
}

impl Table {
    /// A table without rows. A title that begins with `#` is of a column of numbers, one with `~` of pictures.
    pub(crate) fn new(titles: &[&str]) -> Self {
        let column = |title: &&str| {
            let kind = match title.chars().next() {
                Some('#') => ColumnKind::Number,
                Some('~') => ColumnKind::Plot,
                _ => ColumnKind::Text,
            };
            Column { title: title.trim_start_matches(['#', '~']).to_owned(), kind }
        };
        Table { columns: titles.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "a row has a cell for every column");
        self.rows.push(cells);
    }
}

impl Cell {
    /// A cell of words or a number.
    pub(crate) fn text(text: impl Into<String>) -> Cell {
        Cell::Text { text: text.into() }
    }

    /// A word that says how well something went.
    pub(crate) fn word(text: impl Into<String>, tone: Tone) -> Cell {
        Cell::Word { text: text.into(), tone }
    }

    /// A share: picture, value, interval and denominator.
    pub(crate) fn share(rate: Option<&Estimate>) -> [Cell; 4] {
        let Some(known) = rate else { return [NONE; 4].map(Cell::text) };
        let [value, interval, n] = figure::share(rate).map(Cell::text);
        [Cell::Plot(Whisker::share(known)), value, interval, n]
    }
}

impl Tile {
    /// A count.
    pub(crate) fn count(n: u64, name: &str) -> Tile {
        Tile { value: n.to_string(), name: name.to_owned() }
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
    /// The judge as the store knows it.
    pub(crate) fn of(facts: &Facts) -> JudgeLine {
        let judge = &facts.judge;
        let caution = if judge.standing.is_promoted() {
            ""
        } else {
            "These figures inform; they must not gate a release."
        };
        JudgeLine {
            name: judge_name(facts),
            standing: judge.standing.name().to_owned(),
            reason: judge.standing.reason().to_owned(),
            caution,
        }
    }
}
