//! From the texts of policy files to a ledger, or to everything that is wrong with them.
//!
//! Each source is checked on its own, then all of them against one another, across files. Problems carry
//! the file and the line, and one does not hide the next.

use std::collections::BTreeSet;

use super::super::claim::Lexicon;
use super::period::end;
use super::spec::{FactsSpec, SourceSpec, source_specs};
use super::stated::{fact, unlisted_remedies, values};
use super::{DEFAULT_AUDIENCE, Facts, Ledger, Period, Regions, Source, folded, protected};
use crate::case::{EvidenceSource, Moment, NotAMoment};
use crate::spec_file::{At, Faults, Field, Problem};
use crate::spelling::closest;

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
pub fn read(files: &[PolicyFile<'_>], lexicon: &Lexicon) -> Result<Reading, Vec<FileProblem>> {
    let mut faults: Vec<Faults> = files.iter().map(|_| Faults::default()).collect();
    let mut drafts = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let faults = &mut faults[index];
        for spec in source_specs(file.text, faults) {
            let source = source(&spec, lexicon, faults);
            drafts.extend(source.map(|source| Draft { source, line: spec.line, file: index }));
        }
    }
    let places = Places { files, faults };
    settle(places.compared(&drafts), files).map(|warnings| {
        let sources = drafts.into_iter().map(|draft| draft.source).collect();
        Reading { ledger: Ledger::new(sources), warnings }
    })
}

/// A source with the place it was written in.
struct Draft {
    source: Source,
    line: usize,
    file: usize,
}

/// What is wrong with each file so far.
struct Places<'f> {
    files: &'f [PolicyFile<'f>],
    faults: Vec<Faults>,
}

impl Places<'_> {
    /// The faults of all files, with what is wrong between two sources.
    fn compared(mut self, drafts: &[Draft]) -> Vec<Faults> {
        let mut by_id: Vec<&Draft> = drafts.iter().collect();
        by_id.sort_by(|a, b| (&a.source.id, a.source.period.from).cmp(&(&b.source.id, b.source.period.from)));
        for versions in by_id.chunk_by(|a, b| a.source.id == b.source.id) {
            for (index, later) in versions.iter().enumerate() {
                for earlier in &versions[..index] {
                    self.compare(earlier, later);
                }
            }
        }
        self.faults
    }

    fn compare(&mut self, earlier: &Draft, later: &Draft) {
        let (one, other) = (&earlier.source, &later.source);
        // The problem is reported where the second of the two stands, in the order of the files.
        let (first, second) = if (earlier.file, earlier.line) < (later.file, later.line) {
            (earlier, later)
        } else {
            (later, earlier)
        };
        let place = || format!("the other stands in {} on line {}", self.files[first.file].name, first.line);
        let problem = if one.version == other.version {
            let message = format!("version {:?} of source {:?} stands twice", one.version, one.id);
            Some(Problem::at(second.line, message).hint(place()))
        } else if one.overlaps(other) {
            overlap(one, other)
                .map(|(message, hint)| Problem::at(second.line, message).hint(format!("{}; {hint}", place())))
        } else {
            None
        };
        if let Some(problem) = problem {
            self.faults[second.file].error(problem);
        }
    }
}

/// What is wrong with the periods of two versions that one case may use, `one` beginning no later.
fn overlap(one: &Source, other: &Source) -> Option<(String, String)> {
    let names = format!("versions {:?} and {:?} of source {:?}", one.version, other.version, one.id);
    if one.period.from == other.period.from {
        let message = format!("{names} begin at the same moment, so nothing says which is in force");
        return Some((message, "give the later one a later `from`".to_owned()));
    }
    let begins = other.period.from?;
    let until = one.period.until.filter(|until| begins < *until)?;
    let message = format!("{names} are both in force from {begins} until {until}");
    Some((message, format!("end {:?} before {begins}, or leave its `until` out", one.version)))
}

