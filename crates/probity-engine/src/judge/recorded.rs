//! A judge that only repeats what was recorded: verdicts from a file, never a call.
//!
//! Verdicts are found by the packet's hash, or by the id of the case and the criterion; those about two replies
//! by the hash alone. What is handed out
//! is the JSON text a judge would have written, and it goes through the same parser as any answer; no level
//! is checked or corrected here.
//!
//! What always holds: one key has one verdict. A file that says two things about one key is refused.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Read;

use probity_core::json::{Json, JsonError, Object, Tolerance, parse_with};
use probity_core::packet::AnswerForm;
use probity_core::rubric::CriterionId;

use super::Question;

/// The verdicts of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    by_packet: BTreeMap<String, Record>,
    /// By case and criterion, then by variant.
    by_case: BTreeMap<(String, String), BTreeMap<Option<String>, Record>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Record {
    answer: Json,
    /// Where in the file it is, such as `line 3`.
    place: String,
}

/// Why a file of verdicts cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    /// The bytes could not be read.
    #[error("could not read the verdicts in {path}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A line is not JSON.
    #[error("{path}, line {line}: expected a JSON object")]
    NotJson {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: JsonError,
    },
    /// A record does not say what it is a verdict on, has none, or says something else than an earlier one.
    #[error("{path}{problem}")]
    Unfit {
        /// The file.
        path: String,
        /// The record, and what was expected.
        problem: String,
    },
}

impl Recorded {
    /// Reads the file shown as `path_shown`: JSON lines, or the results file of a run.
    pub fn read(path_shown: &str, mut reader: impl Read) -> Result<Recorded, RecordedError> {
        let mut text = String::new();
        let path = path_shown.to_owned();
        reader.read_to_string(&mut text).map_err(|source| RecordedError::Read { path, source })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut reading = RecordReading { path: path_shown, recorded: Recorded::default() };
        if let Some(results) = results_file(text) {
            for (index, result) in results.iter().enumerate() {
                reading.take(result, format!("results[{index}]"))?;
            }
        } else {
            for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                reading.take(&reading.json(line, index + 1)?, format!("line {}", index + 1))?;
            }
        }
        Ok(reading.recorded)
    }

    /// What a judge would have answered, or `None` where nothing was recorded for every criterion asked.
    ///
    /// Without a variant, verdicts on several variants of a case cannot be told apart and count as none.
    pub fn answer(&self, question: &Question) -> Option<String> {
        let (ask, hash) = (question.packet.ask(), question.packet.hash().to_string());
        if ask.form() == AnswerForm::Preference {
            // Which reply stood in which slot is said by nothing but the packet.
            return self.by_packet.get(&hash).map(|record| record.answer.canonical());
        }
        let criteria: Vec<&CriterionId> = ask.criteria().iter().map(|each| &each.id).collect();
        self.find(&hash, &question.case_id, question.variant.as_deref(), &criteria)
    }

    fn find(
        &self,
        packet: &str,
        case_id: &str,
        variant: Option<&str>,
        criteria: &[&CriterionId],
    ) -> Option<String> {
        if let Some(record) = self.by_packet.get(packet) {
            return Some(record.answer.canonical());
        }
        let of = |criterion: &CriterionId| {
            let variants = self.by_case.get(&(case_id.to_owned(), criterion.to_string()))?;
            let exactly = variants.get(&variant.map(str::to_owned)).or_else(|| variants.get(&None));
            let only = || variants.values().next().filter(|_| variant.is_none() && variants.len() == 1);
            exactly.or_else(only).map(|record| record.answer.clone())
        };
        match criteria {
            [only] => of(only).map(|answer| answer.canonical()),
            several => {
                let members: Option<Vec<_>> =
                    several.iter().map(|each| Some((each.as_str(), of(each)?))).collect();
                Some(Json::object(members?).canonical())
            }
        }
    }
}

/// The elements of `results`, if `text` is the results file of a run.
fn results_file(text: &str) -> Option<Vec<Json>> {
    let (json, _) = parse_with(text, Tolerance::LoneSurrogates).ok()?;
    json.get("results").and_then(Json::as_array).map(<[Json]>::to_vec)
}

struct RecordReading<'a> {
    path: &'a str,
    recorded: Recorded,
}

