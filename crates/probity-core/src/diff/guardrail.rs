//! Limits that a second run must keep: on any figure of it, or on how far a figure may move from the first run.
//!
//! A limit of `min` or `max` is about all replies of the second run; `drop_max` and `rise_max` are about pairs, as
//! every other figure of a difference. Each is compared with the interval of its figure. What always holds: a
//! figure that is absent keeps no limit, and whether a limit is kept depends on the figures alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::detectable::{Headroom, PairedRate, by_width, change_of_rate, share_from_limit};
use super::difference::Difference;
use super::figures::pair_levels;
use super::pairing::Pair;
use crate::exact::Exact;
use crate::results::{CriterionFigures, ResultRow, RowOutcome};
use crate::sample::NO_SLICE;
use crate::stats::{ClusterSums, Estimate, PairedCounts, proportion, share_change};

/// A figure that a limit can be put on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuardedFigure {
    /// `passed ÷ (passed + failed + blocked)`.
    PassRate,
    /// Replies that fail by themselves, over the same. With a criterion, those that fail by it; without one, blocked
    /// replies are among them.
    AutomaticFailRate {
        /// The criterion that fails them.
        criterion: Option<String>,
    },
    /// Blocked replies over all.
    BlockedRate,
    /// Replies without a whole verdict over those that the gate admits.
    UnscoredRate,
    /// The mean total, 0 to 100.
    MeanTotal,
    /// The mean level of a criterion.
    Mean {
        /// The criterion.
        criterion: String,
    },
}

/// What a figure must keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// At least this in the second run.
    Min(f64),
    /// At most this in the second run.
    Max(f64),
    /// At most this far below the first run.
    DropMax(f64),
    /// At most this far above the first run.
    RiseMax(f64),
}

/// What has to be shown before a limit counts as kept or broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Burden {
    /// It fails where its interval shows that it is broken.
    ShowBroken,
    /// It fails unless its interval shows that it is kept.
    ShowKept,
}

/// A limit on a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Guardrail {
    /// The figure.
    pub figure: GuardedFigure,
    /// The slice; `None` for all replies.
    pub slice: Option<String>,
    /// The limit.
    pub limit: Limit,
    /// What has to be shown.
    pub burden: Burden,
}

/// What two runs say about a limit.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// The whole interval keeps it.
    Yes,
    /// The interval lies on both sides of it.
    Open,
    /// The whole interval breaks it.
    No,
    /// There is no figure, for this reason.
    Absent(String),
}

impl Kept {
    /// The name used in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Kept::Yes => "kept",
            Kept::Open => "open",
            Kept::No => "broken",
            Kept::Absent(_) => "absent",
        }
    }
}

/// A limit with the figure that was compared with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Guarded {
    /// The limit.
    pub guardrail: Guardrail,
    /// The figure in the first run, where the limit is about a change.
    pub before: Option<f64>,
    /// The figure in the second run.
    pub after: Option<f64>,
    /// What the limit is compared with: the figure of the second run, or its change.
    pub measured: Option<Estimate>,
    /// The smallest change these cases could have shown: a move that the interval would tell from the limit, or a
    /// distance from it. `None` where nothing they could have come to would have shown one.
    pub detectable: Option<f64>,
    /// What came of it.
    pub kept: Kept,
}

impl Guarded {
    /// Whether the limit fails the second run.
    pub fn fails(&self) -> bool {
        match (&self.kept, self.guardrail.burden) {
            (Kept::No | Kept::Absent(_), _) | (Kept::Open, Burden::ShowKept) => true,
            (Kept::Yes, _) | (Kept::Open, Burden::ShowBroken) => false,
        }
    }

