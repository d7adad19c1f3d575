//! What the mock judge has counted: calls, calls per packet, concurrency, statuses, faults.
//!
//! Counting never waits for a connection or a file: numbers are atomic, and the map of packets is split
//! so that two calls seldom meet at one lock.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use blake3::Hash;
use serde_json::{Map, Value, json};

use super::faults::FAULTS;

/// Parts of the map of packets.
const PARTS: usize = 64;

/// Statuses that are counted; place 0 counts calls that saw none.
const STATUSES: usize = 600;

/// Everything counted since the start or the last reset.
#[derive(Debug)]
pub struct Counts {
    packets: Vec<Mutex<HashMap<Hash, u32>>>,
    calls: AtomicU64,
    ended: AtomicU64,
    rejected: AtomicU64,
    connections: AtomicU64,
    in_flight: AtomicU64,
    in_flight_peak: AtomicU64,
    faults: Vec<AtomicU64>,
    statuses: Vec<AtomicU64>,
}

/// A call under way. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct UnderWay<'a> {
    counts: &'a Counts,
    /// The call's place in order of arrival, from 1.
    pub(crate) n: u64,
    /// The call's number among those for its packet, from 1.
    pub(crate) attempt: u32,
    /// Calls in flight when it came, itself included.
    pub(crate) in_flight: u64,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.counts.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Counts {
    /// Nothing counted yet.
    pub(crate) fn new() -> Self {
        let zeros = |n: usize| (0..n).map(|_| AtomicU64::new(0)).collect();
        Counts {
            packets: (0..PARTS).map(|_| Mutex::default()).collect(),
            calls: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            rejected: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            in_flight: AtomicU64::new(0),
            in_flight_peak: AtomicU64::new(0),
            faults: zeros(FAULTS.len()),
            statuses: zeros(STATUSES),
        }
    }

    /// A call about `packet` has come.
    pub(crate) fn begin(&self, packet: Hash) -> UnderWay<'_> {
        let attempt = {
            let mut part = lock(&self.packets[usize::from(packet.as_bytes()[0]) % PARTS]);
            let attempt = part.entry(packet).or_default();
            *attempt += 1;
            *attempt
        };
        let n = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let in_flight = self.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        self.in_flight_peak.fetch_max(in_flight, Ordering::Relaxed);
        UnderWay { counts: self, n, attempt, in_flight }
    }

    /// It was decided what a call gets.
    pub(crate) fn decided(&self, fault: Option<usize>, status: Option<u16>) {
        if let Some(at) = fault {
            self.faults[at].fetch_add(1, Ordering::Relaxed);
        }
        self.statuses[usize::from(status.unwrap_or(0)) % STATUSES].fetch_add(1, Ordering::Relaxed);
    }

    /// A call ends, with an answer or with a connection that breaks.
    pub(crate) fn ended(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// A request was no call to a judge.
    pub(crate) fn rejected(&self) {
        self.rejected.fetch_add(1, Ordering::Relaxed);
    }

    /// A client has connected.
    pub(crate) fn connected(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// Forgets everything but the calls that are under way.
    pub(crate) fn reset(&self) {
        self.packets.iter().for_each(|part| lock(part).clear());
        let single = [&self.calls, &self.ended, &self.rejected, &self.connections];
        for count in single.into_iter().chain(&self.faults).chain(&self.statuses) {
            count.store(0, Ordering::Relaxed);
        }
        self.in_flight_peak.store(self.in_flight.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// All counts, with the calls of each packet.
    pub fn stats(&self) -> Value {
        let mut stats = self.summary();
        let packets: BTreeMap<String, u32> =
            self.each_packet().map(|(key, n)| (key.to_hex().to_string(), n)).collect();
        stats["calls_per_packet"] = json!(packets);
        stats
    }

    /// All counts, with how many packets had how many calls.
    pub fn summary(&self) -> Value {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let mut packets_by_calls: BTreeMap<u32, u64> = BTreeMap::new();
        self.each_packet().for_each(|(_, n)| *packets_by_calls.entry(n).or_default() += 1);
        let by_calls: Map<String, Value> =
            packets_by_calls.iter().map(|(calls, n)| (calls.to_string(), json!(n))).collect();
        let seen = |(name, count): (String, &AtomicU64)| {
            let n = read(count);
            (n > 0).then(|| (name, json!(n)))
        };
        let statuses = self.statuses.iter().enumerate().map(|(status, count)| match status {
            0 => ("none".to_owned(), count),
            status => (status.to_string(), count),
        });
        let faults = FAULTS.iter().map(|fault| fault.number.to_owned()).zip(&self.faults);
        json!({
            "calls": read(&self.calls),
            "ended": read(&self.ended),
            "rejected": read(&self.rejected),
            "connections": read(&self.connections),
            "in_flight": read(&self.in_flight),
            "in_flight_peak": read(&self.in_flight_peak),
            "packets": packets_by_calls.values().sum::<u64>(),
            "packets_by_calls": by_calls,
            "statuses": statuses.filter_map(seen).collect::<Map<String, Value>>(),
            "faults": faults.filter_map(seen).collect::<Map<String, Value>>(),
        })
    }

    fn each_packet(&self) -> impl Iterator<Item = (Hash, u32)> {
        self.packets.iter().flat_map(|part| lock(part).iter().map(|(key, n)| (*key, *n)).collect::<Vec<_>>())
    }
}

fn lock(part: &Mutex<HashMap<Hash, u32>>) -> MutexGuard<'_, HashMap<Hash, u32>> {
    part.lock().expect("no thread panics while it counts")
}
