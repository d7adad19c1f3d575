//! `probity sample estimate`: what a sample says about all of production.
//!
//! No judge is asked: the sample, the results of a run on it and people's labels come from files. They are joined by
//! id, and results also by variant.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use probity_core::json::{Json, Object};
use probity_core::label::{Fields, JoinOptions, LabelEntry, NotBlind, RowFault, Scale, sheet};
use probity_core::results::{JudgeRecord, RowOutcome};
use probity_core::sample::{NO_SLICE, Observed, Production, Said, production};
use probity_engine::input::Place;
use serde_json::json;

use super::super::diff::read_results;
use super::super::outlet::{deliver, tried, write_output};
use super::super::rows::{Files, refuse_skipped, refused, row_options};
use crate::args::EstimateArgs;
use crate::exit::{Exit, Failure};
use crate::render::report::pretty;
use crate::render::sampling::{EstimateShown, estimate as shown};
use crate::settings::inputs::Inputs;

/// The names that a row of a sample may have.
const FIELDS: Fields = Fields {
    own: &[
        "id", "sample", "slice", "ticket", "turns", "reply", "variant", "reference", "confidence",
        "evidence", "known_pii", "time", "audience", "region", "language", "metadata",
    ],
    own_numbers: &[],
};

/// A row of a sample, as far as it is needed here.
struct SampleRow {
    id: String,
    variant: Option<String>,
    slice: String,
    stratum: String,
    population: u64,
    drawn: u64,
}

impl SampleRow {
    fn name(&self) -> (String, Option<String>) {
        (self.id.clone(), self.variant.clone())
    }
}

/// What a run said.
struct Results {
    /// By id and variant; nothing where a reply has no verdict.
    said: HashMap<(String, Option<String>), Option<Said>>,
    n_blocked: u64,
    /// The judge as the run's summary has it.
    judge: JudgeRecord,
}

/// Runs the command.
pub(super) fn estimate(args: &EstimateArgs) -> Result<Exit, Failure> {
    let note = |line: &str| args.say.note(line);
    let inputs = Inputs::default().and("--sample", [&args.sample]).and("--results", [&args.results]);
    tried(args.output.as_deref(), &[], &inputs.and("--labels", &args.labels))?;
    let options = row_options(false, args.delimiter.as_deref())?;
    let mut files = Files::new(options, &note);
    let rows = files.rows(&args.sample, FIELDS, row)?;
    refuse_skipped(&files.skipped)?;
    let results = results(&args.results)?;
    let labels = match &args.labels {
        Some(path) => labels(&mut files, path, args.scale()?, &note)?,
        None => HashMap::new(),
    };
    let mut warnings = warnings(&rows, &results, &labels);
    let n_results = rows.iter().filter(|(_, row)| results.said.contains_key(&row.name())).count();
    let found = production(&observed(rows, &results, &labels)?, args.half_width);
    if found.n_judged == 0 {
        return Err(nothing_said(&args.results, n_results));
    }
    warnings.extend(without_verdict(&found));
    let mut json = found.to_json();
    json["judge"] = json!(results.judge);
    json["half_width"] = args.half_width.into();
    json["blocked"] = results.n_blocked.into();
    json["warnings"] = warnings.clone().into();
    write_output(args.output.as_deref(), &pretty(&json))?;
    let shown = EstimateShown {
        production: &found,
        judge: &results.judge,
        n_blocked: results.n_blocked,
        half_width: args.half_width,
        warnings: &warnings,
    };
    deliver(&args.say, &json, || self::shown(&shown).text())?;
    Ok(Exit::Done)
}

fn row(object: &Object) -> Result<SampleRow, RowFault> {
    let text = |name: &str| match object.get(name) {
        Some(Json::String(text) | Json::Number(text)) => Some(text.clone()),
        _ => None,
    };
    let id = text("id");
    let fault = |reason: &str| RowFault { item: id.clone(), reason: reason.to_owned() };
    let sample =
        object.get("sample").ok_or_else(|| fault("Missing 'sample' field, which `probity sample` writes"))?;
    let number = |name: &str| {
        let number = sample.get(name).and_then(Json::as_u64).filter(|n| *n > 0);
        number.ok_or_else(|| fault(&format!("'sample.{name}' must be a whole number above 0")))
    };
    let stratum = sample.get("stratum").and_then(Json::as_str);
    Ok(SampleRow {
        stratum: stratum.ok_or_else(|| fault("'sample.stratum' must be a string"))?.to_owned(),
        population: number("population")?,
        drawn: number("drawn")?,
        variant: text("variant"),
        slice: text("slice").unwrap_or_else(|| NO_SLICE.to_owned()),
        id: id.clone().ok_or_else(|| fault("Missing 'id' field"))?,
    })
}

/// What the results of a run say.
fn results(path: &Path) -> Result<Results, Failure> {
    let run = read_results(path, &format!("results {}", path.display()))?;
    let said = |passes: bool| if passes { Said::Pass } else { Said::Fail };
    let n_blocked = run.results.iter().filter(|row| row.outcome == RowOutcome::Blocked).count() as u64;
    let rows = run.results.into_iter().map(|row| ((row.id, row.variant), row.outcome.passes().map(said)));
    Ok(Results { said: rows.collect(), n_blocked, judge: run.summary.facts.judge })
}

