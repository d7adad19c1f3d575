//! `probity export`: what the store holds of a run, for other programs. No judge is asked.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use probity_core::case::{Case, Moment, Reply, Variant};
use probity_core::sample::case_line;
use probity_engine::ledger::AttemptOutcome;
use probity_engine::run::case_record::{CaseRecord, CaseStatus};
use probity_engine::run::spec::RecordedRun;
use serde_json::{Value, json};

use super::originals;
use super::outlet::tried;
use super::report::past::Past;
use crate::args::{ExportArgs, ExportCasesArgs, ExportCommand, ExportResultsArgs};
use crate::exit::{Exit, Failure};
use crate::render::export::{About, RowForm, Spool, write};
use crate::render::results::WholeFile;
use crate::settings::inputs::Inputs;
use crate::terminal;

/// Runs the command, but for labels.
pub(crate) fn export(command: &ExportCommand) -> Result<Exit, Failure> {
    match command {
        ExportCommand::Labels(args) => super::labels::export(args),
        ExportCommand::Cases(args) => cases(args),
        ExportCommand::Replies(args) => {
            each_case(args, |_, _, case| Ok(reply(case).iter().map(Value::to_string).collect()))
        }
        ExportCommand::Packets(args) => each_case(args, packets),
        ExportCommand::Requests(args) => super::batch::export_requests(args),
        ExportCommand::Answers(args) => each_case(args, answers),
        ExportCommand::Results(args) => results(args),
    }
}

fn cases(args: &ExportCasesArgs) -> Result<Exit, Failure> {
    if args.say.json && args.export.output.is_none() {
        return Err(Failure::usage("--json says what was written, expected --output too"));
    }
    if args.original {
        return originals::original(args);
    }
    each_case(&args.export, |_, _, case| Ok(native(case).into_iter().collect()))?;
    let past = Past::open(&args.export.store)?;
    let written: Vec<PathBuf> = args.export.output.iter().cloned().collect();
    originals::say_withheld(args, &past.run(&args.export.run)?, &past, &written)
}

/// What lines are made of: the run, its store, and one of its cases.
type Lines = fn(&RecordedRun, &Past, &CaseRecord) -> Result<Vec<String>, Failure>;

/// Writes the lines of every case.
fn each_case(args: &ExportArgs, lines: Lines) -> Result<Exit, Failure> {
    let (past, run) = opened(args)?;
    written(args, |out| {
        for case in run.cases(&past.store)? {
            for line in lines(&run, &past, &case?)? {
                writeln!(out, "{line}").map_err(|error| unwritable(args, &error))?;
            }
        }
        Ok(())
    })
}

fn opened(args: &ExportArgs) -> Result<(Past, RecordedRun), Failure> {
    tried(args.output.as_deref(), &[], &Inputs::default().store(&args.store))?;
    let past = Past::open(&args.store)?;
    let run = past.run(&args.run)?;
    Ok((past, run))
}

fn unwritable(args: &ExportArgs, error: &io::Error) -> Failure {
    Failure::unwritable(args.output.as_deref(), error)
}

/// Gives the file or standard output to `write_all`, and keeps a file only when it is complete.
fn written(
    args: &ExportArgs,
    write_all: impl FnOnce(&mut (dyn io::Write + Send)) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    if let Some(path) = &args.output {
        let mut file = WholeFile::create(path).map_err(|error| unwritable(args, &error))?;
        write_all(&mut file)?;
        file.keep().map_err(|error| unwritable(args, &error))?;
    } else {
        let mut out = io::BufWriter::new(terminal::Pipe(io::stdout()));
        write_all(&mut out)?;
        out.flush().map_err(|error| unwritable(args, &error))?;
    }
    Ok(Exit::Done)
}

