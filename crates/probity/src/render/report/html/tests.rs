//! What a page holds and how large it gets, without a browser.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::DeflateDecoder;
use probity_core::case::{Case, CaseId, ContextText, Entry, Reply, Situation, ToolCall};
use probity_core::gate::{Admitted, Gate};
use probity_core::report::SummaryBuilder;
use probity_core::results::{Facts, JudgeRecord};
use probity_core::rubric::{self, Rubric};
use probity_core::score::{CriterionOutcome, Scored};

use probity_core::case::{Role, Turn};
use probity_core::packet::PacketHash;

use super::super::super::summary::document;
use super::super::super::view::{
    AskedPacket, CaseParts, ChangeSide, LevelMove, ListHead, ListItem, Opened, OrderSaid, PairReply,
};
use super::super::appendix::Appendix;
use super::*;

#[test]
fn a_row_cannot_end_its_element() {
    let row = inert(&json!(["</script><script>alert(1)</script>", "<!--", "&amp; -->"]).to_string());
    assert!(!row.contains(['<', '>', '&']), "{row}");
    assert_eq!(serde_json::from_str::<Value>(&row).unwrap()[1], "<!--");
}

#[test]
fn the_page_fetches_nothing() {
    for text in TEMPLATES.map(|(_, text)| text).into_iter().chain([
        STYLE,
        view::STYLE,
        view::CASE_STYLE,
        view::PARTS_STYLE,
        view::LIST,
        view::KEYS,
        // The one thing that is asked for is a server's, and only where a page of the server names its address.
        &view::SCRIPT.replacen("fetch(address)", "", 1),
    ]) {
        for word in ["http:", "https:", "url(", "@import", "src=", "fetch(", "innerHTML", "eval(", "style=\""]
        {
            assert!(!text.contains(word), "{word}");
        }
    }
}

#[test]
fn style_and_script_keep_to_their_budgets() {
    let sizes = [style(true).len(), style(false).len(), view::SCRIPT.len()];
    assert!(sizes[0] < 20_000 && sizes[1] < 20_000 && sizes[2] < 40_000, "{sizes:?}");
    assert!(style(true).contains("h1{font-size:30px;") && !style(true).contains("/*"));
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

/// The page of a run with these replies.
fn page(rubric: &Rubric, rows: impl Iterator<Item = ResultRow>, texts: Texts) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let mut page = Box::new(
        Html::new(WholeFile::create(&path).unwrap(), rubric, texts, Rc::new(Beside::default())).unwrap(),
    );
    let mut summary = SummaryBuilder::new(rubric);
    for row in rows {
        summary.add(&row);
        page.add(&Row::Reply(Box::new(row))).unwrap();
    }
    let summary = summary.finish(facts());
    let document = document(&summary, "cases.jsonl", &[], Appendix::of_files(None));
    Report::finish(page, &summary, &document).unwrap();
    std::fs::read_to_string(&path).unwrap()
}

/// What a block holds of an entry: two lines, numbers of pieces, and texts.
type Inflated = (String, String, Vec<usize>, Vec<String>);

fn inflated(page: &str) -> Vec<Inflated> {
    let blocks = page.split("data-block=\"").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let blocks = blocks.map(|rest| {
        let block = rest.split_once('>').unwrap().1.split_once('<').unwrap().0;
        let bytes = BASE64_STANDARD.decode(block).unwrap();
        let (pieces, rows): (Vec<String>, Vec<Inflated>) =
            serde_json::from_reader(DeflateDecoder::new(&*bytes)).unwrap();
        assert!((10..400).contains(&pieces.len()), "{} pieces", pieces.len());
        rows
    });
    blocks.flatten().collect()
}

#[test]
fn a_file_is_little_larger_than_its_texts() {
    let rubric = rubric::built_in("support-gold").unwrap();
    let (admitted, n) = (admitted(), 1_000);
    let page = page(&rubric, (0..n).map(|n| result(n, &admitted, &rubric)), Texts::Full);
    assert!((50_000..1_000_000).contains(&page.len()), "{} bytes", page.len());
    let rows = inflated(&page);
    assert_eq!(rows.len(), n, "a row for each reply");
    assert!(rows.iter().all(|(ticket, reply, pieces, texts)| {
        let says = texts.iter().any(|text| text.contains("Names step"));
        ticket == "Where is my parcel?"
            && reply.starts_with("Reply ")
            && says
            && pieces.len() == texts.len() + 1
    }));
}

#[test]
fn a_masked_page_holds_personal_data_nowhere() {
    let rubric = rubric::built_in("support-gold").unwrap();
    let (card, mail) = ("4111 1111 1111 1111", "jane.doe@corp.com");
    let said = format!("Says {card} and {mail}.");
    let row = || {
        let mut row = result(0, &admitted(), &rubric);
        (row.ticket, row.reply, row.reference) = (Some(said.clone()), Some(said.clone()), Some(said.clone()));
        row.evidence.context.push(ContextText { text: said.clone(), source: None });
        row.evidence.tools.push(ToolCall {
            name: "look_up".to_owned(),
            arguments: Some(said.clone()),
            result: Some(said.clone()),
        });
        for result in row.criteria.0.iter_mut().filter_map(|(_, result)| result.as_mut()) {
            result.reasoning = Some(said.clone());
        }
        row
    };
    let all = |texts| {
        let page = page(&rubric, [row()].into_iter(), texts);
        let entries = inflated(&page).into_iter();
        entries.fold(page, |all, (one, other, _, texts)| format!("{all}{one}{other}{}", texts.join("")))
    };
    let (full, masked, none) = (all(Texts::Full), all(Texts::Masked), all(Texts::None));
    for secret in [card, mail] {
        assert!(full.contains(secret) && !masked.contains(secret) && !none.contains(secret), "{secret}");
    }
    assert!(masked.contains("•••• •••• •••• ••••") && !none.contains("Says"));
}

