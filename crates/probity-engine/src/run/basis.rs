//! What every run is made of beside its cases: who is asked, by which rubric, and behind which gate.

use std::collections::BTreeSet;

use probity_core::gate::Gate;
use probity_core::json::Json;
use probity_core::results::Facts;
use probity_core::rubric::Rubric;

use super::Ran;
use super::about::facts;
use super::asking::Asking;
use super::spec::RunSpec;
use super::standing::Subject;
use crate::config::LeftOut;
use crate::ledger::{JudgeId, Manifest, Reader, StoreError};

/// What every run is made of beside its cases.
#[derive(Debug)]
pub struct Basis {
    /// The files' names, for people and for telling runs apart.
    pub name: String,
    /// The rubric.
    pub rubric: Rubric,
    /// Who is asked, and how.
    pub asking: Asking,
    /// The rules that decide which replies are judged.
    pub gate: Gate,
    /// Those whose findings block.
    pub blocking: BTreeSet<String>,
}

impl Basis {
    /// Puts the parts together.
    pub fn new(name: String, rubric: Rubric, asking: Asking, gate: Gate) -> Basis {
        let blocking = gate.blocking();
        Basis { name, rubric, asking, gate, blocking }
    }

    /// What the store knows about the calls of a run, and what its judge has earned.
    pub(super) fn facts(&self, reader: &Reader, ran: &Ran) -> Result<Facts, StoreError> {
        facts(&self.subject(), reader, ran)
    }

    /// What a standing is looked up by.
    pub fn subject(&self) -> Subject<'_> {
        let Basis { asking, rubric, blocking, .. } = self;
        Subject { asking, rubric, blocking }
    }

    /// What a run is made of but its cases, as its record has it.
    pub(super) fn spec(&self) -> RunSpec {
        RunSpec::new(&self.name, &self.asking, &self.rubric, &self.gate)
    }

    /// What defines the run of a command under the judge `id`: what it is about, what every run has, its own parts, and
    /// the settings.
    pub(super) fn manifest(
        &self,
        command: &str,
        id: &JudgeId,
        about: (&str, String),
        own: Vec<(&str, String)>,
    ) -> Manifest {
        let common = [
            ("rubric", self.rubric.hash().to_owned()),
            ("template", self.asking.template.hash().to_owned()),
            ("gate", self.gate.digest().to_owned()),
            ("judge", id.to_string()),
        ];
        let own = [about].into_iter().chain(common).chain(own);
        let own = own.map(|(name, value)| (name.to_owned(), value));
        let parts =
            own.chain(self.asking.config.digest_parts(&self.asking.judge, &LeftOut::default())).collect();
        manifest(format!("{command} {} {}", self.name, self.rubric.name()), parts, &self.name)
    }
}

/// What defines the run called `name`. The names of its files tell people which.
pub(super) fn manifest(name: String, parts: Vec<(String, String)>, files: &str) -> Manifest {
    let members = parts.iter().map(|(name, value)| (name.clone(), Json::text(value)));
    let body = Json::object(members.chain([("files".to_owned(), Json::text(files))])).canonical();
    Manifest { name, parts, body }
}
