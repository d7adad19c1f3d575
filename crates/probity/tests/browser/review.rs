//! The review room in use: by keys alone, by two people who disagree, and across a server that dies.

use std::path::Path;

use serde_json::{Value, json};

use crate::binary::Probity;
use crate::client::Browser;
use crate::review_room::{ENTER, ESCAPE, ReviewRoom};
use crate::review_tap::Tap;

/// Cases that differ in their words, so that none repeats another.
fn cases(n: usize) -> String {
    let case = |n: usize| {
        let slice = if n.is_multiple_of(2) { "billing" } else { "returns" };
        let ticket = format!("Order {n} has not come. Where is parcel {n}?");
        let reply = format!("Parcel {n} is on its way and comes on day {n}.");
        json!({ "id": format!("c-{n:02}"), "slice": slice, "ticket": ticket, "reply": reply }).to_string()
    };
    (1..=n).map(case).collect::<Vec<_>>().join("\n")
}

/// The labels of the store, as they are exported.
#[track_caller]
fn labels(probity: &Probity) -> Vec<Value> {
    let ran = probity.args(["export", "labels"]).run().code(0);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn said(labels: &[Value], annotator: &str) -> Vec<Value> {
    let own = labels.iter().filter(|label| label["annotator"] == annotator);
    own.map(|label| json!([label["item"], label["criterion"], label["label"]])).collect()
}

#[test]
fn ten_items_by_keyboard_alone() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases(10));
    let room = ReviewRoom::start(&probity, &["cases.jsonl", "--person", "Ann"]);
    browser.come_in(room.link("Ann"));
    assert_eq!(browser.url(), room.url("/"), "the token is gone from the address");
    // Tab to the button of the first queue, as somebody without a mouse does.
    for _ in 0..20 {
        if browser.execute("return document.activeElement.matches('.go button')", &[]) == true {
            break;
        }
        browser.press("\u{E004}");
    }
    browser.turned(|| browser.press(ENTER));

    let first = browser.url();
    browser.press(ENTER);
    browser.wait_until("document.getElementById('status').textContent.includes('to choose')");
    assert_eq!(browser.url(), first, "an answer that is not whole is not sent");
    browser.press("?");
    browser.wait_until("document.getElementById('help').open");
    browser.press(ESCAPE);
    browser.wait_until("!document.getElementById('help').open");
    browser.press(&format!("nhard to say{ESCAPE}"));
    // Level 4, then one to the right of 3.
    browser.turned(|| browser.press(&format!("43\u{E014}{ENTER}")));
    browser.turned(|| browser.press("u"));
    assert_eq!(browser.url(), first, "undo goes back to the last item");
    browser.turned(|| browser.press(&format!("4\u{E015}4{ENTER}")));
    browser.turned(|| browser.press("s"));
    browser.turned(|| browser.press(&format!("cc{ENTER}")));
    for n in 2..9 {
        let keys = format!("{}{}{ENTER}", n % 5 + 1, 5 - n % 5);
        browser.turned(|| browser.press(&keys));
    }
    // What was skipped comes last.
    browser.turned(|| browser.press(&format!("55{ENTER}")));
    browser.wait_until("document.body.textContent.includes('Nothing is left for you here')");
    assert_eq!(browser.complaints(), Vec::<String>::new());

    let labels = labels(&probity);
    assert_eq!(said(&labels, "Ann").len(), 20, "ten items, two criteria each: {labels:?}");
    let unsure = labels.iter().filter(|label| label["label"].is_null()).count();
    assert_eq!(unsure, 2, "one item about which nothing can be said");
    assert!(labels.iter().all(|label| label["blind"] == true));
}

