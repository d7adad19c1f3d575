//! One set of cases, killed and resumed as often as a test likes, and what must hold after each kill.
//!
//! The judge's ledger and a copy of the store are compared after every kill, and in the end the results are
//! compared with those of a run that nobody interrupted, byte for byte.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::ledger::{Asked, Judge};
use super::record::Record;
use super::scene::{Ended, Scene, assert_same, cases};

/// Cases in a set; each is asked about twice, once per criterion.
pub(crate) const N_CASES: usize = 24;

/// Packets in a set.
pub(crate) const N_PACKETS: usize = 2 * N_CASES;

/// Calls in flight.
pub(crate) const CONCURRENCY: usize = 8;

/// Calls on record at most that have not ended: in flight, about to be, or answered and not yet on disk.
pub(crate) const STANDING: usize = 2 * CONCURRENCY + 4;

/// A process that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_mins(1);

/// How a process is ended.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kill {
    /// So many milliseconds after its start.
    AfterMs(u64),
    /// When it has sent so many requests.
    AtRequest(usize),
    /// At the n-th time it reaches the point of this name.
    AtPoint(&'static str, u64),
}

/// What a number of kills came to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    /// Processes that were killed.
    pub(crate) kills: usize,
    /// Requests that the judge received.
    pub(crate) requests: usize,
    /// Calls that the store lists as possibly billed.
    pub(crate) lost: usize,
    /// Requests about a packet beyond its first.
    pub(crate) repeated: usize,
}

impl Tally {
    /// Both together.
    pub(crate) fn plus(self, other: Tally) -> Tally {
        Tally {
            kills: self.kills + other.kills,
            requests: self.requests + other.requests,
            lost: self.lost + other.lost,
            repeated: self.repeated + other.repeated,
        }
    }
}

/// Results and settlements of a run that nobody interrupted.
pub(crate) struct Undisturbed {
    /// The results file.
    pub(crate) results: Vec<u8>,
    /// What stands in the store.
    pub(crate) settled: BTreeMap<Asked, String>,
}

/// The undisturbed run over the cases of every series.
pub(crate) fn undisturbed() -> &'static Undisturbed {
    static UNDISTURBED: OnceLock<Undisturbed> = OnceLock::new();
    UNDISTURBED.get_or_init(|| {
        let judge = Judge::sound(2, 0);
        let scene = Scene::new(cases(N_CASES), &judge.base_url());
        scene.run(&[]).code(0);
        assert_eq!(judge.n_requests(), N_PACKETS);
        Undisturbed {
            results: scene.results_bytes().expect("there are results"),
            settled: scene.record().settled,
        }
    })
}

/// Lines of the results that differ between two runs that came to the same: calls made, calls lost and calls
/// of unknown cost, which tell of interruptions, and the judge's identity, into which the test's port goes.
const DIFFER: [&str; 4] = ["\"calls\":", "\"calls_lost\":", "\"calls_without_cost\":", "\"id\":"];

/// The results without the lines that must differ. Rows of the results are each a line of their own that
/// begins with a brace, so nothing of them is left out.
pub(crate) fn comparable(results: &[u8]) -> String {
    let text = std::str::from_utf8(results).expect("results are UTF-8");
    let differs = |line: &&str| DIFFER.iter().any(|start| line.trim_start().starts_with(start));
    text.split_inclusive('\n').filter(|line| !differs(line)).collect()
}

/// Lines that also differ where a packet was answered twice: what was spent.
const SPENT: [&str; 3] = ["\"input\":", "\"output\":", "\"cost_usd\":"];

/// The comparable lines without what was spent.
pub(crate) fn comparable_but_spending(results: &[u8]) -> String {
    let is_spending = |line: &&str| SPENT.iter().any(|start| line.trim_start().starts_with(start));
    comparable(results).split_inclusive('\n').filter(|line| !is_spending(line)).collect()
}

/// A set of cases under attack.
pub(crate) struct Series {
    /// Where it happens.
    pub(crate) scene: Scene,
    /// Who keeps the ledger.
    pub(crate) judge: Judge,
    /// What the store held after the latest kill.
    pub(crate) record: Record,
    n_disturbed: usize,
}

impl Series {
    /// A fresh set; `seed` decides how long each answer takes.
    pub(crate) fn new(seed: u64) -> Series {
        let judge = Judge::sound(10, seed);
        let scene = Scene::new(cases(N_CASES), &judge.base_url());
        Series { scene, judge, record: Record::default(), n_disturbed: 0 }
    }

    /// The command under attack.
    pub(crate) fn command(&self) -> Command {
        self.scene.command(&["--concurrency", &CONCURRENCY.to_string()])
    }

