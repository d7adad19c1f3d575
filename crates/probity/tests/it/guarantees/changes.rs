//! G10, G11: a changed definition is a new run that asks only what changed, and an answer that was stored is
//! never paid for twice.

use super::ledger::Judge;
use super::scene::{Ended, Scene, assert_same, cases};
use crate::answers::says;

const N_CASES: usize = 6;

/// Two criteria, so that a change of one leaves the other alone.
pub(super) const RUBRIC: &str = r#"
name = "two"
version = "1"
title = "Two questions"

[[criterion]]
id = "relevance"
title = "Relevance"
question = "Does the reply answer the ticket?"
levels = [1, 2, 3, 4, 5]
[criterion.anchors]
1 = "not at all"
2 = "barely"
3 = "half"
4 = "mostly"
5 = "fully"

[[criterion]]
id = "tone"
title = "Tone"
question = "Is the reply polite?"
levels = [1, 2, 3, 4, 5]
[criterion.anchors]
1 = "rude"
2 = "cold"
3 = "plain"
4 = "kind"
5 = "warm"
"#;

pub(super) const TEMPLATE: &str = include_str!("../../../../probity-engine/prompts/score.jinja");

/// One input with one byte changed.
struct Change {
    /// What is changed, for messages.
    what: &'static str,
    /// The file.
    file: &'static str,
    /// What stands there, and what comes in its place.
    replaced: (&'static str, &'static str),
    /// What the program names as changed, among others.
    named: &'static str,
    /// How many packets are asked about.
    n_calls: usize,
}

const SETTINGS: &str = "[judges.openai]\nmodel = \"gpt-4o-mini\"\ntemperature = 0\nseed = 7\n\
    output_tokens_max = 256\n[schedule]\nconcurrency = 4\nidle_ms = 60000\n";

const CHANGES: &[Change] = &[
    Change {
        what: "a reply",
        file: "cases.json",
        replaced: ("\"reply\":\"case-0002\"", "\"reply\":\"case-0x02\""),
        named: "cases",
        n_calls: 2,
    },
    Change {
        what: "a slice, which no judge sees",
        file: "cases.json",
        replaced: ("\"slice\":\"odd\"", "\"slice\":\"odb\""),
        named: "cases",
        n_calls: 0,
    },
    Change {
        what: "an anchor of one criterion",
        file: "rubric.toml",
        replaced: ("warm", "wars"),
        named: "rubric",
        n_calls: N_CASES,
    },
    Change {
        what: "the template",
        file: "template.jinja",
        replaced: ("You grade", "You grads"),
        named: "template",
        n_calls: 2 * N_CASES,
    },
    Change {
        what: "the model",
        file: "probity.toml",
        replaced: ("gpt-4o-mini", "gpt-4o-mind"),
        named: "judge.model",
        n_calls: 2 * N_CASES,
    },
    Change {
        what: "the temperature",
        file: "probity.toml",
        replaced: ("temperature = 0", "temperature = 1"),
        named: "judge.temperature",
        n_calls: 2 * N_CASES,
    },
    Change {
        what: "the seed",
        file: "probity.toml",
        replaced: ("seed = 7", "seed = 8"),
        named: "judge.seed",
        n_calls: 2 * N_CASES,
    },
    Change {
        what: "the cap on answers",
        file: "probity.toml",
        replaced: ("256", "257"),
        named: "judge.output_tokens_max",
        n_calls: 2 * N_CASES,
    },
];

/// The changes that concern how fast answers come and not what they are.
const NO_CHANGES: &[(&str, &str)] =
    &[("concurrency = 4", "concurrency = 5"), ("idle_ms = 60000", "idle_ms = 60001")];

fn scene(judge: &Judge) -> Scene {
    let scene = Scene::new(cases(N_CASES), &judge.base_url()).settings(SETTINGS);
    scene.write("rubric.toml", RUBRIC);
    scene.write("template.jinja", TEMPLATE);
    scene
}

fn run(scene: &Scene) -> Ended {
    scene.run(&["--rubric", "rubric.toml", "--template", "template.jinja"]).code(0)
}

