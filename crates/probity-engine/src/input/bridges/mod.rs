//! Every sample of other tools' files, read and compared with what an independent reader got of it.
//!
//! The samples are read from the folder that `PROBITY_BRIDGES` names; without it the tests say that they did not run.

mod figures;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use probity_core::case::Role;
use probity_core::json::{Json, Object, parse};

use super::field::{Vocabulary, object};
use super::foreign::{
    FileContext, ForeignCase, ForeignScore, ForeignVerdict, Read, as_text, form, list_at, text_at,
};
use super::gather::gather;
use super::reader::{FileReader, RecordText};
use super::source::DataFile;
use super::{AgentTurns, Dataset, LoadOptions, Record};

/// The folder of samples, or a line that says that there is none.
fn samples() -> Option<PathBuf> {
    let folder = std::env::var_os("PROBITY_BRIDGES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: PROBITY_BRIDGES does not name the folder of samples");
    }
    folder
}

/// Files that are read together, and what is expected of them.
struct Sample {
    folder: &'static str,
    /// What it is called in `expected.json`, and in `expected.cases.jsonl`.
    name: &'static str,
    cases: &'static str,
    files: &'static [&'static str],
    /// Where the slice was looked for.
    map: Option<&'static str>,
}

const fn one(folder: &'static str, files: &'static [&'static str]) -> Sample {
    Sample { folder, name: files[0], cases: files[0], files, map: None }
}

const ZENDESK: Option<&str> = Some("slice=custom_fields[id=360001].value");
const FRESHDESK: Option<&str> = Some("slice=custom_fields.cf_intent");
const INTERCOM: Option<&str> = Some("slice=custom_attributes.Intent");

const SAMPLES: &[Sample] = &[
    one("chat-transcripts", &["anthropic-conversations.json"]),
    one("chat-transcripts", &["anthropic-request-response.jsonl"]),
    one("chat-transcripts", &["openai-chat.jsonl"]),
    one("chat-transcripts", &["tau-airline.real.json"]),
    Sample {
        name: "output_items.page*.json",
        cases: "output_items.page*.json",
        ..one("openai-evals", &["output_items.page1.json", "output_items.page2.json"])
    },
    one("openai-evals", &["dashboard-items.jsonl"]),
    one("openai-evals", &["dashboard-items.real.jsonl"]),
    one("promptfoo", &["rated.json"]),
    one("promptfoo", &["results.json"]),
    one("promptfoo", &["results.jsonl"]),
    one("promptfoo", &["sample-export.real.json"]),
    one("deepeval", &["goldens.real.json"]),
    one("deepeval", &["goldens_multi_turn.real.json"]),
    one("deepeval", &["test_run_multi_turn.json"]),
    one("deepeval", &["test_run_sample.real.json"]),
    one("deepeval", &["test_run_single_turn.json"]),
    one("inspect", &["log_formats.real.eval"]),
    one("inspect", &["log_formats.real.json"]),
    one("inspect", &["popularity-unscored.real.eval"]),
    one("inspect", &["support-v1.zstd.eval"]),
    one("inspect", &["support-v1.zstd-frames.eval"]),
    one("inspect", &["support-v1-edited.zstd.eval"]),
    one("inspect", &["support-v2.json"]),
    one("langfuse", &["trace-openai-agents.real.json"]),
    one("langfuse", &["trace-pydantic-ai.real.json"]),
    one("langfuse", &["dataset-items.json"]),
    Sample {
        name: "observations-v2.json + scores-v3.json",
        cases: "observations-v2.json + scores-v3.json",
        ..one("langfuse", &["observations-v2.json", "scores-v3.json"])
    },
    one("openinference", &["otlp.json"]),
    Sample { cases: "otlp.json", ..one("openinference", &["otlp.jsonl"]) },
    Sample {
        name: "phoenix-spans.json + phoenix-span-annotations.json",
        cases: "phoenix-spans.json + phoenix-span-annotations.json",
        ..one("openinference", &["phoenix-spans.json", "phoenix-span-annotations.json"])
    },
    one("otel-genai", &["otlp.json"]),
    Sample { cases: "otlp.json", ..one("otel-genai", &["otlp.jsonl"]) },
    Sample { cases: "otlp.json", ..one("otel-genai", &["sdk-console.json"]) },
    Sample {
        name: "otlp.json + otlp-logs.json",
        cases: "otlp.json + otlp-logs.json",
        ..one("otel-genai", &["otlp.json", "otlp-logs.json"])
    },
    Sample {
        name: "tickets.json + comments/*.json + users.json + satisfaction_ratings.json",
        map: ZENDESK,
        ..one("zendesk", &["tickets.json", "comments/", "users.json", "satisfaction_ratings.json"])
    },
    Sample { map: ZENDESK, ..one("zendesk", &["export.ndjson"]) },
    Sample {
        name: "tickets.real.json + ticket_comments.real.json (of ticket 2)",
        map: ZENDESK,
        ..one("zendesk", &["tickets.real.json", "ticket_comments.real.json"])
    },
    Sample { map: INTERCOM, ..one("intercom", &["conversation.real.json"]) },
    Sample { map: INTERCOM, ..one("intercom", &["conversations.json"]) },
    Sample {
        name: "tickets-with-conversations.json + satisfaction_ratings.json",
        map: FRESHDESK,
        ..one("freshdesk", &["tickets-with-conversations.json", "satisfaction_ratings.json"])
    },
    Sample {
        name: "ticket_1.real.json + conversations.real.json",
        map: FRESHDESK,
        ..one("freshdesk", &["ticket_1.real.json", "conversations.real.json"])
    },
];

/// What was read of a sample.
struct Found {
    cases: Vec<ForeignCase>,
    frame: Json,
    /// How many records were no cases, by what they are.
    beside: BTreeMap<&'static str, usize>,
    n_spans_passed_over: usize,
}

impl Sample {
    /// Its files, in a folder where a page of comments is named after its ticket.
    fn paths(&self, root: &Path, scratch: &Path) -> Vec<PathBuf> {
        let folder = root.join(self.folder);
        let mut paths = Vec::new();
        for file in self.files {
            match *file {
                "comments/" => {
                    let listed = std::fs::read_dir(folder.join(file)).expect("a folder of comments");
                    paths.extend(listed.map(|entry| entry.expect("an entry").path()));
                }
                "ticket_comments.real.json" => {
                    let renamed = scratch.join("2.json");
                    std::fs::copy(folder.join(file), &renamed).expect("copied");
                    paths.push(renamed);
                }
                name => paths.push(folder.join(name)),
            }
        }
        paths
    }

    fn options(&self) -> LoadOptions {
        let map = self.map.unwrap_or_default().parse().expect("a map");
        LoadOptions { map, ..LoadOptions::default() }
    }

    fn read(&self, root: &Path) -> Found {
        let scratch = tempfile::tempdir().expect("a folder");
        read(&self.paths(root, scratch.path()), &self.options())
    }
}

fn read(paths: &[PathBuf], options: &LoadOptions) -> Found {
    let files: Vec<DataFile> =
        paths.iter().map(|path| DataFile::find(path, options).expect("a file")).collect();
    let pieces = gather(&files, options).expect("gathered");
    let mut found =
        Found { cases: Vec::new(), frame: Json::Null, beside: BTreeMap::new(), n_spans_passed_over: 0 };
    for file in &files {
        let mut reader = FileReader::open(file, options, Vocabulary::Cases).expect("opened");
        let frame = std::mem::replace(&mut reader.frame, Json::Null);
        for index in 0.. {
            let context = FileContext { frame: &frame, pieces: &pieces, options, index };
            let next = reader.next(|text, _| {
                let RecordText::Object(text) = text else { panic!("a table") };
                let record = object(text)?;
                let form = form(&record).unwrap_or_else(|| panic!("{}: not known: {text:.200}", file.name()));
                Ok(form.read(record, &context))
            });
            let Ok(Some(parsed)) = next else { break };
            match parsed.outcome.unwrap_or_else(|refused| panic!("{}: {}", file.name(), refused.reason.text))
            {
                Read::Cases(cases) => found.cases.extend(cases),
                Read::Beside(what) | Read::Joined { what, .. } | Read::Nothing(what) => {
                    *found.beside.entry(what).or_default() += 1;
                }
                Read::Spans { cases, n_passed_over } => {
                    found.cases.extend(cases);
                    found.n_spans_passed_over += n_passed_over;
                }
            }
        }
        if found.frame == Json::Null {
            found.frame = frame;
        }
    }
    found
}

fn expected(root: &Path, sample: &Sample) -> Json {
    let text =
        std::fs::read_to_string(root.join(sample.folder).join("expected.json")).expect("expected.json");
    let all = parse(&text).expect("JSON");
    all.get("files").and_then(|files| files.get(sample.name)).expect("the sample is expected").clone()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "filters references")]