    /// Starts the command and kills it. Where it ends by itself before, it has to end well.
    pub(crate) fn kill(&mut self, kill: Kill) {
        let mut command = self.command();
        if let Kill::AtPoint(name, turn) = kill {
            command.env("PROBITY_FAULT_POINT", format!("{name}:{turn}"));
        }
        let n_before = self.judge.n_requests();
        let mut child = command.spawn().expect("the binary starts");
        match kill {
            Kill::AfterMs(ms) => sleep(Duration::from_millis(ms)),
            Kill::AtRequest(n) => {
                let started = Instant::now();
                while self.judge.n_requests() < n_before + n && child.try_wait().expect("a child").is_none() {
                    assert!(started.elapsed() < PATIENCE, "it hangs");
                    sleep(Duration::from_micros(300));
                }
            }
            Kill::AtPoint(..) => {}
        }
        if !matches!(kill, Kill::AtPoint(..)) {
            child.kill().expect("a child can be killed");
        }
        self.ended(&Ended::after(child));
    }

    /// Takes in that a process was killed or ended well, and checks what it left.
    #[track_caller]
    pub(crate) fn ended(&mut self, ended: &Ended) {
        match ended.signal {
            Some(9) => self.n_disturbed += 1,
            _ => assert_eq!(ended.code, Some(0), "{ended:?}"),
        }
        self.check();
        if let Some(results) = self.scene.results_bytes() {
            assert_same(&comparable(&results), &comparable(&undisturbed().results), "results are whole");
        }
    }

    /// Takes in that a process met a fault and ended by itself, and checks what it left.
    #[track_caller]
    pub(crate) fn disturbed(&mut self) {
        self.n_disturbed += 1;
        self.check();
        let Some(results) = self.scene.results_bytes() else { return };
        let results: Value = serde_json::from_slice(&results).expect("results are whole or not there");
        let whole: Value = serde_json::from_slice(&undisturbed().results).expect("results");
        let rows = |of: &Value| of["results"].as_array().expect("rows").clone();
        assert_eq!(rows(&results).len(), N_CASES);
        for (row, whole) in rows(&results).iter().zip(rows(&whole)) {
            for criterion in ["relevance", "tone"] {
                let is_scored = !row[criterion]["score"].is_null();
                assert!(!is_scored || row[criterion] == whole[criterion], "{row}");
            }
        }
    }

    #[track_caller]
    fn check(&mut self) {
        // While a store is made, the database keeps a rollback journal.
        let beside = ["store.db", "store.db-journal", "store.db-shm", "store.db-wal", "store.db.lock"];
        let files = self.scene.store_files();
        assert!(files.iter().all(|file| beside.contains(&file.as_str())), "{files:?}");
        let record = self.scene.record();
        record.keeps(&self.record);
        let n_in_flight: usize = record.in_flight.values().sum();
        assert!(n_in_flight <= STANDING, "{n_in_flight} calls were in flight");
        // A worker takes its next packet when the end of its last call is on disk, so the judge's own ledger says
        // from outside how many answers were recorded at the least.
        let counts = self.judge.counts();
        let n_unrecorded = counts.values().sum::<usize>().saturating_sub(record.ended.len());
        assert!(n_unrecorded <= STANDING * self.n_disturbed, "{n_unrecorded} answers are not recorded");
        self.check_paid(&record, &counts);
        self.record = record;
    }

    /// Every call is on record, and none was made again after its answer was.
    #[track_caller]
    fn check_paid(&self, record: &Record, counts: &BTreeMap<Asked, usize>) {
        for (asked, n) in counts {
            let (n_ended, n_lost) = (record.n_ended(asked), record.n_lost(asked));
            assert!(n_ended <= 1, "{asked:?} was asked again although its answer was recorded");
            assert!(*n <= n_ended + n_lost, "{asked:?}: {n} calls, {n_ended} recorded, {n_lost} listed");
            assert!(n_lost <= self.n_disturbed, "{asked:?}: {n_lost} lost in {} processes", self.n_disturbed);
        }
    }

    /// Runs it to its end without disturbance, and compares.
    #[track_caller]
    pub(crate) fn finish(mut self) -> Tally {
        let n_listed: usize = self.record.in_flight.values().sum();
        let ended = Ended::of(self.command()).code(0);
        let listed = format!(
            "{} in flight when an earlier process died",
            probity_core::spelling::counted(n_listed, "call")
        );
        assert_eq!(ended.stderr.contains(&listed), n_listed > 0, "{n_listed} calls: {}", ended.stderr);
        self.ended(&ended);
        assert_eq!(self.record.settled, undisturbed().settled, "the same verdicts stand");
        assert_eq!(self.record.ended.len(), N_PACKETS);
        assert_eq!(self.scene.store_files(), ["store.db", "store.db.lock"], "closed");
        let lost: usize = self.record.lost.values().sum();
        let summary = &self.scene.results()["summary"];
        assert_eq!((&summary["calls_lost"], &summary["calls_without_cost"]), (&lost.into(), &lost.into()));
        assert_eq!(summary["calls"], N_PACKETS + lost);
        let requests = self.judge.n_requests();
        let tally = Tally { kills: self.n_disturbed, requests, lost, repeated: requests - N_PACKETS };
        assert!(tally.repeated <= lost, "{tally:?}");
        assert!(lost <= STANDING * self.n_disturbed, "{tally:?}");
        tally
    }
}
