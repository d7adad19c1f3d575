//! Many workers on one PostgreSQL record: killed, stopped for longer than their lease, their server stopped as if it had
//! crashed, their connections cut while a COMMIT is answered, and a pooler in between.
//!
//! The judge's own ledger is the witness. `PROBITY_FLEET_KILLS=500` asks for more kills than the few of an ordinary run,
//! which `cargo xtask fleet --long` does.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::ledger::{Judge, number};
use super::record::Record;
use super::scene::{QUICK, Scene, assert_same, cases};
use super::series::comparable;
use crate::pooler::{CuttingProxy, Pooler};
use crate::support::{PrivateServer, Shutdown};

/// Workers at a time.
const N_WORKERS: usize = 6;

/// Calls in flight, of all workers together.
const CONCURRENCY: usize = 48;

/// What a worker lives without being heard.
const LEASE: Duration = Duration::from_secs(2);

/// A fleet that takes longer than this hangs, per kill.
const PATIENCE_PER_KILL: Duration = Duration::from_secs(12);

const PRICE: &str = "[prices.\"gpt-4o-mini\"]\ninput_usd_per_mtok = 1\noutput_usd_per_mtok = 1\n";

fn n_kills(few: usize) -> usize {
    std::env::var("PROBITY_FLEET_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(few)
}

/// What was done to a fleet.
#[derive(Debug, Default)]
struct Harm {
    kills: usize,
    stops: usize,
    server_crashes: usize,
    ended_by_themselves: usize,
}

struct Fleet {
    server: PrivateServer,
    scene: Scene,
    judge: Judge,
    n_cases: usize,
    arguments: Vec<String>,
    workers: Vec<Child>,
}

impl Fleet {
    /// A fleet over `n_cases`, each asked about twice, whose workers reach the record at `address` of the server.
    fn new(n_cases: usize, address: impl FnOnce(&PrivateServer) -> String) -> Option<Fleet> {
        let server = PrivateServer::start()?;
        server.sql("postgres", "CREATE DATABASE probity");
        let judge = Judge::sound(120, 7);
        let settings = format!("{QUICK}{PRICE}[store]\nlease_seconds = {}\n", LEASE.as_secs());
        let scene = Scene::new(cases(n_cases), &judge.base_url()).settings(&settings).on(&address(&server));
        let arguments = vec!["--concurrency".to_owned(), CONCURRENCY.to_string()];
        Some(Fleet { server, scene, judge, n_cases, arguments, workers: Vec::new() })
    }

    fn n_packets(&self) -> usize {
        2 * self.n_cases
    }

    fn start_worker(&mut self) {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let mut command = self.scene.command(&arguments);
        let worker = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts");
        self.workers.push(worker);
    }

    /// Harms the fleet until it has been killed `n_kills` times or is done.
    fn attack(&mut self, n_kills: usize, n_crashes: usize) -> Harm {
        let (mut harm, began) = (Harm::default(), Instant::now());
        let mut stopped: Vec<(Instant, u32)> = Vec::new();
        for _ in 0..N_WORKERS {
            self.start_worker();
        }
        for turn in 0_u64.. {
            assert!(
                began.elapsed() < PATIENCE_PER_KILL * u32::try_from(n_kills + 4).expect("few"),
                "{harm:?}"
            );
            sleep(Duration::from_millis(120 + number((turn, "pause")) % 300));
            stopped.retain(|(until, process)| {
                let is_over = Instant::now() > *until;
                if is_over {
                    signal(*process, "-CONT");
                }
                !is_over
            });
            harm.ended_by_themselves += self.reap();
            if self.n_settled() >= self.n_packets() || harm.kills >= n_kills {
                break;
            }
            while self.workers.len() < N_WORKERS {
                self.start_worker();
            }
            let at = usize::try_from(number((turn, "victim")) % 6).expect("below six");
            match number((turn, "harm")) % 10 {
                0 if harm.server_crashes < n_crashes
                    && harm.kills > harm.server_crashes * n_kills / n_crashes.max(1) =>
                {
                    self.server.stop(Shutdown::Immediate);
                    sleep(Duration::from_millis(300));
                    self.server.run();
                    harm.server_crashes += 1;
                }
                1 | 2 => {
                    let process = self.workers[at].id();
                    signal(process, "-STOP");
                    stopped.push((Instant::now() + LEASE + LEASE / 2, process));
                    harm.stops += 1;
                }
                _ => {
                    let mut worker = self.workers.remove(at);
                    worker.kill().expect("it is a child");
                    worker.wait().expect("it is a child");
                    harm.kills += 1;
                }
            }
        }
        for (_, process) in stopped {
            signal(process, "-CONT");
        }
        harm
    }

    /// Removes workers that have ended, and returns how many there were.
    fn reap(&mut self) -> usize {
        let n_before = self.workers.len();
        self.workers.retain_mut(|worker| worker.try_wait().expect("it is a child").is_none());
        n_before - self.workers.len()
    }

    fn n_settled(&self) -> usize {
        let made = self.server.sql("probity", "SELECT to_regclass('settlement') IS NOT NULL");
        if made != "t" {
            return 0;
        }
        self.server.sql("probity", "SELECT count(*) FROM settlement").parse().expect("a number")
    }

    /// Waits for the workers that are left.
    fn end(&mut self) {
        let began = Instant::now();
        while !self.workers.is_empty() {
            assert!(began.elapsed() < Duration::from_mins(4), "{} workers hang", self.workers.len());
            self.reap();
            sleep(Duration::from_millis(50));
        }
    }

    fn record(&self) -> Record {
        const ATTEMPTS: &str =
            "SELECT json_build_object('id', attempt.id, 'body', packet.body, 'state', state,
            'outcome', outcome) FROM attempt JOIN packet ON packet.id = attempt.packet";
        const SETTLED: &str =
            "SELECT json_build_object('body', packet.body, 'text', coalesce(verdict, reason))
            FROM settlement JOIN packet ON packet.id = settlement.packet";
        Record::told(&self.server.sql("probity", ATTEMPTS), &self.server.sql("probity", SETTLED))
    }

    /// No call is unlisted, packet by packet, and what workers counted is what there is. Tells the counts.
    fn audit(&self, harm: &Harm) -> Record {
        let record = self.record();
        let (mut n_received, mut n_superseded) = (0, 0);
        for (asked, received) in self.judge.counts() {
            let listed = record.n_ended(&asked) + record.n_lost(&asked);
            assert!(received <= listed, "{asked:?}: {received} calls were received, {listed} are on record");
            n_received += received;
            n_superseded += record.n_ended(&asked).saturating_sub(1);
        }
        let n_lost: usize = record.lost.values().sum();
        println!(
            "{harm:?}: settled {}, received {n_received}, ended {}, lost and listed {n_lost}, ended beyond one a packet \
             {n_superseded}",
            record.settled.len(),
            record.ended.len()
        );
        let counted = "SELECT count(*) FROM (SELECT worker.id FROM worker LEFT JOIN attempt ON attempt.worker = worker.id
            AND attempt.state <> 'in_flight' GROUP BY worker.id, worker.calls
            HAVING worker.calls <> count(attempt.id)) AS wrong";
        assert_eq!(self.server.sql("probity", counted), "0", "workers counted what they did");
        record
    }

    /// The run is completed by one more worker, and its results are those of an undisturbed run on a file.
    fn complete(&mut self, harm: &Harm) {
        self.end();
        // The last of the dead are listed by then.
        sleep(LEASE + LEASE / 2);
        self.scene.run(&["--concurrency", "16"]).code(0);
        let record = self.audit(harm);
        assert_eq!(record.settled.len(), self.n_packets());
        assert_eq!(record.in_flight.len(), 0);
        let judge = Judge::sound(2, 0);
        let undisturbed = Scene::new(cases(self.n_cases), &judge.base_url());
        undisturbed.run(&[]).code(0);
        let results = |scene: &Scene| comparable(&scene.results_bytes().expect("there are results"));
        assert_same(&results(&self.scene), &results(&undisturbed), "results after the attack");
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}

