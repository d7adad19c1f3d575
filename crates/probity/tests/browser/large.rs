//! A file of many cases: how large it is, and how long a browser takes to open it, to filter it and to open a case.
//!
//! The short form has few cases and shows that the measurement works; the long form (`PROBITY_LONG_TESTS=1`) holds ten
//! thousand cases to their budget.

use std::fmt::Write as _;
use std::time::Instant;

use serde_json::{Value, json};

use crate::binary::Probity;
use crate::client::Browser;

/// How often the list is filtered and a case is opened.
const TIMES: usize = 15;

/// Words of different frequency, drawn the same way each time.
struct Draw(u64);

impl Draw {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// A text of so many words. Half of the words are among the three hundred most frequent of nine thousand.
    fn text(&mut self, n_words: u64) -> String {
        const SYLLABLES: [&str; 30] = [
            "re", "ship", "or", "der", "pay", "ment", "in", "voice", "ac", "count", "pro", "duct", "ti",
            "cket", "mail", "de", "li", "ver", "y", "can", "cel", "re", "fund", "par", "cel", "sup", "port",
            "of", "fer", "ing",
        ];
        let mut text = String::new();
        for at in 0..n_words {
            let word = if self.next(2) == 0 { self.next(300) } else { self.next(9_000) };
            let [a, b, c] = [word % 30, word / 30 % 30, word / 900]
                .map(|at| SYLLABLES[usize::try_from(at % 30).unwrap()]);
            let space = if at == 0 { "" } else { " " };
            if word < 300 {
                write!(text, "{space}{a}{b}").unwrap();
            } else {
                write!(text, "{space}{a}{b}{c}").unwrap();
            }
        }
        text
    }
}

/// Cases and what a judge says about them, with about 1.2 kB of text each.
fn files(n: usize) -> (String, String, usize) {
    let (mut cases, mut verdicts, mut n_bytes) = (String::new(), String::new(), 0);
    let mut draw = Draw(7);
    for at in 0..n {
        let (ticket, reply) = (draw.text(50), draw.text(62));
        let said = |draw: &mut Draw| {
            let level = draw.next(5);
            json!({ "score": level, "reasoning": draw.text(10) })
        };
        let mut verdict = json!({ "id": format!("case-{at:05}") });
        for criterion in ["accuracy", "completeness", "tone", "actionability"] {
            verdict[criterion] = said(&mut draw);
        }
        verdict["safety"] =
            json!({ "score": if draw.next(20) == 0 { 0 } else { 4 }, "reasoning": draw.text(8) });
        n_bytes += ticket.len() + reply.len();
        n_bytes += verdict
            .as_object()
            .unwrap()
            .values()
            .filter_map(|said| said["reasoning"].as_str())
            .map(str::len)
            .sum::<usize>();
        let slice = format!("slice {}", draw.next(8));
        let case = json!({ "id": format!("case-{at:05}"), "slice": slice, "ticket": ticket, "reply": reply });
        writeln!(cases, "{case}").unwrap();
        writeln!(verdicts, "{verdict}").unwrap();
    }
    (cases, verdicts, n_bytes)
}

