//! What the address of a list of replies says: which of them, in what order, on which page, and which is open.
//!
//! The names are those that the script of a report has behind the `#`, so that a link means the same in a file and on
//! the server: values of one name are "or", names are "and", and a name that means nothing is kept and ignored.

use std::cmp::Ordering;

use probity_core::results::{ResultRow, RowOutcome};

use super::super::report::chart::query;
use super::{ListEntry, ListHead};

/// The longest text that is looked for, in characters.
const WORDS_CHARS_MAX: usize = 200;

/// What the address of a list of replies says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ListQuery(Vec<(String, String)>);

impl ListQuery {
    /// What these names and values say; empty values say nothing, and names that are no words neither.
    pub(crate) fn of(pairs: Vec<(String, String)>) -> ListQuery {
        let is_word = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
        ListQuery(pairs.into_iter().filter(|(name, value)| !value.is_empty() && is_word(name)).collect())
    }

    /// What is said under a name.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The page, from 1.
    pub(crate) fn page(&self) -> usize {
        self.value("page").and_then(|page| page.parse().ok()).filter(|page| *page > 0).unwrap_or(1)
    }

    /// Whether it narrows the list.
    pub(crate) fn narrows(&self) -> bool {
        self.0.iter().any(|(name, _)| !["case", "sort", "tab", "page"].contains(&name.as_str()))
    }

    /// The address with another value under a name, and without the page; without the name where the value is empty.
    pub(crate) fn with(&self, name: &str, value: &str) -> String {
        let others = self.0.iter().filter(|(known, _)| known != name && known != "page");
        let mut pairs: Vec<(&str, &str)> = others.map(|(name, value)| (&**name, &**value)).collect();
        if !value.is_empty() {
            pairs.push((name, value));
        }
        format!("?{}", query(&pairs))
    }

    /// The replies that it lets through, by their places, in its order; `entries` are what `head` lists of `rows`.
    pub(crate) fn found(&self, rows: &[ResultRow], head: &ListHead, entries: &[ListEntry]) -> Vec<usize> {
        let words: Option<String> =
            self.value("q").map(|words| words.to_lowercase().chars().take(WORDS_CHARS_MAX).collect());
        let lets = |place: usize| {
            self.0.iter().all(|(name, value)| is_in(&entries[place], head, name, value))
                && words.as_ref().is_none_or(|words| has_words(&rows[place], words))
        };
        let mut found: Vec<usize> = (0..rows.len()).filter(|place| lets(*place)).collect();
        self.order(&mut found, rows, head, entries);
        found
    }

    /// Blocked and unscored replies stand together at the end, whatever the order.
    fn order(&self, found: &mut [usize], rows: &[ResultRow], head: &ListHead, entries: &[ListEntry]) {
        let sort = self.value("sort").unwrap_or(&head.sort);
        let (name, falls) = sort.strip_prefix('-').map_or((sort, false), |name| (name, true));
        let last = |place: usize| match rows[place].outcome {
            RowOutcome::Blocked => 1,
            RowOutcome::Unscored => 2,
            _ => 0,
        };
        let criterion = head.criteria.iter().position(|each| each.id == name);
        found.sort_by(|one, other| {
            let pair = [&entries[*one], &entries[*other]];
            let by_value = match (criterion, name) {
                (Some(at), _) => missing_last(pair.map(|entry| entry.levels[at]), falls, Ord::cmp),
                (None, "name") => turned(pair[0].name.cmp(&pair[1].name), falls),
                (None, "outcome") => turned(pair[0].values[0].cmp(&pair[1].values[0]), falls),
                (None, _) => missing_last(pair.map(|entry| entry.total), falls, f64::total_cmp),
            };
            last(*one).cmp(&last(*other)).then(by_value)
        });
    }
}

fn turned(order: Ordering, falls: bool) -> Ordering {
    if falls { order.reverse() } else { order }
}

/// What has no value comes last, whichever way the others are ordered.
fn missing_last<T>(
    [one, other]: [Option<T>; 2],
    falls: bool,
    order: impl Fn(&T, &T) -> Ordering,
) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) => turned(order(&one, &other), falls),
        (one, other) => other.is_some().cmp(&one.is_some()),
    }
}

/// Whether an entry is among what is wanted under one name.
fn is_in(entry: &ListEntry, head: &ListHead, name: &str, wanted: &str) -> bool {
    let mut values = wanted.split(',');
    if let Some(at) = head.criteria.iter().position(|each| each.id == name) {
        return values.any(|range| entry.levels[at].is_some_and(|level| is_between(level as f64, range)));
    }
    if let Some(at) = head.facets.iter().position(|(key, _)| key == name) {
        let has = |value: &str| entry.values[at].iter().any(|each| each == value);
        // A value may itself have a comma.
        return has(wanted) || values.any(has);
    }
    name != "total" || values.any(|range| entry.total.is_some_and(|total| is_between(total, range)))
}