fn settle(faults: Vec<Faults>, files: &[PolicyFile<'_>]) -> Result<Vec<FileProblem>, Vec<FileProblem>> {
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

/// The source, as far as it is good. What is missing was reported.
fn source(spec: &SourceSpec, lexicon: &Lexicon, faults: &mut Faults) -> Option<Source> {
    let audiences = audiences(spec, faults);
    let regions = match spec.regions.value() {
        Some(regions) => Regions::Only(regions.iter().map(|region| folded(&region.value)).collect()),
        None => Regions::Everywhere,
    };
    if let (Regions::Only(none), Some(at)) = (&regions, spec.regions.given())
        && none.is_empty()
    {
        let problem = Problem::at(at.line, "`region` lists no region, so the source counts nowhere");
        faults.error(problem.hint("leave `region` out for a source that counts everywhere"));
    }
    let period = period(spec, faults);
    let facts = facts(&spec.facts, lexicon, faults);
    let text = spec.text.given()?;
    let (id, version) = (spec.id.value()?.clone(), spec.version.value()?.clone());
    let source = Source {
        evidence: EvidenceSource {
            id: id.clone(),
            version: Some(version.clone()),
            text: Some(text.value.clone()),
            facts: protected::sentences(&facts),
        },
        id,
        version,
        audiences,
        regions,
        period: period?,
        values: values(&facts.stated, &text.value, lexicon),
        text: text.value.clone(),
        facts,
    };
    warn_of_unlisted_remedies(&source, text.line, lexicon, faults);
    Some(source)
}

/// Only what the facts list is permitted. A text that grants more is probably not what was meant.
fn warn_of_unlisted_remedies(source: &Source, line: usize, lexicon: &Lexicon, faults: &mut Faults) {
    let unlisted: Vec<String> = unlisted_remedies(source, lexicon).into_iter().collect();
    if !unlisted.is_empty() {
        let message = format!("the text grants {}, which the facts do not list", unlisted.join(", "));
        let hint = "a reply may promise only what `remedies` or `required_remedies` list";
        faults.warning(Problem::at(line, message).hint(hint));
    }
}

fn audiences(spec: &SourceSpec, faults: &mut Faults) -> BTreeSet<String> {
    let Some(given) = spec.audiences.given() else { return BTreeSet::from([DEFAULT_AUDIENCE.to_owned()]) };
    if given.value.is_empty() {
        let problem = Problem::at(given.line, "`audience` lists nobody, so nobody may use the source");
        faults.error(problem.hint(format!("leave `audience` out for {DEFAULT_AUDIENCE:?}")));
    }
    for At { line, value } in &given.value {
        let name = folded(value);
        let slip = closest(&name, AUDIENCES.iter().copied()).filter(|meant| *meant != name);
        if let Some(meant) = slip {
            let problem = Problem::at(*line, format!("audience {value:?} is not {meant:?}"));
            faults.warning(problem.hint(format!("did you mean {meant:?}?")));
        }
    }
    given.value.iter().map(|audience| folded(&audience.value)).collect()
}

fn period(spec: &SourceSpec, faults: &mut Faults) -> Option<Period> {
    let from = moment(&spec.from, "from", str::parse, faults)?;
    let until = moment(&spec.until, "until", end, faults)?;
    let period = Period { from, until };
    if period.is_empty() {
        let line = spec.until.given().map_or(spec.line, |at| at.line);
        let problem = Problem::at(line, "`until` is before `from`, so the source is never in force");
        faults.error(problem.hint("a day as `until` is the last day in force"));
    }
    Some(period)
}

/// The moment that a field names. The outer `None` is a fault, the inner one a field that is not there.
#[expect(clippy::option_option, reason = "a fault is not the absence of a bound")]
fn moment(
    field: &Field<String>,
    key: &str,
    read: fn(&str) -> Result<Moment, NotAMoment>,
    faults: &mut Faults,
) -> Option<Option<Moment>> {
    let At { line, value } = match field {
        Field::Absent => return Some(None),
        Field::Faulty => return None,
        Field::Given(at) => at,
    };
    match read(value) {
        Ok(moment) => Some(Some(moment)),
        Err(error) => {
            faults.error(Problem::at(*line, format!("`{key}`: {error}")));
            None
        }
    }
}

fn facts(spec: &FactsSpec, lexicon: &Lexicon, faults: &mut Faults) -> Facts {
    let (remedies, deeds): (Vec<&str>, Vec<&str>) = (lexicon.remedies().collect(), lexicon.deeds().collect());
    let mut known = |given: &[At<String>], what: &str, known: &[&str]| -> BTreeSet<String> {
        given.iter().filter_map(|at| known_name(at, what, known, faults)).collect()
    };
    let required = known(&spec.required, "remedy", &remedies);
    let mut permitted = known(&spec.remedies, "remedy", &remedies);
    let forbidden = known(&spec.forbidden, "remedy", &remedies);
    let deeds = known(&spec.deeds, "deed", &deeds);
    permitted.extend(required.iter().cloned());
    for At { line, value } in &spec.forbidden {
        if permitted.contains(value) {
            let problem = Problem::at(*line, format!("remedy {value:?} is both permitted and forbidden"));
            faults.error(problem.hint("take it out of one of the lists"));
        }
    }
    let stated = spec.stated.iter().filter_map(|(kind, At { line, value: (label, text) })| {
        let fact = fact(*kind, label.as_deref(), text, lexicon);
        if fact.is_none() {
            let (asked, example) = kind.asks_for();
            let message = format!("{text:?} under `{}` holds no {}", kind.name(), asked);
            faults.error(Problem::at(*line, message).hint(format!("such as {example:?}")));
        }
        fact
    });
    Facts { permitted, required, forbidden, deeds, stated: stated.collect() }
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
