//! What would teach us most: which replies a person should look at first.
//!
//! A label is worth most where it is not known yet whether the judge is right: where the judge had no verdict or
//! contradicts itself, where a level more or less would change the outcome, in slices where judge and people
//! agree least, and in slices that have fewer labels than a contract asks for.

use std::collections::BTreeMap;

/// How unsure the judge is about an item, the most unsure first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// The two orders of a pair disagree, or the judge asks for a person.
    Unstable,
    /// There is no verdict.
    Unscored,
    /// One level more or less on one criterion would change whether the reply passes, or a pair was called a tie.
    NearBorder,
    /// None of these.
    Settled,
}

impl Doubt {
    /// What the doubt adds to what a label would teach.
    fn weight(self) -> f64 {
        match self {
            Doubt::Unstable => 3.0,
            Doubt::Unscored => 2.5,
            Doubt::NearBorder => 2.0,
            Doubt::Settled => 0.0,
        }
    }
}

/// An item that could be labelled.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// What tells it from others.
    pub key: String,
    /// The slice of its case; empty where it has none.
    pub slice: String,
    /// How unsure the judge is.
    pub doubt: Doubt,
    /// People who have labelled it.
    pub n_labels: u32,
}

/// The places of `lessons`, the one that would teach most first. `agreement` has the share on which judge and
/// people agree by slice, where it is known; `rows_min` is how many labels a slice should have.
pub fn teaching_order(
    lessons: &[Lesson],
    agreement: &BTreeMap<String, f64>,
    rows_min: &dyn Fn(&str) -> u64,
) -> Vec<usize> {
    let mut labelled: BTreeMap<&str, u64> = BTreeMap::new();
    for lesson in lessons.iter().filter(|lesson| lesson.n_labels > 0) {
        *labelled.entry(&lesson.slice).or_default() += 1;
    }
    let worth = |lesson: &Lesson| {
        let need = rows_min(&lesson.slice);
        let have = labelled.get(&*lesson.slice).copied().unwrap_or(0);
        let short = if need > have { (need - have) as f64 / need as f64 } else { 0.0 };
        let disagreement = agreement.get(&lesson.slice).map_or(0.5, |share| 1.0 - share);
        let fresh = if lesson.n_labels == 0 { 1.0 } else { 0.0 };
        fresh * 4.0 + lesson.doubt.weight() + 2.0 * short + disagreement
    };
    let mut places: Vec<usize> = (0..lessons.len()).collect();
    places.sort_by(|one, other| {
        let (one, other) = (&lessons[*one], &lessons[*other]);
        worth(other).total_cmp(&worth(one)).then_with(|| one.key.cmp(&other.key))
    });
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(key: &str, slice: &str, doubt: Doubt, n_labels: u32) -> Lesson {
        Lesson { key: key.to_owned(), slice: slice.to_owned(), doubt, n_labels }
    }

    #[track_caller]
    fn check(lessons: &[Lesson], agreement: &[(&str, f64)], short: &[(&str, u64)], want: &[&str]) {
        let agreement = agreement.iter().map(|(slice, share)| ((*slice).to_owned(), *share)).collect();
        let rows_min = |slice: &str| short.iter().find(|(name, _)| *name == slice).map_or(0, |(_, n)| *n);
        let order = teaching_order(lessons, &agreement, &rows_min);
        let keys: Vec<&str> = order.into_iter().map(|place| &*lessons[place].key).collect();
        assert_eq!(keys, want);
    }

    #[test]
    fn where_the_judge_is_unsure_comes_first() {
        let lessons = [
            lesson("sure", "a", Doubt::Settled, 0),
            lesson("border", "a", Doubt::NearBorder, 0),
            lesson("none", "a", Doubt::Unscored, 0),
            lesson("turns", "a", Doubt::Unstable, 0),
        ];
        check(&lessons, &[], &[], &["turns", "none", "border", "sure"]);
    }

    #[test]
    fn slices_short_of_labels_and_slices_that_agree_less_come_first() {
        let lessons = [lesson("1", "a", Doubt::Settled, 0), lesson("2", "b", Doubt::Settled, 0)];
        check(&lessons, &[], &[("b", 10)], &["2", "1"]);
        check(&lessons, &[("a", 0.9), ("b", 0.6)], &[], &["2", "1"]);
        check(&lessons, &[], &[], &["1", "2"]);
    }

    #[test]
    fn what_has_a_label_comes_last() {
        let lessons = [lesson("1", "a", Doubt::Unstable, 1), lesson("2", "a", Doubt::Settled, 0)];
        check(&lessons, &[], &[], &["2", "1"]);
    }
}