    /// What came of it, in a sentence with its figures.
    pub fn message(&self) -> String {
        let Guardrail { figure, limit, .. } = &self.guardrail;
        let name = self.guardrail.to_string();
        let measured = match (&self.kept, self.measured) {
            (Kept::Absent(why), _) => return format!("{name}: absent, {why}"),
            (_, None) => return name,
            (_, Some(measured)) => measured,
        };
        let is_rate = figure.is_rate();
        let number = |value: f64| {
            let shown = if is_rate { format!("{:.1}", 100.0 * value) } else { format!("{value:.2}") };
            shown.replace('-', "−")
        };
        let unit = match (is_rate, limit.is_of_change()) {
            (true, false) => " %",
            (true, true) => " points",
            (false, _) => "",
        };
        let said = if limit.is_of_change() { "changed by" } else { "is" };
        let Estimate { value, low, high, n } = measured;
        let (what, of) = match limit {
            Limit::Min(_) => ("shortfall", "replies"),
            Limit::Max(_) => ("excess", "replies"),
            Limit::DropMax(_) => ("fall", "pairs"),
            Limit::RiseMax(_) => ("rise", "pairs"),
        };
        let smallest = match self.detectable {
            Some(least) => {
                format!("the smallest {what} these {n} {of} could have shown is {}", number(least))
            }
            None => format!("these {n} {of} could have shown no {what}"),
        };
        let wanted = match limit {
            Limit::Min(least) => format!("at least {} wanted", number(*least)),
            Limit::Max(most) => format!("at most {} wanted", number(*most)),
            Limit::DropMax(most) => format!("a fall of at most {} allowed", number(*most)),
            Limit::RiseMax(most) => format!("a rise of at most {} allowed", number(*most)),
        };
        let [value, low, high] = [value, low, high].map(number);
        format!("{name} {said} {value}{unit} ({low} to {high}), {wanted}; {smallest}")
    }
}

impl Guardrail {
    /// The figure with its limit, as the file has it.
    pub fn rule(&self) -> String {
        format!("{self} {} {}", self.limit.name(), self.limit.value())
    }
}

impl fmt::Display for Guardrail {
    /// The figure as people call it, with its criterion and slice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.figure.name().replace('_', " ");
        match (&self.figure, self.figure.criterion()) {
            (GuardedFigure::Mean { .. }, Some(criterion)) => write!(f, "{name} of {criterion}")?,
            (_, Some(criterion)) => write!(f, "{name} by {criterion}")?,
            (_, None) => f.write_str(&name)?,
        }
        match &self.slice {
            Some(slice) => write!(f, " in slice '{slice}'"),
            None => Ok(()),
        }
    }
}

impl GuardedFigure {
    /// The name used in files and reports.
    pub fn name(&self) -> &'static str {
        match self {
            GuardedFigure::PassRate => "pass_rate",
            GuardedFigure::AutomaticFailRate { .. } => "automatic_fail_rate",
            GuardedFigure::BlockedRate => "blocked_rate",
            GuardedFigure::UnscoredRate => "unscored_rate",
            GuardedFigure::MeanTotal => "mean_total",
            GuardedFigure::Mean { .. } => "mean",
        }
    }

    /// The criterion that it is about, where it is about one.
    pub fn criterion(&self) -> Option<&str> {
        match self {
            GuardedFigure::AutomaticFailRate { criterion } => criterion.as_deref(),
            GuardedFigure::Mean { criterion } => Some(criterion),
            _ => None,
        }
    }

    /// Whether it is a share of replies.
    pub(crate) fn is_rate(&self) -> bool {
        !matches!(self, GuardedFigure::MeanTotal | GuardedFigure::Mean { .. })
    }
}

