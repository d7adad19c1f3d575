//! `probity review` up to the server: queues from case files and from what a judge said, and labels that every other
//! command sees.

use std::collections::BTreeMap;

use probity_core::review::{ReplySide, ReviewerAnswer};
use probity_engine::review::{
    ItemView, PersonId, PersonName, PersonRole, QueueId, ReviewRoom, Submission, Submitted,
};
use serde_json::{Value, json};

use crate::binary::{Probity, Ran};
use crate::mock::process::MockJudge;

const NOW: i64 = 1_780_000_000;

/// Cases of two slices, with replies by a variant whose name nobody may see.
fn cases(n_cases: usize, variant: &str, reply: &str) -> String {
    let line = |n: usize| {
        let slice = if n.is_multiple_of(2) { "late" } else { "lost" };
        let (id, ticket) = (format!("case-canary-{n}"), format!("Where is order {n}?"));
        json!({ "id": id, "slice": slice, "ticket": ticket, "reply": format!("{reply} {n}."), "variant": variant })
            .to_string()
    };
    (0..n_cases).map(line).collect::<Vec<_>>().join("\n")
}

fn review(folder: &Probity, words: &[&str]) -> Ran {
    let call = folder.args(["review", "--no-serve", "--json", "--store", "s.db"]);
    call.words(words.iter().copied()).run()
}