impl RecordReading<'_> {
    fn json(&self, line: &str, number: usize) -> Result<Json, RecordedError> {
        let not_json = |source| RecordedError::NotJson { path: self.path.to_owned(), line: number, source };
        parse_with(line, Tolerance::LoneSurrogates).map(|(json, _)| json).map_err(not_json)
    }

    fn unfit(&self, place: &str, message: &str) -> RecordedError {
        RecordedError::Unfit { path: self.path.to_owned(), problem: format!(", {place}: {message}") }
    }

    fn take(&mut self, json: &Json, place: String) -> Result<(), RecordedError> {
        let object = json.as_object().ok_or_else(|| self.unfit(&place, "expected a JSON object"))?;
        if let Some(packet) = object.get("packet") {
            return self.take_packet(packet, object, place);
        }
        let id = object.get("id").and_then(name);
        let id =
            id.ok_or_else(|| self.unfit(&place, "expected \"packet\" or \"id\" to say what it is about"))?;
        let variant = object.get("variant").and_then(name);
        if let Some(criterion) = object.get("criterion") {
            let criterion =
                criterion.as_str().ok_or_else(|| self.unfit(&place, "expected a text as \"criterion\""))?;
            if object.get("score").is_none() {
                return Err(self.unfit(&place, "expected a \"score\" beside \"criterion\""));
            }
            let answer = without(object, &["id", "criterion", "variant"]);
            return self.put_case((id, criterion.to_owned()), variant, Record { answer, place });
        }
        for (criterion, verdict) in object.iter() {
            // A results line also has objects that are no verdicts, and criteria without a level.
            let is_verdict = verdict.get("score").is_some_and(|score| *score != Json::Null);
            if is_verdict && CriterionId::new(criterion).is_some() {
                // A results file has more than the judge said.
                let said = |object: &Object| without(object, &["points", "repairs", "suspicions"]);
                let answer = verdict.as_object().map_or_else(|| verdict.clone(), said);
                let record = Record { answer, place: place.clone() };
                self.put_case((id.clone(), criterion.to_owned()), variant.clone(), record)?;
            }
        }
        Ok(())
    }

    fn take_packet(&mut self, packet: &Json, object: &Object, place: String) -> Result<(), RecordedError> {
        let hash = packet.as_str().map(str::to_ascii_lowercase);
        let is_hash = |hash: &String| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hash = hash.filter(is_hash);
        let hash = hash.ok_or_else(|| self.unfit(&place, "expected 64 hexadecimal digits as \"packet\""))?;
        let key = format!("packet {hash}");
        let record = Record { answer: without(object, &["packet", "id", "variant"]), place };
        put(self.path, self.recorded.by_packet.entry(hash), record, &key)
    }

    fn put_case(
        &mut self,
        (id, criterion): (String, String),
        variant: Option<String>,
        record: Record,
    ) -> Result<(), RecordedError> {
        let of = variant.as_ref().map_or(String::new(), |variant| format!(" of variant {variant:?}"));
        let key = format!("{criterion:?} of case {id:?}{of}");
        let variants = self.recorded.by_case.entry((id, criterion)).or_default();
        put(self.path, variants.entry(variant), record, &key)
    }
}

fn put<K: Ord>(
    path: &str,
    slot: Entry<'_, K, Record>,
    record: Record,
    key: &str,
) -> Result<(), RecordedError> {
    match slot {
        Entry::Vacant(slot) => {
            slot.insert(record);
        }
        Entry::Occupied(slot) if slot.get().answer.canonical() != record.answer.canonical() => {
            let (first, second) = (&slot.get().place, record.place);
            let problem = format!(": {first} and {second} differ about {key}, expected one verdict for each");
            return Err(RecordedError::Unfit { path: path.to_owned(), problem });
        }
        Entry::Occupied(_) => {}
    }
    Ok(())
}

/// A text, or a number as it was written: some files number their cases.
fn name(json: &Json) -> Option<String> {
    match json {
        Json::String(text) | Json::Number(text) => Some(text.clone()),
        _ => None,
    }
}

