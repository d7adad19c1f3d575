//! One record for several jobs, machines and rooms: what is on it is paid for once, has the same bytes on both engines,
//! and takes no more rights than the docs say.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;

use super::fleet::Fleet;
use super::ledger::Judge;
use super::scene::{Ended, Scene, assert_same, cases};
use super::series::comparable_but_spending;
use crate::answers::says;
use crate::binary::Probity;
use crate::support::PrivateServer;
use crate::web::Started;

/// Two jobs of a pipeline, on machines of their own, share a record: the second pays for nothing.
#[test]
fn a_second_job_pays_for_nothing_that_the_first_has_paid() {
    let Some(fleet) = Fleet::peaceful(20) else { return };
    fleet.scene.run(&[]).code(0);
    let n_paid = fleet.judge.n_requests();
    assert_eq!(n_paid, fleet.n_packets());
    let second = Scene::new(cases(20), &fleet.judge.base_url()).on(&fleet.server.address("probity"));
    second.run(&[]).code(0);
    assert_eq!(fleet.judge.n_requests(), n_paid, "everything was on record");
    assert_same(&second.results_text(), &fleet.scene.results_text(), "results of both jobs");
}

/// A copy to a file, and back to another database, gives the same bytes.
#[test]
fn the_same_record_gives_the_same_bytes_on_both_engines() {
    let Some(fleet) = Fleet::peaceful(30) else { return };
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

/// K24: of two records that contradict each other, the first one named stands, and each contradiction is listed.
#[test]
fn k24_a_union_lists_what_contradicts_it() {
    let level = Arc::new(AtomicU64::new(2));
    let judge = Judge::with({
        let level = Arc::clone(&level);
        move |_, _| says(&json!({ "score": level.load(Ordering::SeqCst), "reasoning": "so" }).to_string())
    });
    let scene = Scene::new(cases(6), &judge.base_url());
    let run = |scene: Scene| {
        scene.run(&[]).code(0);
        scene
    };
    let scene = run(scene.on("a.db"));
    let results = |scene: &Scene| comparable_but_spending(&scene.results_bytes().expect("there are results"));
    let want = results(&scene);
    level.store(4, Ordering::SeqCst);
    let scene = run(scene.on("b.db"));
    let merge = |words: [&str; 5]| scene.args(["store"]).words(words.into_iter()).run().code(0).stdout;
    let told = merge(["merge", "a.db", "b.db", "--into", "c.db"]);
    assert!(told.contains("12 records left out, because what was there says otherwise"), "{told}");
    let again = merge(["merge", "b.db", "a.db", "--into", "c.db"]);
    assert!(again.starts_with("0 rows added") && again.contains("12 records left out"), "{again}");
    let n_paid = judge.n_requests();
    let scene = run(scene.on("c.db"));
    assert_eq!(judge.n_requests(), n_paid);
    assert_same(&results(&scene), &want, "the first verdicts stand");
}

/// K21: the recipe of the docs, as it stands there.
#[test]
fn k21_the_roles_of_the_docs_are_enough_and_no_more() {
    const DOCS: &str = include_str!("../../../../../docs/postgres.md");
    let Some(server) = PrivateServer::start() else { return };
    let recipe = DOCS.split("```sql\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a recipe");
    let (first, rest) = recipe.split_once("-- in the database:\n").expect("two parts");
    first.split_inclusive(';').for_each(|sql| drop(server.sql("postgres", sql)));
    server.sql("probity", rest);
    server.sql("probity", "CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA public TO reader");
    server.sql(
        "probity",
        "ALTER DEFAULT PRIVILEGES FOR ROLE probity_owner IN SCHEMA public GRANT SELECT ON TABLES TO reader",
    );
    let of = |role: &str| server.address("probity").replace("user=postgres", &format!("user={role}"));
    let judge = Judge::sound(2, 0);
    let worker = Scene::new(cases(3), &judge.base_url()).on(&of("probity"));
    worker.run(&[]).code(4).says(["this role may not create them", "probity store check"]);
    worker.args(["store", "check", "--store", &of("probity_owner")]).run().code(0);
    worker.run(&[]).code(0);
    let reader = Scene::new(cases(3), &judge.base_url()).on(&of("reader"));
    reader.run(&["--offline"]).code(0);
    assert_same(&reader.results_text(), &worker.results_text(), "read by a role that may only read");
    reader.args(["store", "forget", "--case", "case-0000", "--store", &of("reader")]).run().code(4);
    assert_eq!(judge.n_requests(), 6);
}

/// What `openssl` makes of these arguments; `None` where it is not installed.
fn openssl(folder: &Path, arguments: &str) -> Option<()> {
    let mut command = Command::new("openssl");
    let ended = command.args(arguments.split(' ')).current_dir(folder).output().ok()?;
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    Some(())
}

/// A certificate for `name` and its key, by an authority of its own in `ca.pem`.
fn signed(folder: &Path, name: &str) -> Option<[PathBuf; 2]> {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    let end = "-addext basicConstraints=critical,CA:FALSE -addext extendedKeyUsage=serverAuth";
    openssl(folder, &format!("req -x509 {key} -days 2 -subj /CN=authority -keyout ca.key -out ca.pem"))?;
    openssl(
        folder,
        &format!(
            "req -x509 -CA ca.pem -CAkey ca.key {key} -days 2 -subj /CN=server -addext subjectAltName={name} {end} \
             -keyout key.pem -out cert.pem"
        ),
    )?;
    Some(["cert.pem", "key.pem"].map(|name| folder.join(name)))
}

/// K22, K23: TLS has to prove its name to an authority that is trusted, and a password is shown nowhere.
#[test]
fn k22_k23_a_server_proves_its_name_and_passwords_stay_secret() {
    const PASSWORD: &str = "canary-71f0";
    let Some(mut server) = PrivateServer::start() else { return };
    server.sql("postgres", "CREATE DATABASE probity");
    server.sql("probity", &format!("CREATE ROLE ann LOGIN PASSWORD '{PASSWORD}'"));
    server.sql("probity", "GRANT USAGE, CREATE ON SCHEMA public TO ann");
    // An address that no other server listens at.
    let [high, low] = u16::try_from(std::process::id() % 65_000).expect("small").to_be_bytes();
    let at = format!("127.77.{high}.{}", low.max(1));
    let (url, tls) =
        (format!("postgres://ann@{at}/probity"), format!("postgres://ann@{at}/probity?sslmode=require"));
    server.listen(&at, None);
    let judge = Judge::sound(2, 0);
    let scene = |store: &str| Scene::new(cases(2), &judge.base_url()).on(store);
    let shows_nothing = |scene: &Scene, ran: Ended| {
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains(PASSWORD));
        assert!(
            !scene.results_bytes().is_some_and(|bytes| String::from_utf8_lossy(&bytes).contains(PASSWORD))
        );
    };
    scene(&url).run(&[]).code(4).says(["password"]);
    let by_variable = |store: &str| scene(store).variable("PGPASSWORD", PASSWORD);
    let by_file = scene(&url).variable("PGPASSFILE", ".pgpass");
    by_file.write(".pgpass", format!("{at}:*:probity:ann:{PASSWORD}"));
    by_file.run(&[]).code(4).says(["expected mode 0600"]);
    std::fs::set_permissions(by_file.path(".pgpass"), Permissions::from_mode(0o600)).expect("own file");
    let by_program = scene(&url);
    by_program.write("probity.toml", format!("[store]\npassword_command = [\"echo\", \"{PASSWORD}\"]\n"));
    let by_program = by_program.variable("PATH", "/usr/bin:/bin");
    let in_address = scene(&url.replace("ann@", &format!("ann:{PASSWORD}@")));
    for (scene, more) in [
        (by_variable(&url), &[][..]),
        (by_file, &[]),
        (by_program, &["--trust-settings"]),
        (in_address, &["--report", "outbox/report.html"]),
    ] {
        let ran = scene.run(more).code(0);
        shows_nothing(&scene, ran);
    }
    let kept = server
        .sql("probity", "SELECT count(*) FROM run WHERE body || coalesce(invocation, '') LIKE '%canary%'");
    let texts = server.sql("probity", "SELECT count(*) FROM text WHERE body LIKE '%canary%'");
    assert_eq!((kept.as_str(), texts.as_str()), ("0", "0"));
    by_variable(&tls).run(&[]).code(4).says(["TLS"]);
    let folder = tempfile::tempdir().expect("a folder");
    let Some([certificate, key]) = signed(folder.path(), &format!("IP:{at}")) else { return };
    server.listen(&at, Some([&certificate, &key]));
    let trusting = |store: &str| {
        by_variable(store).variable("SSL_CERT_FILE", &folder.path().join("ca.pem").display().to_string())
    };
    trusting(&tls).run(&[]).code(0);
    by_variable(&tls).run(&[]).code(4).says(["certificate"]);
    let [certificate, key] = signed(folder.path(), "DNS:db.example").expect("it is installed");
    server.listen(&at, Some([&certificate, &key]));
    trusting(&tls).run(&[]).code(4).says(["certificate"]);
}

