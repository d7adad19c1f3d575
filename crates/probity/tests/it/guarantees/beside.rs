//! What happens beside workers on one record: wrong clocks, other judges and rubrics, strange answers, texts that are
//! erased, a record that is large, and waiting.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::watch;

use super::changes::{RUBRIC, TEMPLATE};
use super::fleet::{Fleet, Harm, Plan};
use super::ledger::{Asked, Judge, number};
use super::scene::{Ended, Scene, assert_same, cases};
use super::series::comparable;
use super::shim::library;
use crate::answers::says;
use crate::support::{Act, PrivateServer, Request};

/// Three hours in milliseconds, by which the server's clock jumps.
const JUMP_MS: i64 = 3 * 3600 * 1000;

/// K11: clocks of workers are wrong by hours, and the one of the server jumps forth and back, which is what leases see.
#[test]
fn k11_no_clock_makes_a_call_twice_or_a_verdict_another() {
    let plan = Plan::peaceful(60).leased(Duration::from_secs(1));
    let Some(mut fleet) = Fleet::new(plan, Judge::sound(300, 7)) else { return };
    let Some(library) = library() else { return };
    fleet.arguments = ["--yes", "--concurrency", "16"].map(str::to_owned).into();
    for hours in [5, -5] {
        let seconds = (hours * 3600).to_string();
        fleet.variables =
            vec![("LD_PRELOAD", library.display().to_string()), ("PROBITY_SHIM_CLOCK", seconds)];
        fleet.start_worker();
    }
    let jump = |fleet: &Fleet, by: i64| {
        fleet
            .server
            .sql("probity", &format!("UPDATE worker SET until_ms = until_ms - {by} WHERE until_ms > 0"));
    };
    fleet.wait_until_settled(20);
    jump(&fleet, JUMP_MS);
    fleet.wait_until_settled(50);
    jump(&fleet, -JUMP_MS);
    fleet.complete(&Harm::default());
    let apart = "SELECT max(started_unix_ms) - min(started_unix_ms) > 9 * 3600 * 1000 FROM attempt";
    assert_eq!(fleet.server.sql("probity", apart), "t", "their clocks were wrong");
    let n_workers: u32 =
        fleet.server.sql("probity", "SELECT count(*) FROM worker").parse().expect("a number");
    assert!(n_workers > 2, "one was taken for dead and had a successor: {n_workers}");
}

/// Answers the first question at once, as nothing else is asked before, and all others when the gate is open.
fn gated(opened: watch::Receiver<bool>) -> impl Fn(&Asked, &Request) -> Act {
    move |asked, request| match request.number {
        0 => asked.answer(),
        _ => Act::WhenOpen(opened.clone(), Box::new(asked.answer())),
    }
}

/// A judge whose verdict follows from the model and from every word of the question.
fn judge_of_words() -> Judge {
    Judge::with(|asked, request| {
        let body = request.json();
        let level = 1 + number((&asked.reply, body["model"].as_str(), body["messages"].to_string())) % 5;
        says(&json!({ "score": level, "reasoning": "so" }).to_string())
    })
}

/// K18: workers with another model, rubric or template on one record, at the same time.
#[test]
fn k18_another_model_rubric_or_template_is_never_mixed_with_others() {
    const N_CASES: usize = 8;
    let Some(server) = PrivateServer::start() else { return };
    server.sql("postgres", "CREATE DATABASE probity");
    let (judge, shared) = (judge_of_words(), server.address("probity"));
    let kinds: [&[&str]; 4] = [
        &["--model", "first"],
        &["--model", "second"],
        &["--model", "first", "--rubric", "rubric.toml"],
        &["--model", "first", "--template", "template.jinja"],
    ];
    let scene = |store: &str| {
        let scene = Scene::new(cases(N_CASES), &judge.base_url()).on(store);
        scene.write("rubric.toml", RUBRIC);
        scene.write(
            "template.jinja",
            TEMPLATE.replacen("Reply to grade", "Please look closely.\nReply to grade", 1),
        );
        scene
    };
    let alone = kinds.map(|words| {
        let scene = scene("store/store.db");
        scene.run(words).code(0);
        scene.results_bytes().expect("there are results")
    });
    let n_alone = judge.n_requests();
    let together = kinds.map(|words| {
        let scene = scene(&shared);
        let process = scene.command(&[words, &["--yes"]].concat()).spawn().expect("it starts");
        (scene, process)
    });
    let together = together.map(|(scene, process)| {
        Ended::after(process).code(0);
        scene.results_bytes().expect("there are results")
    });
    assert_eq!(judge.n_requests(), 2 * n_alone, "nobody used what another was answered");
    for (n, (got, want)) in together.iter().zip(&alone).enumerate() {
        assert_same(&comparable(got), &comparable(want), &format!("{:?}", kinds[n]));
        let others = (0..n).filter(|other| comparable(got) == comparable(&alone[*other]));
        assert_eq!(others.count(), 0, "{:?} judges otherwise", kinds[n]);
    }
}

