//! Ctrl-C: what is in flight is finished and kept, and the next run makes only the calls that are missing.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command};

use crate::answers::{Asked, error, good, late, tickets, wait_for};
use crate::binary::{Probity, Ran};
use crate::support::ScriptedServer;

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill starts");
    assert!(sent.success(), "the process was still there");
}

/// Interrupts a run over six replies with three calls in flight, and resumes it.
fn check(signal: &str) {
    let server = ScriptedServer::with(|request| late(300, good(&Asked::of(request))));
    let probity = Probity::new().file("tickets.json", tickets(6)).server(&server);
    let running = probity.args(["run", "tickets.json", "-o", "out.json", "--concurrency", "3"]).start();
    wait_for(&server, 4);
    send(signal, &running);
    let ran = Ran::after(running).code(3);
    ran.says([
        "stopping: finishing the calls in flight",
        "Interrupted. Run the same command again to continue.",
    ]);
    let n_made = server.n_requests();
    assert!((4..12).contains(&n_made), "{n_made} calls");
    let out = probity.json("out.json");
    let n_levels = |name: &str| out["summary"]["criteria"][name]["n"].as_u64().unwrap();
    assert_eq!(n_levels("relevance") + n_levels("tone"), n_made as u64, "every answer was kept");
    assert_eq!(out["summary"]["calls_lost"], 0);

    probity.run_tickets([]).code(0);
    assert_eq!(server.n_requests(), 12, "only the missing calls are made");
    assert_eq!(probity.json("out.json")["summary"]["scored"], 6);
}

#[test]
fn ctrl_c_finishes_what_is_in_flight() {
    check("-INT");
}

#[test]
fn a_request_to_terminate_does_the_same() {
    check("-TERM");
}

#[test]
fn ctrl_c_is_heard_while_the_only_question_is_asked_again() {
    let server = ScriptedServer::always(error(503, "overloaded", "Try again later."));
    let probity = Probity::new().file("tickets.json", tickets(1)).server(&server);
    let running = probity.args(["run", "tickets.json", "--one-call"]).start();
    wait_for(&server, 2);
    send("-INT", &running);
    let ran = Ran::after(running).code(3);
    ran.says(["Interrupted. Run the same command again to continue."]);
}

#[test]
fn a_second_ctrl_c_ends_at_once_and_the_calls_in_flight_are_listed() {
    let server = ScriptedServer::with(|request| match request.number {
        1..3 => late(60_000, good(&Asked::of(request))),
        _ => good(&Asked::of(request)),
    });
    let probity = Probity::new().file("tickets.json", tickets(2)).server(&server);
    let mut running = probity.args(["run", "tickets.json", "--concurrency", "2"]).start();
    wait_for(&server, 3);
    send("-INT", &running);
    // The first line is about settings and endpoint.
    let mut lines = BufReader::new(running.stderr.take().unwrap()).lines().skip(1);
    let said = lines.next().expect("a line").unwrap();
    assert!(said.contains("again to stop at once"), "{said}");
    send("-INT", &running);
    Ran::after(running).code(3);
    let ran = probity.run_tickets([]).code(0);
    ran.says(["in flight when an earlier process died: possibly billed, and not recorded"]);
    assert_eq!(server.n_requests(), 6, "the two that were lost are asked again");
    // The fourth call was on record and waited for its turn. The process may have ended before it was taken back.
    let n_lost = probity.json("out.json")["summary"]["calls_lost"].as_u64().unwrap();
    assert!((2..=3).contains(&n_lost), "{n_lost}");
}

#[test]
fn g02_killed_at_once_nothing_recorded_is_lost() {
    let server = ScriptedServer::with(|request| late(20, good(&Asked::of(request))));
    let probity = Probity::new().file("tickets.json", tickets(6)).server(&server);
    let mut n_killed = 0;
    for wanted in [2, 5, 8] {
        let mut running = probity.args(["run", "tickets.json", "--concurrency", "2"]).start();
        wait_for(&server, wanted);
        running.kill().expect("it was running");
        running.wait().expect("it ends");
        n_killed += 1;
    }
    probity.run_tickets([]).code(0);
    // Six intents may stand at two in flight; what was asked again is listed.
    let (n_extra, lost) = (server.n_requests() - 12, &probity.json("out.json")["summary"]["calls_lost"]);
    assert!(n_extra <= 6 * n_killed, "{n_extra} calls were made twice by {n_killed} kills");
    assert!(lost.as_u64().is_some_and(|lost| n_extra as u64 <= lost), "{n_extra} again, {lost} listed");
    assert_eq!(probity.json("out.json")["summary"]["scored"], 6);
    let first = probity.bytes("out.json");
    probity.run_tickets([]).code(0);
    assert_eq!(probity.bytes("out.json"), first);
}
