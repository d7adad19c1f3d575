//! A list that a page can search and filter: figures of all entries in an index, and their texts in compressed blocks.

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, Write as _};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use probity_core::rubric::{Criterion, Rubric};
use serde::{Deserialize, Serialize};

use super::markup::{Markup, Pieces};

/// How many entries a block holds.
pub(crate) const BLOCK: usize = 256;

/// What a list is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ListHead {
    /// What its entries are called: `replies`, `pairs`.
    pub(crate) what: String,
    /// What is filtered by, with its key in the address. The first is shown as an icon with a word, the second stands
    /// below the name of an entry.
    pub(crate) facets: Vec<(String, String)>,
    /// The criteria of which each entry has a level.
    pub(crate) criteria: Vec<CriterionColumn>,
    /// The figure of each entry, by its title.
    pub(crate) total: String,
    /// The figure from which an entry passes, of 100.
    pass: Option<f64>,
    /// The order at first: a column, with `-` in front for the highest first, or nothing for the order of the list.
    pub(crate) sort: String,
}

/// A criterion as a list shows it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CriterionColumn {
    /// Its name in addresses.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: String,
    best: i64,
    worst: i64,
    levels: Vec<i64>,
}

/// What the index has of an entry.
#[derive(Debug, Clone)]
pub(crate) struct ListEntry {
    /// Its name, which no other entry has.
    pub(crate) name: String,
    /// What it has of each facet.
    pub(crate) values: Vec<Vec<String>>,
    /// Its figure.
    pub(crate) total: Option<f64>,
    /// Its level for each criterion.
    pub(crate) levels: Vec<Option<i64>>,
}

/// What a block has of an entry.
#[derive(Debug)]
pub(crate) struct EntryTexts {
    /// What stands in its row.
    pub(crate) lines: [String; 2],
    /// What opens, with seams around its texts.
    pub(crate) written: String,
}

/// A list that is being written: blocks wait in a temporary file, because figures stand before them.
pub(crate) struct Listing {
    index: Index,
    rows: Vec<EntryTexts>,
    blocks: BufWriter<File>,
    n_blocks: usize,
}

/// The figures of all entries, column by column, in the order of the list.
#[derive(Serialize)]
pub(crate) struct Index {
    block: usize,
    what: String,
    total_title: String,
    pass: Option<f64>,
    sort: String,
    criteria: Vec<CriterionColumn>,
    facets: Vec<Facet>,
    name: Vec<String>,
    total: Vec<Option<f64>>,
    /// By criterion, then by entry.
    levels: Vec<Vec<Option<i64>>>,
}

/// What entries are filtered by: the values that there are, and which of them each entry has.
#[derive(Serialize)]
struct Facet {
    key: String,
    title: String,
    values: Vec<String>,
    of: Vec<Has>,
}

/// The values that an entry has, by number.
#[derive(Serialize)]
#[serde(untagged)]
enum Has {
    One(usize),
    Several(Vec<usize>),
}

impl CriterionColumn {
    /// The column of `criterion`.
    pub(super) fn of(criterion: &Criterion) -> CriterionColumn {
        CriterionColumn {
            id: criterion.id.to_string(),
            title: criterion.title.clone(),
            best: criterion.scale.best(),
            worst: criterion.scale.worst(),
            levels: criterion.scale.levels().to_vec(),
        }
    }
}

impl ListHead {
    /// A list of these things, with its facets by key and title.
    pub(crate) fn new(what: &str, total: &str, facets: &[(&str, &str)]) -> ListHead {
        let facets = facets.iter().map(|(key, title)| ((*key).to_owned(), (*title).to_owned())).collect();
        let (what, total, sort) = (what.to_owned(), total.to_owned(), "total".to_owned());
        ListHead { what, facets, criteria: Vec::new(), total, pass: None, sort }
    }

    /// In this order at first.
    pub(crate) fn sorted(self, sort: &str) -> ListHead {
        ListHead { sort: sort.to_owned(), ..self }
    }

    /// With the levels of a rubric's criteria, and its pass mark.
    pub(crate) fn with_levels(mut self, rubric: &Rubric) -> ListHead {
        self.criteria = rubric.criteria().iter().map(CriterionColumn::of).collect();
        self.pass = rubric.pass().map(|pass| pass.total_min.to_f64());
        self
    }
}

impl Index {
    /// An index without entries.
    pub(crate) fn new(head: ListHead) -> Index {
        let ListHead { what, facets, criteria, total, pass, sort } = head;
        let facet = |(key, title)| Facet { key, title, values: Vec::new(), of: Vec::new() };
        Index {
            block: BLOCK,
            what,
            total_title: total,
            pass,
            sort,
            levels: criteria.iter().map(|_| Vec::new()).collect(),
            criteria,
            facets: facets.into_iter().map(facet).collect(),
            name: Vec::new(),
            total: Vec::new(),
        }
    }

    /// Adds an entry.
    pub(crate) fn add(&mut self, entry: ListEntry) {
        let ListEntry { name, values, total, levels } = entry;
        self.name.push(name);
        self.total.push(total);
        for (column, level) in self.levels.iter_mut().zip(levels) {
            column.push(level);
        }
        for (facet, values) in self.facets.iter_mut().zip(values) {
            facet.add(values);
        }
    }
}

/// Entries as the script takes them: the pieces of the templates, then the lines, pieces by number and texts of each
/// entry, compressed.
pub(crate) fn block(entries: &[EntryTexts]) -> io::Result<String> {
    let mut pieces = Pieces::default();
    let rows = entries.iter().map(|EntryTexts { lines: [first, second], written }| {
        let Markup { pieces, texts } = pieces.apart(written);
        (first, second, pieces, texts)
    });
    let rows: Vec<_> = rows.collect();
    let json = serde_json::to_vec(&(pieces.all(), rows))?;
    let mut deflated = DeflateEncoder::new(Vec::new(), Compression::best());
    deflated.write_all(&json)?;
    Ok(BASE64_STANDARD.encode(deflated.finish()?))
}

impl Listing {
    /// A list without entries.
    pub(crate) fn new(head: ListHead) -> io::Result<Listing> {
        let blocks = BufWriter::new(tempfile::tempfile()?);
        Ok(Listing { index: Index::new(head), rows: Vec::new(), blocks, n_blocks: 0 })
    }

    /// Adds an entry.
    pub(crate) fn add(&mut self, entry: ListEntry, texts: EntryTexts) -> io::Result<()> {
        self.index.add(entry);
        self.rows.push(texts);
        if self.rows.len() == BLOCK { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> io::Result<()> {
        let (number, block) = (self.n_blocks, block(&self.rows)?);
        writeln!(self.blocks, "<script type=\"text/plain\" data-block=\"{number}\">{block}</script>")?;
        self.n_blocks += 1;
        self.rows.clear();
        Ok(())
    }

    /// The blocks as elements of a page, and the index as JSON.
    pub(crate) fn end(mut self) -> io::Result<(File, String)> {
        if !self.rows.is_empty() {
            self.end_block()?;
        }
        let mut blocks = self.blocks.into_inner().map_err(io::IntoInnerError::into_error)?;
        blocks.rewind()?;
        Ok((blocks, serde_json::to_string(&self.index)?))
    }
}

impl Facet {
    fn add(&mut self, values: Vec<String>) {
        let mut numbers = Vec::new();
        for value in values {
            let known = self.values.iter().position(|known| *known == value);
            let number = known.unwrap_or_else(|| {
                self.values.push(value);
                self.values.len() - 1
            });
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        self.of.push(match numbers[..] {
            [only] => Has::One(only),
            _ => Has::Several(numbers),
        });
    }
}
