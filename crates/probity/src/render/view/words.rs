//! Which words of a text changed, beside the text that it became.

use std::ops::Range;

use super::super::private::{Mark, MarkKind};

/// The most comparisons of words that are made for one pair of texts; beyond it, everything between the equal beginning
/// and the equal end counts as changed.
const COMPARISONS_MAX: usize = 4_000_000;

/// Marks for what was removed from `before` and added in `after`.
pub(crate) fn changed(before: &str, after: &str) -> [Vec<Mark>; 2] {
    let (old, new) = (words(before), words(after));
    let same = |(a, b): &(&Range<usize>, &Range<usize>)| before[(*a).clone()] == after[(*b).clone()];
    let n_first = old.iter().zip(&new).take_while(same).count();
    let n_last = old[n_first..].iter().rev().zip(new[n_first..].iter().rev()).take_while(same).count();
    let (old, new) = (&old[n_first..old.len() - n_last], &new[n_first..new.len() - n_last]);
    let kept = kept(old, new, |a, b| before[a.clone()] == after[b.clone()]);
    let is_kept = |at: usize, side: usize| kept.iter().any(|pair| pair[side] == at);
    let marks = |text: &str, words: &[Range<usize>], side: usize, kind: MarkKind, title: &str| {
        let mut marks: Vec<Mark> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if is_kept(at, side) {
                continue;
            }
            match marks.last_mut() {
                // What stands between two changed words is no word, and is marked with them.
                Some(last)
                    if text[last.range.end..word.start].trim().is_empty()
                        && (at == 0 || !is_kept(at - 1, side)) =>
                {
                    last.range.end = word.end;
                }
                _ => marks.push(Mark::new(word.clone(), kind, title)),
            }
        }
        marks
    };
    [
        marks(before, old, 0, MarkKind::Removed, "not in the other text"),
        marks(after, new, 1, MarkKind::Added, "not in the other text"),
    ]
}

/// Runs of anything but spaces.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_whitespace(), start) {
            (true, Some(from)) => {
                words.push(from..at);
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    words
}

/// The words that both have, in order, as many as there can be: Wagner and Fischer's longest common subsequence.
fn kept(
    old: &[Range<usize>],
    new: &[Range<usize>],
    same: impl Fn(&Range<usize>, &Range<usize>) -> bool,
) -> Vec<[usize; 2]> {
    let width = new.len() + 1;
    if old.len() * new.len() > COMPARISONS_MAX {
        return Vec::new();
    }
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            longest[a * width + b] = if same(&old[a], &new[b]) {
                longest[(a + 1) * width + b + 1] + 1
            } else {
                longest[(a + 1) * width + b].max(longest[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b, mut kept) = (0, 0, Vec::new());
    while a < old.len() && b < new.len() {
        if same(&old[a], &new[b]) {
            kept.push([a, b]);
            (a, b) = (a + 1, b + 1);
        } else if longest[(a + 1) * width + b] >= longest[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, want: [&[&str]; 2]) {
        let found = changed(before, after);
        let texts = [before, after];
        for (at, marks) in found.iter().enumerate() {
            assert_eq!(marks.iter().map(|mark| &texts[at][mark.range.clone()]).collect::<Vec<_>>(), want[at]);
        }
    }

    #[test]
    fn changed_words_are_marked_and_the_others_are_not() {
        check(
            "Open Orders and press Print.",
            "Open Orders and ask Help.",
            [&["press Print."], &["ask Help."]],
        );
        check("a b c d", "a x c d e", [&["b"], &["x", "e"]]);
        check("same  text", "same\ntext", [&[], &[]]);
        check("", "new", [&[], &["new"]]);
        check("Grüße aus Köln", "Grüße nach Köln", [&["aus"], &["nach"]]);
    }
}
