//! What a page holds and how large it gets, without a browser.

use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
use probity_core::gate::{Admitted, Gate};
use probity_core::report::SummaryBuilder;
use probity_core::results::{Facts, JudgeRecord};
use probity_core::rubric::{self, Rubric};
use probity_core::score::{CriterionOutcome, Scored};

use super::super::super::summary::document;
use super::super::appendix::Appendix;
use super::*;

#[test]
fn a_row_cannot_end_its_element() {
    let row = inert(&json!(["</script><script>alert(1)</script>", "<!--", "&amp; -->"]));
    assert!(!row.contains(['<', '>', '&']), "{row}");
    assert_eq!(serde_json::from_str::<Value>(&row).unwrap()[1], "<!--");
}

#[test]
fn the_page_fetches_nothing() {
    for text in TEMPLATES.map(|(_, text)| text).into_iter().chain([STYLE, SCRIPT]) {
        for word in ["http:", "https:", "url(", "@import", "src=", "fetch(", "innerHTML", "eval("] {
            assert!(!text.contains(word), "{word}");
        }
    }
}

fn admitted() -> Admitted {
    let case = Case::new(CaseId::new("t").unwrap(), Situation::Ticket("Where is my parcel?".into()));
    Gate::default().screen(Entry { case, reply: Reply::new("On its way.") }).expect("nothing to block")
}

/// The reply at `n`, with an id of 64 letters, one of 200 slices and a long text and reason.
fn result(n: usize, admitted: &Admitted, rubric: &Rubric) -> ResultRow {
    let outcome = |at: usize, levels: &[i64]| {
        CriterionOutcome::Scored(Scored {
            violations: Vec::new(),
            level: levels[(n + at) % levels.len()],
            reasoning: format!("Names step {n} and leaves out what the customer asked for. ").repeat(5),
            repairs: Vec::new(),
            suspicions: Vec::new(),
        })
    };
    let criteria = rubric.criteria().iter().enumerate();
    let criteria = criteria.map(|(at, each)| (each.id.clone(), outcome(at, each.scale.levels())));
    ResultRow {
        id: format!("{n:064}"),
        slice: Some(format!("a workflow with a long name, number {}", n % 200)),
        reply: Some(format!("Reply {n}. ").repeat(80)),
        ..ResultRow::judged(admitted, rubric, criteria.collect())
    }
}

fn facts() -> Facts {
    let judge = JudgeRecord {
        id: "j".repeat(64),
        kind: "openai".to_owned(),
        model: "m".to_owned(),
        ..JudgeRecord::default()
    };
    Facts { judge, calls: 50_000, ..Facts::default() }
}

#[test]
fn ten_thousand_replies_stay_below_five_megabytes() {
    let rubric = rubric::built_in("support-gold").unwrap();
    let (admitted, folder) = (admitted(), tempfile::tempdir().unwrap());
    let path = folder.path().join("page.html");
    let out = WholeFile::create(&path).unwrap();
    let mut page = Box::new(Html::new(out).unwrap());
    let mut summary = SummaryBuilder::new(&rubric);
    for n in 0..10_000 {
        let result = result(n, &admitted, &rubric);
        summary.add(&result);
        page.add(&Row::Reply(Box::new(result))).unwrap();
    }
    let summary = summary.finish(facts());
    let document = document(&summary, "cases.jsonl", &[], Appendix::of_files(None));
    Report::finish(page, &summary, &document).unwrap();
    let size = std::fs::metadata(&path).unwrap().len();
    assert!((500_000..5_000_000).contains(&size), "{size} bytes");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("\n[\"0").count(), 10_000, "a row for each reply");
}
