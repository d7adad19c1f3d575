//! The summary that ends a run on a terminal: figures with their denominators, then what to look at.

use std::fmt::Write as _;

use probity_core::gate::Severity;
use probity_core::promote::Standing;
use probity_core::report::{
    CriterionSummary, Facts, GateOutcome, Outcome, ReplyResult, Summary, TargetResult, TargetState,
};
use probity_core::results::{AuthorRecord, PatternKind, Repeats};
use probity_core::rubric::{Metric, Rubric};
use probity_core::score::{CriterionOutcome, Failure};
use probity_core::stats::Estimate;
use probity_engine::input::Skipped;

use super::figure::{columns, counted, judge_name, none};
use super::finding::finding_line;
use crate::plain::{excerpt, plain};

/// How many skipped records are listed.
const SKIPPED_MAX: usize = 5;
/// How many flaky cases are listed.
const FLAKY_MAX: usize = 10;
/// How much of a reason is shown.
const REASON_CHARS_MAX: usize = 160;

/// The summary as text.
pub(crate) fn summary(summary: &Summary, cases: &str, skipped: &[Skipped]) -> String {
    let mut out = String::new();
    headline(&mut out, summary, cases);
    criteria(&mut out, summary);
    if let Some(line) = violations(summary) {
        push_line!(out, "\n{line}");
    }
    rates(&mut out, summary);
    slices(&mut out, summary);
    findings(&mut out, summary);
    unscored(&mut out, summary);
    skipped_records(&mut out, skipped, summary.n_skipped());
    patterns(&mut out, summary);
    worst(&mut out, summary);
    costs(&mut out, summary.facts());
    out
}

fn headline(out: &mut String, summary: &Summary, cases: &str) {
    let rubric = summary.rubric();
    let judge = &summary.facts().judge;
    push_line!(
        out,
        "{} {} · {} · judge {} ({})",
        rubric.name(),
        rubric.version(),
        plain(cases),
        plain(&judge_name(summary.facts())),
        judge.standing
    );
    let mut parts = Vec::new();
    let counts = [
        (summary.n_passed(), "passed"),
        (summary.n_failed(), "failed"),
        (summary.n_scored(), "scored"),
        (summary.n_unscored(), "unscored"),
        (summary.n_blocked(), "blocked"),
    ];
    let has_pass_rule = rubric.pass().is_some();
    for (n, name) in counts {
        let always = matches!(name, "unscored" | "blocked")
            || (has_pass_rule && name != "scored")
            || (!has_pass_rule && name == "scored");
        if always || n > 0 {
            let silent = summary.n_no_reply();
            let silent = if name == "unscored" && silent > 0 {
                format!(" ({silent} without a reply)")
            } else {
                String::new()
            };
            parts.push(format!("{n} {name}{silent}"));
        }
    }
    let flagged = match summary.gate().n_flagged() {
        0 => String::new(),
        n => format!(" ({n} flagged)"),
    };
    let skipped = summary.n_skipped();
    push_line!(out, "{} replies = {}{flagged}; {skipped} skipped\n", summary.n_entered(), parts.join(" + "));
}

fn criteria(out: &mut String, summary: &Summary) {
    let mut levels: Vec<i64> = summary.criteria().iter().flat_map(|c| c.levels.keys().copied()).collect();
    levels.sort_unstable();
    levels.dedup();
    let of = |criterion: &CriterionSummary| points(criterion, summary.rubric());
    let points: Vec<Option<String>> = summary.criteria().iter().map(of).collect();
    let is_weighted = points.iter().any(Option::is_some);
    let mut header: Vec<String> = ["criterion", "mean", "n"].map(str::to_owned).into();
    header.extend(is_weighted.then(|| "points".to_owned()));
    header.extend(levels.iter().map(|level| format!("at {level}")));
    header.push("unscored".to_owned());
    let mut rows = vec![header];
    for (criterion, points) in summary.criteria().iter().zip(points) {
        let mean = criterion.mean().map_or_else(none, |mean| format!("{:.2}", mean.to_f64()));
        let mut row = vec![criterion.criterion.to_string(), mean, criterion.n_scored().to_string()];
        row.extend(is_weighted.then(|| points.unwrap_or_else(none)));
        let counts = levels.iter().map(|level| criterion.levels.get(level));
        row.extend(counts.map(|n| n.map_or_else(String::new, ToString::to_string)));
        row.push(criterion.n_unscored.to_string());
        rows.push(row);
    }
    out.push_str(&columns(&rows));
}