/// How long something takes, again and again: until what is wanted is on the page and has been drawn.
const MEASURE: &str = "return (async () => {
  const frame = () => new Promise((next) => requestAnimationFrame(() => next()));
  const times = (list) => list.sort((a, b) => a - b);
  const select = document.querySelector('[data-key=slice]');
  const filters = [];
  for (let at = 0; at < arguments[0]; at += 1) {
    const start = performance.now();
    select.value = select.options[1 + at % (select.options.length - 1)].value;
    select.dispatchEvent(new Event('change', { bubbles: true }));
    await Promise.resolve();
    filters.push(performance.now() - start);
    await frame();
  }
  document.getElementById('clear').click();
  await frame();
  const opens = [];
  const names = JSON.parse(arguments[1]);
  const row = document.querySelector('.row');
  row.click();
  await new Promise((next) => setTimeout(next, 100));
  for (let at = 0; at < arguments[0]; at += 1) {
    const start = performance.now();
    const old = document.querySelector('#case .case');
    document.getElementById('next').click();
    while (document.querySelector('#case .case') === old) await new Promise((next) => setTimeout(next, 0));
    opens.push(performance.now() - start);
    await frame();
  }
  const frames = [];
  let last = performance.now();
  let running = true;
  const watch = () => { const now = performance.now(); frames.push(now - last); last = now; if (running) requestAnimationFrame(watch); };
  requestAnimationFrame(watch);
  const before = document.getElementById('case-place').textContent;
  let presses = 0;
  const held = performance.now();
  while (performance.now() - held < arguments[2]) {
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
    presses += 1;
    await new Promise((next) => setTimeout(next, 33));
  }
  running = false;
  await new Promise((next) => setTimeout(next, 300));
  const place = (text) => +text.split(' ')[0];
  const moved = place(document.getElementById('case-place').textContent) - place(before);
  const q = document.getElementById('q');
  const searches = [];
  for (const word of ['refund', 'parcel', 'voice', 'shipor', 'deliver']) {
    const start = performance.now();
    q.value = word;
    q.dispatchEvent(new Event('input', { bubbles: true }));
    await Promise.resolve();
    searches.push(performance.now() - start);
    await frame();
  }
  const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  return {
    first_paint_ms: paint, filter_ms: times(filters), open_ms: times(opens), search_ms: times(searches),
    worst_frame_ms: Math.max(...frames.slice(1)), presses, moved, heap_mb: performance.memory?.usedJSHeapSize / 1e6,
  };
})()";

#[test]
fn a_file_of_many_cases_is_small_and_quick() {
    let Some(browser) = Browser::start() else { return };
    let is_long = std::env::var_os("PROBITY_LONG_TESTS").is_some();
    let n = if is_long { 10_000 } else { 300 };
    let (cases, verdicts, n_bytes) = files(n);
    let probity = Probity::new().file("cases.jsonl", cases).file("verdicts.jsonl", verdicts);
    let words = "run cases.jsonl --rubric support-gold --judge recorded --verdicts verdicts.jsonl --texts full --report large.html";
    probity.args([]).words(words.split(' ')).run().code(0);
    let path = probity.path("large.html");
    let size = std::fs::metadata(&path).unwrap().len();
    let started = Instant::now();
    browser.open(&path);
    browser.wait_until("document.querySelector('.row code')");
    let listed = started.elapsed();
    browser.wait_until("!document.querySelector('script[data-block]')");
    let all = started.elapsed();
    let held_ms = if is_long { 5_000 } else { 500 };
    let figures = browser.execute(MEASURE, &[json!(TIMES), json!("[]"), json!(held_ms)]);
    let middle = |name: &str| {
        figures[name].as_array().unwrap()[TIMES.min(figures[name].as_array().unwrap().len()) / 2]
            .as_f64()
            .unwrap()
    };
    let [filter, open, search] = ["filter_ms", "open_ms", "search_ms"].map(middle);
    println!(
        "{n} cases with {:.1} MB of text: file {:.2} MB; first paint {:.0} ms, list after {listed:.0?}, all texts after {all:.0?}; \
         filter {filter:.1} ms, search {search:.1} ms, open a case {open:.1} ms (middle of {TIMES}); j held {held_ms} ms: {} of {} \
         presses moved, worst frame {:.0} ms; heap {:.0} MB",
        n_bytes as f64 / 1e6,
        size as f64 / 1e6,
        figures["first_paint_ms"].as_f64().unwrap_or_default(),
        figures["moved"],
        figures["presses"],
        figures["worst_frame_ms"].as_f64().unwrap_or_default(),
        figures["heap_mb"].as_f64().unwrap_or_default(),
    );
    assert_eq!(figures["moved"], figures["presses"], "a key that is held drops no row");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    if is_long {
        let value = |name: &str| figures[name].as_f64().unwrap();
        assert!(size < 8_000_000, "{size} bytes");
        assert!(
            value("first_paint_ms") < 1_000.0
                && filter < 50.0
                && open < 50.0
                && value("worst_frame_ms") < 100.0
        );
        assert!(value("heap_mb") < 150.0);
    }
    let _: Value = figures;
}
