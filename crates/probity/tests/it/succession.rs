//! `probity succeed`: the old judge from the record, the new one asked, both against people and each other.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::answers::{Asked, error, level};
use crate::binary::{Probity, QUICK};
use crate::mock::process::MockJudge;
use crate::published::data::Set;
use crate::support::ScriptedServer;

/// The z of 95 % intervals.
const Z: f64 = 1.959_963_984_540_054;

/// What people and two judges said about an item, as levels from 1 to 3; a judge may have said nothing.
struct Item {
    slice: String,
    labels: Vec<i32>,
    old: Option<i32>,
    new: Option<i32>,
}

type Items = BTreeMap<String, Item>;

fn rubric(target: f64) -> String {
    format!(
        "name = \"side\"\nversion = \"1\"\ntitle = \"Side\"\n[scale]\nmin = 1\nmax = 3\n\
         [[criterion]]\nid = \"side\"\ntitle = \"Side\"\nquestion = \"Which side?\"\nweight = 100\n\
         [criterion.anchors]\n1 = \"a\"\n2 = \"tie\"\n3 = \"b\"\n[pass]\ntotal_min = 50\n\
         [[target]]\nmetric = \"pass_rate\"\nmin = {target:.4}\n"
    )
}

fn lines(rows: impl Iterator<Item = Value>) -> String {
    rows.map(|row| row.to_string() + "\n").collect()
}

fn place(side: &Value) -> Option<i32> {
    match side.as_str()? {
        "a" => Some(1),
        "tie" | "inconsistent" => Some(2),
        "b" => Some(3),
        _ => None,
    }
}

fn verdicts(items: &Items, said: fn(&Item) -> Option<i32>) -> String {
    lines(items.iter().filter_map(|(id, item)| {
        Some(json!({ "id": id, "criterion": "side", "score": said(item)?, "reasoning": "recorded" }))
    }))
}

/// A folder in which the old judge has scored everything and its file is gone. Returns the start of its identity, too.
fn scene(items: &Items, target: f64) -> (Probity, String) {
    let case = |(id, item): (&String, &Item)| json!({ "id": id, "slice": item.slice, "ticket": format!("Which is better, {id}?"), "reply": "This one." });
    let labels = items.iter().flat_map(|(id, item)| {
        item.labels.iter().enumerate().map(move |(n, label)| {
            json!({ "item": id, "criterion": "side", "annotator": format!("p{n}"), "label": label })
        })
    });
    let folder = Probity::new()
        .file("cases.jsonl", lines(items.iter().map(case)))
        .file("labels.jsonl", lines(labels))
        .file("rubric.toml", rubric(target))
        .file("old.jsonl", verdicts(items, |item| item.old))
        .file("new.jsonl", verdicts(items, |item| item.new));
    let settings = "[judges.new]\nkind = \"recorded\"\nverdicts = \"new.jsonl\"\n";
    folder.write("probity.toml", settings);
    let run =
        ["run", "cases.jsonl", "--rubric", "rubric.toml", "--judge", "recorded", "--verdicts", "old.jsonl"];
    folder.args(run).words(["--output", "out.json", "--min-coverage", "0"].into_iter()).run().code(0);
    std::fs::remove_file(folder.path("old.jsonl")).unwrap();
    let id = folder.json("out.json")["summary"]["judge"]["id"].as_str().unwrap()[..16].to_owned();
    (folder, id)
}

fn succeed(folder: &Probity, from: &str) -> Value {
    let args = ["succeed", "cases.jsonl", "--from", from, "--to", "new", "--rubric", "rubric.toml", "--json"];
    let more = ["--labels", "labels.jsonl", "--resamples", "100", "--min-coverage", "0"];
    let ran = folder.args(args).words(more.into_iter()).run();
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    ran.json()
}

/// How often each of four things happened: both right, the old one alone, the new one alone, neither.
type Counts = [u64; 4];

/// The exact two-sided p-value, by adding up the binomial.
fn mcnemar(lost: u64, gained: u64) -> Option<f64> {
    let n = lost + gained;
    let mut term = 0.5_f64.powi(i32::try_from(n).unwrap());
    let mut tail = 0.0;
    for k in 0..=lost.min(gained) {
        tail += term;
        term *= (n - k) as f64 / (k + 1) as f64;
    }
    (n > 0).then_some((2.0 * tail).min(1.0))
}

