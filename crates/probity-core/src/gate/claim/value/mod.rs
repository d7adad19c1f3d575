//! Figures and references in a sentence: money, shares, times, days, codes, numbers and addresses.
//!
//! What always holds: no two figures share a token, so the digits of a telephone number are no code and a
//! percentage is no money.

use super::lexicon::Table;
use super::term::Figure;
use super::token::Token;

/// Appends the figures of a sentence to `figures`, in order.
pub(super) fn figures(_text: &str, _tokens: &[Token], _table: &Table, _figures: &mut Vec<Figure>) {}