/// The mean points of a criterion and the most that there are; `None` without a weight or a level.
pub(crate) fn points(criterion: &CriterionSummary, rubric: &Rubric) -> Option<String> {
    let of = rubric.criterion(&criterion.criterion)?;
    let mean = criterion.mean_points(of)?;
    Some(format!("{:.2} of {}", mean.to_f64(), of.weight?))
}

/// How often each violation was named; `None` where no criterion lists any, or none was found.
pub(crate) fn violations(summary: &Summary) -> Option<String> {
    let found = summary.criteria().iter().flat_map(|criterion| &criterion.violations);
    let found: Vec<String> = found.filter(|(_, n)| *n > 0).map(|(id, n)| format!("{id} {n}")).collect();
    (!found.is_empty()).then(|| format!("violations: {}", found.join(", ")))
}

/// The pass rate of each slice, where there are several.
fn slices(out: &mut String, summary: &Summary) {
    if summary.rubric().pass().is_none() || summary.slices().len() < 2 {
        return;
    }
    push_line!(out, "\npass rate by slice");
    for (name, part) in summary.slices() {
        let rate = part
            .pass_rate()
            .map_or_else(|| "nothing was scored".to_owned(), |rate| percent(&rate, part.n_clusters()));
        push_line!(out, "  {}: {rate}", plain(name));
    }
}

fn rates(out: &mut String, summary: &Summary) {
    if let Some(rate) = summary.pass_rate() {
        push_line!(out, "\npass rate {}", percent(&rate, summary.n_clusters()));
    } else if summary.rubric().pass().is_some() {
        push_line!(out, "\npass rate: nothing was scored");
    }
    for target in summary.targets() {
        push_line!(out, "  target {}", target_line(target));
    }
    if let Some(repeats) = summary.repeats() {
        push_line!(out, "{}", repeats_line(repeats));
    }
}

/// How often several replies to a case, each of its own variant, all pass, and which cases pass only sometimes.
pub(super) fn repeats_line(repeats: &Repeats) -> String {
    let rates = repeats.pass_hat.iter();
    let rates: Vec<String> =
        rates.map(|each| format!("pass^{} {:.1} %", each.k, 100.0 * each.rate.value)).collect();
    let mut line =
        format!("{} over {} cases with several replies (variants)", rates.join(", "), repeats.n_cases);
    if !repeats.flaky.is_empty() {
        let first: Vec<String> = repeats.flaky.iter().take(FLAKY_MAX).map(|id| plain(id)).collect();
        let more = repeats.flaky.len() - first.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        line += &format!("; flaky across variants: {}{more}", first.join(", "));
    }
    line
}

/// A rate with its interval, and how many cases it is drawn from where some have several replies.
fn percent(rate: &Estimate, n_clusters: Option<u64>) -> String {
    let cases = n_clusters.map(|n| format!(" in {n} cases")).unwrap_or_default();
    let [value, low, high] = [rate.value, rate.low, rate.high].map(|share| 100.0 * share);
    format!("{value:.1} % (95 % interval {low:.1}–{high:.1}, n {}{cases})", rate.n)
}

fn target_line(result: &TargetResult) -> String {
    let (metric, value, wanted) = (metric_name(result), reached(result), wanted(result));
    let interval = result.estimate.map(|estimate| {
        format!(" (95 % interval {:.3}–{:.3}, n {})", estimate.low, estimate.high, estimate.n)
    });
    match result.state() {
        TargetState::NotMeasured => format!("{metric}: {value}, wanted {wanted}"),
        state => {
            format!("{metric}: {value}{}, wanted {wanted}: {}", interval.unwrap_or_default(), state.name())
        }
    }
}

/// The figure that a target is about.
pub(crate) fn metric_name(result: &TargetResult) -> String {
    match &result.target.metric {
        Metric::PassRate => "pass rate".to_owned(),
        Metric::Mean(id) => format!("mean {id}"),
        Metric::AutomaticFailRate => "automatic fails".to_owned(),
        Metric::MeanConfidence => "mean confidence".to_owned(),
    }
}

