//! Simulated teams that label until a contract is met: labels chosen by what they would decide, against labels drawn at
//! random. `PROBITY_LONG_TESTS=1` simulates a hundred teams; `--nocapture` shows the figures.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "the figures are what the test is for")]

use std::collections::BTreeMap;

use probity_core::calibrate::{Calibration, Counting, Ties, Votes, calibration};
use probity_core::case::Moment;
use probity_core::compare::{Conflict, Policies, Unparsed};
use probity_core::label::{
    ItemFacts, JoinOptions, LabelEntry, LabelFrame, LabelsShow, Spoken, VerdictEntry, sheet,
};
use probity_core::promote::{Contract, Evidence, LabelGoal, read};
use probity_core::review::{Doubt, Lesson, Teaching, label_frame, progress, teaching_order};
use probity_core::stats::{Random, Resampling, Sampling};

/// Items that a team could label.
const ITEMS: usize = 600;
/// Labels of one sitting, after which the contract is looked at again.
const STEP: usize = 20;
/// A team that is not done by then gives up.
const LABELS_MAX: usize = 440;
/// Coverage is looked at after so many labels, whether the contract is met or not: stopping when figures look good
/// would be a choice of its own.
const FIXED: usize = 120;

const CONTRACT: &str = "name = \"desk\"\nversion = \"1\"\nowner = \"QA\"\n[labels]\nrows_min = 60\n\
    [agreement]\nlower_bound_min = 0.4\n[slices]\nrows_min = 10\nagreement_lower_bound_min = 0.6\n";

/// A support team's items: what people would say, what the judge says and how sure it is.
struct Team {
    lessons: Vec<Lesson>,
    people: Vec<bool>,
    judge: Vec<bool>,
}

impl Team {
    /// Three to six slices, the smallest a twentieth or so of all. The judge is right on 93 to 97 % of what it does not
    /// doubt in the largest slice, on two points less in each smaller one, and on 60 to 75 % of what it doubts.
    fn draw(seed: u64) -> Team {
        let mut random = Random::new(seed);
        let n_slices = 3 + random.below(4);
        let sizes: Vec<f64> = (0..n_slices).map(|at| 0.55_f64.powi(i32::try_from(at).unwrap())).collect();
        let whole: f64 = sizes.iter().sum();
        let mut right =
            |at: usize| [0.97 - 0.02 * at as f64 - 0.04 * random.unit(), 0.6 + 0.15 * random.unit()];
        let right: Vec<[f64; 2]> = (0..n_slices).map(&mut right).collect();
        let mut team = Team { lessons: Vec::new(), people: Vec::new(), judge: Vec::new() };
        for at in 0..ITEMS {
            let mut left = random.unit() * whole;
            let slice = sizes.iter().position(|size| {
                left -= size;
                left < 0.0
            });
            let slice = slice.unwrap_or(0);
            let in_doubt = random.unit() < 0.2;
            let is_right = random.unit() < right[slice][usize::from(in_doubt)];
            let says = random.unit() < 0.6;
            team.people.push(says);
            team.judge.push(says == is_right);
            team.lessons.push(Lesson {
                key: LabelFrame::key(&at.to_string(), &ItemFacts::default()),
                slice: format!("s{slice}"),
                doubt: if in_doubt { Doubt::NearBorder } else { Doubt::Settled },
                n_labels: 0,
            });
        }
        team
    }

    /// The share of these items on which judge and people agree.
    fn agreement(&self, slice: Option<&str>) -> f64 {
        let all = (0..ITEMS).filter(|at| slice.is_none_or(|slice| self.lessons[*at].slice == slice));
        let same: Vec<bool> = all.map(|at| self.people[at] == self.judge[at]).collect();
        same.iter().filter(|same| **same).count() as f64 / same.len() as f64
    }

