//! Markdown for the summary page of a CI run: what was reached, where it fails, and the worst replies.
//!
//! Text from outside is shown as text: nothing in it makes a link, an image, a mention or a table cell.

pub(super) mod page;

use std::fmt::Write as _;
use std::io::{self, Write as _};

use probity_core::report::{
    CriterionSummary, Outcome, Part, RankedReply, Summary, TargetResult, TargetState,
};
use probity_core::results::PatternKind;
use probity_core::score::Failure;
use probity_core::stats::Estimate;
use probity_engine::run::results::Row;

use super::super::figure::{interval, judge_name, none, percent};
use super::super::results::WholeFile;
use super::super::summary::{metric_name, missing, points, reached, repeats_line, violations, wanted};
use super::Report;
use super::private::shown;
use crate::plain::excerpt;

/// How much of a reason is shown.
const REASON_CHARS_MAX: usize = 240;

/// A report that waits for the summary: rows are in the other kinds.
pub(super) struct Markdown {
    out: WholeFile,
    cases: String,
}

impl Markdown {
    pub(super) fn new(out: WholeFile, cases: &str) -> Self {
        Markdown { out, cases: cases.to_owned() }
    }
}

impl Report for Markdown {
    fn add(&mut self, _: &Row) -> io::Result<()> {
        Ok(())
    }

    fn finish(mut self: Box<Self>, summary: &Summary) -> io::Result<()> {
        self.out.write_all(markdown(summary, &self.cases).as_bytes())?;
        self.out.keep()
    }
}

fn markdown(summary: &Summary, cases: &str) -> String {
    let mut out = String::new();
    let (rubric, judge) = (summary.rubric(), &summary.facts().judge);
    push_line!(out, "## {} {} · {}\n", escaped(rubric.name()), escaped(rubric.version()), escaped(cases));
    push_line!(
        out,
        "Judge {}, standing **{}**: {}.",
        escaped(&judge_name(summary.facts())),
        judge.standing,
        escaped(judge.standing.reason())
    );
    push_line!(
        out,
        "{} replies: {} passed, {} failed, {} scored, {} unscored, {} blocked; {} records skipped.\n",
        summary.n_entered(),
        summary.n_passed(),
        summary.n_failed(),
        summary.n_scored(),
        summary.n_unscored(),
        summary.n_blocked(),
        summary.n_skipped()
    );
    if summary.n_no_reply() > 0 {
        push_line!(out, "Of the unscored, {} have no reply: the target gave none.\n", summary.n_no_reply());
    }
    if let Some(repeats) = summary.repeats() {
        push_line!(out, "{}.\n", escaped(&repeats_line(repeats)));
    }
    targets(&mut out, summary.targets());
    criteria(&mut out, summary);
    slices(&mut out, summary);
    patterns(&mut out, summary);
    sensitivity(&mut out, summary);
    ranked(&mut out, "Worst replies", summary.worst());
    ranked(&mut out, "Best replies", summary.best());
    for warning in &summary.facts().warnings {
        push_line!(out, "> {}\n", escaped(warning));
    }
    out
}

fn targets(out: &mut String, targets: &[TargetResult]) {
    if targets.is_empty() {
        return;
    }
    push_line!(out, "| target | reached | 95 % interval | n | wanted | |\n|---|---|---|---|---|---|");
    for target in targets {
        let [interval, n] = target.estimate.map_or([none(), "0".to_owned()], |estimate| {
            [format!("{:.3}–{:.3}", estimate.low, estimate.high), estimate.n.to_string()]
        });
        let met = match target.state() {
            TargetState::Met => "met",
            TargetState::Missed => "**missed**",
            TargetState::NotMeasured => "not measured",
        };
        push_line!(
            out,
            "| {} | {} | {interval} | {n} | {} | {met} |",
            escaped(&metric_name(target)),
            reached(target),
            wanted(target)
        );
    }
    push_line!(out);
}

/// The mean points of each criterion, and what violated those that list violations.
fn criteria(out: &mut String, summary: &Summary) {
    let of = |each: &CriterionSummary| {
        points(each, summary.rubric()).map(|points| format!("{} {points}", each.criterion))
    };
    let points: Vec<String> = summary.criteria().iter().filter_map(of).collect();
    if !points.is_empty() {
        push_line!(out, "Mean points: {}.\n", escaped(&points.join(", ")));
    }
    if let Some(found) = violations(summary) {
        push_line!(out, "{}.\n", escaped(&found));
    }
}

