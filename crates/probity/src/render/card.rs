//! A rubric on one card, and its anchors below.
//!
//! The card is a box of at most [`COLUMNS_MAX`] columns with one line per criterion, so long texts are cut
//! with `…`; the anchors are wrapped and complete. Line breaks and control characters in a rubric's texts become
//! spaces: they could move the cursor of a terminal.

use probity_core::exact::Exact;
use probity_core::rubric::{
    AutomaticFail, Criterion, Decider, Direction, GoldSize, Metric, PassRule, ReferenceUse, Rubric, Target,
};

use crate::plain::{cut, padded, plain, width as columns};

/// The widest a line may be.
const COLUMNS_MAX: usize = 78;
/// The narrowest a card is, borders included.
const COLUMNS_MIN: usize = 40;
/// What the borders and the spaces inside them take.
const FRAME: usize = 4;
/// The widest the column of titles may be.
const TITLE_MAX: usize = 20;

/// The reference card of `rubric`: criteria, pass rule and targets in a box.
pub(crate) fn card(rubric: &Rubric) -> String {
    let head = vec![
        one_line(rubric.title()).to_uppercase(),
        format!("{} {}", rubric.name(), one_line(rubric.version())),
    ];
    let sections: Vec<Vec<String>> = [
        criteria_lines(rubric),
        rubric.pass().map(pass_lines).unwrap_or_default(),
        rubric.targets().iter().map(target_line).chain(rubric.gold().map(gold_line)).collect(),
    ]
    .into_iter()
    .filter(|section| !section.is_empty())
    .collect();
    let widest = head.iter().chain(sections.iter().flatten()).map(|line| columns(line)).max().unwrap_or(0);
    let width = widest.clamp(COLUMNS_MIN - FRAME, COLUMNS_MAX - FRAME);
    let mut out = rule('┌', '┐', width);
    for line in &head {
        let line = cut(line, width);
        out.push_str(&row(&format!("{}{line}", " ".repeat((width - columns(&line)) / 2)), width));
    }
    for section in &sections {
        out.push_str(&rule('├', '┤', width));
        for line in section {
            out.push_str(&row(&cut(line, width), width));
        }
    }
    out.push_str(&rule('└', '┘', width));
    out
}

/// Every criterion of `rubric` with all its levels, from best to worst, and what else a judge is told.
pub(crate) fn anchors(rubric: &Rubric) -> String {
    rubric.criteria().iter().map(criterion_text).collect::<Vec<_>>().join("\n")
}

fn rule(left: char, right: char, width: usize) -> String {
    format!("{left}{}{right}\n", "─".repeat(width + FRAME - 2))
}

fn row(text: &str, width: usize) -> String {
    format!("│ {} │\n", padded(text, width))
}

fn criteria_lines(rubric: &Rubric) -> Vec<String> {
    let titles: Vec<String> = rubric.criteria().iter().map(|c| cut(&one_line(&c.title), TITLE_MAX)).collect();
    let worths: Vec<String> = rubric.criteria().iter().map(worth).collect();
    let widest = |texts: &[String]| texts.iter().map(|text| columns(text)).max().unwrap_or(0);
    let (title_width, worth_width) = (widest(&titles), widest(&worths));
    let used = title_width + worth_width + 4;
    let fails = rubric.pass().map(|pass| pass.automatic_fails.as_slice()).unwrap_or_default();
    let line = |((title, worth), criterion): ((&String, &String), &Criterion)| {
        let note = note(criterion, fails);
        let room = (COLUMNS_MAX - FRAME).saturating_sub(used + columns(&note) + 1);
        let question = cut(&one_line(&criterion.question), room);
        format!("{}  {worth:>worth_width$}  {question} {note}", padded(title, title_width))
    };
    titles.iter().zip(&worths).zip(rubric.criteria()).map(line).collect()
}

/// What a criterion is worth: its share of the total, or its scale where there is no total.
fn worth(criterion: &Criterion) -> String {
    match criterion.weight {
        Some(weight) => format!("{weight}%"),
        None => scale(criterion),
    }
}

