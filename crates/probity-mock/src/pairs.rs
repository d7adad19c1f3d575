//! Judges that follow a script when they compare two replies: good ones, biased ones and useless ones.

use std::cmp::Ordering;
use std::str::FromStr;

use super::asked::JudgeRequest;
use super::draw::CallDraw;

/// How the better of two replies is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pairs {
    /// By the replies' own texts: another order of the same two gives the same winner.
    Hash,
    /// The first slot, whatever stands there.
    First,
    /// The second slot, whatever stands there.
    Second,
    /// The longer reply; a tie where both are as long.
    Longer,
    /// The shorter reply; a tie where both are as long.
    Shorter,
    /// The reply that contains this text; a tie where both do or neither does.
    Containing(String),
    /// Always a tie.
    Tie,
    /// Always a person.
    Review,
    /// The first slot, with evidence that is no list.
    Malformed,
}

impl FromStr for Pairs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("word", word)) if !word.is_empty() => return Ok(Pairs::Containing(word.to_owned())),
            Some(_) | None => {}
        }
        Ok(match text {
            "hash" => Pairs::Hash,
            "first" => Pairs::First,
            "second" => Pairs::Second,
            "longer" => Pairs::Longer,
            "shorter" => Pairs::Shorter,
            "tie" => Pairs::Tie,
            "review" => Pairs::Review,
            "malformed" => Pairs::Malformed,
            _ => {
                let known = "hash, first, second, longer, shorter, word:TEXT, tie, review or malformed";
                return Err(format!("expected {known}, found {text:?}"));
            }
        })
    }
}

/// Which word is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pick {
    /// The first slot is better.
    First,
    /// The second slot is better.
    Second,
    /// Neither.
    Tie,
    /// A person has to look.
    Review,
}

impl Pick {
    /// The word for it out of `words`; `None` where these are no words about two replies.
    pub(super) fn word(self, words: &[String]) -> Option<String> {
        let word = match self {
            Pick::First => "A",
            Pick::Second => "B",
            Pick::Tie => "tie",
            Pick::Review => "needs_human_review",
        };
        words.iter().find(|known| *known == word).cloned()
    }
}

impl Pairs {
    /// The word for two replies, out of `words`; `None` where these are no words about two replies.
    pub(crate) fn word(&self, asked: &JudgeRequest, seed: u64, words: &[String]) -> Option<String> {
        self.pick(asked.candidates.as_ref(), seed).word(words)
    }

    /// The choice between two replies.
    pub(super) fn pick(&self, candidates: Option<&[String; 2]>, seed: u64) -> Pick {
        match (self, candidates) {
            (Pairs::First | Pairs::Malformed, _) => Pick::First,
            (Pairs::Second, _) => Pick::Second,
            (Pairs::Review, _) => Pick::Review,
            // Without the texts there is nothing to choose by.
            (Pairs::Tie, _) | (_, None) => Pick::Tie,
            (Pairs::Hash, Some(texts)) => {
                by(texts, |text| CallDraw::of_packet(seed, &blake3::hash(text.as_bytes())).bits("candidate"))
            }
            (Pairs::Longer, Some(texts)) => by(texts, |text| text.chars().count() as u64),
            (Pairs::Shorter, Some(texts)) => by(texts, |text| u64::MAX - text.chars().count() as u64),
            (Pairs::Containing(word), Some(texts)) => by(texts, |text| u64::from(text.contains(word))),
        }
    }
}

/// The reply of more merit; a tie where both have the same.
pub(super) fn by([first, second]: &[String; 2], merit: impl Fn(&str) -> u64) -> Pick {
    match merit(first).cmp(&merit(second)) {
        Ordering::Greater => Pick::First,
        Ordering::Less => Pick::Second,
        Ordering::Equal => Pick::Tie,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(how: &str, first: &str, second: &str, want: Pick) {
        let pairs: Pairs = how.parse().expect("a way to choose");
        assert_eq!(pairs.pick(Some(&[first, second].map(str::to_owned)), 7), want, "{how}");
    }

    #[test]
    fn scripts_are_followed() {
        check("first", "a", "b", Pick::First);
        check("second", "a", "b", Pick::Second);
        check("longer", "aa", "b", Pick::First);
        check("longer", "a", "bb", Pick::Second);
        check("shorter", "a", "bb", Pick::First);
        check("longer", "a", "b", Pick::Tie);
        check("word:refund", "no", "a refund", Pick::Second);
        check("word:refund", "refund", "a refund", Pick::Tie);
        check("tie", "a", "b", Pick::Tie);
        check("review", "a", "b", Pick::Review);
        assert!("best".parse::<Pairs>().is_err() && "word:".parse::<Pairs>().is_err());
    }

    #[test]
    fn a_fair_judge_says_the_same_in_both_orders() {
        for n in 0..20 {
            let (one, other) = (format!("one {n}"), format!("other {n}"));
            let pick =
                |first: &str, second: &str| Pairs::Hash.pick(Some(&[first.to_owned(), second.to_owned()]), 7);
            let turned = match pick(&one, &other) {
                Pick::First => Pick::Second,
                Pick::Second => Pick::First,
                pick => pick,
            };
            assert_eq!(pick(&other, &one), turned);
        }
    }
}
