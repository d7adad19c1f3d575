//! The word that was probably meant, and the plural of a noun.
//!
//! A suggestion is only for hints: nothing is ever read as if it had been written.

/// The candidate closest to `word`, if it is close enough to be a slip of the fingers.
pub fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let slips_max = (word.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(slips, _)| *slips <= slips_max)
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, substitutions and swaps of neighbours between two words, whatever their case.
pub fn distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase())
}

/// `n` of `noun`, in the plural unless there is one: `counted(2, "reply")` is `2 replies`.
pub fn counted(n: impl TryInto<u64>, noun: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    let plural = match noun.strip_suffix('y') {
        _ if n == 1 => noun.to_owned(),
        Some(stem) => format!("{stem}ies"),
        None if noun.ends_with("ch") => format!("{noun}es"),
        None => format!("{noun}s"),
    };
    format!("{n} {plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_all_else_plural() {
        let both = |noun| [counted(1u64, noun), counted(0usize, noun)].join(", ");
        assert_eq!(
            [both("reply"), both("batch"), both("label")].join("; "),
            "1 reply, 0 replies; 1 batch, 0 batches; 1 label, 0 labels"
        );
    }

    #[track_caller]
    fn check(word: &str, want: Option<&str>) {
        assert_eq!(closest(word, ["weight", "title", "criterion", "id"]), want, "{word}");
    }

    #[test]
    fn slips_are_recognised() {
        check("wieght", Some("weight"));
        check("Title", Some("title"));
        check("criteria", Some("criterion"));
        check("idd", Some("id"));
    }

    #[test]
    fn other_words_are_not() {
        check("colour", None);
        check("", None);
    }
}
