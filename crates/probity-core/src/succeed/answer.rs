//! Whether one judge may take another's place.

use schemars::JsonSchema;
use serde::Serialize;

use super::ContractOutcome;
use crate::diff::PassChange;
use crate::promote::{LabelsNeeded, labels_needed};
use crate::stats::Estimate;

/// Whether one judge may take another's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It agrees with people as often, within the margin, and meets the contract where one was named.
    Yes,
    /// It agrees less often, or does not meet the contract.
    No,
    /// The labels do not tell.
    Open,
}

/// An answer with its reasons.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Answered {
    /// The answer.
    pub answer: Answer,
    /// How much less often than the old judge the new one may say what people say.
    pub margin: f64,
    /// Why.
    pub reasons: Vec<String>,
}

impl Answered {
    /// What the agreement of both judges with people and a contract on the new one come to. The change of the agreement
    /// must lie above `-margin` with its whole interval, and is too low where all of it lies below.
    pub fn of(change: Option<&PassChange>, margin: f64, contract: Option<&ContractOutcome>) -> Answered {
        let (mut answer, reason) = match change {
            None => (Answer::Open, "nothing that both judges decided has a label".to_owned()),
            Some(PassChange { change, .. }) => by_agreement(change, margin),
        };
        let mut reasons = vec![reason];
        if let Some(ContractOutcome { name, met, unmet, .. }) = contract {
            reasons.push(if *met {
                format!("the new judge meets contract {name}")
            } else {
                format!(
                    "the new judge does not meet contract {name}: {}",
                    unmet.names().collect::<Vec<_>>().join(", ")
                )
            });
            answer = if *met { answer } else { Answer::No };
        }
        Answered { answer, margin, reasons }
    }
}

fn by_agreement(change: &Estimate, margin: f64) -> (Answer, String) {
    let Estimate { value, low, high, n } = *change;
    let [points, from, to, allowed] = [value, low, high, -margin].map(|share| 100.0 * share);
    let moved =
        format!("agreement with people changes by {points:+.1} points ({from:+.1} to {to:+.1}, n {n})");
    if low >= -margin {
        return (Answer::Yes, format!("{moved}, and {allowed:+.1} is allowed"));
    }
    if high < -margin {
        return (Answer::No, format!("{moved}, and only {allowed:+.1} is allowed"));
    }
    let needed = if value > -margin {
        labels_needed(change, n, -margin)
    } else {
        labels_needed(&Estimate { value: -value, low: -high, high: -low, n }, n, margin)
    };
    let more = match needed {
        LabelsNeeded::About(n) => format!("about {n} more labels would decide at the change seen"),
        LabelsNeeded::TooMany | LabelsNeeded::NotALabelsProblem => {
            "it lies so close to what is allowed that labels will hardly decide".to_owned()
        }
    };
    (Answer::Open, format!("{moved}, {allowed:+.1} is allowed, and the interval holds both; {more}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::share_moved;
    use crate::stats::Resampling;

    #[track_caller]
    fn check(counts: [usize; 4], want: Answer, words: &str) {
        let looks = [(true, true), (true, false), (false, true), (false, false)].into_iter().zip(counts);
        let looks = looks.flat_map(|(look, n)| std::iter::repeat_n(look, n)).enumerate();
        let change =
            share_moved(looks.map(|(case, (before, after))| (case, before, after)), Resampling::default());
        let got = Answered::of(change.as_ref(), 0.05, None);
        assert_eq!(got.answer, want, "{got:?}");
        assert!(got.reasons[0].contains(words), "{got:?}");
    }

    #[test]
    fn a_judge_that_agrees_as_often_may_succeed() {
        check([180, 4, 6, 10], Answer::Yes, "+1.0 points");
        check([700, 5, 5, 90], Answer::Yes, "-5.0 is allowed");
    }

    #[test]
    fn a_judge_that_agrees_less_often_may_not() {
        check([100, 60, 2, 38], Answer::No, "only -5.0 is allowed");
    }

    #[test]
    fn few_labels_leave_it_open_and_say_how_many_more() {
        check([20, 2, 2, 6], Answer::Open, "about ");
        check([60, 9, 2, 9], Answer::Open, "about ");
        check([0, 0, 0, 0], Answer::Open, "has a label");
    }

    #[test]
    fn an_unmet_contract_is_a_no_whatever_the_agreement_is() {
        let unmet = [("probes", "no probing".to_owned())].into_iter().collect();
        let contract = ContractOutcome { name: "c 1".to_owned(), met: false, checked: 4, unmet };
        let got = Answered::of(None, 0.05, Some(&contract));
        assert_eq!(got.answer, Answer::No);
        assert_eq!(got.reasons[1], "the new judge does not meet contract c 1: probes");
    }
}