fn is_scored(verdict: &&ForeignVerdict) -> bool {
    matches!(verdict.said, ForeignScore::Scored { .. })
}

/// The counts of a sample, by the names of `expected.json`.
fn counts(sample: &Sample, found: &Found) -> BTreeMap<&'static str, usize> {
    let used: Vec<&ForeignCase> = found.cases.iter().filter(|case| case.skip().is_none()).collect();
    let replied: Vec<&&ForeignCase> = used.iter().filter(|case| case.conversation.reply.is_some()).collect();
    let turns = |role: Role| {
        replied.iter().flat_map(|case| case.conversation.before()).filter(|turn| turn.role == role).count()
    };
    let sum = |number: fn(&ForeignCase) -> usize| used.iter().map(|case| number(case)).sum::<usize>();
    let scored = |case: &ForeignCase| case.beside.verdicts.iter().filter(is_scored).count();
    let n_scored: usize = replied.iter().map(|case| scored(case)).sum();
    // A call stands in the output of one span and in the input of the next.
    let is_trace = matches!(sample.folder, "otel-genai" | "openinference");
    let calls = used.iter().enumerate().flat_map(|(n, case)| {
        let of = if is_trace { 0 } else { n };
        case.conversation.calls.iter().map(move |placed| (of, placed.call.id.clone()))
    });
    let mut counts = BTreeMap::from([
        ("cases", used.iter().map(|case| &*case.id).collect::<HashSet<_>>().len()),
        ("replies", replied.len()),
        ("turns", turns(Role::Customer) + turns(Role::Agent)),
        ("turns_customer", turns(Role::Customer)),
        ("turns_agent", turns(Role::Agent)),
        ("tool_calls", calls.collect::<HashSet<_>>().len()),
        ("references", sum(|case| usize::from(case.reference.is_some()))),
        ("labels", sum(|case| case.beside.labels.len())),
        ("foreign_verdicts", n_scored),
        (
            "foreign_verdicts_without_reply",
            sum(|case| case.beside.verdicts.iter().filter(is_scored).count()) - n_scored,
        ),
        ("foreign_unscored", sum(|case| case.beside.verdicts.iter().filter(|one| !is_scored(one)).count())),
        ("outcomes", sum(|case| case.beside.outcomes.len())),
        (
            "empty_replies",
            replied
                .iter()
                .filter(|case| case.conversation.reply_text().unwrap_or_default().trim().is_empty())
                .count(),
        ),
        (
            "turns_after_reply",
            sum(|case| case.conversation.reply.map_or(0, |at| case.conversation.turns.len() - at - 1)),
        ),
        ("notes", sum(|case| case.beside.notes.len())),
        ("private_notes_left_out", found.cases.iter().map(|case| case.beside.n_private).sum()),
        ("redacted_parts", found.cases.iter().map(|case| case.beside.n_redacted).sum()),
        (
            "replies_by_ai",
            replied.iter().filter(|case| case.by_bot(case.conversation.reply) == Some(true)).count(),
        ),
        ("replies_if_every_public_agent_comment_counts", sum(|case| case.conversation.answers().count())),
    ]);
    let inside = found.beside.get("observations inside traces").copied().unwrap_or_default();
    counts.insert("records", found.cases.len() + found.n_spans_passed_over + inside);
    let evidence = |case: &ForeignCase| case.context.len() + titles(case).len();
    let shown = used.iter().filter(|case| !is_trace || case.conversation.reply.is_some());
    counts.insert("evidence", shown.map(|case| evidence(case)).sum());
    counts
}

