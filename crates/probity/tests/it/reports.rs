//! Reports in files: one page that asks nobody for anything, and refusals of names that say nothing.

use serde_json::Value;

use crate::binary::Probity;

/// Texts that would act if a page took them for anything but text.
const HOSTILE: &[&str] = &[
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "<!-- <script>",
    "{{ 7 * 7 }} {% raw %}",
    "javascript:alert(1)",
    "\u{202e}reversed\u{2028}line",
];

fn scene() -> Probity {
    let (mut cases, mut verdicts) = (String::new(), String::new());
    for (at, text) in HOSTILE.iter().enumerate() {
        let id = format!("{at} {text}");
        let case =
            serde_json::json!({ "id": id, "slice": text, "ticket": text, "reply": format!("Hello {text}") });
        let said = serde_json::json!({ "score": 1 + at % 5, "reasoning": text });
        let verdict = serde_json::json!({ "id": id, "relevance": said, "tone": said });
        cases += &format!("{case}\n");
        verdicts += &format!("{verdict}\n");
    }
    Probity::new().file("cases.jsonl", cases).file("verdicts.jsonl", verdicts)
}

fn run(probity: &Probity, report: &str) -> String {
    let call =
        ["run", "cases.jsonl", "--judge", "recorded", "--verdicts", "verdicts.jsonl", "--report", report];
    probity.args(call).run().code(0);
    String::from_utf8(probity.bytes(report)).unwrap()
}

#[test]
fn a_page_holds_its_rows_as_data_and_everything_else_as_text() {
    let probity = scene();
    let page = run(&probity, "out.html");
    assert_eq!(page.matches("<script").count(), 3, "a block, the index and the page's own script");
    assert!(!page.contains("<img") && !page.contains("<svg onload") && !page.contains("<!-- <script>"));
    assert!(page.contains("default-src 'none'") && !page.contains("unsafe-inline"));
    let index = page.split("id=\"index\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
    let index: Value = serde_json::from_str(index).unwrap();
    assert_eq!(index["name"].as_array().unwrap().len(), HOSTILE.len());
    assert_eq!(index["facets"][1]["values"][0], HOSTILE[0]);
    assert_eq!(
        page,
        run(&probity, "again.html").replace("again.html", "out.html"),
        "the same store, the same bytes"
    );
}

#[test]
fn markdown_and_junit_hold_hostile_texts_as_text() {
    let probity = scene();
    let markdown = run(&probity, "out.md");
    assert!(!markdown.contains("<script>") && !markdown.contains("<img") && !markdown.contains("<svg"));
    let junit = run(&probity, "out.xml");
    assert!(!junit.contains("<script") && junit.contains("tests=\"7\" failures=\"0\""));
}

#[test]
fn a_name_without_a_kind_is_refused_before_anything_is_asked() {
    let probity = scene();
    let ran = probity.args(["run", "cases.jsonl", "--report", "out.pdf"]).run();
    ran.code(2).says(["--report out.pdf", ".html, .md, .txt, .xml, .json or .slack.json"]);
    assert!(!probity.path("out.pdf").exists());
}
