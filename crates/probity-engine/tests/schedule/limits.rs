//! Rate limits and what they do to the whole lane, budgets, deadlines, and the ways a drive ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use expect_test::expect;
use probity_engine::config::ListPrice;
use probity_engine::schedule::budget::{Limits, Money};
use probity_engine::schedule::desk::{Earlier, Task};
use probity_engine::schedule::drive;
use probity_engine::schedule::lane::Stop;
use tokio::sync::mpsc;

use crate::scene::{Scene, Terms, check, check_on, check_stop, error, good, good_answer};
use crate::support::{Act, ScriptedServer};

fn limited(headers: &[(&str, &str)]) -> Act {
    error(429, headers, "rate_limit_exceeded", "Rate limit reached")
}

/// Eight packets, four at a time, before a server that answers the first request with `first` and all
/// others well. Nobody may be asked sooner than `pause` after the first.
async fn check_pause(first: Act, pause: Duration, n_calls: usize) {
    let server =
        ScriptedServer::with(move |request| if request.number == 0 { first.clone() } else { good() });
    let scene = Scene::new(&server, 8, Terms::quick(4));
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert_eq!((driven.verdicts, driven.stop), (8, None));
    let requests = server.requests();
    assert_eq!(requests.len(), n_calls);
    let soonest = requests[1..].iter().map(|request| request.at).min().expect("others");
    assert!(soonest >= requests[0].at + pause, "{soonest:?}");
}

#[tokio::test]
async fn f01_everybody_on_the_lane_waits() {
    check_pause(limited(&[("retry-after-ms", "120")]), Duration::from_millis(120), 9).await;
}

#[tokio::test]
async fn f04_at_once_is_fifty_milliseconds() {
    check_pause(limited(&[("retry-after", "0")]), Duration::from_millis(50), 9).await;
}

#[tokio::test]
async fn f13_slow_down_is_a_pause_for_all() {
    let act = error(503, &[("retry-after-ms", "80")], "slow_down", "Slow down");
    check_pause(act, Duration::from_millis(80), 9).await;
}

#[tokio::test]
async fn f19_unavailable_with_a_time_is_a_wait() {
    let act = Act::respond(503, &[("retry-after-ms", "80")], "<html>busy</html>");
    check_pause(act, Duration::from_millis(80), 9).await;
}

#[tokio::test]
async fn f15_a_success_that_used_up_the_limit_provokes_no_refusal() {
    let headers = [("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "120ms")];
    check_pause(Act::respond(200, &headers, &good_answer()), Duration::from_millis(120), 8).await;
}

#[tokio::test]
async fn f15_a_limit_used_up_for_a_day_stops_and_keeps_the_verdict() {
    let headers = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "24h0m0s")];
    let server = ScriptedServer::always(Act::respond(200, &headers, &good_answer()));
    let scene = Scene::new(&server, 8, Terms::quick(4));
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert_eq!((driven.verdicts, server.n_requests()), (1, 1));
    let message = "the limit of m-1 resets in 24 h";
    assert_eq!(driven.stop, Some(Stop::Quota(message.into())));
}

#[tokio::test]
async fn n20_a_limit_that_the_last_answer_used_up_stops_nothing() {
    let headers = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "99h")];
    let server = ScriptedServer::with(move |request| match request.number {
        7 => Act::respond(200, &headers, &good_answer()),
        _ => good(),
    });
    let scene = Scene::new(&server, 8, Terms::quick(1));
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert_eq!((driven.verdicts, server.n_requests(), driven.stop), (8, 8, None));
}

#[tokio::test]
async fn f01_a_limit_is_cut_once_for_all_that_were_in_flight() {
    let server = ScriptedServer::with(|request| match request.number {
        1..=10 => limited(&[("retry-after-ms", "50")]),
        _ => good(),
    });
    let scene = Scene::new(&server, 30, Terms::quick(10));
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert_eq!((driven.verdicts, scene.desk.lane.limit()), (30, 8));
}

