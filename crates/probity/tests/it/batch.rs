//! `--batch` against the mock judge: each fault of the table, kills at every step, and files in place of a host. What is
//! billed is in the mock's ledger; what comes out is compared with a run that asked call by call.

mod faults;
mod files;
mod kill;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::binary::{BINARY, Ran};
use crate::mock::rehearsal::Rehearsal;

/// Cases of a rehearsal; each is asked about twice.
const N_CASES: usize = 6;
/// Packets of a rehearsal.
const N_PACKETS: usize = 2 * N_CASES;

/// Pauses that no test has to sit through. A batch counts as not made after three looks.
const QUICK: &str = "[schedule]\nbackoff_ms_first = 2\nbackoff_ms_max = 10\n[batch]\npoll_ms_first = 5\npoll_ms_max = 20\nsearch_ms = 1\n";

fn cases(n: usize) -> String {
    let case = |i: usize| json!({ "id": format!("c{i}"), "ticket": format!("Order {i} did not arrive."), "reply": format!("We look into order {i}.") });
    Value::Array((0..n).map(case).collect()).to_string()
}

/// The form of batches that a rehearsal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Files,
    Inline,
}

const FORMS: [Form; 2] = [Form::Files, Form::Inline];

/// A folder with cases, a mock judge, and commands that ask it by batches.
struct Scene {
    rehearsal: Rehearsal,
    form: Form,
}

impl Scene {
    fn new(form: Form, faults: &[&str]) -> Scene {
        let faults: Vec<&str> = faults.iter().flat_map(|fault| ["--batch-fault", fault]).collect();
        Scene::with(form, QUICK, &faults)
    }

    fn with(form: Form, settings: &str, judge: &[&str]) -> Scene {
        let files = [("cases.json", cases(N_CASES)), ("probity.toml", settings.to_owned())];
        Scene { rehearsal: Rehearsal::new(&files, judge), form }
    }

    fn words(&self) -> Vec<String> {
        let (judge, url) = match self.form {
            Form::Files => ("openai", self.rehearsal.mock.url()),
            Form::Inline => ("anthropic", self.rehearsal.mock.url().trim_end_matches("/v1").to_owned()),
        };
        ["run", "cases.json", "--judge", judge, "--base-url", &url, "--output", "out.json"]
            .map(str::to_owned)
            .into()
    }

    fn command(&self, more: &[&str]) -> std::process::Command {
        let mut command = self.rehearsal.program(BINARY);
        command.args(self.words()).args(more);
        command
    }

    fn run(&self, more: &[&str]) -> Ran {
        Ran::of(self.command(more))
    }

    fn batch(&self) -> Ran {
        self.run(&["--batch"])
    }

    /// How often each packet was billed.
    fn billed(&self) -> BTreeMap<String, usize> {
        let mut billed = BTreeMap::new();
        for call in self.rehearsal.calls() {
            if call["status"] == 200 {
                *billed.entry(call["packet"].as_str().unwrap().to_owned()).or_default() += 1;
            }
        }
        billed
    }

    /// Calls that the results list as possibly billed and not recorded.
    fn n_lost(&self) -> usize {
        usize::try_from(self.rehearsal.json("out.json")["summary"]["calls_lost"].as_u64().unwrap()).unwrap()
    }

    /// Every packet was billed once, and once more for each call that is listed as lost.
    #[track_caller]
    fn check_bill(&self) {
        let billed = self.billed();
        let more: usize = billed.values().map(|n| n - 1).sum();
        assert_eq!(billed.len(), N_PACKETS, "{billed:?}");
        assert!(more <= self.n_lost(), "{more} billed again, {} listed", self.n_lost());
    }

    /// The results are those of a run that asked call by call.
    #[track_caller]
    fn check_results(&self) {
        assert_eq!(rows(&self.rehearsal.text("out.json")), rows(online(self.form)));
    }

    /// One batch or more was made, not counting strangers.
    fn n_batches(&self) -> usize {
        let calls = self.rehearsal.calls();
        let batches: std::collections::BTreeSet<&str> =
            calls.iter().filter_map(|call| call["batch"].as_str()).collect();
        batches.len()
    }
}

/// The results of a run that asked call by call.
fn online(form: Form) -> &'static str {
    static ONLINE: [std::sync::OnceLock<String>; 2] = [const { std::sync::OnceLock::new() }; 2];
    ONLINE[usize::from(form == Form::Inline)].get_or_init(|| {
        let scene = Scene::new(form, &[]);
        scene.run(&[]).code(0);
        scene.rehearsal.text("out.json")
    })
}

/// The results without what tells of ways and not of verdicts: calls, tiers, and the judge's id with the test's port.
fn rows(results: &str) -> String {
    let differ = ["\"calls\":", "\"calls_lost\":", "\"calls_without_cost\":", "\"id\":", "\"batch\":"];
    let is_same = |line: &&str| !differ.iter().any(|start| line.trim_start().starts_with(start));
    let mut same: String = results.split_inclusive('\n').filter(is_same).collect();
    // The mock's reasons have the number of the call in them.
    while let Some(at) = same.find("Mock verdict ") {
        same.replace_range(at..at + "Mock verdict xxxxxxxx".len(), "By the mock");
    }
    same.replace("    \"service_tiers\": {\n    },\n", "")
}

