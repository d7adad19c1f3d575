//! A process that finds attempts of a dead one on record.

use expect_test::{Expect, expect};
use probity_engine::ledger::{AskAgain, AttemptEnd, AttemptStart};
use probity_engine::schedule::budget::Money;
use serde_json::json;

use crate::scene::{Scene, Terms, completion, good, good_answer};
use crate::support::ScriptedServer;

/// Records attempts with these causes, outcomes and bodies, as a process did that died before it settled
/// anything. Then takes the packet up again before a server that answers well.
async fn check(terms: Terms, recorded: &[(&str, &str, &str)], n_calls: usize, want: &Expect) {
    let server = ScriptedServer::always(good());
    let scene = Scene::new(&server, 1, terms).resumed();
    let packet = &scene.questions[0].packet;
    for ((cause, outcome, raw), n) in recorded.iter().zip(1..) {
        let start = AttemptStart {
            packet: packet.hash(),
            packet_body: packet.canonical().into(),
            judge: scene.desk.judge_id.clone(),
            run: scene.desk.run,
            repeat: 0,
            n,
            cause: (*cause).to_owned(),
            tokens_planned: 100,
            decisions: 1,
            started_unix_ms: 0,
            most: Money::default(),
            batch: None,
            again: AskAgain::Never,
        };
        let attempt = scene.desk.store.intend(start).await.expect("begun").recorded().expect("a place");
        let end = AttemptEnd {
            outcome: (*outcome).to_owned(),
            raw: raw.as_bytes().to_vec(),
            ..AttemptEnd::default()
        };
        scene.desk.store.conclude(attempt, end, None).await.expect("ended");
    }
    let driven = scene.drive().await;
    assert_eq!(server.n_requests(), n_calls, "{driven:?}");
    let question = &scene.questions[0];
    let lines: Vec<String> = scene
        .attempts(question)
        .iter()
        .map(|attempt| format!("{} {}: {}", attempt.n, attempt.cause, attempt.outcome.name()))
        .collect();
    want.assert_eq(&format!("{}\n=> {:?}\n", lines.join("\n"), scene.settlement(question)));
}

fn empty() -> String {
    completion(&json!(null), "stop")
}

#[tokio::test]
async fn g03_an_answer_on_record_is_not_asked_for_again() {
    check(Terms::quick(1), &[("first", "answered", &good_answer())], 0, &expect![[r#"
        1 first: answered
        => Some(Settlement { attempts: 1, decision: Verdict { body: "{\"v\":1,\"scores\":[{\"criterion\":\"relevance\",\"level\":4,\"reasoning\":\"It says when the order comes.\"}],\"repairs\":[],\"suspicions\":[],\"model\":\"m-1\"}" } })
    "#]]).await;
}

#[tokio::test]
async fn g03_an_unusable_answer_on_record_is_worth_one_further_question() {
    check(Terms::quick(1), &[("first", "answered", &empty())], 1, &expect![[r#"
        1 first: answered
        2 reask:empty: answered
        => Some(Settlement { attempts: 2, decision: Verdict { body: "{\"v\":1,\"scores\":[{\"criterion\":\"relevance\",\"level\":4,\"reasoning\":\"It says when the order comes.\"}],\"repairs\":[],\"suspicions\":[],\"model\":\"m-1\"}" } })
    "#]]).await;
}

#[tokio::test]
async fn g03_two_unusable_answers_on_record_are_enough() {
    let recorded = [("first", "answered", empty()), ("reask:empty", "answered", empty())];
    let recorded = recorded.each_ref().map(|(cause, outcome, raw)| (*cause, *outcome, raw.as_str()));
    check(
        Terms::quick(1),
        &recorded,
        0,
        &expect![[r#"
        1 first: answered
        2 reask:empty: answered
        => Some(Settlement { attempts: 2, decision: Unscored { reason: "empty", detail: "the answer has no text" } })
    "#]],
    )
    .await;
}

#[tokio::test]
async fn g03_a_further_question_that_failed_is_asked_again() {
    let empty = empty();
    let recorded = [("first", "answered", empty.as_str()), ("reask:empty", "server_error", "")];
    check(Terms::quick(1), &recorded, 1, &expect![[r#"
        1 first: answered
        2 reask:empty: server_error
        3 reask:empty: answered
        => Some(Settlement { attempts: 3, decision: Verdict { body: "{\"v\":1,\"scores\":[{\"criterion\":\"relevance\",\"level\":4,\"reasoning\":\"It says when the order comes.\"}],\"repairs\":[],\"suspicions\":[],\"model\":\"m-1\"}" } })
    "#]]).await;
}

#[tokio::test]
async fn g03_failures_on_record_are_no_answers() {
    let recorded = [("first", "connection_lost", good_answer())];
    let recorded = recorded.each_ref().map(|(cause, outcome, raw)| (*cause, *outcome, raw.as_str()));
    check(Terms::quick(1), &recorded, 1, &expect![[r#"
        1 first: connection_lost
        2 resume: answered
        => Some(Settlement { attempts: 2, decision: Verdict { body: "{\"v\":1,\"scores\":[{\"criterion\":\"relevance\",\"level\":4,\"reasoning\":\"It says when the order comes.\"}],\"repairs\":[],\"suspicions\":[],\"model\":\"m-1\"}" } })
    "#]]).await;
}
