//! The review room under texts that would act, and under eyes that must not see too much.

use serde_json::{Value, json};

use crate::binary::{Probity, QUICK};
use crate::client::Browser;
use crate::hostile::{corpus, is_breaking};
use crate::review_room::{ENTER, ESCAPE, ReviewRoom};
use crate::review_tap::Tap;
use crate::support::{ScriptedServer, http_ok};

/// Notes whatever a text could bring a page to do. The page's own script uses none of these.
const WATCH: &str = "window.acted = []; \
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open', 'eval']) \
    window[name] = () => window.acted.push(name);";

/// Elements and attributes that no page of the room has.
const FOREIGN: &str = "return [...document.querySelectorAll('*')].filter((element) => \
    ['IMG', 'IFRAME', 'OBJECT', 'EMBED', 'BASE', 'VIDEO', 'AUDIO', 'TEMPLATE', 'MATH', 'B', 'X', 'DEL', 'STYLE', \
     'MARQUEE', 'PORTAL', 'ANIMATE', 'USE', 'FOREIGNOBJECT'].includes(element.tagName.toUpperCase()) || \
    [...element.attributes].some((attribute) => attribute.name.startsWith('on') || \
    ['autofocus', 'srcdoc'].includes(attribute.name) || \
    (attribute.name === 'style' && element !== document.documentElement && !element.closest('.grid')) || (['href', 'action', 'formaction'] \
    .includes(attribute.name) && !/^([/#?]|data:,$)/.test(attribute.value)))) \
    .map((element) => element.outerHTML.slice(0, 120))";

/// Strings of the corpus in one field.
const PER_CASE: usize = 8;

/// The page that is open. Nothing on it may have done anything.
#[track_caller]
fn check(browser: &Browser, read: &mut String) {
    let place = browser.url();
    assert_eq!(browser.execute("return window.acted", &[]), json!([]), "{place} ran a text");
    assert_eq!(browser.execute(FOREIGN, &[]), json!([]), "{place} has elements of a text");
    assert_eq!(
        browser.count("script:not([src^='/assets/']):not(#index):not([type='text/plain'])"),
        0,
        "{place} has a script of a text"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new(), "{place} had something refused");
    let own = format!("http://{}/", place.split('/').nth(2).unwrap());
    let foreign: Vec<String> = browser
        .requests()
        .into_iter()
        .filter(|asked| !asked.starts_with(&own) && !asked.starts_with("data:") && asked != "about:blank")
        .collect();
    assert_eq!(foreign, Vec::<String>::new(), "{place} asks for something");
    let text = browser.execute("return document.documentElement.textContent", &[]);
    *read += text.as_str().unwrap();
}

/// Cases with several strings of the corpus in every field, and what a judge says about them.
fn scene(texts: &[&str]) -> Probity {
    let chunks: Vec<String> = texts.chunks(PER_CASE).map(|chunk| chunk.join(" ")).collect();
    let at = |n: usize| chunks[n % chunks.len()].as_str();
    let id = |n: usize| format!("{n} {}", at(n));
    let case = |n: usize| {
        json!({
            "id": id(n), "slice": at(n), "ticket": at(n), "reply": format!("Hello. {}", at(n)), "variant": at(n + 2),
            "reference": at(n + 3),
        })
        .to_string()
    };
    let verdict = |n: usize| {
        let said = json!({ "score": 1 + n % 5, "reasoning": format!("It says {}", at(n)) });
        json!({ "id": id(n), "relevance": said, "tone": said }).to_string()
    };
    let lines = |line: &dyn Fn(usize) -> String| (0..chunks.len()).map(line).collect::<Vec<_>>().join("\n");
    Probity::new().file("<b>cases.jsonl", lines(&case)).file("verdicts.jsonl", lines(&verdict))
}