/// The figure that the run reached.
pub(crate) fn reached(result: &TargetResult) -> String {
    result.value.map_or_else(|| "not measured".to_owned(), |value| format!("{:.3}", value.to_f64()))
}

/// What a target asks for.
pub(crate) fn wanted(result: &TargetResult) -> String {
    match (result.target.min, result.target.max) {
        (Some(min), Some(max)) => format!("{min}–{max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "any".to_owned(),
    }
}

/// What failing replies have in common, and how far the pass rate is the weights' doing.
fn patterns(out: &mut String, summary: &Summary) {
    if !summary.patterns().is_empty() {
        push_line!(out, "\nwhere replies fail");
    }
    for pattern in summary.patterns() {
        let what = match &pattern.kind {
            PatternKind::Criterion(name) => format!("weak {name}"),
            PatternKind::Rule(name) => format!("blocked by {name}"),
        };
        let of = pattern.of;
        let examples: Vec<String> = pattern.examples.iter().map(|id| plain(id)).collect();
        let slice = plain(&pattern.slice);
        push_line!(out, "  {} of {of} in {slice}: {what} ({})", pattern.n, examples.join(", "));
    }
    if !summary.recurring().is_empty() {
        push_line!(out, "\nreasons that recur");
    }
    for group in summary.recurring() {
        let quote = excerpt(&group.quote, REASON_CHARS_MAX);
        push_line!(out, "  {} × {} “{}”: {quote}", group.n, plain(&group.criterion), plain(&group.words));
    }
    let rates = summary.variations().iter().filter_map(|each| each.pass_rate).map(|rate| rate.value);
    let (low, high) = rates.fold((1.0_f64, 0.0_f64), |(low, high), rate| (low.min(rate), high.max(rate)));
    if low <= high {
        let [low, high] = [low, high].map(|share| 100.0 * share);
        push_line!(
            out,
            "\nwith one weight moved by 10 points the pass rate is between {low:.1} % and {high:.1} %"
        );
    }
}

fn findings(out: &mut String, summary: &Summary) {
    let gate = summary.gate();
    for (n, (rule, count)) in gate.by_rule().iter().enumerate() {
        if n == 0 {
            push_line!(out, "\nfound by the gate");
        }
        let parts = [(count.blocked, "blocked"), (count.flagged, "flagged")];
        let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
        push_line!(out, "  {rule}: {}", parts.collect::<Vec<_>>().join(", "));
    }
    if !gate.blocked().is_empty() {
        push_line!(out, "\nblocked replies, which no judge was asked about");
    }
    for result in gate.blocked() {
        push_line!(out, "  {}", worst_head(result));
        let GateOutcome::Blocked(findings) = &result.gate else { continue };
        for finding in findings.iter().filter(|finding| finding.severity == Severity::Block) {
            push_line!(out, "    {}", finding_line(finding));
        }
    }
    let more = summary.n_blocked().saturating_sub(gate.blocked().len() as u64);
    if more > 0 {
        push_line!(out, "  and {more} more");
    }
}

fn unscored(out: &mut String, summary: &Summary) {
    if summary.causes().is_empty() {
        return;
    }
    push_line!(out, "\ncriteria unscored, by cause");
    for count in summary.causes() {
        let example = excerpt(&count.example, REASON_CHARS_MAX);
        let example = if example.is_empty() { String::new() } else { format!(": {example}") };
        push_line!(out, "  {} {}{example}", count.n, plain(&count.cause));
    }
}

/// The first skipped records with their places and reasons, and how many more there are.
pub(crate) fn skipped_records(out: &mut String, skipped: &[Skipped], n: u64) {
    if skipped.is_empty() {
        return;
    }
    push_line!(out, "\nskipped");
    for record in skipped.iter().take(SKIPPED_MAX) {
        let id = record.id.as_deref().map(|id| format!(" ({})", plain(id))).unwrap_or_default();
        push_line!(
            out,
            "  record {} at {}:{}{id}: {}",
            record.index,
            plain(&record.file),
            record.line,
            plain(&record.reason)
        );
    }
    let more = n.saturating_sub(SKIPPED_MAX as u64);
    if more > 0 {
        push_line!(out, "  and {more} more");
    }
}

fn worst(out: &mut String, summary: &Summary) {
    if summary.worst().is_empty() {
        return;
    }
    push_line!(out, "\nworst replies");
    for worst in summary.worst() {
        push_line!(out, "  {}", worst_head(&worst.result));
        for issue in worst.result.issues().chain(missing(&worst.result)) {
            push_line!(out, "    {}", excerpt(&issue, REASON_CHARS_MAX));
        }
    }
}

/// The criteria of a reply that have no level, and why.
pub(crate) fn missing(result: &ReplyResult) -> impl Iterator<Item = String> {
    result.criteria.iter().filter_map(|(id, outcome)| match outcome {
        CriterionOutcome::Scored(_) => None,
        CriterionOutcome::Unscored(unscored) => {
            Some(format!("{id}: unscored, {} {}", unscored.cause, unscored.detail))
        }
    })
}

fn worst_head(result: &ReplyResult) -> String {
    let total = result.total();
    let total = total.map(|total| format!(", total {total}")).unwrap_or_default();
    let why = match &result.outcome {
        Outcome::Fail(failures) => {
            let reasons: Vec<String> = failures.iter().map(Failure::describe).collect();
            format!(", fail: {}", reasons.join(", "))
        }
        _ => String::new(),
    };
    let slice = result.slice.as_deref().map(|slice| format!(" [{}]", plain(slice))).unwrap_or_default();
    format!("{}{slice}{total}{why}", plain(&result.name()))
}

/// What the calls took, and what the judge has earned.
pub(crate) fn costs(out: &mut String, facts: &Facts) {
    let cost = match facts.cost_usd {
        Some(usd) => format!("${usd}"),
        None => "cost unknown (no price for this model)".to_owned(),
    };
    push_line!(
        out,
        "\n{} on record, {} tokens in, {} out, {cost}",
        counted(facts.calls, "call"),
        facts.tokens.input,
        facts.tokens.output
    );
    if facts.packets_repeated > 0 {
        push_line!(
            out,
            "{} packets repeat the content of another: each content is asked about once",
            facts.packets_repeated
        );
    }
    if facts.calls_lost > 0 {
        push_line!(
            out,
            "{} in flight when a process died: possibly billed, not recorded",
            counted(facts.calls_lost, "call")
        );
    }
    if facts.calls_without_usage > 0 {
        push_line!(out, "{} came back without token counts", counted(facts.calls_without_usage, "call"));
    }
    if facts.calls_without_cost > 0 && facts.cost_usd.is_some() {
        push_line!(
            out,
            "{} may have been billed at a cost nobody knows",
            counted(facts.calls_without_cost, "call")
        );
    }
    if let Some(target) = &facts.target {
        push_line!(out, "{}", author_line(target));
    }
    for warning in &facts.warnings {
        push_line!(out, "note: {}", plain(warning));
    }
    push_line!(out, "{}", standing_line(&facts.judge.standing));
}

/// What wrote replies, and what that took.
fn author_line(target: &AuthorRecord) -> String {
    let model = if target.model.is_empty() { String::new() } else { format!(" {}", plain(&target.model)) };
    let cost = target.cost_usd.map(|usd| format!(", ${usd}")).unwrap_or_default();
    let tokens = match (target.tokens.input, target.tokens.output) {
        (0, 0) => String::new(),
        (input, output) => format!(", {input} tokens in, {output} out"),
    };
    let calls = counted(target.calls, "call");
    format!("target {} ({}{model}): {calls}{tokens}{cost}", plain(&target.name), target.kind)
}

/// What a judge has earned, as a line of its own.
pub(crate) fn standing_line(standing: &Standing) -> String {
    const INFORMS: &str = "scores inform, they must not gate a release.";
    if standing.is_promoted() {
        format!("standing: {}", plain(standing.reason()))
    } else if standing.is_new() {
        format!("standing: {standing}. No contract has promoted this judge; its {INFORMS}")
    } else {
        format!("standing: {standing}, {}. Its {INFORMS}", plain(standing.reason()))
    }
}