#[test]
fn b27_b73_a_batch_comes_to_the_same_as_calls_one_by_one() {
    for form in FORMS {
        let scene = Scene::new(form, &[]);
        let ran = scene.batch().code(0);
        // The mock gives the last line first, and it is said how long a host keeps files.
        for words in
            ["it continues even if this command stops", "keep the files of a batch for up to a month"]
        {
            assert!(ran.stderr.contains(words), "{}", ran.stderr);
        }
        scene.check_results();
        scene.check_bill();
        assert_eq!((scene.n_batches(), scene.n_lost()), (1, 0), "{form:?}");
        // One call went ahead to see whether the parameters are taken.
        assert_eq!(scene.rehearsal.calls().iter().filter(|call| call.get("batch").is_none()).count(), 1);
        scene.batch().code(0);
        assert_eq!(scene.rehearsal.calls().len(), N_PACKETS, "a second run asks nothing");
    }
}

#[test]
fn b23_no_wait_ends_with_3_and_a_process_gone_for_a_day_finds_its_batch() {
    for form in FORMS {
        let scene = Scene::new(form, &[]);
        let ran = scene.run(&["--batch", "--no-wait"]).code(3);
        ran.says(["calls wait in batch", "run the same command again"]);
        let list = Ran::of(scene.rehearsal.binary(&["batch", "list", "--json"])).code(0).json();
        assert_eq!(
            (&list["batches"][0]["state"], &list["batches"][0]["waiting"]),
            (&json!("running"), &json!(11))
        );
        // A day later: nothing is left of the process that asked.
        scene.batch().code(0);
        scene.check_results();
        scene.check_bill();
        assert_eq!(scene.n_batches(), 1);
        let text = Ran::of(scene.rehearsal.binary(&["batch", "list"])).code(0).stdout;
        assert!(text.starts_with("no batch is on its way"), "{text}");
    }
}

#[test]
fn b23_an_interrupt_leaves_the_batch_running_and_says_so() {
    let scene = Scene::new(Form::Files, &["B25"]);
    let child = scene.command(&["--batch"]).spawn().unwrap();
    while scene.n_polls() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    Ran::after(child).code(3).says(["calls wait in batch batch_mock000000"]);
}

impl Scene {
    /// How often the first batch was asked about, as far as the mock's page tells.
    fn n_polls(&self) -> usize {
        let list = Ran::of(self.rehearsal.binary(&["batch", "list", "--json"]));
        let is_running = list.code == Some(0) && list.stdout.contains("\"running\"");
        if is_running { 2 } else { 0 }
    }
}

#[test]
fn b10_a_packet_in_a_batch_is_not_asked_about_otherwise() {
    let scene = Scene::new(Form::Files, &[]);
    scene.run(&["--batch", "--no-wait"]).code(3);
    scene.run(&[]).code(3).says(["11 calls wait in batch"]);
    assert_eq!(scene.rehearsal.calls().len(), N_PACKETS, "nothing is asked twice");
    scene.batch().code(0);
    scene.check_bill();
}

#[test]
fn the_tier_is_no_part_of_the_judge() {
    let scene = Scene::new(Form::Files, &[]);
    scene.run(&["--batch", "--no-wait"]).code(3);
    scene.batch().code(0);
    let by_batch = scene.rehearsal.json("out.json")["summary"]["judge"]["id"].clone();
    scene.run(&[]).code(0);
    assert_eq!(scene.rehearsal.json("out.json")["summary"]["judge"]["id"], by_batch);
    assert_eq!(scene.rehearsal.calls().len(), N_PACKETS);
}

#[test]
fn b64_batches_are_cut_by_the_settings() {
    let settings = format!("{QUICK}requests_max = 4\n");
    let scene = Scene::with(Form::Files, &settings, &[]);
    scene.batch().code(0);
    scene.check_results();
    scene.check_bill();
    assert_eq!(scene.n_batches(), 3);
}

#[test]
fn a_judge_without_batches_is_refused_before_anything_is_spent() {
    let scene = Scene::new(Form::Files, &[]);
    let mut command = scene.rehearsal.binary(&["run", "cases.json", "--judge", "baseline", "--batch"]);
    command.stdin(std::process::Stdio::null());
    Ran::of(command).code(2).says(["cannot be asked by batches"]);
}

#[test]
fn b67_repeats_are_requests_of_their_own_and_wait_together() {
    let scene = Scene::new(Form::Files, &[]);
    scene.run(&["--batch", "--no-wait", "--repeats", "3"]).code(3).says(["calls wait in batch"]);
    scene.run(&["--batch", "--repeats", "3"]).code(0);
    assert!(scene.billed().values().all(|n| *n == 3), "{:?}", scene.billed());
}
