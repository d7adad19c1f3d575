//! A record that has lived: the rows of a small real run, copied with SQL until there are a million attempts.
//!
//! Only the names of the tables, and of the columns by which they refer to each other, are known here. Rows differ in
//! their numbers and in the hash of their packet, by rules without chance, so the record is the same each time.

use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use rusqlite::Connection;

use crate::bench::{Bench, CALLS_PER_CASE};
use crate::child::{Mock, peak_mib, probity, wall};
use crate::figure::{Bar, Figure};

const ATTEMPTS: usize = 1_000_000;

/// The attempts of the run that is copied.
const ATTEMPTS_RUN: usize = 2_000;

/// How often the first call is waited for.
const ROUNDS: usize = 5;

/// The tables with a row for each call. A column that is called like one of them holds the number of a row in it.
const TABLES: [&str; 4] = ["packet", "attempt", "answer", "settlement"];

/// From the start of the process to the first byte of its first request, for ten new cases: on an empty record and on
/// one of a million attempts.
pub(crate) fn first_call(bench: &Bench) -> Vec<Figure> {
    let empty = waited(bench, |round| bench.folder.join(format!("empty-{round}.db")));
    let n = ATTEMPTS / bench.scale;
    let store = large(bench, n);
    let size = std::fs::metadata(&store).map_or(0.0, |file| file.len() as f64 / 1e6);
    let large = waited(bench, |_| store.clone());
    let name = format!("first call of ten cases, record of {n} attempts (best of {ROUNDS})");
    vec![
        Figure::new("first call of ten cases, empty record", empty.ms, "ms", Bar::None),
        Figure::new(format!("{name}: time"), large.ms, "ms", Bar::AtMost(30.0)),
        Figure::new(format!("{name}: memory"), large.memory_mib, "MiB", Bar::AtMost(40.0)),
        Figure::new(format!("record of {n} attempts: its size"), size, "MB", Bar::None),
        Figure::new("memory on an empty record", empty.memory_mib, "MiB", Bar::None),
    ]
}

/// The shortest wait for a first call, and the most memory held by then.
pub(crate) struct FirstCall {
    pub(crate) ms: f64,
    pub(crate) memory_mib: f64,
}

pub(crate) fn waited(bench: &Bench, store: impl Fn(usize) -> PathBuf) -> FirstCall {
    let mut best = FirstCall { ms: f64::INFINITY, memory_mib: 0.0 };
    for round in 0..ROUNDS {
        // Cases that no record has.
        let cases = bench.cases_in(10_000_000 + 10 * round..10_000_010 + 10 * round);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("a bound address"));
        let mut command = probity(&bench.folder);
        command.arg("run").arg(cases).args(["--base-url", &url, "--quiet", "--store"]).arg(store(round));
        let started = Instant::now();
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("the program can be started");
        let (mut connection, _) = listener.accept().expect("the program connects");
        connection.read_exact(&mut [0]).expect("the program sends");
        best.ms = best.ms.min(started.elapsed().as_secs_f64() * 1000.0);
        best.memory_mib = best.memory_mib.max(peak_mib(child.id()));
        child.kill().expect("the program can be ended");
        child.wait().expect("the program can be waited for");
    }
    best
}

/// A store with about `n` attempts.
fn large(bench: &Bench, n: usize) -> PathBuf {
    let n_run = ATTEMPTS_RUN.min(n);
    let path = bench.folder.join("large.db");
    let mock = Mock::start(&bench.folder, "0ms");
    let mut command = probity(&bench.folder);
    command.arg("run").arg(bench.cases(n_run / CALLS_PER_CASE)).args(["--base-url", &mock.url, "--quiet"]);
    wall(command.arg("--store").arg(&path));
    copy_rows(&path, n / n_run - 1).expect("the rows can be copied");
    path
}

/// Adds `n_copies` copies of every row of [`TABLES`].
fn copy_rows(store: &Path, n_copies: usize) -> rusqlite::Result<()> {
    let store = Connection::open(store)?;
    store.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN")?;
    let statements: Vec<String> =
        TABLES.iter().map(|table| copying(&store, table, n_copies)).collect::<Result<_, _>>()?;
    for statement in statements {
        store.execute_batch(&statement)?;
    }
    store.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); ANALYZE")
}

/// The statement that copies the rows of a table.
fn copying(store: &Connection, table: &str, n_copies: usize) -> rusqlite::Result<String> {
    let columns: Vec<String> = store
        .prepare(&format!("SELECT name FROM pragma_table_info('{table}')"))?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let copied: Vec<String> =
        columns.iter().map(|column| copied(store, table, column)).collect::<Result<_, _>>()?;
    Ok(format!(
        "WITH RECURSIVE copy (turn) AS (SELECT 1 UNION ALL SELECT turn + 1 FROM copy WHERE turn < {n_copies}) \
         INSERT INTO {table} ({}) SELECT {} FROM copy CROSS JOIN {table} WHERE copy.turn <= {n_copies}",
        columns.join(", "),
        copied.join(", ")
    ))
}

/// What a column of a copied row holds.
fn copied(store: &Connection, table: &str, column: &str) -> rusqlite::Result<String> {
    let shifted = |of: &str| -> rusqlite::Result<String> {
        let last: i64 = store.query_row(&format!("SELECT max(id) FROM {of}"), [], |row| row.get(0))?;
        Ok(format!("{column} + copy.turn * {last}"))
    };
    match column {
        "id" => shifted(table),
        "packet" | "attempt" => shifted(column),
        // Knuth's multiplicative hash spreads the copies over the index, as hashes do.
        "hash" => Ok(
            "unhex(printf('%08x', (copy.turn * 2654435761 + id * 40503) & 4294967295) || substr(hex(hash), 9))"
                .to_owned(),
        ),
        _ => Ok(column.to_owned()),
    }
}
