//! The price before: what is expected is about what is then spent, what is said to be the most is never exceeded, and
//! much is not spent without a word.

use expect_test::expect;
use serde_json::{Value, json};

use crate::answers::{kind_judge, tickets};
use crate::binary::{BINARY, Probity, QUICK};
use crate::mock::process::MockJudge;
use crate::mock::rehearsal::Rehearsal;
use crate::skipped;

/// A price per million tokens, as small models have it.
const PRICE: &str = "[prices.\"priced-1\"]\ninput_usd_per_mtok = 0.40\noutput_usd_per_mtok = 1.60\n";

/// A model so dear that few calls cost more than what is spent unasked.
const DEAR: &str = "[prices.\"dear-1\"]\ninput_usd_per_mtok = 5000\noutput_usd_per_mtok = 20000\n";

const LABELS: &str =
    "{\"item\":\"ticket-001\",\"criterion\":\"tone\",\"annotator\":\"ann\",\"label\":\"4\"}\n";

/// The examples, as far as a judge is asked about them.
const EXAMPLES: [(&str, &str); 6] = [
    ("tickets.json", include_str!("../../../../examples/tickets.json")),
    ("gold.csv", include_str!("../../../../examples/gold.csv")),
    ("conversations.jsonl", include_str!("../../../../examples/conversations.jsonl")),
    ("policy-cases.jsonl", include_str!("../../../../examples/policy-cases.jsonl")),
    ("policies.toml", include_str!("../../../../examples/policies.toml")),
    ("old.jsonl", include_str!("../../../../examples/weak-judge/old.jsonl")),
];
const NEW: &str = include_str!("../../../../examples/weak-judge/new.jsonl");

/// Commands that ask a judge about the examples.
const COMMANDS: [&str; 7] = [
    "run tickets.json",
    "run tickets.json --one-call",
    "run gold.csv --rubric support-gold",
    "run conversations.jsonl --repeats 2",
    "run policy-cases.jsonl --policies policies.toml",
    "compare old.jsonl new.jsonl",
    "probe tickets.json --bases 1",
];

fn folder(judge: &[&str]) -> Rehearsal {
    let mut files: Vec<(&str, String)> = EXAMPLES.map(|(name, text)| (name, text.to_owned())).into();
    files.extend([("new.jsonl", NEW.to_owned()), ("probity.toml", format!("{QUICK}{PRICE}"))]);
    Rehearsal::new(&files, judge)
}

/// What `command` is expected to cost and costs at most, and what it then did cost; from the store `store`.
fn priced(scene: &Rehearsal, command: &str, store: &str) -> (Value, [f64; 3]) {
    let url = scene.mock.url();
    let model = ["--model", "priced-1", "--base-url", &url, "--store", store];
    let call = |more: &[&str]| {
        let words = command.split(' ').chain(model).chain(more.iter().copied());
        scene.args([]).words(words).run()
    };
    let said = call(&["--dry-run", "--json"]).code(0).json();
    let ran = call(&["--json", "--min-coverage", "0"]).code(0).json();
    let spent = if ran["summary"].is_object() { &ran["summary"]["cost_usd"] } else { &ran["cost_usd"] };
    let figures = [&said["cost_usd_expected"], &said["cost_usd_max"], spent];
    (said.clone(), figures.map(|figure| figure.as_f64().unwrap_or_else(|| panic!("{command}: {said}"))))
}

#[track_caller]
#[expect(clippy::print_stdout, reason = "the figures are what the test is for")]
fn check_within(what: &str, [expected, most, spent]: [f64; 3]) {
    let off = 100.0 * (expected / spent - 1.0);
    println!("{what}: expected ${expected:.6}, spent ${spent:.6} ({off:+.1} %), at most ${most:.6}");
    assert!(off.abs() <= 25.0, "{what}: expected {expected}, spent {spent}");
    assert!(spent <= most, "{what}: at most {most}, spent {spent}");
}

#[test]
fn a_first_price_by_typical_lengths_is_about_what_is_spent() {
    let is_long = std::env::var_os("PROBITY_LONG_TESTS").is_some();
    for script in ["fair", "position", "length+noisy:0.3"] {
        let scene = folder(&["--script", script]);
        // One command of each kind, and the first of each judge.
        let is_usual = |n: usize| n == 0 || (script == "fair" && n >= COMMANDS.len() - 2);
        for (n, command) in COMMANDS.iter().enumerate().filter(|(n, _)| is_long || is_usual(*n)) {
            let (said, figures) = priced(&scene, command, &format!("first-{n}.db"));
            assert_eq!(said["expected_from"]["typical_tokens"]["decision"], 50, "{said}");
            check_within(&format!("{script}, {command}"), figures);
        }
    }
}

