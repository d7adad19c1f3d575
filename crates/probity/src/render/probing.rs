//! A probing as a document: which known shortcuts a judge falls for, beyond what it does without any change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use probity_core::probe::{Family, Probe, ProbeFigures, ProbeOutcome, ProbeResult, Probing};
use probity_core::stats::NetRate;
use probity_engine::run::probe::{ProbeJob, Probed};
use serde_json::{Map, Value, json};

use super::families::families;
use super::figure::{NONE, columns, counted, none, percent};
use super::report::add_judge;
use super::report::appendix::Appendix;
use super::report::chart::{PlotMark, Ruler};
use super::report::document::{
    Cell, CellGroup, Cells, Document, JudgeLine, Quote, Section, Table, Tile, Tone, skipped_lines,
};
use super::report::junit::{Came, TestCase};
use super::summary::calls;

/// Outcomes with their titles, those that matter most first.
const OUTCOMES: [(ProbeOutcome, &str, &str); 4] = [
    (ProbeOutcome::Fail, "failed", "Shortcuts that work, faults that are missed"),
    (ProbeOutcome::Inconclusive, "inconclusive", "Not decided"),
    (ProbeOutcome::Pass, "passed", "Shortcuts that do not work, faults that are caught"),
    (ProbeOutcome::NotApplicable, "not-applicable", "Not applicable to this rubric"),
];

/// What is shown of a probing.
pub(crate) struct ProbingShown {
    /// What was probed.
    pub(crate) job: Arc<ProbeJob>,
    /// What it came to.
    pub(crate) probed: Probed,
}

/// The document.
pub(crate) fn document(shown: &ProbingShown) -> Document {
    let ProbingShown { job, probed } = shown;
    let probing = &probed.probing;
    let n = |outcome| probing.with(outcome).count();
    let mut warnings = probed.facts.warnings.clone();
    if !probing.only.is_empty() {
        warnings.push(format!("only {}: this is not the judge's probing", probing.only.join(", ")));
    }
    let mut tiles: Vec<Tile> =
        OUTCOMES.iter().map(|(outcome, id, _)| Tile::count(n(*outcome), &id.replace('-', " "))).collect();
    tiles.push(Tile::count(probing.bases.own, "bases of your own"));
    tiles.push(Tile::count(probing.bases.shipped, "shipped bases"));
    if job.n_blocked > 0 {
        tiles.push(Tile::count(
            job.n_blocked,
            if job.n_blocked == 1 { "reply blocked by the gate" } else { "replies blocked by the gate" },
        ));
    }
    tiles.push(Tile { value: percent(probing.tolerance.share()), name: "tolerated".to_owned() });
    let sections = OUTCOMES.iter().filter_map(|(outcome, id, title)| section(probing, *outcome, id, title));
    let sections =
        [families(probing, &probed.examples)].into_iter().chain(sections.map(Section::not_on_pages));
    let skipped = skipped_lines(&job.skipped, job.skipped.len() as u64);
    let skipped = Section::new("skipped", "Skipped records").list(skipped).filled();
    let appendix = Appendix::asked(&job.asking, &job.rubric, &probed.facts);
    Document {
        command: "probe".to_owned(),
        title: format!("Probing · {}", job.name),
        about: format!("rubric {} {} · seed {}", job.rubric.name(), job.rubric.version(), probing.seed),
        judge: Some(JudgeLine::of(&probed.facts)),
        verdict: verdict(shown),
        lead: lead(probing),
        tiles,
        warnings,
        sections: sections.chain(skipped).collect(),
        calls: calls(&probed.facts),
        appendix: Some(
            appendix
                .hash("battery", &probing.battery)
                .hash("gate", job.gate.digest())
                .hash("seed", probing.seed.to_string()),
        ),
        tests: probing.results.iter().map(test_case).collect(),
        json: json(shown),
        ..Document::default()
    }
}