/// Sources that are named without a text.
fn titles(case: &ForeignCase) -> Vec<String> {
    let lists = case.fields.iter().filter(|(field, _)| field.native() == "evidence");
    lists.flat_map(|(_, list)| list.as_array().unwrap_or_default()).map(as_text).collect()
}

#[test]
fn n31_every_sample_has_the_counts_that_are_expected() {
    let Some(root) = samples() else { return };
    for sample in SAMPLES {
        let (found, want) = (sample.read(&root), expected(&root, sample));
        for (name, got) in counts(sample, &found) {
            if let Some(want) = want.get(name).and_then(Json::as_u64) {
                assert_eq!(got as u64, want, "{} {}: {name}", sample.folder, sample.name);
            }
        }
        let reasons: BTreeSet<String> = reasons(&want, "no_reply").chain(reasons(&want, "skipped")).collect();
        let got = found.cases.iter().filter_map(|case| {
            let no_reply = case.no_reply().filter(|_| case.conversation.reply.is_none());
            Some(format!("{}: {}", case.id, case.skip().or(no_reply)?))
        });
        assert_eq!(got.collect::<BTreeSet<_>>(), reasons, "{} {}", sample.folder, sample.name);
        if let Some(n) = want.get("spans_passed_over") {
            let n: u64 = n.as_u64().unwrap_or_else(|| {
                n.as_object().expect("by kind").iter().filter_map(|(_, n)| n.as_u64()).sum()
            });
            assert_eq!(found.n_spans_passed_over as u64, n, "{} {}", sample.folder, sample.name);
        }
        let unattached =
            found.beside.iter().find(|(what, _)| what.contains("of no reply")).map_or(0, |(_, n)| *n);
        assert_eq!(unattached, list_at(&want, "scores_not_of_a_reply").len(), "{}", sample.name);
    }
}

