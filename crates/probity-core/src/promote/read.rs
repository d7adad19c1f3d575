//! From the text of a contract file to a contract, or to everything that is wrong with it.

use std::collections::{BTreeMap, BTreeSet};

use super::contract::{AgreementFloors, BLOCKING, Contract, Floor, ROWS_MIN, SliceFloors};
use super::spec::{AgreementSpec, ContractSpec, SliceSpec, contract_spec, floor_named};
use crate::case::{Moment, NotAMoment};
use crate::exact::Exact;
use crate::gate::{self, RuleSetting, Severity};
use crate::spec_file::{At, Faults, Field, Problem, toml_table};
use crate::spelling::closest;

/// The longest that a standing may be good for.
const VALID_DAYS_MAX: i64 = 3_650;
/// The most rows that a contract may ask for.
const ROWS_MAX: i64 = 1_000_000;
/// The word for every probe.
const ALL_PROBES: &str = "all";

/// A contract with what should be looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The contract.
    pub contract: Contract,
    /// What is allowed and probably not meant, by line.
    pub warnings: Vec<Problem>,
}

/// Reads the text of a contract file. All its problems are returned, by line.
pub fn read(text: &str) -> Result<Reading, Vec<Problem>> {
    let mut faults = Faults::default();
    let contract = contract(text, &mut faults);
    let warnings = faults.settle()?;
    let contract = contract.expect("a file without an error has everything a contract needs");
    Ok(Reading { contract, warnings })
}

fn contract(text: &str, faults: &mut Faults) -> Option<Contract> {
    let table = toml_table(text, faults)?;
    let spec = contract_spec(&table, faults);
    let blocking = blocking(&spec.block, faults);
    let agreement = spec.agreement.given().map(|at| agreement(at, faults)).unwrap_or_default();
    let every_slice = spec.every_slice.value().map(|slice| slice_floors(slice, faults)).unwrap_or_default();
    let slices = slices(&spec.slices, faults);
    let probes = probes(&spec.probes, faults);
    let contract = Contract {
        name: spec.name.value().cloned().unwrap_or_default(),
        version: spec.version.value().cloned().unwrap_or_default(),
        owner: spec.owner.value().cloned().unwrap_or_default(),
        blocking,
        rows_min: rows(&spec.rows_min, ROWS_MIN, faults).unwrap_or(ROWS_MIN),
        agreement,
        every_slice,
        slices,
        probes,
        review_path: spec.review.value().and_then(|path| path.value().cloned()),
        coverage_min: share("min", &spec.coverage_min, faults),
        answers: spec.answers.value().copied().unwrap_or_default(),
        valid_days: valid_days(&spec.valid_days, faults),
        until: until(&spec.until, faults),
        hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
    };
    warn_of_little(&spec, faults);
    Some(contract)
}

/// A contract that any judge above chance would meet is probably not finished.
fn warn_of_little(spec: &ContractSpec, faults: &mut Faults) {
    let agreement = matches!(spec.agreement, Field::Absent);
    if agreement && spec.slices.is_empty() && matches!(spec.every_slice, Field::Absent) {
        let problem = Problem::at(1, "the contract asks for no more agreement with people than chance");
        faults.warning(problem.hint("add [agreement] with lower_bound_min, such as 0.60"));
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
    gate::rules().map(|rule| rule.id).filter(|id| ids.contains(id)).collect()
}

fn rules_named(name: &str) -> Vec<&'static str> {
    let blocks = |id: &&'static str| gate::rule(id).is_some_and(|rule| rule.severity == Severity::Block);
    if let Some(rule) = gate::rule(name) {
        return vec![rule.id];
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

fn agreement(spec: &At<AgreementSpec>, faults: &mut Faults) -> AgreementFloors {
    let At { line, value: spec } = spec;
    let (bound, share_of_people) = (&spec.lower_bound_min, &spec.human_share_min);
    if let (Field::Absent, Field::Absent, Field::Absent) = (bound, share_of_people, &spec.beats) {
        let problem = Problem::at(*line, "[agreement] asks for nothing");
        faults.error(problem.hint("say `lower_bound_min`, `human_share_min` or `beats`"));
    }
    let mut beats: Vec<Floor> = Vec::new();
    if let Some(At { line, value: names }) = spec.beats.given() {
        if names.is_empty() {
            let problem = Problem::at(*line, "`beats` lists nobody");
            faults.error(problem.hint("such as beats = [\"baseline\", \"constant\"]"));
        }
        beats.extend(names.iter().filter_map(|name| floor_named(name, faults)));
        beats.sort();
        beats.dedup();
    }
    AgreementFloors {
        kappa: spec.kappa.value().copied().unwrap_or_default(),
        lower_bound_min: share("lower_bound_min", bound, faults),
        human_share_min: share("human_share_min", share_of_people, faults),
        beats,
    }
}

fn slices(specs: &[SliceSpec], faults: &mut Faults) -> BTreeMap<String, SliceFloors> {
    let mut slices = BTreeMap::new();
    for spec in specs {
        let floors = slice_floors(spec, faults);
        let Some(At { line, value: name }) = spec.name.given() else { continue };
        if slices.insert(name.clone(), floors).is_some() {
            let problem = Problem::at(*line, format!("slice {name:?} stands twice"));
            faults.error(problem.hint("say all that it must reach in one [[slice]]"));
        }
    }
    slices
}

fn slice_floors(spec: &SliceSpec, faults: &mut Faults) -> SliceFloors {
    let absent = matches!(spec.rows_min, Field::Absent)
        && matches!(spec.agreement_lower_bound_min, Field::Absent)
        && matches!(spec.lower_bound_min, Field::Absent);
    if absent {
        let problem = Problem::at(spec.line, "a slice that must reach nothing");
        faults.error(problem.hint("say `rows_min`, `agreement_lower_bound_min` or `lower_bound_min`"));
    }
    SliceFloors {
        rows_min: rows(&spec.rows_min, 1, faults),
        agreement_lower_bound_min: share(
            "agreement_lower_bound_min",
            &spec.agreement_lower_bound_min,
            faults,
        ),
        lower_bound_min: share("lower_bound_min", &spec.lower_bound_min, faults),
    }
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

fn valid_days(field: &Field<i64>, faults: &mut Faults) -> Option<u32> {
    let At { line, value } = field.given()?;
    if !(1..=VALID_DAYS_MAX).contains(value) {
        let message = format!("`valid_days` must be from 1 to {VALID_DAYS_MAX}, found {value}");
        faults.error(Problem::at(*line, message));
    }
    u32::try_from(*value).ok()
}

fn until(field: &Field<String>, faults: &mut Faults) -> Option<Moment> {
    let At { line, value } = field.given()?;
    let moment: Result<Moment, NotAMoment> = value.parse();
    moment.map_err(|error| faults.error(Problem::at(*line, format!("`until`: {error}")))).ok()
}
