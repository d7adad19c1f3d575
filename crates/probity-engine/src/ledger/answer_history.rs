//! What a judge's latest answers took, from which the price of the next ones is told.
//!
//! Bounded: some of the latest runs are looked at and some of their attempts, however many the store has.

use super::db::{Db, DbError, vals};
use super::error::StoreError;
use super::reader::Reader;
use super::tables::judge_row;
use crate::judge::JudgeId;

/// What a judge's latest answers took together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnswerHistory {
    /// Whole answers with token counts.
    pub n_calls: u64,
    /// Of those, answers to a packet that had to be asked about again.
    pub n_reasked: u64,
    /// Tokens that their prompts were estimated at.
    pub tokens_planned: u64,
    /// Decisions that they have.
    pub decisions: u64,
    /// Tokens of their prompts.
    pub tokens_in: u64,
    /// Of those, tokens from the host's cache.
    pub tokens_cached: u64,
    /// Tokens of the answers.
    pub tokens_out: u64,
}

impl Reader {
    /// What the latest answers of `judge` took; `None` where there is none.
    pub(crate) fn answer_history(&self, judge: &JudgeId) -> Result<Option<AnswerHistory>, StoreError> {
        self.ask(|db| answer_history(db, judge))
    }
}

fn answer_history(db: &Db, judge: &JudgeId) -> Result<Option<AnswerHistory>, DbError> {
    const SQL: &str = "SELECT attempt.cause, attempt.tokens_planned, attempt.decisions, attempt.tokens_in,
            attempt.tokens_cached, attempt.tokens_out
        FROM (SELECT id FROM run ORDER BY id DESC LIMIT 64) AS latest CROSS JOIN attempt
        WHERE attempt.run = latest.id AND attempt.judge = ?1 AND attempt.outcome = 'answered'
            AND attempt.tokens_out IS NOT NULL
        LIMIT 1000";
    let Some(judge) = judge_row(db, judge)? else { return Ok(None) };
    let mut history = AnswerHistory::default();
    db.each(SQL, &vals![judge], |row| {
        let count = |column| Ok::<u64, DbError>(row.get::<Option<u64>>(column)?.unwrap_or(0));
        history.n_calls += 1;
        history.n_reasked += u64::from(row.text(0)?.starts_with("reask:"));
        history.tokens_planned += count(1)?;
        history.decisions += count(2)?;
        history.tokens_in += count(3)?;
        history.tokens_cached += count(4)?;
        history.tokens_out += count(5)?;
        Ok(())
    })?;
    Ok((history.n_calls > 0).then_some(history))
}
