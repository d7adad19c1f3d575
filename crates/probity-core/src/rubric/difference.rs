//! What moved between two rubrics, part by part.
//!
//! Criteria are matched by id. What always holds: two rubrics with one hash differ in nothing that is hashed,
//! and every part that is hashed is compared here, so another hash always has a change to show for it.

use schemars::JsonSchema;
use serde::Serialize;

use super::rules::plain;
use super::{Criterion, Metric, PassRule, Rubric, Target};

/// One part that moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RubricChange {
    /// The criterion it belongs to; `None` for the rubric as a whole.
    pub criterion: Option<String>,
    /// The part as rubric files name it, such as `weight` or `anchor 3`.
    pub part: String,
    /// What it was; `None` where it was not there.
    pub before: Option<String>,
    /// What it is; `None` where it is gone.
    pub after: Option<String>,
}

/// What moved between two rubrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RubricDifference {
    /// Criteria that only the second has, in its order.
    pub added: Vec<String>,
    /// Criteria that only the first has, in its order.
    pub removed: Vec<String>,
    /// Everything else that moved: the rubric's own parts, then each criterion's.
    pub changes: Vec<RubricChange>,
    /// Whether labels, verdicts and standings of the first are those of the second.
    pub hash: HashChange,
}

/// Whether two rubrics are one to everything that is bound to a rubric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashChange {
    /// They have one hash.
    Same,
    /// Their hashes differ, and so does the version that people see.
    Another,
    /// Their hashes differ, and name and version do not tell.
    AnotherUnderOneVersion,
}

impl RubricDifference {
    /// Whether nothing moved.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changes.is_empty()
    }
}

/// What moved from `before` to `after`.
pub fn difference(before: &Rubric, after: &Rubric) -> RubricDifference {
    let missing_in = |one: &Rubric, other: &Rubric| -> Vec<String> {
        let missing = one.criteria().iter().filter(|criterion| other.criterion(&criterion.id).is_none());
        missing.map(|criterion| criterion.id.to_string()).collect()
    };
    let mut changes = moved(None, &whole(before, after), &whole(after, before));
    for criterion in before.criteria() {
        if let Some(other) = after.criterion(&criterion.id) {
            changes.extend(moved(Some(criterion.id.as_str()), &parts(criterion), &parts(other)));
        }
    }
    let same_name = before.name() == after.name() && before.version() == after.version();
    RubricDifference {
        added: missing_in(after, before),
        removed: missing_in(before, after),
        changes,
        hash: match (before.hash() == after.hash(), same_name) {
            (true, _) => HashChange::Same,
            (false, false) => HashChange::Another,
            (false, true) => HashChange::AnotherUnderOneVersion,
        },
    }
}

/// A part's name and what it says.
type Named = (String, String);

fn moved(criterion: Option<&str>, before: &[Named], after: &[Named]) -> Vec<RubricChange> {
    let find = |parts: &[Named], name: &str| parts.iter().find(|(known, _)| known == name).cloned();
    let known: Vec<String> = before.iter().map(|(name, _)| name.clone()).collect();
    let new = after.iter().filter(|(name, _)| !known.contains(name)).map(|(name, _)| name.clone());
    let names: Vec<String> = known.iter().cloned().chain(new).collect();
    let change = |part: String| RubricChange {
        criterion: criterion.map(str::to_owned),
        before: find(before, &part).map(|(_, text)| text),
        after: find(after, &part).map(|(_, text)| text),
        part,
    };
    names.into_iter().map(change).filter(|change| change.before != change.after).collect()
}

/// The parts of a rubric that are not one criterion's. The order is that of the criteria that `other` has too.
fn whole(rubric: &Rubric, other: &Rubric) -> Vec<Named> {
    let mut parts: Vec<Named> = [
        ("name", rubric.name()),
        ("version", rubric.version()),
        ("title", rubric.title()),
        ("description", rubric.description()),
        ("updated", rubric.updated().unwrap_or_default()),
        ("review_by", rubric.review_by().unwrap_or_default()),
    ]
    .into_iter()
    .filter(|(_, text)| !text.is_empty())
    .map(|(name, text)| (name.to_owned(), text.to_owned()))
    .collect();
    let common = rubric.criteria().iter().filter(|criterion| other.criterion(&criterion.id).is_some());
    let order: Vec<&str> = common.map(|criterion| criterion.id.as_str()).collect();
    parts.push(("order of criteria".to_owned(), order.join(", ")));
    if let Some(PassRule { total_min, automatic_fails }) = rubric.pass() {
        parts.push(("pass total_min".to_owned(), plain(*total_min)));
        for fail in automatic_fails {
            let name = format!("automatic_fail {}", fail.criterion);
            parts.push((name, format!("worse than {}", fail.worse_than)));
        }
        let order: Vec<&str> = automatic_fails.iter().map(|fail| fail.criterion.as_str()).collect();
        parts.push(("order of automatic fails".to_owned(), order.join(", ")));
    }
    parts.extend(targets(rubric.targets()));
    parts.extend(
        rubric
            .gold()
            .map(|gold| ("gold_set".to_owned(), format!("{} to {} cases", gold.cases_min, gold.cases_max))),
    );
    parts
}

