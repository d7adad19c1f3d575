//! Reports as people open them: from disk, without a request, in light and dark, narrow and on paper.

use std::path::Path;

use serde_json::{Value, json};

use crate::binary::{Probity, QUICK};
use crate::client::Browser;
use crate::mock_judge::MockJudge;

/// A file that ships with the program.
fn example(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)).unwrap()
}

/// Thirty tickets with two replies each and labels of two people, and a judge that reads but leans to the first slot.
struct Scene {
    probity: Probity,
    _mock: MockJudge,
}

impl Scene {
    fn new() -> Scene {
        Scene::judged_by("position+noisy:0.15")
    }

    /// The same files, and a judge of this script.
    fn judged_by(script: &str) -> Scene {
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
    fn open(&self, browser: &Browser, page: &str, words: &str, code: i32) {
        let mut words: Vec<&str> = words.split(' ').collect();
        words.extend(["--model", "mock-judge", "--report", page]);
        self.probity.args([]).words(words.into_iter()).run().code(code);
        let path = self.probity.path(page);
        browser.open(&path);
        let asked = browser.requests();
        assert_eq!(asked, [format!("file://{}", path.display())], "{page} asks for more than itself");
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{page} does not work");
    }
}

/// The titles of the page's sections.
fn sections(browser: &Browser) -> String {
    let titles = "return [...document.querySelectorAll('h2')].map((title) => title.textContent).join(' | ')";
    browser.execute(titles, &[]).as_str().unwrap().to_owned()
}

#[test]
fn w19_a_run_opens_from_disk_and_asks_for_nothing() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::new();
    scene.open(&browser, "run.html", "run gold.csv --rubric support-gold", 0);
    assert!(browser.text("h1").contains("support-gold"));
    // No reply of this judge passes, so none is among the best.
    assert_eq!(
        sections(&browser),
        "Targets | Slices | Criteria | Failure patterns | Worst replies | All replies | Appendix"
    );
    browser.screenshots("report-run");
    scene.open(&browser, "gate.html", "run policy-cases.jsonl --policies policies.toml", 0);
    assert!(browser.count("mark") > 0, "what the gate found is marked in the text");
    browser.screenshots("report-run-gate");
}

/// What the README shows: most replies pass, some do not, and the judge has no standing.
#[test]
fn a_run_as_the_readme_shows_it() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::judged_by("noisy:0.15");
    scene.open(&browser, "gold.html", "run gold.jsonl --rubric support-gold", 0);
    assert_eq!(browser.text(".standing").to_lowercase(), "advisory");
    assert!(sections(&browser).contains("Worst replies | Best replies | All replies"));
    browser.picture("report", 900, 880);
}

#[test]
fn the_list_of_replies_is_searched_sorted_and_turned() {
    let Some(browser) = Browser::start() else { return };
    let case = |n: usize| {
        let (id, slice) = (format!("t-{n:03}"), format!("s{}", n % 3));
        json!({ "id": id, "slice": slice, "ticket": "Where is my parcel?", "reply": format!("Track {n}.") })
    };
    let cases = Value::Array((0..250).map(case).collect()).to_string();
    let probity = Probity::new().file("cases.json", cases);
    probity.args(["run", "cases.json", "--judge", "baseline", "--report", "run.html"]).run().code(0);
    browser.open(&probity.path("run.html"));
    assert_eq!(browser.text("#shown"), "250 of 250 replies, page 1 of 3");
    browser.click("#on");
    assert_eq!(browser.text("#replies-body tr td"), "t-100");
    browser.click("th button");
    browser.click("th button");
    browser.click("#back");
    assert_eq!(browser.text("#replies-body tr td"), "t-249");
    browser.send_keys("#words", "t-01");
    assert_eq!(browser.text("#shown"), "10 of 250 replies, page 1 of 1");
    browser.send_keys("#slice", "s1");
    assert_eq!(browser.text("#shown"), "4 of 250 replies, page 1 of 1");
}

#[test]
fn w19_comparison_and_calibration_open_from_disk() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::new();
    scene.open(&browser, "compare.html", "compare old.jsonl new.jsonl --resamples 500", 0);
    assert_eq!(
        sections(&browser),
        "Who wins | Order | Length | Slices | For a person to decide | At the gate | Appendix"
    );
    assert_eq!(browser.count("td.same"), 5, "what was said in both orders");
    assert!(browser.count(".chart .dot, .chart .ring, .chart .wedge") >= 25, "a point for each pair");
    browser.screenshots("report-compare");

    let words =
        "calibrate old.jsonl new.jsonl --labels labels.jsonl --resamples 500 --rubric pairwise-support";
    scene.open(&browser, "calibrate.html", words, 0);
    assert_eq!(
        sections(&browser),
        "Agreement with people | Slices, between floor and ceiling | Confusion | Reliability | All figures | \
         People, two by two | What became of the labels | Appendix"
    );
    assert_eq!(browser.count("#slices ~ .scroll .mark"), 6, "a floor and a ceiling for each of three slices");
    browser.screenshots("report-calibrate");
}

#[test]
fn w19_probing_and_promotion_open_from_disk() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::new();
    scene.open(&browser, "probe.html", "probe old.jsonl --bases 12 --rubric pairwise-support", 0);
    assert!(
        sections(&browser).starts_with("Shortcuts that work, faults that are missed | Not decided | "),
        "{}",
        sections(&browser)
    );
    assert!(browser.text("main").contains("position_swap"));
    browser.screenshots("report-probe");

    let words = "promote old.jsonl new.jsonl --labels labels.jsonl --resamples 500 --rubric pairwise-support --contract contract.toml";
    scene.open(&browser, "promote.html", words, 1);
    assert_eq!(
        sections(&browser),
        "Decision | Hard gates | Rubric contract | Judge runs | Bias probes | Calibration | \
         What a standing is bound to | Appendix"
    );
    assert_eq!(browser.text(".standing").to_lowercase(), "advisory");
    assert!(browser.text("#decision ~ .scroll").contains("not met"));
    browser.screenshots("report-promote");
}
