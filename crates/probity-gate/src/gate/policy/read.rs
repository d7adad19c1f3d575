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
use crate::spec_file::{At, Faults, Fields, Problem, Shape, json_tables, toml_table};
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
    let read = |text: &str, faults: &mut Faults| sources(text, languages, faults);
    let (sources, warnings) = read_all(files, read, conflict)?;
    Ok(Reading { ledger: Ledger::new(sources), warnings })
}

/// What `read` finds in files, with what should be looked at. What `conflict` finds wrong between two is reported where the
/// second of them stands.
pub(in crate::gate) fn read_all<T>(
    files: &[PolicyFile<'_>],
    read: impl Fn(&str, &mut Faults) -> Vec<At<T>>,
    conflict: impl Fn(&T, &T) -> Option<String>,
) -> Result<(Vec<T>, Vec<FileProblem>), Vec<FileProblem>> {
    let (mut found, mut errors, mut warnings) =
        (Vec::<(&PolicyFile<'_>, At<T>)>::new(), Vec::new(), Vec::new());
    for file in files {
        let mut faults = Faults::default();
        for second in read(file.text.trim_start_matches('\u{feff}'), &mut faults) {
            for (other, first) in &found {
                if let Some(message) = conflict(&first.value, &second.value) {
                    let place = format!("the other stands in {} on line {}", other.name, first.line);
                    faults.error(Problem::at(second.line, message).hint(place));
                }
            }
            found.push((file, second));
        }
        let (problems, settled) = match faults.settle() {
            Ok(settled) => (&mut warnings, settled),
            Err(settled) => (&mut errors, settled),
        };
        let named = |problem| FileProblem { file: file.name.to_owned(), problem };
        problems.extend(settled.into_iter().map(named));
    }
    if errors.is_empty() {
        Ok((found.into_iter().map(|(_, it)| it.value).collect(), warnings))
    } else {
        Err(errors)
    }
}

/// What is wrong with two sources, if they are versions of one.
fn conflict(one: &Source, other: &Source) -> Option<String> {
    if one.id != other.id {
        return None;
    }
    if one.version == other.version {
        return Some(format!("version {:?} of source {:?} stands twice", one.version, one.id));
    }
    let (one, other) = if one.period.from <= other.period.from { (one, other) } else { (other, one) };
    let names = format!("versions {:?} and {:?} of source {:?}", one.version, other.version, one.id);
    if !one.overlaps(other) {
        None
    } else if one.period.from == other.period.from {
        Some(format!("{names} begin at the same moment, so nothing says which is in force"))
    } else {
        let begins = other.period.from?;
        let until = one.period.until.filter(|until| begins < *until)?;
        Some(format!("{names} are both in force from {begins} until {until}"))
    }
}

/// The sources of a file, each with its line.
fn sources(text: &str, languages: &Languages, faults: &mut Faults) -> Vec<At<Source>> {
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
    let audiences = audiences(fields, faults);
    let regions = listed(fields, "region", faults).map(names);
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
        period,
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

/// A text or a list of texts, which is not empty.
pub(in crate::gate) fn listed(
    fields: &Fields<'_>,
    key: &str,
    faults: &mut Faults,
) -> Option<Vec<At<String>>> {
    let field = fields.one_or_more_texts(key, faults);
    let At { line, value } = field.given()?;
    if value.is_empty() {
        faults.error(Problem::at(*line, format!("`{key}` lists nothing")).hint("leave it out, or name one"));
        return None;
    }
    Some(value.clone())
}

/// The names of audiences or regions.
fn names(listed: Vec<At<String>>) -> BTreeSet<String> {
    listed.into_iter().map(|name| folded(&name.value)).collect()
}

fn audiences(fields: &Fields<'_>, faults: &mut Faults) -> BTreeSet<String> {
    let Some(given) = listed(fields, "audience", faults) else {
        return BTreeSet::from([DEFAULT_AUDIENCE.to_owned()]);
    };
    for At { line, value } in &given {
        let name = folded(value);
        if let Some(meant) = closest(&name, AUDIENCES.iter().copied()).filter(|meant| *meant != name) {
            let problem = Problem::at(*line, format!("audience {value:?} is not {meant:?}"));
            faults.warning(problem.hint(format!("did you mean {meant:?}?")));
        }
    }
    names(given)
}

/// When a source is in force.
fn period(fields: &Fields<'_>, faults: &mut Faults) -> Period {
    let mut moment = |key: &str, read: fn(&str) -> Result<Moment, NotAMoment>| {
        let field = fields.date(key, faults);
        let At { line, value } = field.given()?;
        let read = read(value).map_err(|error| faults.error(Problem::at(*line, format!("`{key}`: {error}"))));
        Some(At { line: *line, value: read.ok()? })
    };
    let (from, until) = (moment("from", str::parse), moment("until", end));
    if let (Some(from), Some(until)) = (&from, &until)
        && until.value <= from.value
    {
        let problem = Problem::at(until.line, "`until` is before `from`, so the source is never in force");
        faults.error(problem.hint("a day as `until` is the last day in force"));
    }
    Period { from: from.map(|at| at.value), until: until.map(|at| at.value) }
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
    for remedy in facts.permitted.intersection(&facts.forbidden) {
        let problem = Problem::at(fields.line, format!("remedy {remedy:?} is both permitted and forbidden"));
        faults.error(problem.hint("take it out of one of the lists"));
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
    let hint = match closest(&at.value, known.iter().copied()) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => format!("known: {}", known.join(", ")),
    };
    faults.error(Problem::at(at.line, format!("there is no {what} {:?}", at.value)).hint(hint));
    None
}