/// Whether a number is in a range such as `..1`, `3..` or `2`.
fn is_between(number: f64, range: &str) -> bool {
    let (low, high) = range.split_once("..").unwrap_or((range, range));
    let end = |text: &str| text.parse::<f64>().ok();
    (low.is_empty() || end(low).is_some_and(|low| number >= low))
        && (high.is_empty() || end(high).is_some_and(|high| number <= high))
}

/// Whether one of a reply's texts has these words, which are in lower case.
fn has_words(row: &ResultRow, words: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(words);
    let reasons = row.asked().filter_map(|(_, result)| result.reasoning.as_deref());
    has(&row.id)
        || [&row.ticket, &row.reply, &row.reference].into_iter().flatten().any(|text| has(text))
        || row.turns.iter().any(|turn| has(&turn.text))
        || row.evidence.sources.iter().filter_map(|source| source.text.as_deref()).any(has)
        || reasons.into_iter().any(has)
}

#[cfg(test)]
mod tests {
    use probity_core::exact::Exact;
    use probity_core::results::{CriterionResult, Members};
    use probity_core::rubric;

    use super::super::{CaseParts, replies, reply_entry};
    use super::*;

    fn row(id: &str, slice: &str, levels: Option<[i64; 2]>) -> ResultRow {
        let level = |level: i64| CriterionResult {
            score: Some(level),
            reasoning: Some(format!("the level is {level}")),
            ..CriterionResult::default()
        };
        let results = ["relevance", "tone"].into_iter().zip(0..);
        let criteria =
            results.map(|(name, at): (&str, usize)| (name.to_owned(), levels.map(|all| level(all[at]))));
        ResultRow {
            id: id.to_owned(),
            slice: Some(slice.to_owned()),
            outcome: if levels.is_some() { RowOutcome::Scored } else { RowOutcome::Blocked },
            total: levels.map(|all| Exact::from(20 * all[0])),
            reply: Some(format!("Reply to {id}")),
            criteria: Members(criteria.collect()),
            ..ResultRow::default()
        }
    }

    #[track_caller]
    fn check(address: &[(&str, &str)], want: &[&str]) {
        let rubric = rubric::built_in("relevance-tone").expect("it is built in");
        let rows = [
            row("a", "billing", Some([4, 2])),
            row("b", "billing", None),
            row("c", "returns", Some([2, 5])),
            row("d", "returns", Some([3, 1])),
        ];
        let pairs = address.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let parts = CaseParts { rubric: &rubric, votes: None, asked: None };
        let entries: Vec<ListEntry> = rows.iter().map(|row| reply_entry(row, parts)).collect();
        let found = ListQuery::of(pairs.collect()).found(&rows, &replies(&rubric), &entries);
        assert_eq!(found.iter().map(|place| &*rows[*place].id).collect::<Vec<_>>(), want, "{address:?}");
    }

    #[test]
    fn names_are_and_values_are_or() {
        check(&[], &["c", "d", "a", "b"]);
        check(&[("slice", "billing")], &["a", "b"]);
        check(&[("o", "blocked,scored"), ("slice", "returns")], &["c", "d"]);
        check(&[("tone", "..2")], &["d", "a"]);
        check(&[("relevance", "3..,2")], &["c", "d", "a"]);
        check(&[("tone", "..2"), ("relevance", "4")], &["a"]);
        check(&[("total", "40..69.9999")], &["c", "d"]);
        check(&[("label", "differs")], &[]);
        check(&[("what", "ever"), ("q", "")], &["c", "d", "a", "b"]);
    }

    #[test]
    fn words_are_found_in_replies_and_reasons() {
        check(&[("q", "reply TO c")], &["c"]);
        check(&[("q", "level is 5")], &["c"]);
        check(&[("q", "nowhere")], &[]);
    }

    #[test]
    fn what_is_blocked_stands_at_the_end_of_every_order() {
        check(&[("sort", "-total")], &["a", "d", "c", "b"]);
        check(&[("sort", "tone")], &["d", "a", "c", "b"]);
        check(&[("sort", "-tone")], &["c", "a", "d", "b"]);
        check(&[("sort", "-name")], &["d", "c", "a", "b"]);
    }

    #[test]
    fn an_address_keeps_what_it_does_not_replace() {
        let pairs = [("slice", "a b"), ("page", "3"), ("o", "fail")];
        let said = ListQuery::of(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
        assert_eq!(said.with("o", "pass"), "?slice=a%20b&o=pass");
        assert_eq!(said.with("slice", ""), "?o=fail");
        assert_eq!(said.page(), 3);
    }
}
