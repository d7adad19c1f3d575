//! Reports of comparisons, calibrations, probings and promotions, in every kind, and what a CI server makes of them.

use serde_json::{Value, json};

use crate::binary::Probity;

const KINDS: [&str; 4] = ["html", "md", "xml", "json"];

fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    rows.into_iter().map(|row| row.to_string() + "\n").collect()
}

/// Thirty pairs with a winner, and one of each that has none. The second variant loses.
fn pairs() -> String {
    let row = |n: usize, ab: &str, ba: &str| {
        json!({
            "item": format!("p{n}"), "slice": if n.is_multiple_of(2) { "late" } else { "lost" },
            "variant_a": "old", "variant_b": "new", "verdict_ab": ab, "verdict_ba": ba,
            "len_a": 40 + n, "len_b": 90 - n,
        })
    };
    let lost = (0..30).map(|n| row(n, "a", "a"));
    let open = [(30, "a", "b"), (31, "needs_human_review", "a"), (32, "tie", "tie"), (33, "perhaps", "b")];
    lines(lost.chain(open.map(|(n, ab, ba)| row(n, ab, ba))))
}

/// Two people on three slices: the judge is right on one, wrong on one, and one has three labels.
fn labels() -> [String; 2] {
    let slices = [("late", 12), ("lost", 12), ("rare", 3)];
    let items = slices.map(|(slice, n)| (0..n).map(move |at| (slice, at)));
    let items: Vec<(&str, usize)> = items.into_iter().flatten().collect();
    let of = |(slice, at): &(&str, usize)| (format!("{slice}-{at}"), ["pass", "fail"][at % 2]);
    let label = |item: &(&str, usize), name: &str| json!({ "item": of(item).0, "slice": item.0, "annotator": name, "label": of(item).1 });
    let said = |item: &(&str, usize)| {
        let verdict = if item.0 == "lost" { "pass" } else { of(item).1 };
        json!({ "item": of(item).0, "judge": "m", "verdict": verdict })
    };
    [
        lines(items.iter().flat_map(|item| ["ana", "ben"].map(|name| label(item, name)))),
        lines(items.iter().map(said)),
    ]
}

fn scene() -> Probity {
    let [labels, said] = labels();
    let contract = "name = \"c\"\nversion = \"1\"\nowner = \"o\"\n[agreement]\n\
                    measure = \"cohen_kappa\"\nlower_bound_min = 0.9\n";
    Probity::new()
        .file("pairs.jsonl", pairs())
        .file("labels.jsonl", labels)
        .file("said.jsonl", said)
        .file("contract.toml", contract)
}

/// Runs a command twice with every kind of report, which must be the same bytes, and the JSON what `--output` writes.
#[track_caller]
fn check(probity: &Probity, words: &str, code: i32) {
    let call = |name: &str| {
        let reports = KINDS.map(|kind| format!("{name}.{kind}"));
        let output = format!("{name}-output.json");
        let flags = reports.iter().flat_map(|file| ["--report", file]).chain(["--output", &output]);
        probity.args([]).words(words.split(' ').chain(flags)).run().code(code);
        let texts = reports.map(|file| String::from_utf8(probity.bytes(&file)).unwrap());
        assert_eq!(texts[3].as_bytes(), probity.bytes(&output), "the JSON is what --output writes");
        texts
    };
    let texts = call("report");
    assert_eq!(texts, call("again"), "the same files, the same bytes");
    let [html, markdown, junit, _] = texts;
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    assert!(
        html.contains("default-src 'none'; ") && !html.contains("unsafe-"),
        "nothing but what the page itself brings"
    );
    assert!(html.contains("id=\"appendix\"") && html.contains("<h3>Reproduce</h3>"));
    assert!(markdown.starts_with("## ") && markdown.contains("### Made with"), "{markdown}");
    assert!(junit.starts_with("<?xml") && junit.ends_with("</testsuites>\n"));
}

/// The test cases of the last report that are not passed: how each ended, and its name.
fn not_passed(probity: &Probity) -> Vec<String> {
    let junit = String::from_utf8(probity.bytes("report.xml")).unwrap();
    let part = |line: &str, from: &str, to: &str| {
        line.split_once(from).and_then(|(_, rest)| rest.split_once(to)).map(|(part, _)| part.to_owned())
    };
    let line = |line: &str| {
        let name = part(line, " name=\"", "\"")?;
        let ended = part(line, "><", " ")?;
        line.contains("<testcase").then(|| format!("{ended}: {name}"))
    };
    junit.lines().filter_map(line).collect()
}

