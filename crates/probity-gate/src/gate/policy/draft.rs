//! A policy file proposed from texts, for a person to check.
//!
//! What a text grants, denies and states is found by the extraction that reads replies, and each proposal stands beside
//! the sentence that it comes from. Whom a source is for, since when, and what its figures are called is not proposed:
//! no text says it plainly. What always holds: a draft can be read as a policy file, and its facts list every remedy
//! that its texts grant.

use std::collections::BTreeSet;

use super::super::claim::{Claim, ClaimKind, Language, Languages, Polarity, extract};
use super::super::text::{sentence_at, sentence_spans};
use super::FactKind;
use super::read::PolicyFile;
use super::stated::fact;
use crate::json::write_string;

/// What stands at the top of a draft.
const HEAD: &str = "# A draft of `probity policy draft`, for a person to check: versions, from when a source counts, for whom, and
# whether each fact is one. A name for a figure is worth writing: windows = { return_window = \"30 days\" }.
";

/// How much of a sentence is repeated beside what was found in it, in characters.
const SENTENCE_CHARS_MAX: usize = 100;

/// The policy file that texts in Markdown or without any marks come to: a source for each section of the first two levels
/// of headings.
pub fn draft(files: &[PolicyFile<'_>], languages: &Languages) -> String {
    let mut ids = BTreeSet::new();
    let mut out = HEAD.to_owned();
    for file in files {
        for section in sections(file.text) {
            let id = unused_id(section.heading.unwrap_or_else(|| stem(file.name)), &mut ids);
            out += &format!("\n# From {}.\n", file.name.replace(char::is_control, " "));
            out += &source(&id, section.text.trim(), languages);
        }
    }
    out
}

/// A part of a text with the heading it stands under.
struct TextSection<'t> {
    heading: Option<&'t str>,
    text: String,
}

/// The sections of a text that say something. A heading inside a block of code is none.
fn sections(text: &str) -> Vec<TextSection<'_>> {
    let mut sections = vec![TextSection { heading: None, text: String::new() }];
    let mut is_code = false;
    for line in text.strip_prefix('\u{feff}').unwrap_or(text).lines() {
        is_code ^= line.trim_start().starts_with("```");
        let heading = line.strip_prefix("# ").or_else(|| line.strip_prefix("## ")).filter(|_| !is_code);
        match (heading, sections.last_mut()) {
            (None, Some(last)) => last.text.extend([line, "\n"]),
            _ => sections.push(TextSection { heading, text: String::new() }),
        }
    }
    sections.retain(|section| section.text.contains(char::is_alphanumeric));
    sections
}

fn stem(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The id of a source with this title, which none of `ids` is.
fn unused_id(title: &str, ids: &mut BTreeSet<String>) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.map(str::to_lowercase).collect::<Vec<_>>().join("-");
    let mut id = if words.is_empty() { "policy".to_owned() } else { words };
    while !ids.insert(id.clone()) {
        id += "-2";
    }
    id
}

/// One `[[source]]` with its facts.
fn source(id: &str, text: &str, languages: &Languages) -> String {
    let body: String = text.lines().map(|line| escaped(line) + "\n").collect();
    let mut out =
        format!("[[source]]\nid = \"{}\"\nversion = \"1\"\ntext = \"\"\"\n{body}\"\"\"\n", escaped(id));
    if languages.of(text).is_none() {
        out += "# There are no word lists for the language of this text: only figures were looked for.\n";
    }
    out += "[source.facts]\n";
    let sentences = sentence_spans(text);
    for (key, found) in proposals(text, Language::of(text, languages)) {
        let line = |Proposal { value, at, is_certain }: &Proposal| {
            let doubt = if *is_certain { "" } else { "# " };
            let sentence = &text[sentence_at(&sentences, *at)];
            format!("    {doubt}\"{}\", # {}\n", escaped(value), shortened(sentence))
        };
        out += &format!("{key} = [\n{}]\n", found.iter().map(line).collect::<String>());
    }
    out
}

/// A value that is proposed.
struct Proposal {
    value: String,
    /// Where in the text it stands.
    at: usize,
    /// Whether the text says so plainly. What is not certain is written as a comment.
    is_certain: bool,
}

/// What is proposed for each key of the facts, in the order of the text. Each value stands once.
fn proposals(text: &str, language: Language<'_>) -> Vec<(&'static str, Vec<Proposal>)> {
    let claims = extract(text, language.lexicon);
    let mut seen = BTreeSet::new();
    let mut proposed = |value: &dyn Fn(&Claim) -> Option<String>, is_certain| -> Vec<Proposal> {
        let found = claims.iter().filter_map(|claim| Some((value(claim)?, claim.span.start)));
        let new = found.filter(|(value, _)| seen.insert(value.clone()));
        new.map(|(value, at)| Proposal { value, at, is_certain }).collect()
    };
    let spoken = |wanted: Polarity| {
        move |claim: &Claim| match &claim.kind {
            ClaimKind::Remedy { remedy, polarity } => (*polarity == wanted).then(|| remedy.clone()),
            _ => None,
        }
    };
    // What is granted somewhere is not denied, and what is granted or denied is not only mentioned.
    let mut granted = proposed(&spoken(Polarity::Promised), true);
    let denied = proposed(&spoken(Polarity::Denied), true);
    granted.extend(proposed(&spoken(Polarity::Mentioned), false));
    let mut all = vec![("remedies", granted), ("forbidden_remedies", denied)];
    for kind in FactKind::ALL {
        let stated = |claim: &Claim| {
            let written = &text[claim.span.clone()];
            let is_it = FactKind::of(claim.value()?) == kind && fact(kind, None, written, language).is_some();
            is_it.then(|| written.to_owned())
        };
        all.push((kind.name(), proposed(&stated, true)));
    }
    all.retain(|(_, found)| !found.is_empty());
    all
}

