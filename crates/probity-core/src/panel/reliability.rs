//! What a member's signal is worth: how often it agrees with people where it is so sure.

use std::collections::BTreeMap;

use super::rows::PanelRow;
use crate::stats::{Estimate, proportion};

/// Questions about which a member is equally sure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignalBand {
    /// The share of its looks that say the same.
    pub signal: f64,
    /// How often it agrees with people there.
    pub agreement: Estimate,
}

/// What the signal of one member is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct StageReliability {
    /// The surest first.
    pub bands: Vec<SignalBand>,
    /// Questions on which its looks are split, or have no verdict.
    pub n_split: u64,
}

impl StageReliability {
    /// What to say where the member agrees with itself and not with people: not even where all of its looks say the
    /// same does it agree with people in the share `agreement`.
    pub fn warning(&self, name: &str, agreement: f64) -> Option<String> {
        let top = self.bands.first().filter(|band| band.signal >= 1.0)?;
        let Estimate { value, high, n, .. } = top.agreement;
        let all = n + self.n_split + self.bands[1..].iter().map(|band| band.agreement.n).sum::<u64>();
        (high < agreement).then(|| {
            format!(
                "{name}: consistency is not confidence: its looks agree with each other on {:.0} % of the questions, and \
                 with people on {:.0} % of those",
                100.0 * n as f64 / all as f64,
                100.0 * value
            )
        })
    }
}

/// What the signal of each member is worth.
pub fn reliability(rows: &[PanelRow], n_members: usize) -> Vec<StageReliability> {
    (0..n_members).map(|member| of_member(rows, member)).collect()
}

fn of_member(rows: &[PanelRow], member: usize) -> StageReliability {
    let mut bands: BTreeMap<u64, (f64, u64, u64)> = BTreeMap::new();
    let mut n_split = 0;
    for row in rows {
        let Some((signal, right)) = row.graded(member) else {
            n_split += 1;
            continue;
        };
        let (_, n, n_right) = bands.entry(signal.to_bits()).or_insert((signal, 0, 0));
        *n += 1;
        *n_right += u64::from(right);
    }
    let mut bands: Vec<SignalBand> = bands
        .into_values()
        .filter_map(|(signal, n, n_right)| Some(SignalBand { signal, agreement: proportion(n_right, n)? }))
        .collect();
    bands.sort_by(|one, other| other.signal.total_cmp(&one.signal));
    StageReliability { bands, n_split }
}
