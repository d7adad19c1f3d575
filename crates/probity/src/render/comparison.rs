//! A comparison on a terminal: figures with their intervals and denominators, and the policy beside them.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use probity_core::compare::{
    Comparison, Figures, JudgeFigures, LengthFits, Pair, Policies, Status, VariantFigures, ranked,
};
use probity_core::label::PairLabels;
use probity_core::stats::Estimate;
use probity_engine::input::Skipped;
use probity_engine::run::compare::{CompareJob, Compared};
use serde_json::{Value, json};

use super::conclusion::Conclusions;
use super::equal_length::missing;
use super::figure::{columns, counted, none, p_value, percent, share, texts};
use super::live;
use super::report::{Document, Kind, comparison as page, paged};
use super::summary::skipped_records;
use crate::plain::plain;

/// A comparison with everything that is said about it.
pub(crate) struct ComparisonDocument {
    /// The figures.
    pub(crate) comparison: Comparison,
    /// What they show.
    pub(crate) concluded: Conclusions,
    /// The pairs they are made of, by judge.
    pub(crate) pairs: BTreeMap<Arc<str>, Vec<Pair>>,
    /// The files as they were named.
    pub(crate) file: String,
    /// Where they come from.
    pub(crate) origin: ComparisonOrigin,
    /// For programs.
    pub(crate) json: Value,
}

/// Where verdicts on pairs come from.
pub(crate) enum ComparisonOrigin {
    /// Files.
    Record {
        /// What people said, where they were asked.
        labels: Option<PairLabels>,
        /// Rows that could not be used.
        skipped: Vec<Skipped>,
    },
    /// A judge that was asked.
    Live {
        /// What was compared.
        job: Arc<CompareJob>,
        /// What it came to.
        compared: Box<Compared>,
    },
}

impl ComparisonDocument {
    /// The document of these figures; `origin` adds to what programs read.
    pub(crate) fn new(
        comparison: Comparison,
        concluded: Conclusions,
        pairs: BTreeMap<Arc<str>, Vec<Pair>>,
        (file, origin): (String, ComparisonOrigin),
    ) -> Self {
        let mut json = comparison.to_json();
        match &origin {
            ComparisonOrigin::Record { labels, skipped } => {
                add_conclusions(&mut json, &concluded);
                json["labels"] = labels.as_ref().map_or(Value::Null, |labels| {
                    json!({ "items": labels.n_items(), "votes": labels.n_votes(), "repeated": labels.n_repeated })
                });
                json["skipped"] = json!(skipped);
            }
            ComparisonOrigin::Live { job, compared } => {
                let judged = pairs.values().flatten().collect::<Vec<_>>();
                live::add_json(&mut json, job, compared, ranked(&judged, comparison.policies));
                add_conclusions(&mut json, &concluded);
            }
        }
        ComparisonDocument { comparison, concluded, pairs, file, origin, json }
    }

    /// What was compared and what it came to, where a judge was asked.
    pub(crate) fn live(&self) -> Option<(&CompareJob, &Compared)> {
        match &self.origin {
            ComparisonOrigin::Live { job, compared } => Some((job, compared)),
            ComparisonOrigin::Record { .. } => None,
        }
    }
}

/// Puts what is concluded beside the figures: for one judge at the top as well.
fn add_conclusions(json: &mut Value, concluded: &Conclusions) {
    json["decision"] = match concluded.values().collect::<Vec<_>>()[..] {
        [only] => only.to_json(),
        _ => Value::Null,
    };
    for (judge, concluded) in concluded {
        json["judges"][&**judge]["decision"] = concluded.to_json();
    }
}

impl Document for ComparisonDocument {
    fn json(&self) -> &Value {
        &self.json
    }

    fn text(&self) -> String {
        let rest = self.live().map(|(job, compared)| {
            let pairs: Vec<&Pair> = self.pairs.values().flatten().collect();
            live::live(job, compared, ranked(&pairs, self.comparison.policies))
        });
        comparison(self) + &rest.unwrap_or_default()
    }

    fn file(&self, kind: Kind) -> io::Result<String> {
        paged(self, kind, || page::page(self), || page::test_cases(self))
    }
}

