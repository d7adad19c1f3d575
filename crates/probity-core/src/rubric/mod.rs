//! What a reply is measured by: criteria with levels and anchors, weights, who decides, and when it passes.
//!
//! A rubric is data, written in TOML, versioned and hashed. A [`Rubric`] is already consistent: weights
//! sum to 100, every level has one anchor, the pass mark can be reached and can be missed. Reading the
//! text and naming its faults is done in [`read`]; nothing else builds one.

mod built_in;
mod criteria;
mod difference;
mod hash;
mod levels;
mod lint;
mod read;
mod routing;
mod rules;
mod spec;
mod targets;

#[cfg(test)]
mod tests;

use std::fmt;

pub use built_in::{BUILT_IN, built_in};
pub use difference::{HashChange, RubricChange, RubricDifference, difference};
pub use read::{RubricReading, read};

pub use crate::spec_file::Problem;

use crate::case::Moment;
use crate::exact::Exact;

/// Names a criterion: lower-case ASCII letters, digits and `_`, starting with a letter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CriterionId(String);

impl CriterionId {
    /// Takes `text` as an id if it is one.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        let starts = text.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
        (starts && text.len() <= 64 && text.bytes().all(plain)).then_some(CriterionId(text))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<CriterionId> for String {
    fn from(id: CriterionId) -> String {
        id.0
    }
}

impl fmt::Display for CriterionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

crate::named! {
    /// Which end of a scale is better.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Direction {
        /// The highest level is the best.
        HigherIsBetter = "higher_is_better",
        /// The lowest level is the best.
        LowerIsBetter = "lower_is_better",
    }
}

/// The levels a criterion can take, ascending, at least two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale {
    levels: Vec<i64>,
    direction: Direction,
}

impl Scale {
    /// A scale of `levels`, which must be at least two and ascend.
    pub fn new(levels: Vec<i64>, direction: Direction) -> Option<Self> {
        let ascending = levels.windows(2).all(|pair| pair[0] < pair[1]);
        (levels.len() >= 2 && ascending).then_some(Scale { levels, direction })
    }

    /// The levels in ascending order.
    pub fn levels(&self) -> &[i64] {
        &self.levels
    }

    /// Whether `level` is on the scale.
    pub fn has(&self, level: i64) -> bool {
        self.levels.binary_search(&level).is_ok()
    }

    /// The lowest level.
    pub fn min(&self) -> i64 {
        self.levels[0]
    }

    /// The highest level.
    pub fn max(&self) -> i64 {
        self.levels[self.levels.len() - 1]
    }

    /// Which end is better.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The best level.
    pub fn best(&self) -> i64 {
        match self.direction {
            Direction::HigherIsBetter => self.max(),
            Direction::LowerIsBetter => self.min(),
        }
    }

    /// The worst level.
    pub fn worst(&self) -> i64 {
        match self.direction {
            Direction::HigherIsBetter => self.min(),
            Direction::LowerIsBetter => self.max(),
        }
    }

    /// How good `level` is, from 0 (worst) to 1 (best), exactly.
    pub fn share(&self, level: i64) -> Exact {
        let distance = |one: i64, other: i64| (i128::from(one) - i128::from(other)).abs();
        Exact::ratio(distance(level, self.worst()), distance(self.max(), self.min()))
            .expect("a scale has two different levels")
    }
}

crate::named! {
    /// Who decides a criterion.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Decider {
        /// A deterministic check: an admitted reply has the best level.
        Gate = "gate",
        /// A judge, through a packet.
        Judge = "judge",
        /// A person; until then the criterion has no level and the reply no total.
        Person = "person",
    }
}

crate::named! {
    /// What can settle a criterion's question, which decides who may be asked.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Oracle {
        /// A check that is right every time. A judge may not be asked.
        Exact = "exact",
        /// The policy's owner. A judge may not be asked.
        PolicyOwner = "policy_owner",
        /// Nothing but an opinion.
        None = "none",
    }
}

crate::named! {
    /// How a judge is asked about a criterion.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Judged {
        /// About one reply, for a level.
        Pointwise = "pointwise",
        /// About two replies, for the better one.
        Pairwise = "pairwise",
    }
}

crate::named! {
    /// Whether the judge sees the case's reference reply for a criterion.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ReferenceUse {
        /// Never.
        Hidden = "hidden",
        /// Where the case has one.
        Optional = "optional",
        /// Always; a case without one cannot be scored by this rubric.
        Required = "required",
    }
}

crate::named! {
    /// What a judge must say beside a level.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ReasoningDemand {
        /// A reason must be given; it may be empty.
        Given = "given",
        /// A reason must be given and must not be empty.
        NotEmpty = "not_empty",
    }
}

/// What a level means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The level.
    pub level: i64,
    /// Its meaning.
    pub text: String,
}

/// The name under which violations are counted that a judge does not name.
pub const UNNAMED: &str = "unnamed";

/// Something that must not be in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Names it in answers and results, in the form of a [`CriterionId`].
    pub id: String,
    /// What it is.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.id, self.text)
    }
}

/// How many cases a gold set should have, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoldSize {
    /// The fewest.
    pub cases_min: u64,
    /// The most.
    pub cases_max: u64,
}

