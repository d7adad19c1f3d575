//! Where and how large a job is, what it reads, and how it stands beside a bare loop.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::bare_loop;
use crate::child::{Mock, probity, wall};

/// Criteria of the default rubric, so calls per case.
pub(crate) const CALLS_PER_CASE: usize = 2;

/// Where and how large.
pub(crate) struct Bench {
    pub(crate) folder: PathBuf,
    /// Jobs are this many times smaller.
    pub(crate) scale: usize,
}

/// Calls to a judge, and the environment of the process that makes them.
pub(crate) struct Calls {
    pub(crate) n: usize,
    pub(crate) in_flight: usize,
    /// How often the program and the bare loop are measured.
    pub(crate) rounds: usize,
    /// A library that is loaded before the C library of the program.
    pub(crate) preload: Option<PathBuf>,
}

/// The model is named: without a name one more request asks which there are.
const SETTINGS: &str = "[judges.openai]\nmodel = \"mock-judge\"\n";

impl Bench {
    /// Jobs of this scale in `folder`.
    pub(crate) fn new(folder: &Path, scale: usize) -> Bench {
        std::fs::write(folder.join("probity.toml"), SETTINGS).expect("the settings can be written");
        Bench { folder: folder.to_owned(), scale }
    }

    /// A file of `n` cases, each different.
    pub(crate) fn cases(&self, n: usize) -> PathBuf {
        self.cases_in(0..n)
    }

    /// A file of the cases with these numbers.
    pub(crate) fn cases_in(&self, numbers: Range<usize>) -> PathBuf {
        let path = self.folder.join(format!("cases-{}-{}.jsonl", numbers.start, numbers.end));
        if path.exists() {
            return path;
        }
        let mut text = String::new();
        for i in numbers {
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

    /// The program and the bare loop make the same calls in turns, each time with a record in which the judge has
    /// answered about one other case: the first call to a judge that is new to a record is awaited alone.
    pub(crate) fn beside_bare_loop(&self, mock: &Mock, calls: &Calls) -> Beside {
        self.beside_bare_loop_on(mock, calls, &|round| format!("{}-{round}.db", mock.name()))
    }

    /// The same with the records at these addresses.
    pub(crate) fn beside_bare_loop_on(
        &self,
        mock: &Mock,
        calls: &Calls,
        store: &dyn Fn(usize) -> String,
    ) -> Beside {
        let body = self.body();
        let rounds = (0..calls.rounds).map(|round| {
            let bare = bare_loop::wall(&mock.url, &body, calls.n, calls.in_flight);
            let store = store(round);
            let n_cases = calls.n / CALLS_PER_CASE;
            wall(&mut self.run(mock, calls, &self.cases_in(n_cases..n_cases + 1), &store));
            let ours = wall(&mut self.run(mock, calls, &self.cases(n_cases), &store));
            (ours.as_secs_f64(), bare.as_secs_f64())
        });
        Beside { rounds: rounds.collect() }
    }

    pub(crate) fn run(&self, mock: &Mock, calls: &Calls, cases: &Path, store: &str) -> Command {
        let mut command = probity(&self.folder);
        command.arg("run").arg(cases).args(["--base-url", &mock.url, "--quiet"]);
        command.args(["--concurrency", &calls.in_flight.to_string(), "--store", store]);
        command.envs(calls.preload.iter().map(|library| ("LD_PRELOAD", library)));
        command
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
pub(crate) struct Beside {
    /// The program's time and the bare loop's, in seconds.
    rounds: Vec<(f64, f64)>,
}

impl Beside {
    /// The middle of what `of` makes of the rounds.
    pub(crate) fn median(&self, of: impl Fn(&(f64, f64)) -> f64) -> f64 {
        let mut values: Vec<f64> = self.rounds.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }

    /// The shortest time of the program over the shortest of the bare loop.
    pub(crate) fn best_over_best(&self) -> f64 {
        let best = |of: fn(&(f64, f64)) -> f64| self.rounds.iter().map(of).fold(f64::INFINITY, f64::min);
        best(|round| round.0) / best(|round| round.1)
    }
}
