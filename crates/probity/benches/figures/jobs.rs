//! The jobs behind the figures.

use std::fmt::Write as _;
use std::io::Read;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::bare_loop;
use crate::child::{Mock, measure, probity, wall};

/// Criteria of the default rubric, so calls per case.
pub(crate) const CALLS_PER_CASE: usize = 2;

/// How often the program and the bare loop are measured.
const ROUNDS: usize = 5;

/// Where and how large.
pub(crate) struct Bench {
    pub(crate) folder: PathBuf,
    /// Jobs are this many times smaller.
    pub(crate) scale: usize,
}

/// One measured figure with the limit it must keep.
pub(crate) struct Figure {
    pub(crate) what: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    pub(crate) limit: Limit,
}

/// What a figure must keep.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    AtMost(f64),
    AtLeast(f64),
    /// Shown beside the others; nothing is asked of it.
    Shown,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Limit::AtMost(limit) => write!(f, "<= {limit}"),
            Limit::AtLeast(limit) => write!(f, ">= {limit}"),
            Limit::Shown => f.write_str("(shown)"),
        }
    }
}

impl Figure {
    pub(crate) fn new(what: impl Into<String>, value: f64, unit: &'static str, limit: Limit) -> Figure {
        Figure { what: what.into(), value, unit, limit }
    }

    pub(crate) fn is_met(&self) -> bool {
        match self.limit {
            Limit::AtMost(limit) => self.value <= limit,
            Limit::AtLeast(limit) => self.value >= limit,
            Limit::Shown => true,
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "what": self.what,
            "value": self.value,
            "unit": self.unit,
            "limit": self.limit.to_string(),
            "met": self.is_met(),
        })
    }
}

impl Bench {
    /// A file of `n` cases, each different.
    pub(crate) fn cases(&self, n: usize) -> PathBuf {
        let path = self.folder.join(format!("cases-{n}.jsonl"));
        if path.exists() {
            return path;
        }
        let mut text = String::new();
        for i in 0..n {
            let ticket =
                format!("Order {i} arrived with a cracked screen and the box was open. What can I do?");
            let reply = format!(
                "I am sorry that order {i} arrived damaged. Please send a photo of the screen and the box; \
                 we ship a replacement within two working days and send you a label for the return."
            );
            let record =
                json!({ "id": format!("case-{i}"), "slice": "damage", "ticket": ticket, "reply": reply });
            writeln!(text, "{record}").expect("writing to a string cannot fail");
        }
        std::fs::write(&path, text).expect("the cases can be written");
        path
    }

    fn run(&self, cases: usize, mock: &Mock, in_flight: usize) -> Command {
        let store = self.folder.join("store.db");
        for suffix in ["", "-wal", "-shm", "-calls", ".lock"] {
            let _ = std::fs::remove_file(self.folder.join(format!("store.db{suffix}")));
        }
        let mut command = probity(&self.folder);
        command.arg("run").arg(self.cases(cases)).args(["--base-url", &mock.url, "--quiet"]);
        command.args(["--concurrency", &in_flight.to_string()]).arg("--store").arg(store);
        command
    }

    /// The times in seconds of the program and of the bare loop, taken in turns.
    fn beside_bare_loop(&self, mock: &Mock, calls: usize, in_flight: usize) -> Beside {
        let body = self.body();
        let rounds = (0..ROUNDS).map(|_| {
            let bare = bare_loop::wall(&mock.url, &body, calls, in_flight);
            let ours = wall(&mut self.run(calls / CALLS_PER_CASE, mock, in_flight));
            (ours.as_secs_f64(), bare.as_secs_f64())
        });
        Beside { rounds: rounds.collect() }
    }

    /// The body that the program would send for one case: the bare loop sends the same.
    fn body(&self) -> String {
        let mut command = probity(&self.folder);
        command.arg("check").arg(self.cases(1)).args(["--show", "--json"]);
        command.args(["--judge", "openai", "--store", "none.db"]);
        let output = command.output().expect("the program can be started");
        let plan: Value = serde_json::from_slice(&output.stdout).expect("check prints JSON");
        plan["requests"][0]["request"].to_string()
    }
}

/// The program and the bare loop, in turns. A machine that is busy with something else for a while is so for both
/// of a round; the longer of the two is less likely to meet no such while at all, so the shortest times alone say less.
struct Beside {
    /// The program's time and the bare loop's, in seconds.
    rounds: Vec<(f64, f64)>,
}

impl Beside {
    /// The middle of what `of` makes of the rounds.
    fn median(&self, of: impl Fn(&(f64, f64)) -> f64) -> f64 {
        let mut values: Vec<f64> = self.rounds.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }

    /// The shortest time of the program over the shortest of the bare loop.
    fn best_over_best(&self) -> f64 {
        let best = |of: fn(&(f64, f64)) -> f64| self.rounds.iter().map(of).fold(f64::INFINITY, f64::min);
        best(|round| round.0) / best(|round| round.1)
    }
}

