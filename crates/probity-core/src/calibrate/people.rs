//! People against people: the most that a judge can be expected to reach.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::counting::{Counting, Ties};
use super::measures::between_people;
use crate::label::{Sheet, Unit};
use crate::stats::{Estimate, Rated, RatioPart, Undefined, coincidences, crossed, rated, ratio};

/// Two people on what both looked at.
#[derive(Debug, Clone)]
pub struct AnnotatorPair {
    /// Who.
    pub annotators: [Arc<str>; 2],
    /// Items and criteria that both labelled.
    pub n_units: u64,
    /// Figures by name.
    pub figures: Vec<(&'static str, Result<Estimate, Undefined>)>,
}

/// The kappa of Fleiss, which needs equally many ratings of every unit.
#[derive(Debug, Clone)]
pub struct FleissFigure {
    /// The number of ratings that most units have; only those count.
    pub n_ratings: usize,
    /// The figure.
    pub figure: Result<Estimate, Undefined>,
}

/// How far people agree with each other.
#[derive(Debug, Clone)]
pub struct People {
    /// Units with at least one vote.
    pub n_units: u64,
    /// How many people voted.
    pub n_annotators: usize,
    /// Votes by category.
    pub votes: Vec<u32>,
    /// What is compared with a judge, by category: votes, or their majority.
    pub labels: Vec<u32>,
    /// How many units have how many votes.
    pub ratings_per_unit: BTreeMap<usize, u64>,
    /// Over all pairs of votes on one unit, the share that says the same.
    pub agreement: Option<Estimate>,
    /// The share of units with at least two votes on which all votes say the same.
    pub unanimous: Option<Estimate>,
    /// Krippendorff's alpha over units with at least two votes.
    pub alpha: Rated,
    /// The kappa of Fleiss, where any unit has two votes.
    pub fleiss: Option<FleissFigure>,
    /// Every two people who looked at something in common.
    pub pairs: Vec<AnnotatorPair>,
    /// Pairs of people who did not.
    pub n_disjoint_pairs: usize,
}

/// The figures of the votes on these units, which are in the order of the sheet.
pub(super) fn people(sheet: &Sheet, units: &[&Unit], counting: &Counting) -> People {
    let left_out = sheet.scale.tie().filter(|_| counting.ties == Ties::Drop);
    let all = units.iter().map(|unit| (*unit, kept(&unit.votes, left_out)));
    let voted: Vec<Voted> = all.filter(|(_, votes)| !votes.is_empty()).collect();
    let mut ratings_per_unit: BTreeMap<usize, u64> = BTreeMap::new();
    let mut has_voted = vec![false; sheet.annotators.len()];
    for (_, votes) in &voted {
        *ratings_per_unit.entry(votes.len()).or_default() += 1;
        votes.iter().for_each(|(annotator, _)| has_voted[*annotator] = true);
    }
    let n_annotators = has_voted.into_iter().filter(|voted| *voted).count();
    let alpha = all_raters(sheet, &voted, counting, |_| true);
    let mut several = ratings_per_unit.iter().filter(|(n, _)| **n >= 2);
    let most = several.clone().max_by_key(|(n, units)| (**units, **n));
    let fleiss = most.map(|(n_ratings, _)| FleissFigure {
        n_ratings: *n_ratings,
        figure: match several.nth(1) {
            // Units with one vote add nothing, so these are the units of alpha.
            None => alpha.fleiss,
            Some(_) => all_raters(sheet, &voted, counting, |votes| votes == *n_ratings).fleiss,
        },
    });
    let (pairs, n_disjoint_pairs) = pairs(sheet, &voted, counting, n_annotators);
    People {
        n_units: voted.len() as u64,
        n_annotators,
        votes: sheet.count(voted.iter().flat_map(|(_, votes)| votes.iter().map(|(_, category)| *category))),
        labels: sheet.count(units.iter().flat_map(|unit| sheet.labels(unit, counting.votes))),
        agreement: agreement(sheet, &voted, counting),
        unanimous: unanimous(&voted, counting),
        alpha,
        ratings_per_unit,
        fleiss,
        pairs,
        n_disjoint_pairs,
    }
}

/// A unit with the votes on it that count: annotators and categories.
type Voted<'a> = (&'a Unit, Cow<'a, [(usize, usize)]>);

fn kept(votes: &[(usize, usize)], left_out: Option<usize>) -> Cow<'_, [(usize, usize)]> {
    match left_out {
        None => Cow::Borrowed(votes),
        Some(tie) => votes.iter().filter(|(_, category)| *category != tie).copied().collect(),
    }
}

