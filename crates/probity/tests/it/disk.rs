//! Exit code 4: the store or the disk failed. Nothing is asked that could not be kept.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::answers::{Asked, good, kind_judge, late, tickets, wait_for};
use crate::binary::{Probity, Ran};
use crate::support::ScriptedServer;

fn probity(server: &ScriptedServer) -> Probity {
    Probity::new().file("tickets.json", tickets(2)).server(server)
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
}

#[test]
fn a_store_that_is_something_else() {
    let server = kind_judge();
    let probity = probity(&server).file("notes.txt", "Not a database, just a page of notes about one.");
    probity.run_tickets(["--store", "notes.txt"]).code(4).says(["notes.txt: expected a store"]);
    probity.run_tickets(["--store", "notes.txt", "--offline"]).code(4).says(["notes.txt"]);
    let check = probity.args(["check", "tickets.json", "--store", "notes.txt"]).run();
    check.code(4).says(["notes.txt"]);
    assert_eq!(probity.bytes("notes.txt"), b"Not a database, just a page of notes about one.");
    assert_eq!(server.n_requests(), 0);
}

#[test]
fn a_database_of_another_program() {
    let server = kind_judge();
    let probity = probity(&server);
    let other = rusqlite::Connection::open(probity.path("other.db")).expect("a database");
    other.execute_batch("CREATE TABLE song (title TEXT)").expect("a table");
    drop(other);
    probity.run_tickets(["--store", "other.db"]).code(4).says(["other.db: expected a store"]);
    assert_eq!(server.n_requests(), 0);
}

/// Whether this user may write where nobody may.
fn may_do_everything(probity: &Probity) -> bool {
    std::fs::write(probity.path("locked/probe"), "").is_ok()
}

#[test]
fn a_folder_that_cannot_be_written() {
    let server = kind_judge();
    let probity = probity(&server).file("locked/placeholder", "");
    set_mode(&probity.path("locked"), 0o555);
    if may_do_everything(&probity) {
        // The system's own tables refuse even the superuser.
        probity.run_tickets(["--store", "/proc/store.db"]).code(4);
    } else {
        probity.run_tickets(["--store", "locked/store.db"]).code(4).says(["locked/store.db"]);
    }
    assert_eq!(server.n_requests(), 0);
    set_mode(&probity.path("locked"), 0o755);
}

#[test]
fn a_place_where_no_results_can_be_written() {
    let server = kind_judge();
    let probity = probity(&server).file("file", "");
    let run = |output: &str| probity.args(["run", "tickets.json", "--output", output]).run();
    run("file/out.json").code(4).says(["could not write file/out.json"]);
    run("/proc/out.json").code(4).says(["could not write /proc/out.json"]);
    run(".").code(4).says(["could not write ."]);
    assert_eq!(server.n_requests(), 0, "nothing is spent on results that have no place");
    run("new/folder/out.json").code(0);
    assert_eq!(probity.json("new/folder/out.json")["summary"]["scored"], 2);
}

#[test]
fn a_store_that_another_process_writes() {
    let server = ScriptedServer::with(|request| late(500, good(&Asked::of(request))));
    let probity = probity(&server);
    let first = probity.args(["run", "tickets.json"]).start();
    wait_for(&server, 1);
    let holder = format!("process {}", first.id());
    probity.run_tickets([]).code(4).says(["one process at a time", &holder]);
    let first = first.wait_with_output().expect("the first ends");
    assert_eq!(first.status.code(), Some(0));
    assert_eq!(server.n_requests(), 4);
}

#[test]
fn n17_a_killed_run_leaves_no_copy_of_its_standard_input() {
    let server = ScriptedServer::with(|request| late(20_000, good(&Asked::of(request))));
    let probity = probity(&server).file("tmp/placeholder", "");
    let temporary = probity.path("tmp");
    let call = probity.args(["run", "-"]).variable("TMPDIR", &temporary.display().to_string());
    let mut run = call.stdin(tickets(2)).start();
    wait_for(&server, 1);
    run.kill().expect("it was running");
    run.wait().expect("it ends");
    let left: Vec<_> =
        std::fs::read_dir(&temporary).expect("a folder").map(|entry| entry.expect("one").path()).collect();
    assert_eq!(left, [temporary.join("placeholder")], "customers' text is gone with the process");
}

#[test]
fn n18_new_files_are_private_and_others_keep_their_mode() {
    let server = kind_judge();
    let probity = probity(&server).file("page.html", "");
    set_mode(&probity.path("page.html"), 0o640);
    probity.run_tickets(["--report", "page.html", "--report", "tests.xml"]).code(0);
    let mode = |name: &str| {
        let metadata = std::fs::metadata(probity.path(name)).expect("a file");
        metadata.permissions().mode() & 0o777
    };
    assert_eq!([mode("out.json"), mode("tests.xml"), mode("page.html")], [0o600, 0o600, 0o640]);
    set_mode(&probity.path("out.json"), 0o444);
    probity.run_tickets([]).code(0);
    assert_eq!(mode("out.json"), 0o444);
}

/// Runs under a limit of the shell.
fn limited(probity: &Probity, limit: &str) -> Ran {
    let script = format!("ulimit {limit}; exec \"$0\" run tickets.json --output out.json");
    Ran::of(probity.shell(&script))
}

#[test]
fn n18_few_open_files_end_with_four_or_are_enough() {
    let probity = Probity::new().file("tickets.json", tickets(40));
    for limit in [8, 10, 12, 16, 20, 31] {
        let ran = limited(&probity, &format!("-n {limit}")).code(4);
        ran.says(["error: this process may open", "hint: raise the limit"]);
    }
    limited(&probity, "-n 32").code(0);
}

#[cfg(target_os = "linux")]
#[test]
fn n18_little_memory_ends_with_four() {
    let probity = Probity::new().file("tickets.json", tickets(40));
    for mebibytes in [200, 300, 511] {
        let ran = limited(&probity, &format!("-v {}", mebibytes << 10)).code(4);
        ran.says(["of memory, and needs 512 MiB"]);
    }
    limited(&probity, &format!("-v {}", 600 << 10)).code(0);
}
