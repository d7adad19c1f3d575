//! What evidence and claims are checked against: the ledger, the word lists and what a tenant allows.

use super::claim::{Lexicon, extract_read};
use super::evidence;
use super::finding::Sighting;
use super::policy::{self, FileProblem, Ledger, PolicyFile};
use super::support::{self, Allowed, Support};
use super::text::Text;
use crate::case::{Entry, EvidenceSource, Moment};
use crate::json::Json;
use crate::spec_file::Problem;

/// The texts that policies are read from.
#[derive(Debug, Clone, Copy)]
pub struct PolicyTexts<'t> {
    /// Files of sources.
    pub sources: &'t [PolicyFile<'t>],
    /// Files that add to the built-in word lists.
    pub lexicons: &'t [PolicyFile<'t>],
    /// Texts whose claims need no source.
    pub allowed_claims: &'t [String],
}

/// What evidence and claims are checked against. Made once for a run.
#[derive(Debug, Clone)]
pub struct Policies {
    ledger: Ledger,
    as_of: Option<Moment>,
    lexicon: Lexicon,
    allowed: Allowed,
    canonical: String,
    /// The files they were read from, by name, word lists included.
    sources: Vec<(String, String)>,
}

impl Policies {
    /// Reads the policies, with what should be looked at. All problems are returned, by file and line.
    ///
    /// `as_of` is the moment that counts for cases without a time of their own.
    pub fn read(
        texts: &PolicyTexts<'_>,
        as_of: Option<Moment>,
    ) -> Result<(Policies, Vec<FileProblem>), Vec<FileProblem>> {
        let lexicon = lexicon(texts.lexicons)?;
        let reading = policy::read(texts.sources, &lexicon)?;
        let allowed = Allowed::new(texts.allowed_claims, &lexicon).map_err(|idle| {
            let problem = |text: String| FileProblem {
                file: "allowed_claims".to_owned(),
                problem: Problem::at(1, format!("{text:?} makes no claim, so there is nothing to allow")),
            };
            idle.into_iter().map(problem).collect::<Vec<_>>()
        })?;
        let canonical = canonical(&reading.ledger, texts, as_of);
        let files = texts.sources.iter().chain(texts.lexicons);
        let sources = files.map(|file| (file.name.to_owned(), file.text.to_owned())).collect();
        let policies = Policies { ledger: reading.ledger, as_of, lexicon, allowed, canonical, sources };
        Ok((policies, reading.warnings))
    }

    pub(super) fn sources(&self) -> &[(String, String)] {
        &self.sources
    }

    /// Everything that can change what is found, as canonical JSON.
    pub(super) fn canonical(&self) -> &str {
        &self.canonical
    }

    /// What is wrong with the evidence of a case and the claims of its reply, which was read as `text`, and the sources
    /// that the reply may rest on.
    pub(super) fn check<'a>(&'a self, entry: &'a Entry, text: &Text) -> Checked<'a> {
        let selected = evidence::check(entry, &self.ledger, self.as_of);
        let claims = extract_read(text, &self.lexicon);
        let case = &entry.case;
        let support = Support::new(&selected.sources, &case.situation, &self.allowed, &self.lexicon);
        let support = support.with_retrieved(&case.evidence);
        let claims = support::check(&entry.reply.text, &claims, &support);
        Checked { evidence: selected.sightings, claims, named: selected.named }
    }
}

/// What the policies say about a reply.
#[derive(Default)]
pub(super) struct Checked<'p> {
    pub(super) evidence: Vec<Sighting>,
    pub(super) claims: Vec<Sighting>,
    /// The sources that the case names, as the policies have them.
    pub(super) named: Vec<&'p EvidenceSource>,
}

fn lexicon(files: &[PolicyFile<'_>]) -> Result<Lexicon, Vec<FileProblem>> {
    files.iter().try_fold(Lexicon::built_in().clone(), |lexicon, file| {
        let named = |problem| FileProblem { file: file.name.to_owned(), problem };
        lexicon.extended(file.text).map_err(|problems| problems.into_iter().map(named).collect())
    })
}

fn canonical(ledger: &Ledger, texts: &PolicyTexts<'_>, as_of: Option<Moment>) -> String {
    let lexicons = texts.lexicons.iter().map(|file| Json::text(file.text)).collect();
    Json::object([
        ("ledger", Json::text(ledger.hash())),
        ("lexicons", Json::Array(lexicons)),
        ("allowed_claims", Json::Array(texts.allowed_claims.iter().map(Json::text).collect())),
        ("as_of", as_of.map_or(Json::Null, |as_of| Json::text(as_of.to_string()))),
    ])
    .canonical()
}
