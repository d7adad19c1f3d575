//! What the page shows: figures as the texts and places that the template lays out.

use probity_core::gate::Finding;
use probity_core::report::{
    CriterionSummary, Outcome, Part, RankedReply, ReplyResult, Summary, TargetResult, TargetState,
};
use probity_core::results::PatternKind;
use probity_core::rubric::Rubric;
use probity_core::score::{CriterionOutcome, Failure};
use probity_core::stats::Estimate;
use probity_engine::input::Skipped;
use serde::Serialize;
use serde_json::{Value, json};

use super::super::super::figure::percent;
use super::super::super::finding::finding_line;
use super::super::super::summary::{metric_name, missing, points, reached, repeats_line, violations, wanted};
use super::super::appendix::Appendix;
use super::super::chart::Whisker;
use super::super::page::{JudgeLine, Tile};
use super::super::private::{dotted, is_private, shown};

/// The name of replies without a slice.
pub(super) const NO_SLICE: &str = "(none)";
/// How much of a reply is shown, in bytes.
const TEXT_BYTES_MAX: usize = 2_000;
/// The height of the tallest bar.
const BAR_MAX: f64 = 46.0;
/// Where bars stand.
const BAR_FOOT: f64 = 58.0;

/// A share with its interval, as texts and as a drawing.
#[derive(Debug, Serialize)]
struct RateView {
    value: String,
    low: String,
    high: String,
    n: u64,
    plot: Whisker,
}

/// A piece of a reply; `rule` where the gate found something in it.
#[derive(Debug, Serialize, PartialEq, Eq)]
struct PieceView {
    text: String,
    rule: Option<String>,
}

/// Everything that the template needs.
pub(super) fn view(summary: &Summary, cases: &str, skipped: &[Skipped], appendix: &Appendix) -> Value {
    let rubric = summary.rubric();
    let unscored = summary.causes().iter().map(|count| match count.example.as_str() {
        "" => format!("{} {}", count.n, count.cause),
        example => format!("{} {}: {example}", count.n, count.cause),
    });
    let skipped = skipped.iter().map(|record| {
        let id = record.id.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
        format!("record {} at {}:{}{id}: {}", record.index, record.file, record.line, record.reason)
    });
    json!({
        "title": format!("{} {} · {cases}", rubric.name(), rubric.version()),
        "judge": JudgeLine::of(summary.facts()),
        "lead": "",
        "tiles": tiles(summary),
        "pass_rate": summary.pass_rate().is_some(),
        "targets": summary.targets().iter().map(target).collect::<Vec<_>>(),
        "sensitivity": sensitivity(summary),
        "repeats": summary.repeats().map(repeats_line),
        "has_totals": summary.slices().values().any(|part| part.totals().is_some()),
        "slices": summary.slices().iter().map(|(name, part)| slice(name, part, rubric)).collect::<Vec<_>>(),
        "criteria": summary.criteria().iter().map(|each| criterion(each, rubric)).collect::<Vec<_>>(),
        "violations": violations(summary),
        "patterns": patterns(summary),
        "recurring": summary.recurring().iter().map(|group| json!({
            "n": group.n, "criterion": group.criterion, "words": group.words, "quote": shown(&group.quote),
        })).collect::<Vec<_>>(),
        "groups": groups(summary),
        "causes": unscored.collect::<Vec<_>>(),
        "skipped": skipped.collect::<Vec<_>>(),
        "warnings": summary.facts().warnings,
        "appendix": appendix,
    })
}

fn tiles(summary: &Summary) -> Vec<Tile> {
    let counts = [
        (summary.n_entered(), "replies"),
        (summary.n_passed(), "passed"),
        (summary.n_failed(), "failed"),
        (summary.n_scored(), "scored"),
        (summary.n_unscored(), "unscored"),
        (summary.n_blocked(), "blocked"),
        (summary.n_skipped(), "records skipped"),
    ];
    let has_pass_rule = summary.rubric().pass().is_some();
    let is_shown = |name: &str, n: u64| match name {
        "passed" | "failed" => has_pass_rule,
        "scored" => !has_pass_rule || n > 0,
        _ => true,
    };
    let shown = counts.into_iter().filter(|(n, name)| is_shown(name, *n));
    let rate = summary.pass_rate().map(|rate| Tile::share(&rate, "pass"));
    rate.into_iter().chain(shown.map(|(n, name)| Tile::count(n, name))).collect()
}

