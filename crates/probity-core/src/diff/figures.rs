//! The change of a pass rate and of mean levels over some pairs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::pairing::Pair;
use crate::exact::Exact;
use crate::results::{CriterionFigures, Members, ResultRow};
use crate::stats::{
    ClusterSums, Estimate, McNemar, Moved, PairedCounts, Resampling, adjusted, fewer_wins_p_value, mcnemar,
    mean_change, proportion, share_change, sign_test_p_value,
};

/// Sums of changes that cancel each other may miss zero by less than this.
const ROUNDING: f64 = 1e-9;

/// How far a total can move.
const TOTAL_SPAN: f64 = 100.0;

/// The change of a pass rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct PassChange {
    /// The rate in the first run. Pairs with an unscored side are not among those that it is about.
    pub before: Estimate,
    /// The rate in the second run, over the same cases.
    pub after: Estimate,
    /// Second less first.
    pub change: Estimate,
    /// Pairs that pass in the second run alone.
    #[serde(rename = "gained")]
    pub n_gained: u64,
    /// Pairs that pass in the first run alone.
    #[serde(rename = "lost")]
    pub n_lost: u64,
    /// `McNemar`'s exact test on cases: with several replies, a case that passes more often, or less often, than
    /// before has flipped. `None` where none has.
    pub mcnemar: Option<McNemar>,
    /// The two-sided p-value among those of all slices; `None` over all pairs, where it stands alone.
    pub adjusted: Option<f64>,
    /// The one-sided exact p-value that the rate fell, on the same cases.
    pub fell: Option<f64>,
}

/// The change of a mean level, or of the mean total.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct LevelChange {
    /// The mean in the first run.
    pub before: f64,
    /// The mean in the second run, over the same cases.
    pub after: f64,
    /// Second less first.
    pub change: Estimate,
    /// Pairs that went up.
    #[serde(rename = "higher")]
    pub n_higher: u64,
    /// Pairs that went down.
    #[serde(rename = "lower")]
    pub n_lower: u64,
    /// The exact sign test on the cases that went up or down, all their pairs together; `None` where none did.
    pub sign_test: Option<f64>,
    /// Its p-value among the others of its table.
    pub adjusted: Option<f64>,
}

/// What changed over some pairs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PartChange {
    /// Pairs.
    #[serde(rename = "pairs")]
    pub n_pairs: u64,
    /// The pass rate; `None` without a pass rule or a pair that counts.
    #[serde(rename = "pass_rate")]
    pub pass: Option<PassChange>,
    /// The total; `None` where no pair has one on both sides.
    pub total: Option<LevelChange>,
    /// Each criterion, in the rubric's order; `None` where no pair has a level on both sides.
    pub criteria: Members<Option<LevelChange>>,
}

/// The figures of `pairs`, p-values not adjusted yet. There is a pass rate where `is_rated` says so.
pub(super) fn part(
    pairs: &[Pair<'_>],
    criteria: &Members<CriterionFigures>,
    is_rated: bool,
    resampling: Resampling,
) -> PartChange {
    let level = |place: usize| {
        move |pair: &Pair<'_>| {
            let (before, after) = (pair.before.level(place)?, pair.after.level(place)?);
            Some((before as f64, after as f64))
        }
    };
    let span = |(lowest, highest): (i64, i64)| highest.saturating_sub(lowest) as f64;
    let criteria = criteria.iter().enumerate().map(|(place, (id, figures))| {
        (id, pair_levels(pairs, figures.ends().map_or(0.0, span), level(place), resampling))
    });
    let total = |row: &ResultRow| row.total.map(Exact::to_f64);
    let passes = |pair: &Pair<'_>| pair.before.outcome.passes().zip(pair.after.outcome.passes());
    let pass = || share_moved(looks(pairs, passes), resampling);
    PartChange {
        n_pairs: pairs.len() as u64,
        pass: if is_rated { pass() } else { None },
        total: pair_levels(pairs, TOTAL_SPAN, |pair| total(pair.before).zip(total(pair.after)), resampling),
        criteria: criteria.collect(),
    }
}

