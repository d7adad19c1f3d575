//! Every pair of a comparison as it can be looked at: both replies, both orders and the judge's words.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use probity_core::case::Role;
use probity_core::compare::{
    Candidate, Choice, Comparison, Contest, Fate, Figures, Heard, JudgeFigures, Pair, PairOutcome, Pass,
    figures,
};
use probity_core::results::finding_records;
use probity_core::sample::NO_SLICE;
use probity_core::stats::Estimate;
use probity_engine::run::compare::{CaseReplies, CompareJob, Compared, Screening};

use super::super::figure::percent;
use super::super::report::document::{Block, Cell, DocumentList, Section, Table};
use super::super::view::{ListHead, ListItem, Opened, OrderSaid, PairReply, conversation};
use crate::plain::excerpt;

/// What a list of pairs is filtered by.
const FACETS: [(&str, &str); 4] =
    [("o", "Result"), ("slice", "Slice"), ("pair", "Pair"), ("winner", "Winner")];

/// How much of a reply stands in a row beside another.
const REPLY_COLUMNS_MAX: usize = 70;

/// The list of all pairs.
pub(super) fn list(job: &CompareJob, compared: &Compared) -> DocumentList {
    let cases: HashMap<&str, &CaseReplies> = job.field.cases.iter().map(|case| (&*case.id, case)).collect();
    let item = |contest: &Contest| {
        let case = cases.get(&*contest.case)?;
        Some(item(contest, case, &job.field.variants))
    };
    let items = compared.contests.iter().filter(|contest| contest.fate != Fate::NotDrawn).filter_map(item);
    let mut items: Vec<ListItem> = items.collect();
    // What a person must decide comes first.
    let rank = |item: &ListItem| {
        ["order decided", "judge asks", "unscored"].iter().position(|each| item.values[0][0] == *each)
    };
    items.sort_by_key(|item| rank(item).unwrap_or(usize::MAX));
    DocumentList { head: ListHead::new("pairs", "Longer by", &FACETS).sorted(""), items }
}

fn item(contest: &Contest, case: &CaseReplies, variants: &[Arc<str>]) -> ListItem {
    let screening = |variant: &Arc<str>| {
        let at = variants.iter().position(|name| name == variant)?;
        case.replies.get(at)?.as_ref()
    };
    let replies = contest.variants.each_ref().map(|variant| {
        let screening = screening(variant);
        let findings = match screening {
            Some(Screening::Blocked(blocked)) => finding_records(blocked.findings()),
            Some(Screening::Admitted(admitted)) => finding_records(admitted.flags()),
            None => Vec::new(),
        };
        let text = screening.map(|each| each.entry().reply.text.to_string()).unwrap_or_default();
        PairReply { variant: variant.to_string(), text, findings }
    });
    let situation =
        contest.variants.iter().find_map(|variant| Some(&screening(variant)?.entry().case.situation));
    let turns = situation.map(conversation).unwrap_or_default();
    let pair = pair_name(&contest.variants);
    let name =
        if variants.len() > 2 { format!("{} ({pair})", contest.case) } else { contest.case.to_string() };
    let [a, b] = contest.lengths.map(|length| length as f64);
    let lines = replies.each_ref().map(|reply| excerpt(&reply.text, REPLY_COLUMNS_MAX)).join(" | ");
    let customer = turns.iter().rfind(|turn| turn.role == Role::Customer);
    let (result, counts_as, tone) = came_to(contest);
    ListItem {
        name,
        values: vec![
            vec![result.to_owned()],
            vec![contest.slice.as_deref().unwrap_or(NO_SLICE).to_owned()],
            vec![pair],
            contest.winner().into_iter().map(ToString::to_string).collect(),
        ],
        total: Some(b - a),
        levels: Vec::new(),
        lines: [customer.map(|turn| turn.text.to_string()).unwrap_or_default(), lines],
        view: Opened::Pair { turns, orders: orders(contest), replies, counts_as, tone: tone.to_owned() },
    }
}

/// Two variants, as a filter names them.
fn pair_name([a, b]: &[Arc<str>; 2]) -> String {
    format!("{a} and {b}")
}

/// What a pair came to: a word to filter by, a sentence, and how well that is.
fn came_to(contest: &Contest) -> (&'static str, String, &'static str) {
    let [a, b] = &contest.variants;
    let heard = match &contest.fate {
        Fate::Judged(heard) => heard,
        Fate::Identical => {
            return ("tie", "Both replies are the same text: no judge was asked.".to_owned(), "soft");
        }
        Fate::WonAtGate { winner, .. } => {
            let (winner, other) = if *winner == Candidate::A { (a, b) } else { (b, a) };
            return ("won at gate", format!("{winner} wins at the gate, which blocked {other}."), "blocked");
        }
        Fate::BothBlocked => return ("both blocked", "The gate blocked both replies.".to_owned(), "blocked"),
        Fate::NotDrawn => return ("not taken", "Decided before its turn came.".to_owned(), "soft"),
    };
    match PairOutcome::of(&heard[0].pass, &heard[1].pass) {
        PairOutcome::Stable(winner) => {
            let winner = if winner == Candidate::A { a } else { b };
            ("same winner", format!("{winner} wins in both orders."), "met")
        }
        outcome => match outcome.status() {
            probity_core::compare::Status::Tie => ("tie", "A tie in both orders.".to_owned(), "soft"),
            probity_core::compare::Status::NeedsHumanReview => {
                ("judge asks", "The judge asks for a person to decide.".to_owned(), "unscored")
            }
            probity_core::compare::Status::Unscored => {
                ("unscored", "At least one order has no verdict.".to_owned(), "unscored")
            }
            _ => {
                let slot = slot_both_times(heard);
                let how = slot.map_or("The winner changed with the order", |slot| slot);
                (
                    "order decided",
                    format!("{how}: a person can decide it without seeing these verdicts."),
                    "missed",
                )
            }
        },
    }
}

