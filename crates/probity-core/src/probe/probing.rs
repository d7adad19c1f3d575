//! A whole probing: every probe with its figures, and the document that keeps them.

use serde_json::{Value, json};

use super::aspect::Aspect;
use super::base::{Base, BaseOrigin};
use super::battery::{Family, Probe};
use super::own::{OwnFile, OwnProbe, OwnReplies};
use super::record::ProbeOutcome;
use super::tally::ProbeFigures;
use super::task::JudgeTask;
use crate::exact::Exact;
use crate::json::Json;
use crate::packet::AnswerForm;
use crate::rubric::CriterionId;

/// The version of the hashed form of a battery. It is inside the hashed data.
const FORMAT: i64 = 1;

/// What both bounds of an interval hold together.
const CONFIDENCE: f64 = 0.9;

/// The share of violations that is tolerated, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tolerance(Exact);

impl Tolerance {
    /// A share from 0 to below 1.
    pub fn new(share: Exact) -> Option<Tolerance> {
        (share >= Exact::ZERO && share < Exact::from(1)).then_some(Tolerance(share))
    }

    /// The share.
    pub fn share(self) -> f64 {
        self.0.to_f64()
    }
}

impl Default for Tolerance {
    /// One in ten.
    fn default() -> Self {
        Tolerance(Exact::ratio(1, 10).expect("ten is not zero"))
    }
}

/// How many bases there are, by origin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BaseCounts {
    /// A person's own.
    pub own: usize,
    /// Those that come with Probity.
    pub shipped: usize,
}

impl BaseCounts {
    /// The counts of `bases`.
    pub fn of(bases: &[Base]) -> BaseCounts {
        let own = bases.iter().filter(|base| base.origin() == BaseOrigin::Own).count();
        BaseCounts { own, shipped: bases.len() - own }
    }
}

/// What one probe came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    /// The probe.
    pub name: String,
    /// Its row in the catalogue of attacks, where it has one.
    pub number: Option<String>,
    /// What it is about.
    pub family: Family,
    /// What is expected, by name.
    pub expects: &'static str,
    /// The criterion that must fall, where a planted fault must lower one.
    pub criterion: Option<CriterionId>,
    /// The change in one sentence.
    pub means: String,
    /// What it came to; `None` where the probe has no meaning for the rubric.
    pub figures: Option<ProbeFigures>,
    /// The result in words, with its figures.
    pub message: String,
}

impl ProbeResult {
    /// What `figures` say about a judge under `probe`, or why the probe has no meaning.
    pub fn new(probe: &Probe, task: &JudgeTask, figures: Result<ProbeFigures, &'static str>) -> ProbeResult {
        let criterion = probe.criterion(task);
        let [violated, noise] = probe.expects.words();
        let violated = criterion.as_ref().map_or(violated.to_owned(), |id| format!("{id} did not fall"));
        let message = message(&figures, [&violated, noise]);
        ProbeResult::of_battery(probe, criterion, figures, message)
    }

    /// The same, said in other words.
    pub(super) fn of_battery(
        probe: &Probe,
        criterion: Option<CriterionId>,
        figures: Result<ProbeFigures, &'static str>,
        message: String,
    ) -> ProbeResult {
        let Probe { name, number, family, means, .. } = probe.clone();
        ProbeResult {
            name,
            number,
            family,
            expects: probe.expects.name(),
            criterion,
            means,
            figures: figures.ok(),
            message,
        }
    }

    /// The same for a person's own probe.
    pub fn of_own(probe: &OwnProbe, figures: Result<ProbeFigures, &'static str>) -> ProbeResult {
        let expects = probe.expects.name();
        let message = match &figures {
            Ok(figures) => match figures.outcome {
                ProbeOutcome::Pass => format!("as expected: {expects}"),
                ProbeOutcome::Fail => format!("not as expected: {expects}"),
                ProbeOutcome::Inconclusive | ProbeOutcome::NotApplicable => unanswered(figures),
            },
            Err(why) => (*why).to_owned(),
        };
        ProbeResult {
            name: probe.name.clone(),
            number: None,
            family: Family::Own,
            expects,
            criterion: probe.criterion.clone(),
            means: probe.means.clone(),
            figures: figures.ok(),
            message,
        }
    }