/// 10,000 calls of 50 ms, 256 in flight, against the bare loop.
pub(crate) fn latency(bench: &Bench) -> Vec<Figure> {
    let (calls, in_flight) = (10_000 / bench.scale, 256);
    let mock = Mock::start(&bench.folder, "50ms");
    let beside = bench.beside_bare_loop(&mock, calls, in_flight);
    let ideal = 0.05 * calls as f64 / in_flight as f64;
    let name = format!("{calls} calls of 50 ms, {in_flight} in flight (middle of {ROUNDS})");
    let (bare, over) = (beside.median(|round| round.1 / ideal), beside.median(|round| round.0 / round.1));
    vec![
        Figure::new(format!("{name}: wall"), beside.median(|round| round.0), "s", Limit::Shown),
        Figure::new(format!("{name}: bare loop over ideal"), bare, "x", Limit::Shown),
        Figure::new(format!("{name}: wall over bare loop"), over, "x", Limit::AtMost(1.10)),
        Figure::new(format!("{name}: best over best"), beside.best_over_best(), "x", Limit::Shown),
    ]
}

/// 20,000 calls of 1 s, 2,000 in flight, against what the latency alone takes.
pub(crate) fn in_flight(bench: &Bench) -> Vec<Figure> {
    let (calls, in_flight) = (20_000 / bench.scale, 2_000 / bench.scale);
    let mock = Mock::start(&bench.folder, "1s");
    let ours = measure(&mut bench.run(calls / CALLS_PER_CASE, &mock, in_flight));
    let ideal = calls as f64 / in_flight as f64;
    let name = format!("{calls} calls of 1 s, {in_flight} in flight");
    vec![
        Figure::new(
            format!("{name}: wall over calls × latency ÷ concurrency"),
            ours.wall.as_secs_f64() / ideal,
            "x",
            Limit::AtMost(1.15),
        ),
        Figure::new(format!("{name}: memory"), ours.memory_mib, "MiB", Limit::AtMost(400.0)),
    ]
}

/// A judge that answers at once: calls per second against the bare loop.
pub(crate) fn throughput(bench: &Bench) -> Vec<Figure> {
    let (calls, in_flight) = (40_000 / bench.scale, 256);
    let mock = Mock::start(&bench.folder, "0ms");
    let beside = bench.beside_bare_loop(&mock, calls, in_flight);
    let name = format!("0 ms judge (middle of {ROUNDS})");
    let per_second = |seconds: f64| calls as f64 / seconds;
    let (ours, bare) =
        (beside.median(|round| per_second(round.0)), beside.median(|round| per_second(round.1)));
    let share = beside.median(|round| round.1 / round.0);
    vec![
        Figure::new(format!("{name}: calls per second"), ours, "/s", Limit::Shown),
        Figure::new(format!("{name}: bare loop"), bare, "/s", Limit::Shown),
        Figure::new(format!("{name}: share of the bare loop"), share, "x", Limit::AtLeast(0.4)),
        Figure::new(format!("{name}: best over best"), 1.0 / beside.best_over_best(), "x", Limit::Shown),
    ]
}

/// From the start of the process to the first byte of the first request, for ten cases.
pub(crate) fn start(bench: &Bench) -> Vec<Figure> {
    let cases = bench.cases(10);
    let times: Vec<f64> = (0..5)
        .map(|_| {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
            let url = format!("http://{}/v1", listener.local_addr().expect("a bound address"));
            let store = bench.folder.join("start.db");
            for suffix in ["", "-wal", "-shm", "-calls", ".lock"] {
                let _ = std::fs::remove_file(bench.folder.join(format!("start.db{suffix}")));
            }
            let started = Instant::now();
            let mut child = probity(&bench.folder)
                .arg("run")
                .arg(&cases)
                .args(["--base-url", &url, "--quiet"])
                .arg("--store")
                .arg(store)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program can be started");
            let (mut connection, _) = listener.accept().expect("the program connects");
            connection.read_exact(&mut [0]).expect("the program sends");
            let taken = started.elapsed();
            child.kill().expect("the program can be ended");
            child.wait().expect("the program can be waited for");
            taken.as_secs_f64() * 1000.0
        })
        .collect();
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    vec![Figure::new("start to first request, 10 cases (best of 5)", best, "ms", Limit::AtMost(30.0))]
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
        Figure::new(format!("{name}: wall"), again.wall.as_secs_f64(), "s", Limit::AtMost(2.0)),
        Figure::new(format!("{name}: memory"), again.memory_mib, "MiB", Limit::AtMost(300.0)),
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
        Figure::new(format!("{name}: replay and page (best of 3)"), with, "s", Limit::AtMost(2.0)),
        Figure::new(format!("{name}: beyond the replay alone"), with - without, "s", Limit::Shown),
        Figure::new(format!("{name}: its size"), page as f64 / 1e6, "MB", Limit::AtMost(5.0)),
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
        Figure::new(format!("{name}: wall"), taken.wall.as_secs_f64(), "s", Limit::Shown),
        Figure::new(format!("{name}: memory"), taken.memory_mib, "MiB", Limit::AtMost(500.0)),
    ]
}
