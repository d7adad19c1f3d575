//! The policy ledger: which sources there are, for whom and when each counts, and the facts they state.
//!
//! A ledger is read from files that people write ([`read`]) and is consistent from then on: no version
//! stands twice, no two versions of a source are in force for the same case at the same time, and every
//! remedy is one that the gate knows. Which sources a case may use is [`evidence`](super::evidence)'s
//! question and whether a reply keeps to them [`support`](super::support)'s. No clock is read.

mod audit;
mod draft;
mod known;
mod read;
mod stated;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use audit::{UnlistedFacts, VersionOverlap, VersionScope, overlaps, unlisted};
pub use draft::draft;
pub(super) use known::{Extent, Known, same, same_currency, within};
pub use read::{FileProblem, PolicyFile, Reading, read};
pub(super) use read::{listed, read_all};
pub use stated::Label;
pub(super) use stated::{Place, stems, terse};

use serde::{Serialize, Serializer};
use serde_json::json;

use super::finding::SourceRef;
use crate::case::{Circumstances, EvidenceSource, Moment};
use crate::json::canonical;

/// The version of the hashed form. It is inside the hashed data.
const FORMAT: u8 = 1;

/// The audience of a source that names none, and of a case that names none.
pub const DEFAULT_AUDIENCE: &str = "customer";

/// Every source of a run, each version on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    /// By id, then oldest first.
    sources: Vec<Source>,
    hash: String,
}

/// One version of a policy source. Its serialized form is what it means: the order of facts, comments, spacing and defaults
/// written out do not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Names the source; all its versions share it.
    pub id: String,
    /// Names the version.
    pub version: String,
    /// Who may read what rests on it, lower case.
    pub audiences: BTreeSet<String>,
    /// Where it counts, lower case, and for no case that names no region. Everywhere where there is none.
    pub regions: Option<BTreeSet<String>>,
    /// When it is in force.
    #[serde(flatten)]
    pub period: Period,
    /// What it says, for people.
    pub text: String,
    /// What it says, for the gate.
    #[serde(flatten)]
    pub facts: Facts,
    /// What it says, for a judge and a reader: its text, and its facts as sentences.
    #[serde(skip)]
    pub evidence: EvidenceSource,
    /// Every value that its facts and its text name.
    #[serde(skip)]
    pub(super) values: Known<Place>,
}

/// From a moment on, up to and without another. Days are days in UTC unless the text says otherwise. A version that
/// names no end is in force until a later one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Period {
    /// The first moment; absent where it has always been in force.
    #[serde(serialize_with = "seconds")]
    pub from: Option<Moment>,
    /// The first moment at which it is no longer in force; absent where no end is written.
    #[serde(serialize_with = "seconds")]
    pub until: Option<Moment>,
}

impl Period {
    /// Whether it has begun and not ended.
    pub fn contains(&self, at: Moment) -> bool {
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at < until)
    }
}

/// What a source says, for the gate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
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
    #[serde(serialize_with = "in_order")]
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
    /// One sentence for each thing that the gate holds a reply to: what a judge and a reader are shown beside the text.
    /// A file that is sorted anew gives the same sentences.
    fn sentences(&self) -> Vec<String> {
        let is_one = self.permitted.len() == 1;
        let permitted = if is_one { "The permitted remedy is" } else { "The permitted remedies are" };
        let lists = [
            (permitted, &self.permitted),
            ("A reply must offer", &self.required),
            ("A reply must not promise", &self.forbidden),
            ("A reply may say that this was done:", &self.deeds),
        ];
        let lists = lists.into_iter().filter(|(_, names)| !names.is_empty()).map(|(what, names)| {
            let names: Vec<String> = names.iter().map(|name| name.replace('_', " ")).collect();
            format!("{what} {}.", names.join(", "))
        });
        lists.chain(ordered(&self.stated).into_iter().map(Fact::sentence)).collect()
    }
}

impl Fact {
    fn sentence(&self) -> String {
        let what = match &self.label {
            Some(label) => &format!("The {}", label.text.replace('_', " ")),
            None => self.kind.wording()[0],
        };
        format!("{what} is {}.", self.text.trim_end_matches('.'))
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
        let is_in = |regions: &BTreeSet<String>| {
            circumstances.region.as_ref().is_some_and(|region| regions.contains(&folded(region)))
        };
        self.audiences.contains(&folded(audience)) && self.regions.as_ref().is_none_or(is_in)
    }

    /// Whether there can be a case that may use both.
    fn overlaps(&self, other: &Source) -> bool {
        let regions = self.regions.as_ref().zip(other.regions.as_ref());
        regions.is_none_or(|(own, others)| !own.is_disjoint(others))
            && !self.audiences.is_disjoint(&other.audiences)
    }
}

impl Ledger {
    /// A ledger of `sources` that have been checked against one another.
    fn new(mut sources: Vec<Source>) -> Self {
        sources.sort_by(|a, b| (&a.id, a.period.from, &a.version).cmp(&(&b.id, b.period.from, &b.version)));
        let mut ledger = Ledger { sources, hash: String::new() };
        ledger.hash = blake3::hash(ledger.canonical().as_bytes()).to_hex().to_string();
        ledger
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
        let mut by_name: Vec<&Source> = self.sources.iter().collect();
        by_name.sort_by_key(|source| (&source.id, &source.version));
        canonical(json!({ "probity_policies": FORMAT, "sources": by_name }))
    }

    /// BLAKE3 of the canonical form, hexadecimal.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

/// Names of audiences and regions are compared without case.
fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// The facts, each once, in an order that does not depend on that of the file.
fn ordered(stated: &[Fact]) -> Vec<&Fact> {
    let mut stated: Vec<&Fact> = stated.iter().collect();
    stated.sort_by_key(|fact| (fact.kind, fact.label.as_ref().map(|label| &label.text), &fact.text));
    stated.dedup();
    stated
}

#[expect(clippy::ref_option, reason = "serde hands over the field as it is")]
fn seconds<S: Serializer>(moment: &Option<Moment>, serializer: S) -> Result<S::Ok, S::Error> {
    moment.map(Moment::seconds).serialize(serializer)
}

fn in_order<S: Serializer>(stated: &[Fact], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ordered(stated).into_iter().map(|fact| {
        let label = fact.label.as_ref().map(|label| &label.text);
        json!({ "kind": fact.kind.name(), "label": label, "text": fact.text })
    }))
}
