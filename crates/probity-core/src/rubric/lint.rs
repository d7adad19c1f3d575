//! A check of the anchors' words: do they run in the scale's direction?
//!
//! A scale where 1 is best must say so, or every figure comes out upside down. Words cannot prove it, so
//! this only warns, and only when both ends of the scale contradict the direction.

use super::{Anchor, Direction, Scale};
use crate::spec_file::{Faults, Problem};

const POSITIVE: &str = "\
    accurate appropriate best clear clearly complete correct correctly courteous direct directly \
    empathetic excellent exemplary flawless fully good great helpful ideal kind outstanding perfect \
    perfectly polite precise professional relevant right safe specific strong thorough true warm";
const NEGATIVE: &str = "\
    absent awful bad condescending confusing dangerous dismissive fails false harmful ignored ignores \
    inaccurate inappropriate incomplete incorrect insulting irrelevant missing misleading nothing \
    off-topic poor robotic rude terrible unclear unhelpful unprofessional unrelated unsafe useless vague \
    violation violations worst wrong error errors issue issues problem problems";
const NEGATIONS: &str = "free neither never no none nor not without";
/// How many words a negation reaches.
const NEGATION_REACH: usize = 3;

/// Warns where the anchors of the two ends speak against the scale's direction. `line` is the anchors' line.
pub(super) fn direction(line: usize, scale: &Scale, anchors: &[Anchor], faults: &mut Faults) {
    let lean_of =
        |level: i64| anchors.iter().find(|anchor| anchor.level == level).map_or(0, |a| lean(&a.text));
    let (worst, best) = (scale.worst(), scale.best());
    if lean_of(worst) <= 0 || lean_of(best) >= 0 {
        return;
    }
    let hint = match scale.direction() {
        Direction::HigherIsBetter => "if the lowest level is the best, say direction = \"lower_is_better\"",
        Direction::LowerIsBetter => {
            "the scale says lower_is_better; drop it if the highest level is the best"
        }
    };
    let message =
        format!("level {worst} should be the worst and {best} the best, but the anchors read otherwise");
    faults.warning(Problem::at(line, message).hint(hint));
}

/// Whether a list of words has this one.
fn is_in(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// Good words minus bad words; a negation shortly before a word flips it.
fn lean(text: &str) -> i32 {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty()).collect();
    let mut lean = 0;
    for (i, word) in words.iter().enumerate() {
        let value = i32::from(is_in(POSITIVE, word)) - i32::from(is_in(NEGATIVE, word));
        let before = &words[i.saturating_sub(NEGATION_REACH)..i];
        let turned = before.iter().any(|word| is_in(NEGATIONS, word));
        lean += if turned { -value } else { value };
    }
    lean
}
