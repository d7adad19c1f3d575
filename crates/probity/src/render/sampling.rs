//! A draw, and what a sample says about production, on a terminal.

use probity_core::results::JudgeRecord;
use probity_core::sample::{Drawn, DrawnStratum, Duplicates, LabelWork, Production};
use probity_core::stats::Estimate;
use probity_core::stats::corrected::{Corrected, NotCorrected};
use probity_engine::input::Skipped;

use super::figure::{columns, share, texts};
use super::summary::skipped_records;
use crate::plain::plain;

/// A draw with fewer distinct tickets of a slice than this says little about it.
const SLICE_DRAWS_FEW: u64 = 2;
/// So many slices are named in a line.
const NAMED_MAX: usize = 5;

/// What is shown of a draw.
pub(crate) struct DrawShown<'a> {
    /// The draw.
    pub(crate) drawn: &'a Drawn,
    /// What is worth knowing about it.
    pub(crate) warnings: &'a [String],
    /// The file it was written to, unless that was standard output.
    pub(crate) output: Option<&'a str>,
    /// The first records that could not be used.
    pub(crate) skipped: &'a [Skipped],
    /// How many there are.
    pub(crate) n_skipped: u64,
}

/// What is worth knowing about a draw.
pub(crate) fn warnings(drawn: &Drawn) -> Vec<String> {
    let mut warnings = Vec::new();
    let (size, n) = (drawn.design.size, drawn.counts.n_population);
    if n < size {
        warnings.push(format!("{size} were asked for and {n} are there: all of them are drawn"));
    }
    if drawn.strata.len() < drawn.n_slices {
        warnings.push(format!(
            "{} slices are more than {size} draws: drawn from all of them together, and figures by slice will say little",
            drawn.n_slices
        ));
    }
    let few = |stratum: &&DrawnStratum| stratum.drawn < SLICE_DRAWS_FEW.min(stratum.population);
    let few: Vec<String> = drawn.strata.iter().filter(few).map(|stratum| plain(&stratum.name)).collect();
    if !few.is_empty() {
        let more = few.len().saturating_sub(NAMED_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named = few[..few.len().min(NAMED_MAX)].join(", ");
        warnings.push(format!(
            "one reply is drawn in {named}{more}: nothing can be said about these slices alone"
        ));
    }
    warnings
}

/// The draw as text.
pub(crate) fn draw(shown: &DrawShown) -> String {
    let DrawShown { drawn, warnings, output, skipped, n_skipped } = shown;
    let (design, counts) = (&drawn.design, &drawn.counts);
    let to = output.map_or("standard output".to_owned(), plain);
    let mut out = format!(
        "{} · {} of {} {} drawn, {} by slice, seed {} · {to}\n",
        plain(&design.name),
        drawn.chosen.len(),
        counts.n_population,
        match design.duplicates {
            Duplicates::Represent => "distinct tickets",
            Duplicates::Keep => "replies",
        },
        design.spread.name(),
        design.seed,
    );
    let mut parts = vec![format!("{} replies in the export", counts.n_replies)];
    if counts.n_earlier > 0 {
        parts.push(format!("{} drawn earlier", counts.n_earlier));
    }
    if counts.n_near > 0 {
        parts.push(format!("{} near-identical to another", counts.n_near));
    }
    if *n_skipped > 0 {
        parts.push(format!("{n_skipped} records skipped"));
    }
    out += &format!("{}\n\n", parts.join(", "));
    let mut rows = vec![texts(["slice", "replies", "tickets", "drawn", "probability", "weight"])];
    for stratum in &drawn.strata {
        rows.push(vec![
            plain(&stratum.name),
            stratum.n_replies.to_string(),
            stratum.population.to_string(),
            stratum.drawn.to_string(),
            format!("{:.4}", stratum.probability()),
            format!("{:.1}", stratum.weight()),
        ]);
    }
    out += &columns(&rows);
    for warning in *warnings {
        out += &format!("warning: {warning}\n");
    }
    skipped_records(&mut out, skipped, *n_skipped);
    out
}

/// What is shown of an estimate.
pub(crate) struct EstimateShown<'a> {
    /// The figures.
    pub(crate) production: &'a Production,
    /// The judge as the results of its run have it.
    pub(crate) judge: &'a JudgeRecord,
    /// Results of the gate, which count as fails.
    pub(crate) n_blocked: u64,
    /// How sure the corrected share is to be.
    pub(crate) half_width: f64,
    /// What is worth knowing.
    pub(crate) warnings: &'a [String],
}

