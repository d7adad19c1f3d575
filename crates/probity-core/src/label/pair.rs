//! What people decided about pairs, and the majority where several did.

use std::collections::BTreeMap;

use super::entry::LabelEntry;
use super::rows::RowFault;
use crate::json::Object;

crate::named! {
    /// What a person decided about a pair.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum PairLabel {
        /// The reply of the first variant is better.
        A = "a",
        /// The reply of the second variant is better.
        B = "b",
        /// Neither is.
        Tie = "tie",
    }
}

/// What a person said about a pair, as far as a comparison of verdicts from files needs it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PairLabelRow {
    /// The pair.
    pub item: String,
    /// The person, where the row names one.
    pub annotator: Option<String>,
    /// The label; `None` for a person who abstained.
    pub label: Option<PairLabel>,
}

impl PairLabelRow {
    /// Reads a row of a label file that is about a pair.
    pub fn read(object: &Object) -> Result<PairLabelRow, RowFault> {
        let LabelEntry { item, annotator, label, .. } = LabelEntry::read(object)?;
        let side = |text: String| {
            let reason = || format!("'label' is '{text}', expected a, b, tie or null");
            PairLabel::from_name(&text).ok_or_else(|| RowFault { item: Some(item.clone()), reason: reason() })
        };
        let label = label.map(side).transpose()?;
        Ok(PairLabelRow { item, annotator, label })
    }
}

/// The votes on items, summed up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PairLabels {
    /// Rows that repeat an earlier one word for word, which counts once.
    pub n_repeated: u64,
    votes: BTreeMap<String, PairVotes>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct PairVotes {
    n: u64,
    sum: i64,
}

impl PairLabels {
    /// Counts one more vote on `item`.
    pub fn add(&mut self, item: &str, label: PairLabel) {
        let votes = self.votes.entry(item.to_owned()).or_default();
        votes.n += 1;
        votes.sum += match label {
            PairLabel::A => 1,
            PairLabel::Tie => 0,
            PairLabel::B => -1,
        };
    }

    /// The label of `item`: the sign of the mean vote, where A counts one, a tie nothing and B minus one.
    pub fn of(&self, item: &str) -> Option<PairLabel> {
        let votes = self.votes.get(item)?;
        Some(match votes.sum.signum() {
            1 => PairLabel::A,
            -1 => PairLabel::B,
            _ => PairLabel::Tie,
        })
    }

    /// The items that have a label.
    pub fn items(&self) -> impl Iterator<Item = &str> {
        self.votes.keys().map(String::as_str)
    }

    /// How many items have a label.
    pub fn n_items(&self) -> usize {
        self.votes.len()
    }

    /// How many votes there are.
    pub fn n_votes(&self) -> u64 {
        self.votes.values().map(|votes| votes.n).sum()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::json::parse;

    #[track_caller]
    fn check(votes: &[PairLabel], want: Option<PairLabel>) {
        let mut labels = PairLabels::default();
        for vote in votes {
            labels.add("x", *vote);
        }
        assert_eq!(labels.of("x"), want);
        assert_eq!(labels.n_votes(), votes.len() as u64);
    }

    #[test]
    fn the_majority_is_the_sign_of_the_mean() {
        let (a, b, tie) = (PairLabel::A, PairLabel::B, PairLabel::Tie);
        check(&[], None);
        check(&[b], Some(b));
        check(&[a, b, tie], Some(tie));
        check(&[a, tie, tie], Some(a));
        check(&[b, a, b], Some(b));
    }

    #[track_caller]
    fn check_label(text: &str, want: &Expect) {
        let shown = match PairLabelRow::read(parse(text).expect("JSON").as_object().expect("an object")) {
            Err(fault) => fault.reason,
            Ok(row) => format!("{} {:?} {:?}", row.item, row.annotator, row.label),
        };
        want.assert_eq(&shown);
    }

    #[test]
    fn l01_l12_labels() {
        check_label(r#"{"item":"x","annotator":"ann","label":"b"}"#, &expect![[r#"x Some("ann") Some(B)"#]]);
        check_label(r#"{"item":"x","gold":"tie"}"#, &expect!["x None Some(Tie)"]);
        check_label(r#"{"item":"x","label":null}"#, &expect!["x None None"]);
        check_label(r#"{"item":"x","label":"c"}"#, &expect!["'label' is 'c', expected a, b, tie or null"]);
        check_label(
            r#"{"item":"x","label":"needs_human_review"}"#,
            &expect!["'label' is 'needs_human_review', expected a, b, tie or null"],
        );
        check_label(r#"{"item":"x"}"#, &expect!["Missing 'label' field"]);
    }
}