#[test]
fn a_comparison_is_reported_in_every_kind() {
    let probity = scene();
    check(&probity, "compare --verdicts pairs.jsonl --resamples 100", 0);
    assert_eq!(not_passed(&probity)[0], "skipped: new is not worse than old, by (none)",);
    assert!(not_passed(&probity).iter().all(|line| line.starts_with("skipped: ")), "verdicts from a file");
    let markdown = String::from_utf8(probity.bytes("report.md")).unwrap();
    assert!(markdown.contains("**old answers better than new"), "{markdown}");
    assert!(markdown.contains("| old wins | 30 | 0 | 1 | 0 | 0 |"), "both orders: {markdown}");
}

#[test]
fn a_calibration_is_reported_in_every_kind() {
    let probity = scene();
    check(&probity, "calibrate --labels labels.jsonl --verdicts said.jsonl --resamples 100", 0);
    assert_eq!(
        not_passed(&probity),
        ["failure: agrees with people on lost", "skipped: agrees with people on rare"]
    );
    let markdown = String::from_utf8(probity.bytes("report.md")).unwrap();
    assert!(markdown.contains("| pass | 14 | 6 |") || markdown.contains("| pass | 6 | 14 |"), "{markdown}");
}

#[test]
fn a_promotion_is_reported_in_every_kind() {
    let probity = scene();
    let words =
        "promote --labels labels.jsonl --verdicts said.jsonl --contract contract.toml --resamples 100";
    check(&probity, words, 1);
    let ended = not_passed(&probity);
    assert!(ended.contains(&"failure: agreement with people (cohen_kappa)".to_owned()), "{ended:?}");
    assert!(!ended.iter().any(|name| name.contains("hard gates")), "{ended:?}");
    let markdown = String::from_utf8(probity.bytes("report.md")).unwrap();
    for section in ["Decision", "Hard gates", "Rubric contract", "Judge runs", "Bias probes", "Calibration"] {
        assert!(markdown.contains(&format!("### {section}\n")), "{section}: {markdown}");
    }
}

#[test]
fn a_probing_is_reported_in_every_kind() {
    let probity = scene();
    check(&probity, "probe --judge baseline --select length --bases 3 --rubric relevance-tone", 0);
    let page = String::from_utf8(probity.bytes("report.html")).unwrap();
    assert!(page.contains("This judge counts words. It reads no prompt."), "the appendix says who was asked");
    assert!(page.contains(
        "probity probe --judge baseline --select length --bases 3 --rubric relevance-tone --offline"
    ));
    assert!(page.contains("this is not the judge&#x27;s probing"), "a part of the battery is said to be one");
}

#[test]
fn a_report_without_a_kind_or_a_place_costs_nothing() {
    let probity = scene();
    for words in [
        "compare --verdicts pairs.jsonl --report out.pdf",
        "calibrate --labels labels.jsonl --report out.pdf",
        "probe --judge baseline --report out.pdf",
        "promote --labels labels.jsonl --verdicts said.jsonl --contract contract.toml --report out.pdf",
    ] {
        let ran = probity.args([]).words(words.split(' ')).run().code(2);
        ran.says(["--report out.pdf", ".html, .md, .txt, .xml, .json or .slack.json"]);
    }
    let nowhere = ["compare", "--verdicts", "pairs.jsonl", "--report", "contract.toml/out.html"];
    probity.args(nowhere).run().code(4).says(["contract.toml/out.html"]);
    probity.args(["promote", "--revoke", "why", "--report", "out.md"]).run().code(2);
    probity.args(["probe", "--list", "--report", "out.md"]).run().code(2);
}

#[test]
fn markdown_and_junit_hold_hostile_names_as_text() {
    let hostile = "</script><img src=x onerror=alert(1)> | **b** ]]> & \"";
    let row = |n: usize| {
        let orders = [["a", "b"], ["needs_human_review", "a"], ["a", "a"], [hostile, "b"]][n % 4];
        json!({
            "item": format!("{n} {hostile}"), "slice": hostile, "judge": hostile, "variant_a": hostile,
            "variant_b": format!("b {hostile}"), "verdict_ab": orders[0], "verdict_ba": orders[1],
        })
    };
    let probity = Probity::new().file("pairs.jsonl", lines((0..20).map(row)));
    check(&probity, "compare --verdicts pairs.jsonl --resamples 50", 0);
    for name in ["report.md", "report.xml", "report.html"] {
        let text = String::from_utf8(probity.bytes(name)).unwrap();
        assert!(
            !text.contains("<img")
                && !text.contains("</script><")
                && (name == "report.md" || !text.contains("]]>")),
            "{name}: {text}"
        );
    }
    let markdown = String::from_utf8(probity.bytes("report.md")).unwrap();
    assert!(!markdown.contains("**b**"), "{markdown}");
}
