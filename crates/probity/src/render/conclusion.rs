//! What a comparison decided, in one sentence: the same on a terminal, on a page and in a test case.

use std::collections::BTreeMap;
use std::sync::Arc;

use probity_core::compare::sequence::SequenceDecision;
use probity_core::compare::{Completeness, Conclusion, DECISIVE_CASES_MIN, Figures, TestedBy, VariantTest};
use probity_core::promote::Standing;
use probity_core::stats::Estimate;
use probity_engine::run::compare::Stopped;
use serde_json::{Value, json};

use super::figure::p_value;

/// What a comparison decided, with what its judge has earned.
#[derive(Debug)]
pub(crate) struct Concluded {
    /// Who is better, as far as that is shown.
    pub(crate) conclusion: Conclusion,
    /// What the judge has earned: an advisory one informs and fails no build.
    pub(crate) standing: Standing,
    /// Where a sequence stopped the comparison.
    pub(crate) stopped: Option<Stopped>,
}

/// What each judge's verdicts show.
pub(crate) type Conclusions = BTreeMap<Arc<str>, Concluded>;

impl Concluded {
    /// For machines.
    pub(crate) fn to_json(&self) -> Value {
        let Conclusion { winner, p_value, completeness, tested_by, tests } = &self.conclusion;
        let of_two = match (&tests[..], tested_by) {
            ([test], TestedBy::SignTest) => test.smallest_difference,
            _ => None,
        };
        let between = |test: &VariantTest| {
            let [a, b] = &test.variants;
            json!({
                "variants": [&**a, &**b],
                "winner": test.winner().filter(|_| self.is_complete()).map(|name| &**name),
                "cases_won": test.n_won,
                "p_value": test.p_value,
                "smallest_difference": test.smallest_difference,
            })
        };
        let mut json = json!({
            "winner": winner.as_deref(),
            "p_value": p_value,
            "complete": *completeness == Completeness::Complete,
            "standing": self.standing,
            "standing_reason": self.standing.reason(),
            "test": tested_by.name(),
            "smallest_difference": of_two,
        });
        if tests.len() > 1 {
            json["between"] = tests.iter().map(between).collect();
        }
        json
    }

    /// Whether enough pairs have a verdict.
    pub(crate) fn is_complete(&self) -> bool {
        self.conclusion.completeness == Completeness::Complete
    }

    /// What is shown, whatever the judge has earned.
    pub(crate) fn sentence(&self, figures: &Figures) -> String {
        match (&self.conclusion.tests[..], self.stopped) {
            ([], _) => "No difference shown: no pair was judged.".to_owned(),
            ([test], Some(stopped)) => self.by_sequence(test, &stopped),
            ([test], None) => self.of_two(test, figures),
            (tests, _) => self.of_several(tests),
        }
    }

    fn of_two(&self, test: &VariantTest, figures: &Figures) -> String {
        let [first, second] = &test.variants;
        let subject = self.conclusion.winner.as_ref().unwrap_or(second);
        // The case is what is tested, so the share of cases is what is said beside the test.
        let rate = figures.variants.get(subject).and_then(|variant| variant.case_win_rate);
        let so_far = if self.is_complete() { "" } else { "the comparison is incomplete; so far " };
        let could = could_show(test);
        let (Some(rate), Some(p)) = (rate, test.p_value) else {
            return format!("No difference shown: {so_far}no case has a winner. {could}");
        };
        let wins = wins(&rate);
        let tested = format!("exact sign test, {}", p_value(p));
        match &self.conclusion.winner {
            Some(winner) => {
                let other = if winner == first { second } else { first };
                format!("{winner} answers better than {other}: it {wins} ({tested}).")
            }
            None if so_far.is_empty() => format!("No difference shown: {subject} {wins} ({tested}). {could}"),
            None => format!("No difference shown: {so_far}{subject} {wins}. {could}"),
        }
    }

