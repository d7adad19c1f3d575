//! A run as a document: figures with their denominators, then what to look at.

use probity_core::exact::Exact;
use probity_core::report::{RankedReply, Summary};
use probity_core::results::{
    AuthorRecord, CriterionFigures, Facts, Members, PartRecord, PatternKind, Repeats, ResultRow, RowOutcome,
    TargetRecord,
};
use probity_core::rubric::{Criterion, Direction, Rubric};
use probity_engine::config::Money;
use probity_engine::input::Skipped;

use super::figure::{counted, none, percent};
use super::finding::finding_line;
use super::private::{Mark, Texts, pieces, shown};
use super::report::appendix::Appendix;
use super::report::chart::{self, Ruler, histogram};
use super::report::document::{
    Block, Cell, Cells, Document, JudgeLine, Quote, Section, Table, Tile, Tone, skipped_lines,
};

/// The metric of a target for the pass rate.
const PASS_RATE: &str = "pass_rate";

/// How many flaky cases are listed.
const FLAKY_MAX: usize = 10;

/// The document; `skipped` has the first records that could not be used.
pub(crate) fn document(summary: &Summary, cases: &str, skipped: &[Skipped], appendix: Appendix) -> Document {
    let (rubric, facts) = (&summary.rubric, &summary.record.facts);
    let counts = summary.record.all.counts;
    let mut sections = Vec::new();
    if counts.passed + counts.failed + counts.scored == 0 {
        // Tables without a figure would only hide what went wrong.
        sections.extend([without_score(summary, skipped), outcomes(summary), gate(summary)]);
    } else {
        sections.extend([slices(summary), outcomes(summary), targets(summary), criteria(summary)]);
        sections.extend([totals(summary), patterns(summary), self_agreement(summary)]);
        sections.extend([customer_outcomes(summary), gate(summary)]);
    }
    let worst = &summary.worst[..summary.record.worst.len().min(summary.worst.len())];
    sections.push(replies("worst", "Worst replies", worst, rubric).not_on_pages());
    sections.push(replies("best", "Best replies", &summary.best, rubric).only_in_markdown());
    if sections.iter().all(|section| section.id != "missing") {
        sections.push(without_score(summary, skipped));
    }
    sections.push(Section::new("replies", "All replies").with(Block::Rows).on_pages());
    Document {
        command: "run".to_owned(),
        title: format!("{} {} · {cases}", rubric.name(), rubric.version()),
        judge: Some(JudgeLine::of(facts)),
        verdict: verdict(summary),
        lead: lead(summary),
        tiles: tiles(summary),
        warnings: facts.warnings.clone(),
        sections: sections.into_iter().filter_map(Section::filled).collect(),
        calls: calls(facts),
        appendix: Some(appendix),
        ..Document::default()
    }
}

fn tiles(summary: &Summary) -> Vec<Tile> {
    let has_pass_rule = summary.rubric.pass().is_some();
    let (record, counts) = (&summary.record, summary.record.all.counts);
    let counts = [
        (counts.entered, "replies", true),
        (counts.passed, "passed", has_pass_rule),
        (counts.failed, "failed", has_pass_rule),
        (counts.scored, "scored", !has_pass_rule),
        (counts.unscored, "unscored", true),
        (record.no_reply, "without a reply", false),
        (counts.blocked, "blocked", true),
        (record.flagged, "flagged", false),
        (record.skipped, if record.skipped == 1 { "record skipped" } else { "records skipped" }, true),
    ];
    let shown = counts.into_iter().filter(|(n, _, always)| *always || *n > 0);
    let rate = record.all.pass_rate.map(|rate| Tile::share(&rate, "pass"));
    rate.into_iter().chain(shown.map(|(n, name, _)| Tile::count(n, name))).collect()
}

