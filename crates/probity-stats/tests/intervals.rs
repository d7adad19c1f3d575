//! Intervals hold the truth as often as they say, and a label plan reaches the width it was made for: simulations
//! over seeds, with truths that are known.
//!
//! The short form takes seconds. `PROBITY_LONG_TESTS=1` draws ten times as often and more settings;
//! `--nocapture` shows the tables.

use probity_stats::corrected::{NO_VERDICT, Stratum, Wanted, corrected, label_plan};
use probity_stats::{ClusterSums, Estimate, Random, mean};

fn is_long() -> bool {
    std::env::var_os("PROBITY_LONG_TESTS").is_some()
}

fn n_repetitions() -> u32 {
    if is_long() { 20_000 } else { 2_000 }
}

fn holds(estimate: Estimate, truth: f64) -> bool {
    estimate.low <= truth && truth <= estimate.high
}

/// Between 93 % and 97 %, as far as so many repetitions can tell.
fn is_honest(share: f64) -> bool {
    let tolerance = if is_long() { 0.3 } else { 1.0 };
    (93.0 - tolerance..=97.0 + tolerance).contains(&share)
}

/// The share of intervals that hold the truth, in per cent.
fn covered(mut draw: impl FnMut() -> bool) -> f64 {
    let n = n_repetitions();
    let n_held: u32 = (0..n).map(|_| u32::from(draw())).sum();
    100.0 * f64::from(n_held) / f64::from(n)
}

/// A slice of production with a judge of known errors.
#[derive(Debug, Clone, Copy)]
struct Slice {
    population: usize,
    passes: f64,
    sensitivity: f64,
    specificity: f64,
}

/// What the pilot looked at in a slice.
#[derive(Debug, Clone, Copy)]
struct Pilot {
    slice: Slice,
    n_labelled: usize,
    n_judged: usize,
}

const fn pilot(
    population: usize,
    [passes, sensitivity, specificity]: [f64; 3],
    n_labelled: usize,
    n_judged: usize,
) -> Pilot {
    Pilot { slice: Slice { population, passes, sensitivity, specificity }, n_labelled, n_judged }
}

/// Tickets in the order in which they are drawn: what the judge says, and what people say.
type Tickets = Vec<(bool, bool)>;

impl Slice {
    fn tickets(self, random: &mut Random) -> Tickets {
        let ticket = |_| {
            let passes = random.unit() < self.passes;
            let right = random.unit() < if passes { self.sensitivity } else { self.specificity };
            (passes == right, passes)
        };
        (0..self.population).map(ticket).collect()
    }
}

fn stratum(tickets: &[(bool, bool)], n_labelled: usize, n_judged: usize) -> Stratum {
    let mut stratum = Stratum { population: tickets.len() as u64, labelled: [[0; 2]; 3], unlabelled: [0; 3] };
    for (at, (judge, people)) in tickets[..n_judged].iter().enumerate() {
        if at < n_labelled {
            stratum.labelled[usize::from(*judge)][usize::from(*people)] += 1;
        } else {
            stratum.unlabelled[usize::from(*judge)] += 1;
        }
    }
    stratum
}

/// The share of tickets that people pass.
fn truth(slices: &[Tickets]) -> f64 {
    let all = || slices.iter().flatten();
    all().filter(|(_, passes)| *passes).count() as f64 / all().count() as f64
}

/// A name, the slices and the wanted half-width.
type Setting = (&'static str, &'static [Pilot], f64);

const SETTINGS: [Setting; 6] = [
    (
        "four slices, a fair judge",
        &[
            pilot(2_500, [0.78, 0.93, 0.70], 41, 60),
            pilot(1_500, [0.70, 0.93, 0.70], 24, 36),
            pilot(700, [0.70, 0.93, 0.70], 12, 17),
            pilot(300, [0.75, 0.93, 0.70], 6, 7),
        ],
        0.05,
    ),
    (
        "two slices, a good judge that saw many",
        &[pilot(8_000, [0.85, 0.97, 0.90], 90, 1_500), pilot(2_000, [0.60, 0.97, 0.90], 60, 500)],
        0.03,
    ),
    (
        "two slices, a weak judge",
        &[pilot(4_000, [0.60, 0.80, 0.60], 60, 100), pilot(1_000, [0.40, 0.80, 0.60], 40, 60)],
        0.04,
    ),
    (
        "slices that are nearly used up",
        &[pilot(400, [0.80, 0.90, 0.80], 80, 120), pilot(200, [0.60, 0.90, 0.80], 40, 60)],
        0.02,
    ),
    (
        "slices that differ much",
        &[pilot(3_000, [0.95, 0.95, 0.80], 50, 80), pilot(2_000, [0.40, 0.95, 0.80], 50, 80)],
        0.04,
    ),
    ("one slice", &[pilot(4_000, [0.80, 0.90, 0.80], 80, 600)], 0.05),
];

