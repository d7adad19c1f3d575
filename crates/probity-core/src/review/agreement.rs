//! How far people agree so far, and the judge with them, while labels still come in.
//!
//! The figures are those of a calibration over the labels of one queue; nothing is computed here. What always
//! holds: a figure carries its denominator and its interval, or the reason why it does not exist.

use serde::Serialize;

use super::document::{LabelForm, Questionnaire};
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
    /// Times that a person could not tell.
    pub cannot_tell: u64,
    /// Labels that settle what others said.
    pub adjudicated: u64,
    /// Over all pairs of votes on one thing, the share that says the same.
    pub agreement: FigureView,
    /// Krippendorff's alpha: of names for pairs, of ranks for levels.
    pub alpha: FigureView,
    /// The judge against people, where its verdicts are known.
    pub judge: Option<JudgeAgreement>,
    /// By slice, sorted by name; a row without a name is of cases without a slice.
    pub slices: Vec<AgreementRow>,
    /// Every two people who looked at something in common.
    pub pairs: Vec<AgreementRow>,
}

/// A figure as pages write and draw it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureView {
    /// The figure with two decimals; a dash where it does not exist.
    pub text: String,
    /// Both ends of its interval; empty where it does not exist.
    pub interval: String,
    /// Why it does not exist.
    pub reason: Option<String>,
    /// The lower end, the figure and the upper end, each from 0 to 1.
    pub points: Option<[f64; 3]>,
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

/// The people of one slice among themselves, or two people on what both looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgreementRow {
    /// The slice, or both people.
    pub name: String,
    /// Items and criteria with a vote, or that both labelled.
    pub n: u64,
    /// The share that says the same.
    pub agreement: FigureView,
    /// Krippendorff's alpha of a slice, Cohen's kappa of two people.
    pub coefficient: FigureView,
    /// The judge's share of agreement in a slice.
    pub judge: Option<FigureView>,
}

/// The calibration of what a queue's labels say so far; `None` without any yet.
pub fn calibrated(
    asked: &Questionnaire,
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
pub fn agreement(asked: &Questionnaire, calibration: &Calibration) -> Agreement {
    let judge = calibration.judges.iter().next();
    let slice = |(name, people): (&std::sync::Arc<str>, &People)| AgreementRow {
        name: name.to_string(),
        n: people.n_units,
        agreement: FigureView::of(&people.agreement.ok_or(Undefined::Nothing)),
        coefficient: alpha(asked, people),
        judge: judge.and_then(|(_, figures)| figures.by_slice.get(name)).map(|part| view(part, "agreement")),
    };
    let people = &calibration.people;
    let pairs = people.pairs.iter().map(|pair| {
        let figure = |name: &str| {
            let found = pair.figures.iter().find(|(known, _)| *known == name).map(|(_, figure)| *figure);
            FigureView::of(&found.unwrap_or(Err(Undefined::Nothing)))
        };
        AgreementRow {
            name: pair.annotators.join(" and "),
            n: pair.n_units,
            agreement: figure("agreement"),
            coefficient: figure("cohen_kappa"),
            judge: None,
        }
    });
    Agreement {
        n: people.n_units,
        people: people.n_annotators,
        votes: calibration.labels.n_votes,
        cannot_tell: calibration.labels.n_abstained,
        adjudicated: calibration.labels.n_adjudicated,
        agreement: FigureView::of(&people.agreement.ok_or(Undefined::Nothing)),
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
fn scale(asked: &Questionnaire) -> Option<Scale> {
    let values: Vec<String> = match asked.form {
        LabelForm::Pair => ["a", "tie", "b"].map(str::to_owned).to_vec(),
        LabelForm::Levels => {
            let levels = asked.criteria.iter().flat_map(|criterion| &criterion.levels);
            let levels: std::collections::BTreeSet<i64> = levels.map(|level| level.level).collect();
            levels.iter().map(ToString::to_string).collect()
        }
    };
    Scale::declared(&values)
}

fn alpha(asked: &Questionnaire, people: &People) -> FigureView {
    let figure = match asked.form {
        LabelForm::Pair => &people.alpha.nominal,
        LabelForm::Levels => &people.alpha.ordinal,
    };
    FigureView::of(figure)
}

fn view(figures: &Figures, name: &str) -> FigureView {
    FigureView::of(&figures.get(name).unwrap_or(Err(Undefined::Nothing)))
}

impl FigureView {
    fn of(figure: &Result<Estimate, Undefined>) -> FigureView {
        match figure {
            Ok(Estimate { value, low, high, .. }) => FigureView {
                text: format!("{value:.2}"),
                interval: format!("{low:.2} to {high:.2}"),
                reason: None,
                points: Some([low, value, high].map(|point| point.clamp(0.0, 1.0))),
            },
            Err(why) => FigureView {
                text: "–".to_owned(),
                interval: String::new(),
                reason: Some(why.to_string()),
                points: None,
            },
        }
    }
}
