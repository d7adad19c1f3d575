//! Case files as they come: formats told by content, standard input, several files; and where output goes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::answers::{kind_judge, tickets};
use crate::binary::Probity;

const CONVERSATIONS: &str = include_str!("../../../../examples/conversations.jsonl");
const GOLD: &str = include_str!("../../../../examples/gold.csv");
const TICKETS: &str = include_str!("../../../../examples/tickets.json");

fn gzipped(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Runs the baseline over `content` in a file called `name` and gives the results.
#[track_caller]
fn scored(name: &str, content: impl AsRef<[u8]>) -> Value {
    let probity = Probity::new().file(name, content);
    probity.args(["run", name, "--json", "--judge", "baseline"]).run().code(0).json()
}

fn ids(out: &Value) -> Vec<&str> {
    out["results"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect()
}

#[test]
fn conversations() {
    let server = kind_judge();
    let probity = Probity::new().file("chats.jsonl", CONVERSATIONS).server(&server);
    let out = probity.args(["run", "chats.jsonl", "--json"]).run().code(0).json();
    assert_eq!(ids(&out), ["chat-001", "chat-002", "chat-003", "chat-004"]);
    assert_eq!(out["results"][0]["variant"], "bot-7");
    let user = server.requests()[0].json()["messages"][1]["content"].as_str().unwrap().to_owned();
    assert!(user.contains("Conversation before the reply:\n") && user.contains("\ncustomer: \""), "{user}");
    assert!(!user.contains("bot-7"), "{user}");
}

#[test]
fn n31_transcripts_score_as_they_are_and_the_packet_shows_calls_and_results() {
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let openai = json!({"id": "T-1", "model": "bot-7", "messages": [
        {"role": "system", "content": "Never promise a date."},
        {"role": "user", "content": "Where is order 7?"},
        {"role": "assistant", "content": null, "tool_calls": [
            call("a", "get_order", "{\"id\":7}"), call("b", "get_courier", "{}")]},
        {"role": "tool", "tool_call_id": "a", "content": "sent on 3 March"},
        {"role": "tool", "tool_call_id": "b", "content": "DHL"},
        {"role": "assistant", "content": "It was sent with DHL on 3 March."},
        {"role": "user", "content": "Thanks!"}]});
    let tau = json!({"task_id": 2, "trial": 0, "reward": 0.0, "info": {}, "traj": [
        {"role": "user", "content": "Cancel my flight"},
        {"role": "assistant", "content": null, "tool_calls": [call("c", "cancel_flight", "{}")]},
        {"role": "tool", "tool_call_id": "c", "name": "cancel_flight", "content": "not allowed"},
        {"role": "assistant", "content": "I am sorry, it cannot be cancelled."},
        {"role": "user", "content": "###STOP###"}]});
    let server = kind_judge();
    let probity = Probity::new().file("t.jsonl", format!("{openai}\n{tau}\n")).server(&server);
    let out = probity.args(["run", "t.jsonl", "--json"]).run().code(0).json();
    assert_eq!(ids(&out), ["T-1", "2"]);
    assert_eq!(out["results"][0]["reply"], "It was sent with DHL on 3 March.");
    let requests = server.requests();
    let prompts: Vec<String> =
        requests.iter().map(|request| request.json()["messages"].to_string()).collect();
    let shows = |text: &str| prompts.iter().any(|prompt| prompt.contains(text));
    for shown in ["get_order", "sent on 3 March", "get_courier", "cancel_flight", "not allowed"] {
        assert!(shows(shown), "{shown}: {prompts:?}");
    }
    for kept in ["Never promise", "Thanks!", "###STOP###", "bot-7"] {
        assert!(!shows(kept), "{kept}");
    }
    let probity = Probity::new().file("t.jsonl", openai.to_string()).server(&server);
    probity.args(["run", "t.jsonl", "--system-prompts", "--json"]).run().code(0);
    assert!(
        server
            .requests()
            .iter()
            .any(|request| request.json()["messages"].to_string().contains("Never promise"))
    );
}

#[test]
fn tables() {
    let out = scored("gold.csv", GOLD);
    assert_eq!(ids(&out).len(), 6);
    assert_eq!(out["results"][0]["slice"], "returns");
    let semicolons = "id;ticket;reply\n1;\"Where, please?\";Here.\n";
    assert_eq!(ids(&scored("s.csv", semicolons)), ["1"]);
}

/// From the export of a help desk to the first score: the command that a newcomer tries, and the one that it suggests.
#[test]
fn a_foreign_table_is_scored_with_two_commands() {
    let table = "Case Number,Subject,Description,Case Comments,Owner\n\
        00001043,Late order,Where is my order 1043? It should be here.,It left our warehouse and arrives on Friday.,Ann\n";
    let probity = Probity::new().file("export.csv", table);
    let first = probity.args(["run", "export.csv"]).run().code(2);
    assert!(first.stderr.contains("found no column with the reply"), "{}", first.stderr);
    assert!(first.stderr.contains("Subject        \"Late order\""), "{}", first.stderr);
    let suggested = first
        .stderr
        .lines()
        .find_map(|line| line.trim().strip_prefix("add to the command: "))
        .expect("a flag");
    assert_eq!(suggested, "--map 'reply=Case Comments'");
    let map = ["run", "export.csv", "--map", "reply=Case Comments", "--json"];
    let out = probity.args(map).run().code(0).json();
    assert_eq!(ids(&out), ["00001043"]);
    assert_eq!(out["results"][0]["ticket"], "Where is my order 1043? It should be here.");
}

#[test]
fn a_mapping_in_the_settings_is_under_that_of_the_flags() {
    let table = "nr,a,b,c\n1,Where is it?,Here.,There.\n";
    let settings = "[input.map]\nticket = \"a\"\nreply = \"b\"\n";
    let probity = Probity::new().file("t.csv", table).file("probity.toml", settings);
    let reply = |map| {
        let args = ["run", "t.csv", "--json", "--judge", "baseline", "--map", map];
        probity.args(args).run().code(0).json()["results"][0]["reply"].clone()
    };
    assert_eq!((reply(""), reply("reply=c")), (json!("Here."), json!("There.")));
    probity
        .args(["run", "t.csv", "--map", "replly=c"])
        .run()
        .code(2)
        .says(["--map: there is no field \"replly\""]);
}

#[test]
fn check_shows_how_the_first_records_are_read() {
    let table = "Nr.;Frage;Antwort;Erstellt am\n7;Wo ist es?;Hier.;01.03.2026 08:15\n";
    let probity = Probity::new().file("t.csv", table);
    let ran = probity.args(["check", "t.csv", "--judge", "baseline"]).run().code(0);
    let read = "the first records as they were read:\n  t.csv, line 2\n    id          7\n    ticket      Wo ist es?\n    \
        reply       Hier.\n    time        2026-03-01T08:15:00Z\n";
    assert!(ran.stdout.starts_with(read), "{}", ran.stdout);
    let notice =
        "t.csv: read id from 'Nr.', ticket from 'Frage', reply from 'Antwort', time from 'Erstellt am'";
    assert!(ran.stderr.contains(notice), "{}", ran.stderr);
    let out = probity.args(["check", "t.csv", "--judge", "baseline", "--json"]).run().code(0).json();
    assert_eq!(out["read"][0]["fields"][1], json!({ "field": "ticket", "value": "Wo ist es?" }));
}

#[test]
fn a_part_of_the_cases_is_run_under_a_name() {
    let probity = Probity::new().file("tickets.json", tickets(5));
    let run = |flags: [&str; 4]| {
        let call =
            probity.args(["run", "tickets.json", "--json", "--judge", "baseline"]).words(flags.into_iter());
        call.run().code(0).json()
    };
    assert_eq!(ids(&run(["--limit", "2", "--name", "nightly look"])), ["ticket-001", "ticket-002"]);
    assert_eq!(ids(&run(["--only", "ticket-004", "--only", "ticket-002"])), ["ticket-002", "ticket-004"]);
    assert_eq!(ids(&run(["--limit", "9", "--seed", "1"])).len(), 5, "parts are runs of their own");
    let listed = probity.args(["report"]).run().code(0);
    assert!(listed.stdout.contains("nightly look"), "{}", listed.stdout);
    probity.args(["run", "tickets.json", "--slice", "no such"]).run().code(2).says(["--slice or --only"]);
}

#[test]
fn d38_packed_files_are_read_whatever_their_name() {
    let plain = scored("tickets.json", TICKETS);
    let packed = scored("tickets.json", gzipped(TICKETS));
    assert_eq!(packed, plain);
    assert_eq!(ids(&plain).len(), 11);
    assert_eq!(plain["skipped"][0]["index"], 11);
}

#[test]
fn d40_standard_input() {
    let probity = Probity::new();
    let call = probity.args(["run", "-", "--json", "--judge", "baseline"]).stdin(TICKETS);
    assert_eq!(ids(&call.run().code(0).json()).len(), 11);
    let call = probity.args(["run", "-"]).stdin("");
    call.run().code(2).says(["no records"]);
}

#[test]
fn d46_several_files_are_one_data_set() {
    let probity = Probity::new().file("a.json", tickets(2)).file("b.csv", "id,ticket,reply\nx,T,R\n");
    let out = probity.args(["run", "a.json", "b.csv", "--json"]).run().code(0).json();
    assert_eq!(ids(&out), ["ticket-001", "ticket-002", "x"]);
    let probity = probity.file("c.json", tickets(1));
    probity.args(["run", "a.json", "c.json"]).run().code(2).says(["a.json", "c.json", "ticket-001"]);
}

#[test]
fn n23_d20_d21_a_reply_of_nothing_costs_no_call() {
    let server = kind_judge();
    let cases = json!([
        { "id": "empty", "ticket": "T", "response": "" },
        { "id": "invisible", "ticket": "T", "response": "\u{200b}\u{200b}" },
        { "id": "good", "ticket": "T", "response": "Here." },
    ]);
    let probity = Probity::new().file("cases.json", cases.to_string()).server(&server);
    let ran = probity.args(["run", "cases.json", "--json"]).run().code(0);
    let out = ran.json();
    assert_eq!((ids(&out), out["summary"]["calls"].as_u64()), (vec!["good"], Some(2)));
    assert_eq!(out["skipped"][0]["reason"], "Empty 'response' field");
    assert_eq!(out["skipped"][1]["reason"], "'response' has no visible character");
    // Skipped records are warned about, on the other stream.
    assert!(
        ran.stderr.contains("cases.json: line 1: record 0 is skipped: Empty 'response' field"),
        "{}",
        ran.stderr
    );
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn n23_a_file_without_a_good_record_still_lists_what_was_skipped() {
    let probity = Probity::new().file("cases.json", r#"[{"id":"a","ticket":"T"},{"ticket":"T"}]"#);
    let ran = probity.args(["run", "cases.json", "-o", "out.json"]).run().code(2);
    ran.says(["none of the 2 records can be used"]);
    let out = probity.json("out.json");
    assert_eq!((&out["results"], &out["failed"]), (&json!([]), &json!([])));
    assert_eq!(
        (&out["skipped"][0]["index"], &out["skipped"][1]["reason"]),
        (&json!(0), &json!("Missing 'id' field"))
    );
    assert_eq!((&out["summary"]["entered"], &out["summary"]["skipped"]), (&json!(0), &json!(2)));
}

#[test]
fn n23_records_in_an_object_are_read() {
    let wrapped = format!("{{\"exported\": 2, \"tickets\": {TICKETS}}}");
    assert_eq!(scored("tickets.json", wrapped)["results"], scored("tickets.json", TICKETS)["results"]);
}

#[test]
fn json_is_alone_on_standard_output() {
    let probity = Probity::new().file("tickets.json", TICKETS);
    let ran = probity.args(["run", "tickets.json", "--json", "-o", "out.json"]).run().code(0);
    assert!(ran.stderr.contains("no key is set"), "{}", ran.stderr);
    assert_eq!(ran.stdout.as_bytes(), probity.bytes("out.json"));
    assert_eq!(ran.json()["summary"]["entered"], 11);
}

#[test]
fn quiet_says_no_more_than_the_summary() {
    let probity = Probity::new().file("tickets.json", TICKETS);
    let loud = probity.args(["run", "tickets.json"]).run().code(0);
    assert!(loud.stderr.contains("no key is set"), "{}", loud.stderr);
    let quiet = probity.args(["run", "tickets.json", "--quiet"]).run().code(0);
    assert_eq!((quiet.stderr.as_str(), quiet.stdout), ("", loud.stdout));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let probity = Probity::new().file("tickets.json", tickets(400));
    for args in [
        ["run", "tickets.json", "--json"],
        ["check", "tickets.json", "--show"],
        ["rubric", "show", "support-gold"],
    ] {
        let mut running = probity.args(args).start();
        let mut line = String::new();
        BufReader::with_capacity(16, running.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ended = running.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.code() == Some(0), "{args:?}: {:?} {said}", ended.status);
        assert!(!said.contains("panicked") && !said.contains("error"), "{said}");
    }
}

#[test]
fn a_pipe_on_the_command_line() {
    let probity = Probity::new().file("tickets.json", TICKETS);
    let binary = env!("CARGO_BIN_EXE_probity");
    let script = format!("cat tickets.json | '{binary}' run - --json --quiet --judge baseline | head -1");
    let shell = Command::new("sh")
        .args(["-c", &script])
        .current_dir(probity.path(""))
        .stderr(Stdio::piped())
        .output();
    let shell = shell.unwrap();
    let said = String::from_utf8_lossy(&shell.stderr);
    assert_eq!(shell.stdout, b"{\n");
    assert!(said.lines().all(|line| line.contains(" is skipped: ")), "{said}");
}
