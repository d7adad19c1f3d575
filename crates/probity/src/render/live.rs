//! What a live comparison adds to its figures on a terminal: a ranking, the gate, who is missing, the judge.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use probity_core::compare::{Fate, GateCounts, Pair, Pass, Policies, Ranked, gate_counts, ranked};
use probity_core::stats::Estimate;
use probity_engine::run::compare::{CompareJob, Compared, Stopped};

use super::plain::{excerpt, plain};
use super::summary::{columns, costs};

/// How many cases are listed.
const LISTED_MAX: usize = 5;

/// How much of an example is shown, in characters.
const REASON_CHARS_MAX: usize = 160;

/// Appends a line. Writing to a string cannot fail.
macro_rules! line {
    ($out:expr $(, $part:expr)*) => { writeln!($out $(, $part)*).expect("writing to a string cannot fail") };
}

/// What is shown.
pub(crate) struct Live<'a> {
    /// What was compared.
    pub(crate) job: &'a CompareJob,
    /// What it came to.
    pub(crate) compared: &'a Compared,
    /// The pairs that figures are made of.
    pub(crate) pairs: &'a [Pair],
    /// What counts as what in them.
    pub(crate) policies: Policies,
}

/// The rest of the report as text.
pub(crate) fn live(live: &Live) -> String {
    let Live { job, compared, pairs, policies } = live;
    let pairs: Vec<&Pair> = pairs.iter().collect();
    let mut out = String::new();
    ranking(&mut out, &pairs, *policies);
    at_gate(&mut out, compared);
    unscored(&mut out, compared);
    unpaired(&mut out, job);
    if let Some(stopped) = &compared.stopped {
        sequence(&mut out, stopped);
    }
    line!(
        out,
        "\nrubric {} {}; order of asking drawn with seed {}",
        job.rubric.name(),
        job.rubric.version(),
        job.seed
    );
    let judge = &compared.facts.judge;
    let name = format!("{} {}", judge.kind, plain(&judge.model));
    line!(out, "judge {} ({})", name.trim_end(), judge.standing);
    costs(&mut out, &compared.facts);
    out
}

fn ranking(out: &mut String, pairs: &[&Pair], policies: Policies) {
    let Some(Ranked { variants: names, ranking }) = ranked(pairs, policies) else { return };
    let ranking = match ranking {
        Ok(ranking) => ranking,
        Err(why) => return line!(out, "\nno ranking: {why}"),
    };
    let header = ["variant", "against the others", "95 % interval", "n", "strength"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|one, other| {
        ranking.places[*other].strength.value.total_cmp(&ranking.places[*one].strength.value)
    });
    for at in order {
        let place = &ranking.places[at];
        let mut row = vec![plain(&names[at])];
        row.extend(estimate(&place.win_rate));
        row.push(format!("{:+.2}", place.strength.value));
        rows.push(row);
    }
    line!(out, "\n{}", columns(&rows).trim_end());
}

fn at_gate(out: &mut String, compared: &Compared) {
    let counts = gate_counts(&compared.contests);
    let decided = counts.values().any(|counts| *counts != GateCounts::default());
    if decided {
        line!(out, "\nat the gate, beside the figures and not in them");
    }
    for (name, counts) in counts.iter().filter(|_| decided) {
        let (won, lost, both) = (counts.won_at_gate, counts.lost_at_gate, counts.both_blocked);
        line!(out, "  {}: {won} won, {lost} lost, {both} with both blocked", plain(name));
    }
    let identical = compared.contests.iter().filter(|contest| contest.fate == Fate::Identical).count();
    if identical > 0 {
        line!(out, "\npairs of the same text twice, in no figure and without a call: {identical}");
    }
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
        line!(out, "\norders without a verdict, by cause");
    }
    for (cause, (n, example)) in causes {
        let example = excerpt(example, REASON_CHARS_MAX);
        let example = if example.is_empty() { String::new() } else { format!(": {example}") };
        line!(out, "  {n} {}{example}", plain(cause));
    }
}

fn unpaired(out: &mut String, job: &CompareJob) {
    if !job.missing.is_empty() {
        line!(out, "\nreplies that are missing: {}", job.missing.len());
        for missing in job.missing.iter().take(LISTED_MAX) {
            line!(out, "  case {}: no reply of {}", plain(&missing.case), plain(&missing.variant));
        }
        more(out, job.missing.len());
    }
    if !job.mismatched.is_empty() {
        line!(out, "\npairs that do not answer the same thing: {}", job.mismatched.len());
        for one in job.mismatched.iter().take(LISTED_MAX) {
            line!(out, "  case {}: {}", plain(&one.case), one.reason);
        }
        more(out, job.mismatched.len());
    }
}

fn more(out: &mut String, n: usize) {
    if n > LISTED_MAX {
        line!(out, "  and {} more", n - LISTED_MAX);
    }
}

fn sequence(out: &mut String, stopped: &Stopped) {
    line!(
        out,
        "\npairs taken: {}; not taken: {}; calls saved: {}",
        stopped.n_drawn,
        stopped.n_left,
        stopped.calls_saved
    );
}

fn estimate(estimate: &Estimate) -> [String; 3] {
    let [value, low, high] = [estimate.value, estimate.low, estimate.high].map(|share| 100.0 * share);
    [format!("{value:.1} %"), format!("{low:.1}–{high:.1}"), estimate.n.to_string()]
}
