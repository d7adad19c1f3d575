//! The jobs behind the figures of a run and its report.

use std::path::PathBuf;
use std::process::Command;

use crate::bench::{Bench, Beside, CALLS_PER_CASE, Calls};
use crate::child::{Mock, measure, probity};
use crate::figure::{Bar, Figure};

/// The bar for calls of 50 ms on a disk whose syncs take 5 ms longer.
const SLOW_DISK: Bar = Bar::AtMost(1.25);

/// 2,000 calls of 500 ms, 64 in flight: what a judge takes, and what an account allows.
pub(crate) fn slow_judge(bench: &Bench) -> Vec<Figure> {
    let calls = Calls { n: 2_000 / bench.scale, in_flight: 64, rounds: 3, preload: None };
    beside(bench, "500ms", &calls, Bar::AtMost(1.03))
}

/// 10,000 calls of 50 ms, 256 in flight.
pub(crate) fn fast_judge(bench: &Bench) -> Vec<Figure> {
    let calls = Calls { n: 10_000 / bench.scale, in_flight: 256, rounds: 5, preload: None };
    beside(bench, "50ms", &calls, Bar::AtMost(1.10))
}

/// The same with 5 ms added to every sync of a file.
pub(crate) fn slow_disk(bench: &Bench) -> Vec<Figure> {
    let Some(library) = slow_sync(bench) else {
        let name = "10000 calls of 50ms with 5 ms more for every fsync: wall over bare loop";
        return vec![Figure::skipped(name, "no C compiler, or no Linux", SLOW_DISK)];
    };
    let calls = Calls { n: 10_000 / bench.scale, in_flight: 256, rounds: 3, preload: Some(library) };
    beside(bench, "50ms", &calls, SLOW_DISK)
}

/// The compiled `slow_sync.c`, where it can be had.
fn slow_sync(bench: &Bench) -> Option<PathBuf> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/figures/slow_sync.c");
    let library = bench.folder.join("slow_sync.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-shared", "-fPIC", source, "-ldl", "-o"]).arg(&library);
    let is_compiled = cfg!(target_os = "linux") && compiler.status().is_ok_and(|status| status.success());
    is_compiled.then_some(library)
}

/// Calls that take `latency`, against the bare loop.
fn beside(bench: &Bench, latency: &str, calls: &Calls, bar: Bar) -> Vec<Figure> {
    let mock = Mock::start(&bench.folder, latency);
    let beside = bench.beside_bare_loop(&mock, calls);
    let disk = if calls.preload.is_some() { ", 5 ms more for every fsync" } else { "" };
    let Calls { n, in_flight, rounds, .. } = calls;
    let name = format!("{n} calls of {latency}, {in_flight} in flight{disk} (middle of {rounds})");
    vec![
        Figure::new(format!("{name}: wall"), beside.median(|round| round.0), "s", Bar::None),
        Figure::new(
            format!("{name}: wall over bare loop"),
            beside.median(|round| round.0 / round.1),
            "x",
            bar,
        ),
        Figure::new(format!("{name}: best over best"), beside.best_over_best(), "x", Bar::None),
    ]
}

/// A judge that answers at once: calls per second, each with its intent and its answer on disk.
pub(crate) fn throughput(bench: &Bench) -> Vec<Figure> {
    let calls = Calls { n: 40_000 / bench.scale, in_flight: 256, rounds: 5, preload: None };
    let mock = Mock::start(&bench.folder, "0ms");
    let beside: Beside = bench.beside_bare_loop(&mock, &calls);
    let name = format!("0 ms judge (middle of {})", calls.rounds);
    let per_second = |seconds: f64| calls.n as f64 / seconds;
    let ours = beside.median(|round| per_second(round.0));
    let bare = beside.median(|round| per_second(round.1));
    vec![
        Figure::new(format!("{name}: calls per second"), ours, "/s", Bar::AtLeast(6_000.0)),
        Figure::new(format!("{name}: bare loop"), bare, "/s", Bar::None),
    ]
}

/// 100,000 recorded verdicts read back into a report.
pub(crate) fn replay(bench: &Bench) -> Vec<Figure> {
    let verdicts = 100_000 / bench.scale;
    let cases = bench.cases(verdicts / CALLS_PER_CASE);
    let command = || {
        let mut command = probity(&bench.folder);
        command.arg("run").arg(&cases).args(["--judge", "baseline", "--quiet", "--store", "replay.db"]);
        command.args(["--output", "replay.json"]);
        command
    };
    measure(&mut command());
    let again = measure(&mut command());
    let name = format!("{verdicts} verdicts replayed into a report");
    vec![
        Figure::new(format!("{name}: wall"), again.wall.as_secs_f64(), "s", Bar::AtMost(2.0)),
        Figure::new(format!("{name}: memory"), again.memory_mib, "MiB", Bar::AtMost(300.0)),
    ]
}

/// 10,000 replies with five criteria each, read back and put on a page that opens from disk. What the page adds is less than what
/// another program on the machine does, so the whole command is held to the limit.
pub(crate) fn report(bench: &Bench) -> Vec<Figure> {
    let replies = 10_000 / bench.scale;
    let cases = bench.cases(replies);
    let replay = |more: &[&str]| {
        let mut command = probity(&bench.folder);
        command.arg("run").arg(&cases).args(["--judge", "baseline", "--rubric", "support-gold", "--quiet"]);
        command.args(["--store", "report.db"]).args(more);
        measure(&mut command).wall.as_secs_f64()
    };
    replay(&[]);
    let best = |more: &[&str]| (0..3).map(|_| replay(more)).fold(f64::INFINITY, f64::min);
    let (without, with) = (best(&[]), best(&["--report", "report.html"]));
    let page = std::fs::metadata(bench.folder.join("report.html")).expect("the page is there").len();
    let name = format!("{replies} replies on a page");
    vec![
        Figure::new(format!("{name}: replay and page (best of 3)"), with, "s", Bar::AtMost(2.0)),
        Figure::new(format!("{name}: beyond the replay alone"), with - without, "s", Bar::None),
        Figure::new(format!("{name}: its size"), page as f64 / 1e6, "MB", Bar::AtMost(5.0)),
    ]
}

/// 1,000,000 cases through loading, gate and plan.
pub(crate) fn plan(bench: &Bench) -> Vec<Figure> {
    let n = 1_000_000 / bench.scale;
    let cases = bench.cases(n);
    let mut command = probity(&bench.folder);
    command.arg("check").arg(&cases).args(["--judge", "openai", "--quiet", "--store", "none.db"]);
    let taken = measure(&mut command);
    let name = format!("{n} cases through load, gate and plan");
    vec![
        Figure::new(format!("{name}: wall"), taken.wall.as_secs_f64(), "s", Bar::None),
        Figure::new(format!("{name}: memory"), taken.memory_mib, "MiB", Bar::AtMost(500.0)),
    ]
}