/// K26: two processes serve one queue and one session: an answer that both get is kept once.
#[test]
fn k26_two_rooms_on_one_record_keep_one_label_each() {
    let Some(server) = PrivateServer::start() else { return };
    server.sql("postgres", "CREATE DATABASE rooms");
    let address = server.address("rooms");
    let probity = Probity::new().file("cases.json", cases(4));
    let start = || Started::of(&probity, "review", ["cases.json", "--store", &address, "--overlap", "1"]);
    let first = start();
    // The cookie's name has the port of its room; what it holds is the record's.
    let (session, port) = (first.come_in(), first.port().to_string());
    let session_at = |room: &Started| session.replacen(&port, &room.port().to_string(), 1);
    let rooms = [first, start()];
    let location = |got: &str| {
        let line = got.lines().find_map(|line| line.strip_prefix("location: "));
        line.unwrap_or_else(|| panic!("no way on: {got}")).trim().to_owned()
    };
    let form = "revision=0&note=&level.relevance=3&level.tone=4";
    let mut n_given = 0;
    for turn in 0..20 {
        let room = &rooms[turn % 2];
        let at = location(&room.ask("POST /queues/1/next", &session_at(room), "x=1"));
        if !at.starts_with("/items/") {
            break;
        }
        // The same answer through both rooms.
        for room in &rooms {
            let got = room.ask(&format!("POST {at}/label"), &session_at(room), form);
            assert!(got.starts_with("HTTP/1.1 303"), "{got}");
        }
        n_given += 1;
    }
    let labels = probity.args(["export", "labels", "--store", &address]).run().code(0).stdout;
    assert_eq!((n_given, labels.lines().count()), (4, 8), "{labels}");
    for room in rooms {
        room.end().code(0);
    }
}

