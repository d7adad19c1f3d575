//! Where bytes come from: packing, files that cannot be read, streams, and files that change.

use std::fs::File;
use std::time::{Duration, SystemTime};

use expect_test::expect;
use probity_engine::input::{Dataset, LoadOptions};

use super::{A, B, Folder, check, check_with, digest, gzip, summary};

#[test]
fn d38_gzip_by_content() {
    let members = [gzip(format!("{A}\n").as_bytes()), gzip(B.as_bytes())].concat();
    check(
        "c.jsonl.gz",
        &members,
        &expect![[r#"
        0 line 1: a "t" -> "r"
        1 line 2: b "u" -> "s"
    "#]],
    );
    check(
        "c.jsonl",
        &members,
        &expect![[r#"
        notice: c.jsonl: unpacked with gzip; its name does not say so
        0 line 1: a "t" -> "r"
        1 line 2: b "u" -> "s"
    "#]],
    );
    check(
        "c.json.gz",
        A,
        &expect![[r#"
        notice: c.json.gz: read as JSON lines, which is what it contains; its name says a JSON array
        notice: c.json.gz: read as it is; its name says gzip
        0 line 1: a "t" -> "r"
    "#]],
    );
    check(
        "c.csv.gz",
        gzip("\u{feff}id,ticket,reply\na,t,r\n".as_bytes()),
        &expect![[r#"
        0 line 2: a "t" -> "r"
    "#]],
    );
    assert_eq!(digest(members), digest(format!("{A}\n{B}\n")));
}

#[test]
fn d38_gzip_that_is_cut_or_damaged() {
    let mut packed = gzip(A.as_bytes());
    check(
        "c.gz",
        &packed[..packed.len() - 9],
        &expect![[r#"
        error: c.gz: the gzip data ends too early: the file may be cut
    "#]],
    );
    let at = packed.len() - 6;
    packed[at] ^= 1;
    check(
        "c.gz",
        &packed,
        &expect![[r#"
        error: c.gz: the gzip data is damaged
    "#]],
    );
    check(
        "c.gz",
        gzip(&gzip(A.as_bytes())),
        &expect![[r#"
        error: c.gz: found gzip data inside gzip data, expected JSON or CSV in UTF-8
        hint: unpack it once
    "#]],
    );
}

#[test]
fn d38_what_comes_out_of_gzip_is_bounded() {
    let bomb = gzip(&vec![b' '; 32 << 20]);
    check(
        "c.gz",
        &bomb,
        &expect![[r#"
        error: c.gz: unpacks to more than 16777216 bytes
        hint: unpack it first if its content is what you expect
    "#]],
    );
    let small = LoadOptions { decoded_bytes_max: 1000, ..LoadOptions::default() };
    check_with(
        "c.gz",
        gzip(&[b' '; 1001]),
        small,
        &expect![[r#"
        error: c.gz: unpacks to more than 1000 bytes
        hint: unpack it first if its content is what you expect
    "#]],
    );
}

#[test]
fn d38_other_packings_are_named() {
    check(
        "c.jsonl.zst",
        b"\x28\xb5\x2f\xfd\0\0",
        &expect![[r#"
        error: c.jsonl.zst: found zstd data, expected JSON or CSV in UTF-8
        hint: unpack it first, or pack it with gzip
    "#]],
    );
    check(
        "c.jsonl.xz",
        b"\xfd7zXZ\0\0",
        &expect![[r#"
        error: c.jsonl.xz: found xz data, expected JSON or CSV in UTF-8
        hint: unpack it first, or pack it with gzip
    "#]],
    );
    check(
        "c.parquet",
        b"PAR1\x15\0",
        &expect![[r#"
            error: c.parquet: the Parquet file cannot be read: EOF: Parquet file too small. Size is 6 but need 8
            hint: export it as CSV or JSON lines if this stays so
        "#]],
    );
}

#[test]
fn d39_an_archive_is_never_opened() {
    check(
        "c.zip",
        b"PK\x03\x04\x14\0../../etc/passwd",
        &expect![[r#"
        error: c.zip: found a zip archive, expected JSON or CSV in UTF-8
        hint: unpack it first and name the file in it; save a spreadsheet as CSV
    "#]],
    );
}

#[test]
fn d40_files_that_cannot_be_read() {
    let folder = Folder::new();
    let mut got = String::new();
    for name in ["missing.json", ".", "plain.json/x"] {
        folder.write("plain.json", A);
        got += &summary(&folder, &[folder.path(name)], LoadOptions::default());
    }
    expect![[r#"
        error: missing.json: there is no such file
        error: .: is a directory, expected a file
        hint: name the files in it one by one
        error: plain.json/x: a part of the path is a file, expected a directory
    "#]]
    .assert_eq(&got);
}

#[test]
fn d40_a_loop_of_symbolic_links() {
    let folder = Folder::new();
    std::os::unix::fs::symlink(folder.path("b"), folder.path("a")).expect("linked");
    std::os::unix::fs::symlink(folder.path("a"), folder.path("b")).expect("linked");
    expect![[r#"
        error: a: the symbolic links to this file form a loop
    "#]]
    .assert_eq(&summary(&folder, &[folder.path("a")], LoadOptions::default()));
}

#[test]
fn d40_a_pipe_is_read_once_and_kept() {
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).expect("a pipe");
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::write(pipe, format!("{A}\n{B}\n"))
    });
    let dataset = Dataset::open(&[pipe], LoadOptions::default()).expect("loads");
    writer.join().expect("no panic").expect("written");
    assert_eq!(dataset.records().expect("a pass").count(), 2);
    assert_eq!(dataset.records().expect("another pass").count(), 2);
}

#[test]
fn d40_nothing_named_and_standard_input_named_twice() {
    let folder = Folder::new();
    let twice = ["-".into(), "-".into()];
    let got =
        summary(&folder, &[], LoadOptions::default()) + &summary(&folder, &twice, LoadOptions::default());
    expect![[r#"
        error: data set: no files were named
        error: data set: standard input is named twice and can be read once
    "#]]
    .assert_eq(&got);
}

/// Opens a file, changes it, and returns what the next pass says.
fn after_change(change: impl FnOnce(&Folder)) -> String {
    let folder = Folder::new();
    let path = folder.write("c.jsonl", format!("{A}\n{B}\n"));
    let dataset = Dataset::open(&[path], LoadOptions::default()).expect("loads");
    change(&folder);
    let mut items = match dataset.records() {
        Ok(records) => records,
        Err(error) => return folder.hide(&error.to_string()),
    };
    let error = items.find_map(Result::err).expect("a change is seen");
    assert!(items.next().is_none(), "a pass ends with its error");
    folder.hide(&error.to_string())
}

#[test]
fn d41_a_file_that_changes_between_passes() {
    const CHANGED: &str = "c.jsonl: the file changed while it was in use";
    assert_eq!(after_change(|folder| drop(folder.write("c.jsonl", A))), CHANGED);
    let renamed = |folder: &Folder| {
        let new = folder.write("new", format!("{A}\n{B}\n"));
        std::fs::rename(new, folder.path("c.jsonl")).expect("renamed");
    };
    assert_eq!(after_change(renamed), CHANGED);
    assert_eq!(
        after_change(|folder| std::fs::remove_file(folder.path("c.jsonl")).expect("removed")),
        "c.jsonl: there is no such file"
    );
}

#[test]
fn d41_a_change_that_hides_its_time_is_seen_in_the_content() {
    let got = after_change(|folder| {
        let path = folder.path("c.jsonl");
        let time = path.metadata().and_then(|metadata| metadata.modified()).expect("a time");
        folder.write("c.jsonl", format!("{A}\n{}\n", B.replace('u', "v")));
        File::options().write(true).open(path).and_then(|file| file.set_modified(time)).expect("set");
    });
    assert_eq!(got, "c.jsonl: the file changed while it was in use");
}

#[test]
fn d41_a_file_that_changes_during_a_pass() {
    let folder = Folder::new();
    let path = folder.write("c.jsonl", format!("{A}\n{B}\n"));
    let dataset = Dataset::open(std::slice::from_ref(&path), LoadOptions::default()).expect("loads");
    let mut records = dataset.records().expect("a pass");
    assert!(records.next().expect("a record").is_ok());
    let later = SystemTime::now() + Duration::from_secs(5);
    File::options().append(true).open(path).and_then(|file| file.set_modified(later)).expect("touched");
    let error = records.find_map(Result::err).expect("a change is seen");
    assert_eq!(folder.hide(&error.to_string()), "c.jsonl: the file changed while it was in use");
}