fn scale(criterion: &Criterion) -> String {
    let (scale, levels) = (&criterion.scale, criterion.scale.levels());
    let gapless = usize::try_from(scale.max() - scale.min()).is_ok_and(|width| width + 1 == levels.len());
    if gapless && levels.len() > 2 {
        return format!("{}–{}", scale.min(), scale.max());
    }
    levels.iter().map(ToString::to_string).collect::<Vec<_>>().join("/")
}

/// Who decides, and how: a judge about one reply or two, a gate by which rules.
fn decider(criterion: &Criterion) -> String {
    match criterion.decider {
        Decider::Judge => format!("judge, {}", criterion.judged.name()),
        Decider::Gate if criterion.rules.is_empty() => "gate, every rule that blocks".to_owned(),
        Decider::Gate => format!("gate, {}", criterion.rules.join(" ")),
        Decider::Person => "person".to_owned(),
    }
}

fn note(criterion: &Criterion, fails: &[AutomaticFail]) -> String {
    let decider = criterion.decider.name();
    let fails = fails.iter().any(|fail| fail.criterion == criterion.id);
    if fails { format!("({decider}, auto-fail)") } else { format!("({decider})") }
}

fn pass_lines(pass: &PassRule) -> Vec<String> {
    let mark = pass.total_min;
    let named = |fail: &AutomaticFail| format!("{} worse than {}", fail.criterion, fail.worse_than);
    let fails: Vec<String> = pass.automatic_fails.iter().map(named).collect();
    if fails.is_empty() {
        return vec![format!("PASS: total >= {mark}"), format!("FAIL: total < {mark}")];
    }
    vec![
        format!("PASS: total >= {mark} AND no automatic fail"),
        format!("FAIL: total < {mark} OR {}", fails.join(" OR ")),
    ]
}

fn gold_line(GoldSize { cases_min, cases_max }: GoldSize) -> String {
    format!("Gold set: {cases_min}–{cases_max} cases")
}

fn target_line(target: &Target) -> String {
    let figure = match &target.metric {
        Metric::PassRate => "pass rate".to_owned(),
        Metric::Mean(criterion) => format!("mean {criterion}"),
        Metric::AutomaticFailRate => "automatic fails".to_owned(),
        Metric::MeanConfidence => "mean confidence".to_owned(),
    };
    let is_share = matches!(target.metric, Metric::PassRate | Metric::AutomaticFailRate);
    let unit = if is_share { "%" } else { "" };
    let shown = |value: Exact| if is_share { value * Exact::from(100) } else { value };
    match (target.min.map(shown), target.max.map(shown)) {
        (Some(min), Some(max)) if min == max => format!("Target {figure}: {min}{unit}"),
        (Some(min), Some(max)) => format!("Target {figure}: {min}–{max}{unit}"),
        (Some(min), None) => format!("Target {figure}: >= {min}{unit}"),
        (None, Some(max)) if max == Exact::ZERO => format!("Target {figure}: 0{unit}"),
        (None, Some(max)) => format!("Target {figure}: <= {max}{unit}"),
        (None, None) => format!("Target {figure}"),
    }
}

fn criterion_text(criterion: &Criterion) -> String {
    let mut facts = vec![format!("levels {}", scale(criterion))];
    if criterion.scale.direction() == Direction::LowerIsBetter {
        facts.push("lower is better".to_owned());
    }
    facts.extend(criterion.weight.map(|weight| format!("{weight} points")));
    facts.push(format!("decided by {}", decider(criterion)));
    if criterion.reference != ReferenceUse::Hidden {
        facts.push(format!("reference {}", criterion.reference.name()));
    }
    let mut out =
        wrapped("", &format!("{} ({}): {}", one_line(&criterion.title), criterion.id, facts.join(", ")));
    out.push_str(&wrapped("  ", &criterion.question));
    let mut levels: Vec<_> = criterion.anchors.iter().collect();
    if criterion.scale.direction() == Direction::HigherIsBetter {
        levels.reverse();
    }
    let width = levels.iter().map(|anchor| columns(&anchor.level.to_string())).max().unwrap_or(0);
    for anchor in levels {
        out.push_str(&wrapped(&format!("  {:>width$}  ", anchor.level), &anchor.text));
    }
    let violations: Vec<String> = criterion.violations.iter().map(ToString::to_string).collect();
    for (name, texts) in [("violation", &violations), ("outside", &criterion.outside)] {
        for text in texts {
            out.push_str(&wrapped(&format!("  {name}: "), text));
        }
    }
    if let Some(tie) = &criterion.tie {
        out.push_str(&wrapped("  tie: ", tie));
    }
    out
}

