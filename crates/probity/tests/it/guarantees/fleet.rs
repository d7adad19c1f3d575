//! Many workers on one PostgreSQL record: killed, stopped for longer than their lease, their server stopped as if it had
//! crashed, their connections cut while a COMMIT is under way, and a pooler in between.
//!
//! The judge's own ledger is the witness. `PROBITY_FLEET_HARMS=500` asks for more kills and stops than the few of an
//! ordinary run, which `cargo xtask fleet --long` does.

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::ledger::{Judge, number};
use super::record::Record;
use super::scene::{QUICK, Scene, assert_same, cases};
use super::series::{comparable, comparable_but_spending};
use crate::pooler::{CuttingProxy, Pooler};
use crate::support::{Act, PrivateServer, Shutdown};

/// Workers at a time.
const N_WORKERS: usize = 6;

/// Calls in flight, of all workers together.
const CONCURRENCY: usize = 48;

/// What a worker lives without being heard, where it is harmed; elsewhere it is the lease that everybody has.
const LEASE: Duration = Duration::from_secs(2);
const USUAL_LEASE: Duration = Duration::from_secs(15);

/// A fleet that takes longer than this hangs, per kill or stop.
const PATIENCE_PER_HARM: Duration = Duration::from_secs(12);

const PRICE: &str = "[prices.\"gpt-4o-mini\"]\ninput_usd_per_mtok = 1\noutput_usd_per_mtok = 1\n";

/// How much is done to a fleet, and for how long it has work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// Kills and stops.
    n_harms: usize,
    /// Calls that the judge receives from one of them to the next: fewer than there are to be made in all.
    calls_per_harm: usize,
    n_crashes: usize,
    n_cases: usize,
    /// The longest that the judge takes, in milliseconds.
    ms_max: u64,
    lease: Duration,
}

impl Plan {
    /// So many kills and stops, or as many as the environment asks for. The work outlasts them.
    fn of(few: usize) -> Plan {
        let asked = std::env::var("PROBITY_FLEET_HARMS").ok().and_then(|n| n.parse().ok());
        let n_harms = asked.unwrap_or(few);
        Plan {
            n_harms,
            calls_per_harm: 14,
            n_crashes: 1 + n_harms / 50,
            n_cases: 20 + 10 * n_harms,
            ms_max: if asked.is_some() { 2000 } else { 800 },
            lease: LEASE,
        }
    }

    /// Nothing is done to so many cases.
    pub(super) fn peaceful(n_cases: usize) -> Plan {
        Plan { n_harms: 0, calls_per_harm: 0, n_crashes: 0, n_cases, ms_max: 60, lease: USUAL_LEASE }
    }

    /// The same with this lease.
    pub(super) fn leased(self, lease: Duration) -> Plan {
        Plan { lease, ..self }
    }
}

/// What was done to a fleet.
#[derive(Debug, Default)]
pub(super) struct Harm {
    kills: usize,
    stops: usize,
    server_crashes: usize,
}

/// A worker, which is also a number.
struct Worker {
    n: usize,
    started: Instant,
    process: Child,
}

pub(super) struct Fleet {
    pub(super) server: PrivateServer,
    pub(super) scene: Scene,
    pub(super) judge: Judge,
    plan: Plan,
    pub(super) arguments: Vec<String>,
    /// The environment of the next worker.
    pub(super) variables: Vec<(&'static str, String)>,
    /// Where workers find the record: each takes the next.
    pub(super) addresses: Vec<String>,
    n_started: usize,
    workers: Vec<Worker>,
    /// How workers may end by themselves.
    pub(super) may_end: Vec<i32>,
}

impl Fleet {
    /// A fleet without a worker, over cases that are each asked about twice.
    pub(super) fn new(plan: Plan, judge: Judge) -> Option<Fleet> {
        let server = PrivateServer::start()?;
        server.sql("postgres", "CREATE DATABASE probity");
        let address = server.address("probity");
        let settings = format!("{QUICK}{PRICE}[store]\nlease_seconds = {}\n", plan.lease.as_secs());
        let scene = Scene::new(cases(plan.n_cases), &judge.base_url()).settings(&settings).on(&address);
        let arguments = vec!["--yes".to_owned(), "--concurrency".to_owned(), CONCURRENCY.to_string()];
        let (addresses, workers, may_end) = (vec![address], Vec::new(), vec![0]);
        Some(Fleet {
            server,
            scene,
            judge,
            plan,
            arguments,
            variables: Vec::new(),
            addresses,
            n_started: 0,
            workers,
            may_end,
        })
    }

