//! Several processes and one store: the test program starts itself again as the other process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::*;

/// Names the store for a process started by a test.
const STORE: &str = "PROBITY_TEST_CHILD_STORE";

/// The other process. Without a store given to it by a test, it does a little work on one of its own.
#[test]
fn other_process() {
    if let Some(path) = std::env::var_os(STORE) {
        return work(Path::new(&path), usize::MAX);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    work(&path, 2);
    work(&path, 3);
    let store = Store::open_read_only(&path).unwrap();
    assert_eq!(n_settled(&store), 5);
}

/// Settles the next packets and tells each one after it was acknowledged.
fn work(path: &Path, n_packets: usize) {
    let store = match Store::open(path) {
        Ok(opened) => opened.store,
        Err(error) => return tell(&format!("refused {error}")),
    };
    let (judge, run) = prepared(&store);
    for n in (n_settled(&store)..).take(n_packets) {
        let text = n.to_string();
        wait(async {
            let attempt = store.intend(start(&text, &judge, run)).await.unwrap().recorded().unwrap();
            let settlement = Some(settlement(verdict(&text)));
            store.conclude(attempt, ended("ok", text.as_bytes()), settlement).await.unwrap();
        });
        tell(&text);
    }
}

fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nchild: {line}").and_then(|()| out.flush()).expect("the parent listens");
}

fn spawn(path: &Path) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ledger::tests::process::other_process", "--nocapture"])
        .env(STORE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out: ChildStdout = child.stdout.take().unwrap();
    let lines = BufReader::new(out).lines().map_while(Result::ok);
    (child, lines.filter_map(|line| line.strip_prefix("child: ").map(str::to_owned)))
}

#[test]
fn g02_nothing_acknowledged_is_lost_to_kill() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut acknowledged: Vec<String> = Vec::new();
    for n_before_kill in [1, 2, 3, 5, 8, 13] {
        let (mut child, mut lines) = spawn(&path);
        let told: Vec<String> = lines.by_ref().take(n_before_kill).collect();
        assert_eq!(told.len(), n_before_kill, "the other process writes");
        acknowledged.extend(told);
        child.kill().unwrap();
        child.wait().unwrap();
        // What it told between the last line read and its end was acknowledged as well.
        acknowledged.extend(lines);

        let opened = Store::open(&path).unwrap();
        assert!(opened.lost.len() <= 1, "it made one call at a time");
        let (judge, run) = prepared(&opened.store);
        let hashes: Vec<PacketHash> = acknowledged.iter().map(|text| packet(text)).collect();
        let known = opened.store.reader().unwrap().known(&judge, 0, &hashes).unwrap();
        for text in &acknowledged {
            assert_eq!(known.get(&packet(text)), Some(&KnownKind::Verdict), "{text} was acknowledged");
        }
        let n_settled = n_settled(&opened.store);
        assert!(n_settled - acknowledged.len() <= n_before_kill, "only the untold are more");
        let totals = opened.store.totals(&judge, run).unwrap();
        assert!(totals.calls >= n_settled as u64);
    }
    let mut distinct = acknowledged.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), acknowledged.len(), "no resumed process repeats a recorded call");
}

#[test]
fn c13_a_second_process_is_refused_until_the_first_is_gone() {
    let scene = Scene::new();
    let path = scene.path();
    let (mut refused, mut told) = spawn(&path);
    let line = told.next().unwrap();
    let expected =
        format!("is in use by process {}: one process at a time can write to a store", std::process::id());
    assert!(line.starts_with("refused ") && line.ends_with(&expected), "{line}");
    assert!(refused.wait().unwrap().success());
    scene.store.close().unwrap();

    let (mut writing, mut told) = spawn(&path);
    told.next().unwrap();
    let error = Store::open(&path).err().unwrap();
    writing.kill().unwrap();
    writing.wait().unwrap();
    let path = path.canonicalize().unwrap();
    assert_eq!(error, StoreError::Locked { path: path.clone(), holder: Some(writing.id()) });
    Store::open(&path).unwrap();
}
