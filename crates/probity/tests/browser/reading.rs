//! What a page is for readers of other languages, over weeks, without scripts, and beside what people said.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::axe::accessible;
use crate::binary::Probity;
use crate::client::Browser;
use crate::report::Scene;
use crate::report_views::nothing_is_dead;
use crate::review::{cases_with, labels};
use crate::review_room::ReviewRoom;

const ARABIC: &str = "أين طلبي رقم ORD-4711؟ دفعت 25 يورو في 3 مايو.";
const HEBREW: &str = "ההזמנה ORD-4711 בדרך ותגיע ב-5 במאי.";
const GERMAN: &str = "„Wo bleibt mein Päckchen?“, fragt meine Frau – die E-Mail-Adresse stimmt.";

#[test]
fn right_to_left_texts_read_right_to_left_and_others_are_whole() {
    let Some(browser) = Browser::start() else { return };
    let case = |id: &str, ticket: &str, reply: &str| {
        json!({ "id": id, "ticket": ticket, "reply": reply }).to_string()
    };
    let cases =
        [case("ar-1", ARABIC, HEBREW), case("de-1", GERMAN, "„Heute“ kommt es – versprochen.")].join("\n");
    let probity = Probity::new().file("cases.jsonl", cases);
    probity.args(["run", "cases.jsonl", "--judge", "baseline", "--report", "run.html"]).run().code(0);
    browser.open(&probity.path("run.html"));
    let opened = |name: &str| {
        browser.execute("location.hash = arguments[0]; location.reload()", &[json!(format!("case={name}"))]);
        browser.wait_until(&format!("document.getElementById('case-name').textContent === {name:?} && document.querySelector('#case .answer .words')"));
        let texts = "return ['.turn .words', '.answer .words'].map((css) => document.querySelector(`#case ${css}`)) \
            .flatMap((each) => [getComputedStyle(each).direction, each.textContent])";
        browser.execute(texts, &[])
    };
    assert_eq!(opened("ar-1"), json!(["rtl", ARABIC, "rtl", HEBREW]));
    // Numbers and ids inside a sentence keep their own order: the browser draws the letters of the id from left to right.
    let in_order = "const node = document.querySelector('#case .turn .words').firstChild; const at = node.data.indexOf('ORD-4711'); \
        const left = [...'ORD-4711'].map((_, step) => { const range = document.createRange(); range.setStart(node, at + step); \
        range.setEnd(node, at + step + 1); return range.getBoundingClientRect().left; }); \
        return left.every((each, step) => !step || each > left[step - 1])";
    assert_eq!(browser.execute(in_order, &[]), true);
    let line =
        "return [...document.querySelectorAll('.row .line')].map((each) => getComputedStyle(each).direction)";
    assert!(browser.execute(line, &[]).as_array().unwrap().contains(&json!("rtl")), "in the list too");
    browser.screenshots("report-case-arabic");
    assert_eq!(opened("de-1"), json!(["ltr", GERMAN, "ltr", "„Heute“ kommt es – versprochen."]));
}

/// Sets the days on which the runs of a store were made.
fn dated(probity: &Probity, days: &[(i64, &str)]) {
    let path = probity.path(Path::new(".probity").join("store.db").to_str().unwrap());
    let store = rusqlite::Connection::open(path).unwrap();
    for (run, day) in days {
        let at = format!("{day}T08:00:00Z");
        let n = store
            .execute("UPDATE run SET outcome = json_set(outcome, '$.at', ?2) WHERE id = ?1", (run, at))
            .unwrap();
        assert_eq!(n, 1, "run {run}");
    }
}

#[test]
fn a_history_has_weeks_its_anchor_and_what_moved_first_and_a_point_shows_its_run() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::judged_by("noisy:0.15");
    let gold = std::fs::read_to_string(scene.probity.path("gold.jsonl")).unwrap();
    let rows: Vec<&str> = gold.lines().collect();
    // Other tickets each week, and in the last one replies that help nobody.
    let week = |n: usize| {
        let changed = |line: &&str| {
            let mut row: Value = serde_json::from_str(line).unwrap();
            row["ticket"] = json!(format!("{} This is about week {n}.", row["ticket"].as_str().unwrap()));
            if n == 4 {
                row["reply"] = json!("We cannot help you with that.");
            }
            row.to_string()
        };
        rows.iter().map(changed).collect::<Vec<_>>().join("\n")
    };
    std::fs::write(scene.probity.path("anchor.jsonl"), rows[..10].join("\n")).unwrap();
    for n in 1..=4 {
        let (file, round) = (format!("week-{n}.jsonl"), n.to_string());
        std::fs::write(scene.probity.path(&file), week(n)).unwrap();
        for words in [&["anchor.jsonl", "--round", &round][..], &[&file, "--name", "weekly"]] {
            let more = ["--rubric", "support-gold", "--model", "mock-judge"];
            scene.probity.args(["run"]).words(words.iter().chain(&more).copied()).run().code(0);
        }
    }
    let weeks = ["2026-10-26", "2026-11-02", "2026-11-09", "2026-11-16"];
    let days: Vec<(i64, &str)> =
        weeks.iter().zip(0..).flat_map(|(day, at)| [(2 * at + 1, *day), (2 * at + 2, *day)]).collect();
    dated(&scene.probity, &days);
    scene.open_made(&browser, "history.html", "report --history --anchor anchor.jsonl", 0);
    let names = "return [...document.querySelectorAll('.timeline')[0].querySelectorAll('.tick')].map((each) => each.textContent).filter((each) => /^W/.test(each))";
    assert_eq!(browser.execute(names, &[]), json!(["W44", "W45", "W46", "W47"]));
    assert!(
        browser.count(".timeline .anchored") > 0 && browser.count(".anchor-dot") > 0,
        "the anchor is drawn"
    );
    let moved = "return [...document.querySelectorAll('.spread')].map((each) => [...each.children].map((figure) => figure.classList.contains('moved')))";
    for series in browser.execute(moved, &[]).as_array().unwrap() {
        let moved: Vec<bool> = series.as_array().unwrap().iter().map(|each| each == &json!(true)).collect();
        assert!(moved.windows(2).all(|pair| pair[0] >= pair[1]), "what moved comes first: {moved:?}");
    }
    assert!(browser.count(".spread .moved") > 0, "something moved");
    // Small charts that are compared share one range: shares all have the same numbers on their axis.
    let ranges = "return [...new Set([...document.querySelectorAll('.spread figure')].map((each) => [...each.querySelectorAll('.tick[text-anchor=end]')] \
        .map((tick) => tick.textContent).join(' ')).filter((each) => each.includes('%')))]";
    assert_eq!(browser.execute(ranges, &[]), json!(["0 % 50 % 100 %"]));
    nothing_is_dead(&browser, "history.html");
    browser.screenshots("report-history");
    browser.execute("document.querySelector('.timeline a:last-of-type').dispatchEvent(new MouseEvent('click', { bubbles: true }))", &[]);
    browser.wait_until("document.querySelectorAll('.row').length === 1");
    browser.click(".row");
    browser.wait_until("document.querySelector('#case .command')");
    assert!(browser.text("#case").contains("probity diff"), "{}", browser.text("#case"));
    accessible(&browser, "a run of a history");
}

