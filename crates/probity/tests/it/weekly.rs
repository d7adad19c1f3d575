//! The weekly cycle from production to a figure and to drift, as the tutorial has it: every command that a team
//! types, over six weeks of synthetic production, with a bot and a judge that each change once.
//!
//! Production is made from a seed. What people say about a reply follows from how it was made, so the true pass
//! rate is known, and the judge is wrong about two kinds of replies in ways that are known too.

use std::collections::BTreeMap;

use probity_core::stats::Random;
use serde_json::{Value, json};

use crate::binary::{Probity, QUICK, Ran};
use crate::mock::process::MockJudge;
use crate::sample::{attribute, export, messages};

/// Spans of each week.
const SPANS: usize = 2_000;
/// How many of a week's sample people label.
const LABELLED: usize = 20;
/// The week in which the bot gets worse, and is put right after.
const BOT_WEEK: usize = 5;
/// The week in which the service puts another model behind the judge's name.
const JUDGE_WEEK: usize = 6;

/// The slices, with their share of production and what their tickets are about.
const SLICES: [(&str, f64, [&str; 6]); 4] = [
    ("delivery", 0.45, ["parcel", "courier", "shipment", "package", "letter", "pallet"]),
    ("refund", 0.30, ["invoice", "payment", "voucher", "deposit", "credit", "transfer"]),
    ("address", 0.15, ["street", "postcode", "building", "warehouse", "office", "reception"]),
    ("account", 0.10, ["password", "profile", "newsletter", "membership", "username", "settings"]),
];
const PRODUCTS: [&str; 12] = [
    "lantern", "backpack", "kettle", "bicycle", "blanket", "hammock", "speaker", "monitor", "keyboard",
    "bookshelf", "toaster", "jacket",
];
const PROBLEMS: [&str; 8] =
    ["vanished", "duplicated", "delayed", "rejected", "damaged", "cancelled", "frozen", "misprinted"];
const OCCASIONS: [&str; 10] = [
    "birthday", "wedding", "holiday", "festival", "reunion", "graduation", "concert", "workshop",
    "housewarming", "picnic",
];

/// How a reply was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Takes the ticket up and says what to do: people and the judge pass it.
    Well,
    /// The same, and promises what nobody may: the judge does not see it.
    Hollow,
    /// Apologises and says nothing: nobody passes it.
    Poorly,
    /// Right, in a few words of its own: the judge does not see that.
    Tersely,
}

impl Made {
    /// What people say.
    fn label(self) -> &'static str {
        match self {
            Made::Well | Made::Tersely => "pass",
            Made::Hollow | Made::Poorly => "fail",
        }
    }

    fn drawn(random: &mut Random, week: usize) -> Made {
        let poorly = if week == BOT_WEEK { 0.72 } else { 0.18 };
        match random.unit() {
            share if share < poorly => Made::Poorly,
            share if share < poorly + 0.05 => Made::Hollow,
            share if share < poorly + 0.09 => Made::Tersely,
            _ => Made::Well,
        }
    }
}

/// The spans of a week, with how the reply of each was made.
fn production(week: usize) -> (Vec<Value>, BTreeMap<String, Made>) {
    let mut random = Random::new(2_026 + week as u64);
    let (mut spans, mut made) = (Vec::new(), BTreeMap::new());
    for n in 0..SPANS {
        let mut share = random.unit();
        let slice = SLICES.iter().find(|(_, of, _)| {
            share -= of;
            share < 0.0
        });
        let (slice, _, subjects) = slice.unwrap_or(&SLICES[0]);
        let [subject, product, problem, occasion] = [
            subjects[random.below(subjects.len())],
            PRODUCTS[random.below(PRODUCTS.len())],
            PROBLEMS[random.below(PROBLEMS.len())],
            OCCASIONS[random.below(OCCASIONS.len())],
        ];
        let ticket =
            format!("The {subject} of the {product} for our {occasion} is {problem}. What shall we do?");
        let how = Made::drawn(&mut random, week);
        let help = format!(
            "Your {subject} is not {problem} for good: open the {product} in your orders and choose a new date before the {occasion}."
        );
        let reply = match how {
            Made::Well => help,
            Made::Hollow => format!("{help} You get twice the price back in any case."),
            Made::Poorly => {
                format!("We are so sorry about your {product}! It must hurt to see it {problem}.")
            }
            Made::Tersely => "Done: it is on its way, nothing is left for you to do.".to_owned(),
        };
        let (trace, id) = (format!("{:032x}", week * 10_000 + n), format!("{:016x}", week * 10_000 + n));
        made.insert(format!("{trace}:{id}"), how);
        spans.push(json!({
            "traceId": trace, "spanId": id, "name": "chat bot", "endTimeUnixNano": "1775035800000000000",
            "attributes": [
                attribute("gen_ai.operation.name", "chat"),
                attribute("support.intent", slice),
                attribute("gen_ai.input.messages", &messages("user", &ticket)),
                attribute("gen_ai.output.messages", &messages("assistant", &reply)),
            ],
        }));
    }
    (spans, made)
}

