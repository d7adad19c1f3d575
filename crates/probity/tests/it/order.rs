//! Results follow from what was answered, not from when: any concurrency and any latency give the same bytes.

use crate::answers::{Asked, cut, good, late, says, tickets};
use crate::binary::Probity;
use crate::support::{Act, ScriptedServer};

/// A number that follows from the question alone, so that every run gets the same answers.
fn salt(asked: &Asked) -> usize {
    asked.reply.bytes().chain(asked.criterion().bytes()).map(usize::from).sum()
}

/// Good and bad answers, each after its own time; the time differs from run to run.
fn answer(number: usize, asked: &Asked) -> Act {
    let act = match salt(asked) % 9 {
        0 => says("no idea"),
        1 => cut("{\"score\""),
        2 => says("{\"score\": 6, \"reasoning\": \"off the scale\"}"),
        _ => good(asked),
    };
    late((number * 7919 % 13) as u64, act)
}

#[test]
fn g07_results_do_not_depend_on_concurrency() {
    let server = ScriptedServer::with(|request| answer(request.number, &Asked::of(request)));
    let probity = Probity::new().file("tickets.json", tickets(30)).server(&server);
    let run = |concurrency: &str| {
        let store = format!("store-{concurrency}.db");
        let ran = probity.run_tickets(["--concurrency", concurrency, "--store", &store]).code(3);
        (probity.bytes("out.json"), ran.stdout)
    };
    let one = run("1");
    assert!(server.n_open_calls_peak() == 1);
    assert_eq!(run("7"), one);
    assert!(server.n_open_calls_peak() <= 7);
    assert_eq!(run("64"), one);
    assert!(server.n_open_calls_peak() > 7, "calls really were in flight together");
    let out = probity.json("out.json");
    assert!(out["summary"]["unscored"].as_u64().unwrap() > 3, "{}", out["summary"]);
}