/// How far the mean of some value of a reply moved. `None` where no pair has it on both sides.
pub(super) fn pair_levels(
    pairs: &[Pair<'_>],
    span: f64,
    values: impl Fn(&Pair<'_>) -> Option<(f64, f64)>,
    resampling: Resampling,
) -> Option<LevelChange> {
    levels_moved(looks(pairs, values), span, resampling)
}

/// What `value` finds in both replies of each pair, with the case that they are about.
fn looks<'p, T>(
    pairs: &'p [Pair<'_>],
    value: impl Fn(&Pair<'_>) -> Option<(T, T)>,
) -> impl Iterator<Item = (&'p str, T, T)> {
    pairs.iter().filter_map(move |pair| {
        let (before, after) = value(pair)?;
        Some((pair.before.id.as_str(), before, after))
    })
}

/// The pairs of one case, and how many of them pass in each run.
#[derive(Debug, Clone, Copy, Default)]
struct CasePasses {
    n: u64,
    before: u64,
    after: u64,
}

/// How far the share of things that have a property moved: of each the case it belongs to, and whether it had the
/// property before and has it after. `None` without any.
pub(crate) fn share_moved<K: Ord>(
    looks: impl Iterator<Item = (K, bool, bool)>,
    resampling: Resampling,
) -> Option<PassChange> {
    let mut counts = PairedCounts::default();
    let mut cases: BTreeMap<K, CasePasses> = BTreeMap::new();
    for (case, before, after) in looks {
        counts.add((before, after));
        let case = cases.entry(case).or_default();
        case.n += 1;
        case.before += u64::from(before);
        case.after += u64::from(after);
    }
    let PairedCounts { both, first_only, second_only, .. } = counts;
    let (change, before, after) = if cases.values().all(|case| case.n == 1) {
        let share = |passes: u64| proportion(passes, counts.n());
        (share_change(counts)?, share(both + first_only)?, share(both + second_only)?)
    } else {
        // Replies to one case are alike, so the case is what is drawn.
        let share = |passes: fn(&CasePasses) -> u64| {
            let mut sums = ClusterSums::default();
            for case in cases.values() {
                sums.add(passes(case) as f64, case.n);
            }
            sums.mean(&(0.0..=1.0))
        };
        let moved = |case: &CasePasses| Moved { by: case.after as f64 - case.before as f64, n: case.n };
        let moved: Vec<Moved> = cases.values().map(moved).collect();
        (mean_change(&moved, 1.0, resampling)?, share(|case| case.before)?, share(|case| case.after)?)
    };
    // Each case has one sign, whatever the number of its replies, as in a comparison.
    let n_cases = |fits: fn(&CasePasses) -> bool| cases.values().filter(|case| fits(case)).count() as u64;
    let (lost, gained) = (n_cases(|case| case.after < case.before), n_cases(|case| case.after > case.before));
    Some(PassChange {
        before,
        after,
        change,
        n_gained: second_only,
        n_lost: first_only,
        mcnemar: mcnemar(lost, gained),
        fell: fewer_wins_p_value(gained, lost),
        adjusted: None,
    })
}

/// How far the mean of a value moved that lies within `span`: of each thing the case it belongs to, and its value
/// before and after. `None` without any.
pub(crate) fn levels_moved<K: Ord>(
    looks: impl Iterator<Item = (K, f64, f64)>,
    span: f64,
    resampling: Resampling,
) -> Option<LevelChange> {
    let mut cases: BTreeMap<K, Moved> = BTreeMap::new();
    let (mut sum_before, mut sum_after, mut n) = (0.0, 0.0, 0.0);
    let (mut n_higher, mut n_lower) = (0, 0);
    for (case, before, after) in looks {
        sum_before += before;
        sum_after += after;
        n += 1.0;
        n_higher += u64::from(after > before);
        n_lower += u64::from(after < before);
        let case = cases.entry(case).or_insert(Moved { by: 0.0, n: 0 });
        case.by += after - before;
        case.n += 1;
    }
    let cases: Vec<Moved> = cases.into_values().collect();
    let change = mean_change(&cases, span, resampling)?;
    let n_cases = |fits: fn(f64) -> bool| cases.iter().filter(|case| fits(case.by)).count() as u64;
    let [up, down] = [n_cases(|by| by > ROUNDING), n_cases(|by| by < -ROUNDING)];
    Some(LevelChange {
        before: sum_before / n,
        after: sum_after / n,
        change,
        n_higher,
        n_lower,
        sign_test: sign_test_p_value(up, down),
        adjusted: None,
    })
}

/// Adjusts the p-values of these changes together.
pub(crate) fn adjust_passes<'p>(passes: impl Iterator<Item = &'p mut PassChange>) {
    let passes: Vec<&mut PassChange> = passes.collect();
    let p_values: Vec<f64> = passes.iter().map(|pass| pass.mcnemar.map_or(1.0, |test| test.exact)).collect();
    for (pass, p) in passes.into_iter().zip(adjusted(&p_values)) {
        pass.adjusted = pass.mcnemar.map(|_| p);
    }
}

/// Adjusts the p-values of all criteria of `parts` together. A total is made of them and is not one more.
pub(crate) fn adjust_levels<'p>(parts: impl Iterator<Item = &'p mut PartChange>) {
    let changes: Vec<&mut LevelChange> =
        parts.flat_map(|part| part.criteria.0.iter_mut().filter_map(|(_, change)| change.as_mut())).collect();
    let p_values: Vec<f64> = changes.iter().map(|change| change.sign_test.unwrap_or(1.0)).collect();
    for (change, p) in changes.into_iter().zip(adjusted(&p_values)) {
        change.adjusted = change.sign_test.map(|_| p);
    }
}
