//! From the texts of policy files to a ledger, or to everything that is wrong with them.
//!
//! Every key that a policy file may have stands in the tables below; the reader and its hints come from them. Which
//! syntax a file is in is told by its first character. Each source is checked on its own, then all of them against one
//! another, across files. Problems carry the file and the line, and one does not hide the next.

use std::collections::BTreeSet;

use super::super::claim::{Language, Languages};
use super::stated::{fact, unlisted_remedies, values};
use super::{DEFAULT_AUDIENCE, FactKind, Facts, Ledger, Period, Source, folded};
use crate::case::{EvidenceSource, Moment, NotAMoment};
use crate::spec_file::{At, Faults, Field, Fields, Problem, Shape, json_tables, toml_table};
use crate::spelling::closest;

static TOP: Shape = Shape { place: "the top of the file", keys: &["source"] };
static SOURCE: Shape = Shape {
    place: "[[source]]",
    keys: &["id", "version", "audience", "region", "from", "until", "text", "facts"],
};
static FACTS: Shape = Shape {
    place: "[source.facts]",
    keys: &[
        "remedies", "required_remedies", "forbidden_remedies", "deeds", "amounts", "windows", "percentages",
        "codes", "contacts",
    ],
};
static SHAPES: [&Shape; 3] = [&TOP, &SOURCE, &FACTS];

/// Audiences with a meaning of their own; others are the tenant's.
const AUDIENCES: &[&str] = &[DEFAULT_AUDIENCE, "agent", "internal"];

/// One policy file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyFile<'t> {
    /// What it is called in messages.
    pub name: &'t str,
    /// What stands in it: TOML, or JSON lines.
    pub text: &'t str,
}

/// A problem with the file it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    /// The file's name.
    pub file: String,
    /// What is wrong, and on which line.
    pub problem: Problem,
}

/// A ledger with what should be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The ledger.
    pub ledger: Ledger,
    /// What is allowed and probably not meant, by file and line.
    pub warnings: Vec<FileProblem>,
}

