//! Which replies a person should label first: those whose labels would decide most.
//!
//! Items are in strata, by the slice of their case and by how unsure the judge is of them. Which stratum comes next
//! follows from what a label there would decide: slices that lack labels for a contract come first, those that lack
//! most before others; then the strata whose labels make the figure over all surer (Neyman 1934, one label at a time).
//! Which item of a stratum comes next is drawn at random.
//!
//! What always holds: however few of the items in this order are labelled, those of a stratum are a random sample of
//! it, so a [`LabelFrame`] can say what each stands for and figures stay right.

use std::collections::BTreeMap;

use super::order::{Arrangement, ReviewerDraw};
use crate::label::{FrameStratum, LabelFrame, LabelsShow};

/// How far judge and people agree where nothing is known: between chance and always.
const AGREEMENT_UNKNOWN: f64 = 0.75;

/// A lower bound on the uncertainty: even where agreement looks perfect, labels can still surprise.
const AGREEMENT_MAX: f64 = 0.95;

crate::named! {
    /// How unsure the judge is about an item.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Doubt {
        /// The two orders of a pair disagree, or the judge asks for a person.
        Unstable = "unstable",
        /// It was asked, and there is no verdict.
        Unscored = "no verdict",
        /// One level more or less on one criterion would change whether the reply passes, or a pair was called a tie.
        NearBorder = "near the border",
        /// None of these.
        Settled = "settled",
        /// It was not asked.
        NotAsked = "not asked",
    }
}

/// An item that could be labelled.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// What tells it from others: [`LabelFrame::key`].
    pub key: String,
    /// The slice of its case.
    pub slice: String,
    /// How unsure the judge is.
    pub doubt: Doubt,
    /// People who have labelled it.
    pub n_labels: u32,
}

/// What decides about the order.
pub struct Teaching<'a> {
    /// The share on which judge and people agree by slice, where it is known.
    pub agreement: &'a BTreeMap<String, f64>,
    /// How many more labels a slice should have.
    pub lacks: &'a dyn Fn(&str) -> u64,
    /// What draws within strata come from.
    pub seed: u64,
}

/// A part of the items that is drawn from at random.
struct Drawing<'a> {
    slice: &'a str,
    doubt: Doubt,
    /// What one more label of it would take off the variance of the figure over all, but for how many there are.
    spread: f64,
    n_labelled: f64,
    /// The items without a label, the next one last.
    open: Vec<usize>,
}

impl Drawing<'_> {
    /// What one more label takes off the variance.
    fn gain(&self) -> f64 {
        self.spread / (self.n_labelled.max(0.5) * (self.n_labelled + 1.0))
    }
}

/// The places of `lessons`, the one whose label would decide most first. Those that the judge was not asked about, and
/// those with a label, come last.
pub fn teaching_order(lessons: &[Lesson], teaching: &Teaching<'_>) -> Vec<usize> {
    let mut strata = drawings(lessons, teaching);
    let mut lacks: BTreeMap<&str, u64> = BTreeMap::new();
    for stratum in &strata {
        lacks.entry(stratum.slice).or_insert_with(|| (teaching.lacks)(stratum.slice));
    }
    let mut order = Vec::with_capacity(lessons.len());
    loop {
        // Labels without a verdict count for no requirement of a slice.
        let place = |stratum: &Drawing<'_>| match stratum.doubt {
            _ if stratum.open.is_empty() => None,
            Doubt::NotAsked => Some((0, stratum.gain())),
            Doubt::Unscored => Some((1, stratum.gain())),
            _ => Some((1 + lacks[stratum.slice], stratum.gain())),
        };
        let places = strata.iter().enumerate().filter_map(|(at, stratum)| Some((place(stratum)?, at)));
        let next = places.max_by(|(one, at), (other, place)| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(place.cmp(at))
        });
        let Some((_, at)) = next else { break };
        let stratum = &mut strata[at];
        order.extend(stratum.open.pop());
        stratum.n_labelled += 1.0;
        if !matches!(stratum.doubt, Doubt::NotAsked | Doubt::Unscored) {
            lacks.entry(stratum.slice).and_modify(|n| *n = n.saturating_sub(1));
        }
    }
    order.extend((0..lessons.len()).filter(|place| lessons[*place].n_labels > 0));
    order
}