/// How many pass, and what was wanted of that.
fn verdict(summary: &Summary) -> String {
    let record = &summary.record;
    let Some(rate) = record.all.pass_rate else {
        return format!("{} of {} scored.", record.all.counts.scored, replies_of(record.all.counts.entered));
    };
    let passes = format!("{} of {} pass.", whole_percent(rate.value), replies_of(rate.n));
    let target = record.targets.iter().find(|target| target.metric == PASS_RATE);
    let target = target.map(|target| {
        let end = |end: Option<Exact>| end.map(|end| 100.0 * end.to_f64());
        let wanted = match (end(target.min), end(target.max)) {
            (Some(min), Some(max)) => format!("{min:.0}–{max:.0} %"),
            (Some(min), None) => format!("at least {min:.0} %"),
            (None, Some(max)) => format!("at most {max:.0} %"),
            (None, None) => return String::new(),
        };
        format!(" The target is {wanted}: {}.", target.state())
    });
    passes + &target.unwrap_or_default()
}

/// Where it is worst, and what was not judged.
fn lead(summary: &Summary) -> String {
    let record = &summary.record;
    let mut rates: Vec<(&str, f64)> =
        record.by_slice.iter().filter_map(|(name, part)| Some((&**name, part.pass_rate?.value))).collect();
    rates.sort_by(|one, other| one.1.total_cmp(&other.1));
    let worst: Vec<String> =
        rates.iter().take(2).map(|(name, rate)| format!("{name} ({})", whole_percent(*rate))).collect();
    let mut said = Vec::new();
    if rates.len() > 2 {
        said.push(format!("Worst are {}.", worst.join(" and ")));
    }
    let (blocked, unscored) = (record.all.counts.blocked, record.all.counts.unscored);
    said.extend((blocked > 0).then(|| format!("The gate blocked {}.", replies_of(blocked))));
    said.extend((unscored > 0).then(|| format!("{} could not be scored.", replies_of(unscored))));
    said.join(" ")
}

fn whole_percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn replies_of(n: u64) -> String {
    counted(n, "reply")
}

/// How many there are of each outcome; the figures at the top say the same.
fn outcomes(summary: &Summary) -> Section {
    let counts = summary.record.all.counts;
    let parts = [
        ("pass", counts.passed),
        ("fail", counts.failed),
        ("scored", counts.scored),
        ("blocked", counts.blocked),
        ("unscored", counts.unscored),
    ];
    let parts: Vec<(&str, u64)> = parts.into_iter().filter(|(_, n)| *n > 0).collect();
    Section::new("outcomes", "Outcomes").with(Block::Drawing(chart::outcomes(&parts))).in_files()
}

fn targets(summary: &Summary) -> Section {
    let mut table = Table::new(&["figure", "#reached", "#95 % interval", "#n", "wanted", ""]);
    for target in &summary.record.targets {
        let tone = match target.met {
            Some(true) => Tone::Met,
            Some(false) => Tone::Missed,
            None => Tone::Unscored,
        };
        let interval = target.low.zip(target.high).map(|(low, high)| format!("{low:.3}–{high:.3}"));
        table.row(cells![
            opening(metric_name(target), target, &summary.rubric),
            reached(target),
            interval.unwrap_or_else(none),
            target.n,
            wanted(target),
            Cell::word(target.state(), tone),
        ]);
    }
    Section::new("targets", "Targets").table(table)
}

/// The name of a target's figure, which shows the replies that lower it.
fn opening(name: String, target: &TargetRecord, rubric: &Rubric) -> Cell {
    let criterion = target.metric.strip_prefix("mean ");
    let criterion = rubric.criteria().iter().find(|each| Some(each.id.as_str()) == criterion);
    match (target.metric.as_str(), criterion) {
        (_, Some(criterion)) => Cell::filter(name, "", &[(criterion.id.as_str(), &below_best(criterion))]),
        (PASS_RATE | "automatic_fail_rate", None) => Cell::filter(name, "", &[("o", "fail")]),
        (_, None) => Cell::text(name),
    }
}

/// The levels that are not the best, as an address has them.
fn below_best(criterion: &Criterion) -> String {
    let best = criterion.scale.best();
    match criterion.scale.direction() {
        Direction::LowerIsBetter => format!("{}..", best + 1),
        Direction::HigherIsBetter => format!("..{}", best - 1),
    }
}

