//! Which of two variants answers better, and what could not be decided.
//!
//! A pair is two replies to one case. A judge sees it twice, once in each order, and each pass prefers a slot;
//! normalised to the candidate that stood there, the two passes become one [`PairOutcome`]. Where verdicts come
//! from, a live judge or a file, makes no difference from [`Pass`] on: both paths make [`Pair`]s, and
//! [`figures`] makes the same figures of them.
//!
//! The models ([`length`], [`ranking`], [`sequence`]) take outcomes that are already decided; they know nothing
//! of judges, packets or orders. What is not done here: no judge is asked and no file is read.
//!
//! What always holds: the five ways a pair can end stay apart. A tie is an answer, an escalation is not, an order that
//! changes the winner is evidence about the judge, and a pair without a verdict is not a result. Every figure names
//! its denominator, and swapping the two variants turns a win rate w into 1 − w.

mod adjusted;
mod conclusion;
mod contest;
mod figures;
mod held;
mod judges;
pub mod length;
mod outcome;
mod pair;
mod pass;
mod policy;
pub mod ranking;
mod recorded;
pub mod sequence;
mod written;

pub use adjusted::{Fits, LengthFits, Ranked, at_equal_length, ranked};
pub use conclusion::{Completeness, Conclusion, DECISIVE_CASES_MIN, TestedBy, VariantTest};
pub use contest::{Contest, Fate, GateCounts, Heard, gate_counts};
pub use figures::{AgreementFigures, Figures, PairCounts, Rates, VariantFigures, figures};
pub use judges::{Comparison, JudgeComparison, JudgeFigures, ReviewItem, comparison};
pub use outcome::{PairOutcome, Status};
pub use pair::{Grade, Pair, Verdicts};
pub use pass::{Candidate, Choice, Order, Pass};
pub use policy::{Conflict, Policies, Unparsed};
pub use recorded::VerdictRow;

#[cfg(test)]
mod examples;
#[cfg(test)]
mod properties;