/// Reads policy files into one ledger. All their problems are returned, by file and line.
pub fn read(files: &[PolicyFile<'_>], languages: &Languages) -> Result<Reading, Vec<FileProblem>> {
    let mut faults: Vec<Faults> = files.iter().map(|_| Faults::default()).collect();
    let mut drafts = Vec::new();
    for (file, faults) in faults.iter_mut().enumerate() {
        let found = sources(files[file].text, languages, faults);
        drafts.extend(found.into_iter().map(|At { line, value }| Draft { source: value, line, file }));
    }
    compare_all(&drafts, files, &mut faults);
    let warnings = settled(faults, files)?;
    let ledger = Ledger::new(drafts.into_iter().map(|draft| draft.source).collect());
    Ok(Reading { ledger, warnings })
}

/// The warnings of all files, or their errors if there is any.
pub(in crate::gate) fn settled(
    faults: Vec<Faults>,
    files: &[PolicyFile<'_>],
) -> Result<Vec<FileProblem>, Vec<FileProblem>> {
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for (faults, file) in faults.into_iter().zip(files) {
        let (problems, found) = match faults.settle() {
            Ok(found) => (&mut warnings, found),
            Err(found) => (&mut errors, found),
        };
        problems.extend(found.into_iter().map(|problem| FileProblem { file: file.name.to_owned(), problem }));
    }
    if errors.is_empty() { Ok(warnings) } else { Err(errors) }
}

/// A source with the place it was written in.
struct Draft {
    source: Source,
    line: usize,
    file: usize,
}

/// Reports what is wrong between two sources.
fn compare_all(drafts: &[Draft], files: &[PolicyFile<'_>], faults: &mut [Faults]) {
    let mut by_id: Vec<&Draft> = drafts.iter().collect();
    by_id.sort_by(|a, b| (&a.source.id, a.source.period.from).cmp(&(&b.source.id, b.source.period.from)));
    for versions in by_id.chunk_by(|a, b| a.source.id == b.source.id) {
        for (index, later) in versions.iter().enumerate() {
            for earlier in &versions[..index] {
                // The problem is reported where the second of the two stands, in the order of the files.
                let is_in_order = (earlier.file, earlier.line) < (later.file, later.line);
                let (first, second) = if is_in_order { (earlier, later) } else { (later, earlier) };
                if let Some((message, hint)) = conflict(&earlier.source, &later.source) {
                    let place =
                        format!("the other stands in {} on line {}", files[first.file].name, first.line);
                    let hint = hint.map_or(place.clone(), |hint| format!("{place}; {hint}"));
                    faults[second.file].error(Problem::at(second.line, message).hint(hint));
                }
            }
        }
    }
}

/// What is wrong with two versions of a source, `one` beginning no later, and what to do about it.
fn conflict(one: &Source, other: &Source) -> Option<(String, Option<String>)> {
    if one.version == other.version {
        return Some((format!("version {:?} of source {:?} stands twice", one.version, one.id), None));
    }
    if !one.overlaps(other) {
        return None;
    }
    let names = format!("versions {:?} and {:?} of source {:?}", one.version, other.version, one.id);
    if one.period.from == other.period.from {
        let message = format!("{names} begin at the same moment, so nothing says which is in force");
        return Some((message, Some("give the later one a later `from`".to_owned())));
    }
    let begins = other.period.from?;
    let until = one.period.until.filter(|until| begins < *until)?;
    let message = format!("{names} are both in force from {begins} until {until}");
    Some((message, Some(format!("end {:?} before {begins}, or leave its `until` out", one.version))))
}

/// The sources of a file, each with its line.
fn sources(text: &str, languages: &Languages, faults: &mut Faults) -> Vec<At<Source>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let read = |fields: &Fields<'_>, faults: &mut Faults| {
        Some(At { line: fields.line, value: source(fields, languages, faults)? })
    };
    if text.trim_start().starts_with('{') {
        let tables = json_tables(text, faults);
        let fields = tables.iter().map(|(line, table)| Fields::top(&SOURCE, table, *line));
        return fields.filter_map(|fields| read(&fields, faults)).collect();
    }
    let Some(table) = toml_table(text, faults) else { return Vec::new() };
    let add = "add at least one [[source]], or one JSON object per line";
    let sources = Fields::listed(&table, &SHAPES, add, faults);
    sources.iter().filter_map(|fields| read(fields, faults)).collect()
}

/// The source, as far as it is good. What is missing was reported.
fn source(fields: &Fields<'_>, languages: &Languages, faults: &mut Faults) -> Option<Source> {
    fields.refuse_unknown_keys(&SHAPES, faults);
    let text = fields.required_text("text", faults);
    let language = Language::of(text.value().map_or("", String::as_str), languages);
    let facts = fields.table("facts", &FACTS, faults);
    let mut facts = facts.value().map(|fields| facts_of(fields, language, faults)).unwrap_or_default();
    let (id, version) = (fields.required_text("id", faults), fields.required_text("version", faults));
    let audiences = audiences(&fields.one_or_more_texts("audience", faults), faults);
    let regions = regions(&fields.one_or_more_texts("region", faults), faults);
    let period = period(fields, faults);
    let At { line, value: text } = text.given()?;
    let (id, version) = (id.value()?.clone(), version.value()?.clone());
    let source = Source {
        evidence: EvidenceSource {
            id: id.clone(),
            version: Some(version.clone()),
            text: Some(text.clone()),
            facts: facts.sentences(),
        },
        id,
        version,
        audiences,
        regions,
        period: period?,
        values: values(&mut facts.stated, text, language.lexicon),
        text: text.clone(),
        facts,
    };
    // Only what the facts list is permitted. A text that grants more is probably not what was meant.
    let unlisted: Vec<String> = unlisted_remedies(&source, language.lexicon).into_iter().collect();
    if !unlisted.is_empty() {
        let message = format!("the text grants {}, which the facts do not list", unlisted.join(", "));
        let hint = "a reply may promise only what `remedies` or `required_remedies` list";
        faults.warning(Problem::at(*line, message).hint(hint));
    }
    Some(source)
}

fn regions(field: &Field<Vec<At<String>>>, faults: &mut Faults) -> Option<BTreeSet<String>> {
    let At { line, value: regions } = field.given()?;
    if regions.is_empty() {
        let problem = Problem::at(*line, "`region` lists no region, so the source counts nowhere");
        faults.error(problem.hint("leave `region` out for a source that counts everywhere"));
    }
    Some(regions.iter().map(|region| folded(&region.value)).collect())
}

fn audiences(field: &Field<Vec<At<String>>>, faults: &mut Faults) -> BTreeSet<String> {
    let Some(given) = field.given() else { return BTreeSet::from([DEFAULT_AUDIENCE.to_owned()]) };
    if given.value.is_empty() {
        let problem = Problem::at(given.line, "`audience` is empty, so the source applies to no customer");
        faults.error(problem.hint(format!("leave `audience` out for {DEFAULT_AUDIENCE:?}")));
    }
    let names = given.value.iter().map(|At { line, value }| {
        let name = folded(value);
        if let Some(meant) = closest(&name, AUDIENCES.iter().copied()).filter(|meant| *meant != name) {
            let problem = Problem::at(*line, format!("audience {value:?} is not {meant:?}"));
            faults.warning(problem.hint(format!("did you mean {meant:?}?")));
        }
        name
    });
    names.collect()
}

/// When a source is in force. `None` where a moment cannot be read.
fn period(fields: &Fields<'_>, faults: &mut Faults) -> Option<Period> {
    let n_before = faults.n_errors();
    let period = Period {
        from: moment(fields, "from", str::parse, faults),
        until: moment(fields, "until", end, faults),
    };
    if faults.n_errors() > n_before {
        return None;
    }
    if period.from.zip(period.until).is_some_and(|(from, until)| until <= from) {
        let line = fields.date("until", faults).given().map_or(fields.line, |at| at.line);
        let problem = Problem::at(line, "`until` is before `from`, so the source is never in force");
        faults.error(problem.hint("a day as `until` is the last day in force"));
    }
    Some(period)
}

/// The moment that a field names, where it is there and can be read.
fn moment(
    fields: &Fields<'_>,
    key: &str,
    read: fn(&str) -> Result<Moment, NotAMoment>,
    faults: &mut Faults,
) -> Option<Moment> {
    let field = fields.date(key, faults);
    let At { line, value } = field.given()?;
    read(value).map_err(|error| faults.error(Problem::at(*line, format!("`{key}`: {error}")))).ok()
}

/// The first moment after what `text` names: a day without a time is in force to its end.
fn end(text: &str) -> Result<Moment, NotAMoment> {
    let moment: Moment = text.parse()?;
    let is_a_day = text.trim().len() == "2026-04-01".len();
    Ok(if is_a_day { moment.next_day() } else { moment })
}

fn facts_of(fields: &Fields<'_>, language: Language<'_>, faults: &mut Faults) -> Facts {
    fields.refuse_unknown_keys(&SHAPES, faults);
    let (remedies, deeds) = (language.languages.remedies(), language.languages.deeds());
    let mut named = |key: &str, what: &str, known: &[&str]| -> BTreeSet<String> {
        let given = fields.one_or_more_texts(key, faults);
        let names = given.value().into_iter().flatten();
        names.filter_map(|name| known_name(name, what, known, faults)).collect()
    };
    let mut facts = Facts {
        permitted: named("remedies", "remedy", &remedies),
        required: named("required_remedies", "remedy", &remedies),
        forbidden: named("forbidden_remedies", "remedy", &remedies),
        deeds: named("deeds", "deed", &deeds),
        stated: Vec::new(),
    };
    facts.permitted.extend(facts.required.iter().cloned());
    let forbidden = fields.one_or_more_texts("forbidden_remedies", &mut Faults::default());
    for At { line, value } in forbidden.value().into_iter().flatten() {
        if facts.permitted.contains(value) {
            let problem = Problem::at(*line, format!("remedy {value:?} is both permitted and forbidden"));
            faults.error(problem.hint("take it out of one of the lists"));
        }
    }
    for kind in FactKind::ALL {
        let texts = fields.labelled_texts(kind.name(), faults);
        for At { line, value: (label, text) } in texts.value().into_iter().flatten() {
            let fact = fact(kind, label.as_deref(), text, language);
            if fact.is_none() {
                let [_, asked, example] = kind.wording();
                let message = format!("{text:?} under `{}` holds no {asked}", kind.name());
                faults.error(Problem::at(*line, message).hint(format!("such as {example:?}")));
            }
            facts.stated.extend(fact);
        }
    }
    facts
}

fn known_name(at: &At<String>, what: &str, known: &[&str], faults: &mut Faults) -> Option<String> {
    if known.contains(&at.value.as_str()) {
        return Some(at.value.clone());
    }
    let problem = Problem::at(at.line, format!("there is no {what} {:?}", at.value));
    faults.error(match closest(&at.value, known.iter().copied()) {
        Some(meant) => problem.hint(format!("did you mean {meant:?}?")),
        None => problem.hint(format!("known: {}", known.join(", "))),
    });
    None
}