/// The figure that a target is about.
pub(crate) fn metric_name(target: &TargetRecord) -> String {
    match target.metric.as_str() {
        "automatic_fail_rate" => "automatic fails".to_owned(),
        mean if mean.starts_with("mean ") => mean.to_owned(),
        other => other.replace('_', " "),
    }
}

/// The figure that the run reached.
pub(crate) fn reached(target: &TargetRecord) -> String {
    target.value.map_or_else(|| "not measured".to_owned(), |value| format!("{:.3}", value.to_f64()))
}

/// What a target asks for.
pub(crate) fn wanted(target: &TargetRecord) -> String {
    match (target.min, target.max) {
        (Some(min), Some(max)) => format!("{min}–{max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "any".to_owned(),
    }
}

/// The pass rate of all replies and of each slice, worst first.
fn slices(summary: &Summary) -> Section {
    let record = &summary.record;
    let has_pass_rule = summary.rubric.pass().is_some();
    let mut titles = vec!["slice", "#replies"];
    titles.extend(has_pass_rule.then_some("%pass rate"));
    let mut table = Table::new(&titles);
    let wanted = record.targets.iter().find(|target| target.metric == PASS_RATE);
    let ruler = wanted.map_or_else(Ruler::shares, |target| {
        let ends = [target.min.map_or(0.0, Exact::to_f64), target.max.map_or(1.0, Exact::to_f64)];
        Ruler::shares().wanting(ends, "target".to_owned())
    });
    let rate = |part: &PartRecord| part.pass_rate.map_or(f64::INFINITY, |rate| rate.value);
    let mut parts: Vec<(&str, &PartRecord)> =
        record.by_slice.iter().map(|(name, part)| (&**name, part)).collect();
    parts.sort_by(|one, other| rate(one.1).total_cmp(&rate(other.1)));
    for (name, part) in
        [(None, &record.all)].into_iter().chain(parts.into_iter().map(|(name, part)| (Some(name), part)))
    {
        let title =
            name.map_or_else(|| Cell::text("all replies"), |name| Cell::filter(name, "", &[("slice", name)]));
        let mut row = cells![title, part.counts.entered];
        if has_pass_rule {
            row.extend(Cell::share(part.pass_rate.as_ref()).0);
            if let Some(rate) = &part.pass_rate {
                let plot = Cell::plot(&ruler, rate, &[]);
                row[2] = match name {
                    Some(name) => plot.opening(&format!("{name}, pass rate"), &[("slice", name)]),
                    None => plot.opening("all replies, pass rate", &[]),
                };
            }
        }
        table.row(row);
    }
    if let Some(column) = table.columns.get_mut(2) {
        column.ruler = Some(ruler);
    }
    let clusters = record.all.clusters.as_ref().filter(|_| record.all.pass_rate.is_some());
    let clusters =
        clusters.map(|each| format!("Intervals rest on {} cases: some have several replies.", each.n));
    let lines = [clusters, sensitivity(summary), record.repeats.as_ref().map(repeats_line)];
    let section = Section::new("slices", if has_pass_rule { "Pass rate" } else { "Slices" }).table(table);
    lines.into_iter().flatten().fold(section, Section::text)
}

/// How totals are spread.
fn totals(summary: &Summary) -> Section {
    let section = Section::new("totals", "Totals").in_files();
    let Some(totals) = &summary.record.all.totals else { return section };
    let pass = summary.rubric.pass().map(|pass| pass.total_min.to_f64());
    section.legend("out of 100").with(Block::Drawing(histogram(totals, pass)))
}

fn sensitivity(summary: &Summary) -> Option<String> {
    let rates = summary
        .record
        .weight_sensitivity
        .iter()
        .filter_map(|each| each.pass_rate.map(|rate| (rate.value, each)));
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
    let criteria = &summary.record.all.criteria;
    let is_weighted = criteria.iter().any(|(_, each)| each.points.is_some());
    let mut titles = vec!["criterion", "#mean", "#95 % interval", "#n"];
    titles.extend(is_weighted.then_some("#points"));
    titles.extend(["|how levels are spread", "levels given", "#unscored"]);
    let mut table = Table::new(&titles);
    for (id, each) in criteria.iter() {
        let interval = each.low.zip(each.high).map(|(low, high)| format!("{low:.2}–{high:.2}"));
        let criterion = summary.rubric.criteria().iter().find(|criterion| criterion.id.as_str() == id);
        let name =
            criterion.map_or_else(|| Cell::text(id), |each| Cell::filter(id, "", &[(id, &below_best(each))]));
        let mut row = cells![name, mean(each), interval.unwrap_or_else(none), each.n];
        let points = || points(id, each, &summary.rubric).unwrap_or_else(none);
        row.extend(is_weighted.then(|| Cell::text(points())));
        let levels: Vec<String> = each.levels.iter().map(|(level, n)| format!("{level}: {n}")).collect();
        row.push(spread(id, each, &summary.rubric));
        row.extend(cells![levels.join(" · "), each.unscored]);
        table.row(row);
    }
    let violations = criteria.iter().filter_map(|(_, each)| each.violations.as_ref());
    let violations = violations.flat_map(Members::iter).filter(|(_, n)| **n > 0);
    let violations: Vec<String> = violations.map(|(id, n)| format!("{id} {n}")).collect();
    let mut section = Section::new("criteria", "Criteria").table(table);
    if !violations.is_empty() {
        section = section.text(format!("violations: {}", violations.join(", ")));
    }
    if summary.record.by_slice.len() < 2 {
        return section;
    }
    section
        .heading("Mean level by slice")
        .legend("The darker a cell, the further its mean is from the best level.")
        .table(means(summary))
}

/// How often each level of a criterion was given, drawn from the worst on.
fn spread(id: &str, figures: &CriterionFigures, rubric: &Rubric) -> Cell {
    let Some(criterion) = rubric.criteria().iter().find(|criterion| criterion.id.as_str() == id) else {
        return Cell::text(none());
    };
    let scale = &criterion.scale;
    let mut counts: Vec<(i64, u64, usize)> = scale
        .levels()
        .iter()
        .map(|level| {
            let n = figures.levels.iter().find(|(name, _)| *name == level.to_string()).map_or(0, |(_, n)| *n);
            let of_scale = scale.share(*level).to_f64();
            let shade = (0..4_usize).find(|step| of_scale < 0.25 * (*step as f64) + 0.125).unwrap_or(4);
            (*level, n, shade)
        })
        .collect();
    if scale.direction() == Direction::LowerIsBetter {
        counts.reverse();
    }
    Cell::Plot(chart::level_counts(id, &counts))
}

/// How far the judge agrees with itself, where it was asked several times.
fn self_agreement(summary: &Summary) -> Section {
    let mut table =
        Table::new(&["criterion", "#replies", "%pairs that agree", "^Krippendorff's alpha (ordinal)"]);
    for (name, figures) in summary.record.self_agreement.iter().flat_map(Members::iter) {
        let mut row = cells![name, figures.n];
        row.extend(Cell::share(figures.agreement.as_ref()).0);
        row.extend(Cell::coefficient(figures.krippendorff_alpha.map(Ok)).0);
        table.row(row);
    }
    let section = Section::new("self_agreement", "The judge against itself").table(table);
    if section.blocks.is_empty() {
        return section;
    }
    let n = summary.record.facts.definition.get("repeats").map_or("several", String::as_str);
    section.text(format!(
        "Each packet was asked about {n} times. The median level counts, of an even number the worse of the two in \
         the middle; a criterion without a level in more than half of the repeats is unscored."
    ))
}

/// How far passes go with what customers said.
fn customer_outcomes(summary: &Summary) -> Section {
    let mut table = Table::new(&["outcome", "#replies", "%good where passed", "%good where not", "^phi"]);
    for (kind, figures) in summary.record.customer_outcomes.iter().flat_map(Members::iter) {
        let mut row = cells![kind, figures.n];
        row.extend(Cell::share(figures.good_when_passed.as_ref()).0);
        row.extend(Cell::share(figures.good_when_not_passed.as_ref()).0);
        row.extend(Cell::coefficient(figures.phi.map(Ok)).0);
        table.row(row);
    }
    let section = Section::new("outcomes", "Passes and what customers said").table(table);
    if section.blocks.is_empty() {
        return section;
    }
    section.text(
        "An outcome is no label: it is about the whole conversation, and known where a customer answered.",
    )
}

fn means(summary: &Summary) -> Table {
    let names = summary.record.all.criteria.names().map(|name| format!("#{name}"));
    let titles: Vec<String> = ["slice".to_owned()].into_iter().chain(names).collect();
    let mut table = Table::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, part) in &summary.record.by_slice {
        let level = |(figures, criterion): (&CriterionFigures, &Criterion)| match figures.mean {
            Some(mean) => {
                let (worst, best) = (criterion.scale.worst() as f64, criterion.scale.best() as f64);
                let share = (mean.to_f64() - worst) / (best - worst);
                let step = (0..4_u8).find(|step| share < 0.2 * f64::from(step + 1)).unwrap_or(4);
                let range = levels(criterion, |share| share < Exact::from(1));
                let wanted = [("slice", &**name), (criterion.id.as_str(), &*range)];
                Cell::filter(self::mean(figures), &format!("n h{step}"), &wanted)
            }
            None => Cell::text(none()),
        };
        let means = part.criteria.iter().map(|(_, figures)| figures).zip(summary.rubric.criteria());
        table.row([Cell::text(name)].into_iter().chain(means.map(level)).collect());
    }
    table
}