/// The response of a judge that means no good, by the number of the case.
fn strange(asked: &Asked) -> Act {
    let body = |content: &str, model: &str, tokens: &str| {
        let id = number(asked);
        let content = json!(content);
        format!(
            r#"{{"id":"r-{id}","object":"chat.completion","model":"{model}","choices":[{{"index":0,"message":{{"role":"assistant","content":{content}}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":{tokens},"completion_tokens":10,"total_tokens":11}}}}"#
        )
    };
    let (plain, model) = (r#"{"score":3,"reasoning":"so"}"#, "gpt-4o-mini");
    let bytes = match asked.reply.trim_start_matches("case-") {
        "0000" => body("{\"score\":2,\"reasoning\":\"a\\u0000b\"}", model, "1").into_bytes(),
        "0001" => body(plain, "gpt-4o-mini\\u0000x", "1").into_bytes(),
        "0002" => {
            let mut bytes = body(plain, model, "1").into_bytes();
            let at = bytes.len() / 2;
            bytes.splice(at..at, [0xff, 0xfe, 0x00]);
            bytes
        }
        "0003" => body(&"x".repeat(20 << 20), model, "1").into_bytes(),
        "0004" => body(plain, model, "99999999999999999999999").into_bytes(),
        "0005" => body(plain, model, "9223372036854775808").into_bytes(),
        "0006" => body(plain, model, "9223372036854775807").into_bytes(),
        "0007" => body(plain, model, "-1").into_bytes(),
        "0008" => body("{\"score\":2,\"reasoning\":\"\\ud800\"}", model, "1").into_bytes(),
        "0009" => body("a\u{0}b", model, "1e3").into_bytes(),
        "0010" => b"\0\0\0".to_vec(),
        _ => body(plain, model, "1").into_bytes(),
    };
    Act::Respond {
        status: 200,
        headers: vec![("content-type".into(), "application/json".into())],
        body: bytes,
    }
}

/// K19: what an engine could not keep is decided on before it is written, so that both keep the same.
#[test]
fn k19_strange_answers_come_to_the_same_on_both_engines() {
    const N_CASES: usize = 12;
    let Some(server) = PrivateServer::start() else { return };
    server.sql("postgres", "CREATE DATABASE probity");
    let judge = Judge::with(|asked, _| strange(asked));
    let told = ["store/store.db", &server.address("probity")].map(|store| {
        let scene = Scene::new(cases(N_CASES), &judge.base_url()).on(store);
        let ran = scene.run(&["--yes"]);
        let answers = scene.args(["export", "answers", "--store", store]).run().code(0).stdout;
        // When a call began is no property of its answer.
        let answers: Vec<String> = answers
            .lines()
            .map(|line| {
                let mut answer: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
                answer["started_unix_ms"].take();
                answer.to_string()
            })
            .collect();
        scene.args(["store", "check", "--store", store]).run().code(0);
        (ran.code, scene.results_bytes().expect("there are results"), answers.join("\n"))
    });
    let [file, shared] = &told;
    assert_eq!(shared.0, file.0);
    assert_same(&shared.2, &file.2, "answers");
    assert_same(&comparable(&shared.1), &comparable(&file.1), "results");
    for what in ["\\u0000", "fffe00", "9223372036854775807"] {
        assert!(file.2.contains(what), "{what} is kept as it came");
    }
}

/// K27: what is answered about a case that was erased meanwhile counts, and its words are nowhere.
#[test]
fn k27_texts_that_are_erased_while_a_run_uses_them_do_not_come_back() {
    let (open, opened) = watch::channel(false);
    let judge = Judge::with(gated(opened));
    let Some(server) = PrivateServer::start() else { return };
    server.sql("postgres", "CREATE DATABASE probity");
    let names = ["Yes, Mrs. Finch, your parcel 4711 waits.", "Another reply to somebody else."];
    let cases = json!([
        { "id": "finch", "ticket": "I am Finch and my parcel 4711 is lost.", "reply": names[0] },
        { "id": "other", "ticket": "The export has been empty since Monday.", "reply": names[1] },
    ]);
    let address = server.address("probity");
    let scene = Scene::new(cases.to_string(), &judge.base_url()).on(&address);
    let run = scene.command(&["--yes", "--concurrency", "2"]).spawn().expect("it starts");
    let began = Instant::now();
    while judge.n_requests() < 3 {
        assert!(began.elapsed() < Duration::from_secs(20), "no call is made");
        sleep(Duration::from_millis(10));
    }
    // One call has ended, two are in flight, and one is not recorded yet.
    scene.args(["store", "forget", "--case", "finch", "--store", &address]).run().code(0);
    open.send_replace(true);
    Ended::after(run).code(0);
    assert_eq!(judge.n_requests(), 4);
    let dump = std::process::Command::new("pg_dump")
        .args(["--inserts", "-U", "postgres", "-d", "probity", "-h"])
        .arg(server.socket())
        .output()
        .expect("pg_dump starts");
    let dump = String::from_utf8_lossy(&dump.stdout).into_owned();
    assert!(dump.contains(names[1]), "what nobody erased is there");
    for text in ["parcel 4711", "Mrs. Finch", "I am Finch", &hex("Mrs. Finch")] {
        let line = dump.lines().find(|line| line.contains(text));
        assert_eq!(line, None, "{text}");
    }
    scene.args(["report", "last", "--store", &address, "--output", "outbox/again.json"]).run().code(0);
    let report = scene.text("outbox/again.json");
    assert!(report.contains("[erased]") && !report.contains("parcel 4711"), "{report}");
    assert_eq!(scene.json("outbox/again.json")["summary"]["scored"], 2, "figures stay");
    scene.args(["store", "check", "--store", &address]).run().code(0);
}

/// A text as it stands in bytes that are shown.
fn hex(text: &str) -> String {
    text.bytes()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|n| char::from_digit(n.into(), 16))
        .collect()
}

