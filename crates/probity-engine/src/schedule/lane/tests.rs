//! Pauses, the pilot, the limit and the ways a lane ends, on a clock that jumps.

use std::num::NonZeroU32;
use std::sync::Arc;

use super::*;
use crate::schedule::fixture::settings;

/// A lane whose first call has been answered.
fn flown(concurrency: usize) -> Lane {
    let lane = Lane::new(settings(concurrency), 1, Parameters::Settled);
    lane.observe(0, Signal::Clean, None, "");
    lane
}

async fn entered_after(lane: &Lane) -> Duration {
    let before = Instant::now();
    let _permit = lane.enter(0).await.expect("open");
    before.elapsed()
}

/// Makes `n` calls of 10 ms each, all asked for at once.
async fn call_all(lane: &Arc<Lane>, n: usize) {
    let calls: Vec<_> = (0..n)
        .map(|_| {
            let lane = Arc::clone(lane);
            tokio::spawn(async move {
                let _permit = lane.enter(0).await.expect("open");
                tokio::time::sleep(Duration::from_millis(10)).await;
            })
        })
        .collect();
    for call in calls {
        call.await.expect("no panic");
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_call_goes_alone_but_not_for_long() {
    let lane = Lane::new(settings(4), 1, Parameters::Settled);
    let first = lane.enter(0).await.expect("open");
    assert_eq!(entered_after(&lane).await, Duration::from_millis(250));
    drop(first);
    assert_eq!(entered_after(&flown(4)).await, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn whatever_comes_of_the_first_call_the_others_follow() {
    for signal in [Signal::Clean, Signal::Failure, Signal::Declined, Signal::Unfit] {
        let lane = Arc::new(Lane::new(settings(4), 1, Parameters::Settled));
        let first = lane.enter(0).await.expect("open");
        let others = tokio::spawn({
            let lane = Arc::clone(&lane);
            async move {
                let before = Instant::now();
                call_all(&lane, 3).await;
                before.elapsed()
            }
        });
        tokio::time::sleep(Duration::from_millis(100)).await;
        lane.observe(0, signal, None, "");
        drop(first);
        assert_eq!(others.await.expect("no panic"), Duration::from_millis(110), "{signal:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_with_unproven_parameters_go_one_by_one_until_one_is_answered() {
    for signal in [Signal::Failure, Signal::Limited(Ramp::Normal), Signal::Unlucky, Signal::Unfit] {
        let lane = Arc::new(Lane::new(settings(4), 1, Parameters::Unproven));
        for _ in 0..3 {
            let call = lane.enter(0).await.expect("open");
            let waited = tokio::time::timeout(Duration::from_mins(9), lane.enter(0)).await;
            assert!(waited.is_err(), "nothing goes beside it, however long it takes: {signal:?}");
            lane.observe(0, signal, None, "");
            drop(call);
        }
        let call = lane.enter(0).await.expect("open");
        let others = tokio::spawn({
            let lane = Arc::clone(&lane);
            async move { call_all(&lane, 3).await }
        });
        tokio::task::yield_now().await;
        lane.observe(0, Signal::Clean, None, "");
        others.await.expect("no panic");
        drop(call);
        assert!(lane.peak() > 1, "after an answer they go together: {signal:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_with_unproven_parameters_end_like_others() {
    let lane = Lane::new(settings(5), 1, Parameters::Unproven);
    while let Ok(call) = lane.enter(0).await {
        lane.observe(0, Signal::Failure, None, "lost");
        drop(call);
    }
    assert_eq!(lane.stop_reason(), Some(Stop::Unreachable("20 calls failed in a row: lost".into())));
    let lane = Lane::new(settings(5), 1, Parameters::Unproven);
    let began = Instant::now();
    while let Ok(call) = lane.enter(0).await {
        tokio::time::advance(Duration::from_mins(1)).await;
        lane.observe(0, Signal::Limited(Ramp::Normal), None, "HTTP 429");
        drop(call);
    }
    assert_eq!(began.elapsed(), Duration::from_mins(36), "each is no new beginning");
}

#[tokio::test(start_paused = true)]
async fn proven_parameters_need_no_pilot() {
    let lane = Lane::new(settings(4), 1, Parameters::Proven);
    let _first = lane.enter(0).await.expect("open");
    assert_eq!(entered_after(&lane).await, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn f01_a_limited_pilot_lets_nobody_slip_through() {
    let lane = Arc::new(Lane::new(settings(4), 1, Parameters::Settled));
    let first = lane.enter(0).await.expect("open");
    let others = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move { entered_after(&lane).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    lane.observe(0, Signal::Limited(Ramp::Normal), Some(Duration::from_secs(7)), "");
    drop(first);
    assert!(others.await.expect("no panic") >= Duration::from_millis(7100));
}

#[tokio::test(start_paused = true)]
async fn no_more_than_the_limit_is_in_flight() {
    let lane = Arc::new(flown(3));
    let before = Instant::now();
    call_all(&lane, 50).await;
    assert_eq!(lane.peak(), 3);
    assert_eq!(before.elapsed(), Duration::from_millis(170), "and no less: 17 rounds");
}

#[tokio::test(start_paused = true)]
async fn f01_a_pause_holds_everybody_and_they_start_spread() {
    let lane = Arc::new(flown(4));
    lane.observe(0, Signal::Clean, Some(Duration::from_secs(7)), "");
    lane.observe(0, Signal::Clean, Some(Duration::from_secs(1)), "a shorter pause shortens nothing");
    let waits: Vec<_> = (0..100)
        .map(|_| {
            let lane = Arc::clone(&lane);
            tokio::spawn(async move { entered_after(&lane).await })
        })
        .collect();
    let mut waited = Vec::new();
    for wait in waits {
        waited.push(wait.await.expect("no panic"));
    }
    let (first, last) = (waited.iter().min().unwrap(), waited.iter().max().unwrap());
    assert!(*first >= Duration::from_secs(7), "{first:?}");
    assert!(*last <= Duration::from_secs(7) + SPREAD_MAX + Duration::from_millis(1), "{last:?}");
    assert!(*last > *first + SPREAD_MAX / 2, "{first:?} to {last:?}");
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_grows_while_waiting_is_observed() {
    let lane = Arc::new(flown(4));
    lane.observe(0, Signal::Clean, Some(Duration::from_secs(5)), "");
    let waiting = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move { entered_after(&lane).await }
    });
    tokio::time::sleep(Duration::from_secs(4)).await;
    lane.observe(0, Signal::Limited(Ramp::Normal), Some(Duration::from_secs(10)), "");
    assert!(waiting.await.expect("no panic") >= Duration::from_secs(14));
}

#[tokio::test(start_paused = true)]
async fn nobody_is_forgotten_after_a_pause_with_a_full_lane() {
    let lane = Arc::new(flown(3));
    let held: Vec<_> = [lane.enter(0).await, lane.enter(0).await, lane.enter(0).await].into_iter().collect();
    let all = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move { call_all(&lane, 200).await }
    });
    tokio::time::sleep(Duration::from_millis(1)).await;
    lane.observe(0, Signal::Limited(Ramp::Normal), Some(Duration::from_secs(1)), "");
    drop(held);
    let ended = tokio::time::timeout(Duration::from_mins(1), all).await;
    ended.expect("everybody had a turn").expect("no panic");
    assert_eq!(lane.limit(), 2, "the cut holds");
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_goes_away_leaves_its_turn_to_the_next() {
    let lane = Arc::new(flown(1));
    let held = lane.enter(0).await.expect("open");
    let gone = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move { lane.enter(0).await.map(drop) }
    });
    tokio::task::yield_now().await;
    let next = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move { lane.enter(0).await.map(drop) }
    });
    tokio::task::yield_now().await;
    drop(held);
    gone.abort();
    let next = tokio::time::timeout(Duration::from_secs(1), next).await;
    assert_eq!(next.expect("its turn came").expect("no panic"), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_gives_up_in_a_pause_leaves_its_turn_to_the_next() {
    let lane = Arc::new(flown(1));
    let held = lane.enter(0).await.expect("open");
    let impatient = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move { tokio::time::timeout(Duration::from_secs(1), lane.enter(0)).await.map(drop) }
    });
    tokio::task::yield_now().await;
    let next = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move { lane.enter(0).await.map(drop) }
    });
    tokio::task::yield_now().await;
    lane.observe(0, Signal::Limited(Ramp::Normal), Some(Duration::from_secs(9)), "");
    drop(held);
    assert!(impatient.await.expect("no panic").is_err(), "its time was up in the pause");
    let next = tokio::time::timeout(Duration::from_mins(1), next).await;
    assert_eq!(next.expect("its turn came").expect("no panic"), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn f29_failures_in_a_row_stop_the_lane() {
    let lane = flown(5);
    for n in 0..20 {
        assert_eq!(lane.stop_reason(), None, "after {n}");
        lane.observe(0, Signal::Failure, None, "connection refused");
    }
    let stop = lane.stop_reason().expect("stopped");
    assert_eq!(stop, Stop::Unreachable("20 calls failed in a row: connection refused".into()));
    assert_eq!(lane.enter(0).await.expect_err("closed"), stop);
}

#[tokio::test(start_paused = true)]
async fn f16_f32_what_is_no_failure_neither_cuts_nor_breaks() {
    let lane = flown(10);
    for signal in [Signal::Declined, Signal::Unfit] {
        (0..1000).for_each(|_| lane.observe(0, signal, None, ""));
    }
    assert_eq!((lane.limit(), lane.stop_reason()), (10, None));
}

#[tokio::test(start_paused = true)]
async fn f07_nothing_but_rate_limits_ends_the_lane() {
    let lane = Lane::new(settings(5), 1, Parameters::Settled);
    drop(lane.enter(0).await.expect("open"));
    let mut minutes = 0;
    while lane.stop_reason().is_none() {
        tokio::time::advance(Duration::from_mins(1)).await;
        minutes += 1;
        lane.observe(0, Signal::Limited(Ramp::Normal), None, "rate_limited");
    }
    assert_eq!(minutes, 36);
    let want = Stop::Quota("no call was answered for 2160 s: rate_limited".into());
    assert_eq!(lane.stop_reason(), Some(want));
}

#[tokio::test(start_paused = true)]
async fn f07_an_answer_now_and_then_keeps_the_lane_open() {
    let lane = flown(5);
    for _ in 0..100 {
        tokio::time::advance(Duration::from_mins(30)).await;
        lane.observe(0, Signal::Limited(Ramp::Normal), None, "");
        lane.observe(0, Signal::Clean, None, "");
    }
    assert_eq!(lane.stop_reason(), None);
}

#[tokio::test(start_paused = true)]
async fn a_stop_wakes_those_who_rest_or_wait() {
    let lane = Arc::new(flown(1));
    let held = lane.enter(0).await.expect("open");
    let resting = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move { lane.rest(Duration::from_hours(1)).await }
    });
    let waiting = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move { lane.enter(0).await.map(|_| ()) }
    });
    tokio::task::yield_now().await;
    lane.stop(Stop::Interrupted);
    assert_eq!(resting.await.expect("no panic"), Err(Stop::Interrupted));
    assert_eq!(waiting.await.expect("no panic"), Err(Stop::Interrupted));
    drop(held);
}

#[tokio::test(start_paused = true)]
async fn the_first_reason_stays_unless_the_store_failed() {
    let failed = |doing| Stop::Store(crate::ledger::StoreError::Closed { path: "s".into(), doing });
    let lane = flown(1);
    lane.stop(Stop::Interrupted);
    lane.stop(Stop::Budget(String::new()));
    assert_eq!(lane.stop_reason(), Some(Stop::Interrupted));
    lane.stop(failed("first"));
    lane.stop(failed("second"));
    assert_eq!(lane.stop_reason(), Some(failed("first")));
}

#[tokio::test(start_paused = true)]
async fn n20_a_rate_limit_says_when_the_next_call_is_made() {
    let lane = Arc::new(flown(4));
    assert_eq!(lane.next_try(), None);
    lane.observe(0, Signal::Limited(Ramp::Normal), Some(Duration::from_secs(40)), "HTTP 429");
    let waiting = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move { lane.enter(0).await.map(drop) }
    });
    tokio::task::yield_now().await;
    let next = lane.next_try().expect("a wait");
    assert!((40..41).contains(&next.as_secs()), "{next:?}");
    tokio::time::advance(Duration::from_secs(30)).await;
    assert_eq!(lane.next_try().expect("a wait").as_secs(), 10);
    waiting.await.expect("no panic").expect("open");
    assert_eq!(lane.next_try(), None, "no worker waits any more");
    // Backing off from an outage is no rate limit.
    lane.observe(0, Signal::Failure, None, "HTTP 500");
    let resting = tokio::spawn({
        let lane = Arc::clone(&lane);
        async move { lane.rest(Duration::from_secs(5)).await }
    });
    tokio::task::yield_now().await;
    assert_eq!(lane.next_try(), None);
    resting.await.expect("no panic").expect("open");
}