/// The levels of a criterion whose shares are as wanted, from the worst on, as the list of replies takes them.
fn levels(criterion: &Criterion, is_wanted: impl Fn(Exact) -> bool) -> String {
    let scale = &criterion.scale;
    let mut wanted = scale.levels().iter().filter(|level| is_wanted(scale.share(**level)));
    match scale.direction() {
        Direction::HigherIsBetter => wanted.next_back().map(|level| format!("..{level}")),
        Direction::LowerIsBetter => wanted.next().map(|level| format!("{level}..")),
    }
    .unwrap_or_default()
}

fn mean(figures: &CriterionFigures) -> String {
    figures.mean.map_or_else(none, |mean| format!("{:.2}", mean.to_f64()))
}

/// The mean points of a criterion and the most that there are; `None` without a weight or a level.
fn points(id: &str, figures: &CriterionFigures, rubric: &Rubric) -> Option<String> {
    let criterion = rubric.criteria().iter().find(|criterion| criterion.id.as_str() == id)?;
    Some(format!("{:.2} of {}", figures.points?.to_f64(), criterion.weight?))
}

fn gate(summary: &Summary) -> Section {
    let mut table = Table::new(&["rule", "#blocked", "#flagged"]);
    for (rule, count) in summary.record.findings_by_rule.iter() {
        table.row(cells![rule, count.blocked, count.flagged]);
    }
    let section = Section::new("gate", "Found by the gate").table(table);
    if summary.blocked.is_empty() {
        return section;
    }
    let blocked = summary.blocked.iter().map(|row| reply(row, &summary.rubric)).collect();
    section
        .text("No judge was asked about blocked replies, and no score reopens them.")
        .quotes(blocked, usize::try_from(summary.record.all.counts.blocked).unwrap_or(usize::MAX))
}