fn targets(targets: &[Target]) -> Vec<Named> {
    let name = |target: &Target| match &target.metric {
        Metric::Mean(id) => format!("target mean {id}"),
        other => format!("target {}", other.name()),
    };
    let range = |target: &Target| match (target.min, target.max) {
        (Some(min), Some(max)) => format!("{} to {}", plain(min), plain(max)),
        (Some(min), None) => format!("at least {}", plain(min)),
        (None, Some(max)) => format!("at most {}", plain(max)),
        (None, None) => "any".to_owned(),
    };
    let mut parts: Vec<Named> = Vec::new();
    for target in targets {
        let n_before = parts.iter().filter(|(known, _)| known.starts_with(&name(target))).count();
        let again = if n_before > 0 { format!(" ({})", n_before + 1) } else { String::new() };
        parts.push((name(target) + &again, range(target)));
    }
    if !targets.is_empty() {
        let order: Vec<String> = targets.iter().map(name).collect();
        parts.push(("order of targets".to_owned(), order.join(", ")));
    }
    parts
}

fn parts(criterion: &Criterion) -> Vec<Named> {
    let mut parts = vec![
        ("title".to_owned(), criterion.title.clone()),
        ("question".to_owned(), criterion.question.clone()),
    ];
    parts.extend(criterion.weight.map(|weight| ("weight".to_owned(), plain(weight))));
    parts.push(("direction".to_owned(), criterion.scale.direction().name().to_owned()));
    let anchors = criterion.anchors.iter();
    parts.extend(anchors.map(|anchor| (format!("anchor {}", anchor.level), anchor.text.clone())));
    let texts = [("tie", &criterion.tie), ("better", &criterion.better)];
    parts.extend(texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text.clone()?))));
    let rules: Vec<String> = criterion.rules.iter().map(|rule| (*rule).to_owned()).collect();
    let violations: Vec<String> = criterion.violations.iter().map(ToString::to_string).collect();
    let lists = [("outside", &criterion.outside), ("violations", &violations), ("rules", &rules)];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        let quoted: Vec<String> = list.iter().map(|text| format!("{text:?}")).collect();
        parts.push((name.to_owned(), quoted.join(", ")));
    }
    let named = [
        ("oracle", criterion.oracle.name()),
        ("decided_by", criterion.decider.name()),
        ("judged", criterion.judged.name()),
        ("reference", criterion.reference.name()),
        ("reasoning", criterion.reasoning.name()),
    ];
    parts.extend(named.map(|(name, text)| (name.to_owned(), text.to_owned())));
    parts
}

#[cfg(test)]
mod tests {
    #![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]

    use expect_test::{Expect, expect};

    use super::*;
    use crate::rubric::read;

    const GOLD: &str = include_str!("../../rubrics/support-gold.toml");

    /// Compares the built-in rubric with what `edits` make of it.
    #[track_caller]
    fn check(edits: &[(&str, &str)], want: &Expect) {
        let mut edited = GOLD.to_owned();
        for (from, to) in edits {
            assert!(edited.contains(from), "{from:?} is not in the rubric");
            edited = edited.replacen(from, to, 1);
        }
        let rubric = |text: &str| read(text).unwrap_or_else(|found| panic!("{found:?}")).rubric;
        let (before, after) = (rubric(GOLD), rubric(&edited));
        let got = difference(&before, &after);
        let back = difference(&after, &before);
        assert_eq!((&back.added, &back.removed, back.hash), (&got.removed, &got.added, got.hash));
        let mut text = format!("{:?}", got.hash);
        for change in &got.changes {
            let of = change.criterion.as_deref().map(|id| format!("{id} ")).unwrap_or_default();
            let [before, after] = [&change.before, &change.after].map(|side| side.as_deref().unwrap_or("–"));
            text += &format!("\n{of}{}: {before} → {after}", change.part);
        }
        want.assert_eq(&text);
    }

    #[test]
    fn nothing_moved() {
        check(&[], &expect!["Same"]);
        check(&[("version = \"1.1\"", "# a comment\nversion = \"1.1\"")], &expect!["Same"]);
    }

    #[test]
    fn a_weight_moved_under_one_version() {
        check(
            &[("weight = 40", "weight = 35"), ("weight = 25", "weight = 30")],
            &expect![[r#"
            AnotherUnderOneVersion
            accuracy weight: 40 → 35
            completeness weight: 25 → 30"#]],
        );
    }

    #[test]
    fn a_pass_mark_and_a_version() {
        check(
            &[("total_min = 70", "total_min = 75"), ("version = \"1.1\"", "version = \"1.2\"")],
            &expect![[r#"
                Another
                version: 1.1 → 1.2
                pass total_min: 70 → 75"#]],
        );
    }

    #[test]
    fn anything_that_is_hashed_is_seen() {
        // One edit at each line of the file: another hash always has a change to show for it.
        let rubric = read(GOLD).expect("built in").rubric;
        let mut n_seen = 0;
        let lines: Vec<&str> = GOLD.lines().collect();
        for (place, line) in lines.iter().enumerate() {
            let Some(at) = line.rfind('"').filter(|_| !line.trim_start().starts_with('#')) else { continue };
            let mut edited: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            edited[place].insert(at, 'x');
            let Ok(reading) = read(&edited.join("\n")) else { continue };
            let got = difference(&rubric, &reading.rubric);
            assert_eq!(got.hash == HashChange::Same, got.is_empty(), "line {}: {line}", place + 1);
            n_seen += usize::from(!got.is_empty());
        }
        assert!(n_seen > 30, "{n_seen} edits were seen");
    }
}