fn signal(process: u32, signal: &str) {
    let _ = Command::new("kill").args([signal, &process.to_string()]).stderr(Stdio::null()).status();
}

#[test]
fn k01_k02_k04_workers_and_their_server_are_killed() {
    let n_kills = n_kills(8);
    let Some(mut fleet) = Fleet::new(40 + 25 * n_kills, |server| server.address("probity")) else { return };
    let harm = fleet.attack(n_kills, 1 + n_kills / 50);
    fleet.complete(&harm);
}

#[test]
fn k16_a_budget_is_one_for_all_workers() {
    let n_kills = n_kills(5);
    let n_cases = 20 + 12 * n_kills;
    let Some(mut fleet) = Fleet::new(n_cases, |server| server.address("probity")) else { return };
    let max = n_cases;
    fleet.arguments.extend(["--max-calls".to_owned(), max.to_string()]);
    let harm = fleet.attack(n_kills, 0);
    fleet.end();
    sleep(LEASE + LEASE / 2);
    fleet.scene.run(&["--concurrency", "16"]).code(3);
    let record = fleet.audit(&harm);
    let n_charged = record.ended.len() + record.lost.values().sum::<usize>();
    println!("limit {max}, charged {n_charged}, received {}", fleet.judge.n_requests());
    assert!(n_charged <= max && fleet.judge.n_requests() <= max);
    assert!(n_charged + 1 >= max, "the limit was used up: {n_charged} of {max}");
}