/// K29: a run reads what it asks about, however much else there is.
#[test]
fn k29_a_run_reads_no_more_of_a_large_record() {
    const N_ROWS: u32 = 20_000;
    let Some(fleet) = Fleet::peaceful(4) else { return };
    fleet.scene.run(&[]).code(0);
    let grow = format!(
        "INSERT INTO packet (hash, body) SELECT sha256(n::TEXT::BYTEA), '{{}}' FROM generate_series(1, {N_ROWS}) n;
        INSERT INTO attempt (packet, judge, repeat, run, worker, n, state, superseded, cause, tokens_planned, decisions,
            started_unix_ms, reserved_picodollars, outcome, detail)
        SELECT packet.id, 1, 0, 1, 1, 1, 'ended', 0, 'first', 1, 1, 0, 0, 'answered', '' FROM packet WHERE body = '{{}}';
        INSERT INTO settlement (attempt, judge, packet, repeat, attempts, verdict)
        SELECT attempt.id, 1, packet, 0, 1, '{{}}' FROM attempt JOIN packet ON packet.id = attempt.packet
        WHERE packet.body = '{{}}'"
    );
    fleet.server.sql("probity", &grow);
    let read = || -> i64 {
        let sql = "SELECT sum(seq_tup_read) FROM pg_stat_user_tables
            WHERE relname IN ('packet', 'attempt', 'answer', 'settlement')";
        fleet.server.sql("probity", sql).parse().expect("a number")
    };
    let before = read();
    let other = Scene::new(cases(12), &fleet.judge.base_url()).on(&fleet.addresses[0]);
    other.run(&["--yes"]).code(0);
    let n_read = read() - before;
    println!("{n_read} rows were read one after the other");
    assert!(n_read < i64::from(N_ROWS), "{n_read} rows were read one after the other");
    assert_eq!(other.results()["summary"]["scored"], 12);
    assert_eq!(fleet.judge.n_requests(), 24, "what was known was found among the others");
}

/// K30: workers that have nothing to do but to wait.
#[test]
fn k30_waiting_takes_few_transactions() {
    const PER_WORKER_AND_SECOND_MAX: f64 = 12.0;
    const STRETCHES_MAX: usize = 8;
    let (open, opened) = watch::channel(false);
    let judge = Judge::with(gated(opened));
    let Some(mut fleet) = Fleet::new(Plan::peaceful(10), judge) else { return };
    let n_transactions = |fleet: &Fleet| -> f64 {
        let sql = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'probity'";
        fleet.server.sql("postgres", sql).parse().expect("a number")
    };
    // One waits for answers, two for the calls of the first.
    fleet.start_worker();
    let began = Instant::now();
    while fleet.judge.n_requests() < fleet.n_packets() {
        assert!(began.elapsed() < Duration::from_secs(20), "{} calls", fleet.judge.n_requests());
        sleep(Duration::from_millis(20));
    }
    for _ in 0..2 {
        fleet.start_worker();
    }
    while fleet.server.sql("probity", "SELECT count(*) FROM worker").trim() != "3" {
        assert!(began.elapsed() < Duration::from_mins(1), "the workers do not start");
        sleep(Duration::from_millis(100));
    }
    // The server counts a second late, and what a start takes is no waiting: the quietest stretch counts.
    sleep(Duration::from_secs(1));
    let stretch = || {
        let (before, began) = (n_transactions(&fleet), Instant::now());
        sleep(Duration::from_millis(2500));
        (n_transactions(&fleet) - before) / began.elapsed().as_secs_f64() / 3.0
    };
    let mut rates = (0..STRETCHES_MAX).map(|_| stretch());
    let each = rates.find(|rate| *rate < PER_WORKER_AND_SECOND_MAX);
    println!("{each:?} transactions a second and waiting worker");
    assert!(each.is_some(), "never fewer than {PER_WORKER_AND_SECOND_MAX} transactions a second and worker");
    drop(rates);
    open.send_replace(true);
    fleet.complete(&Harm::default());
    assert_eq!(fleet.judge.n_requests(), fleet.n_packets());
}