/// The comparison as text.
fn comparison(shown: &ComparisonDocument) -> String {
    let Comparison { judges, resampling, policies, .. } = &shown.comparison;
    let (labels, skipped) = match &shown.origin {
        ComparisonOrigin::Record { labels, skipped } => (labels.as_ref(), skipped),
        ComparisonOrigin::Live { job, .. } => (None, &job.field.skipped),
    };
    let mut out = format!(
        "{} · {} · {} · {} resamples, seed {}\n",
        plain(&shown.file),
        counted(judges.len() as u64, "judge"),
        policy(*policies),
        resampling.n_resamples,
        resampling.seed
    );
    if let Some(labels) = labels {
        let items = counted(labels.n_items() as u64, "labelled item");
        out += &format!("{items}, {}\n", counted(labels.n_votes(), "vote"));
    }
    for (name, judge) in judges {
        if judges.len() == 1 {
            out += &one_judge(name, judge);
            if let Some(concluded) = shown.concluded.get(name) {
                out += &format!("\n{}\n", plain(&concluded.sentence(&judge.overall)));
            }
            out += &equal_length(&judge.at_equal_length);
        }
    }
    if judges.len() > 1 {
        out += &several_judges(&shown.comparison);
    }
    let n_review = shown.comparison.review.len();
    if n_review > 0 {
        let pairs = counted(n_review as u64, "pair");
        out += &format!("\n{pairs} for a person to decide: `review` in --json and --output lists them\n");
    }
    skipped_records(&mut out, skipped, skipped.len() as u64);
    out
}

fn policy(policies: Policies) -> String {
    format!("conflict {}, unparsed {}", policies.conflict.name(), policies.unparsed.name())
}

fn one_judge(name: &str, judge: &JudgeFigures) -> String {
    let figures = &judge.overall;
    let counts = &figures.counts;
    let parts: Vec<String> = Status::ALL
        .iter()
        .filter(|status| **status != Status::Graded || counts.of(Status::Graded) > 0)
        .map(|status| format!("{} {}", counts.of(*status), status.name()))
        .collect();
    let pairs = counted(counts.n_pairs, "pair");
    let unparsed = match counts.n_unparsed_calls {
        0 => String::new(),
        n => format!(" ({} without a verdict)", counted(n, "call")),
    };
    let mut out = format!("\njudge {}: {pairs} = {}{unparsed}\n", plain(name), parts.join(" + "));
    out += &variants(figures);
    out += &rates(figures);
    if judge.by_slice.len() > 1 {
        let rows = judge.by_slice.iter().map(|(slice, figures)| (&**slice, figures));
        out += &overview("slice", rows);
    }
    out
}

fn several_judges(comparison: &Comparison) -> String {
    let rows = comparison.judges.iter().map(|(name, judge)| (&**name, &judge.overall));
    overview("judge", rows)
        + "\nwith --json: each judge with every figure, per slice, and judges against each other\n"
}

fn variants(figures: &Figures) -> String {
    let header = ["variant", "win rate", "95 % interval", "n", "of decisive", "wins", "losses", "ties"];
    let mut rows = vec![texts(header)];
    rows[0].extend(texts(["sign test", "could show"]));
    for (name, variant) in &figures.variants {
        let VariantFigures { win_rate, decisive_win_rate, n_wins, n_losses, n_ties, .. } = variant;
        let mut row = vec![plain(name)];
        row.extend(share(win_rate.as_ref()));
        row.push(decisive_win_rate.as_ref().map_or_else(none, |rate| percent(rate.value)));
        row.extend([n_wins, n_losses, n_ties].map(ToString::to_string));
        row.push(variant.sign_test.map_or_else(none, p_value));
        row.push(variant.smallest_difference.map_or_else(none, |by| format!("±{:.1}", 100.0 * by)));
        rows.push(row);
    }
    format!(
        "\n{}ties count half; {}; \"could show\": points from 50 % found with 80 % power at 5 %\n",
        columns(&rows),
        policy(figures.policies)
    )
}

