//! `probity score`, and asking about the same packet several times.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::answers::{Asked, EFFORT, kind_judge, level, tickets};
use crate::binary::{Probity, QUICK};
use crate::support::ScriptedServer;

fn scene(server: &ScriptedServer) -> Probity {
    Probity::new().file("probity.toml", QUICK).server(server)
}

const TICKET: &str = "My order A-1 has not arrived.";
const REPLY: &str = "Sorry about that, we send it again today.";

#[test]
fn one_reply_is_scored_for_a_quick_look() {
    let server = kind_judge();
    let probity = scene(&server);
    let ran = probity.args(["score", "--ticket", TICKET, "--reply", REPLY]).run().code(0);
    for part in ["reply, scored", "relevance 4", "tone 4", "does well", "advisory"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("95 %"), "no figure over one reply: {}", ran.stdout);
    assert_eq!(server.n_requests(), 2);
    let again = probity.args(["score", "--ticket", TICKET, "--json"]).stdin(REPLY).run().code(0).json();
    assert_eq!(again["results"][0]["tone"]["score"], 4);
    assert_eq!(server.n_requests(), 2, "what is on record is not asked again");
    let dry = probity.args(["score", "--ticket", TICKET, "--reply", "Another.", "--dry-run"]).run().code(0);
    assert!(dry.stdout.contains("2 calls to judge"), "{}", dry.stdout);
    probity.args(["score", "--ticket", " ", "--reply", REPLY]).run().code(2).says(["--ticket"]);
    probity.args(["score", "--ticket", TICKET]).stdin("\n").run().code(2).says(["--reply"]);
}

#[test]
fn a_blocked_reply_is_said_to_be_blocked() {
    let server = kind_judge();
    let ran = scene(&server)
        .args(["score", "--ticket", TICKET, "--reply", "Your card 4111 1111 1111 1111 was charged."])
        .run()
        .code(0);
    assert!(ran.stdout.contains("blocked") && ran.stdout.contains("pii.card"), "{}", ran.stdout);
    assert_eq!(server.n_requests(), 0);
}

/// A judge that gives tone 2, 4 and 3 in turn, and relevance always 5.
fn changing_judge() -> ScriptedServer {
    let n = AtomicUsize::new(0);
    ScriptedServer::with(move |request| match Asked::of(request).criterion() {
        "tone" => level([2, 4, 3][n.fetch_add(1, Ordering::SeqCst) / 4 % 3], "So it seems."),
        _ => level(5, "To the point."),
    })
}

#[test]
fn repeats_give_the_median_and_the_agreement_of_a_judge_with_itself() {
    let server = changing_judge();
    let probity = scene(&server).file("tickets.json", tickets(4));
    let dry = probity.args(["check", "tickets.json", "--repeats", "3", "--json"]).run().code(0).json();
    assert_eq!([&dry["calls"], &dry["records"]], [24, 4]);
    probity.run_tickets(["--repeats", "3", "--report", "report.md"]).code(0);
    assert_eq!(server.n_requests(), 24);
    let results = probity.json("out.json");
    assert_eq!(results["results"][0]["tone"]["score"], 3, "{results}");
    assert_eq!(results["results"][0]["tone"]["scores"], json!([2, 4, 3]));
    let own = &results["summary"]["self_agreement"];
    assert_eq!([&own["tone"]["n"], &own["tone"]["agreement"]["value"]], [&json!(4), &json!(0.0)], "{own}");
    assert!(own["tone"]["krippendorff_alpha"]["value"].as_f64().unwrap() < 0.0, "{own}");
    assert_eq!(own["relevance"]["agreement"]["value"], 1.0);
    assert_eq!(own["relevance"]["krippendorff_alpha"], json!(null), "one level alone has no alpha");
    assert_eq!(results["summary"]["calls"], 24);
    assert_eq!(results["summary"]["warnings"], json!([]), "four replies share a reasoning, not twelve");
    assert!(probity.text("report.md").contains("Krippendorff's alpha (ordinal)"));
    let offline =
        probity.args(["run", "tickets.json", "--repeats", "3", "--offline", "--json"]).run().code(0);
    assert_eq!(offline.json(), results, "it is made again without a call");
    let again = probity.args(["report", "last", "--json"]).run().code(0);
    assert_eq!(again.json(), results, "and from the store alone");
    probity.run_tickets(["--repeats", "2"]).code(0);
    assert_eq!(server.n_requests(), 24, "two of three repeats are on record");
    assert_eq!(
        probity.json("out.json")["results"][0]["tone"]["score"],
        2,
        "the worse of the two in the middle"
    );
}

#[test]
fn a_round_is_asked_anew_whatever_was_repeated_before() {
    let server = kind_judge();
    let probity = scene(&server).file("tickets.json", tickets(2));
    probity.run_tickets(["--repeats", "3"]).code(0);
    assert_eq!(server.n_requests(), 12);
    probity.run_tickets(["--round", "2"]).code(0);
    assert_eq!(server.n_requests(), 16, "its verdicts are its own");
    probity.run_tickets(["--round", "2", "--repeats", "2"]).code(0);
    assert_eq!(server.n_requests(), 20, "the first of two repeats is on record");
    let answers = probity.args(["export", "answers"]).run().code(0).stdout;
    assert_eq!(
        answers.matches("\"repeat\":1,").count(),
        4,
        "repeats are counted within their run: {answers}"
    );
    probity.run_tickets(["--repeats", "1001"]).code(2).says(["1001"]);
}

#[test]
fn repeats_share_the_rates_of_a_minute() {
    let server = kind_judge();
    let settings = format!("{QUICK}requests_per_minute = 240\n");
    let probity = scene(&server).file("probity.toml", settings).file("effort.toml", EFFORT);
    let probity = probity.file("tickets.json", tickets(1));
    let begun = Instant::now();
    probity.run_tickets(["--repeats", "5", "--rubric", "effort.toml"]).code(0);
    assert_eq!(server.n_requests(), 5);
    assert!(begun.elapsed() >= Duration::from_secs(1), "{:?} for five calls, 250 ms apart", begun.elapsed());
}
