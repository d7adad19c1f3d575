//! The frame of a draw, and the draw.

use std::collections::BTreeMap;

use super::allocation::{Spread, TooSmall, allocation};
use super::history::reply_name;
use super::key::{Lots, Lottery};
use super::near::{Signature, representatives};
use super::{ALL, NO_SLICE};
use crate::case::{Entry, Slice};

crate::named! {
    /// What to do with near-identical tickets of a slice.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Duplicates {
        /// One stands for all of them: a draw is of distinct tickets.
        Represent = "represent",
        /// Each is a ticket of its own: a draw is of replies.
        Keep = "keep",
    }
}

/// What is to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    /// How many, at least one.
    pub size: u64,
    /// How they are spread over slices.
    pub spread: Spread,
    /// What to do with near-identical tickets.
    pub duplicates: Duplicates,
    /// The random seed.
    pub seed: u64,
    /// What the draw is called, such as a week. Draws of different names are independent.
    pub name: String,
}

/// What became of the records of an export. They add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DrawCounts {
    /// Replies in the export.
    pub n_replies: u64,
    /// Those left out because an earlier draw had them.
    pub n_earlier: u64,
    /// Those set aside because a near-identical ticket stands for them.
    pub n_near: u64,
    /// Distinct tickets: what is drawn from.
    pub n_population: u64,
}

/// A part of the population that is drawn from at one rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnStratum {
    /// The slice, [`NO_SLICE`] or [`ALL`].
    pub name: String,
    /// Replies in it, near-identical tickets included.
    pub n_replies: u64,
    /// Distinct tickets in it.
    pub population: u64,
    /// How many of them are drawn, at least one.
    pub drawn: u64,
}

impl DrawnStratum {
    /// The chance of each of its tickets to be drawn, above 0 and at most 1.
    pub fn probability(&self) -> f64 {
        self.drawn as f64 / self.population as f64
    }

    /// How many tickets each drawn one stands for.
    pub fn weight(&self) -> f64 {
        self.population as f64 / self.drawn as f64
    }
}

/// A drawn ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    /// Its place among the strata.
    pub stratum: usize,
    /// How many near-identical tickets of its slice it is one of, itself included.
    pub n_near: u64,
    /// Its place in an order that is drawn as well: a reviewer who stops early has seen a sample of the sample.
    pub lot: u64,
}

/// What was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// What was asked for.
    pub design: Design,
    /// What became of the export.
    pub counts: DrawCounts,
    /// The strata by name, none of them empty.
    pub strata: Vec<DrawnStratum>,
    /// How many slices there are. More than strata where there were more slices than draws.
    pub n_slices: usize,
    /// The drawn tickets by the place that the caller gave them.
    pub chosen: BTreeMap<usize, Chosen>,
    /// What names the replies of the export, in any order, those of earlier draws included.
    pub fingerprint: String,
}

/// The records of an export, as far as a draw needs them: a few dozen bytes each.
#[derive(Debug)]
pub struct Frame {
    design: Design,
    lottery: Lottery,
    slices: BTreeMap<Option<Slice>, Vec<SamplingUnit>>,
    counts: DrawCounts,
    /// The sum of what names each reply, which no order changes.
    fingerprint: u128,
}

/// One reply.
#[derive(Debug, Clone, Copy)]
struct SamplingUnit {
    place: usize,
    lots: Lots,
    signature: Option<Signature>,
}

/// A distinct ticket.
#[derive(Debug, Clone, Copy)]
struct Ticket {
    place: usize,
    lots: Lots,
    n_near: u64,
}

impl Frame {
    /// A frame without records.
    pub fn new(design: Design) -> Self {
        let lottery = Lottery::new(design.seed, &design.name);
        Frame { design, lottery, slices: BTreeMap::new(), counts: DrawCounts::default(), fingerprint: 0 }
    }

    /// Adds a record, which the caller knows by `place`.
    pub fn add(&mut self, place: usize, entry: &Entry) {
        self.count(entry);
        let signature = match self.design.duplicates {
            Duplicates::Represent => Some(Signature::of(&entry.case.situation)),
            Duplicates::Keep => None,
        };
        let unit = SamplingUnit { place, lots: self.lottery.lots(entry), signature };
        match self.slices.get_mut(&entry.case.slice) {
            Some(units) => units.push(unit),
            None => drop(self.slices.insert(entry.case.slice.clone(), vec![unit])),
        }
    }