    /// What that says about the judge.
    pub fn outcome(&self) -> ProbeOutcome {
        self.figures.as_ref().map_or(ProbeOutcome::NotApplicable, |figures| figures.outcome)
    }

    fn to_json(&self) -> Value {
        let figures = self.figures.as_ref();
        let net = figures.and_then(|figures| figures.net);
        json!({
            "name": self.name,
            "number": self.number,
            "family": self.family.name(),
            "expects": self.expects,
            "criterion": self.criterion.as_ref().map(CriterionId::as_str),
            "means": self.means,
            "bases": figures.map_or(0, |figures| figures.n_bases),
            "violations": figures.map_or(0, |figures| figures.n_violations),
            "rate": figures.and_then(|figures| figures.rate),
            "noise": figures.and_then(|figures| figures.noise),
            "net": net.map(|net| net.value),
            "low": net.map(|net| net.low),
            "high": net.map(|net| net.high),
            "shift": figures.and_then(|figures| figures.shift),
            "unscored": figures.map_or(0, |figures| figures.n_unscored),
            "causes": figures.map(|figures| &figures.causes),
            "blocked": figures.map_or(0, |figures| figures.n_blocked),
            "unchanged": figures.map_or(0, |figures| figures.n_unchanged),
            "lowest": figures.map_or(0, |figures| figures.n_lowest),
            "result": self.outcome().name(),
            "needs": figures.and_then(|figures| figures.needs),
            "message": self.message,
        })
    }
}

/// What `figures` say: how often something was violated, in words, and how often that came of itself.
pub(super) fn message(figures: &Result<ProbeFigures, &'static str>, [violated, noise]: [&str; 2]) -> String {
    let figures = match figures {
        Ok(figures) => figures,
        Err(why) => return (*why).to_owned(),
    };
    let (Some(net), n) = (figures.net, figures.n_bases) else { return unanswered(figures) };
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let noise = figures.noise.map_or(String::new(), |share| format!(", and {} % {noise}", percent(share)));
    let mut text = format!(
        "{violated} in {} of {n}{noise}: net {} %, between {} and {} %",
        figures.n_violations,
        percent(net.value),
        percent(net.low),
        percent(net.high)
    );
    match (figures.outcome, figures.needs) {
        (ProbeOutcome::Inconclusive, Some(needs)) => text += &format!("; {needs} more bases would decide"),
        (ProbeOutcome::Inconclusive, None) if figures.n_unscored > n => {
            text += &format!("; {} bases have no answer", figures.n_unscored);
        }
        (ProbeOutcome::Inconclusive, None) => {
            text += "; it lies too close to what is tolerated to be told apart";
        }
        _ => {}
    }
    text
}

/// Why nothing was answered.
fn unanswered(figures: &ProbeFigures) -> String {
    let ProbeFigures { n_unscored, n_blocked, n_unchanged, n_lowest, causes, .. } = figures;
    let causes: Vec<&str> = causes.keys().map(String::as_str).collect();
    let causes = if causes.is_empty() { String::new() } else { format!(" ({})", causes.join(", ")) };
    let lowest = match n_lowest {
        0 => String::new(),
        n => format!(", {n} with the lowest level already"),
    };
    format!(
        "no answer: {n_unscored} bases unscored{causes}, {n_blocked} blocked, {n_unchanged} not changed by it{lowest}"
    )
}

