//! From the text of a contract file to a contract, or to everything that is wrong with it.
//!
//! Every key that a contract may have stands in the tables below; the reader and its hints come from them.

use std::collections::{BTreeMap, BTreeSet};

use super::contract::{AgreementFloors, Answers, BLOCKING, Contract, Floor, Kappa, ROWS_MIN, SliceFloors};
use crate::case::{Moment, NotAMoment};
use crate::exact::Exact;
use crate::gate::{self, RuleSetting, Severity};
use crate::spec_file::{At, Faults, Field, Fields, Problem, Shape, toml_table};
use crate::spelling::closest;

/// The longest that a standing may be good for.
const VALID_DAYS_MAX: i64 = 3_650;
/// The most rows that a contract may ask for.
const ROWS_MAX: i64 = 1_000_000;
/// How many models may have answered, as files say it.
const FINGERPRINTS: &[(&str, Answers)] = &[("one", Answers::OneModel), ("any", Answers::Any)];
/// The word for every probe.
const ALL_PROBES: &str = "all";

static TOP: Shape = Shape {
    place: "the top of the file",
    keys: &[
        "name", "version", "owner", "gates", "labels", "agreement", "slices", "slice", "probes", "review",
        "coverage", "model", "expiry",
    ],
};
static GATES: Shape = Shape { place: "[gates]", keys: &["block"] };
static LABELS: Shape = Shape { place: "[labels]", keys: &["rows_min"] };
static AGREEMENT: Shape =
    Shape { place: "[agreement]", keys: &["measure", "lower_bound_min", "human_share_min", "beats"] };
static SLICES: Shape =
    Shape { place: "[slices]", keys: &["rows_min", "agreement_lower_bound_min", "lower_bound_min"] };
static SLICE: Shape =
    Shape { place: "[[slice]]", keys: &["name", "rows_min", "agreement_lower_bound_min", "lower_bound_min"] };
static PROBES: Shape = Shape { place: "[probes]", keys: &["pass"] };
static REVIEW: Shape = Shape { place: "[review]", keys: &["path"] };
static COVERAGE: Shape = Shape { place: "[coverage]", keys: &["min"] };
static MODEL: Shape = Shape { place: "[model]", keys: &["fingerprints", "days_min"] };
static EXPIRY: Shape = Shape { place: "[expiry]", keys: &["valid_days", "until"] };
static SHAPES: [&Shape; 11] =
    [&TOP, &GATES, &LABELS, &AGREEMENT, &SLICES, &SLICE, &PROBES, &REVIEW, &COVERAGE, &MODEL, &EXPIRY];

/// A contract with what should be looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractReading {
    /// The contract.
    pub contract: Contract,
    /// What is allowed and probably not meant, by line.
    pub warnings: Vec<Problem>,
}

/// Reads the text of a contract file. All its problems are returned, by line.
pub fn read(text: &str) -> Result<ContractReading, Vec<Problem>> {
    let mut faults = Faults::default();
    let contract = contract(text, &mut faults);
    let warnings = faults.settle()?;
    let contract = contract.expect("a file without an error has everything a contract needs");
    Ok(ContractReading { contract, warnings })
}

fn contract(text: &str, faults: &mut Faults) -> Option<Contract> {
    let table = toml_table(text, faults)?;
    let top = Fields::top(&TOP, &table, 1);
    top.refuse_unknown_keys(&SHAPES, faults);
    // A contract that any judge above chance would meet is probably not finished.
    if !["agreement", "slice", "slices"].iter().any(|key| top.has(key)) {
        let problem = Problem::at(1, "the contract asks for no more agreement with people than chance");
        faults.warning(problem.hint("add [agreement] with lower_bound_min, such as 0.60"));
    }
    let [name, version, owner] = ["name", "version", "owner"]
        .map(|key| top.required_text(key, faults).value().cloned().unwrap_or_default());
    let block = inside(&top, ("gates", "block"), &GATES, faults, Fields::one_or_more_texts);
    let rows_min = inside(&top, ("labels", "rows_min"), &LABELS, faults, Fields::integer);
    let probes = inside(&top, ("probes", "pass"), &PROBES, faults, Fields::one_or_more_texts);
    let coverage_min = inside(&top, ("coverage", "min"), &COVERAGE, faults, Fields::decimal);
    let (answers, model_days_min) = model(&top, faults);
    let (valid_days, until) = expiry(&top, faults);
    Some(Contract {
        name,
        version,
        owner,
        blocking: blocking(&block, faults),
        rows_min: rows(&rows_min, ROWS_MIN, faults).unwrap_or(ROWS_MIN),
        agreement: agreement(&top, faults).unwrap_or_default(),
        every_slice: given(&top, "slices", &SLICES, faults)
            .map(|fields| slice_floors(&fields, faults))
            .unwrap_or_default(),
        slices: slices(&top, faults),
        probes: self::probes(&probes, faults),
        review_path: given(&top, "review", &REVIEW, faults)
            .and_then(|fields| fields.text("path", faults).value().cloned()),
        coverage_min: share("min", &coverage_min, faults),
        answers,
        model_days_min,
        valid_days,
        until,
        hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
    })
}

