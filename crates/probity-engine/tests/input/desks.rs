//! Odd and hostile records of help desks: how each is read, and that nothing private is in a case or kept.

use probity_core::case::{Role, Situation};
use probity_core::json::Json;
use probity_engine::input::{Annotated, Beside, Dataset, LoadOptions, Record};
use serde::Deserialize;

use super::Folder;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Records {
    record: Vec<DeskRecord>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeskRecord {
    name: String,
    #[serde(default)]
    held_out: bool,
    files: Vec<(String, String)>,
    want: String,
    #[serde(default)]
    private: Vec<String>,
    #[serde(default)]
    unshown: Vec<String>,
}

/// A case on one line.
fn shown(record: &Record, beside: &Beside) -> String {
    let one_line = |text: &str| text.replace('\n', " / ");
    let said = match record {
        Record::Entry { entry, .. } => {
            let Situation::Conversation(turns) = &entry.case.situation else { panic!("expected turns") };
            let turn = |role, text: &str| {
                format!("{} {}", if role == Role::Agent { "A" } else { "C" }, one_line(text))
            };
            let turns: Vec<String> = turns.iter().map(|one| turn(one.role, &one.text)).collect();
            let by = if beside.by_bot == Some(true) { "B" } else { "A" };
            format!("{}: {} -> {by} {}", entry.case.id, turns.join(" | "), one_line(&entry.reply.text))
        }
        Record::Unanswered { skipped, .. } | Record::Skipped(skipped) => {
            format!("{}: none: {}", skipped.id.as_deref().unwrap_or("?"), skipped.reason)
        }
    };
    let counts = [("private", beside.n_private), ("guessed", beside.n_guessed)];
    let counts: Vec<String> =
        counts.iter().filter(|(_, n)| *n > 0).map(|(name, n)| format!(" ({name} {n})")).collect();
    said + &counts.concat()
}

/// What is wrong with how the record is read.
fn wrong(record: &DeskRecord) -> Option<String> {
    let folder = Folder::new();
    let paths: Vec<_> = record.files.iter().map(|(name, text)| folder.write(name, text)).collect();
    let dataset = match Dataset::open(&paths, LoadOptions::default()) {
        Ok(dataset) => dataset,
        Err(error) => return Some(format!("{}: {error}", record.name)),
    };
    let (mut said, mut kept) = (Vec::new(), Vec::new());
    for annotated in dataset.annotated().expect("a pass") {
        let Annotated { record, beside } = annotated.expect("a record");
        let beside = beside.expect("a foreign record");
        said.push(shown(&record, &beside));
        kept.extend(beside.kept.as_ref().map(Json::canonical));
    }
    kept.extend(dataset.joined().filter_map(|joined| Some(joined.expect("a record").kept?.canonical())));
    kept.extend(dataset.frames().map(|(_, frame)| frame.canonical()));
    let (said, kept) = (said.join("\n"), kept.join("\n"));
    let leaks =
        record.private.iter().filter(|text| kept.contains(text.as_str()) || said.contains(text.as_str()));
    let shown = record.unshown.iter().filter(|text| said.contains(text.as_str()));
    let leaks: Vec<&String> = leaks.chain(shown).collect();
    let is_right = said == record.want && leaks.is_empty();
    (!is_right).then(|| format!("{}\n  got  {said}\n  want {}\n  leaks {leaks:?}", record.name, record.want))
}

fn check_half(held_out: bool) {
    let records: Records = toml::from_str(include_str!("desks.toml")).expect("the table of records");
    let half: Vec<&DeskRecord> = records.record.iter().filter(|one| one.held_out == held_out).collect();
    assert_eq!(half.len(), 15);
    let wrong: Vec<String> = half.iter().filter_map(|record| wrong(record)).collect();
    assert!(wrong.is_empty(), "{} of {} are read wrong:\n{}", wrong.len(), half.len(), wrong.join("\n"));
}

#[test]
fn n31_odd_records_of_help_desks_are_read_right() {
    check_half(false);
}

#[test]
fn n31_odd_records_that_were_set_aside_are_read_right() {
    check_half(true);
}
