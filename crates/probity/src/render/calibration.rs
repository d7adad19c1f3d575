//! A calibration on a terminal: judge against people, between the floor and the ceiling.

use std::io;

use probity_core::calibrate::{Calibration, Figures, JudgeFigures};
use probity_core::stats::{Estimate, Undefined};
use probity_engine::input::Skipped;
use serde_json::Value;

use super::figure::{self, columns, none, texts};
use super::report::{Document, Kind, calibration as page, paged};
use super::summary::skipped_records;
use crate::plain::plain;

/// A calibration with everything that is said about it.
pub(crate) struct CalibrationDocument<'a> {
    /// The figures.
    pub(crate) calibration: &'a Calibration,
    /// The files as they were named.
    pub(crate) file: &'a str,
    /// Rows that could not be used.
    pub(crate) skipped: &'a [Skipped],
    /// What is worth a line about the labels.
    pub(crate) notices: &'a [String],
    /// Who was asked, where a judge was.
    pub(crate) asked: Option<page::Asked<'a>>,
    /// What a terminal says about that judge.
    pub(crate) judge_text: String,
    /// For programs.
    pub(crate) json: Value,
}

impl Document for CalibrationDocument<'_> {
    fn json(&self) -> &Value {
        &self.json
    }

    fn text(&self) -> String {
        calibration(self) + &self.judge_text
    }

    fn file(&self, kind: Kind) -> io::Result<String> {
        paged(self, kind, || page::page(self), || page::test_cases(self))
    }
}

/// So many pairs of people are listed.
const PAIRS_SHOWN_MAX: usize = 10;

/// The figures of a line about somebody.
const LINE: [&str; 3] = ["cohen_kappa", "krippendorff_alpha", "gwet_ac1"];

/// The calibration as text.
fn calibration(shown: &CalibrationDocument<'_>) -> String {
    let all = shown.calibration;
    let counting = &all.counting;
    let mut out = format!(
        "{} · {} votes on {} items by {} people · votes {}, ties {}, conflict {}, unparsed {} · {} resamples, seed {}\n",
        plain(shown.file),
        all.labels.n_votes,
        all.people.n_units,
        all.people.n_annotators,
        counting.votes.name(),
        counting.ties.name(),
        counting.policies.conflict.name(),
        counting.policies.unparsed.name(),
        counting.sampling.resampling.n_resamples,
        counting.sampling.resampling.seed
    );
    out += &overview(all);
    for (name, judge) in &all.judges {
        out += &one_judge(name, judge, all);
    }
    out += &people(all);
    skipped_records(&mut out, shown.skipped, shown.skipped.len() as u64);
    out
}

/// Judges between those who do not look and people.
fn overview(all: &Calibration) -> String {
    let mut rows = vec![texts([
        "against people", "agree", "95 % interval", "n", "kappa", "95 % interval", "alpha", "AC1",
    ])];
    let line = |name: String, figures: &Figures| {
        let mut row = vec![name];
        row.extend(share(figures.get("agreement")));
        let [kappa, alpha, gwet] = LINE.map(|figure| figures.get(figure));
        row.extend(coefficient(kappa));
        row.extend([alpha, gwet].map(short));
        row
    };
    for (name, judge) in &all.judges {
        rows.push(line(format!("judge {}", plain(name)), &judge.overall));
    }
    if let Some(floors) = &all.floors {
        rows.push(line(format!("always {}", plain(&floors.constant_says)), &floors.constant));
        rows.extend(floors.baseline.as_ref().map(|figures| line("counting words".to_owned(), figures)));
        rows.extend(floors.prefer_longer.as_ref().map(|figures| line("longer reply".to_owned(), figures)));
    }
    let mut people = vec!["people, among themselves".to_owned()];
    people.extend(share(all.people.agreement.map(Ok)));
    let fleiss = all.people.fleiss.as_ref().map(|fleiss| fleiss.figure);
    people.extend(coefficient(fleiss));
    people.extend([short(Some(all.people.alpha.nominal)), none()]);
    rows.push(people);
    let note = all.people.fleiss.as_ref().map(|fleiss| {
        format!("people's kappa is that of Fleiss, on items with {} votes\n", fleiss.n_ratings)
    });
    let unanimous = all.people.unanimous.map(|rate| {
        let (share, n) = (100.0 * rate.value, rate.n);
        format!("all votes are the same on {share:.1} % of the {n} items with several votes\n")
    });
    format!("\n{}{}{}", columns(&rows), note.unwrap_or_default(), unanimous.unwrap_or_default())
}

