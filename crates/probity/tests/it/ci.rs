//! The Action and the GitLab template: their scripts as they are, over the example's gold set, with a judge on this machine.

use std::path::Path;

use serde_json::Value;

use crate::binary::{BINARY, Probity, QUICK, Ran};
use crate::mock::process::MockJudge;

/// The flags of the first week, with a judge that nothing is known about, and those that come later.
const FIRST_WEEK: &str = "--fail-under 0.7";
const PROMOTED: &str = "--enforce";

/// Which server runs the steps.
#[derive(Clone, Copy)]
enum Server {
    GitHub,
    GitLab,
}

/// The example in a folder of its own, on a server that has `probity` on its path.
struct Build {
    folder: Probity,
    judge: MockJudge,
}

impl Build {
    fn new() -> Build {
        let folder = Probity::new();
        let example = root().join("examples/ci");
        for entry in std::fs::read_dir(example).unwrap().map(|entry| entry.unwrap()) {
            std::fs::copy(entry.path(), folder.path(entry.file_name().to_str().unwrap())).unwrap();
        }
        folder.write("probity.toml", folder.text("probity.toml") + QUICK);
        let recorder = "#!/bin/sh\necho \"$@\" >> gh.txt\n";
        for (name, program) in
            [("probity", format!("#!/bin/sh\nexec {BINARY} \"$@\"\n")), ("gh", recorder.to_owned())]
        {
            folder.write(&format!("bin/{name}"), program);
        }
        Ran::of(folder.shell("chmod +x bin/*")).code(0);
        Build { folder, judge: MockJudge::start(&["--script", "fair"]) }
    }

