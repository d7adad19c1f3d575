//! `probity sample`: exports of production in, the replies to look at out, and what they say about all.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;

use probity_core::results::{Counts, Facts, JudgeRecord, PartRecord, ResultRow, RunResults, SummaryRecord};
use serde_json::{Value, json};

use crate::binary::{Probity, Ran};

/// The slices of the synthetic export and how many spans each has.
const SLICES: [(&str, usize); 4] = [("delivery", 1_000), ("refund", 700), ("address", 250), ("account", 50)];

pub(crate) fn attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

pub(crate) fn messages(role: &str, text: &str) -> String {
    json!([{ "role": role, "parts": [{ "type": "text", "content": text }] }]).to_string()
}

/// A word of its own for each number: digits do not tell tickets apart.
fn word(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit + 49)).collect()
}

fn span(number: usize, slice: &str) -> Value {
    let word = word(number);
    // Every tenth ticket says the same as others do, but for its number.
    let asked = if number.is_multiple_of(10) {
        format!("Where is my order {number}?")
    } else {
        format!("The {word} of my {word}let is {word}ing, what about {slice}?")
    };
    let attributes = json!([
        attribute("gen_ai.operation.name", "chat"),
        attribute("gen_ai.response.model", "bot-model-1"),
        attribute("support.intent", slice),
        attribute("gen_ai.input.messages", &messages("user", &asked)),
        attribute("gen_ai.output.messages", &messages("assistant", &format!("We are on it, {word}."))),
    ]);
    json!({
        "traceId": format!("{number:032x}"),
        "spanId": format!("{number:016x}"),
        "name": "chat bot-model-1",
        "endTimeUnixNano": (1_775_035_800_000_000_000_u64 + number as u64).to_string(),
        "attributes": attributes,
    })
}

/// Lines of OTLP with fifty spans each.
pub(crate) fn export(spans: &[Value]) -> String {
    spans.chunks(50).fold(String::new(), |mut out, spans| {
        let resource = json!({ "attributes": [attribute("service.name", "support-bot")] });
        let line = json!({ "resourceSpans": [{ "resource": resource, "scopeSpans": [{ "spans": spans }] }] });
        writeln!(out, "{line}").unwrap();
        out
    })
}

/// Two thousand spans in four slices.
fn two_thousand() -> Vec<Value> {
    let slices = SLICES.iter().flat_map(|(slice, n)| std::iter::repeat_n(*slice, *n));
    slices.enumerate().map(|(number, slice)| span(number, slice)).collect()
}