fn wilson(share: f64, n: f64) -> [f64; 2] {
    let root = Z * (Z * Z + 4.0 * n * share * (1.0 - share)).sqrt();
    let [low, high] = [-root, root].map(|root| (2.0 * n * share + Z * Z + root) / (2.0 * (n + Z * Z)));
    [low, high]
}

/// New less old with Newcombe's interval for paired shares (1998, method 10).
fn change([both, old, new, neither]: Counts) -> [f64; 3] {
    let [both, new, old, neither] = [both, new, old, neither].map(|count| count as f64);
    let n = both + new + old + neither;
    let (first, second) = ((both + new) / n, (both + old) / n);
    let ([l1, u1], [l2, u2]) = (wilson(first, n), wilson(second, n));
    let product = (both + new) * (old + neither) * (both + old) * (new + neither);
    let above = both * neither - new * old;
    let corrected = if above > n / 2.0 {
        above - n / 2.0
    } else if above < 0.0 {
        above
    } else {
        0.0
    };
    let phi = if product == 0.0 { 0.0 } else { corrected / product.sqrt() };
    let reach = |a: f64, b: f64| (a * a - 2.0 * phi * a * b + b * b).sqrt();
    let value = first - second;
    [value, value - reach(first - l1, u2 - second), value + reach(u1 - first, second - l2)]
}

#[track_caller]
fn check(found: &Value, want: Option<f64>, what: &str) {
    match (found.as_f64(), want) {
        (Some(found), Some(want)) => assert!((found - want).abs() < 1e-9, "{what}: {found} and not {want}"),
        (found, want) => assert_eq!(found, want, "{what}"),
    }
}

#[track_caller]
fn check_agreement(found: &Value, counts: Counts, what: &str) {
    let [both, old, new, neither] = counts;
    let n = both + old + new + neither;
    check(&found["before"]["value"], Some((both + old) as f64 / n as f64), what);
    check(&found["after"]["value"], Some((both + new) as f64 / n as f64), what);
    let [low, high] = wilson((both + new) as f64 / n as f64, n as f64);
    check(&found["after"]["low"], Some(low), what);
    check(&found["after"]["high"], Some(high), what);
    let [value, low, high] = change(counts);
    for (end, want) in [("value", value), ("low", low), ("high", high)] {
        check(&found["change"][end], Some(want), &format!("{what}: {end} of the change"));
    }
    check(&found["mcnemar"]["exact"], mcnemar(old, new), &format!("{what}: McNemar"));
    assert_eq!([&found["gained"], &found["lost"], &found["change"]["n"]], [new, old, n], "{what}");
}

/// The most frequent label, the lowest of those where several are.
fn majority(labels: &[i32]) -> i32 {
    let count = |level: i32| labels.iter().filter(|label| **label == level).count();
    let most = (1..=3).map(count).max().unwrap();
    (1..=3).find(|level| count(*level) == most).unwrap()
}