fn one_judge(name: &str, judge: &JudgeFigures, all: &Calibration) -> String {
    let mut out = format!("\njudge {}\n", plain(name));
    let mut rows = vec![texts(["figure", "value", "95 % interval", "n"])];
    for (name, figure) in &judge.overall.figures {
        let mut row = vec![name.replace('_', " ")];
        match figure {
            Ok(Estimate { value, low, high, n }) => {
                row.extend([format!("{value:.3}"), format!("{low:.3}–{high:.3}"), n.to_string()]);
            }
            Err(reason) => row.extend([none(), none(), reason.to_string()]),
        }
        rows.push(row);
    }
    out += &columns(&rows);
    out += &confusion(&judge.overall, all);
    if judge.by_slice.len() > 1 {
        out += &slices(judge);
    }
    if !judge.weak_slices.is_empty() {
        let names: Vec<String> = judge.weak_slices.iter().map(|name| plain(name)).collect();
        let below = 100.0 * all.counting.weak_below;
        out += &format!("weak slices, below {below} % agreement: {}\n", names.join(", "));
    }
    if judge.n_without_verdict > 0 {
        out += &format!("{} labelled items have no verdict that counts\n", judge.n_without_verdict);
    }
    let replacement = &judge.replacement;
    out += &match (replacement.winning_rate, replacement.mean_advantage) {
        (Ok(rate), Ok(advantage)) => format!(
            "in place of a person: {}; winning rate ω {rate:.2} of {} people at ε {}, mean advantage ρ {advantage:.2}\n",
            if replacement.allowed() == Some(true) { "yes" } else { "no" },
            replacement.annotators.len(),
            replacement.epsilon
        ),
        (Err(reason), _) | (_, Err(reason)) => {
            format!("in place of a person: cannot be told, people with 30 items in common: {reason}\n")
        }
    };
    out
}

fn confusion(figures: &Figures, all: &Calibration) -> String {
    let names = all.scale.names();
    let cells: Vec<&[f64]> = figures.table.cells().chunks(names.len().max(1)).collect();
    let mut rows = vec![vec!["judge \\ people".to_owned()]];
    rows[0].extend(names.iter().map(|name| plain(name)));
    for (name, row) in names.iter().map(String::as_str).chain(["unparsed"]).zip(cells) {
        if name != "unparsed" || row.iter().sum::<f64>() > 0.0 {
            rows.push([vec![plain(name)], row.iter().map(|count| format!("{count:.0}")).collect()].concat());
        }
    }
    format!("\n{}", columns(&rows))
}

fn slices(judge: &JudgeFigures) -> String {
    let mut rows = vec![texts(["slice", "agree", "95 % interval", "n", "kappa", "95 % interval"])];
    for (name, figures) in &judge.by_slice {
        let mut row = vec![plain(name)];
        row.extend(share(figures.get("agreement")));
        row.extend(coefficient(figures.get("cohen_kappa")));
        rows.push(row);
    }
    format!("\n{}", columns(&rows))
}

fn people(all: &Calibration) -> String {
    if all.people.pairs.is_empty() {
        return String::new();
    }
    let mut rows = vec![texts(["people", "agree", "95 % interval", "n", "kappa", "95 % interval"])];
    let mut pairs: Vec<_> = all.people.pairs.iter().collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.n_units));
    for pair in pairs.iter().take(PAIRS_SHOWN_MAX) {
        let [first, second] = &pair.annotators;
        let of =
            |name: &str| pair.figures.iter().find(|(known, _)| *known == name).map(|(_, figure)| *figure);
        let mut row = vec![format!("{} and {}", plain(first), plain(second))];
        row.extend(share(of("agreement")));
        row.extend(coefficient(of("cohen_kappa")));
        rows.push(row);
    }
    let more = pairs.len().saturating_sub(PAIRS_SHOWN_MAX);
    let more = if more > 0 { format!("and {more} more pairs\n") } else { String::new() };
    format!("\n{}{more}", columns(&rows))
}

/// A figure that may be missing altogether, or not exist for a reason.
type Figure = Option<Result<Estimate, Undefined>>;

fn share(figure: Figure) -> [String; 3] {
    match figure {
        Some(Err(reason)) => [none(), none(), brief(reason)],
        known => figure::share(known.and_then(Result::ok).as_ref()),
    }
}

fn coefficient(figure: Figure) -> [String; 2] {
    match figure {
        Some(Ok(Estimate { value, low, high, .. })) => [format!("{value:.3}"), format!("{low:.3}–{high:.3}")],
        Some(Err(reason)) => [none(), brief(reason)],
        None => [none(), none()],
    }
}

fn short(figure: Figure) -> String {
    match figure {
        Some(Ok(estimate)) => format!("{:.3}", estimate.value),
        _ => none(),
    }
}

fn brief(reason: Undefined) -> String {
    match reason {
        Undefined::Nothing => none(),
        Undefined::TooFew { n, .. } => format!("n too small: {n}"),
        Undefined::OneClass => "one class".to_owned(),
        Undefined::NoSuchClass => "no such class".to_owned(),
    }
}
