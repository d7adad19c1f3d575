//! A difference between two runs as a document: what moved, the limits that were compared with it, and the cases.

use probity_core::case::{Role, Turn};
use probity_core::diff::{
    Advisory, Difference, Guarded, Kept, LevelChange, Pair, PairedBy, PartChange, PassChange,
};
use probity_core::results::{ResultRow, RowOutcome};
use probity_core::sample::NO_SLICE;
use probity_core::stats::Estimate;
use serde_json::json;

use super::figure::{counted, none, p_number, percent};
use super::report::appendix::Appendix;
use super::report::chart::{PlotMark, Ruler};
use super::report::document::{
    Block, Cell, Cells, Document, DocumentList, JudgeLine, Quote, Section, Table, Tile, Tone, listed_first,
};
use super::report::junit::{Came, TestCase};
use super::view::{ChangeSide, LevelMove, ListHead, ListItem, Opened, fail_reason};
use crate::plain::excerpt;

/// So many cases of each kind are listed.
const CASES_SHOWN_MAX: usize = 10;
/// A move of levels with a smaller p is more than chance.
const ALPHA: f64 = 0.05;
/// How much of a part of a definition is shown: enough to tell hashes apart.
const PART_CHARS_MAX: usize = 40;

/// What is shown of a difference.
pub(crate) struct DifferenceShown<'a> {
    /// The figures.
    pub(crate) difference: &'a Difference<'a>,
    /// The limits that were compared with it.
    pub(crate) guarded: &'a [Guarded],
    /// The files as they were named.
    pub(crate) files: [&'a str; 2],
    /// The level of the test for a pass rate that fell.
    pub(crate) alpha: f64,
    /// Why nothing can be said about the runs, where it cannot.
    pub(crate) incomplete: Option<&'a str>,
}

/// The document.
pub(crate) fn document(shown: &DifferenceShown<'_>) -> Document {
    let changed = shown.difference;
    let [before, after] = shown.files;
    let rubric = &changed.before.summary.rubric;
    let n_changed = changed.pairs.iter().filter(|pair| pair.differs()).count();
    let by = match changed.paired_by {
        PairedBy::Case => "id",
        PairedBy::CaseAndVariant => "id and variant",
    };
    let mut tiles = vec![
        Tile::count(changed.pairs.len(), &format!("pairs by {by}")),
        Tile::count(n_changed, "changed"),
        Tile::count(changed.only_before.len(), "only before"),
        Tile::count(changed.only_after.len(), "only after"),
    ];
    tiles.extend(
        changed
            .coverage()
            .map(|share| Tile { value: percent(share), name: "with an outcome in both runs".to_owned() }),
    );
    let verdict = verdict(changed);
    let lead = lead(shown, n_changed);
    // Without a pass rate, how many changed is the main figure.
    let (verdict, lead) = if verdict.is_empty() { (lead, String::new()) } else { (verdict, lead) };
    let judges = [changed.before, changed.after].map(|run| run.summary.facts.judge.name());
    let mut sections = vec![
        rates(changed),
        outcomes(changed),
        definition(changed),
        guardrails(shown.guarded),
        figures(changed),
        slices(changed),
    ];
    sections.extend(flips(changed).into_iter().map(Section::not_on_pages));
    sections.push(alone("only-before", "only in the first run", &changed.only_before).not_on_pages());
    sections.push(alone("only-after", "only in the second run", &changed.only_after).not_on_pages());
    sections.push(Section::new("changes", "What changed").with(Block::Rows).on_pages());
    Document {
        command: "diff".to_owned(),
        title: format!("{before} → {after} · {} {}", rubric.name, rubric.version),
        verdict,
        lead,
        tiles,
        warnings: changed.warnings.clone(),
        sections: sections.into_iter().filter_map(Section::filled).collect(),
        list: Some(list(changed, shown.files)),
        appendix: Some(
            Appendix::of_files(None)
                .hash("rubric", &rubric.hash)
                .hash("judge before", &judges[0])
                .hash("judge after", &judges[1]),
        ),
        judge: Some(judge_line(changed, &judges)),
        tests: test_cases(shown),
        json: json!(changed.document(shown.guarded, shown.files)),
        ..Document::default()
    }
}