fn rates(figures: &Figures) -> String {
    let (rates, agreement) = (&figures.rates, figures.agreement.as_ref());
    let policy = policy(figures.policies);
    let unparsed = format!("unparsed {}", figures.policies.unparsed.name());
    let verdict = "of pairs with a verdict";
    let lines: [(&str, Option<&Estimate>, &str); 11] = [
        ("tie", rates.tie_rate.as_ref(), verdict),
        ("unstable after swap", rates.instability_rate.as_ref(), verdict),
        ("same in both orders", rates.consistency.as_ref(), &unparsed),
        ("first-slot lean", rates.first_slot_lean.as_ref(), "of winning passes; 50 % is none"),
        ("longer reply, passes", rates.longer_by_pass.as_ref(), "of winning passes"),
        ("longer reply, results", rates.longer_by_result.as_ref(), "of pairs with a winner"),
        ("agrees with people", agreement.and_then(|each| each.agreement.as_ref()), &policy),
        ("  order ab", agreement.and_then(|each| each.order_ab.as_ref()), &unparsed),
        ("  order ba", agreement.and_then(|each| each.order_ba.as_ref()), &unparsed),
        ("  both orders", agreement.and_then(|each| each.both_orders.as_ref()), &unparsed),
        ("first slot, all passes", rates.first_slot_rate.as_ref(), "ties and escalations included"),
    ];
    let lines: Vec<_> = lines.into_iter().filter(|(_, rate, _)| rate.is_some()).collect();
    let mut rows = vec![texts(["figure", "value", "95 % interval", "n"])];
    for (name, rate, _) in &lines {
        rows.push([vec![(*name).to_owned()], share(*rate).into()].concat());
    }
    let table = columns(&rows);
    let notes = [""].into_iter().chain(lines.iter().map(|(.., note)| *note));
    let mut out = String::from("\n");
    for (line, note) in table.lines().zip(notes) {
        out += format!("{line}  {note}").trim_end();
        out.push('\n');
    }
    if let Some(test) = figures.order_test {
        out += &format!(
            "the order decided {} for the first slot and {} for the second: McNemar {}, mid-{}\n",
            counted(test.first_only, "pair"),
            test.second_only,
            p_value(test.exact),
            p_value(test.mid_p)
        );
    }
    out
}

/// Each variant with a win rate at equal length, and why others have none. Nothing where no length is known.
fn equal_length(fits: &LengthFits) -> String {
    if !fits.has_rows() {
        return String::new();
    }
    let (model, fitted) = fits.shown();
    let mut rows = vec![texts([&format!("at equal length ({model})"), "win rate", "95 % interval", "n"])];
    for (name, controlled) in fitted {
        if let Ok(controlled) = controlled {
            rows.push([vec![plain(name)], share(Some(&controlled.rate)).into()].concat());
        }
    }
    let mut out = String::from("\n");
    if rows.len() > 1 {
        out += &columns(&rows);
    }
    for why in missing(fitted) {
        out += &format!("no win rate at equal length{}\n", plain(&why));
    }
    out
}

/// One line per slice or judge.
fn overview<'a>(what: &str, figures: impl Iterator<Item = (&'a str, &'a Figures)>) -> String {
    let figures: Vec<(&str, &Figures)> = figures.collect();
    // With more than two variants no single one stands for the comparison.
    let variant = figures.first().and_then(|(_, first)| first.variants.keys().next());
    let variant = variant.filter(|_| figures.iter().all(|(_, figures)| figures.variants.len() <= 2));
    let labelled = figures.iter().any(|(_, figures)| figures.agreement.is_some());
    let mut header = texts([what, "pairs", "judged"]);
    if let Some(variant) = variant {
        header.extend([format!("{} wins", plain(variant)), "95 % interval".to_owned(), "n".to_owned()]);
    }
    header.extend(texts(["tie", "unstable", "same", "first slot"]));
    header.extend(labelled.then(|| "agrees".to_owned()));
    let mut rows = vec![header];
    for (name, figures) in figures {
        let counts = &figures.counts;
        let mut row = vec![plain(name), counts.n_pairs.to_string(), counts.n_judged().to_string()];
        if let Some(variant) = variant {
            let rate = figures.variants.get(variant).and_then(|variant| variant.win_rate.as_ref());
            row.extend(share(rate));
        }
        let rates = &figures.rates;
        let all = [rates.tie_rate, rates.instability_rate, rates.consistency, rates.first_slot_lean];
        row.extend(all.map(|rate| rate.map_or_else(none, |rate| percent(rate.value))));
        if labelled {
            let agreement = figures.agreement.as_ref().and_then(|each| each.agreement);
            row.push(agreement.map_or_else(none, |rate| percent(rate.value)));
        }
        rows.push(row);
    }
    format!("\n{}", columns(&rows))
}
