//! Who competes: the replies of every variant, by case, each through the gate.
//!
//! Pairing needs replies from anywhere in any file, so unlike a scoring run a comparison keeps its cases in
//! memory. What always holds: a case has at most one reply of each variant, and a reply is here as the gate
//! left it, admitted or blocked.

use std::collections::HashMap;
use std::sync::Arc;

use probity_core::case::Entry;
use probity_core::gate::{Admitted, Blocked, Gate};
use probity_core::json::{Json, parse};
use probity_core::rubric::Rubric;

use super::super::RunError;
use super::super::job::{Job, Usable, usable};
use crate::input::{Dataset, LoadError, Place, Skipped};

/// Replies of one side, and what they are called where their records do not say.
#[derive(Debug)]
pub struct Side {
    /// The variant of replies without one.
    pub variant: String,
    /// Where the replies are from.
    pub replies: SideReplies,
}

/// Where the replies of a side are from.
#[derive(Debug)]
pub enum SideReplies {
    /// A case file.
    File(Dataset),
    /// A target that was asked about the cases of a job.
    Asked(Arc<Job>),
}

impl SideReplies {
    /// What the replies follow from.
    pub(super) fn digest(&self) -> String {
        match self {
            SideReplies::File(dataset) => dataset.digest().hex.clone(),
            SideReplies::Asked(job) => {
                let target = job.target().map(|target| target.id.to_string()).unwrap_or_default();
                format!("{}:{target}", job.dataset.digest().hex)
            }
        }
    }

    fn usable<'a>(&'a self, rubric: &'a Rubric) -> Result<UsableRecords<'a>, RunError> {
        Ok(match self {
            SideReplies::File(dataset) => Box::new(usable(dataset, rubric)?.map(|record| Ok(record?))),
            SideReplies::Asked(job) => Box::new(job.answered_cases(rubric)?),
        })
    }
}

/// One pass over records that can be used, and those that cannot.
type UsableRecords<'a> = Box<dyn Iterator<Item = Result<Usable, RunError>> + 'a>;

/// A reply as the gate left it.
#[derive(Debug, Clone)]
pub enum Screening {
    /// It may be judged.
    Admitted(Box<Admitted>),
    /// It must not be judged.
    Blocked(Blocked),
}

impl Screening {
    /// The case and the reply.
    pub fn entry(&self) -> &Entry {
        match self {
            Screening::Admitted(admitted) => admitted.entry(),
            Screening::Blocked(blocked) => blocked.entry(),
        }
    }
}

/// The replies to one case.
#[derive(Debug)]
pub struct CaseReplies {
    /// The case.
    pub id: Arc<str>,
    /// Its slice, as the first record that has one says.
    pub slice: Option<Arc<str>>,
    /// How hard it is, as the first record says whose metadata has a `difficulty`.
    pub difficulty: Option<f64>,
    /// By the variant's number; `None` where a variant has no reply.
    pub replies: Vec<Option<Screening>>,
}

/// All replies of all variants.
#[derive(Debug, Default)]
pub struct VariantReplies {
    /// The variants, in the order in which they were met.
    pub variants: Vec<Arc<str>>,
    /// The cases, in the order in which they were met.
    pub cases: Vec<CaseReplies>,
    /// Records that cannot be used.
    pub skipped: Vec<Skipped>,
}

impl VariantReplies {
    /// Reads every file and screens every reply.
    pub fn read(sides: &[Side], rubric: &Rubric, gate: &Gate) -> Result<VariantReplies, RunError> {
        let mut field = VariantReplies::default();
        let (mut numbers, mut places) = (HashMap::new(), HashMap::new());
        for side in sides {
            for record in side.replies.usable(rubric)? {
                match record? {
                    Err(skipped) => field.skipped.push(skipped),
                    Ok((place, entry)) => {
                        let variant = field.variant(&entry, &side.variant);
                        let case = field.case(&entry, &mut numbers);
                        if let Some(first) = places.insert((case, variant), place.clone()) {
                            return Err(twice(&place, &first, &entry, &field.variants[variant]).into());
                        }
                        field.put(case, variant, gate.screen(entry));
                    }
                }
            }
        }
        for case in &mut field.cases {
            case.replies.resize(field.variants.len(), None);
        }
        Ok(field)
    }

    fn variant(&mut self, entry: &Entry, otherwise: &str) -> usize {
        let name = entry.reply.variant.as_ref().map_or(otherwise, |variant| variant.as_str());
        let known = self.variants.iter().position(|variant| **variant == *name);
        known.unwrap_or_else(|| {
            self.variants.push(Arc::from(name));
            self.variants.len() - 1
        })
    }

    fn case(&mut self, entry: &Entry, numbers: &mut HashMap<Arc<str>, usize>) -> usize {
        let id = entry.case.id.as_str();
        let number = numbers.get(id).copied().unwrap_or_else(|| {
            let id: Arc<str> = Arc::from(id);
            numbers.insert(Arc::clone(&id), self.cases.len());
            self.cases.push(CaseReplies { id, slice: None, difficulty: None, replies: Vec::new() });
            self.cases.len() - 1
        });
        let slice = &mut self.cases[number].slice;
        if slice.is_none() {
            *slice = entry.case.slice.as_ref().map(|slice| Arc::from(slice.as_str()));
        }
        let difficulty = &mut self.cases[number].difficulty;
        *difficulty = difficulty.or_else(|| known_difficulty(entry));
        number
    }

    fn put(&mut self, case: usize, variant: usize, screened: Result<Admitted, Blocked>) {
        let replies = &mut self.cases[case].replies;
        if replies.len() <= variant {
            replies.resize(variant + 1, None);
        }
        replies[variant] = Some(match screened {
            Ok(admitted) => Screening::Admitted(Box::new(admitted)),
            Err(blocked) => Screening::Blocked(blocked),
        });
    }
}

/// The number called `difficulty` in a record's metadata.
fn known_difficulty(entry: &Entry) -> Option<f64> {
    let metadata = parse(entry.case.metadata.as_deref()?).ok()?;
    let Json::Number(text) = metadata.get("difficulty")? else { return None };
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The error for two replies of one variant to one case.
fn twice(place: &Place, first: &Place, entry: &Entry, variant: &str) -> LoadError {
    let id = &entry.case.id;
    let message = format!(
        "variant '{variant}' has a reply to case '{id}' here and at {}:{}, expected one of each",
        first.file, first.line
    );
    let hint = "a record's `variant` goes before the file's name; give the two replies different ones";
    LoadError::new(&place.file, message).line(place.line).hint(hint)
}
