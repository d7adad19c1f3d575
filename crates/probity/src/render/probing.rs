//! A probing on a terminal: every probe with its figures, then the failed ones and what they mean.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use probity_core::probe::{Probe, ProbeFigures, ProbeOutcome, ProbeResult};
use probity_engine::run::probe::{ProbeJob, Probed};
use serde_json::{Value, json};

use super::figure::{columns, judge_name, none, percent, texts};
use super::report::{Document, Kind, add_judge, paged, probing as page};
use super::summary::{costs, skipped_records};
use crate::plain::plain;

/// A probing with everything that is said about it.
pub(crate) struct ProbingDocument {
    /// What was probed.
    pub(crate) job: Arc<ProbeJob>,
    /// What it came to.
    pub(crate) probed: Probed,
    /// For programs.
    pub(crate) json: Value,
}

impl ProbingDocument {
    /// The document of this probing.
    pub(crate) fn new(job: Arc<ProbeJob>, probed: Probed) -> Self {
        let mut json = probed.probing.to_json();
        json["gate"] = json!(job.gate.digest());
        json["call_plan"] = json!(job.asking.config.run.call_plan.name());
        json["bases"]["blocked"] = json!(job.n_blocked);
        json["skipped"] = json!(job.skipped);
        add_judge(&mut json, &job.rubric, &probed.facts);
        ProbingDocument { job, probed, json }
    }
}

impl Document for ProbingDocument {
    fn json(&self) -> &Value {
        &self.json
    }

    fn text(&self) -> String {
        probing(self)
    }

    fn file(&self, kind: Kind) -> io::Result<String> {
        paged(self, kind, || page::page(self), || page::test_cases(self))
    }
}

/// The probing as text.
fn probing(shown: &ProbingDocument) -> String {
    let mut out = String::new();
    headline(&mut out, shown);
    out += &table(&shown.probed.probing.results);
    push_line!(
        out,
        "rate: of the bases, those in which the shortcut worked or the planted fault was missed; noise: what the judge does without a change"
    );
    explained(&mut out, shown, ProbeOutcome::Fail, "failed");
    explained(&mut out, shown, ProbeOutcome::Inconclusive, "inconclusive");
    skipped_records(&mut out, &shown.job.skipped, shown.job.skipped.len() as u64);
    costs(&mut out, &shown.probed.facts);
    out
}

fn headline(out: &mut String, shown: &ProbingDocument) {
    let (job, probing) = (&shown.job, &shown.probed.probing);
    let judge = &shown.probed.facts.judge;
    push_line!(
        out,
        "{} {} · {} · judge {} ({})",
        job.rubric.name(),
        plain(job.rubric.version()),
        plain(&job.name),
        plain(&judge_name(&shown.probed.facts)),
        judge.standing
    );
    let counted = [
        (ProbeOutcome::Pass, "passed"),
        (ProbeOutcome::Fail, "failed"),
        (ProbeOutcome::Inconclusive, "inconclusive"),
        (ProbeOutcome::NotApplicable, "not applicable"),
    ];
    let counts: Vec<String> =
        counted.iter().map(|(outcome, name)| format!("{} {name}", probing.with(*outcome).count())).collect();
    push_line!(out, "{} probes = {}", probing.results.len(), counts.join(" + "));
    let blocked = match job.n_blocked {
        0 => String::new(),
        n => format!(", {n} replies blocked by the gate"),
    };
    push_line!(
        out,
        "{} bases of your own, {} shipped{blocked}; seed {}, at most {:.1} % tolerated\n",
        probing.bases.own,
        probing.bases.shipped,
        probing.seed,
        100.0 * probing.tolerance.share()
    );
    if !probing.only.is_empty() {
        push_line!(
            out,
            "only {}: this is not kept as the judge's probing\n",
            plain(&probing.only.join(", "))
        );
    }
}

fn table(results: &[ProbeResult]) -> String {
    let header = ["probe", "bases", "rate", "noise", "net", "90 % interval", "result"];
    let mut rows = vec![texts(header)];
    for result in results {
        let mut row = vec![plain(&result.name)];
        row.extend(figures(result.figures.as_ref()));
        row.push(result.outcome().name().replace('_', " "));
        rows.push(row);
    }
    columns(&rows)
}

fn figures(figures: Option<&ProbeFigures>) -> [String; 5] {
    let percent = |share: Option<f64>| share.map_or_else(none, percent);
    let Some(figures) = figures else { return [none(), none(), none(), none(), none()] };
    let net = figures.net;
    [
        figures.n_bases.to_string(),
        percent(figures.rate),
        percent(figures.noise),
        percent(net.map(|net| net.value)),
        net.map_or_else(none, |net| format!("{:.1} to {:.1}", 100.0 * net.low, 100.0 * net.high)),
    ]
}

fn explained(out: &mut String, shown: &ProbingDocument, outcome: ProbeOutcome, heading: &str) {
    let results: Vec<&ProbeResult> = shown.probed.probing.with(outcome).collect();
    if results.is_empty() {
        return;
    }
    push_line!(out, "\n{heading}");
    for result in results {
        push_line!(out, "  {} ({}): {}", plain(&result.name), result.family.name(), plain(&result.means));
        push_line!(out, "    {}", plain(&result.message));
    }
}

/// The battery as text.
pub(crate) fn listed(probes: &[Probe]) -> String {
    let mut rows = vec![texts(["probe", "number", "family", "expects", "form"])];
    for probe in probes {
        let form = match probe.forms.as_slice() {
            [only] => only.name(),
            _ => "both",
        };
        let number = probe.number.clone().unwrap_or_else(none);
        let row = [&*probe.name, &*number, probe.family.name(), probe.expects.name(), form];
        rows.push(row.map(str::to_owned).to_vec());
    }
    let table = columns(&rows);
    let means = ["what is changed"].into_iter().chain(probes.iter().map(|probe| &*probe.means));
    let mut out = String::new();
    for (row, means) in table.lines().zip(means) {
        push_line!(out, "{row}  {means}");
    }
    out
}
