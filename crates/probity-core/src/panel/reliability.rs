//! What a member's signal is worth: how often it agrees with people where it is so sure.

use std::collections::BTreeMap;

use super::opinion::{Looks, Signal};
use super::rows::PanelRow;
use crate::stats::{Estimate, proportion};

/// Questions about which a member is equally sure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignalBand {
    /// How sure it is at least: the share of its looks that say the same, or the next threshold of its confidence.
    pub signal: f64,
    /// How often it agrees with people there.
    pub agreement: Estimate,
}

/// What the signal of one member is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct StageReliability {
    /// What says how sure it is.
    pub signal: Signal,
    /// The surest first.
    pub bands: Vec<SignalBand>,
    /// Questions on which its looks are split, or have no verdict.
    pub n_split: u64,
}

impl StageReliability {
    /// What to say where the member is sure and does not agree with people: not even where it is surest does it agree
    /// with them in the share `agreement`.
    pub fn warning(&self, name: &str, agreement: f64) -> Option<String> {
        let top = self.bands.first()?;
        let Estimate { value, high, n, .. } = top.agreement;
        let all = n + self.n_split + self.bands[1..].iter().map(|band| band.agreement.n).sum::<u64>();
        let how = match self.signal {
            Signal::Looks if top.signal < 1.0 => return None,
            Signal::Looks => "its looks agree with each other".to_owned(),
            Signal::Confidence => format!("it is {:.0} % sure or more", 100.0 * top.signal),
        };
        (high < agreement).then(|| {
            format!(
                "{name}: consistency is not confidence: {how} on {:.0} % of the questions, and agrees with people on {:.0} % of \
                 those",
                100.0 * n as f64 / all as f64,
                100.0 * value
            )
        })
    }
}

/// What the signal of each member is worth.
pub fn reliability(rows: &[PanelRow], members: &[Looks]) -> Vec<StageReliability> {
    members.iter().enumerate().map(|(member, looks)| of_member(rows, member, *looks)).collect()
}

fn of_member(rows: &[PanelRow], member: usize, looks: Looks) -> StageReliability {
    let thresholds = looks.thresholds();
    let mut bands: BTreeMap<u64, (f64, u64, u64)> = BTreeMap::new();
    let mut n_split = 0;
    for row in rows {
        let Some((signal, right)) = row.graded(member) else {
            n_split += 1;
            continue;
        };
        let band = thresholds.iter().map(|test| test.threshold).find(|threshold| signal >= *threshold);
        let signal = band.unwrap_or(0.0);
        let (_, n, n_right) = bands.entry(signal.to_bits()).or_insert((signal, 0, 0));
        *n += 1;
        *n_right += u64::from(right);
    }
    let mut bands: Vec<SignalBand> = bands
        .into_values()
        .filter_map(|(signal, n, n_right)| Some(SignalBand { signal, agreement: proportion(n_right, n)? }))
        .collect();
    bands.sort_by(|one, other| other.signal.total_cmp(&one.signal));
    StageReliability { signal: looks.signal, bands, n_split }
}
