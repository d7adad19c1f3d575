//! The review room in use: by keys alone, by two people who disagree, and across a server that dies.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::binary::Probity;
use crate::client::{Browser, Look};
use crate::review_room::{ENTER, ESCAPE, ReviewRoom, TAB};
use crate::review_tap::Tap;

/// Cases that differ in their words, so that none repeats another.
fn cases(n: usize) -> String {
    cases_with(n, 1)
}

/// The same as conversations of so many turns, the last of them the customer's.
pub(crate) fn cases_with(n: usize, n_turns: usize) -> String {
    let case = |n: usize| {
        let slice = if n.is_multiple_of(2) { "billing" } else { "returns" };
        let earlier = (1..n_turns).map(|turn| {
            let role = if turn % 2 == 1 { "customer" } else { "agent" };
            json!({ "role": role, "text": format!("Turn {turn} about parcel {n}, which is still on its way.") })
        });
        let last =
            json!({ "role": "customer", "text": format!("Order {n} has not come. Where is parcel {n}?") });
        let turns: Vec<Value> = earlier.chain([last]).collect();
        let reply = format!("Parcel {n} is on its way and comes on day {n}.");
        json!({ "id": format!("c-{n:02}"), "slice": slice, "turns": turns, "reply": reply }).to_string()
    };
    (1..=n).map(case).collect::<Vec<_>>().join("\n")
}

/// The reply must be in the window, whole or up to its own height.
#[track_caller]
fn reply_in_sight(browser: &Browser, when: &str) {
    const SEEN: &str =
        "const reply = document.querySelector('.candidate'), box = reply.getBoundingClientRect();
        const top = document.elementFromPoint(box.left + 20, box.top + 5);
        return box.top >= 0 && box.bottom <= innerHeight && box.height <= innerHeight * 0.481
            && reply.contains(top)";
    assert_eq!(browser.execute(SEEN, &[]), true, "the reply is not in sight {when}");
}

/// Presses Tab until the element with focus matches.
#[track_caller]
fn tab_to(browser: &Browser, css: &str) {
    let matches = format!("return document.activeElement.matches({css:?})");
    for _ in 0..40 {
        if browser.execute(&matches, &[]) == true {
            return;
        }
        browser.press(TAB);
    }
    panic!("Tab never reaches {css}");
}

/// The level that is chosen for a criterion.
fn level(browser: &Browser, criterion: &str) -> Value {
    let script =
        "return document.querySelector(`input[name='level.${arguments[0]}']:checked`)?.value ?? null";
    browser.execute(script, &[json!(criterion)])
}

/// The labels of the store, as they are exported.
#[track_caller]
pub(crate) fn labels(probity: &Probity) -> Vec<Value> {
    let ran = probity.args(["export", "labels"]).run().code(0);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn said(labels: &[Value], annotator: &str) -> Vec<Value> {
    let own = labels.iter().filter(|label| label["annotator"] == annotator);
    own.map(|label| json!([label["item"], label["criterion"], label["label"]])).collect()
}

#[test]
fn ten_items_of_31_turns_by_keyboard_alone() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases_with(10, 31));
    let room = ReviewRoom::start(&probity, &["cases.jsonl", "--person", "Ann"]);
    browser.come_in(room.link("Ann"));
    assert_eq!(browser.url(), room.url("/"), "the token is gone from the address");
    tab_to(&browser, ".go button");
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
    assert_eq!(
        (level(&browser, "relevance"), level(&browser, "tone")),
        (json!("4"), json!("4")),
        "as it was"
    );
    assert_eq!(browser.execute("return document.querySelector('textarea').value", &[]), "hard to say");
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
    assert!(
        labels.iter().all(|label| label["seconds"].is_number()),
        "each has the time that it took: {labels:?}"
    );
}

#[test]
fn the_reply_is_in_sight_and_keys_go_where_the_focus_is() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases_with(1, 31));
    let room = ReviewRoom::start(&probity, &["cases.jsonl", "--person", "Ann"]);
    browser.come_in(room.link("Ann"));
    browser.turned(|| browser.click(".go button"));
    for (width, height) in [(1440, 900), (390, 844)] {
        let mobile = width < 700;
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        browser.devtools("Emulation.setDeviceMetricsOverride", &metrics);
        browser.execute("scrollTo(0, 0)", &[]);
        reply_in_sight(&browser, &format!("at {width} px"));
        let last = "const turns = document.getElementById('texts'), box = turns.getBoundingClientRect();
            const last = [...turns.querySelectorAll('.turn')].at(-1).getBoundingClientRect();
            return last.bottom <= box.bottom && last.top >= box.top";
        assert_eq!(browser.execute(last, &[]), true, "the conversation opens at its end at {width} px");
        browser.press("3");
        reply_in_sight(&browser, &format!("while choosing at {width} px"));
    }
    browser.look(Look::Light);
    browser.turned(|| drop(browser.execute("sessionStorage.clear(); location.reload()", &[])));
    // Keys go where the focus is, and what they did is said.
    tab_to(&browser, "[data-set='Tone'] > summary");
    browser.press("1");
    assert_eq!((level(&browser, "tone"), level(&browser, "relevance")), (json!("1"), Value::Null));
    assert_eq!(browser.text("#status"), "Tone: 1 of 5. Next: Relevance. 1 of 2 answered.");
    browser.press("e");
    assert_eq!(browser.execute("return document.querySelector('.earlier').open", &[]), true);
}