fn reasons<'a>(want: &'a Json, name: &str) -> impl Iterator<Item = String> + 'a {
    let listed = list_at(want, name).iter();
    listed.map(|one| {
        format!(
            "{}: {}",
            text_at(one, &["id"]).unwrap_or_default(),
            text_at(one, &["reason"]).unwrap_or_default()
        )
    })
}

#[test]
fn n31_every_case_of_every_sample_is_what_is_expected() {
    let Some(root) = samples() else { return };
    for sample in SAMPLES {
        let text =
            std::fs::read_to_string(root.join(sample.folder).join("expected.cases.jsonl")).expect("cases");
        let all = text.lines().map(|line| parse(line).expect("JSON"));
        let mut want: Vec<String> = all
            .filter(|case| text_at(case, &["file"]).as_deref() == Some(sample.cases))
            .map(|case| written(&case))
            .collect();
        let found = sample.read(&root);
        let used = found.cases.iter().filter(|case| case.skip().is_none());
        let mut got: Vec<String> = used.map(|case| written(&as_expected(case, sample.folder))).collect();
        want.sort();
        got.sort();
        for (got, want) in got.iter().zip(&want) {
            assert_eq!(got, want, "{} {}", sample.folder, sample.name);
        }
        assert_eq!(got.len(), want.len(), "{} {}", sample.folder, sample.name);
    }
}

/// A case by its parts, a line each; order inside lists of verdicts does not matter.
fn written(case: &Json) -> String {
    let mut lines = Vec::new();
    for name in ["id", "variant", "slice", "reference", "turns", "reply", "evidence"] {
        lines.push(format!("{name}: {}", case.get(name).map_or_else(String::new, Json::canonical)));
    }
    for name in ["labels", "verdicts", "unscored", "outcomes"] {
        let mut items: Vec<String> =
            list_at(case, name).iter().map(|item| without_nulls(item).canonical()).collect();
        items.sort();
        lines.push(format!("{name}: {}", items.join(" ")));
    }
    lines.join("\n")
}

fn without_nulls(json: &Json) -> Json {
    let members = json.as_object().into_iter().flat_map(Object::iter);
    Json::object(
        members.filter(|(_, value)| **value != Json::Null).map(|(name, value)| (name, value.clone())),
    )
}

