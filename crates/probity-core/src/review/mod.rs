//! What a person is shown, in which order, and what becomes of what they say.
//!
//! A queue item has two halves. [`Exhibit`] is everything a reviewer may see before deciding: conversation,
//! evidence, replies. [`Hidden`] is everything else: who wrote the reply, what the gate saw, what a judge said.
//! They are different types that are kept apart, so that a page made from the first cannot leak the second.
//!
//! What is not done here: nothing is stored, no session is opened, and no clock is read.
//!
//! What always holds: the order of items and the side of a reply in a pair follow from the queue's seed and the
//! reviewer's name alone, so a restart changes neither; an answer becomes labels only if it answers everything
//! that was asked, on the scale it was asked on; and labels are those that an import of a file would keep.

mod agreement;
mod answer;
mod document;
mod order;
mod progress;
mod teach;

pub use agreement::{
    Agreement, AgreementRow, FigureView, JudgeAgreement, PairAgreement, PersonPace, QueueVotes, agreement,
};
pub use answer::{GivenAnswer, ReplySide, ReviewerAnswer, label_entries, said_by};
pub use document::{
    AskedCriterion, AskedLevel, Exhibit, Hidden, HiddenJudge, HiddenPacket, HiddenVerdict, LabelForm,
    Questionnaire, ShownTurn,
};
pub use order::{Arrangement, ReviewerDraw};
pub use progress::{ProgressLine, labels_show, progress};
pub use teach::{Doubt, Lesson, Teaching, label_frame, teaching_order};
