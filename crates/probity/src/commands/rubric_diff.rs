//! `probity rubric diff`: what moved between two rubrics, and what stays behind with the old one.

use probity_core::report::rubric_name;
use probity_core::results::RubricName;
use probity_core::rubric::{HashChange, Rubric, RubricChange, RubricDifference, difference};
use schemars::JsonSchema;
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::plain::plain;
use crate::render::report::pretty;
use crate::{settings, terminal};

/// Texts up to this length stand on one line with what they became.
const LINE_CHARS_MAX: usize = 30;
/// As much of a hash as tells rubrics apart.
const HASH_CHARS: usize = 12;

/// Runs the command on two rubrics by name or file.
pub(crate) fn diff(before: &str, after: &str, as_json: bool) -> Result<Exit, Failure> {
    let note = |line: &str| {
        if !as_json {
            terminal::note(line);
        }
    };
    let (one, other) = (settings::rubric(before, &note)?, settings::rubric(after, &note)?);
    let moved = difference(&one, &other);
    let text = if as_json {
        pretty(&RubricDiffDocument::new(&one, &other, &moved))
    } else {
        shown([before, after], &one, &other, &moved)
    };
    terminal::deliver(&text)?;
    Ok(Exit::Done)
}

/// What a reader should be told beside the changes.
fn warning(one: &Rubric, moved: &RubricDifference) -> Option<String> {
    (moved.hash == HashChange::AnotherUnderOneVersion)
        .then(|| format!("version is still {}: give the edited rubric a new one", plain(one.version())))
}

/// What `rubric diff --json` writes.
#[derive(Serialize, JsonSchema)]
pub(super) struct RubricDiffDocument {
    before: RubricName,
    after: RubricName,
    /// Whether labels, verdicts and standings of the first are those of the second.
    same_hash: bool,
    added: Vec<String>,
    removed: Vec<String>,
    changes: Vec<RubricChange>,
    warnings: Vec<String>,
}

impl RubricDiffDocument {
    fn new(one: &Rubric, other: &Rubric, moved: &RubricDifference) -> RubricDiffDocument {
        let RubricDifference { added, removed, changes, hash } = moved.clone();
        let (before, after) = (rubric_name(one), rubric_name(other));
        let warnings = warning(one, moved).into_iter().collect();
        RubricDiffDocument {
            before,
            after,
            same_hash: hash == HashChange::Same,
            added,
            removed,
            changes,
            warnings,
        }
    }
}

fn shown(names: [&str; 2], one: &Rubric, other: &Rubric, moved: &RubricDifference) -> String {
    let title = |name: &str, rubric: &Rubric| {
        let own = format!("{} {}", rubric.name(), plain(rubric.version()));
        if name == rubric.name() { own } else { format!("{own} ({})", plain(name)) }
    };
    let mut out = format!("{} → {}\n", title(names[0], one), title(names[1], other));
    for (what, ids) in [("criteria added", &moved.added), ("criteria removed", &moved.removed)] {
        if !ids.is_empty() {
            out += &format!("{what}: {}\n", ids.join(", "));
        }
    }
    let mut heading: Option<Option<&str>> = None;
    for change in &moved.changes {
        let of = change.criterion.as_deref();
        if heading != Some(of) {
            out += &format!("\n{}\n", of.unwrap_or("the rubric"));
            heading = Some(of);
        }
        out += &change_lines(change);
    }
    let start = |rubric: &Rubric| rubric.hash().chars().take(HASH_CHARS).collect::<String>();
    out += &match moved.hash {
        HashChange::Same if moved.is_empty() => format!("nothing changed; hash {}\n", start(one)),
        HashChange::Same => format!("\nthe hash is still {}: labels and standings carry over\n", start(one)),
        HashChange::Another | HashChange::AnotherUnderOneVersion => format!(
            "\nthe hash changed, {} → {}: labels, figures and standings stay with the old rubric\n",
            start(one),
            start(other)
        ),
    };
    out + &warning(one, moved).map(|warning| format!("warning: {warning}\n")).unwrap_or_default()
}

