//! What a labelled item stands for, where items were drawn for labelling at different rates.
//!
//! Where people label what decides most, some kinds of items are labelled more often than others. A frame says how many items of
//! each stratum there were to choose from and which of them were chosen, so that a labelled item counts for as many as
//! it stands for: the population of its stratum over the labelled ones of it (Hájek 1971). Within a stratum items are
//! drawn at random, so labels that were drawn at random before a frame was made count in it like any other.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::rows::ItemFacts;
use crate::json::Json;

/// The items that a queue was drawn from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct LabelFrame {
    /// Its parts, each drawn from at one rate.
    pub strata: Vec<FrameStratum>,
    /// The stratum of each item that was drawn or had a label, by [`LabelFrame::key`].
    pub members: BTreeMap<String, usize>,
    /// What labels had shown when it was drawn from.
    pub before: LabelsShow,
}

/// A part of a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameStratum {
    /// The slice of its cases.
    pub slice: String,
    /// How unsure the judge is of its items, in a word.
    pub doubt: String,
    /// Its items, at least one.
    pub population: u64,
    /// Those that had a label.
    #[serde(rename = "labelled")]
    pub n_labelled: u64,
    /// Those that were drawn.
    #[serde(rename = "drawn")]
    pub n_drawn: u64,
    /// The chance of each of its items to be among these two.
    pub inclusion_probability: f64,
}

/// What labels show about a judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct LabelsShow {
    /// Labelled rows with a verdict.
    #[serde(rename = "rows")]
    pub n_rows: u64,
    /// The lower end, the value and the upper end of the agreement, where it is known.
    pub agreement: Option<[f64; 3]>,
    /// Of the requirements of the contract that labels can meet, those that are met and all; without a contract none.
    pub requirements: Option<[u64; 2]>,
}

impl LabelFrame {
    /// What tells an item of a frame from others.
    pub fn key(item: &str, facts: &ItemFacts) -> String {
        let mut variants: Vec<&String> = facts.variants.iter().flatten().chain(&facts.variant).collect();
        variants.sort();
        Json::Array(
            [item].into_iter().chain(variants.into_iter().map(String::as_str)).map(Json::text).collect(),
        )
        .canonical()
    }

    /// How many items each labelled row stands for, given the stratum of each: the population of its stratum over its
    /// labelled rows, and itself alone where it has none. The population of a stratum without a labelled row is that of
    /// the others of its slice.
    pub(super) fn weights(&self, rows: &BTreeMap<usize, Option<usize>>) -> BTreeMap<usize, f64> {
        let mut n_labelled = vec![0_u64; self.strata.len()];
        for stratum in rows.values().flatten() {
            n_labelled[*stratum] += 1;
        }
        let of_slice = |slice: &str, is_labelled: bool| -> f64 {
            let strata = self.strata.iter().zip(&n_labelled);
            let strata = strata.filter(|(stratum, n)| stratum.slice == slice && (**n > 0 || !is_labelled));
            strata.map(|(stratum, _)| stratum.population as f64).sum()
        };
        let weight = |stratum: &Option<usize>| {
            let Some(place) = *stratum else { return 1.0 };
            let stratum = &self.strata[place];
            let spread = of_slice(&stratum.slice, false) / of_slice(&stratum.slice, true);
            spread * stratum.population as f64 / n_labelled[place] as f64
        };
        rows.iter().map(|(row, stratum)| (*row, weight(stratum))).collect()
    }

    /// Slices of the frame without a labelled item, which no figure over all can speak for.
    pub fn unseen(&self, labelled: &BTreeSet<usize>) -> Vec<&str> {
        let seen: BTreeSet<&str> = labelled.iter().map(|place| &*self.strata[*place].slice).collect();
        let all: BTreeSet<&str> = self.strata.iter().map(|stratum| &*stratum.slice).collect();
        all.difference(&seen).copied().collect()
    }
}

impl LabelsShow {
    /// What more labels bought: from what these show to what `after` shows.
    pub fn bought(&self, after: &LabelsShow) -> String {
        let mut parts = vec![format!("{} → {} labelled rows", self.n_rows, after.n_rows)];
        if let [Some([low, _, high]), Some([new_low, _, new_high])] = [self.agreement, after.agreement] {
            parts.push(format!(
                "the interval of the agreement from {:.2} wide to {:.2}",
                high - low,
                new_high - new_low
            ));
        }
        if let [Some([met, of]), Some([new_met, new_of])] = [self.requirements, after.requirements] {
            parts.push(format!("requirements met {met} of {of} → {new_met} of {new_of}"));
        }
        parts.join(", ")
    }
}