fn drawings<'a>(lessons: &'a [Lesson], teaching: &Teaching<'_>) -> Vec<Drawing<'a>> {
    let mut members: BTreeMap<(&str, Doubt), Vec<usize>> = BTreeMap::new();
    for (place, lesson) in lessons.iter().enumerate() {
        members.entry((&lesson.slice, lesson.doubt)).or_default().push(place);
    }
    let draw = ReviewerDraw { seed: teaching.seed, person: "" };
    let drawing = |((slice, doubt), all): ((&'a str, Doubt), Vec<usize>)| {
        let agreement =
            teaching.agreement.get(slice).copied().unwrap_or(AGREEMENT_UNKNOWN).min(AGREEMENT_MAX);
        // Of what the judge doubts itself, as little is known as can be.
        let share = if doubt == Doubt::Settled { agreement.max(0.5) } else { 0.5 };
        let population = all.len() as f64;
        let mut open: Vec<usize> = all.into_iter().filter(|place| lessons[*place].n_labels == 0).collect();
        let n_labelled = population - open.len() as f64;
        open.sort_by_cached_key(|place| draw.place(Arrangement::Shuffled, 0, &lessons[*place].key));
        Drawing { slice, doubt, spread: population.powi(2) * share * (1.0 - share), n_labelled, open }
    };
    members.into_iter().map(drawing).collect()
}

/// What the items at these places were drawn from.
pub fn label_frame(lessons: &[Lesson], drawn: &[usize], before: LabelsShow) -> LabelFrame {
    let mut places: BTreeMap<(&str, Doubt), usize> = BTreeMap::new();
    let (mut strata, mut members): (Vec<FrameStratum>, BTreeMap<String, usize>) = Default::default();
    let mut of = vec![0; lessons.len()];
    for (place, lesson) in lessons.iter().enumerate() {
        let at = *places.entry((&lesson.slice, lesson.doubt)).or_insert_with(|| {
            let (slice, doubt) = (lesson.slice.clone(), lesson.doubt.name().to_owned());
            let empty = FrameStratum {
                slice,
                doubt,
                population: 0,
                n_labelled: 0,
                n_drawn: 0,
                inclusion_probability: 0.0,
            };
            strata.push(empty);
            strata.len() - 1
        });
        of[place] = at;
        strata[at].population += 1;
        if lesson.n_labels > 0 {
            strata[at].n_labelled += 1;
            members.insert(lesson.key.clone(), at);
        }
    }
    for place in drawn.iter().filter(|place| lessons[**place].n_labels == 0) {
        strata[of[*place]].n_drawn += 1;
        members.insert(lessons[*place].key.clone(), of[*place]);
    }
    for stratum in &mut strata {
        let n = stratum.n_labelled + stratum.n_drawn;
        stratum.inclusion_probability = n as f64 / stratum.population as f64;
    }
    LabelFrame { strata, members, before }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lessons(parts: &[(&str, Doubt, usize, usize)]) -> Vec<Lesson> {
        let part = |(slice, doubt, n, n_labelled): &(&str, Doubt, usize, usize)| {
            let lesson = |at: usize| Lesson {
                key: format!("{slice}-{}-{at}", doubt.name()),
                slice: (*slice).to_owned(),
                doubt: *doubt,
                n_labels: u32::from(at < *n_labelled),
            };
            (0..*n).map(lesson).collect::<Vec<_>>()
        };
        parts.iter().flat_map(part).collect()
    }

    /// How many of the first `n` are of each slice and doubt.
    fn first(
        all: &[Lesson],
        n: usize,
        agreement: &[(&str, f64)],
        lacks: &[(&str, u64)],
    ) -> BTreeMap<String, u32> {
        let agreement = agreement.iter().map(|(slice, share)| ((*slice).to_owned(), *share)).collect();
        let lacks = |slice: &str| lacks.iter().find(|(name, _)| *name == slice).map_or(0, |(_, n)| *n);
        let order = teaching_order(all, &Teaching { agreement: &agreement, lacks: &lacks, seed: 3 });
        assert_eq!(order.len(), all.len());
        let mut counts = BTreeMap::new();
        for place in &order[..n] {
            *counts.entry(format!("{} {}", all[*place].slice, all[*place].doubt.name())).or_default() += 1;
        }
        counts
    }

    #[test]
    fn slices_that_lack_labels_for_a_contract_come_first() {
        let all = lessons(&[("big", Doubt::Settled, 90, 0), ("small", Doubt::Settled, 10, 0)]);
        assert_eq!(first(&all, 6, &[], &[("small", 6)])["small settled"], 6);
        let even = first(&all, 20, &[], &[("small", 6), ("big", 4)]);
        assert_eq!((even["small settled"], even["big settled"]), (6, 14));
    }

    #[test]
    fn where_the_judge_doubts_itself_more_is_drawn_than_its_share_and_not_all() {
        let all = lessons(&[("a", Doubt::Settled, 80, 0), ("a", Doubt::Unstable, 20, 0)]);
        let counts = first(&all, 20, &[("a", 0.95)], &[]);
        assert!((6..10).contains(&counts["a unstable"]), "{counts:?}: a share would be 4");
    }

    #[test]
    fn weak_slices_are_drawn_from_more_often() {
        let all = lessons(&[("good", Doubt::Settled, 50, 10), ("weak", Doubt::Settled, 50, 10)]);
        let counts = first(&all, 20, &[("good", 0.95), ("weak", 0.6)], &[]);
        assert!(counts["weak settled"] >= 16, "{counts:?}");
    }

    #[test]
    fn what_has_a_label_and_what_was_not_asked_comes_last() {
        let all = lessons(&[("a", Doubt::Settled, 4, 2), ("a", Doubt::NotAsked, 3, 0)]);
        assert_eq!(first(&all, 2, &[], &[]), BTreeMap::from([("a settled".to_owned(), 2)]));
        assert_eq!(first(&all, 5, &[], &[("a", 9)])["a not asked"], 3);
    }

    #[test]
    fn a_frame_says_how_likely_each_item_was_to_be_drawn() {
        let all = lessons(&[("a", Doubt::Settled, 8, 2), ("b", Doubt::Settled, 4, 0)]);
        let frame = label_frame(&all, &[2, 3, 8], LabelsShow::default());
        let shown: Vec<_> =
            frame.strata.iter().map(|s| (&*s.slice, s.population, s.n_labelled, s.n_drawn)).collect();
        assert_eq!(shown, [("a", 8, 2, 2), ("b", 4, 0, 1)]);
        assert_eq!(frame.strata.iter().map(|s| s.inclusion_probability).collect::<Vec<_>>(), [0.5, 0.25]);
        assert_eq!(frame.members.len(), 5);
    }
}
