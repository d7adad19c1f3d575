//! A run as a document: figures with their denominators, then what to look at.

use probity_core::report::{
    CriterionSummary, Facts, Outcome, RankedReply, ReplyResult, Summary, TargetResult, TargetState,
};
use probity_core::results::{AuthorRecord, PatternKind, Repeats};
use probity_core::rubric::{Metric, Rubric};
use probity_core::score::{CriterionOutcome, Failure};
use probity_engine::input::Skipped;
use serde_json::json;

use super::figure::{counted, none, percent};
use super::finding::finding_line;
use super::report::appendix::Appendix;
use super::report::chart::histogram;
use super::report::document::{
    Block, Cell, Cells, Document, JudgeLine, Quote, Section, Table, Tile, Tone, skipped_lines,
};
use super::report::private::{pieces, shown};

/// How many flaky cases are listed.
const FLAKY_MAX: usize = 10;

/// The document; `skipped` has the first records that could not be used.
pub(crate) fn document(summary: &Summary, cases: &str, skipped: &[Skipped], appendix: Appendix) -> Document {
    let (rubric, facts) = (summary.rubric(), summary.facts());
    let mut sections = vec![targets(summary), slices(summary), criteria(summary), gate(summary)];
    sections.push(patterns(summary));
    sections.push(replies("worst", "Worst replies", summary.worst(), rubric));
    sections.push(replies("best", "Best replies", summary.best(), rubric).in_files());
    sections.push(without_score(summary, skipped));
    let names = summary.criteria().iter().map(|each| each.criterion.to_string()).collect();
    sections.push(Section::new("replies", "All replies").with(Block::Rows(names)).in_files());
    Document {
        command: "run".to_owned(),
        title: format!("{} {} · {cases}", rubric.name(), rubric.version()),
        judge: Some(JudgeLine::of(facts)),
        tiles: tiles(summary),
        warnings: facts.warnings.clone(),
        sections: sections.into_iter().filter_map(Section::filled).collect(),
        calls: calls(facts),
        appendix: Some(appendix),
        ..Document::default()
    }
}

fn tiles(summary: &Summary) -> Vec<Tile> {
    let has_pass_rule = summary.rubric().pass().is_some();
    let counts = [
        (summary.n_entered(), "replies", true),
        (summary.n_passed(), "passed", has_pass_rule),
        (summary.n_failed(), "failed", has_pass_rule),
        (summary.n_scored(), "scored", !has_pass_rule),
        (summary.n_unscored(), "unscored", true),
        (summary.n_no_reply(), "without a reply", false),
        (summary.n_blocked(), "blocked", true),
        (summary.gate().n_flagged(), "flagged", false),
        (summary.n_skipped(), "records skipped", true),
    ];
    let shown = counts.into_iter().filter(|(n, _, always)| *always || *n > 0);
    let rate = summary.pass_rate().map(|rate| Tile::share(&rate, "pass"));
    rate.into_iter().chain(shown.map(|(n, name, _)| Tile::count(n, name))).collect()
}

