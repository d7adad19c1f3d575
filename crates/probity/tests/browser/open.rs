//! `probity open` in use: home, a run by keyboard alone, a results file, and the look that a person chose.

use serde_json::json;

use crate::binary::Probity;
use crate::client::{Browser, Look};
use crate::review_room::{ENTER, ESCAPE, ReviewRoom};

/// Cases of two slices; one of them has words that no other has.
fn cases(n: usize) -> String {
    let case = |n: usize| {
        let slice = if n.is_multiple_of(2) { "billing" } else { "returns" };
        let word = if n == 7 { "zeppelin" } else { "parcel" };
        json!({
            "id": format!("c-{n:02}"), "slice": slice, "ticket": format!("Where is my {word} {n}?"),
            "reply": format!("Your {word} {n} is on its way and comes on day {n}."),
        })
        .to_string()
    };
    (1..=n).map(case).collect::<Vec<_>>().join("\n")
}

fn counted(browser: &Browser, text: &str) {
    browser.wait_until(&format!("document.getElementById('count').textContent === {text:?}"));
}

#[test]
fn a_list_is_narrowed_to_one_case_and_back_by_keyboard_alone() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases(12));
    probity.args(["run", "cases.jsonl", "--rubric", "support-gold"]).run();
    let room = ReviewRoom::open(&probity, &["last"]);
    browser.come_in(room.link("Lena"));
    assert_eq!(browser.url(), room.url("/runs/1"), "the run that was named comes first");
    counted(&browser, "12 replies");
    browser.press("/");
    browser.press(&format!("zeppelin{ESCAPE}"));
    counted(&browser, "1 of 12 replies");
    assert!(browser.url().ends_with("/runs/1?q=zeppelin"), "{}", browser.url());
    browser.press(ENTER);
    browser.wait_until(
        "document.querySelector('#case .case')?.textContent.includes('zeppelin 7 is on its way')",
    );
    assert!(browser.url().contains("case=c-07"), "{}", browser.url());
    // The same address shows the same case to another reader.
    let address = browser.url();
    browser.goto(&address);
    browser.wait_until("document.querySelector('#case .case')?.textContent.includes('zeppelin 7')");
    browser.press(ESCAPE);
    browser.wait_until("!location.search.includes('case=')");
    browser.press("x");
    counted(&browser, "12 replies");
    assert!(browser.url().ends_with("/runs/1?"), "{}", browser.url());
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_look_that_was_chosen_stays_in_the_browser_and_keys_are_listed() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases(3));
    probity.args(["run", "cases.jsonl"]).run().code(0);
    let room = ReviewRoom::open(&probity, &[]);
    browser.come_in(room.link("Lena"));
    let ground = || browser.execute("return getComputedStyle(document.body).backgroundColor", &[]);
    let (light, dark) = (json!("rgb(249, 249, 246)"), json!("rgb(18, 19, 21)"));
    assert_eq!(ground(), light);
    let choose = |look: &str| {
        let script = "const select = document.getElementById('scheme'); select.value = arguments[0]; \
            select.dispatchEvent(new Event('change'))";
        browser.execute(script, &[json!(look)]);
    };
    choose("dark");
    assert_eq!(ground(), dark);
    for path in ["/runs", "/runs/1"] {
        browser.goto(&room.url(path));
        assert_eq!(ground(), dark, "{path}");
    }
    browser.look(Look::Dark);
    choose("light");
    assert_eq!(ground(), light, "although the system is dark");
    choose("auto");
    assert_eq!(ground(), dark, "as the system is");
    browser.look(Look::Light);
    for (path, key) in [("/", "Submit and go on"), ("/runs/1", "Previous and next failing reply")] {
        browser.goto(&room.url(path));
        browser.wait_until("document.documentElement.dataset.ready");
        browser.press("?");
        browser.wait_until("document.getElementById('help').open");
        assert!(browser.text("#help").contains(key), "{path}");
        browser.press(ESCAPE);
    }
    // Where single keys are off, the list does not take them either.
    browser.execute("localStorage.setItem('single-keys', 'off')", &[]);
    browser.press("/");
    assert_eq!(browser.execute("return document.activeElement.id", &[]), "");
}

#[test]
fn a_results_file_is_looked_at_without_a_store() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases(5));
    let words = ["--output", "results.json", "--store", "elsewhere.db", "--rubric", "support-gold"];
    probity.args(["run", "cases.jsonl"]).words(words.into_iter()).run();
    std::fs::remove_file(probity.path("elsewhere.db")).unwrap();
    let room = ReviewRoom::open(&probity, &["results.json"]);
    browser.come_in(room.link("Lena"));
    assert!(browser.text("main").contains("results.json"), "{}", browser.text("main"));
    assert_eq!(browser.count("nav li"), 2, "no queues and no people");
    browser.turned(|| browser.click("a.two"));
    counted(&browser, "5 replies");
    assert!(!probity.path(".probity").exists(), "no store was made");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