/// Where the pass rate went, and whether that is decided.
fn verdict(changed: &Difference<'_>) -> String {
    let Some(pass) = &changed.overall.pass else { return level_verdict(changed) };
    let Estimate { value, low, high, .. } = pass.change;
    let rates = [pass.before.value, pass.after.value].map(percent);
    let moved = match value {
        0.0 => return format!("The pass rate stayed at {}.", rates[0]),
        ..0.0 => "fell",
        _ => "rose",
    };
    let decided = if low <= 0.0 && high >= 0.0 { "this may be chance" } else { "more than chance" };
    let [low, high] = [low, high].map(|points| signed(100.0 * points, 1));
    format!("The pass rate {moved} from {} to {}: {decided}, {low} to {high} points.", rates[0], rates[1])
}

/// The same of the criterion that moved most, by a rubric without a pass rule.
fn level_verdict(changed: &Difference<'_>) -> String {
    let moved = changed.overall.criteria.iter().filter_map(|(id, change)| Some((id, change.as_ref()?)));
    let most = moved
        .filter(|(_, change)| change.n_higher + change.n_lower > 0)
        .max_by(|one, other| one.1.change.value.abs().total_cmp(&other.1.change.value.abs()));
    let Some((id, change)) = most else { return String::new() };
    let word = if change.change.value < 0.0 { "fell" } else { "rose" };
    let p = change.adjusted.or(change.sign_test).unwrap_or(1.0);
    let decided = if p < ALPHA { "more than chance" } else { "this may be chance" };
    let (n, p) = (changed.pairs.len(), p_number(p));
    let [before, after] = [change.before, change.after].map(|mean| format!("{mean:.2}"));
    format!("The level of {id} {word} most, from {before} to {after} over {n} pairs: {decided} (p {p}).")
}

fn lead(shown: &DifferenceShown<'_>, n_changed: usize) -> String {
    let n_pairs = shown.difference.pairs.len();
    let n_failed = shown.guarded.iter().filter(|one| one.fails()).count();
    match (shown.guarded.len(), n_failed) {
        (0, _) => format!("{n_changed} of {n_pairs} pairs changed."),
        (n, 0) => format!("{n_changed} of {n_pairs} pairs changed; none of {n} guardrails failed."),
        (n, failed) => format!("{failed} of {n} guardrails failed."),
    }
}

/// Who judged, and whether the judges of both runs may gate.
fn judge_line(changed: &Difference<'_>, [one, other]: &[String; 2]) -> JudgeLine {
    let (standing, reason) = match changed.advisory() {
        Some(Advisory { reason, .. }) => ("advisory", reason),
        None => ("promoted", changed.after.standing.reason()),
    };
    let name = if changed.judge_changed() { format!("{one} → {other}") } else { one.clone() };
    JudgeLine { name, standing: standing.to_owned(), reason: reason.to_owned() }
}