#[tokio::test(start_paused = true)]
async fn n20_a_rate_limit_that_never_ends_has_one_bound() {
    let drought = Duration::from_mins(30);
    let lane = Lane::new(ScheduleSettings { packet_max: drought, ..settings(4) }, 1, Parameters::Settled);
    let began = Instant::now();
    let stop = loop {
        match lane.enter(0).await {
            Ok(_permit) => {
                lane.observe(0, Signal::Limited(Ramp::Normal), Some(Duration::from_mins(2)), "HTTP 429");
            }
            Err(stop) => break stop,
        }
    };
    assert!(matches!(&stop, Stop::Quota(why) if why.starts_with("no call was answered for ")), "{stop:?}");
    assert!(began.elapsed() <= drought + Duration::from_mins(3), "{:?}", began.elapsed());
}

/// A lane to two servers whose first call has been answered.
fn pair(concurrency: usize) -> Lane {
    let lane = Lane::new(settings(concurrency), 2, Parameters::Settled);
    lane.observe(0, Signal::Clean, None, "");
    lane
}

#[tokio::test(start_paused = true)]
async fn each_server_has_its_own_calls_in_flight() {
    let lane = pair(2);
    let mut permits = Vec::new();
    for _ in 0..4 {
        permits.push(lane.enter(0).await.expect("open"));
    }
    assert_eq!(permits.iter().map(Permit::server).collect::<Vec<_>>(), [0, 1, 0, 1]);
    assert_eq!((lane.peak(), lane.limit(), lane.concurrency()), (4, 4, 4));
    assert!(tokio::time::timeout(Duration::from_secs(9), lane.enter(0)).await.is_err(), "both are full");
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_of_one_server_pauses_no_call_to_the_other() {
    let lane = pair(4);
    lane.observe(0, Signal::Limited(Ramp::Normal), Some(Duration::from_mins(1)), "");
    let before = Instant::now();
    let permits = [lane.enter(0).await.expect("open"), lane.enter(0).await.expect("open")];
    assert_eq!((permits.each_ref().map(Permit::server), before.elapsed()), ([1, 1], Duration::ZERO));
    lane.observe(1, Signal::Limited(Ramp::Normal), Some(Duration::from_secs(90)), "");
    drop(permits);
    let permit = lane.enter(0).await.expect("open");
    assert_eq!(permit.server(), 0);
    assert!((60..61).contains(&before.elapsed().as_secs()), "the pause that ends first");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_failed_is_tried_again_with_one_call() {
    let lane = pair(4);
    lane.observe(1, Signal::Failure, None, "lost");
    let first = [lane.enter(0).await.expect("open"), lane.enter(0).await.expect("open")];
    assert_eq!(first.each_ref().map(Permit::server), [0, 0]);
    tokio::time::advance(Duration::from_secs(31)).await;
    let then = [lane.enter(0).await.expect("open"), lane.enter(0).await.expect("open")];
    assert_eq!(then.each_ref().map(Permit::server), [1, 0]);
    lane.observe(1, Signal::Clean, None, "");
    assert_eq!(lane.enter(0).await.expect("open").server(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_lane_ends_with_its_last_server() {
    let lane = pair(4);
    (0..20).for_each(|_| lane.observe(1, Signal::Failure, None, "lost"));
    assert_eq!(lane.gone(), [(1, "20 calls failed in a row: lost".to_owned())]);
    assert_eq!(lane.stop_reason(), None);
    tokio::time::advance(Duration::from_hours(1)).await;
    assert_eq!(lane.enter(0).await.expect("open").server(), 0);
    (0..20).for_each(|_| lane.observe(0, Signal::Failure, None, "refused"));
    assert_eq!(lane.stop_reason(), Some(Stop::Unreachable("20 calls failed in a row: refused".to_owned())));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_puts_calls_off_without_a_time_is_passed_over() {
    for signal in [Signal::Limited(Ramp::Normal), Signal::Unlucky, Signal::Declined] {
        let lane = pair(4);
        lane.observe(0, signal, None, "HTTP 429");
        let calls = [lane.enter(0).await.expect("open"), lane.enter(0).await.expect("open")];
        assert_eq!(calls.each_ref().map(Permit::server), [1, 1], "{signal:?}");
        lane.observe(1, signal, None, "HTTP 529");
        assert_eq!(lane.enter(0).await.expect("open").server(), 0, "neither is better: {signal:?}");
    }
    let alone = flown(4);
    alone.observe(0, Signal::Unlucky, None, "HTTP 529");
    assert_eq!(alone.limit(), 4, "one server has no other to turn to");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_is_left_while_another_lives() {
    let lane = pair(4);
    lane.leave(0, Stop::Refused("no key".into()));
    assert_eq!((lane.stop_reason(), lane.gone()), (None, vec![(0, "no key".to_owned())]));
    assert_eq!(lane.enter(0).await.expect("open").server(), 1);
    lane.leave(0, Stop::Unusable("a call that was under way".into()));
    lane.leave(1, Stop::Quota("no credit".into()));
    assert_eq!(lane.enter(0).await.expect_err("closed"), Stop::Quota("no credit".into()));
    assert_eq!(lane.gone()[0].1, "no key", "the first reason stays");
}

#[tokio::test(start_paused = true)]
async fn a_server_whose_limit_is_used_up_is_left_before_the_lane_ends() {
    let lane = pair(4);
    lane.stop_before_next(0, Stop::Quota("resets in 3 h".into()));
    assert_eq!(lane.enter(0).await.expect("open").server(), 1);
    lane.stop_before_next(1, Stop::Quota("resets in 4 h".into()));
    assert_eq!(lane.stop_reason(), None, "no further call may be needed");
    assert_eq!(lane.enter(0).await.expect_err("closed"), Stop::Quota("resets in 4 h".into()));
}

/// How long `n` calls take one after another, each of `tokens` and none answered in time.
async fn paced(settings: ScheduleSettings, n: u64, tokens: u64) -> Duration {
    let (lane, begun) = (Lane::new(settings, 1, Parameters::Settled), Instant::now());
    lane.observe(0, Signal::Clean, None, "");
    for _ in 0..n {
        drop(lane.enter(tokens).await.expect("open"));
    }
    begun.elapsed()
}

#[tokio::test(start_paused = true)]
async fn no_minute_holds_more_than_the_settings_allow() {
    let settings = || settings(64);
    let per_minute = |n| NonZeroU32::new(n);
    assert_eq!(paced(settings(), 100, 9_000).await, Duration::ZERO);
    let requests = ScheduleSettings { requests_per_minute: per_minute(30), ..settings() };
    assert_eq!(paced(requests, 31, 9_000).await.as_secs(), 60);
    let tokens = ScheduleSettings { tokens_per_minute: per_minute(1_000), ..settings() };
    assert_eq!(paced(tokens, 11, 100).await.as_secs(), 60);
    let both = ScheduleSettings {
        requests_per_minute: per_minute(600),
        tokens_per_minute: per_minute(1_000),
        ..settings()
    };
    let lane = Lane::new(both, 1, Parameters::Settled);
    lane.observe(0, Signal::Clean, None, "");
    drop(lane.enter(100).await.expect("open"));
    lane.used_more(400);
    assert_eq!(entered_after(&lane).await.as_secs(), 30, "an answer's tokens count as well");
}
