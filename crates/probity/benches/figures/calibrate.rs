//! How fast labels become figures: reading them, joining them with verdicts, and every figure with its interval.
//!
//! The library is measured by itself, as the command uses it: by the time of its thread where the kernel tells it,
//! the best of several rounds, because another program can only make a round slower. The whole command stands
//! beside it.

use std::fmt::Write as _;
use std::time::Duration;

use probity_core::calibrate::{Counting, Ties, Votes, calibration};
use probity_core::compare::Policies;
use probity_core::label::{ItemFacts, JoinOptions, LabelEntry, Spoken, VerdictEntry, sheet};
use probity_core::stats::{Random, Resampling, Sampling};

use crate::bench::Bench;
use crate::child::{measure, probity};
use crate::clock::{Clock, Elapsed};
use crate::figure::{Bar, Figure};

const ITEMS: usize = 100_000;
const RESAMPLES: u32 = 10_000;
const ROUNDS: usize = 3;
const SIDES: [&str; 3] = ["a", "tie", "b"];

const COUNTING: Counting = Counting {
    policies: Policies {
        conflict: probity_core::compare::Conflict::Tie,
        unparsed: probity_core::compare::Unparsed::Drop,
    },
    votes: Votes::Majority,
    ties: Ties::Keep,
    sampling: Sampling { resampling: Resampling { n_resamples: RESAMPLES, seed: 0 }, n_min: 8 },
    weak_below: 0.75,
    epsilon: 0.2,
};

/// One label and one verdict on each of 100,000 pairs.
pub(crate) fn kappa(bench: &Bench) -> Vec<Figure> {
    let n = ITEMS / bench.scale;
    let rows = Rows::new(n, 1);
    let name = format!("{n} labelled pairs, {RESAMPLES} resamples");
    measured(bench, &name, &rows, &rows.verdicts)
}

/// Three people on each of 100,000 items.
pub(crate) fn alpha(bench: &Bench) -> Vec<Figure> {
    let n = ITEMS / bench.scale;
    measured(bench, &format!("3 people on {n} items, {RESAMPLES} resamples"), &Rows::new(n, 3), &[])
}

fn measured(bench: &Bench, name: &str, rows: &Rows, verdicts: &[VerdictEntry]) -> Vec<Figure> {
    let rounds = (0..ROUNDS).map(|_| {
        let started = Clock::start();
        let sheet = sheet(&rows.labels, verdicts, &[], JoinOptions::default()).expect("rows that fit");
        std::hint::black_box(calibration(&sheet, COUNTING));
        started.elapsed()
    });
    let rounds: Vec<Elapsed> = rounds.collect();
    let best =
        |of: fn(&Elapsed) -> Duration| rounds.iter().map(of).min().expect("there are rounds").as_secs_f64();
    let (library, wall) = (best(|round| round.on_processor), best(|round| round.wall));
    let mut command = probity(&bench.folder);
    std::fs::write(bench.folder.join("labels.csv"), rows.labels_csv()).expect("the labels can be written");
    command.args(["calibrate", "--labels", "labels.csv", "--resamples", &RESAMPLES.to_string()]);
    if !verdicts.is_empty() {
        std::fs::write(bench.folder.join("verdicts.csv"), rows.verdicts_csv()).expect("verdicts too");
        command.args(["--verdicts", "verdicts.csv"]);
    }
    let taken = measure(&mut command);
    vec![
        Figure::new(format!("{name}: every figure (best of {ROUNDS})"), library, "s", Bar::AtMost(1.0)),
        Figure::new(format!("{name}: the same on the wall"), wall, "s", Bar::None),
        Figure::new(format!("{name}: whole command"), taken.wall.as_secs_f64(), "s", Bar::None),
        Figure::new(format!("{name}: memory"), taken.memory_mib, "MiB", Bar::None),
    ]
}

/// Labels by people who are right four times in five, and verdicts by a judge that is right seven times in ten.
struct Rows {
    labels: Vec<LabelEntry>,
    verdicts: Vec<VerdictEntry>,
}

impl Rows {
    fn new(n_items: usize, n_people: usize) -> Rows {
        let mut random = Random::new(7);
        let (mut labels, mut verdicts) = (Vec::new(), Vec::new());
        for n in 0..n_items {
            let truth = random.below(3);
            let mut said = |share: usize| {
                let side = if random.below(10) < share { truth } else { random.below(3) };
                Some(SIDES[side].to_owned())
            };
            let item = format!("item-{n}");
            let facts = ItemFacts { slice: Some(format!("slice-{}", n % 4)), ..ItemFacts::default() };
            for person in 0..n_people {
                labels.push(LabelEntry {
                    item: item.clone(),
                    criterion: None,
                    rubric: None,
                    annotator: Some(format!("person-{person}")),
                    label: said(8),
                    blind: None,
                    adjudicated: None,
                    round: 1,
                    seconds: None,
                    at: None,
                    packet: None,
                    facts: facts.clone(),
                });
            }
            let spoken = Spoken::BothOrders([said(7), said(7)]);
            let confidence = [None; 2];
            verdicts.push(VerdictEntry { item, criterion: None, judge: None, spoken, confidence, facts });
        }
        Rows { labels, verdicts }
    }

    fn labels_csv(&self) -> String {
        let mut text = String::from("item,slice,annotator,label\n");
        for LabelEntry { item, annotator, label, facts, .. } in &self.labels {
            let cells = [Some(item), facts.slice.as_ref(), annotator.as_ref(), label.as_ref()];
            writeln!(text, "{}", line(cells)).expect("a string takes any text");
        }
        text
    }

    fn verdicts_csv(&self) -> String {
        let mut text = String::from("item,slice,verdict_ab,verdict_ba\n");
        for VerdictEntry { item, spoken, facts, .. } in &self.verdicts {
            let Spoken::BothOrders([ab, ba]) = spoken else { continue };
            let cells = [Some(item), facts.slice.as_ref(), ab.as_ref(), ba.as_ref()];
            writeln!(text, "{}", line(cells)).expect("a string takes any text");
        }
        text
    }
}

fn line(cells: [Option<&String>; 4]) -> String {
    cells.map(|cell| cell.map_or("", String::as_str)).join(",")
}
