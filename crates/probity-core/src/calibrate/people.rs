//! People against people: the most that a judge can be expected to reach.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::counting::{Counting, Ties};
use super::measures::between_people;
use super::sheet::{Sheet, Unit};
use crate::stats::{Estimate, Part, Rated, Undefined, coincidences, crossed, rated, ratios};

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
    /// What is held against a judge, by category: votes, or their majority.
    pub labels: Vec<u32>,
    /// How many units have how many votes.
    pub ratings_per_unit: BTreeMap<usize, u64>,
    /// Over all pairs of votes on one unit, the share that says the same.
    pub agreement: Option<Estimate>,
    /// Krippendorff's alpha over units with at least two votes.
    pub alpha: Rated,
    /// The kappa of Fleiss, where any unit has two votes.
    pub fleiss: Option<FleissFigure>,
    /// Every two people who looked at something in common.
    pub pairs: Vec<AnnotatorPair>,
    /// Pairs of people who did not.
    pub n_disjoint_pairs: usize,
}

/// The figures of the votes on these units.
pub(super) fn people(sheet: &Sheet, units: &[&Unit], counting: &Counting) -> People {
    let voted: Vec<(&Unit, Vec<(usize, usize)>)> = units
        .iter()
        .map(|unit| {
            let kept =
                |vote: &&(usize, usize)| counting.ties == Ties::Keep || Some(vote.1) != sheet.scale.tie();
            (*unit, unit.votes.iter().filter(kept).copied().collect::<Vec<_>>())
        })
        .filter(|(_, votes)| !votes.is_empty())
        .collect();
    let mut ratings_per_unit: BTreeMap<usize, u64> = BTreeMap::new();
    let mut annotators = std::collections::BTreeSet::new();
    for (_, votes) in &voted {
        *ratings_per_unit.entry(votes.len()).or_default() += 1;
        annotators.extend(votes.iter().map(|(annotator, _)| *annotator));
    }
    let most = ratings_per_unit.iter().filter(|(n, _)| **n >= 2).max_by_key(|(n, units)| (**units, **n));
    let fleiss = most.map(|(n_ratings, _)| FleissFigure {
        n_ratings: *n_ratings,
        figure: all_raters(sheet, &voted, counting, |votes| votes == *n_ratings).fleiss,
    });
    let (pairs, n_disjoint_pairs) = pairs(sheet, &voted, counting, annotators.len());
    People {
        n_units: voted.len() as u64,
        n_annotators: annotators.len(),
        votes: sheet.count(voted.iter().flat_map(|(_, votes)| votes.iter().map(|(_, category)| *category))),
        labels: sheet.count(units.iter().flat_map(|unit| sheet.labels(unit, counting.votes))),
        agreement: agreement(sheet, &voted, counting),
        alpha: all_raters(sheet, &voted, counting, |_| true),
        ratings_per_unit,
        fleiss,
        pairs,
        n_disjoint_pairs,
    }
}

/// What is added to a table.
type Cells = Vec<(usize, f64)>;

/// The units that two people have in common, by cluster.
type Common<'a> = (u64, BTreeMap<&'a str, Cells>);

/// A unit with the votes on it that count.
type Voted<'a> = (&'a Unit, Vec<(usize, usize)>);

fn all_raters(sheet: &Sheet, voted: &[Voted], counting: &Counting, wanted: impl Fn(usize) -> bool) -> Rated {
    let mut clusters: BTreeMap<&str, (u64, Cells)> = BTreeMap::new();
    for (unit, votes) in voted.iter().filter(|(_, votes)| wanted(votes.len())) {
        let cells = coincidences(&sheet.count(votes.iter().map(|(_, category)| *category)));
        let cluster = clusters.entry(&unit.cluster).or_default();
        cluster.0 += u64::from(!cells.is_empty());
        cluster.1.extend(cells);
    }
    rated(clusters.into_values(), sheet.scale.positions(), counting.sampling)
}

fn agreement(sheet: &Sheet, voted: &[Voted], counting: &Counting) -> Option<Estimate> {
    let mut clusters: BTreeMap<&str, Part> = BTreeMap::new();
    let pairs = |n: usize| (n * n.saturating_sub(1) / 2) as f64;
    for (unit, votes) in voted {
        let part = clusters.entry(&unit.cluster).or_default();
        let counts = sheet.count(votes.iter().map(|(_, category)| *category));
        part.above += counts.into_iter().map(|n| pairs(n as usize)).sum::<f64>();
        part.below += pairs(votes.len());
    }
    let clusters: Vec<Vec<Part>> = clusters.into_values().map(|part| vec![part]).collect();
    ratios(&clusters, counting.sampling.resampling).first().copied().flatten()
}

fn pairs(
    sheet: &Sheet,
    voted: &[Voted],
    counting: &Counting,
    n_annotators: usize,
) -> (Vec<AnnotatorPair>, usize) {
    let k = sheet.scale.names().len();
    let mut common: BTreeMap<[&Arc<str>; 2], Common> = BTreeMap::new();
    for (unit, votes) in voted {
        for (first, one) in votes {
            for (second, other) in votes {
                let names = [&sheet.annotators[*first], &sheet.annotators[*second]];
                if names[0] < names[1] {
                    let (n, clusters) = common.entry(names).or_default();
                    *n += 1;
                    clusters.entry(&unit.cluster).or_default().push((one * k + other, 1.0));
                }
            }
        }
    }
    let n_all = n_annotators * n_annotators.saturating_sub(1) / 2;
    let n_disjoint = n_all.saturating_sub(common.len());
    let measures = between_people(&sheet.scale);
    let pair = |(names, (n_units, clusters)): ([&Arc<str>; 2], Common)| {
        let all = crossed(clusters.into_values(), sheet.scale.positions(), &measures, counting.sampling);
        AnnotatorPair {
            annotators: names.map(Arc::clone),
            n_units,
            figures: measures.iter().map(|measure| measure.name).zip(all.figures).collect(),
        }
    };
    (common.into_iter().map(pair).collect(), n_disjoint)
}
