//! Draws from populations whose every reply is known.

use super::*;
use crate::case::{Case, CaseId, Entry, Reply, Situation, Slice};
use crate::stats::Random;

/// A reply to a ticket of its own.
pub(super) fn entry(id: &str, slice: Option<&str>, ticket: &str) -> Entry {
    let mut case = Case::new(CaseId::new(id).expect("an id"), Situation::Ticket(ticket.into()));
    case.slice = slice.map(|slice| Slice::new(slice).expect("a slice"));
    Entry { case, reply: Reply::new("Done.") }
}

pub(super) fn design(size: u64, spread: Spread, seed: u64) -> Design {
    Design { size, spread, duplicates: Duplicates::Represent, seed, name: "2026-W46".to_owned() }
}

/// A text that is like no other number's. Words are letters, because numbers do not count.
pub(super) fn told_apart(number: usize) -> String {
    let letters = number.to_string().bytes().map(|digit| char::from(digit + 49)).collect::<String>();
    format!("alpha{letters} beta{letters} gamma{letters}")
}

/// Draws from tickets in this order and gives their ids, sorted.
fn drawn_ids(entries: &[Entry], design: Design) -> Vec<String> {
    let mut frame = Frame::new(design);
    entries.iter().enumerate().for_each(|(place, entry)| frame.add(place, entry));
    let drawn = frame.draw().expect("enough draws");
    let mut ids: Vec<String> = drawn.chosen.keys().map(|place| entries[*place].case.id.to_string()).collect();
    ids.sort();
    ids
}

fn population(sizes: &[(&str, usize)]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (slice, n) in sizes {
        for _ in 0..*n {
            let number = entries.len();
            entries.push(entry(&format!("t{number}"), Some(slice), &told_apart(number)));
        }
    }
    entries
}

#[test]
fn a_draw_is_the_same_on_every_machine() {
    let entries = population(&[("address", 30), ("refund", 70)]);
    let ids = drawn_ids(&entries, design(5, Spread::Proportional, 7));
    assert_eq!(ids, ["t24", "t44", "t77", "t87", "t96"]);
}

#[test]
fn names_and_seeds_give_other_draws() {
    let entries = population(&[("refund", 200)]);
    let first = drawn_ids(&entries, design(20, Spread::Proportional, 7));
    let seeded = drawn_ids(&entries, design(20, Spread::Proportional, 8));
    let later = Design { name: "2026-W47".to_owned(), ..design(20, Spread::Proportional, 7) };
    assert!(first != seeded && first != drawn_ids(&entries, later));
}

#[test]
fn whoever_stops_early_has_seen_a_sample_of_the_sample() {
    let entries = population(&[("address", 20), ("refund", 980)]);
    let mut frame = Frame::new(design(40, Spread::Equal, 1));
    entries.iter().enumerate().for_each(|(place, entry)| frame.add(place, entry));
    let mut chosen: Vec<Chosen> = frame.draw().expect("enough draws").chosen.into_values().collect();
    chosen.sort_by_key(|chosen| chosen.lot);
    // All of one slice is drawn and little of the other; both are about half of what is seen first.
    let n_first = chosen[..20].iter().filter(|chosen| chosen.stratum == 0).count();
    assert!((5..=15).contains(&n_first), "{n_first}");
}

#[test]
fn more_slices_than_draws_are_one_stratum() {
    let names: Vec<String> = (0..40).map(|n| format!("s{n}")).collect();
    let sizes: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 3)).collect();
    let mut frame = Frame::new(design(25, Spread::Proportional, 1));
    population(&sizes).iter().enumerate().for_each(|(place, entry)| frame.add(place, entry));
    let drawn = frame.draw().expect("enough draws");
    assert_eq!((drawn.n_slices, drawn.strata.len(), drawn.chosen.len()), (40, 1, 25));
    assert_eq!(
        drawn.strata[0],
        DrawnStratum { name: ALL.to_owned(), n_replies: 120, population: 120, drawn: 25 }
    );
}

