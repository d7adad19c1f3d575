//! What a server and the way to it do to workers: it cannot be reached, has limits, is full, only reads, or lacks what it
//! had committed; and a process that is killed while it makes the tables.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::fleet::{Fleet, Harm, Plan, log};
use super::ledger::Judge;
use super::scene::{Ended, Scene, cases};
use crate::pooler::CuttingProxy;
use crate::skipped;
use crate::support::{PrivateServer, Shutdown};

/// The shortest lease there is.
const LEASE: Duration = Duration::from_secs(1);

/// A trigger that does this before something is settled.
fn before_settling(what: &str) -> String {
    format!(
        "CREATE OR REPLACE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {what}; RETURN NEW; END $$;
        CREATE OR REPLACE TRIGGER stumble BEFORE INSERT ON settlement FOR EACH ROW EXECUTE FUNCTION stumble()"
    )
}

/// K03: nothing is asked for that could not be recorded, and what was in flight is listed by others.
#[test]
fn k03_a_worker_that_is_cut_off_from_the_record_makes_no_further_call() {
    let plan = Plan::peaceful(60).leased(LEASE);
    let Some(mut fleet) = Fleet::new(plan, Judge::sound(400, 7)) else { return };
    let proxy = CuttingProxy::before(fleet.server.socket(), 0);
    fleet.addresses = vec![proxy.address("probity")];
    fleet.arguments = ["--yes", "--concurrency", "8"].map(str::to_owned).into();
    fleet.start_worker();
    fleet.wait_until_settled(10);
    proxy.cut_off();
    // What was on record is sent still, while it is this worker's own.
    sleep(LEASE);
    let (began, n_asked) = (Instant::now(), fleet.judge.n_requests());
    fleet.may_end = vec![4];
    fleet.end();
    assert!(began.elapsed() < LEASE * 10, "{:?}", began.elapsed());
    assert_eq!(fleet.judge.n_requests(), n_asked, "calls that are on no record");
    let said = fleet.scene.text(&log(0));
    assert!(said.contains("the server cannot be reached"), "{said}");
    fleet.complete(&Harm::default());
}

/// K08: what other transactions do is met again and again, up to a bound.
#[test]
fn k08_conflicts_are_tried_again_with_a_bound() {
    let plan = Plan::peaceful(12).leased(LEASE);
    let Some(mut fleet) = Fleet::new(plan, Judge::sound(60, 7)) else { return };
    fleet.scene.args(["store", "check", "--store", &fleet.addresses[0]]).run().code(0);
    let some = "IF nextval('met') <= 9 THEN RAISE EXCEPTION 'met' USING ERRCODE =
        (ARRAY['40001', '40P01', '55P03'])[1 + currval('met') % 3]; END IF";
    fleet.server.sql("probity", &format!("CREATE SEQUENCE met; {}", before_settling(some)));
    fleet.start_worker();
    fleet.complete(&Harm::default());
    assert_eq!(fleet.judge.n_requests(), fleet.n_packets(), "nothing was asked for twice");
    let n_met: u32 = fleet.server.sql("probity", "SELECT last_value FROM met").parse().expect("a number");
    assert!(n_met > 9, "{n_met}");
    let always = before_settling("RAISE EXCEPTION 'met' USING ERRCODE = '40001'");
    fleet.server.sql("probity", &always);
    fleet.scene.write("cases.json", cases(14));
    fleet.scene.run(&[]).code(4).says(["other programs keep it busy"]);
    fleet.server.sql("probity", "DROP TRIGGER stumble ON settlement");
    fleet.scene.run(&[]).code(0);
    fleet.audit(&Harm::default());
}