/// What reviewers may see of every item in the store, as it is kept.
fn shown(folder: &Probity) -> Vec<String> {
    let store = rusqlite::Connection::open(folder.path("s.db")).unwrap();
    let mut select = store.prepare("SELECT shown FROM item ORDER BY id").unwrap();
    select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

fn invited(room: &ReviewRoom, name: &str, role: PersonRole) -> PersonId {
    runtime().block_on(room.invite(&PersonName::new(name).unwrap(), role, NOW)).unwrap().0
}

/// The next item for `person`, as it is shown.
fn next(room: &ReviewRoom, queue: QueueId, person: PersonId) -> Option<ItemView> {
    let item = runtime().block_on(room.next(queue, person, NOW)).unwrap()?;
    room.item(item, person).unwrap()
}

/// Has `person` answer everything that is left for them in the first queue.
fn answer_all(room: &ReviewRoom, person: PersonId, answer: impl Fn(u32) -> ReviewerAnswer) -> usize {
    let queue = room.queues().unwrap()[0].id;
    let mut n = 0;
    while let Some(item) = next(room, queue, person) {
        let submission = Submission {
            item: item.id,
            person,
            expected_revision: item.revision,
            answer: answer(item.n),
            note: String::new(),
            at: NOW,
        };
        let kept = runtime().block_on(room.submit(submission)).unwrap();
        assert!(matches!(kept, Submitted::Kept { .. }), "{kept:?}");
        n += 1;
    }
    n
}

fn levels(relevance: i64, tone: i64) -> ReviewerAnswer {
    ReviewerAnswer::Levels(BTreeMap::from([
        ("relevance".to_owned(), Some(relevance)),
        ("tone".to_owned(), Some(tone)),
    ]))
}

#[test]
fn a_queue_holds_what_the_gate_admits_and_names_nobody() {
    let text = format!(
        "{}\n{}",
        cases(4, "bot-canary", "It left today, order"),
        json!({ "id": "leak", "ticket": "Card?", "reply": "Your card 4111 1111 1111 1111 was charged." })
    );
    let folder = Probity::new().file("bot-canary.jsonl", text);
    let made = review(&folder, &["bot-canary.jsonl", "--judge", "baseline"]).code(0).json();
    assert_eq!((&made["items"], &made["blocked"], &made["judged"]), (&json!(4), &json!(1), &json!(0)));
    let name = made["queue"].as_str().unwrap();
    assert!(name.starts_with("relevance-tone ") && !name.contains("canary"), "{name}");
    let seen = shown(&folder).join("\n");
    assert!(seen.contains("Where is order 3?") && !seen.contains("canary"), "{seen}");
    let again = review(&folder, &["bot-canary.jsonl", "--judge", "baseline"]).code(0).json();
    assert_eq!((&again["id"], shown(&folder).len()), (&made["id"], 4), "the same queue is made once");
}

#[test]
fn what_a_judge_said_comes_with_the_queue_and_stays_hidden() {
    let folder = Probity::new().file("cases.jsonl", cases(4, "bot", "It left today, order"));
    let words = ["run", "cases.jsonl", "--judge", "baseline", "--store", "s.db", "--quiet"];
    folder.args([]).words(words.into_iter()).run().code(0);
    let made = review(&folder, &["cases.jsonl", "--judge", "baseline"]).code(0).json();
    assert_eq!((&made["items"], &made["judged"]), (&json!(4), &json!(4)));
    assert!(!shown(&folder).join("\n").contains("Lexical baseline"));
    let store = rusqlite::Connection::open(folder.path("s.db")).unwrap();
    let hidden: String = store.query_row("SELECT hidden FROM item LIMIT 1", [], |row| row.get(0)).unwrap();
    let hidden: Value = serde_json::from_str(&hidden).unwrap();
    assert_eq!(hidden["judge"]["kind"], "baseline");
    assert!(hidden["verdicts"][0]["reasoning"].as_str().unwrap().starts_with("Lexical baseline"), "{hidden}");
}

#[test]
fn pairs_that_a_judge_contradicts_itself_about_are_a_queue() {
    let folder = Probity::new()
        .variable("OPENAI_API_KEY", "sk-mock")
        .file("old.jsonl", cases(6, "old-canary", "It left today, order"))
        .file("new.jsonl", cases(6, "new-canary", "It is on its way and will be there on Friday, order"));
    let mock = MockJudge::start(&["--pairs", "first"]);
    let url = mock.url();
    let pairs = ["old.jsonl", "new.jsonl", "--pairs", "--base-url", &url];
    let none = review(&folder, &[&pairs[..], &["--from", "unstable"]].concat()).code(2);
    none.says(["nothing to label: 6 cases not unstable", "run the judge on these cases first"]);
    let compare = ["compare", "old.jsonl", "new.jsonl", "--base-url", &url, "--store", "s.db", "--quiet"];
    folder.args([]).words(compare.into_iter()).run().code(0);
    let made =
        review(&folder, &[&pairs[..], &["--from", "unstable", "--items", "4"]].concat()).code(0).json();
    assert_eq!((&made["items"], &made["left_out"]), (&json!(4), &json!(2)));
    let seen = shown(&folder).join("\n");
    assert!(seen.contains("on Friday") && !seen.contains("canary") && !seen.contains("unstable"), "{seen}");
}

#[test]
fn replies_without_a_verdict_are_a_queue_and_teach_most() {
    let folder = Probity::new()
        .variable("OPENAI_API_KEY", "sk-mock")
        .file("cases.jsonl", cases(3, "bot", "It left today, order"));
    let mock = MockJudge::start(&["--fault", "F50=1.0"]);
    let url = mock.url();
    let run = ["run", "cases.jsonl", "--base-url", &url, "--store", "s.db", "--quiet"];
    let ran = folder.args([]).words(run.into_iter()).run();
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    for source in ["unstable", "teach"] {
        let made = review(&folder, &["cases.jsonl", "--base-url", &url, "--from", source]).code(0).json();
        assert_eq!((&made["items"], &made["judged"]), (&json!(3), &json!(0)), "{source}");
    }
}

#[test]
fn labels_of_the_room_are_what_calibrate_and_export_see() {
    let folder = Probity::new().file("cases.jsonl", cases(10, "bot", "It left today, order"));
    review(&folder, &["cases.jsonl", "--judge", "baseline"]).code(0);
    let room = ReviewRoom::open(&folder.path("s.db")).unwrap();
    let (ann, bob) =
        (invited(&room, "ann", PersonRole::Reviewer), invited(&room, "bob", PersonRole::Reviewer));
    let lead = invited(&room, "lea", PersonRole::Lead);
    assert_eq!(answer_all(&room, ann, |_| levels(4, 3)), 10);
    assert_eq!(answer_all(&room, bob, |n| levels(if n == 1 { 2 } else { 4 }, 3)), 10);
    let queue = room.queues().unwrap()[0].id;
    let disagreements = runtime().block_on(room.disagreements(queue, lead, NOW)).unwrap();
    assert_eq!(disagreements.len(), 1);
    let settled = Submission {
        item: disagreements[0].item,
        person: lead,
        expected_revision: 0,
        answer: levels(3, 3),
        note: "half of it".to_owned(),
        at: NOW,
    };
    runtime().block_on(room.adjudicate(settled)).unwrap();
    room.close().unwrap();

    let words = ["calibrate", "cases.jsonl", "--judge", "baseline", "--store", "s.db", "--json"];
    let calibration = folder.args([]).words(words.into_iter()).run().code(0).json();
    let labels = &calibration["labels"];
    assert_eq!(labels["source"], "store");
    assert_eq!(
        (&labels["rows"], &labels["votes"], &labels["adjudicated"]),
        (&json!(42), &json!(40), &json!(2))
    );
    assert_eq!(labels["rejected"], json!([]));
    assert_eq!(calibration["n"], 20, "what was not settled counts by its votes");
    assert_eq!(calibration["human_human"]["n"], 20);
    let exported = folder.args([]).words(["export", "labels", "--store", "s.db"].into_iter()).run().code(0);
    assert_eq!(exported.stdout.lines().count(), 42);
}

#[test]
fn labels_of_pairs_are_what_calibrate_sees_whichever_side_they_stood_on() {
    let folder = Probity::new()
        .file("old.jsonl", cases(10, "old", "It left today, order"))
        .file("new.jsonl", cases(10, "new", "It is on its way and will be there on Friday, order"));
    review(&folder, &["old.jsonl", "new.jsonl", "--pairs", "--judge", "baseline"]).code(0);
    let room = ReviewRoom::open(&folder.path("s.db")).unwrap();
    let ann = invited(&room, "ann", PersonRole::Reviewer);
    let queue = room.queues().unwrap()[0].id;
    let mut sides = BTreeMap::new();
    while let Some(item) = next(&room, queue, ann) {
        let side =
            if item.shown.replies[0].contains("Friday") { ReplySide::First } else { ReplySide::Second };
        *sides.entry(format!("{side:?}")).or_insert(0) += 1;
        let (item, expected_revision, answer) = (item.id, item.revision, ReviewerAnswer::Pair(side));
        let note = String::new();
        let submission = Submission { item, person: ann, expected_revision, answer, note, at: NOW };
        runtime().block_on(room.submit(submission)).unwrap();
    }
    assert_eq!(sides.len(), 2, "the better reply stood on both sides: {sides:?}");
    room.close().unwrap();
    let rubric = ["--rubric", "pairwise-support", "--judge", "baseline", "--store", "s.db", "--json"];
    let words = ["calibrate", "old.jsonl", "new.jsonl"].into_iter().chain(rubric);
    let calibration = folder.args([]).words(words).run().code(0).json();
    assert_eq!(
        (&calibration["labels"]["rows"], &calibration["labels"]["rejected"]),
        (&json!(10), &json!([]))
    );
    // Pairs are turned by the names of their variants, and `new` comes before `old`.
    assert_eq!(
        calibration["human_human"]["labels"],
        json!({ "a": 10, "tie": 0, "b": 0 }),
        "always the new one"
    );
}

#[test]
fn flags_that_make_no_queue_are_said_so() {
    let folder = Probity::new()
        .file("cases.jsonl", cases(3, "bot", "It left today, order"))
        .file("more.jsonl", cases(5, "bot", "It left today, order"));
    review(&folder, &[]).code(2).says(["s.db has no queue", "name case files"]);
    assert!(!folder.path("s.db").exists(), "asking makes no store");
    let words = ["cases.jsonl", "--judge", "baseline", "--queue", "monday"];
    review(&folder, &words).code(0);
    review(&folder, &["more.jsonl", "--judge", "baseline", "--queue", "monday"])
        .code(2)
        .says(["--queue monday: the store has a queue of this name with other items"]);
    review(&folder, &["cases.jsonl", "--judge", "baseline", "--pairs", "--rubric", "relevance-tone"])
        .code(2)
        .says(["--pairs: rubric relevance-tone scores single replies"]);
    review(&folder, &["cases.jsonl", "--judge", "baseline", "--as", "ann", "--person", "ann"])
        .code(2)
        .says(["--person ann: this is the name of the lead"]);
    review(&folder, &["cases.jsonl", "--person", "a\tb"]).code(2).says(["is no name, expected 1 to 80"]);
    review(&folder, &[]).code(0);
}

#[test]
fn a_contract_s_queue_has_exactly_what_it_lacks() {
    let contract = "name = \"support\"\nversion = \"1\"\nowner = \"QA\"\n[labels]\nrows_min = 50\n\
        [agreement]\nlower_bound_min = 0.1\n[[slice]]\nname = \"late\"\nrows_min = 30\n";
    let folder = Probity::new()
        .file("cases.jsonl", cases(70, "bot", "It left today, order"))
        .file("contract.toml", contract);
    let words = ["run", "cases.jsonl", "--judge", "baseline", "--store", "s.db", "--quiet"];
    folder.args([]).words(words.into_iter()).run().code(0);
    let wanted = ["cases.jsonl", "--judge", "baseline", "--from", "contract", "--overlap", "1"];
    review(&folder, &wanted).code(2).says(["needs a contract", "--contract FILE"]);
    let wanted = [&wanted[..], &["--contract", "contract.toml"]].concat();
    let made = review(&folder, &wanted).code(0).json();
    assert_eq!((&made["items"], &made["left_out"]), (&json!(50), &json!(20)), "thirty late ones among fifty");
    let store = rusqlite::Connection::open(folder.path("s.db")).unwrap();
    let count = "SELECT count(*) FROM item WHERE slice = 'late'";
    let n_late: i64 = store.query_row(count, [], |row| row.get(0)).unwrap();
    assert!(n_late >= 30, "{n_late} are late");
    let room = ReviewRoom::open(&folder.path("s.db")).unwrap();
    let ann = invited(&room, "ann", PersonRole::Reviewer);
    assert_eq!(answer_all(&room, ann, |_| levels(4, 4)), 50);
    room.close().unwrap();
    review(&folder, &wanted).code(2).says(["nothing to label", "the contract lacks no label"]);
}

#[test]
fn a_queue_that_chooses_keeps_how_likely_each_item_was_and_figures_follow() {
    // Ten of a small slice among sixty, on which people and judge differ.
    let small =
        cases(10, "bot", "It left today, order").replace("case-canary", "small").replace("late", "few");
    let text = format!("{}\n{}", cases(50, "bot", "It left today, order"), small.replace("lost", "few"));
    let contract = "name = \"support\"\nversion = \"1\"\nowner = \"QA\"\n[slices]\nrows_min = 8\n[agreement]\nlower_bound_min = 0.1\n";
    let folder = Probity::new().file("cases.jsonl", text).file("contract.toml", contract);
    let judge = ["cases.jsonl", "--judge", "baseline", "--store", "s.db"];
    folder.args(["run", "--quiet", "--output", "out.json"]).words(judge.into_iter()).run().code(0);
    let said = folder.json("out.json")["results"][0].clone();
    let level = |criterion: &str| said[criterion]["score"].as_i64().expect("a level");
    let (relevance, tone) = (level("relevance"), level("tone"));
    let wanted = ["--from", "teach", "--items", "24", "--overlap", "1", "--contract", "contract.toml"];
    review(&folder, &[&judge[..3], &wanted].concat()).code(0);
    let store = rusqlite::Connection::open(folder.path("s.db")).unwrap();
    let body: String = store.query_row("SELECT body FROM queue", [], |row| row.get(0)).unwrap();
    let frame = serde_json::from_str::<Value>(&body).unwrap()["frame"].clone();
    let strata = frame["strata"].as_array().expect("strata");
    let drawn: BTreeMap<&str, u64> =
        strata.iter().map(|s| (s["slice"].as_str().unwrap(), s["drawn"].as_u64().unwrap())).collect();
    assert_eq!(drawn, BTreeMap::from([("few", 8), ("late", 8), ("lost", 8)]), "{frame}");
    let chance = |slice: &str| {
        let stratum = strata.iter().find(|stratum| stratum["slice"] == slice).unwrap();
        stratum["inclusion_probability"].as_f64().unwrap()
    };
    assert_eq!((chance("few"), chance("late")), (0.8, 0.32), "{frame}");
    let room = ReviewRoom::open(&folder.path("s.db")).unwrap();
    let ann = invited(&room, "ann", PersonRole::Reviewer);
    let slices: Vec<String> = store
        .prepare("SELECT slice FROM item ORDER BY n")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    // Ann agrees with the judge but in the small slice.
    let other = if tone == 5 { 1 } else { 5 };
    let answer = |n: u32| {
        let is_few = slices[n as usize - 1] == "few";
        levels(relevance, if is_few { other } else { tone })
    };
    assert_eq!(answer_all(&room, ann, answer), 24);
    room.close().unwrap();
    let found = folder.args(["calibrate", "--json", "--resamples", "50"]).words(judge.into_iter()).run();
    let found = found.code(0).json();
    // A third of the labels is about the small slice, and a sixth of the cases: tone agrees on five sixths.
    let tone = found["by_criterion"]["tone"]["agreement"]["value"].as_f64().expect("a share");
    assert!((tone - 5.0 / 6.0).abs() < 0.01, "{tone}: {found}");
    assert!(
        found["notices"].to_string().contains("what the last labels bought: 0 → 24 labelled rows"),
        "{found}"
    );
}

#[test]
fn a_criterion_that_people_decide_is_decided_in_the_room_and_completes_the_run() {
    let built_in = include_str!("../../../probity-core/rubrics/relevance-tone.toml");
    let rubric = built_in.replace("id = \"tone\"\n", "id = \"tone\"\noracle = \"policy_owner\"\n");
    let folder =
        Probity::new().file("cases.jsonl", cases(2, "bot", "It left today, order")).file("own.toml", rubric);
    let run = || {
        let words = [
            "run", "cases.jsonl", "--judge", "baseline", "--rubric", "own.toml", "--store", "s.db", "--json",
        ];
        folder.args([]).words(words.into_iter()).run().json()
    };
    assert!(
        run()["results"].as_array().unwrap().iter().all(|row| row["tone"]["score"].is_null()),
        "a person has to look"
    );
    let words = ["cases.jsonl", "--judge", "baseline", "--rubric", "own.toml", "--overlap", "2"];
    review(&folder, &words).code(0);
    let room = ReviewRoom::open(&folder.path("s.db")).unwrap();
    let people = ["ann", "bob"].map(|name| invited(&room, name, PersonRole::Reviewer));
    answer_all(&room, people[0], |_| levels(4, 2));
    // They differ about the second.
    answer_all(&room, people[1], |n| levels(4, if n == 1 { 2 } else { 5 }));
    room.close().unwrap();
    let made = run();
    let tone = |at: usize| &made["results"][at]["tone"]["score"];
    assert_eq!((tone(0), tone(1)), (&json!(2), &Value::Null), "{}", made["results"]);
    let why = made["failed"].to_string();
    assert!(why.contains("ann, bob differ") && made["failed"].as_array().unwrap().len() == 1, "{why}");
}
