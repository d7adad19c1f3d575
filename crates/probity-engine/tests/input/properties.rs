//! Sentences about all inputs: formats agree, packing does not matter, nothing panics.

use probity_engine::input::{Dataset, LoadOptions, Record};
use proptest::prelude::*;

use super::{Folder, digest, entries, gzip};

/// A record whose texts may hold anything but NUL.
#[derive(Debug, Clone)]
struct Texts {
    ticket: String,
    reply: String,
    reference: String,
    slice: String,
    confidence: Option<u8>,
}

fn texts() -> impl Strategy<Value = Texts> {
    let text = || any::<String>().prop_map(|text| text.replace('\0', ""));
    let ragged = || prop_oneof![text(), r#"[a",\r\n \\{}\[\]]{0,12}"#];
    let slice = "[a-c\u{e4}\", ]{0,3}";
    (text(), ragged(), ragged(), slice, proptest::option::of(0..=100_u8)).prop_map(
        |(ticket, reply, reference, slice, confidence)| Texts {
            ticket: format!("t{ticket}"),
            reply: format!("r{reply}"),
            reference,
            slice,
            confidence,
        },
    )
}

fn confidence(texts: &Texts) -> Option<f64> {
    texts.confidence.map(|percent| f64::from(percent) / 100.0)
}

fn object(i: usize, texts: &Texts) -> String {
    serde_json::json!({
        "id": i, "ticket": texts.ticket, "reply": texts.reply, "reference": texts.reference,
        "slice": texts.slice, "confidence": confidence(texts),
    })
    .to_string()
}

fn row(i: usize, texts: &Texts) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let cells = [&texts.ticket, &texts.reply, &texts.reference, &texts.slice].map(|text| quoted(text));
    let confidence = confidence(texts).map(|number| number.to_string()).unwrap_or_default();
    format!("{i},{},{confidence}", cells.join(","))
}

fn array(records: &[Texts], between: &str) -> String {
    let objects: Vec<String> = records.iter().enumerate().map(|(i, texts)| object(i, texts)).collect();
    format!("[{}]", objects.join(between))
}

fn lines(records: &[Texts], end: &str) -> String {
    records.iter().enumerate().map(|(i, texts)| object(i, texts) + end).collect()
}

fn table(records: &[Texts], end: &str) -> String {
    let rows = records.iter().enumerate().map(|(i, texts)| row(i, texts) + end);
    format!("id,ticket,reply,reference,slice,confidence{end}{}", rows.collect::<String>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The same records are the same entries, whatever the format and the line ends.
    #[test]
    fn formats_agree(records in prop::collection::vec(texts(), 1..8)) {
        let want = entries("c.json", array(&records, ","));
        prop_assert_eq!(&entries("c.json", array(&records, "\r\n , \n")), &want);
        for end in ["\n", "\r\n", "\r"] {
            prop_assert_eq!(&entries("c.jsonl", lines(&records, end)), &want);
            prop_assert_eq!(&entries("c.csv", table(&records, end)), &want);
        }
        prop_assert_eq!(digest(array(&records, " ,\n")), digest(lines(&records, "\r\n")));
    }

    /// Where gzip members begin does not matter.
    #[test]
    fn members_concatenate(
        records in prop::collection::vec(texts(), 1..8),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let content = lines(&records, "\n").into_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(content.len())).collect();
        cuts.extend([0, content.len()]);
        cuts.sort_unstable();
        let packed: Vec<u8> = cuts.windows(2).flat_map(|cut| gzip(&content[cut[0]..cut[1]])).collect();
        prop_assert_eq!(entries("c.jsonl.gz", &packed), entries("c.jsonl", &content));
        prop_assert_eq!(digest(packed), digest(content));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever the bytes are, they give records or an error; and if records, then twice the same, and as
    /// many as were counted.
    #[test]
    fn nothing_panics(
        start in prop::sample::select(vec![
            "", "[", "{", "[{\"id\":1,\"ticket\":\"t\",\"reply\":\"r\"},", "id,ticket,reply\n", "\"id\",\"reply\"\r",
            "{\"id\":1,\"ticket\":\"t\",\"reply\":\"r\"}\n", "\u{feff}", "\u{1f}",
        ]),
        rest in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..64),
            r#"[\[\]{}",:\r\n\\ia1\t;]{0,48}"#.prop_map(String::into_bytes),
        ],
    ) {
        let folder = Folder::new();
        let path = folder.write("c", [start.as_bytes(), &rest].concat());
        if let Ok(dataset) = Dataset::open(&[path], LoadOptions::default()) {
            let pass = || dataset.records().expect("a pass").map(|record| record.expect("the same"));
            let records: Vec<Record> = pass().collect();
            prop_assert_eq!(records.len(), dataset.digest().n_records);
            let index = |record: &Record| match record {
                Record::Entry { place, .. } => place.index,
                Record::Skipped(skipped) | Record::Unanswered { skipped, .. } => skipped.index,
            };
            prop_assert!(records.iter().map(index).eq(0..records.len()));
            prop_assert!(pass().eq(records));
        }
    }
}