/// What people decided, by item.
fn labels(
    files: &mut Files,
    path: &Path,
    scale: Scale,
    note: &dyn Fn(&str),
) -> Result<HashMap<String, Said>, Failure> {
    let rows = files.rows(path, LabelEntry::FIELDS, LabelEntry::read)?;
    refuse_skipped(&files.skipped)?;
    let (places, entries): (Vec<Place>, Vec<LabelEntry>) = rows.into_iter().unzip();
    let is_foreign = |label: &String| scale.place(label).is_none();
    let is_foreign = entries.iter().any(|entry| entry.label.as_ref().is_some_and(is_foreign));
    let passes = scale.names()[1].clone();
    let options = JoinOptions { scale: Some(scale), not_blind: NotBlind::Drop, ..JoinOptions::default() };
    let sheet = sheet(&entries, &[], &[], options).map_err(|faults| match refused(&faults, &places) {
        failure if is_foreign => {
            failure.hint("name the word that fails and then the one that passes, such as --values no,yes")
        }
        failure => failure,
    })?;
    sheet.notices().iter().for_each(|notice| note(notice));
    let said = |label: &str| if label == passes { Said::Pass } else { Said::Fail };
    Ok(sheet.decided().map(|(item, label)| (item.to_owned(), said(label))).collect())
}

/// Why there is no figure at all.
fn nothing_said(results: &Path, n_results: usize) -> Failure {
    let results = results.display();
    if n_results == 0 {
        return Failure::usage(format!("results {results}: no reply of the sample is in it"))
            .hint("run the sample itself: probity run sample.jsonl --output results.json");
    }
    Failure::usage(format!("results {results}: no reply of the sample passed, failed or was blocked"))
        .hint("use a rubric that has a pass rule, such as support-gold")
}

/// What does not fit together, where that leaves figures.
fn warnings(rows: &[(Place, SampleRow)], results: &Results, labels: &HashMap<String, Said>) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut strata: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (_, row) in rows {
        strata.entry(&row.stratum).or_insert((0, row.drawn)).0 += 1;
    }
    for (name, (n, drawn)) in strata.into_iter().filter(|(_, (n, drawn))| n < drawn) {
        warnings.push(format!("{name}: {n} of {drawn} drawn replies are in the sample file"));
    }
    let n_missing = rows.iter().filter(|(_, row)| !results.said.contains_key(&row.name())).count();
    if n_missing > 0 {
        warnings.push(format!("{n_missing} drawn replies are not in the results"));
    }
    let ids: HashSet<&str> = rows.iter().map(|(_, row)| row.id.as_str()).collect();
    let n_strays = labels.keys().filter(|item| !ids.contains(item.as_str())).count();
    if n_strays > 0 {
        warnings.push(format!("{n_strays} labelled replies are not in the sample"));
    }
    warnings
}

/// What the judge is silent about, where people are not or a whole stratum is.
fn without_verdict(found: &Production) -> Vec<String> {
    let stratum = |name: &String| format!("{name} has no verdict, and what the judge says leaves it out");
    let mut warnings: Vec<String> = found.unseen.iter().map(stratum).collect();
    if found.n_labelled_only > 0 {
        warnings.push(format!(
            "{} labels are about replies without a verdict: they count in what people say and in both together",
            found.n_labelled_only
        ));
        warnings.extend(uneven_labels(found));
    }
    warnings
}

/// Whether replies without a verdict were labelled more or less often than a random choice of so many labels explains,
/// by three standard deviations of the hypergeometric distribution.
fn uneven_labels(found: &Production) -> Option<String> {
    let (n_silent, n_labelled) = (found.n_drawn - found.n_judged, found.n_labelled);
    let [n, silent, labelled] = [found.n_drawn, n_silent, n_labelled].map(|n| n as f64);
    let expected = labelled * silent / n;
    let variance = expected * (1.0 - silent / n) * (n - labelled) / (n - 1.0).max(1.0);
    let is_uneven = (found.n_labelled_only as f64 - expected).powi(2) > 9.0 * variance;
    (is_uneven && variance > 0.0).then(|| {
        format!(
            "{} of {n_silent} replies without a verdict have a label and {} of {} with one: label a random part of \
             both, or what people say leans to one of them",
            found.n_labelled_only,
            n_labelled - found.n_labelled_only,
            found.n_judged
        )
    })
}

fn observed(
    rows: Vec<(Place, SampleRow)>,
    results: &Results,
    labels: &HashMap<String, Said>,
) -> Result<Vec<Observed>, Failure> {
    let mut seen: HashMap<(String, Option<String>), usize> = HashMap::new();
    let mut observed = Vec::new();
    for (place, row) in rows {
        let key = row.name();
        if let Some(first) = seen.insert(key.clone(), place.line) {
            let message = format!(
                "{}:{}: the reply '{}' is in the sample twice, first at line {first}",
                place.file, place.line, row.id
            );
            return Err(Failure::usage(message));
        }
        observed.push(Observed {
            judge: results.said.get(&key).copied().flatten(),
            people: labels.get(&row.id).copied(),
            stratum: row.stratum,
            population: row.population,
            slice: row.slice,
        });
    }
    Ok(observed)
}
