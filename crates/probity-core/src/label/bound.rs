//! Which labels are about exactly what is asked today.
//!
//! A label is about the packet that its person was shown, and about no other. A label from a file may leave the packet
//! out and name a reply or a pair by id and variants alone. It is then about what has this name today, unless labels
//! on other packets show that several replies have had the name.

use std::collections::HashSet;

use super::entry::LabelEntry;

const CANNOT_BE_TOLD: &str = "names no 'packet', and another label of the same item was given on a packet that is not \
                              asked today, so it cannot be told which reply it is about";
const EXACT_COUNTS: &str =
    "names no 'packet', and the same person said something about exactly this packet, which counts";

/// A label, and the packets that ask today about the reply or the pair that it names.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// The label, with its criterion and its variants.
    pub label: &'a LabelEntry,
    /// The hashes of the packets.
    pub packets: &'a [String],
}

/// For each label, why it is not about what is asked today; `None` where it is.
pub fn unbound(labels: &[Named<'_>]) -> Vec<Option<String>> {
    let is_asked =
        |named: &&Named<'_>| named.label.packet.as_ref().is_none_or(|packet| named.packets.contains(packet));
    let outdated = labels.iter().filter(|named| !is_asked(named));
    // The rubric is left out: a file need not name it, and the labels here are all by the one in use.
    let name = |label: &LabelEntry| LabelEntry { rubric: None, ..label.clone() }.name();
    let shared: HashSet<String> = outdated.map(|named| name(named.label)).collect();
    let bare = |label: &LabelEntry| LabelEntry { packet: None, rubric: None, ..label.clone() }.subject();
    let exact = labels.iter().filter(|named| named.label.packet.is_some() && is_asked(named));
    let exact: HashSet<String> = exact.map(|named| bare(named.label)).collect();
    let why = |named: &Named<'_>| match &named.label.packet {
        Some(packet) if !is_asked(&named) => {
            Some(format!("was given on packet '{packet}', which is not what is asked today"))
        }
        None if shared.contains(&name(named.label)) => Some(CANNOT_BE_TOLD.to_owned()),
        None if exact.contains(&bare(named.label)) => Some(EXACT_COUNTS.to_owned()),
        Some(_) | None => None,
    };
    labels.iter().map(why).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn label(text: &str) -> LabelEntry {
        LabelEntry::read(json::parse(text).expect("JSON").as_object().expect("an object")).expect("a label")
    }

    /// Holds labels of one reply, which is asked about in packet `new`, against it.
    #[track_caller]
    fn check(labels: &[&str], want: &[Option<&str>]) {
        let labels: Vec<LabelEntry> = labels.iter().map(|text| label(text)).collect();
        let packets = ["new".to_owned()];
        let named: Vec<Named<'_>> = labels.iter().map(|label| Named { label, packets: &packets }).collect();
        let found = unbound(&named);
        assert_eq!(found.len(), want.len());
        for (found, want) in found.iter().zip(want) {
            match (found, want) {
                (None, None) => {}
                (Some(found), Some(want)) => assert!(found.contains(want), "{found}"),
                _ => panic!("{found:?}, expected {want:?}"),
            }
        }
    }

    #[test]
    fn n05_a_label_is_about_its_packet_and_no_other() {
        let (new, old) = (
            r#"{"item":"1","annotator":"ann","label":"4","packet":"new"}"#,
            r#"{"item":"1","annotator":"ann","label":"2","packet":"old"}"#,
        );
        check(&[new, old], &[None, Some("was given on packet 'old'")]);
    }

    #[test]
    fn n05_a_label_without_a_packet_is_about_the_only_reply_of_its_name() {
        let (exact, bare) = (
            r#"{"item":"1","annotator":"ann","label":"4","packet":"new","rubric":"r"}"#,
            r#"{"item":"1","annotator":"ben","label":"2"}"#,
        );
        check(&[exact, bare], &[None, None]);
        let old = r#"{"item":"1","annotator":"cem","label":"1","packet":"old"}"#;
        let cannot = Some("cannot be told which reply");
        check(&[exact, bare, old], &[None, cannot, Some("'old'")]);
        let elsewhere = r#"{"item":"2","annotator":"cem","label":"1","packet":"old"}"#;
        check(&[exact, bare, elsewhere], &[None, None, Some("'old'")]);
    }

    #[test]
    fn n05_what_a_person_said_about_exactly_this_counts() {
        let (exact, bare) = (
            r#"{"item":"1","annotator":"ann","label":"4","packet":"new","rubric":"r"}"#,
            r#"{"item":"1","annotator":"ann","label":"2"}"#,
        );
        check(&[exact, bare], &[None, Some("which counts")]);
        let later = r#"{"item":"1","annotator":"ann","label":"2","round":2}"#;
        check(&[exact, later], &[None, None]);
    }
}