#[tokio::test]
async fn f06_a_day_is_too_long() {
    check_stop(
        limited(&[("retry-after", "86400")]),
        &expect![[r#"Quota("the limit of m-1 resets in 24 h")"#]],
    )
    .await;
}

#[tokio::test]
async fn f07_no_header() {
    check(
        vec![limited(&[]), limited(&[]), good()],
        &expect![[r"
            1 first: 429 rate_limited 96 bytes
            2 retry:rate_limited: 429 rate_limited 96 bytes
            3 retry:rate_limited: 200 answered 231 bytes
            => verdict
        "]],
    )
    .await;
}

#[tokio::test]
async fn f07_a_limit_for_ever_ends_by_count() {
    let server = ScriptedServer::always(limited(&[]));
    let scene = Scene::new(&server, 1, Terms::quick(1));
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert_eq!((server.n_requests(), driven.gave_up), (20, 1));
}

#[tokio::test]
async fn f07_a_limit_for_ever_ends_by_time() {
    let server = ScriptedServer::always(limited(&[("retry-after-ms", "60")]));
    let mut terms = Terms::quick(1);
    terms.pursuit.packet_max = Duration::from_millis(150);
    let scene = Scene::new(&server, 1, terms);
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert_eq!(driven.gave_up, 1);
    assert!(server.n_requests() <= 3, "{}", server.n_requests());
}

#[tokio::test]
async fn f07_a_lane_that_answers_nobody_stops() {
    let server = ScriptedServer::always(limited(&[("retry-after-ms", "60")]));
    let mut terms = Terms::quick(2);
    terms.lane.packet_max = Duration::from_millis(150);
    let scene = Scene::new(&server, 100, terms);
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert!(matches!(driven.stop, Some(Stop::Quota(_))), "{driven:?}");
    assert!(server.n_requests() < 20, "{}", server.n_requests());
}

#[tokio::test]
async fn f10_f11_no_quota_is_known_after_one_call() {
    for code in [
        "insufficient_quota",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
    ] {
        check_stop(
            error(429, &[("retry-after", "1")], code, "You exceeded your current quota"),
            &expect![[
                r#"Quota("the account has no quota or credit left (HTTP 429): You exceeded your current quota")"#
            ]],
        )
        .await;
    }
}

#[tokio::test]
async fn f12_a_message_is_not_a_code() {
    check(
        vec![error(429, &[], "rate_limit", "INSUFFICIENT QUOTA"), good()],
        &expect![[r"
            1 first: 429 rate_limited 87 bytes
            2 retry:rate_limited: 200 answered 231 bytes
            => verdict
        "]],
    )
    .await;
}

#[tokio::test]
async fn g13_calls_wait_for_money_that_others_hold() {
    let server = ScriptedServer::always(good());
    let usd = |text: &str| text.parse().expect("a decimal");
    let mut terms = Terms::quick(8);
    let (input, output) = (usd("10"), usd("0"));
    let listed = ListPrice { input, output, cached: None, cache_write: None, flex: None, batch: None };
    terms.price = Some(listed.at(None, None));
    terms.most = Money::from_usd(usd("0.1")).expect("an amount");
    terms.budget = Limits { calls_max: None, money_max: Money::from_usd(usd("0.15")) };
    let scene = Scene::new(&server, 20, terms);
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert_eq!((driven.verdicts, driven.stop), (20, None), "a call costs a hundredth of its most");
    assert_eq!(server.n_open_calls_peak(), 1, "there is money for one call at a time");
    assert_eq!(scene.desk.budget.spent().money.usd().to_string(), "0.02");
}

#[tokio::test]
async fn g13_the_call_limit_counts_retries() {
    let mut terms = Terms::quick(1);
    terms.budget = Limits { calls_max: Some(2), money_max: None };
    let driven = check_on(
        terms,
        vec![Act::respond(500, &[], "")],
        &expect![[r#"
            1 first: 500 server_error ""
            2 retry:server_error: 500 server_error ""
            => nothing
        "#]],
    )
    .await;
    assert_eq!(driven.stop, Some(Stop::Budget("the limit of 2 calls is reached".into())));
}

#[tokio::test]
async fn a_stop_finishes_what_is_in_flight_and_leaves_the_rest() {
    let server = ScriptedServer::with(|request| match request.number {
        0 => good(),
        _ => Act::After(Duration::from_millis(80), Box::new(good())),
    });
    let scene = Scene::new(&server, 50, Terms::quick(4));
    let stopper = tokio::spawn({
        let desk = Arc::clone(&scene.desk);
        async move {
            while desk.progress.calls.load(Ordering::Relaxed) < 5 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            desk.lane.stop(Stop::Interrupted);
        }
    });
    let driven = scene.drive().await;
    stopper.await.expect("no panic");
    scene.audit(&server, &driven);
    assert_eq!((driven.verdicts, server.n_requests()), (5, 5));
    assert_eq!(driven.stop, Some(Stop::Interrupted));
}

#[tokio::test]
async fn the_feeder_learns_of_a_stop() {
    let server = ScriptedServer::always(error(401, &[], "invalid_api_key", "no"));
    let scene = Scene::new(&server, 100, Terms::quick(4));
    let (sender, receiver) = mpsc::channel(1);
    let feeder = tokio::spawn({
        let questions = scene.questions.clone();
        async move {
            for question in questions {
                let (most, earlier) = (Money::default(), Earlier::Nothing);
                let task = Task { question, most, tokens_input: 0, earlier };
                if sender.send(task).await.is_err() {
                    return;
                }
            }
            panic!("every task was taken");
        }
    });
    let driven = drive(Arc::clone(&scene.desk), receiver).await;
    feeder.await.expect("the channel is closed, so the feeder ends");
    assert!(matches!(driven.stop, Some(Stop::Refused(_))), "{driven:?}");
}

#[tokio::test]
async fn g02_a_store_that_fails_stops_before_the_next_paid_call() {
    let server = ScriptedServer::always(good());
    let scene = Scene::new(&server, 50, Terms::quick(8));
    scene.desk.store.clone().close().expect("closed");
    let driven = scene.drive().await;
    assert_eq!(server.n_requests(), 0);
    assert!(matches!(driven.stop, Some(Stop::Store(_))), "{driven:?}");
    assert_eq!(scene.desk.budget.spent().calls, 0, "nothing was sent, so nothing is spent");
}
