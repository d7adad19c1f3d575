//! What the criteria add up to: weights, the pass mark, automatic fails.
//!
//! Nothing is normalised or repaired: a total out of 100 must mean the same in every rubric, and a rule
//! that always or never holds is a mistake, not a rule.

use super::criteria::CriterionDraft;
use super::spec::{AUTOMATIC_FAIL, PASS, SHAPES};
use super::{AutomaticFail, CriterionId, Decider, Direction, PassRule, Scale};
use crate::exact::Exact;
use crate::spec_file::{At, Faults, Field, Fields, Problem};

/// How much common width the scales may need for a total that is still an exact fraction.
const COMMON_WIDTH_MAX: i128 = 100_000_000;

/// What is known about the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weights {
    /// No criterion has one: the rubric has no total.
    Absent,
    /// Something is wrong with them, and reported.
    Faulty,
    /// They sum to 100.
    Good {
        /// The sum, which may differ from 100 by the tolerance.
        highest: Exact,
        /// What a reply has in any case, because a gate grants it.
        lowest: Exact,
    },
}

/// `[[automatic_fail]]`.
pub(super) struct AutomaticFailSpec {
    line: usize,
    criterion: Field<String>,
    worse_than: Field<i64>,
}

/// The automatic fails as they are written.
pub(super) fn automatic_fail_specs(top: &Fields<'_>, faults: &mut Faults) -> Vec<AutomaticFailSpec> {
    let tables = top.tables("automatic_fail", &AUTOMATIC_FAIL, faults);
    let spec = |fields: &Fields<'_>| {
        fields.refuse_unknown_keys(&SHAPES, faults);
        let worse_than = fields.integer("worse_than", faults);
        AutomaticFailSpec {
            line: fields.line,
            criterion: fields.required_text("criterion", faults),
            worse_than: fields.required("worse_than", worse_than, faults),
        }
    };
    tables.iter().map(spec).collect()
}

