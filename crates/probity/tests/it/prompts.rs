//! `probity compare --target`: two prompts, directly. Replies are asked for, kept and compared.

use serde_json::{Value, json};

use crate::answers::says;
use crate::binary::{Probity, QUICK, Ran};
use crate::mock::process::MockJudge;
use crate::support::ScriptedServer;

const N_CASES: usize = 6;

/// A bot that does what its system prompt says, and a judge that likes to read of a day.
struct Scene {
    folder: Probity,
    bot: ScriptedServer,
    judge: MockJudge,
}

fn scene() -> Scene {
    let bot = ScriptedServer::with(|request| {
        let body = request.json();
        let [system, user] = [0, 1].map(|at| body["messages"][at]["content"].as_str().unwrap().to_owned());
        let day = if system.contains("day") { " It comes on Friday." } else { "" };
        says(&format!("About {user}: it left.{day}"))
    });
    let case = |n: usize| json!({ "id": format!("t{n}"), "ticket": format!("order {n}") }).to_string() + "\n";
    let settings = "[targets.brief]\nkind = \"openai\"\nmodel = \"bot\"\nsystem = \"Be brief.\"\n\
        [targets.dated]\nkind = \"openai\"\nmodel = \"bot\"\nsystem = \"Name the day.\"\n";
    let folder = Probity::new()
        .variable("OPENAI_API_KEY", "sk-mock")
        .file("probity.toml", format!("{QUICK}{settings}"))
        .file("cases.jsonl", (0..N_CASES).map(case).collect::<String>())
        .file("old.txt", "Be brief.")
        .file("new.txt", "Name the day.");
    Scene { folder, bot, judge: MockJudge::start(&["--pairs", "word:Friday"]) }
}

impl Scene {
    fn compare(&self, targets: &[&str], more: &[&str]) -> Ran {
        let (bot, judge) = (self.bot.url("/v1"), self.judge.url());
        let targets = targets.iter().flat_map(|target| ["--target", target]);
        let ends =
            ["--target-model", "bot", "--target-base-url", &bot, "--base-url", &judge, "--trust-settings"];
        let call = self.folder.args(["compare", "cases.jsonl"]).words(targets);
        call.words(ends.into_iter()).words(more.iter().copied()).run()
    }
}

#[track_caller]
fn check(out: &Value, variants: [&str; 2]) {
    assert_eq!((&out["pairs"], &out["judged"]), (&json!(N_CASES), &json!(N_CASES)));
    let [old, new] = variants;
    assert_eq!([&out["win_rate"][old]["value"], &out["win_rate"][new]["value"]], [0.0, 1.0]);
    assert_eq!(out["decision"]["winner"], new);
}

#[test]
fn two_prompts_are_compared_and_their_replies_are_kept() {
    let scene = scene();
    let prompts = ["openai@old.txt", "openai@new.txt"];
    let plan = scene.compare(&prompts, &["--dry-run", "--json"]).code(0).json();
    let calls: Vec<&Value> = plan["replies"].as_array().unwrap().iter().map(|one| &one["calls"]).collect();
    assert_eq!((calls, scene.bot.n_requests()), (vec![&json!(N_CASES); 2], 0));

    check(&scene.compare(&prompts, &["--json"]).code(0).json(), ["old", "new"]);
    assert_eq!(scene.bot.n_requests(), 2 * N_CASES);
    check(&scene.compare(&prompts, &["--json"]).code(0).json(), ["old", "new"]);
    assert_eq!(scene.bot.n_requests(), 2 * N_CASES, "what was written is not asked for again");
    let list = scene.folder.args(["report"]).run().code(0).stdout;
    assert!(list.contains("target old") && list.contains("target new"), "{list}");
    let offline = scene.compare(&prompts, &["--json", "--offline", "--model", "mock-judge"]);
    check(&offline.code(0).json(), ["old", "new"]);
}

#[test]
fn two_targets_of_the_settings_are_compared() {
    let scene = scene();
    check(&scene.compare(&["brief", "dated"], &["--json"]).code(0).json(), ["brief", "dated"]);
    // The same prompts under other names were written before.
    scene.compare(&["@old.txt", "@new.txt"], &["--json"]).code(0);
    assert_eq!(scene.bot.n_requests(), 2 * N_CASES);
}

#[test]
fn a_limit_on_calls_holds_for_targets_and_judge_together() {
    let scene = scene();
    let prompts = ["openai@old.txt", "openai@new.txt"];
    scene.compare(&prompts, &["--max-calls", "4"]).code(3).says(["the limit of 4 calls is reached"]);
    assert_eq!(scene.bot.n_requests(), 4, "one variant has some replies, the other none");
    scene.compare(&prompts, &["--max-calls", "8"]).code(3).says(["the limit of 8 calls is reached"]);
    assert_eq!(scene.bot.n_requests(), 8);
    scene.compare(&prompts, &["--max-calls", "18"]).code(3);
    assert_eq!(scene.bot.n_requests(), 2 * N_CASES);
    check(&scene.compare(&prompts, &["--json", "--max-calls", "99"]).code(0).json(), ["old", "new"]);
}

#[test]
fn one_target_is_no_comparison() {
    let scene = scene();
    scene.compare(&["openai@old.txt"], &[]).code(2).says(["expected two targets or more, found one"]);
    scene.compare(&["openai@none.txt", "openai@new.txt"], &[]).code(2).says(["none.txt"]);
    assert_eq!(scene.bot.n_requests(), 0);
}