/// What the records of judges show, each judge by its name.
pub(crate) fn recorded_document(name: &str, probings: &[(String, Probing)]) -> Document {
    let mut sections = Vec::new();
    for (at, (judge, probing)) in probings.iter().enumerate() {
        let shown = OUTCOMES.iter().filter(|(outcome, ..)| *outcome != ProbeOutcome::NotApplicable);
        sections.extend(shown.filter_map(|(outcome, id, title)| {
            section(probing, *outcome, &format!("judge-{at}-{id}"), &format!("{judge}: {title}"))
        }));
    }
    let rest = Section::new("not-shown", "What the records do not show").list(not_shown(probings));
    let scored = |(judge, probing): &(String, Probing)| {
        Tile::count(probing.bases.own, &format!("replies scored by {judge}"))
    };
    let judges = probings.iter().map(|(judge, probing)| (judge.clone(), probing.to_json()));
    Document {
        command: "probe".to_owned(),
        title: format!("Probing · {name}"),
        about: "from what is on record; nothing was asked".to_owned(),
        lead: recorded_lead(probings),
        tiles: probings.iter().filter(|(_, probing)| probing.bases.own > 0).map(scored).collect(),
        sections: sections.into_iter().chain(rest.filled()).collect(),
        tests: probings.iter().flat_map(|(_, probing)| probing.results.iter().map(test_case)).collect(),
        json: json!({ "judges": judges.collect::<Map<String, Value>>(), "skipped": [] }),
        ..Document::default()
    }
}

fn recorded_lead(probings: &[(String, Probing)]) -> String {
    let n = |outcome| probings.iter().map(|(_, probing)| probing.with(outcome).count()).sum::<usize>();
    let [failed, open, passed] = [ProbeOutcome::Fail, ProbeOutcome::Inconclusive, ProbeOutcome::Pass].map(n);
    if failed + open + passed == 0 {
        return "The records show none of these probes. `probity probe CASES --write FILE` writes replies with and \
                without each change: have your judge score them, and read its results here."
            .to_owned();
    }
    format!(
        "Of the probes that the records show, {failed} failed, {open} are not decided and {passed} passed."
    )
}

/// Why probes have figures of no judge, each reason once with the families that it is about.
fn not_shown(probings: &[(String, Probing)]) -> Vec<String> {
    let results = || probings.iter().flat_map(|(_, probing)| &probing.results);
    let shown: BTreeSet<&str> =
        results().filter(|result| result.figures.is_some()).map(|result| &*result.name).collect();
    let mut reasons: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for result in results().filter(|result| !shown.contains(&*result.name)) {
        let (probes, families) = reasons.entry(&result.message).or_default();
        probes.insert(&result.name);
        families.insert(result.family.name());
    }
    let line = |(reason, (probes, families)): (&str, (BTreeSet<&str>, BTreeSet<&str>))| {
        let families = families.into_iter().collect::<Vec<_>>().join(", ");
        format!("{families} ({}): {reason}", counted(probes.len() as u64, "probe"))
    };
    reasons.into_iter().map(line).collect()
}

fn json(ProbingShown { job, probed }: &ProbingShown) -> Value {
    let mut json = probed.probing.to_json();
    json["gate"] = json!(job.gate.digest());
    json["call_plan"] = json!(job.asking.config.run.call_plan.name());
    json["bases"]["blocked"] = json!(job.n_blocked);
    json["skipped"] = json!(job.skipped);
    add_judge(&mut json, &job.rubric, &probed.facts);
    json
}

fn verdict(shown: &ProbingShown) -> String {
    let probing = &shown.probed.probing;
    let n_open = probing.with(ProbeOutcome::Inconclusive).count();
    match probing.with(ProbeOutcome::Fail).count() {
        0 if n_open == 0 => {
            "The judge falls for no shortcut and misses no planted fault that has a meaning for this rubric."
                .to_owned()
        }
        0 => format!("No probe failed; {n_open} are not decided."),
        n_failed => {
            let is_fault = |result: &&ProbeResult| result.family == Family::Sensitivity;
            let missed = probing.with(ProbeOutcome::Fail).filter(is_fault).count();
            let shortcuts = n_failed - missed;
            let faults = counted(missed as u64, "planted fault");
            format!(
                "The judge falls for {} and misses {faults}; {n_open} are not decided.",
                counted(shortcuts as u64, "shortcut")
            )
        }
    }
}

/// The families of what works on the judge.
fn lead(probing: &Probing) -> String {
    let mut names: Vec<&str> = probing.with(ProbeOutcome::Fail).map(|result| result.family.name()).collect();
    names.dedup();
    let n_passed = probing.with(ProbeOutcome::Pass).count();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "What moves it: {}. {} left it unmoved.",
        names.join(", "),
        counted(n_passed as u64, "other probe")
    )
}