/// What failing replies have in common.
fn patterns(summary: &Summary) -> Section {
    let mut table = Table::new(&["slice", "what", "#replies", "such as"]);
    for pattern in &summary.record.failure_patterns {
        let (what, key, value) = match &pattern.kind {
            PatternKind::Criterion(name) => {
                let criterion = summary.rubric.criteria().iter().find(|each| each.id.as_str() == &**name);
                (
                    format!("weak {name}"),
                    &**name,
                    criterion
                        .map(|each| levels(each, |share| share + share <= Exact::from(1)))
                        .unwrap_or_default(),
                )
            }
            PatternKind::Rule(name) => (format!("blocked by {name}"), "rule", name.clone()),
        };
        let what = Cell::filter(what, "", &[("slice", &pattern.slice), (key, &value)]);
        let n = format!("{} of {}", pattern.n, pattern.of);
        table.row(cells![&pattern.slice, what, n, pattern.examples.join(", ")]);
    }
    let recurring =
        summary.record.recurring_reasons.iter().map(|group| {
            format!("{} × {} “{}”: {}", group.n, group.criterion, group.words, shown(&group.quote))
        });
    Section::new("patterns", "Failure patterns").table(table).listed("Reasons that recur", recurring)
}

fn replies(id: &str, title: &str, ranked: &[RankedReply], rubric: &Rubric) -> Section {
    let quotes = ranked.iter().map(|ranked| reply(&ranked.row, rubric)).collect();
    Section::new(id, title).quotes(quotes, ranked.len())
}