#[test]
fn what_an_earlier_draw_had_is_left_out_and_counted() {
    let mut frame = Frame::new(design(25, Spread::Proportional, 1));
    let entries = population(&[("refund", 10)]);
    for (place, entry) in entries.iter().enumerate() {
        if place < 4 { frame.leave_out(entry) } else { frame.add(place, entry) }
    }
    let drawn = frame.draw().expect("enough draws");
    assert_eq!(drawn.counts, DrawCounts { n_replies: 10, n_earlier: 4, n_near: 0, n_population: 6 });
    assert_eq!(drawn.chosen.keys().copied().collect::<Vec<_>>(), [4, 5, 6, 7, 8, 9]);
    assert_eq!(Frame::new(design(25, Spread::Equal, 1)).draw().expect("nothing").chosen.len(), 0);
}

#[test]
fn one_of_near_identical_tickets_is_drawn_and_says_for_how_many_it_stands() {
    let mut frame = Frame::new(design(25, Spread::Proportional, 1));
    for place in 0..30 {
        frame.add(place, &entry(&format!("a{place}"), None, &format!("Where is order {place}?")));
        frame.add(
            100 + place,
            &entry(&format!("b{place}"), Some("refund"), &format!("Where is order {place}?")),
        );
    }
    let drawn = frame.draw().expect("enough draws");
    assert_eq!(drawn.counts, DrawCounts { n_replies: 60, n_earlier: 0, n_near: 58, n_population: 2 });
    assert!(drawn.chosen.values().all(|chosen| chosen.n_near == 30), "{:?}", drawn.chosen);
    let kept = Design { duplicates: Duplicates::Keep, ..design(25, Spread::Proportional, 1) };
    let mut frame = Frame::new(kept);
    (0..30).for_each(|place| frame.add(place, &entry(&format!("a{place}"), None, "Where?")));
    assert_eq!(frame.draw().expect("enough draws").strata[0].population, 30);
}

