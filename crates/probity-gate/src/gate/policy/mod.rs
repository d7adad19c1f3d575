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
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use audit::{UnlistedFacts, VersionOverlap, VersionScope, overlaps, unlisted};
pub use draft::draft;
pub(super) use known::{Extent, Known, same, within};
pub(super) use read::settled;
pub use read::{FileProblem, PolicyFile, Reading, read};
pub(super) use stated::{Place, terse};
pub use words::Label;
pub(super) use words::stems;

use super::finding::SourceRef;
use crate::case::{Circumstances, EvidenceSource, Moment};
use crate::json::Json;

/// The version of the hashed form. It is inside the hashed data.
const FORMAT: i64 = 1;

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

/// From a moment on, up to and without another. Days are days in UTC unless the text says otherwise. A version that
/// names no end is in force until a later one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first moment; absent where it has always been in force.
    pub from: Option<Moment>,
    /// The first moment at which it is no longer in force; absent where no end is written.
    pub until: Option<Moment>,
}

impl Period {
    /// Whether it has begun and not ended.
    pub fn contains(&self, at: Moment) -> bool {
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at < until)
    }
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
        lists.chain(self.stated_in_order().into_iter().map(Fact::sentence)).collect()
    }
}

impl Fact {
    fn sentence(&self) -> String {
        let what = match (&self.label, self.kind) {
            (Some(label), _) => &format!("The {}", label.text.replace('_', " ")),
            (None, FactKind::Amount) => "A permitted amount",
            (None, FactKind::Window) => "A permitted window",
            (None, FactKind::Percentage) => "A permitted percentage",
            (None, FactKind::Code) => "A valid code",
            (None, FactKind::Contact) => "A valid contact",
        };
        format!("{what} is {}.", self.text.trim_end_matches('.'))
    }

    fn to_json(&self) -> Json {
        Json::object([
            ("kind", Json::text(self.kind.name())),
            ("label", self.label.as_ref().map_or(Json::Null, |label| Json::text(&label.text))),
            ("text", Json::text(&self.text)),
        ])
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
        self.audiences.contains(&folded(audience)) && self.regions.has(circumstances.region.as_deref())
    }

    /// Whether there can be a case that may use both.
    fn overlaps(&self, other: &Source) -> bool {
        let regions = match (&self.regions, &other.regions) {
            (Regions::Only(own), Regions::Only(others)) => !own.is_disjoint(others),
            _ => true,
        };
        regions && !self.audiences.is_disjoint(&other.audiences)
    }

    /// Every value of it, as what it means: the order of facts, comments, spacing and defaults written out do not count.
    fn to_json(&self) -> Json {
        let texts = |texts: &BTreeSet<String>| Json::Array(texts.iter().map(Json::text).collect());
        let moment = |moment: Option<Moment>| moment.map_or(Json::Null, |at| Json::int(at.seconds()));
        let regions = match &self.regions {
            Regions::Everywhere => Json::Null,
            Regions::Only(regions) => texts(regions),
        };
        let facts = &self.facts;
        Json::object([
            ("id", Json::text(&self.id)),
            ("version", Json::text(&self.version)),
            ("audiences", texts(&self.audiences)),
            ("regions", regions),
            ("from", moment(self.period.from)),
            ("until", moment(self.period.until)),
            ("text", Json::text(&self.text)),
            ("permitted", texts(&facts.permitted)),
            ("required", texts(&facts.required)),
            ("forbidden", texts(&facts.forbidden)),
            ("deeds", texts(&facts.deeds)),
            ("stated", Json::Array(facts.stated_in_order().into_iter().map(Fact::to_json).collect())),
        ])
    }
}

impl Regions {
    fn has(&self, region: Option<&str>) -> bool {
        match (self, region) {
            (Regions::Everywhere, _) => true,
            (Regions::Only(_), None) => false,
            (Regions::Only(regions), Some(region)) => regions.contains(&folded(region)),
        }
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
        Json::object([
            ("probity_policies", Json::int(FORMAT)),
            ("sources", Json::Array(by_name.into_iter().map(Source::to_json).collect())),
        ])
        .canonical()
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
