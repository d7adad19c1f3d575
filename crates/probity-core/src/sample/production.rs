//! What a sample says about all of production: what a judge and people said, weighted by what each ticket stands
//! for.
//!
//! The figures themselves are those of [`corrected`]; here drawn tickets become strata, over all and by slice,
//! and a plan says where more labels are worth most.
//!
//! What always holds: a ticket without a verdict is not in what the judge says, and is counted; so is a stratum
//! without any. Its label is in what people say.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::stats::corrected::{Corrected, NO_VERDICT, NotCorrected, Stratum, Wanted, corrected, label_plan};

/// What the judge or people said about a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// It will not do.
    Fail,
    /// It will do.
    Pass,
}

/// A drawn ticket, and what was said about its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// The stratum it was drawn in.
    pub stratum: String,
    /// How many distinct tickets that stratum has, at least one.
    pub population: u64,
    /// Its slice.
    pub slice: String,
    /// What the judge said, a gate that blocked it included.
    pub judge: Option<Said>,
    /// What people said.
    pub people: Option<Said>,
}

/// More labels in one stratum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelWork {
    /// The stratum.
    pub stratum: String,
    /// How many more labels it takes, at least one.
    #[serde(rename = "labels")]
    pub n_labels: u64,
    /// How many of these need a ticket that has not been drawn.
    #[serde(rename = "of_these_not_drawn")]
    pub n_draws: u64,
    /// How many tickets of the stratum are left without a label then; 0 where the plan takes all of them.
    #[serde(rename = "tickets_left")]
    pub n_left: u64,
}

/// What a sample says about production.
#[derive(Debug, Clone, PartialEq)]
pub struct Production {
    /// Drawn tickets.
    pub n_drawn: u64,
    /// Those with a verdict.
    pub n_judged: u64,
    /// Those with a label.
    pub n_labelled: u64,
    /// Those with a label and without a verdict.
    pub n_labelled_only: u64,
    /// Distinct tickets of all strata.
    pub population: u64,
    /// Strata without a verdict, which what the judge says leaves out.
    pub unseen: Vec<String>,
    /// Over all strata.
    pub overall: Corrected,
    /// In each slice.
    pub by_slice: BTreeMap<String, Corrected>,
    /// The labels that make the corrected share as sure as wanted, where most are needed first, or why that
    /// cannot be told. Empty where it is sure enough.
    pub work: Result<Vec<LabelWork>, NotCorrected>,
}

/// What `rows` say about the population they were drawn from. The plan is for a corrected share that is known to
/// `half_width`.
pub fn production(rows: &[Observed], half_width: f64) -> Production {
    let strata = strata(rows.iter());
    let names: BTreeMap<&str, u64> = rows.iter().map(|row| (row.stratum.as_str(), row.population)).collect();
    let unseen = strata.iter().filter(|(_, stratum)| stratum.n_judged() == 0);
    let mut slices: BTreeMap<&str, Vec<&Observed>> = BTreeMap::new();
    for row in rows {
        slices.entry(&row.slice).or_default().push(row);
    }
    let values: Vec<Stratum> = strata.values().copied().collect();
    let by_slice = slices.into_iter().map(|(name, rows)| {
        let values: Vec<Stratum> = self::strata(rows.into_iter()).into_values().collect();
        (name.to_owned(), corrected(&values))
    });
    let plan = label_plan(&values, Wanted { half_width });
    Production {
        n_drawn: rows.len() as u64,
        n_judged: values.iter().map(Stratum::n_judged).sum(),
        n_labelled: values.iter().map(Stratum::n_labelled).sum(),
        n_labelled_only: rows.iter().filter(|row| row.judge.is_none() && row.people.is_some()).count() as u64,
        population: names.values().sum(),
        unseen: unseen.map(|(name, _)| (*name).to_owned()).collect(),
        overall: corrected(&values),
        by_slice: by_slice.collect(),
        work: plan.map(|labels| work(&labels, &strata)),
    }
}

/// The tickets by the stratum that each was drawn in.
fn strata<'a>(rows: impl Iterator<Item = &'a Observed>) -> BTreeMap<&'a str, Stratum> {
    let mut strata: BTreeMap<&str, Stratum> = BTreeMap::new();
    for row in rows {
        let empty = Stratum { population: row.population, labelled: [[0; 2]; 3], unlabelled: [0; 3] };
        let stratum = strata.entry(&row.stratum).or_insert(empty);
        let verdict = row.judge.map_or(NO_VERDICT, |judge| judge as usize);
        match row.people {
            Some(people) => stratum.labelled[verdict][people as usize] += 1,
            None => stratum.unlabelled[verdict] += 1,
        }
    }
    strata
}

fn work(labels: &[u64], strata: &BTreeMap<&str, Stratum>) -> Vec<LabelWork> {
    let one = |((name, stratum), n_all): ((&&str, &Stratum), &u64)| {
        let n_labels = n_all - stratum.n_labelled();
        let n_drawn: u64 = stratum.unlabelled.iter().sum();
        LabelWork {
            stratum: (*name).to_owned(),
            n_labels,
            n_draws: n_labels.saturating_sub(n_drawn),
            n_left: stratum.population.saturating_sub(*n_all),
        }
    };
    let mut work: Vec<LabelWork> = strata.iter().zip(labels).map(one).collect();
    work.retain(|work| work.n_labels > 0);
    work.sort_by_key(|work| std::cmp::Reverse(work.n_labels));
    work
}
