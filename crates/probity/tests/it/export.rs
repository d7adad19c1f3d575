//! `probity export`: what a run is made of and came to, for other programs.

use serde_json::{Value, json};

use crate::answers::{Asked, EFFORT, cut, level, tickets};
use crate::binary::{Probity, QUICK};
use crate::support::ScriptedServer;

/// Three replies: one scored, one blocked by the gate, one whose tone has no verdict.
fn scene() -> (ScriptedServer, Probity) {
    let server = ScriptedServer::with(|request| {
        let asked = Asked::of(request);
        match (asked.criterion(), asked.reply.as_str()) {
            ("tone", "Wait.") => cut("{\"sc"),
            (name, _) => level(3, &format!("=HYPERLINK(\"x\"), said of {name}")),
        }
    });
    let span = "4942860e4cc1311e93c2e6f054577837:5573cc84fb36c6b0";
    let cases = [
        json!({ "id": span, "ticket": "Where is it?", "reply": "=cmd|' /C calc'!A0", "slice": "lost", "variant": "v1",
            "context": ["30 days"], "metadata": { "n": 1 } }),
        json!({ "id": "b", "ticket": "My card?", "reply": "Card 4111 1111 1111 1111 was charged.",
            "admissible": false, "admissible_reason": "not checked", "language": "en" }),
        json!({ "id": "c", "turns": [{ "role": "customer", "text": "Hello?" }], "reply": "Wait." }),
    ];
    let lines = cases.map(|case| case.to_string()).join("\n");
    let probity = Probity::new().file("probity.toml", QUICK).file("cases.jsonl", lines).server(&server);
    probity.args(["run", "cases.jsonl", "--min-coverage", "0", "--output", "out.csv"]).run().code(0);
    (server, probity)
}

