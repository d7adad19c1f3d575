//! A draw, and what a sample says about production, as documents.

use probity_core::results::JudgeRecord;
use probity_core::sample::{Drawn, DrawnStratum, Duplicates, LabelWork, Production};
use probity_core::stats::Estimate;
use probity_core::stats::corrected::{Corrected, ErrorRates, NotCorrected};
use probity_engine::input::Skipped;

use super::report::document::{Cell, Cells, Document, JudgeLine, Section, Table, skipped_lines};

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
    let few: Vec<String> = drawn.strata.iter().filter(few).map(|stratum| stratum.name.clone()).collect();
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

/// The draw as a document.
pub(crate) fn draw(shown: &DrawShown) -> Document {
    let DrawShown { drawn, warnings, output, skipped, n_skipped } = shown;
    let (design, counts) = (&drawn.design, &drawn.counts);
    let units = match design.duplicates {
        Duplicates::Represent => "distinct tickets",
        Duplicates::Keep => "replies",
    };
    let parts = [
        (counts.n_replies, "replies in the export"),
        (counts.n_earlier, "drawn earlier"),
        (counts.n_near, "near-identical to another"),
        (*n_skipped, "records skipped"),
    ];
    let parts = parts.iter().enumerate().filter(|(at, (n, _))| *at == 0 || *n > 0);
    let parts: Vec<String> = parts.map(|(_, (n, what))| format!("{n} {what}")).collect();
    let mut table = Table::new(&["slice", "#replies", "#tickets", "#drawn", "#probability", "#weight"]);
    for stratum in &drawn.strata {
        table.row(cells![
            &stratum.name,
            stratum.n_replies,
            stratum.population,
            stratum.drawn,
            format!("{:.4}", stratum.probability()),
            format!("{:.1}", stratum.weight()),
        ]);
    }
    let skipped = Section::new("skipped", "Skipped records").list(skipped_lines(skipped, *n_skipped));
    Document {
        title: format!(
            "{} · {} of {} {units} drawn, {} by slice, seed {} · {}",
            design.name,
            drawn.chosen.len(),
            counts.n_population,
            design.spread.name(),
            design.seed,
            output.unwrap_or("standard output")
        ),
        about: parts.join(", "),
        warnings: warnings.to_vec(),
        sections: [Section::new("slices", "Slices").table(table)]
            .into_iter()
            .chain(skipped.filled())
            .collect(),
        ..Document::default()
    }
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

/// The estimate as a document.
pub(crate) fn estimate(shown: &EstimateShown) -> Document {
    let EstimateShown { production: all, judge, .. } = shown;
    let mut about = format!(
        "{} tickets in production · {} drawn, {} with a verdict, {} with a label",
        all.population, all.n_drawn, all.n_judged, all.n_labelled
    );
    if shown.n_blocked > 0 {
        about += &format!(" · {} blocked by the gate count as fails", shown.n_blocked);
    }
    let plan = Section::new("plan", "Labels to come").text(plan(&all.work, shown.half_width));
    let slices = (all.by_slice.len() > 1).then(|| Section::new("slices", "Slices").table(slices(all)));
    Document {
        title: "Estimate of production".to_owned(),
        about,
        judge: Some(JudgeLine {
            name: judge.name(),
            standing: judge.standing.clone(),
            reason: judge.standing_reason.clone(),
        }),
        warnings: shown.warnings.to_vec(),
        sections: [figures(&all.overall)].into_iter().chain(slices).chain([plan]).collect(),
        ..Document::default()
    }
}

fn figures(found: &Corrected) -> Section {
    let errors = |of: fn(&ErrorRates) -> Estimate| found.errors.as_ref().map(of).map_err(|why| *why);
    let figures = [
        ("as the judge says", found.uncorrected.ok_or(NotCorrected::NothingLeft)),
        ("as people say", found.people.ok_or(NotCorrected::NoLabels)),
        ("judge, its errors taken out (Rogan–Gladen)", found.rogan_gladen),
        ("judge and people together (prediction-powered)", found.prediction_powered),
        ("judge passes what people pass", errors(|errors| errors.sensitivity)),
        ("judge fails what people fail", errors(|errors| errors.specificity)),
    ];
    let mut table = Table::new(&["figure", "%value"]);
    let mut missing: Vec<(NotCorrected, Vec<String>)> = Vec::new();
    for (name, figure) in figures {
        table.row(cells![name, Cell::share(figure.ok().as_ref())]);
        if let Err(why) = figure {
            let name = format!("\"{name}\"");
            match missing.iter_mut().find(|(reason, _)| *reason == why) {
                Some((_, names)) => names.push(name),
                None => missing.push((why, vec![name])),
            }
        }
    }
    let section = Section::new("figures", "Share that passes").table(table);
    missing.iter().fold(section, |section, (why, names)| {
        section.text(format!("no figure for {}: {why}", names.join(", ")))
    })
}

fn slices(all: &Production) -> Table {
    let mut table = Table::new(&["slice", "%judge", "%people", "%together"]);
    for (name, found) in &all.by_slice {
        let shares = [found.uncorrected, found.people, found.prediction_powered.ok()];
        let [judge, people, together] = shares.map(|share| Cell::share(share.as_ref()));
        table.row(cells![name, judge, people, together]);
    }
    table
}

fn plan(work: &Result<Vec<LabelWork>, NotCorrected>, half_width: f64) -> String {
    let wanted = format!("for ± {:.1} points", 100.0 * half_width);
    match work {
        Err(why) => format!("{wanted}: no plan, {why}"),
        Ok(labels) if labels.is_empty() => format!("{wanted}: there are labels enough"),
        Ok(labels) => {
            format!("{wanted}: label {}", labels.iter().map(stratum_work).collect::<Vec<_>>().join(", "))
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
    format!("{n_labels} more in {stratum}{notes}")
}