/// A case in the form of `expected.cases.jsonl`. What that does not have is left out.
fn as_expected(case: &ForeignCase, folder: &str) -> Json {
    let maybe = |text: &Option<String>| text.as_ref().map_or(Json::Null, Json::text);
    let turn = |turn: &probity_core::case::Turn| {
        Json::object([("role", Json::text(turn.role.name())), ("text", Json::text(&*turn.text))])
    };
    let is_trace = matches!(folder, "otel-genai" | "openinference");
    let shown = !is_trace || case.conversation.reply.is_some();
    let evidence = case.context.iter().cloned().chain(titles(case)).filter(|_| shown).map(Json::String);
    let labels = case.beside.labels.iter().map(|label| {
        let at = if folder == "inspect" { maybe(&label.at) } else { Json::Null };
        let comment = if folder == "promptfoo" { maybe(&label.comment) } else { Json::Null };
        Json::object([
            ("criterion", maybe(&label.criterion)),
            ("annotator", maybe(&label.annotator)),
            ("label", label.label.clone()),
            ("comment", comment),
            ("at", at),
        ])
    });
    let judge = |verdict: &ForeignVerdict| ("judge", Json::text(&*verdict.judge));
    let scored = case.beside.verdicts.iter().filter_map(|verdict| match &verdict.said {
        ForeignScore::Scored { score, label, passed } => Some(Json::object([
            judge(verdict),
            ("score", score.clone().unwrap_or(Json::Null)),
            ("label", maybe(label)),
            ("passed", passed.map_or(Json::Null, Json::Bool)),
        ])),
        ForeignScore::Unscored { .. } => None,
    });
    let unscored = case.beside.verdicts.iter().filter_map(|verdict| match &verdict.said {
        ForeignScore::Scored { .. } => None,
        ForeignScore::Unscored { error } => Some(Json::object([judge(verdict), ("error", maybe(error))])),
    });
    let outcomes = case.beside.outcomes.iter().map(|one| Json::object([(one.kind, one.value.clone())]));
    Json::object([
        ("id", Json::text(&*case.id)),
        ("variant", maybe(&case.variant)),
        ("slice", maybe(&case.slice)),
        ("reference", maybe(&case.reference)),
        ("turns", Json::Array(case.conversation.before().iter().map(turn).collect())),
        ("reply", case.conversation.reply_text().map_or(Json::Null, Json::text)),
        ("evidence", Json::Array(evidence.collect())),
        ("labels", Json::Array(labels.collect())),
        ("verdicts", Json::Array(scored.collect())),
        ("unscored", Json::Array(unscored.collect())),
        ("outcomes", Json::Array(outcomes.collect())),
    ])
}

/// What a help desk's files say that no customer may read: private notes, and how agents are reached.
fn private_texts(json: &Json, found: &mut Vec<String>) {
    match json {
        Json::Array(items) => items.iter().for_each(|item| private_texts(item, found)),
        Json::Object(object) => {
            let is = |name: &str, value: &Json| object.get(name) == Some(value);
            let is_note = is("public", &Json::Bool(false)) || is("private", &Json::Bool(true));
            if is_note || text_at(json, &["part_type"]).is_some_and(|kind| kind.starts_with("note")) {
                let bodies = ["body", "html_body", "plain_body", "body_text"];
                found.extend(bodies.iter().filter_map(|name| text_at(json, &[name])));
                let plain = text_at(json, &["body"]).map(|body| body.replace("<p>", "").replace("</p>", ""));
                found.extend(plain.map(|plain| plain.replace("<div>", "").replace("</div>", "")));
            }
            let role = text_at(json, &["role", "type"]);
            if matches!(role.as_deref(), Some("agent" | "admin" | "bot")) {
                found.extend(text_at(json, &["email"]));
            }
            let desk = text_at(json, &["support_email"]).unwrap_or_default();
            let sender = text_at(json, &["from_email"]).filter(|_| is("incoming", &Json::Bool(false)));
            let sender = sender.filter(|sender| desk.is_empty() || !sender.contains(&desk));
            found.extend(sender.map(|sender| sender.split(['<', '>']).nth(1).unwrap_or(&sender).to_owned()));
            object.iter().for_each(|(_, value)| private_texts(value, found));
        }
        _ => {}
    }
}