/// K09: limits in time that the server has.
#[test]
fn k09_limits_of_the_server_in_time_are_named_and_leave_no_half_state() {
    let plan = Plan::peaceful(4).leased(LEASE);
    let Some(fleet) = Fleet::new(plan, Judge::sound(60, 7)) else { return };
    fleet.scene.run(&["--limit", "1"]).code(0);
    let set = |what: &str| drop(fleet.server.sql("probity", &format!("ALTER DATABASE probity {what}")));
    fleet.server.sql("probity", &before_settling("PERFORM pg_sleep(0.4)"));
    set("SET statement_timeout = '100ms'");
    fleet.scene.run(&[]).code(4).says(["the server's statement_timeout ended it"]);
    assert_eq!(fleet.n_settled(), 2, "a batch is there as a whole or not at all");
    set("RESET statement_timeout");
    fleet.server.sql("probity", "DROP TRIGGER stumble ON settlement");
    // Shorter than what lies between two statements of a report.
    set("SET idle_in_transaction_session_timeout = '1ms'");
    fleet.scene.run(&["--report", "outbox/report.html"]).code(0);
    fleet.audit(&Harm::default());
    assert_eq!(fleet.n_settled(), fleet.n_packets());
}

/// K09: a server that takes no further connection is waited for.
#[test]
fn k09_a_server_with_all_its_connections_taken_is_waited_for_with_a_bound() {
    let Some(fleet) = Fleet::peaceful(2) else { return };
    fleet.scene.run(&["--limit", "1"]).code(0);
    for role in ["never", "later"] {
        fleet.server.sql(
            "probity",
            &format!(
                "CREATE ROLE {role} LOGIN CONNECTION LIMIT 0; GRANT ALL ON ALL TABLES IN SCHEMA public TO {role};
                GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {role}"
            ),
        );
    }
    let start = |role: &str| {
        let address = fleet.server.address("probity").replace("user=postgres", &format!("user={role}"));
        fleet.scene.command_on(&address, &["--yes"]).spawn().expect("it starts")
    };
    let [never, later] = ["never", "later"].map(start);
    sleep(Duration::from_millis(600));
    fleet.server.sql("probity", "ALTER ROLE later CONNECTION LIMIT -1");
    Ended::after(later).code(0);
    assert_eq!((fleet.n_settled(), fleet.judge.n_requests()), (4, 4));
    Ended::after(never).code(4).says(["as many connections as it allows (max_connections)", "never"]);
}

/// K10: a server that only reads is said to, and reports work on it.
#[test]
fn k10_a_standby_is_read_and_not_written() {
    let Some(mut server) = PrivateServer::start() else { return };
    server.sql("postgres", "CREATE DATABASE probity");
    let (judge, address) = (Judge::sound(2, 0), server.address("probity"));
    let [known, more] = [3, 5].map(|n| Scene::new(cases(n), &judge.base_url()).on(&address));
    known.run(&[]).code(0);
    server.stop(Shutdown::Fast);
    server.stand_by();
    server.run();
    more.run(&[]).code(4).says(["it is read-only"]);
    known.run(&["--offline"]).code(0);
    known.args(["report", "last", "--store", &address, "--output", "outbox/again.json"]).run().code(0);
    assert_eq!(judge.n_requests(), 6, "what cannot be recorded is not asked for");
    server.stop(Shutdown::Fast);
    server.lead();
    server.run();
    more.run(&[]).code(0);
    assert_eq!(judge.n_requests(), 10);
}

/// K10: the numbers of calls that a server has forgotten are given to others, so a worker from before must not go on.
#[test]
fn k10_after_a_failover_that_lost_commits_what_is_missing_is_asked_again() {
    let plan = Plan::peaceful(120).leased(Duration::from_secs(2));
    let Some(mut fleet) = Fleet::new(plan, Judge::sound(300, 7)) else { return };
    fleet.arguments = ["--yes", "--concurrency", "12"].map(str::to_owned).into();
    fleet.start_worker();
    fleet.wait_until_settled(10);
    fleet.server.stop(Shutdown::Fast);
    fleet.server.keep_copy();
    fleet.server.run();
    let n_kept = fleet.n_settled();
    fleet.wait_until_settled(n_kept + 40);
    fleet.server.stop(Shutdown::Immediate);
    fleet.server.go_back_to_copy();
    fleet.server.run();
    let before = fleet.record();
    fleet.may_end = vec![4];
    fleet.end();
    let said = fleet.scene.text(&log(0));
    assert!(said.contains("lacks what it had committed"), "{said}");
    fleet.scene.run(&["--concurrency", "48"]).code(0);
    let after = fleet.record();
    after.keeps(&before);
    assert_eq!((after.settled.len(), after.in_flight.len()), (fleet.n_packets(), 0));
    assert!(fleet.judge.n_requests() >= fleet.n_packets() + 40, "what was missing was asked again");
}

