//! One outcome of each criterion from several answers to the same question.
//!
//! The rule: the median level counts, of an even number of levels the worse of the two in the middle, with the reason of
//! the first answer that gave it. A criterion without a level in more than half of the repeats is unscored.

use super::CriterionOutcome;
use crate::rubric::{CriterionId, Rubric};

/// What each criterion came to, in the rubric's order.
pub type Criteria = Vec<(CriterionId, CriterionOutcome)>;

/// What criteria come to over `repeats`, of which there is at least one and each has all criteria of `rubric`.
pub(crate) fn over_repeats(rubric: &Rubric, mut repeats: Vec<Criteria>) -> Criteria {
    if repeats.len() == 1 {
        return repeats.remove(0);
    }
    let criterion = |(at, criterion): (usize, &crate::rubric::Criterion)| {
        let outcomes = || repeats.iter().map(|repeat| &repeat[at].1);
        let mut levels: Vec<i64> = outcomes().filter_map(CriterionOutcome::level).collect();
        levels.sort_by_key(|level| criterion.scale.share(*level));
        let is_scored = 2 * levels.len() > repeats.len();
        let level = is_scored.then(|| levels[(levels.len() - 1) / 2]);
        let outcome = outcomes().find(|outcome| outcome.level() == level);
        (criterion.id.clone(), outcome.expect("a level is of a repeat, or one is without").clone())
    };
    rubric.criteria().iter().enumerate().map(criterion).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::built_in;
    use crate::score::{Scored, Unscored};

    fn outcome(level: Option<i64>) -> CriterionOutcome {
        let unscored = || Unscored { cause: "length".to_owned(), detail: String::new(), attempts: 1 };
        level.map_or_else(
            || CriterionOutcome::Unscored(unscored()),
            |level| {
                CriterionOutcome::Scored(Scored {
                    level,
                    reasoning: format!("said {level}"),
                    violations: Vec::new(),
                    repairs: Vec::new(),
                    suspicions: Vec::new(),
                })
            },
        )
    }

    #[track_caller]
    fn check(levels: &[Option<i64>], want: Option<i64>) {
        let rubric = built_in("relevance-tone").expect("it is built in");
        let repeat = |level: &Option<i64>| {
            let each = rubric.criteria().iter().map(|criterion| (criterion.id.clone(), outcome(*level)));
            each.collect::<Criteria>()
        };
        let got = over_repeats(&rubric, levels.iter().map(repeat).collect());
        assert_eq!(got.len(), rubric.criteria().len());
        assert!(got.iter().all(|(_, outcome)| outcome.level() == want), "{got:?}");
    }

    #[test]
    fn the_median_counts_and_half_of_the_answers_must_be_there() {
        check(&[Some(4)], Some(4));
        check(&[Some(5), Some(1), Some(4)], Some(4));
        check(&[Some(5), Some(4)], Some(4));
        check(&[Some(2), Some(5), Some(3), Some(5)], Some(3));
        check(&[Some(5), None, Some(4)], Some(4));
        check(&[Some(5), None, None], None);
        check(&[Some(5), None], None);
    }
}
