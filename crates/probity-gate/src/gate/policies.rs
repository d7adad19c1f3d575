//! What evidence and claims are checked against: the ledger, the word lists and what a tenant allows.

use serde_json::json;

use super::claim::{Language, Languages, extract_read};
use super::evidence;
use super::finding::Sighting;
use super::policy::{self, FileProblem, Ledger, PolicyFile, Source};
use super::support::{self, Allowed, Support};
use super::text::Text;
use crate::case::{Entry, EvidenceSource, Moment};
use crate::json::canonical;
use crate::spec_file::Problem;

/// The texts that policies are read from.
#[derive(Debug, Clone, Copy)]
pub struct PolicyTexts<'t> {
    /// Files of sources.
    pub sources: &'t [PolicyFile<'t>],
    /// Files that add to the built-in word lists or stand in their place, in the order in which they are read.
    pub words: &'t [WordFile<'t>],
    /// Texts whose claims need no source.
    pub allowed_claims: &'t [String],
}

/// A file of word lists.
#[derive(Debug, Clone, Copy)]
pub struct WordFile<'t> {
    /// The code of its language.
    pub language: &'t str,
    /// The file.
    pub file: PolicyFile<'t>,
}

/// What counts for cases that do not say it themselves.
#[derive(Debug, Clone, Default)]
pub struct Defaults {
    /// The moment.
    pub as_of: Option<Moment>,
    /// The code of the language that replies are in; without it, their words tell.
    pub language: Option<String>,
}

/// What evidence and claims are checked against. Made once for a run.
#[derive(Debug, Clone)]
pub struct Policies {
    ledger: Ledger,
    defaults: Defaults,
    languages: Languages,
    allowed: Allowed,
    /// Everything that can change what is found, as canonical JSON.
    pub(super) canonical: String,
    /// The files they were read from, by name, word lists included.
    pub(super) sources: Vec<(String, String)>,
}

impl Policies {
    /// Reads the policies, with what should be looked at. All problems are returned, by file and line.
    pub fn read(
        texts: &PolicyTexts<'_>,
        defaults: Defaults,
    ) -> Result<(Policies, Vec<FileProblem>), Vec<FileProblem>> {
        let languages = languages(texts.words)?;
        let reading = policy::read(texts.sources, &languages)?;
        let allowed = Allowed::new(texts.allowed_claims, &languages).map_err(|idle| {
            let problem = |text: String| FileProblem {
                file: "allowed_claims".to_owned(),
                problem: Problem::at(1, format!("{text:?} makes no claim, so there is nothing to allow")),
            };
            idle.into_iter().map(problem).collect::<Vec<_>>()
        })?;
        let words: Vec<_> = texts.words.iter().map(|words| [words.language, words.file.text]).collect();
        let canonical = canonical(json!({
            "ledger": reading.ledger.hash(), "words": words, "allowed_claims": texts.allowed_claims,
            "as_of": defaults.as_of, "language": defaults.language,
        }));
        let files = texts.sources.iter().chain(texts.words.iter().map(|words| &words.file));
        let sources = files.map(|file| (file.name.to_owned(), file.text.to_owned())).collect();
        let policies = Policies { ledger: reading.ledger, defaults, languages, allowed, canonical, sources };
        Ok((policies, reading.warnings))
    }

    /// The sources.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The languages that claims are read in.
    pub fn languages(&self) -> &Languages {
        &self.languages
    }

    /// The sources that a case names, may use and that are in force.
    pub fn used<'a>(&'a self, entry: &'a Entry) -> Vec<&'a Source> {
        evidence::check(entry, &self.ledger, self.defaults.as_of).sources
    }

    /// What is wrong with the evidence of a case and the claims of its reply, which was read as `text`, and the sources
    /// that the reply may rest on.
    pub(super) fn check<'a>(&'a self, entry: &'a Entry, text: &Text) -> Checked<'a> {
        let selected = evidence::check(entry, &self.ledger, self.defaults.as_of);
        let language = self.language(entry, &selected.sources);
        let claims = language.as_ref().ok().map(|language| {
            let claims = extract_read(text, language.lexicon);
            let support = Support::new(&selected.sources, &entry.case, &self.allowed, *language);
            support::check(&entry.reply.text, &claims, &support.as_of(self.defaults.as_of))
        });
        Checked { evidence: selected.sightings, claims, no_words_for: language.err(), named: selected.named }
    }

    /// The language of a reply: the one that the case or the run names, else the one that its words tell, else that
    /// of its words and the conversation's together, else that of its sources. What is known of it where there are no lists.
    fn language(&self, entry: &Entry, sources: &[&Source]) -> Result<Language<'_>, String> {
        let languages = &self.languages;
        let given = entry.case.circumstances.language.as_deref().or(self.defaults.language.as_deref());
        let with_the_others = || {
            let texts = [entry.case.situation.texts(), vec![&*entry.reply.text]].concat();
            let of_sources = || sources.iter().find_map(|source| languages.detect(&source.text));
            languages.detect(&texts.join("\n")).or_else(of_sources)
        };
        let code = given.or_else(|| languages.detect(&entry.reply.text)).or_else(with_the_others);
        let code = code.unwrap_or_default();
        let lexicon = languages.get(code).ok_or_else(|| code.to_owned())?;
        Ok(Language { languages, lexicon })
    }
}

/// What the policies say about a reply.
#[derive(Default)]
pub(super) struct Checked<'p> {
    pub(super) evidence: Vec<Sighting>,
    /// `None` where claims were not checked.
    pub(super) claims: Option<Vec<Sighting>>,
    /// The language that there are no lists for; empty where it is not known.
    pub(super) no_words_for: Option<String>,
    /// The sources that the case names, as the policies have them.
    pub(super) named: Vec<&'p EvidenceSource>,
}

/// The languages that come with Probity and those of `files`.
pub fn languages(files: &[WordFile<'_>]) -> Result<Languages, Vec<FileProblem>> {
    files.iter().try_fold(Languages::built_in().clone(), |languages, WordFile { language, file }| {
        let named = |problem| FileProblem { file: file.name.to_owned(), problem };
        let extended = languages.extended(language, file.text);
        extended.map_err(|problems| problems.into_iter().map(named).collect())
    })
}