impl Limit {
    /// The key used in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Min(_) => "min",
            Limit::Max(_) => "max",
            Limit::DropMax(_) => "drop_max",
            Limit::RiseMax(_) => "rise_max",
        }
    }

    /// The number.
    pub fn value(self) -> f64 {
        match self {
            Limit::Min(value) | Limit::Max(value) | Limit::DropMax(value) | Limit::RiseMax(value) => value,
        }
    }

    /// Whether it is about how far a figure moved.
    pub(crate) fn is_of_change(self) -> bool {
        matches!(self, Limit::DropMax(_) | Limit::RiseMax(_))
    }

    /// What an interval says about it.
    fn kept(self, measured: &Estimate) -> Kept {
        let above = |least: f64| match () {
            () if measured.low >= least => Kept::Yes,
            () if measured.high < least => Kept::No,
            () => Kept::Open,
        };
        let below = |most: f64| match () {
            () if measured.high <= most => Kept::Yes,
            () if measured.low > most => Kept::No,
            () => Kept::Open,
        };
        match self {
            Limit::Min(least) => above(least),
            Limit::DropMax(most) => above(-most),
            Limit::Max(most) | Limit::RiseMax(most) => below(most),
        }
    }
}

/// Holds every limit of `guardrails` against `changed`.
pub fn guarded(guardrails: &[Guardrail], changed: &Difference<'_>) -> Vec<Guarded> {
    let each = |guardrail: &Guardrail| match Scope::of(guardrail, changed) {
        Ok(scope) if guardrail.limit.is_of_change() => scope.moved(),
        Ok(scope) => scope.reached(),
        Err(why) => absent(guardrail, why),
    };
    guardrails.iter().map(each).collect()
}

fn absent(guardrail: &Guardrail, why: String) -> Guarded {
    let (before, after, measured, detectable) = (None, None, None, None);
    Guarded { guardrail: guardrail.clone(), before, after, measured, detectable, kept: Kept::Absent(why) }
}

/// What a limit is about: the replies, and what each of them is worth to the figure.
struct Scope<'g, 'd> {
    guardrail: &'g Guardrail,
    changed: &'g Difference<'d>,
    /// The place of the criterion whose levels count.
    place: usize,
    /// The lowest and the highest value of the figure.
    room: Headroom,
}

impl<'g, 'd> Scope<'g, 'd> {
    fn of(guardrail: &'g Guardrail, changed: &'g Difference<'d>) -> Result<Self, String> {
        let criteria = changed.before.criteria();
        let named = guardrail.figure.criterion();
        let place = named.map(|name| criteria.names().position(|id| id == name));
        let place = match place {
            None => 0,
            Some(Some(place)) => place,
            Some(None) => {
                let ids: Vec<&str> = criteria.names().collect();
                let name = named.unwrap_or_default();
                return Err(format!("the rubric has no criterion `{name}`, only {}", ids.join(", ")));
            }
        };
        let room = match &guardrail.figure {
            GuardedFigure::Mean { .. } => {
                let (lowest, highest) =
                    criteria.at(place).and_then(CriterionFigures::ends).unwrap_or_default();
                Headroom { lowest: lowest as f64, highest: highest as f64 }
            }
            GuardedFigure::MeanTotal => Headroom { lowest: 0.0, highest: 100.0 },
            _ => Headroom { lowest: 0.0, highest: 1.0 },
        };
        Ok(Scope { guardrail, changed, place, room })
    }

    fn is_inside(&self, slice: Option<&str>) -> bool {
        self.guardrail.slice.as_deref().is_none_or(|name| slice.unwrap_or(NO_SLICE) == name)
    }

    /// What a reply is worth to the figure; `None` where it is no part of it.
    fn value(&self, row: &ResultRow) -> Option<f64> {
        let yes = |is: bool| f64::from(u8::from(is));
        let is_blocked = row.outcome == RowOutcome::Blocked;
        match &self.guardrail.figure {
            GuardedFigure::PassRate => row.outcome.passes().map(yes),
            GuardedFigure::AutomaticFailRate { criterion } => {
                row.outcome.passes()?;
                let mut ids = self.changed.before.criteria().names();
                let fails_by = |id: &str| row.fail_reasons.iter().any(|reason| reason == id);
                Some(yes(match criterion {
                    Some(id) => fails_by(id),
                    None => is_blocked || ids.any(fails_by),
                }))
            }
            GuardedFigure::BlockedRate => Some(yes(is_blocked)),
            GuardedFigure::UnscoredRate => (!is_blocked).then(|| yes(row.outcome == RowOutcome::Unscored)),
            GuardedFigure::MeanTotal => row.total.map(Exact::to_f64),
            GuardedFigure::Mean { .. } => row.level(self.place).map(|level| level as f64),
        }
    }