/// The table called `key`, if there is a good one.
fn given<'a>(top: &Fields<'a>, key: &str, shape: &'static Shape, faults: &mut Faults) -> Option<Fields<'a>> {
    let fields = *top.table(key, shape, faults).value()?;
    fields.refuse_unknown_keys(&SHAPES, faults);
    Some(fields)
}

/// What a table says under its only key, whose absence is reported.
fn inside<'a, T>(
    top: &Fields<'a>,
    (table, key): (&str, &str),
    shape: &'static Shape,
    faults: &mut Faults,
    read: impl FnOnce(&Fields<'a>, &str, &mut Faults) -> Field<T>,
) -> Field<T> {
    match top.table(table, shape, faults) {
        Field::Absent => Field::Absent,
        Field::Faulty => Field::Faulty,
        Field::Given(At { value: fields, .. }) => {
            fields.refuse_unknown_keys(&SHAPES, faults);
            let field = read(&fields, key, faults);
            fields.required(key, field, faults)
        }
    }
}

/// The rules that must block: those of every contract, and those that the file adds. A family stands for those of its
/// rules that block unless settings say otherwise.
fn blocking(names: &Field<Vec<At<String>>>, faults: &mut Faults) -> Vec<&'static str> {
    let mut ids: BTreeSet<&str> = BLOCKING.into_iter().flat_map(rules_named).collect();
    if let Some(At { line, value }) = names.given()
        && value.is_empty()
    {
        let problem = Problem::at(*line, "`block` lists nothing that must block");
        faults.error(problem.hint("such as block = [\"claim.*\"], or leave [gates] out"));
    }
    for name in names.value().into_iter().flatten() {
        let found = rules_named(&name.value);
        if found.is_empty() {
            faults.error(unknown_rule(name));
        }
        ids.extend(found);
    }
    gate::in_order(ids)
}

fn rules_named(name: &str) -> Vec<&'static str> {
    let blocks = |id: &&'static str| gate::rule(id).is_some_and(|rule| rule.severity == Severity::Block);
    if let Some(id) = gate::rule(name).map(|rule| rule.id).or_else(|| gate::own_id(name)) {
        return vec![id];
    }
    let family = if name.ends_with(".*") { name.to_owned() } else { format!("{name}.*") };
    gate::ids_named(&family).into_iter().filter(blocks).collect()
}

fn unknown_rule(name: &At<String>) -> Problem {
    let family = name.value.trim_end_matches(".*");
    let families: BTreeSet<&str> =
        gate::rules().filter_map(|rule| Some(rule.id.split_once('.')?.0)).collect();
    if families.contains(family) {
        let message = format!("no rule of the family `{family}` is meant to {}", RuleSetting::Block.name());
        return Problem::at(name.line, message)
            .hint("name the rules themselves; `probity gate rules` lists them");
    }
    let problem =
        Problem::at(name.line, format!("the gate has no rule and no family called {:?}", name.value));
    let known = gate::rules().map(|rule| rule.id).chain(families.iter().copied());
    match closest(family, known) {
        Some(meant) => problem.hint(format!("did you mean \"{meant}\"?")),
        None => problem.hint(format!(
            "families: {}; `probity gate rules` lists the rules",
            families.into_iter().collect::<Vec<_>>().join(", ")
        )),
    }
}

fn agreement(top: &Fields<'_>, faults: &mut Faults) -> Option<AgreementFloors> {
    let fields = given(top, "agreement", &AGREEMENT, faults)?;
    if !["lower_bound_min", "human_share_min", "beats"].iter().any(|key| fields.has(key)) {
        let problem = Problem::at(fields.line, "[agreement] asks for nothing");
        faults.error(problem.hint("say `lower_bound_min`, `human_share_min` or `beats`"));
    }
    let mut beats: Vec<Floor> = Vec::new();
    if let Some(At { line, value: names }) = fields.one_or_more_texts("beats", faults).given() {
        if names.is_empty() {
            let problem = Problem::at(*line, "`beats` lists no judge");
            faults.error(problem.hint("such as beats = [\"baseline\", \"constant\"]"));
        }
        beats.extend(names.iter().filter_map(|name| floor_named(name, faults)));
        beats.sort();
        beats.dedup();
    }
    Some(AgreementFloors {
        kappa: fields.choice("measure", &Kappa::NAMED, faults).value().copied().unwrap_or_default(),
        lower_bound_min: share_of(&fields, "lower_bound_min", faults),
        human_share_min: share_of(&fields, "human_share_min", faults),
        beats,
    })
}

fn slices(top: &Fields<'_>, faults: &mut Faults) -> BTreeMap<String, SliceFloors> {
    let mut slices = BTreeMap::new();
    for fields in top.tables("slice", &SLICE, faults) {
        fields.refuse_unknown_keys(&SHAPES, faults);
        let name = fields.required_text("name", faults);
        let floors = slice_floors(&fields, faults);
        let Some(At { line, value: name }) = name.given() else { continue };
        if slices.insert(name.clone(), floors).is_some() {
            let problem = Problem::at(*line, format!("slice {name:?} stands twice"));
            faults.error(problem.hint("say all that it must reach in one [[slice]]"));
        }
    }
    slices
}

