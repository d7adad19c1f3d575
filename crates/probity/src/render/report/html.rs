//! A document as one HTML file that opens from disk: figures, charts, and a list of what they are made of.
//!
//! The page asks for nothing and says so in its policy. Text from outside is escaped by the template, or is inert
//! JSON that the page's script puts in as text.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write};
use std::rc::Rc;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};
use probity_core::report::Summary;
use probity_core::results::ResultRow;
use probity_core::rubric::Rubric;
use probity_engine::run::results::Row;
use serde_json::{Value, json};

use super::super::private::Texts;
use super::super::results::WholeFile;
use super::super::view::{self, AskedReader, CaseParts, Listing, Viewer, Votes};
use super::Report;
use super::document::{Block, Cell, Document, DocumentList, JudgeLine, Section, ShownIn};

/// The templates by name: a page, and what is on it.
const TEMPLATES: [(&str, &str); 5] = [
    ("page", include_str!("../../../pages/report.html.jinja")),
    ("appendix", include_str!("../../../pages/report-appendix.html.jinja")),
    ("block", include_str!("../../../pages/report-block.html.jinja")),
    ("time", include_str!("../../../pages/report-time.html.jinja")),
    ("words", view::WORDS),
];
const STYLE: &str = include_str!("../../../pages/report.css");

/// What ends every page.
const END: &str = "</body>\n</html>\n";

/// Sections that a page folds: details of what stands above them.
const FOLDED: [(&str, &[&str]); 4] = [
    ("diff", &["definition", "figures", "slices"]),
    ("compare", &["gate"]),
    ("calibrate", &["labels"]),
    ("promote", &["hard-gates", "rubric", "runs", "probes", "calibration", "bound"]),
];

/// The longest verdict that is the title of a page as a whole.
const TITLE_BYTES_MAX: usize = 100;

/// How many entries stand in full on a page for readers without scripts.
const WITHOUT_SCRIPT_MAX: usize = 20;

/// What a page shows beside the rows of a run.
#[derive(Default)]
pub(crate) struct Beside {
    /// What people said.
    pub(crate) votes: Option<Votes>,
    /// What the judge was sent, and what came back.
    pub(crate) asked: Option<AskedReader>,
}

/// The report of a run that is being written.
pub(super) struct Html {
    out: WholeFile,
    viewer: Viewer,
    rubric: Rubric,
    beside: Rc<Beside>,
    listing: Listing,
}

impl Html {
    pub(super) fn new(out: WholeFile, rubric: &Rubric, texts: Texts, beside: Rc<Beside>) -> io::Result<Self> {
        let listing = Listing::new(view::replies(rubric))?;
        Ok(Html { out, viewer: Viewer::new(texts), rubric: rubric.clone(), beside, listing })
    }
}

impl Report for Html {
    fn add(&mut self, row: &Row) -> io::Result<()> {
        let Row::Reply(row) = row else { return Ok(()) };
        let asked = self.beside.asked.as_ref().map(|reader| reader.packets(&row.packets)).transpose()?;
        let parts =
            CaseParts { rubric: &self.rubric, votes: self.beside.votes.as_ref(), asked: asked.as_deref() };
        self.listing.add(view::reply_entry(row, parts), self.viewer.reply(row, parts)?)
    }

    fn finish(self: Box<Self>, summary: &Summary, document: &Document) -> io::Result<()> {
        let Html { mut out, viewer, rubric, beside, listing } = *self;
        let parts = CaseParts { rubric: &rubric, votes: beside.votes.as_ref(), asked: None };
        let case = |row: &ResultRow| viewer.case(row, parts);
        let worst = summary.worst.iter().take(WITHOUT_SCRIPT_MAX).map(|ranked| case(&ranked.row));
        let worst = worst.collect::<io::Result<Vec<_>>>()?;
        write_page(document, Some((listing, worst)), viewer.texts(), &mut out)?;
        out.keep()
    }
}

/// The whole of a page that is not of a run's replies.
pub(super) fn html(document: &Document, texts: Texts) -> io::Result<String> {
    let listed = |list: &DocumentList| {
        let viewer = Viewer::new(texts);
        let mut listing = Listing::new(list.head.clone())?;
        list.items.iter().try_for_each(|item| listing.add(item.entry(), viewer.listed(item)?))?;
        let first = list.items.iter().take(WITHOUT_SCRIPT_MAX).map(|item| viewer.item(item));
        Ok::<_, io::Error>((listing, first.collect::<io::Result<Vec<_>>>()?))
    };
    let list = document.list.as_ref().filter(|list| !list.items.is_empty()).map(listed).transpose()?;
    let mut page = Vec::new();
    write_page(document, list, texts, &mut page)?;
    String::from_utf8(page).map_err(io::Error::other)
}

/// Writes a page with its list, where it has one, and the entries that stand in full for readers without scripts. The
/// nonce is made of everything on the page, so no text on it can know it.
fn write_page(
    document: &Document,
    list: Option<(Listing, Vec<String>)>,
    texts: Texts,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut digest = blake3::Hasher::new();
    let (list, first) = list.map_or((None, Vec::new()), |(list, first)| (Some(list), first));
    let list = list.map(Listing::end).transpose()?;
    if let Some((blocks, index)) = &list {
        hash_file(blocks, &mut digest)?;
        digest.update(index.as_bytes());
    }
    let view = values(document, list.is_some(), &first, texts);
    let nonce = digest.update(view.to_string().as_bytes()).finalize().to_hex().to_string();
    out.write_all(rendered(&view, &nonce, "").map_err(io::Error::other)?.as_bytes())?;
    if let Some((mut blocks, index)) = list {
        io::copy(&mut blocks, out)?;
        writeln!(out, "<script type=\"application/json\" id=\"index\">{}</script>", inert(&index))?;
    }
    write!(out, "<script nonce=\"{nonce}\">{}</script>\n{END}", view::SCRIPT)
}