    /// A fleet for so many cases with a judge that answers.
    pub(super) fn peaceful(n_cases: usize) -> Option<Fleet> {
        Fleet::new(Plan::peaceful(n_cases), Judge::sound(60, 7))
    }

    pub(super) fn n_packets(&self) -> usize {
        2 * self.plan.n_cases
    }

    pub(super) fn start_worker(&mut self) {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let address = &self.addresses[self.n_started % self.addresses.len()];
        let mut command = self.scene.command_on(address, &arguments);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let log = File::create(self.scene.path(&log(self.n_started))).expect("own folder");
        let process = command.stdout(Stdio::null()).stderr(log).spawn().expect("the binary starts");
        self.workers.push(Worker { n: self.n_started, started: Instant::now(), process });
        self.n_started += 1;
    }

    /// Harms the fleet as planned, before it is done.
    fn attack(&mut self) -> Harm {
        let Plan { n_harms, calls_per_harm, n_crashes, .. } = self.plan;
        let (mut harm, began) = (Harm::default(), Instant::now());
        let mut stopped: Vec<(Instant, u32)> = Vec::new();
        // From its start to its first call.
        let mut start = None;
        for turn in 0_u64.. {
            let n_done = harm.kills + harm.stops;
            let patience = PATIENCE_PER_HARM * u32::try_from(n_done + 4).expect("few");
            assert!(began.elapsed() < patience, "{harm:?}");
            assert_eq!(self.reap(), 0, "a worker came to its end after {harm:?}");
            if n_done == n_harms {
                break;
            }
            while self.workers.len() < N_WORKERS {
                self.start_worker();
            }
            sleep(Duration::from_millis(10 + number((turn, "pause")) % 40));
            stopped.retain(|(until, process)| {
                let is_over = Instant::now() > *until;
                if is_over {
                    signal(*process, "-CONT");
                }
                !is_over
            });
            let n_received = self.judge.n_requests();
            if start.is_none() && n_received > 0 {
                start = Some(began.elapsed());
            }
            let is_due = n_received >= n_done * calls_per_harm;
            let Some(at) = start.filter(|_| is_due).and_then(|start| self.victim(turn, start)) else {
                continue;
            };
            if n_done * (n_crashes + 1) >= (harm.server_crashes + 1) * n_harms {
                self.server.stop(Shutdown::Immediate);
                sleep(Duration::from_millis(300));
                self.server.run();
                harm.server_crashes += 1;
            } else if number((turn, "harm")) % 4 == 0 {
                let process = self.workers[at].process.id();
                signal(process, "-STOP");
                stopped.push((Instant::now() + LEASE + LEASE / 2, process));
                harm.stops += 1;
            } else {
                let Worker { mut process, .. } = self.workers.remove(at);
                process.kill().expect("it is a child");
                process.wait().expect("it is a child");
                harm.kills += 1;
            }
        }
        if let Some(latest) = stopped.iter().map(|(until, _)| *until).max() {
            sleep(latest.saturating_duration_since(Instant::now()));
        }
        for (_, process) in stopped {
            signal(process, "-CONT");
        }
        harm
    }

    /// A worker that makes calls by now, where the first one needed so long to `start`.
    fn victim(&self, turn: u64, start: Duration) -> Option<usize> {
        let is_ripe = |at: &usize| self.workers[*at].started.elapsed() > start;
        let ripe: Vec<usize> = (0..self.workers.len()).filter(is_ripe).collect();
        let n_ripe = u64::try_from(ripe.len()).expect("few");
        let at = number((turn, "victim")).checked_rem(n_ripe)?;
        Some(ripe[usize::try_from(at).expect("few")])
    }

    /// Removes workers that have ended by themselves, each as it may, and says how many.
    fn reap(&mut self) -> usize {
        let (may_end, scene, n_before) = (&self.may_end, &self.scene, self.workers.len());
        self.workers.retain_mut(|Worker { n, process, .. }| {
            let Some(status) = process.try_wait().expect("it is a child") else { return true };
            let is_well = status.code().is_some_and(|code| may_end.contains(&code));
            assert!(is_well, "a worker ended with {status}:\n{}", scene.text(&log(*n)));
            false
        });
        n_before - self.workers.len()
    }

    /// Waits until so many packets are settled.
    pub(super) fn wait_until_settled(&self, n: usize) {
        let began = Instant::now();
        while self.n_settled() < n {
            assert!(began.elapsed() < Duration::from_mins(1), "{} are settled", self.n_settled());
            sleep(Duration::from_millis(20));
        }
    }

