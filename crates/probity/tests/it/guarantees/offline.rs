//! G08: `--offline` opens no connection. It runs where there is none to open, and where trying is fatal.

use std::process::{Command, Stdio};

use super::ledger::Judge;
use super::scene::{Ended, Scene, cases};
use super::shim::library;
use crate::skipped;

const N_CASES: usize = 10;

/// A scene whose run is complete, with the results of that run.
fn complete() -> (Judge, Scene, Vec<u8>) {
    let judge = Judge::sound(2, 0);
    let scene = Scene::new(cases(N_CASES), &judge.base_url());
    let _ended = scene.run(&[]).code(0);
    let results = scene.results_bytes().expect("there are results");
    std::fs::remove_file(scene.path(super::scene::RESULTS)).expect("results");
    (judge, scene, results)
}

/// `unshare` with a network of its own, which has no route, where this user may have one.
fn without_network() -> Option<&'static [&'static str]> {
    let ways: [&[&str]; 2] = [&["unshare", "--net"], &["unshare", "--map-root-user", "--net"]];
    let works = |way: &&[&str]| {
        let mut command = Command::new(way[0]);
        command.args(&way[1..]).arg("true").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let way = ways.into_iter().find(works);
    if way.is_none() {
        skipped("offline without a network", "a network namespace is not permitted here");
    }
    way
}

#[test]
fn g08_offline_runs_without_a_network() {
    let Some(way) = without_network() else { return };
    let (judge, scene, results) = complete();
    let n_connections = judge.n_connections();
    let _ended = Ended::of(scene.command_under(way, &["--offline"])).code(0);
    assert_eq!(scene.results_bytes(), Some(results));
    assert_eq!(judge.n_connections(), n_connections);
    // The same place without the flag cannot reach the judge: the network is really gone.
    scene.write("cases.json", cases(2 * N_CASES));
    let _ended = Ended::of(scene.command_under(way, &["--concurrency", "1"])).code(3);
    assert_eq!(judge.n_connections(), n_connections);
}

#[test]
fn g08_offline_never_tries_to_connect() {
    let Some(library) = library() else { return };
    let (_judge, scene, results) = complete();
    let run = |more: &[&str]| {
        let mut command = scene.command(more);
        command.env("LD_PRELOAD", library).env("PROBITY_SHIM_NETWORK", "none");
        Ended::of(command)
    };
    let _ended = run(&["--offline"]).code(0);
    assert_eq!(scene.results_bytes(), Some(results));
    // What is missing stays missing.
    scene.write("cases.json", cases(2 * N_CASES));
    let _ended = run(&["--offline"]).code(3);
    let results = scene.results();
    assert_eq!(results["summary"]["unscored_by_cause"]["not_attempted"], 2 * N_CASES);
    // Trying is fatal, so the above means something.
    assert_eq!(run(&[]).signal, Some(6), "a connection attempt aborts");
}
