//! Whole answers that are no verdict: asked for once more where chance may help, and never salvaged.

use expect_test::{Expect, expect};
use probity_engine::config::Reask;
use serde_json::{Value, json};

use crate::scene::{Terms, check, check_on, completion, good, verdict_text};
use crate::support::{Act, http_ok};

fn answer(content: &Value, finish: &str) -> Act {
    http_ok(&completion(content, finish))
}

/// An answer that is final: one call, and this end.
async fn check_final(act: Act, want: &Expect) {
    let driven = check(vec![act, good()], want).await;
    assert_eq!((driven.verdicts, driven.unscored), (0, 1));
}

#[tokio::test]
async fn f44_no_choice() {
    check(
        vec![http_ok(r#"{"choices":[]}"#)],
        &expect![[r#"
            1 first: 200 answered "{\"choices\":[]}"
            2 reask:no_choice: 200 answered "{\"choices\":[]}"
            => unscored no_choice
        "#]],
    )
    .await;
}

#[tokio::test]
async fn f45_nothing_said() {
    for content in [json!(null), json!("  ")] {
        check(
            vec![answer(&content, "stop"), good()],
            &expect![[r"
                1 first: 200 answered 172 bytes
                2 reask:empty: 200 answered 231 bytes
                => verdict
            "]],
        )
        .await;
    }
}

#[tokio::test]
async fn f45_nothing_said_twice_is_no_zero() {
    check(
        vec![answer(&json!(null), "stop")],
        &expect![[r"
            1 first: 200 answered 172 bytes
            2 reask:empty: 200 answered 172 bytes
            => unscored empty: the answer has no text
        "]],
    )
    .await;
}

#[tokio::test]
async fn f45_a_reask_survives_a_failure_and_stays_the_only_one() {
    check(
        vec![answer(&json!(null), "stop"), Act::respond(500, &[], ""), answer(&json!(null), "stop")],
        &expect![[r#"
            1 first: 200 answered 172 bytes
            2 reask:empty: 500 server_error ""
            3 retry:server_error: 200 answered 172 bytes
            => unscored empty: the answer has no text
        "#]],
    )
    .await;
}

#[tokio::test]
async fn f45_reask_never() {
    let mut terms = Terms::quick(1);
    terms.reask = Reask::Never;
    check_on(
        terms,
        vec![answer(&json!(null), "stop"), good()],
        &expect![[r"
            1 first: 200 answered 172 bytes
            => unscored empty: the answer has no text
        "]],
    )
    .await;
}

#[tokio::test]
async fn f46_reasoning_used_up_the_limit() {
    check_final(
        answer(&json!(""), "length"),
        &expect![[r"
            1 first: 200 answered 172 bytes
            => unscored length_reasoning: the token limit was reached before an answer began; raise thinking_tokens_max or lower effort
        "]],
    )
    .await;
}

#[tokio::test]
async fn f47_a_cut_object_is_not_salvaged() {
    check_final(
        answer(&json!(r#"{"score": 4, "reasoning": "It says"#), "length"),
        &expect![[r"
            1 first: 200 answered 211 bytes
            => unscored length: the token limit cut the answer
        "]],
    )
    .await;
}

#[tokio::test]
async fn f48_f49_a_filter() {
    check_final(
        answer(&json!(null), "content_filter"),
        &expect![[r"
            1 first: 200 answered 182 bytes
            => unscored content_filter: a filter ended the answer
        "]],
    )
    .await;
    check_final(
        answer(&json!(verdict_text()), "content_filter"),
        &expect![[r"
            1 first: 200 answered 241 bytes
            => unscored content_filter: a filter ended the answer
        "]],
    )
    .await;
}

#[tokio::test]
async fn f50_a_refusal() {
    let message = json!({"content": verdict_text(), "refusal": "I will not."});
    let body = json!({"choices": [{"index": 0, "finish_reason": "stop", "message": message}]});
    check_final(
        http_ok(&body.to_string()),
        &expect![[r"
            1 first: 200 answered 158 bytes
            => unscored refused: I will not.
        "]],
    )
    .await;
}

#[tokio::test]
async fn f51_a_refusal_in_plain_words() {
    check(
        vec![answer(&json!("I cannot evaluate this. 4 out of 5."), "stop")],
        &expect![[r"
            1 first: 200 answered 205 bytes
            2 reask:no_json: 200 answered 205 bytes
            => unscored no_json: expected a JSON object with a verdict, found none
        "]],
    )
    .await;
}

#[tokio::test]
async fn f71_out_of_range_is_not_asked_again() {
    check_final(
        answer(&json!(r#"{"score": 6, "reasoning": "x"}"#), "stop"),
        &expect![[r"
        1 first: 200 answered 206 bytes
        => unscored out_of_range: relevance: expected one of 1, 2, 3, 4, 5, found 6
    "]],
    )
    .await;
}
