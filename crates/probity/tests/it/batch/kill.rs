//! A process that asks by batches is killed at each named point and at any time, and so is the one that goes on.
//!
//! `PROBITY_KILLS=n` asks for more kills, `PROBITY_LONG_TESTS=1` for more commits.

use std::time::Duration;

use probity_engine::fault_points::{BATCH_POINTS, POINTS};

use super::{FORMS, Form, Scene};
use crate::binary::Ran;

/// Kills at any time, unless `PROBITY_KILLS` says otherwise.
const N_KILLS: u64 = 6;

fn is_long() -> bool {
    std::env::var_os("PROBITY_LONG_TESTS").is_some()
}

/// The command goes on until it is done.
#[track_caller]
fn finish(scene: &Scene, what: &str) {
    let mut ran = scene.batch();
    for _ in 0..20 {
        if ran.code == Some(0) {
            break;
        }
        ran = scene.batch();
    }
    assert_eq!(ran.code, Some(0), "{what}: {}", ran.stderr);
    scene.check_results();
    scene.check_bill();
}

#[test]
fn b01_b02_b04_killed_at_each_point() {
    for form in FORMS {
        // Points whose outcome does not depend on the form are taken once in the short form.
        let is_taken = |point: &str| form == Form::Files || is_long() || point == "batch_creating";
        for (_, point) in BATCH_POINTS.iter().filter(|(_, point)| is_taken(point)) {
            let scene = Scene::new(form, &[]);
            let mut command = scene.command(&["--batch"]);
            command.env("PROBITY_FAULT_POINT", format!("{point}:1"));
            let killed = Ran::of(command);
            assert_eq!(killed.signal, Some(9), "{form:?} {point}: {}", killed.stderr);
            // An order that may have been sent cannot be told from one that was not where a host keeps no tag.
            let in_doubt = (form, *point) == (Form::Inline, "batch_creating");
            if in_doubt {
                release(&scene);
            }
            finish(&scene, &format!("{form:?} {point}"));
            assert_eq!(scene.n_lost(), if in_doubt { 11 } else { 0 }, "{form:?} {point}");
            assert_eq!(scene.n_batches(), 1, "{form:?} {point}");
        }
    }
}

#[test]
fn killed_at_each_commit() {
    let commits = ["before_commit", "after_commit"];
    for point in POINTS.iter().map(|(_, name)| *name).filter(|name| commits.contains(name)) {
        let turns: &[u32] = if is_long() { &[1, 3, 6, 10, 16, 24] } else { &[3, 10] };
        for first in turns {
            let scene = Scene::new(Form::Files, &[]);
            for turn in [*first, first / 2 + 1] {
                let mut command = scene.command(&["--batch"]);
                command.env("PROBITY_FAULT_POINT", format!("{point}:{turn}"));
                Ran::of(command);
            }
            finish(&scene, &format!("{point}:{first}"));
        }
    }
}

#[test]
fn killed_at_any_time() {
    let n_kills = std::env::var("PROBITY_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(N_KILLS);
    for n in 0..n_kills {
        let form = if n % 4 == 3 { Form::Inline } else { Form::Files };
        let faults: &[&str] = if n % 2 == 0 { &[] } else { &["B39", "B34"] };
        let scene = Scene::new(form, faults);
        for kill in 0..=n % 3 {
            let mut child = scene.command(&["--batch"]).spawn().unwrap();
            let hash = blake3::hash(format!("{n} {kill}").as_bytes());
            std::thread::sleep(Duration::from_millis(u64::from(hash.as_bytes()[0]) / 2 + 10));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        if form == Form::Inline {
            // What may have been ordered at a host without tags stays undecided: a person opens it.
            release(&scene);
        }
        finish(&scene, &format!("kill {n}"));
    }
}

/// Opens what is undecided, until the command comes to its end.
fn release(scene: &Scene) {
    for _ in 0..8 {
        if scene.batch().code == Some(0) {
            return;
        }
        let list = Ran::of(scene.rehearsal.binary(&["batch", "list", "--json"])).json();
        let batches = list["batches"].as_array().unwrap().clone();
        for batch in batches.iter().filter(|batch| batch["state"] == "undecided") {
            let id = batch["batch"].as_str().unwrap();
            Ran::of(scene.rehearsal.binary(&["batch", "cancel", id, "--release"])).code(0);
        }
    }
}