/// A probing of one judge under one rubric.
#[derive(Debug, Clone, PartialEq)]
pub struct Probing {
    /// What an answer says.
    pub form: AnswerForm,
    /// The hash of everything that was asked.
    pub battery: String,
    /// What bases were drawn by.
    pub seed: u64,
    /// The share of violations that is tolerated.
    pub tolerance: Tolerance,
    /// How many bases there were.
    pub bases: BaseCounts,
    /// The names and families that the probes were chosen by; empty where all were asked.
    pub only: Vec<String>,
    /// The probes in the order of the battery, and then a person's own.
    pub results: Vec<ProbeResult>,
}

impl Probing {
    /// The probes with this outcome.
    pub fn with(&self, outcome: ProbeOutcome) -> impl Iterator<Item = &ProbeResult> {
        self.results.iter().filter(move |result| result.outcome() == outcome)
    }

    /// The share of asked bases that were answered, over all probes. `None` where no judge was asked.
    pub fn coverage(&self) -> Option<Exact> {
        let figures = || self.results.iter().filter_map(|result| result.figures.as_ref());
        let answered: u64 = figures().map(|figures| figures.n_bases).sum();
        let unscored: u64 = figures().map(|figures| figures.n_unscored).sum();
        Exact::ratio(answered.into(), (answered + unscored).into())
    }

    /// The probing for machines.
    pub fn to_json(&self) -> Value {
        let names = |outcome| self.with(outcome).map(|result| result.name.clone()).collect::<Vec<_>>();
        json!({
            "form": self.form.name(),
            "battery": self.battery,
            "seed": self.seed,
            "tolerance": self.tolerance.share(),
            "confidence": CONFIDENCE,
            "bases": { "own": self.bases.own, "shipped": self.bases.shipped },
            "only": self.only,
            "probes": self.results.iter().map(ProbeResult::to_json).collect::<Vec<_>>(),
            "failed": names(ProbeOutcome::Fail),
            "inconclusive": names(ProbeOutcome::Inconclusive),
        })
    }
}

/// BLAKE3 over everything that decides what is asked and what passes: the probes, the bases, the seed and the tolerance.
pub fn battery_hash(
    probes: &[Probe],
    own: &OwnFile,
    bases: &[Base],
    seed: u64,
    tolerance: Tolerance,
) -> String {
    let criteria = own.criteria.iter().map(|(aspect, id)| (aspect.name(), Json::text(id.as_str())));
    let canonical = Json::object([
        ("probity_battery", Json::int(FORMAT)),
        ("probes", Json::Array(probes.iter().map(probe_json).collect())),
        ("own", Json::Array(own.probes.iter().map(own_json).collect())),
        ("criteria", Json::object(criteria)),
        ("bases", Json::Array(bases.iter().map(|base| Json::text(base.digest())).collect())),
        ("seed", Json::text(seed.to_string())),
        ("tolerance", Json::text(tolerance.0.to_string())),
    ]);
    blake3::hash(canonical.canonical().as_bytes()).to_hex().to_string()
}

fn probe_json(probe: &Probe) -> Json {
    let change = serde_json::to_string(&probe.change).expect("a change has nothing that JSON cannot say");
    Json::object([
        ("name", Json::text(&probe.name)),
        ("change", Json::text(change)),
        ("expects", Json::text(probe.expects.name())),
        ("falls", Json::text(probe.falls.map_or("", Aspect::name))),
        ("forms", Json::Array(probe.forms.iter().map(|form| Json::text(form.name())).collect())),
    ])
}

fn own_json(probe: &OwnProbe) -> Json {
    let replies = match &probe.replies {
        OwnReplies::Pair { a, b } => [a, b],
        OwnReplies::Changed { reply, changed } => [reply, changed],
    };
    let digests = replies.map(|entry| Json::text(Base::new(entry.clone(), BaseOrigin::Own).digest()));
    Json::object([
        ("name", Json::text(&probe.name)),
        ("replies", Json::Array(digests.into())),
        ("expects", Json::text(probe.expects.name())),
        ("criterion", Json::text(probe.criterion.as_ref().map_or("", CriterionId::as_str))),
    ])
}