/// Checks each weight and their sum.
pub(super) fn weights(
    drafts: &[CriterionDraft<'_>],
    fails: &[AutomaticFailSpec],
    faults: &mut Faults,
) -> Weights {
    check_common_width(drafts, faults);
    let Some(first) = drafts.iter().find(|draft| !matches!(draft.spec.weight, Field::Absent)) else {
        return Weights::Absent;
    };
    let mut given = Vec::new();
    for draft in drafts {
        match &draft.spec.weight {
            Field::Faulty => {}
            Field::Absent => {
                let (name, other) = (draft.written_id().unwrap_or("?"), first.written_id().unwrap_or("?"));
                let problem =
                    Problem::at(draft.spec.line, format!("criterion {name} has no weight, but {other} has"));
                faults.error(problem.hint("give every criterion a weight, or none"));
            }
            Field::Given(weight) => given.extend(weight_in_range(draft, weight, fails, faults)),
        }
    }
    if given.len() < drafts.len() {
        return Weights::Faulty;
    }
    sum(drafts, &given, faults)
}

fn weight_in_range(
    draft: &CriterionDraft<'_>,
    weight: &At<Exact>,
    fails: &[AutomaticFailSpec],
    faults: &mut Faults,
) -> Option<Exact> {
    let At { line, value } = *weight;
    if value < Exact::ZERO || value > Exact::from(100) {
        let problem =
            Problem::at(line, format!("weight {} is out of range, expected 0 to 100", plain(value)));
        faults.error(problem.hint("a weight is the points out of 100 that the best level earns"));
        return None;
    }
    let can_fail = fails.iter().any(|fail| fail.criterion.value().map(String::as_str) == draft.written_id());
    if value == Exact::ZERO && !can_fail {
        let problem = Problem::at(line, "weight 0: the criterion does not count towards the total");
        faults.warning(problem.hint("give it points, or an [[automatic_fail]]"));
    }
    Some(value)
}

fn sum(drafts: &[CriterionDraft<'_>], given: &[Exact], faults: &mut Faults) -> Weights {
    let highest: Exact = given.iter().copied().sum();
    let off =
        if highest < Exact::from(100) { Exact::from(100) - highest } else { highest - Exact::from(100) };
    if off > tolerance() {
        let line = drafts.iter().filter_map(|draft| draft.spec.weight.given()).map(|at| at.line).min();
        let terms: Vec<String> = given.iter().map(|weight| plain(*weight)).collect();
        let problem =
            Problem::at(line.unwrap_or(1), format!("weights sum to {}, expected 100", plain(highest)));
        let hint = format!("{} = {}; weights are not normalised", terms.join(" + "), plain(highest));
        faults.error(problem.hint(hint));
        return Weights::Faulty;
    }
    let granted = |(draft, _): &(&CriterionDraft<'_>, &Exact)| draft.decider() == Decider::Gate;
    let lowest = drafts.iter().zip(given).filter(granted).map(|(_, weight)| *weight).sum();
    Weights::Good { highest, lowest }
}

/// Weights such as 33.3333333333 three times are meant to sum to 100.
fn tolerance() -> Exact {
    Exact::ratio(1, 1_000_000_000).expect("a billion is not zero")
}

/// Totals, and means over the criteria of a rubric without weights, are sums of fractions over the widths of
/// the scales; those must stay whole numbers of sane size.
fn check_common_width(drafts: &[CriterionDraft<'_>], faults: &mut Faults) {
    let widths =
        drafts.iter().filter_map(|draft| draft.scale.as_ref()).map(|s| i128::from(s.max() - s.min()));
    let common = widths.fold(1, |common: i128, width| common.saturating_mul(width / gcd(common, width)));
    if common > COMMON_WIDTH_MAX {
        let line = drafts.first().map_or(1, |draft| draft.spec.line);
        let problem = Problem::at(line, "the scales are too different to be added up exactly");
        faults.error(problem.hint("let criteria share a scale"));
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The pass rule, if the file has a good one.
pub(super) fn pass_rule(
    top: &Fields<'_>,
    fails: &[AutomaticFailSpec],
    drafts: &[CriterionDraft<'_>],
    weights: Weights,
    faults: &mut Faults,
) -> Option<PassRule> {
    let automatic_fails = automatic_fails(fails, drafts, faults);
    if let (false, Some(fail)) = (top.has("pass"), fails.first()) {
        let problem = Problem::at(fail.line, "[[automatic_fail]] without [pass]: nothing can fail");
        faults.error(problem.hint("add [pass] with total_min"));
    }
    let pass = *top.table("pass", &PASS, faults).value()?;
    pass.refuse_unknown_keys(&SHAPES, faults);
    let total_min = pass.decimal("total_min", faults);
    let total_min = pass.required("total_min", total_min, faults).given()?.clone();
    let (highest, lowest) = match weights {
        Weights::Absent => {
            let problem = Problem::at(pass.line, "[pass] needs a total, but no criterion has a weight");
            faults.error(problem.hint("give every criterion a weight; they must sum to 100"));
            return None;
        }
        Weights::Faulty => (Exact::from(100), Exact::ZERO),
        Weights::Good { highest, lowest } => (highest, lowest),
    };
    let mark = plain(total_min.value);
    if total_min.value > highest {
        let message = format!("no reply can reach total_min {mark}: the highest total is {}", plain(highest));
        faults.error(
            Problem::at(total_min.line, message).hint("set it between the lowest and the highest total"),
        );
    }
    if total_min.value <= lowest {
        let message = format!("every reply reaches total_min {mark}: the lowest total is {}", plain(lowest));
        faults.error(
            Problem::at(total_min.line, message).hint("set it between the lowest and the highest total"),
        );
    }
    Some(PassRule { total_min: total_min.value, automatic_fails })
}

fn automatic_fails(
    specs: &[AutomaticFailSpec],
    drafts: &[CriterionDraft<'_>],
    faults: &mut Faults,
) -> Vec<AutomaticFail> {
    let mut seen: Vec<&str> = Vec::new();
    let mut fails = Vec::new();
    for spec in specs {
        let Some(criterion) = spec.criterion.given() else { continue };
        if seen.contains(&criterion.value.as_str()) {
            let message = format!("criterion {} has two automatic fails", criterion.value);
            faults
                .error(Problem::at(criterion.line, message).hint("keep the one with the threshold you mean"));
        }
        seen.push(&criterion.value);
        let Some(draft) = named(criterion, drafts, faults) else { continue };
        fails.extend(threshold(spec, draft, faults));
    }
    fails
}

/// The draft that `criterion` names; reported where there is none.
pub(super) fn named<'d, 's>(
    criterion: &At<String>,
    drafts: &'d [CriterionDraft<'s>],
    faults: &mut Faults,
) -> Option<&'d CriterionDraft<'s>> {
    let found = drafts.iter().find(|draft| draft.written_id() == Some(criterion.value.as_str()));
    if found.is_none() {
        let known: Vec<&str> = drafts.iter().filter_map(CriterionDraft::written_id).collect();
        let problem = Problem::at(criterion.line, format!("there is no criterion {:?}", criterion.value));
        faults.error(problem.hint(format!("the criteria are {}", known.join(", "))));
    }
    found
}

fn threshold(
    spec: &AutomaticFailSpec,
    draft: &CriterionDraft<'_>,
    faults: &mut Faults,
) -> Option<AutomaticFail> {
    let (worse_than, scale, id) = (spec.worse_than.given()?, draft.scale.as_ref()?, draft.id.as_ref()?);
    if draft.decider() == Decider::Gate {
        let message = format!("the automatic fail on {id} can never trigger: a gate decides it");
        faults.error(
            Problem::at(spec.line, message).hint("a gate blocks the reply instead; drop the automatic fail"),
        );
        return None;
    }
    match threshold_fault(worse_than.value, scale, id) {
        Some(message) => {
            let hint = format!("the levels from worst to best are {}", worst_to_best(scale));
            faults.error(Problem::at(worse_than.line, message).hint(hint));
            None
        }
        None => Some(AutomaticFail { criterion: id.clone(), worse_than: worse_than.value }),
    }
}

fn threshold_fault(level: i64, scale: &Scale, id: &CriterionId) -> Option<String> {
    if scale.has(level) {
        let never = level == scale.worst();
        return never.then(|| {
            format!("the automatic fail on {id} can never trigger: no level is worse than {level}")
        });
    }
    let above_best = match scale.direction() {
        Direction::HigherIsBetter => level > scale.best(),
        Direction::LowerIsBetter => level < scale.best(),
    };
    let consequence = if above_best { "; every reply would fail" } else { "" };
    Some(format!("worse_than {level} is not a level of {id}{consequence}"))
}

fn worst_to_best(scale: &Scale) -> String {
    let mut levels: Vec<String> = scale.levels().iter().map(ToString::to_string).collect();
    if scale.worst() > scale.best() {
        levels.reverse();
    }
    levels.join(", ")
}

/// A value with all its digits.
pub(super) fn plain(value: Exact) -> String {
    value.to_decimal().unwrap_or_else(|| value.to_string())
}
