//! `probity score`: one reply, for a quick look. It is a run of one case, so its verdict is on record like any other.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::sync::Arc;

use serde_json::json;
use tempfile::NamedTempFile;

use super::check;
use super::outlet::Outlet;
use super::run::{Made, scored};
use super::session::Session;
use crate::args::{OutputArgs, ScoreArgs};
use crate::exit::{Exit, Failure};
use crate::render::report::document::{Block, Document, ShownIn};
use crate::settings::inputs::Inputs;
use crate::{settings, terminal};

/// What the case is called, in the record and in what is printed, and what the name of its run begins with.
const NAME: &str = "reply";

/// Runs the command.
pub(crate) fn score(args: &ScoreArgs) -> Result<Exit, Failure> {
    let say = &args.ask.reading.say;
    let session = Session::new(&args.ask.calls, say.quiet);
    // Cases are read from files, more than once.
    let file = case_file(args)?;
    let mut job = settings::one_file(file.path(), &args.ask, &|line| session.note(line))?;
    // Another reply is no other version of the same run.
    job.basis.name = format!("{NAME} {}", &job.dataset.digest().hex[..8]);
    if session.is_dry_run() {
        return check::dry_run(&[&job], "reply", say.json);
    }
    let outlet = Outlet::new(&OutputArgs::default(), say, &Inputs::default())?;
    let made = scored(&session, Arc::new(job), &outlet)?;
    if !say.json {
        terminal::print(&one_reply(&made).text());
    }
    Ok(made.ended().say())
}

/// A file with the one case, which is gone when it is dropped.
fn case_file(args: &ScoreArgs) -> Result<NamedTempFile, Failure> {
    let reply = args.reply.clone().map_or_else(from_stdin, Ok)?;
    for (flag, text) in [("--ticket", &args.ticket), ("--reply", &reply)] {
        if text.trim().is_empty() {
            return Err(Failure::usage(format!("{flag}: expected a text, found none")));
        }
    }
    let mut case = json!({ "id": NAME, "ticket": args.ticket, "reply": reply });
    if let Some(reference) = &args.reference {
        case["reference"] = json!(reference);
    }
    let write = || {
        let mut file = NamedTempFile::new()?;
        file.write_all(case.to_string().as_bytes())?;
        Ok(file)
    };
    write().map_err(|error: io::Error| Failure::store(format!("could not write a temporary file: {error}")))
}

fn from_stdin() -> Result<String, Failure> {
    let mut stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(Failure::usage("expected --reply, or the reply on standard input"));
    }
    let mut reply = String::new();
    stdin.read_to_string(&mut reply).map_err(|error| Failure::unreadable("standard input", &error))?;
    Ok(reply)
}

/// The document of a run of one reply: what is said about that, and no figure over one.
fn one_reply(made: &Made) -> Document {
    let mut document = made.document.clone();
    document.tiles.clear();
    document.warnings.clear();
    for section in &mut document.sections {
        section.blocks.retain(|block| matches!(block, Block::Quotes(..) | Block::List(_)));
    }
    // A reply is among the worst unless it is perfect.
    let is_perfect = !document.sections.iter().any(|section| section.id == "worst");
    let shown = ["gate", if is_perfect { "best" } else { "worst" }, "missing"];
    document.sections.retain(|section| shown.contains(&&*section.id) && !section.blocks.is_empty());
    for section in &mut document.sections {
        section.shown = ShownIn::Everywhere;
        if matches!(&*section.id, "best" | "worst") {
            "What it came to".clone_into(&mut section.title);
        }
    }
    document
}
