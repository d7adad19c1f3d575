//! `probity rubric`: which rubrics there are, what one says, and whether a file is one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use probity_core::rubric::{BUILT_IN, Rubric, RubricReading, built_in, read};
use probity_engine::input::{Dataset, Graders, LoadOptions, graders};
use probity_engine::run::foreign::ForeignReplies;
use probity_engine::run::standing::clock;

use crate::exit::Failure;
use crate::plain::plain;
use crate::render::card;
use crate::render::problem::located;

/// A rubric with comments, to begin with.
pub(crate) const TO_CHANGE: &str = include_str!("rubric.toml");

/// The built-in rubrics, one per line.
pub(crate) fn list() -> String {
    let rubrics: Vec<Rubric> = BUILT_IN.iter().filter_map(|(name, _)| built_in(name)).collect();
    let width = rubrics.iter().map(|rubric| rubric.name().len()).max().unwrap_or(0);
    let mut out = String::new();
    for rubric in &rubrics {
        let _ = writeln!(out, "{:width$}  {}  {}", rubric.name(), rubric.version(), rubric.title());
    }
    out
}

/// Everything `rubric` says: card, anchors, days, version and hash.
pub(crate) fn show(rubric: &Rubric) -> String {
    let days = [("updated", rubric.updated()), ("to be reviewed by", rubric.review_by())];
    let days = days.into_iter().filter_map(|(what, day)| Some(format!("{what} {}\n", day?)));
    format!(
        "{}\n{}\n{}{} {}\nhash {}\n",
        card::card(rubric),
        card::anchors(rubric),
        days.collect::<String>(),
        rubric.name(),
        plain(rubric.version()),
        rubric.hash()
    )
}

/// One line and any warnings for a good file; every problem with its line for a bad one.
pub(crate) fn check(path_shown: &str, text: &str) -> Result<String, String> {
    match read(text) {
        Ok(RubricReading { rubric, warnings }) => {
            let warnings: String =
                warnings.iter().map(|warning| located(path_shown, text, "warning: ", warning)).collect();
            let overdue = rubric.overdue(clock()).map(|notice| format!("{path_shown}: warning: {notice}\n"));
            let overdue = overdue.unwrap_or_default();
            Ok(format!("{path_shown}: ok, {}\n{warnings}{overdue}", summary(&rubric)))
        }
        Err(problems) => Err(problems.iter().map(|problem| located(path_shown, text, "", problem)).collect()),
    }
}

/// A rubric to begin with: a criterion for each grader of another tool's file, with what it was asked.
pub(crate) fn draft(path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let graders = graders_of(path)?;
    let text = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let mut out = format!(
        "# A draft made of the graders in {shown}. Say what each level means before a judge is asked.\n\n\
         name = \"draft\"\nversion = \"0.1\"\ntitle = \"Draft\"\n\n[scale]\nmin = 0\nmax = 1\n"
    );
    for (judge, asked) in &graders {
        let grader = judge.rsplit(':').next().unwrap_or(judge);
        let mut asked = asked.iter();
        let question =
            asked.next().map_or_else(|| format!("Is the reply good in respect of {grader}?"), String::clone);
        let (id, judge) = (criterion_id(grader), plain(judge));
        let (grader, question) = (text(grader), text(&question));
        let _ = write!(
            out,
            "\n# {judge}\n[[criterion]]\nid = \"{id}\"\ntitle = {grader}\nquestion = {question}\n"
        );
        for other in asked {
            let _ = writeln!(out, "# also asked: {}", plain(other));
        }
        out += "\n[criterion.anchors]\n1 = \"Yes.\"\n0 = \"No.\"\n";
    }
    Ok(out)
}

/// The graders of another tool's results, or of the file that sets them up.
fn graders_of(path: &Path) -> Result<Graders, Failure> {
    let shown = path.display().to_string();
    let found = Dataset::open(&[path.to_owned()], LoadOptions::default());
    let replies = found.ok().and_then(|dataset| ForeignReplies::of(&dataset).transpose()).transpose()?;
    if let Some(replies) = replies.filter(ForeignReplies::has_verdicts) {
        let owned = |(judge, asked): (&str, BTreeSet<&str>)| {
            (judge.to_owned(), asked.into_iter().map(str::to_owned).collect())
        };
        return Ok(replies.asked().into_iter().map(owned).collect());
    }
    let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(&shown, &error))?;
    let found = graders(&String::from_utf8_lossy(&bytes));
    if found.is_empty() {
        let expected = "expected results of another tool with the scores of its graders, a promptfoo configuration or an \
                        eval of OpenAI";
        return Err(Failure::usage(format!("{shown}: {expected}")));
    }
    Ok(found)
}

