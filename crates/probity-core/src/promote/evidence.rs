//! What was measured about a judge, as plain data. What is not known says why.

use std::collections::{BTreeMap, BTreeSet};

use super::contract::{Contract, Floor, Kappa};
use crate::calibrate::{Calibration, Figures, People};
use crate::case::Moment;
use crate::probe::ProbeRecord;
use crate::stats::{Estimate, Undefined};

/// A figure with its interval, or why there is none.
pub type MeasuredFigure = Result<Estimate, String>;

/// What was measured about one judge under one rubric.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// What the gate did with the labelled replies. `None` where files are all there is: hard gates are then not
    /// checked, and no decision promotes.
    pub gates: Option<Gates>,
    /// Labelled rows with a verdict.
    pub rows: LabelledRows,
    /// The contract's figure of the judge against people.
    pub agreement: MeasuredFigure,
    /// The same figure of people against each other.
    pub people: Result<PeopleFigure, String>,
    /// The same figure of judges that understand nothing.
    pub floors: BTreeMap<Floor, Result<f64, String>>,
    /// By slice.
    pub slices: BTreeMap<String, SliceEvidence>,
    /// The probing on record.
    pub probes: Result<ProbeRecord, String>,
    /// Where replies go that a person should decide.
    pub review_path: Option<String>,
    /// Labelled items with a verdict.
    pub coverage: Result<LabelCoverage, String>,
    /// Who answered.
    pub answers: Result<Seen, String>,
    /// Why verdicts lack the reasons that the rubric asks for, where they do.
    pub reasons_lacking: Option<String>,
    /// When the model ends, where that is known.
    pub model_end: Option<Moment>,
    /// The moment of the decision.
    pub now: Moment,
}

/// What the gate did with the labelled replies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gates {
    /// The rules whose findings block.
    pub blocking: BTreeSet<String>,
    /// Labelled replies, or pairs of them, that were admitted.
    pub n_admitted: u64,
    /// Those that were blocked. They are not judged and count in no figure.
    pub n_blocked: u64,
    /// Labelled items whose reply the gate never saw.
    pub n_unknown: u64,
}

/// Labelled rows with a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelledRows {
    /// Items, whatever was asked about them.
    pub n: u64,
    /// By criterion, where several are asked about. One that no label is about has none.
    pub by_criterion: BTreeMap<String, u64>,
}

/// How far people agree with each other, by the figure that a judge is measured by.
#[derive(Debug, Clone, PartialEq)]
pub struct PeopleFigure {
    /// The figure.
    pub value: f64,
    /// How it was made.
    pub how: String,
}

/// One slice.
#[derive(Debug, Clone, PartialEq)]
pub struct SliceEvidence {
    /// Labelled rows with a verdict.
    pub n_rows: u64,
    /// The share that agrees.
    pub agreement: MeasuredFigure,
    /// The contract's own figure.
    pub kappa: MeasuredFigure,
}

/// Labelled items with a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelCoverage {
    /// Those with one.
    pub n: u64,
    /// All that should have one.
    pub of: u64,
}

/// Who answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    /// The models that answered, by what they call themselves.
    pub models: Vec<String>,
    /// The fingerprints of their answers.
    pub fingerprints: Vec<String>,
}

impl LabelledRows {
    /// The fewest rows that a criterion has, and which it is; all of them where none is named.
    pub(super) fn fewest(&self) -> (u64, Option<&str>) {
        let fewest = self.by_criterion.iter().min_by_key(|(_, n)| **n);
        fewest.map_or((self.n, None), |(name, n)| (*n, Some(name.as_str())))
    }
}

impl Evidence {
    /// What a calibration says about `judge` at `now`. What it cannot say is not known yet.
    pub fn of(contract: &Contract, calibration: &Calibration, judge: &str, now: Moment) -> Evidence {
        let kappa = contract.agreement.kappa;
        let figures = calibration.judges.get(judge);
        let overall = figures.map(|figures| &figures.overall);
        let unknown = || "there is no verdict of this judge".to_owned();
        let rows = figures.map(|figures| LabelledRows {
            n: figures.overall.n_rows,
            by_criterion: figures
                .by_criterion
                .iter()
                .map(|(name, part)| (name.to_string(), part.n_rows))
                .collect(),
        });
        let slices = figures.iter().flat_map(|figures| &figures.by_slice);
        let slices = slices.map(|(name, part)| (name.to_string(), slice(part, kappa)));
        Evidence {
            gates: None,
            rows: rows.unwrap_or_default(),
            agreement: overall.map_or_else(|| Err(unknown()), |figures| named(figures, kappa.name())),
            people: people(&calibration.people, kappa),
            floors: floors(calibration, kappa),
            slices: slices.collect(),
            probes: Err("there is no probing of this judge under this rubric".to_owned()),
            review_path: contract.review_path.clone(),
            coverage: coverage(calibration, judge),
            answers: Err("nothing shows which model answered".to_owned()),
            reasons_lacking: None,
            model_end: None,
            now,
        }
    }
}