fn exported(probity: &Probity, words: &str) -> String {
    probity.args(["export"]).words(words.split(' ')).run().code(0).stdout
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn results_are_tables_in_which_nothing_is_a_formula() {
    let (_server, probity) = scene();
    let table = exported(&probity, "results --format csv");
    assert_eq!(table, probity.text("out.csv"), "a run and an export write the same");
    let header = table.lines().next().unwrap();
    assert_eq!(
        header,
        "id,slice,variant,outcome,total,relevance.score,relevance.reasoning,tone.score,tone.reasoning,reasons,findings,\
         ticket,reply,judge,standing"
    );
    assert!(table.contains(",'=cmd|' /C calc'!A0,"), "{table}");
    assert!(table.contains("\"'=HYPERLINK(\"\"x\"\"), said of tone\""), "{table}");
    assert!(table.lines().skip(1).all(|line| line.ends_with(",advisory")), "{table}");
    let of = |id: &str| table.lines().find(|line| line.starts_with(id)).unwrap().to_owned();
    assert!(of("b,").contains(",blocked,,,,,,"), "no value where nothing was scored: {table}");
    assert!(of("c,").contains(",unscored,,3,"), "{table}");
    exported(&probity, "results --output results.parquet");
    assert_eq!(&probity.bytes("results.parquet")[..4], b"PAR1");
    probity.args(["export", "results", "--output", "x.pdf"]).run().code(2).says([".csv, .jsonl or .parquet"]);
    probity.args(["compare", "--verdicts", "v.jsonl", "--output", "x.csv"]).run().code(2);
}

#[test]
fn results_are_json_lines_with_ticket_reply_and_reasons() {
    let (_server, probity) = scene();
    let rows = lines(&exported(&probity, "results last"));
    assert_eq!(rows.len(), 3);
    assert_eq!([&rows[0]["ticket"], &rows[0]["reply"]], ["Where is it?", "=cmd|' /C calc'!A0"]);
    assert_eq!([&rows[0]["tone"]["score"], &rows[0]["standing"]], [&json!(3), &json!("advisory")]);
    assert_eq!(rows[2]["tone"]["score"], json!(null));
}

#[test]
fn cases_replies_packets_and_answers_come_out_of_the_store() {
    let (_server, probity) = scene();
    let cases = exported(&probity, "cases 1");
    assert_eq!(lines(&cases).len(), 3);
    assert_eq!(lines(&cases)[0]["metadata"], json!({ "n": 1 }));
    let blocked = &lines(&cases)[1];
    assert_eq!(
        [&blocked["admissible"], &blocked["admissible_reason"]],
        [&json!(false), &json!("not checked")]
    );
    assert_eq!(blocked["language"], "en");
    let again = probity.file("again.jsonl", &cases);
    let plan = again.args(["check", "again.jsonl", "--json"]).run().code(0).json();
    assert_eq!([&plan["admitted"], &plan["packets"], &plan["calls"]], [2, 4, 0], "they are the same packets");
    assert_eq!(lines(&exported(&again, "replies"))[1]["gate"], "blocked");
    let packets = lines(&exported(&again, "packets"));
    assert_eq!(packets.len(), 4);
    assert!(packets[0]["asked"].to_string().contains("Where is it?"), "{}", packets[0]);
    let answers = lines(&exported(&again, "answers"));
    assert!(answers[0]["answer"].as_str().unwrap().contains("HYPERLINK"), "{}", answers[0]);
    assert!(
        answers.iter().any(|answer| answer["answer"].as_str().unwrap().contains("length")),
        "no verdict, kept all the same"
    );
}

#[test]
fn evaluation_events_are_parented_and_unscored_has_no_value() {
    let (_server, probity) = scene();
    let export: Value = serde_json::from_str(&exported(&probity, "results --format otlp")).unwrap();
    let records = export["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap();
    let attribute = |record: &Value, key: &str| {
        let found = record["attributes"].as_array().unwrap().iter().find(|one| one["key"] == key).cloned();
        found.map(|found| found["value"].as_object().unwrap().values().next().unwrap().clone())
    };
    let named = |name: &str| -> Vec<&Value> {
        let is = |record: &&Value| attribute(record, "gen_ai.evaluation.name") == Some(json!(name));
        records.iter().filter(is).collect()
    };
    let tone = named("probity.tone");
    assert_eq!(
        [&tone[0]["traceId"], &tone[0]["spanId"]],
        ["4942860e4cc1311e93c2e6f054577837", "5573cc84fb36c6b0"]
    );
    assert_eq!(attribute(tone[0], "gen_ai.evaluation.score.value"), Some(json!(3)), "a double, as a number");
    assert_eq!(attribute(tone[1], "gen_ai.evaluation.score.value"), None, "{}", tone[1]);
    assert_eq!(attribute(tone[1], "error.type"), Some(json!("length")));
    assert_eq!(tone[1]["spanId"], json!(null), "it came from no span");
    let mean = named("probity.mean.relevance")[0];
    assert!(
        attribute(mean, "probity.interval.low").is_some() && attribute(mean, "probity.n").is_some(),
        "{mean}"
    );
    assert!(records.iter().all(|record| attribute(record, "probity.standing") == Some(json!("advisory"))));
    assert!(records.iter().all(|record| record["eventName"] == "gen_ai.evaluation.result"));
}

#[test]
fn promptfoo_gets_rows_in_its_own_form() {
    let (_server, probity) = scene();
    let document: Value = serde_json::from_str(&exported(&probity, "results --format promptfoo")).unwrap();
    let rows = document["results"]["results"].as_array().unwrap();
    assert_eq!(
        [&document["results"]["version"], &rows[0]["vars"]["ticket"]],
        [&json!(3), &json!("Where is it?")]
    );
    assert_eq!(rows[0]["gradingResult"]["componentResults"][0]["score"], 0.5, "level 3 of 1 to 5");
    let all = |name: &str| rows.iter().map(|row| row[name].clone()).collect::<Vec<Value>>();
    assert_eq!(all("failureReason"), [0, 1, 2], "not failed, blocked, and an error, which is no fail");
    assert_eq!(
        all("success"),
        [json!(null), json!(false), json!(null)],
        "no rule says that the first passes"
    );
    assert_eq!(document["results"]["stats"], json!({ "successes": 0, "failures": 1, "errors": 1 }));
    assert_eq!([&rows[2]["score"], &rows[2]["gradingResult"]["pass"]], [&json!(null), &json!(null)]);
    assert_eq!(
        rows[2]["gradingResult"]["componentResults"].as_array().unwrap().len(),
        1,
        "unscored is left out"
    );
    assert_eq!(exported(&probity, "results --format langfuse"), "", "no case came from a trace");
}

#[test]
fn promptfoo_gets_the_best_level_as_one_whichever_end_it_is() {
    let server = ScriptedServer::with(|_| level(1, "No work at all."));
    let probity = Probity::new().file("tickets.json", tickets(1)).file("effort.toml", EFFORT).server(&server);
    probity.run_tickets(["--rubric", "effort.toml"]).code(0);
    let document: Value = serde_json::from_str(&exported(&probity, "results --format promptfoo")).unwrap();
    let component = &document["results"]["results"][0]["gradingResult"]["componentResults"][0];
    assert_eq!([&component["score"], &component["pass"]], [&json!(1.0), &json!(true)], "{component}");
}
