//! No command writes over a file that it reads: exit code 2 names both flags, and the file stays as it is.

use crate::answers::{kind_judge, tickets};
use crate::binary::Probity;

/// Calls with `args` in a folder where every file there is holds the tickets, and expects `parts` to be said and
/// every file to stay as it is.
#[track_caller]
fn check<const N: usize>(args: [&str; N], parts: [&str; 2]) {
    let server = kind_judge();
    let names = [
        "in.json", "b.json", "l.json", "v.json", "p.json", "r.toml", "t.md", "c.toml", "s.db",
        ".probity/store.db",
    ];
    let probity = names.into_iter().fold(Probity::new().server(&server), |folder, name| {
        folder.file(name, if name == "c.toml" { Vec::new() } else { tickets(2).into_bytes() })
    });
    std::os::unix::fs::symlink(probity.path("in.json"), probity.path("link.json")).expect("a link");
    let before: Vec<Vec<u8>> = names.map(|name| probity.bytes(name)).into();
    let ran = probity.args(args).run().code(2);
    let stderr = &ran.stderr;
    assert!(parts.iter().all(|part| stderr.contains(part)), "expected {parts:?} in:\n{stderr}");
    assert_eq!(names.map(|name| probity.bytes(name)).to_vec(), before, "no file has changed");
    assert_eq!(server.n_requests(), 0);
}

#[test]
fn a_run_keeps_what_it_reads() {
    check(["run", "in.json", "--output", "in.json"], ["--output in.json", "CASES in.json"]);
    check(["run", "in.json", "--output", "./in.json"], ["--output ./in.json", "CASES in.json"]);
    check(["run", "in.json", "--output", "link.json"], ["--output link.json", "CASES in.json"]);
    check(["run", "link.json", "--report", "in.json"], ["--report in.json", "CASES link.json"]);
    check(
        ["run", "in.json", "--policies", "p.json", "--report", "p.json"],
        ["--report p.json", "--policies"],
    );
    check(["run", "in.json", "--store", "s.db", "-o", "s.db"], ["--output s.db", "--store s.db"]);
    check(["run", "in.json", "-o", "probity.toml"], ["--output probity.toml", "--config probity.toml"]);
    check(["run", "in.json", "--config", "c.toml", "-o", "c.toml"], ["--output c.toml", "--config c.toml"]);
    check(["run", "in.json", "-o", ".probity/store.db"], ["--output .probity", "--store .probity/store.db"]);
}

#[test]
fn files_that_settings_name_are_kept() {
    let settings = "[gate]\npolicies = ['p.toml']\n[judges.mine]\nkind = 'openai'\ntemplate = 't.md'\n";
    for (place, named) in [("p.toml", "gate.policies p.toml"), ("t.md", "a judge's template t.md")] {
        let probity = Probity::new().file("in.json", tickets(2)).file("probity.toml", settings);
        let probity = probity.file("p.toml", "").file("t.md", "");
        probity.args(["run", "in.json", "--output", place]).run().code(2).says([named]);
        assert_eq!(probity.bytes(place), b"");
    }
}

#[test]
fn a_run_that_is_reported_again_keeps_its_cases() {
    let probity = Probity::new().file("in.json", tickets(2));
    probity.args(["run", "in.json", "--judge", "baseline"]).run().code(0);
    let before = probity.bytes("in.json");
    let ran = probity.args(["report", "1", "--output", "in.json"]).run().code(2);
    ran.says(["--output ", "would replace what is read, CASES in.json"]);
    assert_eq!(probity.bytes("in.json"), before);
    probity.args(["report", "1", "--output", "again.json"]).run().code(0);
}

#[test]
fn files_that_are_compared_or_calibrated_are_kept() {
    check(["compare", "--verdicts", "v.json", "-o", "v.json"], ["--output v.json", "--verdicts v.json"]);
    check(["compare", "in.json", "b.json", "-o", "b.json"], ["--output b.json", "CASES b.json"]);
    check(["calibrate", "--labels", "l.json", "-o", "l.json"], ["--output l.json", "--labels l.json"]);
    check(["calibrate", "in.json", "--report", "in.json"], ["--report in.json", "CASES in.json"]);
    check(["probe", "in.json", "--report", "in.json"], ["--report in.json", "CASES in.json"]);
    check(["promote", "in.json", "--contract", "c.toml", "-o", "c.toml"], ["--output", "--contract c.toml"]);
    check(["diff", "in.json", "b.json", "-o", "b.json"], ["--output b.json", "AFTER b.json"]);
}

#[test]
fn a_sample_and_the_labels_keep_what_they_are_made_of() {
    check(["sample", "in.json", "--output", "in.json"], ["--output in.json", "FILE in.json"]);
    check(
        ["sample", "estimate", "--sample", "in.json", "--results", "b.json", "-o", "b.json"],
        ["--output b.json", "--results b.json"],
    );
    check(
        ["export", "labels", "--format", "csv", "--store", "s.db", "-o", "s.db"],
        ["--output s.db", "--store s.db"],
    );
}

#[test]
fn n18_no_output_replaces_a_file_of_the_store() {
    for suffix in ["-wal", "-shm", "-journal", ".lock"] {
        let (output, said) = (format!("s.db{suffix}"), format!("--output s.db{suffix}"));
        check(["run", "in.json", "--store", "s.db", "-o", &output], [&said, "--store s.db"]);
    }
    check(
        ["export", "labels", "--format", "csv", "--store", "s.db", "-o", "s.db-wal"],
        ["--output s.db-wal", "--store s.db-wal"],
    );
}

#[test]
fn n18_no_output_replaces_another() {
    let same = "--report x.json is the same file as --output";
    check(["run", "in.json", "-o", "x.json", "--report", "x.json"], [same, "a name of its own"]);
    check(["run", "in.json", "-o", "x.json", "--report", "./x.json"], ["./x.json is the same", "--output"]);
    let twice = "--report x.md is the same file as --report";
    check(["probe", "in.json", "--report", "x.md", "--report", "x.md"], [twice, "a name of its own"]);
}