fn definition(changed: &Difference<'_>) -> Section {
    let side = |side: &Option<String>| match side {
        Some(text) if text.is_empty() => "nothing".to_owned(),
        Some(text) => excerpt(text, if is_hash(text) { 12 } else { PART_CHARS_MAX }),
        None => "not told".to_owned(),
    };
    let lines = changed.definition.iter();
    let lines = lines.map(|part| format!("{}: {} → {}", part.part, side(&part.before), side(&part.after)));
    Section::new("definition", "What the runs were made of differs").list(lines)
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn guardrails(guarded: &[Guarded]) -> Section {
    let mut table = Table::new(&["guardrail", "result", "what came of it"]);
    for one in guarded {
        let (name, tone) = match (&one.kept, one.fails()) {
            (kept, true) => (format!("{}, fails", kept.name()), Tone::Missed),
            (Kept::Yes, false) => (one.kept.name().to_owned(), Tone::Met),
            (kept, false) => (kept.name().to_owned(), Tone::Soft),
        };
        table.row(cells![one.guardrail.rule(), Cell::word(name, tone), one.message()]);
    }
    Section::new("guardrails", "Guardrails").table(table)
}

fn figures(changed: &Difference<'_>) -> Section {
    let part = &changed.overall;
    let mut table = moved("figure");
    part.pass.iter().for_each(|pass| table.row(pass_row("pass rate", pass)));
    part.total.iter().for_each(|total| table.row(level_row("total", total)));
    for (id, change) in part.criteria.iter() {
        table.rows.extend(change.as_ref().map(|change| level_row(id, change)));
    }
    let section = Section::new("figures", "What moved").table(table).text(format!(
        "p: exact, McNemar's for the pass rate and the sign test for levels; {} resamples, seed {}",
        changed.resampling.n_resamples, changed.resampling.seed
    ));
    if part.criteria.0.len() < 2 {
        return section;
    }
    section.text("adjusted: over the criteria, by Benjamini and Yekutieli")
}

/// The pass rate before and after, of all pairs and of each slice, the largest fall first.
fn rates(changed: &Difference<'_>) -> Section {
    let mut table = moved("pass rate of");
    let [axis, ..] = &Table::new(&["%"]).columns[..] else { unreachable!("a share has columns") };
    table.columns.insert(1, axis.clone());
    let mut slices: Vec<(&str, &PassChange)> =
        changed.by_slice.iter().filter_map(|(name, part)| Some((&**name, part.pass.as_ref()?))).collect();
    slices.sort_by(|one, other| one.1.change.value.total_cmp(&other.1.change.value));
    slices.retain(|_| changed.by_slice.len() > 1);
    let all = changed.overall.pass.iter().map(|pass| ("all pairs", pass));
    for (name, pass) in all.chain(slices) {
        let mut row = pass_row(name, pass);
        let before = (PlotMark::Ring, Some(pass.before.value));
        let plot = Cell::plot(&Ruler::shares(), &pass.after, &[before]);
        let wanted = [("slice", name)];
        row.insert(1, plot.opening(name, if name == "all pairs" { &[] } else { &wanted }));
        table.row(row);
    }
    let section = Section::new("rates", "Pass rate, before and after").table(table);
    if section.blocks.is_empty() {
        return section;
    }
    section
        .legend("○ before; ● after, with its interval.")
        .text("p: McNemar's exact test; adjusted: over the slices.")
}

fn slices(changed: &Difference<'_>) -> Section {
    let section = Section::new("slices", "Slices");
    if changed.by_slice.len() < 2 {
        return section;
    }
    let table = |name: &str, row: &dyn Fn(&str, &PartChange) -> Option<Vec<Cell>>| {
        let mut table = moved(&format!("{name} by slice"));
        table.rows = changed.by_slice.iter().filter_map(|(slice, part)| row(slice, part)).collect();
        table
    };
    let levels = changed.overall.criteria.names().map(|id| {
        table(id, &|slice, part| {
            let change = part.criteria.get(id)?.as_ref();
            change.filter(|c| c.n_higher + c.n_lower > 0).map(|c| level_row(slice, c))
        })
    });
    let section = levels.fold(section, Section::table);
    if section.blocks.is_empty() {
        return section;
    }
    section.text("adjusted: over slices and criteria; slices without a move are not listed")
}

/// A table of figures before and after.
pub(super) fn moved(first: &str) -> Table {
    let numbers =
        ["#before", "#after", "#change", "#95 % interval", "#n", "#higher", "#lower", "#p", "#adjusted"];
    Table::new(&[&[first][..], &numbers].concat())
}

/// A row of such a table about a share.
pub(super) fn pass_row(name: &str, pass: &PassChange) -> Vec<Cell> {
    let [value, low, high] =
        [pass.change.value, pass.change.low, pass.change.high].map(|points| signed(100.0 * points, 1));
    cells![
        name,
        percent(pass.before.value),
        percent(pass.after.value),
        value,
        format!("{low} to {high}"),
        pass.before.n,
        pass.n_gained,
        pass.n_lost,
        p_value(pass.mcnemar.map(|test| test.exact)),
        p_value(pass.adjusted),
    ]
}

/// A row of such a table about a mean.
pub(super) fn level_row(name: &str, change: &LevelChange) -> Vec<Cell> {
    let Estimate { value, low, high, n } = change.change;
    cells![
        name,
        format!("{:.2}", change.before),
        format!("{:.2}", change.after),
        signed(value, 2),
        format!("{} to {}", signed(low, 2), signed(high, 2)),
        n,
        change.n_higher,
        change.n_lower,
        p_value(change.sign_test),
        p_value(change.adjusted),
    ]
}

/// A number with its sign; what is shown as zero has none.
pub(super) fn signed(value: f64, decimals: usize) -> String {
    let text = format!("{value:+.decimals$}").replace('-', "−");
    if text.chars().all(|c| !c.is_ascii_digit() || c == '0') { format!("{:.decimals$}", 0.0) } else { text }
}

/// A p-value below its column's name, or a dash where there is none.
pub(super) fn p_value(p: Option<f64>) -> String {
    p.map_or_else(none, p_number)
}

/// What outcomes became: before by after. What is on the diagonal stayed.
fn outcomes(changed: &Difference<'_>) -> Section {
    let known: Vec<RowOutcome> = RowOutcome::ALL
        .iter()
        .copied()
        .filter(|one| {
            changed.pairs.iter().any(|pair| [pair.before.outcome, pair.after.outcome].contains(one))
        })
        .collect();
    let titles: Vec<String> = known.iter().map(|outcome| format!("#{}", outcome.name())).collect();
    let titles: Vec<&str> = ["before / after"].into_iter().chain(titles.iter().map(String::as_str)).collect();
    let mut table = Table::new(&titles);
    for before in &known {
        let cell = |after: &RowOutcome| {
            let is_one = |pair: &&Pair<'_>| (pair.before.outcome, pair.after.outcome) == (*before, *after);
            let n = changed.pairs.iter().filter(is_one).count();
            if before == after || n == 0 {
                let style = if before == after { "s0 same" } else { "s0 soft" };
                return Cell::Styled(n.to_string(), style.to_owned());
            }
            let style = match (before.passes(), after.passes()) {
                (Some(true), Some(false)) => "s0 worse",
                (Some(false), Some(true)) => "s0 better",
                _ => "s0 open",
            };
            Cell::filter(n.to_string(), style, &[("o", &became(*before, *after))])
        };
        table.row([Cell::text(before.name())].into_iter().chain(known.iter().map(cell)).collect());
    }
    Section::new("outcomes", "What became of them")
        .table(table)
        .legend("Framed: the same before and after.")
        .on_pages()
}

fn became(before: RowOutcome, after: RowOutcome) -> String {
    format!("{} → {}", before.name(), after.name())
}

/// Everything that changed, as it can be looked at.
fn list(changed: &Difference<'_>, files: [&str; 2]) -> DocumentList {
    let facets = [("o", "Outcome"), ("slice", "Slice"), ("move", "Move")];
    let mut items: Vec<ListItem> =
        changed.pairs.iter().filter(|pair| pair.differs()).map(|pair| item(pair, files)).collect();
    let alone = |row: &ResultRow, at: usize, which: &str| {
        let mut sides = files.map(|file| ChangeSide {
            title: file.to_owned(),
            outcome: "absent".to_owned(),
            total: None,
            text: String::new(),
            reasons: Vec::new(),
        });
        sides[at] = side(row, files[at]);
        entry(
            &name(row, row),
            row,
            vec![format!("{which} ({})", row.outcome.name())],
            (which, None),
            (sides, Vec::new()),
        )
    };
    items.extend(changed.only_before.iter().map(|row| alone(row, 0, "only before")));
    items.extend(changed.only_after.iter().map(|row| alone(row, 1, "only after")));
    DocumentList { head: ListHead::new("cases that changed", "Change", &facets), items }
}

fn item(pair: &Pair<'_>, files: [&str; 2]) -> ListItem {
    let (before, after) = (pair.before, pair.after);
    let which = match (before.outcome.passes(), after.outcome.passes()) {
        (Some(true), Some(false)) => "fell",
        (Some(false), Some(true)) => "rose",
        _ if pair.flipped() => "other outcome",
        _ => "same outcome, levels moved",
    };
    let total = before.total.zip(after.total).map(|(one, other)| {
        let change = other.to_f64() - one.to_f64();
        (100.0 * change).round() / 100.0
    });
    let mut moves = Vec::new();
    for (place, id) in after.criteria.names().enumerate() {
        let (Some(one), Some(other)) = (before.level(place), after.level(place)) else { continue };
        if one != other {
            let points = |row: &ResultRow| row.criterion(place).and_then(|result| result.points);
            // Without points a lower level counts as worse, as in most rubrics.
            let is_worse = points(before).zip(points(after)).map_or(other < one, |(one, other)| other < one);
            let reason = after.criterion(place).and_then(|result| result.reasoning.clone());
            moves.push(LevelMove { title: id.to_owned(), levels: [one, other], is_worse, reason });
        }
    }
    moves.sort_by_key(|each| (!each.is_worse, each.levels[1] - each.levels[0]));
    let sides = [side(before, files[0]), side(after, files[1])];
    entry(
        &name(before, after),
        after,
        vec![became(before.outcome, after.outcome)],
        (which, total),
        (sides, moves),
    )
}

fn entry(
    name: &str,
    row: &ResultRow,
    became: Vec<String>,
    (which, total): (&str, Option<f64>),
    (sides, moves): ([ChangeSide; 2], Vec<LevelMove>),
) -> ListItem {
    let ticket = row.ticket.clone().unwrap_or_default();
    let turns = match &row.turns[..] {
        [] => vec![Turn { role: Role::Customer, text: ticket.as_str().into() }],
        turns => turns.to_vec(),
    };
    let said = |each: &LevelMove| format!("{} {} → {}", each.title, each.levels[0], each.levels[1]);
    ListItem {
        name: name.to_owned(),
        values: vec![
            became,
            vec![row.slice.clone().unwrap_or_else(|| NO_SLICE.to_owned())],
            vec![which.to_owned()],
        ],
        total,
        levels: Vec::new(),
        lines: [ticket, moves.iter().map(said).collect::<Vec<_>>().join(" · ")],
        view: Opened::Change { turns, sides, moves },
    }
}

fn side(row: &ResultRow, file: &str) -> ChangeSide {
    ChangeSide {
        title: file.to_owned(),
        outcome: row.outcome.name().to_owned(),
        total: row.total.map(|total| total.to_string()),
        text: row.reply.clone().unwrap_or_default(),
        reasons: match row.outcome {
            RowOutcome::Fail => row.fail_reasons.iter().map(|reason| fail_reason(reason)).collect(),
            _ => row.reasons(),
        },
    }
}

/// A section for each way in which outcomes flipped.
fn flips(changed: &Difference<'_>) -> Vec<Section> {
    let flip = |((before, after), n): ((RowOutcome, RowOutcome), u64)| {
        let is_one = |pair: &&Pair<'_>| (pair.before.outcome, pair.after.outcome) == (before, after);
        let cases = changed.pairs.iter().filter(is_one).take(CASES_SHOWN_MAX);
        let (before, after) = (before.name(), after.name());
        let title = format!("{before} → {after}: {}", counted(n, "case"));
        Section::new(&format!("{before}-{after}"), &title)
            .quotes(cases.map(flipped).collect(), usize::try_from(n).unwrap_or(usize::MAX))
    };
    let mut sections: Vec<Section> = changed.flips().into_iter().map(flip).collect();
    let moved: Vec<&Pair<'_>> =
        changed.pairs.iter().filter(|pair| pair.differs() && !pair.flipped()).collect();
    let title = format!("same outcome, other levels: {}", counted(moved.len() as u64, "case"));
    let cases = moved.iter().take(CASES_SHOWN_MAX).map(|pair| flipped(pair)).collect();
    sections.push(Section::new("moved", &title).quotes(cases, moved.len()));
    sections
}

fn flipped(pair: &Pair<'_>) -> Quote {
    let (before, after) = (pair.before, pair.after);
    let is_better = matches!(after.outcome, RowOutcome::Pass | RowOutcome::Scored);
    let (side, was) = if is_better { (before, "was ") } else { (after, "") };
    let reasons = side.reasons();
    let word = if reasons.is_empty() { String::new() } else { format!("{was}{}", reasons.join(", ")) };
    let mut lines = Vec::new();
    for (place, id) in after.criteria.names().enumerate() {
        let (Some(one), Some(other)) = (before.level(place), after.level(place)) else { continue };
        if one != other {
            let said = after.criterion(place).and_then(|result| result.reasoning.as_deref());
            lines.push(format!("{id} {one} → {other}: {}", said.unwrap_or_default()));
        }
    }
    let about = before.slice.clone().unwrap_or_default();
    let tone = if is_better { Tone::Met } else { Tone::Missed };
    Quote { title: name(before, after), about, word, tone, pieces: Vec::new(), lines }
}

/// The case, and the variant where there is one and the same.
fn name(before: &ResultRow, after: &ResultRow) -> String {
    let variant = before.variant.as_ref().filter(|variant| after.variant.as_ref() == Some(variant));
    format!("{}{}", before.id, variant.map(|variant| format!(" by {variant}")).unwrap_or_default())
}

fn alone(id: &str, what: &str, rows: &[&ResultRow]) -> Section {
    let n = rows.len() as u64;
    let line = |row: &&ResultRow| format!("{} ({})", name(row, row), row.outcome.name());
    Section::new(id, &format!("{what}: {}", counted(n, "case")))
        .list(listed_first(rows, n, CASES_SHOWN_MAX, line))
}

/// A case for the pass rate, where there is one, and one for each guardrail. Where too little can be compared, each of
/// them is an error, for this reason. What an advisory judge says fails no build.
fn test_cases(shown: &DifferenceShown<'_>) -> Vec<TestCase> {
    let DifferenceShown { difference: changed, alpha, incomplete, .. } = shown;
    let mut tests = Vec::new();
    if let Some(pass) = &changed.overall.pass {
        let fell = pass.fell.filter(|p| p <= alpha);
        let reason = |p: f64| format!("the pass rate fell (one-sided exact test, p {p:.4})");
        let came = fell.map_or(Came::Passed, |p| Came::failed(reason(p)));
        tests.push(TestCase::new("diff", "pass rate", came).by_judge());
    }
    for one in shown.guarded {
        let came = if one.fails() { Came::failed(one.message()) } else { Came::Passed };
        tests.push(TestCase::new("guardrail", one.guardrail.rule(), came).by_judge());
    }
    let Some(reason) = incomplete else { return tests };
    if tests.is_empty() {
        tests.push(TestCase::new("diff", "coverage", Came::Passed));
    }
    let error =
        |test: TestCase| TestCase { came: Came::Error(vec![(*reason).to_owned()]), by_judge: false, ..test };
    tests.into_iter().map(error).collect()
}