/// A grader's name as the id of a criterion.
fn criterion_id(grader: &str) -> String {
    let letters =
        grader.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    let id: String = letters.collect();
    format!("grader_{}", id.trim_matches('_'))
}

/// Checks the file at `path`.
pub(crate) fn check_file(path: &Path) -> Result<String, Failure> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| Failure::unreadable(&shown, &error))?;
    check(&shown, &text)
        .map_err(|problems| Failure::usage(format!("{shown} is not a rubric\n{}", problems.trim_end())))
}

fn summary(rubric: &Rubric) -> String {
    let criteria = match rubric.criteria().len() {
        1 => "1 criterion".to_owned(),
        n => format!("{n} criteria"),
    };
    let pass = match rubric.pass() {
        Some(pass) => format!("pass at {}", pass.total_min),
        None => "no pass rule".to_owned(),
    };
    format!("{} {}, {criteria}, {pass}, hash {}", rubric.name(), plain(rubric.version()), rubric.hash())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]

    use expect_test::expect;

    use super::*;

    const GOOD: &str = "name = \"s\"\nversion = \"1\"\ntitle = \"S\"\n[[criterion]]\nid = \"a\"\ntitle = \"A\"\n\
        question = \"Ok?\"\nlevels = [0, 1]\n[criterion.anchors]\n0 = \"rude\"\n1 = \"polite\"\n";

    #[test]
    fn built_in_rubrics_are_listed() {
        expect![[r#"
            relevance-tone    1.1  Relevance and tone
            support-gold      1.1  Support gold set
            pairwise-support  1.1  Two replies compared
        "#]]
        .assert_eq(&list());
    }

    #[test]
    fn a_rubric_is_shown_with_its_hash() {
        let text = show(&built_in("support-gold").expect("built in"));
        assert!(text.starts_with('┌'));
        assert!(text.contains("Accuracy (accuracy): levels 0–4, 40 points, decided by judge, pointwise"));
        assert!(text.contains("\n  violation: hallucination: States"));
        let hash = built_in("support-gold").expect("built in").hash().to_owned();
        assert!(text.ends_with(&format!("support-gold 1.1\nhash {hash}\n")));
    }

    #[test]
    fn r05_a_good_file_passes_with_its_warnings() {
        let hash = read(GOOD).expect("a good rubric").rubric.hash().to_owned();
        assert_eq!(
            check("a.toml", GOOD),
            Ok(format!("a.toml: ok, s 1, 1 criterion, no pass rule, hash {hash}\n"))
        );
        let inverted = GOOD.replace("rude", "great").replace("polite", "rude");
        let text = check("a.toml", &inverted).expect("a warning is no error");
        let (_, warnings) = text.split_once('\n').expect("more than one line");
        expect![[r#"
            a.toml:9: warning: level 0 should be the worst and 1 the best, but the anchors read otherwise
                [criterion.anchors]
              hint: if the lowest level is the best, say direction = "lower_is_better"
        "#]]
        .assert_eq(warnings);
    }

    #[test]
    fn every_problem_is_shown_with_its_line_and_hint() {
        let bad = GOOD
            .replace("version = \"1\"", "version = 1.0")
            .replace("title = \"A\"", "titel = \"A\\u001b\"\t\u{1b}");
        expect![[r#"
            dir/b.toml:6: not TOML: unexpected key or value, expected newline, `#`
                titel = "A\u001b" \u{1b}
        "#]]
        .assert_eq(&check("dir/b.toml", &bad).expect_err("two faults"));
        let bad =
            GOOD.replace("version = \"1\"", "version = 1.0").replace("1 = \"polite\"", "2 = \"polite\"");
        expect![[r#"
            dir/b.toml:2: `version` must be a text, found a number
                version = 1.0
              hint: put it in quotes: "1.0"
            dir/b.toml:9: no anchor for level 1
                [criterion.anchors]
              hint: say under [criterion.anchors] what each level means
            dir/b.toml:11: anchor `2` is not a level of the scale
                2 = "polite"
              hint: the levels are 0, 1
        "#]]
        .assert_eq(&check("dir/b.toml", &bad).expect_err("three faults"));
        expect![[r#"
            empty.toml:1: the top of the file has no `name`
              hint: add name = …
            empty.toml:1: the top of the file has no `version`
              hint: add version = …
            empty.toml:1: the top of the file has no `title`
              hint: add title = …
            empty.toml:1: the rubric has no criterion
              hint: add at least one [[criterion]]
        "#]]
        .assert_eq(&check("empty.toml", "").expect_err("nothing is there"));
    }
}