/// The whole succession of a published set against a computation of its own.
fn check_set(items: &Items) {
    let decided = || items.values().filter_map(|item| Some((item, item.old?, item.new?)));
    let rate = |pass: fn(i32, i32) -> bool| {
        decided().filter(|(_, old, new)| pass(*old, *new)).count() as f64 / decided().count() as f64
    };
    let [before, after] = [rate(|old, _| old > 1), rate(|_, new| new > 1)];
    let (folder, from) = scene(items, f64::midpoint(before, after));
    let found = succeed(&folder, &from);
    let mut all: Counts = [0; 4];
    let mut by_slice: BTreeMap<&str, Counts> = BTreeMap::new();
    for (item, old, new) in decided().filter(|(item, ..)| !item.labels.is_empty()) {
        let label = majority(&item.labels);
        let place = match (old == label, new == label) {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        all[place] += 1;
        by_slice.entry(&item.slice).or_default()[place] += 1;
    }
    check_agreement(&found["agreement"], all, "all");
    for (slice, counts) in &by_slice {
        check_agreement(&found["agreement"]["by_slice"][slice], *counts, slice);
    }
    assert_eq!(found["agreement"]["by_slice"].as_object().unwrap().len(), by_slice.len());

    let shift = &found["shift"];
    let mean = |level: fn(i32, i32) -> i32| {
        decided().map(|(_, old, new)| f64::from(level(old, new))).sum::<f64>() / decided().count() as f64
    };
    check(&shift["criteria"]["side"]["before"], Some(mean(|old, _| old)), "mean level before");
    check(&shift["criteria"]["side"]["after"], Some(mean(|_, new| new)), "mean level after");
    check(&shift["pass_rate"]["before"]["value"], Some(before), "pass rate before");
    check(&shift["pass_rate"]["after"]["value"], Some(after), "pass rate after");
    let slices = shift["by_slice"].as_object().unwrap();
    let moved: u64 = slices.values().map(|slice| slice["criteria"]["side"]["higher"].as_u64().unwrap()).sum();
    assert_eq!(moved, decided().filter(|(_, old, new)| new > old).count() as u64);
    assert_eq!(shift["without_old"], items.values().filter(|item| item.old.is_none()).count());

    let target = &found["targets"][0];
    assert_ne!(target["met_before"], target["met_after"], "{target}");
    let run = &found["runs"][0];
    let [passed, failed] = [true, false].map(|passes| {
        items.values().filter(|item| item.old.is_some_and(|old| (old > 1) == passes)).count() as f64
    });
    let of = |passes: bool| {
        let seen = || decided().filter(move |(_, old, _)| (*old > 1) == passes);
        seen().filter(|(.., new)| *new > 1).count() as f64 / seen().count() as f64
    };
    check(&run["before"]["value"], Some(passed / (passed + failed)), "the run as it was");
    let carried = (passed * of(true) + failed * of(false)) / (passed + failed);
    check(&run["after"]["value"], Some(carried), "the run as it would have been");
    for slice in by_slice.keys() {
        check_carried(&run["by_slice"][slice], items.values().filter(|item| item.slice == *slice), slice);
    }
    let report = folder.args(["report", "last", "--json"]).run();
    assert_eq!(report.json(), found, "what it came to is on record");
}

/// The pass rate of a slice of the run, and what its own pairs say that it would have been.
fn check_carried<'a>(found: &Value, items: impl Iterator<Item = &'a Item>, slice: &str) {
    let items: Vec<&Item> = items.collect();
    let is_good = |level: i32| level > 1;
    let n_old =
        |wanted: bool| items.iter().filter(|item| item.old.map(is_good) == Some(wanted)).count() as f64;
    let [passed, failed] = [true, false].map(n_old);
    check(&found["before"]["value"], Some(passed / (passed + failed)), slice);
    let share = |wanted: bool| {
        let both: Vec<bool> = items
            .iter()
            .filter(|item| item.old.map(is_good) == Some(wanted))
            .filter_map(|item| item.new.map(is_good))
            .collect();
        (!both.is_empty()).then(|| both.iter().filter(|passes| **passes).count() as f64 / both.len() as f64)
    };
    let part = |n: f64, wanted: bool| if n > 0.0 { Some(n * share(wanted)?) } else { Some(0.0) };
    let carried = part(passed, true).zip(part(failed, false)).map(|(a, b)| (a + b) / (passed + failed));
    check(&found["after"]["value"], carried, slice);
}

#[test]
fn the_judges_of_pandalm_are_paired_as_a_computation_of_its_own_pairs_them() {
    let Some(set) = Set::open("pandalm") else { return };
    let mut items = Items::new();
    let rows = |name| {
        set.file(name).lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>()
    };
    let id = |row: &Value| row["item"].as_str().unwrap().to_owned();
    for row in rows("human.jsonl") {
        let slice = row["slice"].as_str().unwrap().to_owned();
        let item = items.entry(id(&row)).or_insert(Item { slice, labels: Vec::new(), old: None, new: None });
        item.labels.extend(place(&row["label"]));
    }
    for row in rows("judge.jsonl") {
        let item = items.get_mut(&id(&row)).unwrap();
        let side = if row["judge"] == "gpt-3.5-turbo" { &mut item.old } else { &mut item.new };
        *side = place(&row["verdict"]);
    }
    check_set(&items);
}

