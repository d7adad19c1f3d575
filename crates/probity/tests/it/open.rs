//! `probity open` as a process: what readers without scripts get of runs, and what is refused.

use serde_json::json;

use crate::binary::Probity;
use crate::web::Started;

/// Cases with one text that no other has, and one that the gate blocks.
fn cases(n: usize) -> String {
    let case = |n: usize| {
        let slice = if n.is_multiple_of(2) { "billing" } else { "returns" };
        let reply = match n {
            3 => "Your card 4111 1111 1111 1111 was charged.".to_owned(),
            _ => format!("Parcel {n} is on its way and comes on day {n}."),
        };
        json!({ "id": format!("c-{n:03}"), "slice": slice, "ticket": format!("Where is parcel {n}?"), "reply": reply })
            .to_string()
    };
    (1..=n).map(case).collect::<Vec<_>>().join("\n")
}

fn scene(n: usize) -> Probity {
    let probity = Probity::new().file("cases.jsonl", cases(n));
    probity.args(["run", "cases.jsonl", "--rubric", "support-gold"]).run();
    probity
}

#[test]
fn a_run_is_read_without_scripts_page_by_page_and_case_by_case() {
    let probity = scene(120);
    let room = Started::of(&probity, "open", []);
    let lead = room.come_in();
    let page = |path: &str| room.page(&lead, path);
    let all = page("/runs/1");
    assert!(all.contains("1–50 of 120 replies"), "{all}");
    assert!(all.contains("data-blocks=\"/runs/1/blocks\"") && all.contains("<h1>"), "{all}");
    let last = page("/runs/1?page=3");
    assert!(
        last.contains("101–120 of 120 replies") && last.contains("c-003"),
        "what is blocked comes last: {last}"
    );
    let narrowed = page("/runs/1?slice=returns&o=blocked&q=charged");
    assert!(narrowed.contains("1–1 of 1 that match, of 120 replies"), "{narrowed}");
    let case = page("/runs/1?case=c-014&slice=billing");
    for text in ["Where is parcel 14?", "Parcel 14 is on its way", "of 60", "What came back", ">Next<"] {
        assert!(case.contains(text), "{text} in {case}");
    }
    let unknown = page("/runs/1?case=nobody&slice=billing");
    assert!(
        unknown.contains("nobody is not in this run") && unknown.contains("of 60 that match"),
        "{unknown}"
    );
    let block = page("/runs/1/blocks/0");
    assert!(block.len() > 1000 && !block.contains('<'), "{block}");
    assert!(room.ask("GET /runs/1/blocks/1", &lead, "").starts_with("HTTP/1.1 404"));
    assert!(room.ask("GET /runs/99", &lead, "").starts_with("HTTP/1.1 404"));
    room.end().code(0);
}

#[test]
fn a_run_that_was_answered_from_the_store_is_whole() {
    let probity = scene(6);
    probity.args(["run", "cases.jsonl", "--rubric", "support-gold", "--name", "again"]).run();
    let room = Started::of(&probity, "open", []);
    let lead = room.come_in();
    let again = room.page(&lead, "/runs/2");
    assert!(again.contains("1–6 of 6 replies") && again.contains("Parcel 5 is on its way"), "{again}");
    let both = room.page(&lead, "/runs/compare?one=1&other=2");
    assert!(both.contains("1–6 of 6 pairs; 0 differ"), "{both}");
    assert!(both.contains("2?case=c%2D005\""), "{both}");
    let home = room.page(&lead, "/");
    for text in ["2 runs, 0 queues, 1 judge", "support-gold", "advisory", "again"] {
        assert!(home.contains(text), "{text} in {home}");
    }
    room.end().code(0);
}

#[test]
fn what_can_be_opened_is_told_apart() {
    let probity = scene(2);
    probity.args(["open", "7", "--no-open"]).run().code(2).says(["has no run 7"]);
    probity
        .args(["open", "nothing.json", "--no-open"])
        .run()
        .code(2)
        .says(["nothing.json: there is no such file"]);
    probity.args(["open", "cases.jsonl", "--no-open"]).run().code(2).says(["not a results file"]);
    let empty = Probity::new();
    empty.args(["open", "--no-open"]).run().code(2).says(["there is no store", "`probity run` makes one"]);
    let room = Started::of(&probity, "open", [".probity/store.db"]);
    assert!(room.page(&room.come_in(), "/runs").contains("One run is on record."));
    room.end().code(0);
}

#[test]
fn results_by_a_rubric_of_ones_own_need_it() {
    let rubric = include_str!("../../../probity-core/rubrics/relevance-tone.toml").replace("1.1", "9.9");
    let probity = Probity::new().file("cases.jsonl", cases(2)).file("own.toml", rubric);
    let words = ["--rubric", "own.toml", "--output", "r.json", "--store", "other.db"];
    probity.args(["run", "cases.jsonl"]).words(words.into_iter()).run();
    probity.args(["open", "r.json", "--no-open"]).run().code(2).says(["not at hand", "--rubric FILE"]);
    let wrong = probity.args(["open", "r.json", "--no-open", "--rubric", "support-gold"]).run().code(2);
    wrong.says(["the results were scored by another"]);
    for words in [["--rubric", "own.toml"], ["--store", "other.db"]] {
        let room = Started::of(&probity, "open", [&["r.json"][..], &words].concat());
        assert!(room.page(&room.come_in(), "/runs/1").contains("1–2 of 2 replies"));
        room.end().code(0);
    }
}