/// What following one plan came to.
#[derive(Debug, Clone, Copy)]
struct Followed {
    /// The half-width that was reached over the one that was wanted.
    ratio: f64,
    n_labels: u64,
}

/// Draws a pilot, asks for a plan, does what it says, and looks again. `None` where the pilot's labels do not tell the
/// judge from chance, so that there is no plan.
fn follow(pilots: &[Pilot], half_width: f64, seed: u64) -> Option<Followed> {
    let mut random = Random::new(1_000 + seed);
    let tickets: Vec<Tickets> = pilots.iter().map(|pilot| pilot.slice.tickets(&mut random)).collect();
    let drawn = pilots.iter().zip(&tickets);
    let strata: Vec<Stratum> =
        drawn.map(|(pilot, tickets)| stratum(tickets, pilot.n_labelled, pilot.n_judged)).collect();
    let plan = label_plan(&strata, Wanted { half_width }).ok()?;
    for (n, stratum) in plan.iter().zip(&strata) {
        assert!((stratum.n_labelled()..=stratum.population).contains(n), "{plan:?} for {strata:?}");
    }
    let done: Vec<Stratum> = plan
        .iter()
        .zip(pilots.iter().zip(&tickets))
        .map(|(n, (pilot, tickets))| {
            let n = usize::try_from(*n).expect("at most the population");
            stratum(tickets, n, n.max(pilot.n_judged))
        })
        .collect();
    let together = corrected(&done).prediction_powered.expect("a judge above chance");
    let ratio = (together.high - together.low) / 2.0 / half_width;
    Some(Followed { ratio, n_labels: plan.iter().sum() })
}

#[test]
fn n06_following_the_plan_reaches_the_width() {
    let n_seeds: usize = if is_long() { 300 } else { 30 };
    for (name, pilots, half_width) in SETTINGS {
        let plans = (0..2 * n_seeds).filter_map(|seed| follow(pilots, half_width, seed as u64));
        let mut followed: Vec<Followed> = plans.take(n_seeds).collect();
        assert_eq!(followed.len(), n_seeds, "{name}: too few pilots with a plan");
        followed.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
        let n = followed.len();
        let mean = followed.iter().map(|one| one.ratio).sum::<f64>() / n as f64;
        let labels = followed.iter().map(|one| one.n_labels).sum::<u64>() as f64 / n as f64;
        let near = followed.iter().filter(|one| (0.85..=1.15).contains(&one.ratio)).count();
        let (least, most) = (followed[0].ratio, followed[n - 1].ratio);
        println!(
            "{name}: ± {half_width} wanted, {labels:.0} labels on average; reached over wanted {mean:.3} \
             (from {least:.2} to {most:.2}), {near} of {n} within 15 %"
        );
        assert!((0.9..=1.1).contains(&mean), "{name}: {mean}");
        assert!(near * 10 >= n * 9, "{name}: {near} of {n} within 15 %");
        assert!(most <= 1.3, "{name}: {most}");
    }
}

#[test]
fn n06_what_judge_and_people_say_together_holds_the_truth() {
    for (name, pilots, _) in SETTINGS {
        let mut random = Random::new(5);
        let mut draw = || {
            let tickets: Vec<Tickets> = pilots.iter().map(|pilot| pilot.slice.tickets(&mut random)).collect();
            let drawn = pilots.iter().zip(&tickets);
            let strata: Vec<Stratum> =
                drawn.map(|(pilot, tickets)| stratum(tickets, pilot.n_labelled, pilot.n_judged)).collect();
            corrected(&strata).prediction_powered.ok().map(|estimate| holds(estimate, truth(&tickets)))
        };
        // Pilots that cannot tell the judge from chance give no figure; others are drawn instead.
        let share = covered(|| (0..100).find_map(|_| draw()).expect("a judge above chance"));
        println!("together, {name}: {share:.1} %");
        assert!(is_honest(share), "{name}: {share} %");
    }
}

/// The same where the judge gives no verdict about every twentieth good and every third bad reply.
#[test]
fn n08_what_people_say_without_a_verdict_keeps_intervals_honest() {
    for (name, pilots, _) in SETTINGS {
        let mut random = Random::new(6);
        let mut draw = || {
            let tickets: Vec<Tickets> = pilots.iter().map(|pilot| pilot.slice.tickets(&mut random)).collect();
            let drawn = pilots.iter().zip(&tickets);
            let strata = drawn.map(|(pilot, tickets)| {
                let mut stratum = stratum(&[], 0, 0);
                stratum.population = tickets.len() as u64;
                for (at, (judge, people)) in tickets[..pilot.n_judged].iter().enumerate() {
                    let is_silent = random.unit() < if *people { 0.05 } else { 0.33 };
                    let verdict = if is_silent { NO_VERDICT } else { usize::from(*judge) };
                    if at < pilot.n_labelled {
                        stratum.labelled[verdict][usize::from(*people)] += 1;
                    } else {
                        stratum.unlabelled[verdict] += 1;
                    }
                }
                stratum
            });
            let found = corrected(&strata.collect::<Vec<_>>());
            let together = found.prediction_powered.ok()?;
            Some([together, found.people?].map(|estimate| holds(estimate, truth(&tickets))))
        };
        let mut n_people = 0;
        let together = covered(|| {
            let [together, people] = (0..100).find_map(|_| draw()).expect("a judge above chance");
            n_people += u32::from(people);
            together
        });
        let people = 100.0 * f64::from(n_people) / f64::from(n_repetitions());
        println!("verdicts missing, {name}: together {together:.1} %, people {people:.1} %");
        assert!(is_honest(together) && is_honest(people), "{name}: {together} %, {people} %");
    }
}