fn named(figures: &Figures, name: &str) -> MeasuredFigure {
    match figures.get(name) {
        Some(figure) => figure.map_err(|reason| reason.to_string()),
        None => Err(format!("there is no {name} on a scale like this")),
    }
}

fn slice(figures: &Figures, kappa: Kappa) -> SliceEvidence {
    SliceEvidence {
        n_rows: figures.n_rows,
        agreement: named(figures, "agreement"),
        kappa: named(figures, kappa.name()),
    }
}

/// Labelled items that have a verdict among all that should: items without one count, and so do labels about
/// items that no verdict names.
fn coverage(calibration: &Calibration, judge: &str) -> Result<LabelCoverage, String> {
    let figures = calibration.judges.get(judge).ok_or("there is no verdict of this judge")?;
    let strays: BTreeSet<&String> = calibration.labels.strays.iter().collect();
    let n = figures.overall.n_units;
    let of = n + figures.n_without_verdict + strays.len() as u64;
    if of == 0 { Err("nothing is labelled".to_owned()) } else { Ok(LabelCoverage { n, of }) }
}

/// People against people: for Krippendorff's alpha over all of them, else the mean over pairs of people, each
/// weighted by how much both labelled.
fn people(people: &People, kappa: Kappa) -> Result<PeopleFigure, String> {
    if people.n_annotators < 2 {
        return Err(format!("{} labelled, so people cannot be compared", counted(people.n_annotators)));
    }
    if kappa == Kappa::Alpha {
        let alpha = people.alpha.nominal.map_err(|reason| format!("people among themselves: {reason}"))?;
        let how = format!("alpha of {} people", people.n_annotators);
        return Ok(PeopleFigure { value: alpha.value, how });
    }
    let mut reason = Undefined::Nothing;
    let (mut sum, mut weight, mut n_pairs) = (0.0, 0.0, 0_u64);
    for pair in &people.pairs {
        match pair.figures.iter().find(|(name, _)| *name == kappa.name()).map(|(_, figure)| *figure) {
            Some(Ok(figure)) => {
                sum += figure.value * pair.n_units as f64;
                weight += pair.n_units as f64;
                n_pairs += 1;
            }
            Some(Err(why)) => reason = why,
            None => return Err(format!("there is no {} on a scale like this", kappa.name())),
        }
    }
    if n_pairs == 0 {
        return Err(format!("no two people can be compared: {reason}"));
    }
    let how = format!("mean over {n_pairs} of {} pairs of people", people.pairs.len());
    Ok(PeopleFigure { value: sum / weight, how })
}

fn counted(n: usize) -> String {
    if n == 1 { "one person".to_owned() } else { "no person".to_owned() }
}

/// The figures of judges that understand nothing. A judge that always says the same agrees as chance does.
fn floors(calibration: &Calibration, kappa: Kappa) -> BTreeMap<Floor, Result<f64, String>> {
    let Some(floors) = &calibration.floors else { return BTreeMap::new() };
    let value = |figures: &Figures| match figures.get(kappa.name()) {
        Some(Ok(figure)) => Ok(figure.value),
        Some(Err(Undefined::OneClass)) => Ok(0.0),
        Some(Err(reason)) => Err(reason.to_string()),
        None => Err(format!("there is no {} on a scale like this", kappa.name())),
    };
    let mut all = BTreeMap::from([(Floor::Constant, value(&floors.constant))]);
    if let Some(longer) = &floors.prefer_longer {
        all.insert(Floor::PreferLonger, value(longer));
    }
    if let Some(baseline) = &floors.baseline {
        all.insert(Floor::Baseline, value(baseline));
    }
    all
}
