//! Probes by family, as a page shows them: those with a working shortcut first and open, each with an example.

use std::collections::BTreeMap;

use probity_core::probe::{Family, ProbeOutcome, ProbeResult, Probing};
use probity_engine::run::probe::ProbeExample;

use super::figure::counted;
use super::private::{Texts, pieces};
use super::probing::{figures, tone};
use super::report::chart::Ruler;
use super::report::document::{Block, Cell, Cells, Fold, Section, SideText, Table, Tone};
use super::view::changed;

/// What the family of a probe is about.
fn means(family: Family) -> &'static str {
    match family {
        Family::Position => "which slot a reply stands in",
        Family::Length => "padding and repetition",
        Family::Identity => "who is said to have written it",
        Family::Ambiguity => "replies that are equally good",
        Family::Injection => "text that tells the judge what to say",
        Family::Empty => "replies that say nothing",
        Family::Apology => "sorry words without help",
        Family::Authority => "invented approvals",
        Family::Formatting => "lists, headings, emoji",
        Family::Order => "the order in which the rubric is written down",
        Family::Restatement => "the same said again",
        Family::Repeat => "the same packet again",
        Family::Sensitivity => "planted faults that a judge must see",
        Family::Gate => "what a gate must block",
        Family::Own => "your own probes",
    }
}

/// One fold for each family.
pub(super) fn families(probing: &Probing, examples: &BTreeMap<String, ProbeExample>) -> Section {
    let mut by_family: BTreeMap<Family, Vec<&ProbeResult>> = BTreeMap::new();
    for result in &probing.results {
        by_family.entry(result.family).or_default().push(result);
    }
    let n =
        |results: &[&ProbeResult], outcome| results.iter().filter(|each| each.outcome() == outcome).count();
    let mut families: Vec<(Family, Vec<&ProbeResult>)> = by_family.into_iter().collect();
    families.sort_by_key(|(_, results)| {
        let [failed, open, passed] =
            [ProbeOutcome::Fail, ProbeOutcome::Inconclusive, ProbeOutcome::Pass].map(|each| n(results, each));
        (std::cmp::Reverse(failed), std::cmp::Reverse(open), passed == 0)
    });
    let section = Section::new("families", "By family").legend(
        "◆ works on the judge, or is missed by it; dashed: not decided; ■ does not work, or is seen.",
    );
    let fold =
        |(family, results): (Family, Vec<&ProbeResult>)| family_fold(family, results, probing, examples);
    families.into_iter().map(fold).fold(section, |section, fold| section.with(Block::Fold(fold))).on_pages()
}

fn family_fold(
    family: Family,
    mut results: Vec<&ProbeResult>,
    probing: &Probing,
    examples: &BTreeMap<String, ProbeExample>,
) -> Fold {
    let rank = |result: &&ProbeResult| match result.outcome() {
        ProbeOutcome::Fail => 0,
        ProbeOutcome::Inconclusive => 1,
        ProbeOutcome::Pass => 2,
        ProbeOutcome::NotApplicable => 3,
    };
    results.sort_by_key(rank);
    let (first, rest): (Vec<&ProbeResult>, Vec<&ProbeResult>) =
        results.iter().partition(|result| rank(result) < 2);
    let [failed, open] = [0, 1].map(|wanted| first.iter().filter(|result| rank(result) == wanted).count());
    let verb = if family == Family::Sensitivity { "missed" } else { "work" };
    let (word, tone) = match (failed, open) {
        (0, 0) if rest.iter().all(|result| rank(result) == 3) => {
            ("without meaning here".to_owned(), Tone::Soft)
        }
        (0, 0) => (format!("none {verb}"), Tone::Soft),
        (0, open) => (format!("{open} not decided"), Tone::Unscored),
        (failed, 0) => (format!("{failed} of {} {verb}", results.len()), Tone::Missed),
        (failed, open) => (format!("{failed} of {} {verb}, {open} not decided", results.len()), Tone::Missed),
    };
    let mut blocks = Vec::new();
    if !first.is_empty() {
        blocks.push(Block::Table(rulers(&first, probing)));
    }
    for result in first.iter().filter(|result| rank(result) == 0) {
        blocks.push(Block::Heading(result.name.clone()));
        blocks.push(Block::Text(format!("{}: {}.", result.means, result.message)));
        blocks.extend(examples.get(&result.name).into_iter().flat_map(example));
    }
    let judged: Vec<&ProbeResult> = rest.iter().copied().filter(|result| rank(result) == 2).collect();
    if !judged.is_empty() {
        let table = Block::Table(rulers(&judged, probing));
        blocks.push(if first.is_empty() {
            table
        } else {
            folded(&format!("{} more that do not {verb}", judged.len()), table)
        });
    }
    let none: Vec<String> = rest
        .iter()
        .filter(|result| rank(result) == 3)
        .map(|result| format!("{}: {}", result.name, result.message))
        .collect();
    if !none.is_empty() {
        blocks.push(folded(
            &format!("{} without meaning for this rubric", counted(none.len() as u64, "probe")),
            Block::List(none),
        ));
    }
    let shapes = results.iter().map(|result| {
        (self::tone(result.outcome()), format!("{}: {}", result.name, result.outcome().name()))
    });
    Fold {
        title: family.name().to_owned(),
        about: means(family).to_owned(),
        shapes: shapes.collect(),
        word,
        tone,
        is_open: failed > 0,
        blocks,
    }
}

/// A block behind its title.
pub(super) fn folded(title: &str, block: Block) -> Block {
    Block::Fold(Fold {
        title: title.to_owned(),
        about: String::new(),
        shapes: Vec::new(),
        word: String::new(),
        tone: Tone::Soft,
        is_open: false,
        blocks: vec![block],
    })
}

fn rulers(results: &[&ProbeResult], probing: &Probing) -> Table {
    let mut table = Table::new(&["probe", "#bases", "#rate", "#noise", "~", "#net", "#90 % interval", ""]);
    table.columns[4].ruler = Some(Ruler::net().limited(probing.tolerance.share(), "tolerated"));
    for result in results {
        let mut cells = figures(result.figures.as_ref(), probing.tolerance.share());
        if let Some(plot) = cells.0.get_mut(3) {
            *plot = plot.clone().named(&result.name);
        }
        table.row(cells![&result.name, cells, Cell::word(result.outcome().name(), tone(result.outcome()))]);
    }
    table
}

/// The control beside the changed reply, and what the judge said.
fn example(example: &ProbeExample) -> Vec<Block> {
    let control = example.control.as_deref().unwrap_or_default();
    let [removed, added] = changed(control, &example.treatment);
    let side = |title: &str, text: &str, marks: &[_]| SideText {
        title: title.to_owned(),
        pieces: pieces(text, marks, Texts::Masked),
    };
    let sides = [side("Control", control, &removed), side("Changed", &example.treatment, &added)];
    let about = format!("Base {}: {}", example.case, super::private::shown(&example.ticket));
    vec![Block::Text(about), Block::Sides(sides, example.moves.clone())]
}
