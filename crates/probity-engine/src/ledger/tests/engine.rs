//! The engine that tests run on: SQLite, or a database of a server where `PROBITY_TEST_STORE` names one.
//!
//! The tests of the ledger and the review room are about both. One test starts a server of its own and runs this binary
//! again with its address, for every test that is not about files.

use std::process::Command;

use super::postgres::PrivateServer;
use super::*;

/// The server that tests run on, as an address without a database.
const SERVER: &str = "PROBITY_TEST_STORE";

/// What is about files alone: locks, copies of files, headers, full disks.
const ABOUT_FILES: &[&str] = &[
    "ledger::tests::crash", "ledger::tests::full", "ledger::tests::refuse", "ledger::tests::process",
    "ledger::tests::engine", "review::tests::beside",
];

/// The store that belongs to a folder, on the engine that this run is about.
pub(crate) fn store_in(folder: &Path) -> StoreAddress {
    let Ok(server) = std::env::var(SERVER) else { return StoreAddress::File(folder.join("store.db")) };
    let name: String =
        folder.file_name().unwrap().to_string_lossy().chars().filter(char::is_ascii_alphanumeric).collect();
    let name = format!("t{}", name.to_lowercase());
    let address = |database: &str| {
        let text = format!("postgres:///{database}{server}");
        StoreAddress::parse(&text, &ServerOptions::default()).expect("an address")
    };
    let StoreAddress::Server(admin) = address("postgres") else { panic!("the address of a server") };
    let config = admin.config().expect("no password");
    let connection =
        db::Pg::connect(&config, db::Protection::Local, Duration::from_secs(5)).expect("a server");
    // It is there already where the store is opened again.
    let _ = connection.script(&format!("CREATE DATABASE {name}"));
    address(&name)
}

/// Whether this run is about a server.
pub(crate) fn is_on_server() -> bool {
    std::env::var_os(SERVER).is_some()
}

/// The store at `address` as killed processes leave it: on a server their time is up.
pub(crate) fn killed(address: &StoreAddress) -> (tempfile::TempDir, StoreAddress) {
    match address {
        StoreAddress::File(path) => {
            let (folder, path) = copied(path);
            (folder, StoreAddress::File(path))
        }
        StoreAddress::Server(_) => {
            let store = Store::open_for_review(address).unwrap();
            let expired = store.write_blocking("expiring", |tables| {
                Ok(tables.db.run("UPDATE worker SET until_ms = 0", &[])?)
            });
            expired.unwrap();
            (tempfile::tempdir().unwrap(), address.clone())
        }
    }
}

#[test]
fn everything_holds_on_postgresql_too() {
    if is_on_server() {
        return;
    }
    let Some(server) = PrivateServer::start() else { return };
    let mut tests = Command::new(std::env::current_exe().unwrap());
    tests.args(["ledger::tests::", "review::tests::", "--test-threads", "4"]);
    for about in ABOUT_FILES {
        tests.args(["--skip", about]);
    }
    tests.env(SERVER, format!("?host={}&user=postgres", server.socket().display()));
    let ended = tests.output().unwrap();
    let told = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{told}\n{}", String::from_utf8_lossy(&ended.stderr));
    assert!(told.contains("test result: ok"), "{told}");
}