fn rate(rate: Estimate) -> RateView {
    RateView {
        value: percent(rate.value),
        low: format!("{:.1}", 100.0 * rate.low),
        high: percent(rate.high),
        n: rate.n,
        plot: Whisker::share(&rate),
    }
}

fn target(result: &TargetResult) -> Value {
    let interval = result.estimate.map(|estimate| format!("{:.3}–{:.3}", estimate.low, estimate.high));
    json!({
        "name": metric_name(result),
        "value": reached(result),
        "interval": interval.unwrap_or_default(),
        "n": result.estimate.map_or(0, |estimate| estimate.n),
        "wanted": wanted(result),
        "state": result.state().name(),
        "class": match result.state() {
            TargetState::Met => "met",
            TargetState::Missed => "missed",
            TargetState::NotMeasured => "unscored",
        },
    })
}

fn sensitivity(summary: &Summary) -> Option<String> {
    let rates = summary.variations().iter().filter_map(|each| each.pass_rate).map(|rate| 100.0 * rate.value);
    let (low, high) = rates.fold((100.0_f64, 0.0_f64), |(low, high), rate| (low.min(rate), high.max(rate)));
    (low <= high).then(|| {
        format!("With one weight moved by 10 points the pass rate is between {low:.1} % and {high:.1} %.")
    })
}

fn slice(name: &str, part: &Part, rubric: &Rubric) -> Value {
    let bins: Vec<u64> = part.totals().map(|totals| totals.bins().to_vec()).unwrap_or_default();
    let tallest = bins.iter().copied().max().unwrap_or(0).max(1) as f64;
    let bar = |(at, n): (usize, &u64)| {
        let height = (BAR_MAX * *n as f64 / tallest).round();
        json!({ "n": n, "from": 10 * at, "x": 20 * at + 1, "y": BAR_FOOT - height, "height": height })
    };
    let heat = part.criteria().iter().map(|each| {
        let share = each.mean_estimate().and_then(|mean| {
            let scale = &rubric.criterion(&each.criterion)?.scale;
            let (worst, best) = (scale.worst() as f64, scale.best() as f64);
            Some((mean.value - worst) / (best - worst))
        });
        let class = share.map_or("", |share| match share {
            share if share < 0.2 => "h0",
            share if share < 0.4 => "h1",
            share if share < 0.6 => "h2",
            share if share < 0.8 => "h3",
            _ => "h4",
        });
        json!({ "class": class, "mean": mean_text(each) })
    });
    json!({
        "name": name,
        "n": part.n_entered(),
        "rate": rubric.pass().and_then(|_| part.pass_rate()).map(rate),
        "bars": bins.iter().enumerate().map(bar).collect::<Vec<_>>(),
        "heat": heat.collect::<Vec<_>>(),
    })
}

fn mean_text(summary: &CriterionSummary) -> String {
    summary.mean().map_or("–".to_owned(), |mean| format!("{:.2}", mean.to_f64()))
}

fn criterion(summary: &CriterionSummary, rubric: &Rubric) -> Value {
    let levels: Vec<String> = summary.levels.iter().map(|(level, n)| format!("{level}: {n}")).collect();
    let interval = summary.mean_estimate().map(|mean| format!("{:.2}–{:.2}", mean.low, mean.high));
    json!({
        "name": summary.criterion.as_str(),
        "mean": mean_text(summary),
        "points": points(summary, rubric).unwrap_or_default(),
        "interval": interval.unwrap_or_default(),
        "n": summary.n_scored(),
        "levels": levels.join(" · "),
        "unscored": summary.n_unscored,
    })
}

fn patterns(summary: &Summary) -> Vec<Value> {
    let pattern = |pattern: &probity_core::results::FailurePattern| {
        let what = match &pattern.kind {
            PatternKind::Criterion(name) => format!("weak {name}"),
            PatternKind::Rule(name) => format!("blocked by {name}"),
        };
        json!({
            "slice": pattern.slice,
            "what": what,
            "n": pattern.n,
            "of": pattern.of,
            "examples": pattern.examples.join(", "),
        })
    };
    summary.patterns().iter().map(pattern).collect()
}