fn section(probing: &Probing, outcome: ProbeOutcome, id: &str, title: &str) -> Option<Section> {
    let results: Vec<&ProbeResult> = probing.with(outcome).collect();
    if results.is_empty() {
        return None;
    }
    let section = Section::new(id, title);
    if outcome == ProbeOutcome::NotApplicable {
        return Some(
            section.list(results.iter().map(|result| format!("{}: {}", result.name, result.message))),
        );
    }
    let titles = ["probe", "family", "#bases", "#rate", "#noise", "~", "#net", "#90 % interval", "result"];
    let mut table = Table::new(&titles);
    for result in &results {
        let figures = figures(result.figures.as_ref(), probing.tolerance.share());
        table.row(cells![
            &result.name,
            result.family.name(),
            figures,
            Cell::word(outcome.name(), tone(outcome))
        ]);
    }
    let section = section.table(table).legend("● net with its interval; the dashed line is what is tolerated.").text(
        "Rate: of the bases, those in which the shortcut worked or the planted fault was missed. Noise: what the judge \
         does without any change. Net is the rate beyond it; a fall that comes without a fault counts as missed.",
    );
    let quote = |result: &&ProbeResult| Quote {
        title: result.name.clone(),
        about: about(result),
        word: outcome.name().to_owned(),
        tone: tone(outcome),
        pieces: Vec::new(),
        lines: vec![result.means.clone(), result.message.clone()],
    };
    let is_explained = matches!(outcome, ProbeOutcome::Fail | ProbeOutcome::Inconclusive);
    let quotes = results.iter().filter(|_| is_explained).map(quote).collect();
    Some(section.quotes(quotes, results.len()))
}

pub(super) fn figures(figures: Option<&ProbeFigures>, tolerance: f64) -> CellGroup {
    let Some(figures) = figures else { return CellGroup([NONE; 6].map(Cell::text).into()) };
    let share = |share: Option<f64>| share.map_or_else(none, percent);
    let plot = match &figures.net {
        Some(net) => {
            let mut drawn =
                Ruler::net().drawn([net.value, net.low, net.high], &[(PlotMark::Line, Some(tolerance))]);
            drawn["misses"] = json!(net.low > tolerance);
            drawn["label"] =
                json!(format!("{}, n {}", drawn["label"].as_str().unwrap_or_default(), figures.n_bases));
            Cell::Plot(drawn)
        }
        None => Cell::text(NONE),
    };
    let interval = |net: NetRate| format!("{:.1} to {:.1}", 100.0 * net.low, 100.0 * net.high);
    let (value, interval) = (figures.net.map(|net| net.value), figures.net.map_or_else(none, interval));
    CellGroup(cells![
        figures.n_bases,
        share(figures.rate),
        share(figures.noise),
        plot,
        share(value),
        interval
    ])
}

fn about(result: &ProbeResult) -> String {
    let criterion = result.criterion.as_ref().map_or(String::new(), |id| format!(" of {id}"));
    format!("{} · expects {}{criterion}", result.family.name(), result.expects)
}

pub(super) fn tone(outcome: ProbeOutcome) -> Tone {
    match outcome {
        ProbeOutcome::Pass => Tone::Met,
        ProbeOutcome::Fail => Tone::Missed,
        ProbeOutcome::Inconclusive => Tone::Unscored,
        ProbeOutcome::NotApplicable => Tone::Soft,
    }
}

/// A shortcut that works is a failure; a probe that lacks answers is an error; one that more bases or a person must
/// decide is skipped, as is one without meaning.
fn test_case(result: &ProbeResult) -> TestCase {
    let lacks_answers = || result.figures.as_ref().is_some_and(|figures| figures.n_unscored > 0);
    let came = match result.outcome() {
        ProbeOutcome::Pass => Came::Passed,
        ProbeOutcome::Fail => Came::Failed(vec![result.message.clone(), result.means.clone()]),
        ProbeOutcome::Inconclusive if lacks_answers() => Came::Error(vec![result.message.clone()]),
        ProbeOutcome::Inconclusive | ProbeOutcome::NotApplicable => Came::Skipped(result.message.clone()),
    };
    TestCase::new(result.family.name(), &result.name, came)
}

/// The battery as text.
pub(crate) fn listed(probes: &[Probe]) -> String {
    let header = ["probe", "number", "family", "expects", "form", "what is changed"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for probe in probes {
        let form = match probe.forms.as_slice() {
            [only] => only.name(),
            _ => "both",
        };
        let number = probe.number.clone().unwrap_or_else(none);
        let row = [&*probe.name, &*number, probe.family.name(), probe.expects.name(), form, &*probe.means];
        rows.push(row.map(str::to_owned).to_vec());
    }
    columns(&rows, &[false, true, true, true, true, false])
}