fn slot_both_times(heard: &[Heard; 2]) -> Option<&'static str> {
    match (&heard[0].pass, &heard[1].pass) {
        (Pass::Decided(Choice::Wins(Candidate::A)), Pass::Decided(Choice::Wins(Candidate::B))) => {
            Some("The reply that was shown first won both times")
        }
        (Pass::Decided(Choice::Wins(Candidate::B)), Pass::Decided(Choice::Wins(Candidate::A))) => {
            Some("The reply that was shown second won both times")
        }
        _ => None,
    }
}

fn orders(contest: &Contest) -> Vec<OrderSaid> {
    let Fate::Judged(heard) = &contest.fate else { return Vec::new() };
    let order = |(at, heard): (usize, &Heard)| {
        let [a, b] = contest.variants.each_ref().map(ToString::to_string);
        let slots = if at == 0 { [a, b] } else { [b, a] };
        let won = match &heard.pass {
            Pass::Decided(Choice::Wins(candidate)) => {
                Some(usize::from((*candidate == Candidate::A) != (at == 0)) + 1)
            }
            _ => None,
        };
        let says = match (&heard.pass, won) {
            (_, Some(slot)) => format!("{} is better", slots[slot - 1]),
            (Pass::Decided(Choice::Tie), _) => "neither is better".to_owned(),
            (Pass::Decided(_), _) => "a person should decide".to_owned(),
            (Pass::Unscored(unscored), _) => format!("nothing that counts ({})", unscored.cause),
        };
        OrderSaid { slots, winner: won, says, evidence: heard.evidence.clone() }
    };
    heard.iter().enumerate().map(order).collect()
}

/// How often each variant wins against each other one, and by slice, where there are three or more.
pub(super) fn several(comparison: &Comparison, judge: &JudgeFigures, pairs: &[Pair]) -> Vec<Section> {
    let variants: Vec<&Arc<str>> = judge.overall.variants.keys().collect();
    if variants.len() < 3 {
        return Vec::new();
    }
    let mut between: BTreeMap<[&Arc<str>; 2], Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        let [a, b] = &pair.variants;
        between.entry(if a <= b { [a, b] } else { [b, a] }).or_default().push(pair);
    }
    let rates: BTreeMap<[&Arc<str>; 2], (String, Figures)> = between
        .iter()
        .map(|(names, pairs)| {
            let [a, b] = &pairs[0].variants;
            (*names, (format!("{a} and {b}"), figures(pairs, comparison.policies, comparison.resampling)))
        })
        .collect();
    let titles: Vec<String> = variants.iter().map(|name| format!("#{name}")).collect();
    let titles = |first: &'static str| -> Vec<&str> {
        [first].into_iter().chain(titles.iter().map(String::as_str)).collect()
    };
    let mut matrix = Table::new(&titles("wins against"));
    for row in &variants {
        let cell = |column: &&Arc<str>| {
            let names = if row <= column { [*row, *column] } else { [*column, *row] };
            let Some((name, figures)) = rates.get(&names).filter(|_| row != column) else {
                return Cell::Styled("–".to_owned(), "n soft".to_owned());
            };
            let rate = figures.variants.get(*row).and_then(|variant| variant.win_rate);
            rate.map_or_else(|| Cell::text("–"), |rate| against_half(&rate, &[("pair", name)]))
        };
        matrix.row([Cell::text(row.to_string())].into_iter().chain(variants.iter().map(cell)).collect());
    }
    let mut slices = Table::new(&titles("slice"));
    for (slice, figures) in &judge.by_slice {
        let cell = |variant: &&Arc<str>| {
            let rate = figures.variants.get(*variant).and_then(|variant| variant.win_rate);
            rate.map_or_else(|| Cell::text("–"), |rate| against_half(&rate, &[("slice", &**slice)]))
        };
        slices.row([Cell::text(slice.to_string())].into_iter().chain(variants.iter().map(cell)).collect());
    }
    let legend = "Green: better for certain, its interval is above one half. Red: worse for certain. A tie counts half.";
    vec![
        Section::new("between", "Each pair: how often the row wins against the column")
            .table(matrix)
            .legend(legend)
            .on_pages(),
        Section::new("slices-by-variant", "By slice: win rate against the others").table(slices).on_pages(),
    ]
}

/// A win rate above its interval and denominator, coloured only where the interval excludes one half.
fn against_half(rate: &Estimate, wanted: &[(&str, &str)]) -> Cell {
    let style = if rate.low > 0.5 {
        "n better"
    } else if rate.high < 0.5 {
        "n worse"
    } else {
        "n open"
    };
    let text =
        format!("{}\n{:.0}–{:.0} %, n {}", percent(rate.value), 100.0 * rate.low, 100.0 * rate.high, rate.n);
    Cell::filter(text, style, wanted)
}

/// The place of the list.
pub(super) fn section() -> Section {
    Section::new("pairs", "All pairs").with(Block::Rows).on_pages()
}
