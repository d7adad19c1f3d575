//! `probity export cases --original`: files of other tools, written back value for value without what is private.
//!
//! A file is written to standard output or to the file that `--output` names, several into the folder that it names,
//! under the names they had. A list of records comes back as a list, in what stood around it.

use std::path::{Component, Path, PathBuf};

use probity_core::json::{Json, Object, parse};
use probity_engine::input::Withheld;
use probity_engine::run::case_record::CaseRecord;
use probity_engine::run::spec::RecordedRun;
use serde_json::json;

use super::outlet::{deliver, write_output};
use super::report::past::Past;
use crate::args::ExportCasesArgs;
use crate::exit::{Exit, Failure};
use crate::settings::inputs::Inputs;
use crate::terminal;

/// Members by which a span or a trace is told: not all of their kind are cases.
const SPANS: &[&str] = &["traceId", "trace_id", "spanId"];

/// Writes the files of other tools back.
pub(super) fn original(args: &ExportCasesArgs) -> Result<Exit, Failure> {
    let export = &args.export;
    let past = Past::open(&export.store)?;
    let run = past.run(&export.run)?;
    let files = original_files(&run, &past)?;
    let written: Vec<PathBuf> = match (&files[..], &export.output) {
        ([], _) => {
            return Err(Failure::usage(format!("run {} was not read from another tool's file", export.run))
                .hint("without --original, cases are written as JSON lines of Probity's own"));
        }
        ([_], None) => Vec::new(),
        ([_], Some(path)) => vec![path.clone()],
        (_, None) => {
            let n = files.len();
            return Err(Failure::usage(format!("run {} was read from {n} files", export.run))
                .hint("name a folder for them, as --output back/"));
        }
        (_, Some(folder)) => {
            let names: Vec<&Path> = files.iter().map(|file| Path::new(&file.name)).collect();
            names.iter().map(|name| folder.join(below(name, &names))).collect()
        }
    };
    for (n, file) in files.into_iter().enumerate() {
        match written.get(n) {
            None => terminal::deliver(&file.text())?,
            Some(path) => {
                Inputs::default().store(&export.store).refuse("--output", path)?;
                write_output(Some(path), &file.text())?;
            }
        }
    }
    say_withheld(args, &run, &past, &written)
}

/// Says what was left out because it is private, to people or, with the files that were written, to programs.
pub(super) fn say_withheld(
    args: &ExportCasesArgs,
    run: &RecordedRun,
    past: &Past,
    written: &[PathBuf],
) -> Result<Exit, Failure> {
    let mut withheld = Withheld::default();
    for case in run.cases(&past.store)? {
        withheld.merge(&case?.withheld);
    }
    for joined in run.joined(&past.store)? {
        withheld.merge(&joined?.withheld);
    }
    if args.say.json {
        let written: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
        let report = json!({ "run": run.run().to_string(), "files": written, "left_out": withheld });
        deliver(&args.say, &report, String::new)?;
    } else if !withheld.is_nothing() {
        args.say.note(&withheld.to_string());
    }
    Ok(Exit::Done)
}

/// One file of another tool.
struct OriginalFile {
    name: String,
    frame: Option<Json>,
    /// Where its lists stand, and their records.
    lists: Vec<(Option<String>, Vec<Json>)>,
    /// The line of the last record, which may hold several cases.
    line: usize,
}

impl OriginalFile {
    fn add(&mut self, list: Option<String>, line: usize, record: Option<Json>) {
        let at = self.lists.iter().position(|(known, _)| *known == list).unwrap_or_else(|| {
            self.lists.push((list, Vec::new()));
            self.lists.len() - 1
        });
        let (_, records) = &mut self.lists[at];
        // A record with several cases stands there once.
        let is_same = line == self.line && line > 0 && records.last() == record.as_ref();
        records.extend(record.filter(|_| !is_same));
        self.line = line;
    }