/// The new judge is the authors, who voted on part of the items; the experts are the people.
#[test]
fn the_judges_of_mt_bench_are_paired_as_a_computation_of_its_own_pairs_them() {
    let Some(set) = Set::open("mtbench_human") else { return };
    let mut items = Items::new();
    let rows = |name| {
        set.file(name).lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>()
    };
    for row in rows("judge.jsonl") {
        let (slice, old) = (row["slice"].as_str().unwrap().to_owned(), place(&row["verdict_after_swap"]));
        items.insert(
            row["item"].as_str().unwrap().to_owned(),
            Item { slice, labels: Vec::new(), old, new: None },
        );
    }
    for row in rows("human.jsonl") {
        let Some(item) = items.get_mut(row["item"].as_str().unwrap()) else { continue };
        match row["annotator_kind"].as_str() {
            Some("author") => item.new = item.new.or(place(&row["label"])),
            _ => item.labels.extend(place(&row["label"])),
        }
    }
    items.retain(|_, item| item.new.is_some() || !item.labels.is_empty());
    check_set(&items);
}

/// Scores by the number in the reply, the new judge one level lower for every fifth.
fn scored(asked: &Asked, is_new: bool) -> i64 {
    let n: i64 = asked.reply.trim_start_matches("Reply ").trim_end_matches('.').parse().unwrap();
    let level = 1 + n % 5;
    if is_new && n % 5 == 4 { level - 1 } else { level }
}

struct Endpoints {
    folder: Probity,
    old: ScriptedServer,
    new: ScriptedServer,
}

fn endpoints(n: usize) -> Endpoints {
    let [old, new] = [false, true].map(|is_new| {
        ScriptedServer::with(move |request| match Asked::of(request) {
            asked if is_new && asked.reply.len() > "Reply 99.".len() => error(404, "model_not_found", "gone"),
            asked => level(scored(&asked, is_new), "read it"),
        })
    });
    let judge = |name: &str, server: &ScriptedServer| {
        format!(
            "[judges.{name}]\nkind = \"openai\"\nmodel = \"model-{name}\"\nbase_url = \"{}\"\n",
            server.url("/v1")
        )
    };
    let labels = (1..=n).filter(|n| n % 2 == 0).map(|n| {
        let label = 1 + n % 5;
        json!({ "item": format!("ticket-{n:03}"), "criterion": "tone", "annotator": "ann", "label": label })
    });
    let folder = Probity::new();
    let home = folder.path("home").display().to_string();
    let folder = folder
        .variable("HOME", &home)
        .file("tickets.json", crate::answers::tickets(n))
        .file("labels.jsonl", lines(labels))
        .file("probity.toml", format!("{QUICK}{}{}", judge("old", &old), judge("new", &new)));
    folder.args(["trust"]).run().code(0);
    folder.run_tickets(["--judge", "old"]).code(0);
    Endpoints { folder, old, new }
}

