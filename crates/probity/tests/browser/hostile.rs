//! Texts that would act if a page took them for anything but text, in every field that a report shows.
//!
//! The corpus is one string per line. A page is held to more than that nothing ran: no script was refused either,
//! no element and no attribute came from a text, and nothing was asked for.

use serde_json::{Value, json};

use crate::binary::Probity;
use crate::client::Browser;

/// The corpus.
const CORPUS: &str = include_str!("xss.txt");

/// Notes whatever a text could bring a page to do. It runs before anything of the page.
const WATCH: &str = "window.acted = []; \
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'open', 'fetch', 'eval']) \
    window[name] = () => window.acted.push(name);";

/// Elements that no report has, wherever they would come from, and attributes that would do something.
const FOREIGN: &str = "return [...document.querySelectorAll('*')].filter((element) => \
    ['IMG', 'IFRAME', 'OBJECT', 'EMBED', 'FORM', 'BASE', 'LINK', 'VIDEO', 'AUDIO', 'TEMPLATE', 'MATH', 'B', 'X', \
     'DEL', 'MARQUEE', 'DIALOG', 'TEXTAREA', 'PORTAL', 'ANIMATE', 'USE', 'FOREIGNOBJECT'] \
    .includes(element.tagName.toUpperCase()) && element.id !== 'keys' || (element.tagName === 'DETAILS' && !element.className) || \
    [...element.attributes].some((attribute) => \
    attribute.name.startsWith('on') || (attribute.name === 'style' && !element.closest('#grid')) || attribute.name === 'autofocus' || \
    (attribute.name === 'href' && !attribute.value.startsWith('#')))).map((element) => element.outerHTML.slice(0, 120))";

/// The corpus, string by string.
pub(crate) fn corpus() -> Vec<&'static str> {
    CORPUS.lines().collect()
}

fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    rows.into_iter().map(|row| row.to_string() + "\n").collect()
}

/// Every string in every field of a case and of what a judge says about it.
fn scene() -> Probity {
    let texts = corpus();
    let at = |n: usize| texts[n % texts.len()];
    let id = |n: usize| format!("{n} {}", at(n));
    let each = 0..texts.len();
    let case = |n: usize| {
        json!({
            "id": id(n), "slice": at(n), "ticket": at(n + 1), "reply": format!("Hello. {}", at(n)),
            "variant": at(n + 2), "reference": at(n + 3), "metadata": { at(n): at(n + 4) },
        })
    };
    let verdict = |n: usize| {
        let said = json!({ "score": 1 + n % 5, "reasoning": format!("It says {}", at(n)) });
        json!({ "id": id(n), "relevance": said, "tone": said })
    };
    let preference = |n: usize| {
        let orders = ["a", "b", "tie", "needs_human_review", at(n)];
        json!({
            "item": id(n), "slice": at(n), "judge": at(n / 90), "variant_a": at(n / 45), "variant_b": at(n / 45 + 50),
            "verdict_ab": orders[n % 5], "verdict_ba": orders[n / 5 % 5], "len_a": n * 7 % 90, "len_b": n * 3 % 80,
        })
    };
    // Labels refuse what could forge a line, so what is left of the corpus is theirs.
    let plain: Vec<&str> = texts.iter().copied().filter(|text| !text.chars().any(is_breaking)).collect();
    let at = |n: usize| plain[n % plain.len()];
    let id = |n: usize| format!("{n} {}", at(n));
    let labelled = 0..plain.len();
    let label = |n: usize| {
        let label = ["pass", "fail"][n / 2 % 2];
        json!({ "item": id(n), "slice": at(n), "annotator": at(n % 4), "label": label, "note": at(n) })
    };
    let said = |n: usize| {
        let verdict = ["pass", "fail"][n % 2];
        json!({ "item": id(n), "judge": at(7), "verdict": verdict })
    };
    let broken = texts.iter().map(|text| json!({ "id": text, "slice": text }));
    Probity::new()
        .file("<img src=x onerror=alert(1)>.jsonl", lines(each.clone().map(case).chain(broken)))
        .file("verdicts.jsonl", lines(each.clone().map(verdict)))
        .file("pairs.jsonl", lines(each.map(preference)))
        .file(
            "labels.jsonl",
            lines(labelled.clone().flat_map(|n| [label(n), other(label(n), at(n % 4 + 9))])),
        )
        .file("said.jsonl", lines(labelled.map(said)))
        .file("contract.toml", contract(at(0)))
}

