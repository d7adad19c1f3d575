//! Files in place of a host: requests are written, answered elsewhere, and taken in.

use serde_json::{Value, json};

use super::{Form, N_PACKETS, Scene};
use crate::binary::Ran;

/// Answers requests as a server that runs batches by itself: each line is sent to the mock judge.
fn answered(scene: &Scene, requests: &str) -> String {
    let answer = |line: &str| {
        let request: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&request["method"], &request["url"]), (&json!("POST"), &json!("/v1/chat/completions")));
        let body =
            scene.rehearsal.mock.send("POST", "/v1/chat/completions", &request["body"].to_string()).json();
        let response = json!({ "status_code": 200, "request_id": "vllm-1", "body": body });
        json!({ "id": "vllm-1", "custom_id": request["custom_id"], "response": response, "error": null })
            .to_string()
    };
    requests.lines().map(|line| answer(line) + "\n").collect()
}

fn export(scene: &Scene, file: &str) -> Ran {
    let mut words: Vec<String> = vec!["export".into(), "requests".into()];
    // The flags of a run but for where its results go.
    words.extend(scene.words().into_iter().skip(1).filter(|word| word != "--output" && word != "out.json"));
    words.extend(["--output".into(), file.into()]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Ran::of(scene.rehearsal.binary(&words))
}

#[test]
fn requests_go_out_and_answers_come_in_by_file() {
    let scene = Scene::new(Form::Files, &[]);
    let written = export(&scene, "requests.jsonl").code(0).stdout;
    assert!(written.starts_with("12 requests written to requests.jsonl"), "{written}");
    assert_eq!(scene.rehearsal.calls().len(), 0, "nothing was sent");
    export(&scene, "requests.jsonl").code(2).says(["expected a file that does not exist"]);
    assert!(export(&scene, "more.jsonl").code(0).stdout.starts_with("nothing to export"));
    scene.run(&[]).code(3).says(["12 calls wait in batch"]);

    let requests = scene.rehearsal.text("requests.jsonl");
    assert_eq!(requests.lines().count(), N_PACKETS);
    let answers = answered(&scene, &requests);
    let (first, rest) = answers.split_at(answers.find('\n').unwrap() + 1);
    scene.rehearsal.write(
        "some.jsonl",
        format!("{first}{first}not JSON\n{{\"custom_id\":\"x\",\"response\":null,\"error\":{{}}}}\n"),
    );
    let import =
        |file: &str| Ran::of(scene.rehearsal.binary(&["import", "answers", file, "--json"])).code(0).json();
    let some = import("some.jsonl");
    assert_eq!(
        some,
        json!({ "answers": 1, "open": 0, "already_there": 1, "strange": 1, "unreadable": 1, "waiting": 11 })
    );
    scene.rehearsal.write("rest.jsonl", rest);
    assert_eq!(import("rest.jsonl")["waiting"], 0);
    scene.run(&[]).code(0);
    scene.check_results();
    assert_eq!(scene.rehearsal.calls().len(), N_PACKETS, "each was asked once, by file");
}

#[test]
fn requests_of_a_file_can_be_given_up() {
    let scene = Scene::new(Form::Files, &[]);
    export(&scene, "requests.jsonl").code(0);
    let list = Ran::of(scene.rehearsal.binary(&["batch", "list", "--json"])).code(0).json();
    let tag = list["batches"][0]["batch"].as_str().unwrap().to_owned();
    Ran::of(scene.rehearsal.binary(&["batch", "cancel", &tag])).code(0);
    scene.run(&[]).code(0);
    scene.check_results();
}