fn targets(summary: &Summary) -> Section {
    let mut table = Table::new(&["figure", "#reached", "#95 % interval", "#n", "wanted", ""]);
    for target in summary.targets() {
        let tone = match target.state() {
            TargetState::Met => Tone::Met,
            TargetState::Missed => Tone::Missed,
            TargetState::NotMeasured => Tone::Unscored,
        };
        let interval =
            |estimate: &probity_core::stats::Estimate| format!("{:.3}–{:.3}", estimate.low, estimate.high);
        table.row(cells![
            metric_name(target),
            reached(target),
            target.estimate.as_ref().map_or_else(none, interval),
            target.estimate.map_or(0, |estimate| estimate.n),
            wanted(target),
            Cell::word(target.state().name(), tone),
        ]);
    }
    Section::new("targets", "Targets").table(table)
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

/// The pass rate of each slice, how totals are spread, and how far the rate is the weights' doing.
fn slices(summary: &Summary) -> Section {
    let has_pass_rule = summary.rubric().pass().is_some();
    let mut titles = vec!["slice", "#replies"];
    titles.extend(has_pass_rule.then_some("%pass rate"));
    let mut table = Table::new(&titles);
    let mut histograms = Vec::new();
    for (name, part) in summary.slices() {
        let mut row = cells![name, part.n_entered()];
        if has_pass_rule {
            row.extend(Cell::share(part.pass_rate().as_ref()).0);
        }
        table.row(row);
        histograms.extend(part.totals().map(|totals| histogram(name, part.n_entered(), totals.bins())));
    }
    let clusters = summary.n_clusters().filter(|_| summary.pass_rate().is_some());
    let clusters = clusters.map(|n| format!("Intervals rest on {n} cases: some have several replies."));
    let lines = [clusters, sensitivity(summary), summary.repeats().map(repeats_line)];
    let section = Section::new("slices", "Slices").table(table);
    let section = lines.into_iter().flatten().fold(section, Section::text);
    if histograms.is_empty() {
        return section;
    }
    let drawing = json!({ "drawing": "histograms", "histograms": histograms });
    section.legend("How totals are spread").with(Block::Drawing(drawing))
}

fn sensitivity(summary: &Summary) -> Option<String> {
    let rates = summary.variations().iter().filter_map(|each| each.pass_rate.map(|rate| (rate.value, each)));
    let rates: Vec<_> = rates.collect();
    let (low, low_by) = rates.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (high, high_by) = rates.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(format!(
        "With one weight moved by 10 points the pass rate is between {} ({} at {}) and {} ({} at {}).",
        percent(*low),
        low_by.criterion,
        low_by.weight,
        percent(*high),
        high_by.criterion,
        high_by.weight
    ))
}

/// How often several replies to a case, each of its own variant, all pass, and which cases pass only sometimes.
fn repeats_line(repeats: &Repeats) -> String {
    let rates = repeats.pass_hat.iter();
    let rates: Vec<String> =
        rates.map(|each| format!("pass^{} {}", each.k, percent(each.rate.value))).collect();
    let mut line =
        format!("{} over {} cases with several replies (variants)", rates.join(", "), repeats.n_cases);
    if !repeats.flaky.is_empty() {
        let first: Vec<&str> = repeats.flaky.iter().take(FLAKY_MAX).map(|id| &**id).collect();
        let more = repeats.flaky.len() - first.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        line += &format!("; flaky across variants: {}{more}", first.join(", "));
    }
    line
}

fn criteria(summary: &Summary) -> Section {
    let (criteria, rubric) = (summary.criteria(), summary.rubric());
    let is_weighted = criteria.iter().any(|each| points(each, rubric).is_some());
    let mut titles = vec!["criterion", "#mean", "#95 % interval", "#n"];
    titles.extend(is_weighted.then_some("#points"));
    titles.extend(["levels given", "#unscored"]);
    let mut table = Table::new(&titles);
    for each in criteria {
        let interval = each.mean_estimate().map(|mean| format!("{:.2}–{:.2}", mean.low, mean.high));
        let mut row = cells![&each.criterion, mean(each), interval.unwrap_or_else(none), each.n_scored()];
        row.extend(is_weighted.then(|| Cell::text(points(each, rubric).unwrap_or_else(none))));
        let levels: Vec<String> = each.levels.iter().map(|(level, n)| format!("{level}: {n}")).collect();
        row.extend(cells![levels.join(" · "), each.n_unscored]);
        table.row(row);
    }
    let violations = criteria.iter().flat_map(|each| &each.violations).filter(|(_, n)| *n > 0);
    let violations: Vec<String> = violations.map(|(id, n)| format!("{id} {n}")).collect();
    let mut section = Section::new("criteria", "Criteria").table(table);
    if !violations.is_empty() {
        section = section.text(format!("violations: {}", violations.join(", ")));
    }
    if summary.slices().len() < 2 {
        return section;
    }
    section
        .heading("Mean level by slice")
        .legend("Darker green is nearer to the best level, darker red nearer to the worst; the number says the same.")
        .table(means(summary))
}

fn means(summary: &Summary) -> Table {
    let names = summary.criteria().iter().map(|each| format!("#{}", each.criterion));
    let titles: Vec<String> = ["slice".to_owned()].into_iter().chain(names).collect();
    let mut table = Table::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, part) in summary.slices() {
        let level = |each: &CriterionSummary| {
            let shade = each.mean_estimate().and_then(|mean| {
                let scale = &summary.rubric().criterion(&each.criterion)?.scale;
                let (worst, best) = (scale.worst() as f64, scale.best() as f64);
                let share = (mean.value - worst) / (best - worst);
                (0..4_u8).find(|shade| share < 0.2 * f64::from(shade + 1)).or(Some(4))
            });
            match shade {
                Some(shade) => Cell::Styled(mean(each), format!("n h{shade}")),
                None => Cell::text(mean(each)),
            }
        };
        table.row([Cell::text(name)].into_iter().chain(part.criteria().iter().map(level)).collect());
    }
    table
}

