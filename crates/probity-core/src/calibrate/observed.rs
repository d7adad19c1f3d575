//! A judge's verdicts against human labels, unit by unit: the cells behind the figures.

use super::counting::{Counting, Ties, Votes};
use crate::compare::{Conflict, Unparsed};
use crate::label::{OneLook, Sheet, Unit, Verdict};

impl Sheet {
    /// A judge's verdicts on labelled units.
    pub(super) fn labelled(&self, said: &[(usize, Verdict)]) -> Vec<(&Unit, Verdict)> {
        let said = said.iter().map(|(place, verdict)| (&self.units[*place], *verdict));
        said.filter(|(unit, _)| !unit.gold.is_empty()).collect()
    }

    /// The labels that a judge is compared with: one, or every vote.
    pub(super) fn labels(&self, unit: &Unit, votes: Votes) -> impl Iterator<Item = usize> {
        let (pooled, majority) = match votes {
            Votes::Pooled => (&unit.gold[..], None),
            Votes::Majority => (&[][..], self.majority(&unit.gold)),
        };
        pooled.iter().copied().chain(majority)
    }

    /// The table row of one verdict. The row after the last category is for verdicts that are wrong whatever people
    /// say; `None` is left out.
    fn row(&self, look: OneLook, counting: &Counting) -> Option<usize> {
        match look {
            OneLook::At(category, _) => Some(category),
            OneLook::Escalated => None,
            OneLook::Inconsistent if counting.policies.conflict == Conflict::Drop => None,
            OneLook::Inconsistent => self.scale.tie(),
            OneLook::Unparsed => match counting.policies.unparsed {
                Unparsed::Drop => None,
                Unparsed::Tie => self.scale.tie(),
                Unparsed::Wrong => Some(self.scale.names().len()),
            },
        }
    }

    /// A judge's verdict, as a row of the table.
    pub(crate) fn said(&self, verdict: Verdict, counting: &Counting) -> Option<usize> {
        match verdict {
            Verdict::Once(look) => self.row(look, counting),
            Verdict::BothOrders([ab, ba]) => {
                if [ab, ba].contains(&OneLook::Escalated) {
                    return None;
                }
                let (ab, ba) = (self.row(ab, counting)?, self.row(ba, counting)?);
                let wrong = self.scale.names().len();
                match counting.policies.conflict {
                    _ if ab == wrong || ba == wrong => Some(wrong),
                    _ if ab == ba => Some(ab),
                    Conflict::Drop => None,
                    Conflict::Sum if self.scale.tie() == Some(ab) => Some(ba),
                    Conflict::Sum if self.scale.tie() == Some(ba) => Some(ab),
                    Conflict::Tie | Conflict::Pool | Conflict::Sum => self.scale.tie(),
                }
            }
        }
    }

    /// What a verdict and the labels of its unit add to the table: rows and columns. Pooled orders are named by
    /// the slot they chose, as they were shown.
    pub(super) fn observations(
        &self,
        unit: &Unit,
        verdict: Verdict,
        counting: &Counting,
    ) -> impl Iterator<Item = (usize, usize)> {
        let [shown, turned] = match (verdict, counting.policies.conflict) {
            (Verdict::BothOrders(looks), Conflict::Pool) if looks.contains(&OneLook::Escalated) => [None; 2],
            (Verdict::BothOrders(looks), Conflict::Pool) => looks.map(|look| self.row(look, counting)),
            _ => [self.said(verdict, counting), None],
        };
        let votes = counting.votes;
        let against = move |row: usize| self.labels(unit, votes).map(move |column: usize| (row, column));
        let mirrored = |(row, column)| (self.scale.mirrored(row), self.scale.mirrored(column));
        let left_out = self.scale.tie().filter(|_| counting.ties == Ties::Drop);
        let shown = shown.into_iter().flat_map(against);
        let all = shown.chain(turned.into_iter().flat_map(against).map(mirrored));
        all.filter(move |(row, column)| left_out.is_none_or(|tie| *row != tie && *column != tie))
    }
}
