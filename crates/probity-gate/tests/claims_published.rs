//! What is claimed in sentences that people wrote about real support conversations.
//!
//! The sentences have no labels, so nothing is asserted about them beyond what holds for every text. The
//! counts and a seeded sample are printed for a person to look at.

#[path = "../../probity-engine/tests/support/skipped.rs"]
mod skipped;

use std::collections::BTreeMap;
use std::path::PathBuf;

use probity_gate::gate::claim::{Claim, ClaimKind, Lexicon, Value, extract};

/// Names the folder of the published sets.
const PUBLISHED_DATA: &str = "PROBITY_PUBLISHED_DATA";

/// How many sentences are shown.
const N_SHOWN: usize = 20;

/// Decides which.
const SEED: u64 = 20_260_401;

#[test]
fn agent_sentences_of_support_conversations() {
    let Some(folder) = std::env::var_os(PUBLISHED_DATA) else {
        return skipped::skipped(
            "claims in published support sentences",
            "PROBITY_PUBLISHED_DATA is not set",
        );
    };
    let path = PathBuf::from(folder).join("tweetsumm_support/summaries.jsonl");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let replies = agent_sentences(&text);
    assert!(replies.len() > 300, "only {} agent sentences", replies.len());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut with_claims = Vec::new();
    for reply in &replies {
        let claims = extract(reply, Lexicon::built_in());
        assert!(claims.iter().all(|claim| reply.get(claim.span.clone()).is_some()), "{reply:?}");
        for claim in &claims {
            *counts.entry(kind(claim)).or_default() += 1;
        }
        if !claims.is_empty() {
            with_claims.push((reply, claims));
        }
    }
    println!("{} replies, {} with a claim; claims per 1,000 replies:", replies.len(), with_claims.len());
    for (kind, count) in counts {
        println!("    {kind:<24} {:>6.1}", count as f64 * 1000.0 / replies.len() as f64);
    }
    println!("{N_SHOWN} of the replies with a claim, seed {SEED}:");
    for at in sample(with_claims.len()) {
        let (reply, claims) = &with_claims[at];
        println!("  {reply}");
        for claim in claims {
            println!("      {} | {:?}", kind(claim), &reply[claim.span.clone()]);
        }
    }
    println!("{N_SHOWN} of all replies, seed {SEED}:");
    for at in sample(replies.len()) {
        let claims = extract(&replies[at], Lexicon::built_in());
        let kinds: Vec<String> = claims.iter().map(kind).collect();
        println!("  {}\n      {kinds:?}", replies[at]);
    }
}

/// The second sentence of each pair.
fn agent_sentences(jsonl: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in jsonl.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("a JSON object per line");
        let pairs = row["summaries"].as_array().cloned().unwrap_or_default();
        found.extend(pairs.iter().filter_map(|pair| pair.get(1)?.as_str().map(str::to_owned)));
    }
    found
}

fn kind(claim: &Claim) -> String {
    match &claim.kind {
        ClaimKind::Remedy { remedy, polarity } => format!("{} {remedy}", polarity.name()),
        ClaimKind::Deed { deed, .. } => format!("deed {deed}"),
        ClaimKind::Value(value) => {
            let name = match value {
                Value::Money { .. } => "money",
                Value::Percent(_) => "percent",
                Value::Span { .. } => "span",
                Value::Day { .. } => "day",
                Value::Time { .. } => "time",
                Value::Code(_) => "code",
                Value::Number(_) => "number",
                Value::Link(_) => "link",
                Value::Email(_) => "email",
                Value::Phone(_) => "phone",
                Value::Address(_) => "address",
            };
            format!("value {name}")
        }
    }
}

/// Places in a list, the same on every run.
fn sample(n_items: usize) -> Vec<usize> {
    let mut order: Vec<(u64, usize)> = (0..n_items)
        .map(|at| {
            let mixed = (SEED ^ at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 7, at)
        })
        .collect();
    order.sort_unstable();
    order.into_iter().take(N_SHOWN).map(|(_, at)| at).collect()
}
