//! From the texts of rule files to rules, or to everything that is wrong with them.

use std::collections::BTreeSet;

use regex::RegexBuilder;

use super::super::claim::Value;
use super::super::finding::Severity;
use super::super::policy::{Extent, FactKind, FileProblem, Known, PolicyFile, listed, read_all, terse};
use super::super::rules::own_id;
use super::super::text::Phrases;
use super::shape::JsonShape;
use super::{Condition, OwnRule, OwnRules, Sought, Wanted};
use crate::spec_file::{At, Faults, Fields, Problem, Shape, toml_table};

static TOP: Shape = Shape { place: "the top of the file", keys: &["rule"] };
static RULE: Shape = Shape {
    place: "[[rule]]",
    keys: &[
        "id", "message", "severity", "slices", "must_contain", "must_not_contain", "must_end_with",
        "must_match", "must_not_match", "words_min", "words_max", "links", "json", "languages",
    ],
};
static SHAPES: [&Shape; 2] = [&TOP, &RULE];

/// Reads what a key asks for.
type Reader = fn(&Fields<'_>, &str, &mut Faults) -> Option<Condition>;

/// The keys that say what a rule asks for, each with its reader. The bounds of a length belong together.
const CONDITIONS: &[(&[&str], Reader)] = &[
    (&["must_contain"], |fields, key, faults| phrases(fields, key, Wanted::Somewhere, faults)),
    (&["must_not_contain"], |fields, key, faults| phrases(fields, key, Wanted::Nowhere, faults)),
    (&["must_end_with"], |fields, key, faults| phrases(fields, key, Wanted::AtTheEnd, faults)),
    (&["must_match"], |fields, key, faults| expression(fields, key, Wanted::Somewhere, faults)),
    (&["must_not_match"], |fields, key, faults| expression(fields, key, Wanted::Nowhere, faults)),
    (&["words_min", "words_max"], |fields, _, faults| Some(words(fields, faults))),
    (&["links"], links),
    (&["json"], |fields, key, faults| {
        let members = fields.free_texts(key, faults);
        Some(Condition::Json(JsonShape::new(members.value()?, faults)))
    }),
    (&["languages"], language_codes),
];

/// How many phrases a finding repeats.
const SHOWN_MAX: usize = 3;

/// The largest expression, in bytes of its compiled form.
const EXPRESSION_BYTES_MAX: usize = 256 << 10;

/// Reads rule files, with what should be looked at. All problems are returned, by file and line.
pub fn read(files: &[PolicyFile<'_>]) -> Result<(OwnRules, Vec<FileProblem>), Vec<FileProblem>> {
    let twice = |one: &OwnRule, other: &OwnRule| {
        (one.id == other.id).then(|| format!("there are two rules called {}", one.id))
    };
    let (rules, warnings) = read_all(files, rules_of, twice)?;
    let sources = files.iter().map(|file| (file.name.to_owned(), file.text.to_owned())).collect();
    Ok((OwnRules { rules, sources }, warnings))
}

/// The rules of a file, each with its line.
fn rules_of(text: &str, faults: &mut Faults) -> Vec<At<OwnRule>> {
    let Some(table) = toml_table(text, faults) else { return Vec::new() };
    let rules = Fields::listed(&table, &SHAPES, "add at least one [[rule]]", faults);
    let read = |fields: &Fields<'_>| Some(At { line: fields.line, value: rule(fields, faults)? });
    rules.iter().filter_map(read).collect()
}

/// The rule, as far as it is good. What is missing was reported.
fn rule(fields: &Fields<'_>, faults: &mut Faults) -> Option<OwnRule> {
    fields.refuse_unknown_keys(&SHAPES, faults);
    let written = fields.required_text("id", faults);
    let id = written.given().and_then(|At { line, value }| {
        let id = own_id(&format!("own.{value}"));
        if id.is_none() {
            let message = format!("the id {value:?} must be lower-case letters, digits and `_`, 64 at most");
            faults.error(Problem::at(*line, message).hint("such as id = \"closing_line\""));
        }
        id
    });
    let message = fields.required_text("message", faults);
    let severity = fields.choice("severity", &Severity::NAMED, faults);
    let severity = fields.required("severity", severity, faults);
    let slices = listed(fields, "slices", faults).unwrap_or_default();
    let condition = condition(fields, faults);
    Some(OwnRule {
        id: id?,
        severity: *severity.value()?,
        message: message.value()?.clone(),
        slices: slices.into_iter().map(|slice| slice.value).collect(),
        condition: condition?,
    })
}

/// The one thing that a rule asks for.
fn condition(fields: &Fields<'_>, faults: &mut Faults) -> Option<Condition> {
    let key_of = |(keys, read): &(&[&'static str], Reader)| {
        Some((keys.iter().copied().find(|key| fields.has(key))?, *read))
    };
    let given: Vec<(&str, Reader)> = CONDITIONS.iter().filter_map(key_of).collect();
    if let [(key, read)] = given[..] {
        return read(fields, key, faults);
    }
    let problem = if given.is_empty() {
        let keys: Vec<&str> = CONDITIONS.iter().flat_map(|(keys, _)| keys.iter().copied()).collect();
        Problem::at(fields.line, "the rule asks for nothing").hint(format!("add one of {}", keys.join(", ")))
    } else {
        let keys: Vec<&str> = given.into_iter().map(|(key, _)| key).collect();
        let message = format!("the rule asks for several things: {}", keys.join(", "));
        Problem::at(fields.line, message).hint("make a rule of each")
    };
    faults.error(problem);
    None
}

fn phrases(fields: &Fields<'_>, key: &str, wanted: Wanted, faults: &mut Faults) -> Option<Condition> {
    let written: Vec<String> = listed(fields, key, faults)?.into_iter().map(|phrase| phrase.value).collect();
    let shown: Vec<String> = written.iter().take(SHOWN_MAX).map(|phrase| format!("{phrase:?}")).collect();
    let more = if written.len() > SHOWN_MAX { ", …" } else { "" };
    let search = Phrases::new(written.iter().map(|phrase| (phrase, ())));
    Some(Condition::Text { sought: Sought::Phrases(search, shown.join(" or ") + more), wanted })
}

fn language_codes(fields: &Fields<'_>, key: &str, faults: &mut Faults) -> Option<Condition> {
    let codes = listed(fields, key, faults)?;
    let is_code =
        |code: &str| (2..=3).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_lowercase());
    for At { line, value } in codes.iter().filter(|code| !is_code(&code.value)) {
        let problem = Problem::at(*line, format!("`languages`: {value:?} is no code of a language"));
        faults.error(problem.hint("such as \"de\", its code in ISO 639-1"));
    }
    Some(Condition::Languages(codes.into_iter().map(|code| code.value).collect()))
}

fn expression(fields: &Fields<'_>, key: &str, wanted: Wanted, faults: &mut Faults) -> Option<Condition> {
    let field = fields.text(key, faults);
    let At { line, value } = field.given()?;
    match RegexBuilder::new(value).size_limit(EXPRESSION_BYTES_MAX).build() {
        Ok(expression) => Some(Condition::Text { sought: Sought::Expression(expression), wanted }),
        Err(error) => {
            // The last line of several says what is wrong.
            let said = error.to_string();
            let said = said.lines().last().unwrap_or("").trim_start_matches("error: ");
            let problem = Problem::at(*line, format!("`{key}` cannot be used: {said}"));
            faults
                .error(problem.hint("an expression as in ripgrep, in single quotes: '(?i)\\bguarantee\\b'"));
            None
        }
    }
}

fn words(fields: &Fields<'_>, faults: &mut Faults) -> Condition {
    let mut bound = |key, open| fields.integer(key, faults).value().copied().unwrap_or(open);
    let (least, most) = (bound("words_min", 0), bound("words_max", i64::MAX));
    if least > most {
        let message = format!("no reply has at least {least} and at most {most} words");
        faults.error(Problem::at(fields.line, message));
    }
    Condition::Words { least, most }
}

/// The allowed links. A host without a path stands for all its pages.
fn links(fields: &Fields<'_>, key: &str, faults: &mut Faults) -> Option<Condition> {
    let mut known = BTreeSet::new();
    for At { line, value } in listed(fields, key, faults)? {
        match terse(FactKind::Contact, &value) {
            Some(Value::Link(link)) if link.contains('/') => known.insert(link),
            Some(Value::Link(host)) => known.insert(format!("{host}/*")),
            _ => {
                let problem = Problem::at(line, format!("`links`: {value:?} is no link"));
                faults.error(problem.hint("such as \"example.com\" or \"help.example.com/returns/*\""));
                false
            }
        };
    }
    let links = known.into_iter().map(|link| (Extent::One(Value::Link(link)), ()));
    Some(Condition::Links(Known::of(links)))
}