/// A document as a part of a page of the server, which has the frame around it. `list` is the list of replies as
/// readers without scripts have it; empty for a document without one, whose own entries stand in full instead.
pub(crate) fn part(document: &Document, list: &str) -> io::Result<String> {
    let viewer = Viewer::new(Texts::Full);
    let items = document.list.iter().flat_map(|list| &list.items).take(WITHOUT_SCRIPT_MAX);
    let first = items.map(|item| viewer.item(item)).collect::<io::Result<Vec<_>>>()?;
    let mut values = values(document, !list.is_empty() || !first.is_empty(), &first, Texts::Full);
    values["alone"] = json!(false);
    values["filters"] = json!(["?", "#replies-list"]);
    rendered(&values, "", list).map_err(io::Error::other)
}

/// What the templates are filled with.
fn values(document: &Document, has_list: bool, first: &[String], texts: Texts) -> Value {
    let Document { command, title, about, judge, verdict, lead, tiles, warnings, calls, appendix, .. } =
        document;
    let is_here = |section: &&Section| match section.shown {
        ShownIn::NotOnPages | ShownIn::InMarkdown => false,
        _ => has_list || !section.has_rows(),
    };
    let folded = FOLDED.iter().find(|(of, _)| of == command).map_or(&[][..], |(_, ids)| *ids);
    let sections = document.sections.iter().filter(is_here).map(|section| {
        let mut section = section.clone();
        if !has_list {
            without_links(&mut section.blocks);
        }
        if texts == Texts::None {
            without_texts(&mut section.blocks);
        }
        let mut section = json!(section);
        section["is_folded"] = json!(folded.contains(&section["id"].as_str().unwrap_or_default()));
        section
    });
    // Of a long verdict the first sentence is the title of the page, and what qualifies it stands below.
    let parts = verdict.split_once(". ").filter(|_| verdict.len() > TITLE_BYTES_MAX);
    let (verdict, more) = parts.map_or((verdict.clone(), ""), |(first, more)| (format!("{first}."), more));
    let lead = [more, lead.as_str()].map(str::trim).join(" ");
    json!({
        "command": command, "title": title, "about": about, "judge": judge, "verdict": verdict, "lead": lead.trim(), "tiles": tiles,
        "warnings": warnings, "sections": sections.collect::<Vec<_>>(), "calls": calls, "appendix": appendix,
        "first": first, "caution": judge.as_ref().map_or("", JudgeLine::caution), "alone": true, "filters": ["#", ""], "has_list": has_list,
    })
}

/// Adds a file to a digest, and leaves it as it was.
fn hash_file(mut file: &File, digest: &mut blake3::Hasher) -> io::Result<()> {
    let mut part = vec![0; 1 << 16];
    loop {
        match file.read(&mut part)? {
            0 => return file.rewind(),
            n => digest.update(&part[..n]),
        };
    }
}

/// Blocks without texts of replies.
fn without_texts(blocks: &mut Vec<Block>) {
    blocks.retain(|block| !matches!(block, Block::Sides(..)));
    for block in blocks {
        match block {
            Block::Quotes(quotes, _) => quotes.iter_mut().for_each(|quote| quote.pieces.clear()),
            Block::Fold(fold) => without_texts(&mut fold.blocks),
            _ => {}
        }
    }
}

/// Blocks that narrow no list, because the page has none.
fn without_links(blocks: &mut [Block]) {
    for block in blocks {
        match block {
            Block::Table(table) => table.rows.iter_mut().flatten().for_each(Cell::unlink),
            Block::Fold(fold) => without_links(&mut fold.blocks),
            _ => {}
        }
    }
}

/// A page up to its data; `plain` is the list as readers without scripts have it, where that is not a part of `view`.
fn rendered(view: &Value, nonce: &str, plain: &str) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    let safe = |text: &str| minijinja::Value::from_safe_string(text.to_owned());
    let (css, list, keys) = (safe(&style(view["command"] == "run")), safe(view::LIST), safe(view::KEYS));
    environment.add_filter("safe", |text: String| minijinja::Value::from_safe_string(text));
    let plain = safe(plain);
    environment.get_template("page")?.render(context! { nonce, css, list, keys, plain, ..Serde(view) })
}

/// The look of a page, without comments and spaces that mean nothing.
fn style(is_run: bool) -> String {
    let own = if is_run { view::CASE_STYLE } else { view::PARTS_STYLE };
    let mut css = [own, STYLE, view::STYLE].concat();
    while let Some((before, rest)) = css.split_once("/*") {
        css = [before, rest.split_once("*/").map_or("", |(_, after)| after)].concat();
    }
    let css = css.split_whitespace().collect::<Vec<_>>().join(" ");
    let spaces = [
        (" > ", ">"),
        (" { ", "{"),
        ("; }", "}"),
        (" }", "}"),
        ("} ", "}"),
        ("; ", ";"),
        (": ", ":"),
        (", ", ","),
    ];
    spaces.iter().fold(css, |css, (spaced, bare)| css.replace(spaced, bare))
}

/// JSON that cannot end the element it stands in.
pub(crate) fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests;