    /// Counts a record that an earlier draw had, and leaves it out.
    pub fn leave_out(&mut self, entry: &Entry) {
        self.count(entry);
        self.counts.n_earlier += 1;
    }

    fn count(&mut self, entry: &Entry) {
        self.counts.n_replies += 1;
        self.fingerprint = self.fingerprint.wrapping_add(fingerprint(entry));
    }

    /// Draws. Nothing is drawn from nothing.
    pub fn draw(self) -> Result<Drawn, TooSmall> {
        let Frame { design, slices, mut counts, fingerprint, .. } = self;
        let n_slices = slices.len();
        let named =
            |slice: Option<Slice>| slice.map_or(NO_SLICE.to_owned(), |slice| slice.as_str().to_owned());
        let mut parts: Vec<(String, u64, Vec<Ticket>)> = slices
            .into_iter()
            .map(|(slice, units)| (named(slice), units.len() as u64, distinct(units)))
            .collect();
        counts.n_population = parts.iter().map(|(_, _, tickets)| tickets.len() as u64).sum();
        counts.n_near = counts.n_replies - counts.n_earlier - counts.n_population;
        let one_each = matches!(design.spread, Spread::Proportional | Spread::Equal);
        if one_each && design.size < parts.len() as u64 {
            let n_replies = parts.iter().map(|(_, n, _)| n).sum();
            let all = parts.into_iter().flat_map(|(_, _, tickets)| tickets).collect();
            parts = vec![(ALL.to_owned(), n_replies, all)];
        }
        let populations: Vec<(&str, u64)> =
            parts.iter().map(|(name, _, tickets)| (name.as_str(), tickets.len() as u64)).collect();
        let draws = allocation(&populations, design.size, &design.spread)?;
        let (mut strata, mut chosen) = (Vec::new(), BTreeMap::new());
        for ((name, n_replies, mut tickets), drawn) in parts.into_iter().zip(draws) {
            let population = tickets.len() as u64;
            tickets.sort_unstable_by_key(|ticket| (ticket.lots.drawn, ticket.lots.stands));
            let first = tickets.iter().take(usize::try_from(drawn).expect("at most the tickets there are"));
            let stratum = strata.len();
            chosen.extend(first.map(|ticket| {
                let Ticket { place, lots, n_near } = *ticket;
                (place, Chosen { stratum, n_near, lot: lots.shown })
            }));
            strata.push(DrawnStratum { name, n_replies, population, drawn });
        }
        Ok(Drawn { design, counts, strata, n_slices, chosen, fingerprint: format!("{fingerprint:032x}") })
    }
}

/// The tickets that stand for the units of a slice. Of near-identical ones the first by lot does, whatever the
/// order of the file.
fn distinct(mut units: Vec<SamplingUnit>) -> Vec<Ticket> {
    units.sort_unstable_by_key(|unit| (unit.lots.stands, unit.lots.drawn));
    let signatures: Vec<&Signature> = units.iter().filter_map(|unit| unit.signature.as_ref()).collect();
    let stands: Vec<usize> = if signatures.len() == units.len() {
        representatives(&signatures)
    } else {
        (0..units.len()).collect()
    };
    let mut n_near = vec![0; units.len()];
    for place in stands {
        n_near[place] += 1;
    }
    let tickets = units.iter().zip(n_near).filter(|(_, n_near)| *n_near > 0);
    tickets.map(|(unit, n_near)| Ticket { place: unit.place, lots: unit.lots, n_near }).collect()
}

/// What names a reply: everything that a draw depends on.
fn fingerprint(entry: &Entry) -> u128 {
    let slice = entry.case.slice.as_ref().map_or("", Slice::as_str);
    let mut hasher = blake3::Hasher::new();
    let name = reply_name(entry);
    for text in [name.as_str(), slice].into_iter().chain(entry.case.situation.texts()) {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    u128::from_le_bytes(*hasher.finalize().as_bytes().first_chunk().expect("the hash has 32 bytes"))
}