#[test]
fn single_keys_can_be_switched_off() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases(2));
    let room = ReviewRoom::start(&probity, &["cases.jsonl", "--person", "Ann"]);
    browser.come_in(room.link("Ann"));
    browser.turned(|| browser.click(".go button"));
    browser.press("?");
    browser.click("#single-keys");
    browser.press(ESCAPE);
    browser.press("4?");
    assert_eq!(level(&browser, "relevance"), Value::Null, "a digit does nothing");
    assert_eq!(browser.execute("return document.getElementById('help').open", &[]), false);
    browser.press("\u{E014}");
    assert_eq!(level(&browser, "relevance"), "1", "arrows are no single keys");
    browser.turned(|| browser.click(".brand"));
    browser.turned(|| browser.click(".go button"));
    browser.press("4");
    assert_eq!(level(&browser, "relevance"), "1", "the browser keeps the choice");
}

/// Cookies do not tell ports apart: another program on the machine must not get the session.
#[test]
fn another_server_on_this_machine_gets_no_cookie() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases(1));
    let room = ReviewRoom::start(&probity, &["cases.jsonl", "--person", "Ann"]);
    browser.come_in(room.link("Ann"));
    assert_eq!(browser.cookies().len(), 1, "the browser has a session");
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&heads);
    std::thread::spawn(move || {
        for mut stream in other.incoming().map_while(Result::ok) {
            let heard = Arc::clone(&heard);
            // A browser also opens connections that it does not use.
            std::thread::spawn(move || {
                let mut bytes = [0; 16 * 1024];
                let Ok(n @ 1..) = stream.read(&mut bytes) else { return };
                heard.lock().unwrap().push(String::from_utf8_lossy(&bytes[..n]).into_owned());
                let empty = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                let _ = stream.write_all(empty);
            });
        }
    });
    let places = ["127.0.0.1", "localhost", "probity-0.localhost"];
    for place in places {
        browser.goto(&format!("http://{place}:{port}/"));
    }
    let heads = heads.lock().unwrap().clone();
    assert!(places.iter().all(|place| heads.iter().any(|head| head.contains(&format!("Host: {place}:")))));
    for head in heads {
        assert!(!head.to_lowercase().contains("\r\ncookie:"), "{head}");
    }
    browser.goto(&room.url("/"));
    assert!(browser.text("h1").contains("Queues"), "the session is still there");
}

#[test]
fn five_differences_are_settled_by_keyboard_alone() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("cases.jsonl", cases_with(5, 31));
    let room = ReviewRoom::start(&probity, &["cases.jsonl", "--person", "Ann", "--person", "Ben"]);
    for (name, tone) in [("Ann", "2"), ("Ben", "5")] {
        let levels = [("level.relevance", "4"), ("level.tone", tone), ("note", "as I see it")];
        let levels = levels.map(|(name, value)| (name.to_owned(), value.to_owned()));
        room.visitor(name).label(1, 5, |_| levels.to_vec());
    }
    browser.come_in(room.link("Lena"));
    browser.goto(&room.url("/queues/1/agreement"));
    tab_to(&browser, "a.primary");
    browser.turned(|| browser.press(ENTER));
    for n in 0..5 {
        assert_eq!(browser.text(".head .count"), format!("{n} of 5"));
        assert_eq!(browser.text(".ask h1"), "One criterion to settle");
        assert_eq!((level(&browser, "relevance"), level(&browser, "tone")), (json!("4"), Value::Null));
        let open = browser.text(".criterion[open]");
        assert!(open.contains("2 and 5: three levels apart") && open.contains("Ann"), "{open}");
        reply_in_sight(&browser, "while settling");
        browser.turned(|| browser.press(&format!("3{ENTER}")));
    }
    assert!(browser.text(".lead-in").contains("0 of 5 are open"), "{}", browser.text(".lead-in"));
    let all = labels(&probity);
    let settled: Vec<&Value> = all.iter().filter(|label| label["adjudicated"] == true).collect();
    assert_eq!(settled.len(), 10, "{all:?}");
    assert!(
        settled.iter().all(|label| label["label"] == if label["criterion"] == "tone" { "3" } else { "4" })
    );
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
    assert_eq!(browser.text("h1"), "One thing waits for you.");
    assert!(browser.text(".waits").contains("1 reply is to be settled"), "{}", browser.text(".waits"));
    browser.goto(&room.url("/queues"));
    browser.turned(|| browser.click(".queue .links a:last-child"));
    assert_eq!(browser.count("tbody tr"), 1, "one disagreement");
    let row = browser.text("tbody tr");
    assert!(row.contains("Ann") && row.contains("Ben") && row.contains("open"), "{row}");
    browser.turned(|| browser.click("tbody a.button"));
    assert!(browser.text(".exhibit").contains("Order 1"));
    // They agree about the rest, so only the tone is asked for.
    browser.press(&format!("3na little stiff{ESCAPE}"));
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
