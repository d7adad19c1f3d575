//! What a run makes of what is on record: strictness and policies are applied when results are read, so the
//! same store says the same thing whichever run came first.

use serde_json::json;

use crate::answers::{Asked, EFFORT, good, says, tickets};
use crate::binary::{Probity, QUICK};
use crate::support::{Act, ScriptedServer};

fn probity(server: &ScriptedServer, settings: &str) -> Probity {
    let probity = Probity::new().file("tickets.json", tickets(2)).server(server);
    probity.write("probity.toml", format!("{QUICK}{settings}"));
    probity
}

/// The causes why `out.json` has no level, each once.
fn causes(probity: &Probity) -> Vec<String> {
    let out = probity.json("out.json");
    let mut causes: Vec<String> = out["failed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["reason"].as_str().unwrap().to_owned())
        .collect();
    causes.sort();
    causes.dedup();
    causes
}

#[test]
fn f78_strict_and_tolerant_runs_agree_in_either_order() {
    let loose = || ScriptedServer::always(says("{\"score\": 4, \"reasoning\": \"fine\",}"));
    for strict_first in [true, false] {
        let server = loose();
        let probity = probity(&server, "");
        for strict in [strict_first, !strict_first] {
            if strict {
                probity.run_tickets(["--strict"]).code(3);
                assert_eq!(causes(&probity), ["malformed"]);
            } else {
                probity.run_tickets([]).code(0);
                assert!(causes(&probity).is_empty());
            }
        }
        assert_eq!(server.n_requests(), 4, "the second run asks nobody");
    }
}

#[test]
fn f57_an_answer_of_another_model_is_noted_refused_or_stops() {
    let server = ScriptedServer::with(|request| good(&Asked::of(request)));
    let asked = ["--model", "other-1"];
    let policy = |name: &str| format!("[judges.openai]\nmodel_mismatch = \"{name}\"\n");

    let noted = probity(&server, &policy("note"));
    let ran = noted.run_tickets(asked).code(0);
    assert!(ran.stdout.contains("asked for other-1, answered by gpt-4o-mini"), "{}", ran.stdout);

    let refused = probity(&server, &policy("invalid"));
    refused.run_tickets(asked).code(3);
    assert_eq!(causes(&refused), ["other_model"]);

    let stopped = probity(&server, &policy("stop"));
    for _ in 0..2 {
        stopped.run_tickets(asked).code(3).says(["asked for other-1, gpt-4o-mini answered"]);
        let out = stopped.json("out.json");
        assert!(out["results"].as_array().unwrap().iter().all(|row| row["relevance"]["score"].is_null()));
    }
}

#[test]
fn a_refusal_without_a_name_settles_nothing_and_stops_the_run() {
    let body = json!({ "error": { "message": "header X-Team is missing" } }).to_string();
    let refusal = || Act::respond(400, &[("content-type", "application/json")], &body);
    let server = ScriptedServer::with({
        let refusal = refusal();
        move |request| if request.number < 60 { refusal.clone() } else { good(&Asked::of(request)) }
    });
    let settings = "breaker_consecutive = 3\nconcurrency = 1\n";
    let probity = Probity::new().file("tickets.json", tickets(40)).server(&server);
    probity.write("probity.toml", format!("{QUICK}{settings}"));
    probity.run_tickets([]).code(3).says(["calls failed in a row", "X-Team is missing"]);
    let refused = server.n_requests();
    assert!(refused < 40, "{refused} calls before the run stopped");
    while server.n_requests() < 60 {
        probity.run_tickets([]).code(3);
    }
    probity.run_tickets([]).code(0);
}

#[test]
fn r15_a_key_that_is_set_to_nothing_is_not_a_wish_for_the_baseline() {
    let probity = Probity::new().file("tickets.json", tickets(2)).variable("OPENAI_API_KEY", "");
    probity.run_tickets([]).code(2).says(["OPENAI_API_KEY is set but empty", "--judge baseline"]);
    probity.run_tickets(["--judge", "baseline"]).code(0);
}

#[test]
fn g10_a_changed_program_is_another_judge() {
    let judge = |score: i64| {
        format!(
            "while read -r line; do id=$(printf '%s' \"$line\" | sed 's/.*\"packet\":\"\\([0-9a-f]*\\)\".*/\\1/'); \
             printf '{{\"packet\":\"%s\",\"score\":{score},\"reasoning\":\"r\"}}\\n' \"$id\"; done\n"
        )
    };
    let settings =
        "[judge]\nname = \"own\"\n[judges.own]\nkind = \"command\"\ncommand = [\"sh\", \"judge.sh\"]\n";
    let probity = Probity::new().file("tickets.json", tickets(2)).file("probity.toml", settings);
    for score in [1, 5] {
        probity.write("judge.sh", judge(score));
        probity.run_tickets(["--trust-settings"]).code(0);
        assert_eq!(probity.json("out.json")["summary"]["criteria"]["tone"]["mean"], score);
    }
}

#[test]
fn flags_that_a_judge_has_no_use_for_are_refused() {
    let probity = Probity::new().file("tickets.json", tickets(2)).file("v.jsonl", "");
    for flags in [["--verdicts", "v.jsonl"], ["--structured", "schema"]] {
        probity.run_tickets(flags).code(2).says([format!(
            "{} has no effect on the judge baseline",
            flags[0]
        )
        .as_str()]);
    }
}

#[test]
fn a_target_with_an_upper_limit_can_be_missed() {
    let server = ScriptedServer::with(|request| good(&Asked::of(request)));
    let probity = probity(&server, "").file("effort.toml", EFFORT);
    probity.run_tickets(["--rubric", "effort.toml"]).code(0);
    assert_eq!(probity.json("out.json")["summary"]["targets"][0]["met"], false);
}
