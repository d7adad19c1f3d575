//! How well people agree so far, and the judge with them, while labels are still coming in.
//!
//! The figures are those of a calibration over the labels of one queue; nothing is computed here. What always
//! holds: a figure carries its denominator and its interval, or the reason why it does not exist.

use std::collections::BTreeMap;

use serde::Serialize;

use super::document::{AskedCriterion, LabelForm, Questionnaire};
use crate::calibrate::{Calibration, Counting, Figures, People, calibration};
use crate::label::{JoinOptions, LabelEntry, LabelFrame, Scale, Settling, VerdictEntry, sheet};
use crate::stats::{Estimate, Undefined};

/// How far people agree, and the judge with them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// Items and criteria with a vote.
    pub n: u64,
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
    /// By criterion, the weakest first; none for pairs.
    pub criteria: Vec<AgreementRow>,
    /// By slice, sorted by name; a row without a name is of cases without a slice.
    pub slices: Vec<AgreementRow>,
    /// Who labelled, by name.
    pub people: Vec<PersonPace>,
    /// Every two people who looked at something in common, and each with the judge.
    pub pairs: Vec<PairAgreement>,
}

/// What one person did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PersonPace {
    /// Their name.
    pub name: String,
    /// Items that they labelled.
    pub n_items: usize,
    /// Labels by which they say that they cannot tell.
    pub cannot_tell: usize,
    /// Half of their items took them longer, in seconds; `None` where no time is known.
    pub seconds: Option<f64>,
}

/// Two people on what both looked at, or one of them and the judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairAgreement {
    /// Who.
    pub one: String,
    /// With whom; `None` is the judge.
    pub other: Option<String>,
    /// Items and criteria that both decided.
    pub n: u64,
    /// The share that says the same.
    pub agreement: FigureView,
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

/// The people of one slice, or on one criterion, among themselves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgreementRow {
    /// The slice, or the criterion's id.
    pub key: String,
    /// What it is called.
    pub name: String,
    /// Items and criteria with a vote.
    pub n: u64,
    /// The share that says the same.
    pub agreement: FigureView,
    /// Krippendorff's alpha.
    pub coefficient: FigureView,
    /// The judge's share of agreement.
    pub judge: Option<FigureView>,
}

/// What was said about a queue's items, by people and by the judge.
#[derive(Debug, Clone, Copy)]
pub struct QueueVotes<'a> {
    /// What was asked.
    pub asked: &'a Questionnaire,
    /// What people said.
    pub labels: &'a [LabelEntry],
    /// What the judge said.
    pub verdicts: &'a [VerdictEntry],
    /// What the items were drawn from, where not all were equally likely to be.
    pub frame: Option<&'a LabelFrame>,
    /// How it is counted.
    pub counting: Counting,
}

