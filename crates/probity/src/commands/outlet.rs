//! Where a command puts what it came to: files that are tried out before anything is paid for, and standard output.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::session::Ended;
use crate::args::{OutputArgs, SayArgs};
use crate::exit::{Exit, Failure};
use crate::render::report::document::Document;
use crate::render::report::{ReportFile, ReportKind, pretty};
use crate::render::results::WholeFile;
use crate::settings::inputs::{Inputs, refuse_same_output};
use crate::terminal;

/// Where a command puts what it came to.
pub(crate) struct Outlet<'a> {
    /// The files that `--output` and `--report` name.
    pub(crate) files: Vec<ReportFile>,
    say: &'a SayArgs,
}

impl<'a> Outlet<'a> {
    /// The files that flags name, none of which is read.
    pub(crate) fn new(args: &OutputArgs, say: &'a SayArgs, inputs: &Inputs) -> Result<Self, Failure> {
        let outlet = Outlet::of_run(args, say, inputs)?;
        match outlet.files.iter().find(|file| matches!(file.kind, ReportKind::Rows(_))) {
            None => Ok(outlet),
            Some(file) => {
                let path = file.path.display();
                Err(Failure::usage(format!("--output {path}: only `probity run` writes tables"))
                    .hint("expected a name in .json"))
            }
        }
    }

    /// The same for results, which may be rows in a form of their own.
    pub(crate) fn of_run(args: &OutputArgs, say: &'a SayArgs, inputs: &Inputs) -> Result<Self, Failure> {
        let mut files = tried(args.output.as_deref(), &args.reports, inputs)?;
        for file in &mut files {
            file.texts = args.texts;
        }
        Ok(Outlet { files, say })
    }

    /// Whether programs read standard output.
    pub(crate) fn is_json(&self) -> bool {
        self.say.json
    }

    /// Puts the document into every file and on standard output, says the last lines, and ends.
    pub(crate) fn end(&self, document: &Document, ended: Ended) -> Result<Exit, Failure> {
        for ReportFile { path, kind, texts } in &self.files {
            let text =
                document.file(*kind, *texts).map_err(|error| Failure::unwritable(Some(path), &error))?;
            write_output(Some(path), &text)?;
        }
        deliver(self.say, &document.json, || document.text())?;
        self.note_written();
        Ok(ended.say())
    }

    /// Names the files that were written.
    pub(crate) fn note_written(&self) {
        let names: Vec<String> = self.files.iter().map(|file| file.path.display().to_string()).collect();
        if !names.is_empty() {
            self.say.note(&format!("wrote {}", names.join(", ")));
        }
    }
}

/// The files that `--output` and `--report` name, none of which is read. Results without a place are not worth paying
/// for, so each is tried out.
pub(crate) fn tried(
    output: Option<&Path>,
    reports: &[PathBuf],
    inputs: &Inputs,
) -> Result<Vec<ReportFile>, Failure> {
    let reported = reports.iter().map(|path| ("--report", path.as_path()));
    let outputs: Vec<(&str, &Path)> =
        output.map(|path| ("--output", path)).into_iter().chain(reported).collect();
    outputs.iter().try_for_each(|(flag, path)| inputs.refuse(flag, path))?;
    refuse_same_output(&outputs)?;
    let output = output.map(|path| Ok(ReportFile::new(path, ReportKind::of_output(path))));
    let reports =
        reports.iter().map(|path| Ok(ReportFile::new(path, ReportKind::of(path).map_err(Failure::usage)?)));
    let files: Vec<ReportFile> = output.into_iter().chain(reports).collect::<Result<_, Failure>>()?;
    for file in &files {
        WholeFile::try_out(&file.path).map_err(|error| Failure::unwritable(Some(&file.path), &error))?;
    }
    Ok(files)
}

/// Puts what a command came to on standard output: for programs or for people.
pub(crate) fn deliver(
    say: &SayArgs,
    json: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    terminal::deliver(&if say.json { pretty(json) } else { text() })
}

/// Writes `text` to the file that `--output` names, whole or not at all.
pub(crate) fn write_output(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let write = || {
        let mut file = WholeFile::create(path)?;
        file.write_all(text.as_bytes())?;
        file.keep()
    };
    write().map_err(|error: std::io::Error| Failure::unwritable(Some(path), &error))
}