#[test]
fn without_scripts_figures_and_cases_are_read_and_labels_are_given() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::judged_by("noisy:0.15");
    scene.open(&browser, "plain.html", "run gold.jsonl --rubric support-gold", 0);
    let drawn =
        "return document.querySelectorAll('main > :not(.viewer, .without-script) :is(.dot, rect)').length";
    let with_scripts = browser.execute(drawn, &[]);
    browser.scripts(false);
    browser.open(&scene.probity.path("plain.html"));
    assert_eq!(browser.execute(drawn, &[]), with_scripts, "all figures are there");
    assert_eq!(browser.count(".without-script .case"), 20, "the worst replies are there in full");
    assert!(browser.text(".without-script .answer .words").len() > 20);
    browser.scripts(true);

    let probity = Probity::new().file("cases.jsonl", cases_with(2, 3));
    let room = ReviewRoom::start(&probity, &["cases.jsonl", "--queue", "Plain", "--person", "Ann"]);
    browser.come_in(room.link("Ann"));
    browser.scripts(false);
    browser.goto(&room.url("/queues"));
    browser.click(".queue button");
    browser.wait_until("document.querySelector('.sheet .criterion') && document.readyState == 'complete'");
    let n_criteria = browser.count(".sheet .criterion");
    assert!(n_criteria > 1 && browser.count(".candidate .words") > 0);
    for at in 1..=n_criteria {
        let criterion = format!(".sheet .criterion:nth-of-type({at})");
        if browser.count(&format!("{criterion}[open]")) == 0 {
            browser.click(&format!("{criterion} > summary"));
        }
        browser.click(&format!("{criterion} .level"));
    }
    browser.click(".actions .primary");
    // A click does not wait for the page that the form leads to.
    let until = Instant::now() + Duration::from_secs(10);
    while labels(&probity).len() < n_criteria && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(labels(&probity).len(), n_criteria, "{}", browser.text("main"));
    browser.scripts(true);
}

/// What a file shows beside a case with `--labels --raw`, the server shows too.
#[test]
fn a_case_on_the_server_has_labels_and_raw_packets() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::judged_by("noisy:0.15");
    let run = ["run", "gold.jsonl", "--rubric", "support-gold", "--model", "mock-judge"];
    scene.probity.args(run).run().code(0);
    let first = std::fs::read_to_string(scene.probity.path("gold.jsonl")).unwrap();
    let first: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    let id = first["id"].as_str().unwrap();
    let label = json!({ "item": id, "criterion": "accuracy", "annotator": "ann", "label": "1", "rubric": "support-gold" });
    std::fs::write(scene.probity.path("people.jsonl"), label.to_string()).unwrap();
    scene.probity.args(["import", "labels", "people.jsonl"]).run().code(0);
    scene
        .probity
        .args(["compare", "old.jsonl", "new.jsonl", "--resamples", "200", "--model", "mock-judge"])
        .run()
        .code(0);
    let room = ReviewRoom::open(&scene.probity, &[]);
    browser.come_in(room.link("Lena"));
    let case = room.url(&format!("/runs/1?label=labelled&case={id}"));
    browser.goto(&case);
    let person =
        "document.querySelector('#criterion-accuracy .scale li:nth-child(2) .person')?.title === 'ann'";
    browser.wait_until(person);
    browser.wait_until("document.getElementById('count').textContent === '1 of 30 replies'");
    browser.press("t");
    browser.wait_until("document.querySelectorAll('.raw-side .packet').length === 5 && document.getElementById('open').classList.contains('at-raw')");
    assert!(browser.text(".packet[open] section + section").contains("mock-judge"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
    browser.scripts(false);
    browser.goto(&case);
    assert_eq!(browser.count(".without-script .person[title=ann]"), 1);
    assert_eq!(browser.count(".without-script .packet"), 5);
    assert!(browser.text("#replies-list").contains("1–1 of 1 that match, of 30 replies"));
    browser.scripts(true);
    // What another command came to has its whole list too.
    browser.goto(&room.url("/runs/2"));
    browser.wait_until("document.querySelectorAll('.row').length > 5");
    browser.click("#wins a.hit");
    browser.wait_until("document.querySelector('.token')");
    browser.click(".row");
    browser.wait_until("document.querySelector('.pair .order')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
