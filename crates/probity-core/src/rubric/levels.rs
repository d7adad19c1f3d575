//! Scales: from `min` and `max` or a list of levels to levels that a judge can choose from.
//!
//! Levels are whole and few. Their size is bounded so that totals stay exact fractions of whole numbers.

use super::spec::ScaleSpec;
use super::{Direction, Scale};
use crate::spec_file::{At, Faults, Field, Problem};

/// More levels than people can tell apart get a warning.
const LEVELS_ASK: usize = 11;
/// More levels than a percentage has are refused.
const LEVELS_MAX: usize = 101;
/// The farthest from zero that a level may be.
const LEVEL_SIZE_MAX: i64 = 1000;

/// The scale that `spec` describes, if it describes one.
pub(super) fn scale(spec: &ScaleSpec, faults: &mut Faults) -> Option<Scale> {
    let direction = spec.direction.value().copied().unwrap_or(Direction::HigherIsBetter);
    match (&spec.levels, &spec.min, &spec.max) {
        (Field::Given(levels), Field::Absent, Field::Absent) => listed(levels, direction, faults),
        (Field::Absent, Field::Given(min), Field::Given(max)) => {
            between(spec.line, (min.value, max.value), direction, faults)
        }
        (Field::Faulty, ..) | (_, Field::Faulty, _) | (.., Field::Faulty) => None,
        (Field::Given(levels), ..) => {
            let message = "a scale has `levels` or `min` and `max`, not both";
            faults.error(Problem::at(levels.line, message).hint("keep one of the two"));
            None
        }
        (Field::Absent, ..) => {
            let message = "a scale needs `min` and `max`, or `levels`";
            faults.error(Problem::at(spec.line, message).hint("such as min = 1 and max = 5"));
            None
        }
    }
}

/// A scale of exactly these levels.
pub(super) fn listed(levels: &At<Vec<i64>>, direction: Direction, faults: &mut Faults) -> Option<Scale> {
    let At { line, value } = levels;
    small(*line, value, faults)?;
    let mut sorted = value.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < 2 {
        let message = "`levels` must have at least two different levels";
        faults.error(Problem::at(*line, message).hint("such as levels = [0, 4]"));
        return None;
    }
    if sorted != *value {
        let problem = Problem::at(*line, "`levels` must ascend, each level once");
        faults.error(problem.hint(format!("write levels = {sorted:?}")));
        return None;
    }
    few(*line, sorted.len(), faults)?;
    Scale::new(sorted, direction)
}

fn between(line: usize, (min, max): (i64, i64), direction: Direction, faults: &mut Faults) -> Option<Scale> {
    small(line, &[min, max], faults)?;
    if min == max {
        let message = format!("the scale has one level, {min}, expected at least two");
        faults.error(Problem::at(line, message).hint("`max` must be above `min`"));
        return None;
    }
    if min > max {
        let message = format!("the scale is reversed: min {min} is above max {max}");
        let hint = format!(
            "write min = {max} and max = {min}; where {max} is best, add direction = \"lower_is_better\""
        );
        faults.error(Problem::at(line, message).hint(hint));
        return None;
    }
    let levels: Vec<i64> = (min..=max).collect();
    few(line, levels.len(), faults)?;
    Scale::new(levels, direction)
}

fn small(line: usize, levels: &[i64], faults: &mut Faults) -> Option<()> {
    let far = levels.iter().find(|level| level.unsigned_abs() > LEVEL_SIZE_MAX.unsigned_abs());
    let Some(far) = far else { return Some(()) };
    let message = format!("level {far} is out of range, expected -{LEVEL_SIZE_MAX} to {LEVEL_SIZE_MAX}");
    faults.error(Problem::at(line, message).hint("a scale of a few levels is easiest to agree on"));
    None
}

fn few(line: usize, n_levels: usize, faults: &mut Faults) -> Option<()> {
    if n_levels > LEVELS_MAX {
        let message = format!("the scale has {n_levels} levels, expected at most {LEVELS_MAX}");
        faults.error(
            Problem::at(line, message).hint("every level needs an anchor that tells it from the next"),
        );
        return None;
    }
    if n_levels > LEVELS_ASK {
        let message =
            format!("the scale has {n_levels} levels; more than {LEVELS_ASK} are hard to tell apart");
        faults.warning(Problem::at(line, message).hint("people and judges agree better on five or so"));
    }
    Some(())
}
