//! How far people agree so far, and the judge with them, while labels still come in.
//!
//! The figures are those of a calibration over the labels of one queue; nothing is computed here. What always
//! holds: a figure carries its denominator and its interval, or the reason why it does not exist.

use serde::Serialize;

use super::document::{Asked, Form};
use crate::calibrate::{Calibration, Counting, Figures, People, calibration};
use crate::label::{JoinOptions, LabelEntry, Scale, Settling, VerdictEntry, sheet};
use crate::stats::{Estimate, Undefined};

/// How far people agree, and the judge with them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// Items and criteria with a vote.
    pub n: u64,
    /// People who voted.
    pub people: usize,
    /// Votes that count.
    pub votes: u64,
    /// Times that somebody could not tell.
    pub cannot_tell: u64,
    /// Labels that settle what others said.
    pub adjudicated: u64,
    /// Over all pairs of votes on one thing, the share that says the same.
    pub agreement: FigureView,
    /// Krippendorff's alpha: of names for pairs, of ranks for levels.
    pub alpha: FigureView,
    /// The judge against people, where its verdicts are known.
    pub judge: Option<JudgeAgreement>,
    /// By slice, sorted by name.
    pub slices: Vec<SliceAgreement>,
    /// Every two people who looked at something in common.
    pub pairs: Vec<PairOfPeople>,
}

/// A figure as pages show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureView {
    /// The figure; `None` where it does not exist.
    pub value: Option<f64>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// How much it rests on.
    pub n: u64,
    /// Why it does not exist.
    pub reason: Option<String>,
}

/// A judge against people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeAgreement {
    /// What the judge is called.
    pub name: String,
    /// Items and criteria with a label and a verdict.
    pub n: u64,
    /// The share of labels that the judge says as well.
    pub agreement: FigureView,
    /// Cohen's kappa.
    pub kappa: FigureView,
}

/// One slice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SliceAgreement {
    /// The slice; empty for cases without one.
    pub slice: String,
    /// Items and criteria with a vote.
    pub n: u64,
    /// People among themselves.
    pub agreement: FigureView,
    /// Krippendorff's alpha among people.
    pub alpha: FigureView,
    /// The judge's share of agreement.
    pub judge: Option<FigureView>,
}

/// Two people on what both looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairOfPeople {
    /// Who.
    pub people: [String; 2],
    /// Items and criteria that both labelled.
    pub n: u64,
    /// The share on which they say the same.
    pub agreement: FigureView,
    /// Cohen's kappa between them.
    pub kappa: FigureView,
}

/// The calibration of what a queue's labels say so far; `None` where nobody has said anything yet.
pub fn calibrated(
    asked: &Asked,
    labels: &[LabelEntry],
    verdicts: &[VerdictEntry],
    counting: Counting,
) -> Result<Option<Calibration>, String> {
    if labels.iter().all(|label| label.label.is_none()) {
        return Ok(None);
    }
    let options = JoinOptions { scale: scale(asked), settling: Settling::ByItem, ..JoinOptions::default() };
    let sheet = sheet(labels, verdicts, &[], options).map_err(|faults| {
        let reasons: Vec<String> = faults.rows.into_iter().map(|(_, _, reason)| reason).collect();
        reasons.join("; ")
    })?;
    Ok(Some(calibration(&sheet, counting)))
}

/// What pages show of a calibration.
pub fn agreement(asked: &Asked, calibration: &Calibration) -> Agreement {
    let judge = calibration.judges.iter().next();
    let slice = |(name, people): (&std::sync::Arc<str>, &People)| SliceAgreement {
        slice: name.to_string(),
        n: people.n_units,
        agreement: FigureView::of(&people.agreement.ok_or(Undefined::Nothing), people.n_units),
        alpha: alpha(asked, people),
        judge: judge.and_then(|(_, figures)| figures.by_slice.get(name)).map(|part| view(part, "agreement")),
    };
    let people = &calibration.people;
    let pairs = people.pairs.iter().map(|pair| {
        let figure = |name: &str| {
            let found = pair.figures.iter().find(|(known, _)| *known == name).map(|(_, figure)| *figure);
            FigureView::of(&found.unwrap_or(Err(Undefined::Nothing)), pair.n_units)
        };
        PairOfPeople {
            people: pair.annotators.clone().map(|name| name.to_string()),
            n: pair.n_units,
            agreement: figure("agreement"),
            kappa: figure("cohen_kappa"),
        }
    });
    Agreement {
        n: people.n_units,
        people: people.n_annotators,
        votes: calibration.labels.n_votes,
        cannot_tell: calibration.labels.n_abstained,
        adjudicated: calibration.labels.n_adjudicated,
        agreement: FigureView::of(&people.agreement.ok_or(Undefined::Nothing), people.n_units),
        alpha: alpha(asked, people),
        judge: judge.map(|(name, figures)| JudgeAgreement {
            name: name.to_string(),
            n: figures.overall.n_units,
            agreement: view(&figures.overall, "agreement"),
            kappa: view(&figures.overall, "cohen_kappa"),
        }),
        slices: calibration.people_by_slice.iter().map(slice).collect(),
        pairs: pairs.collect(),
    }
}

/// What can be said about an item.
fn scale(asked: &Asked) -> Option<Scale> {
    let values: Vec<String> = match asked.form {
        Form::Pair => ["a", "tie", "b"].map(str::to_owned).to_vec(),
        Form::Levels => {
            let levels = asked.criteria.iter().flat_map(|criterion| &criterion.levels);
            let levels: std::collections::BTreeSet<i64> = levels.map(|level| level.level).collect();
            levels.iter().map(ToString::to_string).collect()
        }
    };
    Scale::declared(&values)
}

fn alpha(asked: &Asked, people: &People) -> FigureView {
    let figure = match asked.form {
        Form::Pair => &people.alpha.nominal,
        Form::Levels => &people.alpha.ordinal,
    };
    FigureView::of(figure, people.n_units)
}

fn view(figures: &Figures, name: &str) -> FigureView {
    FigureView::of(&figures.get(name).unwrap_or(Err(Undefined::Nothing)), figures.n_units)
}

impl FigureView {
    fn of(figure: &Result<Estimate, Undefined>, n: u64) -> FigureView {
        match figure {
            Ok(estimate) => FigureView {
                value: Some(estimate.value),
                low: Some(estimate.low),
                high: Some(estimate.high),
                n: estimate.n,
                reason: None,
            },
            Err(why) => FigureView { value: None, low: None, high: None, n, reason: Some(why.to_string()) },
        }
    }
}