/// `text` behind `lead`, further lines indented as far; a word longer than a line is left whole.
fn wrapped(lead: &str, text: &str) -> String {
    let indent = columns(lead);
    let (mut out, mut used) = (lead.to_owned(), indent);
    for word in one_line(text).split(' ') {
        if used > indent && used + 1 + columns(word) > COLUMNS_MAX {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            used = indent;
        } else if used > indent {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += columns(word);
    }
    out.push('\n');
    out
}

/// `text` on one line and safe to show, with single spaces.
fn one_line(text: &str) -> String {
    plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]

    use expect_test::{Expect, expect};
    use probity_core::rubric::{built_in, read};

    use super::*;

    #[track_caller]
    fn check(card: &str, want: &Expect) {
        let widths: Vec<usize> = card.lines().map(columns).collect();
        assert!(widths.iter().all(|width| *width == widths[0] && *width <= COLUMNS_MAX), "{card}");
        want.assert_eq(card);
    }

    fn rubric(text: &str) -> Rubric {
        read(text).expect("a good rubric").rubric
    }

    #[test]
    fn card_of_support_gold() {
        check(
            &card(&built_in("support-gold").expect("built in")),
            &expect![[r#"
                ┌────────────────────────────────────────────────────────────────────────────┐
                │                              SUPPORT GOLD SET                              │
                │                              support-gold 1.1                              │
                ├────────────────────────────────────────────────────────────────────────────┤
                │ Accuracy       40%  Is the reply correct about the customer's iss… (judge) │
                │ Completeness   25%  Does the reply answer everything the customer… (judge) │
                │ Tone           15%  Is the reply professional, helpful and empath… (judge) │
                │ Actionability  10%  Does the reply give clear next steps? (judge)          │
                │ Safety         10%  Is the reply free of safety violat… (judge, auto-fail) │
                ├────────────────────────────────────────────────────────────────────────────┤
                │ PASS: total >= 70 AND no automatic fail                                    │
                │ FAIL: total < 70 OR safety worse than 4                                    │
                ├────────────────────────────────────────────────────────────────────────────┤
                │ Target pass rate: 70–80%                                                   │
                │ Target mean accuracy: >= 3.2                                               │
                │ Target automatic fails: 0%                                                 │
                │ Target mean confidence: >= 0.75                                            │
                │ Gold set: 100–150 cases                                                    │
                └────────────────────────────────────────────────────────────────────────────┘
            "#]],
        );
    }

    #[test]
    fn card_of_relevance_tone() {
        check(
            &card(&built_in("relevance-tone").expect("built in")),
            &expect![[r#"
                ┌───────────────────────────────────────────────────────────────────────────┐
                │                            RELEVANCE AND TONE                             │
                │                            relevance-tone 1.1                             │
                ├───────────────────────────────────────────────────────────────────────────┤
                │ Relevance  1–5  Does the reply address the problem in the ticket? (judge) │
                │ Tone       1–5  Is the reply professional and concise? (judge)            │
                └───────────────────────────────────────────────────────────────────────────┘
            "#]],
        );
    }

    #[test]
    fn card_of_a_small_rubric() {
        let text = "name = \"s\"\nversion = \"1\"\ntitle = \"S\"\n[[criterion]]\nid = \"a\"\ntitle = \"A\"\n\
            question = \"Ok?\"\nlevels = [0, 1]\ndecided_by = \"person\"\n\
            [criterion.anchors]\n0 = \"no\"\n1 = \"yes\"\n";
        check(
            &card(&rubric(text)),
            &expect![[r#"
            ┌──────────────────────────────────────┐
            │                  S                   │
            │                 s 1                  │
            ├──────────────────────────────────────┤
            │ A  0/1  Ok? (person)                 │
            └──────────────────────────────────────┘
        "#]],
        );
    }

    #[test]
    fn card_of_long_wide_and_hostile_texts() {
        let long = "Lorem ipsum ".repeat(20);
        let text = format!(
            "name = \"{}\"\nversion = \"{long}\"\ntitle = \"{long}\"\n[[criterion]]\nid = \"a\"\n\
             title = \"返信の正確さを測る基準です。長い題名でも崩れません\"\nquestion = '''{long}\n\t{long}'''\nweight = 33.333333\n\
             levels = [-1000, -1, 0, 1, 1000]\n[criterion.anchors]\n-1000 = \"a\"\n-1 = \"b\"\n0 = \"c\"\n1 = \"d\"\n\
             1000 = \"e\"\n[[criterion]]\nid = \"{}\"\ntitle = \"\\u001b[31mB\"\nquestion = \"Über?\\nJa?\"\n\
             weight = 66.666667\nlevels = [0, 1]\n[criterion.anchors]\n0 = \"f\"\n1 = \"g\"\n\
             [pass]\ntotal_min = 12.5\n[[automatic_fail]]\ncriterion = \"a\"\nworse_than = 0\n\
             [[automatic_fail]]\ncriterion = \"{}\"\nworse_than = 1\n",
            "n".repeat(64),
            "b".repeat(64),
            "b".repeat(64),
        );
        check(
            &card(&rubric(&text)),
            &expect![[r#"
                ┌────────────────────────────────────────────────────────────────────────────┐
                │ LOREM IPSUM LOREM IPSUM LOREM IPSUM LOREM IPSUM LOREM IPSUM LOREM IPSUM L… │
                │ nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn Lorem ip… │
                ├────────────────────────────────────────────────────────────────────────────┤
                │ 返信の正確さを測る…  33.333333%  Lorem ipsum Lorem ips… (judge, auto-fail) │
                │ \u{1b}[31mB          66.666667%  Über? Ja? (judge, auto-fail)              │
                ├────────────────────────────────────────────────────────────────────────────┤
                │ PASS: total >= 12.5 AND no automatic fail                                  │
                │ FAIL: total < 12.5 OR a worse than 0 OR bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb… │
                └────────────────────────────────────────────────────────────────────────────┘
            "#]],
        );
        assert!(anchors(&rubric(&text)).chars().all(|c| c == '\n' || !c.is_control()));
    }

    #[test]
    fn anchors_of_relevance_tone() {
        let text = anchors(&built_in("relevance-tone").expect("built in"));
        assert!(text.lines().all(|line| columns(line) <= COLUMNS_MAX));
        expect![[r#"
            Relevance (relevance): levels 1–5, decided by judge, pointwise
              Does the reply address the problem in the ticket?
              5  On the problem throughout, technically accurate, nothing beside the
                 point.
              4  Solves the problem correctly; a small omission or a short detour.
              3  Partly relevant: a key aspect is missing, or much of the text is off
                 topic.
              2  About the same subject, but does not solve the reported problem.
              1  Off topic, or technically wrong.
              outside: How the reply is worded, unless the wording changes what it says.
              outside: Whether a policy allows what is offered.
              tie: Both address the problem equally well and are equally accurate.

            Tone (tone): levels 1–5, decided by judge, pointwise
              Is the reply professional and concise?
              5  Professional and concise: plain, to the point, no filler.
              4  Professional and mostly concise; a few words too many, or one phrase
                 slightly off.
              3  Usable, but wordy, chatty or somewhat robotic.
              2  Too casual for work, padded, or so clumsy that it needs a second reading.
              1  Unprofessional: disrespectful, confusing or in the wrong register.
              outside: Whether the content is correct or solves the problem.
              outside: Length that the content needs.
              tie: Any difference in manner or length is a matter of taste.
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn anchors_run_from_best_to_worst() {
        let text = "name = \"s\"\nversion = \"1\"\ntitle = \"S\"\n[[criterion]]\nid = \"effort\"\ntitle = \"Effort\"\n\
            question = \"How much work is left?\"\nscale = { min = 9, max = 11, direction = \"lower_is_better\" }\n\
            reference = \"required\"\ntie = \"The same amount.\"\nviolations = { idle = \"None done.\" }\n\
            [criterion.anchors]\n9 = \"little\"\n10 = \"some\"\n11 = \"much\"\n";
        expect![[r#"
            Effort (effort): levels 9–11, lower is better, decided by judge, pointwise,
            reference required
              How much work is left?
               9  little
              10  some
              11  much
              violation: idle: None done.
              tie: The same amount.
        "#]]
        .assert_eq(&anchors(&rubric(text)));
    }
}
