//! The figures of a run on PostgreSQL, beside those on a file: a server of its own on this machine, which syncs.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use crate::bench::{Bench, CALLS_PER_CASE, Calls};
use crate::child::{Mock, wall};
use crate::figure::{Bar, Figure};
use crate::private_server::{PrivateServer, Syncs};
use crate::record::waited;

/// Attempts on the large record, and those that a run makes of them.
const ATTEMPTS: usize = 1_000_000;
const ATTEMPTS_RUN: usize = 10_000;

/// Processes that share a run.
const N_WORKERS: usize = 4;

/// 10,000 calls of 50 ms and 40,000 of 0 ms by one worker, and 10,000 of 50 ms by four.
pub(crate) fn calls(bench: &Bench) -> Vec<Figure> {
    let Some(server) = PrivateServer::with(Syncs::Always) else {
        return vec![Figure::skipped("calls on PostgreSQL", "it is not installed", Bar::AtMost(1.20))];
    };
    let database = |name: &str| {
        server.sql("postgres", &format!("CREATE DATABASE {name}"));
        server.address(name)
    };
    let calls = Calls { n: 10_000 / bench.scale, in_flight: 256, rounds: 3, preload: None };
    let mock = Mock::start(&bench.folder, "50ms");
    let beside = bench.beside_bare_loop_on(&mock, &calls, &|round| database(&format!("fast{round}")));
    let name = format!("PostgreSQL, {} calls of 50ms, {} in flight", calls.n, calls.in_flight);
    let mut figures = vec![
        Figure::new(format!("{name} (middle of 3): wall"), beside.median(|round| round.0), "s", Bar::None),
        Figure::new(
            format!("{name} (middle of 3): wall over bare loop"),
            beside.median(|round| round.0 / round.1),
            "x",
            Bar::AtMost(1.20),
        ),
    ];
    let bare = beside.median(|round| round.1);
    let shared = workers(bench, &mock, &calls, &database("workers"));
    figures.push(Figure::new(format!("{name}, {N_WORKERS} workers: wall"), shared, "s", Bar::None));
    figures.push(Figure::new(
        format!("{name}, {N_WORKERS} workers: wall over bare loop"),
        shared / bare,
        "x",
        Bar::None,
    ));
    let calls = Calls { n: 40_000 / bench.scale, in_flight: 256, rounds: 3, preload: None };
    let mock = Mock::start(&bench.folder, "0ms");
    let beside = bench.beside_bare_loop_on(&mock, &calls, &|round| database(&format!("instant{round}")));
    let per_second = beside.median(|round| calls.n as f64 / round.0);
    figures.push(Figure::new("PostgreSQL, 0 ms judge: calls per second", per_second, "/s", Bar::None));
    figures
}

/// The time of a run that several processes share.
fn workers(bench: &Bench, mock: &Mock, calls: &Calls, store: &str) -> f64 {
    let n_cases = calls.n / CALLS_PER_CASE;
    wall(&mut bench.run(mock, calls, &bench.cases_in(n_cases..n_cases + 1), store));
    let cases = bench.cases(n_cases);
    let started = Instant::now();
    let workers: Vec<_> = (0..N_WORKERS)
        .map(|_| {
            bench
                .run(mock, calls, &cases, store)
                .stdout(Stdio::null())
                .spawn()
                .expect("the program can be started")
        })
        .collect();
    for mut worker in workers {
        assert!(worker.wait().expect("the program can be waited for").success());
    }
    started.elapsed().as_secs_f64()
}

/// From the start of the process to the first byte of its first request, for ten new cases on a record of a million
/// attempts.
pub(crate) fn first_call(bench: &Bench) -> Vec<Figure> {
    let name = "PostgreSQL, first call of ten cases";
    let Some(server) = PrivateServer::with(Syncs::Always) else {
        return vec![Figure::skipped(name, "it is not installed", Bar::AtMost(100.0))];
    };
    server.sql("postgres", "CREATE DATABASE large");
    let (n, store) = (ATTEMPTS / bench.scale, server.address("large"));
    let n_run = ATTEMPTS_RUN.min(n);
    let mock = Mock::start(&bench.folder, "0ms");
    let calls = Calls { n: n_run, in_flight: 256, rounds: 1, preload: None };
    wall(&mut bench.run(&mock, &calls, &bench.cases(n_run / CALLS_PER_CASE), &store));
    copy_rows(&server, n / n_run - 1);
    let size = server.sql("large", "SELECT pg_database_size('large')").parse().unwrap_or(0.0);
    let found = waited(bench, |_| PathBuf::from(&store));
    vec![
        Figure::new(format!("{name}, record of {n} attempts: time"), found.ms, "ms", Bar::AtMost(100.0)),
        Figure::new(format!("{name}, record of {n} attempts: memory"), found.memory_mib, "MiB", Bar::None),
        Figure::new(format!("PostgreSQL, record of {n} attempts: its size"), size / 1e6, "MB", Bar::None),
    ]
}

/// Adds `n_copies` copies of every packet with its attempt, answer and settlement.
fn copy_rows(server: &PrivateServer, n_copies: usize) {
    let script = format!(
        "SET session_replication_role = replica;
        CREATE TEMP TABLE last AS SELECT (SELECT max(id) FROM packet) AS p, (SELECT max(id) FROM attempt) AS a;
        INSERT INTO packet (id, hash, body) SELECT id + turn * p, sha256(convert_to(id || '-' || turn, 'UTF8')), body
            FROM packet, last, generate_series(1, {n_copies}) AS turn;
        INSERT INTO attempt SELECT (r).* FROM (SELECT jsonb_populate_record(attempt, jsonb_build_object(
                'id', attempt.id + turn * a, 'packet', packet + turn * p)) AS r
            FROM attempt, last, generate_series(1, {n_copies}) AS turn WHERE attempt.id <= a) AS copied;
        INSERT INTO answer SELECT attempt + turn * a, raw FROM answer, last, generate_series(1, {n_copies}) AS turn;
        INSERT INTO settlement SELECT (r).* FROM (SELECT jsonb_populate_record(settlement, jsonb_build_object(
                'attempt', attempt + turn * a, 'packet', packet + turn * p)) AS r
            FROM settlement, last, generate_series(1, {n_copies}) AS turn) AS copied;
        SELECT setval(pg_get_serial_sequence('packet', 'id'), (SELECT max(id) FROM packet));
        SELECT setval(pg_get_serial_sequence('attempt', 'id'), (SELECT max(id) FROM attempt));"
    );
    server.sql("large", &script);
    server.sql("large", "VACUUM ANALYZE");
}