fn groups(summary: &Summary) -> Vec<Value> {
    let group = |id: &str, title: &str, note: Option<String>, replies: Vec<Value>| {
        (!replies.is_empty()).then(|| json!({ "id": id, "title": title, "note": note, "replies": replies }))
    };
    let ranked = |list: &[RankedReply]| -> Vec<Value> {
        list.iter().map(|ranked| reply(&ranked.result, summary.rubric())).collect()
    };
    let blocked = summary.gate().blocked().iter().map(|result| reply(result, summary.rubric())).collect();
    let n_blocked = summary.n_blocked();
    let note = format!("No judge was asked about these, and no score reopens them. {n_blocked} in all.");
    [
        group("gate", "Blocked by the gate", Some(note), blocked),
        group("worst", "Worst replies", None, ranked(summary.worst())),
        group("best", "Best replies", None, ranked(summary.best())),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn reply(result: &ReplyResult, rubric: &Rubric) -> Value {
    let mut lines: Vec<String> = result.gate.findings().iter().map(finding_line).collect();
    for (id, outcome) in &result.criteria {
        let CriterionOutcome::Scored(scored) = outcome else { continue };
        let best = rubric.criterion(id).is_some_and(|criterion| criterion.scale.best() == scored.level);
        let level = result.level_text(id, scored) + if best { ", the best" } else { "" };
        lines.push(format!("{level}: {}", shown(&scored.reasoning)));
    }
    lines.extend(missing(result).map(|line| shown(&line)));
    let fails = match &result.outcome {
        Outcome::Fail(failures) => failures.iter().map(Failure::describe).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    };
    json!({
        "id": result.name(),
        "slice": result.slice.as_deref().unwrap_or_default(),
        "outcome": result.outcome.name(),
        "total": result.total().map(|total| total.to_string()),
        "fails": fails,
        "pieces": pieces(&result.text, result.gate.findings()),
        "lines": lines,
    })
}

/// The reply cut where findings begin and end. A span that does not fit the text is left out. Personal data is
/// shown as dots: a report travels further than a reply.
fn pieces(text: &str, findings: &[Finding]) -> Vec<PieceView> {
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    let mut spans: Vec<(usize, usize, &str, bool)> = findings
        .iter()
        .map(|finding| (finding.sighting.start, finding.sighting.end, finding.rule(), is_private(finding)))
        .filter(|(start, stop, ..)| start < stop && *stop <= end && text.get(*start..*stop).is_some())
        .collect();
    spans.sort_unstable();
    let mut pieces = Vec::new();
    let mut at = 0;
    let plain = |text: &str| PieceView { text: text.to_owned(), rule: None };
    for (start, stop, rule, private) in spans {
        if start < at {
            continue;
        }
        if at < start {
            pieces.push(plain(&text[at..start]));
        }
        let found = &text[start..stop];
        let visible = if private { dotted(found) } else { found.to_owned() };
        pieces.push(PieceView { text: visible, rule: Some(rule.to_owned()) });
        at = stop;
    }
    let cut = if end < text.len() { "…" } else { "" };
    if at < end || !cut.is_empty() {
        pieces.push(plain(&format!("{}{cut}", &text[at..end])));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
    use probity_core::gate::Gate;

    use super::*;

    #[test]
    fn what_the_gate_found_is_marked_and_personal_data_is_not_repeated() {
        let text = "Grüße! Your card is 4111 1111 1111 1111, thanks.";
        let case =
            Case::new(CaseId::new("t").expect("an id"), Situation::Ticket("Which card do you have?".into()));
        let blocked = Gate::default().screen(Entry { case, reply: Reply::new(text) }).expect_err("a leak");
        let pieces = pieces(text, blocked.findings());
        let marked: Vec<&str> = pieces.iter().filter(|p| p.rule.is_some()).map(|p| p.text.as_str()).collect();
        assert_eq!(marked, ["•••• •••• •••• ••••"]);
        let shown: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(shown, "Grüße! Your card is •••• •••• •••• ••••, thanks.");
    }

    #[test]
    fn a_long_reply_is_cut_visibly_and_never_inside_a_letter() {
        let pieces = pieces(&"ü".repeat(5_000), &[]);
        assert!(pieces[0].text.ends_with("ü…") && pieces[0].text.len() <= TEXT_BYTES_MAX + 3);
    }
}