/// One thing a reply is measured by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criterion {
    /// Names it in results.
    pub id: CriterionId,
    /// Names it for people.
    pub title: String,
    /// What is asked about the reply.
    pub question: String,
    /// The levels.
    pub scale: Scale,
    /// One anchor per level, in the order of the scale.
    pub anchors: Vec<Anchor>,
    /// Points out of 100 at the best level; `None` for every criterion of a rubric without a total.
    pub weight: Option<Exact>,
    /// When two replies are equal on this criterion.
    pub tie: Option<String>,
    /// What the judge must not decide.
    pub outside: Vec<String>,
    /// What counts as a violation, where the criterion looks for any.
    pub violations: Vec<Violation>,
    /// What can settle the question.
    pub oracle: Oracle,
    /// Who decides.
    pub decider: Decider,
    /// How a judge is asked.
    pub judged: Judged,
    /// What the better of two replies does, where a judge compares them.
    pub better: Option<String>,
    /// The gate's rules that decide, by id, where a gate does. Empty stands for all that block.
    pub rules: Vec<&'static str>,
    /// Whether the reference reply is shown.
    pub reference: ReferenceUse,
    /// What must stand beside the level.
    pub reasoning: ReasoningDemand,
}

/// A level that fails the reply whatever its total.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutomaticFail {
    /// The criterion.
    pub criterion: CriterionId,
    /// The reply fails when its level is worse than this one.
    pub worse_than: i64,
}

impl AutomaticFail {
    /// Whether `level` on `scale`, which is the criterion's, fails the reply.
    pub(crate) fn is_hit(&self, scale: &Scale, level: i64) -> bool {
        match scale.direction() {
            Direction::HigherIsBetter => level < self.worse_than,
            Direction::LowerIsBetter => level > self.worse_than,
        }
    }
}

/// When a reply passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassRule {
    /// The lowest total that passes, out of 100.
    pub total_min: Exact,
    /// Levels that fail the reply whatever its total.
    pub automatic_fails: Vec<AutomaticFail>,
}

/// A figure over a whole run that a target is set for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Metric {
    /// Share of scored replies that pass, 0 to 1.
    PassRate,
    /// Mean level of a criterion.
    Mean(CriterionId),
    /// Share of scored replies that an automatic fail hit, 0 to 1.
    AutomaticFailRate,
    /// Mean of the bot's own confidence, 0 to 1.
    MeanConfidence,
}

impl Metric {
    /// The name used in rubric files. A mean also has a criterion.
    pub fn name(&self) -> &'static str {
        match self {
            Metric::PassRate => "pass_rate",
            Metric::Mean(_) => "mean",
            Metric::AutomaticFailRate => "automatic_fail_rate",
            Metric::MeanConfidence => "mean_confidence",
        }
    }
}

/// What a team wants a figure to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The figure.
    pub metric: Metric,
    /// The lowest value wanted.
    pub min: Option<Exact>,
    /// The highest value wanted.
    pub max: Option<Exact>,
}

/// Criteria, weights and rules, consistent with one another.
#[derive(Debug, Clone)]
pub struct Rubric {
    name: String,
    version: String,
    title: String,
    description: String,
    criteria: Vec<Criterion>,
    pass: Option<PassRule>,
    targets: Vec<Target>,
    gold: Option<GoldSize>,
    updated: Option<String>,
    review_by: Option<String>,
    hash: String,
    source: String,
}

impl Eq for Rubric {}

/// Rubrics are the same when they mean the same, however they are written.
impl PartialEq for Rubric {
    fn eq(&self, other: &Rubric) -> bool {
        (&self.hash, &self.updated, &self.review_by) == (&other.hash, &other.updated, &other.review_by)
    }
}

impl Rubric {
    /// The name it is chosen by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version, as its author writes it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Its name for people.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What it is for.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The criteria in order.
    pub fn criteria(&self) -> &[Criterion] {
        &self.criteria
    }

    /// The criterion called `id`.
    pub fn criterion(&self, id: &CriterionId) -> Option<&Criterion> {
        self.criteria.iter().find(|criterion| criterion.id == *id)
    }

    /// When a reply passes; `None` where the rubric only scores.
    pub fn pass(&self) -> Option<&PassRule> {
        self.pass.as_ref()
    }

    /// What is wanted of a whole run.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// How many cases a gold set should have, where the rubric says so.
    pub fn gold(&self) -> Option<GoldSize> {
        self.gold
    }

    /// The day of its last change, as `2026-04-01`.
    pub fn updated(&self) -> Option<&str> {
        self.updated.as_deref()
    }

    /// The last day of the time in which it should be reviewed, as `2026-04-01`.
    pub fn review_by(&self) -> Option<&str> {
        self.review_by.as_deref()
    }

    /// What to say at `now` if the review is overdue.
    pub fn overdue(&self, now: Moment) -> Option<String> {
        let last: Moment = self.review_by()?.parse().ok()?;
        let updated = self.updated().map(|day| format!(", last updated {day}")).unwrap_or_default();
        (now >= last.next_day()).then(|| {
            let (name, version, day) = (&self.name, &self.version, self.review_by().unwrap_or_default());
            format!(
                "rubric {name} {version} was to be reviewed by {day}{updated}: review it and set `review_by`"
            )
        })
    }

    /// The text it was read from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// BLAKE3 of the rubric's meaning (canonical, so comments and spacing do not count), hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}
