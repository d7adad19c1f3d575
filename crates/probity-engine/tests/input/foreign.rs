//! Small files of other tools, made up here: how each is told, read, and what is said beside its cases.

use expect_test::{Expect, expect};
use probity_core::case::{Entry, Slice, Variant};
use probity_core::json::Json;
use probity_engine::input::{
    AgentTurns, Annotated, Beside, Dataset, ForeignScore, Instructions, LoadOptions, Record,
};

use super::Folder;

/// Cases, what they rest on and what is said beside them, a line each.
fn shown(files: &[(&str, Vec<u8>)], options: LoadOptions) -> String {
    let folder = Folder::new();
    let paths: Vec<_> = files.iter().map(|(name, content)| folder.write(name, content)).collect();
    let dataset = match Dataset::open(&paths, options) {
        Ok(dataset) => dataset,
        Err(error) => return folder.hide(&format!("error: {error}")),
    };
    let notices = dataset.notices().iter().filter(|notice| !notice.contains(" is skipped: "));
    let mut lines: Vec<String> = notices.map(|notice| format!("notice: {notice}")).collect();
    for annotated in dataset.annotated().expect("a pass") {
        let Annotated { record, beside } = annotated.expect("a record");
        match record {
            Record::Entry { entry, .. } => show_entry(&entry, &mut lines),
            Record::Unanswered { skipped, .. } | Record::Skipped(skipped) => {
                lines.push(format!("{}: none: {}", skipped.id.as_deref().unwrap_or("?"), skipped.reason));
            }
        }
        show_beside(beside.as_deref().unwrap_or(&Beside::default()), &mut lines);
    }
    folder.hide(&(lines.join("\n") + "\n"))
}

fn show_entry(entry: &Entry, lines: &mut Vec<String>) {
    let name = |name: Option<&str>| name.map_or(String::new(), |name| format!(" [{name}]"));
    let (slice, variant) = (entry.case.slice.as_ref(), entry.reply.variant.as_ref());
    let names = name(slice.map(Slice::as_str)) + &name(variant.map(Variant::as_str));
    let said = entry.case.situation.texts().join(" | ");
    lines.push(format!("{}{names}: {said} -> {}", entry.case.id, entry.reply.text));
    let evidence = entry.case.evidence.to_json(&[]).canonical();
    lines.extend((evidence != "{}").then(|| format!("  {evidence}")));
    lines.extend(entry.case.reference.as_ref().map(|reference| format!("  reference: {reference}")));
}

fn show_beside(beside: &Beside, lines: &mut Vec<String>) {
    for label in &beside.labels {
        let by = label.annotator.as_deref().unwrap_or("?");
        let criterion = label.criterion.as_deref().unwrap_or("reply");
        lines.push(format!("  label: {criterion} {} by {by}", label.label.canonical()));
    }
    for verdict in &beside.verdicts {
        let said = match &verdict.said {
            ForeignScore::Scored { score, label, passed } => {
                let score = score.as_ref().map_or("-".to_owned(), Json::canonical);
                format!("{score} {label:?} {passed:?}")
            }
            ForeignScore::Unscored { error } => format!("unscored {error:?}"),
        };
        lines.push(format!("  verdict: {} {said}", verdict.judge));
    }
    for outcome in &beside.outcomes {
        lines.push(format!("  outcome: {} {}", outcome.kind, outcome.value.canonical()));
    }
    if beside.n_private > 0 || beside.by_bot == Some(true) || !beside.turns_after.is_empty() {
        let (n_private, n_after) = (beside.n_private, beside.turns_after.len());
        lines.push(format!("  private {n_private}, after {n_after}, by a bot {:?}", beside.by_bot));
    }
}

#[track_caller]
fn check(files: &[(&str, &str)], want: &Expect) {
    check_with(files, LoadOptions::default(), want);
}

#[track_caller]
fn check_with(files: &[(&str, &str)], options: LoadOptions, want: &Expect) {
    let files: Vec<_> = files.iter().map(|(name, content)| (*name, content.as_bytes().to_vec())).collect();
    want.assert_eq(&shown(&files, options));
}

