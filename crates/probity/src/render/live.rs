//! What a live comparison adds to its figures on a terminal: a ranking, the gate, who is missing, the judge.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use probity_core::compare::{Contest, Fate, GateCounts, Pass, Ranked, gate_counts};
use probity_engine::run::compare::{CompareJob, Compared, Mismatched, Stopped};
use serde_json::{Map, Value, json};

use super::figure::{columns, judge_name, share, texts};
use super::report::add_judge;
use super::summary::costs;
use crate::plain::{excerpt, plain};

/// How many cases are listed.
const LISTED_MAX: usize = 5;

/// How much of an example is shown, in characters.
const REASON_CHARS_MAX: usize = 160;

/// What a live comparison adds for people.
pub(super) fn live(job: &CompareJob, compared: &Compared, ranked: Option<Ranked>) -> String {
    let mut out = String::new();
    if let Some(ranked) = ranked {
        ranking(&mut out, ranked);
    }
    at_gate(&mut out, compared);
    unscored(&mut out, compared);
    unpaired(&mut out, job);
    if let Some(stopped) = &compared.stopped {
        sequence(&mut out, stopped);
    }
    push_line!(
        out,
        "\nrubric {} {}; order of asking drawn with seed {}",
        job.rubric.name(),
        job.rubric.version(),
        job.seed
    );
    let judge = &compared.facts.judge;
    push_line!(out, "judge {} ({})", plain(&judge_name(&compared.facts)), judge.standing);
    costs(&mut out, &compared.facts);
    out
}

/// What a live comparison adds for programs.
pub(super) fn add_json(json: &mut Value, job: &CompareJob, compared: &Compared, ranked: Option<Ranked>) {
    json["ranking"] = ranked.map_or(Value::Null, |Ranked { variants, ranking }| match ranking {
        Ok(ranking) => {
            let places = variants.iter().zip(&ranking.places);
            let places: Map<String, Value> =
                places.map(|(name, place)| (name.to_string(), json!(place))).collect();
            json!({ "places": places, "tie_term": ranking.tie_term, "basis": ranking.basis })
        }
        Err(error) => json!({ "missing": error.to_string() }),
    });
    let counts = gate_counts(&compared.contests).into_iter();
    json["gate"] =
        counts.map(|(name, counts)| (name.to_string(), json!(counts))).collect::<Map<_, _>>().into();
    json["identical"] = json!(n_identical(compared));
    let missing = job.missing.iter();
    json["missing"] = missing.map(|one| json!({ "id": &*one.case, "variant": &*one.variant })).collect();
    let mismatched = |one: &Mismatched| {
        let [a, b] = &one.variants;
        json!({ "id": &*one.case, "variants": [&**a, &**b], "reason": one.reason })
    };
    json["mismatched"] = job.mismatched.iter().map(mismatched).collect();
    json["skipped"] = json!(job.field.skipped);
    json["sequence"] = compared.stopped.map_or(Value::Null, |stopped| {
        json!({
            "decision": stopped.decision,
            "variant": &*job.field.variants[0],
            "win_rate": { "low": stopped.bounds.low, "high": stopped.bounds.high },
            "alpha": stopped.alpha,
            "margin": stopped.margin,
            "pairs_drawn": stopped.n_drawn,
            "pairs_left": stopped.n_left,
            "calls_saved": stopped.calls_saved,
        })
    });
    add_judge(json, &job.rubric, &compared.facts);
    json["comparisons"] = compared.contests.iter().map(Contest::to_json).collect();
}

fn ranking(out: &mut String, Ranked { variants: names, ranking }: Ranked) {
    let ranking = match ranking {
        Ok(ranking) => ranking,
        Err(why) => return push_line!(out, "\nno ranking: {why}"),
    };
    let header = ["variant", "against the others", "95 % interval", "n", "strength"];
    let mut rows = vec![texts(header)];
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|one, other| {
        ranking.places[*other].strength.value.total_cmp(&ranking.places[*one].strength.value)
    });
    for at in order {
        let place = &ranking.places[at];
        let mut row = vec![plain(&names[at])];
        row.extend(share(Some(&place.win_rate)));
        row.push(format!("{:+.2}", place.strength.value));
        rows.push(row);
    }
    push_line!(out, "\n{}", columns(&rows).trim_end());
}

fn at_gate(out: &mut String, compared: &Compared) {
    let counts = gate_counts(&compared.contests);
    let decided = counts.values().any(|counts| *counts != GateCounts::default());
    if decided {
        push_line!(out, "\nat the gate, beside the figures and not in them");
    }
    for (name, counts) in counts.iter().filter(|_| decided) {
        let (won, lost, both) = (counts.won_at_gate, counts.lost_at_gate, counts.both_blocked);
        push_line!(out, "  {}: {won} won, {lost} lost, {both} with both blocked", plain(name));
    }
    let identical = n_identical(compared);
    if identical > 0 {
        push_line!(out, "\npairs of the same text twice, in no figure and without a call: {identical}");
    }
}

fn n_identical(compared: &Compared) -> usize {
    compared.contests.iter().filter(|contest| contest.fate == Fate::Identical).count()
}

/// Why orders have no verdict, each cause with an example.
fn unscored(out: &mut String, compared: &Compared) {
    let mut causes: BTreeMap<&str, (u64, &str)> = BTreeMap::new();
    for contest in &compared.contests {
        let Fate::Judged(heard) = &contest.fate else { continue };
        for heard in heard.iter() {
            if let Pass::Unscored(unscored) = &heard.pass {
                causes.entry(&unscored.cause).or_insert((0, &unscored.detail)).0 += 1;
            }
        }
    }
    if !causes.is_empty() {
        push_line!(out, "\norders without a verdict, by cause");
    }
    for (cause, (n, example)) in causes {
        let example = excerpt(example, REASON_CHARS_MAX);
        let example = if example.is_empty() { String::new() } else { format!(": {example}") };
        push_line!(out, "  {n} {}{example}", plain(cause));
    }
}

fn unpaired(out: &mut String, job: &CompareJob) {
    if !job.missing.is_empty() {
        push_line!(out, "\nreplies that are missing: {}", job.missing.len());
        for missing in job.missing.iter().take(LISTED_MAX) {
            push_line!(out, "  case {}: no reply of {}", plain(&missing.case), plain(&missing.variant));
        }
        more(out, job.missing.len());
    }
    if !job.mismatched.is_empty() {
        push_line!(out, "\npairs that do not answer the same thing: {}", job.mismatched.len());
        for one in job.mismatched.iter().take(LISTED_MAX) {
            push_line!(out, "  case {}: {}", plain(&one.case), one.reason);
        }
        more(out, job.mismatched.len());
    }
}

fn more(out: &mut String, n: usize) {
    if n > LISTED_MAX {
        push_line!(out, "  and {} more", n - LISTED_MAX);
    }
}

fn sequence(out: &mut String, stopped: &Stopped) {
    push_line!(
        out,
        "\npairs taken: {}; not taken: {}; calls saved: {}",
        stopped.n_drawn,
        stopped.n_left,
        stopped.calls_saved
    );
}