fn slice_floors(fields: &Fields<'_>, faults: &mut Faults) -> SliceFloors {
    if !["rows_min", "agreement_lower_bound_min", "lower_bound_min"].iter().any(|key| fields.has(key)) {
        let problem = Problem::at(fields.line, "a slice that must reach nothing");
        faults.error(problem.hint("say `rows_min`, `agreement_lower_bound_min` or `lower_bound_min`"));
    }
    let rows_min = fields.integer("rows_min", faults);
    SliceFloors {
        rows_min: rows(&rows_min, 1, faults),
        agreement_lower_bound_min: share_of(fields, "agreement_lower_bound_min", faults),
        lower_bound_min: share_of(fields, "lower_bound_min", faults),
    }
}

/// The names that `beats` may list.
fn floor_named(name: &At<String>, faults: &mut Faults) -> Option<Floor> {
    let floor = Floor::from_name(&name.value);
    if floor.is_none() {
        let names = Floor::ALL.map(Floor::name).join(", ");
        let message = format!("`beats` must list some of {names}, found {:?}", name.value);
        faults.error(Problem::at(name.line, message));
    }
    floor
}

/// The probes that must have been made, beside the word for all of them.
fn probes(names: &Field<Vec<At<String>>>, faults: &mut Faults) -> Vec<String> {
    let Some(At { line, value: names }) = names.given() else { return Vec::new() };
    if names.is_empty() {
        let problem = Problem::at(*line, "`pass` lists no probe");
        faults.error(problem.hint("write pass = [\"all\"], or leave [probes] out"));
    }
    if !names.is_empty() && !names.iter().any(|name| name.value == ALL_PROBES) {
        let problem = Problem::at(*line, "`pass` does not list \"all\", and every probe must pass");
        faults.error(problem.hint("add \"all\"; the others say which probes must have been made"));
    }
    names.iter().map(|name| name.value.clone()).filter(|name| name != ALL_PROBES).collect()
}

fn share_of(fields: &Fields<'_>, key: &str, faults: &mut Faults) -> Option<f64> {
    let field = fields.decimal(key, faults);
    share(key, &field, faults)
}

fn share(key: &str, field: &Field<Exact>, faults: &mut Faults) -> Option<f64> {
    let At { line, value } = field.given()?;
    if *value < Exact::ZERO || *value > Exact::from(1) {
        let message = format!("`{key}` must be from 0 to 1, found {value}");
        faults.error(Problem::at(*line, message).hint("a share or a kappa: 0.6, not 60"));
    }
    Some(value.to_f64())
}

fn rows(field: &Field<i64>, least: u64, faults: &mut Faults) -> Option<u64> {
    let At { line, value } = field.given()?;
    if !(least.cast_signed()..=ROWS_MAX).contains(value) {
        let message = format!("`rows_min` must be from {least} to {ROWS_MAX}, found {value}");
        faults.error(Problem::at(*line, message));
    }
    Some(value.unsigned_abs())
}

fn expiry(top: &Fields<'_>, faults: &mut Faults) -> (Option<u32>, Option<Moment>) {
    let Some(fields) = given(top, "expiry", &EXPIRY, faults) else { return (None, None) };
    if !fields.has("valid_days") && !fields.has("until") {
        let problem = Problem::at(fields.line, "[expiry] says neither `valid_days` nor `until`");
        faults.error(problem.hint("such as valid_days = 90"));
    }
    let days = days(&fields, "valid_days", faults);
    let until = fields.date("until", faults);
    let until = until.given().and_then(|At { line, value }| {
        let moment: Result<Moment, NotAMoment> = value.parse();
        moment.map_err(|error| faults.error(Problem::at(*line, format!("`until`: {error}")))).ok()
    });
    (days, until)
}

/// How many models may have answered, and how many days the model must still have.
fn model(top: &Fields<'_>, faults: &mut Faults) -> (Answers, Option<u32>) {
    let Some(fields) = given(top, "model", &MODEL, faults) else { return (Answers::default(), None) };
    if !fields.has("fingerprints") && !fields.has("days_min") {
        let problem = Problem::at(fields.line, "[model] says neither `fingerprints` nor `days_min`");
        faults.error(problem.hint("such as fingerprints = \"one\""));
    }
    let answers = fields.choice("fingerprints", FINGERPRINTS, faults).value().copied().unwrap_or_default();
    (answers, days(&fields, "days_min", faults))
}

fn days(fields: &Fields<'_>, key: &str, faults: &mut Faults) -> Option<u32> {
    let field = fields.integer(key, faults);
    let At { line, value } = field.given()?;
    if !(1..=VALID_DAYS_MAX).contains(value) {
        let message = format!("`{key}` must be from 1 to {VALID_DAYS_MAX}, found {value}");
        faults.error(Problem::at(*line, message));
    }
    u32::try_from(*value).ok()
}
