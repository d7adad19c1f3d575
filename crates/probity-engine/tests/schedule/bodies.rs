//! Bodies that break the rules: asked for once more, then kept as they are, unread.

use expect_test::expect;

use crate::scene::{check, good, good_answer};
use crate::support::{Act, http_ok};

#[tokio::test]
async fn f42_bad_chunking() {
    check(
        vec![Act::BadChunk],
        &expect![[r#"
            1 first: - bad_body "{\"a\""
            2 retry:bad_body: - bad_body "{\"a\""
            => unscored bad_body: the response body is damaged: Invalid chunk size line: missing size digit
        "#]],
    )
    .await;
}

#[tokio::test]
async fn f42_bad_compression_then_a_good_answer() {
    check(
        vec![Act::BadGzip, good()],
        &expect![[r#"
            1 first: - bad_body ""
            2 retry:bad_body: 200 answered 231 bytes
            => verdict
        "#]],
    )
    .await;
}

#[tokio::test]
async fn f42_a_length_that_is_wrong_is_a_lost_connection() {
    check(
        vec![Act::WrongLength { promised: 9000, body: good_answer().into_bytes() }, good()],
        &expect![[r"
            1 first: - connection_lost 231 bytes
            2 retry:connection_lost: 200 answered 231 bytes
            => verdict
        "]],
    )
    .await;
}

#[tokio::test]
async fn f42_not_utf8() {
    let body = [b"{\"choices\": \"".as_slice(), &[0xff, 0xfe], b"\"}"].concat();
    let act = Act::Respond { status: 200, headers: Vec::new(), body };
    check(
        vec![act],
        &expect![[r#"
            1 first: 200 bad_body "{\"choices\": \"��\"}"
            2 retry:bad_body: 200 bad_body "{\"choices\": \"��\"}"
            => unscored bad_body: expected a JSON body, whole and in UTF-8
        "#]],
    )
    .await;
}

#[tokio::test]
async fn f42_a_damaged_body_between_two_failures_has_one_chance() {
    check(
        vec![http_ok("{\"choices\": ["), Act::respond(500, &[], ""), http_ok("{\"choices\": [")],
        &expect![[r#"
            1 first: 200 bad_body "{\"choices\": ["
            2 retry:bad_body: 500 server_error ""
            3 retry:server_error: 200 bad_body "{\"choices\": ["
            => unscored bad_body: expected a JSON body, whole and in UTF-8
        "#]],
    )
    .await;
}