#[test]
fn a_later_price_by_the_judges_own_answers_is_about_what_is_spent() {
    // Answers that are no verdict are asked for again and billed twice; some calls fail on the way.
    let faults = ["--fault", "F60=0.2", "--fault", "F16=0.1", "--fault-attempts", "1"];
    for judge in [&["--script", "fair"][..], &faults] {
        let scene = folder(judge);
        priced(&scene, "run tickets.json", "later.db");
        let commands = [
            "run gold.csv --rubric support-gold",
            "run gold.csv --rubric support-gold --one-call",
            "run tickets.json --round 2 --repeats 2",
        ];
        let n_commands = if std::env::var_os("PROBITY_LONG_TESTS").is_some() { commands.len() } else { 1 };
        for command in &commands[..n_commands] {
            let (said, figures) = priced(&scene, command, "later.db");
            assert!(said["expected_from"]["answers"].as_u64() >= Some(5), "{said}");
            check_within(&format!("{judge:?}, {command}"), figures);
        }
    }
}

#[test]
fn what_would_cost_less_is_said_and_does() {
    let settings = format!(
        "{QUICK}[judges.openai]\ndialect = \"openai\"\n{PRICE}cached_usd_per_mtok = 0.10\n\
         batch_input_usd_per_mtok = 0.20\nbatch_output_usd_per_mtok = 0.80\n"
    );
    let scene = folder(&["--dialect", "openai"]);
    scene.write("probity.toml", &settings);
    let command = "run gold.csv --rubric support-gold";
    let (said, [expected, _, spent]) = priced(&scene, command, "whole.db");
    let ways: Vec<(&str, f64)> = said["savings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|saving| (saving["way"].as_str().unwrap(), saving["cost_usd_expected"].as_f64().unwrap()))
        .collect();
    let cost = |name: &str| ways.iter().find(|(way, _)| *way == name).unwrap_or_else(|| panic!("{said}")).1;
    assert!((cost("flex") / expected - 0.5).abs() < 1e-6, "{said}");
    assert!((cost("batch") / expected - 0.5).abs() < 1e-6, "{said}");
    let (_, [_, _, joined]) = priced(&scene, &format!("{command} --one-call"), "joined.db");
    assert!((cost("one_call") / joined - 1.0).abs() < 0.25, "{joined}: {said}");
    scene.write("probity.toml", settings.replace("dialect =", "service_tier = \"flex\"\ndialect ="));
    let (said, [expected, most, flex]) = priced(&scene, command, "flex.db");
    assert!((flex / spent - 0.5).abs() < 0.01 && (expected / flex - 1.0).abs() < 0.25, "{said}");
    assert!(flex < most, "{said}");
    let report = scene.args(["report", "1", "--store", "flex.db"]).run().code(0).stdout;
    assert!(report.contains("answers in the tier flex"), "{report}");
    let results = scene.args(["report", "1", "--store", "flex.db", "--json"]).run().code(0).json();
    assert!(results["summary"]["saved_usd"].as_f64().is_some_and(|saved| (saved / flex - 1.0).abs() < 1e-6));
    assert_eq!(results["summary"]["service_tiers"]["flex"], results["summary"]["calls"]);
}

#[test]
fn the_tier_is_no_part_of_the_judge() {
    let scene = folder(&["--dialect", "openai"]);
    let settings = format!("{QUICK}[judges.openai]\ndialect = \"openai\"\n{PRICE}");
    scene.write("probity.toml", &settings);
    let url = scene.mock.url();
    let run = || {
        let words = ["run", "tickets.json", "--model", "priced-1", "--base-url", &url, "--json"];
        scene.args(words).run().code(0).json()
    };
    let standard = run();
    scene.write("probity.toml", settings.replace("dialect =", "service_tier = \"flex\"\ndialect ="));
    let flex = run();
    assert_eq!(standard["summary"]["judge"]["id"], flex["summary"]["judge"]["id"]);
    assert_eq!(
        scene.calls().len() as u64,
        standard["summary"]["calls"].as_u64().unwrap(),
        "nothing is asked anew"
    );
    scene.write("probity.toml", format!("{QUICK}[judges.openai]\nservice_tier = \"flex\"\n"));
    scene
        .args(["run", "tickets.json", "--model", "m", "--base-url", &url])
        .run()
        .code(2)
        .says(["no known flex tier"]);
}

#[test]
fn cached_prompts_are_counted_priced_and_told() {
    let settings = format!("{QUICK}{PRICE}cached_usd_per_mtok = 0.04\n");
    for judge in ["openai", "anthropic"] {
        let scene = folder(&["--cached", "0.5"]);
        scene.write("probity.toml", &settings);
        let url = scene.mock.url();
        let words = ["run", "tickets.json", "--judge", judge, "--model", "priced-1", "--base-url", &url];
        let ran = scene.args(words).words(["--json"].into_iter()).run().code(0).json();
        let summary = &ran["summary"];
        let tokens = |name: &str| summary["tokens"][name].as_f64().unwrap();
        assert!((tokens("cached") / tokens("input") - 0.5).abs() < 0.01, "{summary}");
        let cost =
            (0.40 * (tokens("input") - tokens("cached")) + 0.04 * tokens("cached") + 1.60 * tokens("output"))
                / 1e6;
        assert!((summary["cost_usd"].as_f64().unwrap() / cost - 1.0).abs() < 1e-6, "{summary}");
        let saved = 0.36 * tokens("cached") / 1e6;
        assert!((summary["saved_usd"].as_f64().unwrap() / saved - 1.0).abs() < 1e-6, "{summary}");
        let said = scene.args(["report", "1"]).run().code(0).stdout;
        assert!(said.contains("50 % of the prompt tokens came from the host's cache"), "{said}");
        // What the judge's answers show is in the next price.
        let dry =
            scene.args(words).words(["--round", "2", "--dry-run", "--json"].into_iter()).run().code(0).json();
        assert!((dry["cost_usd_expected"].as_f64().unwrap() / cost - 1.0).abs() < 0.01, "{dry}");
    }
}

#[test]
fn anthropic_gets_marks_behind_what_does_not_change() {
    let server = kind_judge();
    let probity = Probity::new().file("tickets.json", tickets(2)).variable("ANTHROPIC_API_KEY", "sk-mock");
    let url = server.url("");
    let words = ["check", "tickets.json", "--judge", "anthropic", "--base-url", &url, "--show", "--json"];
    let shown = probity.args(words).run().code(0).json();
    let requests: Vec<&Value> =
        shown["requests"].as_array().unwrap().iter().map(|one| &one["request"]).collect();
    let mark = json!({ "type": "ephemeral" });
    let stable = |request: &Value| {
        assert_eq!(request["system"][0]["cache_control"], mark);
        let content = request["messages"][0]["content"].as_array().unwrap().clone();
        assert_eq!((content.len(), &content[0]["cache_control"]), (2, &mark));
        assert!(content[1].get("cache_control").is_none());
        content[0]["text"].as_str().unwrap().to_owned()
    };
    let texts: Vec<String> = requests.iter().map(|request| stable(request)).collect();
    assert_eq!(texts.len(), 4);
    // Two criteria, each with its own beginning, which its two packets share.
    assert_eq!(texts.iter().collect::<std::collections::BTreeSet<_>>().len(), 2);
    assert!(texts.iter().all(|text| text.starts_with("Criterion `") && !text.contains("mark")), "{texts:?}");
}

fn dear(server_url: &str) -> Probity {
    let probity =
        Probity::new().file("tickets.json", tickets(3)).file("probity.toml", format!("{QUICK}{DEAR}"));
    probity.variable("OPENAI_BASE_URL", server_url)
}

#[test]
fn much_is_not_spent_without_a_word() {
    let server = kind_judge();
    let probity = dear(&server.url("/v1"));
    let args = ["run", "tickets.json", "--model", "dear-1"];
    let refused = probity.args(args).run().code(2);
    expect![[r#"
        error: 6 calls at an expected $21.50 need your confirmation (limit: $5.00)
        hint: nothing was sent; confirm with --yes, set a limit with --budget-usd or --max-calls, or see the details with --dry-run (settings: budget.confirm_usd, budget.confirm_calls)
    "#]]
    .assert_eq(refused.after_settings());
    let new = tickets(3).replace("Reply ", "Answer ");
    for (name, text) in [("old.json", tickets(3)), ("new.json", new), ("labels.jsonl", LABELS.to_owned())] {
        probity.write(name, text);
    }
    probity.write("penny.toml", format!("{QUICK}{DEAR}[budget]\nconfirm_usd = 0.01\n"));
    for command in [
        "probe",
        "compare old.json new.json",
        "calibrate tickets.json --labels labels.jsonl",
        "score --ticket T --reply R",
    ] {
        let words = command.split(' ').chain(["--model", "dear-1", "--config", "penny.toml"]);
        probity.args([]).words(words).run().code(2).says(["need your confirmation (limit: $0.01)"]);
    }
    assert_eq!(server.n_requests(), 0);
    // A limit is a word, and stays with the run.
    let more = |words: &[&'static str]| probity.args(args).words(words.iter().copied()).run();
    more(&["--max-calls", "2"]).code(3);
    more(&[]).code(3);
    assert_eq!(server.n_requests(), 2);
    more(&["--max-calls", "100"]).code(0);
    more(&[]).code(0);
    assert_eq!(server.n_requests(), 6);
    more(&["--round", "2"]).code(2);
    more(&["--round", "2", "--yes"]).code(0);
    assert_eq!(server.n_requests(), 12);
    // The bound is a setting.
    probity.write("probity.toml", format!("{QUICK}{DEAR}[budget]\nconfirm_usd = 1000\n"));
    more(&["--round", "3"]).code(0);
}

#[test]
fn a_batch_is_confirmed_at_its_own_price() {
    // The full price is above what is spent unasked, that of a batch below it.
    let batch = "batch_input_usd_per_mtok = 500\nbatch_output_usd_per_mtok = 2000\n[batch]\npoll_ms_first = 5\npoll_ms_max = 20\n";
    let mock = MockJudge::start(&[]);
    let probity = dear(&mock.url()).variable("OPENAI_API_KEY", "sk-mock");
    let run = |more: &[&'static str]| {
        probity.args(["run", "tickets.json", "--model", "dear-1"]).words(more.iter().copied()).run()
    };
    run(&["--batch"]).code(2).says(["at an expected $21.50 need your confirmation (limit: $5.00)"]);
    probity.write("probity.toml", format!("{QUICK}{DEAR}{batch}"));
    run(&[]).code(2).says(["at an expected $21.50"]);
    run(&["--batch"]).code(0);
    probity.write("probity.toml", format!("{QUICK}{DEAR}{batch}[budget]\nconfirm_usd = 0.01\n"));
    run(&["--batch", "--round", "2"]).code(2).says(["at an expected $", "(limit: $0.01)"]);
}

#[test]
fn a_run_that_was_agreed_to_is_resumed_without_a_word() {
    let mock = MockJudge::start(&["--fault", "F10=1"]);
    let probity = dear(&mock.url());
    let args = ["run", "tickets.json", "--model", "dear-1"];
    probity.args(args).words(["--yes"].into_iter()).run().code(3);
    let mock = mock.replaced(&[]);
    probity.args(args).run().code(0);
    drop(mock);
}

#[test]
fn many_calls_at_an_unknown_price_need_a_word_unless_they_stay_here() {
    let server = kind_judge();
    let probity = Probity::new()
        .file("tickets.json", tickets(3))
        .file("probity.toml", format!("{QUICK}[budget]\nconfirm_calls = 5\n"));
    let args = ["run", "tickets.json", "--model", "m", "--base-url"];
    probity
        .args(args)
        .words(["http://10.255.255.1:9/v1"].into_iter())
        .run()
        .code(2)
        .says(["6 calls at an unknown price need your confirmation (limit: 5)"]);
    probity.args(args).words([server.url("/v1").as_str()].into_iter()).run().code(0);
}

#[test]
fn on_a_terminal_the_figure_is_asked_about() {
    let server = kind_judge();
    let probity = dear(&server.url("/v1"));
    if probity.program("script").arg("--version").output().is_err() {
        return skipped("a question on a terminal", "the program `script` is not installed");
    }
    for (answer, n_requests) in [("n", 0), ("", 0), ("y", 6)] {
        let command = format!("{BINARY} run tickets.json --model dear-1 --quiet");
        let script = format!("(sleep 1; echo '{answer}'; sleep 2) | script -qec '{command}' /dev/null");
        let output = probity.program("sh").args(["-c", &script]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("). Go on? [y/N]"), "{said}");
        assert_eq!(server.n_requests(), n_requests, "{answer}: {said}");
    }
}