const OPENAI: &str = r#"{"id":"T-1","model":"bot-1","metadata":{"intent":"orders"},"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":[{"type":"text","text":"Where is order 7?"},{"type":"image_url","image_url":{"url":"x"}}]},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"get_order","arguments":"{\"id\":7}"}},{"id":"b","type":"function","function":{"name":"get_courier","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"{\"status\":\"sent\"}"},{"role":"tool","tool_call_id":"b","content":"DHL"},{"role":"assistant","content":"It was sent with DHL."},{"role":"user","content":"Thanks!"}]}"#;

#[test]
fn n31_an_openai_transcript_is_judged_at_the_last_answer_with_its_calls() {
    check(
        &[("t.jsonl", OPENAI)],
        &expect![[r#"
            notice: t.jsonl: read as transcripts
            T-1 [orders] [bot-1]: Where is order 7? -> It was sent with DHL.
              {"tools":[{"arguments":"{\"id\":7}","name":"get_order","result":"{\"status\":\"sent\"}"},{"arguments":"{}","name":"get_courier","result":"DHL"}]}
              private 0, after 1, by a bot None
        "#]],
    );
}

#[test]
fn n31_a_transcript_is_judged_at_each_answer_where_that_is_asked_for() {
    let talk = r#"{"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Hi"},{"role":"assistant","content":"Which order?"},{"role":"user","content":"7"},{"role":"assistant","content":"It is late."}],"id":"T-2"}"#;
    let options =
        LoadOptions { turns: AgentTurns::Each, instructions: Instructions::Shown, ..LoadOptions::default() };
    check_with(
        &[("t.jsonl", talk)],
        options,
        &expect![[r#"
            notice: t.jsonl: read as transcripts
            T-2#1: Be kind. | Hi -> Which order?
              private 0, after 2, by a bot None
            T-2#2: Be kind. | Hi | Which order? | 7 -> It is late.
        "#]],
    );
}

#[test]
fn n31_anthropic_and_tau_bench() {
    let anthropic = r#"{"id":"A","request":{"model":"m","system":"Be kind.","messages":[{"role":"user","content":"Refund?"},{"role":"assistant","content":[{"type":"text","text":"One moment."},{"type":"tool_use","id":"u","name":"refund","input":{"order":7}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"u","content":"done"}]}]},"response":{"role":"assistant","content":[{"type":"text","text":"It is "},{"type":"text","text":"done."}]}}"#;
    let tau = r#"[{"task_id":3,"trial":0,"reward":1.0,"traj":[{"role":"system","content":"Rules"},{"role":"user","content":"Cancel"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"cancel","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","name":"cancel","content":"ok"},{"role":"assistant","content":"Cancelled."},{"role":"user","content":"Bye ###STOP###"}]}]"#;
    check(
        &[("a.jsonl", anthropic), ("tau.json", tau)],
        &expect![[r#"
            notice: a.jsonl: read as transcripts
            notice: tau.json: read as transcripts
            A [m]: Refund? | One moment. -> It is done.
              {"tools":[{"arguments":"{\"order\":7}","name":"refund","result":"done"}]}
            3 [trial-0]: Cancel -> Cancelled.
              {"tools":[{"arguments":"{}","name":"cancel","result":"ok"}]}
              verdict: tau-bench:reward 1.0 None None
              private 0, after 1, by a bot None
        "#]],
    );
}

#[test]
fn n31_zendesk_tickets_with_comments_and_users_beside_them() {
    let tickets = r#"{"tickets":[{"id":7,"requester_id":1,"submitter_id":1,"status":"solved","tags":["orders"],"satisfaction_rating":{"score":"good"}}],"count":1}"#;
    let comments = r#"{"comments":[{"id":2,"author_id":9,"public":true,"created_at":"2026-03-02","body":"x","html_body":"<p>It&#x27;s <b>late</b>.</p><p>-- <br>Sam, sam@desk.example</p>"},{"id":1,"author_id":1,"public":true,"created_at":"2026-03-01","body":"Where is it?"},{"id":3,"author_id":9,"public":false,"created_at":"2026-03-03","body":"margin is 12 EUR"},{"id":4,"author_id":5,"public":true,"created_at":"2026-03-04","body":"Me too"}]}"#;
    let users = r#"{"users":[{"id":5,"role":"end-user","verified":true,"time_zone":"x"},{"id":9,"role":"agent","verified":true,"time_zone":"x"}]}"#;
    check(
        &[("tickets.json", tickets), ("7.json", comments), ("users.json", users)],
        &expect![[r#"
            notice: tickets.json: read the records in its 'tickets'
            notice: tickets.json: read as zendesk
            notice: tickets.json: private notes left out: 1
            notice: 7.json: read the records in its 'comments'
            notice: 7.json: read as zendesk
            notice: 7.json: 4 comments, users and ratings, for the cases they belong to
            notice: users.json: read the records in its 'users'
            notice: users.json: read as zendesk
            notice: users.json: 2 comments, users and ratings, for the cases they belong to
            7 [orders]: Where is it? -> It's late.
              outcome: csat "good"
              private 1, after 1, by a bot Some(false)
        "#]],
    );
    check(
        &[("7.json", comments)],
        &expect!["error: 7.json: it has no cases, only data that belongs to cases in other files"],
    );
}

#[test]
fn n31_intercom_and_freshdesk() {
    let intercom = r#"{"type":"conversation","id":"5","created_at":1,"source":{"body":"<p>Hello?</p>","author":{"type":"user"}},"tags":{"tags":[{"name":"orders"}]},"ai_agent":{"resolution_state":"assumed_resolution","content_sources":{"content_sources":[{"title":"Shipping","url":"x"}]}},"conversation_parts":{"conversation_parts":[{"part_type":"note","body":"<p>VIP</p>","created_at":2,"author":{"type":"admin"}},{"part_type":"comment","body":"<p>Hi!</p>","created_at":3,"author":{"type":"bot","is_ai_answer":true}},{"part_type":"comment","body":null,"redacted":true,"created_at":4,"author":{"type":"admin"}}]}}"#;
    let freshdesk = r#"{"id":8,"requester_id":1,"responder_id":2,"type":"Question","description_text":"Broken\n\nOn Monday Sam wrote:\n> hi","description":"","conversations":[{"body_text":"internal","incoming":false,"private":true,"created_at":"1","ticket_id":8},{"body_text":"We send a new one.","incoming":false,"private":false,"created_at":"2","ticket_id":8}]}"#;
    let ratings = r#"[{"id":1,"survey_id":1,"ticket_id":8,"ratings":{"default_question":103}}]"#;
    check(
        &[("i.json", intercom), ("f.jsonl", freshdesk), ("r.json", ratings)],
        &expect![[r#"
            notice: i.json: read as JSON lines, which is what it contains; its name says a JSON array
            notice: i.json: read as intercom
            notice: i.json: private notes left out: 1
            notice: f.jsonl: read as freshdesk
            notice: f.jsonl: private notes left out: 1
            notice: r.json: read as freshdesk
            notice: r.json: 1 conversations and ratings, for the cases they belong to
            5 [orders]: Hello? -> Hi!
              {"sources":[{"id":"Shipping"}]}
              outcome: resolution "assumed_resolution"
              private 1, after 0, by a bot Some(true)
            8 [Question]: Broken -> We send a new one.
              outcome: csat 103
              private 1, after 0, by a bot Some(false)
        "#]],
    );
}

#[test]
fn n31_no_mapping_reaches_what_is_private() {
    let ticket = r#"{"id":7,"requester_id":1,"submitter_id":1,"assignee_id":9,"description":"VIP, margin is 12 EUR","comments":[{"id":1,"author_id":9,"public":false,"created_at":"1","body":"VIP, margin is 12 EUR"},{"id":2,"author_id":1,"public":true,"created_at":"2","body":"Hi?"},{"id":3,"author_id":9,"public":true,"created_at":"3","body":"Yes?"}]}"#;
    for map in [
        "ticket=description,reply=comments[0].body",
        "ticket=subject,reply=description",
        "ticket=comments[0].body",
    ] {
        let options = LoadOptions { map: map.parse().expect("a mapping"), ..LoadOptions::default() };
        let shown = shown(&[("t.jsonl", ticket.as_bytes().to_vec())], options);
        assert!(!shown.contains("margin"), "{map}: {shown}");
    }
}

#[test]
fn n31_promptfoo_keeps_people_and_graders_apart() {
    let row = |prompt: &str, pass: &str| {
        format!(
            r#"{{"testIdx":0,"promptIdx":{prompt},"provider":{{"id":"p","label":""}},"vars":{{"ticket":"Hi?","reference":"Hello."}},"prompt":{{"raw":"x"}},"response":{{"output":"Hello {prompt}."}},"gradingResult":{{"pass":true,"score":1,"componentResults":[{{"pass":{pass},"score":0.5,"assertion":{{"type":"llm-rubric","value":"is polite","metric":"tone"}}}},{{"pass":true,"score":1,"comment":"fine","assertion":{{"type":"human"}}}}]}}}}"#
        )
    };
    let file = format!(
        r#"{{"evalId":"e","results":{{"version":3,"stats":{{"successes":2}},"results":[{},{}],"prompts":[]}},"config":{{}}}}"#,
        row("0", "true"),
        row("1", "false")
    );
    check(
        &[("results.json", &file)],
        &expect![[r#"
            notice: results.json: read the records in its 'results.results'
            notice: results.json: read as promptfoo
            0 [p#0]: Hi? -> Hello 0.
              reference: Hello.
              label: reply "pass" by ?
              verdict: promptfoo:tone 0.5 None Some(true)
            0 [p#1]: Hi? -> Hello 1.
              reference: Hello.
              label: reply "pass" by ?
              verdict: promptfoo:tone 0.5 None Some(false)
        "#]],
    );
}

#[test]
fn n31_openai_evals_deepeval_and_langfuse() {
    let item = r#"{"run_id":"r","data_source_idx":4,"item":{"input":"Hi?","ideal":"Hello."},"sample":{"trajectory":[{"role":"user","content":"Hi?"}],"outputs":[{"role":"assistant","content":"Yes?"}]},"grades":{"Tone":0.5},"passes":{"Tone":true}}"#;
    let run = r#"{"testCases":[{"name":"d","input":"Hi?","actualOutput":"Yes?","context":["Open all day"],"metricsData":[{"name":"Polite","score":0.9,"success":true},{"name":"Broken","score":null,"success":false,"error":"timeout"}]}],"conversationalTestCases":[],"metricsScores":[{"metric":"Polite","scores":[0.9]}]}"#;
    let observations = r#"{"data":[{"id":"o2","traceId":"t","type":"GENERATION","startTime":"2","isRootObservation":false,"input":[{"role":"user","content":"Hi?"}],"output":{"role":"assistant","content":"Yes?"}},{"id":"o1","traceId":"t","type":"AGENT","startTime":"1","isRootObservation":true,"metadata":{"intent":"talk"},"version":"v1"}]}"#;
    let scores = r#"{"data":[{"id":"s","name":"quality","value":"good","dataType":"CATEGORICAL","source":"ANNOTATION","authorUserId":"ann","subject":{"kind":"trace","id":"t"}},{"id":"e","name":"tone","value":0.5,"dataType":"NUMERIC","source":"EVAL","subject":{"kind":"observation","id":"o2","traceId":"t"}},{"id":"x","name":"csat","value":1,"dataType":"NUMERIC","source":"API","subject":{"kind":"session","id":"s"}}]}"#;
    check(
        &[("evals.jsonl", item), ("run.json", run), ("o.json", observations), ("s.json", scores)],
        &expect![[r#"
            notice: evals.jsonl: read as openai-evals
            notice: run.json: read the records in its 'testCases'
            notice: run.json: read as deepeval
            notice: o.json: read the records in its 'data'
            notice: o.json: read as langfuse
            notice: o.json: 1 observations inside traces, for the cases they belong to
            notice: s.json: read the records in its 'data'
            notice: s.json: read as langfuse
            notice: s.json: 2 scores, for the cases they belong to
            notice: s.json: passed over 1 scores of sessions or experiments, which are of no reply
            4 [r]: Hi? -> Yes?
              reference: Hello.
              verdict: openai-evals:Tone 0.5 None Some(true)
            d: Hi? -> Yes?
              {"context":[{"text":"Open all day"}]}
              verdict: deepeval:Polite 0.9 None Some(true)
              verdict: deepeval:Broken unscored Some("timeout")
            t [talk] [v1]: Hi? -> Yes?
              label: quality "good" by ann
              verdict: langfuse:EVAL:tone 0.5 None None
        "#]],
    );
}

#[test]
fn n31_openinference_with_annotations() {
    let spans = r#"{"data":[{"id":"1","context":{"trace_id":"t","span_id":"s1"},"parent_id":"s0","span_kind":"LLM","attributes":{"llm.model_name":"m","llm.input_messages.0.message.role":"user","llm.input_messages.0.message.contents.0.message_content.type":"text","llm.input_messages.0.message.contents.0.message_content.text":"Hi?","llm.output_messages.0.message.role":"assistant","llm.output_messages.0.message.content":"Yes?"}},{"id":"2","context":{"trace_id":"t","span_id":"s0"},"parent_id":null,"span_kind":"CHAIN","attributes":{"metadata":"{\"intent\":\"talk\"}","output.value":"Yes?"}},{"id":"3","context":{"trace_id":"t","span_id":"s2"},"parent_id":"s0","span_kind":"RETRIEVER","attributes":{"retrieval.documents.0.document.content":"Open all day"}}]}"#;
    let notes = r#"{"data":[{"annotator_kind":"HUMAN","span_id":"s1","name":"quality","identifier":"ann","result":{"label":"pass","score":null}},{"annotator_kind":"LLM","span_id":"s1","name":"tone","identifier":"","result":{"label":null,"score":0.5}}]}"#;
    check(
        &[("spans.json", spans), ("notes.json", notes)],
        &expect![[r#"
            notice: spans.json: read the records in its 'data'
            notice: spans.json: passed over 2 spans that are not about GenAI
            notice: notes.json: read the records in its 'data'
            notice: notes.json: read as phoenix
            notice: notes.json: 2 annotations, for the cases they belong to
            t:s1 [talk] [m]: Hi? -> Yes?
              {"context":[{"text":"Open all day"}]}
              label: quality "pass" by ann
              verdict: phoenix:LLM:tone 0.5 None None
        "#]],
    );
}

/// A zip archive of entries that are packed already: name, method and bytes.
fn zip(entries: &[(&str, u16, Vec<u8>)]) -> Vec<u8> {
    let (mut out, mut list) = (Vec::new(), Vec::new());
    for (name, method, packed) in entries {
        let n_packed = u32::try_from(packed.len()).expect("short").to_le_bytes();
        let n_name = u16::try_from(name.len()).expect("short").to_le_bytes();
        let offset = u32::try_from(out.len()).expect("short").to_le_bytes();
        // Version, flags, method, time, date, checksum and the two sizes; the checksum is not compared.
        let common =
            [&[20, 0, 0, 0][..], &method.to_le_bytes(), &[0; 8], &n_packed, &n_packed, &n_name, &[0, 0]]
                .concat();
        out.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), packed].concat());
        list.extend([&b"PK\x01\x02\x14\x00"[..], &common, &[0; 10], &offset, name.as_bytes()].concat());
    }
    let n = u16::try_from(entries.len()).expect("few").to_le_bytes();
    let n_list = u32::try_from(list.len()).expect("short").to_le_bytes();
    let at = u32::try_from(out.len()).expect("short").to_le_bytes();
    [&out[..], &list, b"PK\x05\x06", &[0; 4], &n, &n, &n_list, &at, &[0, 0]].concat()
}

#[test]
fn n31_inspect_logs_are_read_out_of_their_archive() {
    let header = r#"{"version":2,"eval":{"model":"m","config":{"epochs":1}},"results":{"scores":[{"name":"length","scorer":"length"},{"name":"tone","scorer":"tone"}]}}"#;
    let sample = |id: &str, scores: &str| {
        format!(
            "{{\n\"id\":\"{id}\",\"epoch\":1,\"target\":[\"a\",\"b\"],\"input\":\"Hi?\",\"messages\":[{{\"role\":\"user\",\"content\":\"Hi?\"}},{{\"role\":\"assistant\",\"content\":\"Yes?\"}}],\"scores\":{scores}}}"
        )
    };
    let edited = r#"{"length":{"value":"I","history":[{"value":"C"},{"value":"I","provenance":{"author":"ann","timestamp":"2026-03-02"}},{"value":"UNCHANGED","provenance":{"author":"bob"}}]}}"#;
    let deflated = {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, sample("1", edited).as_bytes()).expect("packed");
        encoder.finish().expect("packed")
    };
    let archive = zip(&[
        ("samples/1_epoch_1.json", 8, deflated),
        ("samples/2_epoch_1.json", 93, zstd(sample("2", "{}").as_bytes())),
        ("summaries.json", 0, b"[]".to_vec()),
        ("header.json", 0, header.as_bytes().to_vec()),
    ]);
    let want = expect![[r#"
        notice: log.eval: read as inspect
        1 [m]: Hi? -> Yes?
          reference: a b
          label: length "I" by ann
          label: length "I" by bob
          verdict: inspect:length "C" None None
          verdict: inspect:tone unscored None
        2 [m]: Hi? -> Yes?
          reference: a b
          verdict: inspect:length unscored None
          verdict: inspect:tone unscored None
    "#]];
    want.assert_eq(&shown(&[("log.eval", archive.clone())], LoadOptions::default()));
    let cut = shown(&[("log.eval", archive[..archive.len() - 30].to_vec())], LoadOptions::default());
    assert!(cut.starts_with("error: log.eval: found a zip archive"), "{cut}");
}

/// Bytes as two Zstandard frames of raw blocks.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let frame = |part: &[u8]| {
        let n = u32::try_from(part.len()).expect("short");
        // The last block, not packed; one segment whose size has four bytes.
        let block = (n << 3 | 1).to_le_bytes();
        [&[0x28, 0xb5, 0x2f, 0xfd, 0xa0][..], &n.to_le_bytes(), &block[..3], part].concat()
    };
    [frame(first), frame(second)].concat()
}

#[test]
fn n31_what_a_person_maps_goes_before_what_a_format_says() {
    let tickets = r#"{"id":7,"requester_id":1,"submitter_id":1,"status":"open","tags":["x"],"custom_fields":[{"id":6,"value":"no"},{"id":5,"value":"orders"}],"comments":[{"author_id":1,"public":true,"body":"Hi?"},{"author_id":2,"public":true,"body":"Yes?"}]}"#;
    let map = "slice=custom_fields[id=5].value,variant=status".parse().expect("a map");
    check_with(
        &[("t.jsonl", tickets)],
        LoadOptions { map, ..LoadOptions::default() },
        &expect![[r#"
            notice: t.jsonl: read as zendesk
            notice: t.jsonl: messages by unknown authors, read as an agent's: 1
            7 [orders] [open]: Hi? -> Yes?
        "#]],
    );
}

#[test]
fn a_trace_gets_the_scores_that_stand_beside_it() {
    let score = |id: &str, name: &str| {
        format!(
            r#"{{"id":"{id}","traceId":"t","name":"{name}","value":0.5,"dataType":"NUMERIC","source":"EVAL"}}"#
        )
    };
    let observations = r#"[{"id":"o","traceId":"t","type":"GENERATION","startTime":"1","input":[{"role":"user","content":"Hi?"}],"output":"Yes?"}]"#;
    let inside = score("s1", "tone");
    let trace = format!(r#"{{"trace":{{"id":"t","scores":[{inside}]}},"observations":{observations}}}"#);
    let want = expect![[r#"
        notice: t.jsonl: read as langfuse
        notice: t.jsonl: 2 scores, for the cases they belong to
        t: Hi? -> Yes?
          verdict: langfuse:EVAL:tone 0.5 None None
          verdict: langfuse:EVAL:clarity 0.5 None None
    "#]];
    let lines = [trace, inside.clone(), score("s2", "clarity")].join("\n");
    check(&[("t.jsonl", &lines)], &want);
    let api = format!(r#"{{"id":"t","projectId":"p","scores":[{inside}],"observations":{observations}}}"#);
    check(&[("t.jsonl", &[api, inside, score("s2", "clarity")].join("\n"))], &want);
}

#[test]
fn a_mapping_reads_the_attributes_of_spans() {
    let string = |key: &str, value: &str| format!(r#"{{"key":"{key}","value":{{"stringValue":"{value}"}}}}"#);
    let span = |id: &str, attributes: &[String]| {
        format!(r#"{{"traceId":"t","spanId":"{id}","attributes":[{}]}}"#, attributes.join(","))
    };
    let call = [
        string("gen_ai.prompt", "Hi?"),
        string("gen_ai.completion", "Yes?"),
        string("shop.topic", "orders"),
        string("shop.answer", "Certainly?"),
    ];
    let own = [string("shop.question", "When?"), string("shop.answer", "Soon.")];
    let spans = [span("1", &call), span("2", &own), span("3", &[string("shop.topic", "x")])].join(",");
    let resource = string("deployment", "eu");
    let batch = format!(
        r#"{{"resourceSpans":[{{"resource":{{"attributes":[{resource}]}},"scopeSpans":[{{"spans":[{spans}]}}]}}]}}"#
    );
    let mapped = |map: &str| LoadOptions { map: map.parse().expect("a map"), ..LoadOptions::default() };
    check_with(
        &[("s.json", &batch)],
        mapped("slice=shop.topic,variant=deployment,id=spanId"),
        &expect![[r#"
            notice: s.json: passed over 2 spans that are not about GenAI
            1 [orders] [eu]: Hi? -> Yes?
        "#]],
    );
    check_with(
        &[("s.json", &batch)],
        mapped("ticket=shop.question,reply=shop.answer"),
        &expect![[r#"
            notice: s.json: passed over 1 spans that are not about GenAI
            t:1: none: no customer turn before the reply
            t:2: When? -> Soon.
        "#]],
    );
}

#[test]
fn mapped_turns_and_tools_stand_in_place_of_what_a_format_says() {
    let talk = r#"{"id":"T","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","tool_calls":[{"id":"c","function":{"name":"f"}}]}],"other":[{"role":"user","content":"x"},{"role":"assistant","content":"y"},{"role":"user","content":"z"}],"used":[{"name":"g"}],"found":"kb","context":"old"}"#;
    let map = "turns=other,tools=used,context=found".parse().expect("a map");
    check_with(
        &[("t.jsonl", talk)],
        LoadOptions { map, ..LoadOptions::default() },
        &expect![[r#"
            notice: t.jsonl: read as transcripts
            T: x -> y
              {"context":[{"text":"kb"}],"tools":[{"name":"g"}]}
              private 0, after 1, by a bot None
        "#]],
    );
}

#[test]
fn what_graders_were_asked_is_known() {
    let asked = |content: &str| -> Vec<Option<String>> {
        let folder = Folder::new();
        let path = folder.write("f.json", content);
        let dataset = Dataset::open(&[path], LoadOptions::default()).expect("read");
        let annotated = dataset.annotated().expect("a pass").map(|annotated| annotated.expect("a record"));
        annotated.flat_map(|one| one.beside.expect("foreign").verdicts).map(|verdict| verdict.asked).collect()
    };
    let inspect = |scorers: &str| {
        format!(
            r#"{{"eval":{{"model":"m","scorers":[{scorers}]}},"samples":[{{"id":1,"epoch":1,"target":"","messages":[{{"role":"user","content":"Hi?"}},{{"role":"assistant","content":"Yes?"}}],"scores":{{"qa":{{"value":"C","metadata":{{"grading":[{{"role":"user","content":"Is Yes? right?"}}]}}}}}}}}]}}"#
        )
    };
    let told = r#"{"name":"inspect_ai/qa","options":{"instructions":"Is it right?"}}"#;
    assert_eq!(asked(&inspect(told)), [Some("Is it right?".to_owned())]);
    assert_eq!(asked(&inspect("")), [Some("Is Yes? right?".to_owned())]);
    let deepeval = r#"{"testCases":[{"name":"d","input":"Hi?","actualOutput":"Yes?","metricsData":[{"name":"Tone [GEval]","score":1,"success":true,"verboseLogs":"Criteria:\nIs it kind? \n \nEvaluation Steps:\n[]"},{"name":"Words","score":1,"success":true}]}]}"#;
    assert_eq!(asked(deepeval), [Some("Is it kind?".to_owned()), None]);
    let item = r#"{"run_id":"r","data_source_idx":4,"item":{"input":"Hi?"},"sample":{"outputs":[{"role":"assistant","content":"Yes?"}]},"grades":{"Tone":0.5},"grader_samples":{"Tone":{"trajectory":[{"role":"user","content":"Is it kind?"}],"outputs":[]}}}"#;
    assert_eq!(asked(item), [Some("Is it kind?".to_owned())]);
}