/// A team's folder, and everything that was typed in it with what it brought.
struct Team {
    folder: Probity,
    transcript: Vec<(String, String)>,
}

impl Team {
    fn new(judge: &MockJudge) -> Team {
        let url = judge.url();
        let judge = format!("kind = \"openai\"\nmodel = \"judge-large\"\nbase_url = \"{url}\"\n");
        let run = "[run]\nrubric = \"support-gold\"\n[judge]\nname = \"desk\"\n";
        let settings = format!("{QUICK}{run}[judges.desk]\n{judge}");
        Team { folder: Probity::new().file("probity.toml", settings), transcript: Vec::new() }
    }

    /// Types a line.
    #[track_caller]
    fn types(&mut self, line: &str) -> Ran {
        let ran = self.folder.args([]).words(line.split(' ')).run().code(0);
        self.transcript.push((line.to_owned(), format!("{}{}", ran.stderr, ran.stdout)));
        ran
    }

    /// Exports the week, draws 25, has the judge and people look at them, and asks the judge about the anchor.
    fn works(&mut self, week: usize) -> Estimated {
        let (spans, made) = production(week);
        self.folder.write(&format!("export-{week}.jsonl"), export(&spans));
        self.types(&format!("sample export-{week}.jsonl --name week-{week} --output week-{week}.jsonl"));
        self.types(&format!("run week-{week}.jsonl --output results-{week}.json"));
        self.labels(week, &made);
        let files = format!("--results results-{week}.json --labels labels-{week}.jsonl");
        let estimate = format!("sample estimate --sample week-{week}.jsonl {files}");
        self.types(&estimate);
        let json = self.types(&format!("{estimate} --json")).json();
        self.types(&format!("calibrate week-{week}.jsonl --labels labels-{week}.jsonl --resamples 500"));
        self.types(&format!("run anchor.jsonl --round {week}"));
        let n_passed = made.values().filter(|made| made.label() == "pass").count();
        Estimated { truth: n_passed as f64 / SPANS as f64, json }
    }

    /// Has two people label the first replies of a week's sample, which come in an order that was drawn.
    fn labels(&self, week: usize, made: &BTreeMap<String, Made>) {
        let sample = String::from_utf8(self.folder.bytes(&format!("week-{week}.jsonl"))).unwrap();
        assert_eq!(sample.lines().count(), 25);
        let mut labels = String::new();
        for line in sample.lines().take(LABELLED) {
            let id = serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
            for annotator in ["ann", "ben"] {
                let label = json!({ "item": id, "annotator": annotator, "label": made[&id].label() });
                labels += &format!("{label}\n");
            }
        }
        self.folder.write(&format!("labels-{week}.jsonl"), labels);
    }

    /// The causes of what moved among the weekly samples, by figure; figures that nobody moved are not there.
    fn moved(&mut self) -> BTreeMap<String, String> {
        let out = self.types("report --history --json").json();
        let weekly = |series: &&Value| series["command"] == "run" && series["files"] == "week-#.jsonl";
        let series = out["series"].as_array().unwrap().iter().find(weekly).expect("a series of weeks");
        let word = |track: &Value, name: &str| track[name].as_str().unwrap().to_owned();
        let tracks = series["tracks"].as_array().unwrap().iter();
        let causes = tracks.map(|track| (word(track, "figure"), word(track, "cause")));
        causes.filter(|(_, cause)| cause != "no_change").collect()
    }
}