fn without(object: &Object, keys: &[&str]) -> Json {
    let rest = object.iter().filter(|(key, _)| !keys.contains(key));
    Json::object(rest.map(|(key, value)| (key, value.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    fn read(text: &str) -> Result<Recorded, String> {
        Recorded::read("v.jsonl", text.as_bytes()).map_err(|error| error.to_string())
    }

    /// Looks up `criteria` of case `t1` (by hash as well) and compares the answer, `-` for none.
    #[track_caller]
    fn check(text: &str, variant: Option<&str>, criteria: &[&str], want: &str) {
        let ids: Vec<CriterionId> = criteria.iter().map(|id| CriterionId::new(*id).expect("an id")).collect();
        let recorded = read(text).expect("a file that can be used");
        let answer = recorded.find(HASH, "t1", variant, &ids.iter().collect::<Vec<_>>());
        assert_eq!(answer.as_deref().unwrap_or("-"), want);
    }

    #[track_caller]
    fn check_error(text: &str, want: &str) {
        assert_eq!(read(text).expect_err("a file that cannot be used"), want);
    }

    #[test]
    fn by_packet() {
        let line = format!("{{\"packet\": \"{HASH}\", \"score\": 4, \"reasoning\": \"r\"}}\n");
        check(&line, None, &["tone"], r#"{"reasoning":"r","score":4}"#);
        check(
            &line.to_uppercase().replace("PACKET", "packet"),
            None,
            &["tone"],
            r#"{"REASONING":"R","SCORE":4}"#,
        );
        check(&line.replace("00112233445566778899", "ff112233445566778899"), None, &["tone"], "-");
    }

    #[test]
    fn by_case_and_criterion() {
        let text = "\u{feff}{\"id\":\"t1\",\"criterion\":\"tone\",\"score\":2,\"reasoning\":\"r\"}\r\n\n";
        check(text, None, &["tone"], r#"{"reasoning":"r","score":2}"#);
        check(text, Some("a"), &["tone"], r#"{"reasoning":"r","score":2}"#);
        check(text, None, &["relevance"], "-");
        check(text, None, &["tone", "relevance"], "-");
    }

    #[test]
    fn a_results_line() {
        let text = r#"{"id":"t1","slice":"s","outcome":"pass","total":80,"gate":{"status":"admitted"},
            "tone":{"score":5,"reasoning":"a"},"relevance":{"score":1,"reasoning":"b"},"safety":{"score":null}}"#;
        let line = text.replace('\n', " ");
        check(&line, None, &["tone"], r#"{"reasoning":"a","score":5}"#);
        let both = r#"{"relevance":{"reasoning":"b","score":1},"tone":{"reasoning":"a","score":5}}"#;
        check(&line, None, &["tone", "relevance"], both);
        check(&line, None, &["safety"], "-");
        check(&line, None, &["gate"], "-");
    }

    #[test]
    fn a_whole_results_file() {
        let text =
            "{\n \"results\": [\n  {\"id\": \"t1\", \"tone\": {\"score\": 3}}\n ],\n \"skipped\": []\n}\n";
        check(text, None, &["tone"], r#"{"score":3}"#);
    }

    #[test]
    fn variants_are_told_apart() {
        let line = |variant: &str, score: u8| {
            format!("{{\"id\":\"t1\",\"variant\":\"{variant}\",\"criterion\":\"tone\",\"score\":{score}}}\n")
        };
        let text = line("a", 1) + &line("b", 2);
        check(&text, Some("b"), &["tone"], r#"{"score":2}"#);
        check(&text, Some("c"), &["tone"], "-");
        check(&text, None, &["tone"], "-");
        check(&line("a", 1), None, &["tone"], r#"{"score":1}"#);
    }

    #[test]
    fn the_answer_is_not_corrected() {
        check(r#"{"id":"t1","criterion":"tone","score":"4.50"}"#, None, &["tone"], r#"{"score":"4.50"}"#);
        check(r#"{"id":"t1","criterion":"tone","score":9e9}"#, None, &["tone"], r#"{"score":9e9}"#);
    }

    #[test]
    fn one_key_has_one_verdict() {
        let first = r#"{"id":"t1","criterion":"tone","score":4}"#;
        check(&format!("{first}\n{first}\n"), None, &["tone"], r#"{"score":4}"#);
        check_error(
            &format!("{first}\n\n{}\n", first.replace('4', "5")),
            "v.jsonl: line 1 and line 3 differ about \"tone\" of case \"t1\", expected one verdict for each",
        );
        check_error(
            r#"{"results":[{"id":1,"tone":{"score":4}},{"id":"1","tone":{"score":5}}]}"#,
            "v.jsonl: results[0] and results[1] differ about \"tone\" of case \"1\", expected one verdict for each",
        );
    }

    #[test]
    fn lines_that_say_nothing() {
        check_error("{\"id\":\"t1\"", "v.jsonl, line 1: expected a JSON object");
        check_error("{\"id\":1,\"id\":2}", "v.jsonl, line 1: expected a JSON object");
        check_error("[1]", "v.jsonl, line 1: expected a JSON object");
        check_error(
            "{\"score\":4}",
            "v.jsonl, line 1: expected \"packet\" or \"id\" to say what it is about",
        );
        check_error(
            "{\"packet\":\"abc\",\"score\":4}",
            "v.jsonl, line 1: expected 64 hexadecimal digits as \"packet\"",
        );
        check_error(
            "{\"id\":\"t1\",\"criterion\":\"tone\"}",
            "v.jsonl, line 1: expected a \"score\" beside \"criterion\"",
        );
    }

    #[test]
    fn an_empty_file_has_no_verdicts() {
        assert_eq!(read("").expect("an empty file"), Recorded::default());
    }

    #[test]
    fn bytes_that_are_not_text() {
        let error = Recorded::read("v.jsonl", &b"\xff\xfe"[..]).expect_err("not text");
        assert_eq!(error.to_string(), "could not read the verdicts in v.jsonl");
    }
}
