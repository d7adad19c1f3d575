//! What opens behind the figures of a report: a case with labels and raw packets, a pair in both orders, before and
//! after, and what the judge and people said.

use serde_json::{Value, json};

use crate::axe::accessible;
use crate::client::{Browser, Look};
use crate::report::Scene;

const ENTER: &str = "\u{E007}";
const ESCAPE: &str = "\u{E00C}";

/// The rows of a file, changed.
fn rows(scene: &Scene, name: &str, change: impl Fn(usize, &mut Value)) -> String {
    let text = std::fs::read_to_string(scene.probity.path(name)).unwrap();
    let rows = text.lines().enumerate().map(|(at, line)| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        change(at, &mut row);
        row.to_string() + "\n"
    });
    rows.collect()
}

#[test]
fn a_case_shows_labels_beside_levels_and_raw_packets_behind_a_tab() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::judged_by("noisy:0.15");
    scene
        .probity
        .args(["run", "gold.jsonl", "--rubric", "support-gold", "--model", "mock-judge"])
        .run()
        .code(0);
    let first: Value = serde_json::from_str(
        std::fs::read_to_string(scene.probity.path("gold.jsonl")).unwrap().lines().next().unwrap(),
    )
    .unwrap();
    let id = first["id"].as_str().unwrap();
    let label = |person: &str, criterion: &str, level: u8| {
        json!({ "item": id, "criterion": criterion, "annotator": person, "label": level.to_string(), "rubric": "support-gold" }).to_string()
    };
    let labels =
        [label("ann", "accuracy", 1), label("bob", "accuracy", 3), label("ann", "tone", 2)].join("\n");
    std::fs::write(scene.probity.path("people.jsonl"), labels).unwrap();
    scene.probity.args(["import", "labels", "people.jsonl"]).run().code(0);
    scene.open_made(&browser, "case.html", "report last --labels --raw", 0);
    browser.execute("location.hash = arguments[0]; location.reload()", &[json!(format!("case={id}"))]);
    browser.wait_until("document.querySelector('#criterion-accuracy .person')");
    let at = |person: &str| {
        let level = "return [...document.querySelectorAll('#criterion-accuracy .scale li')].findIndex((each) => \
            each.querySelector(`.person[title=\"${arguments[0]}\"]`))";
        browser.execute(level, &[json!(person)])
    };
    assert_eq!([at("ann"), at("bob")], [1, 3], "people stand at their levels");
    accessible(&browser, "a case with labels");
    browser.screenshots("report-case-labels");
    browser.press("t");
    browser.wait_until("document.getElementById('open').classList.contains('at-raw')");
    assert_eq!(browser.count(".packet"), 5, "one packet for each criterion");
    assert!(browser.text(".packet[open] .parts").contains("Criterion"));
    assert!(
        browser.text(".packet[open] section + section").contains("mock-judge"),
        "the answer names its model"
    );
    browser.press("v");
    browser.wait_until("getComputedStyle(document.querySelector('.packet[open] .sent')).display === 'block'");
    browser.press("v");
    browser.press("3");
    browser.wait_until(
        "document.querySelectorAll('.packet')[2].open && !document.querySelectorAll('.packet')[0].open",
    );
    browser.press("j");
    browser.wait_until("document.getElementById('open').classList.contains('at-raw')");
    accessible(&browser, "raw packet and answer");
    browser.screenshots("report-case-raw");
    // Without the flags neither is in the file.
    scene.open_made(&browser, "plain.html", "report last", 0);
    browser.send_keys("#q", id);
    browser.press(ESCAPE);
    browser.click(".row");
    browser.wait_until("document.querySelector('#case .case')");
    assert_eq!(browser.count(".person") + browser.count(".raw-side"), 0);
}

/// Everything that is drawn on a page with a list leads to a part of it, and says so in words.
#[track_caller]
pub(crate) fn nothing_is_dead(browser: &Browser, page: &str) {
    let drawn = "return [...document.querySelectorAll('main > :not(.viewer) :is(.dot, .ring:not(.ruler *), .wedge, rect.bar, .stack rect, \
        .levels rect, td.h0, td.h1, td.h2, td.h3)')].filter((each) => each.getClientRects().length)";
    let dead = format!(
        "{drawn}.filter((each) => !(each.closest('a') || each.querySelector('a')) ).map((each) => each.outerHTML)"
    );
    assert!(browser.execute(&format!("{drawn}.length"), &[]).as_u64() > Some(0), "{page} draws nothing");
    assert_eq!(browser.execute(&dead, &[]), json!([]), "{page}: what is drawn opens nothing");
    let unnamed = "return [...document.querySelectorAll('main svg a, a.hit')].filter((each) => !/\\d/.test(each.getAttribute('aria-label'))).length";
    assert_eq!(browser.execute(unnamed, &[]), 0, "{page}: a link has no figure in its name");
}

