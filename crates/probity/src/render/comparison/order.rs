//! How far the order in which two replies are shown decides who wins.

use probity_core::compare::{Candidate, Choice, Fate, Figures, Heard, Pair, Pass, Status, Verdicts};
use probity_core::stats::Estimate;
use probity_engine::run::compare::{CompareJob, Compared};

use super::super::figure::{counted, p_value};
use super::super::private::shown as dotted;
use super::super::report::chart::matrix;
use super::super::report::document::{Cell, Cells, Quote, Section, Table};
use super::{JudgePlace, Sides, contest, policy, tone};
use crate::plain::excerpt;

/// How much of what a judge said is quoted.
const SAID_CHARS_MAX: usize = 400;

/// The section about orders.
pub(super) fn order(figures: &Figures, pairs: &[Pair], place: &JudgePlace<'_>) -> Section {
    let counts = &figures.counts;
    let parts: Vec<String> = Status::ALL
        .iter()
        .filter(|status| **status != Status::Graded || counts.of(Status::Graded) > 0)
        .map(|status| format!("{} {}", counts.of(*status), status.name()))
        .collect();
    let unparsed = match counts.n_unparsed_calls {
        0 => String::new(),
        n => format!(" ({} without a verdict)", counted(n, "call")),
    };
    let pairs_shown = counted(counts.n_pairs, "pair");
    let how = match counts.of(Status::Graded) {
        0 => "Every pair is shown in both orders",
        n if n == counts.n_pairs => "Each pair has one grade, of which the order is not known",
        _ => "Pairs are shown in both orders, but for those with a grade",
    };
    let section = place
        .section("order", "Order")
        .text(format!("{how}: {pairs_shown} = {}{unparsed}.", parts.join(" + ")));
    let section = both_orders(pairs).into_iter().fold(section, Section::table);
    let section = section.table(rates(figures));
    match figures.order_test {
        None => section,
        Some(test) => section.text(format!(
            "The order decided {} for the first slot and {} for the second: McNemar {}, mid-{}.",
            counted(test.first_only, "pair"),
            test.second_only,
            p_value(test.exact),
            p_value(test.mid_p)
        )),
    }
}

/// What was said in one order against what was said in the other. On the diagonal the order did not matter.
fn both_orders(pairs: &[Pair]) -> Option<Table> {
    let sides = Sides::of(pairs);
    let [a, b] = match &sides {
        Some(sides) => [sides.a.to_string(), sides.b.to_string()],
        None => ["first variant", "second variant"].map(str::to_owned),
    };
    let names = [format!("{a} wins"), "tie".to_owned(), format!("{b} wins"), "needs a person".to_owned()];
    let names = [&names[..], &["no verdict".to_owned()]].concat();
    let mut counts = vec![vec![0; names.len()]; names.len()];
    let mut is_empty = true;
    for pair in pairs {
        let Verdicts::BothOrders { ab, ba } = &pair.verdicts else { continue };
        let is_flipped = sides.as_ref().is_some_and(|sides| pair.variants[0] != sides.a);
        let (first, second) = if is_flipped { (ba, ab) } else { (ab, ba) };
        counts[at(first, is_flipped)][at(second, is_flipped)] += 1;
        is_empty = false;
    }
    let are = [format!("with {a} shown first"), format!("with {b} shown first")];
    (!is_empty).then(|| matrix([&are[0], &are[1]], &names, &names, &counts))
}

/// The place of what was said in a matrix.
fn at(pass: &Pass, is_flipped: bool) -> usize {
    match pass {
        Pass::Decided(Choice::Wins(winner)) => match (winner, is_flipped) {
            (Candidate::A, false) | (Candidate::B, true) => 0,
            (Candidate::B, false) | (Candidate::A, true) => 2,
        },
        Pass::Decided(Choice::Tie) => 1,
        Pass::Decided(Choice::NeedsHumanReview) => 3,
        Pass::Unscored(_) => 4,
    }
}

fn rates(figures: &Figures) -> Table {
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
        ("agrees, order ab", agreement.and_then(|each| each.order_ab.as_ref()), &unparsed),
        ("agrees, order ba", agreement.and_then(|each| each.order_ba.as_ref()), &unparsed),
        ("agrees, both orders", agreement.and_then(|each| each.both_orders.as_ref()), &unparsed),
        ("first slot, all passes", rates.first_slot_rate.as_ref(), "ties and escalations included"),
    ];
    let wanted = |name: &str| match name {
        "tie" => Some(("o", "tie")),
        "unstable after swap" | "first-slot lean" => Some(("o", "order decided")),
        "same in both orders" => Some(("o", "same winner,tie")),
        _ => None,
    };
    let mut table = Table::new(&["figure", "%value", "of what"]);
    for (name, rate, note) in lines.into_iter().filter(|(_, rate, _)| rate.is_some()) {
        table.row(cells![name, Cell::share(rate).opening(name, wanted(name).as_slice()), note]);
    }
    table
}

/// The pairs that a person should look at, with what was said in both orders.
pub(super) fn in_words(live: Option<(&CompareJob, &Compared)>, pairs: &[Pair]) -> Vec<Quote> {
    let open = [Status::UnstableAfterSwap, Status::NeedsHumanReview];
    let quote = |pair: &Pair| {
        let status = pair.status();
        let lines = match contest(live, pair).map(|contest| &contest.fate) {
            Some(Fate::Judged(heard)) => {
                let [a, b] = &pair.variants;
                vec![said(&heard[0], a, pair), said(&heard[1], b, pair)]
            }
            _ => passes(pair),
        };
        Quote {
            title: pair.item.to_string(),
            about: pair.slice.as_deref().unwrap_or_default().to_owned(),
            word: status.name().replace('_', " "),
            tone: tone(status),
            pieces: Vec::new(),
            lines,
        }
    };
    pairs.iter().filter(|pair| open.contains(&pair.status())).map(quote).collect()
}

fn passes(pair: &Pair) -> Vec<String> {
    let Verdicts::BothOrders { ab, ba } = &pair.verdicts else { return Vec::new() };
    let [a, b] = &pair.variants;
    vec![said(&plain(ab), a, pair), said(&plain(ba), b, pair)]
}

/// A pass without words.
fn plain(pass: &Pass) -> Heard {
    let (evidence, repairs, suspicions) = Default::default();
    Heard { pass: pass.clone(), evidence, repairs, suspicions }
}

fn said(heard: &Heard, first: &str, pair: &Pair) -> String {
    let verdict = match &heard.pass {
        Pass::Decided(Choice::Wins(Candidate::A)) => format!("{} wins", pair.variants[0]),
        Pass::Decided(Choice::Wins(Candidate::B)) => format!("{} wins", pair.variants[1]),
        Pass::Decided(Choice::Tie) => "a tie".to_owned(),
        Pass::Decided(Choice::NeedsHumanReview) => "a person should decide".to_owned(),
        Pass::Unscored(unscored) => format!("no verdict ({})", unscored.cause),
    };
    let evidence = excerpt(&dotted(&heard.evidence.join(" ")), SAID_CHARS_MAX);
    let evidence = if evidence.is_empty() { String::new() } else { format!(": {evidence}") };
    format!("with {first} shown first, {verdict}{evidence}")
}
