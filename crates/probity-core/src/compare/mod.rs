//! Which of two or more variants answers better, with what took no part in the answer taken out.
//!
//! The models here take outcomes that are already decided; they know nothing of judges, packets or orders.

pub mod length;
pub mod ranking;
pub mod sequence;