/// From the top to a case of the worst slice and back, by keys alone.
#[test]
fn a_report_is_walked_by_keys_alone() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::judged_by("noisy:0.15");
    scene.open(&browser, "walk.html", "run gold.jsonl --rubric support-gold", 0);
    browser.press("j");
    browser.press(ENTER);
    browser.wait_until("document.activeElement.id === 'case-title'");
    assert_eq!(browser.count(".texts .turn") > 0, browser.count(".answer .words") > 0);
    browser.press(ESCAPE);
    browser.wait_until("document.activeElement.classList.contains('row')");
    browser.press("?");
    browser.wait_until("document.getElementById('keys').open");
    accessible(&browser, "the list of keys");
    browser.press(ESCAPE);
    browser.wait_until("!document.getElementById('keys').open");
    // A word that only a reason has is found, and the row shows it.
    browser.press("/");
    browser.press("mock verdict");
    browser.wait_until("document.querySelector('.row mark.found')");
    assert_eq!(browser.text(".row mark.found").to_lowercase(), "mock verdict");
    let line = browser.text(".row .line + .line");
    assert!(line.starts_with("Reason, accuracy: … Mock verdict"), "{line}");
    browser.press(ESCAPE);
    browser.press("x");
    // A click on a drawn slice shows its replies and nothing else.
    browser.execute("scrollTo(0, 0)", &[]);
    browser.click("#slices tbody tr:nth-child(2) a.hit");
    browser.wait_until("document.querySelector('.token')");
    let slice = browser
        .execute("return document.querySelector('.token').textContent.split(': ')[1].slice(0, -2)", &[]);
    let rows = browser.execute(
        "return [...new Set([...document.querySelectorAll('.row small')].map((each) => each.textContent))]",
        &[],
    );
    assert_eq!(rows, json!([slice]));
    let worst =
        browser.execute("return document.querySelector('#slices tbody tr:nth-child(2) td').textContent", &[]);
    assert_eq!(slice, worst, "the slice that stands first is the worst");
    browser.click(".row");
    browser.wait_until("document.querySelector('#case .answer .words')?.getClientRects().length");
    assert!(browser.count("#case .turn .words") > 0, "two clicks to a ticket and its reply");
    assert!(browser.text("#rail-head").ends_with(&format!("Slice {}", worst.as_str().unwrap())));
    browser.press(ESCAPE);
    browser.wait_until("document.querySelector('.token')");
    nothing_is_dead(&browser, "walk.html");
    // What is printed is what is filtered, with its filters in words.
    browser.execute("dispatchEvent(new Event('beforeprint'))", &[]);
    browser.look(Look::Print);
    let n = browser.execute("return [document.querySelectorAll('.row').length, +document.getElementById('printed').textContent.split(' ')[0]]", &[]);
    assert_eq!(n[0], n[1]);
    assert!(browser.text("#printed").contains("Slice"));
    let head = "return [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule instanceof CSSPageRule) \
        .map((rule) => rule.cssText).join(' ')";
    assert!(
        browser.execute(head, &[]).as_str().unwrap().contains("advisory"),
        "the standing is on every sheet"
    );
    browser.screenshot("report-run-filtered-print");
    browser.look(Look::Light);
}

/// Sorted by any column, blocked and unscored replies stand together at the end and nothing stands before what is lower.
#[test]
fn every_order_of_the_list_is_right() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::judged_by("noisy:0.15");
    scene.open(
        &browser,
        "sorted.html",
        "run policy-cases.jsonl --policies policies.toml --rubric support-gold",
        0,
    );
    assert!(browser.count(".row .outcome.blocked") > 0, "some are blocked");
    let n = browser.count("[data-sort]");
    for at in 0..n {
        let mut ways = Vec::new();
        for _ in 0..2 {
            let check = "document.querySelectorAll('[data-sort]')[arguments[0]].click();
                const head = document.querySelectorAll('[data-sort]')[arguments[0]].parentElement;
                const column = [...head.parentElement.children].indexOf(head);
                const rows = [...document.querySelectorAll('.row')];
                const last = rows.map((row) => ({ blocked: 1, unscored: 2 })[row.querySelector('.outcome .name').textContent] || 0);
                const cells = rows.filter((_, at) => !last[at]).map((row) => row.children[column].textContent.replace('\u{2212}', '-'));
                const key = head.querySelector('button').dataset.sort;
                const value = (text) => (['name', 'outcome'].includes(key) ? text : text === '\u{2013}' ? null : +text);
                const sorted = cells.map(value).every((each, at, all) => !at || key === 'outcome' || all[at - 1] === null || each === null ||
                    (head.getAttribute('aria-sort') === 'ascending' ? all[at - 1] <= each : all[at - 1] >= each));
                return [head.getAttribute('aria-sort'), sorted, last.every((each, at) => !at || last[at - 1] <= each)]";
            let found = browser.execute(check, &[json!(at)]);
            assert_eq!([&found[1], &found[2]], [true, true], "column {at}: {found}");
            assert_eq!(browser.count("[aria-sort]"), 1);
            ways.push(found[0].as_str().unwrap_or_default().to_owned());
        }
        // A column that the list is sorted by already turns round first.
        ways.sort();
        assert_eq!(ways, ["ascending", "descending"], "column {at}");
    }
}