fn results(args: &ExportResultsArgs) -> Result<Exit, Failure> {
    let form = form(args)?;
    let export = &args.export;
    let (past, run) = opened(export)?;
    let unwritable = |error: io::Error| unwritable(export, &error);
    let mut spool = Spool::new().map_err(unwritable)?;
    let summary = run.report(&past.store, &mut |row| spool.add(&row))?;
    let frame = run.frames().first().and_then(|(_, frame)| serde_json::from_str(frame).ok());
    let unix_ns = past.moment(run.run())?.map(|at: Moment| i128::from(at.seconds()) * 1_000_000_000);
    let about = About { summary: &summary, frame, unix_ns };
    let mut cases = run.cases(&past.store)?;
    let kept = move || serde_json::from_str(&cases.next()?.ok()?.kept?).ok();
    let rows = spool.rows(kept).map_err(unwritable)?;
    written(export, |out| write(form, rows, &about, out).map(drop).map_err(unwritable))
}

fn form(args: &ExportResultsArgs) -> Result<RowForm, Failure> {
    let Some(output) = &args.export.output else { return Ok(args.format.unwrap_or(RowForm::Jsonl)) };
    let suffix = Path::new(output).extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
    args.format.or_else(|| RowForm::of(suffix)).ok_or_else(|| {
        Failure::usage(format!("{}: expected a name in .csv, .jsonl or .parquet", output.display()))
            .hint("or say --format, as --format otlp; `run --output` writes the results file")
    })
}

/// The case, and the reply where it has one.
fn parts(case: &CaseRecord) -> Option<(&Case, Option<&Reply>)> {
    match &case.status {
        CaseStatus::Skipped { .. } => None,
        CaseStatus::NoReply { case, .. } => Some((case, None)),
        CaseStatus::Blocked { entry, .. } | CaseStatus::Admitted { entry, .. } => {
            Some((&entry.case, Some(&entry.reply)))
        }
    }
}

/// A case and its reply as case files have them.
fn native(record: &CaseRecord) -> Option<String> {
    let (case, reply) = parts(record)?;
    Some(case_line(case, reply, None))
}

fn reply(record: &CaseRecord) -> Option<Value> {
    let (case, reply) = parts(record)?;
    let reply = reply?;
    let variant = reply.variant.as_ref().map(Variant::as_str);
    let status = if matches!(record.status, CaseStatus::Blocked { .. }) { "blocked" } else { "admitted" };
    Some(json!({ "id": case.id.to_string(), "variant": variant, "reply": &*reply.text, "gate": status }))
}

/// What a judge was asked about a case, each with its hash.
fn packets(_: &RecordedRun, past: &Past, case: &CaseRecord) -> Result<Vec<String>, Failure> {
    let id = parts(case).map(|(case, _)| case.id.to_string());
    let packet = |packet: &probity_engine::run::case_record::PacketRecord| {
        let body = past.reader.packet_body(&packet.hash)?;
        let body: Option<Value> = body.and_then(|body| serde_json::from_str(&body).ok());
        Ok(json!({ "case": id, "packet": packet.hash.to_string(), "asked": body }).to_string())
    };
    case.packets().iter().map(packet).collect()
}

/// What came back, attempt by attempt. Bytes that are no text are written as hexadecimal digits.
fn answers(run: &RecordedRun, past: &Past, case: &CaseRecord) -> Result<Vec<String>, Failure> {
    let id = parts(case).map(|(case, _)| case.id.to_string());
    let attempts = run.attempts(&past.reader, case.packets())?.into_iter();
    let line = attempts.map(|(packet, repeat, attempt)| {
        let outcome = match &attempt.outcome {
            AttemptOutcome::Ended(name) => name.as_str(),
            AttemptOutcome::InFlight => "in_flight",
            AttemptOutcome::Lost => "lost",
        };
        let mut line = json!({
            "case": id, "packet": packet.to_string(), "repeat": repeat, "n": attempt.n, "cause": attempt.cause,
            "outcome": outcome, "detail": attempt.detail, "http_status": attempt.http_status,
            "started_unix_ms": attempt.started_unix_ms,
        });
        match String::from_utf8(attempt.raw) {
            Ok(text) => line["answer"] = json!(text),
            Err(bytes) => {
                let digits = bytes.as_bytes().iter().map(|byte| format!("{byte:02x}"));
                line["answer_hex"] = json!(digits.collect::<String>());
            }
        }
        line.to_string()
    });
    Ok(line.collect())
}
