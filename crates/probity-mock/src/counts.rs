//! What the mock judge has counted: calls, calls per packet, concurrency, statuses, faults.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard};

use blake3::Hash;
use serde_json::{Map, Value, json};

/// Everything counted since the start or the last reset.
#[derive(Debug, Default)]
pub struct CallCounts(Mutex<CallTally>);

#[derive(Debug, Default)]
struct CallTally {
    packets: HashMap<Hash, u32>,
    calls: u64,
    ended: u64,
    rejected: u64,
    connections: u64,
    in_flight: u64,
    in_flight_peak: u64,
    faults: BTreeMap<&'static str, u64>,
    /// `None` for calls that saw no status.
    statuses: BTreeMap<Option<u16>, u64>,
}

/// A call under way. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct UnderWay<'a> {
    counts: &'a CallCounts,
    /// The call's place in order of arrival, from 1.
    pub(crate) n: u64,
    /// The call's number among those for its packet, from 1.
    pub(crate) attempt: u32,
    /// Calls in flight when it came, itself included.
    pub(crate) in_flight: u64,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.counts.tally().in_flight -= 1;
    }
}

impl CallCounts {
    fn tally(&self) -> MutexGuard<'_, CallTally> {
        self.0.lock().expect("no thread panics while it counts")
    }

    /// A call about `packet` has come.
    pub(crate) fn begin(&self, packet: Hash) -> UnderWay<'_> {
        let mut tally = self.tally();
        let attempts = tally.packets.entry(packet).or_default();
        *attempts += 1;
        let attempt = *attempts;
        tally.calls += 1;
        tally.in_flight += 1;
        tally.in_flight_peak = tally.in_flight_peak.max(tally.in_flight);
        UnderWay { counts: self, n: tally.calls, attempt, in_flight: tally.in_flight }
    }

    /// It was decided what a call gets.
    pub(crate) fn decided(&self, fault: Option<&'static str>, status: Option<u16>) {
        let mut tally = self.tally();
        if let Some(number) = fault {
            *tally.faults.entry(number).or_default() += 1;
        }
        *tally.statuses.entry(status).or_default() += 1;
    }

    /// A call ends, with an answer or with a connection that breaks.
    pub(crate) fn ended(&self) {
        self.tally().ended += 1;
    }

    /// A request was no call to a judge.
    pub(crate) fn rejected(&self) {
        self.tally().rejected += 1;
    }

    /// A client has connected.
    pub(crate) fn connected(&self) {
        self.tally().connections += 1;
    }

    /// Forgets everything but the calls that are under way.
    pub(crate) fn reset(&self) {
        let mut tally = self.tally();
        let in_flight = tally.in_flight;
        *tally = CallTally { in_flight, in_flight_peak: in_flight, ..CallTally::default() };
    }

    /// All counts, with the calls of each packet.
    pub fn stats(&self) -> Value {
        let mut stats = self.summary();
        let packets: BTreeMap<String, u32> =
            self.tally().packets.iter().map(|(key, n)| (key.to_hex().to_string(), *n)).collect();
        stats["calls_per_packet"] = json!(packets);
        stats
    }

    /// All counts, with how many packets had how many calls.
    pub fn summary(&self) -> Value {
        let tally = self.tally();
        let mut by_calls: BTreeMap<u32, u64> = BTreeMap::new();
        tally.packets.values().for_each(|n| *by_calls.entry(*n).or_default() += 1);
        let by_calls: Map<String, Value> =
            by_calls.iter().map(|(calls, n)| (calls.to_string(), json!(n))).collect();
        let status = |status: &Option<u16>| status.map_or("none".to_owned(), |status| status.to_string());
        let statuses: Map<String, Value> =
            tally.statuses.iter().map(|(seen, n)| (status(seen), json!(n))).collect();
        json!({
            "calls": tally.calls,
            "ended": tally.ended,
            "rejected": tally.rejected,
            "connections": tally.connections,
            "in_flight": tally.in_flight,
            "in_flight_peak": tally.in_flight_peak,
            "packets": tally.packets.len(),
            "packets_by_calls": by_calls,
            "statuses": statuses,
            "faults": tally.faults,
        })
    }
}