#[test]
fn three_variants_have_a_matrix_and_every_pair_opens_in_both_orders() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::new();
    let third = rows(&scene, "old.jsonl", |at, row| {
        let said = row["reply"].as_str().unwrap().to_owned();
        row["reply"] = json!(if at % 3 == 0 {
            format!("{said} Please let us know whether that helps you.")
        } else {
            format!("Hello. {said}")
        });
        row["variant"] = json!("bot-3");
    });
    std::fs::write(scene.probity.path("third.jsonl"), third).unwrap();
    scene.open(&browser, "three.html", "compare old.jsonl new.jsonl third.jsonl --resamples 200", 0);
    nothing_is_dead(&browser, "three.html");
    assert_eq!(browser.count("#between tbody tr"), 3);
    assert_eq!(browser.count("#between td a"), 6, "each variant against each other one");
    assert!(browser.count("#slices-by-variant td a") >= 6);
    browser.click("#between td a");
    browser.wait_until("document.querySelector('.token')");
    browser.click(".row");
    browser.wait_until("document.querySelector('.pair .order')");
    assert_eq!(
        [browser.count(".pair .answer"), browser.count(".order"), browser.count(".slots .won").min(1)],
        [2, 2, 1]
    );
    accessible(&browser, "a pair");
    browser.screenshots("report-pair");
    browser.press(ESCAPE);
    browser.screenshots("report-compare-three");
}

#[test]
fn a_difference_shows_both_texts_with_changed_words_marked() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::judged_by("noisy:0.15");
    let changed = rows(&scene, "gold.jsonl", |at, row| {
        if at % 2 == 0 {
            row["reply"] = json!("We cannot help you with that.");
        }
    });
    std::fs::write(scene.probity.path("changed.jsonl"), changed).unwrap();
    for file in ["gold.jsonl", "changed.jsonl"] {
        scene.probity.args(["run", file, "--rubric", "support-gold", "--model", "mock-judge"]).run().code(0);
    }
    scene.open_made(&browser, "diff.html", "diff 1 2", 0);
    nothing_is_dead(&browser, "diff.html");
    let told = browser.execute("return [...document.querySelectorAll('#outcomes td:not(:first-child)')].map((each) => +each.textContent).reduce((a, b) => a + b, 0)", &[]);
    browser.click("#outcomes td a");
    browser.wait_until("document.querySelector('.token')");
    assert_eq!(told, 30, "every pair is in one cell");
    browser.click(".row");
    browser.wait_until("document.querySelector('.change mark.added')");
    assert!(browser.count(".change mark.removed") > 0 && browser.count(".moves span") > 0);
    accessible(&browser, "before and after");
    browser.screenshots("report-change");
    browser.press(ESCAPE);
    browser.screenshots("report-diff");
}

#[test]
fn a_cell_of_a_calibration_lists_exactly_its_cases() {
    let Some(browser) = Browser::start() else { return };
    let scene = Scene::new();
    let words =
        "calibrate old.jsonl new.jsonl --labels labels.jsonl --resamples 200 --rubric pairwise-support";
    scene.open(&browser, "cells.html", words, 0);
    nothing_is_dead(&browser, "cells.html");
    let judged = browser.execute("return [...document.querySelectorAll('#confusion td a')].map((each) => [each.dataset.filter, +each.textContent])", &[]);
    let mut n_listed = 0;
    for (at, cell) in judged.as_array().unwrap().iter().enumerate() {
        browser.execute("document.querySelectorAll('#confusion td a')[arguments[0]].click()", &[json!(at)]);
        let rows =
            "return [...document.querySelectorAll('.row .line + .line')].map((each) => each.textContent)";
        let rows: Vec<Value> = browser.execute(rows, &[]).as_array().unwrap().clone();
        assert_eq!(json!(rows.len()), cell[1], "{cell} lists {rows:?}");
        let filter = cell[0].as_str().unwrap().replace("%20", " ");
        let judge = filter.trim_start_matches("cell=judge ").split("%2C").next().unwrap();
        let is_of = |row: &Value| row.as_str().unwrap().starts_with(&format!("judge {judge};"));
        assert!(rows.iter().all(is_of), "{cell}: {rows:?}");
        n_listed += rows.len();
    }
    assert_eq!(n_listed, 28, "every labelled item is in one cell");
    browser.execute("document.querySelector('#confusion td:not(.same) a').click()", &[]);
    browser.click(".row");
    browser.wait_until("document.querySelector('.held dl')");
    assert!(browser.count(".held .answer") > 0, "the texts are there");
    accessible(&browser, "a labelled item");
    browser.screenshots("report-held");
}