/// Whether a character ends or turns a line.
pub(crate) fn is_breaking(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202e}')
}

/// The same label by another person.
fn other(mut label: Value, name: &str) -> Value {
    label["annotator"] = json!(name);
    label
}

fn contract(text: &str) -> String {
    let [name, owner, path] = ["name", "owner", "path"].map(|what| format!("{what} {text}"));
    format!(
        "name = '''{name}'''\nversion = '''{text}'''\nowner = '''{owner}'''\n[labels]\nrows_min = 500\n\
         [agreement]\nmeasure = \"cohen_kappa\"\nlower_bound_min = 0.9\n[review]\npath = '''{path}'''\n"
    )
}

/// Opens a page of the scene. Nothing on it may have done anything, and texts of the corpus must be there to read.
#[track_caller]
fn check(browser: &Browser, probity: &Probity, page: &str) {
    let path = probity.path(page);
    browser.open(&path);
    let asked = browser.requests();
    assert_eq!(asked, [format!("file://{}", path.display())], "{page} asks for something");
    assert_eq!(browser.complaints(), Vec::<String>::new(), "{page} had something refused");
    assert_eq!(browser.execute("return window.acted", &[]), json!([]), "{page} ran a text");
    assert_eq!(browser.execute(FOREIGN, &[]), json!([]), "{page} has elements of a text");
    let text = browser.execute("return document.documentElement.textContent", &[]);
    let text = text.as_str().unwrap();
    let n_shown = corpus().iter().filter(|hostile| text.contains(**hostile)).count();
    // The list of a run shows a few rows at a time; its cases are opened one by one below.
    assert!(n_shown >= 100 || page == "run.html", "{page} shows {n_shown} of the corpus");
}

/// Opens every case of a run's page, and gives the texts that were shown.
const EVERY_CASE: &str = "return (async () => {
  const texts = [];
  for (const name of JSON.parse(document.getElementById('index').textContent).name) {
    location.hash = `case=${encodeURIComponent(name)}`;
    for (let wait = 0; wait < 200; wait += 1) {
      await new Promise((next) => setTimeout(next, 5));
      if (document.getElementById('case-name').textContent === name && document.querySelector('#case .case')) break;
    }
    texts.push(document.getElementById('case').textContent);
  }
  return texts.join('\\n');
})()";

#[test]
fn w17_w18_a_corpus_in_every_field_of_every_report_does_nothing() {
    assert!(corpus().len() >= 150, "{}", corpus().len());
    let Some(browser) = Browser::start() else { return };
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": WATCH }));
    let probity = scene();
    let cases = "<img src=x onerror=alert(1)>.jsonl";
    let recorded = ["--judge", "recorded", "--verdicts", "verdicts.jsonl", "--report", "run.html"];
    probity.args(["run", cases]).words(recorded.into_iter()).run().code(0);
    check(&browser, &probity, "run.html");
    browser.send_keys("#q", "onerror");
    browser.wait_until("document.getElementById('count').textContent.includes(' of ')");
    browser.click("#clear");
    let text = browser.execute(EVERY_CASE, &[]);
    let n_shown = corpus().iter().filter(|hostile| text.as_str().unwrap().contains(**hostile)).count();
    assert!(n_shown >= 100, "the cases show {n_shown} of the corpus");
    assert_eq!(browser.execute("return window.acted", &[]), json!([]));
    assert_eq!(browser.execute(FOREIGN, &[]), json!([]), "a case has elements of a text");

    let compare = ["compare", "--verdicts", "pairs.jsonl", "--resamples", "50", "--report", "compare.html"];
    probity.args(compare).run().code(0);
    check(&browser, &probity, "compare.html");
    let files = ["--labels", "labels.jsonl", "--verdicts", "said.jsonl", "--resamples", "50"];
    let calibrate = probity.args(["calibrate", "--report", "calibrate.html"]).words(files.into_iter());
    calibrate.run().code(0);
    check(&browser, &probity, "calibrate.html");
    let promote = ["promote", "--contract", "contract.toml", "--report", "promote.html"];
    probity.args(promote).words(files.into_iter()).run().code(1);
    check(&browser, &probity, "promote.html");
    let scripts = browser.execute("return [...document.scripts].filter((each) => !['text/plain', 'application/json'].includes(each.type)).length", &[]);
    assert_eq!(scripts, 1, "one script, which is ours");
}