impl QueueVotes<'_> {
    /// The calibration of what the labels say so far; `None` without any yet.
    pub fn calibrated(&self) -> Result<Option<Calibration>, String> {
        if self.labels.iter().all(|label| label.label.is_none()) {
            return Ok(None);
        }
        let options = JoinOptions {
            scale: scale(self.asked),
            settling: Settling::ByItem,
            frame: self.frame.cloned(),
            ..JoinOptions::default()
        };
        let sheet = sheet(self.labels, self.verdicts, &[], options).map_err(|faults| {
            let reasons: Vec<String> = faults.rows.into_iter().map(|(_, _, reason)| reason).collect();
            reasons.join("; ")
        })?;
        Ok(Some(calibration(&sheet, self.counting)))
    }

    /// The calibration of some of the labels.
    fn part(&self, keep: impl Fn(&LabelEntry) -> bool) -> Option<Calibration> {
        let labels: Vec<LabelEntry> = self.labels.iter().filter(|label| keep(label)).cloned().collect();
        QueueVotes { labels: &labels, ..*self }.calibrated().ok().flatten()
    }

    /// The people on one criterion among themselves, and the judge with them.
    fn on(&self, criterion: &AskedCriterion) -> Option<AgreementRow> {
        let part = self.part(|label| label.criterion.as_ref() == Some(&criterion.id))?;
        let people = &part.people;
        Some(AgreementRow {
            key: criterion.id.clone(),
            name: criterion.title.clone(),
            n: people.n_units,
            agreement: FigureView::of(&people.agreement.ok_or(Undefined::Nothing)),
            coefficient: alpha(self.asked, people),
            judge: part.judges.values().next().map(|figures| view(&figures.overall, "agreement")),
        })
    }

    /// What each person did.
    fn paces(&self) -> Vec<PersonPace> {
        let mut people: BTreeMap<&str, Vec<&LabelEntry>> = BTreeMap::new();
        for label in self.labels.iter().filter(|label| label.adjudicated != Some(true)) {
            people.entry(label.annotator.as_deref().unwrap_or_default()).or_default().push(label);
        }
        let pace = |(name, labels): (&str, Vec<&LabelEntry>)| {
            let facts = |label: &LabelEntry| (label.facts.variant.clone(), label.facts.variants.clone());
            let items: BTreeMap<_, Option<f64>> =
                labels.iter().map(|label| ((&label.item, facts(label)), label.seconds)).collect();
            let mut seconds: Vec<f64> = items.values().copied().flatten().collect();
            seconds.sort_by(f64::total_cmp);
            PersonPace {
                name: name.to_owned(),
                n_items: items.len(),
                cannot_tell: labels.iter().filter(|label| label.label.is_none()).count(),
                seconds: seconds.get(seconds.len() / 2).copied(),
            }
        };
        people.into_iter().map(pace).collect()
    }

    /// One person and the judge.
    fn with_judge(&self, name: &str) -> Option<PairAgreement> {
        let own =
            |label: &LabelEntry| label.annotator.as_deref() == Some(name) && label.adjudicated != Some(true);
        let part = self.part(own)?;
        let figures = &part.judges.values().next()?.overall;
        let (n, agreement) = (figures.n_units, view(figures, "agreement"));
        Some(PairAgreement { one: name.to_owned(), other: None, n, agreement })
    }
}

/// What pages show of a queue's votes and of their calibration.
pub fn agreement(votes: QueueVotes<'_>, calibration: &Calibration) -> Agreement {
    let asked = votes.asked;
    let judge = calibration.judges.iter().next();
    let slice = |(name, people): (&std::sync::Arc<str>, &People)| AgreementRow {
        key: name.to_string(),
        name: name.to_string(),
        n: people.n_units,
        agreement: FigureView::of(&people.agreement.ok_or(Undefined::Nothing)),
        coefficient: alpha(asked, people),
        judge: judge.and_then(|(_, figures)| figures.by_slice.get(name)).map(|part| view(part, "agreement")),
    };
    let people = &calibration.people;
    let paces = votes.paces();
    let pairs = people.pairs.iter().map(|pair| {
        let found = pair.figures.iter().find(|(known, _)| *known == "agreement").map(|(_, figure)| *figure);
        let [one, other] = [0, 1].map(|at| pair.annotators[at].to_string());
        let agreement = FigureView::of(&found.unwrap_or(Err(Undefined::Nothing)));
        PairAgreement { one, other: Some(other), n: pair.n_units, agreement }
    });
    let with_judge = paces.iter().filter(|_| judge.is_some()).filter_map(|pace| votes.with_judge(&pace.name));
    let by_criterion = asked.criteria.iter().filter(|_| asked.form == LabelForm::Levels);
    let mut criteria: Vec<AgreementRow> = by_criterion.filter_map(|criterion| votes.on(criterion)).collect();
    let share = |row: &AgreementRow| row.agreement.points.map_or(1.0, |points| points[1]);
    criteria.sort_by(|one, other| share(one).total_cmp(&share(other)));
    Agreement {
        n: people.n_units,
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
        criteria,
        slices: calibration.people_by_slice.iter().map(slice).collect(),
        pairs: pairs.chain(with_judge).collect(),
        people: paces,
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