#[test]
fn g10_one_changed_byte_is_a_new_run_that_asks_only_what_changed() {
    let judge = Judge::sound(2, 0);
    let scene = scene(&judge);
    let _ended = run(&scene);
    let first = scene.results_text();
    for Change { what, file, replaced: (before, after), named, n_calls } in CHANGES {
        let text = std::fs::read_to_string(scene.path(file)).expect("a file");
        assert!(text.contains(before), "{before}");
        scene.write(file, text.replacen(before, after, 1));
        let n_before = judge.n_requests();
        let ended = run(&scene);
        assert_eq!(judge.n_requests() - n_before, *n_calls, "{what}: {}", ended.stderr);
        let line =
            ended.stderr.lines().find_map(|line| line.strip_prefix("new run: changed since the last one: "));
        let parts = line.and_then(|line| line.split(';').next()).unwrap_or_default();
        assert!(parts.split(", ").any(|part| part == *named), "{what}: {}", ended.stderr);

        scene.write(file, text);
        let n_before = judge.n_requests();
        let _ended = run(&scene);
        assert_eq!(judge.n_requests(), n_before, "{what} is taken back");
        assert_same(&scene.results_text(), &first, what);
    }
}

#[test]
fn g10_what_does_not_change_answers_is_no_change() {
    let judge = Judge::sound(2, 0);
    let scene = scene(&judge);
    let _ended = run(&scene);
    let (first, n_before) = (scene.results_text(), judge.n_requests());
    for (before, after) in NO_CHANGES {
        assert!(SETTINGS.contains(before), "{before}");
        scene.write("probity.toml", SETTINGS.replace(before, after));
        let ended = run(&scene);
        assert!(!ended.stderr.contains("new run"), "{after}: {}", ended.stderr);
        assert_eq!((judge.n_requests(), &scene.results_text()), (n_before, &first), "{after}");
    }
}

/// Every settlement is taken out of the store, so that nothing but raw answers is left: what a better reader
/// of answers would find. They are read again, and nobody is asked.
#[test]
fn g11_stored_answers_are_read_again_for_nothing() {
    let judge = Judge::with(|asked, _| match asked.number(5) % 4 {
        0 => says(&format!("```json\n{}\n```", asked.verdict())),
        _ => asked.answer(),
    });
    let scene = Scene::new(cases(N_CASES), &judge.base_url());
    let _ended = scene.run(&[]).code(0);
    let (first, n_requests) = (scene.results_text(), judge.n_requests());
    let store = rusqlite::Connection::open(scene.store()).expect("a store");
    let n_taken = store.execute("DELETE FROM settlement", []).expect("settlements");
    store.close().expect("a store can be closed");
    assert_eq!(n_taken, 2 * N_CASES);
    assert!(scene.record().settled.is_empty());
    let _ended = scene.run(&[]).code(0);
    assert_eq!(judge.n_requests(), n_requests, "a stored answer was paid for twice");
    assert_same(&scene.results_text(), &first, "read again");
}

/// Killed before and after each commit: an answer is on disk together with what was read from it, or neither is.
#[test]
fn g11_an_answer_and_its_verdict_are_one_transaction() {
    for turn in 1..=2 * N_CASES {
        let judge = Judge::sound(1, 0);
        let scene = Scene::new(cases(N_CASES), &judge.base_url());
        let mut command = scene.command(&["--concurrency", "1"]);
        let point = if turn % 2 == 0 { "before_commit" } else { "after_commit" };
        command.env("PROBITY_FAULT_POINT", format!("{point}:{turn}"));
        assert_eq!(Ended::of(command).signal, Some(9), "killed at commit {turn}");
        let record = scene.record();
        assert_eq!(record.ended.len(), record.settled.len(), "an answer without a verdict, or the reverse");
        assert!(record.settled.keys().all(|asked| record.n_ended(asked) == 1));
        let n_before = judge.n_requests();
        scene.run(&["--concurrency", "1"]).code(0);
        assert_eq!(judge.n_requests() - n_before, 2 * N_CASES - record.ended.len(), "commit {turn}");
        let after = scene.record();
        after.keeps(&record);
        assert_eq!(after.settled.len(), 2 * N_CASES);
    }
}