    /// Runs a script of bash as servers do, which end at the first command that fails.
    fn runs(&self, script: &str, variables: &[(&str, &str)]) -> Ran {
        let mut command = self.folder.program("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
        let path = std::env::var("PATH").unwrap();
        command.env("PATH", format!("{}:{path}", self.folder.path("bin").display())).env("PROBITY", BINARY);
        command.env("OPENAI_API_KEY", "sk-mock").env("OPENAI_BASE_URL", self.judge.url());
        command.envs(variables.iter().copied());
        Ran::of(command)
    }

    /// The step that scores, on the main branch or for a request.
    fn scores(&self, server: Server, flags: &str, is_main: bool) -> Ran {
        let (summary, output) = (self.folder.path("step.md"), self.folder.path("output.txt"));
        let script = match server {
            Server::GitHub => step(&text("ci/action.yml"), "- name: Score", 8),
            Server::GitLab => step(&text("ci/gitlab.yml"), "  script:", 6),
        };
        self.runs(
            &script,
            &[
                ("CASES", "gold.jsonl"),
                ("FLAGS", flags),
                ("PROBITY_STORE", ""),
                ("MAIN", if is_main { "true" } else { "false" }),
                ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
                ("GITHUB_OUTPUT", output.to_str().unwrap()),
                ("CI_COMMIT_BRANCH", if is_main { "main" } else { "" }),
                ("CI_DEFAULT_BRANCH", "main"),
            ],
        )
    }

    fn comment(&self) -> String {
        self.folder.text("probity-report/comment.md")
    }

    /// Changes the replies of the first `n` cases of the gold set.
    fn answers(&self, n: usize, change: impl Fn(&str) -> String) {
        let gold = self.folder.text("gold.jsonl");
        let line = |(at, line): (usize, &str)| {
            let mut case: Value = serde_json::from_str(line).unwrap();
            if at < n {
                case["reply"] = change(case["reply"].as_str().unwrap()).into();
            }
            case.to_string()
        };
        let lines: Vec<String> = gold.lines().enumerate().map(line).collect();
        self.folder.write("gold.jsonl", lines.join("\n"));
    }

    /// A good change, a bad one, and one while the judge is down: green, red, and green with a notice.
    fn three_changes(&mut self, server: Server, flags: &str, why_red: &str) {
        self.scores(server, flags, true).code(0);
        let gold = self.folder.bytes("gold.jsonl");
        self.answers(3, |reply| format!("{reply} Thank you for your patience."));
        self.scores(server, flags, false).code(0);
        let comment = self.comment();
        assert!(comment.starts_with("<!-- probity -->\n## "), "{comment}");

        self.answers(12, |_| "We are sorry for the trouble and thank you for your patience.".to_owned());
        let red = self.scores(server, flags, false).code(1);
        assert!(red.stdout.contains(why_red), "{}", red.stdout);
        let comment = self.comment();
        for part in
            [why_red, "**The pass rate fell from ", ": more than chance, ", "──●", "pass → fail", "**g-01**"]
        {
            assert!(comment.contains(part), "{part} in {comment}");
        }
        let junit = self.folder.text("probity-report/junit.xml");
        assert!(junit.contains("g-01"), "{junit}");

        self.folder.write("gold.jsonl", &gold);
        self.judge.kill();
        self.scores(server, flags, false).code(0);
        self.answers(30, |reply| format!("{reply} Goodbye."));
        let notice = match server {
            Server::GitHub => self.scores(server, flags, false).code(0),
            // The template allows this exit code: the job is green with a warning.
            Server::GitLab => self.scores(server, flags, false).code(3),
        };
        assert!(notice.stdout.contains("the judge cannot be reached"), "{}", notice.stdout);
        assert!(self.comment().contains("> stopped: the judge cannot be reached"), "{}", self.comment());
        self.folder.write("gold.jsonl", gold);
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn text(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap()
}

/// The script behind `title`, without its indentation.
fn step(workflow: &str, title: &str, indent: usize) -> String {
    let (_, rest) = workflow.split_once(title).expect("the step");
    let (_, rest) = rest.split_once("|\n").expect("its script");
    let margin = " ".repeat(indent);
    let lines = rest.lines().take_while(|line| line.starts_with(&margin));
    lines.map(|line| line[indent..].to_owned() + "\n").collect()
}

#[test]
fn the_first_week_is_red_for_worse_replies_and_never_for_a_judge_that_is_down() {
    let mut build = Build::new();
    build.three_changes(Server::GitHub, FIRST_WEEK, "its lower bound is below --fail-under 70.0 %");
    assert!(build.folder.text("output.txt").ends_with("outcome=missed\noutcome=met\noutcome=unknown\n"));
    assert!(build.folder.text("step.md").contains("ci-support"));
}

#[test]
fn with_a_promoted_judge_the_targets_decide() {
    let mut build = Build::new();
    let ran = build.runs("./promote.sh", &[]).code(0);
    assert!(ran.stdout.contains("standing: promoted on"), "{}", ran.stdout);
    build.three_changes(Server::GitLab, PROMOTED, "FAILED: 1 of 1 targets missed (");
    let contract = build.folder.text("contract.toml");
    build.folder.write("contract.toml", contract.replace("0.60", "0.50"));
    let red = build.scores(Server::GitHub, PROMOTED, false).code(1);
    assert!(
        red.stdout.contains("the judge is advisory (revoked: contract (file:contract.toml)"),
        "{}",
        red.stdout
    );
}

#[test]
fn both_servers_do_the_same() {
    let [github, gitlab] = [("ci/action.yml", "- name: Score", 8), ("ci/gitlab.yml", "  script:", 6)]
        .map(|(file, title, indent)| step(&text(file), title, indent));
    let (shared, _) = github.split_once("if [ \"$code\" -eq 0 ]").unwrap();
    assert!(shared.lines().count() > 15 && gitlab.starts_with(shared), "{shared}\n{gitlab}");
    for workflow in ["ci/action.yml", "examples/ci/workflow.yml"] {
        for line in text(workflow).lines().filter(|line| line.contains("uses: actions/")) {
            let (_, pin) = line.split_once('@').unwrap();
            assert!(pin[..40].bytes().all(|byte| byte.is_ascii_hexdigit()), "{workflow}: {line}");
        }
    }
}

#[test]
fn a_second_comment_replaces_the_first() {
    let build = Build::new();
    let comment = step(&text("ci/action.yml"), "- name: Comment", 8);
    let variables = [("GITHUB_REPOSITORY", "shop/bot"), ("NUMBER", "7")];
    build.runs(&comment, &variables).code(0);
    assert!(!build.folder.path("gh.txt").exists(), "without a result there is no comment");
    build.folder.write("probity-report/comment.md", "<!-- probity -->\n");
    build.runs(&comment, &variables).code(0);
    build.folder.write("bin/gh", "#!/bin/sh\necho \"$@\" >> gh.txt\ncase $* in *--jq*) echo 42 ;; esac\n");
    build.runs(&comment, &variables).code(0);
    let calls = build.folder.text("gh.txt");
    let calls: Vec<&str> = calls.lines().filter(|call| !call.contains("--jq")).collect();
    assert_eq!(
        calls,
        [
            "api --silent repos/shop/bot/issues/7/comments -F body=@probity-report/comment.md",
            "api --silent --method PATCH repos/shop/bot/issues/comments/42 -F body=@probity-report/comment.md",
        ]
    );
}