/// Levels 1 to 5 by how likely each is.
const LEVELS: [(&str, [f64; 5]); 5] = [
    ("spread out", [0.05, 0.10, 0.20, 0.40, 0.25]),
    ("skewed to the top", [0.05, 0.05, 0.05, 0.15, 0.70]),
    ("the lowest or the highest", [0.25, 0.0, 0.0, 0.0, 0.75]),
    ("in the middle", [0.05, 0.15, 0.60, 0.15, 0.05]),
    ("rarely anything but 4", [0.04, 0.0, 0.0, 0.96, 0.0]),
];

fn level(shares: &[f64; 5], random: &mut Random) -> usize {
    let mut left = random.unit();
    let place = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    place.unwrap_or(4)
}

#[test]
fn n08_means_of_levels_hold_the_truth() {
    let sizes: &[usize] = if is_long() { &[30, 50, 100, 300, 1_000] } else { &[50, 200] };
    for (name, shares) in LEVELS {
        let truth: f64 = shares.iter().zip(1_u8..).map(|(share, level)| share * f64::from(level)).sum();
        // Few replies, or replies that are nearly all alike, cannot tell, and the interval is wide on purpose.
        let is_wide = |n: usize| n < 50 || shares.iter().any(|share| *share > 0.9);
        for n in sizes {
            let mut random = Random::new(*n as u64);
            let share = covered(|| {
                let mut counts: [(f64, u64); 5] = std::array::from_fn(|at| (at as f64 + 1.0, 0));
                (0..*n).for_each(|_| counts[level(&shares, &mut random)].1 += 1);
                holds(mean(&counts).expect("levels"), truth)
            });
            println!("mean of {n} levels, {name}: {share:.1} %");
            assert!(is_honest(share) || (is_wide(*n) && share > 95.0), "{name}, {n}: {share} %");
        }
    }
}

/// Replies of a case: each case has its own chance to pass, drawn around `passes`.
#[derive(Debug, Clone, Copy)]
struct Cases {
    n: usize,
    passes: f64,
    /// How alike the replies of a case are: 0 not at all, 1 always the same.
    alike: f64,
}

impl Cases {
    /// The share of passes by case, and as if each reply stood alone.
    fn draw(self, random: &mut Random) -> [Estimate; 2] {
        let mut clusters = ClusterSums::default();
        let (mut n_passed, mut n_replies) = (0, 0);
        for _ in 0..self.n {
            let shared = random.unit() < self.passes;
            let n = 2 + random.below(5) as u64;
            let reply = |_: &u64| {
                if random.unit() < self.alike.sqrt() { shared } else { random.unit() < self.passes }
            };
            let passed = (0..n).filter(reply).count() as u64;
            clusters.add(passed as f64, n);
            n_passed += passed;
            n_replies += n;
        }
        let alone = probity_stats::proportion(n_passed, n_replies).expect("replies");
        [clusters.mean(&(0.0..=1.0)).expect("replies"), alone]
    }
}

#[test]
fn n07_shares_by_case_hold_the_truth() {
    let sizes: &[usize] = if is_long() { &[30, 50, 100, 300] } else { &[30, 100] };
    for (passes, alike) in [(0.4, 0.5), (0.7, 0.2), (0.8, 0.5), (0.9, 0.5), (0.5, 0.9)] {
        for n in sizes {
            let cases = Cases { n: *n, passes, alike };
            let mut random = Random::new(*n as u64 + 9);
            let mut n_alone = 0;
            let by_case = covered(|| {
                let [clustered, alone] = cases.draw(&mut random);
                n_alone += u32::from(holds(alone, passes));
                holds(clustered, passes)
            });
            let alone = 100.0 * f64::from(n_alone) / f64::from(n_repetitions());
            println!(
                "{n} cases, {passes} pass, alike {alike}: {by_case:.1} % by case, {alone:.1} % by reply"
            );
            let is_wide = passes > 0.85 && *n < 50;
            assert!(is_honest(by_case) || (is_wide && by_case > 95.0), "{cases:?}: {by_case} %");
            assert!(alone < 92.0, "{cases:?}: {alone} %, so the clusters change nothing");
        }
    }
}
