//! Probity's pure half: values in, values out.
//!
//! No clock, no files, no network, no runtime and no environment. A reply flows one way through the
//! stages below, in this order; a stage uses what earlier stages produced and never what later ones do.
//! Cases and the gate are a crate below this one, statistics another; both are named here as modules.
//!
//! ```text
//! case -> gate -> rubric -> packet -> verdict -> score -> label -> compare -> probe, calibrate -> panel -> promote -> results -> diff -> report -> succeed -> review
//! ```
//!
//! A reply from the gate to its score:
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
//! use probity_core::{gate::Gate, packet, rubric, score, verdict};
//!
//! let rubric = rubric::built_in("support-gold").expect("it is built in");
//! let case = Case::new(CaseId::new("t-1").expect("not empty"), Situation::Ticket("Where is my order?".into()));
//! let admitted = Gate::default().screen(Entry { case, reply: Reply::new("It ships today.") }).expect("nothing found");
//!
//! // One question for each criterion; what a judge answers is text that is not trusted.
//! let asks = packet::asks(&rubric, packet::CallPlan::PerCriterion);
//! let mut levels = BTreeMap::new();
//! for ask in &asks {
//!     let packet = packet::question(&admitted, ask);
//!     let text = r#"{"score": 4, "reasoning": "It says when."}"#.to_owned();
//!     let said = verdict::Completion { text: Some(text), finish: verdict::Finish::Stop, ..Default::default() };
//!     let verdict = verdict::read(&said, &packet, verdict::ParseMode::Strict).expect("a verdict");
//!     levels.extend(verdict.scores().iter().map(|given| (given.criterion.clone(), given.level)));
//! }
//! let scored = score::score(&rubric, &levels);
//! assert_eq!(scored.points_of(&rubric.criteria()[0].id).expect("it has a level").to_string(), "40");
//! ```

pub use probity_gate::{case, exact, gate, json, named, spec_file, spelling};
pub use probity_stats as stats;

pub mod sample;

pub mod rubric;

pub mod packet;
pub mod verdict;

pub mod score;

pub mod label;

pub mod compare;

pub mod probe;

pub mod calibrate;

pub mod panel;

pub mod promote;

pub mod results;

pub mod diff;

pub mod report;

pub mod succeed;

pub mod review;