#[test]
fn the_old_judge_is_never_asked_and_may_be_dead() {
    let Endpoints { folder, old, new } = endpoints(40);
    let (n_before, n_connections) = (old.n_requests(), old.n_connections());
    let args =
        ["succeed", "tickets.json", "--from", "old", "--to", "new", "--labels", "labels.jsonl", "--json"];
    let dry = folder.args(args).words(["--dry-run"].into_iter()).run().code(0).json();
    assert_eq!((&dry["calls"], new.n_requests()), (&json!(80), 0));
    let found = folder.args(args).words(["--report", "page.html", "--report", "page.md"].into_iter()).run();
    let found = found.code(1).json();
    assert_eq!((old.n_requests(), old.n_connections(), new.n_requests()), (n_before, n_connections, 80));
    assert_eq!([&found["from"]["name"], &found["to"]["name"]], ["openai model-old", "openai model-new"]);
    assert_eq!(found["agreement"]["before"]["value"], 1.0);
    assert_eq!(found["agreement"]["after"]["value"], 0.8);
    assert_eq!([&found["agreement"]["lost"], &found["agreement"]["gained"]], [4, 0]);
    assert_eq!(found["answer"], "open", "{}", found["reasons"]);
    let to_label: Vec<&str> =
        found["to_label"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(to_label, ["ticket-009", "ticket-019", "ticket-029", "ticket-039"]);
    for page in ["page.html", "page.md"] {
        let text = folder.text(page);
        assert!(text.contains("What to label") && text.contains("model-new"), "{text}");
    }

    drop(old);
    let again = folder.args(args).run().code(1).json();
    assert_eq!((again, new.n_requests()), (found.clone(), 80));
    let of_record =
        ["succeed", "tickets.json", "--from", "model-old", "--to", "model-new", "--offline", "--json"];
    let of_record =
        folder.args(of_record).words(["--labels", "labels.jsonl"].into_iter()).run().code(1).json();
    assert_eq!([&of_record["agreement"], &of_record["shift"]], [&found["agreement"], &found["shift"]]);
}

#[test]
fn the_history_breaks_where_the_judge_changes_and_has_the_bridge() {
    let Endpoints { folder, new, old: _old } = endpoints(20);
    folder.write("tickets-2.json", crate::answers::tickets(15));
    folder.write("tickets-1.json", crate::answers::tickets(20));
    folder.args(["run", "tickets-1.json", "--judge", "old"]).run().code(0);
    folder.args(["run", "tickets-2.json", "--judge", "new"]).run().code(0);
    let breaks = |series: &Value| {
        let all = series["series"].as_array().unwrap();
        all.iter().flat_map(|one| one["breaks"].as_array().unwrap().clone()).collect::<Vec<Value>>()
    };
    let bare = folder.args(["report", "--history"]).run().code(0).stdout;
    assert!(
        bare.contains("`probity succeed CASES --from ") && bare.contains("asked another judge"),
        "{bare}"
    );
    let advice = bare.split('`').find(|part| part.starts_with("probity succeed ")).unwrap();
    let advice = advice.replace("CASES", "tickets-2.json");
    let bridge = || {
        let found = breaks(&folder.args(["report", "--history", "--json"]).run().code(0).json());
        assert_eq!(found.len(), 1, "{found:?}");
        found[0]["bridge"].clone()
    };
    let advised = folder.args([]).words(advice.split(' ').skip(1)).words(["--json"].into_iter());
    let found = advised.run().code(1).json();
    assert_eq!((&bridge()["pairs"], new.n_requests()), (&json!(15), 30), "two judges of the store");
    assert_eq!(folder.args(["report", "last", "--json"]).run().json(), found, "what it came to is on record");
    let args = ["succeed", "tickets.json", "--from", "old", "--to", "new", "--labels", "labels.jsonl"];
    folder.args(args).run().code(1);
    assert_eq!(new.n_requests(), 40, "what another run asked is not asked again");
    assert_eq!((&bridge()["pairs"], &bridge()["levels"]["tone"]["value"]), (&json!(20), &json!(-0.2)));

    let all: Vec<Value> = serde_json::from_str(&crate::answers::tickets(110)).unwrap();
    folder.write("tickets.json", json!(all[100..]).to_string());
    folder.run_tickets(["--judge", "old"]).code(0);
    let args = ["succeed", "tickets.json", "--from", "old", "--to", "new"];
    folder.args(args).run().code(2).says(["the server has no model"]);
    assert_eq!(bridge()["pairs"], 20, "nothing answered is no bridge");
}

const CONTRACT: &str =
    "name = \"desk\"\nversion = \"1\"\nowner = \"quality\"\n[review]\npath = \"second line\"\n";

#[test]
fn a_contract_is_held_against_the_new_judge_and_records_nothing() {
    let Endpoints { folder, old: _old, new: _new } = endpoints(40);
    folder.write("contract.toml", CONTRACT);
    let args =
        ["succeed", "tickets.json", "--from", "old", "--to", "new", "--contract", "contract.toml", "--json"];
    folder.args(args).run().code(2).says(["has no labels"]);
    let found = folder.args(args).words(["--labels", "labels.jsonl"].into_iter()).run().code(1).json();
    assert_eq!(found["answer"], "no");
    assert_eq!(found["contract"]["met"], false);
    let unmet: Vec<&String> = found["contract"]["unmet"].as_object().unwrap().keys().collect();
    assert_eq!(unmet, ["labelled_rows", "probes"]);
    let list = folder.args(["report"]).run().code(0).stdout;
    assert!(!list.contains("promoted"), "{list}");
}

#[test]
fn what_cannot_be_asked_is_said_before_anything_is() {
    let Endpoints { folder, new, old: _old } = endpoints(5);
    let succeed = |from: &str, more: &[&str]| {
        let args = ["succeed", "tickets.json", "--from", from, "--to", "new"];
        folder.args(args).words(more.iter().copied()).run()
    };
    succeed("gone", &[]).code(2).says(["has no verdict of judge gone", "openai model-old"]);
    succeed("old", &["--rubric", "support-gold"]).code(2).says(["no verdict of judge old about these cases"]);
    succeed("old", &["--store", "none.db"]).code(2).says(["no verdict of judge old"]);
    assert_eq!(new.n_requests(), 0);
    let without = succeed("old", &["--json"]).code(1).json();
    assert_eq!([&without["answer"], &without["agreement"]], [&json!("open"), &Value::Null]);
    assert!(without["agreement_missing"].as_str().unwrap().contains("has no labels"), "{without}");
}

#[test]
fn what_makes_a_judge_another_one_is_named() {
    let Endpoints { folder, old: _old, new: _new } = endpoints(3);
    let plain = folder.text("probity.toml");
    let key = "team-secret-0123456789";
    let folder = folder.variable("TEAM", key);
    let set = |more: &str| {
        folder.write("probity.toml", plain.replace("[judges.new]", &format!("{more}\n[judges.new]")));
        folder.args(["trust"]).run().code(0);
    };
    let check = |store: &str, want: &str| {
        let args = ["succeed", "tickets.json", "--from", "old", "--to", "new", "--store", store];
        let said = folder.args(args).run().code(2).stderr;
        assert!(said.contains(&format!("is the same model, otherwise in: {want}")), "{said}");
        assert!(!said.contains(key), "{said}");
    };
    set("headers = { X-Team = \"${TEAM}\" }");
    check(".probity/store.db", "header x-team\n");
    folder.run_tickets(["--judge", "old", "--store", "other.db"]).code(0);
    set("temperature = 1");
    check("other.db", "header x-team (missing in the settings), temperature\n");
}

#[test]
fn pairs_of_replies_have_a_shift_of_the_preference() {
    let [longer, first] = [["--pairs", "longer"], ["--pairs", "first"]].map(|how| MockJudge::start(&how));
    let case = |n: usize, more: &str| {
        let reply = format!("Order {n} left today.{more}");
        json!({ "id": format!("t{n}"), "slice": "late", "ticket": format!("Order {n}?"), "reply": reply })
    };
    let labels = (0..12).map(|n| json!({ "item": format!("t{n}"), "annotator": "ann", "label": "b" }));
    let folder = Probity::new()
        .variable("OPENAI_API_KEY", "sk-mock")
        .file("probity.toml", QUICK)
        .file("a.jsonl", lines((0..16).map(|n| case(n, ""))))
        .file("b.jsonl", lines((0..16).map(|n| case(n, " Thank you."))))
        .file("labels.jsonl", lines(labels));
    folder
        .args(["compare", "a.jsonl", "b.jsonl", "--model", "m-old", "--base-url", &longer.url()])
        .run()
        .code(0);
    let args = ["succeed", "a.jsonl", "b.jsonl", "--rubric", "pairwise-support", "--from", "m-old", "--json"];
    let more = ["--model", "m-new", "--base-url", &first.url(), "--labels", "labels.jsonl"];
    let found = folder.args(args).words(more.into_iter()).run().code(1).json();
    let shift = &found["shift"]["criteria"]["preference"];
    // The longer reply is B; the lover of the first slot is a tie.
    assert_eq!([&shift["before"], &shift["after"], &shift["lower"]], [&json!(2.0), &json!(1.0), &json!(16)]);
    assert_eq!([&found["agreement"]["lost"], &found["agreement"]["gained"]], [12, 0]);
    assert_eq!(found["to_label"], json!(["t12", "t13", "t14", "t15"]));
    assert_eq!(found["answer"], "no");

    let more = ["--model", "m-new", "--base-url", &first.url(), "--report", "page.md"];
    let without = folder.args(args).words(more.into_iter()).run().code(1).json();
    assert_eq!((&without["shift"], &without["answer"]), (&found["shift"], &json!("open")));
    assert_eq!(
        (&without["shift"]["same"]["value"], &without["shift"]["same"]["n"]),
        (&json!(0.0), &json!(16))
    );
    assert_eq!((&without["agreement"], without["to_label"].as_array().unwrap().len()), (&Value::Null, 16));
    let page = folder.text("page.md");
    assert!(page.contains("has no labels") && page.contains("What to label"), "{page}");
}
