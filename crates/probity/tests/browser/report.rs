//! Reports as people open them: from disk, without a request, in light and dark, narrow and on paper.

use std::path::Path;

use serde_json::{Value, json};

use crate::axe::accessible;
use crate::binary::{Probity, QUICK};
use crate::client::Browser;
use crate::mock_judge::MockJudge;

/// A file that ships with the program.
fn example(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)).unwrap()
}

/// Thirty tickets with two replies each and labels of two people, and a judge that reads but leans to the first slot.
pub(crate) struct Scene {
    pub(crate) probity: Probity,
    _mock: MockJudge,
}

impl Scene {
    pub(crate) fn new() -> Scene {
        Scene::judged_by("position+noisy:0.15")
    }

    /// The same files, and a judge of this script.
    pub(crate) fn judged_by(script: &str) -> Scene {
        let mock = MockJudge::start(&["--script", script]);
        let mut probity = Probity::new()
            .file("probity.toml", QUICK)
            .variable("OPENAI_API_KEY", "sk-mock")
            .variable("OPENAI_BASE_URL", &mock.url());
        for name in ["old.jsonl", "new.jsonl", "labels.jsonl"] {
            probity = probity.file(name, example(&format!("weak-judge/{name}")));
        }
        for name in ["gold.csv", "contract.toml", "policies.toml", "policy-cases.jsonl"] {
            probity = probity.file(name, example(name));
        }
        probity = probity.file("gold.jsonl", example("ci/gold.jsonl"));
        Scene { probity, _mock: mock }
    }

    /// Runs a command that writes `page`, and opens it. It must ask for nothing but itself and not complain.
    #[track_caller]
    pub(crate) fn open(&self, browser: &Browser, page: &str, words: &str, code: i32) {
        self.open_made(browser, page, &format!("{words} --model mock-judge"), code);
    }

    /// The same of a command that asks no judge.
    #[track_caller]
    pub(crate) fn open_made(&self, browser: &Browser, page: &str, words: &str, code: i32) {
        let words = words.split(' ').chain(["--report", page]);
        self.probity.args([]).words(words).run().code(code);
        let path = self.probity.path(page);
        browser.open(&path);
        let asked = browser.requests();
        assert_eq!(asked, [format!("file://{}", path.display())], "{page} asks for more than itself");
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{page} does not work");
        accessible(browser, page);
        sentence_and_picture(browser, page);
        browser.fits(page);
    }
}

/// Every page begins with one sentence that has its main figure, and a picture in sight.
#[track_caller]
fn sentence_and_picture(browser: &Browser, page: &str) {
    assert_eq!(browser.count("h1"), 1, "{page} has one sentence");
    let sentence = browser.text("h1");
    assert!(sentence.chars().any(|c| c.is_ascii_digit()) && sentence.ends_with('.'), "{page}: {sentence}");
    let top = "const drawn = [...document.querySelectorAll('main svg, main .shapes')].map((each) => each.getBoundingClientRect()) \
        .filter((box) => box.width > 0).map((box) => box.top + scrollY); return Math.min(...drawn)";
    let top = browser.execute(top, &[]).as_f64().expect("a picture");
    assert!(top < 700.0, "{page}: its first picture is {top} px down");
}

/// The titles of the page's sections.
fn sections(browser: &Browser) -> String {
    let titles = "return [...document.querySelectorAll('h2:not(#case-name)')].map((title) => title.textContent).join(' | ')";
    browser.execute(titles, &[]).as_str().unwrap().to_owned()
}

#[test]
fn w19_a_run_opens_from_disk_and_asks_for_nothing() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::new();
    scene.open(&browser, "run.html", "run gold.csv --rubric support-gold", 0);
    assert!(browser.text("h1").contains("replies pass"));
    assert_eq!(
        sections(&browser),
        "Pass rate | Outcomes | Targets | Criteria | Totals | Failure patterns | Appendix | Keys"
    );
    browser.screenshots("report-run");
    scene.open(&browser, "gate.html", "run policy-cases.jsonl --policies policies.toml", 0);
    browser.send_keys("[data-key=o]", "blocked");
    browser.click(".row");
    assert!(browser.count(".answer mark") > 0, "what the gate found is marked in the text");
    accessible(&browser, "an open case");
    browser.screenshots("report-run-gate");
}

/// What the README shows: most replies pass, some do not, and the judge has no standing.
#[test]
fn a_run_as_the_readme_shows_it() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::judged_by("noisy:0.15");
    scene.open(&browser, "gold.html", "run gold.jsonl --rubric support-gold", 0);
    assert_eq!(browser.text(".standing").to_lowercase(), "advisory");
    browser.picture("report", 900, 880);
}

/// What the list says of itself: how many rows match, and the name of the first.
fn listed(browser: &Browser) -> String {
    let first = "const row = document.querySelector('.row code'); return row ? row.textContent : 'none'";
    let count = browser.execute("return document.getElementById('count').textContent", &[]);
    format!("{}, first {}", count.as_str().unwrap(), browser.execute(first, &[]).as_str().unwrap())
}

/// Waits until the list says this of itself.
#[track_caller]
fn lists(browser: &Browser, want: &str) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(5);
    while listed(browser) != want && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(listed(browser), want);
}

