//! The example of a gold set in CI: its scripts and its workflow as they are, with a judge on this machine.

use std::path::Path;

use serde_json::Value;

use crate::binary::{BINARY, Probity, QUICK, Ran};
use crate::mock::process::MockJudge;

/// The example in a folder of its own, as the root of a repository has it.
struct Build {
    folder: Probity,
    judge: MockJudge,
}

impl Build {
    /// The example with a judge that has been promoted.
    fn promoted() -> Build {
        let folder = Probity::new().file("examples/ci/probity.toml", "");
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ci");
        for entry in std::fs::read_dir(example).unwrap().map(|entry| entry.unwrap()) {
            if entry.path().is_file() {
                let name = format!("examples/ci/{}", entry.file_name().to_str().unwrap());
                std::fs::copy(entry.path(), folder.path(&name)).unwrap();
            }
        }
        let build = Build { folder, judge: MockJudge::start(&["--script", "fair"]) };
        let settings = build.folder.text("examples/ci/probity.toml");
        build.folder.write("examples/ci/probity.toml", settings + QUICK);
        let ran = build.runs("examples/ci/promote.sh").code(0);
        assert!(ran.stdout.contains("standing: promoted on"), "{}", ran.stdout);
        build
    }

    /// Runs a script of the shell in the root.
    fn runs(&self, script: &str) -> Ran {
        let mut command = self.folder.shell(script);
        command.env("PROBITY", BINARY);
        command.env("OPENAI_API_KEY", "sk-mock").env("OPENAI_BASE_URL", self.judge.url());
        command.env("GITHUB_STEP_SUMMARY", self.folder.path("step.md"));
        Ran::of(command)
    }

    /// What the workflow runs.
    fn works(&self) -> Ran {
        self.runs(&step(&self.folder.text("examples/ci/workflow.yml")))
    }

    /// Changes the replies of the first `n` cases of the gold set.
    fn answers(&self, n: usize, change: impl Fn(&str) -> String) {
        let gold = self.folder.text("examples/ci/gold.jsonl");
        let line = |(at, line): (usize, &str)| {
            let mut case: Value = serde_json::from_str(line).unwrap();
            if at < n {
                case["reply"] = change(case["reply"].as_str().unwrap()).into();
            }
            case.to_string()
        };
        let lines: Vec<String> = gold.lines().enumerate().map(line).collect();
        self.folder.write("examples/ci/gold.jsonl", lines.join("\n"));
    }
}

/// The lines of the workflow's step that runs the gold set.
fn step(workflow: &str) -> String {
    let (_, rest) = workflow.split_once("- name: Gold set").expect("the step");
    let (_, rest) = rest.split_once("run: |\n").expect("its script");
    let lines = rest.lines().take_while(|line| line.starts_with("          "));
    lines.map(|line| line[10..].to_owned() + "\n").collect()
}

#[test]
fn a_build_is_red_for_worse_replies_and_never_for_a_judge_that_is_down() {
    let mut build = Build::promoted();
    build.runs("examples/ci/gold.sh").code(0);
    build.works().code(0);
    let summary = build.folder.text("step.md");
    assert!(summary.contains("ci-support"), "{summary}");
    let results = build.folder.json("examples/ci/results.json");
    assert_eq!(results["summary"]["judge"]["standing"], "promoted");

    let gold = build.folder.bytes("examples/ci/gold.jsonl");
    build.answers(12, |_| "We are sorry for the trouble and thank you for your patience.".to_owned());
    let red = build.runs("examples/ci/gold.sh").code(1);
    red.says(["FAILED: 1 of 1 targets missed (", ", needs at least "]);
    build.works().code(1);
    let junit = build.folder.text("examples/ci/junit.xml");
    assert!(junit.contains("<failure"), "{junit}");

    build.folder.write("examples/ci/gold.jsonl", &gold);
    build.judge.kill();
    build.runs("examples/ci/gold.sh").code(0);
    build.answers(30, |reply| format!("{reply} Thank you."));
    build.runs("examples/ci/gold.sh").code(3).says(["the judge cannot be reached"]);
    let green = build.works().code(0);
    assert!(green.stdout.contains("::warning::the judge could not be asked"), "{}", green.stdout);

    build.folder.write("examples/ci/gold.jsonl", gold);
    let contract = build.folder.text("examples/ci/contract.toml");
    build.folder.write("examples/ci/contract.toml", contract.replace("0.60", "0.50"));
    build
        .runs("examples/ci/gold.sh")
        .code(1)
        .says(["standing is advisory (revoked: contract (file:contract.toml)"]);
}