/// What a week's sample says of production, and what is true of it.
struct Estimated {
    truth: f64,
    json: Value,
}

impl Estimated {
    /// Expects that the corrected figure holds the truth.
    #[track_caller]
    fn check_holds_the_truth(&self) {
        let name = "prediction_powered";
        let end =
            |end: &str| self.json[name][end].as_f64().unwrap_or_else(|| panic!("{name}: {}", self.json));
        let (low, high) = (end("low"), end("high"));
        assert!(low <= self.truth && self.truth <= high, "{} in {low}–{high}: {}", self.truth, self.json);
    }
}

#[test]
fn six_weeks_of_production() {
    let judge = MockJudge::start(&["--script", "fair"]);
    let mut team = Team::new(&judge);
    let (spans, _) = production(0);
    team.folder.write("export-0.jsonl", export(&spans));
    team.types("sample export-0.jsonl --size 40 --name anchor --output anchor.jsonl");
    let first = team.works(1);
    first.check_holds_the_truth();
    for week in 2..BOT_WEEK {
        team.works(week).check_holds_the_truth();
    }
    assert_eq!(team.moved(), BTreeMap::new());

    team.works(BOT_WEEK).check_holds_the_truth();
    let moved = team.moved();
    assert!(moved.values().all(|cause| cause == "replies"), "{moved:?}");
    assert!(moved.contains_key("pass rate") && moved.contains_key("accuracy"), "{moved:?}");
    team.types("report --history");

    let judge = judge.replaced(&["--script", "apology"]);
    let estimated = team.works(JUDGE_WEEK);
    assert_eq!(
        estimated.json["prediction_powered"]["value"],
        Value::Null,
        "a judge that passes all corrects nothing"
    );
    let moved = team.moved();
    assert!(moved.values().all(|cause| cause == "judge"), "{moved:?}");
    assert!(moved.contains_key("pass rate") && moved.contains_key("accuracy"), "{moved:?}");
    team.types("report --history --report history.html --report history.md");
    drop(judge);
    team.types("report");
    check_page(&team);
    check_documented(&team.transcript, first.truth);
}

/// The page and the Markdown say what the terminal does.
fn check_page(team: &Team) {
    for name in ["history.html", "history.md"] {
        let text = String::from_utf8(team.folder.bytes(name)).unwrap();
        assert!(text.contains("the judge moved, by"), "{name}: {text}");
        assert_eq!(
            text.matches("<script").count(),
            if name == "history.html" { 3 } else { 0 },
            "{name}: a block, the index and the page's own script"
        );
    }
}

/// Holds what the tutorial shows against what was printed: each block that begins with a command, and the
/// true share of the first week. A line `[…]` stands for lines that the tutorial leaves out.
fn check_documented(transcript: &[(String, String)], truth: f64) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tutorial-weekly.md");
    let page = std::fs::read_to_string(path).unwrap();
    let truth = format!("{:.1} % of that week's replies are good", 100.0 * truth);
    assert!(page.contains(&truth), "{truth}");
    let blocks = page.split("```text\n$ probity ").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut n_blocks = 0;
    for block in blocks {
        let (line, shown) = block.split_once('\n').unwrap();
        let typed = transcript.iter().find(|(typed, _)| typed == line);
        let (_, printed) = typed.unwrap_or_else(|| panic!("nobody types {line:?} as the tutorial does"));
        let printed = timeless(printed);
        let mut rest = printed.as_str();
        for part in shown.split("[…]\n").map(timeless) {
            let found = rest.find(&part);
            let place =
                found.unwrap_or_else(|| panic!("{line}: the tutorial shows\n{part}\nand it is\n{printed}"));
            rest = &rest[place + part.len()..];
        }
        n_blocks += 1;
    }
    assert!(n_blocks >= 6, "{n_blocks}");
}

/// `text` with every moment made the same.
fn timeless(text: &str) -> String {
    let mut out = text.to_owned();
    for (at, _) in text.match_indices("Z ") {
        let is_moment = at >= 19 && out.is_char_boundary(at - 19) && out[at - 19..at].contains('T');
        if is_moment && out[at - 19..at].starts_with("20") {
            out.replace_range(at - 19..at, "2026-11-09T09:00:00");
        }
    }
    out
}