fn mean(summary: &CriterionSummary) -> String {
    summary.mean().map_or_else(none, |mean| format!("{:.2}", mean.to_f64()))
}

/// The mean points of a criterion and the most that there are; `None` without a weight or a level.
fn points(criterion: &CriterionSummary, rubric: &Rubric) -> Option<String> {
    let of = rubric.criterion(&criterion.criterion)?;
    let mean = criterion.mean_points(of)?;
    Some(format!("{:.2} of {}", mean.to_f64(), of.weight?))
}

fn gate(summary: &Summary) -> Section {
    let gate = summary.gate();
    let mut table = Table::new(&["rule", "#blocked", "#flagged"]);
    for (rule, count) in gate.by_rule().iter() {
        table.row(cells![rule, count.blocked, count.flagged]);
    }
    let section = Section::new("gate", "Found by the gate").table(table);
    if gate.blocked().is_empty() {
        return section;
    }
    let blocked = gate.blocked().iter().map(|result| reply(result, summary.rubric())).collect();
    section
        .text("No judge was asked about blocked replies, and no score reopens them.")
        .quotes(blocked, usize::try_from(summary.n_blocked()).unwrap_or(usize::MAX))
}

/// What failing replies have in common.
fn patterns(summary: &Summary) -> Section {
    let mut table = Table::new(&["slice", "what", "#replies", "such as"]);
    for pattern in summary.patterns() {
        let what = match &pattern.kind {
            PatternKind::Criterion(name) => format!("weak {name}"),
            PatternKind::Rule(name) => format!("blocked by {name}"),
        };
        let n = format!("{} of {}", pattern.n, pattern.of);
        table.row(cells![&pattern.slice, what, n, pattern.examples.join(", ")]);
    }
    let recurring = summary
        .recurring()
        .iter()
        .map(|group| format!("{} × {} “{}”: {}", group.n, group.criterion, group.words, shown(&group.quote)));
    Section::new("patterns", "Failure patterns").table(table).listed("Reasons that recur", recurring)
}

fn replies(id: &str, title: &str, ranked: &[RankedReply], rubric: &Rubric) -> Section {
    let quotes = ranked.iter().map(|ranked| reply(&ranked.result, rubric)).collect();
    Section::new(id, title).quotes(quotes, ranked.len())
}

