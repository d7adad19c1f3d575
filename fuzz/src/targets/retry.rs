//! The retry classifier: whatever a server answers, there is something to do about it, and no wait is longer
//! than allowed.

use std::time::Duration;

use probity_core::json;
use probity_engine::judge::{CallOutcome, Response};
use probity_engine::schedule::classify::{CallTerms, Disposition, classify, preemptive_wait};
use probity_engine::schedule::retry_after::{WAIT_MIN, WaitHint, wait_hint};

use super::input::{choices, joined, parts, text};
use super::seeds as cases;

/// Statuses that mean something of their own; the byte of choices takes one, or the number in the first part.
const STATUSES: [u16; 12] = [200, 204, 302, 400, 401, 404, 408, 422, 429, 500, 503, 529];

/// The longest wait that is believed at all.
const BELIEVED_MAX: Duration = Duration::from_hours(366 * 24);

/// Panics where a response is not classified, or a wait is out of bounds.
pub fn check(data: &[u8]) {
    let (choice, rest) = choices(data);
    let [clock, headers, body] = parts(rest);
    let clock = text(clock).trim().parse::<i64>().ok();
    let status = STATUSES.get(usize::from(choice)).copied().unwrap_or(u16::from(choice) * 4);
    let response = Response { status, headers: headers_of(&text(headers)), body: body.to_vec() };
    check_hint(&response, clock);
    let wait_max = Duration::from_secs(u64::from(choice) + 1);
    let terms = CallTerms { model: "judge", wait_max, received_unix_ms: clock };
    let outcome = CallOutcome::Response(response.clone());
    let disposition = classify(&outcome, &terms).err();
    assert_eq!(disposition, classify(&outcome, &terms).err(), "one response, two dispositions");
    let success = (200..300).contains(&status);
    match disposition {
        None => assert!(success, "{status} is an answer"),
        Some(Disposition::Wait { pause, .. }) => {
            assert!(WAIT_MIN <= pause && pause <= wait_max.max(WAIT_MIN));
        }
        Some(Disposition::Retry { floor, .. }) => {
            assert!(floor.is_none_or(|floor| WAIT_MIN <= floor && floor <= wait_max));
        }
        Some(Disposition::Stop { stop, .. }) => {
            assert!(!stop.message().is_empty(), "a stop without a sentence");
            assert!(!success || names_an_error(body), "a success without an error stops the lane");
        }
        Some(Disposition::Damaged { .. } | Disposition::Invalid { .. } | Disposition::GiveUp { .. }) => {}
    }
    assert!(success || preemptive_wait(&response).is_none(), "a refusal is no success that used up a limit");
}

/// Inputs to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let tests = ["classify/tests", "retry_after/tests"];
    let sources = tests.map(|name| cases::file(&format!("crates/probity-engine/src/schedule/{name}.rs")));
    let literals: Vec<String> = sources.iter().flat_map(|source| cases::literals(source)).collect();
    let headers =
        literals.windows(2).map(|pair| format!("{}: {}\n{}: {}", pair[0], pair[1], "retry-after", pair[1]));
    let bodies = literals.iter().filter(|literal| literal.starts_with(['{', '[', '<']));
    let all_statuses = (0..).step_by(1).map(|n: usize| u8::try_from(n % STATUSES.len()).expect("a dozen"));
    let with_headers = headers.map(|headers| ["1772366400000".to_owned(), headers, String::new()]);
    let with_bodies = bodies.flat_map(|body| {
        let wrapped = format!("{{\"error\":{body}}}");
        [body.clone(), wrapped].map(|body| [String::new(), "retry-after: 7".to_owned(), body])
    });
    with_headers.chain(with_bodies).zip(all_statuses).map(|(parts, status)| joined(status, &parts)).collect()
}

fn headers_of(lines: &str) -> Vec<(String, String)> {
    let pair = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
    };
    lines.lines().filter_map(pair).collect()
}

fn check_hint(response: &Response, clock: Option<i64>) {
    let error = std::str::from_utf8(&response.body).ok().and_then(|body| json::parse(body).ok());
    match wait_hint(response, error.as_ref(), clock) {
        WaitHint::Stated(wait) | WaitHint::Mentioned(wait) => {
            assert!((WAIT_MIN..=BELIEVED_MAX).contains(&wait), "{wait:?}");
        }
        WaitHint::Absent => {}
    }
}

fn names_an_error(body: &[u8]) -> bool {
    String::from_utf8_lossy(body).contains("error")
}