    /// Why the figure does not exist.
    fn nothing(&self, what: &str) -> Guarded {
        let slice = self.guardrail.slice.as_ref().map(|slice| format!(" in slice '{slice}'"));
        absent(self.guardrail, format!("no {what} has it{}", slice.unwrap_or_default()))
    }

    /// A limit on the second run itself.
    fn reached(&self) -> Guarded {
        let rows = self.changed.after.results.iter().filter(|row| self.is_inside(row.slice.as_deref()));
        let values: Vec<(&str, f64)> =
            rows.filter_map(|row| Some((row.id.as_str(), self.value(row)?))).collect();
        let cases: BTreeSet<&str> = values.iter().map(|(id, _)| *id).collect();
        let (n, limit) = (values.len() as u64, self.guardrail.limit);
        let (measured, detectable) = if self.guardrail.figure.is_rate() && cases.len() == values.len() {
            let yes = values.iter().filter(|(_, value)| *value > 0.5).count() as u64;
            (proportion(yes, n), share_from_limit(limit, n))
        } else {
            let mean = self.mean(&values);
            (mean, mean.and_then(|mean| by_width(limit, &mean, limit.value(), self.room)))
        };
        let Some(measured) = measured else { return self.nothing("reply of the second run") };
        Guarded {
            guardrail: self.guardrail.clone(),
            before: None,
            after: Some(measured.value),
            measured: Some(measured),
            detectable,
            kept: limit.kept(&measured),
        }
    }

    /// The mean of replies' values, a case as one draw.
    fn mean(&self, values: &[(&str, f64)]) -> Option<Estimate> {
        let mut cases: BTreeMap<&str, (f64, u64)> = BTreeMap::new();
        for (id, value) in values {
            let (sum, n) = cases.entry(id).or_default();
            (*sum, *n) = (*sum + value, *n + 1);
        }
        let mut sums = ClusterSums::default();
        for (sum, n) in cases.into_values() {
            sums.add(sum, n);
        }
        sums.mean(&(self.room.lowest..=self.room.highest))
    }

    /// A limit on how far the figure moved.
    fn moved(&self) -> Guarded {
        let is_inside = |pair: &&Pair<'_>| match pair.slice() {
            Some(slice) => self.is_inside(slice),
            None => self.guardrail.slice.is_none(),
        };
        let pairs: Vec<Pair<'_>> = self.changed.pairs.iter().filter(is_inside).copied().collect();
        let values = |pair: &Pair<'_>| self.value(pair.before).zip(self.value(pair.after));
        let limit = self.guardrail.limit;
        let span = self.room.highest - self.room.lowest;
        let Some(level) = pair_levels(&pairs, span, values, self.changed.resampling) else {
            return self.nothing("pair");
        };
        let cases: BTreeSet<&str> =
            pairs.iter().filter(|pair| values(pair).is_some()).map(|pair| pair.before.id.as_str()).collect();
        let is_paired_rate = self.guardrail.figure.is_rate() && cases.len() as u64 == level.change.n;
        let (measured, detectable) = if is_paired_rate {
            let yes = |(before, after): (f64, f64)| (before > 0.5, after > 0.5);
            let counts: PairedCounts = pairs.iter().filter_map(values).map(yes).collect();
            let before = PairedRate { yes: counts.both + counts.first_only, n: counts.n() };
            (share_change(counts).unwrap_or(level.change), change_of_rate(limit, before))
        } else {
            (level.change, by_width(limit, &level.change, level.before, self.room))
        };
        Guarded {
            guardrail: self.guardrail.clone(),
            before: Some(level.before),
            after: Some(level.after),
            measured: Some(measured),
            detectable,
            kept: limit.kept(&measured),
        }
    }
}