/// A small disk, until it is dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None` where this user may not have one.
    fn new() -> Option<SmallDisk> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=24m,mode=0777", "probity-test"]).arg(folder.path());
        mount.output().is_ok_and(|ended| ended.status.success()).then_some(SmallDisk(folder))
    }

    /// Takes its room but for so many bytes.
    fn fill(&self, n_left: usize) {
        let ballast = self.0.path().join("ballast");
        let filled = std::fs::File::create(&ballast)
            .and_then(|mut file| std::io::copy(&mut std::io::repeat(1), &mut file));
        assert!(filled.is_err(), "it is full");
        let file = std::fs::File::options().write(true).open(&ballast).expect("own file");
        let n_bytes = file.metadata().expect("own file").len();
        file.set_len(n_bytes - n_left as u64).expect("own file");
    }

    /// Gives its room back.
    fn clear(&self) {
        std::fs::remove_file(self.0.path().join("ballast")).expect("own file");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

/// K10: the disk of the server is full.
#[test]
fn k10_a_server_without_room_is_said_and_can_be_gone_on_with() {
    let Some(disk) = SmallDisk::new() else {
        skipped("the disk of a server that is full", "this user may not mount a small one");
        return;
    };
    let plan = Plan::peaceful(150).leased(LEASE);
    let Some(fleet) = Fleet::new(plan, Judge::sound(2, 0)) else { return };
    let at = disk.0.path().join("tables");
    std::fs::create_dir(&at).expect("own folder");
    if let Some((uid, gid)) = fleet.server.user() {
        for folder in [disk.0.path(), &at] {
            std::os::unix::fs::chown(folder, Some(uid), Some(gid)).expect("root may do that");
        }
    }
    let small = format!("CREATE TABLESPACE small LOCATION '{}'", at.display());
    fleet.server.sql("postgres", &small);
    fleet.server.sql("postgres", "ALTER DATABASE probity SET TABLESPACE small");
    fleet.scene.run(&["--limit", "5"]).code(0);
    disk.fill(100_000);
    fleet.scene.run(&[]).code(4).says(["the disk is full"]);
    let before = fleet.record();
    assert!(before.settled.len() < fleet.n_packets());
    disk.clear();
    fleet.scene.run(&[]).code(0);
    fleet.audit(&Harm::default()).keeps(&before);
    assert_eq!(fleet.n_settled(), fleet.n_packets());
    drop(fleet);
}

/// K13: the tables are made as a whole or not at all.
#[test]
fn k13_tables_that_a_killed_process_was_making_are_made_by_the_next() {
    let Some(fleet) = Fleet::peaceful(2) else { return };
    let server = &fleet.server;
    // A table of another session, with the name of the last one, is waited for.
    let held = "BEGIN; CREATE TABLE door_act (id BIGINT); SELECT pg_sleep(60)";
    let mut holder = server.begin_sql("probity", held);
    let wait_for = |what: &str, condition: &str| {
        let began = Instant::now();
        let sql =
            format!("SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = 'probity' AND {condition}");
        while server.sql("postgres", &sql) != "t" {
            assert!(began.elapsed() < Duration::from_secs(20), "{what}");
            sleep(Duration::from_millis(20));
        }
    };
    wait_for("the other session sleeps", "wait_event = 'PgSleep'");
    let mut maker = fleet.scene.command(&["--yes"]).spawn().expect("it starts");
    wait_for("the tables are half made", "wait_event_type = 'Lock'");
    maker.kill().expect("it is a child");
    maker.wait().expect("it is a child");
    server
        .sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'probity'");
    holder.wait().expect("it is a child");
    let made = server.sql("probity", "SELECT version FROM probity_store");
    assert_eq!((made.as_str(), fleet.n_settled()), ("0", 0), "nothing is there by halves");
    assert_eq!(server.sql("probity", "SELECT to_regclass('judge') IS NULL"), "t");
    fleet.scene.run(&[]).code(0);
    assert_eq!(fleet.judge.n_requests(), 4);
}