/// A reply with what the gate found, what the judge said, weakest first, and what is missing.
fn reply(result: &ReplyResult, rubric: &Rubric) -> Quote {
    let findings = result.gate.findings();
    let mut issues: Vec<String> = result.issues().collect();
    // What the gate found is said with its place.
    issues.truncate(issues.len().saturating_sub(findings.len()));
    let mut lines: Vec<String> = findings.iter().map(finding_line).collect();
    lines.extend(issues.into_iter().chain(missing(result)).map(|line| shown(&line)));
    for (id, outcome) in &result.criteria {
        let CriterionOutcome::Scored(scored) = outcome else { continue };
        if rubric.criterion(id).is_some_and(|criterion| criterion.scale.best() == scored.level) {
            let level = result.level_text(id, scored);
            lines.push(format!("{level}, the best: {}", shown(&scored.reasoning)));
        }
    }
    let mut word = vec![result.outcome.name().to_owned()];
    word.extend(result.total().map(|total| format!("total {total}")));
    if let Outcome::Fail(failures) = &result.outcome {
        word.extend(failures.iter().map(Failure::describe));
    }
    Quote {
        title: result.name(),
        about: result.slice.clone().unwrap_or_default(),
        word: word.join(", "),
        tone: match result.outcome {
            Outcome::Pass => Tone::Met,
            Outcome::Fail(_) | Outcome::Blocked => Tone::Missed,
            Outcome::Unscored => Tone::Unscored,
            Outcome::Scored => Tone::Soft,
        },
        pieces: pieces(&result.text, findings),
        lines,
    }
}

/// The criteria of a reply that have no level, and why.
pub(super) fn missing(result: &ReplyResult) -> impl Iterator<Item = String> {
    result.criteria.iter().filter_map(|(id, outcome)| match outcome {
        CriterionOutcome::Scored(_) => None,
        CriterionOutcome::Unscored(unscored) => {
            Some(format!("{id}: unscored, {} {}", unscored.cause, unscored.detail))
        }
    })
}

fn without_score(summary: &Summary, skipped: &[Skipped]) -> Section {
    let causes = summary.causes().iter().map(|count| match count.example.as_str() {
        "" => format!("{} {}", count.n, count.cause),
        example => format!("{} {}: {example}", count.n, count.cause),
    });
    Section::new("missing", "What has no score")
        .listed("Criteria unscored, by cause", causes)
        .listed("Skipped records", skipped_lines(skipped, summary.n_skipped()))
}

/// What the calls took.
pub(super) fn calls(facts: &Facts) -> Vec<String> {
    let cost = match facts.cost_usd {
        Some(usd) => format!("${usd}"),
        None => "cost unknown (no price for this model)".to_owned(),
    };
    let (input, output) = (facts.tokens.input, facts.tokens.output);
    let mut lines =
        vec![format!("{} on record, {input} tokens in, {output} out, {cost}", counted(facts.calls, "call"))];
    if facts.packets_repeated > 0 {
        let n = facts.packets_repeated;
        lines.push(format!("{n} packets repeat the content of another: each content is asked about once"));
    }
    let without_cost = if facts.cost_usd.is_some() { facts.calls_without_cost } else { 0 };
    for (n, what) in [
        (facts.calls_lost, "in flight when a process died: possibly billed, not recorded"),
        (facts.calls_without_usage, "came back without token counts"),
        (without_cost, "may have been billed at a cost that is not known"),
    ] {
        lines.extend((n > 0).then(|| format!("{} {what}", counted(n, "call"))));
    }
    lines.extend(facts.target.as_ref().map(author_line));
    lines
}

/// What wrote replies, and what that took.
fn author_line(target: &AuthorRecord) -> String {
    let model = if target.model.is_empty() { String::new() } else { format!(" {}", target.model) };
    let cost = target.cost_usd.map(|usd| format!(", ${usd}")).unwrap_or_default();
    let tokens = match (target.tokens.input, target.tokens.output) {
        (0, 0) => String::new(),
        (input, output) => format!(", {input} tokens in, {output} out"),
    };
    let calls = counted(target.calls, "call");
    format!("target {} ({}{model}): {calls}{tokens}{cost}", target.name, target.kind)
}
