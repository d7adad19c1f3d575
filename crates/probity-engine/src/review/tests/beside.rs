//! The room and a run on one store, in several processes, and what `kill -9` leaves.
//!
//! The test program starts itself again as the other process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use probity_core::packet::PacketHash;

use super::*;
use crate::config::Money;
use crate::ledger::{
    AskAgain, AttemptEnd, AttemptStart, JudgeId, KnownKind, Manifest, RunId, RunOpening, Settled, Settlement,
    Store,
};

/// Names the store and the part for a process started by a test.
const STORE: &str = "PROBITY_TEST_BESIDE_STORE";
const PART: &str = "PROBITY_TEST_BESIDE_PART";

/// Calls of the run beside the room.
const N_CALLS: usize = 400;

/// The other process: a run, or a reviewer. Without a part given to it by a test, it is a short run.
#[test]
fn other_process() {
    let part = std::env::var(PART);
    match (std::env::var_os(STORE), part.as_deref()) {
        (Some(path), Ok("run")) => running(Path::new(&path), N_CALLS),
        (Some(path), Ok("review")) => reviewing(Path::new(&path)),
        _ => {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("store.db");
            running(&path, 3);
            assert_eq!(n_settled(&path), 3);
        }
    }
}

fn packet(n: usize) -> PacketHash {
    PacketHash::from_bytes(*blake3::hash(n.to_string().as_bytes()).as_bytes())
}

fn judge() -> JudgeId {
    JudgeId::of_identity("{}")
}

fn n_settled(path: &Path) -> usize {
    let packets: Vec<PacketHash> = (0..N_CALLS).map(packet).collect();
    let known = Store::open_read_only(path).unwrap().reader().unwrap().known(&judge(), 0, &packets).unwrap();
    known.values().filter(|kind| **kind == KnownKind::Verdict).count()
}

/// A run of several calls at once, which tells when it is done.
fn running(path: &Path, n_calls: usize) {
    let store = Store::open(path).unwrap().store;
    let manifest = Manifest { name: "run".to_owned(), parts: Vec::new(), body: "{}".to_owned() };
    let (judge, manifest) = (&judge(), &manifest);
    let opening = RunOpening {
        judge,
        identity: "{}",
        manifest,
        invocation: None,
        spec: None,
        budget: None,
        lane: None,
    };
    let run = store.begin_judged_run(opening).unwrap().run();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let mut calls = Vec::new();
        for lane in 0..8 {
            let store = store.clone();
            calls.push(tokio::spawn(async move {
                for n in (lane..n_calls).step_by(8) {
                    call(&store, run, n).await;
                }
            }));
        }
        for call in calls {
            call.await.unwrap();
        }
    });
    store.close().unwrap();
    tell("done");
}

async fn call(store: &Store, run: RunId, n: usize) {
    let start = AttemptStart {
        packet: packet(n),
        packet_body: Arc::from(n.to_string()),
        judge: judge(),
        run,
        repeat: 0,
        n: 1,
        cause: "first".to_owned(),
        tokens_planned: 100,
        decisions: 1,
        started_unix_ms: 0,
        most: Money::default(),
        batch: None,
        again: AskAgain::Always,
    };
    let attempt = store.intend(start).await.unwrap().recorded().unwrap();
    let end = AttemptEnd { outcome: "ok".to_owned(), raw: b"raw".to_vec(), ..AttemptEnd::default() };
    let settlement = Settlement { attempts: 1, decision: Settled::Verdict { body: "{}".to_owned() } };
    store.conclude(attempt, end, Some(settlement)).await.unwrap();
}

/// A reviewer who labels whatever is left and tells each answer after it was acknowledged.
fn reviewing(path: &Path) {
    let room = ReviewRoom::open(path).unwrap();
    let queue = room.queues().unwrap()[0].id;
    let people = room.people(NOW).unwrap();
    let ann = people.iter().find(|view| view.person.name == "ann").unwrap().person.id;
    while let Some(item) = next_item(&room, queue, ann, NOW) {
        let submission = Submission {
            item: item.id,
            person: ann,
            expected_revision: item.revision,
            answer: levels(1 + i64::from(item.n % 5), 3),
            note: String::new(),
            at: NOW,
        };
        let kept = wait(room.submit(submission)).unwrap();
        assert!(matches!(kept, Submitted::Kept { .. }), "{kept:?}");
        tell(&item.n.to_string());
    }
    tell("done");
}

fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nchild: {line}").and_then(|()| out.flush()).expect("the parent listens");
}

fn spawn(path: &Path, part: &str) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "review::tests::beside::other_process", "--nocapture"])
        .env(STORE, path)
        .env(PART, part)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out: ChildStdout = child.stdout.take().unwrap();
    let lines = BufReader::new(out).lines().map_while(Result::ok);
    (child, lines.filter_map(|line| line.strip_prefix("child: ").map(str::to_owned)))
}

#[test]
fn a_run_and_the_room_lose_nothing_of_each_other() {
    let scene = Scene::new(LabelForm::Levels, 60, 2);
    let (mut child, lines) = spawn(&scene.path(), "run");
    let mut lines = lines.peekable();
    assert_eq!(scene.label_all(scene.ann, &levels(4, 4)), 60);
    assert_eq!(scene.label_all(scene.bob, &levels(3, 4)), 60);
    assert_eq!(lines.peek().map(String::as_str), Some("done"));
    assert!(child.wait().unwrap().success());
    assert_eq!(n_settled(&scene.path()), N_CALLS);
    assert_eq!(scene.labels().len(), 60 * 2 * 2);
    let Scene { folder, room, .. } = scene;
    room.close().unwrap();
    let path = folder.path().join("store.db");
    let opened = Store::open(&path).unwrap();
    assert_eq!(opened.lost, []);
    assert_eq!(opened.store.reader().unwrap().labels().unwrap().len(), 60 * 2 * 2);
    assert_eq!(n_settled(&path), N_CALLS);
}

#[test]
fn g02_kill_loses_no_answer_that_was_acknowledged_and_doubles_none() {
    const N_ITEMS: usize = 40;
    let scene = Scene::new(LabelForm::Levels, N_ITEMS, 1);
    let (path, ann) = (scene.path(), scene.ann);
    let Scene { folder, room, .. } = scene;
    room.close().unwrap();
    let mut acknowledged: Vec<String> = Vec::new();
    for n_before_kill in [1, 2, 3, 5, 8] {
        let (mut child, mut lines) = spawn(&path, "review");
        acknowledged.extend(lines.by_ref().take(n_before_kill));
        child.kill().unwrap();
        child.wait().unwrap();
        // What it told between the last line read and its end was acknowledged as well.
        acknowledged.extend(lines);
        let room = ReviewRoom::open(&path).unwrap();
        let labels = room.labels().unwrap();
        for n in &acknowledged {
            let item = format!("case-{}", n.parse::<usize>().unwrap() - 1);
            let kept = labels.iter().filter(|stored| stored.label.item == item);
            let said: Vec<(u32, &str)> =
                kept.map(|stored| (stored.revision, stored.label.label.as_deref().unwrap())).collect();
            let level = (1 + n.parse::<i64>().unwrap() % 5).to_string();
            assert_eq!(said, [(1, &*level), (1, "3")], "{item} once, as it was said");
        }
        let submitted = room.queues().unwrap()[0].n_submitted as usize;
        assert!(submitted >= acknowledged.len() && submitted <= acknowledged.len() + n_before_kill + 1);
        assert_eq!(labels.len(), 2 * submitted, "an answer is kept whole");
        room.close().unwrap();
    }
    let (mut child, lines) = spawn(&path, "review");
    acknowledged.extend(lines.filter(|line| line != "done"));
    assert!(child.wait().unwrap().success());
    let room = ReviewRoom::open(&path).unwrap();
    assert_eq!(room.labels().unwrap().len(), 2 * N_ITEMS);
    let people = room.people(NOW).unwrap();
    let view = people.iter().find(|view| view.person.id == ann).unwrap();
    assert_eq!(view.n_submitted as usize, N_ITEMS);
    drop(folder);
}

#[test]
fn a_room_takes_no_lock_and_recovers_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let room = ReviewRoom::open(&path).unwrap();
    let other = ReviewRoom::open(&path).unwrap();
    let opened = Store::open(&path).unwrap();
    assert_eq!(opened.lost, [], "a run begins beside the room");
    opened.store.close().unwrap();
    wait(room.add_queue(new_queue("first", LabelForm::Levels, 1, 1))).unwrap();
    assert_eq!(other.queues().unwrap().len(), 1, "what one room writes another reads");
    room.close().unwrap();
    other.close().unwrap();
    assert!(!folder.path().join("store.db-wal").exists(), "the last to close leaves one file");
}