fn slices(out: &mut String, summary: &Summary) {
    let has_rate = summary.rubric().pass().is_some();
    let criteria: Vec<String> =
        summary.criteria().iter().map(|each| format!(" {} |", escaped(each.criterion.as_str()))).collect();
    let rate_head = if has_rate { " pass rate |" } else { "" };
    push_line!(out, "| slice | replies |{rate_head}{}", criteria.concat());
    push_line!(out, "|---|---|{}{}", if has_rate { "---|" } else { "" }, "---|".repeat(criteria.len()));
    for (name, part) in summary.slices() {
        let rate = if has_rate { format!(" {} |", rate(part.pass_rate())) } else { String::new() };
        push_line!(out, "| {} | {} |{rate}{}", escaped(name), part.n_entered(), means(part));
    }
    push_line!(out);
}

fn means(part: &Part) -> String {
    let mean = |each: &CriterionSummary| {
        let mean = each.mean().map_or_else(none, |mean| format!("{:.2}", mean.to_f64()));
        format!(" {mean} |")
    };
    part.criteria().iter().map(mean).collect()
}

fn rate(rate: Option<Estimate>) -> String {
    rate.map_or_else(none, |rate| format!("{} ({}, n {})", percent(rate.value), interval(&rate), rate.n))
}

fn patterns(out: &mut String, summary: &Summary) {
    if !summary.patterns().is_empty() {
        push_line!(out, "### Where replies fail\n\n| slice | what | replies | such as |\n|---|---|---|---|");
    }
    for pattern in summary.patterns() {
        let what = match &pattern.kind {
            PatternKind::Criterion(name) => format!("weak {}", escaped(name)),
            PatternKind::Rule(name) => format!("blocked by {}", escaped(name)),
        };
        let of = pattern.of;
        let examples: Vec<String> = pattern.examples.iter().map(|id| escaped(id)).collect();
        push_line!(
            out,
            "| {} | {what} | {} of {of} | {} |",
            escaped(&pattern.slice),
            pattern.n,
            examples.join(", ")
        );
    }
    if !summary.patterns().is_empty() {
        push_line!(out);
    }
    if !summary.recurring().is_empty() {
        push_line!(out, "### Reasons that recur\n");
    }
    for group in summary.recurring() {
        let quote = excerpt(&shown(&group.quote), REASON_CHARS_MAX);
        push_line!(
            out,
            "- {} × {} “{}”: {}",
            group.n,
            escaped(&group.criterion),
            escaped(&group.words),
            escaped(&quote)
        );
    }
    if !summary.recurring().is_empty() {
        push_line!(out);
    }
}

fn sensitivity(out: &mut String, summary: &Summary) {
    let rates = summary.variations().iter().filter_map(|each| each.pass_rate.map(|rate| (rate.value, each)));
    let rates: Vec<_> = rates.collect();
    let lowest = rates.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let highest = rates.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    let (Some((low, low_by)), Some((high, high_by))) = (lowest, highest) else { return };
    push_line!(
        out,
        "With one weight moved by 10 points the pass rate is between {:.1} % ({} at {}) and {:.1} % ({} at {}).\n",
        100.0 * low,
        escaped(low_by.criterion.as_str()),
        low_by.weight,
        100.0 * high,
        escaped(high_by.criterion.as_str()),
        high_by.weight
    );
}

fn ranked(out: &mut String, title: &str, replies: &[RankedReply]) {
    if replies.is_empty() {
        return;
    }
    push_line!(out, "<details><summary>{title}</summary>\n");
    for reply in replies {
        let result = &reply.result;
        let total = result.total();
        let total = total.map(|total| format!(", total {total}")).unwrap_or_default();
        let why = match &result.outcome {
            Outcome::Fail(failures) => {
                let reasons: Vec<String> =
                    failures.iter().map(|fail| escaped(&Failure::describe(fail))).collect();
                format!(", fails: {}", reasons.join(", "))
            }
            _ => String::new(),
        };
        push_line!(out, "- **{}**{total}{why}", escaped(&result.name()));
        for issue in result.issues().chain(missing(result)) {
            push_line!(out, "  - {}", escaped(&excerpt(&shown(&issue), REASON_CHARS_MAX)));
        }
    }
    push_line!(out, "\n</details>\n");
}

/// `text` on one line, every character that Markdown or HTML would act on written as an entity.
pub(in crate::render) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in crate::plain::plain(text).chars() {
        if c.is_ascii_punctuation()
            && !matches!(c, '.' | ',' | '-' | '\'' | '(' | ')' | '?' | '%' | ';' | '/')
        {
            write!(out, "&#{};", u32::from(c)).expect("writing to a string cannot fail");
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_is_markup() {
        assert_eq!(escaped("a | b <img> @team"), "a &#124; b &#60;img&#62; &#64;team");
        assert_eq!(escaped("[x](http://y)"), "&#91;x&#93;(http&#58;//y)");
        assert_eq!(escaped("two\nlines, 5 %"), "two lines, 5 %");
    }
}