    pub(super) fn n_settled(&self) -> usize {
        let made = self.server.sql("probity", "SELECT to_regclass('settlement') IS NOT NULL");
        if made != "t" {
            return 0;
        }
        self.server.sql("probity", "SELECT count(*) FROM settlement").parse().expect("a number")
    }

    /// Waits for the workers that are left.
    pub(super) fn end(&mut self) {
        let began = Instant::now();
        while !self.workers.is_empty() {
            assert!(began.elapsed() < Duration::from_mins(20), "{} workers hang", self.workers.len());
            self.reap();
            sleep(Duration::from_millis(50));
        }
    }

    /// What is on record.
    pub(super) fn record(&self) -> Record {
        const ATTEMPTS: &str =
            "SELECT json_build_object('id', attempt.id, 'body', packet.body, 'state', state,
            'outcome', outcome) FROM attempt JOIN packet ON packet.id = attempt.packet";
        const SETTLED: &str =
            "SELECT json_build_object('body', packet.body, 'text', coalesce(verdict, reason))
            FROM settlement JOIN packet ON packet.id = settlement.packet";
        Record::told(&self.server.sql("probity", ATTEMPTS), &self.server.sql("probity", SETTLED))
    }

    /// No call is unlisted, packet by packet, none was paid for twice without a reason on record, and what workers
    /// counted is what there is. Tells the counts.
    pub(super) fn audit(&self, harm: &Harm) -> Record {
        const TWICE: &str =
            "SELECT count(*) FROM (SELECT 1 FROM attempt WHERE state = 'ended' AND superseded = 0
            GROUP BY packet, judge, repeat HAVING count(*) > 1) AS twice";
        const MISCOUNTED: &str =
            "SELECT count(*) FROM (SELECT worker.id FROM worker LEFT JOIN attempt ON attempt.worker = worker.id
            AND attempt.state <> 'in_flight' GROUP BY worker.id, worker.calls
            HAVING worker.calls <> count(attempt.id)) AS wrong";
        let record = self.record();
        let mut n_received = 0;
        for (asked, received) in self.judge.counts() {
            let listed = record.n_ended(&asked) + record.n_lost(&asked);
            assert!(received <= listed, "{asked:?}: {received} calls were received, {listed} are on record");
            n_received += received;
        }
        let n_lost: usize = record.lost.values().sum();
        let n_unsent = record.ended.len() + n_lost - n_received;
        let superseded = "SELECT count(*) FROM attempt WHERE superseded = 1";
        println!(
            "{harm:?}, {} workers: settled {}, received {n_received}, ended {} (superseded {}), lost {n_lost}, listed and \
             never received {n_unsent}",
            self.n_started,
            record.settled.len(),
            record.ended.len(),
            self.server.sql("probity", superseded)
        );
        assert_eq!(self.server.sql("probity", TWICE), "0", "packets were paid for twice");
        assert_eq!(self.server.sql("probity", MISCOUNTED), "0", "workers counted what they did");
        record
    }

    /// The run is completed by one more worker, and its results are those of an undisturbed run on a file.
    pub(super) fn complete(&mut self, harm: &Harm) {
        self.end();
        self.scene.run(&["--yes", "--concurrency", "16"]).code(0);
        let record = self.audit(harm);
        assert_eq!(record.settled.len(), self.n_packets());
        assert_eq!(record.in_flight.len(), 0);
        let judge = Judge::sound(2, 0);
        let undisturbed = Scene::new(cases(self.plan.n_cases), &judge.base_url());
        undisturbed.run(&["--yes"]).code(0);
        // What was spent is the same where no packet was answered twice.
        let is_same = self.judge.n_requests() == self.n_packets();
        let comparable = if is_same { comparable } else { comparable_but_spending };
        let results = |scene: &Scene| comparable(&scene.results_bytes().expect("there are results"));
        assert_same(&results(&self.scene), &results(&undisturbed), "results after the attack");
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for Worker { process, .. } in &mut self.workers {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Where a worker says what it has to say.
pub(super) fn log(n: usize) -> String {
    format!("worker-{n}.log")
}

fn signal(process: u32, signal: &str) {
    let _ = Command::new("kill").args([signal, &process.to_string()]).stderr(Stdio::null()).status();
}

/// A third of the workers reach the server itself, one through a proxy that cuts connections at COMMIT, one through
/// pgbouncer.
#[test]
fn k01_k02_k04_k05_k07_everything_is_done_to_workers_and_their_server() {
    let plan = Plan::of(8);
    let Some(mut fleet) = Fleet::new(plan, Judge::sound(plan.ms_max, 7)) else { return };
    let proxy = CuttingProxy::before(fleet.server.socket(), plan.n_harms);
    let pooler = Pooler::before(&fleet.server);
    fleet.addresses.push(proxy.address("probity"));
    fleet.addresses.extend(pooler.as_ref().map(|pooler| pooler.address("probity")));
    let harm = fleet.attack();
    fleet.complete(&harm);
    println!("{} connections were cut at COMMIT", proxy.n_cut());
}

#[test]
fn k16_a_budget_is_one_for_all_workers() {
    // What is lost is charged too, so that there are fewer calls from one harm to the next.
    let plan = Plan { calls_per_harm: 6, ..Plan::of(5) };
    let Some(mut fleet) = Fleet::new(plan, Judge::sound(plan.ms_max, 7)) else { return };
    // Less than the fleet needs, and more than it is harmed for.
    let max = 2 * plan.n_cases - 10;
    fleet.arguments.extend(["--max-calls".to_owned(), max.to_string()]);
    fleet.may_end = vec![3];
    let harm = fleet.attack();
    fleet.end();
    fleet.scene.run(&["--concurrency", "16"]).code(3);
    let record = fleet.audit(&harm);
    let n_charged = record.ended.len() + record.lost.values().sum::<usize>();
    println!("limit {max}, charged {n_charged}, received {}", fleet.judge.n_requests());
    assert!(n_charged <= max && fleet.judge.n_requests() <= max);
    assert!(n_charged + 1 >= max, "the limit was used up: {n_charged} of {max}");
}

#[test]
fn k05_k06_connections_are_cut_at_commit() {
    let Some(mut fleet) = Fleet::peaceful(60) else { return };
    let proxy = CuttingProxy::before(fleet.server.socket(), 15);
    fleet.addresses = vec![proxy.address("probity")];
    for _ in 0..3 {
        fleet.start_worker();
    }
    fleet.complete(&Harm::default());
    println!("{} connections were cut at COMMIT", proxy.n_cut());
    assert!(proxy.n_cut() > 5);
    assert_eq!(fleet.judge.n_requests(), fleet.n_packets(), "no packet was paid for twice");
}

#[test]
fn k04_a_server_that_stays_away_is_waited_for_with_a_bound() {
    let lease = Duration::from_secs(1);
    let Some(mut fleet) = Fleet::new(Plan { lease, ..Plan::peaceful(60) }, Judge::sound(400, 7)) else {
        return;
    };
    fleet.start_worker();
    while fleet.n_settled() < 10 {
        sleep(Duration::from_millis(20));
    }
    fleet.server.stop(Shutdown::Fast);
    let stopped = Instant::now();
    fleet.may_end = vec![4];
    fleet.end();
    let waited = stopped.elapsed();
    assert!(waited < lease * 10, "{waited:?}");
    let said = fleet.scene.text(&log(0));
    assert!(said.contains("the server cannot be reached") && !said.contains("failed opening"), "{said}");
    fleet.server.run();
    fleet.scene.run(&[]).code(0);
    fleet.audit(&Harm { server_crashes: 1, ..Harm::default() });
}

/// A key that is refused to one worker is refused to all of them: the other stops for the same reason.
#[test]
fn k17_a_refused_key_reaches_the_other_worker() {
    const REFUSED: &str = r#"{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}"#;
    let judge = Judge::with(|asked, request| {
        let is_refused = request.header("authorization") == Some("Bearer refused") && request.number > 20;
        let act = if is_refused {
            Act::respond(401, &[("content-type", "application/json")], REFUSED)
        } else {
            asked.answer()
        };
        Act::After(Duration::from_millis(100), Box::new(act))
    });
    let Some(mut fleet) = Fleet::new(Plan::peaceful(400), judge) else { return };
    fleet.arguments = vec!["--concurrency".to_owned(), "8".to_owned()];
    for key in ["accepted", "refused"] {
        fleet.variables = vec![("OPENAI_API_KEY", key.to_owned())];
        fleet.start_worker();
    }
    fleet.may_end = vec![3];
    fleet.end();
    for n in [0, 1] {
        let said = fleet.scene.text(&log(n));
        assert!(said.contains("does not accept the key"), "{said}");
    }
    assert!(fleet.n_settled() < fleet.n_packets() / 2, "{} were settled", fleet.n_settled());
    // Who tries again is not told what others met before.
    fleet.scene.run(&[]).code(0);
}