/// The start of a sentence, on one line.
fn shortened(sentence: &str) -> String {
    let sentence = sentence.trim();
    let shown: String = sentence.chars().take(SENTENCE_CHARS_MAX).collect();
    let more = if shown.len() < sentence.len() { "…" } else { "" };
    shown.replace(char::is_control, " ") + more
}

/// A line as it stands between the quotes of a TOML text.
fn escaped(line: &str) -> String {
    let mut quoted = String::new();
    write_string(line, &mut quoted);
    quoted[1..quoted.len() - 1].replace('\u{7f}', "\\u007f")
}

#[allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]
#[cfg(test)]
mod tests {
    use expect_test::expect;
    use proptest::prelude::*;

    use super::super::read::read;
    use super::*;

    fn drafted(text: &str) -> String {
        draft(&[PolicyFile { name: "texts/shop \"one\".md", text }], Languages::built_in())
    }

    #[test]
    fn a_text_comes_to_sources_with_facts() {
        let text = "# Shop policy\n\n## Returns\nNew goods can be returned within 30 days, and we refund the price. \
                    A parcel back costs 4.90 EUR.\n## Refurbished \"devices\"\nThey are replaced under RPL-14. \
                    We do not refund them.\n## Returns\nWrite to help@shop.example.";
        expect![[r##"
            # From texts/shop "one".md.
            [[source]]
            id = "returns"
            version = "1"
            text = """
            New goods can be returned within 30 days, and we refund the price. A parcel back costs 4.90 EUR.
            """
            [source.facts]
            remedies = [
                "return", # New goods can be returned within 30 days, and we refund the price.
                "refund", # New goods can be returned within 30 days, and we refund the price.
            ]
            amounts = [
                "4.90 EUR", # A parcel back costs 4.90 EUR.
            ]
            windows = [
                "30 days", # New goods can be returned within 30 days, and we refund the price.
            ]

            # From texts/shop "one".md.
            [[source]]
            id = "refurbished-devices"
            version = "1"
            text = """
            They are replaced under RPL-14. We do not refund them.
            """
            [source.facts]
            remedies = [
                # "replacement", # They are replaced under RPL-14.
            ]
            forbidden_remedies = [
                "refund", # We do not refund them.
            ]
            codes = [
                "RPL-14", # They are replaced under RPL-14.
            ]

            # From texts/shop "one".md.
            [[source]]
            id = "returns-2"
            version = "1"
            text = """
            Write to help@shop.example.
            """
            # There are no word lists for the language of this text: only figures were looked for.
            [source.facts]
            contacts = [
                "help@shop.example", # Write to help@shop.example.
            ]
        "##]]
        .assert_eq(drafted(text).split_once("\n\n").expect("a head").1);
    }

    #[test]
    fn a_text_without_headings_is_one_source_and_a_foreign_one_says_so() {
        expect![[r##"
            # From texts/shop "one".md.
            [[source]]
            id = "shop-one"
            version = "1"
            text = """
            Zwrócimy Panu pełną kwotę w ciągu 14 dni.
            """
            # There are no word lists for the language of this text: only figures were looked for.
            [source.facts]
        "##]]
        .assert_eq(
            drafted("Zwrócimy Panu pełną kwotę w ciągu 14 dni.").split_once("\n\n").expect("a head").1,
        );
        assert!(!drafted(" \n# Title\n").contains("[[source]]"));
    }

    proptest! {
        /// Whatever a text holds, its draft can be read, and lists what the text grants.
        #[test]
        fn a_draft_can_be_read(parts in prop::collection::vec(prop::sample::select(vec![
            "We refund the price.", "Refunds are not possible.", " within 30 days", " 5 EUR", " 15 %", "\n# Returns\n",
            "\n## A-2\n", "\"\"\"", "\\", "\u{7f}", "\r", "\t", "RPL-14", "```\n# x\n", " shop.example/a ", "We replace it.", "\u{85}", "é ",
        ]), 1..30)) {
            let text = parts.concat();
            let drafted = drafted(&text);
            if drafted.contains("[[source]]") {
                let read = read(&[PolicyFile { name: "draft", text: &drafted }], Languages::built_in());
                let read = read.map_err(|problems| TestCaseError::fail(format!("{problems:?} in {drafted}")))?;
                prop_assert!(read.warnings.iter().all(|found| !found.problem.message.contains("grants")), "{}", drafted);
            }
        }
    }
}