/// What was voted on the units of each cluster.
fn by_cluster<'a>(voted: &'a [Voted<'a>]) -> impl Iterator<Item = &'a [Voted<'a>]> {
    voted.chunk_by(|(one, _), (other, _)| one.cluster == other.cluster)
}

/// How often each category was voted for.
fn counts(sheet: &Sheet, votes: &[(usize, usize)]) -> Vec<u32> {
    sheet.count(votes.iter().map(|(_, category)| *category))
}

fn all_raters(sheet: &Sheet, voted: &[Voted], counting: &Counting, wanted: impl Fn(usize) -> bool) -> Rated {
    let clusters = by_cluster(voted).map(|cluster| {
        let several = cluster.iter().map(|(_, votes)| votes).filter(|votes| votes.len() >= 2);
        let several = several.filter(|votes| wanted(votes.len()));
        let n_units = several.clone().count() as u64;
        (n_units, several.flat_map(|votes| coincidences(&counts(sheet, votes))))
    });
    rated(clusters, sheet.scale.positions(), counting.sampling)
}

fn agreement(sheet: &Sheet, voted: &[Voted], counting: &Counting) -> Option<Estimate> {
    let pairs = |n: usize| (n * n.saturating_sub(1) / 2) as f64;
    let clusters = by_cluster(voted).map(|cluster| {
        let mut part = RatioPart::default();
        for (_, votes) in cluster.iter().filter(|(_, votes)| votes.len() >= 2) {
            part.numerator += counts(sheet, votes).into_iter().map(|n| pairs(n as usize)).sum::<f64>();
            part.denominator += pairs(votes.len());
        }
        part
    });
    ratio(clusters, counting.sampling.resampling)
}

fn unanimous(voted: &[Voted], counting: &Counting) -> Option<Estimate> {
    let clusters = by_cluster(voted).map(|cluster| {
        let mut part = RatioPart::default();
        for (_, votes) in cluster.iter().filter(|(_, votes)| votes.len() >= 2) {
            let all_alike = votes.windows(2).all(|two| two[0].1 == two[1].1);
            part.numerator += f64::from(u8::from(all_alike));
            part.denominator += 1.0;
        }
        part
    });
    ratio(clusters, counting.sampling.resampling)
}

fn pairs(
    sheet: &Sheet,
    voted: &[Voted],
    counting: &Counting,
    n_annotators: usize,
) -> (Vec<AnnotatorPair>, usize) {
    let k = sheet.scale.names().len();
    // For every two people, in the order of their names: the clusters of what both looked at, and the cells.
    let mut common: BTreeMap<[usize; 2], Vec<(usize, usize)>> = BTreeMap::new();
    for (unit, votes) in voted {
        for (first, one) in &**votes {
            for (second, other) in votes.iter().filter(|(second, _)| first < second) {
                common.entry([*first, *second]).or_default().push((unit.cluster, one * k + other));
            }
        }
    }
    let n_all = n_annotators * n_annotators.saturating_sub(1) / 2;
    let n_disjoint = n_all.saturating_sub(common.len());
    let measures = between_people(&sheet.scale);
    let pair = |(both, cells): ([usize; 2], Vec<(usize, usize)>)| {
        let clusters = cells.chunk_by(|(one, _), (other, _)| one == other);
        let added = clusters.map(|cluster| cluster.iter().map(|(_, cell)| (*cell, 1.0)));
        let all = crossed(added, sheet.scale.positions(), &measures, counting.sampling);
        AnnotatorPair {
            annotators: both.map(|annotator| Arc::clone(&sheet.annotators[annotator])),
            n_units: cells.len() as u64,
            figures: measures.iter().map(|measure| measure.name).zip(all.figures).collect(),
        }
    };
    (common.into_iter().map(pair).collect(), n_disjoint)
}