#[test]
fn the_list_of_replies_is_searched_filtered_and_sorted_and_opens_a_case() {
    let Some(browser) = Browser::start() else { return };
    let case = |n: usize| {
        let (id, slice) = (format!("t-{n:03}"), format!("s{}", n % 3));
        json!({ "id": id, "slice": slice, "ticket": format!("Where is parcel {n}?"), "reply": format!("Track {n}.") })
    };
    let cases = Value::Array((0..250).map(case).collect()).to_string();
    let probity = Probity::new().file("cases.json", cases);
    probity.args(["run", "cases.json", "--judge", "baseline", "--report", "run.html"]).run().code(0);
    let path = probity.path("run.html");
    browser.open(&path);
    browser.click("[data-sort=name]");
    lists(&browser, "250 replies, first t-000");
    browser.click("[data-sort=name]");
    lists(&browser, "250 replies, first t-249");
    assert_eq!(browser.count("[aria-sort=descending]"), 1);
    browser.send_keys("#q", "parcel 24");
    lists(&browser, "11 of 250 replies, first t-249");
    browser.send_keys("[data-key=slice]", "s1");
    lists(&browser, "3 of 250 replies, first t-247");
    let rows = "return [...document.querySelectorAll('.row code')].map((each) => each.textContent)";
    assert_eq!(browser.execute(rows, &[]), json!(["t-247", "t-244", "t-241"]));
    browser.click(".row");
    assert_eq!(browser.text(".turn .words"), "Where is parcel 247?");
    assert_eq!(browser.text(".turn mark.found"), "parcel 24");
    // The same address shows the same rows, the same order and the same case.
    let address = browser.execute("return location.hash", &[]).as_str().unwrap().to_owned();
    let other = Browser::start().expect("there was a browser a moment ago");
    other.open(&path);
    other.execute("location.hash = arguments[0]; location.reload()", &[json!(address)]);
    lists(&other, "3 of 250 replies, first t-247");
    assert_eq!(other.execute(rows, &[]), json!(["t-247", "t-244", "t-241"]));
    assert_eq!(other.text(".turn .words"), "Where is parcel 247?");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn w19_comparison_and_calibration_open_from_disk() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::new();
    scene.open(&browser, "compare.html", "compare old.jsonl new.jsonl --resamples 500", 0);
    assert_eq!(sections(&browser), "Who wins | Order | Length | Slices | At the gate | Appendix | Keys");
    assert_eq!(browser.count("td.same"), 5, "what was said in both orders");
    assert!(browser.count(".chart .dot, .chart .ring, .chart .wedge") >= 25, "a point for each pair");
    browser.screenshots("report-compare");

    let words =
        "calibrate old.jsonl new.jsonl --labels labels.jsonl --resamples 500 --rubric pairwise-support";
    scene.open(&browser, "calibrate.html", words, 0);
    assert_eq!(
        sections(&browser),
        "Agreement with people | Slices, between floor and ceiling | Confusion | Reliability | All figures | \
         People, two by two | What became of the labels | Appendix | Keys"
    );
    assert_eq!(browser.count("#slices .mark"), 6, "a floor and a ceiling for each of three slices");
    browser.screenshots("report-calibrate");
}

#[test]
fn w19_probing_and_promotion_open_from_disk() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::new();
    scene.open(&browser, "probe.html", "probe old.jsonl --bases 12 --rubric pairwise-support", 0);
    assert_eq!(sections(&browser), "By family | Appendix | Keys");
    assert!(browser.count("#families > details") >= 10, "one line for each family");
    let first = browser.text("#families > details > summary");
    assert!(first.contains(" of "), "what works stands first: {first}");
    assert_eq!(
        browser.count("#families > details[open]"),
        browser.count("#families > details > summary .word.missed")
    );
    let works = browser.count("#families details[open] td.missed");
    assert!(works > 0, "a shortcut works on this judge");
    let whole = "return [...document.querySelectorAll('#families .sides')].filter((each) => [...each.querySelectorAll('.words')] \
        .filter((words) => words.textContent.trim()).length === 2 && each.nextElementSibling.matches('.moves')).length";
    assert_eq!(
        browser.execute(whole, &[]),
        works,
        "an example with both texts and levels for each that works"
    );
    browser.screenshots("report-probe");

    let promoting = "promote old.jsonl new.jsonl --labels labels.jsonl --resamples 500 --rubric pairwise-support --contract contract.toml";
    scene.open(&browser, "promote.html", promoting, 1);
    assert_eq!(
        sections(&browser),
        "What is missing | All requirements | Then | Hard gates | Rubric contract | Judge runs | Bias probes | Calibration | \
         What a standing is bound to | Appendix | Keys"
    );
    assert_eq!(browser.text(".standing").to_lowercase(), "advisory");
    assert!(browser.count("#missing > details") > 0 && browser.text("#missing").contains("to go"));
    assert!(
        browser.count("#missing .have") > 0 && browser.count("#missing .need") > 0,
        "bars of have and need"
    );
    assert!(browser.text("#missing .command code").starts_with("probity "));
    assert!(!browser.text("main").contains('…'), "nothing is cut off");
    let tops = "return [...document.querySelectorAll('#missing, #requirements, #then')].map((each) => each.getBoundingClientRect().top)";
    let tops = browser.execute(tops, &[]);
    assert!(tops[0].as_f64() < tops[1].as_f64(), "what is missing stands first: {tops}");
    browser.screenshots("report-promote");
    commands_run(&browser, &scene);
}

/// The commands on a page run as they are printed; a queue is made and not served.
#[track_caller]
fn commands_run(browser: &Browser, scene: &Scene) {
    let printed = "return [...new Set([...document.querySelectorAll('.command code')].map((each) => each.textContent))]";
    let printed = browser.execute(printed, &[]);
    assert!(printed.as_array().unwrap().len() >= 3, "{printed}");
    for command in printed.as_array().unwrap() {
        let words: Vec<&str> = command.as_str().unwrap().split(' ').skip(1).collect();
        let more: &[&str] = if words[0] == "review" { &["--no-serve"] } else { &[] };
        let ran = scene.probity.args([]).words(words.iter().chain(more).copied()).run();
        assert!([Some(0), Some(1)].contains(&ran.code), "{command}: {}", ran.stderr);
    }
}