    /// What the labels so far say, each for as many items as it stands for where `frame` says so.
    fn calibrated(&self, frame: Option<LabelFrame>) -> Calibration {
        let word = |passes: bool| if passes { "pass" } else { "fail" }.to_owned();
        let facts =
            |at: usize| ItemFacts { slice: Some(self.lessons[at].slice.clone()), ..ItemFacts::default() };
        let labelled: Vec<usize> = (0..ITEMS).filter(|at| self.lessons[*at].n_labels > 0).collect();
        let labels: Vec<LabelEntry> = labelled
            .iter()
            .map(|at| LabelEntry {
                item: at.to_string(),
                criterion: None,
                rubric: None,
                annotator: Some("ann".to_owned()),
                label: Some(word(self.people[*at])),
                blind: None,
                adjudicated: None,
                round: 1,
                seconds: None,
                at: None,
                packet: None,
                facts: facts(*at),
            })
            .collect();
        let verdicts: Vec<VerdictEntry> = labelled
            .iter()
            .map(|at| VerdictEntry {
                item: at.to_string(),
                criterion: None,
                judge: Some("judge".to_owned()),
                spoken: Spoken::Once(Some(word(self.judge[*at]))),
                confidence: [None; 2],
                facts: facts(*at),
            })
            .collect();
        let options = JoinOptions { frame, ..JoinOptions::default() };
        let sheet = sheet(&labels, &verdicts, &[], options).expect("labels of one form");
        calibration(&sheet, counting())
    }

    fn label(&mut self, places: &[usize]) {
        for at in places {
            self.lessons[*at].n_labels = 1;
        }
    }
}

fn counting() -> Counting {
    Counting {
        policies: Policies { conflict: Conflict::Tie, unparsed: Unparsed::Drop },
        votes: Votes::Majority,
        ties: Ties::Keep,
        sampling: Sampling { resampling: Resampling { n_resamples: 200, seed: 1 }, n_min: 20 },
        weak_below: 0.7,
        epsilon: 0.1,
    }
}

/// What became of one team.
#[derive(Default)]
struct Course {
    /// Labels until everything that labels can meet was met.
    n_labels: Option<usize>,
    /// Whether the interval of the agreement over all held the truth after a fixed number of labels.
    holds: bool,
    /// The same by slice: how many did, of how many.
    slices: [usize; 2],
    width: f64,
}

/// Labels step by step, each step as `choose` says of what there is so far.
fn course(
    mut team: Team,
    contract: &Contract,
    weighed: bool,
    choose: &dyn Fn(&Team, &Calibration) -> Vec<usize>,
) -> Course {
    let now = Moment::from_seconds(0).unwrap();
    let mut course = Course::default();
    let mut first: Vec<usize> = (0..ITEMS).collect();
    Random::new(ITEMS as u64).shuffle(&mut first);
    // Every team begins with labels at random: nothing is known yet.
    team.label(&first[..20]);
    let mut n = 20;
    while n < LABELS_MAX {
        let frame = weighed.then(|| label_frame(&team.lessons, &[], LabelsShow::default()));
        let found = team.calibrated(frame);
        if n == FIXED {
            let figures = &found.judges["judge"];
            let share = figures.overall.get("agreement").unwrap().unwrap();
            let truth = team.agreement(None);
            (course.holds, course.width) =
                (share.low <= truth && truth <= share.high, share.high - share.low);
            for (name, part) in figures.by_slice.iter().filter(|(_, part)| part.n_rows >= 8) {
                let (share, truth) = (part.get("agreement").unwrap().unwrap(), team.agreement(Some(name)));
                course.slices[0] += usize::from(share.low <= truth && truth <= share.high);
                course.slices[1] += 1;
            }
        }
        let lines = progress(contract, &found, "judge", now);
        let asked = lines.iter().filter(|line| line.requirement != "human_share");
        let all_met = asked.clone().count() > 0 && asked.clone().all(|line| line.met);
        if course.n_labels.is_none() && all_met {
            course.n_labels = Some(n);
        }
        if course.n_labels.is_some() && n >= FIXED {
            break;
        }
        let next = choose(&team, &found);
        team.label(&next[..STEP.min(next.len())]);
        n += STEP;
    }
    course
}