fn change_lines(change: &RubricChange) -> String {
    let [before, after] = [&change.before, &change.after].map(|side| side.as_deref().map(plain));
    let is_short =
        |side: &Option<String>| side.as_ref().is_none_or(|text| text.chars().count() <= LINE_CHARS_MAX);
    let part = plain(&change.part);
    if is_short(&before) && is_short(&after) {
        let side = |side: Option<String>| side.unwrap_or_else(|| "(not there)".to_owned());
        return format!("  {part}: {} → {}\n", side(before), side(after));
    }
    let line = |mark: &str, side: Option<String>| {
        side.map(|text| format!("    {mark} {text}\n")).unwrap_or_default()
    };
    format!("  {part}\n{}{}", line("−", before), line("+", after))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]

    use expect_test::{Expect, expect};
    use probity_core::rubric::{built_in, read};
    use serde_json::json;

    use super::*;

    const GOLD: &str = include_str!("../../../probity-core/rubrics/support-gold.toml");

    /// Compares the built-in rubric with what `edits` make of it, hashes left out.
    #[track_caller]
    fn check(edits: &[(&str, &str)], want: &Expect) {
        let mut edited = GOLD.to_owned();
        for (from, to) in edits {
            assert!(edited.contains(from), "{from:?} is not in the rubric");
            edited = edited.replacen(from, to, 1);
        }
        let one = built_in("support-gold").expect("built in");
        let other = read(&edited).unwrap_or_else(|found| panic!("{found:?}")).rubric;
        let text = shown(["support-gold", "mine.toml"], &one, &other, &difference(&one, &other));
        let hide =
            |text: &str, rubric: &Rubric, as_what: &str| text.replace(&rubric.hash()[..HASH_CHARS], as_what);
        want.assert_eq(&hide(&hide(&text, &one, "OLD"), &other, "NEW"));
    }

    #[test]
    fn an_edit_without_a_new_version_is_a_warning() {
        check(
            &[
                ("weight = 40", "weight = 35"),
                ("weight = 25", "weight = 30"),
                ("is imprecise but not misleading", "is off but not misleading"),
                ("total_min = 70", "total_min = 75"),
            ],
            &expect![[r#"
                support-gold 1.1 → support-gold 1.1 (mine.toml)

                the rubric
                  pass total_min: 70 → 75

                accuracy
                  weight: 40 → 35
                  anchor 3
                    − Correct on the issue; a minor detail is imprecise but not misleading.
                    + Correct on the issue; a minor detail is off but not misleading.

                completeness
                  weight: 25 → 30

                the hash changed, OLD → NEW: labels, figures and standings stay with the old rubric
                warning: version is still 1.1: give the edited rubric a new one
            "#]],
        );
    }

    #[test]
    fn a_new_version_is_none_and_no_edit_is_nothing() {
        check(
            &[("version = \"1.1\"", "version = \"1.2\"")],
            &expect![[r#"
                support-gold 1.1 → support-gold 1.2 (mine.toml)

                the rubric
                  version: 1.1 → 1.2

                the hash changed, OLD → NEW: labels, figures and standings stay with the old rubric
            "#]],
        );
        check(
            &[],
            &expect![[r#"
                support-gold 1.1 → support-gold 1.1 (mine.toml)
                nothing changed; hash OLD
            "#]],
        );
    }

    #[test]
    fn criteria_come_and_go() {
        check(
            &[("id = \"tone\"", "id = \"warmth\"")],
            &expect![[r#"
                support-gold 1.1 → support-gold 1.1 (mine.toml)
                criteria added: warmth
                criteria removed: tone

                the hash changed, OLD → NEW: labels, figures and standings stay with the old rubric
                warning: version is still 1.1: give the edited rubric a new one
            "#]],
        );
    }

    #[test]
    fn machines_get_every_part() {
        let one = built_in("support-gold").expect("built in");
        let other = built_in("relevance-tone").expect("built in");
        let json = json!(RubricDiffDocument::new(&one, &other, &difference(&one, &other)));
        assert_eq!(json["added"], json!(["relevance"]));
        assert_eq!(json["removed"], json!(["accuracy", "completeness", "actionability", "safety"]));
        assert_eq!((&json["same_hash"], &json["warnings"]), (&json!(false), &json!([])));
        let first = &json["changes"][0];
        assert_eq!(
            first,
            &json!({ "criterion": null, "part": "name", "before": "support-gold", "after": "relevance-tone" })
        );
    }
}