/// K12: a record of another version of the program is left alone, and the message says which of the two is older.
#[test]
fn k12_a_record_of_another_version_is_refused_by_its_number() {
    let Some(fleet) = Fleet::peaceful(3) else { return };
    fleet.scene.run(&[]).code(0);
    let n_paid = fleet.judge.n_requests();
    fleet.server.sql("probity", "UPDATE probity_store SET version = 99");
    fleet.scene.run(&[]).code(4).says(["its schema is version 99", "update probity"]);
    fleet.server.sql("probity", "UPDATE probity_store SET version = 1");
    fleet.scene.run(&["--offline"]).code(4).says(["use a new database"]);
    assert_eq!(fleet.judge.n_requests(), n_paid);
}

/// K14: of two runs at the same time that share packets, each pays for what the other has not, and both are complete.
#[test]
fn k14_runs_that_share_packets_pay_for_each_once() {
    let Some(fleet) = Fleet::peaceful(40) else { return };
    let other = Scene::new(cases(60), &fleet.judge.base_url()).on(&fleet.server.address("probity"));
    let started = [&fleet.scene, &other].map(|scene| scene.command(&["--yes"]).spawn().expect("it starts"));
    for mut process in started {
        assert_eq!(process.wait().expect("it ends").code(), Some(0));
    }
    for (scene, n_cases) in [(&fleet.scene, 40), (&other, 60)] {
        assert_eq!(scene.results()["summary"]["scored"], n_cases);
    }
    assert_eq!(fleet.judge.n_requests(), 120, "two packets a case, and none twice");
}

/// K25: a shard is incomplete, shards of files are one record once they are merged, and overlapping ones pay once.
#[test]
fn k25_shards_are_one_record_together() {
    let judge = Judge::sound(2, 0);
    let scene = Scene::new(cases(20), &judge.base_url());
    let shard = |scene: Scene, store: &str, part: &str, code: i32| {
        let scene = scene.on(store);
        scene.run(&["--shard", part]).code(code);
        scene
    };
    let scene = shard(scene, "a.db", "1/3", 3);
    let scene = shard(scene, "b.db", "2/3", 3);
    let scene = shard(scene, "c.db", "3/3", 3);
    assert_eq!(judge.n_requests(), 40, "each packet is in one shard");
    let merge = |stores: &[&str], into: &str| {
        let words = stores.iter().copied().chain(["--into", into]);
        scene.args(["store", "merge"]).words(words).run().code(0);
    };
    merge(&["a.db", "c.db"], "two.db");
    merge(&["a.db", "b.db", "c.db"], "all.db");
    let scene = scene.on("two.db");
    scene.run(&["--offline"]).code(3);
    let scene = scene.on("all.db");
    scene.run(&["--offline"]).code(0);
    assert_eq!(scene.results()["summary"]["scored"], 20);
    let scene = shard(scene, "all.db", "1/2", 0);
    assert_eq!(judge.n_requests(), 40, "shards that overlap ask for nothing again");
    drop(scene);
}

/// K28: reports and the upkeep of the record stop no worker.
#[test]
fn k28_reports_and_upkeep_beside_a_run() {
    let Some(fleet) = Fleet::peaceful(60) else { return };
    let address = fleet.server.address("probity");
    let mut run = fleet.scene.command(&["--yes", "--concurrency", "4"]).spawn().expect("it starts");
    let mut n_beside = 0;
    while run.try_wait().expect("it is a child").is_none() {
        if fleet.judge.n_requests() > 0 {
            fleet.scene.args(["store", "vacuum", "--store", &address]).run().code(0);
            let words = ["report", "last", "--store", &address, "--output", "outbox/beside.json"];
            let beside = fleet.scene.args(words).run();
            assert!(matches!(beside.code, Some(0 | 3)), "{beside:?}");
            n_beside += 1;
        }
    }
    assert_eq!(run.wait().expect("it ends").code(), Some(0));
    assert!(n_beside > 0, "the run outlasts a report");
    assert_eq!(fleet.judge.n_requests(), fleet.n_packets());
}