    /// Its lists in what stood around them; an array, or lines where it was neither.
    fn text(self) -> String {
        if let Some(frame) = self.frame {
            let placed = self.lists.into_iter().fold(frame, |around, (list, records)| {
                put(around, list.as_deref().unwrap_or_default(), Json::Array(records))
            });
            return placed.canonical() + "\n";
        }
        let records: Vec<String> =
            self.lists.iter().flat_map(|(_, records)| records).map(Json::canonical).collect();
        match self.lists.first() {
            Some((Some(list), _)) if list.is_empty() => format!("[{}]\n", records.join(",\n")),
            _ => records.join("\n") + "\n",
        }
    }
}

/// `around` with `records` at a path of names.
fn put(around: Json, path: &str, records: Json) -> Json {
    let mut members = if let Json::Object(members) = around { members } else { Object::new() };
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let inner = members.take(name).unwrap_or(Json::Null);
    let value = if rest.is_empty() { records } else { put(inner, rest, records) };
    members.insert(name, value).expect("it was just taken");
    Json::Object(members)
}

/// The files of other tools that a run was read from, in their order.
fn original_files(run: &RecordedRun, past: &Past) -> Result<Vec<OriginalFile>, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| Failure::store(error.to_string());
    let read = |text: &str| parse(text).map_err(|error| unreadable(&error));
    let mut files: Vec<OriginalFile> = Vec::new();
    let mut add = |name: String, list: Option<String>, line: usize, record: Option<Json>| {
        let at = files.iter().position(|file| file.name == name).unwrap_or_else(|| {
            files.push(OriginalFile { name, frame: None, lists: Vec::new(), line: 0 });
            files.len() - 1
        });
        files[at].add(list, line, record);
    };
    for case in run.cases(&past.store)? {
        let CaseRecord { file, list, kept, line, .. } = case?;
        if let Some(kept) = kept {
            let record = read(&kept)?;
            if SPANS.iter().any(|told| record.get(told).is_some())
                || record.get("context").is_some_and(|context| context.get("trace_id").is_some())
            {
                return Err(Failure::usage("spans and observations are not written back").hint(
                    "`export results --format otlp` or `--format langfuse` writes what is to be added to them",
                ));
            }
            add(file, list, line, Some(record));
        }
    }
    for joined in run.joined(&past.store)? {
        let joined = joined?;
        if !joined.file.is_empty() {
            add(joined.file, joined.list, 0, joined.kept.as_deref().map(read).transpose()?);
        }
    }
    for (name, frame) in run.frames() {
        let frame = Some(read(frame)?);
        match files.iter_mut().find(|file| file.name == *name) {
            Some(file) => file.frame = frame,
            None => files.push(OriginalFile { name: name.clone(), frame, lists: Vec::new(), line: 0 }),
        }
    }
    Ok(files)
}

/// The path of a file below the folder that all have in common, without the name of a packing.
fn below(path: &Path, all: &[&Path]) -> PathBuf {
    let is_shared = |folder: &&Path| all.iter().all(|other| other.starts_with(folder));
    let shared = path.ancestors().skip(1).find(is_shared).unwrap_or(Path::new(""));
    let rest = path.strip_prefix(shared).unwrap_or(path);
    let named: PathBuf = rest.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    if named.extension().is_some_and(|suffix| suffix == "gz") { named.with_extension("") } else { named }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_keep_their_names_below_what_they_have_in_common() {
        let all = ["/a/b/tickets.json", "/a/b/comments/1.json.gz"].map(Path::new);
        assert_eq!(below(all[0], &all), Path::new("tickets.json"));
        assert_eq!(below(all[1], &all), Path::new("comments/1.json"));
        let all = ["t.json", "../c/1.json"].map(Path::new);
        assert_eq!([below(all[0], &all), below(all[1], &all)], ["t.json", "c/1.json"].map(PathBuf::from));
    }

    #[test]
    fn records_go_where_they_stood() {
        let frame = parse(r#"{"results":{"version":3},"n":1.50}"#).expect("JSON");
        let put = put(frame, "results.results", Json::Array(Vec::new())).canonical();
        assert_eq!(
            put,
            parse(r#"{"results":{"version":3,"results":[]},"n":1.50}"#).expect("JSON").canonical()
        );
    }
}