#[test]
fn two_people_disagree_and_a_lead_settles_it() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases(2));
    probity.args(["run", "cases.jsonl"]).run().code(0);
    let room = ReviewRoom::start(&probity, &["cases.jsonl", "--person", "Ann", "--person", "Ben"]);
    for (name, keys) in [("Ann", ["44", "33"]), ("Ben", ["44", "33"])] {
        browser.come_in(room.link(name));
        browser.turned(|| browser.click(".go button"));
        for _ in 0..2 {
            let about_one = browser.text(".exhibit").contains("Order 1");
            // They agree about the second case, and not about the tone of the first.
            let keys = match (about_one, name) {
                (true, "Ben") => "42",
                (true, _) => keys[0],
                (false, _) => keys[1],
            };
            browser.turned(|| browser.press(&format!("{keys}{ENTER}")));
        }
        browser.turned(|| browser.click(".who button"));
    }
    browser.come_in(room.link("Lena"));
    browser.turned(|| browser.click(".queue .links a:last-child"));
    assert_eq!(browser.count("tbody tr"), 1, "one disagreement");
    let row = browser.text("tbody tr");
    assert!(row.contains("Ann") && row.contains("Ben") && row.contains("open"), "{row}");
    browser.turned(|| browser.click("tbody a.button"));
    assert!(browser.text(".exhibit").contains("Order 1"));
    browser.press(&format!("43na little stiff{ESCAPE}"));
    browser.turned(|| browser.press(ENTER));
    assert!(browser.text(".lead-in").contains("0 of 1 are open"), "{}", browser.text(".lead-in"));
    assert!(browser.text("tbody tr").contains("by Lena"));

    let all = labels(&probity);
    let settled: Vec<&Value> = all.iter().filter(|label| label["adjudicated"] == true).collect();
    assert_eq!(settled.len(), 2, "{all:?}");
    assert!(settled.iter().all(|label| label["annotator"] == "Lena" && label["item"] == "c-01"));
    assert_eq!((said(&all, "Ann").len(), said(&all, "Ben").len()), (4, 4), "what people said stays");
    let calibrated = probity.args(["calibrate", "cases.jsonl", "--json"]).run();
    assert!([Some(0), Some(1)].contains(&calibrated.code), "a calibration reads them: {}", calibrated.stderr);
}

#[test]
fn a_server_that_dies_mid_label_loses_nothing_and_doubles_nothing() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases(3));
    let room = ReviewRoom::start(&probity, &["cases.jsonl", "--person", "Ann"]);
    let port = room.port.to_string();
    browser.come_in(room.link("Ann"));
    browser.turned(|| browser.click(".go button"));
    browser.turned(|| browser.press(&format!("45{ENTER}")));
    browser.press(&format!("3nhalf done{ESCAPE}"));
    room.kill();
    browser.press(&format!("2{ENTER}"));
    browser.wait_until("document.getElementById('status').textContent.includes('does not answer')");
    assert_eq!(said(&labels(&probity), "Ann").len(), 2, "what was answered before is there");

    let again = ["cases.jsonl", "--port", &port];
    let mut room = None;
    browser.turned(|| room = Some(ReviewRoom::start(&probity, &again)));
    let kept = labels(&probity);
    assert_eq!(said(&kept, "Ann").len(), 4, "the answer was sent when somebody answered: {kept:?}");
    browser.turned(|| browser.press(&format!("11{ENTER}")));
    let all = labels(&probity);
    assert_eq!(said(&all, "Ann").len(), 6);
    assert_eq!(n_acts(&probity), 3, "each answer was kept once");
    drop(room);
}

/// A response that is lost on its way makes the page send again; the store keeps one.
#[test]
fn an_answer_whose_response_is_lost_is_kept_once() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases(2));
    let room = ReviewRoom::start(&probity, &["cases.jsonl", "--person", "Ann"]);
    let tap = Tap::on(room.port);
    browser.come_in(&tap.tapped(room.link("Ann")));
    browser.turned(|| browser.click(".go button"));
    tap.lose_answer_to("/label");
    browser.turned(|| browser.press(&format!("45{ENTER}")));
    assert!(tap.n_lost() >= 1, "a response was lost");
    assert_eq!(said(&labels(&probity), "Ann").len(), 2);
    assert_eq!(n_acts(&probity), 1, "the second time was no second answer");
}

/// Answers that the store has noted.
fn n_acts(probity: &Probity) -> i64 {
    let path = probity.path(Path::new(".probity").join("store.db").to_str().unwrap());
    let store = rusqlite::Connection::open(path).unwrap();
    let count = "SELECT count(*) FROM act WHERE kind = 'submit'";
    store.query_row(count, [], |row| row.get(0)).unwrap()
}
