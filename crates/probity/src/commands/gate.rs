//! `probity gate`: the rules, and what they find, without a judge.

use std::fmt::Write as _;
use std::path::PathBuf;

use probity_core::gate::{Gate, Severity};
use probity_core::results::{FindingRecord, finding_records};
use probity_engine::input::Record;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{CaseArgs, SettingsArgs};
use crate::exit::{Exit, Failure};
use crate::plain::plain;
use crate::render::finding::finding_line;
use crate::render::report::pretty;
use crate::{settings, terminal};

/// Every rule with what its findings do by the settings, in the order of the checks: the built-in ones, then those of
/// `files` or of the settings.
pub(crate) fn rules(files: &[PathBuf], settings: &SettingsArgs) -> Result<String, Failure> {
    let (set, own_rules) = settings::gate::rules(files, settings)?;
    let built_in = probity_core::gate::rules().map(|rule| (rule.id, rule.severity, rule.sentence));
    let all: Vec<_> = built_in.chain(own_rules.listed()).collect();
    let width = all.iter().map(|(id, ..)| id.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (id, severity, sentence) in all {
        let does = set.get(id).map_or(severity.name(), |setting| setting.name());
        writeln!(out, "{id:width$}  {does:5}  {sentence}").expect("a string takes any text");
    }
    Ok(out)
}

/// What became of the replies that were checked.
#[derive(Default, Serialize)]
struct Tally {
    admitted: u64,
    flagged: u64,
    blocked: u64,
    skipped: u64,
}

/// Checks every reply and prints each finding.
pub(crate) fn check(args: &CaseArgs) -> Result<Exit, Failure> {
    let note = |line: &str| {
        if !args.reading.say.quiet {
            terminal::note(line);
        }
    };
    let (dataset, gate) = settings::gated(args, &note)?;
    let mut tally = Tally::default();
    let (mut rows, mut skipped) = (Vec::new(), Vec::new());
    for record in dataset.records()? {
        match record? {
            Record::Skipped(record) | Record::Unanswered { skipped: record, .. } => {
                tally.skipped += 1;
                skipped.push(json!({ "index": record.index, "id": record.id, "reason": record.reason }));
            }
            Record::Entry { entry, .. } => {
                let id = entry.case.id.to_string();
                let variant = entry.reply.variant.as_ref().map(|variant| variant.as_str().to_owned());
                let findings = tally.screen(&gate, *entry);
                if args.reading.say.json {
                    rows.push(row(&id, variant.as_deref(), &findings));
                } else {
                    terminal::deliver(
                        &findings
                            .iter()
                            .map(|finding| line(&id, variant.as_deref(), finding))
                            .collect::<String>(),
                    )?;
                }
            }
        }
    }
    terminal::deliver(&if args.reading.say.json {
        pretty(&json!({ "results": rows, "skipped": skipped, "summary": tally }))
    } else {
        tally.text()
    })?;
    if tally.admitted + tally.blocked == 0 && tally.skipped > 0 {
        return Err(Failure::usage("no record can be used: nothing was checked"));
    }
    Ok(if tally.blocked > 0 { Exit::No } else { Exit::Done })
}

impl Tally {
    fn screen(&mut self, gate: &Gate, entry: probity_core::case::Entry) -> Vec<FindingRecord> {
        match gate.screen(entry) {
            Ok(admitted) => {
                self.admitted += 1;
                self.flagged += u64::from(!admitted.flags().is_empty());
                finding_records(admitted.flags())
            }
            Err(blocked) => {
                self.blocked += 1;
                finding_records(blocked.findings())
            }
        }
    }

    fn text(&self) -> String {
        let Tally { admitted, flagged, blocked, skipped } = self;
        format!("{admitted} admitted, {flagged} of them flagged, {blocked} blocked, {skipped} skipped\n")
    }
}

fn row(id: &str, variant: Option<&str>, findings: &[FindingRecord]) -> Value {
    let is_blocked = findings.iter().any(|finding| finding.severity == Severity::Block.name());
    let status = if is_blocked { "blocked" } else { "admitted" };
    json!({ "id": id, "variant": variant, "gate": { "status": status, "findings": findings } })
}

fn line(id: &str, variant: Option<&str>, finding: &FindingRecord) -> String {
    let variant = variant.map(|variant| format!(" ({})", plain(variant))).unwrap_or_default();
    format!("{}{variant}  {} {}\n", plain(id), finding.severity, finding_line(finding))
}