fn week<const N: usize>(probity: &Probity, file: &str, name: &str, more: [&str; N]) -> Ran {
    probity.args(["sample", file, "--name", name]).words(more.into_iter()).run()
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn ids(ran: &Ran) -> BTreeSet<String> {
    rows(&ran.stdout).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn twenty_five_of_two_thousand_spans() {
    let probity = Probity::new().file("spans.jsonl", export(&two_thousand()));
    let ran = week(&probity, "spans.jsonl", "2026-W46", []).code(0);
    let drawn = rows(&ran.stdout);
    assert_eq!(ids(&ran).len(), 25);
    for row in &drawn {
        let sample = &row["sample"];
        let (n, population) = (sample["drawn"].as_f64().unwrap(), sample["population"].as_f64().unwrap());
        let chance = sample["inclusion_probability"].as_f64().unwrap();
        assert!((chance - n / population).abs() < 1e-12, "{row}");
        assert_eq!(sample["stratum"], row["slice"]);
        assert_eq!((&sample["week"], &sample["seed"]), (&json!("2026-W46"), &json!(0)));
        assert_eq!(row["metadata"]["model"], "bot-model-1");
        assert!(row["time"].as_str().unwrap().starts_with("2026-04-01T09:30:"));
    }
    let summary = week(&probity, "spans.jsonl", "2026-W46", ["--json", "--output", "s.jsonl"]).code(0).json();
    // Of each slice's near-identical tickets one is left: 200 are 4.
    assert_eq!(summary["replies"], 2_000);
    assert_eq!((&summary["near_duplicates"], &summary["population"]), (&json!(196), &json!(1_804)));
    let strata = summary["strata"].as_array().unwrap();
    let drawn: Vec<_> =
        strata.iter().map(|row| json!([row["stratum"], row["population"], row["drawn"]])).collect();
    let want = [
        json!(["account", 46, 1]),
        json!(["address", 226, 3]),
        json!(["delivery", 901, 12]),
        json!(["refund", 631, 9]),
    ];
    assert_eq!(drawn, want);
    let chances = strata
        .iter()
        .map(|row| row["inclusion_probability"].as_f64().unwrap() * row["population"].as_f64().unwrap());
    assert!((chances.sum::<f64>() - 25.0).abs() < 1e-9);
    assert_eq!(
        String::from_utf8(probity.bytes("s.jsonl")).unwrap(),
        ran.stdout,
        "the same draw twice is the same sample"
    );
}

#[test]
fn later_weeks_draw_others_and_each_can_be_made_again() {
    let spans = two_thousand();
    let probity = Probity::new().file("spans.jsonl", export(&spans));
    let first = week(&probity, "spans.jsonl", "2026-W46", []).code(0);
    let second = week(&probity, "spans.jsonl", "2026-W47", []).code(0).says(["25 drawn earlier"]);
    assert!(ids(&first).is_disjoint(&ids(&second)));
    let mut turned = spans;
    turned.reverse();
    probity.write("turned.jsonl", export(&turned));
    let again = week(&probity, "turned.jsonl", "2026-W46", []).code(0);
    assert_eq!(again.stdout, first.stdout, "neither later draws nor the order of the file matter");
    let elsewhere = Probity::new().file("x", export(&turned));
    assert_eq!(week(&elsewhere, "x", "2026-W46", []).code(0).stdout, first.stdout, "nor does the machine");
    let refused = week(&probity, "spans.jsonl", "2026-W46", ["--seed", "7"]).code(2);
    refused.says(["a draw called 2026-W46 is on record and differs in: the seed", "--again"]);
    let replaced = week(&probity, "spans.jsonl", "2026-W46", ["--seed", "7", "--again"]).code(0);
    assert_ne!(ids(&replaced), ids(&first));
}

#[test]
fn a_sample_is_a_case_file() {
    let ticket = json!({
        "id": "t-1", "ticket": "Where?", "reply": "Here.", "intent": "delivery", "variant": "v1",
        "evidence": [{ "source": "P1", "version": "2" }, "P2"], "known_pii": ["Ann"], "confidence": 0.5,
        "reference": "There.", "time": "2026-04-01", "region": "eu", "metadata": { "n": 7 },
    });
    let cases = ticket.to_string().replace("7}", "7.50}") + "\n";
    let probity = Probity::new().file("cases.jsonl", &cases);
    let ran = week(&probity, "cases.jsonl", "w", ["--output", "s.jsonl"]).code(0);
    ran.says(["25 were asked for and 1 are there", "delivery"]);
    let text = String::from_utf8(probity.bytes("s.jsonl")).unwrap();
    assert!(text.contains(r#""metadata":{"n":7.50}"#), "{text}");
    let run = |file: &str| probity.args(["run", file, "--json"]).run().code(0).json()["results"].clone();
    assert_eq!(run("s.jsonl"), run("cases.jsonl"));
    probity.args(["run", "s.jsonl", "--strict"]).run().code(0);
}

#[test]
fn every_command_reads_spans() {
    let probity = Probity::new().file("spans.jsonl", export(&two_thousand()[..60]));
    let out = probity.args(["run", "spans.jsonl", "--json"]).run().code(0).json();
    assert_eq!(out["summary"]["entered"], 60);
    let row = &out["results"][3];
    assert_eq!(row["id"], format!("{:032x}:{:016x}", 3, 3));
    assert_eq!((&row["slice"], &row["variant"]), (&json!("delivery"), &json!("bot-model-1")));
    let by_model = ["gate", "check", "spans.jsonl", "--slice-attribute", "gen_ai.response.model"];
    probity.args(by_model).run().code(0);
}

/// The summary of a draw from `cases`, which are ids and slices.
fn summary<const N: usize>(cases: &[(String, Option<&str>)], more: [&str; N]) -> Ran {
    let lines = cases.iter().enumerate().fold(String::new(), |mut out, (number, (id, slice))| {
        let ticket = format!("{word} {word}s {word}ing", word = word(number));
        writeln!(out, "{}", json!({ "id": id, "slice": slice, "ticket": ticket, "reply": "r" })).unwrap();
        out
    });
    let probity = Probity::new().file("c.jsonl", lines);
    probity.args(["sample", "c.jsonl", "--json", "--name", "w"]).words(more.into_iter()).run()
}

fn cases(slices: &[(Option<&'static str>, usize)]) -> Vec<(String, Option<&'static str>)> {
    let all = slices.iter().flat_map(|(slice, n)| std::iter::repeat_n(*slice, *n));
    all.enumerate().map(|(number, slice)| (format!("c{number}"), slice)).collect()
}

#[test]
fn sizes_and_spreads() {
    let three = cases(&[(Some("a"), 150), (Some("b"), 90), (None, 60)]);
    let drawn = |ran: Ran| {
        let json = ran.code(0).json();
        let strata = json["strata"].as_array().unwrap().clone();
        strata
            .iter()
            .map(|row| format!("{} {}", row["stratum"].as_str().unwrap(), row["drawn"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(drawn(summary(&three, [])), ["(none) 5", "a 13", "b 7"]);
    assert_eq!(drawn(summary(&three, ["--gold"])), ["(none) 24", "a 60", "b 36"]);
    assert_eq!(drawn(summary(&three, ["--by", "equal", "-n", "30"])), ["(none) 10", "a 10", "b 10"]);
    assert_eq!(drawn(summary(&three, ["--minimum", "8", "-n", "30"])), ["(none) 8", "a 14", "b 8"]);
    assert_eq!(drawn(summary(&cases(&[(None, 40)]), [])), ["(none) 25"]);
    summary(&three, ["--by", "minimum", "--minimum", "10"])
        .code(2)
        .says(["are 30, more than the 25", "at least 30 with --size"]);
    summary(&three, ["--by", "minimum"]).code(2).says(["--minimum"]);
    summary(&three, ["--by", "equal", "--minimum", "3"]).code(2).says(["--minimum needs"]);
    let names: Vec<String> = (0..30).map(|n| format!("s{n}")).collect();
    let many: Vec<(String, Option<&str>)> =
        names.iter().map(|name| (format!("c{name}"), Some(name.as_str()))).collect();
    let out = summary(&many, []).code(0).json();
    assert_eq!(
        (&out["strata"][0]["stratum"], &out["drawn"], &out["slices"]),
        (&json!("(all)"), &json!(25), &json!(30))
    );
    assert!(out["warnings"][0].as_str().unwrap().contains("30 slices are more than 25 draws"), "{out}");
}

#[test]
fn odd_exports() {
    let mut spans = two_thousand()[..30].to_vec();
    for span in &mut spans[..10] {
        span["attributes"].as_array_mut().unwrap().pop();
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(export(&spans).as_bytes()).unwrap();
    let probity = Probity::new().file("spans.jsonl.gz", packed.finish().unwrap());
    let out = week(&probity, "spans.jsonl.gz", "w", ["--json"]).code(0).json();
    assert_eq!((out["skipped"].as_array().unwrap().len(), out["replies"].as_u64()), (10, Some(20)));
    assert!(out["skipped"][0]["reason"].as_str().unwrap().contains("no output message"), "{out}");
    week(&probity, "spans.jsonl.gz", "v", []).code(0).says(["10 records skipped"]);
    week(&probity, "spans.jsonl.gz", "u", []).code(2).says(["all 20 replies were drawn earlier", "--again"]);
    week(&probity, "spans.jsonl.gz", "t", ["--strict"]).code(2);
    let nothing = Probity::new().file("spans.jsonl", export(&spans[..10]));
    week(&nothing, "spans.jsonl", "w", []).code(2).says(["none of the 10 records can be used"]);
    let csv = Probity::new().file("c.csv", "id,category,ticket,reply\n1,a,Where?,Here\n2,b,When?,Now\n");
    assert_eq!(ids(&week(&csv, "c.csv", "w", []).code(0)).len(), 2);
    csv.args(["sample"]).run().code(2);
}

/// A results file in which replies of these ids and variants came to these outcomes.
fn results_file(rows: &[(String, Option<&str>, &str)]) -> String {
    let row = |(id, variant, outcome): &(String, Option<&str>, &str)| ResultRow {
        id: id.clone(),
        variant: variant.map(str::to_owned),
        outcome: serde_json::from_value(json!(outcome)).unwrap(),
        ..ResultRow::default()
    };
    let counts = Counts { entered: rows.len() as u64, ..Counts::default() };
    let [id, kind, model, standing] = ["0123", "openai", "m-1", "advisory"].map(str::to_owned);
    let summary = SummaryRecord {
        all: PartRecord { counts, ..PartRecord::default() },
        facts: Facts {
            judge: JudgeRecord { id, kind, model, standing, ..JudgeRecord::default() },
            ..Facts::default()
        },
        ..SummaryRecord::default()
    };
    let results = rows.iter().map(row).collect();
    let (skipped, failed, standing) = (Vec::new(), Vec::new(), probity_core::promote::Standing::default());
    json!(RunResults { results, skipped, failed, summary, standing }).to_string()
}

/// A sample of two strata with results and labels: `judge` and `people` by stratum.
fn estimated<const N: usize>(labels: Option<&str>, more: [&str; N]) -> Ran {
    let (mut sample, mut results, mut said) = (String::new(), Vec::new(), String::new());
    for number in 0..200 {
        let (slice, population, drawn) =
            if number < 120 { ("refund", 900, 120) } else { ("address", 100, 80) };
        let id = format!("t{number}");
        let strata = json!({ "stratum": slice, "population": population, "drawn": drawn });
        writeln!(
            sample,
            "{}",
            json!({ "id": id, "slice": slice, "ticket": "?", "reply": "!", "sample": strata })
        )
        .unwrap();
        let passes = if slice == "refund" { number % 10 != 0 } else { number % 2 == 0 };
        let outcome = match number {
            0 => "blocked",
            1 => "unscored",
            _ if passes => "pass",
            _ => "fail",
        };
        results.push((id.clone(), None, outcome));
        if number % 3 == 0 {
            let label = if number % 33 == 0 { !passes } else { passes };
            writeln!(said, "{}", json!({ "item": id, "annotator": "ann", "label": label })).unwrap();
        }
    }
    let probity = Probity::new()
        .file("sample.jsonl", sample)
        .file("results.json", results_file(&results))
        .file("labels.jsonl", labels.unwrap_or(&said));
    let args = ["sample", "estimate", "--sample", "sample.jsonl", "--results", "results.json"];
    probity.args(args).words(more.into_iter()).run()
}

#[test]
fn the_share_of_production_that_passes() {
    let out = estimated(None, ["--labels", "labels.jsonl", "--json"]).code(0).json();
    let value = |figure: &Value| format!("{:.3}", figure["value"].as_f64().unwrap());
    // 108 of 119 pass in a stratum of 900, 40 of 80 in one of 100.
    assert_eq!(value(&out["uncorrected"]), "0.859");
    assert_eq!(value(&out["by_slice"]["refund"]["uncorrected"]), "0.899");
    assert_eq!(
        (&out["judged"], &out["blocked"], &out["population"]),
        (&json!(199), &json!(1), &json!(1_000))
    );
    for figure in
        ["uncorrected", "people", "rogan_gladen", "prediction_powered", "sensitivity", "specificity"]
    {
        let keys: Vec<&String> = out[figure].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["value", "low", "high", "n"], "{figure}");
    }
    let plan = out["plan"]["labels"].as_array().unwrap();
    assert_eq!(plan[0]["stratum"], "refund");
    let text = estimated(None, ["--labels", "labels.jsonl", "--half-width", "0.08"]).code(0).stdout;
    for part in [
        "judge openai m-1 (advisory)",
        "1 blocked by the gate count as fails",
        "prediction-powered",
        "for ± 8.0 points: label",
    ] {
        assert!(text.contains(part), "{part:?} in:\n{text}");
    }
}

#[test]
fn n06_a_plan_stays_within_the_population() {
    let args = |half_width: &'static str| ["--labels", "labels.jsonl", "--half-width", half_width, "--json"];
    let plan = |half_width| {
        let out = estimated(None, args(half_width)).code(0).json();
        let of = |stratum: &str| {
            let rows = out["plan"]["labels"].as_array().unwrap();
            let row = rows.iter().find(|row| row["stratum"] == stratum);
            row.map(|row| {
                ["labels", "of_these_not_drawn", "tickets_left"].map(|key| row[key].as_u64().unwrap())
            })
        };
        [of("refund"), of("address")]
    };
    // 40 of 120 drawn tickets are labelled in a slice of 900, 27 of 80 in one of 100.
    assert_eq!(plan("0.000001"), [Some([860, 780, 0]), Some([73, 20, 0])]);
    for half_width in ["0.05", "0.03", "0.01", "0.005"] {
        let [refund, address] = plan(half_width);
        assert!(refund.is_some_and(|[labels, ..]| labels <= 860), "{half_width}: {refund:?}");
        assert!(address.is_none_or(|[labels, ..]| labels <= 73), "{half_width}: {address:?}");
    }
    let text = estimated(None, ["--labels", "labels.jsonl", "--half-width", "0.000001"]).code(0).stdout;
    assert!(
        text.contains("73 more in address (draw 20 more there first; then all its tickets have a label)"),
        "{text}"
    );
}

#[test]
fn an_estimate_without_labels_or_with_wrong_ones() {
    let out = estimated(None, ["--json"]).code(0).json();
    assert_eq!(out["prediction_powered"]["reason"], "no item with a verdict has a label");
    assert_eq!(out["plan"]["reason"], "no item with a verdict has a label");
    let levels = "{\"item\":\"t3\",\"label\":4}\n";
    estimated(Some(levels), ["--labels", "labels.jsonl"])
        .code(2)
        .says(["'label' is '4', expected fail, pass"]);
    let stray = "{\"item\":\"t3\",\"label\":\"pass\"}\n{\"item\":\"x\",\"label\":\"fail\"}\n";
    let text = estimated(Some(stray), ["--labels", "labels.jsonl"]).code(0).stdout;
    assert!(text.contains("1 labelled replies are not in the sample"), "{text}");
    estimated(None, ["--half-width", "0"]).code(2);
}

/// An estimate from one slice of `population` tickets: outcome and label of each that was drawn.
fn census<const N: usize>(population: usize, rows: &[(&str, Option<&str>)], more: [&str; N]) -> Ran {
    let (mut sample, mut results, mut said) = (String::new(), Vec::new(), String::new());
    for (number, (outcome, label)) in rows.iter().enumerate() {
        let strata = json!({ "stratum": "a", "population": population, "drawn": rows.len() });
        writeln!(sample, "{}", json!({ "id": format!("t{number}"), "slice": "a", "sample": strata }))
            .unwrap();
        results.push((format!("t{number}"), None, *outcome));
        if let Some(label) = label {
            let row = json!({ "item": format!("t{number}"), "annotator": "ann", "label": label });
            writeln!(said, "{row}").unwrap();
        }
    }
    let probity = Probity::new()
        .file("sample.jsonl", sample)
        .file("results.json", results_file(&results))
        .file("labels.jsonl", said);
    let args = ["sample", "estimate", "--sample", "sample.jsonl", "--results", "results.json"];
    probity.args(args).words(["--labels", "labels.jsonl"].into_iter().chain(more)).run()
}

#[test]
fn n08_labels_without_a_verdict_count_and_nothing_more_is_asked_for() {
    let mut rows = vec![("pass", Some("pass")); 24];
    rows.extend([("fail", Some("fail")); 6]);
    rows.extend([("unscored", Some("fail")); 10]);
    let out = census(40, &rows, ["--json"]).code(0).json();
    for figure in ["people", "prediction_powered"] {
        let ends = ["value", "low", "high"].map(|end| format!("{:.6}", out[figure][end].as_f64().unwrap()));
        assert_eq!(ends, ["0.600000"; 3], "{figure}");
        assert_eq!(out[figure]["n"], 40);
    }
    assert_eq!(
        (&out["judged"], &out["labelled"], &out["uncorrected"]["n"]),
        (&json!(30), &json!(40), &json!(30))
    );
    assert_eq!((&out["labelled_without_verdict"], &out["plan"]["labels"]), (&json!(10), &json!([])));
    let warning =
        "10 labels are about replies without a verdict: they count in what people say and in both together";
    assert_eq!(out["warnings"], json!([warning]));
    let text = census(40, &rows, []).code(0).stdout;
    assert!(text.contains("40 drawn, 30 with a verdict, 40 with a label"), "{text}");
    assert!(text.contains("there are labels enough"), "{text}");
    assert_eq!(text.matches(warning).count(), 1, "{text}");
    // People who label all of these and few others have not labelled a random part.
    rows[5..30].iter_mut().for_each(|row| row.1 = None);
    let out = census(40, &rows, ["--json"]).code(0).json();
    let uneven = out["warnings"][1].as_str().unwrap();
    assert!(
        uneven.starts_with("10 of 10 replies without a verdict have a label and 5 of 30 with one"),
        "{uneven}"
    );
    rows[5..24].fill(("pass", Some("pass")));
    rows[24..30].fill(("fail", Some("fail")));
    // Without a label for them the judge's silence is no label, and they are labelled before others are drawn.
    rows[30..].iter_mut().for_each(|row| row.1 = None);
    let out = census(40, &rows, ["--json", "--half-width", "0.000001"]).code(0).json();
    let left = json!([{ "stratum": "a", "labels": 10, "of_these_not_drawn": 0, "tickets_left": 0 }]);
    assert_eq!((&out["people"]["n"], &out["plan"]["labels"]), (&json!(30), &left));
}

#[test]
fn n08_a_judge_at_chance_does_not_hide_labels_of_everything() {
    let rows = [("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("fail", "fail")];
    let rows: Vec<_> =
        rows.iter().cycle().take(20).map(|(outcome, label)| (*outcome, Some(*label))).collect();
    let out = census(30, &rows, ["--json"]).code(0).json();
    assert_eq!(out["prediction_powered"]["value"], 0.5);
    assert_eq!(out["prediction_powered"]["n"], out["people"]["n"]);
    let mut rows = rows;
    rows.push(("pass", None));
    let text = census(30, &rows, []).code(0).stdout;
    let why = "no figure for \"judge, its errors taken out (Rogan–Gladen)\", \"judge and people together \
               (prediction-powered)\": the judge may be no better than chance on these labels";
    assert!(text.contains(why), "{text}");
}

#[test]
fn n10_labels_in_words_of_ones_own_are_declared() {
    let rows = [("pass", Some("yes")), ("fail", Some("no")), ("pass", Some("yes")), ("pass", Some("yes"))];
    census(4, &rows, []).code(2).says(["'label' is 'yes', expected fail, pass", "such as --values no,yes"]);
    let out = census(4, &rows, ["--values", "no,yes", "--json"]).code(0).json();
    assert_eq!(out["people"]["value"], 0.75);
    census(4, &rows, ["--values", "no,maybe,yes"]).code(2).says(["--values: expected two different values"]);
}

#[test]
fn files_that_do_not_belong_together() {
    #[track_caller]
    fn check(sample: &str, results: &str, part: &str) {
        let probity = Probity::new().file("s.jsonl", sample).file("r.json", results);
        let args = ["sample", "estimate", "--sample", "s.jsonl", "--results", "r.json"];
        probity.args(args).run().code(2).says([part]);
    }
    let row = |stratum: &str| {
        format!("{{\"id\":\"a\",\"variant\":\"v\",\"sample\":{{\"stratum\":\"s\"{stratum}}}}}\n")
    };
    let good = row(",\"population\":9,\"drawn\":1");
    check("{\"id\":\"a\",\"ticket\":\"t\",\"reply\":\"r\"}\n", "{}", "Missing 'sample' field");
    check(&row(""), "{}", "'sample.population' must be a whole number above 0");
    check(&good, "{}", "not a results file: missing field `results`");
    check(&good, "{\"results\":", "not a results file: EOF while parsing");
    check(&good, &results_file(&[]), "no reply of the sample is in it");
    let scored = results_file(&[("a".to_owned(), Some("v"), "scored")]);
    check(&good, &scored, "no reply of the sample passed, failed or was blocked");
    check(&good.repeat(2), &scored, "is in the sample twice, first at line 1");
}