#[test]
fn n31_nothing_private_of_a_help_desk_is_in_a_case_or_kept() {
    let Some(root) = samples() else { return };
    let desks = ["zendesk", "intercom", "freshdesk"];
    for sample in SAMPLES.iter().filter(|sample| desks.contains(&sample.folder)) {
        let scratch = tempfile::tempdir().expect("a folder");
        let paths = sample.paths(&root, scratch.path());
        let mut private = Vec::new();
        for path in &paths {
            let text = std::fs::read_to_string(path).expect("read");
            match parse(&text) {
                Ok(json) => private_texts(&json, &mut private),
                Err(_) => {
                    for line in text.lines() {
                        private_texts(&parse(line).expect("JSON"), &mut private);
                    }
                }
            }
        }
        for turns in [AgentTurns::Last, AgentTurns::Each] {
            let dataset = Dataset::open(&paths, LoadOptions { turns, ..sample.options() }).expect("read");
            for annotated in dataset.annotated().expect("a pass") {
                let annotated = annotated.expect("a record");
                let beside = annotated.beside.expect("a foreign record");
                let mut shown = beside.kept.as_ref().map_or_else(String::new, Json::canonical);
                shown += &match &annotated.record {
                    Record::Entry { entry, .. } => format!("{entry:?}"),
                    Record::Unanswered { case, .. } => format!("{case:?}"),
                    Record::Skipped(_) => String::new(),
                };
                assert_nothing_of(&private, &shown, sample.name);
            }
            for joined in dataset.joined() {
                let kept = joined.expect("a record").kept.map_or_else(String::new, |kept| kept.canonical());
                assert_nothing_of(&private, &kept, sample.name);
            }
            for (_, frame) in dataset.frames() {
                assert_nothing_of(&private, &frame.canonical(), sample.name);
            }
        }
    }
}

#[track_caller]
fn assert_nothing_of(private: &[String], shown: &str, name: &str) {
    for text in private {
        assert!(!shown.contains(text.as_str()), "{name}: {text:?} in {shown}");
    }
}

#[test]
fn n31_every_sample_is_a_data_set() {
    let Some(root) = samples() else { return };
    for sample in SAMPLES {
        let scratch = tempfile::tempdir().expect("a folder");
        let paths = sample.paths(&root, scratch.path());
        let want = expected(&root, sample);
        let number = |name: &str| want.get(name).and_then(Json::as_u64).unwrap_or_default();
        let dataset = Dataset::open(&paths, sample.options());
        let dataset = dataset.unwrap_or_else(|error| panic!("{} {}: {error}", sample.folder, sample.name));
        let records = dataset.records().expect("a pass").map(|record| record.expect("a record"));
        let n_entries = records.filter(|record| matches!(record, Record::Entry { .. })).count();
        assert_eq!(
            n_entries as u64,
            number("replies") - number("empty_replies"),
            "{} {}",
            sample.folder,
            sample.name
        );
    }
}

#[test]
fn n31_exported_scores_are_joined_with_their_traces() {
    let Some(root) = samples() else { return };
    let folder = root.join("langfuse");
    let paths = [folder.join("observations-v2.json"), folder.join("blob-scores.jsonl")];
    let found = read(&paths, &LoadOptions::default());
    let sample = Sample { name: "blob-scores.jsonl", ..one("langfuse", &["blob-scores.jsonl"]) };
    let want = expected(&root, &sample);
    let number = |name: &str| want.get(name).and_then(Json::as_u64);
    let sum = |count: fn(&ForeignCase) -> usize| Some(found.cases.iter().map(count).sum::<usize>() as u64);
    assert_eq!(sum(|case| case.beside.labels.len()), number("labels_without_a_person"));
    assert_eq!(sum(|case| case.beside.verdicts.len()), number("foreign_verdicts"));
    assert_eq!(sum(|case| case.beside.notes.len()), number("notes"));
    let alone = Dataset::open(&paths[1..], LoadOptions::default()).expect_err("scores alone are no cases");
    assert!(alone.to_string().contains("it has no cases"), "{alone}");
}
