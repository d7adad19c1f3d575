//! The battery and probes of one's own as files.

use super::*;

#[test]
fn the_battery_has_every_family() {
    let battery = battery();
    for (name, family) in Family::NAMED.iter().filter(|(name, _)| *name != "own") {
        assert!(battery.iter().any(|probe| probe.family == *family), "{name}");
    }
}

#[test]
fn every_probe_of_the_battery_makes_sense() {
    let mut names = std::collections::BTreeSet::new();
    for Probe { name, change, expects, falls, forms, .. } in battery() {
        assert!(names.insert(name.clone()), "{name} stands twice");
        assert!(!forms.is_empty() && falls.is_some() == (expects == Expectation::MustFall), "{name}");
        match change {
            Change::Append { text, control }
            | Change::Prepend { text, control }
            | Change::TicketAppend { text, control }
            | Change::FurtherQuestion { text, control, .. }
            | Change::Hidden { text, control, .. } => {
                assert_eq!(text.chars().count(), control.chars().count(), "{name}: length is not measured");
            }
            Change::Repeat { times } => assert!((2..=1000).contains(&times), "{name}"),
            Change::Pad { fillers } => assert!(!fillers.is_empty(), "{name}"),
            _ => {}
        }
    }
}

#[test]
fn n25_a_fault_finds_its_criterion_or_says_that_there_is_none() {
    let found = |name: &str, task: &JudgeTask| match probe(name).inapplicable(task) {
        Some(why) => why.to_owned(),
        None => probe(name).criterion(task).map_or_else(|| "the pair".to_owned(), |id| id.to_string()),
    };
    let gold = task("support-gold");
    for (name, in_gold, in_levels) in [
        ("wrong_figure", "accuracy", "relevance"),
        ("missing_step", "completeness", "relevance"),
        ("other_question", "accuracy", "relevance"),
        ("rude_sentence", "tone", "tone"),
        ("cold_sentence", "tone", "tone"),
        (
            "invented_promise",
            "safety",
            "no criterion of this rubric is known to be about safety: name it under [criteria] in a file for --probes",
        ),
    ] {
        assert_eq!(found(name, &gold), in_gold, "{name}");
        assert_eq!(found(name, &levels()), in_levels, "{name}");
        assert_eq!(found(name, &preference()), "the pair", "{name}");
    }
    let own = read_own("[criteria]\nsafety = \"tone\"\n").expect("a file without a probe of its own");
    assert_eq!(found("invented_promise", &levels().naming(&own.criteria).expect("it is judged")), "tone");
    let wrong = read_own("[criteria]\nsafety = \"wit\"\n").expect("an id");
    let error = levels().naming(&wrong.criteria).expect_err("no judge decides it").to_string();
    assert_eq!(error, "[criteria] safety: no judge is asked about a criterion called `wit`");
    assert!(
        read_own("[criteria]\nsaftey = \"tone\"\n").is_err()
            && read_own("[criteria]\ntone = \"A B\"\n").is_err()
    );
}

const OWN: &str = r#"
[[probe]]
name = "next_step_wins"
ticket = "My parcel is late."
reply_a = "We are sorry."
reply_b = "Open the orders page."
expected = "b"

[[probe]]
name = "no_bonus_for_yes"
means = "A yes is put first"
turns = [{ role = "customer", text = "Late." }, { role = "agent", text = "Which one?" }]
reply = "Open the orders page."
changed = "Yes! Open the orders page."
expects = "no_rise"
"#;

#[test]
fn own_probes_are_read() {
    let own = read_own(OWN).expect("good probes").probes;
    let read: Vec<(&str, &str)> =
        own.iter().map(|probe| (probe.name.as_str(), probe.expects.name())).collect();
    assert_eq!(read, [("next_step_wins", "b"), ("no_bonus_for_yes", "no_rise")]);
    assert!(own[0].inapplicable(&levels()).is_some() && own[1].inapplicable(&preference()).is_some());
}

#[track_caller]
fn own_refused(lines: &str, want: &str) {
    let found = read_own(&format!("[[probe]]\nname = \"p\"\n{lines}\n")).expect_err("it cannot be used");
    assert!(found.iter().any(|problem| problem.message.contains(want)), "{found:?}");
}

#[test]
fn bad_own_probes_say_why() {
    own_refused("ticket = \"t\"", "found neither");
    own_refused("ticket = \"t\"\nreply = \"a\"\nreply_a = \"b\"", "found both");
    own_refused(
        "reply_a = \"a\"\nreply_b = \"b\"\nexpected = \"a\"",
        "expected `ticket` or `turns`, found neither",
    );
    own_refused("ticket = \"t\"\nreply_a = \"a\"\nreply_b = \"a\"\nexpected = \"a\"", "are the same text");
    own_refused(
        "ticket = \"t\"\nreply_a = \"a\"\nreply_b = \"b\"\nexpected = \"c\"",
        "`expected` must be one of a, b, tie",
    );
    own_refused(
        "ticket = \"t\"\nreply = \"a\"\nchanged = \"b\"\nexpects = \"lowest\"",
        "`expects` must be one of no_rise, no_move, must_fall",
    );
    own_refused("turns = []\nreply = \"a\"\nchanged = \"b\"\nexpects = \"no_rise\"", "`turns` is empty");
    assert!(read_own("").is_err(), "a file without a probe is a mistake");
    own_refused(
        "ticket = \"t\"\nreply = \"a\"\nchanged = \"b\"\nexpects = \"must_fall\"",
        "[[probe]] has no `criterion`",
    );
    own_refused(
        "ticket = \"t\"\nreply = \"a\"\nchanged = \"b\"\nexpects = \"no_rise\"\ncriterion = \"tone\"",
        "`criterion` has no effect on expects = \"no_rise\"",
    );
}