#[test]
fn k05_k06_connections_are_cut_while_a_commit_is_answered() {
    let n_cuts = n_kills(12);
    let mut proxy = None;
    let fleet = Fleet::new(60 + 4 * n_cuts, |server| {
        let cutting = CuttingProxy::before(server.socket(), n_cuts);
        let address = format!("postgres://postgres@127.0.0.1:{}/probity", cutting.port());
        proxy = Some(cutting);
        address
    });
    let Some(mut fleet) = fleet else { return };
    for _ in 0..3 {
        fleet.start_worker();
    }
    fleet.complete(&Harm::default());
    let n_cut = proxy.as_ref().map_or(0, CuttingProxy::n_cut);
    println!("{n_cut} connections were cut at COMMIT");
    assert!(n_cut > 0);
    let n_beyond = fleet.judge.n_requests() - fleet.n_packets();
    assert_eq!(n_beyond, 0, "no packet was paid for twice");
}

#[test]
fn k07_a_pooler_may_hand_each_transaction_to_another_session() {
    let mut pooler = None;
    let fleet = Fleet::new(60, |server| {
        pooler = Pooler::before(server);
        pooler.as_ref().map_or_else(|| server.address("probity"), |pooler| pooler.address("probity"))
    });
    let Some(mut fleet) = fleet else { return };
    for _ in 0..3 {
        fleet.start_worker();
    }
    fleet.complete(&Harm::default());
}

/// Two jobs of a pipeline, on machines of their own, share a record: the second pays for nothing.
#[test]
fn a_second_job_pays_for_nothing_that_the_first_has_paid() {
    let Some(fleet) = Fleet::new(20, |server| server.address("probity")) else { return };
    fleet.scene.run(&[]).code(0);
    let n_paid = fleet.judge.n_requests();
    assert_eq!(n_paid, fleet.n_packets());
    let second = Scene::new(cases(20), &fleet.judge.base_url())
        .settings(&format!("{QUICK}{PRICE}"))
        .on(&fleet.server.address("probity"));
    second.run(&[]).code(0);
    assert_eq!(fleet.judge.n_requests(), n_paid, "everything was on record");
    assert_same(&second.results_text(), &fleet.scene.results_text(), "results of both jobs");
}

/// A copy to a file, and back to another database, gives the same bytes.
#[test]
fn the_same_record_gives_the_same_bytes_on_both_engines() {
    let Some(fleet) = Fleet::new(30, |server| server.address("probity")) else { return };
    fleet.scene.run(&[]).code(0);
    fleet.server.sql("postgres", "CREATE DATABASE again");
    let [here, again] = ["probity", "again"].map(|database| fleet.server.address(database));
    let file = fleet.scene.path("copy.db").display().to_string();
    let copy = |from: &str, to: &str| fleet.scene.args(["store", "copy", from, to]).run().code(0).stdout;
    copy(&here, &file);
    copy(&file, &again);
    assert!(copy(&again, &file).starts_with("0 rows added"), "a copy of a copy adds nothing");
    let reported = |store: &str| {
        let html = "outbox/again.html";
        fleet
            .scene
            .args(["report", "last", "--store", store, "--output", "outbox/again.json", "--report", html])
            .run()
            .code(0);
        (fleet.scene.text("outbox/again.json"), fleet.scene.text(html))
    };
    let want = reported(&here);
    for store in [&file, &again] {
        let got = reported(store);
        assert_same(&got.0, &want.0, store);
        assert_same(&got.1, &want.1, store);
        fleet.scene.args(["store", "check", "--store", store]).run().code(0);
    }
    let told = fleet.scene.args(["store", "stats", "--store", &here]).run().code(0).stdout;
    assert!(told.contains("60 verdicts"), "{told}");
}
