//! What must be shown before a judge may gate a release.

use std::collections::BTreeMap;

use crate::case::Moment;

/// How many labelled rows every contract wants at least.
pub(super) const ROWS_MIN: u64 = 50;

/// The families of rules that must block under every contract, as far as their rules block by default.
pub(super) const BLOCKING: [&str; 2] = ["pii", "safety"];

/// A contract.
///
/// Four requirements hold whatever its file says: hard gates, labelled rows, probes, and a path to a person. With them
/// goes agreement beyond chance. A file can ask for more, and cannot leave one of them out. Other requirements that it
/// does not name are not checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// What it is called.
    pub name: String,
    /// Its version, as its owner counts them.
    pub version: String,
    /// Who answers for it.
    pub owner: String,
    /// The rules whose findings must block, in the order of the gate's table: those of every contract, and those that
    /// the file adds.
    pub blocking: Vec<&'static str>,
    /// Labelled rows at least.
    pub rows_min: u64,
    /// How far the judge must agree with people.
    pub agreement: AgreementFloors,
    /// What every slice must reach.
    pub every_slice: SliceFloors,
    /// What single slices must reach, in place of what every slice must.
    pub slices: BTreeMap<String, SliceFloors>,
    /// The probes, or families of them, that the probing must have made. All that it has made must pass.
    pub probes: Vec<String>,
    /// Where replies go that a person should decide, where the file says it.
    pub review_path: Option<String>,
    /// The share of admitted labelled items that must have a verdict.
    pub coverage_min: Option<f64>,
    /// How many models may have answered.
    pub answers: Answers,
    /// How many days the model must still have.
    pub model_days_min: Option<u32>,
    /// For how many days a standing is good.
    pub valid_days: Option<u32>,
    /// When the contract itself ends.
    pub until: Option<Moment>,
    /// BLAKE3 of the file's bytes, hexadecimal.
    pub hash: String,
}

/// How far a judge must agree with people.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgreementFloors {
    /// The figure that counts.
    pub kappa: Kappa,
    /// Its lower end at least; without it, anything above chance.
    pub lower_bound_min: Option<f64>,
    /// The share of what people reach among themselves at least.
    pub human_share_min: Option<f64>,
    /// Whom the judge must beat.
    pub beats: Vec<Floor>,
}

/// What a slice must reach.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SliceFloors {
    /// Labelled rows at least.
    pub rows_min: Option<u64>,
    /// The lower end of the share that agrees at least.
    pub agreement_lower_bound_min: Option<f64>,
    /// The lower end of the contract's own figure at least.
    pub lower_bound_min: Option<f64>,
}

crate::named! {
    /// A figure of agreement beyond chance.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Kappa {
        /// Cohen's, where each disagreement counts the same.
        #[default]
        Cohen = "cohen_kappa",
        /// Cohen's, where a disagreement counts by its distance.
        CohenLinear = "cohen_kappa_linear",
        /// Cohen's, where it counts by the square of its distance.
        CohenQuadratic = "cohen_kappa_quadratic",
        /// Krippendorff's alpha of names.
        Alpha = "krippendorff_alpha",
    }
}

crate::named! {
    /// A judge that understands nothing, on the same items.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Floor {
        /// The embedded judge, which compares words.
        Baseline = "baseline",
        /// Always says what people say most often.
        Constant = "constant",
        /// Prefers the longer reply of a pair.
        PreferLonger = "prefer_longer",
    }
}

/// How many models may have given the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answers {
    /// It is not asked. A standing is bound to the one that answered, if only one did.
    #[default]
    NotAsked,
    /// Any number, and a standing is bound to none of them.
    Any,
    /// One model name and at most one fingerprint.
    OneModel,
}

impl Contract {
    /// What the slice called `name` must reach.
    pub fn slice(&self, name: &str) -> SliceFloors {
        let own = self.slices.get(name).copied().unwrap_or_default();
        SliceFloors {
            rows_min: own.rows_min.or(self.every_slice.rows_min),
            agreement_lower_bound_min: own
                .agreement_lower_bound_min
                .or(self.every_slice.agreement_lower_bound_min),
            lower_bound_min: own.lower_bound_min.or(self.every_slice.lower_bound_min),
        }
    }

    /// When a standing ends that is earned at `now`: by its days, or with the contract if that is earlier.
    pub fn ends(&self, now: Moment) -> Option<Moment> {
        let days =
            self.valid_days.and_then(|days| Moment::from_seconds(now.seconds() + 86_400 * i64::from(days)));
        match (days, self.until) {
            (Some(days), Some(until)) => Some(days.min(until)),
            (days, until) => days.or(until),
        }
    }
}