#[test]
fn w17_a_corpus_in_every_field_of_the_room_does_nothing() {
    let Some(browser) = Browser::start() else { return };
    let texts: Vec<&str> = corpus().into_iter().filter(|text| !text.chars().any(is_breaking)).collect();
    assert!(texts.len() >= 100, "{}", texts.len());
    let probity = scene(&texts);
    let judge = ["--judge", "recorded", "--verdicts", "verdicts.jsonl"];
    probity.args(["run", "<b>cases.jsonl"]).words(judge.into_iter()).run().code(0);
    let names = ["<img src=x onerror=alert(1)>", "\"><script>alert(2)</script>", "'-alert(3)-'"];
    let words = ["<b>cases.jsonl", "--reveal", "--queue", "</a><script>alert(4)</script>", "--as", names[0]];
    let room =
        ReviewRoom::start(&probity, &[&words[..], &["--person", names[1], "--person", names[2]]].concat());
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": WATCH }));
    let mut read = String::new();

    let other = room.visitor(names[2]);
    let notes = texts.chunks(PER_CASE).map(|chunk| chunk.join("\n"));
    for note in notes {
        let fields = [("level.relevance", "2"), ("level.tone", "2"), ("note", note.as_str())];
        other.label(1, 1, |_| fields.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    }
    let n_items = labelled(&browser, room.link(names[1]), &mut read);
    all_there(&texts, &read, "label pages");
    read.clear();
    led(&browser, &room, names[0], n_items, &mut read);
    all_there(&texts, &read, "pages of a lead");
    read.clear();
    let invite = "return Promise.all(arguments[0].map((name) => fetch('/people', \
        { method: 'POST', body: new URLSearchParams({ name }) }).then((answer) => answer.status)))";
    browser.execute(invite, &[json!(texts)]);
    browser.goto(&room.url("/people"));
    check(&browser, &mut read);
    all_there(&texts, &read, "names of people");
}

/// Most strings of the corpus must have been there to read. The gate keeps some from people, and names are short.
#[track_caller]
fn all_there(texts: &[&str], read: &str, place: &str) {
    let n_shown = texts.iter().filter(|text| read.contains(**text)).count();
    assert!(n_shown >= 100, "{n_shown} of the corpus on {place}");
}

/// The pages of a reviewer, with the judge's words after each answer; how many items there were.
fn labelled(browser: &Browser, link: &str, read: &mut String) -> usize {
    browser.come_in(link);
    check(browser, read);
    browser.turned(|| browser.click(".go button"));
    let mut n_items = 0;
    while browser.url().contains("/items/") {
        check(browser, read);
        n_items += 1;
        browser.press(&format!("n<script>alert(5)</script>{ESCAPE}"));
        browser.turned(|| browser.press(&format!("45{ENTER}")));
        check(browser, read);
        browser.turned(|| browser.press("v"));
        check(browser, read);
        browser.turned(|| browser.press(ENTER));
    }
    browser.turned(|| browser.click(".who button"));
    n_items
}

/// The pages of a lead.
fn led(browser: &Browser, room: &ReviewRoom, lead: &str, n_items: usize, read: &mut String) {
    browser.come_in(room.link(lead));
    let pages = [
        "/", "/queues", "/queues/1", "/queues/1/disagreements", "/queues/1/agreement", "/people", "/runs",
        "/runs/1",
    ];
    let text = "%3Cscript%3Ealert(6)%3C%2Fscript%3E";
    let asked = ["q", "slice", "case", "sort", "page", text].map(|name| format!("/runs/1?{name}={text}"));
    let asked = [&["/runs/compare?one=1&other=1".to_owned()], &asked[..]].concat();
    let settled: Vec<String> = (1..=n_items).map(|item| format!("/items/{item}/settle")).collect();
    let all = pages.into_iter().chain(asked.iter().chain(&settled).map(String::as_str));
    for path in all {
        browser.goto(&room.url(path));
        check(browser, read);
    }
    // Every case as the script opens it, and one with its packets, also as readers without scripts have it.
    browser.goto(&room.url("/runs/1"));
    browser.wait_until("document.querySelectorAll('.row').length > 0");
    browser.press(ENTER);
    for _ in 0..n_items {
        browser.wait_until("document.querySelector('#case .case')");
        check(browser, read);
        browser.press("j");
    }
    let name =
        browser.execute("return encodeURIComponent(document.getElementById('case-name').textContent)", &[]);
    browser.press("t");
    browser.wait_until("document.querySelector('.raw-side .packet')");
    check(browser, read);
    browser.scripts(false);
    browser.goto(&room.url(&format!("/runs/1?case={}", name.as_str().unwrap())));
    assert!(browser.count(".without-script .packet") > 0);
    check(browser, read);
    browser.scripts(true);
}

/// A judge whose model and words are known when they are seen.
fn judge() -> ScriptedServer {
    ScriptedServer::with(|_| {
        let content = json!({ "score": 4, "reasoning": "canary-verdict says so" }).to_string();
        let message: Value = json!({ "role": "assistant", "content": content });
        let choices = json!([{ "index": 0, "message": message, "finish_reason": "stop" }]);
        http_ok(
            &json!({ "object": "chat.completion", "model": "canary-model", "choices": choices }).to_string(),
        )
    })
}

#[test]
fn w14_g15_what_reaches_a_reviewer_s_browser_is_blind() {
    let Some(browser) = Browser::start() else { return };
    let server = judge();
    let case = |n: usize| {
        let (ticket, reply) = (format!("Where is parcel {n}?"), format!("Parcel {n} comes on day {n}."));
        json!({ "id": format!("canary-case-{n}"), "slice": "canary-slice", "ticket": ticket, "reply": reply,
                "variant": "canary-variant" })
        .to_string()
    };
    let cases: Vec<String> = (1..=4).map(case).collect();
    let probity = Probity::new().file("cases.jsonl", cases.join("\n")).file("probity.toml", QUICK);
    let probity = probity.variable("OPENAI_BASE_URL", &server.url("/v1"));
    probity.args(["run", "cases.jsonl", "--model", "canary-model"]).run().code(0);
    let words = ["cases.jsonl", "--model", "canary-model", "--person", "Ann", "--person", "canary-ben"];
    let room = ReviewRoom::start(&probity, &words);
    room.visitor("canary-ben").label(1, 4, |_| {
        [("level.relevance", "2"), ("level.tone", "1"), ("note", "canary-note")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    });

    let tap = Tap::on(room.port);
    let tapped = |link: &str| tap.tapped(link);
    browser.come_in(&tapped(room.link("Ann")));
    browser.turned(|| browser.click(".go button"));
    for n in 0..4 {
        let item = browser.url();
        for path in ["/settle", "/reveal", "/cause", "/label"] {
            browser.execute(
                "return fetch(arguments[0]).then((answer) => answer.text())",
                &[json!(format!("{item}{path}"))],
            );
        }
        for path in
            ["/runs", "/runs/1", "/people", "/queues/1/agreement", "/queues/1/disagreements", "/labels.csv"]
        {
            browser.execute("return fetch(arguments[0]).then((answer) => answer.text())", &[json!(path)]);
        }
        let post = "return fetch(arguments[0], { method: 'POST' }).then((answer) => answer.text())";
        browser.execute(post, &[json!(format!("{item}/reveal"))]);
        browser.turned(|| browser.press(&format!("{}{}{ENTER}", n % 5 + 1, 3)));
    }
    let sent = String::from_utf8_lossy(&tap.sent()).to_lowercase();
    assert!(sent.contains("parcel 1") && sent.contains("parcel 4"), "the tap hears what is said");
    for canary in ["canary", "says so"] {
        let at = sent.find(canary).map(|at| &sent[at.saturating_sub(200)..(at + 200).min(sent.len())]);
        assert_eq!(at, None, "{canary} was sent to a reviewer");
    }

    browser.turned(|| browser.click(".who button"));
    browser.come_in(&tapped(room.link("Lena")));
    browser.turned(|| browser.goto(&tap.tapped(&room.url("/queues/1/disagreements"))));
    let sent = String::from_utf8_lossy(&tap.sent()).to_lowercase();
    assert!(sent.contains("canary-ben"), "a lead sees them, so the search would have found them");
}