/// The estimate as text.
pub(crate) fn estimate(shown: &EstimateShown) -> String {
    let all = shown.production;
    let mut out = format!(
        "{} tickets in production · {} drawn, {} with a verdict, {} with a label · judge {}\n",
        all.population,
        all.n_drawn,
        all.n_judged,
        all.n_labelled,
        judge(shown.judge)
    );
    if shown.n_blocked > 0 {
        out += &format!("{} blocked by the gate count as fails\n", shown.n_blocked);
    }
    out += &format!("\n{}", figures(&all.overall));
    if all.by_slice.len() > 1 {
        out += &format!("\n{}", slices(all));
    }
    out += &format!("\n{}", plan(&all.work, shown.half_width));
    for warning in shown.warnings {
        out += &format!("warning: {}\n", plain(warning));
    }
    out
}

/// What the judge is and what it has earned.
fn judge(judge: &JudgeRecord) -> String {
    plain(&format!("{} ({})", judge.name(), judge.standing))
}

fn figures(found: &Corrected) -> String {
    let errors = |of: fn(&probity_core::stats::corrected::ErrorRates) -> Estimate| {
        found.errors.as_ref().map(of).map_err(|why| *why)
    };
    let figures = [
        ("as the judge says", found.uncorrected.ok_or(NotCorrected::NothingLeft)),
        ("as people say", found.people.ok_or(NotCorrected::NoLabels)),
        ("judge, its errors taken out (Rogan–Gladen)", found.rogan_gladen),
        ("judge and people together (prediction-powered)", found.prediction_powered),
        ("judge passes what people pass", errors(|errors| errors.sensitivity)),
        ("judge fails what people fail", errors(|errors| errors.specificity)),
    ];
    let mut rows = vec![texts(["share that passes", "value", "95 % interval", "n"])];
    let mut missing: Vec<(NotCorrected, Vec<String>)> = Vec::new();
    for (name, figure) in figures {
        let mut row = vec![name.to_owned()];
        row.extend(cells(figure));
        rows.push(row);
        if let Err(why) = figure {
            let name = format!("\"{name}\"");
            match missing.iter_mut().find(|(reason, _)| *reason == why) {
                Some((_, names)) => names.push(name),
                None => missing.push((why, vec![name])),
            }
        }
    }
    let line =
        |(why, names): (NotCorrected, Vec<String>)| format!("no figure for {}: {why}\n", names.join(", "));
    columns(&rows) + &missing.into_iter().map(line).collect::<String>()
}

fn cells(figure: Result<Estimate, NotCorrected>) -> [String; 3] {
    share(figure.ok().as_ref())
}

fn slices(all: &Production) -> String {
    let head =
        ["slice", "judge", "95 % interval", "n", "people", "95 % interval", "n", "together", "95 % interval"];
    let mut rows = vec![texts(head)];
    for (name, found) in &all.by_slice {
        let mut row = vec![plain(name)];
        row.extend(cells(found.uncorrected.ok_or(NotCorrected::NothingLeft)));
        row.extend(cells(found.people.ok_or(NotCorrected::NoLabels)));
        let [value, interval, _] = cells(found.prediction_powered);
        row.extend([value, interval]);
        rows.push(row);
    }
    columns(&rows)
}

fn plan(work: &Result<Vec<LabelWork>, NotCorrected>, half_width: f64) -> String {
    let wanted = format!("for ± {:.1} points", 100.0 * half_width);
    match work {
        Err(why) => format!("{wanted}: no plan, {why}\n"),
        Ok(labels) if labels.is_empty() => format!("{wanted}: there are labels enough\n"),
        Ok(labels) => {
            format!("{wanted}: label {}\n", labels.iter().map(stratum_work).collect::<Vec<_>>().join(", "))
        }
    }
}

fn stratum_work(LabelWork { stratum, n_labels, n_draws, n_left }: &LabelWork) -> String {
    let mut notes = Vec::new();
    if *n_draws > 0 {
        notes.push(format!("draw {n_draws} more there first"));
    }
    if *n_left == 0 {
        notes.push("then all its tickets have a label".to_owned());
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    format!("{n_labels} more in {}{notes}", plain(stratum))
}
