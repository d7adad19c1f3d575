//! `probity policy`: policy files drafted from texts, and what a ledger leaves open.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use probity_core::gate::policy::{
    FileProblem, Source, UnlistedFacts, VersionOverlap, VersionScope, overlaps, unlisted,
};
use probity_core::gate::{Policies, SourceRef};
use probity_core::spec_file::Problem;
use probity_engine::input::{Dataset, Record};
use schemars::JsonSchema;
use serde::Serialize;

use super::outlet::deliver;
use crate::args::{PolicyCheckArgs, PolicyDraftArgs};
use crate::exit::{Exit, Failure};
use crate::plain::plain;
use crate::settings::gate::{PolicyInputs, Warned};
use crate::{settings, terminal};

/// What `policy check --json` writes.
#[derive(Serialize, JsonSchema)]
pub(super) struct PolicyCheck {
    /// How many versions of sources there are.
    versions: usize,
    /// What is allowed and probably not meant.
    warnings: Vec<PolicyWarning>,
    /// Versions of a source that are in force at the same time.
    overlaps: Vec<VersionOverlap>,
    /// What texts say and facts do not.
    unlisted: Vec<UnlistedFacts>,
    /// What no case uses; null where no cases were given.
    unused: Option<Vec<UnusedVersion>>,
}

/// What is allowed in a policy file and probably not meant.
#[derive(Serialize, JsonSchema)]
struct PolicyWarning {
    file: String,
    line: usize,
    message: String,
    hint: Option<String>,
    /// As it is shown to people.
    #[serde(skip)]
    shown: String,
}

/// A version of a source that no case uses.
#[derive(Serialize, JsonSchema)]
struct UnusedVersion {
    source: String,
    version: String,
}

/// Prints the policy file that texts come to.
pub(crate) fn draft(args: &PolicyDraftArgs) -> Result<Exit, Failure> {
    let draft = settings::gate::draft(args)?;
    if !draft.contains("\n[[source]]\n") {
        return Err(Failure::usage("the files hold no text that could be a policy"));
    }
    terminal::deliver(&draft)?;
    Ok(Exit::Done)
}

/// Prints what the policies leave open.
pub(crate) fn check(args: &PolicyCheckArgs) -> Result<Exit, Failure> {
    let PolicyInputs { policies, warnings, cases } = settings::gate::policy_inputs(args)?;
    let cases = cases.inspect(|cases| cases.notices().iter().for_each(|notice| args.say.note(notice)));
    let warning = |Warned { found: FileProblem { file, problem }, shown }| {
        let Problem { line, message, hint } = problem;
        PolicyWarning { file, line, message, hint, shown }
    };
    let document = PolicyCheck {
        versions: policies.ledger().sources().len(),
        warnings: warnings.into_iter().map(warning).collect(),
        overlaps: overlaps(policies.ledger()),
        unlisted: unlisted(policies.ledger(), policies.languages()),
        unused: cases.map(|cases| unused(&policies, &cases)).transpose()?,
    };
    deliver(&args.say, &document, || document.text())?;
    Ok(Exit::Done)
}

/// The versions that none of the cases uses.
fn unused(policies: &Policies, cases: &Dataset) -> Result<Vec<UnusedVersion>, Failure> {
    let mut used: BTreeSet<SourceRef> = BTreeSet::new();
    for record in cases.records()? {
        if let Record::Entry { entry, .. } = record? {
            used.extend(policies.used(&entry).into_iter().map(Source::name));
        }
    }
    let unused = policies.ledger().sources().iter().filter(|source| !used.contains(&source.name()));
    let named =
        |source: &Source| UnusedVersion { source: source.id.clone(), version: source.version.clone() };
    Ok(unused.map(named).collect())
}

impl PolicyCheck {
    fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |text: String| writeln!(out, "{text}").expect("a string takes any text");
        self.warnings.iter().for_each(|warning| line(warning.shown.clone()));
        self.overlaps.iter().for_each(|overlap| line(overlap_text(overlap)));
        for UnlistedFacts { source, version, remedies, figures } in &self.unlisted {
            let named = remedies.iter().chain(figures).map(|text| plain(text)).collect::<Vec<_>>().join(", ");
            line(format!("{} {}: the text has what the facts lack: {named}", plain(source), plain(version)));
        }
        for UnusedVersion { source, version } in self.unused.iter().flatten() {
            line(format!("{} {}: no case uses it", plain(source), plain(version)));
        }
        let unused = self.unused.as_ref().map(|unused| format!(", {} used by no case", unused.len()));
        line(format!(
            "{} versions: {} warnings, {} overlaps, {} with more in the text than in the facts{}",
            self.versions,
            self.warnings.len(),
            self.overlaps.len(),
            self.unlisted.len(),
            unused.unwrap_or_default()
        ));
        out
    }
}

/// When two versions are in force side by side, for whom, and what each permits.
fn overlap_text(overlap: &VersionOverlap) -> String {
    let VersionOverlap { source, from, until, counts, both_permit, versions } = overlap;
    let list = |names: &BTreeSet<String>| match names.len() {
        0 => "nothing".to_owned(),
        _ => names.iter().cloned().collect::<Vec<_>>().join(", "),
    };
    let scope = |scope: &VersionScope| {
        let regions = scope.regions.as_ref().map_or("every region".to_owned(), list);
        format!("{} ({} in {})", plain(&scope.version), plain(&list(&scope.audiences)), plain(&regions))
    };
    let [one, other] = versions;
    let from = from.as_ref().map(|from| format!(" from {from}")).unwrap_or_default();
    let until = until.as_ref().map(|until| format!(" until {until}")).unwrap_or_default();
    let counts = counts.as_ref().map(|version| format!("; for cases of both, {} counts", plain(version)));
    format!(
        "{}: {} and {} are both in force{from}{until}{}\n  both permit {}; {} alone {}; {} alone {}",
        plain(source),
        scope(one),
        scope(other),
        counts.unwrap_or_default(),
        list(both_permit),
        plain(&one.version),
        list(&one.alone_permits),
        plain(&other.version),
        list(&other.alone_permits)
    )
}