    fn of_several(&self, tests: &[VariantTest]) -> String {
        let how = format!("exact sign tests, Bonferroni over {} pairs of variants", tests.len());
        if !self.is_complete() {
            return format!(
                "No difference shown: the comparison is incomplete. {}",
                could_show_between(tests)
            );
        }
        if let (Some(winner), Some(p)) = (&self.conclusion.winner, self.conclusion.p_value) {
            return format!("{winner} answers better than every other variant ({how}, {}).", p_value(p));
        }
        let shown = tests.iter().filter_map(|test| {
            let winner = test.winner()?;
            let other = test.variants.iter().find(|name| *name != winner)?;
            Some(format!("{winner} answers better than {other} ({})", p_value(test.p_value?)))
        });
        let shown: Vec<String> = shown.collect();
        if shown.is_empty() {
            let could = could_show_between(tests);
            return format!("No difference shown between any two variants ({how}). {could}");
        }
        format!("No variant is shown to be better than every other; {} ({how}).", shown.join("; "))
    }

    /// What the sequence bounds is the mean over these pairs, so the sentence says so.
    fn by_sequence(&self, test: &VariantTest, stopped: &Stopped) -> String {
        let TestedBy::Sequence(decided) = self.conclusion.tested_by else { return String::new() };
        let (n, margin) = (stopped.n_drawn + stopped.n_left, 100.0 * stopped.margin);
        let [first, _] = &test.variants;
        let (low, high) = (100.0 * stopped.bounds.low, 100.0 * stopped.bounds.high);
        let scope = format!(
            "{first} wins {low:.1}–{high:.1} % of {}, wrong with a chance of at most {}; \
             nothing is said about other cases",
            if n == 1 { "this pair".to_owned() } else { format!("these {n} pairs") },
            stopped.alpha
        );
        match (&self.conclusion.winner, decided) {
            (Some(winner), _) => {
                let other = test.variants.iter().find(|name| *name != winner).unwrap_or(winner);
                format!("{winner} answers better than {other} by more than {margin:.1} points: {scope}.")
            }
            _ if !self.is_complete() => {
                format!("No difference shown: the comparison is incomplete; so far {scope}.")
            }
            (None, SequenceDecision::WithinMargin) => {
                format!("Neither is better by more than {margin:.1} points: {scope}.")
            }
            (None, _) => format!("No difference shown: {scope}."),
        }
    }
}

fn wins(rate: &Estimate) -> String {
    let [value, low, high] = [rate.value, rate.low, rate.high].map(|share| 100.0 * share);
    let cases = if rate.n == 1 { "1 case".to_owned() } else { format!("{} cases", rate.n) };
    format!("wins {value:.1} % of {cases}, {low:.1}–{high:.1} %")
}

/// What two variants could have shown, whatever they have shown.
fn could_show(test: &VariantTest) -> String {
    match (test.smallest_difference, test.n_decisive()) {
        (Some(least), _) => format!(
            "The smallest difference this sample could have detected is {:.1} points from 50 %.",
            100.0 * least
        ),
        (None, n) => {
            let there = if n == 1 { "is 1".to_owned() } else { format!("are {n}") };
            format!(
                "This sample could not have detected any difference: that needs {DECISIVE_CASES_MIN} cases with a winner, and there {there}."
            )
        }
    }
}

/// The same for each two of several variants.
fn could_show_between(tests: &[VariantTest]) -> String {
    let known: Vec<f64> = tests.iter().filter_map(|test| test.smallest_difference).collect();
    match known.iter().copied().reduce(f64::max) {
        Some(most) if known.len() == tests.len() => format!(
            "The smallest difference this sample could have detected is at most {:.1} points from 50 % between \
             any two.",
            100.0 * most
        ),
        Some(_) => "Between some of them too few cases have a winner to show any difference.".to_owned(),
        None => "Too few cases have a winner to show any difference.".to_owned(),
    }
}
