//! What a source protects, as plain sentences: what a judge and a reader are shown beside its text.
//!
//! The order of facts in a file does not count, as it does not for the ledger's hash, so that a file that is sorted anew
//! asks nothing again.

use std::collections::BTreeSet;

use super::{Fact, FactKind, Facts};

/// One sentence for each thing that the gate holds a reply to.
pub(super) fn sentences(facts: &Facts) -> Vec<String> {
    let listed = |names: &BTreeSet<String>| {
        let names: Vec<String> = names.iter().map(|name| name.replace('_', " ")).collect();
        names.join(", ")
    };
    let mut sentences = Vec::new();
    match facts.permitted.len() {
        0 => {}
        1 => sentences.push(format!("The permitted remedy is {}.", listed(&facts.permitted))),
        _ => sentences.push(format!("The permitted remedies are {}.", listed(&facts.permitted))),
    }
    if !facts.required.is_empty() {
        sentences.push(format!("A reply must offer {}.", listed(&facts.required)));
    }
    if !facts.forbidden.is_empty() {
        sentences.push(format!("A reply must not promise {}.", listed(&facts.forbidden)));
    }
    if !facts.deeds.is_empty() {
        sentences.push(format!("A reply may say that this was done: {}.", listed(&facts.deeds)));
    }
    sentences.extend(facts.stated_in_order().into_iter().map(stated_sentence));
    sentences
}

fn stated_sentence(fact: &Fact) -> String {
    let what = match (&fact.label, fact.kind) {
        (Some(label), _) => &format!("The {}", label.text.replace('_', " ")),
        (None, FactKind::Amount) => "A permitted amount",
        (None, FactKind::Window) => "A permitted window",
        (None, FactKind::Percentage) => "A permitted percentage",
        (None, FactKind::Code) => "A valid code",
        (None, FactKind::Contact) => "A valid contact",
    };
    format!("{what} is {}.", fact.text.trim_end_matches('.'))
}