/// A distinct ticket: its slice, how often it came, and whether its reply passes.
type Known = (&'static str, usize, Said);

/// A population in which slices, and tickets that come often, pass at other rates.
fn known_population() -> Vec<Known> {
    let mut random = Random::new(11);
    let mut tickets = Vec::new();
    for (slice, n, rate) in [("refund", 36, 0.95), ("address", 18, 0.5), ("other", 6, 0.7)] {
        for number in 0..n {
            let often = number % 6 == 0;
            let passes = random.unit() < if often { 0.1 } else { rate };
            let said = if passes { Said::Pass } else { Said::Fail };
            tickets.push((slice, if often { 6 } else { 1 }, said));
        }
    }
    tickets
}

/// The mean of the weighted share over many draws, and the largest difference between how often a ticket was
/// drawn and its probability.
fn over_draws(tickets: &[Known], spread: &Spread, n_draws: u64) -> (f64, f64) {
    let mut entries = Vec::new();
    for (number, (slice, n, _)) in tickets.iter().enumerate() {
        let copy =
            |copy: usize| (number, entry(&format!("t{number}.{copy}"), Some(slice), &told_apart(number)));
        entries.extend((0..*n).map(copy));
    }
    let mut shares = 0.0;
    let mut often = vec![0.0; tickets.len()];
    let mut probabilities = vec![0.0; tickets.len()];
    for seed in 0..n_draws {
        let mut frame = Frame::new(design(12, spread.clone(), seed));
        entries.iter().enumerate().for_each(|(place, (_, entry))| frame.add(place, entry));
        let drawn = frame.draw().expect("enough draws");
        let rows: Vec<Observed> = drawn
            .chosen
            .iter()
            .map(|(place, chosen)| {
                let number = entries[*place].0;
                let stratum = &drawn.strata[chosen.stratum];
                often[number] += 1.0;
                probabilities[number] = stratum.probability();
                Observed {
                    stratum: stratum.name.clone(),
                    population: stratum.population,
                    slice: stratum.name.clone(),
                    judge: Some(tickets[number].2),
                    people: None,
                }
            })
            .collect();
        shares += production(&rows, 0.05).overall.uncorrected.expect("tickets").value;
    }
    let off = often.iter().zip(&probabilities).map(|(n, p)| (n / n_draws as f64 - p).abs());
    (shares / n_draws as f64, off.fold(0.0, f64::max))
}

#[test]
fn the_weighted_share_is_that_of_the_population() {
    let tickets = known_population();
    let passes = tickets.iter().filter(|ticket| ticket.2 == Said::Pass).count();
    let truth = passes as f64 / tickets.len() as f64;
    for spread in [Spread::Proportional, Spread::Equal, Spread::Minimum(3)] {
        let (mean, off) = over_draws(&tickets, &spread, 300);
        // The share of one draw has a standard deviation of at most 0.15, its mean over 300 of 0.009.
        assert!((mean - truth).abs() < 0.03, "{spread:?}: {mean} for {truth}");
        // How often a ticket is drawn has one of at most 0.029.
        assert!(off < 0.12, "{spread:?}: {off}");
    }
}

fn observed(stratum: &str, population: u64, judge: Option<Said>, people: Option<Said>) -> Observed {
    let (slice, stratum) = (stratum.to_owned(), stratum.to_owned());
    Observed { stratum, population, slice, judge, people }
}

#[test]
fn strata_count_by_their_populations() {
    let mut rows = vec![observed("big", 900, Some(Said::Pass), None); 5];
    rows.extend(vec![observed("small", 100, Some(Said::Fail), None); 5]);
    rows.push(observed("small", 100, None, Some(Said::Pass)));
    rows.push(observed("unseen", 10, None, None));
    let found = production(&rows, 0.05);
    assert_eq!(found.to_json()["uncorrected"]["value"], 0.9);
    assert_eq!(found.to_json()["by_slice"]["small"]["uncorrected"]["value"], 0.0);
    assert_eq!(found.by_slice["unseen"].uncorrected, None);
    assert_eq!((found.n_drawn, found.n_judged, found.n_labelled_only, found.population), (12, 10, 1, 1010));
    assert_eq!(found.unseen, ["unseen"]);
    assert_eq!(found.to_json()["rogan_gladen"]["reason"], "no item with a verdict has a label");
}

#[test]
fn n08_labels_of_tickets_without_a_verdict_count() {
    let mut rows = vec![observed("a", 40, Some(Said::Pass), Some(Said::Pass)); 24];
    rows.extend(vec![observed("a", 40, Some(Said::Fail), Some(Said::Fail)); 6]);
    rows.extend(vec![observed("a", 40, None, Some(Said::Fail)); 10]);
    let found = production(&rows, 0.05);
    for figure in [found.overall.people.expect("labels"), found.overall.prediction_powered.expect("labels")] {
        assert!((figure.value - 0.6).abs() < 1e-12 && figure.n == 40, "{figure:?}");
        assert!(figure.high - figure.low < 1e-9, "{figure:?}");
    }
    assert_eq!((found.n_judged, found.n_labelled, found.n_labelled_only), (30, 40, 10));
    assert_eq!(found.work, Ok(Vec::new()));
    // A drawn ticket without a verdict and a label is labelled before others are drawn.
    rows.last_mut().expect("rows").people = None;
    let work = production(&rows, 1e-6).work.expect("a good judge");
    assert_eq!((work[0].n_labels, work[0].n_draws, work[0].n_left), (1, 0, 0));
}

#[test]
fn the_plan_names_the_strata_that_need_labels() {
    let mut rows = Vec::new();
    for (judge, people, n) in [
        (Said::Pass, Said::Pass, 26),
        (Said::Pass, Said::Fail, 2),
        (Said::Fail, Said::Fail, 10),
        (Said::Fail, Said::Pass, 2),
    ] {
        rows.extend(vec![observed("refund", 800, Some(judge), Some(people)); n]);
    }
    rows.extend(vec![observed("address", 200, Some(Said::Pass), None); 60]);
    rows.extend(vec![observed("address", 200, Some(Said::Fail), None); 20]);
    rows.extend(vec![observed("refund", 800, Some(Said::Pass), None); 220]);
    rows.extend(vec![observed("refund", 800, Some(Said::Fail), None); 80]);
    let found = production(&rows, 0.06);
    let work = found.work.expect("a good judge");
    assert_eq!(work.iter().map(|work| work.stratum.as_str()).collect::<Vec<_>>(), ["refund", "address"]);
    assert!(work.iter().all(|work| work.n_draws == 0 && work.n_left > 0), "{work:?}");
    let all = production(&rows, 1e-6).work.expect("a good judge");
    let all: Vec<_> = all.iter().map(|work| (work.n_labels, work.n_draws, work.n_left)).collect();
    assert_eq!(all, [(760, 460, 0), (200, 120, 0)]);
}