/// Everything that a page holds, its blocks inflated.
fn everything(page: String) -> String {
    let entries = inflated(&page).into_iter();
    entries.fold(page, |all, (one, other, _, texts)| format!("{all}{one}{other}{}", texts.join("")))
}

#[test]
#[expect(clippy::too_many_lines, reason = "one document in every form")]
fn pairs_changes_labelled_items_and_raw_packets_are_masked_too() {
    let (card, mail) = ("4111 1111 1111 1111", "jane.doe@corp.com");
    let said = format!("Says {card} and \u{201c}{mail}\u{201d}.");
    let turns = vec![Turn { role: Role::Customer, text: said.as_str().into() }];
    let reply =
        |variant: &str| PairReply { variant: variant.to_owned(), text: said.clone(), findings: Vec::new() };
    let order = OrderSaid {
        slots: ["a", "b"].map(str::to_owned),
        winner: Some(1),
        says: "a is better".to_owned(),
        evidence: vec![said.clone()],
    };
    let side = || ChangeSide {
        title: "run 1".to_owned(),
        outcome: "fail".to_owned(),
        total: None,
        text: said.clone(),
        reasons: Vec::new(),
    };
    let moves = vec![LevelMove {
        title: "tone".to_owned(),
        levels: [4, 1],
        is_worse: true,
        reason: Some(said.clone()),
    }];
    let views = [
        Opened::Pair {
            turns: turns.clone(),
            replies: [reply("a"), reply("b")],
            orders: vec![order],
            counts_as: "a wins".to_owned(),
            tone: "met".to_owned(),
        },
        Opened::Change { turns: turns.clone(), sides: [side(), side()], moves },
        Opened::Held {
            turns,
            replies: vec![("Reply".to_owned(), said.clone())],
            asked: "tone".to_owned(),
            judge: "1".to_owned(),
            people: vec![("ann".to_owned(), "2".to_owned())],
            reason: Some(said.clone()),
            outcome: "differs".to_owned(),
        },
    ];
    let item = |(at, view): (usize, Opened)| ListItem {
        name: format!("item {at}"),
        values: vec![vec!["fail".to_owned()], vec!["slice".to_owned()]],
        total: None,
        levels: Vec::new(),
        lines: [said.clone(), said.clone()],
        view,
    };
    let items = views.into_iter().enumerate().map(item).collect();
    let head = ListHead::new("things", "", &[("o", "Outcome"), ("slice", "Slice")]);
    let document = Document {
        sections: vec![Section::new("list", "List").with(Block::Rows).on_pages()],
        list: Some(DocumentList { head, items }),
        ..Document::default()
    };
    let all = |texts| everything(html(&document, texts).unwrap());
    let (full, masked, none) = (all(Texts::Full), all(Texts::Masked), all(Texts::None));
    for secret in [card, mail] {
        assert!(full.contains(secret) && !masked.contains(secret) && !none.contains(secret), "{secret}");
    }
    // A packet hides it behind escapes of JSON, and inside JSON in JSON.
    let asked = AskedPacket {
        hash: PacketHash::from_bytes([7; 32]),
        body: serde_json::json!({ "reply": format!("\n{said}\n"), "situation": { "ticket": said } })
            .to_string(),
        attempts: vec![],
    };
    let rubric = rubric::built_in("support-gold").unwrap();
    let row = result(0, &admitted(), &rubric);
    let parts = CaseParts { rubric: &rubric, votes: None, asked: Some(std::slice::from_ref(&asked)) };
    let [full, masked] =
        [Texts::Full, Texts::Masked].map(|texts| Viewer::new(texts).case(&row, parts).unwrap());
    assert!(full.contains(card) && !masked.contains(card) && masked.contains("•••• ••••"));
}

#[test]
fn points_add_up_to_the_total_and_stand_on_the_bar() {
    let rubric = rubric::built_in("support-gold").unwrap();
    for n in 0..25 {
        let row = result(n, &admitted(), &rubric);
        let points: probity_core::exact::Exact = row.asked().filter_map(|(_, result)| result.points).sum();
        assert_eq!(Some(points), row.total, "reply {n}");
        let parts = CaseParts { rubric: &rubric, votes: None, asked: None };
        let case = Viewer::new(Texts::Full).case(&row, parts).unwrap();
        let reached = format!("x=\"{points}%\" y=\"53\" text-anchor=\"middle\">{points}</text>");
        assert!(case.contains(&reached), "reply {n}");
    }
}
