//! Rubrics of many shapes for tests: written as files and read like them, so that only rubrics that a person
//! could write are tried, the extreme ones among them.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use proptest::prelude::*;

use crate::rubric::{self, Rubric};

/// The points that weights add up to, in units of the last of their twelve decimals.
const POINTS: u64 = 100_000_000_000_000;

/// One criterion of a rubric to be written. Its id is `c` and its place in [`RubricShape::criteria`].
#[derive(Debug, Clone)]
pub(crate) struct CriterionShape {
    pub(crate) levels: Vec<i64>,
    lower_is_better: bool,
    weight: u64,
    /// Fails the reply below this place on the scale, counted from the worst level.
    fails_below: Option<usize>,
}

impl CriterionShape {
    /// The level at a place on the scale, counted from the worst.
    fn level(&self, place: usize) -> i64 {
        let last = self.levels.len() - 1;
        self.levels[if self.lower_is_better { last - place } else { place }]
    }
}

/// A rubric to be written.
#[derive(Debug, Clone)]
pub(crate) struct RubricShape {
    pub(crate) criteria: Vec<CriterionShape>,
    /// With weights there is a total, and with a mark it has to reach.
    marks: Marks,
}

#[derive(Debug, Clone, Copy)]
enum Marks {
    Unweighted,
    Weighted,
    Pass(u64),
}

impl RubricShape {
    /// The rubric with its criteria in this order.
    pub(crate) fn rubric(&self, order: &[usize]) -> Rubric {
        let text = self.text(order);
        match rubric::read(&text) {
            Ok(reading) => reading.rubric,
            Err(problems) => panic!("expected a good rubric, found {problems:?} in\n{text}"),
        }
    }

    /// The rubric as it was drawn.
    pub(crate) fn in_order(&self) -> Rubric {
        self.rubric(&(0..self.criteria.len()).collect::<Vec<_>>())
    }

    fn text(&self, order: &[usize]) -> String {
        let mut text = "name = \"r\"\nversion = \"1\"\ntitle = \"R\"\n".to_owned();
        let mut say = |line: String| writeln!(text, "{line}").expect("a string takes everything");
        for at in order {
            let criterion = &self.criteria[*at];
            say(format!("[[criterion]]\nid = \"c{at}\"\ntitle = \"C\"\nquestion = \"Is it?\""));
            if !matches!(self.marks, Marks::Unweighted) {
                say(format!("weight = {}", decimal(criterion.weight)));
            }
            let direction = if criterion.lower_is_better { "lower" } else { "higher" };
            say(format!("[criterion.scale]\nlevels = {:?}", criterion.levels));
            say(format!("direction = \"{direction}_is_better\"\n[criterion.anchors]"));
            criterion.levels.iter().for_each(|level| say(format!("{level} = \"Level {level}.\"")));
        }
        say("[[target]]\nmetric = \"mean_confidence\"\nmin = 0.5".to_owned());
        say("[[target]]\nmetric = \"mean\"\ncriterion = \"c0\"\nmax = 1".to_owned());
        if let Marks::Pass(mark) = self.marks {
            say(format!(
                "[[target]]\nmetric = \"pass_rate\"\nmin = 0.5\n[pass]\ntotal_min = {}",
                decimal(mark)
            ));
            for (at, criterion) in self.criteria.iter().enumerate() {
                if let Some(place) = criterion.fails_below {
                    let level = criterion.level(place);
                    say(format!("[[automatic_fail]]\ncriterion = \"c{at}\"\nworse_than = {level}"));
                }
            }
        }
        text
    }
}

fn decimal(units: u64) -> String {
    format!("{}.{:012}", units / 1_000_000_000_000, units % 1_000_000_000_000)
}

/// Scales from two levels to the most that are allowed; together they have the common width 18 018 000.
fn levels() -> impl Strategy<Value = Vec<i64>> {
    let range = |range: RangeInclusive<i64>| range.collect::<Vec<i64>>();
    let few = prop::sample::select(vec![
        range(0..=4),
        range(1..=5),
        vec![0, 1],
        vec![0, 4],
        vec![-1000, 1000],
        range(0..=7),
        range(1..=10),
        range(-5..=6),
        range(0..=13),
    ]);
    prop_oneof![60 => few, 1 => Just(range(0..=100))]
}

fn criterion() -> impl Strategy<Value = CriterionShape> {
    let fails_below = prop::option::of(any::<prop::sample::Index>());
    (levels(), any::<bool>(), fails_below).prop_map(|(levels, lower_is_better, fails_below)| {
        let fails_below = fails_below.map(|place| 1 + place.index(levels.len() - 1));
        CriterionShape { levels, lower_is_better, weight: 0, fails_below }
    })
}

/// Rubrics with one to eight criteria; weights have twelve decimals and add up to 100 exactly.
pub(crate) fn shapes() -> impl Strategy<Value = RubricShape> {
    let marks =
        prop_oneof![Just(Marks::Unweighted), Just(Marks::Weighted), (1..=POINTS).prop_map(Marks::Pass)];
    let cuts = prop::collection::vec(0..=POINTS, 7);
    (prop::collection::vec(criterion(), 1..=8), cuts, marks).prop_map(|(mut criteria, mut cuts, marks)| {
        cuts.truncate(criteria.len() - 1);
        cuts.sort_unstable();
        let ends = cuts.iter().copied().chain([POINTS]);
        let mut start = 0;
        for (criterion, end) in criteria.iter_mut().zip(ends) {
            criterion.weight = end - start;
            start = end;
        }
        RubricShape { criteria, marks }
    })
}