fn at_random(seed: u64) -> impl Fn(&Team, &Calibration) -> Vec<usize> {
    move |team, _| {
        let mut open: Vec<usize> = (0..ITEMS).filter(|at| team.lessons[*at].n_labels == 0).collect();
        Random::new(seed ^ open.len() as u64).shuffle(&mut open);
        open
    }
}

fn chosen(seed: u64, contract: &Contract) -> impl Fn(&Team, &Calibration) -> Vec<usize> + '_ {
    move |team, found| {
        let now = Moment::from_seconds(0).unwrap();
        let evidence = Evidence::of(contract, found, "judge", now);
        let goal = LabelGoal { contract, evidence: Some(&evidence) };
        let share = |part: &probity_core::calibrate::Figures| Some(part.get("agreement")?.ok()?.value);
        let slices = &found.judges["judge"].by_slice;
        let agreement: BTreeMap<String, f64> =
            slices.iter().filter_map(|(name, part)| Some((name.to_string(), share(part)?))).collect();
        let lacks = |slice: &str| goal.lacks_in(slice);
        teaching_order(&team.lessons, &Teaching { agreement: &agreement, lacks: &lacks, seed })
    }
}

fn median(mut values: Vec<usize>) -> usize {
    values.sort_unstable();
    values[values.len() / 2]
}

#[test]
fn chosen_labels_meet_a_contract_sooner_and_the_estimates_stay_right() {
    let contract = read(CONTRACT).expect("a contract").contract;
    let is_long = std::env::var("PROBITY_LONG_TESTS").is_ok();
    let n_teams = if is_long { 100 } else { 6 };
    let ends = |course: &Course| course.n_labels.unwrap_or(LABELS_MAX);
    let (mut random, mut choice, mut blind) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..n_teams {
        random.push(course(Team::draw(seed), &contract, false, &at_random(seed)));
        choice.push(course(Team::draw(seed), &contract, true, &chosen(seed, &contract)));
        if is_long {
            blind.push(course(Team::draw(seed), &contract, false, &chosen(seed, &contract)));
        }
    }
    let saved: Vec<usize> =
        random.iter().zip(&choice).map(|(r, c)| ends(r).saturating_sub(ends(c))).collect();
    let show = |name: &str, courses: &[Course]| {
        let held = courses.iter().filter(|course| course.holds).count() as f64 / courses.len() as f64;
        let [n, of] =
            courses.iter().fold([0, 0], |sum, course| [sum[0] + course.slices[0], sum[1] + course.slices[1]]);
        let n_done = courses.iter().filter(|course| course.n_labels.is_some()).count();
        let width = courses.iter().map(|course| course.width).sum::<f64>() / courses.len() as f64;
        println!(
            "{name}: median {} labels, {n_done} of {} done by {LABELS_MAX}; after {FIXED} the interval holds the truth in {:.0} % \
             (slices {:.0} % of {of}), mean width {width:.3}",
            median(courses.iter().map(ends).collect()),
            courses.len(),
            100.0 * held,
            100.0 * n as f64 / of as f64,
        );
        held
    };
    let held = show("at random       ", &random);
    let held_chosen = show("chosen, weighed ", &choice);
    if is_long {
        show("chosen, unweighed", &blind);
    }
    println!("median saved: {} labels", median(saved.clone()));
    assert!(median(saved) >= 30, "choosing saves labels");
    // Six teams are a sign that nothing is badly off; a hundred know a coverage to a twentieth.
    let floor = if is_long { 0.90 } else { 0.65 };
    assert!(held_chosen >= floor && held_chosen >= held - 0.2, "{held_chosen} against {held}");
}