/// Opens every entry of a list. Nothing may have come of any of them, and most of the corpus is there to read.
#[track_caller]
fn check_entries(browser: &Browser, page: &str, n_min: usize) {
    let text = browser.execute(EVERY_CASE, &[]);
    let n_shown = corpus().iter().filter(|hostile| text.as_str().unwrap().contains(**hostile)).count();
    assert!(n_shown >= n_min, "the entries of {page} show {n_shown} of the corpus");
    assert_eq!(browser.execute("return window.acted", &[]), json!([]), "{page} ran a text");
    assert_eq!(browser.execute(FOREIGN, &[]), json!([]), "an entry of {page} has elements of a text");
    assert_eq!(browser.complaints(), Vec::<String>::new(), "{page} had something refused");
}

#[test]
fn a_corpus_in_pairs_changes_labels_and_packets_does_nothing() {
    let Some(browser) = Browser::start() else { return };
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": WATCH }));
    // With the policy off, nothing but the way pages are made keeps a text from acting.
    browser.devtools("Page.setBypassCSP", &json!({ "enabled": true }));
    let texts = corpus();
    let at = |n: usize| texts[n % texts.len()];
    let id = |n: usize| format!("{n} {}", at(n));
    let side = |variant: usize| {
        let case = |n: usize| {
            json!({
                "id": id(n), "slice": at(n), "ticket": at(n + 1), "reply": format!("Hello {variant}. {}", at(n + variant)),
                "variant": at(variant), "reference": at(n + 3), "context": [at(n + 5)],
                "tool_calls": [{ "name": at(n + 6), "arguments": at(n + 7), "result": at(n + 8) }],
            })
        };
        lines((0..texts.len()).map(case))
    };
    let verdicts = |shift: usize| {
        let verdict = |n: usize| {
            let said = json!({ "score": 1 + (n + shift) % 5, "reasoning": format!("It says \u{201c}{}\u{201d}", at(n)) });
            json!({ "id": id(n), "relevance": said, "tone": said })
        };
        lines((0..texts.len()).map(verdict))
    };
    let probity = Probity::new()
        .file("a.jsonl", side(1))
        .file("b.jsonl", side(2))
        .file("c.jsonl", side(3))
        .file("said.jsonl", verdicts(0))
        .file("again.jsonl", verdicts(1));
    for (verdicts, output) in [("said.jsonl", "one.json"), ("again.jsonl", "two.json")] {
        let words = ["run", "a.jsonl", "--judge", "recorded", "--verdicts", verdicts, "--output", output];
        probity.args(words).run().code(0);
    }
    probity.args(["diff", "one.json", "two.json", "--texts", "full", "--report", "diff.html"]).run().code(0);
    browser.open(&probity.path("diff.html"));
    check_entries(&browser, "diff.html", 100);
    probity.args(["run", "a.jsonl", "--judge", "baseline"]).run().code(0);
    probity
        .args(["report", "last", "--raw", "--labels", "--texts", "full", "--report", "raw.html"])
        .run()
        .code(0);
    browser.open(&probity.path("raw.html"));
    check_entries(&browser, "raw.html", 100);
    let compare = ["compare", "a.jsonl", "b.jsonl", "c.jsonl", "--judge", "baseline", "--resamples", "50"];
    probity.args(compare).words(["--texts", "full", "--report", "pairs.html"].into_iter()).run().code(0);
    browser.open(&probity.path("pairs.html"));
    check_entries(&browser, "pairs.html", 100);
    let probe = ["probe", "a.jsonl", "--judge", "baseline", "--bases", "20", "--report", "probe.html"];
    probity.args(probe).run().code(0);
    browser.open(&probity.path("probe.html"));
    assert_eq!(browser.execute("return window.acted", &[]), json!([]));
    assert_eq!(browser.execute(FOREIGN, &[]), json!([]));
}

/// A watch that sees nothing would never fail.
#[test]
fn the_watch_sees_a_page_that_acts() {
    let Some(browser) = Browser::start() else { return };
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": WATCH }));
    let acts = "<p style='color:red'>x</p><img src=missing.png onerror=alert(1)><script>confirm(1)</script>";
    let probity = Probity::new().file("acts.html", acts);
    browser.open(&probity.path("acts.html"));
    browser.wait_until("window.acted.length === 2");
    assert_eq!(browser.requests().len(), 2, "the page and its picture");
    assert_eq!(browser.execute(FOREIGN, &[]).as_array().unwrap().len(), 2, "a style and a picture");
    assert!(!browser.complaints().is_empty(), "the picture is missing");
}