/// A reply with what the gate found, what the judge said, weakest first, and what is missing.
fn reply(row: &ResultRow, rubric: &Rubric) -> Quote {
    let findings = &row.gate.findings;
    // What the gate found stands last among the issues, and is said with its place.
    let issues = row.issues[..row.issues.len() - findings.len()].iter().cloned();
    let mut lines: Vec<String> = findings.iter().map(finding_line).collect();
    lines.extend(issues.chain(missing(row)).map(|line| shown(&line)));
    for (criterion, (id, result)) in rubric.criteria().iter().zip(row.asked()) {
        let is_best = result.score == Some(criterion.scale.best());
        if let (true, Some(level), Some(why)) = (is_best, result.level_text(id), &result.reasoning) {
            lines.push(format!("{level}, the best: {}", shown(why)));
        }
    }
    let mut word = vec![row.outcome.name().to_owned()];
    word.extend(row.total.map(|total| format!("total {total}")));
    word.extend(row.fail_reasons.iter().cloned());
    Quote {
        title: row.name(),
        about: row.slice.clone().unwrap_or_default(),
        word: word.join(", "),
        tone: match row.outcome {
            RowOutcome::Pass => Tone::Met,
            RowOutcome::Fail | RowOutcome::Blocked => Tone::Missed,
            RowOutcome::Unscored => Tone::Unscored,
            RowOutcome::Scored => Tone::Soft,
        },
        pieces: pieces(
            row.reply.as_deref().unwrap_or_default(),
            &findings.iter().map(Mark::of).collect::<Vec<_>>(),
            Texts::Masked,
        ),
        lines,
    }
}

/// The criteria of a reply that have no level, and why.
pub(super) fn missing(row: &ResultRow) -> impl Iterator<Item = String> {
    row.asked().filter_map(|(id, result)| {
        let unscored = result.unscored.as_ref()?;
        Some(format!("{id}: unscored, {} {}", unscored.cause, unscored.detail))
    })
}

fn without_score(summary: &Summary, skipped: &[Skipped]) -> Section {
    let causes = summary.causes.iter().map(|count| match count.example.as_str() {
        "" => format!("{} {}", count.n, count.cause),
        example => format!("{} {}: {example}", count.n, count.cause),
    });
    Section::new("missing", "Not scored")
        .listed("Criteria unscored, by cause", causes)
        .listed("Skipped records", skipped_lines(skipped, summary.record.skipped))
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
    lines.extend(facts.saved_usd.map(|usd| saved(facts, usd)));
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
    lines.extend(facts.panel.as_ref().map(super::panel::lines).unwrap_or_default());
    lines.extend(facts.target.as_ref().map(author_line));
    lines
}

/// What cached prompts and cheaper tiers saved, or cost.
fn saved(facts: &Facts, usd: Exact) -> String {
    let (input, cached) = (facts.tokens.input, facts.tokens.cached);
    let share = 100.0 * cached as f64 / input.max(1) as f64;
    let cache = (cached > 0).then(|| format!("{share:.0} % of the prompt tokens came from the host's cache"));
    let tiers = facts.service_tiers.0.iter().map(|(tier, n)| format!("{n} answers in the tier {tier}"));
    let how: Vec<String> = cache.into_iter().chain(tiers).collect();
    let amount = |usd| Money::from_usd(usd).unwrap_or_default().shown();
    match Exact::ZERO.checked_sub(usd).filter(|more| *more > Exact::ZERO) {
        Some(more) => format!("writing to the host's cache cost {} more than it saved", amount(more)),
        None => format!("saved {}: {}", amount(usd), how.join(", ")),
    }
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
