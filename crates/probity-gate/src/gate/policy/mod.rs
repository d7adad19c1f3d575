//! The policy ledger: which sources there are, for whom and when each counts, and the facts they state.
//!
//! A ledger is read from files that people write ([`read`]) and is consistent from then on: no version
//! stands twice, no two versions of a source are in force for the same case at the same time, and every
//! remedy is one that the gate knows. Which sources a case may use is [`evidence`](super::evidence)'s
//! question and whether a reply keeps to them [`support`](super::support)'s. No clock is read.

mod hash;
mod known;
mod period;
mod protected;
mod read;
mod spec;
mod stated;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub(super) use known::{Extent, Known, within};
pub use period::Period;
pub use read::{FileProblem, PolicyFile, Reading, read};
pub(super) use stated::{Place, sentences, terse};
pub use words::Label;
pub(super) use words::stems;

use super::finding::SourceRef;
use crate::case::{Circumstances, EvidenceSource, Moment};

/// The audience of a source that names none, and of a case that names none.
pub const DEFAULT_AUDIENCE: &str = "customer";

/// Every source of a run, each version on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    /// By id, then oldest first.
    sources: Vec<Source>,
    hash: String,
}

/// One version of a policy source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Names the source; all its versions share it.
    pub id: String,
    /// Names the version.
    pub version: String,
    /// Who may read what rests on it, lower case.
    pub audiences: BTreeSet<String>,
    /// Where it counts.
    pub regions: Regions,
    /// When it is in force.
    pub period: Period,
    /// What it says, for people.
    pub text: String,
    /// What it says, for the gate.
    pub facts: Facts,
    /// What it says, for a judge and a reader: its text, and its facts as sentences.
    pub evidence: EvidenceSource,
    /// Every value that its facts and its text name.
    pub(super) values: Known<Place>,
}

/// Where a source counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Regions {
    /// In every region, and for cases that name none.
    Everywhere,
    /// In these, lower case, and for no case that names none.
    Only(BTreeSet<String>),
}

/// What a source says, for the gate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Remedies that a reply may promise; the required ones are among them.
    pub permitted: BTreeSet<String>,
    /// Remedies that every reply must offer.
    pub required: BTreeSet<String>,
    /// Remedies that no reply may promise, whatever another source permits.
    pub forbidden: BTreeSet<String>,
    /// What may be said to be done without anything that shows it.
    pub deeds: BTreeSet<String>,
    /// Figures and references, in the order of the file.
    pub stated: Vec<Fact>,
}

/// A figure or a reference that a source states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub kind: FactKind,
    /// What the source calls it, where it has a name.
    pub label: Option<Label>,
    /// As the source states it.
    pub text: String,
    /// The values it stands for. Never empty.
    pub(super) extents: Vec<Extent>,
}

crate::named! {
    /// What a stated fact is, named by its key in a policy file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum FactKind {
        /// Money.
        Amount = "amounts",
        /// A length of time or a day.
        Window = "windows",
        /// A share of a hundred.
        Percentage = "percentages",
        /// A code or a number.
        Code = "codes",
        /// A link, an e-mail address, a telephone number or a street address.
        Contact = "contacts",
    }
}

impl Facts {
    /// The stated facts, each once, in an order that does not depend on that of the file.
    fn stated_in_order(&self) -> Vec<&Fact> {
        let mut stated: Vec<&Fact> = self.stated.iter().collect();
        stated.sort_by_key(|fact| (fact.kind, fact.label.as_ref().map(|label| &label.text), &fact.text));
        stated.dedup();
        stated
    }
}

impl Source {
    /// Its id and version.
    pub fn name(&self) -> SourceRef {
        SourceRef { id: self.id.clone(), version: Some(self.version.clone()) }
    }

    /// Whether it may be used for a case. A case that does not say where it is may use no source that is
    /// limited to a region: nothing shows that it may.
    pub fn permits(&self, circumstances: &Circumstances) -> bool {
        let audience = circumstances.audience.as_deref().unwrap_or(DEFAULT_AUDIENCE);
        has_name(&self.audiences, audience) && self.regions.has(circumstances.region.as_deref())
    }

    /// Whether there can be a case that may use both.
    fn overlaps(&self, other: &Source) -> bool {
        let regions = match (&self.regions, &other.regions) {
            (Regions::Only(own), Regions::Only(others)) => !own.is_disjoint(others),
            _ => true,
        };
        regions && !self.audiences.is_disjoint(&other.audiences)
    }
}

impl Regions {
    fn has(&self, region: Option<&str>) -> bool {
        match (self, region) {
            (Regions::Everywhere, _) => true,
            (Regions::Only(_), None) => false,
            (Regions::Only(regions), Some(region)) => has_name(regions, region),
        }
    }
}

impl Ledger {
    /// A ledger of `sources` that have been checked against one another.
    fn new(mut sources: Vec<Source>) -> Self {
        sources.sort_by(|a, b| (&a.id, a.period.from, &a.version).cmp(&(&b.id, b.period.from, &b.version)));
        let hash = hash::hash(&sources);
        Ledger { sources, hash }
    }

    /// Every version of every source, by id, then oldest first.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The versions of one source, oldest first. None where the ledger does not have it.
    pub fn versions(&self, id: &str) -> &[Source] {
        let start = self.sources.partition_point(|source| source.id.as_str() < id);
        let end = self.sources.partition_point(|source| source.id.as_str() <= id);
        &self.sources[start..end]
    }

    /// The version of `id` that counts for a case: of those it may use that have begun and not ended `at`
    /// that moment, the one that began last. Without a moment it is the one that begins last of all.
    pub fn in_force(&self, id: &str, circumstances: &Circumstances, at: Option<Moment>) -> Option<&Source> {
        let mut permitted = self.versions(id).iter().filter(|source| source.permits(circumstances));
        permitted.rfind(|source| at.is_none_or(|at| source.period.contains(at)))
    }

    /// The bytes that the hash is taken of: canonical JSON, equal for equal ledgers whatever the order,
    /// the format and the number of their files.
    pub fn canonical(&self) -> String {
        hash::canonical(&self.sources)
    }

    /// BLAKE3 of the canonical form, hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

/// Whether a name is among `folded` ones.
fn has_name(folded_names: &BTreeSet<String>, name: &str) -> bool {
    let name = name.trim();
    if name.is_ascii() {
        folded_names.iter().any(|folded| folded.eq_ignore_ascii_case(name))
    } else {
        folded_names.contains(&folded(name))
    }
}

/// Names of audiences and regions are compared without case.
fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}
