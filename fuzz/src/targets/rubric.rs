//! The rubric reader: any text is a rubric that holds together, or a list of problems with their lines.

use std::collections::BTreeMap;

use probity_core::exact::Exact;
use probity_core::rubric::{Criterion, Rubric, Scale, read};
use probity_core::score::score;

use super::seeds as cases;

/// Panics where a text is read as a rubric that does not hold together.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match read(&text) {
        Ok(reading) => {
            check_rubric(&reading.rubric);
            let again =
                read(&format!("{text}\n# A comment changes nothing.\n")).expect("only a comment was added");
            assert_eq!(again.rubric, reading.rubric, "the rubric changed with a comment");
        }
        Err(problems) => {
            let n_lines = text.split('\n').count();
            assert!(!problems.is_empty(), "refused without a reason");
            for problem in &problems {
                assert!((1..=n_lines).contains(&problem.line), "{problem:?} in {n_lines} lines");
            }
        }
    }
}

/// Inputs to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut texts = cases::folder("crates/probity-core/rubrics", ".toml");
    let base = cases::file("crates/probity-core/src/rubric/tests/base.toml");
    let faults = cases::literals(&cases::file("crates/probity-core/src/rubric/tests/faults.rs"));
    // The tests exchange one piece of the base file; every pair that fits makes a seed.
    for pair in faults.windows(2).filter(|pair| base.contains(&pair[0])) {
        texts.push(base.replacen(&pair[0], &pair[1], 1));
    }
    texts.push(base);
    texts.into_iter().map(String::into_bytes).collect()
}

fn check_rubric(rubric: &Rubric) {
    assert!(!rubric.criteria().is_empty(), "no criterion");
    for criterion in rubric.criteria() {
        let anchored: Vec<i64> = criterion.anchors.iter().map(|anchor| anchor.level).collect();
        assert_eq!(anchored, criterion.scale.levels(), "one anchor per level, in order");
        assert_eq!(criterion.scale.share(criterion.scale.best()), Exact::from(1));
        assert_eq!(criterion.scale.share(criterion.scale.worst()), Exact::ZERO);
    }
    let weights: Vec<Exact> = rubric.criteria().iter().filter_map(|criterion| criterion.weight).collect();
    let best = total(rubric, Scale::best);
    if weights.is_empty() {
        assert_eq!(best, None, "a total without weights");
        assert!(rubric.pass().is_none(), "a mark without a total");
        return;
    }
    assert_eq!(weights.len(), rubric.criteria().len(), "all criteria have a weight, or none");
    let sum: Exact = weights.iter().copied().sum();
    let hair = Exact::ratio(1, 1_000_000_000).expect("not zero");
    assert!(Exact::from(100) - hair <= sum && sum <= Exact::from(100) + hair, "weights sum to {sum}");
    assert_eq!(best, Some(sum), "the best levels earn every point");
    assert_eq!(total(rubric, Scale::worst), Some(Exact::ZERO), "the worst levels earn nothing");
    if let Some(pass) = rubric.pass() {
        assert!(Exact::ZERO < pass.total_min && pass.total_min <= sum, "a mark that says nothing");
    }
}

fn total(rubric: &Rubric, level: fn(&Scale) -> i64) -> Option<Exact> {
    let levels: BTreeMap<_, _> =
        rubric.criteria().iter().map(|Criterion { id, scale, .. }| (id.clone(), level(scale))).collect();
    let score = score(rubric, &levels);
    assert!(score.missing.is_empty(), "every criterion has a level");
    score.total
}
